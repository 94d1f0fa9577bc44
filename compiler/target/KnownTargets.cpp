//===- KnownTargets.cpp - the table of GPUs -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Per-multiprocessor limits, the allocation units of registers and shared
// memory, and cluster sizes: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability" and "Thread Block Clusters" (12.9),
// and the same figures in NVIDIA's cuda_occupancy.h and libcu++
// (cuda/__device/arch_traits.h). From capability 8.0 on, the system keeps 1 KiB
// of shared memory of every resident block ("Shared Memory" under each
// capability), so a block may ask for 1 KiB less than a multiprocessor has.
// Shared memory is 32 banks, each of which gives 4 bytes a clock (same page).
//
// Product figures (multiprocessors, L2, memory bandwidth, peak rates, host
// link, boost clock): the data sheet or architecture paper named at each row.
// Rates of matrix instructions are dense, sums in f32. The host link is what
// PCI Express of that generation carries one way over 16 lanes. Copy engines:
// asyncEngineCount, as CUDA's deviceQuery sample reports it for the card.
//
// Measured by us on an H200, since no vendor gives them: what reads and writes
// reach, the time of a launch and of a block's start, clusters that fit
// (cuOccupancyMaxActiveClusters). Latencies are under load, taken as 600 ns
// where no better figure is known: unloaded reads take 466 (A100), 479 (H100)
// and 542 (RTX 4090) clocks (arXiv 2402.13499), about half as long.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/KnownTargets.h"

