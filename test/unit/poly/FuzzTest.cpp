//===- FuzzTest.cpp - random trees: the judge against enumeration ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Legality.h"
#include "compiler/poly/LoopAst.h"
#include "compiler/support/Diagnostics.h"
#include "test/unit/poly/LoopRun.h"
#include "test/unit/poly/Samples.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <random>

using namespace girih;
using namespace girih::poly;

namespace {

/// Makes trees that are structurally sound and legal about half the time: bands
/// take dims of the same name together, sequences mostly keep the text's order,
/// each statement's missing dims mostly follow at its end.
class Generator {
public:
  Generator(const Scop &scop, unsigned seed) : scop(scop), random(seed) {}

  ScheduleTree make() {
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

private:
  void addKernels(Node &sequence, const std::vector<unsigned> &statements) {
    for (const auto &group : divided(statements, 20)) {
      NodePtr filter = newNode(Node::Kind::Filter, group);
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

  NodePtr timeBand(const std::vector<unsigned> &statements) {
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

  int64_t number(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  }
  bool chance(int percent) { return number(1, 100) <= percent; }

  NodePtr newNode(Node::Kind kind, std::vector<unsigned> statements) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    std::sort(statements.begin(), statements.end());
    node->statements = std::move(statements);
    return node;
  }

  /// Consecutive groups of `statements`, now and then out of order.
  std::vector<std::vector<unsigned>> divided(std::vector<unsigned> statements,
                                             int percent) {
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

  /// Digits that remain of one dim; a chain is cut from coarse to fine.
  struct Rest {
    int64_t modulus = 0; ///< 0: nothing taken yet
    bool done = false;
  };

  Digit take(unsigned s, unsigned dim, bool all) {
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

  NodePtr band(const std::vector<unsigned> &statements, NodePtr below,
               bool mayGrid, int members) {
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

  NodePtr body(const std::vector<unsigned> &statements, int depth) {
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

  NodePtr ending(unsigned s) {
    const Statement &statement = scop.statements[s];
    std::vector<Digit> loops, points;
    std::vector<bool> coincident;
    std::vector<int64_t> shape;
    bool useTile = chance(60);
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

  const Scop &scop;
  std::mt19937 random;
  unsigned names = 0;
  std::map<std::pair<unsigned, unsigned>, Rest> used;
};

} // namespace

TEST_CASE("verdicts on random trees equal enumeration", "[fuzz]") {
  const Scop scops[] = {test::matmulSilu(),   test::rowSum(2, 2),
                        test::softmax(),      test::wholeSum(2),
                        test::recurrence(),   test::parts(),
                        test::transposed(),   test::stencil(),
                        test::timedSum(true), test::timedSum(false)};
  std::vector<Dependences> dependences;
  for (const Scop &scop : scops) {
    Diagnostics diags;
    auto found = computeDependences(scop, {}, diags);
    REQUIRE(found);
    dependences.push_back(*found);
  }
  std::map<size_t, unsigned> legalOf;
  unsigned legal = 0, illegal = 0, witnessed = 0, looped = 0;
  std::map<Violation::Rule, unsigned> rules;
  auto start = std::chrono::steady_clock::now();
  for (unsigned seed = 0; seed < 1600; ++seed) {
    size_t which = seed % std::size(scops);
    const Scop &scop = scops[which];
    ScheduleTree tree = Generator(scop, seed).make();
    std::string text = printScheduleTree(scop, tree);
    CAPTURE(seed);
    INFO(text);
    Diagnostics diags;
    bool sound = verifyScheduleTree(scop, tree, diags);
    INFO(diags.renderText(false));
    REQUIRE(sound);
    auto again = readScheduleTree(scop, text, diags);
    REQUIRE(again);
    REQUIRE(printScheduleTree(scop, *again) == text);
    std::vector<Violation> violations =
        checkLegality(scop, dependences[which], tree, {});
    std::string said;
    for (const Violation &v : violations)
      said += v.message + "\n";
    INFO(said);
    bool anyIllegal = false;
    for (const auto &sizes : test::allSizes(scop.params.size(), 0, 5)) {
      if (!test::admits(scop, sizes))
        continue;
      // A legal verdict holds at every size; an illegal one somewhere.
      if (!isLegalByEnumeration(scop, tree, sizes)) {
        CAPTURE(sizes);
        REQUIRE_FALSE(violations.empty());
        anyIllegal = true;
        break;
      }
    }
    if (violations.empty()) {
      ++legal;
      ++legalOf[which];
      auto loops = generateLoops(scop, tree, {}, diags);
      INFO(diags.renderText(false));
      if (loops) {
        ++looped;
        test::requireExact(scop, tree, *loops, 4);
      } else // a statement at a size's digit of a loop that others share
        REQUIRE_THAT(diags.all().back().message,
                     Catch::Contains("is a choice between expressions"));
      continue;
    }
    ++illegal;
    for (const Violation &v : violations) {
      ++rules[v.rule];
      REQUIRE(v.rule != Violation::Rule::Undecided);
      if (!v.witness)
        continue;
      std::vector<int64_t> sizes;
      int64_t volume = 1;
      for (const auto &[name, size] : v.witness->sizes) {
        sizes.push_back(size);
        volume *= std::max<int64_t>(size, 1);
      }
      if (volume > 2000)
        continue;
      ++witnessed;
      INFO(v.message);
      REQUIRE_FALSE(isLegalByEnumeration(scop, tree, sizes));
      anyIllegal = true;
    }
    // The one rule about form alone needs no instance to be broken.
    for (const Violation &v : violations)
      anyIllegal =
          anyIllegal || (!v.witness && v.rule == Violation::Rule::Coincidence);
    REQUIRE(anyIllegal);
  }
  CHECK(legalOf.size() == std::size(scops));
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  std::cout << "random trees: " << legal << " legal, " << illegal
            << " illegal, " << witnessed << " witnesses confirmed, " << looped
            << " looped, in " << seconds << " s (order "
            << rules[Violation::Rule::Order] << ", coincidence "
            << rules[Violation::Rule::Coincidence] << ", reduction order "
            << rules[Violation::Rule::ReductionOrder] << ", coverage "
            << rules[Violation::Rule::Coverage] << ")\n";
  // The generator must keep exercising every verdict.
  CHECK(legal >= 80);
  CHECK(illegal >= 80);
  CHECK(looped + 4 >= legal);
  CHECK(rules[Violation::Rule::Order] > 0);
  CHECK(rules[Violation::Rule::Coincidence] > 0);
  CHECK(rules[Violation::Rule::ReductionOrder] > 0);
  CHECK(rules[Violation::Rule::Coverage] > 0);
}
