//===- HalfTest.cpp - f16 and bf16 arithmetic -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values come from exact arithmetic: Rounding.h in integers, which has
// tests of its own, and f64 where it is exact.
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Evaluate.h"
#include "test/unit/sim/Harness.h"
#include "test/unit/sim/HostFloat.h"

#include "runtime/sim/FloatDecode.h"
#include "runtime/sim/HalfMath.h"

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;
using Catch::Matchers::Contains;

namespace {

struct HalfType {
  std::string name;
  const FloatFormat &format;
  float (*widen)(uint16_t);
  uint64_t one;
};
const HalfType kHalves[] = {
    {"f16", kFormatF16, arith::fromF16, 0x3c00},
    {"bf16", kFormatBf16, arith::fromBf16, 0x3f80},
};

/// In each word's halves: two numbers of the format.
std::vector<Tuple> halfTuples(const FloatFormat &format, int count) {
  FloatSource source(format);
  std::vector<Tuple> tuples;
  for (uint64_t a : source.allEdges())
    for (uint64_t b : source.allEdges())
      tuples.push_back({a | b << 16, b | source.any() << 16,
                        source.any() | source.any() << 16, 0});
  for (int i = 0; i < count; ++i) {
    Tuple tuple = {};
    for (int half = 0; half < 32; half += 16) {
      uint64_t a = source.any();
      uint64_t b = i % 3 ? source.any() : source.near(a, 2);
      uint64_t c = source.any();
      if (i % 3 == 1)
        c = softMul(format, a, b, Rounding::Nearest) ^ format.sign() ^
            (source.next() % 4);
      tuple[0] |= a << half, tuple[1] |= b << half, tuple[2] |= c << half;
    }
    tuples.push_back(tuple);
  }
  return tuples;
}

/// Every value of 16 bits, two a tuple.
std::vector<Tuple> allHalves() {
  std::vector<Tuple> tuples;
  for (uint64_t i = 0; i < 0x10000; ++i)
    tuples.push_back({i | (i * 40503 & 0xffff) << 16, 0, 0, 0});
  return tuples;
}

/// Expects `f` of both halves from the packed form and of the lower ones from
/// the plain form.
template <typename F>
void expectBoth(const std::string &opcode, const HalfType &type, int operands,
                const std::vector<Tuple> &tuples, F &&f) {
  auto text = [&](const std::string &suffix, const std::string &result,
                  const std::string &r) {
    std::string statement = opcode + "." + type.name + suffix + " " + result;
    for (int i = 0; i < operands; ++i)
      statement += ", " + r + std::to_string(i);
    return statement + ";";
  };
  auto half = [&](const Tuple &in, int shift) -> uint64_t {
    return f(Tuple{in[0] >> shift & 0xffff, in[1] >> shift & 0xffff,
                   in[2] >> shift & 0xffff, 0});
  };
  expectAll(text("", "%H0", "%h"), "H", tuples,
            [&](const Tuple &in) { return half(in, 0); });
  expectAll(text("x2", "%R0", "%r"), "R", tuples,
            [&](const Tuple &in) { return half(in, 0) | half(in, 16) << 16; });
}

uint64_t clamped(const HalfType &type, const std::string &clamp,
                 uint64_t bits) {
  double value = type.widen(uint16_t(bits));
  if (clamp == ".sat")
    return value != value || value <= 0 ? 0 : value > 1 ? type.one : bits;
  if (clamp == ".relu")
    return value <= 0 ? 0 : bits;
  return bits;
}

uint64_t exactly(const HalfType &type, const std::string &name, const Tuple &in,
                 bool flush) {
  const FloatFormat &format = type.format;
  constexpr Rounding nearest = Rounding::Nearest;
  if (name == "add")
    return softAdd(format, in[0], in[1], nearest, flush);
  if (name == "sub")
    return softAdd(format, in[0], in[1] ^ format.sign(), nearest, flush);
  if (name == "mul")
    return softMul(format, in[0], in[1], nearest, flush);
  return softFma(format, in[0], in[1], in[2], nearest, flush);
}

void expectExact(const HalfType &type, const std::string &name, bool flush,
                 const std::string &clamp, const std::vector<Tuple> &tuples) {
  std::string opcode =
      name + (name == "fma" ? ".rn" : "") + (flush ? ".ftz" : "") + clamp;
  expectBoth(opcode, type, name == "fma" ? 3 : 2, tuples, [&](const Tuple &in) {
    return clamped(type, clamp, exactly(type, name, in, flush));
  });
}

} // namespace

TEST_CASE("conversions of halves without branches", "[sim]") {
  size_t wrong = 0;
  for (uint32_t i = 0; i < 0x10000; ++i) {
    wrong += bitsOfHost(widenF16(i)) != bitsOfHost(arith::fromF16(uint16_t(i)));
    wrong +=
        bitsOfHost(widenBf16(i)) != bitsOfHost(arith::fromBf16(uint16_t(i)));
  }
  // Narrowing: around every half and half way between two, and any bits.
  auto check = [&](uint32_t bits) {
    float value = valueOf<float>(bits);
    wrong += narrowF16(value) != arith::toF16(double(value));
    wrong += narrowBf16(value) != arith::toBf16(double(value));
  };
  for (uint32_t i = 0; i < 0x10000; ++i)
    for (int step = -2; step <= 2; ++step) {
      check((i << 16 | (i & 1) << 15) + uint32_t(step));
      uint32_t near = uint32_t(bitsOfHost(arith::fromF16(uint16_t(i))));
      check(near + uint32_t(step));
      check(near + (1u << 12) + uint32_t(step));
    }
  std::mt19937 random(3);
  for (int i = 0; i < 200000; ++i)
    check(random());
  CHECK(wrong == 0);
}

