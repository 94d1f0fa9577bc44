//===- RefusalTest.cpp - what a compile refuses, in which words -----------===//
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

using Messages = std::vector<std::string>;

Messages refusal(const std::string &text, const CompileOptions &options) {
  Outcome outcome = compileText(text, options);
  CHECK_FALSE(outcome);
  return outcome.messages;
}

} // namespace

TEST_CASE("options that make no sense", "[pipeline]") {
  std::string source = exampleText("row_sum");
  CompileOptions options;
  options.target = "sm_91";
  Outcome outcome = compileText(source, options);
  CHECK_FALSE(outcome);
  CHECK(outcome.messages == Messages{"G0801: unknown target 'sm_91'"});
  CHECK(outcome.says("help: did you mean 'sm_90'?"));
  options.target = "gfx1100";
  outcome = compileText(source, options);
  CHECK(outcome.messages == Messages{"G0801: unknown target 'gfx1100'"});
  CHECK_FALSE(outcome.says("help"));

  for (Phase phase : {Phase::Te, Phase::Assoc, Phase::Scop, Phase::Schedule,
                      Phase::Tile, Phase::Llvm, Phase::Ptx}) {
    options = readingFrom(phase);
    options.given = {{"N", 4}};
    std::string name(pipeline::infoOf(phase).name);
    outcome = compileText("", options);
    CHECK_FALSE(outcome);
    CHECK(outcome.messages ==
          Messages{"G0817: sizes and functions are fixed in the text of '" +
                   name + "'"});
    CHECK(outcome.says(
        "help: leave out -D and --functions, or start from the source"));
    options.given.clear();
    options.functions = "portable";
    CHECK(refusal("", options).at(0).rfind("G0817: ", 0) == 0);
  }
  CHECK(refusal("", readingFrom(Phase::Ptx, Phase::Te)) ==
        Messages{"G0818: cannot make 'te' from 'ptx', which comes after it"});
  CHECK(refusal("", readingFrom(Phase::Schedule, Phase::Scop)) ==
        Messages{
            "G0818: cannot make 'scop' from 'schedule', which comes after it"});

  options = {};
  options.functions = "quick";
  outcome = compileText(source, options);
  CHECK(outcome.messages ==
        Messages{"G0803: unknown accuracy of functions 'quick'"});
  CHECK(outcome.says("help: say fast or portable"));
  options.functions = "unset";
  CHECK(refusal(source, options).at(0) ==
        "G0803: unknown accuracy of functions 'unset'");
  options = {};
  options.given = {{"Q", 4}};
  CHECK(refusal(source, options).at(0) == "G0603: 'row_sum' has no size 'Q'");
}

TEST_CASE("kernels with too many parameters", "[pipeline]") {
  // 300 vectors: a pointer and a stride each, the output's, and a size.
  std::string inputs, sum;
  for (int n = 0; n < 300; ++n) {
    std::string name = "X" + std::to_string(n);
    inputs += (n ? ", " : "") + name + ": f32[M]";
    sum += (n ? " + " : "") + name + "[i]";
  }
  CHECK(
      refusal("op f(" + inputs + ") -> Y: f32[M] {\n  Y[i] = " + sum + "\n}\n",
              {}) ==
      Messages{"G0819: kernel 'f__0' takes 4824 bytes of parameters, at most "
               "4096 are possible"});
}

TEST_CASE("the operator that is meant", "[pipeline]") {
  std::string source = "op a(X: f32[M]) -> Y: f32[M] {\n  Y[i] = X[i] * 2\n}\n"
                       "op b(X: f32[M]) -> Y: f32[M] {\n  Y[i] = X[i] * 3\n}\n";
  CHECK(refusal(source, {}) ==
        Messages{"G0602: the file defines 2 operators: a, b"});
  CompileOptions options;
  options.op = "b";
  Outcome outcome = compileText(source, options);
  REQUIRE(outcome);
  CHECK(outcome.result->artifact->signature.op == "b");
  options.op = "c";
  CHECK(refusal(source, options)
            .at(0)
            .rfind("G0601: the file has no operator 'c'", 0) == 0);
}

