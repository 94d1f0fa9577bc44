//===- CompareTest.cpp - comparisons --------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Formats.h"
#include "test/unit/sim/Evaluate.h"

#include <bit>
#include <cmath>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;
using Catch::Matchers::Contains;

namespace {

enum Relation { Less, Equal, Greater, Unordered };

/// The relations for which a comparison holds.
bool holds(const std::string &how, Relation relation) {
  if (how == "num" || how == "nan")
    return (relation == Unordered) == (how == "nan");
  if (relation == Unordered)
    return how.size() == 3;
  std::string name = how.substr(0, 2);
  if (name == "eq" || name == "ne")
    return (relation == Equal) == (name == "eq");
  if (name == "lt" || name == "lo")
    return relation == Less;
  if (name == "le" || name == "ls")
    return relation != Greater;
  if (name == "gt" || name == "hi")
    return relation == Greater;
  return relation != Less; // ge, hs
}

const std::vector<std::string> kBits = {"eq", "ne"};
const std::vector<std::string> kSigned = {"eq", "ne", "lt", "le", "gt", "ge"};
const std::vector<std::string> kUnsigned = {"eq", "ne", "lt", "le", "gt",
                                            "ge", "lo", "ls", "hi", "hs"};
const std::vector<std::string> kFloat = {"eq",  "ne",  "lt",  "le",  "gt",
                                         "ge",  "equ", "neu", "ltu", "leu",
                                         "gtu", "geu", "num", "nan"};

template <typename T> Relation relate(T a, T b) {
  return a < b ? Less : a > b ? Greater : a == b ? Equal : Unordered;
}

/// How a type's words compare.
struct CompareType {
  const char *name;
  char letter; ///< of its registers
  const std::vector<std::string> *comparisons;
  Relation (*relation)(uint64_t, uint64_t);
};
Relation relateF32(uint64_t a, uint64_t b) {
  return relate(std::bit_cast<float>(uint32_t(a)),
                std::bit_cast<float>(uint32_t(b)));
}
Relation relateF16(uint64_t a, uint64_t b) {
  return relate(arith::fromF16(uint16_t(a)), arith::fromF16(uint16_t(b)));
}
Relation relateBf16(uint64_t a, uint64_t b) {
  return relate(arith::fromBf16(uint16_t(a)), arith::fromBf16(uint16_t(b)));
}
template <typename T> Relation relateInt(uint64_t a, uint64_t b) {
  return relate(T(a), T(b));
}
const CompareType kTypes[] = {
    {"b16", 'h', &kBits, relateInt<uint16_t>},
    {"b32", 'r', &kBits, relateInt<uint32_t>},
    {"b64", 'd', &kBits, relateInt<uint64_t>},
    {"u16", 'h', &kUnsigned, relateInt<uint16_t>},
    {"u32", 'r', &kUnsigned, relateInt<uint32_t>},
    {"u64", 'd', &kUnsigned, relateInt<uint64_t>},
    {"s16", 'h', &kSigned, relateInt<int16_t>},
    {"s32", 'r', &kSigned, relateInt<int32_t>},
    {"s64", 'd', &kSigned, relateInt<int64_t>},
    {"f32", 'r', &kFloat, relateF32},
    {"f64", 'd', &kFloat,
     [](uint64_t a, uint64_t b) {
       return relate(std::bit_cast<double>(a), std::bit_cast<double>(b));
     }},
    {"f16", 'h', &kFloat, relateF16},
    {"bf16", 'h', &kFloat, relateBf16},
};

/// Pairs that are near each other or special in one of the formats.
const std::vector<Tuple> &samples() {
  static const std::vector<Tuple> tuples = [] {
    std::vector<uint64_t> values = {
        0, 1, 2, ~uint64_t(0), ~uint64_t(1),
        // f16: least subnormal to NaN.
        0x03ff, 0x0400, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x8000,
        0x8001, 0x83ff, 0x8400, 0xbc00, 0xfbff, 0xfc00, 0xfc01, 0xffff,
        // bf16
        0x007f, 0x0080, 0x3f80, 0x7f7f, 0x7f80, 0x7f81, 0x7fff, 0x807f, 0x8080,
        0xbf80, 0xff7f, 0xff80, 0xff81,
        // f32
        0x007fffff, 0x00800000, 0x3f800000, 0x3f800001, 0x7f7fffff, 0x7f800000,
        0x7f800001, 0x7fffffff, 0x80000000, 0x80000001, 0x807fffff, 0x80800000,
        0xbf800000, 0xff800000, 0xffc00000,
        // f64
        0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
        0x3ff0000000000001, 0x7fefffffffffffff, 0x7ff0000000000000,
        0x7ff0000000000001, 0x8000000000000000, 0x8000000000000001,
        0xbff0000000000000, 0xfff0000000000000, 0xfff8000000000000};
    std::vector<Tuple> made;
    std::mt19937_64 random(5);
    for (uint64_t a : values)
      for (uint64_t b : values)
        made.push_back({a, b, random(), random()});
    for (int i = 0; i < 500; ++i) {
      uint64_t a = random();
      made.push_back({a, random() % 2 ? random() : a, random(), random()});
    }
    return made;
  }();
  return tuples;
}

std::string operands(char letter) {
  std::string reg = std::string("%") + letter;
  return ", " + reg + "0, " + reg + "1";
}

/// Checks outputs 0 and 1 of one run against p and q.
template <typename F> void expectPair(const std::string &text, F &&f) {
  std::vector<Outputs> found = evaluate(text, "PP", samples());
  for (size_t i = 0; i < samples().size(); ++i) {
    auto [p, q] = f(samples()[i]);
    if (found[i][0] == p && found[i][1] == q)
      continue;
    INFO(text << std::hex << " of 0x" << samples()[i][0] << " 0x"
              << samples()[i][1]);
    CHECK(found[i][0] == p);
    CHECK(found[i][1] == q);
    return;
  }
  SUCCEED();
}

} // namespace