namespace girih::target {

static constexpr unsigned kKiB = 1024;
static constexpr uint64_t kMiB = 1024 * 1024;
static constexpr double kLoadedLatency = 600e-9;

using enum MatrixType;

/// Shape by warps of mma.sync (PTX ISA, "Matrix multiply-accumulate operation
/// using mma instruction"): 32 bytes of k.
static MatrixRate mma(MatrixType type, double flops) {
  unsigned k = type == Tf32 ? 8 : type == F8 || type == Int8 ? 32 : 16;
  return {type, "mma.sync", 16, 8, k, flops};
}

/// The widest of wgmma (PTX ISA, "wgmma.mma_async"): 32 bytes of k.
static MatrixRate wgmma(MatrixType type, double flops) {
  return {type, "wgmma", 64, 256, mma(type, 0).k, flops};
}

/// The widest of tcgen05.mma for one multiprocessor (PTX ISA, "tcgen05.mma").
static MatrixRate tcgen05(MatrixType type, double flops) {
  return {type, "tcgen05", 128, 256, mma(type, 0).k, flops};
}

/// f64 goes by m8n8k4 (PTX ISA, same page).
static MatrixRate mmaF64(double flops) {
  return {F64, "mma.sync", 8, 8, 4, flops};
}

/// Tesla T4 data sheet (320 GB/s, 8.1 f32, 65 f16 and 130 int8 TFLOP/s, PCIe
/// 3); Turing architecture paper (40 SM, 4 MiB L2, 1590 MHz). f16 goes by
/// m16n8k8.
static GpuTarget t4() {
  GpuTarget t;
  t.name = "sm_75";
  t.capability = 75;
  t.card = "t4";
  t.product = "NVIDIA T4";
  t.multiprocessors = 40;
  t.maxThreadsPerMultiprocessor = 1024;
  t.maxBlocksPerMultiprocessor = 16;
  t.sharedBytesPerMultiprocessor = 64 * kKiB;
  t.maxSharedBytesPerBlock = 64 * kKiB;
  t.reservedSharedBytesPerBlock = 0;
  t.sharedGranularity = 256;
  t.l2Bytes = 4 * kMiB;
  t.dramBandwidth = 320e9;
  t.hostBandwidth = 16e9;
  t.memoryLatency = kLoadedLatency;
  t.fp32Flops = 8.1e12;
  t.clock = 1.59e9;
  t.matrix = {{F16, "mma.sync", 16, 8, 8, 65e12},
              {Int8, "mma.sync", 8, 8, 16, 130e12}};
  t.copyEngines = 3;
  return t;
}

/// A100 80 GB SXM data sheet (2039 GB/s, 312 TFLOP/s, PCIe 4); Ampere
/// architecture paper (108 SM, 40 MiB L2, 5120 bytes of it a clock, 1410 MHz).
static GpuTarget a100() {
  GpuTarget t;
  t.name = "sm_80";
  t.capability = 80;
  t.card = "a100";
  t.product = "NVIDIA A100 80GB";
  t.multiprocessors = 108;
  t.maxThreadsPerMultiprocessor = 2048;
  t.maxBlocksPerMultiprocessor = 32;
  t.sharedBytesPerMultiprocessor = 164 * kKiB;
  t.maxSharedBytesPerBlock = 163 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 40 * kMiB;
  t.dramBandwidth = 2039e9;
  t.l2Bandwidth = 5120 * 1.41e9;
  t.hostBandwidth = 32e9;
  t.memoryLatency = kLoadedLatency;
  t.fp32Flops = 19.5e12;
  t.clock = 1.41e9;
  t.matrix = {mma(F16, 312e12), mma(Bf16, 312e12), mma(Tf32, 156e12),
              mma(Int8, 624e12), mmaF64(19.5e12)};
  t.copyEngines = 3;
  t.arithmeticModel = "sm_80";
  return t;
}

/// GA102 architecture paper, RTX 3090 column (1695 MHz; 71 TFLOP/s of bf16 and
/// of f16 with sums in f32, 284 TOP/s of int8, PCIe 4).
static GpuTarget rtx3090() {
  GpuTarget t;
  t.name = "sm_86";
  t.capability = 86;
  t.card = "rtx3090";
  t.product = "NVIDIA GeForce RTX 3090";
  t.multiprocessors = 82;
  t.maxThreadsPerMultiprocessor = 1536;
  t.maxBlocksPerMultiprocessor = 16;
  t.sharedBytesPerMultiprocessor = 100 * kKiB;
  t.maxSharedBytesPerBlock = 99 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 6 * kMiB;
  t.dramBandwidth = 936e9;
  t.hostBandwidth = 32e9;
  t.memoryLatency = kLoadedLatency;
  t.fp32Flops = 35.6e12;
  t.clock = 1.695e9;
  t.matrix = {mma(F16, 71e12), mma(Bf16, 71e12), mma(Tf32, 35.6e12),
              mma(Int8, 284e12)};
  t.copyEngines = 2;
  t.arithmeticModel = "sm_80";
  return t;
}

/// Ada architecture paper, RTX 4090 column (2520 MHz; 165.2 TFLOP/s of f16 and
/// bf16, 330.3 of fp8 with sums in f32, 660.6 TOP/s of int8, PCIe 4).
static GpuTarget rtx4090() {
  GpuTarget t;
  t.name = "sm_89";
  t.capability = 89;
  t.card = "rtx4090";
  t.product = "NVIDIA GeForce RTX 4090";
  t.multiprocessors = 128;
  t.maxThreadsPerMultiprocessor = 1536;
  t.maxBlocksPerMultiprocessor = 24;
  t.sharedBytesPerMultiprocessor = 100 * kKiB;
  t.maxSharedBytesPerBlock = 99 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 72 * kMiB;
  t.dramBandwidth = 1008e9;
  t.hostBandwidth = 32e9;
  t.memoryLatency = kLoadedLatency;
  t.fp32Flops = 82.6e12;
  t.clock = 2.52e9;
  t.matrix = {mma(F16, 165.2e12), mma(Bf16, 165.2e12), mma(Tf32, 82.6e12),
              mma(F8, 330.3e12), mma(Int8, 660.6e12)};
  t.copyEngines = 2;
  t.arithmeticModel = "sm_89";
  return t;
}

/// H100 SXM data sheet (3.35 TB/s, PCIe 5); Hopper architecture paper (132 SM,
/// 50 MiB L2, rates, 1980 MHz). L2: no vendor figure; 64 bytes a clock and
/// multiprocessor is what tile selectors of hand-written kernels assume.
static GpuTarget h100() {
  GpuTarget t;
  t.name = "sm_90a";
  t.capability = 90;
  t.archSpecific = true;
  t.card = "h100";
  t.product = "NVIDIA H100 SXM";
  t.multiprocessors = 132;
  t.maxThreadsPerMultiprocessor = 2048;
  t.maxBlocksPerMultiprocessor = 32;
  t.sharedBytesPerMultiprocessor = 228 * kKiB;
  t.maxSharedBytesPerBlock = 227 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 50 * kMiB;
  t.dramBandwidth = 3.35e12;
  t.l2Bandwidth = 64 * 132 * 1.755e9;
  t.hostBandwidth = 64e9;
  t.memoryLatency = kLoadedLatency;
  t.fp32Flops = 66.9e12;
  t.clock = 1.98e9;
  t.matrix = {wgmma(F16, 989.4e12),   wgmma(Bf16, 989.4e12),
              wgmma(Tf32, 494.7e12),  wgmma(F8, 1978.9e12),
              wgmma(Int8, 1978.9e12), mmaF64(66.9e12)};
  t.copyEngines = 3;
  t.maxClusterBlocks = 8;
  t.clusters = {{2, 66}, {4, 30}};
  t.arithmeticModel = "sm_90";
  return t;
}

/// H200 SXM data sheet (4.8 TB/s): an H100 SXM with other memory. Measured:
/// 4.64 TB/s read, 3.98 TB/s written, 5 us a launch, 0.65 ns a block.
static GpuTarget h200() {
  GpuTarget t = h100();
  t.card = "h200";
  t.product = "NVIDIA H200";
  t.dramBandwidth = 4.8e12;
  t.readBandwidth = 4.64e12;
  t.writeBandwidth = 3.98e12;
  t.memoryLatency = 700e-9;
  t.launchTime = 5e-6;
  t.blockTime = 0.65e-9;
  return t;
}

/// Blackwell architecture brief and HGX B200 data sheet (8 TB/s, 75 TFLOP/s of
/// f32, 2250 of bf16, 4500 of fp8 and int8, 40 of f64, PCIe 5); Blackwell
/// tuning guide (126 MiB L2); 148 SM and 1965 MHz as the device reports.
static GpuTarget b200() {
  GpuTarget t;
  t.name = "sm_100a";
  t.capability = 100;
  t.archSpecific = true;
  t.card = "b200";
  t.product = "NVIDIA B200";
  t.multiprocessors = 148;
  t.maxThreadsPerMultiprocessor = 2048;
  t.maxBlocksPerMultiprocessor = 32;
  t.sharedBytesPerMultiprocessor = 228 * kKiB;
  t.maxSharedBytesPerBlock = 227 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 126 * kMiB;
  t.dramBandwidth = 8e12;
  t.hostBandwidth = 64e9;
  t.memoryLatency = kLoadedLatency;
  t.fp32Flops = 75e12;
  t.clock = 1.965e9;
  t.matrix = {tcgen05(F16, 2250e12),  tcgen05(Bf16, 2250e12),
              tcgen05(Tf32, 1125e12), tcgen05(F8, 4500e12),
              tcgen05(Int8, 4500e12), mmaF64(40e12)};
  t.maxClusterBlocks = 8;
  t.arithmeticModel = "sm_100";
  return t;
}

/// RTX PRO 6000 Blackwell Workstation data sheet (1792 GB/s, 125 TFLOP/s, PCIe
/// 5); RTX Blackwell PRO architecture paper (188 SM, 128 MiB L2, 2617 MHz;
/// 503.8 TFLOP/s of f16 and bf16, twice that of fp8 and int8).
static GpuTarget rtxPro6000() {
  GpuTarget t;
  t.name = "sm_120a";
  t.capability = 120;
  t.archSpecific = true;
  t.card = "rtxpro6000";
  t.product = "NVIDIA RTX PRO 6000 Blackwell";
  t.multiprocessors = 188;
  t.maxThreadsPerMultiprocessor = 1536;
  t.maxBlocksPerMultiprocessor = 24;
  t.sharedBytesPerMultiprocessor = 100 * kKiB;
  t.maxSharedBytesPerBlock = 99 * kKiB;
  t.reservedSharedBytesPerBlock = 1 * kKiB;
  t.l2Bytes = 128 * kMiB;
  t.dramBandwidth = 1792e9;
  t.hostBandwidth = 64e9;
  t.memoryLatency = kLoadedLatency;
  t.fp32Flops = 125e12;
  t.clock = 2.617e9;
  t.matrix = {mma(F16, 503.8e12), mma(Bf16, 503.8e12), mma(Tf32, 251.9e12),
              mma(F8, 1007.6e12), mma(Int8, 1007.6e12)};
  t.maxClusterBlocks = 8;
  return t;
}

/// The same card for PTX that runs on later chips too: without the chip's own
/// instructions (wgmma, tcgen05), whose work mma.sync does then.
static GpuTarget portable(GpuTarget target) {
  target.name.pop_back();
  target.archSpecific = false;
  for (MatrixRate &rate : target.matrix)
    if (rate.type != F64) {
      MatrixRate plain = mma(rate.type, rate.flops);
      // Hopper's mma.sync reaches about 63 % of wgmma's rate (arXiv
      // 2402.13499); of B200 nothing is known.
      if (target.capability == 90)
        plain.flops *= 0.63;
      rate = plain;
    }
  return target;
}

const std::vector<GpuTarget> &allTargets() {
  static const std::vector<GpuTarget> targets = {t4(),
                                                 a100(),
                                                 rtx3090(),
                                                 rtx4090(),
                                                 portable(h200()),
                                                 h200(),
                                                 portable(b200()),
                                                 b200(),
                                                 portable(rtxPro6000()),
                                                 rtxPro6000()};
  return targets;
}

const std::vector<GpuTarget> &allCards() {
  static const std::vector<GpuTarget> cards = {
      t4(), a100(), rtx3090(), rtx4090(), h100(), h200(), b200(), rtxPro6000()};
  return cards;
}

} // namespace girih::target
