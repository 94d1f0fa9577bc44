//===- ScheduleEditTest.cpp - schedules edited by hand --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule's text is proved again when it is read back: what is illegal is
// refused with the rule, two instances, the element and the place in the text.
//
//===----------------------------------------------------------------------===//

#include "test/unit/pipeline/Compile.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::test;
using pipeline::Phase;

namespace {

Outcome compileSchedule(const std::string &text) {
  return compileText(text, readingFrom(Phase::Schedule));
}

/// Whether a line of the refusal's excerpt is `line`, so that the place is
/// right as well.
bool shows(const Outcome &outcome, const std::string &line) {
  return outcome.says(" | " + line);
}

/// `text` without the lines from the one that starts with `first` up to the
/// one that starts with `end` (the end of the text when that is empty).
std::string without(const std::string &text, const std::string &first,
                    const std::string &end, std::string *cut = nullptr) {
  size_t from = text.find(first), to = text.size();
  REQUIRE(from != std::string::npos);
  if (!end.empty())
    to = text.find(end, from + 1);
  REQUIRE(to != std::string::npos);
  if (cut)
    *cut = text.substr(from, to - from);
  return text.substr(0, from) + text.substr(to);
}

using Messages = std::vector<std::string>;

} // namespace

TEST_CASE("filters in another order are refused", "[pipeline][edit]") {
  std::string text = formOf(exampleText("row_sum"), Phase::Schedule), init;
  std::string swapped = without(text, "            filter S_init\n",
                                "            filter S_upd\n", &init);
  Outcome outcome = compileSchedule(swapped + init);
  CHECK_FALSE(outcome);
  INFO(outcome.errors);
  CHECK(outcome.messages ==
        Messages{"G0701: the sequence runs 'S_upd' before 'S_init', but "
                 "S_upd[0, 0, 0, 0] reads S_acc[0, 0] that S_init[0, 0] writes "
                 "(at M = 1, N = 1)",
                 "G0701: the sequence runs 'S_merge' before 'S_init', but "
                 "S_merge[0] reads S_acc[0, 0] that S_init[0, 0] writes (at M "
                 "= 1, N = 0)"});
  CHECK(outcome.says("help: keep 'S_upd' after 'S_init'"));
  CHECK(shows(outcome, "            filter S_upd\n"));
}

TEST_CASE("kernels in another order are refused", "[pipeline][edit]") {
  std::string text = formOf(exampleText("whole_sum"), Phase::Schedule), first;
  std::string swapped =
      without(text, "    filter s_init, s_upd, s_merge\n",
              "    filter s_init2, s_upd2, s_merge2\n", &first);
  Outcome outcome = compileSchedule(swapped + first);
  CHECK_FALSE(outcome);
  INFO(outcome.errors);
  REQUIRE(outcome.messages.size() == 1);
  CHECK(outcome.messages[0] ==
        "G0701: the sequence runs 's_upd2' before 's_merge', but s_upd2[0, 0, "
        "0] reads s_part[0] that s_merge[0] writes (at N = 1)");
}

TEST_CASE("an ordered loop is not coincident", "[pipeline][edit]") {
  std::string text = formOf(exampleText("ffn_silu"), Phase::Schedule);
  Outcome outcome = compileSchedule(
      edited(text, "member ko loop:", "member ko loop coincident:"));
  CHECK_FALSE(outcome);
  INFO(outcome.errors);
  CHECK(outcome.messages ==
        Messages{"G0702: member 'ko' of 'C_sum_upd' is called coincident but "
                 "carries the reduction of 'C_sum_acc': C_sum_upd[0, 0, 0] and "
                 "C_sum_upd[0, 0, 16] both update C_sum_acc[0, 0] (at M = 1, "
                 "K = 17, N = 1)"});
  CHECK(outcome.says("help: do not call 'ko' coincident"));
  // The band's line is shown.
  CHECK(shows(outcome, "              band\n"));
}

TEST_CASE("an ordered loop does not go to the grid", "[pipeline][edit]") {
  std::string text = formOf(exampleText("ffn_silu"), Phase::Schedule);
  Outcome below = compileSchedule(
      edited(text, "member ko loop:", "member ko grid coincident:"));
  CHECK_FALSE(below);
  CHECK(below.messages == Messages{"G0713: grid member 'ko' stands below a "
                                   "loop or a sequence of its kernel"});
  // Rounds of a row's cells, on the grid of the whole kernel.
  text = formOf("op f(X: f32[M, N]) -> Y: f32[M] {\n  Y[i] = sum[k, "
                "order=sequential](X[i, k])\n}\n",
                Phase::Schedule);
  std::string grid = edited(
      text, "          sequence\n",
      "          member ko grid coincident: Y_init -> 0; Y_upd -> floor(k/8); "
      "Y_merge -> 0\n          sequence\n");
  Outcome outcome = compileSchedule(grid);
  CHECK_FALSE(outcome);
  INFO(outcome.errors);
  REQUIRE_FALSE(outcome.messages.empty());
}

TEST_CASE("every statement is scheduled once", "[pipeline][edit]") {
  std::string text = formOf(exampleText("row_sum"), Phase::Schedule);
  Outcome outcome =
      compileSchedule(without(text, "            filter S_merge\n", ""));
  CHECK_FALSE(outcome);
  CHECK(outcome.messages ==
        Messages{"G0713: 'S_merge' is scheduled nowhere: no filter of the "
                 "sequence holds it"});
  CHECK(shows(outcome, "          sequence\n"));
  std::string merge;
  without(text, "            filter S_merge\n", "", &merge);
  outcome = compileSchedule(text + merge);
  CHECK_FALSE(outcome);
  INFO(outcome.errors);
  REQUIRE_FALSE(outcome.messages.empty());
  CHECK(outcome.messages[0].rfind("G0713: ", 0) == 0);
}

