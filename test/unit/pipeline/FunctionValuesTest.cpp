//===- FunctionValuesTest.cpp - functions of the language, by value -------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are compiled and run by the reference. Their bits must be those of
// the same sequences on the host's floats, and their values near the C
// library's in a wider type, or exact where the language says so.
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/TeHostOps.h"
#include "test/unit/pipeline/Compile.h"

#include "compiler/arith/Formats.h"
#include "compiler/reference/Reference.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>

using namespace girih;
using namespace girih::test;
using te::portable::HostOps;
using te::portable::ulpError;
using Type = artifact::ScalarType;

namespace {

template <typename T> Type typeOf();
template <> Type typeOf<float>() { return Type::F32; }
template <> Type typeOf<double>() { return Type::F64; }
template <> Type typeOf<int64_t>() { return Type::I64; }
template <> Type typeOf<uint32_t>() { return Type::U32; }

/// `op f(X: type[N], ...) -> Y: type[N] { Y[i] = value }`, run over the inputs
/// as the reference runs it.
template <typename Out, typename In>
std::vector<Out> valuesOf(const std::string &value, const std::string &type,
                          const std::string &result,
                          std::vector<std::vector<In>> inputs,
                          Type in = typeOf<In>(), Type out = typeOf<Out>()) {
  std::string text = "op f(X: " + type + "[N]" +
                     (inputs.size() == 2 ? ", Z: " + type + "[N]" : "") +
                     ") -> Y: " + result + "[N] { Y[i] = " + value + " }";
  pipeline::CompileOptions options;
  options.functions = "portable";
  Outcome compiled = compileText(text, options);
  INFO(compiled.errors);
  REQUIRE(compiled);
  auto program =
      reference::ReferenceProgram::compile(compiled.result->artifact->teModule);
  INFO((program ? std::string() : program.message()));
  REQUIRE(program.ok());
  auto count = int64_t(inputs[0].size());
  std::vector<Out> values(count);
  std::vector<reference::HostTensor> params;
  for (auto &input : inputs)
    params.push_back({input.data(), in, {count}, {1}});
  params.push_back({values.data(), out, {count}, {1}});
  Status status = program->run(params, {});
  REQUIRE(status.ok());
  return values;
}

/// Every 4093rd f32, and some that matter.
std::vector<float> someF32() {
  std::vector<float> values = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f,
                               -0x1p-149f, 0x1p-126f, 0x1.fffffep127f,
                               0x1.921fb6p-1f, // next to pi/4
                               0x1.921fb4p-1f, 0x1.921fb6p0f, 0x1.921fb6p1f,
                               // 16367173 * 2^72, the nearest to a multiple of
                               // pi/2 among the f32
                               0x1.f37c8ap+95f, 0x1.dcp-1f, 4.0f};
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 4093)
    values.push_back(std::bit_cast<float>(uint32_t(bits)));
  return values;
}

std::vector<double> someF64(size_t count) {
  std::vector<double> values = {0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074,
                                0x1.fffffffffffffp1023, 0x1.921fb54442d18p-1,
                                0x1.921fb54442d18p1,
                                // 6381956970095103 * 2^797, the nearest to a
                                // multiple of pi/2 among the f64
                                0x1.6ac5b262ca1ffp849, 0x1.dcp-1, 6.0};
  std::mt19937_64 random(11);
  while (values.size() < count) {
    uint64_t bits = random();
    if (values.size() % 4 != 0) // within [2^-10, 2^11)
      bits = (bits & 0x800fffffffffffff) | ((1013 + (bits >> 52) % 21) << 52);
    values.push_back(std::bit_cast<double>(bits));
  }
  return values;
}

struct Function {
  const char *name;
  double bound32, bound64; ///< ulp
  float (*single)(float);
  double (*twice)(double);
  long double (*wide)(long double);
};

#define GIRIH_FUNCTION(NAME, BOUND32, BOUND64)                                 \
  {                                                                            \
#NAME,                                                                      \
   BOUND32,                                                                    \
   BOUND64,                                                                    \
   [](float x) {                                                               \
     HostOps<float> ops;                                                       \
     return te::portable::NAME(ops, x);                                        \
   },                                                                          \
   [](double x) {                                                              \
     HostOps<double> ops;                                                      \
     return te::portable::NAME(ops, x);                                        \
   },                                                                          \
   [](long double x) -> long double { return std::NAME(x); }  \
  }

const Function kFunctions[] = {GIRIH_FUNCTION(sin, 1.1, 1.1),
                               GIRIH_FUNCTION(cos, 1.1, 1.1),
                               GIRIH_FUNCTION(erf, 1.2, 1.5)};

