//===- CompileOptions.h - everything a compile depends on -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_COMPILEOPTIONS_H
#define GIRIH_COMPILER_PIPELINE_COMPILEOPTIONS_H

#include "compiler/pipeline/Phase.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace girih::pipeline {

struct CompileOptions {
  std::string target = "sm_90a";
  /// Operator to compile; empty when the file has one.
  std::string op;
  /// -D NAME=VALUE, in order.
  std::vector<std::pair<std::string, int64_t>> given;
  /// "fast", "portable" or empty (as the text says).
  std::string functions;
  /// Form of the input text, and the last form to make.
  Phase from = Phase::Ast;
  Phase last = Phase::Ptx;
  /// The input is .te source rather than the text of `from`.
  bool isSource = true;
  /// isl operations allowed for one analysis.
  uint64_t polyOperations = 20'000'000;
};

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_COMPILEOPTIONS_H
