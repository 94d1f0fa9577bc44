//===- LoopTest.cpp - time loops on the host ------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Versions.h"

#include "compiler/reference/FunctionBounds.h"

#include <cmath>

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

/// One side of a Jacobi step: `to`[i] = (`from`[i-1] + `from`[i] + `from`[i+1])
/// * 0.25 inside.
std::string smooth(const std::string &name, const std::string &into,
                   const std::string &from) {
  std::string type = "!te.tensor<[N], f32>";
  return "    %" + name + "1 = te.compute \"" + name +
         "\" [\"i\"] in [N - 2] "
         "into %" +
         into + " : " + type +
         " {\n    ^bb0(%i: index):\n"
         "      %here = te.affine [%i] by [1] plus 1\n"
         "      %after = te.affine [%i] by [1] plus 2\n"
         "      %quarter = te.constant 0.25 : f32\n"
         "      %p = te.read %" +
         from + "[%i] : " + type + "\n      %q = te.read %" + from +
         "[%here] : " + type + "\n      %r = te.read %" + from +
         "[%after] : " + type +
         "\n      %pq = te.binary add %p, %q : f32\n"
         "      %pqr = te.binary add %pq, %r : f32\n"
         "      %v = te.binary mul %pqr, %quarter : f32\n"
         "      te.yield %v : f32 at [%here]\n    }\n";
}

std::string jacobiText(int64_t steps) {
  std::string type = "!te.tensor<[N], f32>", two = type + ", " + type;
  return "te.func @jacobi sizes [\"N\", \"T\"] given [-1, " +
         std::to_string(steps) + "](%A \"A\": " + type + ", %B \"B\": " + type +
         ") -> (\"A\": " + type + " in_place %A, \"B\": " + type +
         " in_place %B) functions fast {\n"
         "  %A9, %B9 = te.for \"t\" in T (%A, %B) : (" +
         two + ") -> (" + two + ") {\n  ^bb0(%t: index, %a: " + type +
         ", %b: " + type + "):\n" + smooth("B", "b", "a") +
         smooth("A", "a", "B1") + "    te.next %A1, %B1 : " + two +
         "\n  }\n  te.return %A9, %B9 : " + two + "\n}\n";
}

/// for t in 0..3 { for u in 0..2 { A[i] = 2 A[i] + 10 t + u + i }
/// A[0] = A[0] + t }, integers.
const char *const kNested = R"(
te.func @nested sizes ["N"](%A "A": !te.tensor<[N], i64>)
    -> ("A": !te.tensor<[N], i64> in_place %A) functions fast {
  %A9 = te.for "t" in 3 (%A) : (!te.tensor<[N], i64>) -> (!te.tensor<[N], i64>) {
  ^bb0(%t: index, %a: !te.tensor<[N], i64>):
    %a5 = te.for "u" in 2 (%a) : (!te.tensor<[N], i64>) -> (!te.tensor<[N], i64>) {
    ^bb1(%u: index, %b: !te.tensor<[N], i64>):
      %b1 = te.compute "A" ["i"] into %b : !te.tensor<[N], i64> {
      ^bb2(%i: index):
        %old = te.read %b[%i] : !te.tensor<[N], i64>
        %two = te.constant 2 : i64
        %ten = te.constant 10 : i64
        %ti = te.cast %t : index to i64
        %ui = te.cast %u : index to i64
        %ii = te.cast %i : index to i64
        %d = te.binary mul %old, %two : i64
        %tt = te.binary mul %ti, %ten : i64
        %s1 = te.binary add %d, %tt : i64
        %s2 = te.binary add %s1, %ui : i64
        %s3 = te.binary add %s2, %ii : i64
        te.yield %s3 : i64
      }
      te.next %b1 : !te.tensor<[N], i64>
    }
    %a6 = te.compute "A" [] in [] into %a5 : !te.tensor<[N], i64> {
      %zero = te.index_constant 0
      %old = te.read %a5[%zero] : !te.tensor<[N], i64>
      %ti = te.cast %t : index to i64
      %s = te.binary add %old, %ti : i64
      te.yield %s : i64 at [%zero]
    }
    te.next %a6 : !te.tensor<[N], i64>
  }
  te.return %A9 : !te.tensor<[N], i64>
})";

