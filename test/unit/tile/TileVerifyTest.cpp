//===- TileVerifyTest.cpp - what the tile verifiers refuse ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/tile/ReadTile.h"

#include <catch2/catch.hpp>

/// The errors of a 32-thread kernel with this body.
static std::string refusal(const std::string &body) {
  TileReader reader;
  auto module = reader.read(
      "!g = !tile.global<f32, 2, 4>\n"
      "!x = !tile.frag<f32, \"[4, 32] r(4@1:1) t(8@1:4, 4@0:1)\">\n"
      "!s = !tile.frag<f32, \"[4] r() t(8@-, 4@0:1)\">\n"
      "tile.kernel @k threads 32 (%X \"X\": !g, %M \"M\": index) {\n"
      "%x = tile.fill 0.0 : f32 : !x\n" +
      body + "}\n");
  CHECK_FALSE(module);
  return reader.errors;
}

static void refuses(const std::string &body, const std::string &words) {
  std::string errors = refusal(body);
  INFO(body << "gives: " << errors);
  CHECK(errors.find(words) != std::string::npos);
}

static std::string typeRefusal(const std::string &type) {
  TileReader reader;
  CHECK_FALSE(
      reader.read("func.func private @f() attributes {t = " + type + "}"));
  TileReader other;
  CHECK_FALSE(other.read("module attributes {t = " + type + "} {}"));
  return other.errors;
}

static void refusesType(const std::string &type, const std::string &words) {
  std::string errors = typeRefusal(type);
  INFO(type << " gives: " << errors);
  CHECK(errors.find(words) != std::string::npos);
}

TEST_CASE("types") {
  refusesType("!tile.frag<f32, \"nonsense\">",
              "not a layout: expected '[' at byte 0");
  refusesType("!tile.frag<f32, \"[8] r() t(4@0:1)\">",
              "not a valid layout: the digits along dimension 0 hold 4 of its "
              "8 elements");
  refusesType("!tile.frag<f32, \"[8]  r() t(8@0:1)\">",
              "a layout is written \"[8] r() t(8@0:1)\"");
  refusesType("!tile.frag<i24, \"[8] r() t(8@0:1)\">",
              "element type must be one of the te dialect's, not 'i24'");
  refusesType("!tile.frag<si32, \"[8] r() t(8@0:1)\">",
              "element type must be one of the te dialect's, not 'si32'");
  refusesType("!tile.global<ui8, 2, 32>",
              "vector must be a power of two of at most 16 bytes, not 32");
  refusesType("!tile.global<i1, 2, 32>",
              "vector must be a power of two of at most 16 bytes, not 32");
  refusesType("!tile.global<f32, 2, 3>",
              "vector must be a power of two of at most 16 bytes, not 3");
  refusesType("!tile.global<f32, 2, 8>",
              "vector must be a power of two of at most 16 bytes, not 8");
  refusesType("!tile.global<f32, 0, 4>", "a tensor of rank 0 has no vectors");
  refusesType("!tile.shared<f32, [8, 8], [8]>", "has 2 extents but 1 strides");
  refusesType("!tile.shared<f32, [8, 8], [4, 1]>",
              "stride 4 overlaps the 8 elements below it");
  refusesType("!tile.shared<f32, [8, 0], [8, 1]>",
              "extents and strides must lie in 1 .. 1048576");
}

TEST_CASE("kernels") {
  TileReader reader;
  CHECK_FALSE(reader.read("tile.kernel @k threads 2000 () {}"));
  CHECK(reader.errors.find("has 2000 threads; 1 .. 1024 is possible") !=
        std::string::npos);
  TileReader order;
  CHECK_FALSE(order.read("tile.kernel @k threads 32 (%M \"M\": index, "
                         "%X \"X\": !tile.global<f32, 1, 1>) {}"));
  CHECK(order.errors.find("takes its tensors before its index values") !=
        std::string::npos);
  TileReader type;
  CHECK_FALSE(type.read("tile.kernel @k threads 32 (%M \"M\": f32) {}"));
  CHECK(type.errors.find("takes tensors and index values, not 'f32'") !=
        std::string::npos);
  refuses("%y = tile.fill 0.0 : f32 : !tile.frag<f32, \"[8] r() t(8@0:1)\">\n",
          "makes a fragment over 8 threads in a kernel of 32");
}

