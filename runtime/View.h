//===- View.h - arguments as kernels index them -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argument for `Q: bf16[B, (HK, G), L]` has three dimensions and is indexed
// by four; one for `X: f32[..R, N]` has any number of leading dimensions and is
// indexed by two. Both are strides over the same memory, never copies.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_VIEW_H
#define GIRIH_RUNTIME_VIEW_H

#include "runtime/Tensor.h"

#include <optional>

namespace girih::rt {

/// The leading dimensions that a size is the product of, parallel to the
/// signature's sizes; none where no argument shows them.
using LeadingDims = std::vector<std::optional<std::vector<int64_t>>>;

/// All tensors with the same leading dimensions must have the same. Expects
/// tensors that passed checkTensors: all parameters, or the first ones.
Result<LeadingDims> leadingDims(const artifact::Signature &signature,
                                const std::vector<Tensor> &params);

/// The extents of an argument with its leading dimensions multiplied, one for
/// each of artifact::outerDims.
std::vector<int64_t> mergedShape(const artifact::TensorParam &param,
                                 const std::vector<int64_t> &shape);

/// An argument's leading dimensions as one and its groups split. Refuses
/// leading dimensions that no single stride walks.
Result<Tensor> indexedView(const artifact::Signature &signature,
                           const artifact::TensorParam &param,
                           const Tensor &tensor,
                           const std::vector<int64_t> &sizes);

/// The strides of an argument that keeps the parameter's promise: row-major
/// where it makes none. The shape must have an elementCount.
std::vector<int64_t> promisedStrides(const artifact::TensorParam &param,
                                     const std::vector<int64_t> &shape);

/// Tensors that were checked against a signature.
struct BoundTensors {
  std::vector<int64_t> sizes;
  std::vector<Tensor> views; ///< as the kernels index them
};
/// Checks all tensors (inputs, then outputs), solves the sizes, and checks what
/// is promised of strides and addresses.
Result<BoundTensors> bindTensors(const artifact::Signature &signature,
                                 const std::vector<Tensor> &params);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_VIEW_H
