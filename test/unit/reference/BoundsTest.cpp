//===- BoundsTest.cpp - running error bounds on the host ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "compiler/arith/Formats.h"
#include "compiler/reference/FunctionBounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::vector<double>>
boundsOf(const ReferenceProgram &program,
         const std::vector<HostTensor> &params) {
  std::vector<std::vector<double>> bounds;
  Status status = program.runWithBounds(params, bounds, {});
  INFO((status ? std::string() : status.message()));
  REQUIRE(status.ok());
  return bounds;
}

/// A float in [center - error, center + error], the ends included often.
float within(float center, double error, Random &random) {
  double at = (double(random.bits() % 9) - 4) / 4;
  float value = static_cast<float>(center + at * error);
  while (std::fabs(double(value) - center) > error)
    value = std::nextafter(value, center);
  return value;
}

/// A float as far from `exact` as the table lets a fast function be.
float perturbed(Function function, double exact, Random &random) {
  double at = (double(random.bits() % 2001) - 1000) / 1000;
  double error = fastDeviation(function, ScalarType::F32, std::fabs(exact));
  return static_cast<float>(exact + at * error);
}

/// A causal softmax: masked scores are -inf.
const char *const kSoftmax = R"te(
te.func @softmax sizes ["M", "N"](%X "X": !te.tensor<[M, N], f32>)
    -> ("Y": !te.tensor<[M, N], f32>) functions fast {
  %m = te.compute "m" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %r = te.reduce max ["k"] in [N] order "fixed" term <"lanes(64, 1)">
        leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      te.yield %x : f32
    }
    te.yield %r : f32
  }
  %E = te.compute "E" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %c = te.compare le %j, %i : index
    %inf = te.constant 0xFF800000 : f32
    %masked = te.select %c, %x, %inf : f32
    %r = te.read %m[%i] : !te.tensor<[M], f32>
    %d = te.binary sub %masked, %r : f32
    %e = te.unary exp unset %d : f32
    te.yield %e : f32
  }
  %s = te.compute "s" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %r = te.reduce sum ["k"] in [N] order "fixed" term <"lanes(64, 1)">
        leaf plain : f32 {
    ^bb0(%k: index):
      %e = te.read %E[%i, %k] : !te.tensor<[M, N], f32>
      te.yield %e : f32
    }
    te.yield %r : f32
  }
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %e = te.read %E[%i, %j] : !te.tensor<[M, N], f32>
    %r = te.read %s[%i] : !te.tensor<[M], f32>
    %y = te.binary div %e, %r : f32
    te.yield %y : f32
  }
  te.return %Y : !te.tensor<[M, N], f32>
}
)te";

} // namespace

TEST_CASE("programs of exact operations have no error", "[reference]") {
  Array<float> a = floats({7, 30}), b = floats({30, 70}), c = floats({7, 70});
  Random random(1);
  for (Array<float> *x : {&a, &b})
    for (float &value : x->data)
      value = random.unit();
  ReferenceProgram program = compiled(matmulText("f32", "lanes(8, 1)"));
  auto bounds = boundsOf(program, {a.view(), b.view(), c.view()});
  REQUIRE(bounds.size() == 1);
  CHECK(bounds[0] == std::vector<double>(7 * 70, 0.0));
}

