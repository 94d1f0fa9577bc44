//===- FloatTest.cpp - f32 and f64 arithmetic -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Evaluate.h"
#include "test/unit/sim/Harness.h"
#include "test/unit/sim/HostFloat.h"

#include "runtime/sim/FloatDecode.h"

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;
using Catch::Matchers::Contains;

namespace {

constexpr uint64_t kCanonical = 0x7fffffff, kInfinite32 = 0x7f800000;
constexpr uint64_t kQuiet = 0x0008000000000000;

/// Pairs of all edges, and random operands that meet.
std::vector<Tuple> floatTuples(const FloatFormat &format, int count) {
  FloatSource source(format);
  std::vector<Tuple> tuples;
  for (uint64_t a : source.allEdges())
    for (uint64_t b : source.allEdges())
      tuples.push_back({a, b, source.any(), 0});
  for (int i = 0; i < count; ++i) {
    Tuple tuple = {source.any(), source.any(), source.any(), 0};
    if (i % 3 == 0)
      tuple[1] = source.near(tuple[0], 2);
    if (i % 3 == 1) // the addend near the product, of the other sign
      tuple[2] = softMul(format, tuple[0], tuple[1], Rounding::Nearest) ^
                 format.sign() ^ (source.next() % 4);
    tuples.push_back(tuple);
  }
  return tuples;
}

/// Products just below the smallest normal f32, where flushing depends on how
/// they round.
std::vector<Tuple> nearlyNormal() {
  std::vector<Tuple> tuples;
  std::mt19937_64 random(5);
  for (int i = 0; i < 1500; ++i) {
    uint32_t a = 0x1f800000 + uint32_t(random() % 0x01000000);
    double wanted =
        std::ldexp(1 - std::ldexp(double(random() % 64), -28), -126);
    float b = float(wanted / valueOf<float>(a));
    uint32_t c = uint32_t(random() % 3); // a denormal, flushed
    uint64_t sign = random() & 0x80000000;
    tuples.push_back({a, bitsOfHost(b) ^ sign, c, 0});
    // A sum of such a product with a tiny one is not denormal.
    tuples.push_back({a, bitsOfHost(b) ^ sign, 0x00800000 + c, 0});
  }
  // Sums that lie beside a border by less than f64 tells: the smallest normal
  // number less a half or a whole unit of the last place, and a little.
  struct {
    float a, b;
    int exponent;
  } rows[] = {{8384513, 8392705, -197}, // 2^46 + 1
              {8384513, 8392705, -196}, //
              {8388607, 8388609, -197}, // 2^46 - 1
              {8388607, 8388609, -196}, //
              {8388608, 8388608, -197}, // 2^46
              {8388608, 8388608, -196}};
  for (auto [a, b, exponent] : rows)
    for (uint64_t sign : {0u, 0x80000000u}) {
      uint64_t x = bitsOfHost(std::ldexp(a, exponent + 98)) ^ sign;
      uint64_t y = bitsOfHost(std::ldexp(-b, -98));
      tuples.push_back({x, y, 0x00800000 | sign, 0});
    }
  return tuples;
}

uint64_t saturated(uint64_t bits) {
  float value = valueOf<float>(bits);
  return value != value || value <= 0 ? 0 : value > 1 ? 0x3f800000 : bits;
}

std::string operandsOf(const std::string &name, const std::string &r) {
  if (name == "sqrt" || name == "rcp")
    return r + "0";
  if (name == "fma" || name == "mad")
    return r + "0, " + r + "1, " + r + "2";
  return r + "0, " + r + "1";
}

template <typename T>
void expectHost(const std::string &name, const RoundingName &mode,
                const std::string &suffix, const std::vector<Tuple> &tuples) {
  bool isF64 = sizeof(T) == 8;
  bool flush = suffix.find("ftz") != std::string::npos;
  bool saturate = suffix.find("sat") != std::string::npos;
  std::string text = name + "." + mode.ptx + suffix +
                     (isF64 ? ".f64 %D0, " : ".f32 %R0, ") +
                     operandsOf(name, isF64 ? "%d" : "%r") + ";";
  std::string operation = name == "mad" ? "fma" : name;
  expectAll(text, isF64 ? "D" : "R", tuples, [&](const Tuple &in) {
    uint64_t expected;
    {
      HostMode host(mode.host, flush);
      expected = bitsOfHost(hostOperation<T>(
          operation, valueOf<T>(in[0]), valueOf<T>(in[1]), valueOf<T>(in[2])));
    }
    return saturate ? saturated(expected) : expected;
  });
}

void expectAllModes(const std::vector<std::string> &suffixes) {
  std::vector<Tuple> tuples = floatTuples(kFormatF32, 1500);
  std::vector<Tuple> near = nearlyNormal();
  tuples.insert(tuples.end(), near.begin(), near.end());
  for (const RoundingName &mode : kRoundings)
    for (std::string name : {"add", "sub", "mul", "fma"})
      for (const std::string &suffix : suffixes)
        expectHost<float>(name, mode, suffix, tuples);
}

} // namespace

