//===- LoopAstTest.cpp - tests of generated loops -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/LoopAst.h"
#include "compiler/support/Diagnostics.h"
#include "test/unit/poly/LoopRun.h"
#include "test/unit/poly/Samples.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::poly;
using test::loopsOf;
using test::replaced;
using test::requireExact;

namespace {

std::string printed(const Scop &scop, const ScheduleTree &tree) {
  std::string text;
  for (const KernelLoops &kernel : loopsOf(scop, tree))
    text += printLoops(scop, kernel);
  return text;
}

} // namespace

TEST_CASE("matmul's loops are one k loop a block", "[loops]") {
  Scop scop = test::matmulSilu();
  ScheduleTree tree = test::tree(scop, test::matmulSiluTree(128, 128, 16));
  CHECK(printed(scop, tree) ==
        "kernel \"matmul_silu_0\" grid(io < floor((M + 127) / 128), jo < "
        "floor((N + 127) / 128))\n"
        "  C_init(io, jo);\n"
        "  for (ko = 0; ko < floor((K + 15) / 16); ko += 1) {\n"
        "    C_sum(io, jo, ko);\n"
        "  }\n"
        "  C(io, jo);\n"
        "  Y(io, jo);\n");
  std::vector<KernelLoops> loops = loopsOf(scop, tree);
  CHECK(loops[0].kernel == tree.root->children[0]->children[0].get());
  const LoopNode &tile = loops[0].body.children[0];
  REQUIRE(tile.kind == LoopNode::Kind::Tile);
  CHECK(tile.node->kind == Node::Kind::Tile);
  CHECK(tile.outer[1].kind == LoopExpr::Kind::Grid);
}

TEST_CASE("loops run every tile once and in order", "[loops]") {
  requireExact(test::matmulSilu(),
               test::tree(test::matmulSilu(), test::matmulSiluTree(2, 3, 2)),
               4);
  requireExact(test::rowSum(2, 2),
               test::tree(test::rowSum(2, 2), test::rowSumTree(2, 2, 2)), 7);
  requireExact(test::softmax(),
               test::tree(test::softmax(), test::softmaxTree(2, 3)), 7);
  requireExact(test::wholeSum(4),
               test::tree(test::wholeSum(4), test::wholeSumTree(4)), 9);
}

TEST_CASE("two levels of digits and a remainder on the grid", "[loops]") {
  Scop scop = test::recurrence();
  requireExact(scop, test::tree(scop, R"(schedule recurrence
  sequence
    filter c0
      kernel "a" threads 1
        band
          member a grid coincident: c0 -> floor(i/4)
          member b grid coincident: c0 -> floor((i mod 4)/2)
          member d loop: c0 -> i mod 2
    filter c
      kernel "b" threads 1
        band
          member a grid coincident: c -> floor((i mod 6)/2)
          member b loop: c -> floor(i/6)
          member d loop: c -> i mod 2
)"),
               20);
}

TEST_CASE("statements of one kernel with different extents are guarded",
          "[loops]") {
  Diagnostics diags;
  std::optional<Scop> scop = readScop(R"(scop two
  params M, N
  context 0 <= M and 0 <= N
  array A output 4 [M]
  array B output 4 [N]
  statement A map
    domain [M, N] -> { A[i] : 0 <= i < M }
    write [M, N] -> { A[i] -> A[i] }
  statement B map
    domain [M, N] -> { B[i] : 0 <= i < N }
    write [M, N] -> { B[i] -> B[i] }
)",
                                      diags);
  REQUIRE(scop);
  ScheduleTree tree = test::tree(*scop, R"(schedule two
  sequence
    filter A, B
      kernel "k" threads 1
        band
          member io grid coincident: A -> floor(i/2); B -> floor(i/4)
          sequence
            filter A
              tile [2] layout ""
                band
                  member ii point coincident: A -> i mod 2
            filter B
              tile [4] layout ""
                band
                  member ii point coincident: B -> i mod 4
)");
  std::vector<KernelLoops> loops = loopsOf(*scop, tree);
  REQUIRE(loops[0].grid.size() == 1);
  CHECK(loops[0].grid[0].extent.kind == LoopExpr::Kind::Max);
  INFO(printed(*scop, tree));
  CHECK_THAT(printed(*scop, tree),
             Catch::Contains("grid(io < max(floor((M + 1) / 2), floor((N + 3) "
                             "/ 4)))"));
  requireExact(*scop, tree, 9);
}

