//===- OtherJudge.h - schedules judged without isl --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of docs/schedules.md once more, over all dependent pairs by memory
// and with MLIR's Presburger library.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PRESBURGER_OTHERJUDGE_H
#define GIRIH_TEST_UNIT_PRESBURGER_OTHERJUDGE_H

#include "test/unit/presburger/Dependent.h"

namespace girih::test {

/// Which rules a tree breaks.
struct Broken {
  bool order = false;    ///< (1), (2), (3): two instances the wrong way or at
                         ///< once; points that are no axes of a tile
  bool coverage = false; ///< (4)
  bool kept = false;     ///< (5)
  bool operator==(const Broken &) const = default;
};

class OtherJudge {
public:
  explicit OtherJudge(const poly::Scop &scop)
      : scop(scop), pairs(dependentPairs(scop)) {}

  Broken judge(const poly::ScheduleTree &tree) const;
  /// Whether two dependent instances that the tree (a legal one) has not yet
  /// told apart above differ at that member.
  bool isCarried(const poly::ScheduleTree &tree, const poly::Node &band,
                 size_t member) const;

private:
  bool breaksOrder(const poly::ScheduleTree &tree, const Pairs &pairs) const;
  bool breaksCoverage(const poly::ScheduleTree &tree, unsigned s) const;
  bool readsKept(const poly::ScheduleTree &tree, unsigned source, unsigned sink,
                 unsigned array) const;

  const poly::Scop &scop;
  std::vector<Pairs> pairs;
};

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PRESBURGER_OTHERJUDGE_H
