//===- Dependent.h - dependent instances, without isl -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built from the plain data of a Scop by the words of docs/architecture.md:
// what touches one element, in the order of the text.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PRESBURGER_DEPENDENT_H
#define GIRIH_TEST_UNIT_PRESBURGER_DEPENDENT_H

#include "compiler/poly/Dependence.h"
#include "compiler/poly/ScheduleTree.h"
#include "test/unit/presburger/Integers.h"

namespace girih::test {

/// Instances of several statements and one element beside each other: the dims
/// of a conjunction. The sizes are its symbols.
class Frame {
public:
  Frame(const poly::Scop &scop, std::vector<unsigned> statements,
        unsigned rank = 0);

  /// The context, and each instance in its domain.
  Conjunction domains() const;
  Row value(unsigned which, const poly::Affine &affine) const;
  Row dim(unsigned which, unsigned index) const {
    return Row::of(starts[which] + index);
  }
  /// floor((value mod modulus) / divisor), by locals of `set`.
  Row digit(Conjunction &set, unsigned which, const poly::Digit &digit) const;
  /// Instance `which` touches the element by that access.
  void touch(Conjunction &set, unsigned which,
             const poly::Access &access) const;
  /// `set` where instance `first` is before `second` in the text.
  Union before(const Conjunction &set, unsigned first, unsigned second) const;
  /// `set` where the first dim in which the two (of one statement) differ is
  /// one of [begin, end), and is smaller in the first.
  Union ordered(const Conjunction &set, unsigned first, unsigned second,
                unsigned begin, unsigned end) const;
  unsigned elementStart() const { return starts.back(); }
  unsigned dimsEnd() const { return elementStart() + rank; }

private:
  const poly::Scop &scop;
  std::vector<unsigned> statements, starts;
  unsigned rank;
};

/// Pairs of instances that must be executed one after the other.
struct Pairs {
  enum class Order {
    Plain,
    Term,   ///< two updates of one cell: what a tile may hold
    AnyTerm ///< of an associative reduction: apart, but in any order
  };
  poly::DependenceKind kind = poly::DependenceKind::Flow;
  unsigned source = 0, sink = 0, array = 0;
  Order order = Order::Plain;
  /// Over source and sink; with the array's element behind them where they are
  /// by value.
  Union set;
};

/// All pairs of which one writes an element that the other touches: by memory,
/// whatever is written in between.
std::vector<Pairs> dependentPairs(const poly::Scop &scop);

/// The pairs of one kind by value: without those between which a write hides
/// the source from the sink. Unordered updates of one statement are left out.
Union pairsByValue(const poly::Scop &scop, poly::DependenceKind kind,
                   unsigned source, unsigned sink, unsigned array);
/// Updates of one element that are not of one cell, or of which any order will
/// do, and whose value the second takes from the first: none is made anew in
/// between.
Union updatesByValue(const poly::Scop &scop, const poly::Reduction &reduction);

/// The reduction whose updates of its accumulator are ordered by its term only;
/// null where `statement` is an ordinary one.
const poly::Reduction *termOf(const poly::Scop &scop, unsigned statement);

/// With the sizes put in place of the parameters.
poly::Scop atSizes(const poly::Scop &scop, const std::vector<int64_t> &sizes);
poly::ScheduleTree atSizes(const poly::ScheduleTree &tree,
                           const std::vector<int64_t> &sizes);

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PRESBURGER_DEPENDENT_H
