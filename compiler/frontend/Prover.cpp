//===- Prover.cpp - inequalities over integers ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Prover.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace girih::frontend {

namespace {

/// Factors, then the constant; the row says that the sum is not negative.
using Row = std::vector<int64_t>;

/// Rows beyond which elimination gives up: nothing is proved then.
constexpr size_t kMostRows = 2000;
/// Values tried in the search for an example.
constexpr unsigned kMostSteps = 200'000;
/// Factors looked at meanwhile: with hundreds of sizes each value costs much.
constexpr uint64_t kMostWork = 20'000'000;

/// Divides by what divides all factors; the constant rounds down, which is
/// exact over integers.
void tighten(Row &row) {
  int64_t divisor = 0;
  for (size_t i = 0; i + 1 < row.size(); ++i)
    divisor = std::gcd(divisor, row[i]);
  if (divisor <= 1)
    return;
  for (size_t i = 0; i + 1 < row.size(); ++i)
    row[i] /= divisor;
  int64_t rest = (row.back() % divisor + divisor) % divisor;
  row.back() = (row.back() - rest) / divisor;
}

/// The combination of `up` (positive at `variable`) and `down` (negative)
/// without it; nothing where it overflows.
std::optional<Row> combine(const Row &up, const Row &down, size_t variable) {
  int64_t divisor = std::gcd(up[variable], down[variable]);
  int64_t a = -down[variable] / divisor, b = up[variable] / divisor;
  Row row(up.size());
  for (size_t i = 0; i < row.size(); ++i) {
    int64_t left = 0, right = 0;
    if (__builtin_mul_overflow(up[i], a, &left) ||
        __builtin_mul_overflow(down[i], b, &right) ||
        __builtin_add_overflow(left, right, &row[i]))
      return std::nullopt;
  }
  tighten(row);
  return row;
}

bool isFalse(const Row &row) {
  return row.back() < 0 && std::all_of(row.begin(), row.end() - 1,
                                       [](int64_t factor) { return !factor; });
}

/// An equation that says what a variable is: a row whose opposite is a row,
/// with the factor 1 or -1.
std::optional<std::pair<Row, size_t>> findEquation(const std::set<Row> &rows) {
  for (const Row &row : rows) {
    Row opposite(row.size());
    for (size_t i = 0; i < row.size(); ++i)
      opposite[i] = -row[i];
    if (!rows.count(opposite))
      continue;
    for (size_t v = 0; v + 1 < row.size(); ++v)
      if (row[v] == 1)
        return std::pair(row, v);
      else if (row[v] == -1)
        return std::pair(opposite, v);
  }
  return std::nullopt;
}

/// The rows without the variable that the equation says; nothing where that
/// overflows.
std::optional<std::set<Row>> substituted(const std::set<Row> &rows,
                                         const Row &equation, size_t variable) {
  std::set<Row> next;
  for (const Row &row : rows) {
    Row result = row;
    int64_t times = row[variable];
    for (size_t i = 0; times != 0 && i < row.size(); ++i) {
      int64_t part = 0;
      if (__builtin_mul_overflow(equation[i], times, &part) ||
          __builtin_sub_overflow(row[i], part, &result[i]))
        return std::nullopt;
    }
    tighten(result);
    next.insert(std::move(result));
  }
  return next;
}

/// The variable whose elimination makes the fewest rows; nothing where none is
/// left.
std::optional<size_t> cheapest(const std::set<Row> &rows, size_t variables) {
  std::optional<size_t> best;
  size_t least = 0;
  for (size_t variable = 0; variable < variables; ++variable) {
    size_t up = 0, down = 0;
    for (const Row &row : rows)
      if (row[variable] != 0)
        ++(row[variable] > 0 ? up : down);
    if (up + down == 0)
      continue;
    if (!best || up * down < least) {
      best = variable;
      least = up * down;
    }
  }
  return best;
}

/// True when no integers satisfy the rows; false when that was not found.
bool contradict(std::set<Row> rows, size_t variables) {
  for (;;) {
    if (std::any_of(rows.begin(), rows.end(), isFalse))
      return true;
    if (auto equation = findEquation(rows)) {
      auto next = substituted(rows, equation->first, equation->second);
      if (!next)
        return false;
      rows = std::move(*next);
      continue;
    }
    auto variable = cheapest(rows, variables);
    if (!variable)
      return false;
    std::set<Row> next;
    std::vector<const Row *> up, down;
    for (const Row &row : rows)
      if (row[*variable] == 0)
        next.insert(row);
      else
        (row[*variable] > 0 ? up : down).push_back(&row);
    if (up.size() * down.size() + next.size() > kMostRows)
      return false;
    for (const Row *a : up)
      for (const Row *b : down)
        if (auto row = combine(*a, *b, *variable))
          next.insert(std::move(*row));
    rows = std::move(next);
  }
}

/// Depth first over small values, with bounds from what is left open.
class Search {
public:
  Search(const std::set<Row> &rows, const std::vector<int64_t> &steps,
         int64_t most)
      : rows(rows), steps(steps), most(most), values(steps.size(), 0) {}