TEST_CASE("accesses") {
  refuses("%y = tile.load %X[%M] by [1, 0] : !g -> !x\n",
          "has 1 subscripts for a tensor of rank 2");
  refuses("%y = tile.load %X[%M, %M] by [1, 0, 0] : !g -> !x\n",
          "has 3 subscript coefficients for 2 expressions over a box of rank "
          "2");
  refuses("%y = tile.load %X[%M, %M] by [1, 0, 0, 1] valid [%M] by [1] : !g "
          "-> !x\n",
          "has 1 valid coefficients for 1 expressions over a box of rank 2");
  refuses("%y = tile.load %X[%M, %M] by [1, 0, 0, 1] {vector = 8 : i32} : !g "
          "-> !x\n",
          "uses vectors of 8 on a tensor that promises vectors of 4");
  refuses("%y = tile.load %X[%M, %M] by [0, 1, 1, 0] {vector = 4 : i32} : !g "
          "-> !x\n",
          "uses vectors along dimension 1 of the box, which is not the "
          "tensor's last dimension with coefficient 1");
  refuses("%y = tile.load %X[%M, %M] by [1, 0, 0, 1] {vector = 4 : i32} : !g "
          "-> !tile.frag<f32, \"[4, 32] r(4@0:1) t(32@1:1)\">\n",
          "uses vectors along dimension 0 of the box");
  refuses("%y = tile.load %X[%M, %M] by [1, 0, 0, 1] {vector = 4 : i32} : !g "
          "-> !tile.frag<f32, \"[4, 32] r(2@1:1, 2@0:1) t(16@1:2, 2@0:2)\">\n",
          "uses vectors of 4 but the layout has no 4 consecutive elements in "
          "its fastest registers");
  refuses("%y = tile.load %X[%M, %M] by [1, 0, 0, 1] : !g -> !tile.frag<bf16, "
          "\"[4, 32] r(4@1:1) t(8@1:4, 4@0:1)\">\n",
          "moves 'f32' as 'bf16'");
  refuses("%a = tile.alloc_shared \"A\" : !tile.shared<f32, [4, 16], [16, "
          "1]>\ntile.store_shared %x, %a : !x, !tile.shared<f32, [4, 16], "
          "[16, 1]>\n",
          "needs a fragment and a buffer of one shape");
}

TEST_CASE("map, fill and convert") {
  refuses("%y = tile.fill 0.0 : f64 : !x\n",
          "fills 'f32' with a value of type 'f64'");
  refuses("%y = tile.map(%x) : (!x) -> !s {\n^bb0(%a: f32):\ntile.yield %a : "
          "f32\n}\n",
          "has an input of layout \"[4, 32] r(4@1:1) t(8@1:4, 4@0:1)\" and a "
          "result of layout \"[4] r() t(8@-, 4@0:1)\"");
  refuses("%y = tile.map(%x) : (!x) -> !x {\n^bb0(%a: f64):\ntile.yield %a : "
          "f64\n}\n",
          "passes 'f32' as 'f64'");
  refuses("%y = tile.map(%x) index [%M] by [1, 0] : (!x) -> !x {\n^bb0(%a: "
          "f32):\ntile.yield %a : f32\n}\n",
          "has 1 region arguments for 1 fragments and 1 index expressions");
  refuses("%y = tile.map(%x) : (!x) -> !x {\n^bb0(%a: f32):\ntile.barrier\n"
          "tile.yield %a : f32\n}\n",
          "holds 'tile.barrier', which is not a scalar operation");
  refuses("%y = tile.map(%x) : (!x) -> !x {\n^bb0(%a: f32):\n%t = te.compare "
          "lt %a, %a : f32\ntile.yield %t : i1\n}\n",
          "yields 'i1' for a fragment of 'f32'");
  refuses("%y = tile.convert %x dims [0] : !x -> !s\n",
          "names 1 dimensions for a source of rank 2");
  refuses("%y = tile.convert %x dims [0, 0] : !x -> !x\n",
          "needs distinct dimensions of the result, not 0");
  refuses("%y = tile.convert %x dims [1, 0] : !x -> !x\n",
          "matches extent 4 with extent 32");
}

