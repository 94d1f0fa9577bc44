//===- KernelPlan.h - arguments, guards and grid of a kernel ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TILE_KERNELPLAN_H
#define GIRIH_PASSES_TILE_KERNELPLAN_H

#include "compiler/artifact/Artifact.h"
#include "compiler/poly/LoopAst.h"
#include "passes/scop/StatementMap.h"

#include <optional>
#include <set>
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

/// Arrays that one kernel reads from or writes to global memory.
struct KernelArrays {
  std::vector<unsigned> arrays; ///< sorted
  /// Written in this kernel and to be stored: outputs and what another kernel
  /// reads.
  std::set<unsigned> stored;
};

/// Place of `array` in the kernel; Global for what the kernel only reads.
poly::Place placeOf(const poly::KernelMark &kernel, unsigned array);

KernelArrays findKernelArrays(const poly::Scop &scop, const poly::Node &kernel);

} // namespace girih::tilegen

#endif // GIRIH_PASSES_TILE_KERNELPLAN_H
