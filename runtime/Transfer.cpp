//===- Transfer.cpp - host arrays to devices and back ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Transfer.h"

using namespace girih;
using namespace girih::rt;

Result<DeviceArray> rt::upload(Device &device, const HostArray &array) {
  Result<Buffer> buffer = device.allocate(array.bytes());
  if (!buffer)
    return Failure{buffer.message()};
  Status copied = device.copyIn(buffer->data(), array.data(), array.bytes());
  if (!copied)
    return Failure{copied.message()};
  DeviceArray result{std::move(*buffer), array.tensor()};
  result.tensor.data = result.buffer.data();
  return result;
}

Result<DeviceArray> rt::allocatePoisoned(Device &device,
                                         artifact::ScalarType type,
                                         std::vector<int64_t> shape) {
  std::optional<int64_t> count = elementCount(shape);
  int64_t bytes = 0;
  if (!count ||
      __builtin_mul_overflow(*count, int64_t(artifact::bytesOf(type)), &bytes))
    return Failure{"cannot make a tensor of shape " + printShape(shape) +
                   ": its size is negative or does not fit 64 bits"};
  Result<Buffer> buffer = device.allocate(uint64_t(bytes));
  if (!buffer)
    return Failure{buffer.message()};
  Status filled =
      device.fill(buffer->data(), poisonByteOf(type), uint64_t(bytes));
  if (!filled)
    return Failure{filled.message()};
  DeviceArray result{std::move(*buffer), {}};
  result.tensor.data = result.buffer.data();
  result.tensor.type = type;
  result.tensor.strides = denseStrides(shape);
  result.tensor.shape = std::move(shape);
  return result;
}

Result<HostArray> rt::download(Device &device, const DeviceArray &array) {
  const Tensor &tensor = array.tensor;
  Result<HostArray> result = HostArray::create(tensor.type, tensor.shape);
  if (result && result->strides() != tensor.strides)
    result = HostArray::createColumnMajor(tensor.type, tensor.shape);
  if (!result)
    return result;
  if (result->strides() != tensor.strides)
    return Failure{"cannot copy back a tensor of shape " +
                   printShape(tensor.shape) +
                   " that is neither row-major nor column-major"};
  Status copied = device.copyOut(result->data(), tensor.data, result->bytes());
  if (!copied)
    return Failure{copied.message()};
  return result;
}
