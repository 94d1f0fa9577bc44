//===- IntegerTest.cpp - integer arithmetic -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Evaluate.h"

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;
using Catch::Matchers::Contains;

namespace {

using Int = __int128; // every product and sum of 64-bit numbers but one

/// A type of 16, 32 or 64 bits: how it is spelled, what its registers are.
struct IntType {
  const char *name;
  unsigned bits;
  bool isSigned;
  std::string in(int i) const { return letter(false) + std::to_string(i); }
  std::string out() const { return letter(true) + "0"; }
  std::string result() const {
    return bits == 16 ? "H" : bits == 32 ? "R" : "D";
  }
  std::string letter(bool isResult) const {
    std::string small = bits == 16 ? "%h" : bits == 32 ? "%r" : "%d";
    return isResult ? "%" + result() : small;
  }
  /// The number that a word stands for.
  Int value(uint64_t word) const {
    Int modulus = Int(1) << bits;
    Int number = Int(word) % modulus;
    return isSigned && number >= modulus / 2 ? number - modulus : number;
  }
  uint64_t word(Int number) const {
    Int modulus = Int(1) << bits;
    return uint64_t((number % modulus + modulus) % modulus);
  }
};
const IntType kTypes[] = {{"u16", 16, false}, {"u32", 32, false},
                          {"u64", 64, false}, {"s16", 16, true},
                          {"s32", 32, true},  {"s64", 64, true}};
const IntType kU32 = kTypes[1], kS32 = kTypes[4];

const std::vector<Tuple> &samples() {
  static const std::vector<Tuple> tuples = sampleTuples();
  return tuples;
}

std::string statement(const std::string &opcode, const IntType &type,
                      int operands) {
  std::string text = opcode + "." + type.name + " " + type.out();
  for (int i = 0; i < operands; ++i)
    text += ", " + type.in(i);
  return text + ";";
}

/// op.type for each type, against f on numbers, cut to the type.
template <typename F>
void expectForTypes(const std::string &opcode, int operands, bool signedOnly,
                    F &&f) {
  for (const IntType &type : kTypes) {
    if (signedOnly && !type.isSigned)
      continue;
    expectAll(statement(opcode, type, operands), type.result(), samples(),
              [&](const Tuple &in) {
                return type.word(f(type.value(in[0]), type.value(in[1]),
                                   type.value(in[2]), type));
              });
  }
}

Int magnitude(Int number) { return number < 0 ? -number : number; }

/// floor(number / 2^bits)
Int shiftedDown(Int number, unsigned bits) {
  Int power = Int(1) << bits;
  Int quotient = number / power;
  return number % power < 0 ? quotient - 1 : quotient;
}

/// The product's bits from `bits` on: with unsigned 64-bit factors it does not
/// fit in Int.
Int upperHalf(Int a, Int b, const IntType &type) {
  if (type.isSigned)
    return shiftedDown(a * b, type.bits);
  return Int((unsigned __int128)a * (unsigned __int128)b >> type.bits);
}
Int lowerHalf(Int a, Int b) {
  return Int((unsigned __int128)a * (unsigned __int128)b << 64 >> 64);
}

uint64_t clamped32(Int number) {
  Int limit = Int(1) << 31;
  number = number >= limit ? limit - 1 : number < -limit ? -limit : number;
  return kS32.word(number);
}

} // namespace

TEST_CASE("sums and differences wrap around") {
  expectForTypes("add", 2, false,
                 [](Int a, Int b, Int, auto &) { return a + b; });
  expectForTypes("sub", 2, false,
                 [](Int a, Int b, Int, auto &) { return a - b; });
}

TEST_CASE("sums and differences of s32 saturate") {
  expectAll("add.sat.s32 %R0, %r0, %r1;", "R", samples(), [](const Tuple &in) {
    return clamped32(kS32.value(in[0]) + kS32.value(in[1]));
  });
  expectAll("sub.sat.s32 %R0, %r0, %r1;", "R", samples(), [](const Tuple &in) {
    return clamped32(kS32.value(in[0]) - kS32.value(in[1]));
  });
}

