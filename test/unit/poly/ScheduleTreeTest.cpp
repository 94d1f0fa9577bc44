//===- ScheduleTreeTest.cpp - tests of schedule trees and their text ------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/ScheduleTree.h"
#include "compiler/support/Diagnostics.h"
#include "test/unit/poly/Samples.h"

#include <catch2/catch.hpp>

#include <random>

using namespace girih;
using namespace girih::poly;
using test::replaced;

namespace {

void requireUnread(const Scop &scop, const std::string &text,
                   const std::string &words) {
  Diagnostics diags;
  INFO(text);
  CHECK_FALSE(readScheduleTree(scop, text, diags));
  REQUIRE(diags.hasErrors());
  CHECK_THAT(diags.all()[0].message, Catch::Contains(words));
}

void requireBroken(const Scop &scop, const std::string &text,
                   const std::string &words) {
  Diagnostics diags;
  INFO(text);
  ScheduleTree tree = test::tree(scop, text);
  CHECK_FALSE(verifyScheduleTree(scop, tree, diags));
  std::string all;
  for (const Diagnostic &d : diags.all())
    all += d.message + "\n";
  CHECK_THAT(all, Catch::Contains(words));
  CHECK(diags.all()[0].code == "G0713");
}

} // namespace

TEST_CASE("sample schedules are read back exactly", "[tree]") {
  std::pair<Scop, std::string> samples[] = {
      {test::matmulSilu(), test::matmulSiluTree(128, 128, 16)},
      {test::rowSum(4096, 4), test::rowSumTree(2, 4096, 4)},
      {test::softmax(), test::softmaxTree(4, 128)},
      {test::wholeSum(4), test::wholeSumTree(4)}};
  for (const auto &[scop, text] : samples) {
    ScheduleTree tree = test::tree(scop, text);
    Diagnostics diags;
    CHECK(verifyScheduleTree(scop, tree, diags));
    INFO(diags.renderText(false));
    CHECK(printScheduleTree(scop, tree) == text);
    ScheduleTree copy{cloneNode(*tree.root)};
    CHECK(printScheduleTree(scop, copy) == text);
  }
}

TEST_CASE("every form of a digit is read back exactly", "[tree]") {
  Scop scop = test::recurrence();
  for (const char *digit :
       {"i", "floor(i/4)", "i mod 4", "floor((i mod 8)/2)", "i + N - 1",
        "floor((i + 1)/4)", "(2i + 1) mod 4", "floor(((i - N) mod 8)/2)", "0",
        "-i", "floor((-i)/2)", "(3) mod 2"}) {
    std::string text = std::string(R"(schedule recurrence
  sequence
    filter c0, c
      kernel "k" threads 1
        band
          member a loop: c0 -> 0; c -> )") +
                       digit + "\n";
    INFO(text);
    ScheduleTree tree = test::tree(scop, text);
    CHECK(printScheduleTree(scop, tree) == text);
  }
}

TEST_CASE("paths answer where a node and a statement are", "[tree]") {
  Scop scop = test::matmulSilu();
  ScheduleTree tree = test::tree(scop, test::matmulSiluTree(4, 4, 2));
  std::vector<const Node *> path = pathOf(tree, 1);
  REQUIRE(path.size() == 12);
  CHECK(path[2]->kind == Node::Kind::Kernel);
  CHECK(path[6]->members[0].name == "ko");
  CHECK(path[6]->line == 15);
  CHECK(path[9]->kind == Node::Kind::Tile);
  CHECK(path.back()->kind == Node::Kind::Leaf);
  CHECK(pathTo(tree, path[9]) ==
        std::vector<const Node *>(path.begin(), path.begin() + 10));
  Node stranger;
  CHECK(pathTo(tree, &stranger).empty());
  CHECK(printDigit(scop, 1, digitOf(*path[3], 1, 1)) == "floor(j/4)");
}

TEST_CASE("ill-formed schedule text is refused in words", "[tree]") {
  Scop scop = test::matmulSilu();
  std::string text = test::matmulSiluTree(4, 4, 2);
  requireUnread(scop, "", "expected 'schedule NAME'");
  requireUnread(scop, "schedule other\n  sequence\n",
                "this schedule is of 'other', the Scop is 'matmul_silu'");
  requireUnread(scop, "schedule matmul_silu\n",
                "expected a node indented by 2 spaces");
  requireUnread(scop,
                replaced(text, "    filter C_init, C_sum",
                         "   filter "
                         "C_init, C_sum"),
                "expected a node indented by 4 spaces (line 3, column 4)");
  requireUnread(scop, replaced(text, "filter Y\n", "filter Z\n"),
                "the Scop has no statement 'Z'");
  requireUnread(scop, replaced(text, "; Y -> floor(i/4)", ""),
                "member 'io' has no digit for 'Y'");
  requireUnread(scop, replaced(text, "C_sum -> floor(k/2)", "Y -> i"),
                "'Y' is not below this band");
  requireUnread(scop, replaced(text, "k mod 2", "k + 1 mod 2"),
                "put what stands before 'mod' in parentheses");
  requireUnread(scop, replaced(text, "k mod 2", "k mod 0"),
                "a modulus is positive");
  requireUnread(scop, replaced(text, "stage A", "stage B"),
                "the Scop has no array 'B'");
  requireUnread(scop, replaced(text, "C shared", "C attic"),
                "expected 'global', 'workspace', 'shared' or 'register'");
  requireUnread(scop, replaced(text, "\"copy\"", "\"copy"),
                "this string is not closed on its line");
  requireUnread(scop, text + " leftover\n", "this line belongs to no node");
  std::string deep = "schedule matmul_silu\n  sequence\n";
  for (unsigned d = 2; d < 200; ++d)
    deep += std::string(2 * d, ' ') +
            (d % 2 ? "sequence\n" : "filter C_init, C_sum, C, Y\n");
  requireUnread(scop, deep, "the schedule tree is nested more than 100 deep");
}

