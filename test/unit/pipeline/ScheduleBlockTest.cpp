//===- ScheduleBlockTest.cpp - schedules in the text ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/pipeline/Compile.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::test;
using pipeline::CompileOptions;
using pipeline::Phase;

namespace {

const std::string kAdd =
    "op add(A: f32[M, N], B: f32[M, N]) -> C: f32[M, N] {\n"
    "  C[i, j] = A[i, j] + B[i, j]\n}\n";
const std::string kProduct =
    "op product(A: f32[M, K], B: f32[K, N]) -> C: f32[M, N] {\n"
    "  C[i, j] = sum[k](A[i, k] * B[k, j])\n}\n";
const std::string kSilu =
    "op matmul_silu(A: bf16[M, K], W: bf16[K, N]) -> Y: bf16[M, N] {\n"
    "  C[i, j] = bf16(sum[k](f32(A[i, k]) * f32(W[k, j])))\n"
    "  Y[i, j] = bf16(silu(f32(C[i, j])))\n}\n";
const std::string kShifted = "op shifted(X: f32[N]) -> Y: f32[N] {\n"
                             "  P[i] = X[i] * 2\n"
                             "  Y[i] = P[i] + (P[i + 1] else 0)\n}\n";
const std::string kRow = "op row(X: f32[M, N]) -> S: f32[M] {\n"
                         "  S[i] = sum[k](X[i, k])\n}\n";
const std::string kScan =
    "op scan(X: f32[M, N]) -> C: f32[M, N] where N >= 1 {\n"
    "  C[i, 0] = X[i, 0]\n"
    "  C[i, j] = C[i, j - 1] + X[i, j] where j >= 1\n}\n";
const std::string kTwice = "op twice(X: f32[N]) -> Y: f32[N], Z: f32[N] {\n"
                           "  T[i] = X[i] * 2\n"
                           "  Y[i] = T[i] + 1\n"
                           "  Z[i] = T[i] + 2\n}\n";

const std::string kEarly = "op early(X: f32[M, K]) -> Y: f32[M] {\n"
                           "  C[i] = sum[k, order=sequential](X[i, k])\n"
                           "  Y[i] = silu(C[i])\n}\n";
const std::string kChain =
    "op links(X: f32[N]) -> S: f32[N], T: f32[N], O: f32[N] {\n"
    "  S[i] = X[i] * 2\n  T[i] = S[i] * 3\n"
    "  O[i] = T[i] * 5\n}\n";

std::string scheduled(const std::string &program, const std::string &lines,
                      const std::string &head = "") {
  std::string name = program.substr(3, program.find('(') - 3);
  return program + "schedule " + name + head + " {\n" + lines + "\n}\n";
}

Outcome compiled(const std::string &text) {
  CompileOptions options;
  options.last = Phase::Ptx;
  return compileText(text, options);
}

bool warns(const Outcome &outcome, const std::string &words) {
  return std::any_of(outcome.messages.begin(), outcome.messages.end(),
                     [&](const std::string &message) {
                       return message.find(words) != std::string::npos;
                     });
}

} // namespace

