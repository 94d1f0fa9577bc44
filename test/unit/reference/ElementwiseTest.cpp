//===- ElementwiseTest.cpp - scalar operations on the host ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "compiler/arith/Formats.h"

#include <cmath>
#include <limits>

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// A value with `fraction` fraction bits nearest to `x`, ties to even, in a
/// format whose smallest spacing is 2^smallest; no overflow handling.
double roundExactly(__float128 x, int fraction, int smallest) {
  if (x == 0)
    return static_cast<double>(x);
  bool negative = x < 0;
  __float128 m = negative ? -x : x;
  int exponent = 0;
  while (m >= 2)
    m /= 2, ++exponent;
  while (m < 1)
    m *= 2, --exponent;
  int spacing = std::max(exponent - fraction, smallest);
  __float128 scaled = negative ? -x : x;
  for (int i = spacing; i < 0; ++i)
    scaled *= 2;
  for (int i = 0; i < spacing; ++i)
    scaled /= 2;
  auto whole = static_cast<int64_t>(scaled);
  __float128 rest = scaled - whole;
  if (rest > 0.5 || (rest == 0.5 && (whole & 1)))
    ++whole;
  double result = std::ldexp(static_cast<double>(whole), spacing);
  return negative ? -result : result;
}

/// Interesting floats and random ones over all exponents.
std::vector<float> someFloats(size_t count, uint64_t seed) {
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1.0f,
                               -1.0f,
                               kInf,
                               -kInf,
                               kNan,
                               0x1p-149f,
                               -0x1p-149f,
                               0x1p-126f,
                               0x1.fffffep127f,
                               0.5f,
                               1.5f,
                               2.5f,
                               -2.5f,
                               0x1p-133f,
                               0x1p-134f,
                               0x1.8p-134f,
                               65504.0f,
                               65519.0f,
                               65520.0f,
                               0x1p-24f,
                               0x1p-25f,
                               0x1.8p-25f,
                               0x1p23f,
                               8388609.5f};
  Random random(seed);
  while (values.size() < count) {
    uint32_t bits = random.bits();
    float value;
    std::memcpy(&value, &bits, 4);
    values.push_back(value);
  }
  return values;
}

Array<float> run1(const std::string &text, const std::vector<float> &in) {
  Array<float> x = floats({int64_t(in.size())}), y = floats(x.shape);
  x.data = in;
  runs(compiled(text), {x.view(), y.view()});
  return y;
}

} // namespace

TEST_CASE("a map casts and rounds bf16 as a plain loop does", "[reference]") {
  std::string text =
      "te.func @scale sizes [\"M\", \"N\"](%X \"X\": !te.tensor<[M, N], bf16>) "
      "-> (\"Y\": !te.tensor<[M, N], bf16>) functions fast {\n"
      "  %Y = te.compute \"Y\" [\"i\", \"j\"] : !te.tensor<[M, N], bf16> {\n"
      "  ^bb0(%i: index, %j: index):\n"
      "    %x = te.read %X[%i, %j] : !te.tensor<[M, N], bf16>\n"
      "    %f = te.cast %x : bf16 to f32\n"
      "    %c = te.constant 1.1 : f32\n"
      "    %p = te.binary mul %f, %c : f32\n"
      "    %q = te.binary add %p, %f : f32\n"
      "    %y = te.cast %q : f32 to bf16\n"
      "    te.yield %y : bf16\n  }\n"
      "  te.return %Y : !te.tensor<[M, N], bf16>\n}\n";
  ReferenceProgram program = compiled(text);
  for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1},
                      {3, 17},
                      {2, 16},
                      {5, 256},
                      {7, 1000},
                      {0, 5},
                      {5, 0}}) {
    Array<uint16_t> x = bf16s({m, n}), y = bf16s({m, n});
    Random random(m * 1000 + n);
    for (uint16_t &value : x.data)
      value = random.bits() >> 16;
    runs(program, {x.view(), y.view()});
    for (size_t i = 0; i < x.data.size(); ++i) {
      float f = widenBf16(x.data[i]);
      float p = f * 1.1f;
      uint16_t expected = narrowBf16(p + f);
      CAPTURE(m, n, i, f);
      CHECK(same(widenBf16(y.data[i]), widenBf16(expected)));
    }
  }
}

