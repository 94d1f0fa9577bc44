//===- MutationTest.cpp - broken text of every form never crashes ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/pipeline/Compile.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <random>

using namespace girih;
using namespace girih::test;
using pipeline::CompileOptions;
using pipeline::Phase;

namespace {

/// One to three small edits: bytes changed, dropped, doubled, lines swapped.
std::string mutate(std::string text, std::mt19937 &random) {
  static const std::string kBytes = "0123456789-+*/%=<>[](){},:;\"@!_ \nazNk\0"
                                    "\xff";
  unsigned edits = 1 + random() % 3;
  for (unsigned e = 0; e < edits && !text.empty(); ++e) {
    size_t at = random() % text.size();
    switch (random() % 6) {
    case 0:
      text[at] = kBytes[random() % kBytes.size()];
      break;
    case 1:
      text.erase(at, 1 + random() % 4);
      break;
    case 2:
      text.insert(at, 1, kBytes[random() % kBytes.size()]);
      break;
    case 3: { // a digit becomes another: the likeliest edit by hand
      size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos)
        text[digit] = char('0' + random() % 10);
      break;
    }
    case 4: { // a line disappears
      size_t begin = text.rfind('\n', at);
      size_t end = text.find('\n', at);
      if (begin != std::string::npos && end != std::string::npos && begin < end)
        text.erase(begin, end - begin);
      break;
    }
    case 5: { // a piece moves
      std::string piece = text.substr(at, 1 + random() % 40);
      text.erase(at, piece.size());
      text.insert(text.empty() ? 0 : random() % text.size(), piece);
      break;
    }
    }
  }
  return text;
}

/// The smaller examples keep 300 mutants of a form within seconds.
void checkMutants(Phase phase, const std::vector<const char *> &names,
                  unsigned count) {
  std::mt19937 random(17 + unsigned(phase));
  std::vector<std::string> forms;
  for (const char *name : names)
    forms.push_back(formOf(exampleText(name), phase));
  unsigned refused = 0;
  CompileOptions options = readingFrom(phase);
  // A mutant may ask isl for a proof without end.
  options.polyOperations = 300'000;
  for (unsigned n = 0; n < count; ++n) {
    // Half of the mutants of a bundle are sound but for their last part.
    const std::string &form = forms[random() % forms.size()];
    size_t sound = n % 2 ? form.rfind("\n=== sch") : std::string::npos;
    if (sound == std::string::npos)
      sound = 0;
    std::string text =
        form.substr(0, sound) + mutate(form.substr(sound), random);
    Outcome outcome = compileText(text, options);
    refused += !outcome;
    if (!outcome && outcome.errors == "failed without an error") {
      INFO(text);
      FAIL_CHECK("mutant " << n << " failed without an error");
    }
  }
  // Most edits break something; a few touch names or numbers that may differ.
  CHECK(refused > count / 4);
}

} // namespace

TEST_CASE("mutants of ast", "[pipeline][mutants]") {
  checkMutants(Phase::Ast, {"row_sum", "swiglu"}, 300);
}
TEST_CASE("mutants of te", "[pipeline][mutants]") {
  checkMutants(Phase::Te, {"row_sum", "swiglu"}, 300);
}
TEST_CASE("mutants of assoc", "[pipeline][mutants]") {
  checkMutants(Phase::Assoc, {"row_sum", "whole_sum"}, 300);
}
TEST_CASE("mutants of scop", "[pipeline][mutants]") {
  checkMutants(Phase::Scop, {"row_sum", "swiglu"}, 300);
}
TEST_CASE("mutants of schedule", "[pipeline][mutants]") {
  checkMutants(Phase::Schedule, {"row_sum", "ffn_silu", "swiglu"}, 300);
}
TEST_CASE("mutants of tile", "[pipeline][mutants]") {
  checkMutants(Phase::Tile, {"row_sum", "swiglu", "whole_sum"}, 300);
}
TEST_CASE("mutants of llvm", "[pipeline][mutants]") {
  checkMutants(Phase::Llvm, {"row_sum", "swiglu"}, 300);
}
// By hand only: minutes.
TEST_CASE("many mutants of every form", "[.][long]") {
  for (const pipeline::PhaseInfo &info : pipeline::kPhases)
    if (info.phase != Phase::Ptx)
      checkMutants(info.phase,
                   {"row_sum", "whole_sum", "swiglu", "softmax", "ffn_silu"},
                   4000);
}
TEST_CASE("mutants of ptx", "[pipeline][mutants]") {
  std::mt19937 random(23);
  std::string form = formOf(exampleText("row_sum"), Phase::Ptx);
  // The plan is what is read; the kernels' text is ptxas's to judge.
  size_t plan = form.find('\n');
  for (unsigned n = 0; n < 300; ++n) {
    std::string text = mutate(form.substr(0, plan), random) + form.substr(plan);
    Outcome outcome = compileText(text, readingFrom(Phase::Ptx));
    if (!outcome)
      CHECK(outcome.errors != "failed without an error");
    else
      CHECK(outcome.result->artifact->edited);
  }
}