TEST_CASE("f32 arithmetic in every rounding", "[sim]") {
  expectAllModes({"", ".sat"});
  if (kHostFlushes)
    expectAllModes({".ftz", ".ftz.sat"});
}

TEST_CASE("f32 arithmetic by portable loops", "[sim]") {
  allowWide(false);
  expectAllModes({""});
  if (kHostFlushes)
    expectAllModes({".ftz.sat"});
  allowWide(true);
}

TEST_CASE("f32 quotients and roots", "[sim]") {
  std::vector<Tuple> tuples = floatTuples(kFormatF32, 1500);
  for (const RoundingName &mode : kRoundings)
    for (std::string name : {"div", "rcp", "sqrt", "mad"})
      for (std::string suffix : {"", ".ftz"})
        if (suffix.empty() || kHostFlushes)
          expectHost<float>(name, mode, suffix, tuples);
}

TEST_CASE("f32 quotients just below the smallest normal number", "[sim]") {
  // a / b = 2^-126 * (1 - i / 2^25) or so.
  std::vector<Tuple> tuples;
  for (int i = 0; i < 600; ++i) {
    float b = 1 + std::ldexp(float(i % 64), -20);
    double wanted = std::ldexp(1 - std::ldexp(i / 20.0, -25), -120) * b;
    tuples.push_back({bitsOfHost(float(wanted)), bitsOfHost(b * 64), 0, 0});
  }
  // The only ones that lie halfway between two denormals, or one and the
  // smallest normal number.
  for (int power = -126; power <= 126; ++power)
    for (uint32_t a : {0xffffffu, 0xfffffeu, 0xfffffdu, 0x800000u, 0x800001u})
      for (float sign : {1.0f, -1.0f}) {
        float b = std::ldexp(sign, power);
        float dividend = float(std::ldexp(double(a), power - 24 - 126));
        if (std::fabs(dividend) >= 0x1p-126f)
          tuples.push_back({bitsOfHost(dividend), bitsOfHost(b), 0, 0});
      }
  if (kHostFlushes)
    for (const RoundingName &mode : kRoundings)
      expectHost<float>("div", mode, ".ftz", tuples);
  auto quotient = [](const std::string &form, uint64_t a, uint64_t b) {
    return runOne(form + " %f0, %f1, %f2;", "%f0", "f32",
                  {{"%f1", "f32", {a}}, {"%f2", "f32", {b}}});
  };
  // Measured on an H200.
  CHECK(quotient("div.rn.ftz.f32", 0x3f7fffff, 0xfe800000) == 0x80000000);
  CHECK(quotient("div.rn.f32", 0x3f7fffff, 0xfe800000) == 0x80800000);
  CHECK(quotient("div.rn.ftz.f32", 0x3f800000, 0x7e800000) == 0x00800000);
}

TEST_CASE("f32 sums that flushing has to tell from the smallest normal number",
          "[sim]") {
  auto fused = [](const std::string &rounding, float a, float b, uint32_t c) {
    return runOne("fma." + rounding + ".ftz.f32 %f0, %f1, %f2, %f3;", "%f0",
                  "f32",
                  {{"%f1", "f32", {bits(a)}},
                   {"%f2", "f32", {bits(b)}},
                   {"%f3", "f32", {c}}});
  };
  // 2^-126 - 2^-151, which is a tie: 2^-126 is even.
  CHECK(fused("rn", -0x1p-75f, 0x1p-76f, 0x00800000) == 0x00800000);
  // 2^-197 less, which no f64 near it tells.
  CHECK(fused("rn", -8384513 * 0x1p-98f, 8392705 * 0x1p-99f, 0x00800000) == 0);
  // 2^-126 - 2^-150, which needs no rounding; and 2^-196 more.
  CHECK(fused("rp", -0x1p-75f, 0x1p-75f, 0x00800000) == 0);
  CHECK(fused("rp", -8388607 * 0x1p-98f, 8388609 * 0x1p-98f, 0x00800000) ==
        0x00800000);
  CHECK(fused("rz", -8388607 * 0x1p-98f, 8388609 * 0x1p-98f, 0x00800000) == 0);
}

