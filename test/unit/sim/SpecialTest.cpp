//===- SpecialTest.cpp - approximations of functions ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of special values of PTX ISA 9.0, 9.7.3.13 to 9.7.3.22, and
// errors against long double.
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

constexpr uint64_t kZero = 0, kMinusZero = 0x80000000, kPlusOne = 0x3f800000,
                   kMinusOne = 0xbf800000, kInf = 0x7f800000,
                   kMinusInf = 0xff800000, kAnyNan = 0x7fffffff;

/// What becomes of -inf, -normal, -denormal, -0, +0, +denormal, +inf, NaN.
/// Where the table says nothing: kAny.
constexpr uint64_t kAny = 1;
struct Table {
  std::string opcode;
  std::array<uint64_t, 8> results;
};
constexpr uint64_t kInputs[] = {0xff800000, 0xc0000000, 0x80000001, 0x80000000,
                                0x00000000, 0x00000001, 0x7f800000, 0x7f800001};

void check(const Table &table) {
  for (unsigned i = 0; i < 8; ++i) {
    if (table.results[i] == kAny)
      continue;
    INFO(table.opcode << " of " << std::hex << kInputs[i]);
    CHECK(runOne(table.opcode + ".f32 %f0, %f1;", "%f0", "f32",
                 {{"%f1", "f32", {kInputs[i]}}}) == table.results[i]);
  }
}

/// Positive normal numbers of every size.
std::vector<Tuple> anySize(int count) {
  std::mt19937 random(2);
  std::vector<Tuple> tuples;
  for (int i = 0; i < count; ++i)
    tuples.push_back({0x00800000 + random() % 0x7f000000, 0, 0, 0});
  return tuples;
}

/// Results are within `ulps` of what `f` gives; denormal ones within as many of
/// their own units.
template <typename F>
void expectNear(const std::string &opcode, const std::vector<Tuple> &tuples,
                double ulps, F &&f) {
  std::vector<Outputs> found = evaluate(opcode + ".f32 %R0, %r0;", "R", tuples);
  double worst = 0;
  uint64_t where = 0;
  for (size_t i = 0; i < tuples.size(); ++i) {
    long double exact = f((long double)valueOf<float>(tuples[i][0]));
    int exponent = std::max(std::ilogb(exact), -126);
    long double unit = std::ldexp(1.0L, exponent - 23);
    long double error =
        std::fabs((long double)valueOf<float>(found[i][0]) - exact) / unit;
    if (error > worst)
      worst = double(error), where = tuples[i][0];
  }
  INFO(opcode << " of 0x" << std::hex << where);
  CHECK(worst <= ulps);
}

constexpr double kRounded = 0.5000001; // units of the last place

} // namespace

TEST_CASE("approximations of special values", "[sim]") {
  constexpr uint64_t n = kAnyNan;
  check({"ex2.approx",
         {kZero, kAny, kPlusOne, kPlusOne, kPlusOne, kPlusOne, kInf, n}});
  check({"ex2.approx.ftz",
         {kZero, kAny, kPlusOne, kPlusOne, kPlusOne, kPlusOne, kInf, n}});
  check(
      {"lg2.approx", {n, n, n, kMinusInf, kMinusInf, bits(-149.0f), kInf, n}});
  check({"lg2.approx.ftz",
         {n, n, kMinusInf, kMinusInf, kMinusInf, kMinusInf, kInf, n}});
  check({"sin.approx", {n, kAny, kMinusZero, kMinusZero, kZero, kZero, n, n}});
  check({"sin.approx.ftz",
         {n, kAny, kMinusZero, kMinusZero, kZero, kZero, n, n}});
  for (std::string ftz : {"", ".ftz"})
    check({"cos.approx" + ftz,
           {n, kAny, kPlusOne, kPlusOne, kPlusOne, kPlusOne, n, n}});
  // A reciprocal of the smallest number is beyond the range anyway.
  for (std::string ftz : {"", ".ftz"})
    check({"rcp.approx" + ftz,
           {kMinusZero, bits(-0.5f), kMinusInf, kMinusInf, kInf, kInf, kZero,
            n}});
  // 2^-149 = 2 * 2^-150
  check({"rsqrt.approx",
         {n, n, n, kMinusInf, kInf, bits(float(std::sqrt(0.5) * 0x1p75)), kZero,
          n}});
  check(
      {"rsqrt.approx.ftz", {n, n, kMinusInf, kMinusInf, kInf, kInf, kZero, n}});
  check({"sqrt.approx",
         {n, n, n, kMinusZero, kZero, bits(float(std::sqrt(2.0) * 0x1p-75)),
          kInf, n}});
  check({"sqrt.approx.ftz",
         {n, n, kMinusZero, kMinusZero, kZero, kZero, kInf, n}});
  check({"tanh.approx",
         {kMinusOne, kAny, 0x80000001, kMinusZero, kZero, 0x00000001, kPlusOne,
          n}});
}

