//===- ScheduleDriver.h - the schedules of a program ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which schedules of the text are for this compile, and what becomes of them.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_SCHEDULEDRIVER_H
#define GIRIH_COMPILER_PIPELINE_SCHEDULEDRIVER_H

#include "compiler/pipeline/CompileState.h"
#include "passes/schedule/ScheduleModel.h"

#include <functional>

namespace girih::pipeline {

/// The schedules of the compiled operator for its target whose conditions can
/// hold for the given sizes, in the order in which they are to be tried, up to
/// the first that always holds.
std::vector<const frontend::ScheduleDecl *>
schedulesFor(const CompileState &state);

/// The compiled operator's name in the text; empty where it is not said.
std::string writtenName(const CompileState &state);

/// Whether each value for a knob (CompileOptions::knobs) has one of these
/// schedules' to go to; reports the first that has not.
bool checkKnobs(CompileState &state);

/// Whether all targets that schedules are for are known; reports those that
/// are not.
bool checkScheduleTargets(CompileState &state);

/// Tensors that those schedules are about: they stay tensors, also where they
/// could be computed in the place of their only reader.
std::vector<std::string> tensorsOfSchedules(const CompileState &state);

/// The `cascade` directives of the schedules that apply, in `found`. Reports
/// and returns false (G0734) where one stands behind other directives, names no
/// statement, or where the schedules do not share them: what is computed is the
/// same for all sizes.
bool cascadesOfSchedules(CompileState &state,
                         std::vector<frontend::Directive> &found);
/// Reports at the directive (G0734, G0735).
void reportRefusedCascade(CompileState &state,
                          const frontend::Directive &directive,
                          const te::CascadeRefusal &refusal);

/// By array, its dimensions from the slowest in memory to the fastest.
schedule::MemoryOrders memoryOrders(CompileState &state);

/// Called with each directive and the model after it, for `--steps`.
using StepFunction = std::function<void(const frontend::Directive &,
                                        const schedule::ScheduleModel &)>;

/// Applies a schedule's directives to `model`, each proved; reports and returns
/// false at the first that is refused.
bool applyDirectives(CompileState &state, const frontend::ScheduleDecl &decl,
                     schedule::ScheduleModel &model,
                     const StepFunction &step = {});

/// A model of the Scop in the state, without directives.
schedule::ScheduleModel makeModel(CompileState &state);

/// Fills state.schedules: a version for each of the text's schedules, and the
/// default schedule where none of them always holds.
bool makeSchedules(CompileState &state);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_SCHEDULEDRIVER_H