/// for t in 0..N { A[i, t] = sum[k : k < t](A[i, k]) + X[i] }: a prefix of a
/// row that grows, by a tensor of each turn.
const char *const kGrowing = R"(
te.func @growing sizes ["M", "N"](%X "X": !te.tensor<[M], f64>,
    %A "A": !te.tensor<[M, N], f64>)
    -> ("A": !te.tensor<[M, N], f64> in_place %A) functions fast {
  %A9 = te.for "t" in N (%A) : (!te.tensor<[M, N], f64>) -> (!te.tensor<[M, N], f64>) {
  ^bb0(%t: index, %a: !te.tensor<[M, N], f64>):
    %s = te.compute "s" ["i"] : !te.tensor<[M], f64> {
    ^bb1(%i: index):
      %r = te.reduce sum ["k"] in [N] order "fixed" term <"seq"> leaf plain : f64 {
      ^bb2(%k: index):
        te.where [%t, %k] by [1, -1] plus -1
        %v = te.read %a[%i, %k] : !te.tensor<[M, N], f64>
        te.yield %v : f64
      }
      te.yield %r : f64
    }
    %a1 = te.compute "A" ["i"] in [M] into %a : !te.tensor<[M, N], f64> {
    ^bb1(%i: index):
      %x = te.read %X[%i] : !te.tensor<[M], f64>
      %r = te.read %s[%i] : !te.tensor<[M], f64>
      %v = te.binary add %r, %x : f64
      %at = te.affine [%t] by [1] plus 0
      te.yield %v : f64 at [%i, %at]
    }
    te.next %a1 : !te.tensor<[M, N], f64>
  }
  te.return %A9 : !te.tensor<[M, N], f64>
})";

/// for t in 0..T { B[i] = A[i] where i <= t; A[i] = A[i] + B[i] where
/// i <= t + `reach` }: B is new in every turn.
std::string freshText(int reach) {
  return "te.func @fresh sizes [\"N\"](%A \"A\": !te.tensor<[N], f32>) -> "
         "(\"A\": !te.tensor<[N], f32> in_place %A) functions fast {\n"
         "  %A9 = te.for \"t\" in 3 (%A) : (!te.tensor<[N], f32>) -> "
         "(!te.tensor<[N], f32>) {\n"
         "  ^bb0(%t: index, %a: !te.tensor<[N], f32>):\n"
         "    %b = te.compute \"B\" [\"i\"] : !te.tensor<[N], f32> {\n"
         "    ^bb1(%i: index):\n"
         "      te.where [%i, %t] by [1, 1] plus -2\n"
         "      %v = te.read %a[%i] : !te.tensor<[N], f32>\n"
         "      te.yield %v : f32\n    }\n"
         "    %a1 = te.compute \"A\" [\"i\"] into %a : !te.tensor<[N], f32> {\n"
         "    ^bb1(%i: index):\n"
         "      te.where [%i, %t] by [1, 1] plus " +
         std::to_string(reach) +
         "\n      %v = te.read %a[%i] : !te.tensor<[N], f32>\n"
         "      %w = te.read %b[%i] : !te.tensor<[N], f32>\n"
         "      %s = te.binary add %v, %w : f32\n"
         "      te.yield %s : f32\n    }\n"
         "    te.next %a1 : !te.tensor<[N], f32>\n  }\n"
         "  te.return %A9 : !te.tensor<[N], f32>\n}\n";
}

/// c[i] = c[i-1] * 0.5 + exp(x[i]), with c[-1] = 0.
const char *const kDecay = R"(
te.func @decay sizes ["N"](%x "x": !te.tensor<[N], f32>)
    -> ("c": !te.tensor<[N], f32>) functions fast {
  %c0 = te.compute "c" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %v = te.read %x[%i] : !te.tensor<[N], f32>
    %e = te.unary exp unset %v : f32
    te.yield %e : f32
  }
  %c1 = te.compute "c" ["i"] into %c0 : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    te.where [%i] by [1] plus -1
    %left = te.affine [%i] by [1] plus -1
    %half = te.constant 0.5 : f32
    %before = te.read %c0[%left] : !te.tensor<[N], f32>
    %e = te.read %c0[%i] : !te.tensor<[N], f32>
    %d = te.binary mul %before, %half : f32
    %s = te.binary add %d, %e : f32
    te.yield %s : f32
  }
  te.return %c1 : !te.tensor<[N], f32>
})";

