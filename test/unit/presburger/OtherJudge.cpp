//===- OtherJudge.cpp - schedules judged without isl ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/presburger/OtherJudge.h"

#include <algorithm>

using namespace girih;
using namespace girih::test;
using namespace girih::poly;

/// Which filter of `sequence` holds the statement.
static size_t filterOf(const Node &sequence, unsigned statement) {
  for (size_t f = 0; f < sequence.children.size(); ++f) {
    const auto &list = sequence.children[f]->statements;
    if (std::find(list.begin(), list.end(), statement) != list.end())
      return f;
  }
  return sequence.children.size();
}

static bool isApart(const Member &member) {
  return member.coincident || member.binding == Binding::Grid;
}

namespace {
/// A pair on its way down the tree.
struct Down {
  const Frame &frame;
  unsigned source, sink;

  /// The two digits of a member, by locals of `set`.
  std::pair<Row, Row> digits(Conjunction &set, const Node &band,
                             size_t m) const {
    return {frame.digit(set, 0, digitOf(band, m, source)),
            frame.digit(set, 1, digitOf(band, m, sink))};
  }

  static bool isSomewhereLess(Conjunction set, const Row &a, const Row &b) {
    set.less(a, b);
    return !set.isEmpty();
  }
};
} // namespace

bool OtherJudge::breaksOrder(const ScheduleTree &tree,
                             const Pairs &pairs) const {
  Frame frame(scop, {pairs.source, pairs.sink});
  Down down{frame, pairs.source, pairs.sink};
  bool isTerm = pairs.order == Pairs::Order::Term;
  bool anyOrder = pairs.order == Pairs::Order::AnyTerm;
  for (Conjunction set : pairs.set) {
    const Node *node = tree.root.get();
    bool inTile = false, isDone = false;
    while (!isDone) {
      if (node->kind == Node::Kind::Sequence) {
        size_t first = filterOf(*node, pairs.source);
        size_t second = filterOf(*node, pairs.sink);
        if (first > second)
          return true;
        isDone = first < second;
        node = node->children[first].get();
        continue;
      }
      for (size_t m = 0; m < node->members.size() && !isDone; ++m) {
        const Member &member = node->members[m];
        // Other points follow the dims.
        if (inTile && !member.coincident)
          continue;
        auto [source, sink] = down.digits(set, *node, m);
        if ((isApart(member) || !anyOrder) &&
            Down::isSomewhereLess(set, sink, source))
          return true;
        if (isApart(member) && Down::isSomewhereLess(set, source, sink))
          return true;
        set.equal(source, sink);
        isDone = set.isEmpty();
      }
      if (isDone)
        break;
      inTile |= node->kind == Node::Kind::Tile;
      if (!node->children.empty()) {
        node = node->children[0].get();
        continue;
      }
      bool inOrder = inTile && (isTerm || anyOrder ||
                                scop.statements[pairs.source].kind ==
                                    StatementKind::Scatter);
      if (!inOrder && !set.isEmpty())
        return true;
      isDone = true;
    }
  }
  return false;
}

bool OtherJudge::isCarried(const ScheduleTree &tree, const Node &band,
                           size_t asked) const {
  std::vector<const Node *> path = pathTo(tree, &band);
  for (const Pairs &each : pairs) {
    Frame frame(scop, {each.source, each.sink});
    Down down{frame, each.source, each.sink};
    auto isBelow = [&](unsigned s) {
      return std::find(band.statements.begin(), band.statements.end(), s) !=
             band.statements.end();
    };
    if (!isBelow(each.source) || !isBelow(each.sink))
      continue;
    for (Conjunction set : each.set) {
      for (const Node *node : path)
        for (size_t m = 0; m < node->members.size(); ++m) {
          auto [source, sink] = down.digits(set, *node, m);
          if (node != &band || m < asked) {
            set.equal(source, sink);
            continue;
          }
          if (Down::isSomewhereLess(set, source, sink) ||
              Down::isSomewhereLess(set, sink, source))
            return true;
          break;
        }
    }
  }
  return false;
}