template <typename T, typename Host, typename Wide>
void checkFunction(const std::vector<T> &inputs, const std::vector<T> &values,
                   Host host, Wide wide, double bound) {
  double worst = 0;
  size_t different = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    different += !arith::sameValue(host(inputs[i]), values[i]);
    double error = ulpError(values[i], wide((long double)inputs[i]));
    worst = error <= worst ? worst : error;
  }
  INFO("largest error " << worst << " ulp");
  CHECK(worst <= bound);
  CHECK(different == 0);
}

} // namespace

TEST_CASE("sin, cos and erf keep their bounds and their bits") {
  std::vector<float> singles = someF32();
  std::vector<double> doubles = someF64(1 << 17);
  for (const Function &function : kFunctions) {
    INFO(function.name);
    std::string call = std::string(function.name) + "(X[i])";
    checkFunction(singles,
                  valuesOf<float, float>(call, "f32", "f32", {singles}),
                  function.single, function.wide, function.bound32);
    checkFunction(doubles,
                  valuesOf<double, double>(call, "f64", "f64", {doubles}),
                  function.twice, function.wide, function.bound64);
  }
}

TEST_CASE("sin, cos and erf of 16 bits are those of f32, rounded") {
  std::vector<uint16_t> inputs;
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    inputs.push_back(uint16_t(bits));
  for (bool half : {true, false})
    for (const Function &function : kFunctions) {
      auto widen = half ? arith::fromF16 : arith::fromBf16;
      std::string type = half ? "f16" : "bf16";
      auto values = valuesOf<uint16_t, uint16_t>(
          std::string(function.name) + "(X[i])", type, type, {inputs},
          half ? Type::F16 : Type::BF16, half ? Type::F16 : Type::BF16);
      size_t different = 0;
      for (size_t i = 0; i < inputs.size(); ++i) {
        float exact = function.single(widen(inputs[i]));
        float expected =
            widen(half ? arith::toF16(exact) : arith::toBf16(exact));
        different += !arith::sameValue(expected, float(widen(values[i])));
      }
      INFO(function.name << ' ' << type);
      CHECK(different == 0);
    }
}

TEST_CASE("values next to a multiple of pi/2 keep their digits") {
  // With 1000 digits of pi.
  auto single =
      valuesOf<float, float>("cos(X[i])", "f32", "f32", {{0x1.f37c8ap95f}})[0];
  auto twice = valuesOf<double, double>("cos(X[i])", "f64", "f64",
                                        {{0x1.6ac5b262ca1ffp849}})[0];
  CHECK(ulpError(single, -1.614769798247621187603565e-9) < 1);
  CHECK(ulpError(twice, -4.687165924254627611122583e-19L) < 1);
}

TEST_CASE("powers have the special values of C") {
  const float inf = INFINITY, nan = NAN;
  struct Case {
    float x, y, value;
  };
  const Case cases[] = {{nan, 0, 1},
                        {nan, -0.0f, 1},
                        {0, 0, 1},
                        {-inf, 0, 1},
                        {1, nan, 1},
                        {1, inf, 1},
                        {1, -inf, 1},
                        {-1, inf, 1},
                        {-1, -inf, 1},
                        {-1, nan, nan},
                        {nan, 1, nan},
                        {2, nan, nan},
                        {0, -3, inf},
                        {-0.0f, -3, -inf},
                        {-0.0f, -2, inf},
                        {-0.0f, -2.5, inf},
                        {0, -inf, inf},
                        {-0.0f, -inf, inf},
                        {0, 3, 0},
                        {-0.0f, 3, -0.0f},
                        {-0.0f, 2, 0},
                        {-0.0f, 2.5, 0},
                        {0, inf, 0},
                        {-0.0f, 0x1p24f, 0},
                        {0.5, -inf, inf},
                        {-0.5, -inf, inf},
                        {2, -inf, 0},
                        {-2, -inf, 0},
                        {0.5, inf, 0},
                        {-2, inf, inf},
                        {-inf, -3, -0.0f},
                        {-inf, -2, 0},
                        {-inf, -2.5, 0},
                        {-inf, 3, -inf},
                        {-inf, 2, inf},
                        {-inf, 2.5, inf},
                        {inf, -1, 0},
                        {inf, 0.5, inf},
                        {-2, 0.5, nan},
                        {-2, 3, -8},
                        {-2, -3, -0.125},
                        {-8, 1.0f / 3, nan},
                        {2, 128, inf},
                        {-2, 129, -inf},
                        {2, -149, 0x1p-149f},
                        {2, -151, 0},
                        {-2, -151, -0.0f},
                        {0x1p-149f, 1, 0x1p-149f},
                        {10, 10, 1e10f},
                        {-1, 0x1.fffffep127f, 1},
                        {-1, 0x1.fffffep23f, -1}};
  std::vector<float> x, y;
  for (const Case &one : cases) {
    x.push_back(one.x);
    y.push_back(one.y);
  }
  auto values = valuesOf<float, float>("pow(X[i], Z[i])", "f32", "f32", {x, y});
  std::vector<double> wideX(x.begin(), x.end()), wideY(y.begin(), y.end());
  auto wide =
      valuesOf<double, double>("pow(X[i], Z[i])", "f64", "f64", {wideX, wideY});
  for (size_t i = 0; i < std::size(cases); ++i) {
    const Case &one = cases[i];
    INFO(one.x << " to the " << one.y);
    CHECK(arith::sameValue(values[i], one.value));
    // In f64 the range is wider: only what is no limit of f32.
    if (std::fabs(one.y) < 100)
      CHECK(arith::sameValue(wide[i], double(one.value)));
  }
}

