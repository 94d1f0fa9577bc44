//===- Phases.h - one function per phase ------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each runs one arrow of the flow on the state, or reads a form's text back
// into it. All report to state.diags and return false on failure. Pipeline.cpp
// is the only caller and fixes the order.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_PHASES_H
#define GIRIH_COMPILER_PIPELINE_PHASES_H

#include "compiler/pipeline/CompileState.h"

#include <string>

namespace girih::pipeline {

bool runFrontend(CompileState &state, std::shared_ptr<const SourceFile> source);
/// The temporaries of the compiled operator, each with its statement.
std::vector<std::pair<std::string, std::string>>
probesOf(const frontend::Program &program, const std::string &op);
bool runMlirGen(CompileState &state);
bool runAssociations(CompileState &state);
/// Refuses results that depend on a size they are asked not to depend on, by
/// the text or by the options. Of a function in assoc form.
bool proveInvariance(CompileState &state);
bool runScop(CompileState &state);
bool runSchedule(CompileState &state);
/// Proves the schedule in the state, chosen or read back.
bool proveSchedule(CompileState &state);
bool runTile(CompileState &state);
bool runLlvm(CompileState &state);
bool runPtx(CompileState &state);

/// The text of a form that the state holds.
std::string printForm(CompileState &state, Phase phase);
/// Reads printForm's text back, verified; re-proves everything up to schedule.
bool readForm(CompileState &state, Phase phase, const SourceFile &source);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_PHASES_H
