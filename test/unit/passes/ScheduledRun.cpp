//===- ScheduledRun.cpp - runs a Scop in its scheduled order --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/ScopRun.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

using namespace girih;
using namespace girih::test;
using poly::KernelLoops;
using poly::LoopExpr;
using poly::LoopNode;
using poly::Node;
using poly::Place;

namespace {

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t digitAt(const poly::Digit &digit, const Point &at,
                const Point &params) {
  int64_t value = valueOf(digit.value, at, params);
  if (digit.modulus)
    value -= digit.modulus * floorDivide(value, digit.modulus);
  return floorDivide(value, digit.divisor);
}

/// Runs one kernel's loops in one block and reports its tiles.
class LoopWalk {
public:
  using Visit = std::function<void(unsigned statement, const Node *tile,
                                   const Point &outer)>;
  LoopWalk(const Point &params, const Point &block, Visit visit)
      : params(params), block(block), visit(std::move(visit)) {}

  void walk(const LoopNode &node) {
    switch (node.kind) {
    case LoopNode::Kind::Block:
      for (const LoopNode &child : node.children)
        walk(child);
      return;
    case LoopNode::Kind::For:
      for (int64_t i = value(node.lower), end = value(node.upper); i < end;
           i += node.step) {
        iterators[node.iterator] = i;
        for (const LoopNode &child : node.children)
          walk(child);
      }
      return;
    case LoopNode::Kind::If:
      if (value(node.condition))
        walk(node.children.at(0));
      else if (node.children.size() > 1)
        walk(node.children[1]);
      return;
    case LoopNode::Kind::Tile: {
      Point outer;
      for (const LoopExpr &expr : node.outer)
        outer.push_back(value(expr));
      visit(node.statement, node.node, outer);
      return;
    }
    }
  }

  int64_t value(const LoopExpr &expr) const {
    using Kind = LoopExpr::Kind;
    auto at = [&](size_t i) { return value(expr.operands.at(i)); };
    auto fold = [&](auto combine) {
      int64_t result = at(0);
      for (size_t i = 1; i < expr.operands.size(); ++i)
        result = combine(result, at(i));
      return result;
    };
    switch (expr.kind) {
    case Kind::Constant:
      return expr.value;
    case Kind::Param:
      return params.at(expr.index);
    case Kind::Grid:
      return block.at(expr.index);
    case Kind::Iterator:
      return iterators.at(expr.index);
    case Kind::Add:
      return fold([](int64_t a, int64_t b) { return a + b; });
    case Kind::Sub:
      return at(0) - at(1);
    case Kind::Mul:
      return fold([](int64_t a, int64_t b) { return a * b; });
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
    throw std::runtime_error("an unknown expression");
  }

private:
  const Point &params;
  const Point &block;
  Visit visit;
  std::map<unsigned, int64_t> iterators;
};

/// One instance of a tile with its place in the tile's order.
struct Placed {
  Point key; ///< drawn from the coincident members, then the others
  Point at;
};

} // namespace

/// Instances by the members above their tile mark; each list in tile order.
static std::map<Point, std::vector<Placed>>
instancesByTile(const poly::Scop &scop, const poly::ScheduleTree &tree,
                unsigned s, const Point &params, unsigned seed) {
  std::map<Point, std::vector<Placed>> tiles;
  std::vector<const Node *> path = poly::pathOf(tree, s);
  std::map<Point, int64_t> drawn;
  std::mt19937 random(seed + s);
  forEachInstance(scop.statements[s], params, [&](const Point &at) {
    Point outer, coincident, ordered, inner;
    const Node *tile = nullptr;
    for (const Node *node : path) {
      if (node->kind == Node::Kind::Tile)
        tile = node;
      for (size_t m = 0; m < node->members.size(); ++m) {
        int64_t digit = digitAt(poly::digitOf(*node, m, s), at, params);
        if (!tile) {
          outer.push_back(digit);
          continue;
        }
        inner.push_back(digit);
        (node->members[m].coincident ? coincident : ordered).push_back(digit);
      }
    }
    if (!tile)
      throw std::runtime_error("'" + scop.statements[s].name +
                               "' has no tile mark");
    for (size_t d = 0; d < inner.size(); ++d)
      if (inner[d] < 0 || inner[d] >= tile->tile.shape.at(d))
        throw std::runtime_error("an instance of '" + scop.statements[s].name +
                                 "' is outside its tile's box");
    auto [place, isNew] = drawn.insert({coincident, 0});
    if (isNew)
      place->second = int64_t(random());
    Point key{place->second};
    key.insert(key.end(), coincident.begin(), coincident.end());
    key.insert(key.end(), ordered.begin(), ordered.end());
    tiles[outer].push_back({std::move(key), at});
  });
  for (auto &[outer, list] : tiles)
    std::sort(list.begin(), list.end(),
              [](const Placed &a, const Placed &b) { return a.key < b.key; });
  return tiles;
}

void ScopRun::runScheduled(const poly::ScheduleTree &tree,
                           const std::vector<KernelLoops> &kernels,
                           unsigned seed) {
  std::mt19937 random(seed);
  for (const KernelLoops &kernel : kernels) {
    const std::vector<unsigned> &inside = kernel.kernel->statements;
    std::map<unsigned, std::map<Point, std::vector<Placed>>> tiles;
    for (unsigned s : inside)
      tiles[s] = instancesByTile(scop, tree, s, params, seed);

    // What does not outlive a block.
    std::vector<unsigned> kept;
    for (const poly::KernelMark::ArrayPlace &entry :
         kernel.kernel->kernel.places) {
      bool isKept =
          scop.arrays[entry.array].role != poly::ArrayRole::Output &&
          (entry.place == Place::Register || entry.place == Place::Shared);
      for (unsigned s = 0; s < scop.statements.size(); ++s)
        for (const poly::Access &access : scop.statements[s].accesses)
          isKept &= access.array != entry.array || access.isWrite ||
                    std::binary_search(inside.begin(), inside.end(), s);
      // What the kernel only reads it loads once.
      bool isMade = std::any_of(inside.begin(), inside.end(), [&](unsigned s) {
        return scop.statements[s].write().array == entry.array;
      });
      if (isKept && isMade)
        kept.push_back(entry.array);
    }

    Point none;
    std::vector<Point> blocks{{}};
    for (const poly::GridMember &member : kernel.grid) {
      int64_t extent = LoopWalk(params, none, nullptr).value(member.extent);
      std::vector<Point> longer;
      for (const Point &block : blocks)
        for (int64_t g = 0; g < extent; ++g) {
          longer.push_back(block);
          longer.back().push_back(g);
        }
      blocks = std::move(longer);
    }
    std::set<std::pair<unsigned, Point>> seen;
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (const Point &block : blocks) {
      for (unsigned array : kept)
        arrays[array].isDefined.assign(arrays[array].isDefined.size(), false);
      LoopWalk walk(
          params, block, [&](unsigned s, const Node *, const Point &outer) {
            auto found = tiles.at(s).find(outer);
            if (!seen.insert({s, outer}).second)
              throw std::runtime_error("a tile of '" + scop.statements[s].name +
                                       "' runs twice");
            if (found == tiles.at(s).end())
              return; // a tile without instances does nothing
            for (const Placed &instance : found->second)
              run(s, instance.at);
            tiles.at(s).erase(found);
          });
      walk.walk(kernel.body);
    }
    for (const auto &[s, left] : tiles)
      if (!left.empty())
        throw std::runtime_error("instances of '" + scop.statements[s].name +
                                 "' never run");
  }
}