TEST_CASE("powers that are numbers are exact, the others near") {
  std::vector<float> x, y;
  std::vector<double> exact;
  for (int base = -300; base <= 300; ++base) {
    double product = 1;
    for (int power = 0; std::fabs(product) <= 0x1p24 && power < 40; ++power) {
      for (float scale : {1.0f, 0.125f}) { // 0.125^power is exact too
        x.push_back(float(base) * scale);
        y.push_back(float(power));
        exact.push_back(product * (scale == 1 ? 1 : std::ldexp(1, -3 * power)));
      }
      product *= base;
    }
  }
  auto values = valuesOf<float, float>("pow(X[i], Z[i])", "f32", "f32", {x, y});
  size_t wrong = 0;
  for (size_t i = 0; i < x.size(); ++i)
    wrong += double(values[i]) != exact[i];
  CHECK(x.size() > 4000);
  CHECK(wrong == 0);

  std::mt19937 random(5);
  std::vector<float> bases, powers;
  for (int i = 0; i < 1 << 18; ++i) {
    bases.push_back(std::bit_cast<float>(uint32_t(random()) & 0x7fffffff));
    double reach = (double(random()) / 0x1p31 - 1) * 151;
    powers.push_back(float(reach / std::log2(double(bases.back()))));
  }
  values =
      valuesOf<float, float>("pow(X[i], Z[i])", "f32", "f32", {bases, powers});
  HostOps<float> ops;
  double worst = 0;
  size_t different = 0;
  for (size_t i = 0; i < bases.size(); ++i) {
    different += !arith::sameValue(te::portable::pow(ops, bases[i], powers[i]),
                                   values[i]);
    long double wide = std::pow((long double)bases[i], powers[i]);
    double error = ulpError(values[i], double(wide));
    worst = error <= worst ? worst : error;
  }
  CHECK(worst < 0.8);
  CHECK(different == 0);
}

namespace {

/// In long double every step is exact: its exponents reach far enough, and it
/// has more digits than f64.
template <typename T> T onGrid(T x, int digits) {
  if (!std::isfinite(x))
    return x;
  return T(
      std::ldexp(std::nearbyint(std::ldexp((long double)x, digits)), -digits));
}

template <typename T>
void checkGrid(const std::string &type, const std::vector<T> &inputs,
               std::vector<int> counts) {
  for (int digits : counts) {
    auto values = valuesOf<T, T>(
        "on_grid(X[i], " + std::to_string(digits) + ")", type, type, {inputs});
    size_t wrong = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      T expected = onGrid(inputs[i], digits);
      wrong += !arith::sameValue(expected, values[i]);
    }
    INFO(type << ", " << digits << " digits");
    CHECK(wrong == 0);
  }
}

} // namespace