TEST_CASE("schedules that are legal and made", "[schedule]") {
  for (const auto &[program, lines] :
       std::vector<std::pair<std::string, std::string>>{
           {kAdd, "  tile C.i, C.j by 8, 32 -> io, jo, ii, ji\n"
                  "  map io, jo to grid\n  map ii, ji to thread"},
           {kAdd, "  split C.j by 256 -> jo, j1; split j1 by 4 -> jt, jv\n"
                  "  map i, jo to grid\n  map jt to thread\n  vectorize jv"},
           {kAdd, "  interchange C.i, C.j"},
           {kSilu, "  tile Y.i, Y.j by 64, 64 -> io, jo, ii, ji\n"
                   "  compute C at Y.jo\n  split C.k by 16 -> ko, ki\n"
                   "  stage A, W in shared at C.ko\n  map Y.io, Y.jo to grid"},
           {kSilu, "  tile Y.i, Y.j by 16, 16\n  compute C at Y.jo"},
           {kSilu, "  fuse C, Y at C.j"},
           {kSilu, "  compute C inline\n  split Y.sum.k by 4"},
           {kTwice, "  fuse T, Y, Z at T.i\n  split T.i by 64 -> io, ii\n"
                    "  map io to grid\n  map ii to thread\n"
                    "  place T in registers"},
           {kTwice, "  fuse T, Y at T.i\n  distribute T.i"},
           // Staged operands are held as what their product takes.
           {kSilu, "  tile Y.i, Y.j by 64, 64\n  compute C at Y.jo\n"
                   "  split C.k by 16 -> ko, ki\n"
                   "  stage A, W in shared at C.ko as f32"},
           // One turn of a sum: nothing is read early.
           {"op one(X: f32[M, 1]) -> Y: f32[M] {\n"
            "  C[i] = sum[k, order=sequential](X[i, k])\n"
            "  Y[i] = silu(C[i])\n}\n",
            "  fuse C, Y at C.i"},
           {kRow, "  map S.i to grid\n  split S.sum.l by 128 -> lo, li\n"
                  "  unroll lo\n  split S.init.l by 128 -> ho, hi\n"
                  "  unroll ho\n  map S.init.hi, S.sum.li to thread"},
           {kRow, "  split S.i by 4 -> io, ii\n  threads 128"},
       }) {
    std::string text = scheduled(program, lines);
    INFO(text);
    Outcome outcome = compiled(text);
    INFO(outcome.errors);
    CHECK(outcome);
  }
}

