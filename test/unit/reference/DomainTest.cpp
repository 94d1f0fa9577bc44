//===- DomainTest.cpp - parts of tensors and conditions on indices --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Versions.h"

#include "compiler/arith/Term.h"

#include <cmath>
#include <tuple>

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

/// Y[i, j] = X[i, j] where j <= i; with `filled`, else -1.
std::string triangleText(const std::string &type, bool filled) {
  std::string y = "!te.tensor<[M, N], " + type + ">";
  std::string minusOne = type[0] == 'i' ? "-1" : "-1.0";
  std::string text = "te.func @triangle sizes [\"M\", \"N\"](%X \"X\": " + y +
                     ") -> (\"Y\": " + y +
                     ") functions fast {\n"
                     "  %Y = te.compute \"Y\" [\"i\", \"j\"] : " +
                     y +
                     " {\n  ^bb0(%i: index, %j: index):\n"
                     "    te.where [%i, %j] by [1, -1] plus 0\n"
                     "    %x = te.read %X[%i, %j] : " +
                     y + "\n    te.yield %x : " + type + "\n  }\n";
  if (filled)
    text += "  %Z = te.compute \"Y\" [\"i\", \"j\"] into %Y : " + y +
            " {\n  ^bb0(%i: index, %j: index):\n"
            "    te.where [%j, %i] by [1, -1] plus -1\n"
            "    %x = te.constant " +
            minusOne + " : " + type + "\n    te.yield %x : " + type + "\n  }\n";
  return text + "  te.return %" + (filled ? "Z" : "Y") + " : " + y + "\n}\n";
}

/// Y[i] = 0 - X[i + H]; Y[i + H] = X[i], for N = 2 H.
const char *const kHalves = R"(
te.func @halves sizes ["H"](%X "X": !te.tensor<[2 * H], f32>)
    -> ("Y": !te.tensor<[2 * H], f32>) functions fast {
  %Y0 = te.compute "Y" ["i"] in [H] : !te.tensor<[2 * H], f32> {
  ^bb0(%i: index):
    %far = te.affine [%i] by [1] plus H
    %x = te.read %X[%far] : !te.tensor<[2 * H], f32>
    %y = te.unary neg unset %x : f32
    te.yield %y : f32 at [%i]
  }
  %Y1 = te.compute "Y" ["i"] in [H] into %Y0 : !te.tensor<[2 * H], f32> {
  ^bb0(%i: index):
    %far = te.affine [%i] by [1] plus H
    %x = te.read %X[%i] : !te.tensor<[2 * H], f32>
    te.yield %x : f32 at [%far]
  }
  te.return %Y1 : !te.tensor<[2 * H], f32>
})";

/// Targets that lanes do not walk as neighbours: Y[j, 3 i + 1] = X[i, N-1-j]
/// and Y[j, 3 i + 2] = Y[j, 3 i] = 7.
const char *const kScattered = R"(
te.func @scattered sizes ["M", "N"](%X "X": !te.tensor<[M, N], f32>)
    -> ("Y": !te.tensor<[N, 3 * M], f32>) functions fast {
  %Y0 = te.compute "Y" ["i", "j"] in [M, N] : !te.tensor<[N, 3 * M], f32> {
  ^bb0(%i: index, %j: index):
    %to = te.affine [%i] by [3] plus 1
    %from = te.affine [%j] by [-1] plus N - 1
    %x = te.read %X[%i, %from] : !te.tensor<[M, N], f32>
    te.yield %x : f32 at [%j, %to]
  }
  %Y1 = te.compute "Y" ["j", "i"] in [N, M] into %Y0 : !te.tensor<[N, 3 * M], f32> {
  ^bb0(%j: index, %i: index):
    %to = te.affine [%i] by [3] plus 2
    %v = te.constant 7.0 : f32
    te.yield %v : f32 at [%j, %to]
  }
  %Y2 = te.compute "Y" ["j", "i"] in [N, M] into %Y1 : !te.tensor<[N, 3 * M], f32> {
  ^bb0(%j: index, %i: index):
    %to = te.affine [%i] by [3] plus 0
    %v = te.constant 7.0 : f32
    te.yield %v : f32 at [%j, %to]
  }
  te.return %Y2 : !te.tensor<[N, 3 * M], f32>
})";

