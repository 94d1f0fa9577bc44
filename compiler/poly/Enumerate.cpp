//===- Enumerate.cpp - an exhaustive oracle for legality ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shares no set arithmetic with the judge: instances are found by walking
// boxes, conflicts by looking at every pair that touches one element.
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Coverage.h"
#include "compiler/poly/InstanceOrder.h"
#include "compiler/poly/Legality.h"
#include "compiler/poly/Structure.h"
#include "compiler/poly/Witness.h"

#include <algorithm>
#include <map>
#include <set>

namespace girih::poly {

namespace {

enum class Meeting { Before, After, AtOnce, InTile, Same };

class Oracle {
public:
  Oracle(const Scop &scop, const ScheduleTree &tree,
         const std::vector<int64_t> &sizes)
      : scop(scop), tree(tree), sizes(sizes) {}

  bool run() {
    for (unsigned s = 0; s < scop.statements.size(); ++s) {
      paths.push_back(pathOf(tree, s));
      kernels.push_back(kernelOf(tree, s));
    }
    text = textOrder(scop, sizes);
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      if (!covers(s))
        return false;
    for (const InstanceStep &step : text.steps)
      touch(step.statement, text.at(step));
    for (const auto &[element, touches] : cells)
      if (!orderIsKept(element.first, touches))
        return false;
    return true;
  }

private:
  struct Touch {
    unsigned statement;
    const Point *at;
    bool isWrite;
    bool isOwn; ///< an update of its own cell, read and write
  };

  /// Whether two instances run in different launches of their kernels.
  bool inOtherLaunches(const Touch &a, const Touch &b) const {
    if (kernels[a.statement] != kernels[b.statement])
      return true;
    for (const Node *node : paths[a.statement]) {
      if (node->kind == Node::Kind::Kernel)
        return false;
      for (size_t m = 0; m < node->members.size(); ++m)
        if (evaluate(digitOf(*node, m, a.statement), *a.at, sizes) !=
            evaluate(digitOf(*node, m, b.statement), *b.at, sizes))
          return true;
    }
    return false;
  }

  bool covers(unsigned s) {
    std::set<Point> seen;
    const Reduction *reduction = reductionUpdatedBy(scop, s);
    for (const Point &at : text.instances[s]) {
      Point digits;
      const Node *tile = nullptr;
      for (const Node *node : paths[s]) {
        if (node->kind == Node::Kind::Tile)
          tile = node;
        for (size_t m = 0; m < node->members.size(); ++m) {
          const Member &member = node->members[m];
          int64_t value = evaluate(digitOf(*node, m, s), at, sizes);
          digits.push_back(value);
          if (member.binding == Binding::Grid && value < 0)
            return false;
          if (member.binding == Binding::Point &&
              (value < 0 || value >= tile->tile.shape[m]))
            return false;
        }
      }
      if (!seen.insert(digits).second)
        return false;
    }
    for (const Node *node : paths[s])
      for (size_t m = 0; m < node->members.size(); ++m)
        if (node->members[m].binding == Binding::Point &&
            !node->members[m].coincident &&
            scop.statements[s].kind != StatementKind::Scatter &&
            !isOrderDigit(reduction, digitOf(*node, m, s)))
          return false;
    return true;
  }

  void touch(unsigned s, const Point &at) {
    const Statement &statement = scop.statements[s];
    for (const Access &access : statement.accesses) {
      bool isOwn = statement.kind == StatementKind::Update &&
                   access.array == statement.write().array &&
                   access.subscripts == statement.write().subscripts;
      Point element;
      expand(access, element, {s, &at, access.isWrite, isOwn});
    }
  }

  void expand(const Access &access, Point &element, const Touch &touch) {
    const Array &array = scop.arrays[access.array];
    size_t d = element.size();
    if (d == array.extents.size()) {
      cells[{access.array, element}].push_back(touch);
      return;
    }
    if (!access.isAny(unsigned(d))) {
      element.push_back(evaluate(access.subscripts[d], *touch.at, sizes));
      expand(access, element, touch);
      element.pop_back();
      return;
    }
    int64_t extent = evaluate(array.extents[d], {}, sizes);
    int64_t divisor = array.extentDivisor(d);
    for (int64_t value = 0; value * divisor < extent; ++value) {
      element.push_back(value);
      expand(access, element, touch);
      element.pop_back();
    }
  }

