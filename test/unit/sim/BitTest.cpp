//===- BitTest.cpp - logic, shifts, fields of bits ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The references go bit by bit, as PTX ISA's own definitions do.
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Evaluate.h"

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<Tuple> &samples() {
  static const std::vector<Tuple> tuples = sampleTuples();
  return tuples;
}

uint64_t cut(uint64_t word, unsigned bits) {
  return bits == 64 ? word : word & ((uint64_t(1) << bits) - 1);
}
bool bit(uint64_t word, int64_t index) {
  return index >= 0 && index < 64 && (word >> index & 1);
}
/// A word put together from f(0), f(1), ...
template <typename F> uint64_t fromBits(unsigned bits, F &&f) {
  uint64_t word = 0;
  for (unsigned i = 0; i < bits; ++i)
    if (f(int64_t(i)))
      word |= uint64_t(1) << i;
  return word;
}

/// Registers of a width: `%h0`, `%R0`.
std::string in(unsigned bits, int i) {
  return (bits == 16 ? "%h" : bits == 32 ? "%r" : "%d") + std::to_string(i);
}
std::string letter(unsigned bits) {
  return bits == 16 ? "H" : bits == 32 ? "R" : "D";
}
std::string out(unsigned bits) { return "%" + letter(bits) + "0"; }

template <typename F>
void expectBinary(const std::string &opcode, unsigned bits, F &&f) {
  expectAll(opcode + std::to_string(bits) + " " + out(bits) + ", " +
                in(bits, 0) + ", " + in(bits, 1) + ";",
            letter(bits), samples(),
            [&](const Tuple &t) { return cut(f(t[0], t[1]), bits); });
}

} // namespace

TEST_CASE("logic on words") {
  for (unsigned bits : {16, 32, 64}) {
    expectBinary("and.b", bits, [](uint64_t a, uint64_t b) { return a & b; });
    expectBinary("or.b", bits, [](uint64_t a, uint64_t b) { return a | b; });
    expectBinary("xor.b", bits, [](uint64_t a, uint64_t b) { return a ^ b; });
    std::string operands =
        std::to_string(bits) + " " + out(bits) + ", " + in(bits, 0) + ";";
    expectAll("not.b" + operands, letter(bits), samples(),
              [&](const Tuple &t) { return cut(~t[0], bits); });
    expectAll("cnot.b" + operands, letter(bits), samples(),
              [&](const Tuple &t) { return cut(t[0], bits) == 0; });
  }
}

TEST_CASE("logic on predicates") {
  std::vector<Tuple> inputs = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  std::vector<Outputs> found = evaluate(
      "and.pred %P0, %p0, %p1; or.pred %P1, %p0, %p1; xor.pred %P2, %p0, %p1;"
      "not.pred %P3, %p0;",
      "PPPP", inputs);
  std::vector<Outputs> negated =
      evaluate("and.pred %P0, !%p0, %p1; or.pred %P1, %p0, !%p1;"
               "and.pred %P2, 1, %p1; xor.pred %P3, !%p0, !%p1;",
               "PPPP", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    uint64_t a = inputs[i][0], b = inputs[i][1];
    CHECK(found[i] == Outputs{a & b, a | b, a ^ b, 1 - a});
    CHECK(negated[i] == Outputs{(1 - a) & b, a | (1 - b), b, a ^ b});
  }
}

TEST_CASE("shifts by the width or more shift everything out") {
  for (unsigned bits : {16, 32, 64}) {
    std::string width = std::to_string(bits);
    std::string operands = width + " " + out(bits) + ", " + in(bits, 0);
    auto expect = [&](const std::string &opcode, bool isLeft, bool isSigned,
                      const std::string &amount, int64_t constant) {
      expectAll(opcode + operands + ", " + amount + ";", letter(bits),
                samples(), [&](const Tuple &t) {
                  uint64_t a = cut(t[0], bits);
                  int64_t n = constant < 0 ? int64_t(cut(t[1], 32)) : constant;
                  bool fill = isSigned && bit(a, bits - 1);
                  return fromBits(bits, [&](int64_t i) {
                    int64_t from = isLeft ? i - n : i + n;
                    return from >= bits ? fill : bit(a, from);
                  });
                });
    };
    for (int64_t constant : {-1, 0, 5, 16, 40, 64}) {
      std::string amount = constant < 0 ? "%r1" : std::to_string(constant);
      expect("shl.b", true, false, amount, constant);
      expect("shr.b", false, false, amount, constant);
      expect("shr.u", false, false, amount, constant);
      expect("shr.s", false, true, amount, constant);
    }
  }
}

