//===- MatmulTest.cpp - contractions on the host --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "compiler/arith/Term.h"

#include <cmath>
#include <ctime>

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

struct Operands {
  Array<uint16_t> a, b, bt;
  std::vector<float> af, bf;

  Operands(int64_t m, int64_t n, int64_t k)
      : a(bf16s({m, k})), b(bf16s({k, n})), bt(bf16s({n, k})) {
    Random random(m + n + k);
    for (uint16_t &value : a.data)
      value = narrowBf16(random.unit());
    for (uint16_t &value : b.data)
      value = narrowBf16(random.unit());
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < n; ++j)
        bt.data[j * k + i] = b.data[i * n + j];
    for (uint16_t value : a.data)
      af.push_back(widenBf16(value));
    for (uint16_t value : b.data)
      bf.push_back(widenBf16(value));
  }
};

int mismatches(const Operands &o, const Array<float> &c, bool fused) {
  int64_t m = c.shape[0], n = c.shape[1], k = o.a.shape[1];
  int wrong = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        float x = o.af[i * k + l], y = o.bf[l * n + j];
        float product = x * y;
        sum = fused ? std::fma(x, y, sum) : sum + product;
      }
      wrong += bitsOf(sum) != bitsOf(c.data[i * n + j]);
    }
  return wrong;
}

} // namespace

TEST_CASE("a matmul equals a plain fma loop", "[reference]") {
  ReferenceProgram nn = compiled(matmulText("bf16", "seq"));
  ReferenceProgram nt = compiled(matmulText("bf16", "seq", true));
  ReferenceProgram muladd =
      compiled(matmulText("bf16", "seq", false, "muladd"));
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {3, 5, 7},
                         {4, 64, 9},
                         {5, 65, 33},
                         {8, 128, 64},
                         {7, 79, 100},
                         {33, 17, 5},
                         {2, 200, 0},
                         {0, 5, 5},
                         {9, 0, 3},
                         {1, 300, 50}}) {
    Operands o(m, n, k);
    Array<float> c = floats({m, n});
    CAPTURE(m, n, k);
    std::fill(c.data.begin(), c.data.end(), 123.0f);
    runs(nn, {o.a.view(), o.b.view(), c.view()});
    CHECK(mismatches(o, c, true) == 0);
    std::fill(c.data.begin(), c.data.end(), 123.0f);
    runs(nt, {o.a.view(), o.bt.view(), c.view()});
    CHECK(mismatches(o, c, true) == 0);
    runs(muladd, {o.a.view(), o.b.view(), c.view()});
    CHECK(mismatches(o, c, false) == 0);
  }
}

TEST_CASE("a matmul along other terms", "[reference]") {
  int64_t m = 6, n = 70, k = 150;
  Operands o(m, n, k);
  for (const char *text : {"lanes(64, 1)", "seg(32, seq)",
                           "seg(32, lanes(8, 2), m = lanes(4, 1))"}) {
    std::string error;
    size_t offset = 0;
    arith::Term term = *arith::parseTerm(text, error, offset);
    Array<float> c = floats({m, n});
    runs(compiled(matmulText("bf16", text)),
         {o.a.view(), o.b.view(), c.view()});
    int wrong = 0;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float expected = arith::foldByTerm(
            term, k, 0.0f,
            [&](float acc, int64_t l) {
              return std::fma(o.af[i * k + l], o.bf[l * n + j], acc);
            },
            [](float p, float q) { return p + q; });
        wrong += bitsOf(expected) != bitsOf(c.data[i * n + j]);
      }
    CAPTURE(text);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a matmul in f64 and with f16 sums", "[reference]") {
  std::string text = matmulText("f32", "seq");
  for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos;)
    text.replace(at, 3, "f64");
  int64_t m = 5, n = 37, k = 40;
  Array<double> a = doubles({m, k}), b = doubles({k, n}), c = doubles({m, n});
  Random random(4);
  for (double &value : a.data)
    value = random.unit() / 3.0;
  for (double &value : b.data)
    value = random.unit() / 7.0;
  runs(compiled(text), {a.view(), b.view(), c.view()});
  int wrong = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum = std::fma(a.data[i * k + l], b.data[l * n + j], sum);
      wrong += sum != c.data[i * n + j];
    }
  CHECK(wrong == 0);
}

