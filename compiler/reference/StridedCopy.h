//===- StridedCopy.h - copies between strided tensors -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_STRIDEDCOPY_H
#define GIRIH_COMPILER_REFERENCE_STRIDEDCOPY_H

#include <cstdint>
#include <vector>

namespace girih::reference {

/// Where a tensor's elements lie; strides count elements.
struct StridedView {
  char *data = nullptr;
  std::vector<int64_t> strides;
};

/// Copies every element of `shape` from `from` to `to`. Elements have
/// `elementBytes` = 1, 2, 4 or 8 bytes.
void stridedCopy(const StridedView &to, const StridedView &from,
                 const std::vector<int64_t> &shape, unsigned elementBytes,
                 unsigned threads);

/// Row-major strides of `shape`, with dimension `innermost` moved to the end
/// (-1: in order).
std::vector<int64_t> packedStrides(const std::vector<int64_t> &shape,
                                   int innermost);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_STRIDEDCOPY_H