TEST_CASE("a quota ends a proof, never changes a result", "[pipeline]") {
  std::string source = exampleText("softmax");
  std::string expected = formOf(source, Phase::Ptx);
  unsigned stopped = 0;
  for (uint64_t operations = 1; operations < 3'000'000; operations *= 3) {
    CompileOptions options;
    options.polyOperations = operations;
    Outcome outcome = compileText(source, options);
    if (outcome) {
      CHECK(outcome.result->text == expected);
      continue;
    }
    ++stopped;
    INFO(outcome.errors);
    for (const std::string &message : outcome.messages)
      CHECK((message.rfind("G0705: ", 0) == 0 ||
             message.rfind("G0714: ", 0) == 0 ||
             message.rfind("G0712: ", 0) == 0));
  }
  CHECK(stopped > 0);
}

TEST_CASE("phases have their names", "[pipeline]") {
  for (const pipeline::PhaseInfo &info : pipeline::kPhases) {
    CHECK(pipeline::findPhase(info.name) == info.phase);
    CHECK(pipeline::infoOf(info.phase).name == info.name);
  }
  CHECK_FALSE(pipeline::findPhase("Te"));
  CHECK_FALSE(pipeline::findPhase(""));
}

TEST_CASE("bundles need their sections", "[pipeline]") {
  std::string scop = formOf(exampleText("row_sum"), Phase::Scop);
  std::string schedule = formOf(exampleText("row_sum"), Phase::Schedule);
  auto lost = [](const std::string &name) {
    return Messages{"G0812: the text has no section '" + name + "'"};
  };
  CHECK(refusal("", readingFrom(Phase::Scop)) == lost("te"));
  CHECK(refusal("nothing\n", readingFrom(Phase::Scop)) == lost("te"));
  CHECK(refusal(edited(scop, "=== te\n", "=== tensor\n"),
                readingFrom(Phase::Scop)) == lost("te"));
  CHECK(refusal(edited(scop, "=== scop\n", "===scop\n"),
                readingFrom(Phase::Scop)) == lost("scop"));
  CHECK(refusal(scop.substr(0, scop.find("=== scop\n")),
                readingFrom(Phase::Scop)) == lost("scop"));
  CHECK(refusal(scop, readingFrom(Phase::Schedule)) == lost("schedule"));
  CHECK(refusal(schedule.substr(0, schedule.find("=== schedule\n")),
                readingFrom(Phase::Schedule)) == lost("schedule"));
  CHECK(refusal(schedule.substr(schedule.find("=== scop\n")),
                readingFrom(Phase::Schedule)) == lost("te"));
  // The dependences are made anew: their section may go.
  CHECK(compileText(scop.substr(0, scop.find("=== dependences\n")),
                    readingFrom(Phase::Scop)));
  // Trailing newlines and sections of other names do not matter.
  CHECK(compileText(schedule.substr(0, schedule.size() - 1),
                    readingFrom(Phase::Schedule)));
  CHECK(compileText("a note\n" + schedule + "=== notes\nmine\n",
                    readingFrom(Phase::Schedule)));
}

TEST_CASE("a scop belongs to the te module beside it", "[pipeline]") {
  const Messages kOther{
      "G0813: the scop does not belong to the te module beside it: its "
      "statements, domains or accesses differ"};
  std::string scop = formOf(exampleText("row_sum"), Phase::Scop);
  CompileOptions from = readingFrom(Phase::Scop);
  CHECK(refusal(edited(scop, "lanes(4096, 4)", "lanes(1024, 4)"), from) ==
        kOther);
  CHECK(refusal(edited(scop, "i < M and 0 <= l < 4096",
                       "i < M and 0 <= l < 2048", "=== scop"),
                from) == kOther);
  CHECK(refusal(edited(scop, "X[i, 4l + 16384q + e]", "X[i, 4l + 16384q + 2e]",
                       "=== scop"),
                from) == kOther);
  CHECK(refusal(edited(scop, "ordered", "associative", "=== scop"), from) ==
        kOther);
  CHECK(refusal(edited(scop, "[M, 4096]", "[M, 4095]", "accumulator"), from)
            .size() == 1);
  std::string sum = formOf(exampleText("whole_sum"), Phase::Scop);
  CHECK(refusal(edited(sum, "ceil(N/65536)", "ceil(N/65535)"), from) == kOther);
  CHECK(refusal(edited(sum, "ceil(N/65536)", "N"), from) == kOther);
  std::string product = formOf(exampleText("ffn_silu"), Phase::Scop);
  CHECK(refusal(edited(product, " product\n", "\n", "=== scop"), from) ==
        kOther);
  // Broken lines have a place in the bundle.
  Outcome outcome = compileText(
      edited(scop, "statement S_upd update", "statement S_upd updated"), from);
  CHECK_FALSE(outcome);
  CHECK(outcome.messages ==
        Messages{"G0710: expected 'map', 'init', 'update', 'merge' or "
                 "'scatter'"});
  CHECK(outcome.says(" |   statement S_upd updated\n"));
}

