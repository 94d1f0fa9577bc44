//===- BudgetCheck.h - schedules that ask for too much memory ---*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel takes of shared memory is known from its tree: a schedule that
// asks for more than a block has is refused before any code is made, with the
// buffers and the nearest tile that fits.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_BUDGETCHECK_H
#define GIRIH_COMPILER_PIPELINE_BUDGETCHECK_H

#include "compiler/pipeline/CompileState.h"

namespace girih::pipeline {

/// Whether the kernels of a schedule of the text fit; reports the first that
/// does not (G0808).
bool checkBudget(CompileState &state, const ScheduleVersion &version);

/// Whether the stages of a schedule fit, before it is known whether the tile
/// can be made and with the depths that it asks for, which the directive itself
/// may refuse; reports those that do not (G0808). A slot of several holds
/// elements as they lie in memory: nothing converts them on their way. True
/// where the schedule has other faults.
bool checkStages(CompileState &state, const frontend::ScheduleDecl &decl);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_BUDGETCHECK_H