/// for t in 0..T { A[i] = A[i] * 0.5 + B[i]; B[i] = exp(A[i]) }.
std::string feedbackText(int64_t steps) {
  std::string type = "!te.tensor<[N], f32>", two = type + ", " + type;
  return "te.func @feedback sizes [\"N\"](%A \"A\": " + type +
         ", %B \"B\": " + type + ") -> (\"A\": " + type +
         " in_place %A, \"B\": " + type +
         " in_place %B) functions fast {\n"
         "  %A9, %B9 = te.for \"t\" in " +
         std::to_string(steps) + " (%A, %B) : (" + two + ") -> (" + two +
         ") {\n  ^bb0(%t: index, %a: " + type + ", %b: " + type +
         "):\n    %a1 = te.compute \"A\" [\"i\"] into %a : " + type +
         " {\n    ^bb1(%i: index):\n"
         "      %half = te.constant 0.5 : f32\n"
         "      %p = te.read %a[%i] : " +
         type + "\n      %q = te.read %b[%i] : " + type +
         "\n      %d = te.binary mul %p, %half : f32\n"
         "      %s = te.binary add %d, %q : f32\n"
         "      te.yield %s : f32\n    }\n"
         "    %b1 = te.compute \"B\" [\"i\"] into %b : " +
         type +
         " {\n    ^bb1(%i: index):\n"
         "      %p = te.read %a1[%i] : " +
         type +
         "\n      %e = te.unary exp unset %p : f32\n"
         "      te.yield %e : f32\n    }\n"
         "    te.next %a1, %b1 : " +
         two + "\n  }\n  te.return %A9, %B9 : " + two + "\n}\n";
}

/// What a device's exp of x may be.
float deviceExp(float x, Random &random) {
  double exact = std::exp(double(x));
  double reach = fastDeviation(Function::Exp, ScalarType::F32, exact);
  return static_cast<float>(exact + reach * random.unit());
}

std::vector<float> smoothed(const std::vector<float> &from,
                            std::vector<float> to) {
  for (size_t i = 1; i + 1 < from.size(); ++i)
    to[i] = ((from[i - 1] + from[i]) + from[i + 1]) * 0.25f;
  return to;
}

} // namespace

TEST_CASE("a Jacobi loop", "[reference]") {
  for (int64_t steps : {0, 1, 7}) {
    Everywhere program(jacobiText(steps));
    for (int64_t n : {2, 3, 50}) {
      Array<float> a = floats({n}), b = a, x = a, y = a;
      Random random(n);
      for (int64_t i = 0; i < n; ++i) {
        a.data[i] = random.unit();
        b.data[i] = random.unit();
      }
      std::vector<float> expectedA = a.data, expectedB = b.data;
      for (int64_t t = 0; t < steps; ++t) {
        expectedB = smoothed(expectedA, expectedB);
        expectedA = smoothed(expectedB, expectedA);
      }
      std::vector<HostTensor> params = {a.view(), b.view(), x.view(), y.view()};
      CAPTURE(steps, n);
      program.gives(params, x, expectedA);
      program.gives(params, y, expectedB);
    }
  }
}

TEST_CASE("an output says what it is in place of", "[reference]") {
  ReferenceProgram program = compiled(jacobiText(1));
  const auto &params = program.signature().params;
  REQUIRE(params.size() == 4);
  CHECK(params[0].inPlace == -1);
  CHECK(params[2].name == "A");
  CHECK(params[2].isOutput);
  CHECK(params[2].inPlace == 0);
  CHECK(params[3].inPlace == 1);
}