bool OtherJudge::breaksCoverage(const ScheduleTree &tree, unsigned s) const {
  Frame one(scop, {s}), two(scop, {s, s});
  Conjunction twins = two.domains();
  const Node *tile = nullptr;
  for (const Node *node : pathOf(tree, s)) {
    if (node->kind == Node::Kind::Tile)
      tile = node;
    for (size_t m = 0; m < node->members.size(); ++m) {
      const Member &member = node->members[m];
      const Digit &digit = digitOf(*node, m, s);
      twins.equal(two.digit(twins, 0, digit), two.digit(twins, 1, digit));
      Conjunction set = one.domains();
      Row value = one.digit(set, 0, digit);
      bool isPoint = member.binding == Binding::Point;
      if ((isPoint || member.binding == Binding::Grid) &&
          Down::isSomewhereLess(set, value, Row()))
        return true;
      if (isPoint &&
          Down::isSomewhereLess(set, Row() + (tile->tile.shape[m] - 1), value))
        return true;
    }
  }
  return !isEmpty(
      two.ordered(twins, 0, 1, 0, unsigned(scop.statements[s].dims.size())));
}

/// A point that is no axis of a tile: neither apart nor of its reduction's
/// order, nor of a scatter.
static bool hasOtherPoints(const Scop &scop, const ScheduleTree &tree,
                           unsigned s) {
  const Reduction *reduction = nullptr;
  for (const Reduction &r : scop.reductions)
    if (r.update == s && !reduction)
      reduction = &r;
  for (const Node *node : pathOf(tree, s))
    for (size_t m = 0; m < node->members.size(); ++m) {
      if (node->members[m].binding != Binding::Point ||
          node->members[m].coincident ||
          scop.statements[s].kind == StatementKind::Scatter)
        continue;
      if (!reduction)
        return true;
      for (unsigned d = 0; d < reduction->cellEnd; ++d)
        if (digitOf(*node, m, s).value.dimCoefficient(d))
          return true;
    }
  return false;
}

static bool keeps(const Scop &scop, const Node *kernel, unsigned array) {
  ArrayRole role = scop.arrays[array].role;
  if (role != ArrayRole::Temporary && role != ArrayRole::Accumulator)
    return false;
  for (const KernelMark::ArrayPlace &place : kernel->kernel.places)
    if (place.array == array &&
        (place.place == Place::Shared || place.place == Place::Register))
      return true;
  return false;
}

bool OtherJudge::readsKept(const ScheduleTree &tree, unsigned source,
                           unsigned sink, unsigned array) const {
  const Node *from = kernelOf(tree, source), *to = kernelOf(tree, sink);
  if (!from || !to || (!keeps(scop, from, array) && !keeps(scop, to, array)))
    return false;
  Union flow = pairsByValue(scop, DependenceKind::Flow, source, sink, array);
  unsigned rank = unsigned(scop.arrays[array].extents.size());
  if (source == sink)
    for (const Reduction &reduction : scop.reductions)
      if (reduction.update == source && reduction.accumulator == array) {
        flow = updatesByValue(scop, reduction);
        rank = 0;
      }
  Frame frame(scop, {source, sink}, rank);
  Down down{frame, source, sink};
  for (Conjunction set : flow) {
    const Node *node = tree.root.get();
    while (node->kind != Node::Kind::Leaf) {
      size_t next = 0;
      if (node->kind == Node::Kind::Sequence) {
        next = filterOf(*node, source);
        size_t other = filterOf(*node, sink);
        if (next != other) {
          if (next < other && from != to && !set.isEmpty())
            return true;
          break;
        }
      }
      for (size_t m = 0; m < node->members.size(); ++m) {
        auto [first, second] = down.digits(set, *node, m);
        if (node->members[m].binding == Binding::Time &&
            Down::isSomewhereLess(set, first, second))
          return true;
        set.equal(first, second);
      }
      node = node->children[next].get();
    }
  }
  return false;
}

Broken OtherJudge::judge(const ScheduleTree &tree) const {
  Broken broken;
  for (const Pairs &each : pairs)
    broken.order = broken.order || breaksOrder(tree, each);
  unsigned count = unsigned(scop.statements.size());
  for (unsigned s = 0; s < count; ++s) {
    broken.order = broken.order || hasOtherPoints(scop, tree, s);
    broken.coverage = broken.coverage || breaksCoverage(tree, s);
    for (unsigned t = 0; t < count; ++t)
      for (unsigned a = 0; a < scop.arrays.size(); ++a)
        broken.kept = broken.kept || readsKept(tree, s, t, a);
  }
  return broken;
}