TEST_CASE("setp compares every type in every way") {
  for (const CompareType &type : kTypes)
    for (const std::string &how : *type.comparisons)
      expectAll("setp." + how + "." + type.name + " %P0" +
                    operands(type.letter) + ";",
                "P", samples(), [&](const Tuple &t) -> uint64_t {
                  return holds(how, type.relation(t[0], t[1]));
                });
}

TEST_CASE("setp combines with a predicate, and gives the complement too") {
  for (const std::string how : {"lt", "neu"})
    for (const std::string combine : {"and", "or", "xor"})
      for (bool negated : {false, true})
        expectPair("setp." + how + "." + combine + ".f32 %P0|%P1, %r0, %r1, " +
                       (negated ? "!%p2;" : "%p2;"),
                   [&](const Tuple &t) {
                     bool holding = holds(how, relateF32(t[0], t[1]));
                     bool c = (t[2] & 1) != negated;
                     auto combined = [&](bool first) {
                       return combine == "and"  ? first && c
                              : combine == "or" ? first || c
                                                : first != c;
                     };
                     return std::pair<uint64_t, uint64_t>(combined(holding),
                                                          combined(!holding));
                   });
  expectPair("setp.ge.s32 %P0|%P1, %r0, %r1;", [](const Tuple &t) {
    bool holding = int32_t(t[0]) >= int32_t(t[1]);
    return std::pair<uint64_t, uint64_t>(holding, !holding);
  });
  // Either result may be left out.
  expectPair("setp.lt.u32 %P0|_, %r0, %r1; setp.lt.u32 _|%P1, %r0, %r1;",
             [](const Tuple &t) {
               bool holding = uint32_t(t[0]) < uint32_t(t[1]);
               return std::pair<uint64_t, uint64_t>(holding, !holding);
             });
  expectPair("setp.lt.and.u32 %P0, %r0, %r1, 1; setp.lt.and.u32 %P1, %r0, %r1,"
             "0;",
             [](const Tuple &t) {
               return std::pair<uint64_t, uint64_t>(
                   uint32_t(t[0]) < uint32_t(t[1]), 0);
             });
}

TEST_CASE("setp of a register that it also combines with") {
  std::vector<Outputs> found =
      evaluate("not.pred %P0, %p2; setp.lt.xor.u32 %P0|%P1, %r0, %r1, %P0;",
               "PP", {{1, 2, 0}, {1, 2, 1}, {2, 1, 0}, {2, 1, 1}});
  CHECK(found[0] == Outputs{0, 1});
  CHECK(found[1] == Outputs{1, 0});
  CHECK(found[2] == Outputs{1, 0});
  CHECK(found[3] == Outputs{0, 1});
}