/// Y[i] = X[i + `shift`] where `coefficient` i + `offset` >= 0, written at
/// i + `to`.
std::string shiftedText(int shift, int coefficient, const std::string &offset,
                        int to = 0) {
  return "te.func @shifted sizes [\"N\"](%X \"X\": !te.tensor<[N], f32>) -> "
         "(\"Y\": !te.tensor<[N], f32>) functions fast {\n"
         "  %Y = te.compute \"Y\" [\"i\"] : !te.tensor<[N], f32> {\n"
         "  ^bb0(%i: index):\n" +
         (coefficient == 0
              ? ""
              : "    te.where [%i] by [" + std::to_string(coefficient) +
                    "] plus " + offset + "\n") +
         "    %from = te.affine [%i] by [1] plus " + std::to_string(shift) +
         "\n    %to = te.affine [%i] by [1] plus " + std::to_string(to) +
         "\n    %x = te.read %X[%from] : !te.tensor<[N], f32>\n"
         "    te.yield %x : f32 at [%to]\n  }\n"
         "  te.return %Y : !te.tensor<[N], f32>\n}\n";
}

/// S[i] = kind[k : `where`](X[i, k]); leaf fma multiplies X by itself.
std::string whereText(const std::string &kind, const std::string &term,
                      const std::string &where, bool fma = false,
                      const std::string &k = "K") {
  std::string x = "!te.tensor<[M, " + k + "], f32>";
  return "te.func @rows sizes [\"M\"" + std::string(k == "K" ? ", \"K\"" : "") +
         "](%X \"X\": " + x + ", %W \"W\": " + x +
         ") -> (\"S\": !te.tensor<[M], f32>) functions fast {\n"
         "  %S = te.compute \"S\" [\"i\"] : !te.tensor<[M], f32> {\n"
         "  ^bb0(%i: index):\n    %s = te.reduce " +
         kind + " [\"k\"] in [" + k + "] order \"fixed\" term <\"" + term +
         "\"> leaf " + (fma ? "fma" : "plain") +
         " : f32 {\n    ^bb0(%k: index):\n      te.where " + where +
         "\n      %x = te.read %X[%i, %k] : " + x + "\n" +
         (fma ? "      %w = te.read %W[%i, %k] : " + x +
                    "\n      %p = te.binary mul %x, %w : f32\n"
                    "      te.yield %p : f32\n"
              : "      te.yield %x : f32\n") +
         "    }\n    te.yield %s : f32\n  }\n"
         "  te.return %S : !te.tensor<[M], f32>\n}\n";
}

/// S[i, j] = sum[k](Q[i, k] * K[j, k]) where j <= i.
const char *const kCausal = R"te(
te.func @causal sizes ["M", "N", "D"](%Q "Q": !te.tensor<[M, D], f32>,
    %K "K": !te.tensor<[N, D], f32>)
    -> ("S": !te.tensor<[M, N], f32>) functions fast {
  %S = te.compute "S" ["i", "j"] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    te.where [%i, %j] by [1, -1] plus 0
    %s = te.reduce sum ["k"] in [D] order "fixed" term <"lanes(4, 1)"> leaf fma : f32 {
    ^bb0(%k: index):
      %q = te.read %Q[%i, %k] : !te.tensor<[M, D], f32>
      %r = te.read %K[%j, %k] : !te.tensor<[N, D], f32>
      %p = te.binary mul %q, %r : f32
      te.yield %p : f32
    }
    te.yield %s : f32
  }
  te.return %S : !te.tensor<[M, N], f32>
})te";

