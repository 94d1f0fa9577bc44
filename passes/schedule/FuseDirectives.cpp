//===- FuseDirectives.cpp - fuse ------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/DirectiveApplier.h"

#include <algorithm>
#include <functional>

using namespace girih;
using namespace girih::schedule;
using poly::Affine;
using poly::Binding;
using poly::Digit;
using poly::makeNode;
using poly::Member;
using poly::Node;
using poly::NodePtr;

/// How many of the first loops of two nests become one: those down to
/// `loopName` of the first.
bool DirectiveApplier::sharedDepth(const Node &a, const Node &b,
                                   const std::string &loopName,
                                   const std::string &pair, size_t &depth) {
  depth = 0;
  while (depth < a.members.size() && a.members[depth].name != loopName)
    ++depth;
  if (a.kind != Node::Kind::Band || depth == a.members.size()) {
    fail("G0722",
         "'" + text(*directive.at) + "' is not a loop around all of '" +
             directive.tensors[0].text + "'",
         directive.at->range);
    return false;
  }
  ++depth;
  if (b.kind != Node::Kind::Band || b.members.size() < depth) {
    fail("G0722", pair + " do not have " + std::to_string(depth) +
                      (depth == 1 ? " loop" : " loops") +
                      " each around all of their statements")
        .help("fuse at an outer loop");
    return false;
  }
  for (size_t m = 0; m < depth; ++m)
    if (a.members[m].binding != b.members[m].binding) {
      fail("G0722", "the loops '" + a.members[m].name + "' and '" +
                        b.members[m].name + "' are mapped differently");
      return false;
    }
  return true;
}

/// The nodes from the filter's child down to `node`; empty where it is not
/// below.
static std::vector<Node *> pathDownTo(Node &filter, const Node *node) {
  std::vector<Node *> path;
  std::function<bool(Node &)> search = [&](Node &at) {
    path.push_back(&at);
    if (&at == node)
      return true;
    for (NodePtr &child : at.children)
      if (search(*child))
        return true;
    path.pop_back();
    return false;
  };
  search(*filter.children[0]);
  return path;
}

/// The parts of a nest, once the loops on the way down to `path.back()` stand
/// above all of it: what was beside that way, and what is left of its end.
static void partsBeside(NodePtr node, const std::vector<Node *> &path,
                        size_t level, std::vector<NodePtr> &parts) {
  if (level + 1 == path.size()) { // the band, without those loops
    NodePtr filter = makeNode(Node::Kind::Filter, node->statements);
    filter->children.push_back(std::move(node));
    parts.push_back(std::move(filter));
    return;
  }
  Node *next = path[level + 1];
  if (node->kind == Node::Kind::Sequence) {
    for (NodePtr &filter : node->children)
      if (filter.get() == next)
        partsBeside(std::move(filter), path, level + 1, parts);
      else
        parts.push_back(std::move(filter));
    return;
  }
  partsBeside(std::move(node->children[0]), path, level + 1, parts);
}

/// Fuses at a loop that is around some of the first nest's statements only, as
/// that of a sum: what has no such loop runs in its first turn. Mostly that is
/// no legal order, which is for the judge to show.
bool DirectiveApplier::fuseInside(Node &left, Node &right, MemberPlace at,
                                  const std::string &pair) {
  std::vector<Node *> path = pathDownTo(left, at.band);
  Node &b = *right.children[0];
  struct Shared {
    const Node *band;
    size_t member;
  };
  std::vector<Shared> shared;
  size_t around = 0; // loops around all statements of the first nest
  for (Node *node : path)
    for (size_t m = 0; m < node->members.size(); ++m) {
      if (node == at.band && m > at.index)
        break;
      shared.push_back({node, m});
      around += node->statements == left.statements;
    }
  bool isBand = b.kind == Node::Kind::Band;
  if ((isBand ? b.members.size() : 0) < around) {
    fail("G0722", pair + " do not have " + std::to_string(around) +
                      (around == 1 ? " loop" : " loops") +
                      " each around all of their statements")
        .help("fuse at an outer loop");
    return false;
  }
  size_t taken = isBand ? std::min(shared.size(), b.members.size()) : 0;
  for (size_t m = 0; m < shared.size(); ++m) {
    const Member &ours = shared[m].band->members[shared[m].member];
    Binding theirs = m < taken ? b.members[m].binding : ours.binding;
    if (ours.binding != theirs) {
      fail("G0722", "the loops '" + ours.name + "' and '" + b.members[m].name +
                        "' are mapped differently");
      return false;
    }
  }
  std::vector<unsigned> all = united(left.statements, right.statements);
  NodePtr band = makeNode(Node::Kind::Band, all);
  for (size_t m = 0; m < shared.size(); ++m) {
    const Node &from = *shared[m].band;
    Member joined = from.members[shared[m].member];
    joined.digits.clear();
    for (unsigned s : all) {
      bool isTheirs = std::binary_search(right.statements.begin(),
                                         right.statements.end(), s);
      bool isOurs =
          std::binary_search(from.statements.begin(), from.statements.end(), s);
      joined.digits.push_back(isOurs ? poly::digitOf(from, shared[m].member, s)
                              : isTheirs && m < taken ? poly::digitOf(b, m, s)
                                                      : Digit{});
    }
    joined.coincident &= m < taken && b.members[m].coincident;
    band->members.push_back(std::move(joined));
  }
  NodePtr inner = makeNode(Node::Kind::Sequence, all);
  auto &members = at.band->members;
  members.erase(members.begin(), members.begin() + at.index + 1);
  partsBeside(std::move(left.children[0]), path, 0, inner->children);
  b.members.erase(b.members.begin(), b.members.begin() + taken);
  NodePtr filter = makeNode(Node::Kind::Filter, right.statements);
  filter->children.push_back(std::move(right.children[0]));
  inner->children.push_back(std::move(filter));
  band->children.push_back(std::move(inner));
  left.statements = all;
  left.children[0] = std::move(band);
  return true;
}