TEST_CASE("terms are checked when te is read back", "[pipeline]") {
  std::string text = formOf("op f(X: f32[M, 64]) -> Y: f32[M] {\n  Y[i] = "
                            "sum[k, order=tree(8)](X[i, k])\n}\n",
                            Phase::Assoc);
  std::string broken = edited(text, "term <\"tree(8)\">", "term <\"tree(7)\">");
  Outcome outcome = compileText(broken, readingFrom(Phase::Assoc));
  CHECK_FALSE(outcome);
  CHECK(outcome.messages ==
        Messages{"G0805: 'te.reduce' op has the term 'tree(7)', which this "
                 "version cannot realise: it has tree(7), which does not "
                 "divide 64 elements"});
  CHECK(outcome.says("term <\"tree(7)\">"));
  outcome = compileText(edited(text, " term <\"tree(8)\">", ""),
                        readingFrom(Phase::Assoc));
  CHECK_FALSE(outcome);
  CHECK(outcome.messages ==
        Messages{
            "G0805: 'te.reduce' op has no term: the assoc phase has not run"});
}

TEST_CASE("te modules hold one function", "[pipeline]") {
  CHECK(refusal("", readingFrom(Phase::Te)) ==
        Messages{"G0811: expected one te.func in 'test.te', or behind it a "
                 "second one of the same signature"});
  std::string te = formOf(exampleText("row_sum"), Phase::Te);
  std::string other = edited(te, "@row_sum", "@other");
  std::string both = "module {\n" + te + other + "}\n";
  CHECK(refusal(both, readingFrom(Phase::Te)) ==
        Messages{"G0811: expected one te.func in 'test.te', or behind it a "
                 "second one of the same signature"});
  CHECK(refusal("garbage", readingFrom(Phase::Te)).at(0).rfind("G0810: ", 0) ==
        0);
  // A place in a bundle's module is a place in the bundle.
  std::string scop = formOf(exampleText("row_sum"), Phase::Scop);
  Outcome outcome =
      compileText(edited(scop, "te.yield %2 : f32", "te.yield %2 : f64"),
                  readingFrom(Phase::Scop));
  CHECK_FALSE(outcome);
  CHECK(outcome.says(" |         te.yield %2 : f64\n"));
}

