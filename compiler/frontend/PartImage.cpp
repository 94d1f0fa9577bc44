//===- PartImage.cpp - which elements statements define -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/PartImage.h"

#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Ranges.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace girih::frontend {

namespace {

/// Regions looked at before a proof is given up.
constexpr unsigned kMostSteps = 2000;

LinearForm formOver(const IndexForms &indices, const IndexSum &sum) {
  LinearForm form = formOf(sum.offset);
  for (auto [index, factor] : sum.terms)
    form = plus(form, indices.at(index), factor);
  return form;
}

LinearForm constantForm(int64_t value) {
  LinearForm form;
  form.constant = value;
  return form;
}

LinearForm variableForm(size_t variable) {
  LinearForm form;
  form.add(variable, 1);
  return form;
}

void assumeEqual(Prover &region, const LinearForm &a, const LinearForm &b) {
  region.assume(plus(a, b, -1));
  region.assume(plus(b, a, -1));
}

void addRange(std::vector<Condition> &conditions, const IndexVariable &index) {
  IndexSum self;
  self.terms.push_back({&index, 1});
  self.offset = index.start * -1;
  IndexSum below = scaled(self, -1);
  below.offset = below.offset + *index.extent - Extent::of(1);
  conditions.push_back({self, index.fixedBy});
  conditions.push_back({below, index.fixedBy});
}

bool isWritten(const std::vector<IndexSum> &left, const IndexVariable &index) {
  return std::any_of(left.begin(), left.end(), [&](const IndexSum &sum) {
    return !sum.terms.empty() && sum.terms[0].first == &index;
  });
}

/// What holds for the indices of a statement: its box, that its loops have
/// turns, and its conditions unless an `else` defines the rest.
std::vector<Condition> conditionsOf(const Statement &statement) {
  std::vector<Condition> conditions;
  for (const auto &index : statement.indices)
    addRange(conditions, *index);
  std::vector<IndexSum> left = leftSums(statement);
  for (const TimeLoop *loop : turnsOf(statement)) {
    if (isWritten(left, *loop->index)) {
      addRange(conditions, *loop->index);
      continue;
    }
    Condition runs;
    runs.sum.offset = *loop->index->extent - Extent::of(1);
    runs.range = loop->range;
    conditions.push_back(std::move(runs));
  }
  if (!statement.otherwise)
    conditions.insert(conditions.end(), statement.domain.begin(),
                      statement.domain.end());
  return conditions;
}

/// For each index the dimension whose subscript says it: one with the factor 1
/// or -1 where there is one.
std::map<const IndexVariable *, size_t>
definingDims(const std::vector<IndexSum> &sums) {
  std::map<const IndexVariable *, size_t> dims;
  for (size_t d = 0; d < sums.size(); ++d) {
    if (sums[d].terms.empty())
      continue;
    auto [index, factor] = sums[d].terms[0];
    auto [place, fresh] = dims.try_emplace(index, d);
    if (!fresh && std::abs(sums[place->second].terms[0].second) != 1 &&
        std::abs(factor) == 1)
      place->second = d;
  }
  return dims;
}

} // namespace

LinearForm plus(const LinearForm &a, const LinearForm &b, int64_t factor) {
  LinearForm sum = a;
  sum.constant += factor * b.constant;
  for (size_t v = 0; v < b.factors.size(); ++v)
    if (b.factors[v] != 0)
      sum.add(v, factor * b.factors[v]);
  return sum;
}

std::vector<IndexSum> leftSums(const Statement &statement) {
  std::vector<IndexSum> sums;
  for (const Subscript &subscript : statement.at)
    sums.push_back(subscript.sum);
  if (statement.at.empty())
    for (const auto &index : statement.indices)
      sums.emplace_back().terms.push_back({index.get(), 1});
  return sums;
}

std::vector<const TimeLoop *> turnsOf(const Statement &statement) {
  std::vector<const TimeLoop *> loops;
  const TimeLoop *home = statement.tensor->home;
  for (const TimeLoop *loop = statement.loop; loop && loop != home;
       loop = loop->parent)
    loops.insert(loops.begin(), loop);
  return loops;
}

IndexForms addTurn(Prover &region, const Tensor &tensor) {
  IndexForms turn;
  for (const TimeLoop *loop = tensor.home; loop; loop = loop->parent) {
    const IndexVariable &index = *loop->index;
    LinearForm form = variableForm(region.addVariable());
    region.assume(plus(form, formOf(index.start), -1));
    LinearForm below = plus(formOf(index.start + *index.extent), form, -1);
    region.assume(plus(below, constantForm(-1)));
    turn[&index] = std::move(form);
  }
  return turn;
}

void assumeDefined(Prover &region, const Element &element,
                   const Statement &statement, const IndexForms &turn) {
  IndexForms indices = turn;
  for (const auto &index : statement.indices)
    indices[index.get()] = variableForm(region.addVariable());
  for (const TimeLoop *loop : turnsOf(statement))
    indices[loop->index.get()] = variableForm(region.addVariable());
  std::vector<IndexSum> sums = leftSums(statement);
  for (size_t d = 0; d < sums.size(); ++d)
    assumeEqual(region, element[d], formOver(indices, sums[d]));
  for (const Condition &condition : conditionsOf(statement))
    region.assume(formOver(indices, condition.sum));
}

bool Cover::split(Prover &region, const Element &element, size_t part,
                  const LinearForm &form) {
  if (region.proves(form))
    return true;
  Prover outside = region;
  outside.assume(plus(constantForm(-1), form, -1));
  if (!covered(std::move(outside), element, part + 1))
    return false;
  region.assume(form);
  return true;
}