TEST_CASE("fast functions are bounded by their table", "[reference]") {
  struct Case {
    const char *name;
    Function function;
    double (*exact)(double);
    float low, high;
  };
  const Case cases[] = {
      {"exp", Function::Exp, [](double x) { return std::exp(x); }, -100, 88},
      {"exp2", Function::Exp2, [](double x) { return std::exp2(x); }, -140,
       127},
      {"log", Function::Log, [](double x) { return std::log(x); }, 0.01f, 100},
      {"log2", Function::Log2, [](double x) { return std::log2(x); }, 0.9f,
       1.1f},
      {"tanh", Function::Tanh, [](double x) { return std::tanh(x); }, -9, 9},
      {"rsqrt", Function::Rsqrt, [](double x) { return 1 / std::sqrt(x); },
       0.001f, 1000},
      {"rcp", Function::Rcp, [](double x) { return 1 / x; }, 0.001f, 1000},
  };
  for (const Case &test : cases) {
    constexpr int64_t kCount = 4000;
    Array<float> x = floats({kCount}), y = floats({kCount});
    Random random(17);
    for (float &value : x.data)
      value = test.low + (random.unit() + 1) / 2 * (test.high - test.low);
    ReferenceProgram program = compiled(mapText(
        "f32", "f32",
        std::string("    %y = te.unary ") + test.name + " unset %x : f32\n"));
    auto bounds = boundsOf(program, {x.view(), y.view()});
    int outside = 0, loose = 0;
    for (int64_t i = 0; i < kCount; ++i) {
      double exact = test.exact(x.data[i]);
      double error = bounds[0][i];
      float device = perturbed(test.function, exact, random);
      outside += !(std::fabs(double(device) - y.data[i]) <= error);
      // Not more than the table, and a rounding on both sides.
      double magnitude = std::fabs(exact) * (1 + 0x1p-10) + 0x1p-130;
      loose +=
          error > (fastDeviation(test.function, ScalarType::F32, magnitude) +
                   2 * ulpAt(ScalarType::F32, magnitude)) *
                      1.001;
    }
    CAPTURE(test.name);
    CHECK(outside == 0);
    CHECK(loose == 0);
  }
}

