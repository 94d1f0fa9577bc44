//===- Occupancy.cpp - how many blocks fit a multiprocessor ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of NVIDIA's cuda_occupancy.h for capability 7.5 and up.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/Occupancy.h"

#include <algorithm>

namespace girih::target {

/// A multiprocessor has four schedulers, each with a quarter of the registers.
static constexpr unsigned kSchedulers = 4;

static uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

static unsigned byThreads(const GpuTarget &target, unsigned warps,
                          unsigned threads) {
  if (threads == 0 || threads > target.maxThreadsPerBlock)
    return 0;
  return target.maxThreadsPerMultiprocessor / target.warpSize / warps;
}

static unsigned byRegisters(const GpuTarget &target, unsigned warps,
                            unsigned registersPerThread) {
  if (registersPerThread == 0)
    return target.maxBlocksPerMultiprocessor;
  if (registersPerThread > target.maxRegistersPerThread || warps == 0)
    return 0;
  uint64_t perWarp = roundUp(uint64_t(registersPerThread) * target.warpSize,
                             target.registerGranularity);
  // The launch check assumes that every scheduler gets as many warps as the one
  // with the most.
  if (perWarp * roundUp(warps, kSchedulers) > target.registersPerMultiprocessor)
    return 0;
  uint64_t perScheduler = target.registersPerMultiprocessor / kSchedulers;
  return unsigned(perScheduler / perWarp * kSchedulers / warps);
}

static unsigned byShared(const GpuTarget &target, unsigned sharedBytes) {
  if (sharedBytes > target.maxSharedBytesPerBlock)
    return 0;
  uint64_t unit = std::max(1u, target.sharedGranularity);
  uint64_t perBlock =
      roundUp(uint64_t(sharedBytes) + target.reservedSharedBytesPerBlock, unit);
  if (perBlock == 0)
    return target.maxBlocksPerMultiprocessor;
  return unsigned(target.sharedBytesPerMultiprocessor / perBlock);
}

Occupancy occupancy(const GpuTarget &target, unsigned threads,
                    unsigned registersPerThread, unsigned sharedBytesPerBlock) {
  unsigned warps =
      unsigned(roundUp(threads, target.warpSize) / target.warpSize);
  Occupancy result;
  result.blocksByThreads = byThreads(target, warps, threads);
  result.blocksByRegisters = byRegisters(target, warps, registersPerThread);
  result.blocksByShared = byShared(target, sharedBytesPerBlock);
  result.blocksBySlots = target.maxBlocksPerMultiprocessor;
  result.resident = std::min({result.blocksByThreads, result.blocksByRegisters,
                              result.blocksByShared, result.blocksBySlots});

  auto name = [&](unsigned blocks, const char *resource) {
    if (blocks != result.resident)
      return;
    if (!result.bound.empty())
      result.bound += " and ";
    result.bound += resource;
  };
  name(result.blocksByThreads, "threads");
  name(result.blocksByRegisters, "registers");
  name(result.blocksByShared, "shared memory");
  name(result.blocksBySlots, "block slots");
  return result;
}

} // namespace girih::target
