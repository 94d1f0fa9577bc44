//===- Pipeline.h - the one function that lists all phases ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_PIPELINE_H
#define GIRIH_COMPILER_PIPELINE_PIPELINE_H

#include "compiler/artifact/Artifact.h"
#include "compiler/pipeline/CompileOptions.h"
#include "compiler/support/Diagnostics.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace girih::pipeline {

struct PhaseTime {
  Phase phase;
  double milliseconds = 0;
};

struct CompileResult {
  /// Text of the last form made (CompileOptions::last).
  std::string text;
  /// Present when the last form is Ptx.
  std::optional<artifact::Artifact> artifact;
  std::vector<PhaseTime> times;
  /// What was chosen and why, one sentence a line.
  std::vector<std::string> report;
  /// Names of `given` and `settings` that are parameters, not sizes.
  std::vector<std::string> parameters;
  /// The probes, in the order of the text, each with its statement.
  std::vector<std::pair<std::string, std::string>> probes;
};

/// Compiles `source` from options.from to options.last. Everything a compile
/// knows lives in this call: two threads may compile at once. On failure
/// reports to `diags` and returns nothing.
std::optional<CompileResult> compile(std::shared_ptr<const SourceFile> source,
                                     const CompileOptions &options,
                                     Diagnostics &diags);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_PIPELINE_H