TEST_CASE("ex2 keeps scale", "[sim]") {
  // x and x + 1 on a grid that both lie on exactly.
  std::mt19937 random(4);
  std::vector<Tuple> tuples;
  for (int i = 0; i < 20000; ++i) {
    float x = std::ldexp(float(int(random() % (1u << 23)) - (1 << 22)), -16);
    tuples.push_back({bitsOfHost(x), bitsOfHost(x + 1), 0, 0});
  }
  for (bool wide : {true, false}) {
    allowWide(wide);
    for (std::string ftz : {"", ".ftz"}) {
      std::vector<Outputs> found =
          evaluate("ex2.approx" + ftz + ".f32 %R0, %r0; ex2.approx" + ftz +
                       ".f32 %R1, %r1;",
                   "RR", tuples);
      size_t wrong = 0;
      for (const Outputs &out : found)
        wrong += valueOf<float>(out[1]) != 2 * valueOf<float>(out[0]);
      CHECK(wrong == 0);
    }
    allowWide(true);
  }
}

TEST_CASE("ex2 is rounded", "[sim]") {
  std::mt19937 random(6);
  std::vector<Tuple> tuples;
  for (int i = 0; i < 30000; ++i) {
    float x = std::ldexp(float(random()), -32 - int(random() % 28)) * 126;
    tuples.push_back({bitsOfHost(random() & 1 ? x : -x), 0, 0, 0});
  }
  auto exact = [](long double x) { return std::exp2(x); };
  expectNear("ex2.approx.ftz", tuples, kRounded, exact);
  expectNear("ex2.approx", tuples, kRounded, exact);
  allowWide(false);
  expectNear("ex2.approx", tuples, kRounded, exact);
  allowWide(true);
}

TEST_CASE("ex2 at the ends of the range", "[sim]") {
  auto ex2 = [](const std::string &form, float x) {
    return runOne(form + ".f32 %f0, %f1;", "%f0", "f32",
                  {{"%f1", "f32", {bits(x)}}});
  };
  for (std::string form : {"ex2.approx", "ex2.approx.ftz"}) {
    CHECK(ex2(form, 127) == bits(0x1p127f));
    CHECK(ex2(form, 128) == kInf);
    CHECK(ex2(form, 0x1.fffffep+126f) == kInf); // far beyond
    CHECK(ex2(form, 0x1.fffffep+6f) == bits(float(std::exp2(128 - 0x1p-17L))));
    CHECK(ex2(form, -126) == 0x00800000);
    CHECK(ex2(form, -1e30f) == 0);
  }
  // Below, denormals are zeros or squares of roots.
  CHECK(ex2("ex2.approx.ftz", -126.5f) == 0);
  CHECK(ex2("ex2.approx.ftz", -127) == 0);
  CHECK(ex2("ex2.approx", -127) == 0x00400000);
  CHECK(ex2("ex2.approx", -149) == 1);
  CHECK(ex2("ex2.approx", -151) == 0);
  float root = float(std::exp2(-64.125L));
  CHECK(ex2("ex2.approx", -128.25f) == bits(root * root));
}

