//===- Judged.h - verdicts held against what can be counted -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_ORDER_JUDGED_H
#define GIRIH_TEST_UNIT_ORDER_JUDGED_H

#include "compiler/poly/Legality.h"

#include <functional>

namespace girih::test {

using SizeList = std::vector<std::vector<int64_t>>;

/// A few sizes from 1 to 5 that `scop` admits, the smallest first; one of them
/// is drawn from `seed`.
SizeList smallSizes(const poly::Scop &scop, unsigned seed);

/// Why a verdict cannot be right; empty where nothing speaks against it. A
/// legal tree must be legal by enumeration at each of `sizes`. Of an illegal
/// one each witness must be real: two instances that touch the element, one of
/// them writing, which the tree runs the wrong way round or at once.
std::string verdictProblem(const poly::Scop &scop,
                           const poly::ScheduleTree &tree,
                           const std::vector<poly::Violation> &verdict,
                           const SizeList &sizes);

/// A Scop, and a tree of it that shows something.
struct Specimen {
  poly::Scop scop;
  poly::ScheduleTree tree;
};
/// Leaves out statements, reads and members, and simplifies digits, as long as
/// `shows` holds of what is left (which is well-formed); constraints too where
/// domains without bounds may be shown.
Specimen minimised(const poly::Scop &scop, const poly::ScheduleTree &tree,
                   const std::function<bool(const Specimen &)> &shows,
                   bool unbounded = false);
std::string printed(const Specimen &specimen);

poly::ScheduleTree cloned(const poly::ScheduleTree &tree);
/// Whether the structure is one that the judge takes.
bool isSound(const poly::Scop &scop, const poly::ScheduleTree &tree);

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_ORDER_JUDGED_H
