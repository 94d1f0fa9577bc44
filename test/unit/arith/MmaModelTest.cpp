//===- MmaModelTest.cpp - the chunk sum of tensor cores -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These tests hold the model to its published definition. They do not claim
// that silicon agrees; no row is marked proved.
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/MmaModel.h"
#include "compiler/arith/Formats.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

using namespace girih::arith;

static const MmaModel &model(const char *name, MmaElement element) {
  const MmaModel *found = findMmaModel(name, element);
  REQUIRE(found);
  return *found;
}

static float chunk(const MmaModel &m, std::vector<float> a,
                   std::vector<float> b, float c) {
  REQUIRE(a.size() == b.size());
  return mmaChunk(m, a.data(), b.data(), int(a.size()), c);
}

/// The published recipe in f64, by frexp and trunc: another way to the same
/// definition, exact while every cut term is a small multiple of a common unit.
static float chunkByRecipe(const std::vector<float> &a,
                           const std::vector<float> &b, float c, int smallest,
                           int fractionBits, int resultBits) {
  auto split = [](double x, int least) {
    int e = 0;
    double s = std::frexp(x, &e) * 2;
    e -= 1;
    if (x == 0)
      return std::pair<double, int>(0.0, -126);
    if (e < least) {
      s = std::ldexp(s, e - least);
      e = least;
    }
    return std::pair<double, int>(s, e);
  };
  std::vector<std::pair<double, int>> terms = {split(c, -126)};
  for (size_t k = 0; k < a.size(); ++k) {
    auto [sa, ea] = split(a[k], smallest);
    auto [sb, eb] = split(b[k], smallest);
    terms.push_back({sa * sb, ea + eb});
  }
  int largest = -1000;
  for (auto &[s, e] : terms)
    largest = std::max(largest, e);
  double sum = 0;
  for (auto &[s, e] : terms)
    sum += std::trunc(std::ldexp(s, fractionBits + e - largest));
  sum = std::ldexp(sum, largest - fractionBits);
  auto [s, e] = split(sum, -126);
  s = std::ldexp(std::trunc(std::ldexp(s, resultBits)), -resultBits);
  return float(std::ldexp(s, e)) + 0.0f;
}

TEST_CASE("the table holds the published rows, none of them proved") {
  CHECK(mmaModels().size() == 8);
  for (const MmaModel &m : mmaModels())
    CHECK_FALSE(m.proved);
  const MmaModel &bf16 = model("sm_90", MmaElement::Bf16);
  CHECK(bf16.kc == 16);
  CHECK(bf16.fractionBits == 25);
  CHECK(bf16.resultFractionBits == 23);
  const MmaModel &f8 = model("sm_90", MmaElement::F8E4M3);
  CHECK(f8.kc == 32);
  CHECK(f8.fractionBits == 13);
  CHECK(f8.resultFractionBits == 13);
  CHECK(findMmaModel("sm_75", MmaElement::F16) == nullptr);
  CHECK(findMmaModel("sm_80", MmaElement::F8E4M3) == nullptr);
}

TEST_CASE("small terms add up before they meet the accumulator") {
  const MmaModel &m = model("sm_90", MmaElement::Bf16);
  std::vector<float> ones(16, 1.0f);
  // One at a time, each 1 would be lost against 2^24.
  CHECK(chunk(m, ones, ones, 0x1p24f) == 0x1p24f + 16);
  std::vector<float> tiny(16, 0x1p-24f);
  CHECK(chunk(m, tiny, ones, 1.0f) == 1.0f + 0x1p-20f);
}

TEST_CASE("terms below the kept bits are cut, one by one") {
  const MmaModel &m = model("sm_90", MmaElement::Bf16);
  std::vector<float> ones(16, 1.0f);
  CHECK(chunk(m, std::vector<float>(16, 0x1p-25f), ones, 1.0f) ==
        1.0f + 0x1p-21f);
  CHECK(chunk(m, std::vector<float>(16, 0x1p-26f), ones, 1.0f) == 1.0f);
  // sm_80 keeps one bit less.
  CHECK(chunk(model("sm_80", MmaElement::Bf16), std::vector<float>(8, 0x1p-25f),
              std::vector<float>(8, 1.0f), 1.0f) == 1.0f);
}

