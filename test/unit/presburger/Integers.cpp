//===- Integers.cpp - sets of integers, decided by MLIR -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/presburger/Integers.h"

#include "mlir/Analysis/Presburger/PresburgerRelation.h"

#include <algorithm>
#include <stdexcept>

using namespace girih::test;
using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::IntegerRelation;
using mlir::presburger::PresburgerRelation;
using mlir::presburger::PresburgerSet;
using mlir::presburger::PresburgerSpace;
using mlir::presburger::VarKind;

uint64_t girih::test::emptinessQueries = 0;

static int64_t sum(int64_t a, int64_t b) {
  if (__builtin_add_overflow(a, b, &a))
    throw std::overflow_error("a coefficient exceeds 64 bits");
  return a;
}

static int64_t product(int64_t a, int64_t b) {
  if (__builtin_mul_overflow(a, b, &a))
    throw std::overflow_error("a coefficient exceeds 64 bits");
  return a;
}

Row Row::of(unsigned variable, int64_t factor) {
  Row row;
  row.terms.resize(variable + 1);
  row.terms[variable] = factor;
  return row;
}

Row Row::operator+(const Row &other) const {
  Row row = *this;
  row.terms.resize(std::max(terms.size(), other.terms.size()));
  for (size_t v = 0; v < other.terms.size(); ++v)
    row.terms[v] = sum(row.terms[v], other.terms[v]);
  row.constant = sum(constant, other.constant);
  return row;
}

Row Row::operator*(int64_t factor) const {
  Row row = *this;
  for (int64_t &term : row.terms)
    term = product(term, factor);
  row.constant = product(constant, factor);
  return row;
}

Row Row::operator+(int64_t value) const {
  Row row = *this;
  row.constant = sum(constant, value);
  return row;
}

Row Conjunction::floorOf(const Row &row, int64_t divisor) {
  if (divisor == 1)
    return row;
  for (const Quotient &known : quotients)
    if (known.divisor == divisor && known.value == row)
      return known.result;
  Row quotient = newLocal();
  quotients.push_back({row, divisor, quotient});
  Row rest = row - quotient * divisor;
  notNegative(rest);
  notNegative(rest * -1 + (divisor - 1));
  return quotient;
}

/// `row` with its variables from `first` on moved up by `by`.
static Row moved(const Row &row, unsigned first, unsigned by) {
  Row result = row;
  if (result.terms.size() > first)
    result.terms.insert(result.terms.begin() + first, by, 0);
  return result;
}

void Conjunction::intersect(const Conjunction &other) {
  unsigned first = dims + symbols;
  for (const Row &row : other.equalities)
    equalities.push_back(moved(row, first, locals));
  for (const Row &row : other.inequalities)
    inequalities.push_back(moved(row, first, locals));
  locals += other.locals;
}

void Conjunction::hide(unsigned first, unsigned end) {
  unsigned count = end - first;
  auto change = [&](Row &row) {
    row.terms.resize(dims + symbols + locals);
    std::vector<int64_t> hidden(row.terms.begin() + first,
                                row.terms.begin() + end);
    row.terms.erase(row.terms.begin() + first, row.terms.begin() + end);
    row.terms.insert(row.terms.end(), hidden.begin(), hidden.end());
  };
  for (Row &row : equalities)
    change(row);
  for (Row &row : inequalities)
    change(row);
  quotients.clear();
  dims -= count;
  locals += count;
}

static IntegerPolyhedron polyhedronOf(const Conjunction &set) {
  IntegerPolyhedron result(
      PresburgerSpace::getSetSpace(set.dims, set.symbols, set.locals));
  size_t count = set.dims + set.symbols + set.locals;
  auto columns = [&](Row row) {
    row.terms.resize(count);
    row.terms.push_back(row.constant);
    return row.terms;
  };
  for (const Row &row : set.equalities)
    result.addEquality(columns(row));
  for (const Row &row : set.inequalities)
    result.addInequality(columns(row));
  return result;
}

/// Puts what equations with a coefficient of 1 say of a variable, from `first`
/// on, in its place: the simplex is much quicker on fewer variables. False where
/// a constant is wrong.
static bool substitute(Conjunction &set, size_t first) {
  for (size_t e = 0; e < set.equalities.size();) {
    Row equation = set.equalities[e];
    size_t at = first;
    while (at < equation.terms.size() && std::abs(equation.terms[at]) != 1)
      ++at;
    if (at >= equation.terms.size()) {
      ++e;
      continue;
    }
    set.equalities.erase(set.equalities.begin() + std::ptrdiff_t(e));
    auto replace = [&](Row &row) {
      if (at < row.terms.size() && row.terms[at])
        row = row - equation * (row.terms[at] * equation.terms[at]);
    };
    for (Row &row : set.equalities)
      replace(row);
    for (Row &row : set.inequalities)
      replace(row);
    e = 0;
  }
  auto isConstant = [](const Row &row) {
    return std::all_of(row.terms.begin(), row.terms.end(),
                       [](int64_t term) { return term == 0; });
  };
  for (const Row &row : set.equalities)
    if (isConstant(row) && row.constant != 0)
      return false;
  for (const Row &row : set.inequalities)
    if (isConstant(row) && row.constant < 0)
      return false;
  std::erase_if(set.equalities, isConstant);
  std::erase_if(set.inequalities, isConstant);
  return true;
}