TEST_CASE("products: low, high and wide") {
  expectForTypes("mul.lo", 2, false,
                 [](Int a, Int b, Int, auto &) { return lowerHalf(a, b); });
  expectForTypes("mul.hi", 2, false, [](Int a, Int b, Int, auto &type) {
    return upperHalf(a, b, type);
  });
  expectForTypes("mad.lo", 3, false, [](Int a, Int b, Int c, auto &) {
    return lowerHalf(a, b) + c;
  });
  expectForTypes("mad.hi", 3, false, [](Int a, Int b, Int c, auto &type) {
    return upperHalf(a, b, type) + c;
  });
  for (int i : {0, 1, 3, 4}) {
    const IntType &type = kTypes[i], &wide = kTypes[i + 1];
    std::string operands = wide.out() + ", " + type.in(0) + ", " + type.in(1);
    expectAll(std::string("mul.wide.") + type.name + " " + operands + ";",
              wide.result(), samples(), [&](const Tuple &in) {
                return wide.word(type.value(in[0]) * type.value(in[1]));
              });
    expectAll(std::string("mad.wide.") + type.name + " " + operands + ", " +
                  wide.in(2) + ";",
              wide.result(), samples(), [&](const Tuple &in) {
                return wide.word(type.value(in[0]) * type.value(in[1]) +
                                 wide.value(in[2]));
              });
  }
  expectAll("mad.hi.sat.s32 %R0, %r0, %r1, %r2;", "R", samples(),
            [](const Tuple &in) {
              Int product = kS32.value(in[0]) * kS32.value(in[1]);
              return clamped32(shiftedDown(product, 32) + kS32.value(in[2]));
            });
}

TEST_CASE("products of 24 bits") {
  for (const IntType &type : {kU32, kS32}) {
    IntType low = {type.name, 24, type.isSigned};
    auto product = [&](const Tuple &in) {
      return low.value(in[0]) * low.value(in[1]);
    };
    expectAll(statement("mul24.lo", type, 2), "R", samples(),
              [&](const Tuple &in) { return type.word(product(in)); });
    expectAll(statement("mul24.hi", type, 2), "R", samples(),
              [&](const Tuple &in) {
                return type.word(shiftedDown(product(in), 16));
              });
    expectAll(statement("mad24.lo", type, 3), "R", samples(),
              [&](const Tuple &in) {
                return type.word(product(in) + type.value(in[2]));
              });
    expectAll(
        statement("mad24.hi", type, 3), "R", samples(), [&](const Tuple &in) {
          return type.word(shiftedDown(product(in), 16) + type.value(in[2]));
        });
  }
  IntType low = {"s32", 24, true};
  expectAll("mad24.hi.sat.s32 %R0, %r0, %r1, %r2;", "R", samples(),
            [&](const Tuple &in) {
              Int product = low.value(in[0]) * low.value(in[1]);
              // Bits 47 to 16 of the product are a number of 32 bits.
              Int upper = kS32.value(uint64_t(shiftedDown(product, 16)));
              return clamped32(upper + kS32.value(in[2]));
            });
}

TEST_CASE("differences' absolute values, signs, extrema") {
  expectForTypes("sad", 3, false, [](Int a, Int b, Int c, auto &) {
    return c + magnitude(a - b);
  });
  expectForTypes("neg", 1, true, [](Int a, Int, Int, auto &) { return -a; });
  expectForTypes("abs", 1, true,
                 [](Int a, Int, Int, auto &) { return magnitude(a); });
  expectForTypes("min", 2, false,
                 [](Int a, Int b, Int, auto &) { return a < b ? a : b; });
  expectForTypes("max", 2, false,
                 [](Int a, Int b, Int, auto &) { return a < b ? b : a; });
  expectAll("min.relu.s32 %R0, %r0, %r1;", "R", samples(), [](const Tuple &in) {
    Int least = std::min(kS32.value(in[0]), kS32.value(in[1]));
    return kS32.word(std::max<Int>(least, 0));
  });
  expectAll("max.relu.s32 %R0, %r0, %r1;", "R", samples(), [](const Tuple &in) {
    Int most = std::max(kS32.value(in[0]), kS32.value(in[1]));
    return kS32.word(std::max<Int>(most, 0));
  });
}

