//===- ReductionTest.cpp - reductions along terms on the host -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "compiler/arith/Formats.h"
#include "compiler/arith/Term.h"
#include "compiler/reference/TermStorage.h"

#include <cmath>
#include <limits>

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

arith::Term termOf(const std::string &text) {
  std::string error;
  size_t offset = 0;
  auto term = arith::parseTerm(text, error, offset);
  INFO(error);
  REQUIRE(term);
  return *term;
}

const char *const kTerms[] = {
    "seq",
    "seg(4, seq)",
    "seg(7, seq, m = lanes(4, 1))",
    "lanes(1, 1)",
    "lanes(4, 1)",
    "lanes(64, 4)",
    "lanes(4096, 4)",
    "seg(4096, lanes(64, 1), m = lanes(64, 1))",
    "seg(1000, lanes(32, 3), m = seg(3, lanes(2, 1)))",
    "seg(65536, lanes(1024, 4), m = lanes(1024, 1))",
};

template <typename T> T combined(const std::string &kind, T a, T b) {
  if (kind == "sum")
    return a + b;
  if (kind == "prod")
    return a * b;
  return kind == "max" ? arith::maximum(a, b) : arith::minimum(a, b);
}

template <typename T> T identityOf(const std::string &kind) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  if (kind == "sum")
    return 0;
  if (kind == "prod")
    return 1;
  return kind == "max" ? -kInfinity : kInfinity;
}

/// Values whose sums depend on the order.
float roughValue(Random &random) {
  return std::ldexp(random.unit(), int(random.bits() % 12));
}

/// S[j] = sum[k] X[k, j]: the lanes read neighbours.
std::string columnText(const std::string &term) {
  return "te.func @columns sizes [\"K\", \"N\"]"
         "(%X \"X\": !te.tensor<[K, N], f32>) -> (\"S\": !te.tensor<[N], f32>) "
         "functions fast {\n"
         "  %S = te.compute \"S\" [\"j\"] : !te.tensor<[N], f32> {\n"
         "  ^bb0(%j: index):\n"
         "    %s = te.reduce sum [\"k\"] in [K] order \"fixed\" term <\"" +
         term +
         "\"> leaf plain : f32 {\n    ^bb0(%k: index):\n"
         "      %x = te.read %X[%k, %j] : !te.tensor<[K, N], f32>\n"
         "      te.yield %x : f32\n    }\n"
         "    te.yield %s : f32\n  }\n"
         "  te.return %S : !te.tensor<[N], f32>\n}\n";
}

/// S = sum[i, k] X[i, k]: a tensor of rank 0, two indices.
std::string wholeText(const std::string &term) {
  return "te.func @whole sizes [\"M\", \"K\"]"
         "(%X \"X\": !te.tensor<[M, K], f32>) -> (\"S\": !te.tensor<[], f32>) "
         "functions fast {\n"
         "  %S = te.compute \"S\" [] : !te.tensor<[], f32> {\n"
         "    %s = te.reduce sum [\"i\", \"k\"] in [M, K] order \"fixed\" "
         "term <\"" +
         term +
         "\"> leaf plain : f32 {\n    ^bb0(%i: index, %k: index):\n"
         "      %x = te.read %X[%i, %k] : !te.tensor<[M, K], f32>\n"
         "      te.yield %x : f32\n    }\n"
         "    te.yield %s : f32\n  }\n"
         "  te.return %S : !te.tensor<[], f32>\n}\n";
}

float sumOf(const std::string &term, const std::vector<float> &values) {
  Array<float> x = floats({1, int64_t(values.size())}), s = floats({1});
  x.data = values;
  runs(compiled(rowReduceText("sum", "f32", term, "1",
                              std::to_string(values.size()))),
       {x.view(), s.view()});
  return s.data[0];
}

} // namespace

