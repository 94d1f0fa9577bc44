//===- LayoutTest.cpp - unit tests of layouts -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/layout/Layout.h"

#include <catch2/catch.hpp>

#include <map>

using namespace girih::layout;
using Coordinates = std::vector<int64_t>;

static Layout read(const std::string &text) {
  std::string error;
  std::optional<Layout> layout = parseLayout(text, error);
  INFO(text << ": " << error);
  REQUIRE(layout);
  return *layout;
}

static std::string whyInvalid(const std::string &text) {
  std::string why;
  CHECK_FALSE(read(text).isValid(why));
  return why;
}

/// The definition: how often each element of the box is held.
static bool holdsEachElementEquallyOften(const Layout &layout) {
  std::map<Coordinates, int64_t> held;
  for (int64_t t = 0; t < layout.threadCount(); ++t)
    for (int64_t r = 0; r < layout.registerCount(); ++r) {
      Coordinates at = layout.at(r, t);
      for (unsigned d = 0; d < layout.rank(); ++d)
        if (at[d] < 0 || at[d] >= layout.shape[d])
          return false;
      ++held[at];
    }
  int64_t elements = 1;
  for (int64_t extent : layout.shape)
    elements *= extent;
  if (static_cast<int64_t>(held.size()) != elements)
    return false;
  for (const auto &[at, count] : held)
    if (count != held.begin()->second)
      return false;
  return true;
}

TEST_CASE("a row of vectors over threads") {
  Layout row = read("[4096] r(4@0:1, 4@0:1024) t(256@0:4)");
  CHECK(row.registerCount() == 16);
  CHECK(row.threadCount() == 256);
  CHECK(row.at(0, 0) == Coordinates{0});
  CHECK(row.at(7, 3) == Coordinates{3 + 1024 + 12});
  CHECK(row.registerPart(7) == Coordinates{1027});
  CHECK(row.vectorWidth(0) == 4);
  std::string why;
  CHECK(row.isValid(why));
}

TEST_CASE("isValid agrees with counting the elements") {
  // Small digits with every stride, many of them wrong.
  int valid = 0, invalid = 0;
  for (int64_t extent : {4, 6, 8, 12})
    for (int64_t a : {1, 2, 3, 4})
      for (int64_t b : {1, 2, 3})
        for (int64_t s : {0, 1, 2, 3, 4, 6})
          for (int64_t u : {1, 2, 3, 4}) {
            Layout layout{{extent}, {{a, 0, s}, {2, -1, 0}}, {{b, 0, u}}};
            std::string why;
            bool says = layout.isValid(why);
            REQUIRE(says == holdsEachElementEquallyOften(layout));
            ++(says ? valid : invalid);
          }
  CHECK(valid > 10);
  CHECK(invalid > 100);
}

TEST_CASE("isValid says why") {
  CHECK(whyInvalid("[8] r(4@0:1) t()") ==
        "the digits along dimension 0 hold 4 of its 8 elements");
  CHECK(whyInvalid("[8] r(4@0:1) t(2@0:2)") ==
        "along dimension 0, stride 2 follows 4 elements: an element is held "
        "twice");
  CHECK(whyInvalid("[8] r(4@0:2) t()") ==
        "along dimension 0, stride 2 follows 1 elements: an element is held "
        "nowhere");
  CHECK(whyInvalid("[8] r(4@0:1) t(4@0:4)") ==
        "the digits along dimension 0 leave its extent of 8");
  CHECK(whyInvalid("[8] r(8@1:1) t()") ==
        "a digit moves along dimension 1 of a box of rank 1");
  CHECK(whyInvalid("[0] r() t()") == "dimension 0 has extent 0");
  CHECK(whyInvalid("[8] r(8@0:1, 0@-) t()") == "a digit has count 0");
  CHECK(whyInvalid("[8] r(8@0:1) t(1000000000@-, 1000000000@-)") ==
        "too many registers or threads");
}

TEST_CASE("thread terms and copies") {
  Layout layout = read("[16, 64] r(2@1:1) t(32@1:2, 2@-, 16@0:1)");
  std::vector<Layout::ThreadTerm> rows = layout.threadTerms(0);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].divisor == 64);
  CHECK(rows[0].count == 16);
  CHECK(rows[0].stride == 1);
  std::vector<Layout::ThreadTerm> columns = layout.threadTerms(1);
  REQUIRE(columns.size() == 1);
  CHECK(columns[0].divisor == 1);
  CHECK(columns[0].count == 32);
  CHECK(columns[0].stride == 2);
  std::vector<Layout::ThreadTerm> copies = layout.copyTerms();
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].divisor == 32);
  CHECK(copies[0].count == 2);
  for (int64_t t = 0; t < layout.threadCount(); ++t)
    for (unsigned d = 0; d < 2; ++d) {
      int64_t coordinate = 0;
      for (const Layout::ThreadTerm &term : layout.threadTerms(d))
        coordinate += t / term.divisor % term.count * term.stride;
      REQUIRE(coordinate == layout.at(0, t)[d]);
    }
}