TEST_CASE("launch plans are read as untrusted text", "[pipeline]") {
  std::string ptx = formOf(exampleText("row_sum"), Phase::Ptx);
  std::string tile = formOf(exampleText("row_sum"), Phase::Tile);
  CompileOptions from = readingFrom(Phase::Ptx);
  auto broken = [](const std::string &what) {
    return Messages{"G0814: the launch plan is broken at " + what};
  };
  for (auto [text, phase] :
       {std::pair{ptx, Phase::Ptx}, std::pair{tile, Phase::Tile}}) {
    from.from = phase;
    auto with = [&, text = text](const std::string &a, const std::string &b) {
      return refusal(edited(text, a, b), from);
    };
    CHECK(with("threads = 512", "threads = 0") == broken("a launch's threads"));
    CHECK(with("threads = 512", "threads = 1025") ==
          broken("a launch's threads"));
    CHECK(with("threads = 512 : i64", "threads = \"many\"") ==
          broken("a launch's threads"));
    CHECK(with("shared = 0", "shared = -1") ==
          broken("a launch's shared bytes"));
    CHECK(with("\"aligned_pointer\"", "\"aligned\"") ==
          broken("the kind of a guard"));
    CHECK(with("[\"aligned_pointer\", 0, 0, 0, 16]",
               "[\"aligned_pointer\", 0, 0, 0]") == broken("a guard"));
    CHECK(with("[\"pointer\", 0]", "[\"pointer\"]") == broken("an argument"));
    CHECK(with("[\"stride\", 0, 0]", "[\"stride\", 0]") ==
          broken("a stride argument"));
    CHECK(with("grid = ", "grid = [\"pow\", 1, 2], old = ") ==
          broken("the kind of a size expression"));
    CHECK(with("grid = ", "grid = [\"mul\", 1], old = ") ==
          broken("the operands of a size expression"));
    CHECK(with("target = \"sm_90a\"", "target = \"sm_80\"") ==
          Messages{"G0815: the text was made for sm_80, not for sm_90a"});
  }
  CHECK(refusal("", readingFrom(Phase::Ptx)) ==
        Messages{"G0814: the text has no launch plan (attribute "
                 "'girih.plan')"});
  CHECK(refusal("module {\n}\n", readingFrom(Phase::Tile)) ==
        Messages{"G0814: the text has no launch plan (attribute "
                 "'girih.plan')"});
  CHECK(refusal("module attributes {girih.plan = 7} {\n}\n",
                readingFrom(Phase::Llvm)) == broken("its attribute"));
  // A plan for another number of variants.
  CHECK(refusal(edited(ptx, "// girih.variant: general", "// general"),
                readingFrom(Phase::Ptx)) ==
        Messages{"G0816: the plan has 2 variants, the text 1"});
  // A text that ends within a kernel.
  size_t last = ptx.rfind("ret;");
  CHECK(refusal(ptx.substr(0, last), readingFrom(Phase::Ptx)) ==
        Messages{"G0816: the text of variant 'general' is cut off: not every "
                 "'{' has its '}'"});
  CompileOptions other = readingFrom(Phase::Tile);
  other.target = "sm_80";
  Outcome outcome = compileText(tile, other);
  CHECK_FALSE(outcome);
  CHECK(outcome.messages ==
        Messages{"G0815: the text was made for sm_90a, not for sm_80"});
  CHECK(outcome.says("help: compile with --target sm_90a"));
}

TEST_CASE("plans name what exists", "[pipeline]") {
  std::string ptx = formOf(exampleText("row_sum"), Phase::Ptx);
  // Parameters, dims and sizes beyond the signature.
  for (auto [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"[\"pointer\", 0]", "[\"pointer\", 9]"},
           {"[\"stride\", 0, 1]", "[\"stride\", 0, 2]"},
           {"[\"size\", 1]]", "[\"size\", 7]]"},
           {"[\"aligned_pointer\", 0, 0, 0, 16]",
            "[\"aligned_pointer\", 5, 0, 0, 16]"},
           {"[\"stride_divisible\", 0, 0, 0, 4]",
            "[\"stride_divisible\", 0, 9, 0, 4]"},
           {"[\"size_divisible\", 0, 0, 1, 4]",
            "[\"size_divisible\", 0, 0, 9, 4]"},
           {"[\"size_divisible\", 0, 0, 1, 4]",
            "[\"size_divisible\", 0, 0, 1, 0]"},
           {"grid = ", "grid = [\"size\", 8], old = "}}) {
    INFO(b);
    Outcome outcome = compileText(edited(ptx, a, b), readingFrom(Phase::Ptx));
    CHECK_FALSE(outcome);
    REQUIRE_FALSE(outcome.messages.empty());
    CHECK(outcome.messages[0].rfind("G0814: ", 0) == 0);
  }
  // Kernels and launches name each other.
  CHECK(
      refusal(edited(ptx, "kernel = \"row_sum__0\"", "kernel = \"row_sum__1\""),
              readingFrom(Phase::Ptx)) ==
      Messages{"G0816: the plan launches 'row_sum__1', which variant "
               "'vector' does not have"});
  std::string tile = formOf(exampleText("row_sum"), Phase::Tile);
  CHECK(refusal(edited(tile, "@row_sum__0", "@row_sum__9"),
                readingFrom(Phase::Tile)) ==
        Messages{"G0816: the plan launches 'row_sum__0', which variant "
                 "'vector' does not have"});
  std::string sum = formOf(exampleText("whole_sum"), Phase::Tile);
  CHECK(refusal(edited(sum, "kernel = \"whole_sum__1\"",
                       "kernel = \"whole_sum__0\""),
                readingFrom(Phase::Tile)) ==
        Messages{"G0816: the plan does not launch 'whole_sum__1' of variant "
                 "'vector'"});
}