TEST_CASE("schedules that are refused", "[schedule]") {
  struct Case {
    std::string program, lines;
    const char *code, *words, *more;
  };
  const Case cases[] = {
      // Names.
      {kAdd, "  split D.i by 4", "G0720", "'add' has no statement 'D'",
       "its statements are C"},
      {kTwice, "  split TT.i by 4", "G0720",
       "'twice' has no statement 'TT'; did you mean 'T'?", ""},
      {kAdd, "  split C.k by 4", "G0720", "'C' has no loop 'k'",
       "the loops are now i, j"},
      {kRow, "  split S.k by 4", "G0720", "'S' has no loop 'k'",
       "has the order lanes(4096, 4)"},
      {kAdd, "  split q by 4", "G0720", "no statement has a loop 'q'", ""},
      {kTwice, "  split i by 4", "G0721", "'i' may be several loops",
       "say T_map.i or Y_map.i or Z_map.i"},
      {kAdd, "  stage Q in shared at C.i", "G0720", "'add' has no tensor 'Q'",
       ""},
      {kScan, "  split C.i by 4", "G0721", "several statements define 'C'",
       "say which by its own name"},
      // What cannot be done to the tree.
      {kAdd, "  split C.i by 4 -> j, ii", "G0722",
       "'C_map' has a loop 'j' already", "choose another name"},
      {kAdd, "  map C.i to grid\n  split C.i by 4", "G0722",
       "'i' is mapped already", "split it first"},
      {kSilu, "  tile C.i, Y.j by 4, 4", "G0722",
       "'C.i' and 'Y.j' are not loops of one nest", ""},
      {kProduct, "  reorder C.k, C.i", "G0722",
       "'C.k' and 'C.i' are not loops of one nest", "'distribute'"},
      {kAdd, "  collapse C.i, C.j -> f", "G0722",
       "'C.i' and 'C.j' are not the two parts of one loop",
       "joins what 'split' has divided"},
      {kAdd, "  skew C.i by 1 * C.j", "G0722",
       "'j' is not a loop around 'i' in the same nest", ""},
      {kAdd, "  skew C.j by 2000 * C.i", "G0722", "a skew by 2000 is too large",
       "the most is 1024"},
      {kAdd, "  split C.j by 4\n  skew C.jo by 1 * C.i", "G0722",
       "a loop that was split cannot be skewed", "skew first"},
      {kAdd, "  map C.j to grid", "G0722",
       "'C.j' cannot go to the grid: it is inside the loop 'i'",
       "map 'i' to the grid too"},
      {kAdd, "  distribute C.i", "G0722",
       "the loop 'C.i' is around one statement only", ""},
      {kSilu, "  fuse C, Y at C.j\n  fuse C, Y at C.i", "G0722",
       "'C' and 'Y' do not follow each other", "root' first"},
      {kSilu, "  fuse C, Y at C.i\n  compute C at Y.i", "G0722",
       "'C' is computed inside loops already", "compute C root"},
      {kSilu, "  stage A in shared at Y.i", "G0722",
       "'Y.i' is a loop around several statements", ""},
      {kTwice, "  stage X in shared at Y.i", "G0722",
       "nothing below 'Y.i' reads 'X'", "the one statement that reads it"},
      {kSilu, "  stage A in shared at C.i", "G0722",
       "'C.i' is a loop around several statements", "alone"},
      {kSilu, "  stage A in shared at C.k\n  stage A in shared at C.k", "G0722",
       "'A' is staged there already", ""},
      {kAdd, "  place A in registers", "G0722", "'A' is no temporary of 'add'",
       ""},
      // Numbers.
      {kAdd, "  split C.i by 8\n  split C.ii by 3", "G0723",
       "'ii' has 8 turns, which 3 does not divide", "a divisor of 8"},
      {kAdd, "  map C.i to thread", "G0723",
       "'C.i' has no fixed number of turns, which threads need",
       "split it by a number"},
      {kAdd, "  unroll C.i", "G0723",
       "'C.i' has no fixed number of turns, which registers need", ""},
      {kAdd, "  threads 48", "G0723",
       "a block has 1 thread, or 32 to 1024 and a multiple of 32; not 48", ""},
      {kAdd, "  tile C.i, C.j by 64, 64\n  map ii, ji to thread", "G0723",
       "the loops mapped to threads take 4096 threads", "at most 1024"},
      {kAdd, "  split C.j by 96\n  map ji to thread\n  threads 64", "G0723",
       "the loops mapped to threads take 96 threads, which do not divide the "
       "64 asked for",
       ""},
      // Computing in another place.
      {kSilu, "  compute C at C.i", "G0724", "'C.i' is a loop of 'C' itself",
       ""},
      {kAdd, "  compute C at C.i", "G0724", "'C.i' is a loop of 'C' itself",
       ""},
      {kTwice, "  compute Y at Z.i", "G0724", "nothing below 'Z.i' reads 'Y'",
       "a statement that reads it"},
      {kSilu,
       "  split C.i by 10 -> co, ci\n  split Y.i by 32 -> io, ii\n"
       "  compute C at Y.io",
       "G0724", "the loop 'co' of 'C' does not fit into the turns of 'Y.io'",
       "split by a factor of what one turn needs"},
      {"op rows(X: f32[M, N]) -> Y: f32[M, N] {\n"
       "  m[i] = max[j](X[i, j])\n  Y[i, j] = X[i, j] - m[i]\n}\n",
       "  compute m at Y.j", "G0724", "'m' does not depend on 'j' of 'Y_map'",
       "compute it at a loop outside 'j'"},
      {"op h(b: i32[N] in 0..8, w: f32[N]) -> H: f32[8], Y: f32[8] {\n"
       "  H[b[i]] +=[order=sequential] w[i]\n  Y[j] = H[j] * 2\n}\n",
       "  compute H_put at Y.j", "G0724",
       "'Y_map' reads 'H_put' at other elements than those of its loop 'j'",
       "or root"},
      {kTwice, "  compute T inline", "G0724",
       "'T' cannot be computed where it is read", ""},
      // Not realised.
      {kSilu, "  stage A, W in shared at C.k depth 4", "G0725",
       "'depth' of a stage is not realised yet", "leave it out"},
      {kSilu, "  stage A, W in registers at C.k", "G0725",
       "a stage in registers is not realised yet", ""},
      {kAdd, "  map C.i to warp", "G0725",
       "'map ... to warp' is not realised yet", ""},
      {kAdd, "  map C.i to cluster", "G0725",
       "'map ... to cluster' is not realised yet", ""},
      {kAdd, "  map C.i to grid raster 8", "G0725",
       "'raster' is not realised yet", ""},
      {kAdd, "  prefetch A at C.i", "G0725", "'prefetch' is not realised yet",
       ""},
      {kSilu, "  pipeline C.k depth 2", "G0725",
       "'pipeline' is not realised yet", ""},
      {kSilu, "  roles producer 1, consumers 2", "G0725",
       "'roles' is not realised yet", ""},
      {kSilu, "  tensorize C.i, C.j, C.k as wgmma", "G0725",
       "'tensorize' is not realised yet", ""},
      {kAdd, "  persistent C.i", "G0725", "'persistent' is not realised yet",
       ""},
      {kAdd, "  stage A in shared at C.j", "G0725",
       "only the two operands of a product, both of them, and what a map "
       "reads along another dimension than it writes can be staged",
       ""},
      // What a tile cannot be.
      {kProduct, "  skew C.j by 1 * C.i\n  threads 32", "", "", ""},
      {kAdd,
       "  split C.j by 64 -> jo, j1\n  split j1 by 8 -> jt, jv\n"
       "  map jt to thread\n  reorder i, jo, jv, jt",
       "", "", ""},
      {kTwice,
       "  fuse T, Y, Z at T.i\n  place T in registers\n  distribute T.i",
       "G0727", "'T' cannot stay in registers", "the same tile"},
      {"op one(X: f32[M, 1]) -> S: f32[M] {\n"
       "  S[i] = sum[k, order=sequential](X[i, k])\n}\n",
       "  map S.k to thread", "G0727",
       "'k' of 'S_upd' cannot go to threads: one thread takes the elements",
       "map the cells"},
      {"op two(X: f32[M, N, K]) -> S: f32[M] {\n"
       "  S[i] = sum[j, k, order=sequential](X[i, j, k])\n}\n",
       "  split S.j by 4 -> jo, ji\n  unroll ji", "G0727",
       "'ji' of 'S_upd' cannot be unrolled around the loop 'k'",
       "leave 'ji' a loop"},
      // Another order of additions.
      {kProduct, "  split_reduction C.k by 32", "G0728",
       "parts of 'k' summed apart are another order of additions than 'seq'",
       "order=seg(32, seq)"},
      {kAdd, "  split_reduction C.i by 32", "G0722",
       "'C.i' is no loop of a reduction", ""},
      // Another type than the text's.
      {kProduct, "  stage A in shared at C.k as bf16", "G0731",
       "staging 'A' as bf16 would change its bits: of f32, 1.00390625 (f32 "
       "0x3f808000) would become 1 (bf16 0x3f80)",
       "a schedule adds no rounding"},
      {kSilu, "  stage A in shared at C.k as f16", "G0731",
       "of bf16, 65536 (bf16 0x4780) would become inf (f16 0x7c00)", ""},
      {kSilu, "  stage A in shared at C.k as i32", "G0731",
       "0.5 (bf16 0x3f00) is no value of i32", ""},
      {"op cut(A: i32[M, K]) -> Y: i32[M, K] {\n  Y[i, k] = A[i, k] + 1\n}\n",
       "  stage A in shared at Y.k as i8", "G0731",
       "of i32, 128 is no value of i8", ""},
      {"op cut(A: i32[M, K]) -> Y: i32[M, K] {\n  Y[i, k] = A[i, k] + 1\n}\n",
       "  stage A in shared at Y.k as f32", "G0731",
       "of i32, 16777217 would become 16777216 (f32 0x4b800000)", ""},
      {kSilu,
       "  tile Y.i, Y.j by 64, 64\n  compute C at Y.jo\n"
       "  stage C in registers at Y.jo as f32",
       "G0731",
       "staging 'C' as f32 means dropping round-to-bf16 before 'Y': changes "
       "bits",
       "where it is 1.00390625 (f32 0x3f808000) before it is rounded, 'C' is 1 "
       "(bf16 0x3f80): 'Y' is 0.73046875 (bf16 0x3f3b) then, and would be "
       "0.734375 (bf16 0x3f3c)"},
      {kProduct, "  stage A, B in shared at C.k as f64", "G0725",
       "'A' staged as f64 is not realised yet: a staged operand is held as f32",
       "leave 'as f64' out"},
      {kSilu, "  stage A in registers at C.k as f32", "G0725",
       "'A' staged as f32 is not realised yet", ""},
      {kAdd, "  stage A in shared at C.j as fp32", "G0203",
       "'fp32' is no type; did you mean 'f32'?", ""},
      // A reader in the loop of its sum.
      {kEarly, "  compute Y at C.k", "G0701",
       "member 'k' runs C_merge[0] (k = 0) before C_upd[0, 1] (k = 1)",
       "C_merge[0] reads C_acc[0] that C_upd[0, 1] writes"},
      {kEarly, "  fuse C, Y at C.k", "G0701",
       "member 'k' runs C_merge[0] (k = 0) before C_upd[0, 1] (k = 1)", ""},
      {kEarly, "  split C.k by 4 -> ko, ki\n  fuse C, Y at C.ko", "G0701",
       "member 'ko' runs C_merge[0] (ko = 0) before C_upd[0, 4] (ko = 1)", ""},
      {kSilu, "  split C.k by 16 -> ko, ki\n  compute Y at C.ko", "G0701",
       "before C_sum_upd[0, 0, 16] (ko = 1)", ""},
      {"op scaled(X: f32[M, N]) -> Y: f32[M, N] {\n"
       "  m[i] = max[k](X[i, k])\n"
       "  Y[i, j] = X[i, j] / m[i]\n}\n",
       "  split m.sum.l by 32 -> lo, li\n  split Y.j by 128 -> jo, ji\n"
       "  fuse m, Y at m.sum.lo",
       "G0701",
       "member 'lo' runs m_merge[0] (lo = 0) before m_upd[0, 32, 0, 0] (lo = "
       "1), but m_merge[0] reads m_acc[0, 32]",
       ""},
      {kEarly, "  compute Y at C.i", "G0724", "nothing below 'C.i' reads 'Y'",
       "'Y' reads 'C': say 'fuse C, Y at C.i'"},
      {kChain, "  compute S at O.i", "G0724", "nothing below 'O.i' reads 'S'",
       "'O' reads it through 'T': 'compute T at O.i' first, or 'fuse S, T, O "
       "at "
       "S.i'"},
      // Skewed loops are no boxes.
      {kProduct,
       "  skew C.j by 1 * C.i -> s\n  split s by 32 -> so, si\n"
       "  map si to thread",
       "G0722", "'si' runs over a sum of indices, as 'skew' made it",
       "map a loop that is not skewed"},
      // Stages that threads cannot share.
      {kProduct,
       "  tile C.i, C.j by 33, 7 -> io, jo, ii, ji\n"
       "  split C.k by 3 -> ko, ki\n  map io, jo to grid\n"
       "  stage A, B in shared at C.ko",
       "G0727",
       "the stage of 'A' has 33 x 3 elements, which 128 threads cannot share "
       "evenly",
       "split 'i' by 32 and 'k' by 4, and stage at the loop outside the parts"},
      {kProduct,
       "  tile C.i, C.j by 64, 64 -> io, jo, ii, ji\n"
       "  map io, jo to grid\n  stage A, B in shared at C.k",
       "G0727", "the stage of 'A' has 64 x 1 elements",
       "split 'k' by 4, and stage at the loop outside the parts"},
      // A knob's numbers.
      {kAdd, "  split C.i by ?{0, 5}", "G0108",
       "a number of a schedule must lie in 1 ..", ""},
      // Labels.
      {kAdd, "  split C.i by 8\n  t: split C.ii by 3", "G0723",
       "in 't': 'ii' has 8 turns, which 3 does not divide", ""},
      {kShifted, "  near: fuse P, Y at P.i", "G0701",
       "in 'near': member 'i' runs Y_map[0]", ""},
      // Illegal, with two instances.
      {kShifted, "  fuse P, Y at P.i", "G0701",
       "member 'i' runs Y_map[0] (i = 0) before P_map[1] (i = 1)",
       "Y_map[0] reads P[1] that P_map[1] writes (at N = 2)"},
  };
  for (const Case &c : cases) {
    std::string text = scheduled(c.program, c.lines);
    INFO(text);
    Outcome outcome = compiled(text);
    if (*c.code == 0) {
      INFO(outcome.errors);
      CHECK(outcome);
      continue;
    }
    INFO(outcome.errors);
    CHECK_FALSE(outcome);
    CHECK(outcome.says(std::string(c.code)));
    CHECK(outcome.says(c.words));
    CHECK(outcome.says(c.more));
  }
}

