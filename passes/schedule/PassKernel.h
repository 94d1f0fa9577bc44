//===- PassKernel.h - one kernel for a pass over blocks ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A time loop whose turns are blocks of one pass (TimeLoop::isPass) runs inside
// a kernel: what its statements carry stays in registers from turn to turn, and
// what fills the state before and finishes it after is in the same kernel.
// Leading dimensions that all of them share go to the grid.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_PASSKERNEL_H
#define GIRIH_PASSES_SCHEDULE_PASSKERNEL_H

#include "passes/schedule/DefaultSchedule.h"
#include "passes/schedule/FusionGroups.h"

namespace girih::schedule {

/// The filter with the kernel of a group that is a pass; nothing when its tiles
/// cannot be made (a dimension below the shared ones without a fixed extent).
std::optional<poly::NodePtr>
passKernel(const poly::Scop &scop, const target::GpuTarget &target,
           const MemoryOrders &memory, const FusionGroup &group,
           const std::string &name, KernelReason &reason);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_PASSKERNEL_H