TEST_CASE("arithmetic of halves", "[sim]") {
  for (const HalfType &type : kHalves) {
    std::vector<Tuple> tuples = halfTuples(type.format, 4000);
    for (std::string name : {"add", "sub", "mul", "fma"})
      expectExact(type, name, false, "", tuples);
  }
}

TEST_CASE("arithmetic of halves by portable loops", "[sim]") {
  allowWide(false);
  for (const HalfType &type : kHalves)
    for (std::string name : {"add", "fma"})
      expectExact(type, name, false, "", halfTuples(type.format, 1000));
  allowWide(true);
}

TEST_CASE("arithmetic of halves, clamped and flushed", "[sim]") {
  const HalfType &f16 = kHalves[0], &bf16 = kHalves[1];
  std::vector<Tuple> tuples = halfTuples(f16.format, 1500);
  // Products around 2^-14, the smallest normal number.
  std::mt19937 random(9);
  for (int i = 0; i < 1500; ++i) {
    uint64_t a = 0x2000 + random() % 0x400, b = 0x1800 + random() % 0x400;
    tuples.push_back({a | b << 16, b | a << 16, random() % 3, 0});
  }
  for (std::string name : {"add", "sub", "mul", "fma"})
    for (bool flush : {false, true})
      for (std::string clamp : {"", ".sat", ".relu"})
        if (clamp != ".relu" || name == "fma")
          expectExact(f16, name, flush, clamp, tuples);
  expectExact(bf16, "fma", false, ".relu", halfTuples(bf16.format, 1500));
}

TEST_CASE("a fused sum of halves rounds once", "[sim]") {
  // 1 + 2^-11 lies half way between two numbers of f16.
  uint64_t above = 0x1001, almost = 0x1000; // 2^-11 * (1 + 2^-10), 2^-11
  auto fma = [](const std::string &form, uint64_t a, uint64_t b, uint64_t c) {
    return runOne(
        "fma.rn." + form + " %h0, %h1, %h2, %h3;", "%h0", "b16",
        {{"%h1", "b16", {a}}, {"%h2", "b16", {b}}, {"%h3", "b16", {c}}});
  };
  CHECK(fma("f16", almost, 0x3c00, 0x3c00) == 0x3c00);
  CHECK(fma("f16", above, 0x3c00, 0x3c00) == 0x3c01);
  // bf16: 2^-60 * (1 + 2^-7) * 2^52 = 2^-8 * (1 + 2^-7) on top of 1.
  CHECK(fma("bf16", 0x2181, 0x5980, 0x3f80) == 0x3f81);
  CHECK(fma("bf16", 0x2180, 0x5980, 0x3f80) == 0x3f80);
  // 7 * 37 = 259 lies half way between 258 and 260, the even one of them; what
  // is added is far below the last bit of f64.
  CHECK(fma("bf16", 0x40e0, 0x4214, 0x0000) == 0x4382);
  CHECK(fma("bf16", 0x40e0, 0x4214, 0x0d80) == 0x4382);
  CHECK(fma("bf16", 0x40e0, 0x4214, 0x8d80) == 0x4381);
  // 65504 * 1 + 15.99: half way to 65536 is 16, so it stays finite.
  CHECK(fma("f16", 0x7bff, 0x3c00, 0x4bff) == 0x7bff);
  CHECK(fma("f16", 0x7bff, 0x3c00, 0x4c00) == 0x7c00);
}

TEST_CASE("signs of halves", "[sim]") {
  std::vector<Tuple> all = allHalves();
  for (const HalfType &type : kHalves)
    for (bool flush : {false, true}) {
      if (flush && type.name == "bf16")
        continue;
      auto sign = [&](uint64_t bits, bool isAbs) -> uint64_t {
        if (type.format.isNan(bits))
          return 0x7fff;
        if (flush && (bits & 0x7c00) == 0)
          bits &= 0x8000;
        return isAbs ? bits & 0x7fff : bits ^ 0x8000;
      };
      std::string ftz = flush ? ".ftz" : "";
      expectBoth("abs" + ftz, type, 1, all,
                 [&](const Tuple &in) { return sign(in[0], true); });
      expectBoth("neg" + ftz, type, 1, all,
                 [&](const Tuple &in) { return sign(in[0], false); });
    }
}