TEST_CASE("regroup keeps every element where it is") {
  const std::string row = "\"[1, 128] r(4@1:1) t(32@1:4)\"";
  const std::string cells = "\"[1, 32, 4] r(4@2:1) t(32@1:1)\"";
  const std::string others = "\"[1, 32, 4] r(4@1:8) t(8@1:1, 4@2:1)\"";
  auto regroup = [](const std::string &from, const std::string &by,
                    const std::string &to) {
    return "%r = tile.fill 0.0 : f32 : !tile.frag<f32, " + from +
           ">\n%y = tile.regroup %r " + by + " : !tile.frag<f32, " + from +
           "> -> !tile.frag<f32, " + to + ">\n";
  };
  const std::string asCells = "at [1, 0, 0, 1] as [1, 0, 0, 0, 4, 1]";
  refuses(regroup(row, asCells, others),
          "would move elements between registers or threads");
  // Cells of the same shape, but seen at other places.
  refuses(regroup(row, "at [1, 0, 0, 1] as [1, 0, 0, 0, 1, 32]", cells),
          "would move elements between registers or threads");
  refuses(regroup(row, "at [1, 0, 0, 1] as [1, 0, 0]", cells),
          "takes a coefficient for each place and axis, not 4 for rank 2 and "
          "3 for rank 3");
}

TEST_CASE("reduce, merge and contract") {
  refuses("%s = tile.fill 0.0 : f32 : !s\n%y = tile.reduce sum plain keeping 1 "
          "(%x) into %s : !x -> !s\n",
          "reduces dimension 1, which lies over threads");
  refuses("%y = tile.reduce sum fma keeping 2 (%x) into %x : !x -> !x\n",
          "takes 2 values with leaf fma, not 1");
  refuses("%y = tile.reduce max fma keeping 2 (%x, %x) into %x : !x, !x -> "
          "!x\n",
          "has a product leaf, which only sum takes");
  refuses("%v = tile.fill 0.0 : f32 : !tile.frag<f32, \"[4, 8, 4] r(4@2:1) "
          "t(8@1:1, 4@0:1)\">\n%y = tile.reduce sum plain keeping 2 (%v) into "
          "%x : !tile.frag<f32, \"[4, 8, 4] r(4@2:1) t(8@1:1, 4@0:1)\"> -> "
          "!x\n",
          "needs an accumulator of layout \"[4, 8] r() t(8@1:1, 4@0:1)\", not "
          "\"[4, 32] r(4@1:1) t(8@1:4, 4@0:1)\"");
  refuses("%y = tile.reduce sum plain keeping 3 (%x) into %x : !x -> !x\n",
          "keeps 3 of 2 dimensions");
  refuses("%y = tile.merge sum halving %x : !x -> !x\n",
          "gives layout \"[4] r() t(8@-, 4@0:1)\", not \"[4, 32] r(4@1:1) "
          "t(8@1:4, 4@0:1)\"");
  refuses("%c = tile.fill 0.0 : f32 : !tile.frag<f32, \"[3] r(3@0:1) "
          "t(32@-)\">\n%y = tile.merge sum halving %c : !tile.frag<f32, \"[3] "
          "r(3@0:1) t(32@-)\"> -> !tile.frag<f32, \"[] r() t(32@-)\">\n",
          "halves 3 cells, not a power of two");
  const std::string shared =
      "%a = tile.alloc_shared \"A\" : !tile.shared<f32, [8, 4], [4, 1]>\n"
      "%b = tile.alloc_shared \"B\" : !tile.shared<f32, [8, 16], [16, 1]>\n";
  refuses(shared + "%y = tile.contract fma %a, %b into %x : !tile.shared<f32, "
                   "[8, 4], [4, 1]>, !tile.shared<f32, [8, 16], [16, 1]>, !x "
                   "-> !x\n",
          "takes [k, i], [k, j] and [i, j], not [8, 4], [8, 16] and [4, 32]");
  refuses(shared + "%y = tile.contract plain %a, %a into %x : "
                   "!tile.shared<f32, [8, 4], [4, 1]>, !tile.shared<f32, [8, "
                   "4], [4, 1]>, !x -> !x\n",
          "needs leaf fma or muladd");
}
