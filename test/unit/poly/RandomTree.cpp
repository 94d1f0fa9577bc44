//===- RandomTree.cpp - schedule trees drawn at random --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/poly/RandomTree.h"

#include <algorithm>

using namespace girih;
using namespace girih::poly;
using namespace girih::poly::test;

ScheduleTree TreeGenerator::make() {
  names = 0;
  used.clear();
  ScheduleTree tree;
  std::vector<unsigned> all;
  for (unsigned s = 0; s < scop.statements.size(); ++s)
    all.push_back(s);
  tree.root = newNode(Node::Kind::Sequence, all);
  // Time loops are mostly above kernels of their own.
  std::vector<unsigned> before, inside, after;
  for (unsigned s : all)
    (!scop.statements[s].loops.empty() ? inside
     : inside.empty()                  ? before
                                       : after)
        .push_back(s);
  if (inside.empty() || chance(25)) {
    addKernels(*tree.root, all);
    return tree;
  }
  if (!before.empty())
    addKernels(*tree.root, before);
  NodePtr filter = newNode(Node::Kind::Filter, inside);
  filter->children.push_back(timeBand(inside));
  tree.root->children.push_back(std::move(filter));
  if (!after.empty())
    addKernels(*tree.root, after);
  if (chance(10))
    std::swap(tree.root->children.front(), tree.root->children.back());
  return tree;
}

void TreeGenerator::addKernels(Node &sequence,
                               const std::vector<unsigned> &statements) {
  for (const auto &group : divided(statements, 20)) {
    NodePtr filter = newNode(Node::Kind::Filter, group);
    if (isPlain) {
      filter->children.push_back(body(group, 0));
      sequence.children.push_back(std::move(filter));
      continue;
    }
    NodePtr kernel = newNode(Node::Kind::Kernel, group);
    kernel->kernel.name = "k";
    kernel->kernel.threads = 32;
    kernel->children.push_back(body(group, 0));
    // Now and then a temporary is kept where it may not be.
    for (unsigned a = 0; a < scop.arrays.size(); ++a)
      if ((scop.arrays[a].role == ArrayRole::Temporary ||
           scop.arrays[a].role == ArrayRole::Accumulator) &&
          !scop.loops.empty() && chance(25))
        kernel->kernel.places.push_back({a, Place::Register});
    filter->children.push_back(std::move(kernel));
    sequence.children.push_back(std::move(filter));
  }
}

NodePtr TreeGenerator::timeBand(const std::vector<unsigned> &statements) {
  NodePtr band = newNode(Node::Kind::Band, statements);
  Member turns;
  turns.name = "turn";
  turns.binding = Binding::Time;
  Digit digit;
  digit.value = Affine::dim(0);
  turns.digits.assign(statements.size(), digit);
  band->members.push_back(turns);
  for (unsigned s : statements)
    used[{s, 0}].done = true;
  NodePtr sequence = newNode(Node::Kind::Sequence, statements);
  addKernels(*sequence, statements);
  band->children.push_back(std::move(sequence));
  return band;
}

NodePtr TreeGenerator::newNode(Node::Kind kind,
                               std::vector<unsigned> statements) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  std::sort(statements.begin(), statements.end());
  node->statements = std::move(statements);
  return node;
}

std::vector<std::vector<unsigned>>
TreeGenerator::divided(std::vector<unsigned> statements, int percent) {
  std::vector<std::vector<unsigned>> groups{{}};
  for (unsigned s : statements) {
    if (!groups.back().empty() && chance(percent))
      groups.emplace_back();
    groups.back().push_back(s);
  }
  if (groups.size() > 1 && chance(12)) {
    size_t at = random() % (groups.size() - 1);
    std::swap(groups[at], groups[at + 1]);
  }
  return groups;
}

Digit TreeGenerator::take(unsigned s, unsigned dim, bool all) {
  Rest &rest = used[{s, dim}];
  Digit digit;
  digit.value = Affine::dim(dim);
  digit.modulus = rest.modulus;
  if (all || rest.modulus == 2 || chance(40)) {
    rest.done = true;
    return digit;
  }
  digit.divisor = rest.modulus ? rest.modulus / 2 : chance(50) ? 2 : 4;
  rest.modulus = digit.divisor;
  if (chance(3))
    digit.value = digit.value + Affine::of(1);
  return digit;
}