namespace {

/// PTX ISA 9.0, 9.7.4.7 and 9.7.4.8.
uint64_t extreme(const FloatFormat &format, bool isMax, bool nan, bool flush,
                 bool xorsign, uint64_t a, uint64_t b) {
  auto prepare = [&](uint64_t x) {
    if (flush)
      x = (x & 0x7c00) ? x : x & 0x8000;
    return xorsign ? x & 0x7fff : x;
  };
  auto key = [](uint64_t x) { // -0 before +0
    return x >> 15 ? -1 - int64_t(x & 0x7fff) : int64_t(x);
  };
  uint64_t x = prepare(a), y = prepare(b), chosen;
  bool xNan = format.isNan(x), yNan = format.isNan(y);
  if ((xNan && yNan) || (nan && (xNan || yNan)))
    return 0x7fff;
  if (xNan || yNan)
    chosen = xNan ? y : x;
  else
    chosen = (isMax ? key(x) > key(y) : key(x) < key(y)) ? x : y;
  return xorsign ? (chosen & 0x7fff) | ((a ^ b) & 0x8000) : chosen;
}

} // namespace

TEST_CASE("minimum and maximum of halves", "[sim]") {
  for (const HalfType &type : kHalves) {
    std::vector<Tuple> tuples = halfTuples(type.format, 1000);
    for (int form = 0; form < 16; ++form) {
      bool isMax = form & 1, nan = form & 2, flush = form & 4,
           xorsign = form & 8;
      if (flush && type.name == "bf16")
        continue;
      std::string opcode = std::string(isMax ? "max" : "min") +
                           (flush ? ".ftz" : "") + (nan ? ".NaN" : "") +
                           (xorsign ? ".xorsign.abs" : "");
      expectBoth(opcode, type, 2, tuples, [&](const Tuple &in) {
        return extreme(type.format, isMax, nan, flush, xorsign, in[0], in[1]);
      });
    }
  }
}

TEST_CASE("powers and hyperbolic tangents of halves", "[sim]") {
  // All values, against long double; the table of PTX ISA 9.0, 9.7.4.10.
  std::vector<Tuple> all = allHalves();
  auto round = [](const HalfType &type, long double value) -> uint64_t {
    return type.name == "f16" ? arith::toF16(double(value))
                              : arith::toBf16(double(value));
  };
  for (const HalfType &type : kHalves) {
    bool flush = type.name == "bf16";
    expectBoth("tanh.approx", type, 1, all, [&](const Tuple &in) {
      return round(type, std::tanh((long double)type.widen(uint16_t(in[0]))));
    });
    expectBoth(flush ? "ex2.approx.ftz" : "ex2.approx", type, 1, all,
               [&](const Tuple &in) {
                 long double x = type.widen(uint16_t(in[0]));
                 if (flush && x < -126)
                   return uint64_t(0);
                 return round(type, std::exp2(x));
               });
  }
}

TEST_CASE("halves: what is refused", "[sim]") {
  auto says = [](const std::string &statement, const std::string &words,
                 const std::string &target = "sm_90a") {
    INFO(statement);
    CHECK_THAT(decodeFailure(statement, target), Contains(words));
  };
  says("add.rz.f16 %h0, %h1, %h2;", "halves are rounded to nearest only: .rn");
  says("fma.f16 %h0, %h1, %h2, %h3;", "needs a rounding: .rn");
  says("fma.rz.f16 %h0, %h1, %h2, %h3;",
       "halves are rounded to nearest only: .rn");
  says("fma.rn.oob.f16 %h0, %h1, %h2, %h3;", "'.oob' is not supported");
  says("fma.rn.sat.relu.f16 %h0, %h1, %h2, %h3;",
       "'.sat' and '.relu' do not go together");
  says("add.sat.bf16 %h0, %h1, %h2;", "modifier '.sat' is not supported here");
  says("add.ftz.bf16 %h0, %h1, %h2;", "modifier '.ftz' is not supported here");
  says("neg.ftz.bf16 %h0, %h1;", "modifier '.ftz' is not supported here");
  says("max.abs.f16 %h0, %h1, %h2;", "'.xorsign' and '.abs' go together");
  says("add.f32.f16 %f0, %h1, %f2;",
       "arithmetic of mixed precision is not supported; convert to .f32 first");
  says("ex2.f16 %h0, %h1;", "needs .approx");
  says("ex2.approx.bf16 %h0, %h1;", "needs .ftz for this type");
  says("ex2.approx.ftz.f16 %h0, %h1;", "modifier '.ftz' is not supported here");
  says("tanh.f16 %h0, %h1;", "needs .approx");
  says("mad.rn.f16 %h0, %h1, %h2, %h3;", "this form of 'mad' is not supported");
  says("add.f16 %h0, %h1, 0x3c00;",
       "an integer cannot be an operand of type .f16");
  says("max.f16 %r0, %r1, %r2;", "cannot be an operand of type .f16");
  says("add.bf16 %h0, %h1, %h2;",
       "add.bf16 needs sm_90 or newer; the module's target is sm_80", "sm_80");
  says("max.xorsign.abs.f16x2 %r0, %r1, %r2;",
       "max.f16x2 needs sm_86 or newer; the module's target is sm_80", "sm_80");
  says("tanh.approx.bf16 %h0, %h1;",
       "tanh.bf16 needs sm_90 or newer; the module's target is sm_80", "sm_80");
}