TEST_CASE("structural rules are each enforced", "[tree]") {
  Scop scop = test::matmulSilu();
  std::string text = test::matmulSiluTree(4, 4, 2);
  std::string withoutY = text.substr(0, text.find("            filter Y\n"));
  requireBroken(scop, withoutY,
                "'Y' is scheduled nowhere: no filter of the sequence holds it");
  requireBroken(scop, withoutY + "            filter C\n",
                "'C' is in two filters of a sequence");
  requireBroken(scop, replaced(text, "jo grid coincident", "jo grid"),
                "grid member 'jo' is not called coincident");
  requireBroken(scop, replaced(text, "io grid", "io loop"),
                "grid member 'jo' stands below a loop or a sequence");
  requireBroken(scop, replaced(text, "ko loop", "ko point"),
                "point member 'ko' does not stand directly below a tile mark");
  requireBroken(scop, replaced(text, "kk point", "kk loop"),
                "member 'kk' stands below a tile mark and is not a point");
  requireBroken(scop, replaced(text, "[4, 4, 2]", "[4, 4]"),
                "the tile's shape has 2 extents for 3 point members");
  requireBroken(scop, replaced(text, "[4, 4, 2]", "[4, 4, 0]"),
                "an extent of the tile's shape is not positive");
  requireBroken(scop, replaced(text, "member ko", "member jo"),
                "member 'jo' has the name of another member on its path");
  requireBroken(scop, replaced(text, "stage A [4, 2]", "stage C [4, 4]"),
                "'C_sum' does not read the staged array 'C'");
  requireBroken(scop, replaced(text, "stage A [4, 2]", "stage A [4]"),
                "the stage of 'A' needs one extent for each of its dimensions");
  requireBroken(scop, replaced(text, "floor(k/2)", "floor((k mod 3)/2)"),
                "needs a positive divisor and a modulus that it divides");
  requireBroken(scop, R"(schedule matmul_silu
  sequence
    filter C_init, C_sum, C, Y
      band
        member a loop: C_init -> i; C_sum -> i; C -> i; Y -> i
)",
                "'C_init' and 'C_sum' end at one leaf");
  requireBroken(scop, R"(schedule matmul_silu
  sequence
    filter C_init, C_sum, C
      kernel "k" threads 1
    filter Y
      band
        member i loop: Y -> i
        member j loop: Y -> j
)",
                "each filter of the root holds one kernel");
  requireBroken(scop, replaced(text, "ko loop", "ko unroll"),
                "'ko' is to become a point of a tile, but the tree has "
                "kernels");
  requireBroken(scop, R"(schedule matmul_silu
  sequence
    filter C_init, C_sum, C, Y
      kernel "k" threads 1
        kernel "l" threads 1
)",
                "a kernel stands inside a kernel");
  requireBroken(scop, R"(schedule matmul_silu
  sequence
    filter C_init, C_sum, C, Y
      kernel "k" threads 1
)",
                "'C_init' and 'C_sum' end at one leaf; a sequence must order");
  Diagnostics diags;
  CHECK_FALSE(verifyScheduleTree(scop, ScheduleTree(), diags));
  CHECK(diags.all()[0].message == "the schedule tree has no root");
}

TEST_CASE("damaged schedule text never crashes reader or verifier", "[tree]") {
  std::mt19937 random(13);
  Scop scop = test::matmulSilu();
  std::string whole = test::matmulSiluTree(128, 128, 16);
  const std::string alphabet = "[]{}()<>=,:;-+*\"\\ \niojk019#/";
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole;
    for (int edits = 1 + round % 4; edits > 0; --edits) {
      size_t at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text[at] = alphabet[random() % alphabet.size()];
        break;
      case 1:
        text.erase(at, 1 + random() % 20);
        break;
      default:
        text.insert(at, 1, alphabet[random() % alphabet.size()]);
      }
    }
    Diagnostics diags;
    std::optional<ScheduleTree> tree = readScheduleTree(scop, text, diags);
    INFO(text);
    REQUIRE(tree.has_value() != diags.hasErrors());
    if (!tree)
      continue;
    std::string printed = printScheduleTree(scop, *tree);
    std::optional<ScheduleTree> again = readScheduleTree(scop, printed, diags);
    REQUIRE(again);
    REQUIRE(printScheduleTree(scop, *again) == printed);
    verifyScheduleTree(scop, *tree, diags);
  }
}
