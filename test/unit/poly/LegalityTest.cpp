//===- LegalityTest.cpp - verdicts and their words ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Legality.h"
#include "compiler/poly/LoopAst.h"
#include "compiler/support/Diagnostics.h"
#include "test/unit/poly/Samples.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <iostream>

using namespace girih;
using namespace girih::poly;
using test::replaced;

namespace {

Dependences dependencesOf(const Scop &scop, PolyBudget budget = {}) {
  Diagnostics diags;
  std::optional<Dependences> result = computeDependences(scop, budget, diags);
  REQUIRE(result);
  return *result;
}

std::string words(const std::vector<Violation> &violations) {
  std::string text;
  for (const Violation &v : violations)
    text += v.message + "\n  help: " + v.help + "\n";
  return text;
}

std::vector<std::vector<int64_t>> smallSizes(const Scop &scop) {
  std::vector<std::vector<int64_t>> result;
  for (const auto &sizes : test::allSizes(scop.params.size(), 0, 5))
    if (test::admits(scop, sizes))
      result.push_back(sizes);
  return result;
}

void requireLegal(const Scop &scop, const std::string &text) {
  ScheduleTree tree = test::tree(scop, text);
  std::vector<Violation> violations =
      checkLegality(scop, dependencesOf(scop), tree, {});
  INFO(text);
  INFO(words(violations));
  CHECK(violations.empty());
  for (const auto &sizes : smallSizes(scop)) {
    CAPTURE(sizes);
    REQUIRE(isLegalByEnumeration(scop, tree, sizes));
  }
}

/// Some violation has this rule and these words; the enumeration agrees, at
/// every violation's own sizes.
void requireIllegal(const Scop &scop, const std::string &text,
                    Violation::Rule rule, const std::string &message,
                    const std::string &help) {
  ScheduleTree tree = test::tree(scop, text);
  std::vector<Violation> violations =
      checkLegality(scop, dependencesOf(scop), tree, {});
  INFO(text);
  INFO(words(violations));
  bool found = false;
  for (const Violation &v : violations) {
    found = found ||
            (v.rule == rule && v.message.find(message) != std::string::npos &&
             v.help.find(help) != std::string::npos);
    if (!v.witness)
      continue;
    std::vector<int64_t> sizes;
    for (const auto &[name, size] : v.witness->sizes)
      sizes.push_back(size);
    CHECK_FALSE(isLegalByEnumeration(scop, tree, sizes));
  }
  CHECK(found);
  bool anyIllegal = false;
  for (const auto &sizes : smallSizes(scop))
    anyIllegal = anyIllegal || !isLegalByEnumeration(scop, tree, sizes);
  CHECK(anyIllegal);
}

using Rule = Violation::Rule;

/// The lines of `filter NAME` and all below it.
std::string block(const std::string &text, const std::string &filter) {
  size_t begin = text.find(filter);
  REQUIRE(begin != std::string::npos);
  begin = text.rfind('\n', begin) + 1;
  size_t indent = text.find_first_not_of(' ', begin) - begin;
  size_t end = text.find('\n', begin) + 1;
  while (end < text.size() && text.find_first_not_of(' ', end) - end > indent)
    end = text.find('\n', end) + 1;
  return text.substr(begin, end - begin);
}

std::string swapped(std::string text, const std::string &first,
                    const std::string &second) {
  std::string a = block(text, first), b = block(text, second);
  return replaced(text, a + b, b + a);
}

const char *const kPlainRest = R"(
    filter C
      kernel "c" threads 1
        band
          member i grid coincident: C -> i
          member j grid coincident: C -> j
    filter Y
      kernel "y" threads 1
        band
          member i grid coincident: Y -> i
          member j grid coincident: Y -> j
)";

std::string unfused(const std::string &sumBand) {
  return std::string(R"(schedule matmul_silu
  sequence
    filter C_init
      kernel "init" threads 1
        band
          member i grid coincident: C_init -> i
          member j grid coincident: C_init -> j
    filter C_sum
      kernel "sum" threads 1
        band
)") + sumBand +
         std::string(kPlainRest).substr(1);
}

