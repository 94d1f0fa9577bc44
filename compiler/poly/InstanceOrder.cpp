//===- InstanceOrder.cpp - every instance, in an order --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/InstanceOrder.h"
#include "compiler/poly/Witness.h"

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>

namespace girih::poly {

namespace {

// Wider boxes are no small sizes; an unbounded domain ends here too.
constexpr int64_t kWidest = 1 << 20;
constexpr size_t kMostPoints = 1 << 22;

/// The integer points of one statement's domain in lexicographic order.
class Instances {
public:
  Instances(const Statement &statement, const std::vector<int64_t> &sizes)
      : statement(statement), sizes(sizes),
        low(statement.dims.size(), -kWidest),
        high(statement.dims.size(), kWidest) {
    while (tighten())
      ;
    Point point;
    visit(point);
  }
  std::vector<Point> points;

private:
  /// Greatest value of `constraint` where dims are `point` or inside the box.
  int64_t greatest(const Affine &constraint, const Point &point,
                   size_t without) const {
    int64_t value = constraint.constant;
    for (size_t p = 0; p < constraint.params.size(); ++p)
      value += constraint.params[p] * sizes.at(p);
    for (size_t d = 0; d < constraint.dims.size(); ++d) {
      int64_t c = constraint.dims[d];
      if (d != without)
        value += c * (d < point.size() ? point[d] : c > 0 ? high[d] : low[d]);
    }
    return value;
  }

  bool tighten() {
    bool changed = false;
    for (const Affine &constraint : statement.constraints)
      for (size_t d = 0; d < constraint.dims.size(); ++d) {
        int64_t c = constraint.dims[d];
        if (c == 0)
          continue;
        // c * dim + rest >= 0 for some rest <= greatest.
        int64_t rest = greatest(constraint, {}, d);
        if (c > 0) {
          int64_t bound = -rest / c + (-rest % c > 0);
          changed |= bound > low[d];
          low[d] = std::max(low[d], bound);
        } else {
          int64_t bound = rest / -c - (rest % -c < 0);
          changed |= bound < high[d];
          high[d] = std::min(high[d], bound);
        }
        if (low[d] > high[d])
          return false; // empty
      }
    return changed;
  }

  void visit(Point &point) {
    for (const Affine &constraint : statement.constraints)
      if (greatest(constraint, point, ~size_t(0)) < 0)
        return;
    size_t d = point.size();
    if (d == statement.dims.size()) {
      if (points.size() >= kMostPoints)
        throw std::domain_error("a domain is too large to enumerate");
      points.push_back(point);
      return;
    }
    if (high[d] - low[d] >= kWidest)
      throw std::domain_error("a domain is too large to enumerate");
    for (int64_t value = low[d]; value <= high[d]; ++value) {
      point.push_back(value);
      visit(point);
      point.pop_back();
    }
  }

  const Statement &statement;
  const std::vector<int64_t> &sizes;
  Point low, high;
};

using Steps = std::vector<InstanceStep>;

/// Runs statements [first, end), which have `turn` in common: one after the
/// other, those of a further time loop turn by turn.
class Text {
public:
  Text(const Scop &scop, const std::vector<int64_t> &sizes,
       InstanceOrder &order)
      : scop(scop), sizes(sizes), order(order) {}

  void run(unsigned first, unsigned end, size_t depth, Point turn) {
    for (unsigned s = first; s < end;) {
      const std::vector<unsigned> &loops = scop.statements[s].loops;
      if (loops.size() == depth) {
        for (unsigned i = 0; i < order.instances[s].size(); ++i)
          if (std::equal(turn.begin(), turn.end(),
                         order.instances[s][i].begin()))
            order.steps.push_back({s, i});
        ++s;
        continue;
      }
      unsigned last = s;
      while (last < end && scop.statements[last].loops.size() > depth &&
             scop.statements[last].loops[depth] == loops[depth])
        ++last;
      int64_t turns = evaluate(scop.loops[loops[depth]].extent, {}, sizes);
      for (int64_t t = 0; t < turns; ++t) {
        turn.push_back(t);
        run(s, last, depth + 1, turn);
        turn.pop_back();
      }
      s = last;
    }
  }

private:
  const Scop &scop;
  const std::vector<int64_t> &sizes;
  InstanceOrder &order;
};

/// Goes down a tree with the instances below each node.
class Sequencer {
public:
  Sequencer(const Scop &scop, const InstanceOrder &order,
            const std::vector<int64_t> &sizes, AtOnce atOnce, uint64_t seed)
      : scop(scop), order(order), sizes(sizes), mode(atOnce), random(seed) {}

