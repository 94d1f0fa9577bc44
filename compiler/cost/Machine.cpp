//===- Machine.cpp - how fast a target is at what a kernel does -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/Machine.h"

#include "compiler/cost/Domain.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace girih;
using namespace girih::cost;
using target::GpuTarget;

InFlight girih::cost::inFlight(const GpuTarget &target, unsigned residentBlocks,
                               unsigned warpsPerBlock, unsigned loads,
                               unsigned bytesPerThread) {
  InFlight result;
  result.needed =
      target.dramBandwidth * target.memoryLatency / target.multiprocessors;
  double perWarp = double(loads) * bytesPerThread * target.warpSize;
  result.available = perWarp * warpsPerBlock * residentBlocks;
  if (perWarp > 0)
    result.warpsNeeded = unsigned(std::ceil(result.needed / perWarp));
  if (warpsPerBlock > 0)
    result.blocksNeeded = unsigned(ceilDiv(result.warpsNeeded, warpsPerBlock));
  return result;
}

unsigned girih::cost::wavefronts(const std::vector<int64_t> &offsets,
                                 unsigned bytes) {
  return layout::sharedWavefronts(offsets, bytes);
}

std::vector<int64_t> girih::cost::laneOffsets(const layout::Layout &layout,
                                              unsigned elementBytes,
                                              int64_t padding, bool swizzled) {
  std::vector<int64_t> offsets;
  for (int64_t lane = 0; lane < std::min<int64_t>(32, layout.threadCount());
       ++lane) {
    std::vector<int64_t> at = layout.at(0, lane);
    int64_t row = 0;
    for (size_t d = 0; d + 1 < at.size(); ++d)
      row = row * layout.shape[d] + at[d];
    int64_t column = at.empty() ? 0 : at.back();
    if (swizzled)
      column ^= row % layout.shape.back();
    int64_t pitch = at.empty() ? 1 : layout.shape.back() + padding;
    offsets.push_back((row * pitch + column) * elementBytes);
  }
  return offsets;
}

Coalescing girih::cost::coalescing(const std::vector<int64_t> &offsets,
                                   unsigned bytes) {
  constexpr int64_t kSector = 32;
  std::set<int64_t> sectors, places;
  for (int64_t offset : offsets)
    for (int64_t byte = offset; byte < offset + int64_t(bytes); ++byte) {
      sectors.insert(floorDiv(byte, kSector));
      places.insert(byte);
    }
  Coalescing result;
  result.sectors = unsigned(sectors.size());
  if (!sectors.empty())
    result.use = double(places.size()) / double(kSector * sectors.size());
  return result;
}

MatrixCount girih::cost::matrixInstructions(const target::MatrixRate &rate,
                                            int64_t m, int64_t n, int64_t k,
                                            unsigned warps) {
  MatrixCount result;
  result.instructions =
      ceilDiv(m, rate.m) * ceilDiv(n, rate.n) * ceilDiv(k, rate.k);
  result.perWarp = ceilDiv(result.instructions, std::max(1u, warps));
  double done = double(result.instructions) * rate.m * rate.n * rate.k;
  if (done > 0)
    result.waste = 1 - double(m) * double(n) * double(k) / done;
  return result;
}

Waves girih::cost::wavesOf(double blocks, double places) {
  Waves result;
  if (places <= 0 || blocks <= 0)
    return result;
  result.waves = blocks / places;
  result.whole = int64_t(std::ceil(result.waves));
  result.efficiency = result.waves / double(result.whole);
  return result;
}

double girih::cost::placesOf(const GpuTarget &target, unsigned residentBlocks,
                             unsigned cluster) {
  if (cluster <= 1)
    return double(residentBlocks) * target.multiprocessors;
  return double(target.residentClusters(cluster)) * cluster * residentBlocks;
}