TEST_CASE("later operations carry the error on", "[reference]") {
  // Doubles are exact enough to tell where an f32 operation may land; the
  // device's own rounding is in the operation.
  std::vector<std::pair<std::string, float (*)(float, float)>> cases = {
      {"te.binary add %t, %y", [](float t, float y) { return t + y; }},
      {"te.binary sub %y, %t", [](float t, float y) { return y - t; }},
      {"te.binary mul %t, %t", [](float t, float) { return t * t; }},
      {"te.binary div %t, %y", [](float t, float y) { return t / y; }},
      {"te.binary div %y, %t", [](float t, float y) { return y / t; }},
      {"te.binary max %t, %y", [](float t, float y) { return std::max(t, y); }},
      {"te.binary min %t, %y", [](float t, float y) { return std::min(t, y); }},
      {"te.unary neg unset %t", [](float t, float) { return -t; }},
      {"te.unary sqrt unset %t", [](float t, float) { return std::sqrt(t); }},
      {"te.unary floor unset %t", [](float t, float) { return std::floor(t); }},
      {"te.unary round unset %t",
       [](float t, float) { return std::nearbyint(t); }},
      {"te.fma %t, %y, %t", [](float t, float y) { return std::fma(t, y, t); }},
  };
  constexpr int64_t kCount = 3000;
  Array<float> x = floats({kCount}), y = x, w = x, t = x, z = x;
  Random random(23);
  for (int64_t i = 0; i < kCount; ++i) {
    // Some results lie at a whole number, where floor and round jump, and
    // some at a tie of bf16 and of f16.
    x.data[i] = random.unit() * 6;
    if (i % 10 == 0)
      x.data[i] = float(i / 10 % 5);
    else if (i % 10 < 3)
      x.data[i] = std::log2(1 + (2 * (i / 10 % 60) + 1) *
                                    (i % 10 == 1 ? 0x1p-8f : 0x1p-11f));
    y.data[i] = random.unit() * 4;
  }
  std::string exp2 = "    %t = te.unary exp2 unset %x : f32\n";
  ReferenceProgram first = compiled(
      ternaryText("f32", exp2 + "    %z = te.unary abs unset %t : f32\n"));
  std::vector<double> error =
      boundsOf(first, {x.view(), y.view(), w.view(), t.view()})[0];
  for (auto &[op, evaluate] : cases) {
    ReferenceProgram program =
        compiled(ternaryText("f32", exp2 + "    %z = " + op + " : f32\n"));
    auto bounds = boundsOf(program, {x.view(), y.view(), w.view(), z.view()});
    int outside = 0, wrong = 0;
    for (int64_t i = 0; i < kCount; ++i) {
      wrong += !same(z.data[i], evaluate(t.data[i], y.data[i]));
      for (int trial = 0; trial < 5; ++trial) {
        float device = evaluate(within(t.data[i], error[i], random), y.data[i]);
        outside += !(std::fabs(double(device) - z.data[i]) <= bounds[0][i]);
      }
    }
    CAPTURE(op);
    CHECK(wrong == 0);
    CHECK(outside == 0);
  }

  SECTION("casts to 16 bits") {
    for (std::string type : {"bf16", "f16"}) {
      bool half = type == "f16";
      Array<uint16_t> narrow = half ? f16s({kCount}) : bf16s({kCount});
      ReferenceProgram program = compiled(mapText(
          "f32", type, exp2 + "    %y = te.cast %t : f32 to " + type + "\n"));
      auto bounds = boundsOf(program, {x.view(), narrow.view()});
      auto cast = [&](float value) {
        return half ? arith::fromF16(arith::toF16(value))
                    : widenBf16(narrowBf16(value));
      };
      int outside = 0, certain = 0;
      for (int64_t i = 0; i < kCount; ++i) {
        float value =
            half ? arith::fromF16(narrow.data[i]) : widenBf16(narrow.data[i]);
        CHECK(value == cast(t.data[i]));
        certain += bounds[0][i] == 0;
        for (int trial = 0; trial < 5; ++trial)
          outside += !(std::fabs(cast(within(t.data[i], error[i], random)) -
                                 value) <= bounds[0][i]);
      }
      CHECK(outside == 0);
      // Most intervals do not touch a tie: then the bits must agree.
      CHECK(certain > kCount / 2);
      CHECK(certain < kCount);
    }
  }

  SECTION("a condition near its threshold takes both sides") {
    ReferenceProgram program = compiled(
        ternaryText("f32", exp2 + "    %one = te.constant 1.0 : f32\n"
                                  "    %c = te.compare lt %t, %one : f32\n"
                                  "    %z = te.select %c, %y, %w : f32\n"));
    x.data[0] = 0.0f; // exp2(0) = 1: the bound reaches below
    x.data[1] = 1.0f; // 2 is far away
    y.data[0] = y.data[1] = 5.0f;
    w.data[0] = w.data[1] = 2.0f;
    auto bounds = boundsOf(program, {x.view(), y.view(), w.view(), z.view()});
    CHECK(z.data[0] == 2.0f);
    CHECK(bounds[0][0] >= 3.0);
    CHECK(bounds[0][0] <= 3.0001);
    CHECK(bounds[0][1] == 0);
  }

  SECTION("what overflows on every device is certain") {
    // silu of a large negative value: x / (1 + inf) is -0 everywhere.
    ReferenceProgram program =
        compiled(ternaryText("f32", "    %n = te.unary neg unset %x : f32\n"
                                    "    %t = te.unary exp unset %n : f32\n"
                                    "    %one = te.constant 1.0 : f32\n"
                                    "    %d = te.binary add %one, %t : f32\n"
                                    "    %z = te.binary div %x, %d : f32\n"));
    x.data[0] = -89.0f;    // e^89 is above the largest f32
    x.data[1] = -1000.0f;  // and e^1000 above the largest f64
    x.data[2] = -88.7228f; // at the threshold: either side
    auto bounds = boundsOf(program, {x.view(), y.view(), w.view(), z.view()});
    CHECK(z.data[0] == 0);
    CHECK(bounds[0][0] == 0);
    CHECK(bounds[0][1] == 0);
    CHECK(bounds[0][2] > 0);
  }

  SECTION("bits of an uncertain value are unknown") {
    ReferenceProgram program = compiled(
        ternaryText("f32", exp2 + "    %b = te.bits %t : f32 to i32\n"
                                  "    %z = te.bits %b : i32 to f32\n"));
    auto bounds = boundsOf(program, {x.view(), y.view(), w.view(), z.view()});
    CHECK(bounds[0][0] == kInfinity);
  }

  SECTION("poles and domains") {
    // exp2(0) - 1 may be on either side of zero.
    for (const char *op : {"te.unary rcp unset %u", "te.unary log unset %u",
                           "te.unary sqrt unset %u", "te.binary div %y, %u"}) {
      ReferenceProgram program = compiled(
          ternaryText("f32", exp2 +
                                 "    %one = te.constant 1.0 : f32\n"
                                 "    %u = te.binary sub %t, %one : f32\n"
                                 "    %z = " +
                                 op + " : f32\n"));
      x.data[0] = 0.0f;
      auto bounds = boundsOf(program, {x.view(), y.view(), w.view(), z.view()});
      CAPTURE(op);
      CHECK(bounds[0][0] == kInfinity);
    }
    // An exact pole is the same on every device.
    ReferenceProgram program = compiled(
        mapText("f32", "f32", "    %y = te.unary rcp unset %x : f32\n"));
    x.data[0] = 0.0f;
    auto bounds = boundsOf(program, {x.view(), z.view()});
    CHECK(z.data[0] == kInfinity);
    CHECK(bounds[0][0] == 0);
  }
}

