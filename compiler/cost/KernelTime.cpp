//===- KernelTime.cpp - what decides between tiles ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/KernelTime.h"

#include "compiler/cost/Domain.h"

#include <algorithm>
#include <cmath>

using namespace girih;
using namespace girih::cost;
using target::GpuTarget;

std::string Excess::text() const {
  std::string of = ", of " + std::to_string(available);
  if (resource == "threads")
    return std::to_string(needed) + " threads" + of;
  if (resource == "shared")
    return std::to_string(needed) + " bytes of shared memory" + of;
  return "about " + std::to_string(needed) + " registers a thread" + of;
}

int64_t girih::cost::registersFor(const GpuTarget &target, unsigned threads) {
  // A warp gets them in units.
  int64_t warps = ceilDiv(std::max(1u, threads), target.warpSize);
  int64_t unit = std::max(1u, target.registerGranularity);
  int64_t ofWarp = floorDiv(target.registersPerMultiprocessor / warps, unit);
  return std::min<int64_t>(target.maxRegistersPerThread,
                           ofWarp * unit / target.warpSize);
}

std::optional<Excess> girih::cost::excessOf(const KernelCost &kernel,
                                            const GpuTarget &target) {
  if (kernel.threads > target.maxThreadsPerBlock)
    return Excess{"threads", kernel.threads, target.maxThreadsPerBlock};
  if (kernel.sharedBytes() > int64_t(target.maxSharedBytesPerBlock))
    return Excess{"shared", kernel.sharedBytes(),
                  target.maxSharedBytesPerBlock};
  int64_t most = registersFor(target, kernel.threads);
  if (kernel.registerDemand > most)
    return Excess{"registers", kernel.registerDemand, most};
  return std::nullopt;
}

double KernelTime::total() const {
  return launch + std::max({blocks, memory, latency, compute});
}

const char *KernelTime::bound() const {
  double longest = std::max({blocks, memory, latency, compute});
  if (launch > longest)
    return "launch";
  if (memory >= longest)
    return "memory";
  if (compute >= longest)
    return "compute";
  return latency >= longest ? "latency" : "blocks";
}

namespace {

/// Clocks of a barrier, and of what waits for shared memory behind it.
constexpr double kBarrierClocks = 30, kSharedClocks = 30;

class Predictor {
public:
  Predictor(const KernelCost &kernel, const GpuTarget &target)
      : kernel(kernel), target(target) {}

  KernelTime run() {
    KernelTime time;
    TimeEstimate rates = timeOf(kernel, target);
    time.launch = rates.launch;
    time.blocks = rates.blocks;
    KernelCost fitting = kernel;
    // What the estimate is over is spilled, not refused.
    fitting.registers = unsigned(std::min<int64_t>(
        kernel.registers, registersFor(target, kernel.threads)));
    resident = residency(fitting, target).resident;
    time.resident = resident;
    if (resident == 0 || kernel.blocks <= 0)
      return time;
    time.memory = memory(rates.memory);
    time.latency = latency();
    time.compute = std::max(rates.compute, products());
    return time;
  }

private:
  double perSm(double blocks) const {
    return std::ceil(blocks / target.multiprocessors);
  }

  /// Reads are as fast as what is in flight lets them be. With x of what
  /// Little's law asks for a card reaches about sqrt(x) of its rate
  /// (docs/cost.md, "Time"). What a kernel reads again passes L2.
  double memory(double atRate) const {
    double here = std::min(double(resident), perSm(kernel.blocks));
    InFlight flight = inFlight(target, unsigned(here), warpsOf(kernel, target),
                               1, kernel.loadBytes);
    double cover = flight.cover();
    double reached = cover > 0 ? std::min(1.0, std::sqrt(cover)) : 1;
    double result = kernel.readBytes() > 0 ? atRate / reached : atRate;
    if (target.l2Bandwidth > 0)
      result = std::max(result, kernel.bytes() / target.l2Bandwidth);
    return result;
  }

  /// A block reads, exchanges and writes one after the other; as many as are
  /// resident do so at once.
  double latency() const {
    double waves = std::ceil(kernel.blocks / placesOf(target, resident));
    double exchanges = 0;
    for (const Buffer &buffer : kernel.buffers)
      exchanges += buffer.isShared;
    double block = target.memoryLatency;
    if (target.clock > 0)
      block += exchanges * 2 * (kBarrierClocks + kSharedClocks) / target.clock;
    return waves * block * kernel.launches;
  }

  /// Products from shared memory: in each step a block copies both operands,
  /// waits for all of its threads and multiplies. The blocks of a
  /// multiprocessor take turns, so that one's waiting is another's work.
  double products() const {
    if (kernel.products.empty() || target.clock <= 0)
      return 0;
    double clocks = 0;
    double whole = std::floor(kernel.blocks / placesOf(target, resident));
    double rest = kernel.blocks - whole * placesOf(target, resident);
    for (const StagedProduct &product : kernel.products) {
      clocks += whole * product.steps * step(product, resident);
      if (rest > 0)
        clocks += product.steps * step(product, perSm(rest));
    }
    return clocks / target.clock * kernel.launches;
  }

  /// Clocks of one step of `blocks` that share a multiprocessor.
  double step(const StagedProduct &product, double blocks) const {
    // Instructions of f32 that a multiprocessor starts in a clock, in warps.
    double lanes =
        target.fp32Flops / (2 * target.multiprocessors * target.clock);
    double perClock = std::max(1.0, std::round(lanes / target.warpSize));
    double warps = warpsOf(kernel, target);
    double issued =
        product.depth * (product.multiplies + product.loads) + product.copies;
    double banks = product.depth * product.wavefronts + product.copyWavefronts;
    double busy = warps * std::max(issued / perClock, banks);
    double alone = busy + 2 * kBarrierClocks + kSharedClocks;
    // The next step's operands are on their way meanwhile.
    double arrival = target.memoryLatency * target.clock;
    return std::max({blocks * busy, alone, arrival});
  }

  const KernelCost &kernel;
  const GpuTarget &target;
  unsigned resident = 0;
};

} // namespace

KernelTime girih::cost::predictTime(const KernelCost &kernel,
                                    const GpuTarget &target) {
  return Predictor(kernel, target).run();
}

double girih::cost::predictTime(const Plan &plan, const GpuTarget &target) {
  double total = 0;
  for (const KernelCost &kernel : plan.kernels)
    total += predictTime(kernel, target).total();
  return total;
}

int64_t girih::cost::stepOf(double time) {
  constexpr int kSteps = 1024; // of a power of two, from a half to one
  int exponent = 0;
  double fraction = std::frexp(time, &exponent);
  return int64_t(exponent) * kSteps / 2 +
         int64_t(std::floor((fraction - 0.5) * kSteps));
}
