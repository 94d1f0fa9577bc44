//===- CostView.h - what a program moves and takes, for people --*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The views traffic, budget, roofline and bound of `girih explain`: the cost
// model's figures (compiler/cost) of the schedule that was made, as text and as
// JSON. All sizes must be known.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_COSTVIEW_H
#define GIRIH_COMPILER_PIPELINE_COSTVIEW_H

#include "compiler/cost/TreeCost.h"
#include "compiler/pipeline/CompileState.h"

#include "llvm/Support/JSON.h"

namespace girih::pipeline {

/// Names of these views.
const std::vector<std::string> &costViews();

/// Arithmetic of the statements, beside the steps of reductions.
cost::StatementWork statementWork(const CompileState &state);

/// The model of the schedule in the state; reports (G0824) sizes that are not
/// known.
std::optional<cost::Plan> modelOf(CompileState &state);

struct CostView {
  std::string text;
  llvm::json::Value json = nullptr;
};
CostView viewCost(const CompileState &state, const cost::Plan &plan,
                  const std::string &view);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_COSTVIEW_H
