//===- TileMergeTest.cpp - the order in which merges combine --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out the steps of a merge on written-out sums, thread by thread, and
// compares each thread's result with the order that the merge is defined by.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/TileMerge.h"

#include <catch2/catch.hpp>

#include <functional>
#include <map>

using namespace girih::codegen;
using girih::layout::Layout;

namespace {

/// A sum as text; its operands in the order of their first cells, as addition
/// commutes.
struct Sum {
  int64_t firstCell = 0;
  std::string text;
};

/// The values of one thread: result register -> cell part -> sum.
using Rows = std::map<int64_t, std::map<int64_t, Sum>>;

} // namespace

static Sum combine(const Sum &a, const Sum &b) {
  const Sum &low = a.firstCell < b.firstCell ? a : b;
  const Sum &high = a.firstCell < b.firstCell ? b : a;
  return {low.firstCell, "(" + low.text + " " + high.text + ")"};
}

/// The cell at these coordinates of the box.
static Sum cellAt(const std::vector<int64_t> &at) {
  std::string text;
  for (int64_t coordinate : at)
    text += (text.empty() ? "" : ".") + std::to_string(coordinate);
  return {at.back(), text};
}

/// What the merge is defined to be.
static std::string definition(std::vector<int64_t> at, int64_t count,
                              BitOrder order) {
  std::vector<Sum> cells;
  for (at.push_back(0); at.back() < count; ++at.back())
    cells.push_back(cellAt(at));
  while (cells.size() > 1) {
    std::vector<Sum> next;
    const size_t half = cells.size() / 2;
    for (size_t i = 0; i < half; ++i)
      next.push_back(order == BitOrder::HighestFirst
                         ? combine(cells[i], cells[i + half])
                         : combine(cells[2 * i], cells[2 * i + 1]));
    cells = next;
  }
  return cells.front().text;
}

static std::vector<Rows> carryOut(const Layout &cells,
                                  const std::vector<MergeStep> &steps) {
  std::vector<Rows> threads(cells.threadCount());
  const std::vector<MergedRegister> merged = mergedRegisters(cells);
  for (size_t t = 0; t < threads.size(); ++t)
    for (size_t reg = 0; reg < merged.size(); ++reg)
      threads[t][merged[reg].result][merged[reg].cell] =
          cellAt(cells.at(reg, t));
  for (const MergeStep &step : steps) {
    const std::vector<Rows> before = threads;
    for (size_t t = 0; t < threads.size(); ++t)
      for (auto &[result, row] : threads[t]) {
        auto of = [&, r = result](size_t thread) {
          return [&, r, thread](int64_t cell) {
            return before[thread].at(r).at(cell);
          };
        };
        std::map<int64_t, Sum> next;
        for (const auto &[cell, sum] : row) {
          if (step.kind == MergeStep::Kind::Register) {
            if (!(cell & step.cellStride))
              next[cell] = combine(sum, row.at(cell + step.cellStride));
          } else if (step.kind == MergeStep::Kind::Shuffle) {
            REQUIRE((t ^ step.laneMask) / 32 == t / 32);
            next[cell] = combine(sum, of(t ^ step.laneMask)(cell));
          } else {
            std::function<Sum(size_t, size_t)> tree =
                [&, c = cell](size_t bits, size_t thread) {
                  if (bits == 0)
                    return of(thread)(c);
                  const size_t bit = size_t(1) << step.threadBits[bits - 1];
                  return combine(tree(bits - 1, thread & ~bit),
                                 tree(bits - 1, thread | bit));
                };
            next[cell] = tree(step.threadBits.size(), t);
          }
        }
        row = next;
      }
  }
  return threads;
}

TEST_CASE("merges bit by bit keep the defined order", "[codegen][merge]") {
  for (const char *text :
       {"[1024] r(4@0:256) t(256@0:1)", "[1024] r(4@0:1) t(256@0:4)",
        "[4, 128] r(4@1:32) t(32@1:1, 4@0:1)", "[16] r() t(16@0:1)",
        "[1, 512] r(2@1:1, 4@1:128) t(64@1:2)", "[1] r() t(32@-)",
        "[2, 64] r(2@0:1, 2@1:4) t(4@1:1, 8@1:8, 8@-)",
        "[32, 64] r(8@1:8) t(32@0:1, 8@1:1)",
        "[64] r(2@-) t(8@0:8, 2@-, 8@0:1)",
        "[1, 2048] r(16@1:128) t(128@1:1)"}) {
    std::string error;
    Layout cells = *girih::layout::parseLayout(text, error);
    REQUIRE(cells.isValid(error));
    const Layout kept = cells.slice(cells.rank() - 1);
    for (BitOrder order : {BitOrder::HighestFirst, BitOrder::LowestFirst}) {
      INFO(text << (order == BitOrder::HighestFirst ? " halving" : " pairing"));
      auto steps = mergeSteps(cells, order);
      REQUIRE(steps);
      const std::vector<Rows> threads = carryOut(cells, *steps);
      size_t wrong = 0;
      for (size_t t = 0; t < threads.size(); ++t) {
        CHECK(int64_t(threads[t].size()) == kept.registerCount());
        for (const auto &[result, row] : threads[t])
          wrong += row.size() != 1 || row.begin()->second.text !=
                                          definition(kept.at(result, t),
                                                     cells.shape.back(), order);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("what is no power of two is not merged bit by bit",
          "[codegen][merge]") {
  std::string error;
  for (const char *text :
       {"[6] r(6@0:1) t(32@-)", "[3, 32] r() t(3@0:1, 32@1:1)",
        "[96] r(3@0:32) t(32@0:1)"}) {
    Layout cells = *girih::layout::parseLayout(text, error);
    REQUIRE(cells.isValid(error));
    CHECK_FALSE(mergeSteps(cells, BitOrder::LowestFirst));
    CHECK_FALSE(mergeSteps(cells, BitOrder::HighestFirst));
  }
}
