//===- TreeEdit.h - changes of plain schedule trees -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structure only: nothing here asks whether a change is legal. In normal form a
// band stands directly below a band only where time members end, and a filter
// below a band never holds a sequence and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_TREEEDIT_H
#define GIRIH_PASSES_SCHEDULE_TREEEDIT_H

#include "compiler/poly/ScheduleTree.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace girih::schedule {

/// A member of a band of the tree.
struct MemberPlace {
  poly::Node *band = nullptr;
  size_t index = 0;
  poly::Member &member() const { return band->members[index]; }
  bool operator==(const MemberPlace &) const = default;
};

/// Puts the tree into normal form.
void normalise(poly::ScheduleTree &tree);

/// The node above `node`; null for the root.
poly::Node *parentOf(poly::ScheduleTree &tree, const poly::Node *node);
/// The owning pointer of `node` (its parent's child, or the root).
poly::NodePtr &slotOf(poly::ScheduleTree &tree, const poly::Node *node);

/// All members called `name` that one of `statements` is below.
std::vector<MemberPlace> findMembers(poly::ScheduleTree &tree,
                                     const std::vector<unsigned> &statements,
                                     const std::string &name);
/// Calls `visit` for each node, from the top.
void walk(poly::Node &node, const std::function<void(poly::Node &)> &visit);
void walk(const poly::Node &node,
          const std::function<void(const poly::Node &)> &visit);

/// Whether the band's members are the turns of time loops.
bool isTimeBand(const poly::Node &node);
/// Puts the filters of sequences that stand directly below filters of
/// `sequence` in the place of those.
void spliceSequences(poly::Node &sequence);

/// Makes `place` the last member of its band; what was behind it becomes a band
/// below. Returns its place.
MemberPlace endBandAt(MemberPlace place);

/// Digits of `digit` divided into turns of `factor`: outer and inner. Nothing
/// when the number of its values is known and the factor does not divide it.
std::optional<std::pair<poly::Digit, poly::Digit>>
splitDigit(const poly::Digit &digit, int64_t factor);

/// The dim that a digit is of, when its value is that dim alone.
std::optional<unsigned> dimOf(const poly::Digit &digit);

/// The number of its values, where the statement's domain and the digit say
/// one number; else 0.
int64_t turnsOf(const poly::Statement &statement, const poly::Digit &digit);

/// What is left of a digit once `fixed`, digits of the same dim, are known:
/// nullopt when it is nothing; `isUneven` when what is left is no digit.
std::optional<poly::Digit> remainder(const poly::Digit &digit,
                                     const std::vector<poly::Digit> &fixed,
                                     bool &isUneven);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_TREEEDIT_H