NodePtr TreeGenerator::band(const std::vector<unsigned> &statements,
                            NodePtr below, bool mayGrid, int members) {
  NodePtr node = newNode(Node::Kind::Band, statements);
  for (int m = 0; m < members; ++m) {
    // A dim of one statement, and the dims of that name of the others.
    std::vector<std::string> candidates;
    for (unsigned s : node->statements)
      for (unsigned d = 0; d < scop.statements[s].dims.size(); ++d)
        if (!used[{s, d}].done)
          candidates.push_back(scop.statements[s].dims[d]);
    if (candidates.empty())
      break;
    std::string dim =
        candidates[random() % std::min<size_t>(candidates.size(), 3)];
    Member member;
    member.name = "m" + std::to_string(names++);
    bool grid = mayGrid && m == 0 && chance(60);
    member.binding = grid ? Binding::Grid : Binding::Loop;
    member.coincident = grid || chance(10);
    if (isPlain && !grid)
      drawBinding(member);
    // One choice of factors for all statements, or the digits would rarely
    // agree.
    unsigned factors = static_cast<unsigned>(random());
    for (unsigned s : node->statements) {
      const auto &dims = scop.statements[s].dims;
      auto found = std::find(dims.begin(), dims.end(), dim);
      auto at = static_cast<unsigned>(found - dims.begin());
      if (found == dims.end() || used[{s, at}].done || chance(2)) {
        Digit constant;
        constant.value = Affine::of(chance(80) ? 0 : 1);
        if (!scop.params.empty() && chance(30))
          constant.value = Affine::param(
              static_cast<unsigned>(random() % scop.params.size()));
        member.digits.push_back(constant);
        continue;
      }
      std::mt19937 saved = random;
      random.seed(factors);
      member.digits.push_back(take(s, at, false));
      random = saved;
      random.discard(7);
    }
    node->members.push_back(std::move(member));
  }
  if (node->members.empty())
    return below ? std::move(below) : newNode(Node::Kind::Leaf, statements);
  node->children.push_back(below ? std::move(below)
                                 : newNode(Node::Kind::Leaf, statements));
  return node;
}

NodePtr TreeGenerator::body(const std::vector<unsigned> &statements,
                            int depth) {
  // Members are chosen from the top down, so the band comes before its child.
  NodePtr outer;
  if (chance(depth == 0 ? 90 : 60))
    outer =
        band(statements, nullptr, depth == 0, static_cast<int>(number(1, 2)));
  NodePtr below;
  if (statements.size() > 1) {
    below = newNode(Node::Kind::Sequence, statements);
    auto groups = divided(statements, depth > 1 ? 100 : 60);
    if (groups.size() == 1 && depth > 3)
      groups = divided(statements, 100);
    for (const auto &group : groups) {
      NodePtr filter = newNode(Node::Kind::Filter, group);
      filter->children.push_back(body(group, depth + 1));
      below->children.push_back(std::move(filter));
    }
  } else {
    below = ending(statements[0]);
  }
  if (!outer || outer->kind == Node::Kind::Leaf)
    return below;
  outer->children[0] = std::move(below);
  return outer;
}

