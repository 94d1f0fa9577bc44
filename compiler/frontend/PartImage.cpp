//===- PartImage.cpp - which elements statements define -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/PartImage.h"

#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Ranges.h"

#include <cstdlib>
#include <map>

namespace girih::frontend {

namespace {

/// Regions looked at before a proof is given up.
constexpr unsigned kMostSteps = 2000;

using IndexForms = std::map<const IndexVariable *, LinearForm>;

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

/// What holds for the indices of a statement: its box, and its conditions
/// unless an `else` defines the rest.
std::vector<Condition> conditionsOf(const Statement &statement) {
  std::vector<Condition> conditions;
  for (const auto &index : statement.indices) {
    IndexSum self;
    self.terms.push_back({index.get(), 1});
    conditions.push_back({self, index->fixedBy});
    IndexSum below = scaled(self, -1);
    below.offset = below.offset + *index->extent - Extent::of(1);
    conditions.push_back({below, index->fixedBy});
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

void assumeDefined(Prover &region, const Element &element,
                   const Statement &statement) {
  IndexForms indices;
  for (const auto &index : statement.indices)
    indices[index.get()] = variableForm(region.addVariable());
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
  IndexForms indices;
  auto dims = definingDims(sums);
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
    bool defines =
        !sums[d].terms.empty() && dims.at(sums[d].terms[0].first) == d;
    if (defines)
      continue;
    LinearForm more = plus(element[d], formOver(indices, sums[d]), -1);
    if (!split(region, element, part, more) ||
        !split(region, element, part, plus(LinearForm(), more, -1)))
      return false;
  }
  for (const Condition &condition : conditionsOf(statement))
    if (!split(region, element, part, formOver(indices, condition.sum)))
      return false;
  return true;
}

std::optional<std::vector<ElementCondition>>
elementConditions(const Statement &statement) {
  std::vector<IndexSum> sums = leftSums(statement);
  auto dims = definingDims(sums);
  std::vector<ElementCondition> result;
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
  return result;
}

} // namespace girih::frontend
