//===- RoundTripTest.cpp - every form read back gives the same PTX --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/pipeline/Compile.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::test;
using pipeline::CompileOptions;
using pipeline::Phase;

namespace {

/// Without the program's lines: those of a form that was read are its own.
std::string withoutLines(const std::string &ptx) {
  std::string result;
  for (size_t begin = 0; begin < ptx.size();) {
    size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
    std::string line = ptx.substr(begin, end - begin);
    if (line.rfind("\t.loc", 0) && line.rfind("\t.file", 0))
      result += line;
    begin = end;
  }
  return result;
}

/// Everything that decides what runs; reports are for people.
void checkSamePlan(const artifact::Artifact &a, const artifact::Artifact &b) {
  CHECK(a.target == b.target);
  CHECK(a.contract.functions == b.contract.functions);
  CHECK(a.contract.reductions == b.contract.reductions);
  CHECK(a.teModule == b.teModule);
  CHECK(a.signature.op == b.signature.op);
  CHECK(a.signature.sizes == b.signature.sizes);
  CHECK(a.signature.given == b.signature.given);
  CHECK(a.provenance == b.provenance);
  REQUIRE(a.variants.size() == b.variants.size());
  artifact::Artifact left = a, right = b;
  for (artifact::Artifact *plan : {&left, &right}) {
    plan->edited = false;
    for (artifact::Variant &variant : plan->variants) {
      variant.reports.clear();
      variant.ptx = withoutLines(variant.ptx);
    }
  }
  for (size_t v = 0; v < a.variants.size(); ++v)
    CHECK(left.variants[v].ptx == right.variants[v].ptx);
  CHECK(artifact::serialize(left) == artifact::serialize(right));
}

void checkRoundTrips(const std::string &source, const CompileOptions &options) {
  Outcome straight = compileText(source, options);
  INFO(straight.errors);
  REQUIRE(straight);
  REQUIRE(straight.result->artifact);
  CHECK_FALSE(straight.result->artifact->edited);
  for (const pipeline::PhaseInfo &info : pipeline::kPhases) {
    INFO("from " << info.name);
    std::string text = formOf(source, info.phase, options);
    CompileOptions back = readingFrom(info.phase);
    back.target = options.target;
    if (info.phase == Phase::Ast) // before sizes and functions are settled
      back.given = options.given, back.functions = options.functions;
    Outcome again = compileText(text, back);
    INFO(again.errors);
    REQUIRE(again);
    checkSamePlan(*straight.result->artifact, *again.result->artifact);
    CHECK(again.result->artifact->edited == (info.phase > Phase::Schedule));
    // A form read and printed is the form.
    back.last = info.phase;
    Outcome printed = compileText(text, back);
    INFO(printed.errors);
    REQUIRE(printed);
    CHECK(printed.result->text == text);
  }
}

} // namespace

TEST_CASE("every form of the examples gives the same PTX", "[pipeline]") {
  for (const char *name : kExamples) {
    INFO(name);
    checkRoundTrips(exampleText(name), {});
  }
}

TEST_CASE("forms with given sizes and portable functions", "[pipeline]") {
  for (const char *name : kExamples) {
    INFO(name);
    CompileOptions options;
    options.functions = "portable";
    options.given = {{"N", 1000}};
    checkRoundTrips(exampleText(name), options);
  }
  CompileOptions options;
  options.target = "sm_80";
  options.given = {{"M", 128}, {"K", 64}, {"N", 256}};
  checkRoundTrips(exampleText("ffn_silu"), options);
}

TEST_CASE("forms of programs with sums and rules as subscripts", "[pipeline]") {
  checkRoundTrips(exampleText("heat"), {});
  checkRoundTrips(exampleText("conv2d"), {});
  CompileOptions options;
  options.given = {{"W", 12}, {"S", 3}};
  checkRoundTrips(exampleText("conv2d"), options);
  checkRoundTrips("op f(X: bf16[M, N]) -> Y: f32[M, N - 1] where N > 0 {\n"
                  "  Y[i, j] = sum[r in 0..3, s in -1..2](f32(\n"
                  "    X[reflect(i + r - 1), wrap(2 * j - s)] else 2))\n"
                  "    + f32(X[clamp(7), j + 1])\n}\n",
                  {});
}

TEST_CASE("forms of programs with derived sizes", "[pipeline]") {
  checkRoundTrips(exampleText("rotary"), {});
  std::string pool = "op pool(X: f32[H]) -> Y: f32[OH, 2]\n"
                     "    where OH = (H + 1) / 2 {\n"
                     "  Y[i, j] = sum[k in 0..3](X[2 * i + k - 1] else 0)\n"
                     "    + f32(OH) + X[H / 3]\n}\n";
  checkRoundTrips(pool, {});
  CompileOptions options;
  options.given = {{"H", 13}};
  checkRoundTrips(pool, options);
}

TEST_CASE("forms of other orders", "[pipeline]") {
  for (const char *order :
       {"sequential", "seg(64, seq)", "seg(12, seg(5, seq))",
        "seg(8, lanes(4, 1), m = seg(4, seq))", "lanes(64, 2)"})
    checkRoundTrips("op f(X: f32[M, N]) -> Y: f32[M] {\n  Y[i] = sum[k, "
                    "order=" +
                        std::string(order) + "](X[i, k])\n}\n",
                    {});
  checkRoundTrips("op f(X: f32[M, 64]) -> Y: f32[M] {\n"
                  "  Y[i] = sum[k, order=tree(8, seq)](X[i, k])\n}\n",
                  {});
}

TEST_CASE("a compile says what it did", "[pipeline]") {
  Outcome outcome = compileText(exampleText("row_sum"));
  REQUIRE(outcome);
  std::vector<Phase> phases;
  for (const pipeline::PhaseTime &time : outcome.result->times) {
    phases.push_back(time.phase);
    CHECK(time.milliseconds >= 0);
  }
  CHECK(phases == std::vector<Phase>{Phase::Ast, Phase::Te, Phase::Assoc,
                                     Phase::Scop, Phase::Schedule, Phase::Tile,
                                     Phase::Llvm, Phase::Ptx});
  std::string report;
  for (const std::string &line : outcome.result->report)
    report += line + "\n";
  INFO(report);
  for (const char *part : {"S: sum over k by lanes(4096, 4), leaf plain",
                           "row_sum__0", "vector", "general"})
    CHECK(report.find(part) != std::string::npos);
  // Less is made when less is asked for.
  CompileOptions options;
  options.last = Phase::Te;
  outcome = compileText(exampleText("row_sum"), options);
  REQUIRE(outcome);
  CHECK(outcome.result->times.size() == 2);
  CHECK_FALSE(outcome.result->artifact);
}