NodePtr TreeGenerator::ending(unsigned s) {
  const Statement &statement = scop.statements[s];
  std::vector<Digit> loops, points;
  std::vector<bool> coincident;
  std::vector<int64_t> shape;
  bool useTile = !isPlain && chance(60);
  const Reduction *reduction = nullptr;
  for (const Reduction &r : scop.reductions)
    if (r.update == s)
      reduction = &r;
  for (unsigned d = 0; d < statement.dims.size(); ++d) {
    if (used[{s, d}].done || chance(3))
      continue;
    if (used[{s, d}].modulus == 0 && useTile) {
      Digit coarse;
      coarse.value = Affine::dim(d);
      coarse.divisor = 2;
      loops.push_back(coarse);
      used[{s, d}].modulus = 2;
    }
    Digit rest = take(s, d, true);
    if (!useTile) {
      loops.push_back(rest);
      continue;
    }
    bool order = reduction && d >= reduction->cellEnd;
    points.push_back(rest);
    coincident.push_back(order ? chance(8) : chance(95));
    shape.push_back(rest.modulus - (chance(4) && rest.modulus > 1 ? 1 : 0));
  }
  if (chance(10))
    std::shuffle(loops.begin(), loops.end(), random);
  NodePtr leaf = newNode(Node::Kind::Leaf, {s});
  NodePtr below = std::move(leaf);
  if (useTile) {
    if (!points.empty()) {
      NodePtr band = newNode(Node::Kind::Band, {s});
      for (size_t p = 0; p < points.size(); ++p)
        band->members.push_back({"p" + std::to_string(names++),
                                 Binding::Point,
                                 coincident[p],
                                 {points[p]}});
      band->children.push_back(std::move(below));
      below = std::move(band);
    }
    NodePtr tile = newNode(Node::Kind::Tile, {s});
    tile->tile.shape = shape;
    tile->children.push_back(std::move(below));
    below = std::move(tile);
  }
  if (loops.empty())
    return below;
  NodePtr band = newNode(Node::Kind::Band, {s});
  for (const Digit &digit : loops)
    band->members.push_back(
        {"l" + std::to_string(names++), Binding::Loop, chance(5), {digit}});
  band->children.push_back(std::move(below));
  return band;
}

/// The dims of one statement, mostly in order, now and then split.
NodePtr TreeGenerator::alone(unsigned s, std::vector<unsigned> left) {
  NodePtr leaf = newNode(Node::Kind::Leaf, {s});
  if (left.empty())
    return leaf;
  if (left.size() > 1 && chance(20))
    std::swap(left[random() % left.size()], left[random() % left.size()]);
  NodePtr band = newNode(Node::Kind::Band, {s});
  std::vector<Digit> inner;
  for (unsigned dim : left) {
    Digit digit;
    digit.value = Affine::dim(dim);
    if (chance(15)) {
      Digit rest = digit;
      digit.divisor = rest.modulus = number(2, 3);
      inner.push_back(rest);
    }
    Member member;
    member.name = "m" + std::to_string(names++);
    member.coincident = chance(12);
    member.digits = {digit};
    if (digit.divisor == 1 && chance(4))
      member.digits[0].value = Affine::dim(dim, -1);
    drawBinding(member);
    band->members.push_back(std::move(member));
    // At once, or behind the other dims: tiles.
    for (; !inner.empty() && chance(60); inner.pop_back())
      band->members.push_back({"m" + std::to_string(names++),
                               Binding::Loop,
                               false,
                               {inner.back()}});
  }
  for (const Digit &digit : inner)
    band->members.push_back(
        {"m" + std::to_string(names++), Binding::Loop, false, {digit}});
  band->children.push_back(std::move(leaf));
  return band;
}

/// One loop around statements whose next dims have one name.
NodePtr TreeGenerator::fused(const std::vector<unsigned> &statements,
                             std::vector<std::vector<unsigned>> left) {
  NodePtr band = newNode(Node::Kind::Band, statements);
  Member member;
  member.name = "m" + std::to_string(names++);
  bool isTurn = left[0][0] < scop.statements[statements[0]].loops.size();
  member.coincident = !isTurn && chance(25);
  int64_t shift = chance(8) ? number(-1, 1) : 0;
  for (size_t i = 0; i < statements.size(); ++i) {
    Digit digit;
    digit.value = Affine::dim(left[i][0]);
    if (i + 1 == statements.size())
      digit.value.constant = shift;
    member.digits.push_back(digit);
    left[i].erase(left[i].begin());
  }
  if (!isTurn)
    drawBinding(member);
  band->members.push_back(std::move(member));
  band->children.push_back(nearText(statements, std::move(left)));
  return band;
}