TEST_CASE("softmax: what a device may compute lies within the bounds",
          "[reference]") {
  ReferenceProgram program = compiled(kSoftmax);
  constexpr int64_t kRows = 40, kColumns = 333;
  Array<float> x = floats({kRows, kColumns}), y = x, plain = x;
  Random random(5);
  for (float &value : x.data)
    value = random.unit() * 10;
  auto bounds = boundsOf(program, {x.view(), y.view()});
  runs(program, {x.view(), plain.view()});
  CHECK(std::memcmp(y.data.data(), plain.data.data(),
                    y.data.size() * sizeof(float)) == 0);
  for (int trial = 0; trial < 4; ++trial) {
    int outside = 0, loose = 0;
    for (int64_t i = 0; i < kRows; ++i) {
      const float *row = &x.data[i * kColumns];
      float largest = *std::max_element(row, row + kColumns);
      std::vector<float> e(kColumns), lanes(64, 0.0f);
      for (int64_t j = 0; j < kColumns; ++j) {
        if (j <= i) {
          float d = row[j] - largest;
          e[j] = perturbed(Function::Exp, std::exp(double(d)), random);
        }
        lanes[j % 64] += e[j];
      }
      for (int h = 32; h >= 1; h /= 2)
        for (int l = 0; l < h; ++l)
          lanes[l] += lanes[l + h];
      for (int64_t j = 0; j < kColumns; ++j) {
        double error = bounds[0][i * kColumns + j];
        float device = e[j] / lanes[0];
        outside +=
            !(std::fabs(double(device) - y.data[i * kColumns + j]) <= error);
        loose += error > y.data[i * kColumns + j] * 1e-4 + 1e-30;
      }
    }
    CHECK(outside == 0);
    CHECK(loose == 0);
  }
}

TEST_CASE("ulps", "[reference]") {
  CHECK(ulpAt(ScalarType::F32, 1.0) == 0x1p-23);
  CHECK(ulpAt(ScalarType::F32, 1.999) == 0x1p-23);
  CHECK(ulpAt(ScalarType::F32, 0.0) == 0x1p-149);
  CHECK(ulpAt(ScalarType::F32, 1e39) == kInfinity);
  CHECK(ulpAt(ScalarType::F16, 65504) == 32);
  CHECK(ulpAt(ScalarType::F16, 0x1p-20) == 0x1p-24);
  CHECK(ulpAt(ScalarType::BF16, 3.0) == 0x1p-6);
  CHECK(ulpAt(ScalarType::F64, 1.0) == 0x1p-52);
}
