//===- DirectiveTest.cpp - schedules that people write --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/Middle.h"
#include "test/unit/passes/ScopRun.h"

#include "compiler/target/KnownTargets.h"
#include "passes/schedule/Completion.h"
#include "passes/schedule/DirectiveBuilder.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::test;
namespace dir = girih::schedule::directive;
using dir::Directive;

namespace {

/// A program with a schedule in the making.
class Written {
public:
  explicit Written(const std::string &text) : program(text) {
    const poly::Scop &scop = program.scop().scop;
    dependences = poly::computeDependences(scop, {}, diags);
    REQUIRE(dependences);
    model = std::make_unique<schedule::ScheduleModel>(
        scop, *dependences, scop::ownersOf(program.scop()), poly::PolyBudget());
  }

  Written &apply(const Directive &directive) {
    bool good = model->apply(directive, diags);
    INFO(diags.renderText(false) << "\n" << text());
    REQUIRE(good);
    return *this;
  }

  /// Code, message and helps of the refusal.
  std::string refusal(const Directive &directive) {
    Diagnostics said;
    std::string before = text();
    CHECK_FALSE(model->apply(directive, said));
    CHECK(text() == before);
    std::string all;
    for (const Diagnostic &diagnostic : said.all()) {
      all += diagnostic.code + ": " + diagnostic.message + "\n";
      for (const std::string &help : diagnostic.helps)
        all += "help: " + help + "\n";
    }
    return all;
  }

  std::string text() {
    return poly::printScheduleTree(program.scop().scop, model->tree());
  }

  /// Completes the schedule, proves it, and runs it in its own order, twice in
  /// different orders of what may run at once.
  void check(const Sizes &sizes) {
    const poly::Scop &scop = program.scop().scop;
    target::GpuTarget target = *target::findTarget("sm_90a");
    schedule::CompletionInput input{scop, *dependences, target, {},
                                    {},   false,        {}};
    INFO(text());
    auto made = schedule::complete(*model, input, diags);
    INFO(diags.renderText(false));
    REQUIRE(made);
    INFO(poly::printScheduleTree(scop, made->tree));
    bool good = poly::verifyScheduleTree(scop, made->tree, diags);
    auto violations = poly::checkLegality(scop, *dependences, made->tree, {});
    poly::reportViolations(scop, violations, diags);
    INFO(diags.renderText(false));
    REQUIRE(good);
    REQUIRE(violations.empty());
    auto loops = poly::generateLoops(scop, made->tree, {}, diags);
    REQUIRE(loops);
    auto arguments = program.arguments(sizes);
    auto expected = program.expected(sizes, arguments);
    for (unsigned seed : {1, 2}) {
      ScopRun run(program.func(), program.scop(), program.params(sizes),
                  arguments);
      run.runScheduled(made->tree, *loops, seed);
      CHECK(difference(run.results(), expected) == "");
    }
  }

  Middle program;
  Diagnostics diags;
  std::optional<poly::Dependences> dependences;
  std::unique_ptr<schedule::ScheduleModel> model;
};

const char *kAdd = "op add(A: f32[M, N], B: f32[M, N]) -> C: f32[M, N] {\n"
                   "  C[i, j] = A[i, j] + B[i, j]\n}\n";
const char *kProduct =
    "op product(A: f32[M, K], B: f32[K, N]) -> C: f32[M, N] {\n"
    "  C[i, j] = sum[k](A[i, k] * B[k, j])\n}\n";
/// Two statements: P is read at P's own place and one beside it.
const char *kChain = "op chain(X: f32[N]) -> P: f32[N], Y: f32[N] {\n"
                     "  P[i] = X[i] * 2\n"
                     "  Y[i] = P[i] + 1\n}\n";
const char *kShifted = "op shifted(X: f32[N]) -> P: f32[N], Y: f32[N] {\n"
                       "  P[i] = X[i] * 2\n"
                       "  Y[i] = P[i] + (P[i + 1] else 0)\n}\n";

} // namespace

TEST_CASE("a tiled elementwise statement", "[directive]") {
  Written w(kAdd);
  w.apply(dir::tile({"C.i", "C.j"}, {8, 32}))
      .apply(dir::map({"io", "jo"}, "grid"))
      .apply(dir::map({"ii", "ji"}, "thread"));
  w.check({{"M", 13}, {"N", 70}});
  CHECK(w.model->undo());
  w.check({{"M", 13}, {"N", 70}});
}

TEST_CASE("loops that were not mapped are completed", "[directive]") {
  {
    Written w(kAdd);
    w.apply(dir::interchange("i", "j"));
    w.check({{"M", 13}, {"N", 70}});
  }
  {
    Written w(kProduct);
    w.apply(dir::tile({"i", "j"}, {16, 16}));
    w.check({{"M", 33}, {"N", 17}, {"K", 21}});
  }
  {
    Written w(kProduct);
    w.apply(dir::split("C.k", 4, {"ko", "ki"}));
    w.check({{"M", 5}, {"N", 17}, {"K", 21}});
  }
}

TEST_CASE("a producer computed where it is read", "[directive]") {
  Written w(kChain);
  w.apply(dir::split("Y.i", 64, {"io", "ii"}))
      .apply(dir::computeAt("P", "Y.io"))
      .apply(dir::map({"Y.io"}, "grid"));
  w.check({{"N", 200}});
  w.apply(dir::computeRoot("P"));
  w.check({{"N", 200}});
}

TEST_CASE("fused and distributed loops", "[directive]") {
  Written w(kChain);
  w.apply(dir::fuse({"P", "Y"}, "P.i"));
  w.check({{"N", 77}});
  w.apply(dir::distribute("P.i"));
  w.check({{"N", 77}});
}

TEST_CASE("what directives may not do", "[directive]") {
  using Catch::Contains;
  {
    Written w(kShifted);
    CHECK_THAT(w.refusal(dir::fuse({"P", "Y"}, "P.i")),
               Contains("G0701") && Contains("runs Y_map[0]") &&
                   Contains("before P_map[1]") && Contains("N = 2"));
    CHECK_THAT(w.refusal(dir::computeAt("P", "Y.i")), Contains("G0701"));
  }
  {
    Written w(kProduct);
    CHECK_THAT(w.refusal(dir::map({"C.k"}, "thread")), Contains("G0723"));
    CHECK_THAT(w.refusal(dir::split("C.q", 2)),
               Contains("G0720: 'C' has no loop 'q'") &&
                   Contains("the loops are now i, j, k"));
    CHECK_THAT(w.refusal(dir::computeAt("C", "C.i")),
               Contains("'C.i' is a loop of 'C' itself"));
    w.apply(dir::split("C.k", 8, {"ko", "ki"}));
    CHECK_THAT(w.refusal(dir::reorder({"ki", "ko"})), Contains("G0703"));
    CHECK_THAT(w.refusal(dir::map({"ki"}, "thread")), Contains("G0702"));
  }
}