/// Without variables, from `first` on, that no constraint has.
static void compress(Conjunction &set, unsigned first) {
  std::vector<unsigned> place;
  unsigned count = 0;
  for (unsigned v = 0; v < set.dims + set.symbols + set.locals; ++v) {
    auto has = [&](const Row &row) {
      return v < row.terms.size() && row.terms[v];
    };
    bool isUsed = std::any_of(set.equalities.begin(), set.equalities.end(),
                              has) ||
                  std::any_of(set.inequalities.begin(), set.inequalities.end(),
                              has);
    place.push_back(count);
    count += isUsed || v < first;
  }
  auto change = [&](Row &row) {
    std::vector<int64_t> terms(count);
    for (size_t v = 0; v < row.terms.size(); ++v)
      if (row.terms[v])
        terms[place[v]] = row.terms[v];
    row.terms = std::move(terms);
  };
  for (Row &row : set.equalities)
    change(row);
  for (Row &row : set.inequalities)
    change(row);
  set.quotients.clear();
  if (first)
    set.locals = count - first;
  else {
    set.dims = count;
    set.symbols = set.locals = 0;
  }
}

bool Conjunction::isEmpty() const {
  ++emptinessQueries;
  Conjunction small = *this;
  if (!substitute(small, 0))
    return true;
  compress(small, 0);
  IntegerPolyhedron set = polyhedronOf(small);
  return set.isIntegerEmpty();
}

bool girih::test::isEmpty(const Union &set) {
  return std::all_of(set.begin(), set.end(),
                     [](const Conjunction &c) { return c.isEmpty(); });
}

static PresburgerSet setOf(const Union &set, unsigned dims, unsigned symbols) {
  PresburgerRelation result =
      PresburgerSet::getEmpty(PresburgerSpace::getSetSpace(dims, symbols));
  for (const Conjunction &conjunction : set) {
    IntegerPolyhedron polyhedron = polyhedronOf(conjunction);
    polyhedron.simplify();
    if (!polyhedron.isIntegerEmpty())
      result.unionInPlace(polyhedron);
  }
  return PresburgerSet(result);
}

static Row rowOf(llvm::ArrayRef<llvm::DynamicAPInt> columns) {
  Row row;
  for (const llvm::DynamicAPInt &column : columns.drop_back())
    row.terms.push_back(int64_t(column));
  row.constant = int64_t(columns.back());
  return row;
}

/// a without b, by MLIR.
static Union difference(const Conjunction &a, const Conjunction &b) {
  PresburgerSet all = setOf({a}, a.dims, a.symbols);
  Union result;
  PresburgerSet rest = all.subtract(setOf({b}, a.dims, a.symbols));
  for (const IntegerRelation &part : rest.getAllDisjuncts()) {
    Conjunction &set = result.emplace_back(a.dims, a.symbols);
    set.locals = part.getNumLocalVars();
    for (unsigned r = 0; r < part.getNumEqualities(); ++r)
      set.equalities.push_back(rowOf(part.getEquality(r)));
    for (unsigned r = 0; r < part.getNumInequalities(); ++r)
      set.inequalities.push_back(rowOf(part.getInequality(r)));
  }
  return result;
}

/// `a` without `b`, whose locals are none that equations determine. What `a`
/// implies needs no complement; most of the rest are plain constraints.
static void addDifference(const Conjunction &a, const Conjunction &b,
                          Union &result) {
  Conjunction both = a;
  both.intersect(b);
  if (both.isEmpty()) {
    result.push_back(a);
    return;
  }
  unsigned visible = a.dims + a.symbols;
  auto isVisible = [&](const Row &row) {
    return std::all_of(row.terms.begin() +
                           std::ptrdiff_t(std::min<size_t>(visible,
                                                           row.terms.size())),
                       row.terms.end(), [](int64_t term) { return term == 0; });
  };
  Conjunction needed(a.dims, a.symbols);
  needed.locals = b.locals;
  auto add = [&](const Row &row) {
    Conjunction beyond = a;
    if (isVisible(row)) {
      beyond.notNegative(row * -1 - 1);
      if (beyond.isEmpty())
        return;
    }
    needed.notNegative(row);
  };
  for (const Row &row : b.inequalities)
    add(row);
  for (const Row &row : b.equalities) {
    if (isVisible(row)) {
      add(row);
      add(row * -1);
    } else {
      needed.zero(row);
    }
  }
  compress(needed, visible);
  if (needed.locals) {
    for (Conjunction &part : difference(a, needed))
      result.push_back(std::move(part));
    return;
  }
  Conjunction rest = a;
  for (const Row &row : needed.inequalities) {
    Conjunction outside = rest;
    outside.notNegative(row * -1 - 1);
    if (!outside.isEmpty())
      result.push_back(std::move(outside));
    rest.notNegative(row);
  }
}

Union girih::test::without(const Union &a, const Union &b) {
  Union rest = a;
  for (Conjunction part : b) {
    unsigned visible = part.dims + part.symbols;
    if (!substitute(part, visible))
      continue;
    compress(part, visible);
    Union next;
    for (const Conjunction &from : rest)
      addDifference(from, part, next);
    rest = std::move(next);
  }
  return rest;
}

bool girih::test::isSubset(const Union &a, const Union &b) {
  return isEmpty(without(a, b));
}
