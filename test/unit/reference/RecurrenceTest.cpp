//===- RecurrenceTest.cpp - computes that read their own memory -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Versions.h"

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

/// c[0] = x[0]; c[i] = c[i-1] + x[i].
const char *const kRunningSum = R"(
te.func @running sizes ["N"](%x "x": !te.tensor<[N], f32>)
    -> ("c": !te.tensor<[N], f32>) functions fast {
  %c0 = te.compute "c" [] in [] : !te.tensor<[N], f32> {
    %first = te.index_constant 0
    %v = te.read %x[%first] : !te.tensor<[N], f32>
    te.yield %v : f32 at [%first]
  }
  %c1 = te.compute "c" ["i"] in [N - 1] into %c0 : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %here = te.affine [%i] by [1] plus 1
    %before = te.read %c0[%i] : !te.tensor<[N], f32>
    %v = te.read %x[%here] : !te.tensor<[N], f32>
    %s = te.binary add %before, %v : f32
    te.yield %s : f32 at [%here]
  }
  te.return %c1 : !te.tensor<[N], f32>
})";

/// S[0, j] = X[0, j]; S[i, j] = S[i-1, j] * 0.5 + X[i, j], or along j.
std::string decayText(bool alongColumns) {
  std::string x = "!te.tensor<[M, N], f32>";
  std::string first = alongColumns ? "[%i, %zero]" : "[%zero, %i]";
  std::string here = alongColumns ? "[%i, %next]" : "[%next, %j]";
  // The box ends one short of the tensor, so that its indices are those of the
  // element before.
  return "te.func @decay sizes [\"M\", \"N\"](%X \"X\": " + x +
         ") -> (\"S\": " + x +
         ") functions fast {\n"
         "  %S0 = te.compute \"S\" [\"i\"] in [" +
         (alongColumns ? "M" : "N") + "] : " + x +
         " {\n  ^bb0(%i: index):\n    %zero = te.index_constant 0\n"
         "    %v = te.read %X" +
         first + " : " + x + "\n    te.yield %v : f32 at " + first +
         "\n  }\n"
         "  %S1 = te.compute \"S\" [\"i\", \"j\"] in [" +
         (alongColumns ? "M, N - 1" : "M - 1, N") + "] into %S0 : " + x +
         " {\n  ^bb0(%i: index, %j: index):\n"
         "    %half = te.constant 0.5 : f32\n"
         "    %next = te.affine [" +
         (alongColumns ? "%j" : "%i") +
         "] by [1] plus 1\n"
         "    %b = te.read %S0[%i, %j] : " +
         x + "\n    %v = te.read %X" + here + " : " + x +
         "\n    %d = te.binary mul %b, %half : f32\n"
         "    %s = te.binary add %d, %v : f32\n    te.yield %s : f32 at " +
         here + "\n  }\n  te.return %S1 : " + x + "\n}\n";
}

/// P[i, 0] = P[0, j] = 1; P[i, j] = P[i-1, j] + P[i, j-1].
const char *const kPascal = R"(
te.func @pascal sizes ["N"](%X "X": !te.tensor<[N, N], i64>)
    -> ("P": !te.tensor<[N, N], i64>) functions fast {
  %P0 = te.compute "P" ["i"] in [N] : !te.tensor<[N, N], i64> {
  ^bb0(%i: index):
    %zero = te.index_constant 0
    %one = te.constant 1 : i64
    te.yield %one : i64 at [%i, %zero]
  }
  %P1 = te.compute "P" ["j"] in [N - 1] into %P0 : !te.tensor<[N, N], i64> {
  ^bb0(%j: index):
    %zero = te.index_constant 0
    %next = te.affine [%j] by [1] plus 1
    %one = te.constant 1 : i64
    te.yield %one : i64 at [%zero, %next]
  }
  %P2 = te.compute "P" ["i", "j"] into %P1 : !te.tensor<[N, N], i64> {
  ^bb0(%i: index, %j: index):
    te.where [%i] by [1] plus -1
    te.where [%j] by [1] plus -1
    %up = te.affine [%i] by [1] plus -1
    %left = te.affine [%j] by [1] plus -1
    %a = te.read %P1[%up, %j] : !te.tensor<[N, N], i64>
    %b = te.read %P1[%i, %left] : !te.tensor<[N, N], i64>
    %s = te.binary add %a, %b : i64
    te.yield %s : i64
  }
  te.return %P2 : !te.tensor<[N, N], i64>
})";