TEST_CASE("conditions choose a schedule at launch", "[schedule]") {
  std::string text =
      kAdd + "schedule add when N >= 512, N % 4 == 0 {\n"
             "  split C.j by 512 -> jo, j1\n  split j1 by 4 -> jt, jv\n"
             "  map i, jo to grid\n  map jt to thread\n  vectorize jv\n}\n"
             "schedule add when M <= 64 {\n  interchange C.i, C.j\n}\n";
  Outcome outcome = compiled(text);
  INFO(outcome.errors);
  REQUIRE(outcome);
  std::string form = formOf(text, Phase::Schedule);
  CHECK_THAT(form,
             Catch::Contains("=== schedule when N >= 512, N % 4 == 0\n") &&
                 Catch::Contains("=== schedule when M <= 64\n") &&
                 Catch::Contains("=== schedule\n"));
  // The text reads back to the same kernels; only the reasons are gone.
  auto kernelsOf = [](const std::string &tile) {
    return tile.substr(tile.find("module @"));
  };
  Outcome again = compileText(form, readingFrom(Phase::Schedule, Phase::Tile));
  INFO(again.errors);
  REQUIRE(again);
  CHECK(kernelsOf(formOf(text, Phase::Tile)) == kernelsOf(again.result->text));
  for (const auto &[from, to, words] : std::vector<std::array<std::string, 3>>{
           {"N >= 512", "N > 512",
            "'N > 512, N % 4 == 0' is no condition on sizes"},
           {"when M", "when Q", "the program has no size 'Q'"},
           {"=== schedule\n", "=== schedule when M >= 3\n",
            "each schedule has a condition: none is for all sizes"}}) {
    Outcome broken =
        compileText(edited(form, from, to), readingFrom(Phase::Schedule));
    INFO(broken.errors);
    CHECK_FALSE(broken);
    CHECK(broken.says("G0729"));
    CHECK(broken.says(words));
  }
}