TEST_CASE("f64 arithmetic in every rounding", "[sim]") {
  std::vector<Tuple> tuples = floatTuples(kFormatF64, 1500);
  std::erase_if(tuples, [](const Tuple &tuple) { // tested below
    return kFormatF64.isNan(tuple[0]) || kFormatF64.isNan(tuple[1]) ||
           kFormatF64.isNan(tuple[2]);
  });
  for (const RoundingName &mode : kRoundings)
    for (std::string name :
         {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"})
      expectHost<double>(name, mode, "", tuples);
}

TEST_CASE("NaN in f64 arithmetic", "[sim]") {
  constexpr uint64_t arising = 0xfff8000000000000, one = 0x3ff0000000000000;
  // In the order in which they are looked for.
  struct {
    std::string name;
    std::vector<int> operands;
  } rows[] = {{"add", {1, 0}},    {"sub", {1, 0}},    {"mul", {1, 0}},
              {"fma", {1, 2, 0}}, {"mad", {1, 2, 0}}, {"div", {0, 1}},
              {"rcp", {0}},       {"sqrt", {0}}};
  // Quiet and signalling, of both signs.
  const uint64_t values[] = {one,
                             one + 1,
                             0x7ff8000000000001,
                             0xfff8000000000002,
                             0x7ff0000000000003,
                             0xfff7000000000004,
                             0x7fffffffffffffff};
  std::vector<Tuple> tuples;
  for (uint64_t a : values)
    for (uint64_t b : values)
      for (uint64_t c : values)
        tuples.push_back({a, b, c, 0});
  for (const auto &row : rows)
    for (const RoundingName &mode : kRoundings) {
      std::vector<Tuple> some;
      for (const Tuple &tuple : tuples)
        for (int i : row.operands)
          if (kFormatF64.isNan(tuple[i])) {
            some.push_back(tuple);
            break;
          }
      expectAll(row.name + "." + mode.ptx + ".f64 %D0, " +
                    operandsOf(row.name, "%d") + ";",
                "D", some, [&](const Tuple &in) {
                  for (int i : row.operands)
                    if (kFormatF64.isNan(in[i]))
                      return in[i] | kQuiet;
                  return uint64_t(0);
                });
    }
  auto arises = [&](const std::string &statement, uint64_t a, uint64_t b) {
    for (const RoundingName &mode : kRoundings)
      expectAll(statement.substr(0, 3) + "." + mode.ptx + statement.substr(3),
                "D", {{a, b, a, 0}}, [](const Tuple &) { return arising; });
  };
  constexpr uint64_t infinity = 0x7ff0000000000000, sign = uint64_t(1) << 63;
  arises("add.f64 %D0, %d0, %d1;", infinity, infinity | sign);
  arises("sub.f64 %D0, %d0, %d1;", infinity, infinity);
  arises("mul.f64 %D0, %d0, %d1;", infinity, 0);
  arises("fma.f64 %D0, %d0, %d1, %d2;", infinity, one | sign);
  arises("div.f64 %D0, %d0, %d1;", 0, 0);
  arises("div.f64 %D0, %d0, %d1;", infinity, infinity | sign);
  for (const RoundingName &mode : kRoundings)
    expectAll("sqrt." + mode.ptx + ".f64 %D0, %d0;", "D", {{one | sign}},
              [](const Tuple &) { return arising; });
}

TEST_CASE("rounding to nearest is what no modifier means", "[sim]") {
  CHECK(runOne("add.f32 %f0, %f1, %f2;", "%f0", "f32",
               {{"%f1", "f32", {bits(1.0f)}},
                {"%f2", "f32", {bits(0x1.8p-23f)}}}) == bits(1 + 0x1p-22f));
  CHECK(runOne("mul.ftz.f32 %f0, %f1, 0f00800000;", "%f0", "f32",
               {{"%f1", "f32", {bits(-0.5f)}}}) == 0x80000000);
  CHECK(runOne("sub.f64 %d0, %d1, 0d3FF0000000000000;", "%d0", "f64",
               {{"%d1", "f64", {bits(0x1p-60)}}}) == bits(-1.0));
}

// Modifiers in the orders that ptxas takes.
TEST_CASE("modifiers come in any order", "[sim]") {
  for (std::string form :
       {"add.ftz.rz.f32", "add.rz.ftz.f32", "add.sat.ftz.rz.f32"})
    CHECK(runOne(form + " %f0, %f1, %f2;", "%f0", "f32",
                 {{"%f1", "f32", {bits(0.5f)}},
                  {"%f2", "f32", {bits(0x1.8p-24f)}}}) ==
          bits(0.5f + 0x1p-24f));
}

TEST_CASE("only the lanes of the guard are written", "[sim]") {
  std::vector<uint64_t> a(32), guard(32), expected(32);
  for (unsigned i = 0; i < 32; ++i) {
    a[i] = bits(float(i));
    guard[i] = i % 3 == 0;
    expected[i] = bits(guard[i] ? 2.0f * i + 1 : float(i));
  }
  CHECK(runLanes("mov.f32 %f0, %f1; @%p1 fma.rn.f32 %f0, %f1, 2.0, 1.0;", "%f0",
                 "f32",
                 {{"%f1", "f32", a}, {"%p1", "pred", guard}}) == expected);
}

TEST_CASE("absolute value and negation", "[sim]") {
  std::vector<Tuple> f32, f64;
  for (uint64_t a : floatEdges(kFormatF32))
    f32.push_back({a});
  for (uint64_t a : floatEdges(kFormatF64))
    f64.push_back({a});
  auto flushed = [](uint64_t a) {
    return (a & 0x7f800000) ? a : a & 0x80000000;
  };
  auto isNan = [](uint64_t a) { return (a & 0x7fffffff) > kInfinite32; };
  expectAll("abs.f32 %R0, %r0;", "R", f32, [&](const Tuple &in) {
    return isNan(in[0]) ? kCanonical : in[0] & 0x7fffffff;
  });
  expectAll("neg.f32 %R0, %r0;", "R", f32, [&](const Tuple &in) {
    return isNan(in[0]) ? kCanonical : in[0] ^ 0x80000000;
  });
  expectAll("abs.ftz.f32 %R0, %r0;", "R", f32, [&](const Tuple &in) {
    return isNan(in[0]) ? kCanonical : flushed(in[0]) & 0x7fffffff;
  });
  expectAll("neg.ftz.f32 %R0, %r0;", "R", f32, [&](const Tuple &in) {
    return isNan(in[0]) ? kCanonical : flushed(in[0]) ^ 0x80000000;
  });
  constexpr uint64_t sign = uint64_t(1) << 63;
  // A NaN keeps its sign.
  auto quietOr = [](uint64_t a, uint64_t other) {
    return kFormatF64.isNan(a) ? a | kQuiet : other;
  };
  expectAll("abs.f64 %D0, %d0;", "D", f64,
            [&](const Tuple &in) { return quietOr(in[0], in[0] & ~sign); });
  expectAll("neg.f64 %D0, %d0;", "D", f64,
            [&](const Tuple &in) { return quietOr(in[0], in[0] ^ sign); });
}

namespace {

/// PTX ISA 9.0, 9.7.3.11 and 9.7.3.12, word for word, on bits.
uint64_t extreme(bool isMax, bool nan, bool ftz, bool xorsign, uint64_t a,
                 uint64_t b) {
  auto prepare = [&](uint64_t x) {
    if (ftz && !(x & 0x7f800000))
      x &= 0x80000000;
    return xorsign ? x & 0x7fffffff : x;
  };
  auto isNan = [](uint64_t x) { return (x & 0x7fffffff) > kInfinite32; };
  // Orders -0 before +0.
  auto key = [](uint64_t x) {
    int64_t magnitude = x & 0x7fffffff;
    return x >> 31 ? -1 - magnitude : magnitude;
  };
  uint64_t x = prepare(a), y = prepare(b), result;
  if (isNan(x) && isNan(y))
    return kCanonical;
  if (nan && (isNan(x) || isNan(y)))
    return kCanonical;
  if (isNan(x))
    result = y;
  else if (isNan(y))
    result = x;
  else if (isMax)
    result = key(x) > key(y) ? x : y;
  else
    result = key(x) < key(y) ? x : y;
  return xorsign ? (result & 0x7fffffff) | ((a ^ b) & 0x80000000) : result;
}

} // namespace

TEST_CASE("minimum and maximum of f32", "[sim]") {
  std::vector<Tuple> tuples = floatTuples(kFormatF32, 500);
  for (bool isMax : {false, true})
    for (bool nan : {false, true})
      for (bool ftz : {false, true})
        for (bool xorsign : {false, true}) {
          std::string text = std::string(isMax ? "max" : "min") +
                             (ftz ? ".ftz" : "") + (nan ? ".NaN" : "") +
                             (xorsign ? ".xorsign.abs" : "") +
                             ".f32 %R0, %r0, %r1;";
          expectAll(text, "R", tuples, [&](const Tuple &in) {
            return extreme(isMax, nan, ftz, xorsign, in[0], in[1]);
          });
        }
}

TEST_CASE("minimum and maximum of f64", "[sim]") {
  auto isNan = [](uint64_t x) { return kFormatF64.isNan(x); };
  for (bool isMax : {false, true})
    expectAll(std::string(isMax ? "max" : "min") + ".f64 %D0, %d0, %d1;", "D",
              floatTuples(kFormatF64, 500), [&](const Tuple &in) {
                if (isNan(in[0]) && isNan(in[1]))
                  return in[1] | kQuiet;
                if (isNan(in[0]))
                  return in[1];
                if (isNan(in[1]))
                  return in[0];
                // Magnitude and sign as integers; -0 is less than +0.
                auto key = [](uint64_t x) {
                  int64_t magnitude = int64_t(x & ~(uint64_t(1) << 63));
                  return x >> 63 ? -1 - magnitude : magnitude;
                };
                bool first =
                    isMax ? key(in[0]) > key(in[1]) : key(in[0]) < key(in[1]);
                return first ? in[0] : in[1];
              });
}

TEST_CASE("copysign and testp", "[sim]") {
  std::vector<Tuple> f32 = floatTuples(kFormatF32, 100);
  std::vector<Tuple> f64 = floatTuples(kFormatF64, 100);
  expectAll("copysign.f32 %R0, %r0, %r1;", "R", f32, [](const Tuple &in) {
    return (in[0] & 0x80000000) | (in[1] & 0x7fffffff);
  });
  constexpr uint64_t sign = uint64_t(1) << 63;
  expectAll("copysign.f64 %D0, %d0, %d1;", "D", f64,
            [](const Tuple &in) { return (in[0] & sign) | (in[1] & ~sign); });
  // The host's classes; zeros are normal here.
  auto classify = [](const std::string &name, auto value) -> uint64_t {
    int kind = std::fpclassify(value);
    if (name == "finite")
      return kind != FP_NAN && kind != FP_INFINITE;
    if (name == "infinite")
      return kind == FP_INFINITE;
    if (name == "number")
      return kind != FP_NAN;
    if (name == "notanumber")
      return kind == FP_NAN;
    if (name == "normal")
      return kind == FP_NORMAL || kind == FP_ZERO;
    return kind == FP_SUBNORMAL;
  };
  for (std::string name :
       {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
    expectAll(
        "testp." + name + ".f32 %P0, %r0;", "P", f32,
        [&](const Tuple &in) { return classify(name, valueOf<float>(in[0])); });
    expectAll("testp." + name + ".f64 %P0, %d0;", "P", f64,
              [&](const Tuple &in) {
                return classify(name, valueOf<double>(in[0]));
              });
  }
}

TEST_CASE("pairs of f32 and three values on sm_100", "[sim]") {
  uint64_t one = bits(1.0f), tiny = bits(0x1.8p-24f), denormal = 0x00400000;
  auto run = [](const std::string &statement, std::vector<uint64_t> in) {
    std::string text = kernelText(
        "ld.param.u64 %rd0, [a0]; ld.global.b64 %rd1, [%rd0];"
        "ld.global.b64 %rd2, [%rd0+8]; ld.global.b64 %rd3, [%rd0+16];"
        "mov.b64 {%f1, _}, %rd1; mov.b64 {%f2, _}, %rd2;"
        "mov.b64 {%f3, _}, %rd3; mov.b64 %rd4, 0; mov.f32 %f4, 0f00000000;" +
            statement +
            "st.global.b64 [%rd0], %rd4; st.global.f32 [%rd0+8], %f4;",
        1, "sm_100a");
    SimulatorOptions options;
    options.capability = 100;
    options.threads = 1;
    Simulator card(options);
    uint64_t address = *card.upload(in);
    Report report = runKernel(card, text, LaunchShape{}, {address});
    INFO(report.text());
    REQUIRE(report.ok());
    return *card.download<uint64_t>(address, 2);
  };
  // The low halves: 1 + 1.5 * 2^-24; the high ones: 1 - it, where numbers lie
  // twice as close.
  uint64_t a = one << 32 | one, b = (tiny | 0x80000000) << 32 | tiny;
  CHECK(run("add.rp.f32x2 %rd4, %rd1, %rd2;", {a, b, 0})[0] ==
        ((one - 1) << 32 | (one + 1)));
  CHECK(run("add.rz.f32x2 %rd4, %rd1, %rd2;", {a, b, 0})[0] ==
        (uint64_t(bits(1 - 0x1p-23f)) << 32 | one));
  CHECK(run("fma.rn.ftz.f32x2 %rd4, %rd1, %rd2, %rd3;",
            {denormal << 32 | one, one << 32 | one, one})[0] ==
        uint64_t(bits(2.0f)));
  CHECK(run("mul.f32x2 %rd4, %rd1, %rd2;", {a, b, 0})[0] == b);
  CHECK(run("sub.f32x2 %rd4, %rd1, %rd2;", {a, a, 0})[0] == 0);
  auto three = [&](const std::string &form, float x, float y, float z) {
    return asFloat(
        run(form + ".f32 %f4, %f1, %f2, %f3;", {bits(x), bits(y), bits(z)})[1] &
        0xffffffff);
  };
  CHECK(three("max", 1, 3, 2) == 3);
  CHECK(three("min", -1, -3, 2) == -3);
  CHECK(three("min.abs", -1, -3, 2) == 1);
  CHECK(three("max", 1, NAN, 2) == 2);
  CHECK(std::isnan(three("max.NaN", 1, NAN, 2)));
}

TEST_CASE("floats: what is refused", "[sim]") {
  auto says = [](const std::string &statement, const std::string &words) {
    INFO(statement);
    CHECK_THAT(decodeFailure(statement), Contains(words));
  };
  says("fma.f32 %f0, %f1, %f2, %f3;", "needs a rounding: .rn, .rz, .rm or .rp");
  says("mad.f64 %d0, %d1, %d2, %d3;", "needs a rounding: .rn, .rz, .rm or .rp");
  says("div.f64 %d0, %d1, %d2;", "needs a rounding: .rn, .rz, .rm or .rp");
  says("div.f32 %f0, %f1, %f2;",
       "needs a rounding: .rn, .rz, .rm or .rp, or .approx or .full");
  says("sqrt.f32 %f0, %f1;", "or .approx");
  says("rcp.f32 %f0, %f1;", "or .approx");
  says("mul.ftz.f64 %d0, %d1, %d2;", "modifier '.ftz' is not supported here");
  says("add.sat.f64 %d0, %d1, %d2;", "modifier '.sat' is not supported here");
  says("add.rn.rz.f32 %f0, %f1, %f2;", "modifier '.rz' is not supported here");
  says("max.NaN.f64 %d0, %d1, %d2;", "modifier '.NaN' is not supported here");
  says("max.abs.f32 %f0, %f1, %f2;", "'.xorsign' and '.abs' go together");
  says("copysign.ftz.f32 %f0, %f1, %f2;",
       "modifier '.ftz' is not supported here");
  says("testp.f32 %p0, %f1;", "needs a property: .finite, .infinite");
  says("testp.finite.f16 %p0, %h1;", "tests values of type .f32 or .f64");
  says("add.f32x2 %rd0, %rd1, %rd2;",
       "type .f32x2 needs sm_100 or newer; the module's target is sm_90a");
  says("max.f32 %f0, %f1, %f2, %f3;",
       "max of three values needs sm_100 or newer; the module's target is "
       "sm_90a");
  SimulatorOptions options;
  options.capability = 100;
  Simulator card(options);
  CHECK_THAT(card.load(kernelText("min.xorsign.abs.f32 %f0, %f1, %f2, %f3;", 0,
                                  "sm_100a"),
                       "k")
                 .message(),
             Contains("'.xorsign' goes with two values, not three"));
  CHECK_THAT(card.load(kernelText("mad.rn.f32x2 %rd0, %rd1, %rd2, %rd3;", 0,
                                  "sm_100a"),
                       "k")
                 .message(),
             Contains("'mad' has no type .f32x2; use 'fma'"));
  says("add.f32 %f0, %f1, 1;", "an integer cannot be an operand of type .f32");
  says("add.f32 %f0, %f1;", "takes 3 operands, not 2");
  says("add.f32 _, %f1, %f2;", "cannot be '_'");
  says("add.f32 %d0, %f1, %f2;", "cannot be an operand of type .f32");
}