TEST_CASE("vectorWidth stops where registers stop being consecutive") {
  CHECK(read("[64] r(4@0:1, 2@0:4) t(8@0:8)").vectorWidth(0) == 8);
  CHECK(read("[64] r(4@0:1, 2@0:32) t(8@0:4)").vectorWidth(0) == 4);
  CHECK(read("[64] r(1@-, 4@0:1) t(16@0:4)").vectorWidth(0) == 4);
  CHECK(read("[2, 64] r(2@0:1, 4@1:1) t(16@1:4)").vectorWidth(1) == 1);
  CHECK(read("[64] r(2@0:32) t(32@0:1)").vectorWidth(0) == 1);
}

TEST_CASE("slice turns the threads along a dimension into copies") {
  Layout layout = read("[16, 64, 3] r(2@1:1, 3@2:1) t(32@1:2, 16@0:1)");
  CHECK(print(layout.slice(1)) == "[16, 3] r(3@1:1) t(32@-, 16@0:1)");
  CHECK(print(layout.slice(2)) == "[16, 64] r(2@1:1) t(32@1:2, 16@0:1)");
  CHECK(print(layout.slice(0)) == "[64, 3] r(2@0:1, 3@1:1) t(32@0:2, 16@-)");
  std::string why;
  CHECK(layout.slice(1).isValid(why));
}

TEST_CASE("permute renumbers dimensions") {
  Layout layout = read("[16, 64] r(4@1:1, 2@-) t(16@1:4, 16@0:1)");
  CHECK(print(layout.permute({1, 0})) ==
        "[64, 16] r(4@0:1, 2@-) t(16@0:4, 16@1:1)");
  CHECK(layout.permute({1, 0}).permute({1, 0}) == layout);
}

TEST_CASE("registerMapFrom finds what a thread already holds") {
  Layout rows = read("[16] r(2@0:1) t(32@-, 8@0:2)");
  Layout box = read("[16, 64] r(2@1:1, 2@0:1) t(32@1:2, 8@0:2)");
  std::optional<std::vector<int64_t>> map = box.registerMapFrom(rows, {0});
  REQUIRE(map);
  CHECK(*map == std::vector<int64_t>{0, 0, 1, 1});
  // What it means, for every thread.
  for (int64_t t = 0; t < box.threadCount(); ++t)
    for (int64_t r = 0; r < box.registerCount(); ++r)
      REQUIRE(rows.at((*map)[r], t)[0] == box.at(r, t)[0]);

  // The same elements in another order of registers.
  Layout swapped = read("[16, 64] r(2@0:1, 2@1:1) t(32@1:2, 8@0:2)");
  map = swapped.registerMapFrom(box, {0, 1});
  REQUIRE(map);
  CHECK(*map == std::vector<int64_t>{0, 2, 1, 3});
  // Copies split differently still hold the same elements.
  CHECK(read("[16] r(2@0:1) t(16@-, 2@-, 8@0:2)").registerMapFrom(rows, {0}));
}

TEST_CASE("registerMapFrom refuses what lies on another thread") {
  Layout rows = read("[16] r(2@0:1) t(32@-, 8@0:2)");
  CHECK_FALSE(read("[16] r(2@0:8) t(32@-, 8@0:1)").registerMapFrom(rows, {0}));
  CHECK_FALSE(read("[16] r() t(16@-, 16@0:1)").registerMapFrom(rows, {0}));
  CHECK_FALSE(read("[16] r(2@0:1) t(8@0:2)").registerMapFrom(rows, {0}));
  CHECK_FALSE(read("[16] r(16@0:1) t(256@-)").registerMapFrom(rows, {0}));
}

TEST_CASE("streaming layouts") {
  CHECK(print(*streamingLayout({4096}, 256, 4)) ==
        "[4096] r(4@0:1, 4@0:1024) t(256@0:4)");
  CHECK(print(*streamingLayout({16, 64}, 256, 4)) ==
        "[16, 64] r(4@1:1) t(16@1:4, 16@0:1)");
  CHECK(print(*streamingLayout({64, 64}, 256, 1)) ==
        "[64, 64] r(16@0:4) t(64@1:1, 4@0:1)");
  // 24 vectors a row: 8 threads along it, the other 8 along the rows.
  CHECK(print(*streamingLayout({16, 96}, 64, 4)) ==
        "[16, 96] r(4@1:1, 3@1:32, 2@0:8) t(8@1:4, 8@0:1)");
  for (Coordinates shape : {Coordinates{4096}, Coordinates{16, 64},
                            Coordinates{64, 64}, Coordinates{4, 8, 96}})
    for (int64_t vector : {1, 2, 4, 8})
      for (int64_t threads : {1, 32, 64, 128}) {
        std::optional<Layout> layout = streamingLayout(shape, threads, vector);
        if (!layout)
          continue;
        std::string why;
        INFO(print(*layout));
        CHECK(layout->isValid(why));
        CHECK(layout->threadCount() == threads);
        CHECK(layout->vectorWidth(shape.size() - 1) % vector == 0);
      }
  CHECK_FALSE(streamingLayout({4096}, 256, 3));
  CHECK_FALSE(streamingLayout({5, 7}, 256, 1));
  CHECK_FALSE(streamingLayout({64}, 256, 1));
  CHECK_FALSE(streamingLayout({}, 1, 1));
  CHECK_FALSE(streamingLayout({0, 4}, 4, 1));
}
