//===- ScatterSchedule.h - kernels of ordered scatters ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_SCATTERSCHEDULE_H
#define GIRIH_PASSES_SCHEDULE_SCATTERSCHEDULE_H

#include "compiler/poly/ScheduleTree.h"
#include "passes/schedule/TileChoice.h"

namespace girih::schedule {

/// Whether the group is a scatter whose instances keep the order of the text.
bool isOrderedScatter(const poly::Scop &scop, const FusionGroup &group);

/// The kernel of such a statement: dims that stand plainly in its place go to
/// the grid and to threads, the others run in one thread, in order. Sets
/// threads and reasons of `choice`.
poly::NodePtr scatterKernel(const poly::Scop &scop, unsigned statement,
                            const std::string &name, TileChoice &choice);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_SCATTERSCHEDULE_H