/// C_sum and `other` inside one k loop.
std::string insideLoop(const std::string &other, const std::string &digit,
                       bool otherFirst) {
  auto leaf = [](const std::string &s) {
    return "                  filter " + s + "\n";
  };
  std::string pair =
      otherFirst ? leaf(other) + leaf("C_sum") : leaf("C_sum") + leaf(other);
  bool isInit = other == "C_init";
  std::string both = isInit ? "C_init, C_sum" : "C_sum, C";
  std::string fused = "            filter " + both +
                      "\n              band\n                member ko loop: "
                      "C_sum -> k; " +
                      other + " -> " + digit + "\n                sequence\n" +
                      pair;
  auto alone = [](const std::string &s) {
    return "            filter " + s + "\n";
  };
  std::string rest = isInit ? fused + alone("C") + alone("Y")
                            : alone("C_init") + fused + alone("Y");
  return R"(schedule matmul_silu
  sequence
    filter C_init, C_sum, C, Y
      kernel "k" threads 1
        band
          member i grid coincident: C_init -> i; C_sum -> i; C -> i; Y -> i
          member j grid coincident: C_init -> j; C_sum -> j; C -> j; Y -> j
          sequence
)" + rest;
}

} // namespace

TEST_CASE("the usual schedules are legal", "[legality]") {
  requireLegal(test::matmulSilu(), test::matmulSiluTree(2, 2, 2));
  requireLegal(test::matmulSilu(), test::matmulSiluTree(3, 1, 2));
  requireLegal(test::rowSum(2, 2), test::rowSumTree(2, 2, 2));
  requireLegal(test::softmax(), test::softmaxTree(2, 2));
  requireLegal(test::wholeSum(4), test::wholeSumTree(4));
  requireLegal(test::matmulSilu(),
               unfused("          member i grid coincident: C_sum -> i\n"
                       "          member j loop coincident: C_sum -> j\n"
                       "          member k loop: C_sum -> k\n"));
}

TEST_CASE("large tiles are proved for all sizes", "[legality]") {
  Scop matmul = test::matmulSilu();
  CHECK(checkLegality(matmul, dependencesOf(matmul),
                      test::tree(matmul, test::matmulSiluTree(128, 128, 16)),
                      {})
            .empty());
  Scop sum = test::rowSum(4096, 4);
  CHECK(checkLegality(sum, dependencesOf(sum),
                      test::tree(sum, test::rowSumTree(2, 4096, 4)), {})
            .empty());
  Scop softmax = test::softmax();
  CHECK(checkLegality(softmax, dependencesOf(softmax),
                      test::tree(softmax, test::softmaxTree(4, 1024)), {})
            .empty());
  Scop whole = test::wholeSum(65536);
  CHECK(checkLegality(whole, dependencesOf(whole),
                      test::tree(whole, test::wholeSumTree(65536)), {})
            .empty());
}

TEST_CASE("legal, though unusual", "[legality]") {
  // Initialised inside the k loop, at its first step.
  requireLegal(test::matmulSilu(), insideLoop("C_init", "0", true));
  // The consumer inside the k loop, at its last step.
  requireLegal(test::matmulSilu(), insideLoop("C", "K", false));
  // max is associative: its columns may run backwards.
  requireLegal(test::softmax(),
               replaced(test::softmaxTree(2, 2), "m_max -> floor(j/2)",
                        "m_max -> floor((-j + N + 1)/2)"));
  requireLegal(test::recurrence(), R"(schedule recurrence
  sequence
    filter c0, c
      kernel "k" threads 1
        sequence
          filter c0
            band
              member a loop: c0 -> i
          filter c
            band
              member a loop: c -> i
              tile [1] layout ""
                band
                  member u point coincident: c -> 0
)");
}

TEST_CASE("1: statements of a sequence swapped", "[legality]") {
  requireIllegal(
      test::matmulSilu(),
      swapped(test::matmulSiluTree(2, 2, 2), "filter C\n", "filter Y\n"),
      Rule::Order,
      "the sequence runs 'Y' before 'C', but Y[0, 0] reads C[0, 0] that C[0, "
      "0] writes (at M = 1, N = 1, K = 0)",
      "keep 'Y' after 'C'");
}

TEST_CASE("2: the reduction on the grid", "[legality]") {
  requireIllegal(
      test::matmulSilu(),
      unfused("          member i grid coincident: C_sum -> i\n"
              "          member j grid coincident: C_sum -> j\n"
              "          member k grid coincident: C_sum -> k\n"),
      Rule::Coincidence,
      "member 'k' of 'C_sum' is bound to the grid but carries the reduction of "
      "'C_acc': C_sum[0, 0, 0] and C_sum[0, 0, 1] both update C_acc[0, 0] (at "
      "M = 1, N = 1, K = 2)",
      "bind 'k' to a loop");
}