TEST_CASE("other approximations are rounded", "[sim]") {
  std::vector<Tuple> any = anySize(20000);
  auto log2 = [](long double x) { return std::log2(x); };
  auto root = [](long double x) { return std::sqrt(x); };
  auto inverse = [](long double x) { return 1 / std::sqrt(x); };
  for (std::string ftz : {"", ".ftz"}) {
    expectNear("lg2.approx" + ftz, any, kRounded, log2);
    expectNear("sqrt.approx" + ftz, any, kRounded, root);
    expectNear("rsqrt.approx" + ftz, any, kRounded, inverse);
  }
  // Two roundings where the result is denormal.
  expectNear("rcp.approx", any, 1, [](long double x) { return 1 / x; });
  std::vector<Tuple> middle;
  for (const Tuple &tuple : any)
    if (valueOf<float>(tuple[0]) <= 0x1p126f)
      middle.push_back(tuple);
  expectNear("rcp.approx.ftz", middle, kRounded,
             [](long double x) { return 1 / x; });
  std::vector<Tuple> small;
  for (const Tuple &tuple : any)
    if (valueOf<float>(tuple[0]) < 20)
      small.push_back(tuple);
  expectNear("tanh.approx", small, kRounded,
             [](long double x) { return std::tanh(x); });
  // Denormal operands are scaled; lg2 then rounds twice.
  std::vector<Tuple> denormal;
  for (uint64_t i = 1; i < 0x00800000; i = i * 5 / 4 + 1)
    denormal.push_back({i, 0, 0, 0});
  expectNear("lg2.approx", denormal, 1, log2);
  expectNear("sqrt.approx", denormal, kRounded, root);
  expectNear("rsqrt.approx", denormal, kRounded, inverse);
}

TEST_CASE("reciprocals at the ends of the range", "[sim]") {
  auto rcp = [](const std::string &form, uint64_t x) {
    return runOne(form + ".f32 %f0, %f1;", "%f0", "f32", {{"%f1", "f32", {x}}});
  };
  CHECK(rcp("rcp.approx.ftz", bits(0x1p126f)) == 0x00800000);
  CHECK(rcp("rcp.approx.ftz", bits(0x1.000002p126f)) == 0);
  CHECK(rcp("rcp.approx.ftz", bits(-0x1p127f)) == kMinusZero);
  CHECK(rcp("rcp.approx", bits(0x1p127f)) == 0x00400000);
  CHECK(rcp("rcp.approx", bits(0x1p-127f)) == bits(0x1p127f));
  CHECK(rcp("rcp.approx.ftz", bits(0x1p-127f)) == kInf);
}

TEST_CASE("sines take turns", "[sim]") {
  // Error bounds of PTX ISA 9.0, 9.7.3.18, and the step that ptxas makes: x is
  // multiplied by 1 / (2 pi), rounded towards zero.
  std::mt19937 random(8);
  std::vector<Tuple> tuples;
  for (int i = 0; i < 10000; ++i)
    tuples.push_back({bitsOfHost(float(int32_t(random())) * 0x1p-31f * 6.28f)});
  for (std::string name : {"sin", "cos"}) {
    std::vector<Outputs> found =
        evaluate(name + ".approx.f32 %R0, %r0;", "R", tuples);
    double worst = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < tuples.size(); ++i) {
      float x = valueOf<float>(tuples[i][0]);
      double result = valueOf<float>(found[i][0]);
      long double exact =
          name == "sin" ? std::sin((long double)x) : std::cos((long double)x);
      worst = std::max(worst, std::fabs(result - double(exact)));
      float turns;
      {
        HostMode host(FE_TOWARDZERO);
        turns = hostOperation<float>("mul", x, 0.15915493667125702f, 0);
      }
      long double angle = turns * 6.283185307179586476925L;
      long double step = name == "sin" ? std::sin(angle) : std::cos(angle);
      // The unit cuts to 2^-25 turns.
      constexpr double cut = 0x1p-25 * 6.283185308;
      wrong += std::fabs(result - double(step)) > 0x1p-24 + cut;
    }
    CHECK(worst < 0x1.6ap-21); // 2^-20.5
    CHECK(wrong == 0);
  }
  auto sine = [](const std::string &form, float x) {
    return asFloat(runOne(form + ".approx.f32 %f0, %f1;", "%f0", "f32",
                          {{"%f1", "f32", {bits(x)}}}));
  };
  CHECK(sine("sin", 1e30f) == 0); // whole turns, as far as bits tell
  CHECK(sine("cos", 1e30f) == 1);
  CHECK(std::fabs(sine("sin", -1.5707964f) + 1) < 0x1p-20);
}

