//===- TreeEdit.cpp - changes of plain schedule trees ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/TreeEdit.h"

#include "passes/schedule/TileChoice.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using poly::Affine;
using poly::Binding;
using poly::Digit;
using poly::makeNode;
using poly::Member;
using poly::Node;
using poly::NodePtr;
using poly::ScheduleTree;

bool girih::schedule::isTimeBand(const Node &node) {
  return node.kind == Node::Kind::Band && !node.members.empty() &&
         node.members[0].binding == Binding::Time;
}

void girih::schedule::spliceSequences(Node &sequence) {
  std::vector<NodePtr> filters;
  for (NodePtr &filter : sequence.children) {
    if (filter->children[0]->kind != Node::Kind::Sequence) {
      filters.push_back(std::move(filter));
      continue;
    }
    for (NodePtr &inner : filter->children[0]->children)
      filters.push_back(std::move(inner));
  }
  sequence.children = std::move(filters);
}

static void normaliseNode(NodePtr &slot, bool isInsideBand) {
  Node *node = slot.get();
  bool isBand = node->kind == Node::Kind::Band;
  bool inside = isInsideBand || (isBand && !isTimeBand(*node));
  for (NodePtr &child : node->children)
    normaliseNode(child, inside);
  if (isBand) {
    Node &below = *node->children[0];
    if (node->members.empty()) {
      NodePtr child = std::move(node->children[0]);
      slot = std::move(child);
      return;
    }
    if (below.kind == Node::Kind::Band &&
        isTimeBand(*node) == isTimeBand(below)) {
      for (Member &member : below.members)
        node->members.push_back(std::move(member));
      NodePtr child = std::move(below.children[0]);
      node->children[0] = std::move(child);
    }
  }
  if (node->kind == Node::Kind::Sequence && isInsideBand) {
    spliceSequences(*node);
    if (node->children.size() == 1) {
      NodePtr child = std::move(node->children[0]->children[0]);
      slot = std::move(child);
    }
  }
}

void girih::schedule::normalise(ScheduleTree &tree) {
  for (NodePtr &filter : tree.root->children)
    normaliseNode(filter, false);
}

void girih::schedule::walk(Node &node,
                           const std::function<void(Node &)> &visit) {
  visit(node);
  for (NodePtr &child : node.children)
    if (child) // taken out for the moment
      walk(*child, visit);
}

void girih::schedule::walk(const Node &node,
                           const std::function<void(const Node &)> &visit) {
  walk(const_cast<Node &>(node), [&](Node &each) { visit(each); });
}

Node *girih::schedule::parentOf(ScheduleTree &tree, const Node *node) {
  Node *parent = nullptr;
  walk(*tree.root, [&](Node &above) {
    for (const NodePtr &child : above.children)
      if (child.get() == node)
        parent = &above;
  });
  return parent;
}

NodePtr &girih::schedule::slotOf(ScheduleTree &tree, const Node *node) {
  if (Node *parent = parentOf(tree, node))
    for (NodePtr &child : parent->children)
      if (child.get() == node)
        return child;
  return tree.root;
}

std::vector<MemberPlace>
girih::schedule::findMembers(ScheduleTree &tree,
                             const std::vector<unsigned> &statements,
                             const std::string &name) {
  std::vector<MemberPlace> places;
  walk(*tree.root, [&](Node &node) {
    bool holds =
        std::any_of(statements.begin(), statements.end(), [&](unsigned s) {
          return std::binary_search(node.statements.begin(),
                                    node.statements.end(), s);
        });
    for (size_t m = 0; holds && m < node.members.size(); ++m)
      if (node.members[m].name == name)
        places.push_back({&node, m});
  });
  return places;
}

MemberPlace girih::schedule::endBandAt(MemberPlace place) {
  Node &band = *place.band;
  if (place.index + 1 == band.members.size())
    return place;
  NodePtr below = makeNode(Node::Kind::Band, band.statements);
  below->members.assign(
      std::make_move_iterator(band.members.begin() + place.index + 1),
      std::make_move_iterator(band.members.end()));
  band.members.resize(place.index + 1);
  below->line = band.line;
  below->children = std::move(band.children);
  band.children.clear();
  band.children.push_back(std::move(below));
  return place;
}

std::optional<std::pair<Digit, Digit>>
girih::schedule::splitDigit(const Digit &digit, int64_t factor) {
  Digit outer = digit, inner = digit;
  int64_t step = digit.divisor * factor;
  if (digit.modulus != 0 && digit.modulus % step != 0) {
    // All of a short digit is in one turn.
    if (step < digit.modulus)
      return std::nullopt;
    outer.divisor = digit.modulus;
    return std::pair(outer, inner);
  }
  outer.divisor = step;
  inner.modulus = step;
  return std::pair(outer, inner);
}

std::optional<unsigned> girih::schedule::dimOf(const Digit &digit) {
  for (unsigned d = 0; d < digit.value.dims.size(); ++d)
    if (digit.value.dims[d] != 0)
      return digit.value == Affine::dim(d) ? std::optional<unsigned>(d)
                                           : std::nullopt;
  return std::nullopt;
}

int64_t girih::schedule::turnsOf(const poly::Statement &statement,
                                 const Digit &digit) {
  std::optional<unsigned> dim = dimOf(digit);
  if (!dim)
    return 0;
  if (digit.modulus != 0)
    return digit.modulus / digit.divisor;
  int64_t extent = constantExtent(statement, *dim);
  return extent < 0 ? 0 : (extent + digit.divisor - 1) / digit.divisor;
}

std::optional<Digit> girih::schedule::remainder(const Digit &digit,
                                                const std::vector<Digit> &fixed,
                                                bool &isUneven) {
  // A digit is the values between two place values, of which the upper one may
  // be without end.
  constexpr int64_t kEnd = INT64_MAX;
  auto endOf = [](int64_t modulus) { return modulus == 0 ? kEnd : modulus; };
  Digit rest = digit;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Digit &known : fixed) {
      int64_t low = rest.divisor, high = endOf(rest.modulus);
      int64_t from = known.divisor, to = endOf(known.modulus);
      if (from >= high || to <= low)
        continue;
      if (from <= low && to >= high)
        return std::nullopt;
      if (from > low && to >= high) {
        if (from % low != 0) {
          isUneven = true;
          return rest;
        }
        rest.modulus = from;
      } else if (from <= low) {
        if (to % low != 0 || (rest.modulus != 0 && rest.modulus % to != 0)) {
          isUneven = true;
          return rest;
        }
        rest.divisor = to;
      } else {
        isUneven = true; // known in the middle, open on both sides
        return rest;
      }
      changed = true;
    }
  }
  return rest;
}
