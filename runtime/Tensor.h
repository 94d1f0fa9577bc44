//===- Tensor.h - a strided view of device memory ---------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_TENSOR_H
#define GIRIH_RUNTIME_TENSOR_H

#include "compiler/artifact/Artifact.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace girih::rt {

/// A view of memory that belongs to a device: a device pointer for `cuda`, a
/// host pointer for `host` and `sim`. Strides count elements and may be zero
/// or negative; `data` is the element whose indices are all zero.
struct Tensor {
  void *data = nullptr;
  artifact::ScalarType type = artifact::ScalarType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

/// Addresses [begin, end); begin == end for a tensor without elements.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool empty() const { return begin == end; }
};

/// The product of the extents; empty if one is negative or the product, even
/// without the extents that are zero, does not fit in int64. (Leaving zeros
/// out keeps every stride computed from such a shape representable.)
std::optional<int64_t> elementCount(const std::vector<int64_t> &shape);

/// Row-major strides. The shape must have an elementCount.
std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape);

/// Every byte that an element of the tensor occupies lies in the range. Fails
/// where ranks differ, or extents, offsets or addresses do not fit 64 bits.
Result<ByteRange> byteRange(const Tensor &tensor);

/// `[2, 3]`
std::string printShape(const std::vector<int64_t> &shape);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_TENSOR_H
