//===- MoveTest.cpp - moves and selections --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Evaluate.h"
#include "test/unit/sim/Harness.h"

#include <bit>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<Tuple> &samples() {
  static const std::vector<Tuple> tuples = sampleTuples();
  return tuples;
}

} // namespace

TEST_CASE("mov of every type") {
  for (const char *type : {"b16", "u16", "s16"})
    expectAll(std::string("mov.") + type + " %H0, %h0;", "H", samples(),
              [](const Tuple &t) { return uint16_t(t[0]); });
  for (const char *type : {"b32", "u32", "s32", "f32"})
    expectAll(std::string("mov.") + type + " %R0, %r0;", "R", samples(),
              [](const Tuple &t) { return uint32_t(t[0]); });
  for (const char *type : {"b64", "u64", "s64", "f64"})
    expectAll(std::string("mov.") + type + " %D0, %d0;", "D", samples(),
              [](const Tuple &t) { return t[0]; });
  std::vector<Outputs> found = evaluate(
      "mov.pred %P0, %p0; mov.pred %P1, !%p0; mov.pred %P2, 0; mov.pred %P3,"
      "-1;",
      "PPPP", {{0}, {1}});
  CHECK(found[0] == Outputs{0, 1, 0, 1});
  CHECK(found[1] == Outputs{1, 0, 0, 1});
  found = evaluate("mov.b16 %H0, 0x12345; mov.s32 %R1, -1; mov.f32 %R2, 1.5;"
                   "mov.f64 %D3, 0d4008000000000000;",
                   "HRRD", {{0}});
  CHECK(found[0] ==
        Outputs{0x2345, 0xffffffff, 0x3fc00000, 0x4008000000000000});
}

TEST_CASE("mov packs vectors, element 0 lowest") {
  std::vector<Outputs> found =
      evaluate("mov.b32 %R0, {%h0, %h1}; mov.b64 %D1, {%r0, %r1};"
               "mov.b64 %D2, {%h0, %h1, %h2, %h3}; mov.b32 %R3, {0x1234, %h0};",
               "RDDR", {{0x11112222, 0x33334444, 0x55556666, 0x77778888}});
  CHECK(found[0] == Outputs{0x44442222, 0x3333444411112222, 0x8888666644442222,
                            0x22221234});
  found = evaluate(".reg .b8 %b<4>; mov.b32 {%b0, %b1, %b2, %b3}, %r0;"
                   "mov.b32 %R0, {%b3, %b1, %b0, %b2};"
                   "mov.b16 {%b2, %b3}, %h1; mov.b16 %H1, {%b3, %b2};",
                   "RH", {{0x44332211, 0xaabb}});
  CHECK(found[0] == Outputs{0x33112244, 0xbbaa});
}

TEST_CASE("mov unpacks vectors, sinks too") {
  std::vector<Tuple> inputs = {{0x8877665544332211, 0x99aabbcc}};
  std::vector<Outputs> found = evaluate(
      "mov.b64 {%R0, %R1}, %d0; mov.b32 {%H2, %H3}, %r1;", "RRHH", inputs);
  CHECK(found[0] == Outputs{0x44332211, 0x88776655, 0xbbcc, 0x99aa});
  found = evaluate("mov.b64 {%H0, %H1, %H2, %H3}, %d0;", "HHHH", inputs);
  CHECK(found[0] == Outputs{0x2211, 0x4433, 0x6655, 0x8877});
  found = evaluate("mov.b64 {_, %R0}, %d0; mov.b64 {%R1, _}, %d0;"
                   "mov.b64 {_, _, %H2, _}, %d0; mov.b32 {_, %H3}, %r1;",
                   "RRHH", inputs);
  CHECK(found[0] == Outputs{0x88776655, 0x44332211, 0x6655, 0x99aa});
}

