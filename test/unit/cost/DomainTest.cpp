//===- DomainTest.cpp - counting against walking every element ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/Domain.h"

#include <catch2/catch.hpp>

#include <functional>
#include <random>
#include <set>

using namespace girih;
using namespace girih::cost;

namespace {

layout::Layout layoutOf(const std::string &text) {
  std::string why;
  std::optional<layout::Layout> layout = layout::parseLayout(text, why);
  INFO(why);
  REQUIRE(layout);
  return *layout;
}

int64_t valueOf(const Linear &value, const std::vector<int64_t> &at) {
  int64_t result = value.constant;
  for (size_t d = 0; d < at.size(); ++d)
    result += value.factor(d) * at[d];
  return result;
}

bool isInside(const Domain &domain, const std::vector<int64_t> &at) {
  for (size_t d = 0; d < at.size(); ++d)
    if (at[d] < domain.ranges[d].begin || at[d] >= domain.ranges[d].end)
      return false;
  for (const Linear &constraint : domain.coupled)
    if (valueOf(constraint, at) < 0)
      return false;
  return true;
}

/// Every tile, every register of every thread.
double walk(const TileAccess &access, Counted what) {
  double total = 0;
  std::vector<int64_t> corner(access.box.size());
  std::function<void(size_t)> tiles = [&](size_t d) {
    if (d < access.box.size()) {
      const Range &range = access.domain.ranges[d];
      for (int64_t k = 0; k * access.box[d] < range.end; ++k) {
        corner[d] = k * access.box[d];
        tiles(d + 1);
      }
      return;
    }
    std::set<std::vector<int64_t>> seen;
    double counted = 0;
    for (int64_t t = 0; t < access.layout.threadCount(); ++t) {
      bool isWhole = true;
      for (int64_t r = 0; r < access.layout.registerCount(); ++r) {
        std::vector<int64_t> at = access.layout.at(r, t);
        for (size_t d2 = 0; d2 < at.size(); ++d2)
          at[d2] += corner[d2];
        isWhole &= isInside(access.domain, at);
      }
      for (int64_t r = 0; r < access.layout.registerCount(); ++r) {
        std::vector<int64_t> at = access.layout.at(r, t);
        for (size_t d2 = 0; d2 < at.size(); ++d2)
          at[d2] += corner[d2];
        if (!isInside(access.domain, at))
          continue;
        ++counted;
        std::vector<int64_t> key;
        if (what == Counted::Instances)
          key = at;
        else
          for (const Linear &subscript : access.subscripts)
            key.push_back(valueOf(subscript, at));
        if (what == Counted::Touches) {
          key.push_back(t);
          key.push_back(isWhole ? 0 : r);
        }
        seen.insert(key);
      }
    }
    total += what == Counted::Touches && !access.sharesRegisters
                 ? counted
                 : double(seen.size());
  };
  tiles(0);
  return total;
}

void compare(const TileAccess &access) {
  for (Counted what :
       {Counted::Instances, Counted::Elements, Counted::Touches}) {
    INFO("what " << int(what));
    Count got = count(access, what);
    CHECK(got.isExact);
    CHECK(got.value == walk(access, what));
  }
}

} // namespace

TEST_CASE("ranges and tiles", "[cost]") {
  CHECK(Range{0, 10}.tiles(4) == 3);
  CHECK(Range{3, 9}.tiles(4) == 3);
  CHECK(Range{4, 8}.tiles(4) == 1);
  CHECK(Range{8, 8}.tiles(4) == 0);
  CHECK(floorDiv(-1, 4) == -1);
  CHECK(ceilDiv(-1, 4) == 0);
}

TEST_CASE("a box counts by formula", "[cost]") {
  TileAccess access;
  access.domain.ranges = {{0, 70}, {0, 33}};
  access.box = {8, 16};
  access.layout = layoutOf("[8, 16] r(4@1:1) t(4@1:4, 8@0:1)");
  access.subscripts = {{{1, 0}, 0}, {{0, 1}, 0}};
  compare(access);
  // A row that all rows of the tile share.
  access.subscripts = {{{0, 1}, 0}};
  compare(access);
  // Threads that hold copies.
  access.layout = layoutOf("[8, 16] r(4@1:1) t(4@1:4, 2@-, 8@0:1)");
  CHECK(count(access, Counted::Touches).value ==
        2 * count({access.domain, access.box, access.subscripts,
                   layoutOf("[8, 16] r(4@1:1) t(4@1:4, 8@0:1)"), true},
                  Counted::Touches)
                .value);
}

