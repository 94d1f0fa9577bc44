//===- Report.h - what was chosen and why -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_REPORT_H
#define GIRIH_COMPILER_PIPELINE_REPORT_H

#include "compiler/pipeline/CompileState.h"

#include <string>
#include <vector>

namespace girih::pipeline {

/// About ten sentences: kernels, tiles, terms, guards. Empty before schedule.
std::vector<std::string> reportChoices(CompileState &state);

/// One line per reduction of the te module: its indices, term and leaf.
std::vector<std::string> describeReductions(te::FuncOp func);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_REPORT_H
