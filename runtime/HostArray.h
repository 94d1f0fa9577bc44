//===- HostArray.h - a tensor that owns host memory -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_HOSTARRAY_H
#define GIRIH_RUNTIME_HOSTARRAY_H

#include "runtime/Tensor.h"

#include <cstddef>
#include <memory>

namespace girih::rt {

/// Host memory for `count` elements without gaps, aligned to 64 bytes. The
/// strides are a permutation of dense ones (row-major, or column-major from a
/// Fortran-ordered file), so the storage can be copied as one block.
class HostArray {
public:
  /// Zero-filled and row-major. Refuses negative or overflowing shapes and
  /// shapes that do not fit in memory.
  static Result<HostArray> create(artifact::ScalarType type,
                                  std::vector<int64_t> shape);
  /// The same with column-major strides.
  static Result<HostArray> createColumnMajor(artifact::ScalarType type,
                                             std::vector<int64_t> shape);

  artifact::ScalarType type() const { return view.type; }
  const std::vector<int64_t> &shape() const { return view.shape; }
  const std::vector<int64_t> &strides() const { return view.strides; }
  int64_t elements() const { return count; }
  uint64_t bytes() const;
  std::byte *data() { return storage.get(); }
  const std::byte *data() const { return storage.get(); }
  /// A view that lives no longer than this array.
  const Tensor &tensor() const { return view; }

private:
  struct Free {
    void operator()(std::byte *memory) const;
  };
  HostArray() = default;
  std::unique_ptr<std::byte[], Free> storage;
  Tensor view;
  int64_t count = 0;
};

/// The element at a flat row-major index as an f64: exactly, except integers
/// beyond 2^53, which are rounded; a bool as 0 or 1.
double loadElement(const Tensor &hostTensor, int64_t flatIndex);
/// Its bits, in the low bits of the result.
uint64_t loadBits(const Tensor &hostTensor, int64_t flatIndex);
/// The element as text: `-3`, `true`, a float with `digits` digits.
std::string printElement(artifact::ScalarType type, uint64_t bits, int digits);
/// The value of these bits, as loadElement gives it.
double valueOfBits(artifact::ScalarType type, uint64_t bits);
/// Stores the low bits of `bits` at a position counted in elements.
void storeBits(void *memory, artifact::ScalarType type, int64_t position,
               uint64_t bits);
/// Stores a value, rounded once to the type (an integer is truncated, and
/// saturates), at a position in memory counted
/// in elements from `memory`.
void storeElement(void *memory, artifact::ScalarType type, int64_t position,
                  double value);
/// The elements in C order, without gaps.
std::string rowMajorBytes(const HostArray &array);
/// Index of every dimension for a flat row-major index.
std::vector<int64_t> unflatten(const std::vector<int64_t> &shape,
                               int64_t flatIndex);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_HOSTARRAY_H