TEST_CASE("quotients and remainders") {
  // All ones where the divisor is zero. C's division truncates as PTX's does.
  expectForTypes("div", 2, false, [](Int a, Int b, Int, auto &) -> Int {
    return b == 0 ? -1 : a / b;
  });
  expectForTypes("rem", 2, false, [](Int a, Int b, Int, auto &) -> Int {
    return b == 0 ? -1 : a % b;
  });
  std::vector<Outputs> found =
      evaluate("div.s32 %R0, %r0, %r1; rem.s32 %R1, %r0, %r1;", "RR",
               {{0x80000000, 0xffffffff}, {0xfffffff9, 2}, {7, 0xfffffffe}});
  CHECK(found[0] == Outputs{0x80000000, 0});
  CHECK(found[1] == Outputs{0xfffffffd, 0xffffffff}); // -7: -3, -1
  CHECK(found[2] == Outputs{0xfffffffd, 1});
}

TEST_CASE("packed halves") {
  for (bool isSigned : {false, true}) {
    IntType half = isSigned ? kTypes[3] : kTypes[0];
    std::string type = isSigned ? "s16x2" : "u16x2";
    auto expect = [&](const std::string &opcode, auto f) {
      expectAll(opcode + "." + type + " %R0, %r0, %r1;", "R", samples(),
                [&](const Tuple &in) {
                  uint64_t low =
                      half.word(f(half.value(in[0]), half.value(in[1])));
                  uint64_t high = half.word(
                      f(half.value(in[0] >> 16), half.value(in[1] >> 16)));
                  return low | high << 16;
                });
    };
    expect("add", [](Int a, Int b) { return a + b; });
    expect("min", [](Int a, Int b) { return std::min(a, b); });
    expect("max", [](Int a, Int b) { return std::max(a, b); });
    if (!isSigned)
      continue;
    expect("min.relu",
           [](Int a, Int b) { return std::max<Int>(std::min(a, b), 0); });
    expect("max.relu",
           [](Int a, Int b) { return std::max<Int>(std::max(a, b), 0); });
  }
}

TEST_CASE("dot products of bytes and halves") {
  for (int signs = 0; signs < 4; ++signs) {
    bool signedA = signs & 1, signedB = signs & 2;
    std::string types =
        std::string(signedA ? ".s32" : ".u32") + (signedB ? ".s32" : ".u32");
    IntType byteA = {"", 8, signedA}, byteB = {"", 8, signedB};
    IntType halfA = {"", 16, signedA};
    expectAll("dp4a" + types + " %R0, %r0, %r1, %r2;", "R", samples(),
              [&](const Tuple &in) {
                Int sum = Int(in[2]);
                for (int i = 0; i < 4; ++i)
                  sum +=
                      byteA.value(in[0] >> 8 * i) * byteB.value(in[1] >> 8 * i);
                return kU32.word(sum);
              });
    for (int high : {0, 1})
      expectAll(std::string("dp2a.") + (high ? "hi" : "lo") + types +
                    " %R0, %r0, %r1, %r2;",
                "R", samples(), [&](const Tuple &in) {
                  Int sum = Int(in[2]);
                  for (int i = 0; i < 2; ++i)
                    sum += halfA.value(in[0] >> 16 * i) *
                           byteB.value(in[1] >> (8 * i + 16 * high));
                  return kU32.word(sum);
                });
  }
  // By hand: 1*5 + 2*6 + 3*7 + 4*8 + 100 = 170.
  std::vector<Outputs> found = evaluate("dp4a.u32.u32 %R0, %r0, %r1, %r2;", "R",
                                        {{0x04030201, 0x08070605, 100, 0}});
  CHECK(found[0][0] == 170);
}

