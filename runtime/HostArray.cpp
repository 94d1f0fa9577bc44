//===- HostArray.cpp - a tensor that owns host memory ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/HostArray.h"

#include "compiler/arith/Formats.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static constexpr std::align_val_t kAlignment{64};

void HostArray::Free::operator()(std::byte *memory) const {
  ::operator delete(memory, kAlignment);
}

Result<HostArray> HostArray::create(ScalarType type,
                                    std::vector<int64_t> shape) {
  HostArray array;
  array.view.type = type;
  array.view.strides = {};
  std::optional<int64_t> count = elementCount(shape);
  int64_t bytes = 0;
  if (!count ||
      __builtin_mul_overflow(*count, int64_t(artifact::bytesOf(type)), &bytes))
    return Failure{"cannot make a tensor of shape " + printShape(shape) +
                   ": its size is negative or does not fit 64 bits"};
  void *memory = ::operator new(bytes ? bytes : 1, kAlignment, std::nothrow);
  if (!memory)
    return Failure{"not enough host memory for a tensor of shape " +
                   printShape(shape) + " (" + std::to_string(bytes) +
                   " bytes)"};
  array.storage.reset(static_cast<std::byte *>(memory));
  std::memset(memory, 0, bytes);
  array.view.data = memory;
  array.view.strides = denseStrides(shape);
  array.view.shape = std::move(shape);
  array.count = *count;
  return array;
}

Result<HostArray> HostArray::createColumnMajor(ScalarType type,
                                               std::vector<int64_t> shape) {
  Result<HostArray> array = create(type, std::move(shape));
  if (!array)
    return array;
  int64_t stride = 1;
  for (size_t dim = 0; dim < array->view.shape.size(); ++dim) {
    array->view.strides[dim] = stride;
    int64_t extent = array->view.shape[dim];
    stride *= extent ? extent : 1;
  }
  return array;
}

uint64_t HostArray::bytes() const {
  return uint64_t(count) * artifact::bytesOf(view.type);
}

/// Where the element lies, in elements from `data`.
static int64_t positionOf(const Tensor &tensor, int64_t flatIndex) {
  int64_t position = 0;
  for (size_t dim = tensor.shape.size(); dim-- > 0;) {
    position += flatIndex % tensor.shape[dim] * tensor.strides[dim];
    flatIndex /= tensor.shape[dim];
  }
  return position;
}

template <typename T> static T readAs(const Tensor &tensor, int64_t flatIndex) {
  T value;
  std::memcpy(&value,
              static_cast<const char *>(tensor.data) +
                  positionOf(tensor, flatIndex) * int64_t(sizeof(T)),
              sizeof(T));
  return value;
}

uint64_t rt::loadBits(const Tensor &hostTensor, int64_t flatIndex) {
  switch (artifact::bytesOf(hostTensor.type)) {
  case 8:
    return readAs<uint64_t>(hostTensor, flatIndex);
  case 4:
    return readAs<uint32_t>(hostTensor, flatIndex);
  case 2:
    return readAs<uint16_t>(hostTensor, flatIndex);
  default:
    return readAs<uint8_t>(hostTensor, flatIndex);
  }
}

double rt::loadElement(const Tensor &hostTensor, int64_t flatIndex) {
  return valueOfBits(hostTensor.type, loadBits(hostTensor, flatIndex));
}

/// The bits of an integer with its sign in all 64.
static int64_t signExtended(ScalarType type, uint64_t bits) {
  int unused = 64 - 8 * int(artifact::bytesOf(type));
  return int64_t(bits << unused) >> unused;
}