TEST_CASE("zeros of sines are an H200's", "[sim]") {
  struct {
    std::string opcode;
    uint64_t in, out;
  } measured[] = {// below 2^-25 turns
                  {"sin.approx", 0x34299666, kZero},
                  {"sin.approx", 0xb4490f30, kMinusZero},
                  {"sin.approx.ftz", 0xb439ecaa, kMinusZero},
                  // whole turns, and a half
                  {"sin.approx", 0xc64a0b2f, kMinusZero},
                  {"sin.approx", 0xd9ffffff, kMinusZero},
                  {"sin.approx.ftz", 0xcce07ff3, kMinusZero},
                  {"sin.approx.ftz", 0xc5d7653d, kMinusZero},
                  {"sin.approx.ftz", 0x40490fdc, kMinusZero},
                  // a quarter more than whole turns, three quarters more
                  {"cos.approx", 0xcaffffff, kMinusZero},
                  {"cos.approx.ftz", 0x4490b5aa, kMinusZero},
                  {"cos.approx", 0x458e802d, kZero},
                  {"cos.approx.ftz", 0xcb7c0a47, kZero},
                  {"cos.approx.ftz", 0x418a3ae7, kZero}};
  for (const auto &row : measured) {
    INFO(row.opcode << std::hex << " of 0x" << row.in);
    CHECK(runOne(row.opcode + ".f32 %f0, %f1;", "%f0", "f32",
                 {{"%f1", "f32", {row.in}}}) == row.out);
  }
  // The first angle that is not zero.
  CHECK(runOne("sin.approx.f32 %f0, %f1;", "%f0", "f32",
               {{"%f1", "f32", {0x34490fdc}}}) == 0x34490fdb);
  // Two and a half units before a quarter; 5253 units and nearly one: their
  // slope on an H200 is up to 4.2e-5 more than that of sine.
  auto isClose = [](const std::string &opcode, uint64_t in, uint64_t out) {
    double found = asFloat(runOne(opcode + ".approx.f32 %f0, %f1;", "%f0",
                                  "f32", {{"%f1", "f32", {in}}}));
    return std::fabs(found / valueOf<float>(out) - 1) < 4.2e-5;
  };
  CHECK(isClose("cos", 0x3fc90fd8, 0x34c91200));
  CHECK(isClose("sin", 0x3a80f3da, 0x3a80eec5));
}

