//===- InPlaceTest.cpp - several writers, self-dependences, time loops ----===//
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

using namespace girih;
using namespace girih::poly;

namespace {

Dependences dependencesOf(const Scop &scop) {
  Diagnostics diags;
  auto found = computeDependences(scop, {}, diags);
  REQUIRE(found);
  CHECK_FALSE(found->conservative);
  return *found;
}

/// "flow a -> b by Y", each once, sorted.
std::vector<std::string> kinds(const Scop &scop) {
  std::vector<std::string> list;
  for (const Dependence &d : dependencesOf(scop).list) {
    const char *names[] = {"flow", "anti", "output"};
    list.push_back(std::string(names[unsigned(d.kind)]) + " " +
                   scop.statements[d.source].name + " -> " +
                   scop.statements[d.sink].name + " by " +
                   scop.arrays[d.array].name);
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<Violation> judge(const Scop &scop, const std::string &text,
                             int64_t high = 4) {
  ScheduleTree tree = test::tree(scop, text);
  Diagnostics diags;
  bool sound = verifyScheduleTree(scop, tree, diags);
  INFO(diags.renderText(false));
  REQUIRE(sound);
  std::vector<Violation> violations =
      checkLegality(scop, dependencesOf(scop), tree, {});
  bool all = true;
  for (const auto &sizes : test::allSizes(scop.params.size(), 0, high))
    all &= isLegalByEnumeration(scop, tree, sizes);
  CHECK(all == violations.empty());
  if (violations.empty())
    test::requireExact(scop, tree, high);
  return violations;
}

std::string transposedTree(const std::string &first,
                           const std::string &second) {
  return R"(schedule transposed
  sequence
    filter X
      kernel "k" threads 32 { X global }
        band
          member a )" +
         first + R"(
          member b )" +
         second + "\n";
}

/// The stencil, B placed as said.
std::string stencilTree(const std::string &place) {
  return R"(schedule stencil
  sequence
    filter B0
      kernel "k0" threads 32 { B )" +
         place + R"( }
        band
          member i grid coincident: B0 -> i
    filter B1, A1
      band
        member turn time: B1 -> t; A1 -> t
        sequence
          filter B1
            kernel "k1" threads 32 { B )" +
         place + R"( }
              band
                member i grid coincident: B1 -> i
          filter A1
            kernel "k2" threads 32 { A global }
              band
                member i grid coincident: A1 -> i
    filter S
      kernel "k3" threads 32 { S global }
        band
          member i grid coincident: S -> i
)";
}

std::string errorsOf(const Scop &scop, const std::string &text) {
  Diagnostics diags;
  auto tree = readScheduleTree(scop, text, diags);
  REQUIRE(tree);
  CHECK_FALSE(verifyScheduleTree(scop, *tree, diags));
  return diags.renderText(false);
}

} // namespace

TEST_CASE("each of several writers is a source", "[inplace]") {
  using List = std::vector<std::string>;
  CHECK(kinds(test::parts()) ==
        List{"flow a -> b by Y", "flow a -> c by Y", "flow b -> c by Y"});
  CHECK(kinds(test::transposed()) ==
        List{"anti X -> X by X", "flow X -> X by X"});
}

