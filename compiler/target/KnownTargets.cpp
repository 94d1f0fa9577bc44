//===- KnownTargets.cpp - the table of GPUs -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Per-multiprocessor limits: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability" (12.9), and the same figures in
// NVIDIA's libcu++ (cuda/__device/arch_traits.h). From capability 8.0 on, the
// system keeps 1 KiB of shared memory of every resident block ("Shared Memory"
// under each capability), so a block may ask for 1 KiB less than a
// multiprocessor has.
//
// Product figures (multiprocessors, L2, bandwidth, f32 rate at boost clock):
// the data sheet or architecture paper named at each row.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/KnownTargets.h"

namespace girih::target {

static constexpr unsigned kKiB = 1024;
static constexpr uint64_t kMiB = 1024 * 1024;

/// Tesla T4 data sheet; Turing architecture paper (40 SM, 4 MiB L2).
static GpuTarget sm75() {
  GpuTarget t;
  t.name = "sm_75";
  t.capability = 75;
  t.product = "NVIDIA T4";
  t.multiprocessors = 40;
  t.maxThreadsPerMultiprocessor = 1024;
  t.maxBlocksPerMultiprocessor = 16;
  t.sharedBytesPerMultiprocessor = 64 * kKiB;
  t.maxSharedBytesPerBlock = 64 * kKiB;
  t.reservedSharedBytesPerBlock = 0;
  t.l2Bytes = 4 * kMiB;
  t.dramBandwidth = 320e9;
  t.fp32Flops = 8.1e12;
  return t;
}

/// A100 80 GB SXM data sheet; Ampere architecture paper (108 SM, 40 MiB L2).
static GpuTarget sm80() {
  GpuTarget t;
  t.name = "sm_80";
  t.capability = 80;
  t.product = "NVIDIA A100 80GB";
  t.multiprocessors = 108;
  t.maxThreadsPerMultiprocessor = 2048;
  t.maxBlocksPerMultiprocessor = 32;
  t.sharedBytesPerMultiprocessor = 164 * kKiB;
  t.maxSharedBytesPerBlock = 163 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 40 * kMiB;
  t.dramBandwidth = 2039e9;
  t.fp32Flops = 19.5e12;
  return t;
}

/// GA102 architecture paper, RTX 3090 column.
static GpuTarget sm86() {
  GpuTarget t;
  t.name = "sm_86";
  t.capability = 86;
  t.product = "NVIDIA GeForce RTX 3090";
  t.multiprocessors = 82;
  t.maxThreadsPerMultiprocessor = 1536;
  t.maxBlocksPerMultiprocessor = 16;
  t.sharedBytesPerMultiprocessor = 100 * kKiB;
  t.maxSharedBytesPerBlock = 99 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 6 * kMiB;
  t.dramBandwidth = 936e9;
  t.fp32Flops = 35.6e12;
  return t;
}

/// Ada architecture paper, RTX 4090 column.
static GpuTarget sm89() {
  GpuTarget t;
  t.name = "sm_89";
  t.capability = 89;
  t.product = "NVIDIA GeForce RTX 4090";
  t.multiprocessors = 128;
  t.maxThreadsPerMultiprocessor = 1536;
  t.maxBlocksPerMultiprocessor = 24;
  t.sharedBytesPerMultiprocessor = 100 * kKiB;
  t.maxSharedBytesPerBlock = 99 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 72 * kMiB;
  t.dramBandwidth = 1008e9;
  t.fp32Flops = 82.6e12;
  return t;
}

/// H200 SXM data sheet; Hopper architecture paper (132 SM, 50 MiB L2). The H100
/// SXM differs in its memory only (3.35 TB/s).
static GpuTarget sm90() {
  GpuTarget t;
  t.name = "sm_90";
  t.capability = 90;
  t.product = "NVIDIA H200";
  t.multiprocessors = 132;
  t.maxThreadsPerMultiprocessor = 2048;
  t.maxBlocksPerMultiprocessor = 32;
  t.sharedBytesPerMultiprocessor = 228 * kKiB;
  t.maxSharedBytesPerBlock = 227 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 50 * kMiB;
  t.dramBandwidth = 4.8e12;
  t.fp32Flops = 66.9e12;
  return t;
}

/// Blackwell architecture brief and HGX B200 data sheet (8 TB/s, 75 TFLOP/s);
/// Blackwell tuning guide (126 MiB L2); 148 SM as the device reports.
static GpuTarget sm100() {
  GpuTarget t;
  t.name = "sm_100";
  t.capability = 100;
  t.product = "NVIDIA B200";
  t.multiprocessors = 148;
  t.maxThreadsPerMultiprocessor = 2048;
  t.maxBlocksPerMultiprocessor = 32;
  t.sharedBytesPerMultiprocessor = 228 * kKiB;
  t.maxSharedBytesPerBlock = 227 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 126 * kMiB;
  t.dramBandwidth = 8e12;
  t.fp32Flops = 75e12;
  return t;
}

/// RTX PRO 6000 Blackwell Workstation data sheet; RTX Blackwell PRO
/// architecture paper (188 SM, 128 MiB L2).
static GpuTarget sm120() {
  GpuTarget t;
  t.name = "sm_120";
  t.capability = 120;
  t.product = "NVIDIA RTX PRO 6000 Blackwell";
  t.multiprocessors = 188;
  t.maxThreadsPerMultiprocessor = 1536;
  t.maxBlocksPerMultiprocessor = 24;
  t.sharedBytesPerMultiprocessor = 100 * kKiB;
  t.maxSharedBytesPerBlock = 99 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 128 * kMiB;
  t.dramBandwidth = 1792e9;
  t.fp32Flops = 125e12;
  return t;
}

/// The same card, compiled for with its own instructions (wgmma, tcgen05).
static GpuTarget archSpecificOf(GpuTarget target) {
  target.name += "a";
  target.archSpecific = true;
  return target;
}

const std::vector<GpuTarget> &allTargets() {
  static const std::vector<GpuTarget> targets = {
      sm75(),  sm80(),
      sm86(),  sm89(),
      sm90(),  archSpecificOf(sm90()),
      sm100(), archSpecificOf(sm100()),
      sm120(), archSpecificOf(sm120())};
  return targets;
}

} // namespace girih::target