/// Makes the first loops of two families one; `at` of the first is the
/// innermost of them.
bool DirectiveApplier::fusePair(unsigned first, unsigned second,
                                const std::optional<MemberPlace> &at,
                                const std::string &loopName) {
  // Both stand in one sequence, in filters of their own.
  const std::vector<Family> &families = state.families;
  Node *sequence = nullptr, *left = nullptr, *right = nullptr;
  walk(*state.tree.root, [&](Node &node) {
    if (node.kind != Node::Kind::Sequence)
      return;
    Node *a = nullptr, *b = nullptr;
    for (NodePtr &child : node.children) {
      auto holds = [&](unsigned f) {
        return std::includes(child->statements.begin(), child->statements.end(),
                             families[f].statements.begin(),
                             families[f].statements.end());
      };
      if (holds(first))
        a = child.get();
      if (holds(second))
        b = child.get();
    }
    if (a && b && a != b) {
      sequence = &node;
      left = a;
      right = b;
    }
  });
  std::string pair =
      "'" + families[first].name + "' and '" + families[second].name + "'";
  if (!sequence) {
    fail("G0722", pair + " do not follow each other: one is inside the "
                         "other's loops already, or their loops are one")
        .help("say 'compute ... root' first");
    return false;
  }
  noteMoved(families[first].statements);
  noteMoved(families[second].statements);
  Node &a = *left->children[0], &b = *right->children[0];
  if (at && at->band != &a && !pathDownTo(*left, at->band).empty()) {
    if (!fuseInside(*left, *right, *at, pair))
      return false;
  } else {
    size_t depth = 0;
    if (at && !sharedDepth(a, b, loopName, pair, depth))
      return false;
    std::vector<unsigned> all = united(left->statements, right->statements);
    NodePtr band = makeNode(Node::Kind::Band, all);
    for (size_t m = 0; m < depth; ++m) {
      Member joined = a.members[m];
      joined.digits.clear();
      joined.coincident &= b.members[m].coincident;
      for (unsigned s : all)
        joined.digits.push_back(std::binary_search(left->statements.begin(),
                                                   left->statements.end(), s)
                                    ? poly::digitOf(a, m, s)
                                    : poly::digitOf(b, m, s));
      band->members.push_back(std::move(joined));
    }
    NodePtr inner = makeNode(Node::Kind::Sequence, all);
    for (Node *side : {left, right}) {
      NodePtr rest = std::move(side->children[0]);
      rest->members.erase(rest->members.begin(), rest->members.begin() + depth);
      NodePtr filter = makeNode(Node::Kind::Filter, side->statements);
      filter->children.push_back(std::move(rest));
      inner->children.push_back(std::move(filter));
    }
    band->children.push_back(std::move(inner));
    left->statements = all;
    left->children[0] =
        depth > 0 ? std::move(band) : std::move(band->children[0]);
  }
  auto &children = sequence->children;
  children.erase(
      std::find_if(children.begin(), children.end(),
                   [&](const NodePtr &child) { return child.get() == right; }));
  return true;
}

bool DirectiveApplier::fuse() {
  std::optional<MemberPlace> at;
  if (directive.at && !(at = loop(*directive.at)))
    return false;
  std::optional<unsigned> first = familyOf(directive.tensors[0]);
  if (!first)
    return false;
  const std::string loopName = at ? at->member().name : "";
  for (size_t t = 1; t < directive.tensors.size(); ++t) {
    std::optional<unsigned> second = familyOf(directive.tensors[t]);
    if (!second || !fusePair(*first, *second, at, loopName))
      return false;
    // The loops are those of a new band now.
    if (at && t + 1 < directive.tensors.size() && !(at = loop(*directive.at)))
      return false;
  }
  return true;
}
