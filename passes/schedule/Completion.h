//===- Completion.h - from a plain tree to kernels and tiles ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directives leave open what they do not mention. Each filter of an outer
// sequence becomes a kernel: loops that were not mapped go to the grid where
// they may, loops with a fixed number of turns that are parallel become axes of
// tiles, tiles are spread over threads, temporaries are placed. What was said
// is kept or refused. Families that no directive is about get the default
// schedule.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_COMPLETION_H
#define GIRIH_PASSES_SCHEDULE_COMPLETION_H

#include "passes/schedule/DefaultSchedule.h"
#include "passes/schedule/ScheduleModel.h"

namespace girih::schedule {

struct CompletionInput {
  const poly::Scop &scop;
  const poly::Dependences &dependences;
  const target::GpuTarget &target;
  const MemoryOrders &memory;
  poly::PolyBudget budget;
  /// Nothing is chosen that a directive could say; a loop that is left open
  /// stays a loop, and what cannot stay open is refused (G0726).
  bool exact = false;
  SourceRange at; ///< of the schedule, for refusals
  /// Divides chains of any length into steps that a tile can take.
  bool cutsChains = false;
};

/// The tree with kernels and tiles; reports and returns nothing when what the
/// directives ask for cannot be made (G0722 to G0727). It is still to be proved
/// like any other.
std::optional<DefaultSchedule> complete(const ScheduleModel &model,
                                        const CompletionInput &input,
                                        Diagnostics &diags);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_COMPLETION_H
