//===- SizeSolver.h - tensors against a signature ---------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIZESOLVER_H
#define GIRIH_RUNTIME_SIZESOLVER_H

#include "runtime/View.h"

#include <utility>

namespace girih::rt {

/// Puts tensors given by name into the order of the signature. Refuses unknown
/// and repeated names, and names every parameter that is missing.
Result<std::vector<Tensor>>
orderByName(const artifact::Signature &signature,
            const std::vector<std::pair<std::string, Tensor>> &named);

/// Checks types, ranks, extents, strides and addresses of the first
/// params.size() parameters, each by itself.
Status checkTensors(const artifact::Signature &signature,
                    const std::vector<Tensor> &params);

/// Finds every size from the shapes of the tensors (all parameters, or just
/// the inputs) and from the values that the artifact was compiled with.
/// `known` holds more values, parallel to the signature's sizes, -1 for none;
/// it may be empty. All uses of a size must agree, all sizes must be found and
/// every constraint must hold. Expects tensors that passed checkTensors.
Result<std::vector<int64_t>> solveSizes(const artifact::Signature &signature,
                                        const std::vector<Tensor> &params,
                                        const std::vector<int64_t> &known = {});

/// The shape of an argument for every parameter, to allocate outputs with.
/// Leading dimensions that `leading` does not have are one.
Result<std::vector<std::vector<int64_t>>>
parameterShapes(const artifact::Signature &signature,
                const std::vector<int64_t> &sizes,
                const LeadingDims &leading = {});

/// `bf16[M, K]`, `bf16[..R, (HK, G)]`
std::string printType(const artifact::Signature &signature,
                      const artifact::TensorParam &param);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_SIZESOLVER_H