/// S[i] = sum[k : k <= i](X[i - k] * W[k]).
const char *const kFilter = R"(
te.func @filter sizes ["N"](%X "X": !te.tensor<[N], f32>,
    %W "W": !te.tensor<[N], f32>) -> ("S": !te.tensor<[N], f32>) functions fast {
  %S = te.compute "S" ["i"] : !te.tensor<[N], f32> {
  ^bb0(%i: index):
    %s = te.reduce sum ["k"] in [N] order "fixed" term <"seq"> leaf muladd : f32 {
    ^bb0(%k: index):
      te.where [%i, %k] by [1, -1] plus 0
      %back = te.affine [%i, %k] by [1, -1] plus 0
      %x = te.read %X[%back] : !te.tensor<[N], f32>
      %w = te.read %W[%k] : !te.tensor<[N], f32>
      %p = te.binary mul %x, %w : f32
      te.yield %p : f32
    }
    te.yield %s : f32
  }
  te.return %S : !te.tensor<[N], f32>
})";

/// S[i] = sum[k : k <= i - 1](exp(X[i, k])).
const char *const kExpWhere = R"te(
te.func @exps sizes ["M", "N"](%X "X": !te.tensor<[M, N], f32>)
    -> ("S": !te.tensor<[M], f32>) functions fast {
  %S = te.compute "S" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %s = te.reduce sum ["k"] in [N] order "fixed" term <"lanes(4, 1)"> leaf plain : f32 {
    ^bb0(%k: index):
      te.where [%i, %k] by [1, -1] plus -1
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      %e = te.unary exp unset %x : f32
      te.yield %e : f32
    }
    te.yield %s : f32
  }
  te.return %S : !te.tensor<[M], f32>
})te";

arith::Term termOf(const std::string &text) {
  std::string error;
  size_t offset = 0;
  auto term = arith::parseTerm(text, error, offset);
  REQUIRE(term);
  return *term;
}

} // namespace

TEST_CASE("two parts of one tensor", "[reference]") {
  Everywhere triangle(triangleText("f32", true));
  for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1},
                      {3, 5},
                      {5, 3},
                      {40, 41},
                      {70, 300}}) {
    Array<float> x = floats({m, n}), y = x;
    std::vector<float> expected;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        x.data[i * n + j] = float(i * 1000 + j);
        expected.push_back(j <= i ? float(i * 1000 + j) : -1);
      }
    triangle.gives({x.view(), y.view()}, y, expected);
  }
  Everywhere halves(kHalves);
  Array<float> x = floats({6}), y = x;
  x.data = {1, 2, 3, 4, 5, 6};
  halves.gives<float>({x.view(), y.view()}, y, {-4, -5, -6, 1, 2, 3});
}

TEST_CASE("a product over a triangle", "[reference]") {
  Everywhere program(kCausal);
  for (auto [m, n, d] : {std::tuple<int64_t, int64_t, int64_t>{1, 1, 3},
                         {37, 45, 19},
                         {64, 64, 8},
                         {70, 20, 5}}) {
    Array<float> q = floats({m, d}), k = floats({n, d}), s = floats({m, n});
    Random random(m);
    for (Array<float> *x : {&q, &k})
      for (float &value : x->data)
        value = random.unit();
    std::vector<float> expected;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float lanes[4] = {0, 0, 0, 0};
        for (int64_t e = 0; e < d; ++e)
          lanes[e % 4] =
              std::fma(q.data[i * d + e], k.data[j * d + e], lanes[e % 4]);
        float sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
        uint32_t poison = 0xffffffff;
        if (j > i)
          std::memcpy(&sum, &poison, 4);
        expected.push_back(sum);
      }
    CAPTURE(m, n, d);
    program.gives({q.view(), k.view(), s.view()}, s, expected);
  }
}

TEST_CASE("reads that only the condition keeps inside", "[reference]") {
  Everywhere program(kFilter);
  for (int64_t n : {1, 2, 31, 100}) {
    Array<float> x = floats({n}), w = x, s = x;
    Random random(n);
    for (Array<float> *t : {&x, &w})
      for (float &value : t->data)
        value = random.unit();
    std::vector<float> expected;
    for (int64_t i = 0; i < n; ++i) {
      float sum = 0;
      for (int64_t k = 0; k <= i; ++k) {
        float product = x.data[i - k] * w.data[k];
        sum = sum + product;
      }
      expected.push_back(sum);
    }
    CAPTURE(n);
    program.gives({x.view(), w.view(), s.view()}, s, expected);
  }
}