double rt::valueOfBits(ScalarType type, uint64_t bits) {
  switch (type) {
  case ScalarType::F64:
    return arith::doubleFromBits(bits);
  case ScalarType::F32:
    return arith::floatFromBits(uint32_t(bits));
  case ScalarType::F16:
    return arith::fromF16(uint16_t(bits));
  case ScalarType::BF16:
    return arith::fromBf16(uint16_t(bits));
  case ScalarType::F8E4M3FN:
    return arith::fromF8E4M3(uint8_t(bits));
  case ScalarType::F8E5M2:
    return arith::fromF8E5M2(uint8_t(bits));
  case ScalarType::Bool:
    return bits != 0;
  case ScalarType::U8:
  case ScalarType::U16:
  case ScalarType::U32:
  case ScalarType::U64:
    return double(bits);
  default:
    return double(signExtended(type, bits));
  }
}

std::string rt::printElement(ScalarType type, uint64_t bits, int digits) {
  if (type == ScalarType::Bool)
    return bits ? "true" : "false";
  if (artifact::isUnsigned(type))
    return std::to_string(bits);
  if (artifact::isInteger(type))
    return std::to_string(signExtended(type, bits));
  double value = valueOfBits(type, bits);
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

template <typename T>
static void writeAs(void *memory, int64_t position, T value) {
  std::memcpy(static_cast<char *>(memory) + position * int64_t(sizeof(T)),
              &value, sizeof(T));
}

void rt::storeBits(void *memory, ScalarType type, int64_t position,
                   uint64_t bits) {
  switch (artifact::bytesOf(type)) {
  case 8:
    return writeAs<uint64_t>(memory, position, bits);
  case 4:
    return writeAs<uint32_t>(memory, position, uint32_t(bits));
  case 2:
    return writeAs<uint16_t>(memory, position, uint16_t(bits));
  default:
    return writeAs<uint8_t>(memory, position, uint8_t(bits));
  }
}

/// Truncated and saturated; a NaN gives 0.
static uint64_t integerBits(ScalarType type, double value) {
  if (std::isnan(value))
    return 0;
  int width = 8 * int(artifact::bytesOf(type));
  double end = std::ldexp(1.0, artifact::isUnsigned(type) ? width : width - 1);
  value = std::trunc(value);
  if (artifact::isUnsigned(type)) {
    if (value >= end)
      return ~uint64_t(0);
    return value <= 0 ? 0 : uint64_t(value);
  }
  if (value >= end)
    return (uint64_t(1) << (width - 1)) - 1;
  return value <= -end ? uint64_t(1) << (width - 1) : uint64_t(int64_t(value));
}

void rt::storeElement(void *memory, ScalarType type, int64_t position,
                      double value) {
  switch (type) {
  case ScalarType::F64:
    return writeAs<double>(memory, position, value);
  case ScalarType::F32:
    return writeAs<float>(memory, position, float(value));
  case ScalarType::F16:
    return writeAs<uint16_t>(memory, position, arith::toF16(value));
  case ScalarType::BF16:
    return writeAs<uint16_t>(memory, position, arith::toBf16(value));
  case ScalarType::F8E4M3FN:
    return writeAs<uint8_t>(memory, position, arith::toF8E4M3(value));
  case ScalarType::F8E5M2:
    return writeAs<uint8_t>(memory, position, arith::toF8E5M2(value));
  case ScalarType::Bool:
    return writeAs<uint8_t>(memory, position, value != 0);
  default:
    return storeBits(memory, type, position, integerBits(type, value));
  }
}

std::vector<int64_t> rt::unflatten(const std::vector<int64_t> &shape,
                                   int64_t flatIndex) {
  std::vector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = flatIndex % shape[dim];
    flatIndex /= shape[dim];
  }
  return index;
}

std::string rt::rowMajorBytes(const HostArray &array) {
  if (array.strides() == denseStrides(array.shape()))
    return std::string(reinterpret_cast<const char *>(array.data()),
                       array.bytes());
  size_t elementBytes = artifact::bytesOf(array.type());
  std::string data(array.bytes(), '\0');
  for (int64_t i = 0; i < array.elements(); ++i) {
    uint64_t bits = loadBits(array.tensor(), i);
    std::memcpy(data.data() + size_t(i) * elementBytes, &bits, elementBytes);
  }
  return data;
}