TEST_CASE("3: a k loop called coincident", "[legality]") {
  requireIllegal(test::matmulSilu(),
                 replaced(test::matmulSiluTree(2, 2, 2),
                          "ko loop:", "ko loop coincident:"),
                 Rule::Coincidence,
                 "member 'ko' of 'C_sum' is called coincident but carries the "
                 "reduction of 'C_acc': C_sum[0, 0, 0] and C_sum[0, 0, 2]",
                 "do not call 'ko' coincident");
}

TEST_CASE("4: a k point called coincident", "[legality]") {
  requireIllegal(test::matmulSilu(),
                 replaced(test::matmulSiluTree(2, 2, 2),
                          "kk point:", "kk point coincident:"),
                 Rule::Coincidence,
                 "member 'kk' of 'C_sum' is a coincident point but carries the "
                 "reduction of 'C_acc': C_sum[0, 0, 0] and C_sum[0, 0, 1] both "
                 "update C_acc[0, 0]",
                 "do not call 'kk' coincident");
}

TEST_CASE("5: the consumer inside the k loop", "[legality]") {
  requireIllegal(
      test::matmulSilu(), insideLoop("C", "0", false), Rule::Order,
      "member 'ko' runs C[0, 0] (ko = 0) before C_sum[0, 0, 1] (ko = 1), but "
      "C[0, 0] reads C_acc[0, 0] that C_sum[0, 0, 1] writes (at M = 1, N = 1, "
      "K = 2)",
      "keep 'C' after 'C_sum': move it out of 'ko'");
}

TEST_CASE("6: the init inside the k loop, too late", "[legality]") {
  requireIllegal(test::matmulSilu(), insideLoop("C_init", "1", true),
                 Rule::Order,
                 "member 'ko' runs C_sum[0, 0, 0] (ko = 0) before C_init[0, 0] "
                 "(ko = 1)",
                 "keep 'C_sum' after 'C_init': move it out of 'ko'");
  requireIllegal(test::matmulSilu(), insideLoop("C_init", "0", false),
                 Rule::Order, "the sequence runs 'C_sum' before 'C_init'",
                 "keep 'C_sum' after 'C_init'");
}

TEST_CASE("7: a statement missing", "[legality]") {
  std::string text = test::matmulSiluTree(2, 2, 2);
  requireIllegal(test::matmulSilu(),
                 replaced(text, block(text, "filter Y\n"), ""), Rule::Coverage,
                 "'Y' is scheduled nowhere: no filter of the sequence holds it",
                 "");
}

TEST_CASE("8: the tile's shape too small", "[legality]") {
  requireIllegal(test::matmulSilu(),
                 replaced(test::matmulSiluTree(2, 2, 4), "[2, 2, 4] layout",
                          "[2, 2, 3] layout"),
                 Rule::Coverage,
                 "point member 'kk' of 'C_sum' runs over k mod 4, beyond the "
                 "tile's extent of 3: C_sum[0, 0, 3] (at M = 1, N = 1, K = 4)",
                 "make the tile's extent at least 4");
  // A point without a modulus needs a bound that holds for all sizes.
  requireIllegal(test::rowSum(2, 2),
                 replaced(test::rowSumTree(2, 2, 2),
                          "ii point coincident: "
                          "S_merge -> i mod 2",
                          "ii point coincident: S_merge -> i"),
                 Rule::Coverage,
                 "point member 'ii' of 'S_merge' runs over i, beyond the "
                 "tile's extent of 2: S_merge[2] (at M = 3, N = 0)",
                 "split 'i' by 2 with a loop above");
}

TEST_CASE("9: the reduction's order broken", "[legality]") {
  std::string text = test::rowSumTree(2, 2, 2);
  std::string sum = block(text, "filter S_sum\n");
  requireIllegal(test::rowSum(2, 2),
                 replaced(text, sum, R"(            filter S_sum
              band
                member e loop: S_sum -> e
                member q loop: S_sum -> q
                tile [2, 2] layout ""
                  band
                    member ii point coincident: S_sum -> i mod 2
                    member l point coincident: S_sum -> l
)"),
                 Rule::ReductionOrder,
                 "member 'e' runs S_sum[0, 0, 1, 0] (e = 0) before S_sum[0, 0, "
                 "0, 1] (e = 1), but the term orders them the other way: "
                 "S_sum[0, 0, 0, 1] and S_sum[0, 0, 1, 0] both update S_acc[0, "
                 "0] (at M = 1, N = 5)",
                 "run the dimensions of the reduction in the order q, e");
  requireIllegal(test::matmulSilu(),
                 unfused("          member i grid coincident: C_sum -> i\n"
                         "          member j grid coincident: C_sum -> j\n"
                         "          member k loop: C_sum -> -k\n"),
                 Rule::ReductionOrder,
                 "member 'k' runs C_sum[0, 0, 1] (k = -1) before C_sum[0, 0, "
                 "0] (k = 0)",
                 "run the dimensions of the reduction in the order k");
}

