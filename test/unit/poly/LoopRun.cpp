//===- LoopRun.cpp - runs generated loops in tests ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/poly/LoopRun.h"
#include "compiler/support/Diagnostics.h"
#include "test/unit/poly/Samples.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace girih::poly::test {

namespace {

using Point = std::vector<int64_t>;

/// Runs a kernel's loops at given sizes and lists its tiles in order.
class Interpreter {
public:
  Interpreter(const Point &sizes, const Point &block)
      : sizes(sizes), block(block) {}
  std::vector<std::pair<unsigned, Point>> tiles;

  void run(const LoopNode &node) {
    switch (node.kind) {
    case LoopNode::Kind::Block:
      for (const LoopNode &child : node.children)
        run(child);
      return;
    case LoopNode::Kind::For:
      REQUIRE(iterators.count(node.iterator) == 0);
      for (int64_t i = value(node.lower);; i += node.step) {
        iterators[node.iterator] = i;
        if (i >= value(node.upper))
          break;
        run(node.children[0]);
      }
      iterators.erase(node.iterator);
      return;
    case LoopNode::Kind::If:
      if (value(node.condition))
        run(node.children[0]);
      else if (node.children.size() > 1)
        run(node.children[1]);
      return;
    case LoopNode::Kind::Tile: {
      Point outer;
      for (const LoopExpr &e : node.outer)
        outer.push_back(value(e));
      tiles.emplace_back(node.statement, outer);
      return;
    }
    }
  }

  int64_t value(const LoopExpr &e) {
    using Kind = LoopExpr::Kind;
    auto at = [&](size_t i) { return value(e.operands.at(i)); };
    auto fold = [&](auto combine) {
      int64_t result = at(0);
      for (size_t i = 1; i < e.operands.size(); ++i)
        result = combine(result, at(i));
      return result;
    };
    switch (e.kind) {
    case Kind::Constant:
      return e.value;
    case Kind::Param:
      return sizes.at(e.index);
    case Kind::Grid:
      return block.at(e.index);
    case Kind::Iterator:
      return iterators.at(e.index);
    case Kind::Add:
      return at(0) + at(1);
    case Kind::Sub:
      return at(0) - at(1);
    case Kind::Mul:
      return at(0) * at(1);
    case Kind::Neg:
      return -at(0);
    case Kind::Min:
      return fold([](int64_t a, int64_t b) { return std::min(a, b); });
    case Kind::Max:
      return fold([](int64_t a, int64_t b) { return std::max(a, b); });
    case Kind::FloorDiv:
      return floorDivide(at(0), at(1));
    case Kind::Mod:
      return at(0) - at(1) * floorDivide(at(0), at(1));
    case Kind::Le:
      return at(0) <= at(1);
    case Kind::Lt:
      return at(0) < at(1);
    case Kind::Ge:
      return at(0) >= at(1);
    case Kind::Gt:
      return at(0) > at(1);
    case Kind::Eq:
      return at(0) == at(1);
    case Kind::And:
      return fold([](int64_t a, int64_t b) { return a && b; });
    case Kind::Or:
      return fold([](int64_t a, int64_t b) { return a || b; });
    }
    return 0;
  }

private:
  const Point &sizes;
  const Point &block;
  std::map<unsigned, int64_t> iterators;
};

int64_t digitAt(const Digit &digit, const Point &at, const Point &sizes) {
  int64_t v = value(digit.value, at, sizes);
  if (digit.modulus)
    v -= digit.modulus * floorDivide(v, digit.modulus);
  return floorDivide(v, digit.divisor);
}

} // namespace

std::vector<KernelLoops> loopsOf(const Scop &scop, const ScheduleTree &tree) {
  Diagnostics diags;
  auto loops = generateLoops(scop, tree, {}, diags);
  INFO(diags.renderText(false));
  REQUIRE(loops);
  return std::move(*loops);
}

void requireExact(const Scop &scop, const ScheduleTree &tree, int64_t high) {
  requireExact(scop, tree, loopsOf(scop, tree), high);
}

void requireExact(const Scop &scop, const ScheduleTree &tree,
                  const std::vector<KernelLoops> &kernels, int64_t high) {
  REQUIRE(kernels.size() == kernelsOf(tree).size());
  for (const Point &sizes : allSizes(scop.params.size(), 0, high)) {
    if (!admits(scop, sizes))
      continue;
    CAPTURE(scop.name, sizes);
    for (const KernelLoops &kernel : kernels) {
      INFO(printLoops(scop, kernel));
      // Place of each tile: members and sequence positions along its path.
      std::map<std::pair<unsigned, Point>, Point> expected;
      for (unsigned s : kernel.kernel->statements)
        for (const Point &at : points(scop, s, sizes)) {
          Point outer, place;
          std::vector<const Node *> path = pathOf(tree, s);
          bool inKernel = false;
          for (size_t n = 1; n < path.size(); ++n) {
            if (path[n]->kind == Node::Kind::Tile)
              break;
            inKernel |= path[n]->kind == Node::Kind::Kernel;
            if (path[n]->kind == Node::Kind::Filter && inKernel)
              for (size_t c = 0; c < path[n - 1]->children.size(); ++c)
                if (path[n - 1]->children[c].get() == path[n])
                  place.push_back(static_cast<int64_t>(c));
            for (size_t m = 0; m < path[n]->members.size(); ++m) {
              outer.push_back(digitAt(digitOf(*path[n], m, s), at, sizes));
              place.push_back(outer.back());
            }
          }
          expected[{s, outer}] = place;
        }
      std::vector<Point> blocks{{}};
      Point none;
      std::vector<int64_t> extents;
      for (unsigned loop : kernel.loops)
        extents.push_back(value(scop.loops[loop].extent, {}, sizes));
      for (const GridMember &member : kernel.grid)
        extents.push_back(Interpreter(sizes, none).value(member.extent));
      for (int64_t extent : extents) {
        std::vector<Point> longer;
        for (const Point &block : blocks)
          for (int64_t g = 0; g < extent; ++g) {
            longer.push_back(block);
            longer.back().push_back(g);
          }
        blocks = longer;
      }
      std::set<std::pair<unsigned, Point>> seen;
      for (const Point &block : blocks) {
        Interpreter interpreter(sizes, block);
        interpreter.run(kernel.body);
        Point last;
        for (const auto &tile : interpreter.tiles) {
          CAPTURE(tile.first, tile.second);
          REQUIRE(std::equal(block.begin(), block.end(), tile.second.begin()));
          REQUIRE(seen.insert(tile).second);
          REQUIRE(expected.count(tile) == 1);
          const Point &place = expected[tile];
          REQUIRE(!(place < last));
          last = place;
        }
      }
      REQUIRE(seen.size() == expected.size());
    }
  }
}

} // namespace girih::poly::test