TEST_CASE("numbers on a grid are exact") {
  std::vector<float> singles = someF32();
  // Around ties of the grids below.
  for (float tie : {0.5f, 1.5f, 2.5f, 0x1p-13f, 0x1.8p-12f, 0x1p-149f, 0x1p126f,
                    0x1.8p127f, 8388607.5f, 8388608.0f, 4194303.75f})
    for (float x :
         {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, INFINITY)})
      for (float sign : {1.0f, -1.0f})
        singles.push_back(sign * x);
  checkGrid("f32", singles, {0, 1, 12, -3, 23, 126, 127, 128, 149, -126, -127});
  checkGrid("f64", someF64(1 << 16), {0, 12, -40, 1022, 1074, -1023});
  std::vector<uint16_t> every;
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    every.push_back(uint16_t(bits));
  for (bool half : {true, false})
    for (int digits : {0, 3, -3, half ? 24 : 133, half ? -15 : -127}) {
      std::string type = half ? "f16" : "bf16";
      Type scalar = half ? Type::F16 : Type::BF16;
      auto values = valuesOf<uint16_t, uint16_t>(
          "on_grid(X[i], " + std::to_string(digits) + ")", type, type, {every},
          scalar, scalar);
      auto widen = half ? arith::fromF16 : arith::fromBf16;
      size_t wrong = 0;
      for (uint16_t bits : every) {
        float exact = onGrid(float(widen(bits)), digits);
        float expected =
            widen(half ? arith::toF16(exact) : arith::toBf16(exact));
        wrong += !arith::sameValue(expected, float(widen(values[bits])));
      }
      INFO(type << ", " << digits << " digits");
      CHECK(wrong == 0);
    }
}

TEST_CASE("Philox gives the published words") {
  // The known answers of Random123's kat_vectors for philox4x32, 10 rounds.
  struct Known {
    std::array<int64_t, 4> counter;
    std::array<int64_t, 2> key;
    std::array<int64_t, 4> words;
  };
  constexpr int64_t kAll = 0xffffffff;
  const Known known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{kAll, kAll, kAll, kAll},
       {kAll, kAll},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  HostOps<double> ops;
  for (const Known &one : known)
    CHECK(te::portable::philox(ops, one.counter, one.key) == one.words);

  // Seed and counter are split into halves, low first.
  std::vector<int64_t> seeds = {0, -1, 0x123456789abcdef0, 7};
  std::vector<int64_t> counters = {0, -1, int64_t(0xfedcba9876543210), 1};
  for (int word = 0; word < 4; ++word) {
    auto values = valuesOf<uint32_t, int64_t>("philox(X[i], Z[i], " +
                                                  std::to_string(word) + ")",
                                              "i64", "u32", {seeds, counters});
    for (size_t i = 0; i < seeds.size(); ++i) {
      auto block = te::portable::philox(
          ops,
          std::array<int64_t, 4>{counters[i] & kAll,
                                 int64_t(uint64_t(counters[i]) >> 32), 0, 0},
          {seeds[i] & kAll, int64_t(uint64_t(seeds[i]) >> 32)});
      CHECK(int64_t(values[i]) == block[word]);
    }
    CHECK(int64_t(values[0]) == known[0].words[word]);
  }
  auto numbers = valuesOf<float, int64_t>("uniform(X[i], Z[i])", "i64", "f32",
                                          {seeds, counters});
  auto words = valuesOf<uint32_t, int64_t>("philox(X[i], Z[i], 0)", "i64",
                                           "u32", {seeds, counters});
  for (size_t i = 0; i < seeds.size(); ++i)
    CHECK(numbers[i] == float(words[i] >> 8) * 0x1p-24f);
}

TEST_CASE("arithmetic of indices is that of 64-bit integers") {
  const int64_t count = 37;
  auto check = [&](const std::string &value, auto expected) {
    auto values =
        valuesOf<int64_t, int64_t>("i64(" + value + ") + 0 * X[i]", "i64",
                                   "i64", {std::vector<int64_t>(count)});
    INFO(value);
    for (int64_t i = 0; i < count; ++i)
      CHECK(values[i] == expected(i));
  };
  auto floorMod = [](int64_t a, int64_t b) { return ((a % b) + b) % b; };
  check("2 * i - N + 1", [&](int64_t i) { return 2 * i - count + 1; });
  check("i * i - 3", [](int64_t i) { return i * i - 3; });
  check("(i - 5) % 7", [&](int64_t i) { return floorMod(i - 5, 7); });
  check("floordiv(i - 5, 7)",
        [&](int64_t i) { return (i - 5 - floorMod(i - 5, 7)) / 7; });
  check("tdiv(i - 5, 7) * 10 + tmod(i - 5, 7)",
        [](int64_t i) { return (i - 5) / 7 * 10 + (i - 5) % 7; });
  check("floordiv(i, 0) + i % 0", [](int64_t i) { return i; });
  check("max(i, N - i) - min(i, N - i) + abs(i - 9)",
        [](int64_t i) { return std::abs(count - 2 * i) + std::abs(i - 9); });
  check("if (i + 1) % 2 == 0 and i * i < N then -i else i",
        [](int64_t i) { return (i + 1) % 2 == 0 && i * i < count ? -i : i; });
  check("i * 70000 * 70000 + 5", [](int64_t i) { return i * 4900000000 + 5; });
}