TEST_CASE("funnel shifts") {
  for (bool isLeft : {false, true})
    for (bool wraps : {false, true})
      for (const char *amount : {"%r2", "3", "32", "40"})
        expectAll(std::string("shf.") + (isLeft ? "l." : "r.") +
                      (wraps ? "wrap" : "clamp") + ".b32 %R0, %r0, %r1, " +
                      amount + ";",
                  "R", samples(), [&](const Tuple &t) {
                    uint64_t c =
                        amount[0] == '%' ? cut(t[2], 32) : std::stoull(amount);
                    int64_t n =
                        int64_t(wraps ? c % 32 : std::min<uint64_t>(c, 32));
                    uint64_t both = cut(t[0], 32) | t[1] << 32;
                    return fromBits(32, [&](int64_t i) {
                      return isLeft ? bit(both, i + 32 - n) : bit(both, i + n);
                    });
                  });
}

TEST_CASE("counting and finding bits") {
  for (unsigned bits : {32, 64}) {
    std::string width = std::to_string(bits);
    std::string operands = width + " %R0, " + in(bits, 0) + ";";
    expectAll("popc.b" + operands, "R", samples(), [&](const Tuple &t) {
      uint64_t count = 0;
      for (unsigned i = 0; i < bits; ++i)
        count += bit(t[0], i);
      return count;
    });
    expectAll("clz.b" + operands, "R", samples(), [&](const Tuple &t) {
      uint64_t count = 0;
      while (count < bits && !bit(t[0], int64_t(bits - 1 - count)))
        ++count;
      return count;
    });
    expectAll("brev.b" + width + " " + out(bits) + ", " + in(bits, 0) + ";",
              letter(bits), samples(), [&](const Tuple &t) {
                return fromBits(bits, [&](int64_t i) {
                  return bit(t[0], int64_t(bits) - 1 - i);
                });
              });
    for (bool isSigned : {false, true})
      for (bool isShift : {false, true})
        expectAll(std::string(isShift ? "bfind.shiftamt." : "bfind.") +
                      (isSigned ? "s" : "u") + operands,
                  "R", samples(), [&](const Tuple &t) -> uint64_t {
                    bool sign = isSigned && bit(t[0], bits - 1);
                    for (int64_t i = bits - 1; i >= 0; --i)
                      if (bit(t[0], i) != sign)
                        return uint64_t(isShift ? bits - 1 - i : i);
                    return 0xffffffff;
                  });
  }
}

TEST_CASE("fields of bits") {
  for (unsigned bits : {32, 64}) {
    std::string width = std::to_string(bits);
    int64_t msb = bits - 1;
    // Measured on an H200: 32-bit fields look at the low byte of their numbers.
    uint64_t seen = bits == 32 ? 0xff : 0xffffffff;
    for (bool isSigned : {false, true})
      expectAll(
          std::string("bfe.") + (isSigned ? "s" : "u") + width + " " +
              out(bits) + ", " + in(bits, 0) + ", %r1, %r2;",
          letter(bits), samples(), [&](const Tuple &t) {
            int64_t pos = int64_t(t[1] & seen), len = int64_t(t[2] & seen);
            bool sign =
                isSigned && len != 0 && bit(t[0], std::min(pos + len - 1, msb));
            return fromBits(bits, [&](int64_t i) {
              return i < len && pos + i <= msb ? bit(t[0], pos + i) : sign;
            });
          });
    expectAll("bfi.b" + width + " " + out(bits) + ", " + in(bits, 0) + ", " +
                  in(bits, 1) + ", %r2, %r3;",
              letter(bits), samples(), [&](const Tuple &t) {
                int64_t pos = int64_t(t[2] & seen), len = int64_t(t[3] & seen);
                return fromBits(bits, [&](int64_t i) {
                  return i >= pos && i < pos + len ? bit(t[0], i - pos)
                                                   : bit(t[1], i);
                });
              });
  }
  std::vector<Outputs> found =
      evaluate("bfe.s32 %R0, %r0, 4, 8; bfe.u32 %R1, %r0, 4, 8;"
               "bfi.b32 %R2, %r1, %r0, 8, 4; bfe.u32 %R3, %r0, 28, 16;",
               "RRRR", {{0x9abcdef0, 0x5}});
  CHECK(found[0] == Outputs{0xffffffef, 0xef, 0x9abcd5f0, 0x9});
}

