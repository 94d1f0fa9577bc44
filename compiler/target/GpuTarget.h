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

/// Types of operands that matrix instructions take.
enum class MatrixType { F16, Bf16, Tf32, F8, Int8, F64 };
std::string_view nameOf(MatrixType type); ///< "bf16"
std::optional<MatrixType> findMatrixType(std::string_view name);

/// A matrix instruction and the dense rate that the whole card reaches with it,
/// sums of floats in f32 (f64: in f64; int8: in i32).
struct MatrixRate {
  MatrixType type = MatrixType::F16;
  std::string instruction; ///< "mma.sync", "wgmma", "tcgen05"
  unsigned m = 0, n = 0, k = 0;
  double flops = 0; ///< per second
  bool operator==(const MatrixRate &) const = default;
};

/// How many clusters of `size` blocks, one block a multiprocessor, are resident
/// at once: groups of multiprocessors are not all of one size.
struct ClusterCount {
  unsigned size = 0;
  unsigned resident = 0;
  bool operator==(const ClusterCount &) const = default;
};

/// One row: limits per multiprocessor (SM) and per block, sources in
/// KnownTargets.cpp. Bytes are bytes, bandwidths are bytes per second, times
/// are seconds. A figure that nobody has published or measured is 0.
struct GpuTarget {
  std::string name;          ///< "sm_90a": what the PTX names
  std::string card;          ///< "h200": what --target takes beside the name
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
  unsigned sharedGranularity = 128; ///< allocation unit, bytes
  unsigned sharedBanks = 32;
  unsigned sharedBankBytes = 4; ///< a bank gives one word a clock
  uint64_t l2Bytes = 0;
  double dramBandwidth = 0;
  /// Reached by kernels that only read or only write; 0: dramBandwidth.
  double readBandwidth = 0, writeBandwidth = 0;
  double l2Bandwidth = 0;
  double hostBandwidth = 0; ///< each way
  double memoryLatency = 0; ///< of a read under load
  double launchTime = 0;    ///< of a kernel that does next to nothing
  double blockTime = 0;     ///< that the start of one more block takes
  double fp32Flops = 0;     ///< FLOP/s of f32 FMA units at boost clock
  double clock = 0;         ///< boost, Hz
  std::vector<MatrixRate> matrix;
  unsigned copyEngines = 0;
  unsigned maxClusterBlocks = 0;      ///< portable; 0: no clusters
  std::vector<ClusterCount> clusters; ///< sizes that are known
  /// Models of tensor cores in compiler/arith, or empty: their order of sums is
  /// not modelled.
  std::string arithmeticModel;

  bool hasBf16Arithmetic() const { return capability >= 80; }
  bool hasMaxNan() const { return capability >= 80; }
  bool hasCpAsync() const { return capability >= 80; }
  bool hasClusters() const { return maxClusterBlocks > 0; }
  /// Bytes of shared memory that one multiprocessor moves in a second.
  double sharedBandwidth() const {
    return sharedBanks * sharedBankBytes * clock;
  }
  /// The instruction for operands of this type; null if there is none.
  const MatrixRate *matrixOf(MatrixType type) const;
  /// Clusters of `size` blocks resident at once, one block a multiprocessor.
  unsigned residentClusters(unsigned size) const;

  bool operator==(const GpuTarget &) const = default;
};

/// By name (sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_120 sm_120a)
/// or card (t4 a100 rtx3090 rtx4090 h100 h200 b200 rtxpro6000). A name stands
/// for one card: sm_90 and sm_90a for the H200.
std::optional<GpuTarget> findTarget(std::string_view name);
std::vector<std::string> knownTargets(); ///< names
std::vector<std::string> knownCards();
/// The known name or card nearest in spelling to `name`, for "did you mean";
/// empty if none is near.
std::string nearestTarget(std::string_view name);

} // namespace girih::target

#endif // GIRIH_COMPILER_TARGET_GPUTARGET_H