TEST_CASE("every 16-bit value survives the way to f32 and back",
          "[reference]") {
  for (std::string type : {"f16", "bf16"}) {
    bool half = type == "f16";
    Array<uint16_t> x = half ? f16s({65536}) : bf16s({65536});
    Array<float> y = floats({65536});
    for (int i = 0; i < 65536; ++i)
      x.data[i] = i;
    runs(compiled(mapText(type, "f32",
                          "    %y = te.cast %x : " + type + " to f32\n")),
         {x.view(), y.view()});
    int wrong = 0;
    for (int i = 0; i < 65536; ++i)
      wrong += !same(y.data[i], half ? arith::fromF16(i) : widenBf16(i));
    CHECK(wrong == 0);
    Array<uint16_t> back = half ? f16s({65536}) : bf16s({65536});
    runs(compiled(mapText("f32", type,
                          "    %y = te.cast %x : f32 to " + type + "\n")),
         {y.view(), back.view()});
    wrong = 0;
    for (int i = 0; i < 65536; ++i)
      wrong += y.data[i] == y.data[i] && back.data[i] != i;
    CHECK(wrong == 0);
  }
}

TEST_CASE("narrowing casts round once", "[reference]") {
  std::vector<float> values = someFloats(20000, 3);
  Array<float> x = floats({int64_t(values.size())});
  x.data = values;
  Array<double> d = doubles(x.shape);
  Random random(5);
  // Doubles just off the ties of either 16-bit format, and of f32.
  for (size_t i = 0; i < values.size(); ++i) {
    double base = values[i];
    switch (i % 4) {
    case 1:
      base = widenBf16(narrowBf16(values[i])) * (1 + 0x1p-8);
      break;
    case 2:
      base = arith::fromF16(arith::toF16(values[i])) * (1 + 0x1p-11);
      break;
    case 3:
      base *= 1 + 0x1p-24;
      break;
    }
    d.data[i] = base * (1 + (int(random.bits() % 3) - 1) * 0x1p-50);
  }
  for (std::string type : {"f16", "bf16"}) {
    bool half = type == "f16";
    Array<uint16_t> y = half ? f16s(x.shape) : bf16s(x.shape);
    runs(compiled(mapText("f32", type,
                          "    %y = te.cast %x : f32 to " + type + "\n")),
         {x.view(), y.view()});
    Array<uint16_t> z = half ? f16s(x.shape) : bf16s(x.shape);
    runs(compiled(mapText("f64", type,
                          "    %y = te.cast %x : f64 to " + type + "\n")),
         {d.view(), z.view()});
    int wrong = 0, wrongDouble = 0;
    auto widen = [&](uint16_t bits) {
      return half ? arith::fromF16(bits) : widenBf16(bits);
    };
    for (size_t i = 0; i < values.size(); ++i) {
      uint16_t e = half ? arith::toF16(x.data[i]) : narrowBf16(x.data[i]);
      wrong += !same(widen(y.data[i]), widen(e));
      uint16_t ed = half ? arith::toF16(d.data[i]) : arith::toBf16(d.data[i]);
      wrongDouble += !same(widen(z.data[i]), widen(ed));
    }
    CAPTURE(type);
    CHECK(wrong == 0);
    CHECK(wrongDouble == 0);
  }
  Array<float> y = floats(x.shape);
  runs(compiled(mapText("f64", "f32", "    %y = te.cast %x : f64 to f32\n")),
       {d.view(), y.view()});
  for (size_t i = 0; i < values.size(); ++i)
    if (!same(y.data[i], static_cast<float>(d.data[i])))
      FAIL_CHECK("f64 " << d.data[i] << " gave " << y.data[i]);
}