TEST_CASE("sums follow their terms bit for bit", "[reference]") {
  for (const char *text : kTerms) {
    arith::Term term = termOf(text);
    ReferenceProgram rows = compiled(rowReduceText("sum", "f32", text));
    ReferenceProgram columns = compiled(columnText(text));
    ReferenceProgram whole = compiled(wholeText(text));
    for (int64_t n : {0, 1, 2, 3, 5, 7, 31, 64, 100, 4097, 40000}) {
      constexpr int64_t kRows = 18;
      Random random(n + 77);
      Array<float> x = floats({kRows, n}), s = floats({kRows});
      Array<float> xt = floats({n, kRows}), st = s;
      for (int64_t i = 0; i < kRows; ++i)
        for (int64_t k = 0; k < n; ++k)
          xt.data[k * kRows + i] = x.data[i * n + k] = roughValue(random);
      runs(rows, {x.view(), s.view()});
      runs(columns, {xt.view(), st.view()});
      for (int64_t i = 0; i < kRows; ++i) {
        float expected =
            arith::reduceByTerm(term, x.data.data() + i * n, n, 0.0f,
                                [](float a, float b) { return a + b; });
        CAPTURE(text, n, i);
        CHECK(bitsOf(s.data[i]) == bitsOf(expected));
        CHECK(bitsOf(st.data[i]) == bitsOf(expected));
      }
      // The same elements as one sum over both indices.
      Array<float> all = floats({});
      runs(whole, {x.view(), all.view()});
      float expected =
          arith::reduceByTerm(term, x.data.data(), kRows * n, 0.0f,
                              [](float a, float b) { return a + b; });
      CHECK(bitsOf(all.data[0]) == bitsOf(expected));
    }
  }
}

TEST_CASE("trees over constant extents", "[reference]") {
  for (auto [text, n] : {std::pair<const char *, int64_t>{"tree(1)", 5},
                         {"tree(2)", 64},
                         {"tree(3)", 6},
                         {"tree(7, lanes(4, 2))", 700},
                         {"tree(32)", 4096},
                         {"tree(5, tree(4))", 40},
                         {"tree(4)", 0},
                         {"seg(8, tree(4), m = seg(2, seq))", 32}}) {
    arith::Term term = termOf(text);
    Array<float> x = floats({20, n}), s = floats({20});
    Random random(n);
    for (float &value : x.data)
      value = roughValue(random);
    runs(compiled(rowReduceText("sum", "f32", text, "M", std::to_string(n))),
         {x.view(), s.view()});
    for (int64_t i = 0; i < 20; ++i) {
      CAPTURE(text, n, i);
      CHECK(bitsOf(s.data[i]) == bitsOf(arith::reduceByTerm(
                                     term, x.data.data() + i * n, n, 0.0f,
                                     [](float a, float b) { return a + b; })));
    }
  }
}

TEST_CASE("the order of a sum shows", "[reference]") {
  std::vector<float> values(4096, 1.0f);
  values[0] = 0x1p24f;
  CHECK(sumOf("seq", values) == 16777216.0f);
  CHECK(sumOf("tree(2)", values) == 16779264.0f);
  CHECK(sumOf("tree(32)", values) == 16781184.0f);
  // Halves of a tie go to the even neighbour, once each.
  CHECK(sumOf("seq", {1.0f, 0x1p-24f, 0x1p-24f}) == 1.0f);
  CHECK(sumOf("seg(1, seq, m = lanes(4, 1))",
              {1.0f, 0x1p-24f, 0.0f, 0x1p-24f}) == 1.0f + 0x1p-23f);
}

TEST_CASE("every kind and type of reduction", "[reference]") {
  constexpr int64_t kRows = 17, kLength = 300;
  for (std::string kind : {"sum", "prod", "max", "min"})
    for (const char *text : {"seq", "lanes(16, 2)", "seg(64, lanes(8, 1))"}) {
      CAPTURE(kind, text);
      arith::Term term = termOf(text);
      Random random(31);
      Array<float> x = floats({kRows, kLength}), s = floats({kRows});
      Array<double> d = doubles({kRows, kLength}), sd = doubles({kRows});
      Array<uint16_t> b = bf16s({kRows, kLength}), sb = bf16s({kRows});
      Array<uint16_t> h = f16s({kRows, kLength}), sh = f16s({kRows});
      std::vector<float> bf(x.data.size()), hf(x.data.size());
      for (size_t i = 0; i < x.data.size(); ++i) {
        float value =
            kind == "prod" ? 1 + random.unit() / 16 : roughValue(random);
        x.data[i] = value;
        d.data[i] = value / 3.0;
        b.data[i] = narrowBf16(value);
        bf[i] = widenBf16(b.data[i]);
        h.data[i] = arith::toF16(value);
        hf[i] = arith::fromF16(h.data[i]);
      }
      runs(compiled(rowReduceText(kind, "f32", text)), {x.view(), s.view()});
      runs(compiled(rowReduceText(kind, "f64", text)), {d.view(), sd.view()});
      runs(compiled(rowReduceText(kind, "bf16", text)), {b.view(), sb.view()});
      runs(compiled(rowReduceText(kind, "f16", text)), {h.view(), sh.view()});
      for (int64_t i = 0; i < kRows; ++i) {
        int64_t at = i * kLength;
        CHECK(same(s.data[i], arith::reduceByTerm(term, &x.data[at], kLength,
                                                  identityOf<float>(kind),
                                                  [&](float p, float q) {
                                                    return combined(kind, p, q);
                                                  })));
        CHECK(sd.data[i] == arith::reduceByTerm(term, &d.data[at], kLength,
                                                identityOf<double>(kind),
                                                [&](double p, double q) {
                                                  return combined(kind, p, q);
                                                }));
        CHECK(widenBf16(sb.data[i]) ==
              arith::reduceByTerm(
                  term, &bf[at], kLength, identityOf<float>(kind),
                  [&](float p, float q) {
                    return widenBf16(narrowBf16(combined(kind, p, q)));
                  }));
        CHECK(arith::fromF16(sh.data[i]) ==
              arith::reduceByTerm(
                  term, &hf[at], kLength, identityOf<float>(kind),
                  [&](float p, float q) {
                    return arith::fromF16(arith::toF16(combined(kind, p, q)));
                  }));
      }
    }
}