TEST_CASE("refusals stand at the directive that asked", "[schedule]") {
  // Each time the line and column of the message.
  for (const auto &[program, lines, place] :
       std::vector<std::array<std::string, 3>>{
           {kAdd, "  split C.j by 96\n  map ji to thread\n  threads 64",
            ":7:3: error[G0723]"},
           {kAdd, "  tile C.i, C.j by 64, 64\n  map ii, ji to thread",
            ":6:3: error[G0723]"},
           {kAdd, "  split C.j by 8\n  stage A in shared at C.j",
            ":6:24: error[G0720]"},
           {kAdd, "  split C.j by 8\n  stage A in shared at C.jo",
            ":6:3: error[G0725]"},
           {kTwice,
            "  fuse T, Y, Z at T.i\n  place T in registers\n  distribute T.i",
            ":8:3: error[G0727]"},
           {"op one(X: f32[M, 1]) -> S: f32[M] {\n"
            "  S[i] = sum[k, order=sequential](X[i, k])\n}\n",
            "  split S.i by 64\n  map S.k to thread", ":6:3: error[G0727]"},
           // The finished tree is not legal.
           {kTwice, "  split T.i by 64\n  place T in shared",
            ":8:3: error[G0701]"},
       }) {
    std::string text = scheduled(program, lines);
    INFO(text);
    Outcome outcome = compiled(text);
    INFO(outcome.errors);
    CHECK_FALSE(outcome);
    CHECK(outcome.says(place));
  }
  // A knob that is wrong is one error.
  Outcome knob = compiled(scheduled(kAdd, "  split C.i by ?{0, 5}"));
  CHECK(knob.messages.size() == 1);
}