TEST_CASE("16-bit arithmetic rounds once, fma included", "[reference]") {
  for (std::string type : {"f16", "bf16"}) {
    bool half = type == "f16";
    auto widen = [&](uint16_t bits) {
      return half ? arith::fromF16(bits) : widenBf16(bits);
    };
    constexpr int64_t kCount = 60000;
    Array<uint16_t> x = half ? f16s({kCount}) : bf16s({kCount});
    Array<uint16_t> y = x, w = x, z = x;
    Random random(half ? 7 : 8);
    for (int64_t i = 0; i < kCount; ++i)
      for (Array<uint16_t> *a : {&x, &y, &w}) {
        uint32_t bits = random.bits();
        // Exponents near one another, so that sums cancel and tie; every third
        // f16 triple over all exponents, denormals included.
        float scale = std::ldexp(1.0f, int(bits % 25) - 12);
        float value = (1 + float(bits >> 8 & 0xff) / 256) * scale;
        if (bits >> 31)
          value = -value;
        a->data[i] = half ? arith::toF16(value) : narrowBf16(value);
        if (half && i % 3 == 0)
          a->data[i] = (bits >> 12 & 0xffff) % 0x7c00 | (bits >> 31 << 15);
      }
    struct Case {
      const char *name, *body;
      __float128 (*exact)(__float128, __float128, __float128);
    };
    std::string s = " : " + type + "\n";
    std::vector<std::pair<std::string,
                          __float128 (*)(__float128, __float128, __float128)>>
        cases = {
            {"    %z = te.binary add %x, %y" + s,
             [](__float128 a, __float128 b, __float128) { return a + b; }},
            {"    %z = te.binary sub %x, %w" + s,
             [](__float128 a, __float128, __float128 c) { return a - c; }},
            {"    %z = te.binary mul %x, %y" + s,
             [](__float128 a, __float128 b, __float128) { return a * b; }},
            {"    %z = te.fma %x, %y, %w" + s,
             [](__float128 a, __float128 b, __float128 c) {
               return a * b + c;
             }},
        };
    for (auto &[body, exact] : cases) {
      runs(compiled(ternaryText(type, body)),
           {x.view(), y.view(), w.view(), z.view()});
      int wrong = 0;
      for (int64_t i = 0; i < kCount; ++i) {
        __float128 e =
            exact(widen(x.data[i]), widen(y.data[i]), widen(w.data[i]));
        double expected =
            half ? roundExactly(e, 10, -24) : roundExactly(e, 7, -133);
        if (half && std::fabs(expected) > 65504)
          expected = expected > 0 ? kInf : -kInf;
        wrong += widen(z.data[i]) != expected;
      }
      CAPTURE(type, body);
      CHECK(wrong == 0);
    }
    // Quotients and roots: the f64 result is far from any tie of 11 digits
    // unless it is one exactly.
    runs(compiled(ternaryText(type, "    %q = te.binary div %x, %y" + s +
                                        "    %a = te.unary abs unset %q" + s +
                                        "    %z = te.unary sqrt unset %a" + s)),
         {x.view(), y.view(), w.view(), z.view()});
    int wrong = 0;
    for (int64_t i = 0; i < kCount; ++i) {
      double q = double(widen(x.data[i])) / widen(y.data[i]);
      float rounded = widen(half ? arith::toF16(q) : arith::toBf16(q));
      double root = std::sqrt(double(std::fabs(rounded)));
      wrong += !same(widen(z.data[i]),
                     widen(half ? arith::toF16(root) : arith::toBf16(root)));
    }
    CAPTURE(type);
    CHECK(wrong == 0);
  }
}