/// B[i, j] = B[i, j] + sum[k : k > i](A[k, i] * B[k, j]), in place: rows below
/// are read before they change.
const char *const kTriangularProduct = R"(
te.func @trmm sizes ["M", "N"](%A "A": !te.tensor<[M, M], f64>,
    %B "B": !te.tensor<[M, N], f64>)
    -> ("B": !te.tensor<[M, N], f64> in_place %B) functions fast {
  %B1 = te.compute "B" ["i", "j"] into %B : !te.tensor<[M, N], f64> {
  ^bb0(%i: index, %j: index):
    %s = te.reduce sum ["k"] in [M] order "fixed" term <"seq"> leaf plain : f64 {
    ^bb0(%k: index):
      te.where [%k, %i] by [1, -1] plus -1
      %a = te.read %A[%k, %i] : !te.tensor<[M, M], f64>
      %b = te.read %B[%k, %j] : !te.tensor<[M, N], f64>
      %p = te.binary mul %a, %b : f64
      te.yield %p : f64
    }
    %old = te.read %B[%i, %j] : !te.tensor<[M, N], f64>
    %new = te.binary add %old, %s : f64
    te.yield %new : f64
  }
  te.return %B1 : !te.tensor<[M, N], f64>
})";

/// A[i] = (A[i-1] + A[i] + A[i+1]) * 0.25 for 0 < i < N-1, in place.
const char *const kSeidel = R"(
te.func @seidel sizes ["N"](%A "A": !te.tensor<[N], f32>)
    -> ("A": !te.tensor<[N], f32> in_place %A) functions fast {
  %A1 = te.compute "A" ["i"] into %A : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    te.where [%i] by [1] plus -1
    te.where [%i] by [-1] plus N - 2
    %before = te.affine [%i] by [1] plus -1
    %after = te.affine [%i] by [1] plus 1
    %quarter = te.constant 0.25 : f32
    %a = te.read %A[%before] : !te.tensor<[N], f32>
    %b = te.read %A[%i] : !te.tensor<[N], f32>
    %c = te.read %A[%after] : !te.tensor<[N], f32>
    %ab = te.binary add %a, %b : f32
    %abc = te.binary add %ab, %c : f32
    %v = te.binary mul %abc, %quarter : f32
    te.yield %v : f32
  }
  te.return %A1 : !te.tensor<[N], f32>
})";

} // namespace

TEST_CASE("a running sum reads what came before", "[reference]") {
  Everywhere program(kRunningSum);
  // 2^24 + 1 rounds back to 2^24, so that the order shows.
  Array<float> five = floats({5}), sums = five;
  five.data = {16777216, 1, 1, 2, -16777216};
  program.gives<float>({five.view(), sums.view()}, sums,
                       {16777216, 16777216, 16777216, 16777218, 2});
  for (int64_t n : {1, 2, 3, 64, 1000}) {
    Array<float> x = floats({n}), c = x;
    Random random(n);
    std::vector<float> expected;
    float sum = 0;
    for (float &value : x.data) {
      value = std::ldexp(random.unit(), int(random.bits() % 12));
      sum = expected.empty() ? value : sum + value;
      expected.push_back(sum);
    }
    program.gives({x.view(), c.view()}, c, expected);
  }
}

TEST_CASE("independent recurrences share lanes and workers", "[reference]") {
  for (bool alongColumns : {false, true}) {
    Everywhere program(decayText(alongColumns));
    for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1},
                        {1, 7},
                        {7, 1},
                        {5, 300},
                        {300, 5},
                        {2, 2},
                        {130, 131}}) {
      Array<float> x = floats({m, n}), s = x;
      Random random(m * 1000 + n);
      for (float &value : x.data)
        value = random.unit();
      std::vector<float> expected = x.data;
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          int64_t at = i * n + j;
          if (alongColumns ? j > 0 : i > 0)
            expected[at] =
                expected[at - (alongColumns ? 1 : n)] * 0.5f + x.data[at];
        }
      CAPTURE(alongColumns, m, n);
      program.gives({x.view(), s.view()}, s, expected);
    }
  }
}

TEST_CASE("instances run in lexicographic order", "[reference]") {
  Everywhere program(kPascal);
  for (int64_t n : {1, 2, 20}) {
    Array<int64_t> x = longs({n, n}), p = x;
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        int64_t choose = 1; // i + j over i
        for (int64_t k = 1; k <= i; ++k)
          choose = choose * (j + k) / k;
        expected.push_back(choose);
      }
    program.gives({x.view(), p.view()}, p, expected);
  }
}