TEST_CASE("skipped elements carry no error", "[reference]") {
  ReferenceProgram program = compiled(kExpWhere);
  Array<float> x = floats({6, 6}), s = floats({6});
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t k = 0; k < 6; ++k)
      x.data[i * 6 + k] = k < i ? 0.5f : 1000.0f; // e^1000 overflows
  std::vector<std::vector<double>> bounds;
  REQUIRE(program.runWithBounds({x.view(), s.view()}, bounds, {}).ok());
  CHECK(s.data[0] == 0);
  CHECK(bounds[0][0] == 0);
  for (int i = 1; i < 6; ++i) {
    CHECK(s.data[i] == Approx(i * 1.6487212707));
    CHECK(bounds[0][i] > 0);
    CHECK(bounds[0][i] < 1e-4);
  }
}

TEST_CASE("targets in any order", "[reference]") {
  Everywhere program(kScattered);
  for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {2, 3}, {9, 37}}) {
    Array<float> x = floats({m, n}), y = floats({n, 3 * m});
    std::vector<float> expected(3 * m * n, 7.0f);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        x.data[i * n + j] = float(i * 100 + j);
        expected[(n - 1 - j) * 3 * m + 3 * i + 1] = float(i * 100 + j);
      }
    program.gives({x.view(), y.view()}, y, expected);
  }
}

TEST_CASE("what nothing defines is poison", "[reference]") {
  ReferenceProgram floatProgram = compiled(triangleText("f32", false));
  Array<float> x = floats({3, 9}), y = x;
  runs(floatProgram, {x.view(), y.view()});
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 9; ++j)
      CHECK(bitsOf(y.data[i * 9 + j]) == (j <= i ? 0 : 0xffffffffu));
  ReferenceProgram integerProgram = compiled(triangleText("i32", false));
  Array<int32_t> a = ints({2, 2}), b = a;
  a.data = {1, 2, 3, 4};
  runs(integerProgram, {a.view(), b.view()});
  CHECK(b.data == std::vector<int32_t>{1, int32_t(0xa5a5a5a5), 3, 4});
}

TEST_CASE("accesses are checked where a condition lets them happen",
          "[reference]") {
  Array<float> x = floats({20}), y = x;
  for (int i = 0; i < 20; ++i)
    x.data[i] = i;
  auto refused = [&](const std::string &text) {
    return refusal(compiled(text), {x.view(), y.view()});
  };
  // i >= 1 makes X[i-1] safe, i >= 0 does not; without a condition the whole
  // box is looked at.
  CHECK(refused(shiftedText(-1, 1, "-1")) == "");
  CHECK(y.data[1] == 0);
  CHECK(y.data[19] == 18);
  CHECK(refused(shiftedText(-1, 1, "0")) == "Y reads X outside dimension 0");
  CHECK(refused(shiftedText(-1, 0, "")) ==
        "Y reads X from -1 on in dimension 0");
  CHECK(refused(shiftedText(1, -1, "N - 2")) == "");
  CHECK(y.data[18] == 19);
  CHECK(refused(shiftedText(1, -1, "N - 1")) ==
        "Y reads X outside dimension 0");
  CHECK(refused(shiftedText(1, 0, "")) ==
        "Y reads X up to 20 in dimension 0, whose extent is 20");
  // The same of what is written.
  CHECK(refused(shiftedText(0, 1, "-2", -2)) == "");
  CHECK(y.data[0] == 2);
  CHECK(refused(shiftedText(0, 1, "-1", -2)) ==
        "Y writes Y outside dimension 0");
  CHECK(refused(shiftedText(0, 0, "", -2)) ==
        "Y writes Y from -2 on in dimension 0");
}

