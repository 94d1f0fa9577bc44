//===- Machine.h - how fast a target is at what a kernel does ---*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_COST_MACHINE_H
#define GIRIH_COMPILER_COST_MACHINE_H

#include "compiler/cost/KernelCost.h"
#include "compiler/layout/Layout.h"

#include <array>
#include <optional>

namespace girih::cost {

//===----------------------------------------------------------------------===//
// Bytes in flight
//===----------------------------------------------------------------------===//

/// Little's law on one multiprocessor: bytes that must be on their way at a
/// time to keep memory busy, and those that resident warps ask for.
struct InFlight {
  double needed = 0, available = 0;
  unsigned warpsNeeded = 0, blocksNeeded = 0;
  double cover() const { return needed > 0 ? available / needed : 1; }
};
/// `loads` outstanding in each warp, each of `bytesPerThread`.
InFlight inFlight(const target::GpuTarget &target, unsigned residentBlocks,
                  unsigned warpsPerBlock, unsigned loads,
                  unsigned bytesPerThread);

//===----------------------------------------------------------------------===//
// Shared memory and coalescing
//===----------------------------------------------------------------------===//

/// Passes that the banks need for what a warp's lanes access, each `bytes` at
/// its byte offset.
unsigned wavefronts(const std::vector<int64_t> &offsets, unsigned bytes);

/// Offsets of the lanes' first registers of a tile in row-major shared memory:
/// rows padded by `padding` elements, columns swizzled by `swizzle` (an XOR
/// with the row) or not.
std::vector<int64_t> laneOffsets(const layout::Layout &layout,
                                 unsigned elementBytes, int64_t padding,
                                 bool swizzled);

/// Of one warp's access to global memory, `bytes` a lane: sectors of 32 bytes
/// that it touches, and the part of them that it asked for.
struct Coalescing {
  unsigned sectors = 0;
  double use = 0;
};
Coalescing coalescing(const std::vector<int64_t> &offsets, unsigned bytes);

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

struct MatrixCount {
  int64_t instructions = 0;
  int64_t perWarp = 0; ///< rounded up
  /// Part of their work that is done on padding.
  double waste = 0;
};
/// For a tile of m x n x k.
MatrixCount matrixInstructions(const target::MatrixRate &rate, int64_t m,
                               int64_t n, int64_t k, unsigned warps);

//===----------------------------------------------------------------------===//
// Waves and raster
//===----------------------------------------------------------------------===//

struct Waves {
  double waves = 0;      ///< blocks over places
  int64_t whole = 0;     ///< rounded up: how long it takes
  double efficiency = 1; ///< waves / whole
};
Waves wavesOf(double blocks, double places);
/// Places for blocks (or, in clusters of `cluster`, for their blocks) on the
/// whole card.
double placesOf(const target::GpuTarget &target, unsigned residentBlocks,
                unsigned cluster = 1);

/// Reads of a grid of rows x columns tiles from memory into L2, when `places`
/// blocks at a time run in order, `group` rows of tiles at a time: each wave
/// reads what its blocks need once. `rowBytes` are read for each row of tiles,
/// `columnBytes` for each column.
double rasterBytes(int64_t rows, int64_t columns, int64_t places, int64_t group,
                   double rowBytes, double columnBytes);
/// The group that reads least; the smallest of equals.
int64_t bestRaster(int64_t rows, int64_t columns, int64_t places,
                   double rowBytes, double columnBytes);

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// n steps of a copy and a computation. In one slot they alternate; in two or
/// more copies run ahead: t_m + (n - 1) max(t_m, t_c) + t_c.
double pipelineTime(int64_t steps, double copyTime, double computeTime,
                    unsigned slots);
/// One multiprocessor's share of memory and of the matrix unit.
double copyTimeOf(const target::GpuTarget &target, double bytes);
double computeTimeOf(const target::GpuTarget &target, target::MatrixType type,
                     double flops);

/// A kernel bound by memory: a launch, its blocks, and its bytes at the rates
/// that reads and writes reach.
double memoryTime(const target::GpuTarget &target, double readBytes,
                  double writtenBytes);
/// Rate at which a kernel of so many FLOP computes.
double computeRate(const KernelCost &kernel, const target::GpuTarget &target);

struct TimeEstimate {
  double launch = 0, blocks = 0, memory = 0, compute = 0;
  /// The launch, and the longest of the others.
  double total() const;
  const char *bound() const; ///< "launch", "blocks", "memory" or "compute"
};
/// Bytes that reach memory are at least those that are different; tiles that
/// read again what fits into L2 find it there.
TimeEstimate timeOf(const KernelCost &kernel, const target::GpuTarget &target);

} // namespace girih::cost

#endif // GIRIH_COMPILER_COST_MACHINE_H
