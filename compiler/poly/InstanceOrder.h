//===- InstanceOrder.h - every instance, in an order ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists instances at given sizes, by walking boxes: no set arithmetic, so that
// what is found here can be held against the judge.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_INSTANCEORDER_H
#define GIRIH_COMPILER_POLY_INSTANCEORDER_H

#include "compiler/poly/ScheduleTree.h"

namespace girih::poly {

using Point = std::vector<int64_t>;

/// The integer points of a statement's domain in lexicographic order. Throws
/// std::domain_error when there are too many to enumerate.
std::vector<Point> instancesOf(const Statement &statement,
                               const std::vector<int64_t> &sizes);

/// What runs where a tree leaves instances unordered, or calls them coincident
/// or blocks of one grid.
enum class AtOnce {
  Ascending,  ///< one after the other, from the smallest value
  Descending, ///< from the largest
  /// Interleaved at random, each instance's reads apart from its write: what
  /// has to be one after the other within a value stays so.
  Shuffled
};

struct InstanceStep {
  enum class Part { Whole, Read, Write };
  unsigned statement = 0;
  unsigned instance = 0; ///< of InstanceOrder::instances[statement]
  Part part = Part::Whole;
};

struct InstanceOrder {
  std::vector<std::vector<Point>> instances; ///< by statement
  std::vector<InstanceStep> steps;

  const Point &at(const InstanceStep &step) const {
    return instances[step.statement][step.instance];
  }
};

/// Every instance in the order of the text. Throws like instancesOf.
InstanceOrder textOrder(const Scop &scop, const std::vector<int64_t> &sizes);
/// The same in the order of a tree that verifyScheduleTree accepts.
InstanceOrder treeOrder(const Scop &scop, const ScheduleTree &tree,
                        const std::vector<int64_t> &sizes,
                        AtOnce atOnce = AtOnce::Ascending, uint64_t seed = 0);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_INSTANCEORDER_H