TEST_CASE("mov of 128 bits") {
  std::vector<Outputs> found =
      evaluate(".reg .b128 %q<4>; mov.b128 %q0, {%d0, %d1}; mov.b128 %q1, %q0;"
               "mov.b128 {%D1, %D0}, %q1; mov.b128 {_, %D2}, %q0;"
               "mov.b128 %q2, {%r0, %r1, %r2, %r3}; mov.b128 {%D3, _}, %q2;",
               "DDDD", {{0x1111111122222222, 0x3333333344444444, 5, 6}});
  CHECK(found[0] == Outputs{0x3333333344444444, 0x1111111122222222,
                            0x3333333344444444, 0x4444444422222222});
  found = evaluate(".reg .b128 %q<4>; mov.b128 %q2, {%r0, %r1, %r2, %r3};"
                   "mov.b128 {_, %D0}, %q2;",
                   "D", {{1, 2, 3, 4}});
  CHECK(found[0][0] == 0x0000000400000003);
}

TEST_CASE("mov of special registers and of variables' addresses") {
  std::vector<uint64_t> lanes =
      runLanes("mov.u32 %r0, %laneid;", "%r0", "u32", {});
  for (uint64_t i = 0; i < 32; ++i)
    CHECK(lanes[i] == i);
  CHECK(runOne("mov.u32 %r0, WARP_SZ;", "%r0", "u32") == 32);
  // The second variable lies behind the first; the address that mov gives is
  // what ld.shared takes.
  CHECK(runOne(".shared .align 4 .b8 first[12]; .shared .align 4 .b8 "
               "second[8];"
               "mov.u32 %r0, first; mov.u32 %r1, second; sub.u32 %r2, %r1, "
               "%r0;",
               "%r2", "u32") == 12);
  CHECK(runOne(".shared .align 4 .b8 tile[16]; mov.u64 %rd0, tile;"
               "mov.u32 %r1, 77; st.shared.u32 [tile+8], %r1;"
               "add.u64 %rd0, %rd0, 8; ld.shared.u32 %r0, [%rd0];",
               "%r0", "u32") == 77);
  CHECK(runOne(".shared .align 4 .b8 tile[16]; mov.u32 %r2, tile+4;"
               "mov.u32 %r1, 78; st.shared.u32 [tile+4], %r1;"
               "ld.shared.u32 %r0, [%r2];",
               "%r0", "u32") == 78);
}

TEST_CASE("selp chooses by a predicate") {
  for (bool negated : {false, true}) {
    std::string predicate = negated ? ", !%p2;" : ", %p2;";
    auto chosen = [=](const Tuple &t) {
      return bool(t[2] & 1) != negated ? t[0] : t[1];
    };
    for (const char *type : {"b16", "u16", "s16"})
      expectAll(std::string("selp.") + type + " %H0, %h0, %h1" + predicate, "H",
                samples(), [&](const Tuple &t) { return uint16_t(chosen(t)); });
    for (const char *type : {"b32", "u32", "s32", "f32"})
      expectAll(std::string("selp.") + type + " %R0, %r0, %r1" + predicate, "R",
                samples(), [&](const Tuple &t) { return uint32_t(chosen(t)); });
    for (const char *type : {"b64", "u64", "s64", "f64"})
      expectAll(std::string("selp.") + type + " %D0, %d0, %d1" + predicate, "D",
                samples(), chosen);
  }
  std::vector<Outputs> found =
      evaluate("selp.b32 %R0, 7, 9, 1; selp.f32 %R1, %r0, 0f3f800000, %p1;"
               "mov.b32 %R2, %r0; selp.b32 %R2, %R2, 1, %p1;",
               "RRR", {{5, 0}, {5, 1}});
  CHECK(found[0] == Outputs{7, 0x3f800000, 1});
  CHECK(found[1] == Outputs{7, 5, 5});
}

