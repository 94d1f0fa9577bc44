//===- InOrderTest.cpp - programs in the order of given trees -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Diagnostics.h"
#include "passes/schedule/DefaultSchedule.h"
#include "test/unit/order/OrderedProgram.h"
#include "test/unit/order/RandomProgram.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <set>

using namespace girih;
using namespace girih::test;
using poly::AtOnce;

namespace {

constexpr AtOnce kWays[] = {AtOnce::Ascending, AtOnce::Descending,
                            AtOnce::Shuffled};

poly::ScheduleTree chosenFor(OrderedProgram &program) {
  return std::move(
      schedule::chooseSchedule(program.scop(), *target::findTarget("sm_90a"))
          .tree);
}

poly::ScheduleTree treeOf(OrderedProgram &program, const std::string &text) {
  Diagnostics diags;
  auto tree = poly::readScheduleTree(program.scop(), text, diags);
  INFO(diags.renderText(false));
  REQUIRE(tree);
  REQUIRE(poly::verifyScheduleTree(program.scop(), *tree, diags));
  return std::move(*tree);
}

std::string differenceIn(OrderedProgram &program,
                         const poly::ScheduleTree &tree,
                         const std::vector<int64_t> &sizes, AtOnce atOnce,
                         uint64_t seed = 1) {
  return program.difference(
      poly::treeOrder(program.scop(), tree, sizes, atOnce, seed), sizes, seed);
}

} // namespace

TEST_CASE("the text's order and the chosen one give the reference's bits") {
  for (const char *name :
       {"row_sum", "softmax", "swiglu", "ffn_silu", "whole_sum", "heat",
        "jacobi2d", "lower_triangle", "conv2d_padded", "max_pool"}) {
    CAPTURE(name);
    OrderedProgram program(exampleText(name));
    std::vector<int64_t> sizes = program.paramsOf(5);
    CHECK(program.difference(poly::textOrder(program.scop(), sizes), sizes,
                             1) == "");
    poly::ScheduleTree tree = chosenFor(program);
    for (AtOnce way : kWays)
      CHECK(differenceIn(program, tree, sizes, way) == "");
  }
}

TEST_CASE("every instance once, whatever the order") {
  OrderedProgram program(exampleText("softmax"));
  std::vector<int64_t> sizes{3, 4};
  poly::ScheduleTree tree = chosenFor(program);
  poly::InstanceOrder text = poly::textOrder(program.scop(), sizes);
  for (AtOnce way : kWays) {
    poly::InstanceOrder order =
        poly::treeOrder(program.scop(), tree, sizes, way, 7);
    std::set<std::pair<unsigned, unsigned>> begun, done;
    for (const poly::InstanceStep &step : order.steps) {
      std::pair<unsigned, unsigned> who{step.statement, step.instance};
      if (step.part != poly::InstanceStep::Part::Write)
        CHECK(begun.insert(who).second);
      if (step.part != poly::InstanceStep::Part::Read)
        CHECK(done.insert(who).second);
      CHECK(begun.count(who) == 1);
    }
    CHECK(done.size() == text.steps.size());
  }
}

TEST_CASE("random programs in the text's and the chosen order") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::string text = randomProgram(seed);
    CAPTURE(seed);
    INFO(text);
    OrderedProgram program(text);
    for (int64_t size : {1, 2, 5}) {
      std::vector<int64_t> sizes(program.scop().params.size(), size);
      CHECK(program.difference(poly::textOrder(program.scop(), sizes), sizes,
                               seed) == "");
      poly::ScheduleTree tree = chosenFor(program);
      for (AtOnce way : kWays)
        CHECK(differenceIn(program, tree, sizes, way, seed) == "");
    }
  }
}

TEST_CASE("wrong orders show") {
  OrderedProgram program("op f(x: f32[N]) -> s: f32 where N >= 1 {\n"
                         "  s = sum[i, order=sequential](x[i])\n}\n");
  const std::string text = "schedule f\n"
                           "  sequence\n"
                           "    filter s_init\n"
                           "    filter s_upd\n"
                           "      band\n"
                           "        member a loop: s_upd -> i\n"
                           "    filter s_merge\n";
  auto with = [&](const std::string &member) {
    std::string changed = text;
    std::string old = "member a loop: s_upd -> i";
    return treeOf(program,
                  changed.replace(changed.find(old), old.size(), member));
  };
  std::vector<int64_t> sizes{9};
  for (AtOnce way : kWays)
    CHECK(differenceIn(program, with("member a loop: s_upd -> i"), sizes,
                       way) == "");
  // Backwards: another association. Called coincident, that depends.
  CHECK(differenceIn(program, with("member a loop: s_upd -> -i"), sizes,
                     AtOnce::Ascending) != "");
  poly::ScheduleTree apart = with("member a loop coincident: s_upd -> i");
  CHECK(differenceIn(program, apart, sizes, AtOnce::Ascending) == "");
  CHECK(differenceIn(program, apart, sizes, AtOnce::Descending) != "");
  CHECK(differenceIn(program, apart, sizes, AtOnce::Shuffled) != "");
}

TEST_CASE("updates at once lose each other, even of a maximum") {
  OrderedProgram program("op f(x: f32[M, N]) -> s: f32[M]\n"
                         "    where M >= 1, N >= 1, N <= 8 {\n"
                         "  s[i] = max[j](x[i, j])\n}\n");
  poly::ScheduleTree tree =
      treeOf(program, "schedule f\n"
                      "  sequence\n"
                      "    filter s_init\n"
                      "      band\n"
                      "        member a loop: s_init -> i\n"
                      "        member b loop: s_init -> l\n"
                      "    filter s_upd\n"
                      "      band\n"
                      "        member a loop: s_upd -> i\n"
                      "        member b loop: s_upd -> l\n"
                      "        member c loop: s_upd -> q\n"
                      "        member d loop coincident: s_upd -> e\n"
                      "    filter s_merge\n"
                      "      band\n"
                      "        member a loop: s_merge -> i\n");
  unsigned lost = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    CHECK(differenceIn(program, tree, {3, 8}, AtOnce::Descending, seed) == "");
    lost += differenceIn(program, tree, {3, 8}, AtOnce::Shuffled, seed) != "";
  }
  CHECK(lost > 0);
}