TEST_CASE("a reduction reads what its compute writes", "[reference]") {
  Everywhere program(kTriangularProduct);
  for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {2, 3}, {13, 40}}) {
    Array<double> a = doubles({m, m}), b = doubles({m, n}), r = b;
    Random random(m);
    for (double &value : a.data)
      value = int(random.bits() % 17) - 8;
    for (double &value : b.data)
      value = int(random.bits() % 17) - 8;
    // As a product with the unit lower triangle, transposed, of the input.
    std::vector<double> expected(m * n, 0.0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t k = i; k < m; ++k)
          expected[i * n + j] +=
              (k == i ? 1 : a.data[k * m + i]) * b.data[k * n + j];
    std::vector<double> before = b.data;
    program.gives({a.view(), b.view(), r.view()}, r, expected);
    CHECK(b.data == before);
  }
}

TEST_CASE("an argument is updated in place, in order", "[reference]") {
  Everywhere program(kSeidel);
  Array<float> a = floats({5}), r = a;
  a.data = {4, 8, 16, 32, 64};
  // (4+8+16)/4 = 7; (7+16+32)/4 = 13.75; (13.75+32+64)/4 = 27.4375.
  std::vector<float> expected = {4, 7, 13.75f, 27.4375f, 64};
  program.gives({a.view(), r.view()}, r, expected);
  CHECK(a.data == std::vector<float>{4, 8, 16, 32, 64});
  for (int64_t n : {0, 1, 2}) {
    Array<float> small = floats({n}), out = small;
    for (float &value : small.data)
      value = 3;
    program.gives({small.view(), out.view()}, out, small.data);
  }

  SECTION("the result may be the argument's own memory") {
    ReferenceProgram one = compiled(kSeidel);
    runs(one, {a.view(), a.view()});
    CHECK(a.data == expected);
  }
  SECTION("strides of the argument and of the result") {
    ReferenceProgram one = compiled(kSeidel);
    std::vector<float> wide(10, -1.0f), back(5, -1.0f);
    for (int i = 0; i < 5; ++i)
      wide[2 * i] = a.data[i];
    HostTensor in = a.view(), out = a.view();
    in.data = wide.data();
    in.strides = {2};
    out.data = back.data() + 4;
    out.strides = {-1};
    runs(one, {in, out});
    CHECK(back == std::vector<float>(expected.rbegin(), expected.rend()));
    CHECK(wide[2] == 8);
  }
}

TEST_CASE("a reduction over nothing hides no access beside it", "[reference]") {
  auto text = [](const std::string &beside) {
    return "te.func @mixed sizes [\"M\", \"K\"](%X \"X\": !te.tensor<[M, K], "
           "f32>, %Y \"Y\": !te.tensor<[M], f32>) -> (\"S\": "
           "!te.tensor<[M], f32>) functions fast {\n"
           "  %S = te.compute \"S\" [\"i\"] : !te.tensor<[M], f32> {\n"
           "  ^bb0(%i: index):\n    %s = te.reduce max [\"k\"] in [K] order "
           "\"fixed\" term <\"seq\"> leaf plain : f32 {\n"
           "    ^bb0(%k: index):\n"
           "      %far = te.affine [%i] by [1] plus 5\n"
           "      %x = te.read %X[%far, %k] : !te.tensor<[M, K], f32>\n"
           "      te.yield %x : f32\n    }\n"
           "    %at = te.affine [%i] by [1] plus " +
           beside +
           "\n    %y = te.read %Y[%at] : !te.tensor<[M], f32>\n"
           "    %r = te.binary max %s, %y : f32\n"
           "    te.yield %r : f32\n  }\n"
           "  te.return %S : !te.tensor<[M], f32>\n}\n";
  };
  Array<float> x = floats({3, 0}), y = floats({3}), s = y, one = floats({3, 1});
  y.data = {1, 2, 3};
  CHECK(refusal(compiled(text("0")), {x.view(), y.view(), s.view()}) == "");
  CHECK(s.data == y.data);
  CHECK(refusal(compiled(text("1")), {x.view(), y.view(), s.view()}) ==
        "S reads Y up to 3 in dimension 0, whose extent is 3");
  CHECK(refusal(compiled(text("0")), {one.view(), y.view(), s.view()}) ==
        "S reads X up to 7 in dimension 0, whose extent is 3");
}