TEST_CASE("max and min: a NaN wins, -0 is below +0", "[reference]") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  Array<float> x = floats({4, 3}), s = floats({4});
  x.data = {-0.0f, -0.0f, 0.0f, 1, kNan, 2, -0.0f, -0.0f, -0.0f, kNan, kInf, 0};
  ReferenceProgram largest =
      compiled(rowReduceText("max", "f32", "lanes(2, 1)"));
  runs(largest, {x.view(), s.view()});
  CHECK(bitsOf(s.data[0]) == bitsOf(0.0f));
  CHECK(s.data[1] != s.data[1]);
  CHECK(bitsOf(s.data[2]) == bitsOf(-0.0f));
  CHECK(s.data[3] != s.data[3]);
  ReferenceProgram smallest = compiled(rowReduceText("min", "f32", "seq"));
  runs(smallest, {x.view(), s.view()});
  CHECK(bitsOf(s.data[0]) == bitsOf(-0.0f));
  CHECK(s.data[1] != s.data[1]);
  Array<float> empty = floats({4, 0});
  runs(largest, {empty.view(), s.view()});
  CHECK(s.data[0] == -kInf);
  runs(smallest, {empty.view(), s.view()});
  CHECK(s.data[0] == kInf);
}

TEST_CASE("chains start at +0 and empty lanes add it", "[reference]") {
  Array<float> x = floats({1, 2}), s = floats({1});
  x.data = {-0.0f, -0.0f};
  for (const char *text :
       {"seq", "lanes(2, 1)", "lanes(64, 1)", "seg(1, seq)"}) {
    runs(compiled(rowReduceText("sum", "f32", text)), {x.view(), s.view()});
    CHECK(bitsOf(s.data[0]) == bitsOf(0.0f));
  }
  // An fma chain may end in -0: the product underflows. Two lanes of -0 stay
  // -0; an empty lane makes them +0.
  Array<float> a = floats({1, 2}), b = floats({2, 1}), c = floats({1, 1});
  a.data = {0x1p-100f, 0x1p-100f};
  b.data = {-0x1p-100f, -0x1p-100f};
  auto step = [&](float acc, int64_t k) {
    return std::fma(a.data[k], b.data[k], acc);
  };
  auto add = [](float p, float q) { return p + q; };
  for (const char *text : {"lanes(2, 1)", "lanes(4, 1)", "seq"}) {
    runs(compiled(matmulText("f32", text)), {a.view(), b.view(), c.view()});
    CAPTURE(text);
    CHECK(bitsOf(c.data[0]) ==
          bitsOf(arith::foldByTerm(termOf(text), 2, 0.0f, step, add)));
  }
}

TEST_CASE("terms know what they need", "[reference]") {
  CHECK(*termProblem(termOf("tree(3)"), 4) ==
        "tree(3) cannot divide 4 elements into equal segments");
  CHECK_FALSE(termProblem(termOf("tree(3)"), 9));
  CHECK_FALSE(termProblem(termOf("seg(4, tree(2))"), 8));
  CHECK(*termProblem(termOf("seg(4, tree(2))"), 7) ==
        "tree(2) cannot divide 3 elements into equal segments");
  CHECK(scratchBytes(termOf("seq"), 1000, 64) == 0);
  CHECK(scratchBytes(termOf("lanes(64, 4)"), 1000, 64) == 64 * 64);
  CHECK(scratchBytes(termOf("lanes(64, 4)"), 20, 64) == 8 * 64);
  CHECK(scratchBytes(termOf("seg(10, seq)"), 1000, 64) == 0);
  CHECK(scratchBytes(termOf("seg(10, lanes(2, 1), m = lanes(4, 1))"), 1000,
                     64) == (100 + 4) * 64);
}