TEST_CASE("10: the merge before the updates", "[legality]") {
  requireIllegal(
      test::rowSum(2, 2),
      swapped(test::rowSumTree(2, 2, 2), "filter S_sum\n", "filter S_merge\n"),
      Rule::Order,
      "the sequence runs 'S_merge' before 'S_sum', but S_merge[0] "
      "reads S_acc[0, 0] that S_sum[0, 0, 0, 0] writes (at M = 1, N "
      "= 1)",
      "keep 'S_merge' after 'S_sum'");
}

TEST_CASE("11: kernels in the wrong order", "[legality]") {
  std::string text = unfused("          member i grid coincident: C_sum -> i\n"
                             "          member j grid coincident: C_sum -> j\n"
                             "          member k loop: C_sum -> k\n");
  requireIllegal(test::matmulSilu(),
                 swapped(text, "filter C_sum\n", "filter C\n"), Rule::Order,
                 "the sequence runs 'C' before 'C_sum'",
                 "keep 'C' after 'C_sum'");
}

TEST_CASE("12: two instances at one place", "[legality]") {
  requireIllegal(test::matmulSilu(),
                 unfused("          member i grid coincident: C_sum -> i\n"
                         "          member j grid coincident: C_sum -> j\n"
                         "          member k loop: C_sum -> floor(k/2)\n"),
                 Rule::Coverage,
                 "C_sum[0, 0, 0] and C_sum[0, 0, 1] are scheduled at the same "
                 "place",
                 "add members for the dimensions of 'C_sum'");
}

TEST_CASE("13: a block reads what another block writes", "[legality]") {
  requireIllegal(test::matmulSilu(),
                 replaced(test::matmulSiluTree(2, 2, 2), "Y -> floor(i/2)",
                          "Y -> floor((i + 1)/2)"),
                 Rule::Coincidence,
                 "member 'io' of 'Y' is bound to the grid but carries a "
                 "dependence by 'C': Y[1, 0] reads C[1, 0] that C[1, 0] "
                 "writes",
                 "bind 'io' to a loop");
}

TEST_CASE("14: a recurrence inside a tile", "[legality]") {
  auto text = [](const std::string &flag) {
    return R"(schedule recurrence
  sequence
    filter c0, c
      kernel "k" threads 1
        sequence
          filter c0
            band
              member a loop: c0 -> i
          filter c
            band
              member a loop: c -> floor(i/2)
              tile [2] layout ""
                band
                  member ii point)" +
           flag + R"(: c -> i mod 2
)";
  };
  requireIllegal(test::recurrence(), text(" coincident"), Rule::Coincidence,
                 "member 'ii' of 'c' is a coincident point but carries a "
                 "dependence by 'c': c[3] reads c[2] that c[2] writes (at N = "
                 "4)",
                 "move 'ii' above the tile mark as a loop");
  requireIllegal(test::recurrence(), text(""), Rule::Order,
                 "nothing orders two instances of 'c' inside one tile, but "
                 "c[3] reads c[2] that c[2] writes (at N = 4)",
                 "carry the dependence by a loop above the tile mark");
  requireIllegal(test::recurrence(), text(""), Rule::Coincidence,
                 "point member 'ii' of 'c' is neither coincident nor a "
                 "dimension of its reduction's order",
                 "bind 'ii' to a loop above the tile mark");
}

