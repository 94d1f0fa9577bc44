//===- Families.h - statements that a schedule moves together ---*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A statement of the text, `C[i, j] = f(sum[k](...))`, is several of the Scop:
// the init, updates and merge of each of its reductions, and its map. They form
// a family, which schedules call by the tensor's name. A part that has no loop
// in common with the rest, such as the segments of a sum, is a family by
// itself, called by the array that it makes.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_FAMILIES_H
#define GIRIH_PASSES_SCHEDULE_FAMILIES_H

#include "compiler/poly/ScheduleTree.h"

#include <string>
#include <vector>

namespace girih::schedule {

using poly::Owner;

struct Family {
  std::string name;
  std::vector<unsigned> statements; ///< in textual order, side by side
  /// Leading dims (turns of time loops first) in which all of them agree:
  /// each reads what the others write at its own first dims.
  unsigned sharedDims = 0;
  unsigned timeDims = 0;
};

/// `owners` is parallel to the Scop's statements; families in textual order.
std::vector<Family> findFamilies(const poly::Scop &scop,
                                 const std::vector<Owner> &owners);

/// Leading dims, behind the turns of time loops, at which every statement of
/// the family reads what another one of it writes.
unsigned commonDims(const poly::Scop &scop, const Family &family);

/// The order of the text as a plain tree: family after family, one band of its
/// shared dims each, below it its statements one after the other.
poly::ScheduleTree textualTree(const poly::Scop &scop,
                               const std::vector<Family> &families);

/// One family of it, without its time loops.
poly::NodePtr familyTree(const poly::Scop &scop, const Family &family);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_FAMILIES_H
