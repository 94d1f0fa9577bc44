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
constexpr uint64_t kCanonical64 = 0x7ff8000000000000;

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
  if (kHostFlushes)
    for (const RoundingName &mode : kRoundings)
      expectHost<float>("div", mode, ".ftz", tuples);
}

TEST_CASE("f64 arithmetic in every rounding", "[sim]") {
  std::vector<Tuple> tuples = floatTuples(kFormatF64, 1500);
  for (const RoundingName &mode : kRoundings)
    for (std::string name :
         {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"})
      expectHost<double>(name, mode, "", tuples);
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
  expectAll("abs.f64 %D0, %d0;", "D", f64,
            [&](const Tuple &in) { return in[0] & ~sign; });
  expectAll("neg.f64 %D0, %d0;", "D", f64,
            [&](const Tuple &in) { return in[0] ^ sign; });
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
                  return kCanonical64;
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
