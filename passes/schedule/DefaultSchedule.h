//===- DefaultSchedule.h - the schedule nobody wrote ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a schedule for a Scop without directives: fusion groups become
// kernels, shared dimensions go to the grid, reductions follow their cells,
// matrix products are tiled in shared memory. Deterministic, the same on every
// machine; the result is proved by poly::checkLegality like any other tree.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_DEFAULTSCHEDULE_H
#define GIRIH_PASSES_SCHEDULE_DEFAULTSCHEDULE_H

#include "compiler/poly/ScheduleTree.h"
#include "compiler/target/GpuTarget.h"

#include <string>
#include <vector>

namespace girih::schedule {

/// One kernel's choice, said to people.
struct KernelReason {
  std::string kernel;
  std::vector<std::string> lines;
};

struct DefaultSchedule {
  poly::ScheduleTree tree;
  std::vector<KernelReason> reasons;
};

/// By array: its dimensions from the slowest in memory to the fastest; arrays
/// without an entry, or with an empty one, lie row-major.
using MemoryOrders = std::vector<std::vector<unsigned>>;

DefaultSchedule chooseSchedule(const poly::Scop &scop,
                               const target::GpuTarget &target,
                               const MemoryOrders &memory = {});

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_DEFAULTSCHEDULE_H