TEST_CASE("slct chooses by a sign") {
  expectAll(
      "slct.u32.s32 %R0, %r0, %r1, %r2;", "R", samples(),
      [](const Tuple &t) { return uint32_t(t[2] & 0x80000000 ? t[1] : t[0]); });
  expectAll("slct.b64.s32 %D0, %d0, %d1, %r2;", "D", samples(),
            [](const Tuple &t) { return t[2] & 0x80000000 ? t[1] : t[0]; });
  // 1, 0, -0, -1, least negative subnormal, its greatest, -2^-126, NaN, inf.
  std::vector<Tuple> inputs;
  for (uint64_t c :
       {0x3f800000u, 0u, 0x80000000u, 0xbf800000u, 0x80000001u, 0x807fffffu,
        0x80800000u, 0x7fffffffu, 0x7f800000u, 0xff800000u})
    inputs.push_back({1, 2, c, 0});
  std::vector<Outputs> found = evaluate("slct.f32.f32 %R0, %r0, %r1, %r2;"
                                        "slct.ftz.u64.f32 %D1, %d0, %d1, %r2;"
                                        "slct.s16.f32 %H2, %h0, %h1, %r2;",
                                        "RDH", inputs);
  const uint64_t plain[] = {1, 1, 1, 2, 2, 2, 2, 2, 1, 2};
  const uint64_t flushed[] = {1, 1, 1, 2, 1, 1, 2, 2, 1, 2};
  for (size_t i = 0; i < inputs.size(); ++i)
    CHECK(found[i] == Outputs{plain[i], flushed[i], plain[i]});
}

TEST_CASE("moves of some lanes leave the others") {
  std::vector<Tuple> inputs;
  for (uint64_t i = 0; i < 64; ++i)
    inputs.push_back({i, i * i, i & 1, 0});
  std::vector<Outputs> found = evaluate(
      ".reg .b128 %q<2>; mov.b32 %R0, 7; mov.b64 %D1, 8; mov.b64 %D2, 9;"
      "mov.b128 %q0, {%D1, %D2}; mov.b128 %q1, {%d0, %d1}; mov.b32 %R3, 10;"
      "@%p2 mov.b32 %R0, %r0; @%p2 mov.b64 %D1, {%r0, %r1};"
      "@%p2 mov.b128 %q0, %q1; mov.b128 {_, %D2}, %q0;"
      "@!%p2 selp.b32 %R3, %r0, %r1, %p0;",
      "RDDR", inputs);
  for (uint64_t i = 0; i < 64; ++i) {
    bool odd = i & 1;
    CHECK(found[i] == Outputs{odd ? i : 7, odd ? i | i * i << 32 : 8,
                              odd ? i * i : 9, odd ? 10 : i * i});
  }
}

TEST_CASE("moves that are none are refused") {
  CHECK_THAT(refusal("mov %R0, %r0;"), Contains("needs a type"));
  CHECK_THAT(refusal("mov.f16 %H0, %h0;"), Contains("needs a type"));
  CHECK_THAT(refusal("mov.u32 %R0, {%h0, %h1};"),
             Contains("vectors go with types .b16, .b32, .b64 and .b128 only"));
  CHECK_THAT(refusal("mov.b32 %R0, {%h0, %h1, %h2};"),
             Contains("a vector of 3 elements does not make up type .b32"));
  CHECK_THAT(refusal("mov.b16 {%H0, %H1, %H2, %H3}, %h0;"),
             Contains("a vector of 4 elements does not make up type .b16"));
  CHECK_THAT(refusal("mov.b64 %D0, {%h0, %h1};"), Contains("register %h0"));
  CHECK_THAT(refusal("mov.b32 {_, _}, %r0;"),
             Contains("at least one element must be a register"));
  CHECK_THAT(refusal("mov.b32 _, %r0;"),
             Contains("operand 1 is the result and cannot be '_'"));
  CHECK_THAT(refusal("mov.b32 %R0, %d0;"), Contains("register %d0"));
  CHECK_THAT(refusal("selp.pred %P0, %p0, %p1, %p2;"),
             Contains("needs a type: .b16 to .b64"));
  CHECK_THAT(refusal("selp.b32 %R0, %r0, %r1;"),
             Contains("takes 4 operands, not 3"));
  CHECK_THAT(refusal("slct.u32.u32 %R0, %r0, %r1, %r2;"),
             Contains("needs two types: what it selects, then .s32 or .f32"));
  CHECK_THAT(refusal("slct.ftz.u32.s32 %R0, %r0, %r1, %r2;"),
             Contains(".ftz goes with .f32 as the second type only"));
}
