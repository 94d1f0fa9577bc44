//===- Integers.cpp - sets of integers, decided by MLIR -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/presburger/Integers.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

using namespace girih::test;
using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::PresburgerSpace;

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
/// on, in its place: the simplex is much quicker on fewer variables. False
/// where a constant is wrong.
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
    bool isUsed =
        std::any_of(set.equalities.begin(), set.equalities.end(), has) ||
        std::any_of(set.inequalities.begin(), set.inequalities.end(), has);
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

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

// MLIR's own subtract is not asked: it takes `x <= 2q <= x` for the definition
// q = floor(x/2) and forgets what it says beyond that (LLVM 22).

namespace {

int64_t termOf(const Row &row, unsigned variable) {
  return variable < row.terms.size() ? row.terms[variable] : 0;
}

/// Changes locals so that each equation has one that no earlier one has, and no
/// other new one: `2j - 2t = x` says of w = j - t what 2w is, and nothing of t.
void separate(Conjunction &set) {
  unsigned first = set.dims + set.symbols;
  std::vector<bool> isTaken(set.locals);
  for (size_t e = 0; e < set.equalities.size(); ++e)
    for (;;) {
      // The two smallest factors, one of which the other makes smaller.
      int least = -1, other = -1;
      auto size = [&](int l) {
        return std::abs(termOf(set.equalities[e], first + unsigned(l)));
      };
      for (int l = 0; l < int(set.locals); ++l) {
        if (isTaken[size_t(l)] || size(l) == 0)
          continue;
        if (least < 0 || size(l) < size(least))
          other = std::exchange(least, l);
        else
          other = l;
      }
      if (least >= 0 && other < 0)
        isTaken[size_t(least)] = true;
      if (other < 0)
        break;
      int64_t times = termOf(set.equalities[e], first + unsigned(other)) /
                      termOf(set.equalities[e], first + unsigned(least));
      auto change = [&](Row &row) {
        if (int64_t term = termOf(row, first + unsigned(least)))
          row = row - Row::of(first + unsigned(other), times * term);
      };
      for (Row &row : set.equalities)
        change(row);
      for (Row &row : set.inequalities)
        change(row);
    }
}

/// Leaves out locals between bounds of which the lower or the upper ones have
/// no factor: some integer is there where each pair of bounds leaves one.
void project(Conjunction &set) {
  for (unsigned v = set.dims + set.symbols;
       v < set.dims + set.symbols + set.locals; ++v) {
    auto has = [&](const Row &row) { return termOf(row, v) != 0; };
    if (std::any_of(set.equalities.begin(), set.equalities.end(), has))
      continue;
    std::vector<Row> low, high, rest;
    int64_t mostLow = 1, mostHigh = 1;
    for (const Row &row : set.inequalities) {
      int64_t term = termOf(row, v);
      (term > 0 ? low : term < 0 ? high : rest).push_back(row);
      mostLow = std::max(mostLow, term);
      mostHigh = std::max(mostHigh, -term);
    }
    if (mostLow > 1 && mostHigh > 1)
      continue;
    for (const Row &a : low)
      for (const Row &b : high) {
        Row row = a * -termOf(b, v) + b * termOf(a, v);
        if (std::find(rest.begin(), rest.end(), row) == rest.end())
          rest.push_back(row);
      }
    set.inequalities = std::move(rest);
  }
}

/// The locals of a conjunction as floors of what is known without them.
class Floors {
public:
  explicit Floors(const Conjunction &set)
      : set(set), first(set.dims + set.symbols), found(set.locals) {
    for (bool again = true; again;) {
      again = false;
      for (unsigned l = 0; l < set.locals; ++l)
        if (!found[l] && define(l))
          again = true;
    }
    if (std::any_of(found.begin(), found.end(),
                    [](const auto &floor) { return !floor; }))
      throw Inexpressible();
  }

  /// The definitions of the locals in `rows`, and of those in them.
  std::vector<Row> definitions(std::vector<Row> rows) const {
    std::vector<Row> result;
    std::vector<bool> isDone(set.locals);
    for (size_t r = 0; r < rows.size(); ++r)
      for (unsigned l = 0; l < set.locals; ++l) {
        if (isDone[l] || !termOf(rows[r], first + l))
          continue;
        isDone[l] = true;
        Row rest = found[l]->first - Row::of(first + l, found[l]->second);
        result.push_back(rest);
        result.push_back(rest * -1 + (found[l]->second - 1));
        rows.push_back(rest);
      }
    return result;
  }

private:
  /// x and m of floor(x/m): from x = m * local, or from bounds of x - m * local
  /// that leave no more than one value.
  bool define(unsigned local) {
    for (const Row &row : set.equalities)
      if (int64_t m = termOf(row, first + local)) {
        Row x = row * (m > 0 ? -1 : 1);
        if (take(local, x + Row::of(first + local, std::abs(m)), std::abs(m)))
          return true;
      }
    for (const Row &low : set.inequalities) {
      int64_t m = -termOf(low, first + local);
      if (m <= 0)
        continue;
      for (const Row &high : set.inequalities) {
        Row sum = low + high;
        bool isConstant = std::all_of(sum.terms.begin(), sum.terms.end(),
                                      [](int64_t term) { return term == 0; });
        if (isConstant && sum.constant >= 0 && sum.constant < m &&
            take(local, low + Row::of(first + local, m), m))
          return true;
      }
    }
    return false;
  }

  bool take(unsigned local, const Row &x, int64_t m) {
    for (unsigned l = 0; l < set.locals; ++l)
      if (termOf(x, first + l) && !found[l])
        return false;
    found[local] = {x, m};
    return true;
  }

  const Conjunction &set;
  unsigned first;
  std::vector<std::optional<std::pair<Row, int64_t>>> found;
};

/// Adds `a` without `b`. What `a` implies needs no complement, which leaves few
/// constraints.
void addDifference(const Conjunction &a, const Conjunction &b, Union &result) {
  Conjunction both = a;
  both.intersect(b);
  if (both.isEmpty()) {
    result.push_back(a);
    return;
  }
  std::vector<Row> rows = b.inequalities;
  for (const Row &row : b.equalities) {
    rows.push_back(row);
    rows.push_back(row * -1);
  }
  Floors floors(b);
  // `a` with the floors of some rows, and the row that is left out or not.
  auto with = [&](Conjunction set, std::vector<Row> some) {
    Conjunction added(b.dims, b.symbols);
    added.locals = b.locals;
    for (const Row &row : floors.definitions(some))
      added.notNegative(row);
    for (const Row &row : some)
      added.notNegative(row);
    compress(added, b.dims + b.symbols);
    set.intersect(added);
    return set;
  };
  std::vector<Row> within;
  for (const Row &row : rows) {
    Row beyond = row * -1 - 1;
    if (with(a, {beyond}).isEmpty())
      continue;
    std::vector<Row> some = within;
    some.push_back(beyond);
    Conjunction part = with(a, some);
    if (!part.isEmpty())
      result.push_back(std::move(part));
    within.push_back(row);
  }
}

} // namespace

Union girih::test::without(const Union &a, const Union &b) {
  Union rest = a;
  for (Conjunction part : b) {
    unsigned visible = part.dims + part.symbols;
    if (!substitute(part, visible))
      continue;
    separate(part);
    if (!substitute(part, visible))
      continue;
    project(part);
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