TEST_CASE("a tile holds its box", "[pipeline][edit]") {
  std::string text = formOf(exampleText("row_sum"), Phase::Schedule);
  Outcome outcome = compileSchedule(
      edited(text, "tile [1, 4096] layout", "tile [1, 2048] layout"));
  CHECK_FALSE(outcome);
  CHECK(outcome.messages ==
        Messages{"G0704: point member 'li' of 'S_init' runs over l mod 4096, "
                 "beyond the tile's extent of 2048: S_init[0, 2048] (at M = 1, "
                 "N = 0)"});
  CHECK(outcome.says("help: make the tile's extent at least 4096"));
  CHECK(shows(outcome, "                band\n"));
  outcome = compileSchedule(edited(text, "l mod 4096", "l mod 2048"));
  CHECK_FALSE(outcome);
  CHECK(outcome.messages ==
        Messages{"G0704: S_init[0, 0] and S_init[0, 2048] are scheduled at the "
                 "same place: the members above do not determine every "
                 "dimension (at M = 1, N = 0)"});
  outcome = compileSchedule(edited(text, "e mod 4", "e mod 2"));
  CHECK_FALSE(outcome);
  CHECK(outcome.messages ==
        Messages{"G0704: S_upd[0, 0, 0, 0] and S_upd[0, 0, 0, 2] are scheduled "
                 "at the same place: the members above do not determine every "
                 "dimension (at M = 1, N = 3)"});
}

TEST_CASE("what a kernel keeps is not read by another", "[pipeline][edit]") {
  std::string text = formOf(exampleText("whole_sum"), Phase::Schedule);
  Outcome outcome =
      compileSchedule(edited(text, "s_part workspace", "s_part register"));
  CHECK_FALSE(outcome);
  INFO(outcome.errors);
  REQUIRE_FALSE(outcome.messages.empty());
  CHECK(outcome.messages[0].rfind("G0701: ", 0) == 0);
  CHECK(outcome.says("s_part"));
}

TEST_CASE("legal edits are taken", "[pipeline][edit]") {
  std::string text = formOf(exampleText("ffn_silu"), Phase::Schedule);
  Outcome straight = compileSchedule(text);
  REQUIRE(straight);
  // Another step along k, in the tile, its stages and its loop.
  std::string deeper = text;
  for (auto [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"floor(k/16)", "floor(k/8)"},
           {"k mod 16", "k mod 8"},
           {"tile [128, 128, 16]", "tile [128, 128, 8]"},
           {"stage A [128, 16] layout \"[128, 16] r(8@1:1) t(2@1:8, 128@0:1)\"",
            "stage A [128, 8] layout \"[128, 8] r(4@1:1) t(2@1:4, 128@0:1)\""},
           {"stage W [16, 128] layout \"[16, 128] r(8@1:1) t(16@1:8, "
            "16@0:1)\"",
            "stage W [8, 128] layout \"[8, 128] r(4@1:1) t(32@1:4, 8@0:1)\""}})
    deeper = edited(deeper, from, to);
  Outcome outcome = compileSchedule(deeper);
  INFO(outcome.errors);
  REQUIRE(outcome);
  CHECK(outcome.result->text != straight.result->text);
  CHECK_FALSE(outcome.result->artifact->edited);
}

TEST_CASE("what the tile dialect cannot say is refused", "[pipeline][edit]") {
  std::string text = formOf(exampleText("row_sum"), Phase::Schedule);
  auto refusal = [&](const std::string &from, const std::string &to) {
    Outcome outcome = compileSchedule(edited(text, from, to));
    CHECK_FALSE(outcome);
    return outcome.messages.empty() ? "" : outcome.messages[0];
  };
  CHECK(refusal("S_acc register", "S_acc workspace") ==
        "G0806: kernel 'row_sum__0': the accumulator of 'S_upd' is not in "
        "registers");
  // A corner follows from the members; a shifted one would move it unseen.
  CHECK(
      refusal("member qo loop: S_upd -> q", "member qo loop: S_upd -> q + 1") ==
      "G0806: kernel 'row_sum__0': member 'qo' of 'S_upd' is shifted, which "
      "tiles cannot be so far");
  CHECK(refusal("threads 512", "threads 256") ==
        "G0806: kernel 'row_sum__0': tile of 'S_init' is laid out over 512 "
        "threads in a kernel of 256");
  CHECK(refusal("t(512@1:1)", "t(256@1:1)") ==
        "G0806: kernel 'row_sum__0': tile of 'S_init': the layout is wrong: "
        "along dimension 1, stride 512 follows 256 elements: an element is "
        "held nowhere");
  CHECK(refusal("\"[1, 4096] r(8@1:512)", "\"[1, 8192] r(16@1:512)") ==
        "G0806: kernel 'row_sum__0': tile of 'S_init' is laid out as a box of "
        "another shape");
  CHECK(refusal("layout \"[1, 4096] r(8@1:512) t(512@1:1)\"",
                "layout \"none\"") ==
        "G0806: kernel 'row_sum__0': tile of 'S_init': expected '[' at byte 0");
}