TEST_CASE("15: an associative reduction is free but not unsafe", "[legality]") {
  std::string text = test::softmaxTree(2, 2);
  std::string max = block(text, "filter m_max\n");
  requireIllegal(
      test::softmax(),
      replaced(text, max, replaced(max, "jo loop:", "jo loop coincident:")),
      Rule::Coincidence,
      "member 'jo' of 'm_max' is called coincident but carries the "
      "reduction of 'm_acc': m_max[0, 0] and m_max[0, 2] both "
      "update m_acc[0] (at M = 1, N = 3)",
      "do not call 'jo' coincident");
  requireIllegal(
      test::softmax(),
      replaced(text, "s_sum -> floor(j/2)", "s_sum -> floor((-j + N + 1)/2)"),
      Rule::ReductionOrder, "the term orders them the other way",
      "run the dimensions of the reduction in the order j");
}

TEST_CASE("16: a value before its row's maximum is known", "[legality]") {
  requireIllegal(test::softmax(), R"(schedule softmax
  sequence
    filter m_init, m_max, m, P, s_init, s_sum, s, Y
      kernel "k" threads 1
        band
          member i grid coincident: m_init -> i; m_max -> i; m -> i; P -> i; s_init -> i; s_sum -> i; s -> i; Y -> i
          sequence
            filter m_init
            filter s_init
            filter m_max, m, P, s_sum
              band
                member j loop: m_max -> j; m -> 0; P -> j; s_sum -> j
                sequence
                  filter m_max
                  filter m
                  filter P
                  filter s_sum
            filter s
            filter Y
              band
                member j loop: Y -> j
)",
                 Rule::Order,
                 "member 'j' runs m[0] (j = 0) before m_max[0, 1] (j = 1), but "
                 "m[0] reads m_acc[0] that m_max[0, 1] writes (at M = 1, N = "
                 "2)",
                 "keep 'm' after 'm_max': move it out of 'j'");
}

TEST_CASE("17: a grid digit below zero", "[legality]") {
  requireIllegal(test::matmulSilu(),
                 unfused("          member i grid coincident: C_sum -> i - 1\n"
                         "          member j grid coincident: C_sum -> j\n"
                         "          member k loop: C_sum -> k\n"),
                 Rule::Coverage,
                 "member 'i' of 'C_sum' is bound to the grid but takes a "
                 "negative value, which no block has: C_sum[0, 0, 0] (at M = "
                 "1, N = 1, K = 1)",
                 "add a constant to the digit");
}

TEST_CASE("18: a kernel reads what another kept in registers", "[legality]") {
  std::string text = test::wholeSumTree(4);
  requireIllegal(test::wholeSum(4),
                 replaced(text, "\"wholesum_0\" threads 128",
                          "\"wholesum_0\" threads 128 { S_acc register }"),
                 Rule::KernelOrder,
                 "kernel \"wholesum_0\" keeps 'S_acc' to its blocks, but in "
                 "another kernel S_sum2[0] reads S_acc[0] that S_init[0] "
                 "writes (at N = 1, P = 1)",
                 "place 'S_acc' in the workspace in both kernels");
  requireLegal(test::wholeSum(4),
               replaced(text, "\"wholesum_0\" threads 128",
                        "\"wholesum_0\" threads 128 { S_acc workspace }"));
}

TEST_CASE("the element named is the one that both instances touch",
          "[legality]") {
  // S reads two elements of the array; the one after its own is overwritten.
  Diagnostics diags;
  std::optional<Scop> scop =
      readScop("scop f\n"
               "  params N\n"
               "  context 0 <= N\n"
               "  array x inout 4 [N + 1]\n"
               "  statement S map\n"
               "    domain [N] -> { S[i] : 0 <= i < N }\n"
               "    read [N] -> { S[i] -> x[i] }\n"
               "    read [N] -> { S[i] -> x[i + 1] }\n"
               "    write [N] -> { S[i] -> x[i] }\n",
               diags);
  INFO(diags.renderText(false));
  REQUIRE(scop);
  ScheduleTree tree = test::tree(*scop, "schedule f\n"
                                        "  sequence\n"
                                        "    filter S\n"
                                        "      band\n"
                                        "        member a loop: S -> -i\n");
  std::vector<Violation> violations =
      checkLegality(*scop, dependencesOf(*scop), tree, {});
  REQUIRE(violations.size() == 1);
  CHECK_THAT(violations[0].message,
             Catch::Contains("S[0] reads x[1] before S[1] overwrites it"));
  REQUIRE(violations[0].witness);
  CHECK(violations[0].witness->element == std::vector<int64_t>{1});
}

