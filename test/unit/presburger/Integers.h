//===- Integers.h - sets of integers, decided by MLIR -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conjunctions of affine constraints, whose emptiness MLIR's Presburger library
// decides: what isl says can be held against it. isl is not used here.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PRESBURGER_INTEGERS_H
#define GIRIH_TEST_UNIT_PRESBURGER_INTEGERS_H

#include <cstdint>
#include <exception>
#include <vector>

namespace girih::test {

/// sum(terms[v] * variable v) + constant.
struct Row {
  std::vector<int64_t> terms;
  int64_t constant = 0;

  static Row of(unsigned variable, int64_t factor = 1);
  Row operator+(const Row &other) const;
  Row operator*(int64_t factor) const;
  Row operator-(const Row &other) const { return *this + other * -1; }
  Row operator+(int64_t value) const;
  Row operator-(int64_t value) const { return *this + -value; }
  bool operator==(const Row &) const = default;
};

/// Its variables are dims, then symbols, then locals: those are existential.
class Conjunction {
public:
  Conjunction(unsigned dims, unsigned symbols) : dims(dims), symbols(symbols) {}

  void zero(Row row) { equalities.push_back(std::move(row)); }
  void notNegative(Row row) { inequalities.push_back(std::move(row)); }
  void equal(const Row &a, const Row &b) { zero(a - b); }
  void less(const Row &a, const Row &b) { notNegative(b - a - 1); }
  Row newLocal() { return Row::of(dims + symbols + locals++); }
  /// A local that is floor(row / divisor); the same one when asked again.
  Row floorOf(const Row &row, int64_t divisor);
  /// Of the same dims and symbols; locals are kept apart.
  void intersect(const Conjunction &other);

  bool isEmpty() const;
  /// Makes dims [first, end) existential.
  void hide(unsigned first, unsigned end);

  unsigned dims, symbols, locals = 0;
  std::vector<Row> equalities, inequalities;
  struct Quotient {
    Row value;
    int64_t divisor;
    Row result;
  };
  std::vector<Quotient> quotients; ///< those that floorOf has made
};

using Union = std::vector<Conjunction>;

bool isEmpty(const Union &set);
/// Whether all of `a` are in `b` (of the same dims and symbols).
bool isSubset(const Union &a, const Union &b);
/// a without b. Throws Inexpressible where a local of b is neither a floor nor
/// between bounds that can be joined.
struct Inexpressible : std::exception {};
Union without(const Union &a, const Union &b);

/// How often MLIR was asked for emptiness.
extern uint64_t emptinessQueries;

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PRESBURGER_INTEGERS_H
