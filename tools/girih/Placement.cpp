//===- Placement.cpp - tensors in plain and awkward memory ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Placement.h"

#include <algorithm>
#include <cstring>

using namespace girih;
using namespace girih::cli;

Result<Placement> cli::parsePlacement(std::string_view name) {
  if (name == "padded")
    return Placement::Padded;
  if (name == "transposed")
    return Placement::Transposed;
  return Failure{"a strided tensor is 'padded' or 'transposed', not '" +
                 std::string(name) + "'"};
}

/// Calls body(position in memory, position in a row-major array), both counted
/// in elements.
template <typename Body>
static void forEachElement(const std::vector<int64_t> &shape,
                           const std::vector<int64_t> &strides, Body body) {
  int64_t count = *rt::elementCount(shape), position = 0;
  std::vector<int64_t> index(shape.size());
  for (int64_t flat = 0; flat < count; ++flat) {
    body(position, flat);
    for (size_t dim = shape.size(); dim-- > 0;) {
      position += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      position -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

Result<PlacedTensor> PlacedTensor::place(rt::Device &device,
                                         artifact::ScalarType type,
                                         std::vector<int64_t> shape,
                                         Placement placement) {
  size_t rank = shape.size();
  std::vector<int64_t> strides(rank);
  // Far beyond any memory: nothing below can overflow before this is seen.
  constexpr int64_t kMostElements = int64_t(1) << 56;
  bool fits = rt::elementCount(shape).has_value();
  int64_t next = placement == Placement::Padded && rank == 1 ? 2 : 1;
  for (size_t step = 0; step < rank; ++step) {
    size_t dim = placement == Placement::Transposed ? step : rank - 1 - step;
    strides[dim] = next;
    int64_t extent = std::max<int64_t>(shape[dim], 1);
    fits = fits && extent <= kMostElements / next;
    if (!fits)
      break;
    next = extent * next + (placement == Placement::Padded ? 1 : 0);
  }
  if (!fits)
    return Failure{"a tensor of shape " + rt::printShape(shape) +
                   " fits no memory"};
  PlacedTensor placed;
  placed.offset = placement == Placement::Padded ? 1 : 0;
  bool isEmpty = rt::elementCount(shape) == 0;
  int64_t elements = (isEmpty ? 0 : next) + 2 * placed.offset;
  unsigned width = artifact::bytesOf(type);
  Result<rt::Buffer> buffer = device.allocate(uint64_t(elements) * width);
  if (!buffer)
    return Failure{buffer.message()};
  placed.storage = std::make_shared<rt::Buffer>(std::move(*buffer));
  placed.view.data =
      static_cast<std::byte *>(placed.storage->data()) + placed.offset * width;
  placed.view.type = type;
  placed.view.shape = std::move(shape);
  placed.view.strides = std::move(strides);
  return placed;
}

Result<PlacedTensor> PlacedTensor::upload(rt::Device &device,
                                          const rt::HostArray &array,
                                          Placement placement) {
  Result<PlacedTensor> placed =
      place(device, array.type(), array.shape(), placement);
  if (!placed)
    return placed;
  // An array that is column-major in its file stays so.
  if (placement == Placement::Plain)
    placed->view.strides = array.strides();
  if (Status written = placed->write(device, array); !written)
    return Failure{written.message()};
  return placed;
}

Status PlacedTensor::write(rt::Device &device, const rt::HostArray &array) {
  uint64_t bytes = storage->bytes();
  if (offset == 0 && view.strides == array.strides())
    return device.copyIn(storage->data(), array.data(), bytes);
  std::vector<uint8_t> staging(bytes, rt::kPoisonByte);
  unsigned width = artifact::bytesOf(array.type());
  // Both positions belong to the same index.
  std::vector<int64_t> from;
  from.reserve(size_t(array.elements()));
  forEachElement(array.shape(), array.strides(),
                 [&](int64_t position, int64_t) { from.push_back(position); });
  forEachElement(view.shape, view.strides, [&](int64_t position, int64_t flat) {
    std::memcpy(staging.data() + (offset + position) * width,
                array.data() + from[size_t(flat)] * width, width);
  });
  Status copied = device.copyIn(storage->data(), staging.data(), bytes);
  return copied ? poisonGaps(device) : copied;
}

Status PlacedTensor::poisonGaps(rt::Device &device) {
  unsigned width = artifact::bytesOf(view.type);
  std::vector<bool> isElement(storage->bytes() / width);
  forEachElement(view.shape, view.strides, [&](int64_t position, int64_t) {
    isElement[size_t(offset + position)] = true;
  });
  Status status;
  auto end = isElement.end();
  for (auto gap = isElement.begin(); status;) {
    gap = std::find(gap, end, false);
    if (gap == end)
      break;
    auto behind = std::find(gap, end, true);
    auto *begin = static_cast<std::byte *>(storage->data());
    status = device.poison(begin + (gap - isElement.begin()) * width,
                           uint64_t(behind - gap) * width);
    gap = behind;
  }
  return status;
}

Result<PlacedTensor> PlacedTensor::allocate(rt::Device &device,
                                            artifact::ScalarType type,
                                            std::vector<int64_t> shape,
                                            Placement placement) {
  Result<PlacedTensor> placed =
      place(device, type, std::move(shape), placement);
  if (!placed)
    return placed;
  if (Status status = placed->poison(device); !status)
    return Failure{status.message()};
  return placed;
}

Status PlacedTensor::poison(rt::Device &device) {
  return device.poison(storage->data(), storage->bytes());
}

Result<rt::HostArray> PlacedTensor::download(rt::Device &device) const {
  Result<rt::HostArray> array = rt::HostArray::create(view.type, view.shape);
  if (!array)
    return array;
  bool isDense = offset == 0 && view.strides == array->strides();
  std::vector<uint8_t> staging(isDense ? 0 : storage->bytes());
  Status copied = device.copyOut(isDense ? static_cast<void *>(array->data())
                                         : static_cast<void *>(staging.data()),
                                 storage->data(), storage->bytes());
  if (!copied)
    return Failure{copied.message()};
  if (isDense)
    return array;
  unsigned width = artifact::bytesOf(view.type);
  forEachElement(view.shape, view.strides, [&](int64_t position, int64_t flat) {
    uint8_t *element = staging.data() + (offset + position) * width;
    std::memcpy(array->data() + flat * width, element, width);
    std::memset(element, rt::kPoisonByte, width);
  });
  auto written = std::find_if(staging.begin(), staging.end(), [](uint8_t byte) {
    return byte != rt::kPoisonByte;
  });
  if (written != staging.end())
    return Failure{"byte " + std::to_string(written - staging.begin()) +
                   " of its memory belongs to no element and was overwritten"};
  return array;
}