TEST_CASE("the sum is rounded toward zero") {
  const MmaModel &m = model("sm_90", MmaElement::Bf16);
  CHECK(chunk(m, {0x1.8p-24f}, {1.0f}, 1.0f) == 1.0f);
  CHECK(chunk(m, {-0x1.8p-24f}, {1.0f}, -1.0f) == -1.0f);
  CHECK(chunk(m, {-0x1p-25f}, {1.0f}, 1.0f) == 1.0f - 0x1p-24f);
  CHECK(chunk(m, {0x1p-25f}, {1.0f}, -1.0f) == -1.0f + 0x1p-24f);
}

TEST_CASE("cancellation is exact and zero is +0") {
  const MmaModel &m = model("sm_90", MmaElement::F16);
  CHECK(chunk(m, {1024, -1024, 0.5f}, {1024, 1024, 0.5f}, 0.0f) == 0.25f);
  CHECK(bitsOf(chunk(m, {1, -1}, {1, 1}, 0.0f)) == 0);
  CHECK(bitsOf(chunk(m, {-1}, {0.0f}, -0.0f)) == 0);
  CHECK(chunk(m, {}, {}, 3.0f) == 3.0f);
}

TEST_CASE("fp8 keeps 13 fraction bits, the accumulator's included") {
  const MmaModel &m = model("sm_90", MmaElement::F8E4M3);
  CHECK(chunk(m, {0.0f}, {0.0f}, 1.0f + 0x1p-14f) == 1.0f);
  CHECK(chunk(m, {0x1p-7f}, {0x1p-6f}, 1.0f) == 1.0f + 0x1p-13f);
  CHECK(chunk(m, {0x1p-7f}, {0x1p-7f}, 1.0f) == 1.0f);
  CHECK(chunk(m, std::vector<float>(32, 0x1p-7f),
              std::vector<float>(32, 0x1p-7f), 1.0f) == 1.0f);
}

TEST_CASE("infinities, NaN and overflow") {
  const MmaModel &m = model("sm_90", MmaElement::Bf16);
  float inf = INFINITY, big = 0x1.fep127f;
  CHECK(chunk(m, {inf, 1}, {1, 1}, 0.0f) == inf);
  CHECK(chunk(m, {inf}, {-1}, 0.0f) == -inf);
  CHECK(chunk(m, {1}, {1}, -inf) == -inf);
  CHECK(bitsOf(chunk(m, {inf, -inf}, {1, 1}, 0.0f)) == kCanonicalNanF32);
  CHECK(std::isnan(chunk(m, {inf}, {0}, 0.0f)));
  CHECK(std::isnan(chunk(m, {inf}, {1}, -inf)));
  CHECK(std::isnan(chunk(m, {NAN}, {1}, 0.0f)));
  CHECK(std::isnan(chunk(m, {1}, {1}, NAN)));
  CHECK(chunk(m, {big}, {2}, 0.0f) == inf);
  CHECK(chunk(m, {-big}, {2}, 0.0f) == -inf);
  // Inside the sum nothing overflows.
  CHECK(chunk(m, {big, -big}, {big, big}, 1.0f) == 0.0f);
}

TEST_CASE("denormals") {
  const MmaModel &f16 = model("sm_90", MmaElement::F16);
  CHECK(chunk(f16, {0x1p-24f}, {0x1p-24f}, 0.0f) == 0x1p-48f);
  const MmaModel &bf16 = model("sm_90", MmaElement::Bf16);
  CHECK(chunk(bf16, {0x1p-133f}, {0x1p100f}, 0.0f) == 0x1p-33f);
  CHECK(chunk(bf16, {0x1p-70f}, {0x1p-79f}, 0.0f) == 0x1p-149f);
  CHECK(chunk(bf16, {0x1p-70f}, {0x1p-80f}, 0.0f) == 0.0f);
  CHECK(chunk(bf16, {1}, {0x1p-133f}, 0x1p-149f) == 0x1p-133f + 0x1p-149f);
}