double girih::cost::rasterBytes(int64_t rows, int64_t columns, int64_t places,
                                int64_t group, double rowBytes,
                                double columnBytes) {
  if (rows <= 0 || columns <= 0 || places <= 0)
    return 0;
  group = std::clamp<int64_t>(group, 1, rows);
  double bytes = 0;
  std::set<int64_t> rowsSeen, columnsSeen;
  int64_t inWave = 0;
  auto endWave = [&] {
    bytes += rowBytes * double(rowsSeen.size()) +
             columnBytes * double(columnsSeen.size());
    rowsSeen.clear();
    columnsSeen.clear();
    inWave = 0;
  };
  for (int64_t first = 0; first < rows; first += group)
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t row = first; row < std::min(first + group, rows); ++row) {
        rowsSeen.insert(row);
        columnsSeen.insert(column);
        if (++inWave == places)
          endWave();
      }
  endWave();
  return bytes;
}

int64_t girih::cost::bestRaster(int64_t rows, int64_t columns, int64_t places,
                                double rowBytes, double columnBytes) {
  int64_t best = 1;
  double least = 0;
  for (int64_t group = 1; group <= std::min<int64_t>(rows, places);
       group *= 2) {
    double bytes =
        rasterBytes(rows, columns, places, group, rowBytes, columnBytes);
    if (group == 1 || bytes < least) {
      least = bytes;
      best = group;
    }
  }
  return best;
}

double girih::cost::pipelineTime(int64_t steps, double copyTime,
                                 double computeTime, unsigned slots) {
  if (steps <= 0)
    return 0;
  if (slots < 2)
    return double(steps) * (copyTime + computeTime);
  return copyTime + double(steps - 1) * std::max(copyTime, computeTime) +
         computeTime;
}

double girih::cost::copyTimeOf(const GpuTarget &target, double bytes) {
  return bytes / (target.dramBandwidth / target.multiprocessors);
}

double girih::cost::computeTimeOf(const GpuTarget &target,
                                  target::MatrixType type, double flops) {
  const target::MatrixRate *rate = target.matrixOf(type);
  double perSecond = rate ? rate->flops : target.fp32Flops;
  return flops / (perSecond / target.multiprocessors);
}

double girih::cost::memoryTime(const GpuTarget &target, double readBytes,
                               double writtenBytes) {
  double read =
      target.readBandwidth > 0 ? target.readBandwidth : target.dramBandwidth;
  double write =
      target.writeBandwidth > 0 ? target.writeBandwidth : target.dramBandwidth;
  return readBytes / read + writtenBytes / write;
}

double girih::cost::computeRate(const KernelCost &kernel,
                                const GpuTarget &target) {
  if (kernel.usesMatrixUnit)
    if (const target::MatrixRate *rate = target.matrixOf(kernel.matrixType))
      return rate->flops;
  return target.fp32Flops;
}

double TimeEstimate::total() const {
  return launch + std::max({blocks, memory, compute});
}

const char *TimeEstimate::bound() const {
  double longest = std::max({blocks, memory, compute});
  if (launch > longest)
    return "launch";
  if (memory >= longest)
    return "memory";
  return compute >= longest ? "compute" : "blocks";
}

TimeEstimate girih::cost::timeOf(const KernelCost &kernel,
                                 const GpuTarget &target) {
  // What is read again lies in L2 while all of the kernel's tensors fit, and
  // otherwise comes from memory again.
  double footprint = 0, read = 0;
  for (const TensorTraffic &entry : kernel.traffic)
    footprint += entry.readFootprint;
  for (const TensorTraffic &entry : kernel.traffic)
    read += footprint <= double(target.l2Bytes)
                ? std::min(entry.readFootprint, entry.readBytes)
                : entry.readBytes;
  TimeEstimate time;
  time.launch = target.launchTime * kernel.launches;
  time.blocks = target.blockTime * kernel.blocks * kernel.launches;
  time.memory = memoryTime(target, read, kernel.writtenBytes());
  time.compute = kernel.flops() / computeRate(kernel, target);
  return time;
}