TEST_CASE("a violation knows its line and is reported with help",
          "[legality]") {
  Scop scop = test::matmulSilu();
  std::string text = replaced(test::matmulSiluTree(2, 2, 2),
                              "ko loop:", "ko loop coincident:");
  Diagnostics diags(std::make_shared<SourceFile>("m.tree", text));
  ScheduleTree tree = test::tree(scop, text);
  std::vector<Violation> violations =
      checkLegality(scop, dependencesOf(scop), tree, {});
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].line == 15);
  CHECK(violations[0].member == "ko");
  REQUIRE(violations[0].witness);
  CHECK(violations[0].witness->sink == std::vector<int64_t>{0, 0, 2});
  CHECK(violations[0].witness->element == std::vector<int64_t>{0, 0});
  reportViolations(scop, violations, diags);
  REQUIRE(diags.all().size() == 1);
  CHECK(diags.all()[0].code == "G0702");
  CHECK(diags.all()[0].helps ==
        std::vector<std::string>{"do not call 'ko' coincident"});
  CHECK(diags.file()->lineColumn(diags.all()[0].range->begin).line == 15);
}

TEST_CASE("a small quota never reads as legal", "[legality]") {
  Scop scop = test::matmulSilu();
  ScheduleTree tree = test::tree(scop, test::matmulSiluTree(128, 128, 16));
  Dependences exact = dependencesOf(scop);
  for (uint64_t quota : {1, 100, 1000}) {
    Dependences poor = dependencesOf(scop, {quota});
    CHECK(poor.conservative);
    std::vector<Violation> violations =
        checkLegality(scop, exact, tree, {quota});
    INFO(words(violations));
    REQUIRE_FALSE(violations.empty());
    CHECK(violations.back().rule == Rule::Undecided);
    CHECK_THAT(violations.back().message,
               Catch::Contains("the schedule of 'matmul_silu' is not proved "
                               "legal: isl's quota of"));
  }
  // With quotas of every size an illegal tree is never called legal.
  ScheduleTree bad =
      test::tree(scop, replaced(test::matmulSiluTree(2, 2, 2),
                                "ko loop:", "ko loop coincident:"));
  for (uint64_t quota = 64; quota < 3'000'000; quota *= 2)
    CHECK_FALSE(checkLegality(scop, dependencesOf(scop, {quota}), bad, {quota})
                    .empty());
}

TEST_CASE("dependences that are not this Scop's are undecided", "[legality]") {
  Scop scop = test::matmulSilu();
  ScheduleTree tree = test::tree(scop, test::matmulSiluTree(2, 2, 2));
  Dependences wrong = dependencesOf(scop);
  wrong.list[0].relation = "{ C_init[i] -> C_sum[i, 0, 0] }";
  std::vector<Violation> violations = checkLegality(scop, wrong, tree, {});
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].rule == Rule::Undecided);
  wrong.list[0].relation = "nonsense [";
  violations = checkLegality(scop, wrong, tree, {});
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].rule == Rule::Undecided);
}

TEST_CASE("the time that one schedule costs", "[legality][timing]") {
  struct Sample {
    Scop scop;
    std::string tree;
  };
  Sample samples[] = {{test::matmulSilu(), test::matmulSiluTree(128, 128, 16)},
                      {test::rowSum(4096, 4), test::rowSumTree(2, 4096, 4)},
                      {test::softmax(), test::softmaxTree(4, 1024)},
                      {test::wholeSum(65536), test::wholeSumTree(65536)}};
  auto now = [] { return std::chrono::steady_clock::now(); };
  auto ms = [](auto from, auto to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
  };
  for (const Sample &sample : samples) {
    ScheduleTree tree = test::tree(sample.scop, sample.tree);
    double best[3] = {1e9, 1e9, 1e9};
    for (int round = 0; round < 5; ++round) {
      Diagnostics diags;
      auto t0 = now();
      auto dependences = computeDependences(sample.scop, {}, diags);
      auto t1 = now();
      REQUIRE(dependences);
      CHECK(checkLegality(sample.scop, *dependences, tree, {}).empty());
      auto t2 = now();
      CHECK(generateLoops(sample.scop, tree, {}, diags));
      auto t3 = now();
      double times[3] = {ms(t0, t1), ms(t1, t2), ms(t2, t3)};
      for (int i = 0; i < 3; ++i)
        best[i] = std::min(best[i], times[i]);
    }
    std::cout << sample.scop.name << ": dependences " << best[0]
              << " ms, legality " << best[1] << " ms, loops " << best[2]
              << " ms\n";
  }
}