TEST_CASE("packed halves have a predicate each") {
  for (bool isBf16 : {false, true})
    for (const std::string &how : kFloat) {
      auto relation = isBf16 ? relateBf16 : relateF16;
      // The words' lower halves are compared; make the upper ones others.
      expectPair("prmt.b32 %t0, %r0, %r1, 0x5410;"
                 "prmt.b32 %t1, %r1, %r0, 0x5410;"
                 "setp." +
                     how + (isBf16 ? ".bf16x2" : ".f16x2") +
                     " %P0|%P1, %t0, %t1;",
                 [&](const Tuple &t) {
                   return std::pair<uint64_t, uint64_t>(
                       holds(how, relation(t[0], t[1])),
                       holds(how, relation(t[1], t[0])));
                 });
    }
  expectPair("prmt.b32 %t0, %r0, %r1, 0x5410; prmt.b32 %t1, %r1, %r0, 0x5410;"
             "setp.gt.and.f16x2 %P0|%P1, %t0, %t1, !%p2;",
             [&](const Tuple &t) {
               bool c = !(t[2] & 1);
               return std::pair<uint64_t, uint64_t>(
                   c && relateF16(t[0], t[1]) == Greater,
                   c && relateF16(t[1], t[0]) == Greater);
             });
  expectAll("setp.lt.bf16x2 %P0, %r0, %r1;", "P", samples(),
            [](const Tuple &t) -> uint64_t {
              return relateBf16(t[0], t[1]) == Less;
            });
}

TEST_CASE(".ftz compares subnormal numbers as zeros") {
  auto flushed32 = [](uint64_t word) -> uint64_t {
    return word & 0x7f800000 ? word : word & 0x80000000;
  };
  auto flushed16 = [](uint64_t word) -> uint64_t {
    return word & 0x7c00 ? word : word & 0x8000;
  };
  for (const std::string &how : kFloat) {
    expectAll("setp." + how + ".ftz.f32 %P0, %r0, %r1;", "P", samples(),
              [&](const Tuple &t) -> uint64_t {
                return holds(how, relateF32(flushed32(t[0]), flushed32(t[1])));
              });
    expectAll("setp." + how + ".ftz.f16 %P0, %h0, %h1;", "P", samples(),
              [&](const Tuple &t) -> uint64_t {
                return holds(how, relateF16(flushed16(t[0]), flushed16(t[1])));
              });
  }
  std::vector<Outputs> found =
      evaluate("setp.eq.f32 %P0, %r0, %r1; setp.eq.ftz.f32 %P1, %r0, %r1;"
               "setp.lt.and.ftz.f16x2 %P2|%P3, %r2, %r3, 1;",
               "PPPP", {{1, 0, 0x00010000, 0x00020400}});
  CHECK(found[0] == Outputs{0, 1, 1, 0});
}

TEST_CASE("set writes what stands for true") {
  struct Row {
    const char *types, *result;
    char letter;
    uint64_t isTrue;
    Relation (*relation)(uint64_t, uint64_t);
  };
  const Row rows[] = {
      {"u32.s32", "R", 'r', 0xffffffff, relateInt<int32_t>},
      {"s32.u64", "R", 'd', 0xffffffff, relateInt<uint64_t>},
      {"f32.s32", "R", 'r', 0x3f800000, relateInt<int32_t>},
      {"f32.f32", "R", 'r', 0x3f800000, relateF32},
      {"u32.s16", "R", 'h', 0xffffffff, relateInt<int16_t>},
      {"f16.s32", "H", 'r', 0x3c00, relateInt<int32_t>},
      {"bf16.f32", "H", 'r', 0x3f80, relateF32},
      {"f16.f16", "H", 'h', 0x3c00, relateF16},
      {"bf16.bf16", "H", 'h', 0x3f80, relateBf16},
      {"u16.f16", "H", 'h', 0xffff, relateF16},
      {"s16.bf16", "H", 'h', 0xffff, relateBf16},
      {"s32.f16", "R", 'h', 0xffffffff, relateF16},
  };
  for (const Row &row : rows) {
    std::string tail =
        std::string(row.types) + " %" + row.result + "0" + operands(row.letter);
    expectAll("set.lt." + tail + ";", row.result, samples(),
              [&](const Tuple &t) {
                return row.relation(t[0], t[1]) == Less ? row.isTrue : 0;
              });
    expectAll("set.ge.or." + tail + ", !%p2;", row.result, samples(),
              [&](const Tuple &t) {
                Relation relation = row.relation(t[0], t[1]);
                bool holding = relation == Greater || relation == Equal;
                return holding || !(t[2] & 1) ? row.isTrue : 0;
              });
  }
  std::vector<Outputs> found =
      evaluate("set.eq.ftz.f32.f32 %R0, %r0, %r1; set.eq.f32.f32 %R1, %r0,"
               "%r1;",
               "RR", {{0x80000001, 1}});
  CHECK(found[0] == Outputs{0x3f800000, 0});
}