  /// How the tree places two instances, the first earlier in the text.
  Meeting meet(const Touch &a, const Touch &b) const {
    const auto &left = paths[a.statement], &right = paths[b.statement];
    for (size_t n = 0;; ++n) {
      // Paths divide at a sequence, where they enter different filters.
      if (left[n] != right[n]) {
        for (const NodePtr &child : left[n - 1]->children) {
          if (child.get() == left[n])
            return Meeting::Before;
          if (child.get() == right[n])
            return Meeting::After;
        }
      }
      const Node &node = *left[n];
      if (node.kind == Node::Kind::Leaf)
        return Meeting::Same;
      bool inTile = n > 0 && left[n - 1]->kind == Node::Kind::Tile;
      for (size_t m = 0; m < node.members.size(); ++m) {
        const Member &member = node.members[m];
        bool apart = member.coincident || member.binding == Binding::Grid;
        int64_t first = evaluate(digitOf(node, m, a.statement), *a.at, sizes);
        int64_t second = evaluate(digitOf(node, m, b.statement), *b.at, sizes);
        if (first == second || (inTile && !apart))
          continue;
        if (apart)
          return Meeting::AtOnce;
        return first < second ? Meeting::Before : Meeting::After;
      }
      if (inTile || (node.kind == Node::Kind::Tile &&
                     node.children[0]->kind == Node::Kind::Leaf))
        return Meeting::InTile;
    }
  }

  bool orderIsKept(unsigned array, const std::vector<Touch> &touches) const {
    for (size_t i = 0; i < touches.size(); ++i)
      for (size_t j = i + 1; j < touches.size(); ++j) {
        const Touch &a = touches[i], &b = touches[j];
        // Both kernels of an array that crosses them must share it.
        const Node *first = kernels[a.statement];
        const Node *second = kernels[b.statement];
        bool hidden =
            std::any_of(touches.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                        touches.begin() + static_cast<std::ptrdiff_t>(j),
                        [](const Touch &t) { return t.isWrite && !t.isOwn; });
        if (a.isWrite && !b.isWrite && !hidden && first && second &&
            inOtherLaunches(a, b) &&
            (keepsToItself(scop, *first, array) ||
             keepsToItself(scop, *second, array)))
          return false;
        if ((!a.isWrite && !b.isWrite) ||
            (a.statement == b.statement && *a.at == *b.at))
          continue;
        const Statement &statement = scop.statements[a.statement];
        if (a.statement == b.statement && statement.unordered)
          continue;
        Meeting meeting = meet(a, b);
        if (a.statement == b.statement && meeting == Meeting::InTile &&
            statement.kind == StatementKind::Scatter)
          continue;
        const Reduction *reduction = reductionUpdatedBy(scop, a.statement);
        if (a.statement == b.statement && a.isOwn && b.isOwn && reduction) {
          if (meeting == Meeting::Before || meeting == Meeting::InTile)
            continue;
          if (reduction->associative && meeting == Meeting::After)
            continue;
          return false;
        }
        if (meeting != Meeting::Before)
          return false;
      }
    return true;
  }

  const Scop &scop;
  const ScheduleTree &tree;
  const std::vector<int64_t> &sizes;
  std::vector<std::vector<const Node *>> paths;
  std::vector<const Node *> kernels;
  InstanceOrder text;
  std::map<std::pair<unsigned, Point>, std::vector<Touch>> cells;
};

} // namespace

bool isLegalByEnumeration(const Scop &scop, const ScheduleTree &tree,
                          const std::vector<int64_t> &sizes) {
  if (!structureProblems(scop, tree).empty())
    return false;
  for (const Affine &constraint : scop.context)
    if (evaluate(constraint, {}, sizes) < 0)
      return true; // no size at all: nothing runs
  return Oracle(scop, tree, sizes).run();
}

} // namespace girih::poly