TEST_CASE("masks and extensions of low bits") {
  for (bool wraps : {false, true}) {
    std::string mode = wraps ? "wrap" : "clamp";
    expectAll("bmsk." + mode + ".b32 %R0, %r0, %r1;", "R", samples(),
              [&](const Tuple &t) {
                int64_t pos = int64_t(cut(t[0], 32));
                int64_t len = int64_t(cut(t[1], 32));
                if (wraps)
                  pos %= 32, len %= 32;
                return fromBits(
                    32, [&](int64_t i) { return i >= pos && i < pos + len; });
              });
    for (bool isSigned : {false, true})
      expectAll("szext." + mode + (isSigned ? ".s32" : ".u32") +
                    " %R0, %r0, %r1;",
                "R", samples(), [&](const Tuple &t) {
                  int64_t len = int64_t(cut(t[1], 32));
                  len = wraps ? len % 32 : std::min<int64_t>(len, 32);
                  return fromBits(32, [&](int64_t i) {
                    return i < len    ? bit(t[0], i)
                           : isSigned ? bit(t[0], len - 1)
                                      : false;
                  });
                });
  }
  // PTX ISA's examples.
  std::vector<Outputs> found =
      evaluate("bmsk.wrap.b32 %R0, 1, 2; szext.wrap.u32 %R1, 0xffffffff, 0;",
               "RR", {{0, 0}});
  CHECK(found[0] == Outputs{6, 0});
}

TEST_CASE("the n-th bit that is set") {
  std::vector<Tuple> inputs;
  std::mt19937_64 random(3);
  for (uint64_t mask : {uint64_t(0), uint64_t(0xffffffff), uint64_t(0xaaaaaaaa),
                        uint64_t(1), uint64_t(0x80000000), random(), random()})
    for (uint64_t base = 0; base < 32; ++base)
      for (int offset : {0, 1, -1, 2, -2, 5, -5, 16, -16, 31, 32, -32, 33})
        inputs.push_back({mask, base, uint64_t(int64_t(offset)), 0});
  for (uint64_t extreme : {0x7fffffffu, 0x80000000u})
    inputs.push_back({0xffffffff, 15, extreme, 0});
  // As PTX ISA defines it.
  expectAll("fns.b32 %R0, %r0, %r1, %r2;", "R", inputs,
            [](const Tuple &t) -> uint64_t {
              int64_t offset = int32_t(t[2]), base = int64_t(t[1]);
              if (offset == 0)
                return bit(t[0], base) ? uint64_t(base) : 0xffffffff;
              int64_t count = (offset < 0 ? -offset : offset) - 1;
              for (int64_t i = base; i >= 0 && i<32; i += offset> 0 ? 1 : -1)
                if (bit(t[0], i) && count-- == 0)
                  return uint64_t(i);
              return 0xffffffff;
            });
  std::vector<Outputs> found =
      evaluate("fns.b32 %R0, 0xaaaaaaaa, 3, 1; fns.b32 %R1, 0xaaaaaaaa, 3, -1;"
               "fns.b32 %R2, 0xaaaaaaaa, 2, 1; fns.b32 %R3, 0xaaaaaaaa, 2, -1;",
               "RRRR", {{0, 0}});
  CHECK(found[0] == Outputs{3, 3, 3, 1});
}

TEST_CASE("lop3 with every table") {
  std::vector<Tuple> inputs = {{0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0},
                               {0x12345678, 0x9abcdef0, 0x0f1e2d3c, 1}};
  bool good = true;
  for (unsigned table = 0; table < 256; ++table) {
    std::string text =
        "lop3.b32 %R0, %r0, %r1, %r2, " + std::to_string(table) + ";";
    std::vector<Outputs> found = evaluate(text, "R", inputs);
    // The constants for which the result is the table, four times.
    good &= found[0][0] == table * 0x01010101u;
    good &= found[1][0] == fromBits(32, [&](int64_t i) {
              unsigned line = bit(inputs[1][0], i) * 4 +
                              bit(inputs[1][1], i) * 2 + bit(inputs[1][2], i);
              return bit(table, line);
            });
  }
  CHECK(good);
}

TEST_CASE("lop3 with a predicate") {
  std::vector<Tuple> inputs = {
      {6, 3, 0, 0}, {6, 3, 0, 1}, {4, 3, 0, 0}, {4, 3, 0, 1}};
  // 0xc0: a & b.
  std::vector<Outputs> found =
      evaluate("lop3.or.b32 %R0|%P1, %r0, %r1, %r2, 0xc0, %p3;"
               "lop3.and.b32 _|%P2, %r0, %r1, %r2, 0xc0, %p3;"
               "lop3.and.b32 %R3|%P3, %r0, %r1, %r2, 0xc0, !%p3;",
               "RPPP", inputs);
  CHECK(found[0] == Outputs{2, 1, 0, 1});
  CHECK(found[1] == Outputs{2, 1, 1, 0});
  CHECK(found[2] == Outputs{0, 0, 0, 0});
  CHECK(found[3] == Outputs{0, 1, 0, 0});
}