TEST_CASE("targets of schedules are known ones", "[schedule]") {
  Outcome outcome =
      compiled(scheduled(kAdd, "  split C.j by 64", " for sm_90, sm_9"));
  INFO(outcome.errors);
  CHECK_FALSE(outcome);
  CHECK(outcome.says("G0203"));
  CHECK(outcome.says("unknown target 'sm_9'; did you mean 'sm_90'?"));
  CHECK(outcome.says(":4:25:"));
  // A schedule for another target is fine.
  CHECK(compiled(scheduled(kAdd, "  split C.j by 64", " for sm_80")));
}

TEST_CASE("schedules that are never taken draw a warning", "[schedule]") {
  const std::string body = " {\n  split C.j by 64\n}\n";
  struct Case {
    std::string heads, words;
  };
  for (const Case &c : {
           Case{"schedule add when M >= 8, M <= 4" + body,
                "no 'M' keeps all of its conditions"},
           Case{"schedule add when M % 8 == 0, M > 8, M < 16" + body,
                "no 'M' keeps all of its conditions"},
           Case{"schedule add for sm_90" + body +
                    "schedule add for sm_90 when M >= 8" + body,
                "another one before it is"},
           Case{"schedule add when M >= 8" + body +
                    "schedule add when M >= 16, M % 4 == 0" + body,
                "another one before it is"},
           // The more specific one goes first.
           Case{"schedule add" + body + "schedule add for sm_90 when M >= 8" +
                    body,
                ""},
           Case{"schedule add when M >= 16" + body +
                    "schedule add when M >= 8" + body,
                ""},
           Case{"schedule add for sm_90" + body +
                    "schedule add for sm_80, sm_90 when M >= 8" + body,
                ""},
           Case{"schedule add when M % 8 == 0" + body +
                    "schedule add when M % 4 == 0" + body,
                ""},
           Case{"schedule add when M % 4 == 0" + body +
                    "schedule add when M % 8 == 0" + body,
                "another one before it is"},
       }) {
    std::string text = kAdd + c.heads;
    INFO(text);
    Outcome outcome = compiled(text);
    INFO(outcome.errors);
    CHECK(outcome);
    CHECK(warns(outcome, "G0920: ") == !c.words.empty());
    CHECK((c.words.empty() || warns(outcome, c.words)));
  }
}

