//===- SearchView.h - what a search found, for people -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The views tiles and plans of `girih explain`.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_SEARCHVIEW_H
#define GIRIH_COMPILER_PIPELINE_SEARCHVIEW_H

#include "compiler/pipeline/CostView.h"
#include "compiler/pipeline/Search.h"

namespace girih::pipeline {

/// Names of these views.
const std::vector<std::string> &searchViews();

/// `plan` is the model of the schedule in the state.
CostView viewSearch(CompileState &state, const Found &found,
                    const cost::Plan &plan, const std::string &view);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_SEARCHVIEW_H