TEST_CASE("set of packed halves") {
  struct Row {
    const char *types;
    uint64_t isTrue;
    Relation (*relation)(uint64_t, uint64_t);
  };
  const Row rows[] = {{"f16x2.f16x2", 0x3c00, relateF16},
                      {"u32.f16x2", 0xffff, relateF16},
                      {"bf16x2.bf16x2", 0x3f80, relateBf16},
                      {"s32.bf16x2", 0xffff, relateBf16}};
  for (const Row &row : rows)
    expectAll(std::string("prmt.b32 %t0, %r0, %r1, 0x5410;"
                          "prmt.b32 %t1, %r1, %r0, 0x5410;"
                          "set.lt.and.") +
                  row.types + " %R0, %t0, %t1, %p2;",
              "R", samples(), [&](const Tuple &t) {
                bool c = t[2] & 1;
                bool low = c && row.relation(t[0], t[1]) == Less;
                bool high = c && row.relation(t[1], t[0]) == Less;
                return (low ? row.isTrue : 0) | (high ? row.isTrue << 16 : 0);
              });
}

TEST_CASE("lanes that do not take part keep their predicates") {
  std::vector<Tuple> inputs;
  for (uint64_t i = 0; i < 64; ++i)
    inputs.push_back({i, 32, i & 1, i >> 1 & 1});
  std::vector<Outputs> found =
      evaluate("mov.pred %P0, %p3; mov.pred %P1, %p3;"
               "@%p2 setp.lt.u32 %P0, %r0, %r1;"
               "@!%p2 setp.lt.u32 %P1|%P2, %r0, %r1; mov.pred %P2, 1;",
               "PP", inputs);
  for (uint64_t i = 0; i < 64; ++i) {
    bool holding = i < 32, odd = i & 1, before = i >> 1 & 1;
    CHECK(found[i][0] == (odd ? holding : before));
    CHECK(found[i][1] == (odd ? before : holding));
  }
}

TEST_CASE("comparisons that are none are refused") {
  CHECK_THAT(refusal("setp.s32 %P0, %r0, %r1;"),
             Contains("needs a comparison, such as .lt, behind its name"));
  CHECK_THAT(refusal("setp.lt.b32 %P0, %r0, %r1;"),
             Contains("comparison .lt does not go with type .b32"));
  CHECK_THAT(refusal("setp.lo.s32 %P0, %r0, %r1;"),
             Contains("comparison .lo does not go with type .s32"));
  CHECK_THAT(refusal("setp.equ.u32 %P0, %r0, %r1;"),
             Contains("comparison .equ does not go with type .u32"));
  CHECK_THAT(refusal("setp.hs.f32 %P0, %r0, %r1;"),
             Contains("comparison .hs does not go with type .f32"));
  CHECK_THAT(refusal("setp.lt.ftz.bf16 %P0, %h0, %h1;"),
             Contains(".ftz does not go with type .bf16"));
  CHECK_THAT(refusal("setp.eq.pred %P0, %p0, %p1;"),
             Contains("needs a type that can be compared"));
  CHECK_THAT(refusal("setp.lt.f16 %P0|%P1, %h0, %h1;"),
             Contains("type .f16 has one result only"));
  CHECK_THAT(refusal("setp.eq.s32 %P0, %r0, %r1, %p0;"),
             Contains("a fourth operand needs .and, .or or .xor"));
  CHECK_THAT(refusal("setp.eq.and.s32 %P0, %r0, %r1;"),
             Contains("takes 4 operands, not 3"));
  CHECK_THAT(refusal("setp.eq.s32 _, %r0, %r1;"),
             Contains("operand 1 is the result and cannot be '_'"));
  CHECK_THAT(refusal("set.lt.f32.f16 %R0, %h0, %h1;"),
             Contains("a comparison of type .f16 cannot result in type .f32"));
  CHECK_THAT(refusal("set.lt.u16.s32 %H0, %r0, %r1;"),
             Contains("a comparison of type .s32 cannot result in type .u16"));
  CHECK_THAT(
      refusal("set.lt.f16.f16x2 %H0, %r0, %r1;"),
      Contains("a comparison of type .f16x2 cannot result in type .f16"));
  CHECK_THAT(refusal("set.lt %R0, %r0, %r1;"),
             Contains("needs the result's type in front of the operands'"));
}
