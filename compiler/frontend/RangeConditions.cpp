//===- RangeConditions.cpp - what conditions say of ranges ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/PartImage.h"
#include "compiler/frontend/Ranges.h"

#include <algorithm>

namespace girih::frontend {

/// Whether a condition keeps `index` on the right side of `bound` wherever
/// `seen` is evaluated.
bool RangeSolver::isImplied(const SeenAccess &seen, const IndexVariable &index,
                            const Bound &bound, bool end) const {
  auto holds = [&](const Condition &condition) {
    const IndexSum &sum = condition.sum;
    if (condition.differs || bound.bare || sum.terms.size() != 1 ||
        sum.terms[0].first != &index || sum.terms[0].second != (end ? -1 : 1))
      return false;
    // index <= offset below bound, or index >= -offset at bound.
    Extent room = end ? bound.place - sum.offset - Extent::of(1)
                      : sum.offset * -1 - bound.place;
    return sizes.proves(frontend::formOf(room));
  };
  auto any = [&](const std::vector<Condition> &conditions) {
    return std::any_of(conditions.begin(), conditions.end(), holds);
  };
  for (const ReduceExpr *reduction : seen.reductions)
    if (any(reduction->domain))
      return true;
  return any(seen.facts) ||
         (statement && !seen.inOtherwise && any(statement->domain));
}

/// `where i < K` says how far i runs where no access does.
void RangeSolver::addConditionBounds(const IndexVariable &index,
                                     Bounds &bounds) const {
  if (!statement || index.reduced)
    return;
  for (const Condition &condition : statement->domain) {
    const IndexSum &sum = condition.sum;
    if (sum.terms.size() == 1 && sum.terms[0].first == &index &&
        sum.terms[0].second == -1)
      bounds.ends.push_back({sum.offset + Extent::of(1), condition.range,
                             /*bare=*/false, /*soft=*/true});
  }
}

bool RangeSolver::settleDependent(IndexVariable &index) {
  // Every access is proved under the range, so that the box of any is one.
  Bounds best;
  eachAccess([&](const SeenAccess &seen) {
    for (size_t d = 0; d < seen.access->subscripts.size(); ++d) {
      const Subscript &subscript = seen.access->subscripts[d];
      if (!mustStayInside(*seen.access, subscript) || !seen.facts.empty() ||
          subscript.sum.terms.size() != 1 ||
          subscript.sum.terms[0].first != &index)
        continue;
      Bounds here;
      const Tensor &tensor = *seen.access->tensor;
      addBounds(subscript, tensor.dims[d], tensor.isPlain(d), here, index,
                subscript.sum.terms[0].second, /*soft=*/false);
      if (here.ends.empty() || here.starts.empty())
        continue;
      if (best.ends.empty() || (here.ends[0].bare && !best.ends[0].bare))
        best = here;
    }
  });
  if (!best.ends.empty()) {
    index.start = best.starts[0].place;
    index.extent = best.ends[0].place - index.start;
    return true;
  }
  const auto &[first, end] = dependentRanges->at(&index);
  for (const IndexSum *sum : {&first, &end})
    for (auto [other, factor] : sum->terms)
      if (!other->extent)
        return false;
  // Where an index runs over nothing, one more changes nothing and keeps the
  // box from being negative.
  for (int64_t last : {1, 0}) {
    auto extreme = [&](const IndexSum &sum, bool most) {
      Extent value = sum.offset;
      for (auto [other, factor] : sum.terms) {
        value = value + other->start * factor;
        if ((factor > 0) == most)
          value = value + (*other->extent - Extent::of(last)) * factor;
      }
      return value;
    };
    index.start = extreme(first, /*most=*/false);
    index.extent = extreme(end, /*most=*/true) - index.start;
    if (sizes.proves(frontend::formOf(*index.extent)))
      break;
  }
  return true;
}

Prover RangeSolver::proverAt(const SeenAccess &seen, bool weak) const {
  // Only where all loops around it run at all is anything read.
  Prover prover = sizes;
  for (size_t i = 0; i < indices.size(); ++i)
    prover.addVariable();
  for (const IndexVariable *index : seen.indices) {
    IndexSum sum;
    sum.terms.push_back({index, 1});
    // The range that is written implies the box (settleDependent).
    if (index->dependent)
      continue;
    sum.offset = index->start * -1;
    prover.assume(formOf(sum));
    sum.terms[0].second = -1;
    sum.offset = index->start + *index->extent - Extent::of(1);
    prover.assume(formOf(sum));
  }
  auto assumeAll = [&](const std::vector<Condition> &conditions) {
    for (const Condition &condition : conditions)
      if (!condition.differs)
        prover.assume(formOf(condition.sum));
  };
  for (const ReduceExpr *reduction : seen.reductions)
    assumeAll(reduction->domain);
  if (weak)
    assumeAll(seen.facts);
  // The value behind an `else` is that of the other elements.
  bool cuts = statement && (!statement->otherwise || statement->splits);
  if (statement && !seen.inOtherwise && (cuts || weak))
    assumeAll(statement->domain);
  if (!weak)
    return prover;
  // What is not 0 is more or less where it is known not to be the other.
  for (const Condition &fact : seen.facts) {
    if (!fact.differs)
      continue;
    for (int64_t sign : {1, -1}) {
      LinearForm form = plus(LinearForm(), formOf(fact.sum), sign);
      if (!prover.proves(form))
        continue;
      form.constant -= 1;
      prover.assume(std::move(form));
      break;
    }
  }
  return prover;
}

} // namespace girih::frontend