  /// `below` in the order of the text; what is returned in the node's.
  Steps node(const Node &node, Steps below) {
    if (below.empty())
      return below;
    switch (node.kind) {
    case Node::Kind::Sequence:
      return sequence(node, below);
    case Node::Kind::Band:
      return member(node, 0, std::move(below));
    case Node::Kind::Tile:
      return tile(*node.children[0], below);
    case Node::Kind::Leaf: {
      std::vector<Steps> streams;
      for (const InstanceStep &step : below)
        streams.push_back(inOrder({step}));
      return together(std::move(streams));
    }
    case Node::Kind::Filter:
    case Node::Kind::Kernel:
    case Node::Kind::Stage:
      break;
    }
    return this->node(*node.children[0], std::move(below));
  }

private:
  Steps sequence(const Node &node, const Steps &below) {
    Steps all;
    for (const NodePtr &child : node.children) {
      Steps inside;
      for (const InstanceStep &step : below)
        if (std::binary_search(child->statements.begin(),
                               child->statements.end(), step.statement))
          inside.push_back(step);
      append(all, this->node(*child, std::move(inside)));
    }
    return all;
  }

  Steps member(const Node &band, size_t index, Steps below) {
    if (index == band.members.size())
      return node(*band.children[0], std::move(below));
    const Member &member = band.members[index];
    std::map<int64_t, Steps> byValue;
    for (const InstanceStep &step : below)
      byValue[evaluate(digitOf(band, index, step.statement), order.at(step),
                       sizes)]
          .push_back(step);
    std::vector<Steps> streams;
    for (auto &[value, steps] : byValue)
      streams.push_back(this->member(band, index + 1, std::move(steps)));
    if (member.coincident || member.binding == Binding::Grid)
      return together(std::move(streams));
    return concatenated(std::move(streams));
  }

  /// Coincident axes at once, the others in the order of the dims.
  Steps tile(const Node &points, const Steps &below) {
    std::map<Point, Steps> byValue;
    for (const InstanceStep &step : below) {
      Point values;
      for (size_t m = 0; m < points.members.size(); ++m)
        if (points.members[m].coincident)
          values.push_back(evaluate(digitOf(points, m, step.statement),
                                    order.at(step), sizes));
      byValue[values].push_back(step);
    }
    std::vector<Steps> streams;
    for (auto &[values, steps] : byValue)
      streams.push_back(inOrder(steps));
    return together(std::move(streams));
  }

  static void append(Steps &all, const Steps &more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  static Steps concatenated(const std::vector<Steps> &streams) {
    Steps all;
    for (const Steps &stream : streams)
      append(all, stream);
    return all;
  }

  /// Instances one after the other. What comes in between others takes place
  /// in two parts; a scatter's place is known to nobody, it stays one.
  Steps inOrder(const Steps &steps) const {
    if (mode != AtOnce::Shuffled)
      return steps;
    Steps parts;
    for (InstanceStep step : steps) {
      if (scop.statements[step.statement].kind != StatementKind::Scatter) {
        step.part = InstanceStep::Part::Read;
        parts.push_back(step);
        step.part = InstanceStep::Part::Write;
      }
      parts.push_back(step);
    }
    return parts;
  }

  Steps together(std::vector<Steps> streams) {
    if (mode == AtOnce::Descending)
      std::reverse(streams.begin(), streams.end());
    if (mode != AtOnce::Shuffled || streams.size() < 2)
      return concatenated(streams);
    std::vector<unsigned> turns;
    for (unsigned s = 0; s < streams.size(); ++s)
      turns.insert(turns.end(), streams[s].size(), s);
    // Not std::shuffle: libraries differ in what they make of one seed.
    for (size_t left = turns.size(); left > 1; --left)
      std::swap(turns[left - 1], turns[random() % left]);
    std::vector<size_t> next(streams.size(), 0);
    Steps all;
    for (unsigned s : turns)
      all.push_back(streams[s][next[s]++]);
    return all;
  }

  const Scop &scop;
  const InstanceOrder &order;
  const std::vector<int64_t> &sizes;
  AtOnce mode;
  std::mt19937_64 random;
};

} // namespace

std::vector<Point> instancesOf(const Statement &statement,
                               const std::vector<int64_t> &sizes) {
  return Instances(statement, sizes).points;
}

InstanceOrder textOrder(const Scop &scop, const std::vector<int64_t> &sizes) {
  InstanceOrder order;
  for (const Statement &statement : scop.statements)
    order.instances.push_back(instancesOf(statement, sizes));
  Text(scop, sizes, order)
      .run(0, static_cast<unsigned>(scop.statements.size()), 0, {});
  return order;
}

InstanceOrder treeOrder(const Scop &scop, const ScheduleTree &tree,
                        const std::vector<int64_t> &sizes, AtOnce atOnce,
                        uint64_t seed) {
  InstanceOrder order = textOrder(scop, sizes);
  order.steps = Sequencer(scop, order, sizes, atOnce, seed)
                    .node(*tree.root, std::move(order.steps));
  return order;
}

} // namespace girih::poly