TEST_CASE("bytes permuted") {
  expectAll("prmt.b32 %R0, %r0, %r1, %r2;", "R", samples(), [](const Tuple &t) {
    uint64_t both = cut(t[0], 32) | t[1] << 32;
    return fromBits(32, [&](int64_t i) {
      uint64_t select = t[2] >> (i / 8 * 4) & 15;
      int64_t byte = int64_t(select & 7) * 8;
      return bit(both, byte + (select & 8 ? 7 : i % 8));
    });
  });
  // Bytes 0 to 7 are 0x10 to 0x17; PTX ISA's table of modes.
  std::vector<Tuple> inputs;
  for (uint64_t c = 0; c < 4; ++c)
    inputs.push_back({0x13121110, 0x17161514, c + 0x54, 0});
  auto expect = [&](const std::string &mode, std::array<uint64_t, 4> bytes) {
    std::vector<Outputs> found =
        evaluate("prmt.b32." + mode + " %R0, %r0, %r1, %r2;", "R", inputs);
    for (size_t c = 0; c < 4; ++c) {
      INFO(mode << " " << c);
      CHECK(found[c][0] == 0x10101010 + bytes[c]);
    }
  };
  expect("f4e", {0x03020100, 0x04030201, 0x05040302, 0x06050403});
  expect("b4e", {0x05060700, 0x06070001, 0x07000102, 0x00010203});
  expect("rc8", {0x00000000, 0x01010101, 0x02020202, 0x03030303});
  expect("ecl", {0x03020100, 0x03020101, 0x03020202, 0x03030303});
  expect("ecr", {0x00000000, 0x01010100, 0x02020100, 0x03020100});
  expect("rc16", {0x01000100, 0x03020302, 0x01000100, 0x03020302});
}

TEST_CASE("logic and bits that are none are refused") {
  CHECK_THAT(refusal("and.s32 %R0, %r0, %r1;"),
             Contains("needs type .pred, .b16, .b32 or .b64"));
  CHECK_THAT(refusal("cnot.pred %P0, %p0;"),
             Contains("needs type .b16, .b32 or .b64"));
  CHECK_THAT(refusal("and.pred _, %p0, %p1;"),
             Contains("operand 1 is the result and cannot be '_'"));
  CHECK_THAT(refusal("shl.u32 %R0, %r0, %r1;"),
             Contains("needs type .b16, .b32 or .b64"));
  CHECK_THAT(refusal("shr.f32 %R0, %r0, %r1;"),
             Contains("needs type .b16 to .b64, .u16 to .u64 or .s16 to .s64"));
  CHECK_THAT(refusal("shl.b16 %H0, %h0, %h1;"), Contains("register %h1"));
  CHECK_THAT(refusal("shf.l.b32 %R0, %r0, %r1, %r2;"),
             Contains("needs .l or .r, then .clamp or .wrap"));
  CHECK_THAT(refusal("shf.l.wrap.b64 %R0, %r0, %r1, %r2;"),
             Contains("needs type .b32"));
  CHECK_THAT(refusal("popc.b16 %R0, %h0;"),
             Contains("needs type .b32 or .b64"));
  CHECK_THAT(refusal("brev.b16 %H0, %h0;"),
             Contains("needs type .b32 or .b64"));
  CHECK_THAT(refusal("bfind.b32 %R0, %r0;"),
             Contains("needs type .u32, .u64, .s32 or .s64"));
  CHECK_THAT(refusal("bfi.u32 %R0, %r0, %r1, %r2, %r3;"),
             Contains("needs type .b32 or .b64"));
  CHECK_THAT(refusal("bmsk.b32 %R0, %r0, %r1;"),
             Contains("needs .clamp or .wrap, then type .b32"));
  CHECK_THAT(refusal("szext.clamp.b32 %R0, %r0, %r1;"),
             Contains("needs .clamp or .wrap, then type .u32 or .s32"));
  CHECK_THAT(refusal("fns.u32 %R0, %r0, %r1, %r2;"),
             Contains("needs type .b32"));
  CHECK_THAT(refusal("prmt.u32 %R0, %r0, %r1, %r2;"),
             Contains("needs type .b32"));
  CHECK_THAT(refusal("prmt.b32.f5e %R0, %r0, %r1, %r2;"), Contains("'.f5e'"));
  CHECK_THAT(refusal("lop3.b32 %R0, %r0, %r1, %r2, 256;"),
             Contains("the table must be 0 to 255, not 256"));
  CHECK_THAT(refusal("lop3.b32 %R0, %r0, %r1, %r2, %r3;"),
             Contains("operand 5 must be"));
  CHECK_THAT(refusal("lop3.and.b32 %R0, %r0, %r1, %r2, 1, %p0;"),
             Contains("a result 'd|p' goes with .or and .and"));
  CHECK_THAT(refusal("lop3.and.b32 %R0|_, %r0, %r1, %r2, 1, %p0;"),
             Contains("the second result cannot be '_'"));
}
