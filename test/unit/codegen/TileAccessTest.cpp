//===- TileAccessTest.cpp - unit tests of register parts and merges -------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/TileAccess.h"
#include "passes/codegen/TileMerge.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace girih::codegen;
using girih::layout::Layout;
using Numbers = std::vector<int64_t>;
using Kind = MergeStep::Kind;

static Layout read(const std::string &text) {
  std::string error;
  std::optional<Layout> layout = girih::layout::parseLayout(text, error);
  REQUIRE(layout);
  REQUIRE(layout->isValid(error));
  return *layout;
}

TEST_CASE("an expression splits into register and thread parts") {
  Layout layout = read("[8, 64] r(4@1:1, 2@0:4) t(16@1:4, 4@0:1)");
  auto parts = registerParts(layout, {100, 1, 0, -3}, 2);
  REQUIRE(parts.size() == 8);
  CHECK(parts[0] == Numbers{0, 0});
  CHECK(parts[3] == Numbers{3, -9});
  CHECK(parts[5] == Numbers{401, -3});
  CHECK(threadGranule(layout, {100, 1}) == 4);
  CHECK(threadGranule(layout, {132, 1}) == 4);
  CHECK(threadGranule(layout, {133, 1}) == 1);
  CHECK(threadGranule(layout, {0, 0}) == 0);
}

TEST_CASE("runs are as wide as offsets, threads and memory allow") {
  auto widths = [](const Numbers &offsets, int64_t granule, unsigned widest) {
    std::vector<Run> runs = coverByRuns(offsets, granule, widest);
    // Each offset is covered exactly once.
    Numbers covered;
    for (const Run &run : runs)
      for (unsigned i = 0; i < run.width; ++i)
        covered.push_back(run.offset + i);
    Numbers wanted = offsets;
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    CHECK(covered == wanted);
    return std::pair(runs.size(), runs.front().width);
  };
  CHECK(widths({0, 1, 2, 3, 64, 65, 66, 67}, 4, 4) == std::pair(2ul, 4u));
  CHECK(widths({0, 1, 2, 3, 64, 65, 66, 67}, 0, 4) == std::pair(2ul, 4u));
  CHECK(widths({0, 1, 2, 3, 64, 65, 66, 67}, 2, 4) == std::pair(4ul, 2u));
  CHECK(widths({0, 1, 2, 3, 4, 5, 6, 7}, 8, 8) == std::pair(1ul, 8u));
  CHECK(widths({3, 2, 1, 0}, 4, 4) == std::pair(1ul, 4u));
  CHECK(widths({1, 2, 3, 4}, 4, 4) == std::pair(4ul, 1u));
  CHECK(widths({0, 2, 4, 6}, 8, 4) == std::pair(4ul, 1u));
  CHECK(widths({0, 0, 1, 1}, 2, 4) == std::pair(1ul, 2u));
  CHECK(widths({0, 1, 2, 3, 4, 5}, 6, 4) == std::pair(3ul, 2u));
}

TEST_CASE("one register of those that copy an element owns it") {
  Layout layout = read("[2] r(2@-, 2@0:1) t(32@-)");
  CHECK(ownsItsElement(layout, 0));
  CHECK_FALSE(ownsItsElement(layout, 1));
  CHECK(ownsItsElement(layout, 2));
  CHECK_FALSE(ownsItsElement(layout, 3));
}

TEST_CASE("the steps of a halving merge follow the bits of the cell") {
  // Cell bits from the top: two of registers, three of warps, five of lanes.
  auto steps =
      mergeSteps(read("[1024] r(4@0:256) t(256@0:1)"), BitOrder::HighestFirst);
  REQUIRE(steps);
  CHECK(*steps == std::vector<MergeStep>{{Kind::Register, 512, 0, {}},
                                         {Kind::Register, 256, 0, {}},
                                         {Kind::Exchange, 0, 0, {7, 6, 5}},
                                         {Kind::Shuffle, 0, 16, {}},
                                         {Kind::Shuffle, 0, 8, {}},
                                         {Kind::Shuffle, 0, 4, {}},
                                         {Kind::Shuffle, 0, 2, {}},
                                         {Kind::Shuffle, 0, 1, {}}});
  CHECK(mergeScratchElements(read("[1024] r(4@0:256) t(256@0:1)"),
                             BitOrder::HighestFirst) == 256);
  // Registers below the threads stay alive across the exchange.
  CHECK(mergeScratchElements(read("[1024] r(4@0:1) t(256@0:4)"),
                             BitOrder::HighestFirst) == 1024);
  // One warp a row: nothing goes through memory.
  CHECK(mergeScratchElements(read("[4, 128] r(4@1:32) t(32@1:1, 4@0:1)"),
                             BitOrder::HighestFirst) == 0);
  // Fewer threads than a warp's lanes: no shuffle may name the missing ones.
  steps = mergeSteps(read("[16] r() t(16@0:1)"), BitOrder::HighestFirst);
  REQUIRE(steps);
  CHECK(*steps == std::vector<MergeStep>{{Kind::Exchange, 0, 0, {3, 2, 1, 0}}});
  // A digit of three below: no cell bit is a thread bit.
  CHECK_FALSE(
      mergeSteps(read("[3, 32] r() t(3@0:1, 32@1:1)"), BitOrder::HighestFirst));
  CHECK(mergeScratchElements(read("[3, 32] r() t(3@0:1, 32@1:1)"),
                             BitOrder::HighestFirst) == 96);
  CHECK(mergeScratchElements(read("[32, 3] r(3@1:1) t(32@0:1)"),
                             BitOrder::LowestFirst) == 0);
}

TEST_CASE("mergedRegisters agrees with slicing the layout") {
  Layout cells = read("[4, 8, 6] r(2@2:1, 2@0:1, 3@2:2) t(2@0:2, 8@1:1)");
  Layout result = cells.slice(2);
  std::vector<MergedRegister> merged = mergedRegisters(cells);
  REQUIRE(merged.size() == 12);
  for (size_t reg = 0; reg < merged.size(); ++reg) {
    Numbers at = cells.registerPart(reg);
    Numbers kept = result.registerPart(merged[reg].result);
    CHECK(merged[reg].cell == at[2]);
    CHECK(kept == Numbers{at[0], at[1]});
  }
}

TEST_CASE("scratch rows are padded where that saves bank conflicts") {
  // 32 x 32 f32: rows by lanes in, columns by lanes out.
  Layout rows = read("[32, 32] r(32@0:1) t(32@1:1)");
  Layout columns = read("[32, 32] r(32@1:1) t(32@0:1)");
  ConvertPlan plan = planConvert(rows, columns, {0, 1}, 4);
  CHECK_FALSE(plan.inRegisters);
  CHECK(plan.strides == Numbers{33, 1});
  CHECK(plan.scratchElements == 32 * 33);
  // A transposition of the result is no transposition of the threads' work.
  plan = planConvert(rows, columns, {1, 0}, 4);
  CHECK(plan.inRegisters);
  // Nothing to gain: the lanes of both run along the rows.
  plan = planConvert(rows, read("[32, 32] r(2@1:16, 16@0:2) t(16@1:1, 2@0:1)"),
                     {0, 1}, 4);
  CHECK(plan.strides == Numbers{32, 1});
  // One value for all threads.
  plan = planConvert(read("[4] r() t(4@0:1)"), read("[4] r(4@0:1) t(4@-)"), {0},
                     4);
  CHECK(plan.strides == Numbers{1});
  CHECK(plan.scratchElements == 4);
}