TEST_CASE("the carry flag makes long sums, differences and products") {
  for (bool isWide : {false, true}) {
    std::string type = isWide ? "u64" : "u32", in = isWide ? "%d" : "%r";
    unsigned bits = isWide ? 64 : 32;
    auto text = [&](std::string line) {
      for (size_t at; (at = line.find('@')) != std::string::npos;)
        line.replace(at, 1, in);
      for (size_t at; (at = line.find('#')) != std::string::npos;)
        line.replace(at, 1, isWide ? "%D" : "%R");
      for (size_t at; (at = line.find('T')) != std::string::npos;)
        line.replace(at, 1, type);
      return line;
    };
    std::string results = isWide ? "DDD" : "RRR";
    // Three words, so that the middle one has a carry in and out: c and d are
    // words twice.
    std::vector<Outputs> sums = evaluate(
        text("add.cc.T #0, @0, @1; addc.cc.T #1, @2, @3; addc.T #2, 0, 0;"),
        results, samples());
    std::vector<Outputs> differences = evaluate(
        text("sub.cc.T #0, @0, @1; subc.cc.T #1, @2, @3; subc.T #2, 0, 0;"),
        results, samples());
    IntType word = {"", bits, false};
    bool good = true;
    for (size_t i = 0; i < samples().size(); ++i) {
      Int v[4];
      for (int j = 0; j < 4; ++j)
        v[j] = word.value(samples()[i][j]);
      Int low = v[0] + v[1], middle = v[2] + v[3] + shiftedDown(low, bits);
      good &= sums[i][0] == word.word(low) && sums[i][1] == word.word(middle) &&
              sums[i][2] == word.word(shiftedDown(middle, bits));
      low = v[0] - v[1], middle = v[2] - v[3] + shiftedDown(low, bits);
      good &= differences[i][0] == word.word(low) &&
              differences[i][1] == word.word(middle) &&
              differences[i][2] == word.word(shiftedDown(middle, bits));
    }
    CHECK(good);
  }
  // PTX ISA 9.7.2.6: [r3, r2, r1, r0] = [r5, r4] * [r7, r6], with r4..r7 in
  // words 0 to 3.
  std::vector<Outputs> found =
      evaluate("mul.lo.u32 %R0, %r0, %r2; mul.hi.u32 %R1, %r0, %r2;"
               "mad.lo.cc.u32 %R1, %r1, %r2, %R1; madc.hi.u32 %R2, %r1, %r2, 0;"
               "mad.lo.cc.u32 %R1, %r0, %r3, %R1;"
               "madc.hi.cc.u32 %R2, %r0, %r3, %R2; addc.u32 %R3, 0, 0;"
               "mad.lo.cc.u32 %R2, %r1, %r3, %R2; madc.hi.u32 %R3, %r1, %r3,"
               "%R3;",
               "RRRR", samples());
  bool good = true;
  for (size_t i = 0; i < samples().size(); ++i) {
    const Tuple &in = samples()[i];
    auto pair = [&](int low) {
      return (unsigned __int128)(in[low] & 0xffffffff) |
             (unsigned __int128)(in[low + 1] & 0xffffffff) << 32;
    };
    unsigned __int128 product = pair(0) * pair(2);
    for (int j = 0; j < 4; ++j)
      good &= found[i][j] == uint32_t(product >> (32 * j));
  }
  CHECK(good);
}

TEST_CASE("signed halves of products and their carries") {
  std::vector<Outputs> found = evaluate(
      "mad.hi.cc.s32 %R0, %r0, %r1, %r2; addc.u32 %R1, 0, 0;"
      "mad.hi.cc.s64 %D2, %d0, %d1, %d2; madc.lo.cc.s64 %D3, %d0, %d1, %d2;",
      "RRDD", samples());
  bool good = true;
  for (size_t i = 0; i < samples().size(); ++i) {
    const Tuple &in = samples()[i];
    auto sum = [](const IntType &word, Int high, uint64_t c, Int carry) {
      return Int(word.word(high)) + Int(word.word(Int(c))) + carry;
    };
    Int high32 = shiftedDown(kS32.value(in[0]) * kS32.value(in[1]), 32);
    Int sum32 = sum(kU32, high32, in[2], 0);
    good &= found[i][0] == kU32.word(sum32);
    good &= found[i][1] == uint64_t(shiftedDown(sum32, 32));
    const IntType &s64 = kTypes[5], &u64 = kTypes[2];
    Int product = s64.value(in[0]) * s64.value(in[1]);
    Int sum64 = sum(u64, shiftedDown(product, 64), in[2], 0);
    good &= found[i][2] == u64.word(sum64);
    Int low64 = sum(u64, product, in[2], shiftedDown(sum64, 64));
    good &= found[i][3] == u64.word(low64);
  }
  CHECK(good);
}

