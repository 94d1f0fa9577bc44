//===- KernelTree.h - the tree of one kernel --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_KERNELTREE_H
#define GIRIH_PASSES_SCHEDULE_KERNELTREE_H

#include "compiler/poly/ScheduleTree.h"
#include "passes/schedule/DefaultSchedule.h"
#include "passes/schedule/TileChoice.h"

namespace girih::schedule {

/// A member and a digit of one dim: floor((dim mod modulus)/divisor).
poly::Member member(std::string name, poly::Binding binding, bool coincident,
                    std::vector<poly::Digit> digits);
poly::Digit digit(unsigned dim, int64_t divisor, int64_t modulus);

/// How `threads` copy a box of an array to shared memory: the widest vectors
/// that fit, along the dimension that is the fastest in memory. Nothing where
/// the box has too few elements.
std::optional<layout::Layout>
stageLayout(const poly::Scop &scop, const MemoryOrders &memory, unsigned array,
            const std::vector<int64_t> &shape, int64_t threads);

/// The filter with the kernel of a group, below its time loops.
poly::NodePtr buildKernel(const poly::Scop &scop, const FusionGroup &group,
                          const TileChoice &choice, const MemoryOrders &memory,
                          const std::string &name);

/// Filters with the kernels of units in the order in which they run, below time
/// loops where they are in some that the first `depth` do not stand for, which
/// are around all of them. Kernels are numbered from `firstNumber`.
struct ChosenKernels {
  std::vector<poly::NodePtr> filters;
  std::vector<KernelReason> reasons;
};
ChosenKernels chooseKernels(const poly::Scop &scop,
                            const target::GpuTarget &target,
                            const MemoryOrders &memory,
                            const std::vector<Unit> &units, size_t firstNumber,
                            unsigned depth = 0);

/// The filter with the kernel of a group in the style that the default schedule
/// chooses for it; `reason` gets why.
poly::NodePtr chooseKernel(const poly::Scop &scop,
                           const target::GpuTarget &target,
                           const MemoryOrders &memory, const FusionGroup &group,
                           const std::string &name, KernelReason &reason);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_KERNELTREE_H
