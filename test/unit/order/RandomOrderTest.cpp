//===- RandomOrderTest.cpp - random programs under random schedules -------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The judge against two oracles that share nothing with it: enumeration, and
// the bits of a run in the tree's order. GIRIH_ORDER_CASES says how many trees
// are drawn, GIRIH_ORDER_SEED from which seed on.
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Diagnostics.h"
#include "test/unit/order/DrawnTree.h"
#include "test/unit/order/Judged.h"
#include "test/unit/order/OrderedProgram.h"
#include "test/unit/order/RandomProgram.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

using namespace girih;
using namespace girih::test;
using poly::AtOnce;
using poly::DependenceKind;
using poly::Dependences;
using poly::ScheduleTree;
using poly::Scop;
using poly::Violation;

namespace {

constexpr AtOnce kWays[] = {AtOnce::Ascending, AtOnce::Descending,
                            AtOnce::Shuffled};
/// Compiling a program takes longer than judging a tree.
constexpr unsigned kTreesOfOne = 20;

unsigned fromEnvironment(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? unsigned(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// Programs one after the other, each for several trees.
class Cases {
public:
  explicit Cases(unsigned firstSeed) : firstSeed(firstSeed) {}

  OrderedProgram &program(unsigned number) {
    unsigned seed = firstSeed + number / kTreesOfOne;
    if (!current || seed != currentSeed) {
      currentSeed = seed;
      text = randomProgram(seed);
      INFO(text);
      current.emplace(text);
    }
    return *current;
  }
  unsigned treeSeed(unsigned number) const {
    return firstSeed * 1000003 + number;
  }
  const std::string &source() const { return text; }

private:
  unsigned firstSeed, currentSeed = 0;
  std::optional<OrderedProgram> current;
  std::string text;
};

/// The first way in which a run in the tree's order differs from the reference,
/// in words; empty where none does.
std::string bitsProblem(OrderedProgram &program, const ScheduleTree &tree,
                        const std::vector<int64_t> &sizes, uint64_t seed) {
  for (AtOnce way : kWays) {
    std::string difference = program.difference(
        poly::treeOrder(program.scop(), tree, sizes, way, seed), sizes, 1);
    if (!difference.empty())
      return difference;
  }
  return "";
}

std::vector<Violation> judged(const Specimen &specimen) {
  Diagnostics diags;
  auto found = poly::computeDependences(specimen.scop, {}, diags);
  REQUIRE(found);
  return poly::checkLegality(specimen.scop, *found, specimen.tree, {});
}

} // namespace

TEST_CASE("verdicts, enumeration and bits agree", "[random]") {
  unsigned count = fromEnvironment("GIRIH_ORDER_CASES", 2400);
  unsigned firstSeed = fromEnvironment("GIRIH_ORDER_SEED", 1);
  unsigned legal = 0, illegal = 0, shown = 0, ofKind[kTreeKinds][2] = {};
  auto start = std::chrono::steady_clock::now();
  Cases cases(firstSeed);
  for (unsigned number = 0; number < count; ++number) {
    OrderedProgram &program = cases.program(number);
    const Scop &scop = program.scop();
    unsigned seed = cases.treeSeed(number);
    ScheduleTree tree = drawTree(scop, seed);
    CAPTURE(firstSeed, number, seed);
    INFO(cases.source());
    INFO(poly::printScheduleTree(scop, tree));
    REQUIRE(isSound(scop, tree));
    std::vector<Violation> verdict =
        poly::checkLegality(scop, program.dependences(), tree, {});
    SizeList sizes = smallSizes(scop, seed);
    std::string problem = verdictProblem(scop, tree, verdict, sizes);
    if (!problem.empty()) {
      // The same kind of problem: what stands before its names.
      auto ruleOf = [](const std::string &text) { return text.substr(0, 16); };
      Specimen small = minimised(scop, tree, [&](const Specimen &s) {
        return ruleOf(verdictProblem(s.scop, s.tree, judged(s),
                                     smallSizes(s.scop, seed))) ==
               ruleOf(problem);
      });
      INFO("minimised:\n" << printed(small));
      FAIL(problem);
    }
    (verdict.empty() ? legal : illegal) += 1;
    ++ofKind[treeKindOf(seed)][verdict.empty()];
    const std::vector<int64_t> &at = sizes[seed % sizes.size()];
    if (verdict.empty()) {
      problem = bitsProblem(program, tree, at, seed);
      CAPTURE(at);
      REQUIRE(problem == "");
      continue;
    }
    // That its bits differ, too, is likely, not certain.
    bool isOrder = verdict[0].rule != Violation::Rule::Coverage &&
                   verdict[0].rule != Violation::Rule::KernelOrder;
    if (isOrder && seed % 4 == 0)
      shown += 4 * (bitsProblem(program, tree, sizes.back(), seed) != "");
  }
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  std::cout << "random orders from seed " << firstSeed << ": " << legal
            << " legal, " << illegal << " illegal (";
  for (unsigned kind = 0; kind < kTreeKinds; ++kind)
    std::cout << (kind ? ", " : "") << kTreeKindNames[kind] << " "
              << ofKind[kind][1] << " and " << ofKind[kind][0];
  std::cout << "), about " << shown << " of them with other bits, in "
            << seconds << " s\n";
  if (count >= 1000) {
    CHECK(legal * 3 >= count);
    CHECK(illegal * 3 >= count);
    CHECK(shown * 4 >= illegal);
  }
}

//===----------------------------------------------------------------------===//
// Planted faults
//===----------------------------------------------------------------------===//

namespace {

enum class Fault {
  NoFlow,
  NoAnti,
  NoOutput,
  OneDependence,
  NoOrderOfTerm,
  FlippedCoincident,
  OtherMerge
};

const char *nameOf(Fault fault) {
  switch (fault) {
  case Fault::NoFlow:
    return "flow dependences left out";
  case Fault::NoAnti:
    return "anti dependences left out";
  case Fault::NoOutput:
    return "output dependences left out";
  case Fault::OneDependence:
    return "one dependence left out";
  case Fault::NoOrderOfTerm:
    return "reductions taken for unordered";
  case Fault::FlippedCoincident:
    return "a member called coincident after the check";
  case Fault::OtherMerge:
    return "cells merged in another order";
  }
  return "";
}

/// What a faulty judge says.
std::vector<Violation> judgedWith(Fault fault, const Scop &scop,
                                  const ScheduleTree &tree, unsigned seed) {
  Scop seen = scop;
  if (fault == Fault::NoOrderOfTerm)
    for (poly::Reduction &reduction : seen.reductions)
      reduction.associative = true;
  Diagnostics diags;
  std::optional<Dependences> found = poly::computeDependences(seen, {}, diags);
  REQUIRE(found);
  auto without = [&](DependenceKind kind) {
    std::erase_if(found->list, [&](const poly::Dependence &dependence) {
      return dependence.kind == kind;
    });
  };
  if (fault == Fault::NoFlow)
    without(DependenceKind::Flow);
  if (fault == Fault::NoAnti)
    without(DependenceKind::Anti);
  if (fault == Fault::NoOutput)
    without(DependenceKind::Output);
  if (fault == Fault::OneDependence && !found->list.empty())
    found->list.erase(found->list.begin() +
                      std::ptrdiff_t(seed % found->list.size()));
  return poly::checkLegality(seen, *found, tree, {});
}

void flipCoincident(poly::Node &node, std::mt19937 &random) {
  for (poly::Member &member : node.members)
    if (member.binding == poly::Binding::Loop && random() % 3 == 0)
      member.coincident = true;
  for (poly::NodePtr &child : node.children)
    flipCoincident(*child, random);
}

/// Turns the fault on or off in what is run.
void plantMerge(OrderedProgram &program) {
  for (scop::StatementInfo &info : program.map().statements)
    info.mergeOrder = info.mergeOrder == scop::MergeOrder::Halving
                          ? scop::MergeOrder::Pairwise
                          : scop::MergeOrder::Halving;
}

} // namespace

TEST_CASE("planted faults are found", "[random]") {
  constexpr unsigned kMost = 1000;
  for (Fault fault :
       {Fault::NoFlow, Fault::NoAnti, Fault::NoOutput, Fault::OneDependence,
        Fault::NoOrderOfTerm, Fault::FlippedCoincident, Fault::OtherMerge}) {
    INFO(nameOf(fault));
    unsigned byEnumeration = 0, byBits = 0, number = 0;
    std::optional<Specimen> small;
    Cases cases(fromEnvironment("GIRIH_ORDER_SEED", 1));
    bool onlyBits = fault == Fault::OtherMerge;
    for (; number < kMost && (!byBits || (!byEnumeration && !onlyBits));
         ++number) {
      OrderedProgram &program = cases.program(number);
      const Scop &scop = program.scop();
      unsigned seed = cases.treeSeed(number);
      ScheduleTree tree = drawTree(scop, seed);
      if (!judgedWith(fault, scop, tree, seed).empty())
        continue;
      if (fault == Fault::FlippedCoincident) {
        std::mt19937 random(seed);
        flipCoincident(*tree.root, random);
      }
      SizeList sizes = smallSizes(scop, seed);
      auto isFound = [&](const Specimen &s, const SizeList &at) {
        return !verdictProblem(s.scop, s.tree, {}, at).empty();
      };
      if (!byEnumeration && isFound({scop, cloned(tree)}, sizes)) {
        byEnumeration = number + 1;
        if (fault != Fault::FlippedCoincident)
          small = minimised(scop, tree, [&](const Specimen &s) {
            // Which of the dependences it is does not matter.
            unsigned tries = fault == Fault::OneDependence ? 12 : 1;
            bool isMissed = false;
            for (unsigned t = 0; t < tries && !isMissed; ++t)
              isMissed = judgedWith(fault, s.scop, s.tree, seed + t).empty();
            return isMissed && isFound(s, smallSizes(s.scop, seed));
          });
      }
      const auto &large = sizes[sizes.size() < 2 ? 0 : sizes.size() - 2];
      if (onlyBits)
        plantMerge(program);
      if (!byBits && bitsProblem(program, tree, large, seed) != "")
        byBits = number + 1;
      if (onlyBits)
        plantMerge(program);
    }
    std::cout << nameOf(fault) << ": found by bits in case " << byBits;
    if (!onlyBits)
      std::cout << ", by enumeration in case " << byEnumeration;
    std::cout << "\n";
    CHECK(byBits > 0);
    CHECK((byEnumeration > 0 || onlyBits));
    if (small) {
      INFO(printed(*small));
      // Two instances are a conflict: more than their statements are noise.
      CHECK(small->scop.statements.size() <= 2);
    }
  }
}