TEST_CASE("nested loops and their indices", "[reference]") {
  Everywhere program(kNested);
  Array<int64_t> a = longs({2}), r = a;
  a.data = {1, 0};
  // A[1]: 0 -> 1 -> 4 | 19 -> 50 | 121 -> 264, each 2 A + 10 t + u + 1.
  // A[0]: 1 -> 2 -> 5, + 0 | 20 -> 51, + 1 = 52 | 124 -> 269, + 2 = 271.
  program.gives<int64_t>({a.view(), r.view()}, r, {271, 264});
}

TEST_CASE("a loop's index as a subscript and in a condition", "[reference]") {
  Everywhere program(kGrowing);
  for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {3, 6}, {20, 11}}) {
    Array<double> x = doubles({m}), a = doubles({m, n}), r = a;
    std::vector<double> expected;
    for (int64_t i = 0; i < m; ++i) {
      x.data[i] = double(i + 1);
      // x, 2x, 4x, ...: each is the sum of those before it, and x.
      for (int64_t t = 0; t < n; ++t)
        expected.push_back(double(i + 1) * double(int64_t(1) << t));
    }
    for (double &value : a.data)
      value = NAN; // what was there before takes no part
    program.gives({x.view(), a.view(), r.view()}, r, expected);
  }
}

TEST_CASE("a turn's own tensors are new in every turn", "[reference]") {
  Array<float> a = floats({4}), r = a;
  a.data = {1, 2, 3, 4};
  // Doubled in the turns t with i + t >= 2: once, twice, three times.
  Everywhere(freshText(-2))
      .gives<float>({a.view(), r.view()}, r, {2, 8, 24, 32});
  // One element further than B is defined: its poison reaches A[1] in turn 0.
  ReferenceProgram program = compiled(freshText(-1));
  runs(program, {a.view(), r.view()});
  CHECK(std::isnan(r.data[1]));
  CHECK(std::isnan(r.data[0]));
  CHECK(r.data[2] == 24);
}

TEST_CASE("a recurrence adds errors up", "[reference]") {
  ReferenceProgram program = compiled(kDecay);
  constexpr int64_t kCount = 200;
  Array<float> x = floats({kCount}), c = x;
  Random random(3);
  for (float &value : x.data)
    value = random.unit() * 3;
  std::vector<std::vector<double>> bounds;
  REQUIRE(program.runWithBounds({x.view(), c.view()}, bounds, {}).ok());
  REQUIRE(bounds[0].size() == kCount);
  int outside = 0, loose = 0;
  for (int trial = 0; trial < 20; ++trial) {
    float device = 0;
    for (int64_t i = 0; i < kCount; ++i) {
      float e = deviceExp(x.data[i], random);
      device = i == 0 ? e : device * 0.5f + e;
      outside += !(std::fabs(double(device) - c.data[i]) <= bounds[0][i]);
      loose += bounds[0][i] > c.data[i] * 1e-5;
    }
  }
  CHECK(outside == 0);
  CHECK(loose == 0);
}

TEST_CASE("an error that comes round in the next turn", "[reference]") {
  for (int64_t steps : {1, 2, 3}) {
    ReferenceProgram program = compiled(feedbackText(steps));
    Array<float> a = floats({40}), b = a, x = a, y = a;
    Random random(steps);
    for (int i = 0; i < 40; ++i) {
      a.data[i] = random.unit();
      b.data[i] = -1 + 0.5f * random.unit();
    }
    std::vector<std::vector<double>> bounds;
    REQUIRE(
        program
            .runWithBounds({a.view(), b.view(), x.view(), y.view()}, bounds, {})
            .ok());
    int outside = 0;
    for (int i = 0; i < 40; ++i) {
      CAPTURE(steps, i);
      CHECK((bounds[0][i] == 0) == (steps == 1)); // exact until exp comes back
      CHECK(bounds[1][i] > 0);
      CHECK(bounds[1][i] < 1e-3 * y.data[i]);
      for (int trial = 0; trial < 20; ++trial) {
        float p = a.data[i], q = b.data[i];
        for (int64_t t = 0; t < steps; ++t) {
          p = p * 0.5f + q;
          q = deviceExp(p, random);
        }
        outside += !(std::fabs(double(p) - x.data[i]) <= bounds[0][i]);
        outside += !(std::fabs(double(q) - y.data[i]) <= bounds[1][i]);
      }
    }
    CHECK(outside == 0);
  }
}
