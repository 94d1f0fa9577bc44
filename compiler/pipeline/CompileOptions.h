//===- CompileOptions.h - everything a compile depends on -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_COMPILEOPTIONS_H
#define GIRIH_COMPILER_PIPELINE_COMPILEOPTIONS_H

#include "compiler/pipeline/Phase.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/target/GpuTarget.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace girih::pipeline {

struct CompileState;
struct RefusedSchedule;

struct CompileOptions {
  std::string target = "sm_90a";
  /// A target that is in no table; `target` is then its name in messages.
  std::optional<target::GpuTarget> card;
  /// Operator to compile; empty when the file has one.
  std::string op;
  /// -D NAME=VALUE, in order: sizes, and parameters that are integers.
  std::vector<std::pair<std::string, int64_t>> given;
  /// Compile for any size all the same: only parameters are taken from `given`.
  bool anySize = false;
  /// -D NAME=VALUE whose value is no integer: parameters of the operator.
  std::vector<std::pair<std::string, std::string>> settings;
  /// Tensors that a run will be given: optional ones among them are there.
  std::vector<std::string> tensors;
  /// Temporaries that become outputs as well; "*" means all of them.
  std::vector<std::string> probes;
  /// Schedules for the program, in a text of their own; they go before those
  /// of the program. Null: none.
  std::shared_ptr<const SourceFile> scheduleFile;
  /// Values for knobs of schedules (`?{16, 32}`), by the directive's label:
  /// `t`, or `t.2` where it has several.
  std::vector<std::pair<std::string, int64_t>> knobs;
  /// Sizes on which no result may depend, besides those that the text names.
  std::vector<std::string> invariant;
  /// Called with why a result does not depend on one of `invariant`.
  std::function<void(const std::string &)> onProved;
  /// "fast", "portable" or empty (as the text says).
  std::string functions;
  /// Form of the input text, and the last form to make.
  Phase from = Phase::Ast;
  Phase last = Phase::Ptx;
  /// The input is .te source rather than the text of `from`.
  bool isSource = true;
  /// Called with the text of each form that is made, in order.
  std::function<void(Phase, const std::string &)> onForm;
  /// Called with everything that was made, when the last form is.
  std::function<void(CompileState &)> inspect;
  /// Called when the legality check refuses a schedule, before that is
  /// reported (RefusedSchedule.h).
  std::function<void(RefusedSchedule &)> onRefusedSchedule;
  /// isl operations allowed for one analysis.
  uint64_t polyOperations = 20'000'000;
};

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_COMPILEOPTIONS_H