TEST_CASE("approximate division", "[sim]") {
  auto div = [](const std::string &form, float a, float b) {
    return runOne(form + ".f32 %f0, %f1, %f2;", "%f0", "f32",
                  {{"%f1", "f32", {bits(a)}}, {"%f2", "f32", {bits(b)}}});
  };
  // 2^126 < |b| < 2^128: zero, or NaN for infinity.
  for (std::string form : {"div.approx", "div.approx.ftz"}) {
    CHECK(div(form, 0x1p127f, 0x1p127f) == 0);
    CHECK(div(form, -0x1p127f, 0x1p127f) == kMinusZero);
    CHECK(div(form, INFINITY, 0x1.8p126f) == kAnyNan);
    CHECK(div(form, 0x1p126f, 0x1p126f) == kPlusOne);
    CHECK(div(form, 1, 0) == kInf);
    CHECK(div(form, -1, 0) == kMinusInf);
    CHECK(div(form, 0, 0) == kAnyNan);
    CHECK(div(form, 3, INFINITY) == 0);
    CHECK(div(form, 3, NAN) == kAnyNan);
  }
  for (std::string form : {"div.full", "div.full.ftz"}) {
    CHECK(div(form, 0x1p127f, 0x1p127f) == kPlusOne);
    CHECK(div(form, INFINITY, 0x1.8p126f) == kInf);
    CHECK(div(form, INFINITY, INFINITY) == kAnyNan);
    CHECK(div(form, 0, -2) == kMinusZero);
  }
  // Denormal divisors are scaled, or zeros.
  CHECK(div("div.approx", 0x1p-130f, 0x1p-130f) == kPlusOne);
  CHECK(div("div.full", 0x1p-130f, 0x1p-131f) == bits(2.0f));
  CHECK(div("div.approx.ftz", 0x1p-120f, 0x1p-130f) == kInf);
  CHECK(div("div.full.ftz", 0x1p-130f, 1) == 0);
  CHECK(div("div.full", 0x1p-130f, 1) == bits(0x1p-130f));
  // a * (1 / b), each rounded: 10 / 3 comes out one below.
  float third = 1.0f / 3;
  for (std::string form :
       {"div.approx", "div.approx.ftz", "div.full", "div.full.ftz"})
    CHECK(div(form, 10, 3) == bits(10 * third));
}

TEST_CASE("approximate division is off by two units", "[sim]") {
  std::mt19937 random(12);
  std::vector<Tuple> tuples;
  for (int i = 0; i < 20000; ++i)
    tuples.push_back({0x30000000 + random() % 0x20000000,
                      0x30000000 + random() % 0x20000000, 0, 0});
  for (std::string form :
       {"div.approx", "div.approx.ftz", "div.full", "div.full.ftz"}) {
    std::vector<Outputs> found =
        evaluate(form + ".f32 %R0, %r0, %r1;", "R", tuples);
    double worst = 0;
    for (size_t i = 0; i < tuples.size(); ++i) {
      double exact =
          double(valueOf<float>(tuples[i][0])) / valueOf<float>(tuples[i][1]);
      double unit = std::ldexp(1.0, std::ilogb(exact) - 23);
      worst = std::max(worst,
                       std::fabs(valueOf<float>(found[i][0]) - exact) / unit);
    }
    CHECK(worst <= 2);
    CHECK(worst > 0.5); // two roundings, not one
  }
}