TEST_CASE("skipped elements keep their numbers", "[reference]") {
  struct Where {
    std::string text;
    bool (*holds)(int64_t i, int64_t k, int64_t n);
  };
  const Where wheres[] = {
      {"[%k, %i] by [-1, 1] plus 0",
       [](int64_t i, int64_t k, int64_t) { return k <= i; }},
      {"[%k] by [1] plus -3",
       [](int64_t, int64_t k, int64_t) { return k >= 3; }},
      {"[%k, %i] by [2, -3] plus K - 40\n      te.where [%k] by [-1] plus "
       "K - 2",
       [](int64_t i, int64_t k, int64_t n) {
         return 2 * k - 3 * i + n - 40 >= 0 && n - 2 - k >= 0;
       }},
  };
  for (const char *text :
       {"seq", "seg(4, seq)", "seg(7, seq, m = lanes(4, 1))", "lanes(4, 1)",
        "lanes(64, 4)", "seg(1000, lanes(32, 3), m = seg(3, lanes(2, 1)))"})
    for (const Where &where : wheres)
      for (bool fma : {false, true}) {
        arith::Term term = termOf(text);
        Everywhere sums(whereText("sum", text, where.text, fma));
        for (int64_t n : {0, 1, 5, 64, 300}) {
          constexpr int64_t kRows = 21;
          Array<float> x = floats({kRows, n}), w = x, s = floats({kRows});
          Random random(n);
          for (int64_t at = 0; at < kRows * n; ++at) {
            x.data[at] = std::ldexp(random.unit(), int(random.bits() % 12));
            w.data[at] = random.unit();
          }
          std::vector<float> expected;
          for (int64_t i = 0; i < kRows; ++i)
            expected.push_back(arith::foldByTerm(
                term, n, 0.0f,
                [&](float sum, int64_t k) {
                  if (!where.holds(i, k, n))
                    return sum;
                  float value = x.data[i * n + k];
                  return fma ? std::fma(value, w.data[i * n + k], sum)
                             : sum + value;
                },
                [](float a, float b) { return a + b; }));
          CAPTURE(text, where.text, fma, n);
          sums.gives({x.view(), w.view(), s.view()}, s, expected);
        }
      }
}

TEST_CASE("a maximum over no element that takes part", "[reference]") {
  Everywhere program(whereText("max", "seq", "[%k, %i] by [1, -1] plus -1"));
  Array<float> x = floats({3, 3}), w = x, s = floats({3});
  x.data = {9, 1, -2, 9, 9, -5, 9, 9, 9};
  program.gives<float>({x.view(), w.view(), s.view()}, s, {1, -5, -INFINITY});
}

TEST_CASE("skipping is not adding a zero", "[reference]") {
  // -2^-100 * 2^-100 added to +0 by one fma rounds to -0; a skipped element
  // leaves that alone, where adding 0 would make it +0.
  auto sumWhere = [](const std::string &term, const std::string &where) {
    Array<float> x = floats({1, 4}), w = x, s = floats({1});
    x.data.assign(4, -0x1p-100f);
    w.data.assign(4, 0x1p-100f);
    ReferenceProgram program =
        compiled(whereText("sum", term, where, true, "4"));
    runs(program, {x.view(), w.view(), s.view()});
    CHECK(s.data[0] == 0);
    return std::signbit(s.data[0]);
  };
  std::string all = "[%k] by [1] plus 0", first = "[%k] by [-1] plus 0",
              firstTwo = "[%k] by [-1] plus 1", none = "[%k] by [1] plus -4";
  // One chain: negative as soon as one element took part.
  CHECK(sumWhere("seq", all));
  CHECK(sumWhere("seq", first));
  CHECK_FALSE(sumWhere("seq", none));
  // A lane without an element that takes part holds +0, and -0 + +0 = +0.
  CHECK(sumWhere("lanes(4, 1)", all));
  CHECK_FALSE(sumWhere("lanes(4, 1)", firstTwo));
  CHECK(sumWhere("lanes(2, 1)", firstTwo));
  CHECK_FALSE(sumWhere("lanes(2, 2)", firstTwo));
  CHECK_FALSE(sumWhere("lanes(8, 1)", all)); // lanes 4 to 7 are empty
  // So does a segment.
  CHECK(sumWhere("tree(2)", all));
  CHECK_FALSE(sumWhere("tree(2)", firstTwo));
  CHECK(sumWhere("tree(1)", first));
  // Merged one after the other they start from +0.
  CHECK_FALSE(sumWhere("seg(2, seq)", all));
}
