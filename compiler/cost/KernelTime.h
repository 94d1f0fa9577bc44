//===- KernelTime.h - what decides between tiles ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A roofline is the same for all tiles of a kernel that computes: what tells
// them apart is how much of the machine they keep busy. Here the time of a
// kernel is predicted from its blocks, and a kernel that no block can run is
// refused with the number that is too large.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_COST_KERNELTIME_H
#define GIRIH_COMPILER_COST_KERNELTIME_H

#include "compiler/cost/Machine.h"

namespace girih::cost {

/// A limit of the target that a kernel exceeds.
struct Excess {
  std::string resource; ///< "threads", "shared", "registers"
  int64_t needed = 0, available = 0;
  std::string text() const; ///< `524288 bytes of shared memory, of 232448`
};
/// The first limit that the kernel exceeds: threads, shared memory, registers.
/// Registers are an estimate, so a kernel is over them when it wants more than
/// its threads can have.
std::optional<Excess> excessOf(const KernelCost &kernel,
                               const target::GpuTarget &target);

/// Registers that each of so many threads can have at once.
int64_t registersFor(const target::GpuTarget &target, unsigned threads);

struct KernelTime {
  double launch = 0;  ///< an empty kernel
  double blocks = 0;  ///< starting so many
  double memory = 0;  ///< bytes, at the rate that those in flight allow
  double latency = 0; ///< what waits for itself: waves of a block's own path
  double compute = 0; ///< arithmetic, with what feeds it and with idle places
  unsigned resident = 0;
  double total() const;
  const char *bound() const;
};
/// The rules and where their constants are from: docs/cost.md, "Time".
KernelTime predictTime(const KernelCost &kernel,
                       const target::GpuTarget &target);
double predictTime(const Plan &plan, const target::GpuTarget &target);

/// Times of one step differ by less than 0.2 %, which the model cannot tell:
/// what decides between them is something else. Exact, so that the order of
/// candidates is the same on every machine.
int64_t stepOf(double time);

} // namespace girih::cost

#endif // GIRIH_COMPILER_COST_KERNELTIME_H