TEST_CASE("f32 operations equal the host's own", "[reference]") {
  std::vector<float> values = someFloats(5000, 11);
  Array<float> x = floats({int64_t(values.size())}), y = x, w = x, z = x;
  x.data = values;
  for (size_t i = 0; i < values.size(); ++i) {
    y.data[i] = values[(i * 7 + 3) % values.size()];
    w.data[i] = values[(i * 13 + 5) % values.size()];
  }
  // Every pair of the interesting values too.
  for (size_t i = 0; i < 26 * 26; ++i) {
    x.data[i] = values[i % 26];
    y.data[i] = values[i / 26];
  }
  using Op = float (*)(float, float, float);
  std::vector<std::pair<std::string, Op>> cases = {
      {"    %z = te.binary add %x, %y : f32\n",
       [](float a, float b, float) { return a + b; }},
      {"    %z = te.binary div %x, %y : f32\n",
       [](float a, float b, float) { return a / b; }},
      {"    %z = te.fma %x, %y, %w : f32\n",
       [](float a, float b, float c) { return std::fma(a, b, c); }},
      {"    %p = te.binary mul %x, %y : f32\n"
       "    %z = te.binary add %p, %w : f32\n",
       [](float a, float b, float c) {
         float p = a * b;
         return p + c;
       }},
      {"    %z = te.binary max %x, %y : f32\n",
       [](float a, float b, float) { return arith::maximum(a, b); }},
      {"    %z = te.binary min %x, %y : f32\n",
       [](float a, float b, float) { return arith::minimum(a, b); }},
      {"    %z = te.unary neg unset %x : f32\n",
       [](float a, float, float) { return -a; }},
      {"    %z = te.unary abs unset %x : f32\n",
       [](float a, float, float) { return std::fabs(a); }},
      {"    %z = te.unary sqrt unset %x : f32\n",
       [](float a, float, float) { return std::sqrt(a); }},
      {"    %z = te.unary floor unset %x : f32\n",
       [](float a, float, float) { return std::floor(a); }},
      {"    %z = te.unary ceil unset %x : f32\n",
       [](float a, float, float) { return std::ceil(a); }},
      {"    %z = te.unary round unset %x : f32\n",
       [](float a, float, float) { return std::nearbyint(a); }},
      {"    %z = te.unary trunc unset %x : f32\n",
       [](float a, float, float) { return std::trunc(a); }},
      {"    %c = te.compare lt %x, %y : f32\n"
       "    %d = te.compare ne %x, %w : f32\n"
       "    %e = te.logic and %c, %d\n"
       "    %n = te.not %e\n"
       "    %z = te.select %n, %w, %x : f32\n",
       [](float a, float b, float c) { return !(a < b && a != c) ? c : a; }},
      {"    %z = te.unary exp fast %x : f32\n",
       [](float a, float, float) { return float(std::exp(double(a))); }},
      {"    %z = te.unary exp2 unset %x : f32\n",
       [](float a, float, float) { return float(std::exp2(double(a))); }},
      {"    %z = te.unary log unset %x : f32\n",
       [](float a, float, float) { return float(std::log(double(a))); }},
      {"    %z = te.unary log2 unset %x : f32\n",
       [](float a, float, float) { return float(std::log2(double(a))); }},
      {"    %z = te.unary tanh unset %x : f32\n",
       [](float a, float, float) { return float(std::tanh(double(a))); }},
      {"    %z = te.unary rsqrt unset %x : f32\n",
       [](float a, float, float) { return float(1 / std::sqrt(double(a))); }},
      {"    %z = te.unary rcp unset %x : f32\n",
       [](float a, float, float) { return float(1 / double(a)); }},
  };
  for (auto &[body, expected] : cases) {
    runs(compiled(ternaryText("f32", body)),
         {x.view(), y.view(), w.view(), z.view()});
    int wrong = 0;
    for (size_t i = 0; i < values.size(); ++i)
      wrong += !same(z.data[i], expected(x.data[i], y.data[i], w.data[i]));
    CAPTURE(body);
    CHECK(wrong == 0);
  }
}

