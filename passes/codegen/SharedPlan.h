//===- SharedPlan.h - a kernel's shared memory ------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_SHAREDPLAN_H
#define GIRIH_PASSES_CODEGEN_SHAREDPLAN_H

#include "dialects/tile/Tile.h"
#include "passes/codegen/TileMerge.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace girih::codegen {

/// One allocation holds every tile.alloc_shared, each on 16 bytes, and one
/// scratch area that all merges and converts use in turn. A small scratch area
/// is doubled: consecutive uses alternate and need one barrier fewer.
struct SharedPlan {
  llvm::DenseMap<mlir::Operation *, int64_t> buffers; ///< byte offsets
  int64_t scratchOffset = 0;
  int64_t scratchBytes = 0; ///< of one slot
  int64_t scratchSlots = 0; ///< 0, 1 or 2
  int64_t totalBytes = 0;
  llvm::DenseSet<mlir::Operation *> scratchUsers; ///< merges and converts

  /// What fits in 48 KiB is allocated statically.
  bool isDynamic() const { return totalBytes > 48 * 1024; }
};

/// Which bit of the cell's number a merge combines first.
BitOrder bitOrderOf(tile::MergeOp merge);

/// A convert's source without the dimensions that it leaves out, and where the
/// others go.
struct ConvertSource {
  layout::Layout layout;
  std::vector<unsigned> dims;
};
ConvertSource sourceOf(tile::ConvertOp convert);

/// The shared memory that lowering `kernel` will use.
SharedPlan planShared(tile::KernelOp kernel);

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_SHAREDPLAN_H