/// Splits off where `from` is no multiple of `stride`.
bool Cover::splitStride(Prover &region, const Element &element, size_t part,
                        const LinearForm &from, int64_t stride) {
  // One remainder after the other: with a number for it, equations of several
  // strides contradict each other.
  constexpr int64_t kMostRemainders = 16;
  for (int64_t rest = 1; rest < stride && stride <= kMostRemainders; ++rest) {
    Prover outside = region;
    LinearForm multiple =
        plus(LinearForm(), variableForm(outside.addVariable()), stride);
    assumeEqual(outside, from, plus(multiple, constantForm(rest)));
    if (!covered(std::move(outside), element, part + 1))
      return false;
  }
  if (stride <= kMostRemainders)
    return true;
  Prover outside = region;
  LinearForm quotient = variableForm(outside.addVariable());
  LinearForm remainder = variableForm(outside.addVariable());
  assumeEqual(outside, from, plus(remainder, quotient, stride));
  outside.assume(plus(remainder, constantForm(-1)));
  outside.assume(plus(constantForm(stride - 1), remainder, -1));
  return covered(std::move(outside), element, part + 1);
}

bool Cover::covered(Prover region, const Element &element, size_t part) {
  if (++steps > kMostSteps)
    return false;
  if (region.empty())
    return true;
  if (part == parts.size()) {
    rest = std::move(region);
    return false;
  }
  const Statement &statement = *parts[part];
  std::vector<IndexSum> sums = leftSums(statement);
  IndexForms indices = turn;
  std::vector<const TimeLoop *> turns = turnsOf(statement);
  auto dims = definingDims(sums);
  // A loop that the tensor lives in: its turn is known.
  for (auto &[index, form] : turn)
    if (std::none_of(turns.begin(), turns.end(),
                     [index = index](const TimeLoop *loop) {
                       return loop->index.get() == index;
                     }))
      dims.erase(index);
  for (auto [index, d] : dims) {
    int64_t factor = sums[d].terms[0].second;
    LinearForm from = plus(element[d], formOf(sums[d].offset), -1);
    if (std::abs(factor) == 1) {
      indices[index] = plus(LinearForm(), from, factor);
      continue;
    }
    if (!splitStride(region, element, part, from, std::abs(factor)))
      return false;
    indices[index] = variableForm(region.addVariable());
    assumeEqual(region, from, plus(LinearForm(), indices[index], factor));
  }
  for (size_t d = 0; d < sums.size(); ++d) {
    auto place = sums[d].terms.empty() ? dims.end()
                                       : dims.find(sums[d].terms[0].first);
    if (place != dims.end() && place->second == d)
      continue;
    LinearForm more = plus(element[d], formOver(indices, sums[d]), -1);
    if (!split(region, element, part, more) ||
        !split(region, element, part, plus(LinearForm(), more, -1)))
      return false;
  }
  // Where the left side says nothing of the turn, any will do.
  for (const TimeLoop *loop : turns) {
    const IndexVariable &index = *loop->index;
    if (indices.count(&index))
      continue;
    if (!split(region, element, part, formOf(*index.extent - Extent::of(1))))
      return false;
    LinearForm form = variableForm(region.addVariable());
    region.assume(plus(form, formOf(index.start), -1));
    LinearForm below = plus(formOf(index.start + *index.extent), form, -1);
    region.assume(plus(below, constantForm(-1)));
    indices[&index] = std::move(form);
  }
  for (const Condition &condition : conditionsOf(statement))
    if (!split(region, element, part, formOver(indices, condition.sum)))
      return false;
  // Turns to come have defined nothing yet.
  for (const TimeLoop *loop : turns) {
    auto now = turn.find(loop->index.get());
    if (now == turn.end() || &statement == trusted || !dims.count(now->first))
      continue;
    if (!split(region, element, part,
               plus(now->second, indices.at(now->first), -1)))
      return false;
  }
  return true;
}

std::optional<std::vector<ElementCondition>>
elementConditions(const Statement &statement) {
  std::vector<IndexSum> sums = leftSums(statement);
  auto dims = definingDims(sums);
  std::vector<ElementCondition> result;
  bool known = true;
  auto add = [&](const IndexSum &sum, size_t plainDim, int64_t plainFactor,
                 SourceRange range) {
    ElementCondition condition;
    condition.factors.resize(sums.size(), 0);
    condition.offset = sum.offset;
    condition.range = range;
    if (plainFactor != 0)
      condition.factors[plainDim] += plainFactor;
    // index = factor * (element - offset), as the factor is 1 or -1.
    for (auto [index, factor] : sum.terms) {
      if (!dims.count(index)) { // of a loop
        known = false;
        return;
      }
      size_t d = dims.at(index);
      int64_t unit = sums[d].terms[0].second;
      condition.factors[d] += factor * unit;
      condition.offset = condition.offset - sums[d].offset * (factor * unit);
    }
    result.push_back(std::move(condition));
  };
  for (auto [index, d] : dims)
    if (std::abs(sums[d].terms[0].second) != 1)
      return std::nullopt;
  for (size_t d = 0; d < sums.size(); ++d) {
    bool defines =
        !sums[d].terms.empty() && dims.at(sums[d].terms[0].first) == d;
    if (defines)
      continue;
    add(scaled(sums[d], -1), d, 1, statement.target.range);
    add(sums[d], d, -1, statement.target.range);
  }
  for (const Condition &condition : conditionsOf(statement))
    add(condition.sum, 0, 0, condition.range);
  return known ? std::optional(result) : std::nullopt;
}

} // namespace girih::frontend
