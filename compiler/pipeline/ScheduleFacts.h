//===- ScheduleFacts.h - what a schedule does, loop by loop -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choices of a completed schedule tree as words, whatever its loops and
// kernels are called: plain data, so that two of them can be compared.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_SCHEDULEFACTS_H
#define GIRIH_COMPILER_PIPELINE_SCHEDULEFACTS_H

#include "compiler/poly/ScheduleTree.h"

#include <map>
#include <string>
#include <vector>

namespace girih::pipeline {

struct StatementFacts {
  std::string name;
  /// `i` -> `floor(i/64) over blocks, i mod 64 in the tile`: what becomes of
  /// each dimension (or skewed sum of them), from the outside in.
  std::map<std::string, std::string> loops;
  std::string order; ///< the digits of all of them, from the outside in
  std::vector<std::string> kernel; ///< the statements of its kernel
  std::string threads, tile, layout, stages;
  /// How many loops it has in common with the statement before it.
  unsigned shared = 0;
};

struct ScheduleFacts {
  std::vector<StatementFacts> statements;
  std::map<std::string, std::string> places; ///< by array
  std::string launches;
  std::string tree; ///< printScheduleTree, loops and kernels renamed
  std::string nest; ///< printNest, the same
};

/// `tree` must be well formed (verifyScheduleTree).
ScheduleFacts factsOf(const poly::Scop &scop, const poly::ScheduleTree &tree);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_SCHEDULEFACTS_H
