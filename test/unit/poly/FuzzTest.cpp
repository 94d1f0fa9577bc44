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
#include "test/unit/poly/RandomTree.h"
#include "test/unit/poly/Samples.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <random>

using namespace girih;
using namespace girih::poly;

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
    ScheduleTree tree = test::TreeGenerator(scop, seed).make();
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
