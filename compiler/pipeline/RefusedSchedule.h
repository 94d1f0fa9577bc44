//===- RefusedSchedule.h - a schedule that is not legal ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_REFUSEDSCHEDULE_H
#define GIRIH_COMPILER_PIPELINE_REFUSEDSCHEDULE_H

#include "compiler/poly/Legality.h"
#include "passes/scop/BuildScop.h"

namespace girih::pipeline {

/// What CompileOptions::onRefusedSchedule is shown. It may add notes to the
/// violations.
struct RefusedSchedule {
  te::FuncOp func;
  const scop::ScopWithMap &scop;
  const poly::ScheduleTree &tree;
  std::vector<poly::Violation> &violations;
};

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_REFUSEDSCHEDULE_H
