//===- KernelPlan.h - arguments, guards and grid of a kernel ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TILE_KERNELPLAN_H
#define GIRIH_PASSES_TILE_KERNELPLAN_H

#include "compiler/artifact/Artifact.h"
#include "compiler/poly/KernelArrays.h"
#include "compiler/poly/LoopAst.h"
#include "passes/scop/StatementMap.h"

#include <optional>
#include <vector>

namespace girih::tilegen {

/// An affine expression over Scop parameters as a size expression; `sizeOf[p]`
/// is the signature's size of parameter p.
artifact::SizeExpr sizeExpr(const poly::Affine &affine,
                            const std::vector<unsigned> &sizeOf);

/// A grid extent as a size expression; nothing for kinds a launch cannot say.
std::optional<artifact::SizeExpr> sizeExpr(const poly::LoopExpr &expr,
                                           const std::vector<unsigned> &sizeOf);

/// ceil(extents[d] / divisors[d]) of an array's dimension.
artifact::SizeExpr extentExpr(const poly::Array &array, unsigned dim,
                              const std::vector<unsigned> &sizeOf);

using poly::findKernelArrays;
using poly::KernelArrays;
using poly::placeOf;

} // namespace girih::tilegen

#endif // GIRIH_PASSES_TILE_KERNELPLAN_H