TEST_CASE("a statement without instances at any size runs no block",
          "[loops]") {
  Diagnostics diags;
  auto text = [](const std::string &bound) {
    return std::string(R"(scop empty
  params N
  context 0 <= N
  array A output 4 [N]
  array B output 4 [N]
  statement A map
    domain [N] -> { A[i] : 0 <= i < )") +
           bound + R"( }
    write [N] -> { A[i] -> A[i] }
  statement B map
    domain [N] -> { B[i] : 0 <= i < 0 }
    write [N] -> { B[i] -> B[i] }
)";
  };
  for (const char *bound : {"0", "N"}) {
    std::optional<Scop> scop = readScop(text(bound), diags);
    INFO(diags.renderText(false));
    REQUIRE(scop);
    requireExact(*scop, test::tree(*scop, R"(schedule empty
  sequence
    filter A, B
      kernel "k" threads 1
        band
          member io grid coincident: A -> floor(i/2); B -> floor(i/2)
          sequence
            filter A
              band
                member ii loop: A -> i mod 2
            filter B
              band
                member ii loop: B -> i mod 2
)"),
                 5);
  }
}

TEST_CASE("a name like isl's own iterators does no harm", "[loops]") {
  Diagnostics diags;
  std::optional<Scop> scop = readScop(R"(scop names
  params it0, grid0, c0
  context 0 <= it0 and 0 <= grid0 and 0 <= c0
  array A output 4 [it0, grid0, c0]
  statement A map
    domain [it0, grid0, c0] -> { A[a, b, c] : 0 <= a < it0 and 0 <= b < grid0 and 0 <= c < c0 }
    write [it0, grid0, c0] -> { A[a, b, c] -> A[a, b, c] }
)",
                                      diags);
  REQUIRE(scop);
  requireExact(*scop, test::tree(*scop, R"(schedule names
  sequence
    filter A
      kernel "k" threads 1
        band
          member g grid coincident: A -> a
          member b loop: A -> b
          member c loop: A -> floor(c/2)
          tile [2] layout ""
            band
              member cc point coincident: A -> c mod 2
)"),
               4);
}

TEST_CASE("a skewed loop needs bounds from two sides", "[loops]") {
  Scop scop = test::matmulSilu();
  std::string text = R"(schedule matmul_silu
  sequence
    filter C_init
      kernel "a" threads 1
        band
          member t loop: C_init -> i + j
          member i loop: C_init -> i
    filter C_sum
      kernel "b" threads 1
        band
          member i loop: C_sum -> i
          member j loop: C_sum -> floor(j/2)
          member k loop: C_sum -> k
          member jj loop: C_sum -> j mod 2
    filter C, Y
      kernel "c" threads 1
        band
          member i loop: C -> floor((i + 1)/2); Y -> i
          sequence
            filter C
              band
                member ii loop: C -> (i + 1) mod 2
                member j loop: C -> j
            filter Y
              band
                member j loop: Y -> j
)";
  requireExact(scop, test::tree(scop, text), 4);
}

TEST_CASE("loops refuse in words", "[loops]") {
  Scop scop = test::matmulSilu();
  Diagnostics diags;
  ScheduleTree broken =
      test::tree(scop, replaced(test::matmulSiluTree(2, 2, 2),
                                "jo grid coincident", "jo grid"));
  CHECK_FALSE(generateLoops(scop, broken, {}, diags));
  CHECK_THAT(diags.all()[0].message,
             Catch::Contains("grid member 'jo' is not called coincident"));
  Diagnostics poor;
  CHECK_FALSE(generateLoops(
      scop, test::tree(scop, test::matmulSiluTree(2, 2, 2)), {100}, poor));
  CHECK(poor.all()[0].code == "G0714");
  CHECK(poor.all()[0].message ==
        "no loops could be generated for 'matmul_silu': isl's quota of 100 "
        "operations ended");
}
