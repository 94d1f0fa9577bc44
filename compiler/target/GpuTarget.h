//===- GpuTarget.h - what a GPU is, as data ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_TARGET_GPUTARGET_H
#define GIRIH_COMPILER_TARGET_GPUTARGET_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace girih::target {

/// How a target carries out arithmetic in a type (docs/numerics.md).
enum class Support { Native, Emulated, Refused };

/// One row: limits per multiprocessor (SM) and per block, sources in
/// KnownTargets.cpp. Bytes are bytes, bandwidths are bytes per second.
struct GpuTarget {
  std::string name;          ///< "sm_90a": what the PTX names
  unsigned capability = 0;   ///< 75, 80, 86, 89, 90, 100, 120
  bool archSpecific = false; ///< the "a" suffix
  std::string product;       ///< the card the figures belong to

  unsigned multiprocessors = 0;
  unsigned warpSize = 32;
  unsigned maxThreadsPerBlock = 1024;
  unsigned maxThreadsPerMultiprocessor = 0;
  unsigned maxBlocksPerMultiprocessor = 0;
  unsigned registersPerMultiprocessor = 65536;
  unsigned maxRegistersPerThread = 255;
  unsigned registerGranularity = 256; ///< allocation unit, registers per warp
  unsigned sharedBytesPerMultiprocessor = 0;
  unsigned maxSharedBytesPerBlock = 0; ///< with opt-in
  unsigned reservedSharedBytesPerBlock = 0;
  uint64_t l2Bytes = 0;
  double dramBandwidth = 0;
  double fp32Flops = 0; ///< FLOP/s of f32 FMA units at boost clock

  bool hasBf16Arithmetic() const { return capability >= 80; }
  bool hasMaxNan() const { return capability >= 80; }
  bool hasCpAsync() const { return capability >= 80; }
};

/// Names known: sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_120
/// sm_120a.
std::optional<GpuTarget> findTarget(std::string_view name);
std::vector<std::string> knownTargets();
/// The known name nearest in spelling to `name`, for "did you mean"; empty if
/// none is near.
std::string nearestTarget(std::string_view name);

} // namespace girih::target

#endif // GIRIH_COMPILER_TARGET_GPUTARGET_H