TEST_CASE("tf32 operands are cut before they are multiplied") {
  const MmaModel &m = model("sm_90", MmaElement::Tf32);
  CHECK(chunk(m, {1.0f + 0x1p-10f - 0x1p-23f}, {1.0f}, 0.0f) == 1.0f);
  CHECK(chunk(m, {1.0f + 0x1p-10f}, {1.0f}, 0.0f) == 1.0f + 0x1p-10f);
}

TEST_CASE("the chunk's order does not matter, the chunks' does") {
  const MmaModel &m = model("sm_90", MmaElement::F16);
  std::mt19937 generator(4);
  std::vector<float> a(16), b(16);
  for (int k = 0; k < 16; ++k) {
    a[k] = fromF16(toF16(float(int(generator() % 2001) - 1000) / 64));
    b[k] = fromF16(toF16(float(int(generator() % 2001) - 1000) / 8192));
  }
  float first = chunk(m, a, b, 0.3f);
  for (int i = 0; i < 50; ++i) {
    size_t x = generator() % 16, y = generator() % 16;
    std::swap(a[x], a[y]);
    std::swap(b[x], b[y]);
    CHECK(chunk(m, a, b, 0.3f) == first);
  }

  std::vector<float> x(33, 1.0f), ones(33, 1.0f);
  std::fill(x.begin() + 16, x.begin() + 32, 0x1p-25f);
  float step = chunk(m, std::vector<float>(16, 1.0f),
                     std::vector<float>(16, 1.0f), 0.0f);
  step = chunk(m, std::vector<float>(16, 0x1p-25f),
               std::vector<float>(16, 1.0f), step);
  step = chunk(m, {1.0f}, {1.0f}, step);
  CHECK(mmaChain(m, x.data(), ones.data(), 33, 0.0f) == step);
  CHECK(mmaChain(m, x.data(), ones.data(), 0, 5.0f) == 5.0f);
}

TEST_CASE("random chunks equal the recipe in f64") {
  struct Row {
    const char *name;
    MmaElement element;
    int smallest;
    float (*narrowed)(uint32_t);
  };
  const Row rows[] = {
      {"sm_90", MmaElement::F16, -14,
       [](uint32_t r) { return fromF16(uint16_t(r)); }},
      {"sm_80", MmaElement::F16, -14,
       [](uint32_t r) { return fromF16(uint16_t(r)); }},
      {"sm_90", MmaElement::Bf16, -126,
       [](uint32_t r) {
         // Exponents within 16 of 0, and zeros and denormals now and then.
         if (r % 13 == 0)
           return fromBf16(uint16_t(r & 0x807f));
         return fromBf16(uint16_t((r & 0x807f) | (111 + (r >> 16) % 32) << 7));
       }},
      {"sm_90", MmaElement::F8E4M3, -6,
       [](uint32_t r) { return fromF8E4M3(uint8_t(r)); }},
      {"sm_90", MmaElement::F8E5M2, -14,
       [](uint32_t r) { return fromF8E5M2(uint8_t(r)); }},
  };
  for (const Row &row : rows) {
    const MmaModel &m = model(row.name, row.element);
    std::mt19937 generator(77);
    size_t wrong = 0;
    for (int i = 0; i < 20000; ++i) {
      std::vector<float> a, b;
      for (int k = 0; k < m.kc; ++k) {
        a.push_back(row.narrowed(generator()));
        b.push_back(row.narrowed(generator()));
        if (!std::isfinite(a[k]))
          a[k] = 1;
        if (!std::isfinite(b[k]))
          b[k] = -1;
      }
      float c = std::ldexp(float(int32_t(generator())) * 0x1p-31f,
                           int(generator() % 40) - 20);
      float expected = chunkByRecipe(a, b, c, row.smallest, m.fractionBits,
                                     m.resultFractionBits);
      wrong += bitsOf(chunk(m, a, b, c)) != bitsOf(expected);
    }
    INFO(row.name << " element " << int(row.element));
    CHECK(wrong == 0);
  }
}