TEST_CASE("integer helpers and bits", "[reference]") {
  // 2^k by building the exponent field, as portable exp2 does; then the sign.
  std::string body = "    %b = te.bits %x : f32 to i32\n"
                     "    %c23 = arith.constant 23 : i32\n"
                     "    %e = arith.shrsi %b, %c23 : i32\n"
                     "    %mask = arith.constant 255 : i32\n"
                     "    %f = arith.andi %e, %mask : i32\n"
                     "    %one = arith.constant 1 : i32\n"
                     "    %g = arith.addi %f, %one : i32\n"
                     "    %h = arith.subi %g, %one : i32\n"
                     "    %l = arith.cmpi slt, %h, %one : i32\n"
                     "    %m = arith.select %l, %one, %h : i32\n"
                     "    %s = arith.shli %m, %c23 : i32\n"
                     "    %zero = arith.constant 0 : i32\n"
                     "    %t = arith.ori %s, %zero : i32\n"
                     "    %y = te.bits %t : i32 to f32\n";
  std::vector<float> values = someFloats(1000, 21);
  Array<float> y = run1(mapText("f32", "f32", body), values);
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t exponent = bitsOf(values[i]) >> 23 & 255;
    uint32_t expected = std::max(exponent, 1u) << 23;
    if (expected != bitsOf(y.data[i]))
      FAIL_CHECK("for " << values[i] << ": " << y.data[i]);
  }
}

TEST_CASE("integers become floats with one rounding", "[reference]") {
  // The bits of a double are any i64 one likes.
  std::vector<int64_t> numbers = {
      0,         1,        -1, 255, 257, 65519, 65520, 1 << 24, (1 << 24) + 1,
      INT64_MAX, INT64_MIN};
  for (int shift : {9, 20, 24, 30, 40, 53, 54, 55, 60, 62})
    for (int64_t low : {-1, 0, 1})
      for (int64_t tie : {8, 11, 24})
        for (int64_t sign : {-1, 1}) {
          int64_t value = int64_t(1) << shift;
          if (shift > tie)
            value += int64_t(1) << (shift - tie);
          numbers.push_back(sign * (value + low));
        }
  Array<double> x = doubles({int64_t(numbers.size())});
  std::memcpy(x.data.data(), numbers.data(), numbers.size() * 8);
  std::string body = "    %b = te.bits %x : f64 to i64\n"
                     "    %y = te.to_float %b : i64 to ";
  Array<float> f = floats(x.shape);
  Array<uint16_t> h = f16s(x.shape), g = bf16s(x.shape);
  runs(compiled(mapText("f64", "f32", body + "f32\n")), {x.view(), f.view()});
  runs(compiled(mapText("f64", "f16", body + "f16\n")), {x.view(), h.view()});
  runs(compiled(mapText("f64", "bf16", body + "bf16\n")), {x.view(), g.view()});
  for (size_t i = 0; i < numbers.size(); ++i) {
    CAPTURE(numbers[i]);
    __float128 exact = numbers[i];
    CHECK(f.data[i] == static_cast<float>(numbers[i]));
    CHECK(widenBf16(g.data[i]) == roundExactly(exact, 7, -133));
    double half = roundExactly(exact, 10, -24);
    if (std::fabs(half) > 65504)
      half = half > 0 ? kInf : -kInf;
    CHECK(arith::fromF16(h.data[i]) == half);
  }
}

TEST_CASE("indices are values", "[reference]") {
  std::string text =
      "te.func @mask sizes [\"M\", \"N\"](%X \"X\": !te.tensor<[M, N], f32>) "
      "-> (\"Y\": !te.tensor<[M, N], f32>) functions fast {\n"
      "  %Y = te.compute \"Y\" [\"i\", \"j\"] : !te.tensor<[M, N], f32> {\n"
      "  ^bb0(%i: index, %j: index):\n"
      "    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>\n"
      "    %c = te.compare le %j, %i : index\n"
      "    %n = te.size \"N\"\n"
      "    %nf = te.to_float %n : index to f32\n"
      "    %jf = te.to_float %j : index to f32\n"
      "    %s = te.binary add %nf, %jf : f32\n"
      "    %y = te.select %c, %x, %s : f32\n"
      "    te.yield %y : f32\n  }\n"
      "  te.return %Y : !te.tensor<[M, N], f32>\n}\n";
  Array<float> x = floats({9, 37}), y = floats({9, 37});
  for (size_t i = 0; i < x.data.size(); ++i)
    x.data[i] = -float(i);
  runs(compiled(text), {x.view(), y.view()});
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 37; ++j)
      CHECK(y.data[i * 37 + j] == (j <= i ? x.data[i * 37 + j] : 37.0f + j));
}
