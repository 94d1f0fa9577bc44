//===- RandomDirectiveTest.cpp - schedules nobody would write -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directives drawn at random from the loops that are there. Whatever is
// accepted must complete, or be refused with a code of its own, and then
// compute what the text means, bit for bit, in every order of what may run at
// once.
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/Middle.h"
#include "test/unit/passes/Programs.h"
#include "test/unit/passes/ScopRun.h"

#include "compiler/target/KnownTargets.h"
#include "passes/schedule/Completion.h"
#include "passes/schedule/DirectiveBuilder.h"
#include "passes/schedule/DirectiveList.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <random>

using namespace girih;
using namespace girih::test;
namespace dir = girih::schedule::directive;
using dir::Directive;

namespace {

/// Draws directives about the loops and statements of a model.
class Dice {
public:
  explicit Dice(unsigned seed) : random(seed) {}
  size_t below(size_t end) { return random() % end; }

  Directive draw(const schedule::ScheduleModel &model) {
    const poly::Scop &scop = model.scop();
    std::vector<std::string> loops;
    std::set<std::pair<const void *, size_t>> seen;
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      for (const poly::Node *node : poly::pathOf(model.tree(), s))
        for (size_t m = 0; m < node->members.size(); ++m)
          if (seen.insert({node, m}).second)
            loops.push_back(scop.statements[s].name + "." +
                            node->members[m].name);
    auto loop = [&] { return loops[below(loops.size())]; };
    auto family = [&] {
      return model.families()[below(model.families().size())].name;
    };
    int64_t factor = 1 + int64_t(below(9));
    std::string suffix = std::to_string(count++);
    if (loops.empty())
      return dir::threads(32);
    switch (below(12)) {
    case 0:
    case 1:
      return dir::split(loop(), factor, {"o" + suffix, "i" + suffix});
    case 2:
      return dir::tile(
          {loop(), loop()}, {factor, 4},
          {"a" + suffix, "b" + suffix, "c" + suffix, "d" + suffix});
    case 3:
      return dir::reorder({loop(), loop()});
    case 4:
      return dir::interchange(loop(), loop());
    case 5:
      return dir::skew(loop(), 1, loop());
    case 6:
      return dir::map({loop()}, below(2) ? "grid" : "thread");
    case 7:
      return below(2) ? dir::unroll({loop()}) : dir::vectorize(loop());
    case 8:
      return dir::computeAt(family(), loop());
    case 9:
      return dir::fuse({family(), family()}, below(3) ? loop() : "");
    case 10:
      return dir::distribute(loop());
    default:
      return below(2) ? dir::computeRoot(family()) : dir::threads(64);
    }
  }

private:
  std::mt19937 random;
  unsigned count = 0;
};

struct Counts {
  unsigned applied = 0, refused = 0, illegal = 0, run = 0, notMade = 0;
};

void tryOne(const Program &source, unsigned seed, Counts &counts) {
  INFO(source.name << ", seed " << seed);
  Middle program(source.text);
  const poly::Scop &scop = program.scop().scop;
  Diagnostics diags;
  auto dependences = poly::computeDependences(scop, {}, diags);
  REQUIRE(dependences);
  schedule::ScheduleModel model(scop, *dependences,
                                scop::ownersOf(program.scop()), {});
  Dice dice(seed);
  for (unsigned step = 1 + dice.below(12); step > 0; --step) {
    Diagnostics said;
    std::string before = poly::printScheduleTree(scop, model.tree());
    if (model.apply(dice.draw(model), said)) {
      ++counts.applied;
      continue;
    }
    REQUIRE(said.hasErrors());
    INFO(said.renderText(false));
    CHECK(said.all()[0].code.substr(0, 3) == "G07");
    counts.illegal += said.all()[0].code < "G0710";
    ++counts.refused;
    CHECK(poly::printScheduleTree(scop, model.tree()) == before);
  }
  INFO(poly::printScheduleTree(scop, model.tree()));
  target::GpuTarget target = *target::findTarget("sm_90a");
  schedule::CompletionInput input{scop, *dependences, target, {},
                                  {},   false,        {}};
  auto made = schedule::complete(model, input, diags);
  if (!made) {
    REQUIRE(diags.hasErrors());
    CHECK(diags.all()[0].code.substr(0, 4) == "G072");
    ++counts.notMade;
    return;
  }
  INFO(poly::printScheduleTree(scop, made->tree));
  bool good = poly::verifyScheduleTree(scop, made->tree, diags);
  auto violations = poly::checkLegality(scop, *dependences, made->tree, {});
  poly::reportViolations(scop, violations, diags);
  INFO(diags.renderText(false));
  REQUIRE(good);
  REQUIRE(violations.empty());
  auto loops = poly::generateLoops(scop, made->tree, {}, diags);
  REQUIRE(loops);
  const Sizes &sizes = source.sizes.front();
  auto arguments = program.arguments(sizes);
  auto expected = program.expected(sizes, arguments);
  ScopRun run(program.func(), program.scop(), program.params(sizes), arguments);
  std::string problem;
  try {
    run.runScheduled(made->tree, *loops, seed);
    problem = difference(run.results(), expected);
  } catch (const std::runtime_error &error) {
    problem = error.what();
  }
  CHECK(problem == "");
  ++counts.run;
}

} // namespace

TEST_CASE("random directives keep every bit", "[schedule][random]") {
  const char *asked = std::getenv("GIRIH_DIRECTIVE_CASES");
  unsigned cases = asked ? unsigned(std::atoi(asked)) : 12;
  Counts counts;
  for (const Program &program : programs())
    for (unsigned seed = 1; seed <= cases; ++seed)
      tryOne(program, seed, counts);
  INFO(counts.applied << " applied, " << counts.refused << " refused, of them "
                      << counts.illegal << " illegal, " << counts.run
                      << " run, " << counts.notMade << " not made");
  CHECK(counts.run > counts.notMade);
  CHECK(counts.illegal > 0);
}

TEST_CASE("one member judged is the member judged with the whole tree",
          "[schedule]") {
  for (const Program &source : programs()) {
    INFO(source.name);
    Middle program(source.text);
    const poly::Scop &scop = program.scop().scop;
    Diagnostics diags;
    auto dependences = poly::computeDependences(scop, {}, diags);
    REQUIRE(dependences);
    schedule::ScheduleModel model(scop, *dependences,
                                  scop::ownersOf(program.scop()), {});
    poly::ScheduleTree tree;
    tree.root = poly::cloneNode(*model.tree().root);
    schedule::walk(*tree.root, [&](poly::Node &node) {
      for (size_t m = 0; m < node.members.size(); ++m) {
        if (node.members[m].binding == poly::Binding::Time)
          continue;
        INFO(node.members[m].name);
        bool quick =
            !poly::carriedBy(scop, *dependences, tree, node, m, {}).has_value();
        node.members[m].coincident = true;
        bool whole = poly::checkLegality(scop, *dependences, tree, {}).empty();
        node.members[m].coincident = false;
        CHECK(quick == whole);
      }
    });
  }
}
