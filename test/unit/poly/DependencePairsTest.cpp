//===- DependencePairsTest.cpp - dependences at given sizes ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/DependencePairs.h"
#include "compiler/support/Diagnostics.h"
#include "test/unit/poly/Samples.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::poly;

namespace {

PairsAtSizes pairsOf(const Scop &scop, DependenceKind kind, unsigned statement,
                     const std::vector<int64_t> &sizes, unsigned from,
                     const Point &rest, size_t most) {
  Diagnostics diags;
  auto dependences = computeDependences(scop, {}, diags);
  REQUIRE(dependences);
  PairsAtSizes all;
  for (const Dependence &dependence : dependences->list)
    if (dependence.source == statement && dependence.sink == statement &&
        dependence.kind == kind) {
      auto pairs =
          pairsWithin(scop, dependence, sizes, from, rest, most, {}, diags);
      REQUIRE(pairs);
      all.tooMany |= pairs->tooMany;
      all.list.insert(all.list.end(), pairs->list.begin(), pairs->list.end());
    }
  CHECK(diags.renderText(false) == "");
  return all;
}

} // namespace

TEST_CASE("each instance of a recurrence reads the one before it") {
  Scop scop = test::recurrence();
  unsigned self = 0;
  while (instancesOf(scop.statements[self], {6}).size() < 2)
    ++self;
  PairsAtSizes pairs =
      pairsOf(scop, DependenceKind::Flow, self, {6}, 1, {}, 100);
  std::vector<Point> points = instancesOf(scop.statements[self], {6});
  REQUIRE(points.size() > 2);
  REQUIRE(pairs.list.size() == points.size() - 1);
  for (size_t i = 0; i + 1 < points.size(); ++i)
    CHECK(pairs.list[i] == InstancePair{points[i], points[i + 1]});
  PairsAtSizes few = pairsOf(scop, DependenceKind::Flow, self, {6}, 1, {}, 2);
  CHECK(few.tooMany);
  CHECK(few.list.empty());
  // At least as many as there are is enough.
  CHECK_FALSE(
      pairsOf(scop, DependenceKind::Flow, self, {6}, 1, {}, points.size() - 1)
          .tooMany);
}

TEST_CASE("a slice of the updates of a sum is one chain") {
  Scop scop = test::matmulSilu();
  unsigned update = scop.reductions[0].update;
  REQUIRE(scop.statements[update].dims.size() == 3);
  std::vector<int64_t> sizes(scop.params.size(), 3);
  // All dims: k < k' for each of 9 values. The first two at one k: none.
  CHECK(pairsOf(scop, DependenceKind::Flow, update, sizes, 3, {}, 100)
            .list.size() == 9 * 3);
  CHECK(pairsOf(scop, DependenceKind::Flow, update, sizes, 2, {0}, 100)
            .list.empty());
}

TEST_CASE("sizes near to those that are wished for") {
  Scop scop = test::recurrence();
  REQUIRE(scop.params.size() == 1);
  CHECK(sizesNear(scop, {5}, {false}) == std::vector<int64_t>{5});
  CHECK(sizesNear(scop, {7}, {true}) == std::vector<int64_t>{7});
  scop.context.push_back(Affine::param(0) - Affine::of(9)); // N >= 9
  CHECK(sizesNear(scop, {5}, {false}) == std::vector<int64_t>{9});
  CHECK(sizesNear(scop, {5}, {true}) == std::nullopt);
}