NodePtr TreeGenerator::nearText(const std::vector<unsigned> &statements,
                                std::vector<std::vector<unsigned>> left) {
  if (statements.size() == 1)
    return alone(statements[0], std::move(left[0]));
  NodePtr sequence = newNode(Node::Kind::Sequence, statements);
  for (size_t first = 0; first < statements.size();) {
    const Statement &begins = scop.statements[statements[first]];
    size_t end = first + 1;
    if (!left[first].empty()) {
      bool isTurn = left[first][0] < begins.loops.size();
      for (; end < statements.size() && !left[end].empty(); ++end) {
        const Statement &next = scop.statements[statements[end]];
        bool inLoop = isTurn && next.loops.size() > left[first][0] &&
                      commonLoops(begins, next) > left[first][0];
        bool isSame = next.dims[left[end][0]] == begins.dims[left[first][0]] &&
                      isTurn == (left[end][0] < next.loops.size());
        if (!isSame || (!inLoop && chance(35)))
          break;
      }
    }
    std::vector<unsigned> group(statements.begin() + std::ptrdiff_t(first),
                                statements.begin() + std::ptrdiff_t(end));
    NodePtr filter = newNode(Node::Kind::Filter, group);
    std::vector<std::vector<unsigned>> rest(left.begin() +
                                                std::ptrdiff_t(first),
                                            left.begin() + std::ptrdiff_t(end));
    filter->children.push_back(group.size() > 1
                                   ? fused(group, std::move(rest))
                                   : alone(group[0], std::move(rest[0])));
    sequence->children.push_back(std::move(filter));
    first = end;
  }
  return sequence;
}

ScheduleTree TreeGenerator::makeNearText() {
  names = 0;
  std::vector<unsigned> all;
  std::vector<std::vector<unsigned>> left;
  for (unsigned s = 0; s < scop.statements.size(); ++s) {
    all.push_back(s);
    auto &dims = left.emplace_back();
    for (unsigned d = 0; d < scop.statements[s].dims.size(); ++d)
      dims.push_back(d);
  }
  ScheduleTree tree;
  tree.root = nearText(all, left);
  if (tree.root->kind == Node::Kind::Sequence)
    return tree;
  NodePtr filter = newNode(Node::Kind::Filter, all);
  filter->children.push_back(std::move(tree.root));
  tree.root = newNode(Node::Kind::Sequence, all);
  tree.root->children.push_back(std::move(filter));
  return tree;
}

void TreeGenerator::drawBinding(Member &member) {
  if (member.coincident && chance(50))
    member.binding = Binding::Thread;
  else if (chance(10))
    member.binding = chance(50) ? Binding::Vector : Binding::Unroll;
}

static void collect(Node &node, std::vector<Node *> &bands,
                    std::vector<Node *> &sequences) {
  if (node.kind == Node::Kind::Band)
    bands.push_back(&node);
  if (node.kind == Node::Kind::Sequence && node.children.size() > 1)
    sequences.push_back(&node);
  for (NodePtr &child : node.children)
    collect(*child, bands, sequences);
}

void girih::poly::test::disturb(ScheduleTree &tree, std::mt19937 &random) {
  std::vector<Node *> bands, sequences;
  collect(*tree.root, bands, sequences);
  auto one = [&](auto &list) -> auto & { return list[random() % list.size()]; };
  unsigned what = random() % 8;
  if (what == 0 && !sequences.empty()) {
    Node *sequence = one(sequences);
    size_t at = random() % (sequence->children.size() - 1);
    std::swap(sequence->children[at], sequence->children[at + 1]);
    return;
  }
  if (bands.empty())
    return;
  Node *band = one(bands);
  Member &member = one(band->members);
  bool isPoint = member.binding == Binding::Point;
  if (what < 3 && !isPoint) {
    std::swap(member, one(band->members));
  } else if (what < 4 && member.binding == Binding::Loop) {
    for (Digit &digit : member.digits)
      if (digit.modulus == 0)
        digit.value = digit.value * -1;
  } else if (what < 5 && member.binding == Binding::Loop) {
    Digit &digit = one(member.digits);
    digit.value = digit.value + Affine::of(random() % 2 ? 1 : -1);
  } else if (member.binding == Binding::Loop || isPoint) {
    member.coincident = !member.coincident;
  }
}