TEST_CASE("registers along a dim that selects nothing", "[cost]") {
  TileAccess access;
  access.domain.ranges = {{0, 21}, {0, 50}};
  access.box = {4, 16};
  access.layout = layoutOf("[4, 16] r(2@1:1, 2@0:2) t(8@1:2, 2@0:1)");
  access.subscripts = {{{0, 1}, 0}};
  compare(access);
  access.sharesRegisters = false;
  CHECK(count(access, Counted::Touches).value ==
        walk(access, Counted::Touches));
}

TEST_CASE("triangles, cells and windows", "[cost]") {
  TileAccess triangle;
  triangle.domain.ranges = {{0, 37}, {0, 37}};
  triangle.box = {8, 8};
  triangle.domain.coupled = {{{1, -1}, 0}};
  triangle.layout = layoutOf("[8, 8] r(4@1:1) t(2@1:4, 8@0:1)");
  triangle.subscripts = {{{1, 0}, 0}, {{0, 1}, 0}};
  compare(triangle);
  CHECK(countInstances(triangle.domain).value == 37 * 38 / 2);

  // Element (8 q + l) 2 + e of a row of 75.
  TileAccess cells;
  cells.domain.ranges = {{0, 8}, {0, 5}, {0, 2}};
  cells.domain.coupled = {{{-2, -16, -1}, 74}};
  cells.box = {8, 1, 2};
  cells.layout = layoutOf("[8, 1, 2] r(2@2:1, 2@0:4) t(4@0:1)");
  cells.subscripts = {{{2, 16, 1}, 0}};
  compare(cells);
  CHECK(countInstances(cells.domain).value == 75);

  // X[h + r - 1] inside X.
  TileAccess window;
  window.domain.ranges = {{0, 19}, {0, 3}};
  window.domain.coupled = {{{1, 1}, -1}, {{-1, -1}, 19}};
  window.box = {8, 3};
  window.layout = layoutOf("[8, 3] r(3@1:1, 2@0:1) t(4@0:2)");
  window.subscripts = {{{1, 1}, -1}};
  compare(window);
}

TEST_CASE("bounds of dims follow from sums", "[cost]") {
  poly::Statement statement;
  statement.dims = {"q", "l"};
  using poly::Affine;
  statement.constraints = {
      Affine::dim(0), Affine::dim(1), Affine::of(7) - Affine::dim(1),
      Affine::param(0) - Affine::of(1) - Affine::dim(0, 8) - Affine::dim(1)};
  Domain domain = domainOf(statement, {100});
  CHECK(domain.ranges[0].end == 13);
  CHECK(domain.ranges[1].end == 8);
  CHECK(domain.coupled.size() == 1);
  CHECK(countInstances(domain).value == 100);
  CHECK(countInstances(domainOf(statement, {0})).value == 0);
  // Where the last turn is whole nothing is cut off.
  CHECK(domainOf(statement, {96}).coupled.empty());
}

TEST_CASE("random domains", "[cost]") {
  std::mt19937 random(1);
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int trial = 0; trial < 200; ++trial) {
    TileAccess access;
    access.domain.ranges = {{draw(0, 3), draw(3, 20)}, {0, draw(0, 12)}};
    access.box = {4, 8};
    access.layout =
        layoutOf(draw(0, 1) ? "[4, 8] r(2@1:1) t(4@1:2, 4@0:1)"
                            : "[4, 8] r(4@0:1, 2@1:4) t(4@1:1, 2@-)");
    if (draw(0, 1))
      require(access.domain, {{draw(-2, 2), draw(-2, 2)}, draw(-4, 30)});
    access.subscripts = {{{draw(0, 2), draw(0, 2)}, draw(-2, 2)}};
    if (draw(0, 1))
      access.subscripts.push_back({{draw(0, 1), draw(0, 1)}, 0});
    INFO("trial " << trial);
    bool hasCopies = access.layout.threads.back().dim < 0;
    Count got = count(access, Counted::Touches);
    CHECK(got.value == walk(access, Counted::Touches));
    CHECK(count(access, Counted::Instances).value ==
          walk(access, Counted::Instances));
    CHECK(count(access, Counted::Elements).value ==
          walk(access, Counted::Elements));
    CHECK((hasCopies || got.isExact));
  }
}