  bool run(size_t variable = 0) {
    if (!possible(variable))
      return false;
    if (variable == values.size())
      return true;
    // Negative values too: an index may start below 0.
    for (int64_t value = 0; value <= most; ++value)
      for (int64_t sign : {1, -1}) {
        if (++tried > kMostSteps || work > kMostWork)
          return false;
        values[variable] = sign * value;
        if (run(variable + 1))
          return true;
        if (value == 0)
          break;
      }
    return false;
  }

  const std::vector<int64_t> &found() const { return values; }

private:
  bool possible(size_t known) {
    work += rows.size() * values.size();
    for (const Row &row : rows) {
      __int128 best = row.back();
      for (size_t v = 0; v < values.size(); ++v)
        best += v < known ? static_cast<__int128>(row[v]) * values[v]
                          : static_cast<__int128>(std::abs(row[v])) * most;
      if (best < 0)
        return false;
    }
    return true;
  }

  const std::set<Row> &rows;
  const std::vector<int64_t> &steps;
  int64_t most;
  std::vector<int64_t> values;
  unsigned tried = 0;
  uint64_t work = 0;
};

} // namespace

void LinearForm::add(size_t variable, int64_t factor) {
  if (factors.size() <= variable)
    factors.resize(variable + 1, 0);
  factors[variable] += factor;
}

void Prover::assumeMultiple(unsigned variable, int64_t divisor) {
  int64_t both = std::lcm(steps[variable], divisor);
  // A divisor that large helps no proof.
  if (both > 0 && both <= int64_t(1) << 20)
    steps[variable] = both;
}

/// The assumptions and -form - 1 >= 0, over the variables divided by their
/// steps.
static std::set<Row> rowsOf(const std::vector<LinearForm> &assumptions,
                            const LinearForm &form,
                            const std::vector<int64_t> &steps) {
  std::set<Row> rows;
  auto add = [&](const LinearForm &each, int64_t sign, int64_t less) {
    Row row;
    for (size_t v = 0; v < steps.size(); ++v)
      row.push_back(sign * each.factor(v) * steps[v]);
    row.push_back(sign * each.constant - less);
    tighten(row);
    rows.insert(std::move(row));
  };
  for (const LinearForm &assumption : assumptions)
    add(assumption, 1, 0);
  add(form, -1, 1);
  return rows;
}

bool Prover::proves(const LinearForm &form) const {
  return contradict(rowsOf(assumptions, form, steps), steps.size());
}

/// 0 >= 0 beside the assumptions.
static LinearForm nothing() {
  LinearForm form;
  form.constant = -1;
  return form;
}

bool Prover::empty() const { return proves(nothing()); }

std::optional<std::vector<int64_t>> Prover::example() const {
  return counterexample(nothing());
}

std::optional<std::vector<int64_t>>
Prover::counterexample(const LinearForm &form) const {
  std::set<Row> rows = rowsOf(assumptions, form, steps);
  for (int64_t most : {1, 2, 4, 8, 64}) {
    Search search(rows, steps, most);
    if (!search.run())
      continue;
    std::vector<int64_t> values = search.found();
    for (size_t v = 0; v < values.size(); ++v)
      values[v] *= steps[v];
    return values;
  }
  return std::nullopt;
}

} // namespace girih::frontend
