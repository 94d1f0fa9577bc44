//===- LowerTile.h - from a tile kernel to the LLVM dialect -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_LOWERTILE_H
#define GIRIH_PASSES_CODEGEN_LOWERTILE_H

#include "compiler/target/GpuTarget.h"
#include "dialects/tile/Tile.h"

#include <cstdint>
#include <string>

namespace girih::codegen {

/// Of an llvm.func: lines that say which tile buffer lies where in its shared
/// memory. emitPtx makes comments of them.
constexpr const char *kSharedNamesAttr = "girih.shared";

/// What a launch has to know about a lowered kernel.
struct KernelFacts {
  std::string name;
  unsigned threads = 0;
  int64_t sharedBytes = 0;
  /// The shared bytes are given at launch; otherwise they are the kernel's own.
  bool dynamicShared = false;
};

/// Writes `kernel` as one llvm.func at `builder`'s insertion point, which must
/// be in a module's body, with its shared memory as a global beside it. Failure
/// comes with an MLIR error on the op that cannot be lowered; what was written
/// until then is removed.
mlir::LogicalResult lowerTileKernel(tile::KernelOp kernel,
                                    mlir::OpBuilder &builder,
                                    const target::GpuTarget &target,
                                    KernelFacts &facts);

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_LOWERTILE_H