TEST_CASE("vectors along which nothing is contiguous draw a warning",
          "[schedule]") {
  const std::string tiles = "  tile C.i, C.j by 4, 128 -> io, jo, ii, ji\n"
                            "  split ji by 4 -> jt, jv\n"
                            "  map jt to thread\n";
  Outcome outcome = compiled(scheduled(kAdd, tiles + "  vectorize ii"));
  INFO(outcome.errors);
  CHECK(outcome);
  CHECK(warns(outcome, "G0732: no access of 'C_map' is contiguous along 'ii': "
                       "as a vector it costs nothing and gains nothing"));
  CHECK_FALSE(
      warns(compiled(scheduled(kAdd, tiles + "  vectorize jv")), "G0732"));
}

TEST_CASE("knobs take values by their labels", "[schedule]") {
  std::string text = scheduled(
      kAdd, "  t: tile C.i, C.j by ?{8, 16}, ?{32, 64} -> io, jo, ii, ji\n"
            "  j: split ji by ?{4, 8}\n  split io by ?{2, 4}");
  auto treeOf = [&](std::vector<std::pair<std::string, int64_t>> knobs) {
    CompileOptions options;
    options.knobs = std::move(knobs);
    return formOf(text, Phase::Schedule, options);
  };
  CHECK_THAT(treeOf({}),
             Catch::Contains("floor(i/16)") && Catch::Contains("floor(j/32)"));
  CHECK_THAT(treeOf({{"t.1", 16}, {"t.2", 64}}),
             Catch::Contains("floor(i/32)") && Catch::Contains("floor(j/64)"));
  struct Case {
    std::string name;
    int64_t value;
    const char *words, *help;
  };
  for (const Case &c :
       {Case{"j", 5, "the knob 'j' has no value 5", "its values are 4, 8"},
        Case{"t", 8, "has a knob 't'", "its knobs are t.1, t.2, j"},
        Case{"k", 8, "has a knob 'k'", ""}}) {
    CompileOptions options;
    options.knobs = {{c.name, c.value}};
    Outcome outcome = compileText(text, options);
    INFO(outcome.errors);
    CHECK_FALSE(outcome);
    CHECK(outcome.says("G0733"));
    CHECK(outcome.says(c.words));
    CHECK(outcome.says(c.help));
  }
}