TEST_CASE("f64 approximations of 20 bits", "[sim]") {
  auto of = [](const std::string &form, uint64_t x) {
    return runOne(form + ".f64 %d0, %d1;", "%d0", "f64", {{"%d1", "f64", {x}}});
  };
  constexpr uint64_t inf = 0x7ff0000000000000, sign = uint64_t(1) << 63;
  constexpr uint64_t nan = 0x7fffffff00000000, small = 0x000fffff00000000;
  // -inf, -denormal, -0, +0, +denormal, +inf, NaN: 9.7.3.14 and 9.7.3.17.
  uint64_t inputs[] = {inf | sign, small | sign, sign,         0,
                       small,      inf,          inf + inf / 2};
  inputs[6] = inf | 0x0008000000000000;
  uint64_t rcp[] = {sign, inf | sign, inf | sign, inf, inf, 0, nan};
  uint64_t rsqrt[] = {nan, inf | sign, inf | sign, inf, inf, 0, nan};
  for (int i = 0; i < 7; ++i) {
    CHECK(of("rcp.approx.ftz", inputs[i]) == rcp[i]);
    CHECK(of("rsqrt.approx.ftz", inputs[i]) == rsqrt[i]);
  }
  // Measured on an H200: cut, not rounded to nearest.
  CHECK(of("rcp.approx.ftz", 0xc01d28a48e3bb25d) == 0xbfc18f1d00000000);
  CHECK(of("rcp.approx.ftz", 0x0010062bdbcdf436) == 0x7fcff3ae00000000);
  CHECK(of("rcp.approx.ftz", 0x3ff0020118939a39) == 0x3feffbfe00000000);
  CHECK(of("rsqrt.approx.ftz", 0x433948e6aa6ab60a) == 0x3e49749700000000);
  CHECK(of("rsqrt.approx.ftz", 0x0010044a9dbb6f6b) == 0x5fdffbb600000000);
  // ... unless little is missing, of which the shares of equal results tell:
  // 1 / (1 + 1012 * 2^-20) is 2095129.95 * 2^-21, 1008 gives 2095137.94.
  CHECK(of("rcp.approx.ftz", 0x3ff003f400000000) == 0x3feff81a00000000);
  CHECK(of("rcp.approx.ftz", 0x3ff003f000000000) == 0x3feff82100000000);
  std::mt19937_64 random(13);
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    uint64_t x = (uint64_t(1) << 52) + random() % (inf / 2);
    double upper = asDouble(x & 0xffffffff00000000);
    uint64_t found = of("rcp.approx.ftz", x);
    CHECK((found & 0xffffffff) == 0);
    CHECK(std::fabs(asDouble(found) * upper - 1) < 0x1p-20);
    found = of("rsqrt.approx.ftz", x);
    CHECK((found & 0xffffffff) == 0);
    CHECK(std::fabs(asDouble(found) * std::sqrt(upper) - 1) < 0x1p-20);
    long double exact = 1 / std::sqrt((long double)asDouble(x));
    double refined = asDouble(of("rsqrt.approx", x));
    worst = std::max(worst, double(std::fabs(refined - exact) /
                                   std::ldexp(1.0L, std::ilogb(exact) - 52)));
  }
  // Third powers of 2^-19 are what the correction leaves.
  CHECK(worst < 0.53);
  CHECK(of("rsqrt.approx", 1) == bits(0x1p537));
  CHECK(of("rsqrt.approx", sign) == (inf | sign));
  CHECK(of("rsqrt.approx", bits(-1.0)) == 0xfff8000000000000);
  CHECK(of("rsqrt.approx", 0xfff0000000000001) == 0xfff8000000000001);
}

TEST_CASE("approximations: what is refused", "[sim]") {
  auto says = [](const std::string &statement, const std::string &words) {
    INFO(statement);
    CHECK_THAT(decodeFailure(statement), Contains(words));
  };
  for (std::string name : {"ex2", "lg2", "sin", "cos", "rsqrt", "tanh"})
    says(name + ".f32 %f0, %f1;", "needs .approx");
  says("tanh.approx.ftz.f32 %f0, %f1;",
       "modifier '.ftz' is not supported here");
  says("rcp.approx.f64 %d0, %d1;", "needs .ftz for this type");
  says("rsqrt.f64 %d0, %d1;", "needs .approx");
  says("sqrt.approx.f64 %d0, %d1;", "this form of 'sqrt' is not supported");
  says("ex2.approx.f64 %d0, %d1;", "this form of 'ex2' is not supported");
  says("div.approx.f64 %d0, %d1, %d2;", "this form of 'div' is not supported");
  says("div.full.sat.f32 %f0, %f1, %f2;",
       "modifier '.sat' is not supported here");
  says("sin.approx.rn.f32 %f0, %f1;", "modifier '.rn' is not supported here");
  CHECK_THAT(decodeFailure("tanh.approx.f32 %f0, %f1;", "sm_70"),
             Contains("tanh.f32 needs sm_75 or newer; the module's target is "
                      "sm_70"));
}