TEST_CASE("only lanes that pass the guard write, their carries too") {
  std::vector<Tuple> inputs;
  for (uint64_t i = 0; i < 128; ++i)
    inputs.push_back({i & 1, 0xffffffff, i, 0});
  // Odd lanes end with the carry that all had, even ones without.
  std::vector<Outputs> found =
      evaluate("mov.b32 %R0, %r2; add.cc.u32 %R1, %r1, 1; mov.b32 %R1, 7;"
               "@%p0 add.s32 %R0, %r2, 1000; @!%p0 add.cc.u32 %R1, %r1, 0;"
               "addc.u32 %R2, 0, 0;",
               "RRR", inputs);
  // And the other way around.
  std::vector<Outputs> set = evaluate(
      "add.cc.u32 %R0, 1, 1; @%p0 add.cc.u32 %R0, %r1, 1; addc.u32 %R0, 0, 0;",
      "R", inputs);
  for (uint64_t i = 0; i < 128; ++i) {
    bool odd = i & 1;
    CHECK(found[i][0] == (odd ? i + 1000 : i));
    CHECK(found[i][1] == (odd ? 7u : 0xffffffffu));
    CHECK(found[i][2] == (odd ? 1u : 0u));
    CHECK(set[i][0] == (odd ? 1u : 0u));
  }
}

TEST_CASE("results may be sources") {
  expectAll("mov.b32 %R0, %r0; mad.lo.s32 %R0, %R0, %R0, %R0;", "R", samples(),
            [](const Tuple &in) {
              return kU32.word(lowerHalf(kU32.value(in[0]), kU32.value(in[0])) +
                               kU32.value(in[0]));
            });
}

TEST_CASE("integer arithmetic that is none is refused") {
  CHECK_THAT(refusal("add.sat.u32 %R0, %r0, %r1;"),
             Contains("'add.sat.u32 %R0, %r0, %r1': saturates for .s32 only"));
  CHECK_THAT(refusal("sub.u16x2 %R0, %r0, %r1;"),
             Contains("type .u16x2 is not supported"));
  CHECK_THAT(refusal("mul.u32 %R0, %r0, %r1;"),
             Contains("needs .lo, .hi or .wide in front of its type"));
  CHECK_THAT(refusal("mul.wide.u64 %D0, %d0, %d1;"),
             Contains("type .u64 is not supported"));
  CHECK_THAT(refusal("mad.lo.sat.s32 %R0, %r0, %r1, %r2;"),
             Contains("saturates for .hi and .s32 only"));
  CHECK_THAT(refusal("mad24.lo.sat.s32 %R0, %r0, %r1, %r2;"),
             Contains("saturates for .hi and .s32 only"));
  CHECK_THAT(refusal("mul24.s32 %R0, %r0, %r1;"),
             Contains("needs .lo or .hi in front of its type"));
  CHECK_THAT(refusal("mul24.lo.u64 %D0, %d0, %d1;"),
             Contains("needs type .u32 or .s32"));
  CHECK_THAT(refusal("sad.b32 %R0, %r0, %r1, %r2;"),
             Contains("needs type .u16 to .u64 or .s16 to .s64"));
  CHECK_THAT(refusal("abs.u32 %R0, %r0;"),
             Contains("type .u32 is not supported"));
  CHECK_THAT(refusal("min.relu.u32 %R0, %r0, %r1;"),
             Contains(".relu goes with .s32 and .s16x2 only"));
  CHECK_THAT(refusal("dp4a.u32 %R0, %r0, %r1, %r2;"),
             Contains("needs two types, each .u32 or .s32"));
  CHECK_THAT(refusal("dp2a.u32.u32 %R0, %r0, %r1, %r2;"),
             Contains("needs .lo or .hi in front of its types"));
  CHECK_THAT(refusal("add.cc.u16 %H0, %h0, %h1;"),
             Contains("needs type .u32, .s32, .u64 or .s64"));
  CHECK_THAT(refusal("madc.cc.u32 %R0, %r0, %r1, %r2;"),
             Contains("needs .lo or .hi in front of its type"));
  CHECK_THAT(refusal("add.s32 _, %r0, %r1;"),
             Contains("operand 1 is the result and cannot be '_'"));
  CHECK_THAT(refusal("add.s32 %R0, %r0;"), Contains("takes 3 operands, not 2"));
  CHECK_THAT(refusal("add.s32 %R0, %d0, %r1;"),
             Contains("register %d0 is declared .b64"));
  CHECK_THAT(refusal("add.ftz.s32 %R0, %r0, %r1;"), Contains("'.ftz'"));
}