TEST_CASE("time loops order their statements turn by turn", "[inplace]") {
  std::vector<std::string> all = kinds(test::stencil());
  auto has = [&](const std::string &one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  CHECK(has("flow A1 -> B1 by A")); // of the turn before
  CHECK(has("flow B1 -> A1 by B"));
  CHECK(has("anti B1 -> A1 by A"));
  CHECK(has("anti A1 -> B1 by B"));
  CHECK(has("flow A1 -> S by A"));
  // What each turn overwrites reaches nobody.
  CHECK_FALSE(has("flow B0 -> A1 by B"));
}

TEST_CASE("a transposition in place has one legal order", "[inplace]") {
  Scop scop = test::transposed();
  CHECK(judge(scop, transposedTree("loop: X -> i", "loop: X -> j")).empty());
  // By columns the other half is read first: then it is another program.
  CHECK_FALSE(
      judge(scop, transposedTree("loop: X -> j", "loop: X -> i")).empty());
  for (const char *first :
       {"grid coincident: X -> i", "loop coincident: X -> i"}) {
    auto violations = judge(scop, transposedTree(first, "loop: X -> j"));
    REQUIRE_FALSE(violations.empty());
    CHECK(violations[0].rule == Violation::Rule::Coincidence);
    CHECK(violations[0].message.find("carries a dependence by 'X'") !=
          std::string::npos);
  }
}

TEST_CASE("what a turn leaves is in memory", "[inplace]") {
  Scop scop = test::stencil();
  CHECK(judge(scop, stencilTree("workspace"), 3).empty());
  auto violations = judge(scop, stencilTree("register"), 3);
  REQUIRE_FALSE(violations.empty());
  CHECK(violations[0].rule == Violation::Rule::KernelOrder);
  CHECK(violations[0].message.find("keeps 'B' to its blocks, but in") !=
        std::string::npos);
}

TEST_CASE("cells made anew in each turn may be in registers", "[inplace]") {
  auto text = [](const std::string &timed) {
    return R"(schedule timed
  sequence
    filter s_init, s_upd, s_merge, X
      band
        member turn time: s_init -> t; s_upd -> t; s_merge -> t; X -> t
        sequence
          filter s_init, s_upd, s_merge
            kernel "k1" threads 32 { s workspace, s_acc register }
              sequence
                filter s_init
                filter s_upd
                  band
                    member k loop: s_upd -> )" +
           timed + R"(
                filter s_merge
          filter X
            kernel "k2" threads 32 { X global }
              band
                member i grid coincident: X -> i
)";
  };
  for (bool ordered : {true, false}) {
    Scop scop = test::timedSum(ordered);
    CHECK(judge(scop, text("k"), 3).empty());
    CHECK(judge(scop, text("-k"), 3).empty() != ordered);
  }
  // Without the init in every turn the cell hands its value on.
  Scop scop = test::timedSum(true);
  scop.statements[0].constraints.push_back(Affine::dim(0, -1));
  auto violations = judge(scop, text("k"), 3);
  REQUIRE_FALSE(violations.empty());
  CHECK(violations[0].message.find("keeps 's_acc' to its blocks, but in a "
                                   "later turn") != std::string::npos);
}

TEST_CASE("time members are the turns of a loop, above its kernels",
          "[inplace]") {
  Scop scop = test::stencil();
  std::string text = stencilTree("workspace");
  CHECK(errorsOf(scop, test::replaced(text, "time: B1 -> t; A1 -> t",
                                      "time: B1 -> i; A1 -> i"))
            .find("time member 'turn' is not the turns of a time loop around "
                  "'B1'") != std::string::npos);
  CHECK(errorsOf(scop, test::replaced(text, "turn time:", "turn loop:"))
            .find("each filter of the root holds one kernel, or the time "
                  "members of a loop") != std::string::npos);
  CHECK(errorsOf(scop, test::replaced(text, "member i grid coincident: B1 -> i",
                                      "member i time: B1 -> i"))
            .find("time member 'i' stands inside a kernel") !=
        std::string::npos);
}

TEST_CASE("time loops and arrays in place are part of the text", "[inplace]") {
  for (const Scop &scop :
       {test::stencil(), test::parts(), test::transposed()}) {
    Diagnostics diags;
    auto again = readScop(printScop(scop), diags);
    REQUIRE(again);
    CHECK(*again == scop);
  }
  auto refusal = [](const std::string &from, const std::string &to) {
    Diagnostics diags;
    std::string text = test::replaced(printScop(test::stencil()), from, to);
    CHECK_FALSE(readScop(text, diags));
    return diags.renderText(false);
  };
  CHECK(refusal("map in t", "map in u").find("time loop 'u' is not declared") !=
        std::string::npos);
  CHECK(refusal("  time t in T\n", "  time t in T\n  time u in N\n")
            .find("a time loop holds no statement") != std::string::npos);
  // The loop would end before A1 and begin again with S.
  std::string apart = test::replaced(
      printScop(test::stencil()), "statement A1 map in t", "statement A1 map");
  apart = test::replaced(apart, "statement S map", "statement S map in t");
  Diagnostics diags;
  CHECK_FALSE(readScop(apart, diags));
  CHECK(diags.renderText(false).find("do not stand side by side") !=
        std::string::npos);
}