TEST_CASE("operands and results with any strides", "[reference]") {
  int64_t m = 6, n = 70, k = 20;
  Operands o(m, n, k);
  ReferenceProgram program = compiled(matmulText("bf16", "seq"));
  Array<float> c = floats({m, n});
  auto restored = [&](Array<float> &&d) { return mismatches(o, d, true); };

  SECTION("a transposed view of B, C written column by column") {
    HostTensor b = o.bt.view();
    std::swap(b.shape[0], b.shape[1]);
    std::swap(b.strides[0], b.strides[1]);
    Array<float> ct = floats({n, m});
    HostTensor cView = ct.view();
    std::swap(cView.shape[0], cView.shape[1]);
    std::swap(cView.strides[0], cView.strides[1]);
    runs(program, {o.a.view(), b, cView});
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        c.data[i * n + j] = ct.data[j * m + i];
    CHECK(restored(std::move(c)) == 0);
  }
  SECTION("rows backwards, every second column") {
    Array<uint16_t> wide = bf16s({k, 2 * n});
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j)
        wide.data[(k - 1 - l) * 2 * n + 2 * j] = o.b.data[l * n + j];
    HostTensor b = wide.view();
    b.data = &wide.data[(k - 1) * 2 * n];
    b.shape[1] = n;
    b.strides = {-2 * n, 2};
    HostTensor cView = c.view();
    Array<float> reversed = floats({m, n});
    cView = reversed.view();
    cView.data = &reversed.data[m * n - 1];
    cView.strides = {-n, -1};
    runs(program, {o.a.view(), b, cView});
    for (int64_t i = 0; i < m * n; ++i)
      c.data[i] = reversed.data[m * n - 1 - i];
    CHECK(restored(std::move(c)) == 0);
  }
  SECTION("stride 0 repeats a row and an element") {
    HostTensor a = o.a.view();
    a.strides[0] = 0;
    HostTensor b = o.b.view();
    b.strides[1] = 0;
    runs(program, {a, b, c.view()});
    float sum = 0;
    for (int64_t l = 0; l < k; ++l)
      sum = std::fma(o.af[l], o.bf[l * n], sum);
    for (float value : c.data)
      CHECK(bitsOf(value) == bitsOf(sum));
  }
}

TEST_CASE("the reference's speed", "[.speed]") {
  // Processor time: other work on the machine does not count.
  auto seconds = [](auto &&work) {
    std::clock_t start = std::clock();
    work();
    return double(std::clock() - start) / CLOCKS_PER_SEC;
  };
  for (bool transposed : {false, true}) {
    std::string text = matmulText("bf16", "seq", transposed);
    compiled(text); // the first one initialises LLVM
    double compile = seconds([&] { compiled(text); });
    ReferenceProgram program = compiled(text);
    for (auto [m, n, k] : {std::array<int64_t, 3>{256, 1024, 4096},
                           {1, 4096, 4096},
                           {64, 12288, 4096}}) {
      Operands o(m, n, k);
      Array<float> c = floats({m, n});
      std::vector<HostTensor> params = {
          o.a.view(), (transposed ? o.bt : o.b).view(), c.view()};
      runs(program, params, 1);
      double time = seconds([&] { runs(program, params, 1); });
      WARN((transposed ? "B[j, k] " : "B[k, j] ")
           << m << "x" << n << "x" << k << ": " << 2.0 * m * n * k / time * 1e-9
           << " GFLOP/s a core, " << time * 1e3 << " ms");
    }
    WARN("compile: " << compile * 1e3 << " ms");
  }
  for (const char *term : {"seq", "lanes(4096, 4)"}) {
    ReferenceProgram rows = compiled(rowReduceText("sum", "f32", term));
    Array<float> x = floats({1024, 8192}), s = floats({1024});
    double time = seconds([&] { runs(rows, {x.view(), s.view()}, 1); });
    WARN("row sums by " << term << ": " << x.data.size() / time * 1e-9
                        << " G elements/s");
  }
}
