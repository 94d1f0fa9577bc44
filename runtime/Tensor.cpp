//===- Tensor.cpp - a strided view of device memory -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Tensor.h"

using namespace girih;
using namespace girih::rt;

std::optional<int64_t> rt::elementCount(const std::vector<int64_t> &shape) {
  int64_t nonZero = 1;
  bool hasZero = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0)
      hasZero = true;
    else if (__builtin_mul_overflow(nonZero, extent, &nonZero))
      return std::nullopt;
  }
  return hasZero ? 0 : nonZero;
}

std::vector<int64_t> rt::denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    // A zero extent would zero all outer strides; nothing is addressed anyway.
    stride *= shape[dim] ? shape[dim] : 1;
  }
  return strides;
}

Result<ByteRange> rt::byteRange(const Tensor &tensor) {
  if (tensor.shape.size() != tensor.strides.size())
    return Failure{"it has " + std::to_string(tensor.shape.size()) +
                   " extents but " + std::to_string(tensor.strides.size()) +
                   " strides"};
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim)
    if (tensor.shape[dim] < 0)
      return Failure{"the extent of dimension " + std::to_string(dim) +
                     " is negative (" + std::to_string(tensor.shape[dim]) +
                     ")"};
  std::optional<int64_t> count = elementCount(tensor.shape);
  int64_t elementBytes = artifact::bytesOf(tensor.type);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, elementBytes, &bytes))
    return Failure{"the shape " + printShape(tensor.shape) +
                   " has more bytes than 64 bits can count"};
  uint64_t base = reinterpret_cast<uintptr_t>(tensor.data);
  if (*count == 0)
    return ByteRange{base, base};

  int64_t lowest = 0, highest = 0;
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    int64_t reach = 0;
    bool overflow = __builtin_mul_overflow(tensor.shape[dim] - 1,
                                           tensor.strides[dim], &reach);
    int64_t &side = reach < 0 ? lowest : highest;
    if (overflow || __builtin_add_overflow(side, reach, &side))
      return Failure{"the strides of dimension " + std::to_string(dim) +
                     " reach further than 64 bits can count"};
  }
  ByteRange range;
  int64_t low = 0, high = 0;
  if (__builtin_mul_overflow(lowest, elementBytes, &low) ||
      __builtin_mul_overflow(highest, elementBytes, &high) ||
      __builtin_add_overflow(high, elementBytes, &high) ||
      __builtin_add_overflow(base, low, &range.begin) ||
      __builtin_add_overflow(base, high, &range.end))
    return Failure{"its elements lie outside the 64-bit address space"};
  return range;
}

std::string rt::printShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(shape[dim]);
  return text + "]";
}
