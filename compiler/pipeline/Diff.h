//===- Diff.h - what differs between two compiles ---------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two programs, or one under two schedules: whether they give the same bits,
// and what they do differently. A side is looked at by itself; what is compared
// are plain data.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_DIFF_H
#define GIRIH_COMPILER_PIPELINE_DIFF_H

#include "compiler/pipeline/CompileOptions.h"
#include "compiler/pipeline/ScheduleFacts.h"

#include <memory>
#include <optional>

namespace girih::pipeline {

/// A reduction and the order in which it adds up.
struct ReductionFacts {
  std::string name;  ///< `sum of C over k`, with a number where that is not one
  std::string order; ///< `lanes(4096, 4), leaf plain`
  /// Its order does not show in its bits: max, min, integers, booleans.
  bool isFree = false;
};

/// One version of a program's schedule.
struct VersionFacts {
  std::string when; ///< conditions on sizes, or empty
  ScheduleFacts schedule;
};

struct DiffSide {
  std::string title; ///< the file, and the file of its schedule
  std::string op;
  /// The program without the orders of its reductions: as it was written, where
  /// there is a source, and as it was lowered. Schedules change the latter too.
  std::string written, lowered;
  std::vector<ReductionFacts> reductions;
  std::vector<std::string> statements;
  std::vector<std::string> dependences;
  std::vector<VersionFacts> versions;
};

/// Compiles up to the schedule; nothing after errors in `diags`.
std::optional<DiffSide> lookAtSide(std::shared_ptr<const SourceFile> source,
                                   const CompileOptions &options,
                                   Diagnostics &diags);

/// What is one thing in A and another in B; empty where it is absent.
struct Change {
  std::string what;
  std::string a, b;
  bool operator==(const Change &) const = default;
};

struct VersionDiff {
  std::string when;
  bool inA = true, inB = true;
  /// By what a schedule may choose: loops, order, sharing, kernels, threads,
  /// tiles, layouts, stages, places, launches.
  std::vector<Change> changes;
  std::vector<std::string> tree, nest; ///< diffLines
  bool differs() const { return !inA || !inB || !tree.empty(); }
};

struct DiffResult {
  std::string titleA, titleB, op;
  bool sameProgram = true;
  std::vector<Change> reductions;
  /// Every reduction that differs is one whose order does not show.
  bool onlyFreeReductions = true;
  std::vector<std::string> statements, dependences; ///< diffLines
  std::vector<VersionDiff> versions;

  bool sameBits() const { return sameProgram && onlyFreeReductions; }
  bool equal() const;
  /// `same association: same bits`, or what is to be said instead.
  std::string verdict() const;
};

/// Both sides must be of the operator of one name.
DiffResult compareSides(const DiffSide &a, const DiffSide &b);

std::string printDiff(const DiffResult &diff);
std::string printDiffAsJson(const DiffResult &diff);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_DIFF_H
