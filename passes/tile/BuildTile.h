//===- BuildTile.h - schedule tree -> tile kernels --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs after legality: realises a proved schedule as tile kernels. It derives
// operand layouts, accesses, barriers and shared buffers from the marks and
// chooses nothing (docs/architecture.md, "From tree to tile").
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TILE_BUILDTILE_H
#define GIRIH_PASSES_TILE_BUILDTILE_H

#include "compiler/artifact/Artifact.h"
#include "compiler/poly/LoopAst.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/scop/StatementMap.h"

#include <optional>
#include <vector>

namespace girih::tilegen {

/// How global memory may be accessed.
enum class AccessMode {
  Vector, ///< up to 16 bytes at once, under guards that the launch checks
  General ///< any strides, one element at a time, no guard
};

/// Everything about a variant but its PTX and shared bytes.
struct TilePlan {
  std::vector<artifact::Guard> guards;
  std::vector<artifact::WorkspaceBuffer> workspace;
  std::vector<artifact::Launch> launches; ///< parallel to the kernels
  std::vector<artifact::LaunchLoop> loops;
};

/// Appends one tile.kernel per kernel of the tree to `module`. `func` is the te
/// function the Scop came from; sizes in the plan are indices into its sizes.
/// Emits MLIR errors and returns nothing when a tree asks for something that
/// the tile dialect cannot express.
std::optional<TilePlan> buildTile(te::FuncOp func, const poly::Scop &scop,
                                  const scop::StatementMap &map,
                                  const poly::ScheduleTree &tree,
                                  const std::vector<poly::KernelLoops> &kernels,
                                  AccessMode mode, mlir::ModuleOp module);

} // namespace girih::tilegen

#endif // GIRIH_PASSES_TILE_BUILDTILE_H
