//===- MmaModelTest.cpp - the chunk sum of tensor cores -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These tests hold the model to its definition. That silicon agrees, where a
// row is proved, is the business of test/gpu/mma_silicon.
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/MmaModel.h"
#include "compiler/arith/Formats.h"
#include "compiler/arith/MmaTile.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <optional>
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

/// The recipe in f64, by frexp and trunc: another way to the same definition,
/// exact while every cut term is a small multiple of a common unit.
static float chunkByRecipe(const std::vector<float> &a,
                           const std::vector<float> &b, float c, int smallest,
                           int fractionBits, int resultBits) {
  auto split = [](double x, int least) {
    int e = 0;
    double s = std::frexp(x, &e) * 2;
    e -= 1;
    if (x == 0)
      return std::pair<double, int>(0.0, -100000);
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
  int largest = -133;
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

TEST_CASE("the table's rows; those of sm_90 are proved") {
  CHECK(mmaModels().size() == 15);
  for (const MmaModel &m : mmaModels()) {
    INFO(m.name << " " << m.instruction);
    CHECK(m.proved == (m.name == "sm_90"));
    CHECK(findMmaModel(m.name, m.element) == &m);
  }
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

TEST_CASE("zeros do not take part in the alignment") {
  const MmaModel &bf16 = model("sm_90", MmaElement::Bf16);
  // 0 * 2^100 beside 2^-100: nothing is cut.
  float small = 0x1.abcdep-100f;
  CHECK(chunk(bf16, {0.0f}, {0x1p100f}, small) == small);
  CHECK(chunk(bf16, {0x1p-60f, -0.0f}, {0x1p-40f, 0x1p127f}, 0.0f) ==
        0x1p-100f);
  // A zero accumulator: terms below 2^-126 are aligned to 2^-133, so that the
  // last bit kept is 2^-158.
  CHECK(chunk(bf16, {0x1p-70f, -0x1p-80f}, {0x1p-79f, 0x1p-78f}, 0.0f) == 0);
  CHECK(chunk(bf16, {0x1p-70f, -0x1p-80f}, {0x1p-79f, 0x1p-79f}, 0.0f) ==
        0x1p-149f);
  // An accumulator that is a denormal has 2^-126: there 2^-151 is the last.
  CHECK(chunk(bf16, {-0x1p-80f}, {0x1p-71f}, 0x1p-148f) == 0x1p-149f);
  CHECK(chunk(bf16, {-0x1p-80f}, {0x1p-72f}, 0x1p-148f) == 0x1p-148f);
}

TEST_CASE("tf32 operands are cut before they are multiplied") {
  const MmaModel &m = model("sm_90", MmaElement::Tf32);
  CHECK(chunk(m, {1.0f + 0x1p-10f - 0x1p-23f}, {1.0f}, 0.0f) == 1.0f);
  CHECK(chunk(m, {1.0f + 0x1p-10f}, {1.0f}, 0.0f) == 1.0f + 0x1p-10f);
  // So a NaN with low bits alone is an infinity.
  CHECK(chunk(m, {floatFromBits(0x7f801fff)}, {-2.0f}, 0.0f) == -INFINITY);
  CHECK(std::isnan(chunk(m, {floatFromBits(0x7f802000)}, {-2.0f}, 0.0f)));
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

// mma.sync
// ---------------------------------------------------------------------

static MmaOperation sync(unsigned capability, MmaElement a, MmaElement b,
                         MmaSum sum) {
  std::optional<MmaOperation> operation = mmaSync(capability, a, b, sum);
  REQUIRE(operation);
  return *operation;
}

TEST_CASE("which row a card's mma.sync follows") {
  using E = MmaElement;
  auto name = [](unsigned capability, E element) {
    return sync(capability, element, element, MmaSum::F32).model->name;
  };
  CHECK(name(80, E::F16) == "sm_80");
  CHECK(name(86, E::Tf32) == "sm_80");
  CHECK(name(89, E::Bf16) == "sm_80");
  CHECK(name(89, E::F8E4M3) == "sm_89");
  CHECK(name(90, E::Bf16) == "sm_90");
  CHECK(name(120, E::F8E5M2) == "sm_100");
  // f8 on sm_90 goes by f16.
  MmaOperation f8 = sync(90, E::F8E4M3, E::F8E5M2, MmaSum::F32);
  CHECK(f8.widens);
  CHECK(f8.model == findMmaModel("sm_90", E::F16));
  CHECK_FALSE(mmaSync(80, E::F8E4M3, E::F8E4M3, MmaSum::F32));
  CHECK_FALSE(mmaSync(75, E::F16, E::F16, MmaSum::F32));
  CHECK_FALSE(mmaSync(90, E::F16, E::Bf16, MmaSum::F32));
  CHECK_FALSE(mmaSync(90, E::F16, E::F8E4M3, MmaSum::F32));
}

TEST_CASE("f16 accumulators round to nearest even") {
  MmaOperation operation =
      sync(90, MmaElement::F16, MmaElement::F16, MmaSum::F16);
  auto step = [&](std::vector<float> a, std::vector<float> b, float c) {
    return mmaStep(operation, a.data(), b.data(), int(a.size()), c);
  };
  CHECK(step({0x1p-5f}, {0x1p-6f}, 1.0f) == 1.0f); // a tie
  CHECK(step({0x1p-5f}, {0x1p-6f}, 1 + 0x1p-10f) == 1 + 0x1p-9f);
  CHECK(step({0x1p-5f, 0x1p-12f}, {0x1p-6f, 0x1p-12f}, 1.0f) == 1 + 0x1p-10f);
  CHECK(step({0x1p-5f, 0x1p-13f}, {0x1p-6f, 0x1p-13f}, 1.0f) == 1.0f); // cut
  CHECK(step({256}, {256}, 65504.0f) == INFINITY);
  CHECK(step({16}, {0.5f}, 65504.0f) == 65504.0f);
  CHECK(step({4}, {4}, 65504.0f) == INFINITY); // the tie beyond the largest
  // Denormal results, and what is left of a tie: terms below 2^-14 are aligned
  // to 2^-21, where 2^-46 is the last bit.
  CHECK(step({0x1p-12f}, {0x1p-12f}, 0.0f) == 0x1p-24f);
  CHECK(step({0x1p-12f}, {0x1p-13f}, 0.0f) == 0.0f);
  CHECK(step({0x1p-12f, 0x1p-23f}, {0x1p-13f, 0x1p-23f}, 0.0f) == 0x1p-24f);
  CHECK(step({0x1p-12f, 0x1p-24f}, {0x1p-13f, 0x1p-23f}, 0.0f) == 0.0f);
  // A result that rounds to zero is +0.
  CHECK(bitsOf(step({-0x1p-15f}, {0x1p-15f}, 0.0f)) == 0);
}

TEST_CASE("mma.sync of f8 on sm_90 is two f16 chunks and an addition") {
  using E = MmaElement;
  MmaOperation operation = sync(90, E::F8E4M3, E::F8E4M3, MmaSum::F32);
  std::vector<float> a(32, 0.0f), ones(32, 1.0f);
  auto element = [&](float c) {
    return mmaSyncElement(operation, a.data(), ones.data(), 32, c);
  };
  // 2^16 and twice 2^-8, which only together reach the last bit of a sum: k = 1
  // and 4 are in the first chunk, k = 2 is not.
  std::vector<float> b(32, 0.0f);
  a[0] = b[0] = 256;
  a[1] = b[1] = a[2] = b[2] = 0x1p-4f;
  CHECK(mmaSyncElement(operation, a.data(), b.data(), 32, 0) == 0x1p16f);
  std::swap(a[2], a[4]);
  std::swap(b[2], b[4]);
  CHECK(mmaSyncElement(operation, a.data(), b.data(), 32, 0) ==
        0x1p16f + 0x1p-7f);
  // From zero, so that a large accumulator does not push anything out; and to
  // the nearest.
  std::fill(a.begin(), a.end(), 0.0f);
  for (int k = 0; k < 32; ++k)
    a[size_t(k)] = 0x1p-4f;
  CHECK(element(0x1p24f) == 0x1p24f + 2);
  CHECK(element(-0x1p24f) == -0x1p24f + 2);
  a[31] = 0;
  CHECK(element(0x1p25f) == 0x1p25f);
  CHECK(element(0x1p24f) == 0x1p24f + 2); // 1.9375
  CHECK(bitsOf(element(NAN)) == kCanonicalNanF32);
}

namespace {

struct TileRow {
  unsigned capability;
  MmaElement a, b;
  MmaSum sum;
  int k;
};

/// Tiles of any bits; by turns without specials, with small numbers, with many
/// zeros.
class TileMaker {
public:
  explicit TileMaker(const TileRow &row) : row(row) {}

  MmaTile make(int turn) {
    MmaTile tile;
    tile.k = row.k;
    for (auto &line : tile.a)
      std::generate_n(line, row.k, [&] { return value(row.a, turn); });
    for (int k = 0; k < row.k; ++k)
      std::generate_n(tile.b[k], 8, [&] { return value(row.b, turn); });
    MmaElement c = row.sum == MmaSum::F16 ? MmaElement::F16 : MmaElement::Tf32;
    for (auto &line : tile.c)
      std::generate_n(line, 8, [&] { return value(c, turn); });
    return tile;
  }

private:
  float any(MmaElement element) {
    uint32_t bits = generator();
    switch (element) {
    case MmaElement::F16:
      return fromF16(uint16_t(bits));
    case MmaElement::Bf16:
      return fromBf16(uint16_t(bits));
    case MmaElement::Tf32:
      return floatFromBits(bits);
    case MmaElement::F8E4M3:
      return fromF8E4M3(uint8_t(bits));
    case MmaElement::F8E5M2:
      return fromF8E5M2(uint8_t(bits));
    }
    return 0;
  }
  float value(MmaElement element, int turn) {
    float x = any(element);
    if (turn % 4 == 1 && !(std::fabs(x) < 100))
      x = 1;
    if (turn % 4 == 2 && !(std::fabs(x) < 0x1p-10f))
      x = 0;
    return turn % 4 == 3 && generator() % 4 ? -0.0f : x;
  }

  const TileRow &row;
  std::mt19937 generator{11};
};

} // namespace

/// The elements of a tile that mmaSyncElement gives other bits.
static size_t elementsThatDiffer(const MmaOperation &operation,
                                 const MmaTile &tile) {
  MmaTile result = tile;
  mmaSyncTile(operation, result);
  size_t wrong = 0;
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 8; ++n) {
      float column[MmaTile::kMostK];
      for (int k = 0; k < tile.k; ++k)
        column[k] = tile.b[k][n];
      float expected =
          mmaSyncElement(operation, tile.a[m], column, tile.k, tile.c[m][n]);
      wrong += bitsOf(expected) != bitsOf(result.c[m][n]);
    }
  return wrong;
}

TEST_CASE("a tile is its elements") {
  using E = MmaElement;
  const TileRow rows[] = {
      {80, E::F16, E::F16, MmaSum::F16, 16},
      {80, E::Tf32, E::Tf32, MmaSum::F32, 8},
      {89, E::F8E4M3, E::F8E5M2, MmaSum::F16, 32},
      {90, E::F16, E::F16, MmaSum::F32, 8},
      {90, E::F16, E::F16, MmaSum::F16, 16},
      {90, E::Bf16, E::Bf16, MmaSum::F32, 16},
      {90, E::Tf32, E::Tf32, MmaSum::F32, 4},
      {90, E::F8E5M2, E::F8E4M3, MmaSum::F32, 32},
      {90, E::F8E5M2, E::F8E5M2, MmaSum::F16, 16},
      {120, E::F8E4M3, E::F8E4M3, MmaSum::F32, 32},
  };
  for (const TileRow &row : rows) {
    INFO(row.capability << " element " << int(row.a) << " k " << row.k);
    TileMaker maker(row);
    size_t wrong = 0;
    for (int turn = 0; turn < 60; ++turn)
      wrong += elementsThatDiffer(sync(row.capability, row.a, row.b, row.sum),
                                  maker.make(turn));
    CHECK(wrong == 0);
  }
}

TEST_CASE("integer elements") {
  std::vector<int16_t> a(32, 127), b(32, 127);
  CHECK(mmaSyncElementInteger(a.data(), b.data(), 32, 5, false) ==
        32 * 127 * 127 + 5);
  CHECK(mmaSyncElementInteger(a.data(), b.data(), 32, 0x7fffffff, true) ==
        0x7fffffff);
  CHECK(mmaSyncElementInteger(a.data(), b.data(), 1, 0x7fffffff, false) ==
        int32_t(0x80003f00));
  b[0] = -128;
  CHECK(mmaSyncElementInteger(a.data(), b.data(), 1,
                              std::numeric_limits<int32_t>::min(),
                              true) == std::numeric_limits<int32_t>::min());
  // Clamped once, at the end: not between 127 * 127 and -128 * 127.
  a = {127, -128};
  b = {127, 127};
  CHECK(mmaSyncElementInteger(a.data(), b.data(), 2, 0x7fffffff - 100, true) ==
        0x7fffffff - 100 - (16256 - 16129));
}

TEST_CASE("f64 elements are a chain of fused multiply-adds") {
  double x = 1 + 0x1p-52;
  CHECK(mmaSyncElementF64(&x, &x, 1, -(1 + 0x1p-51)) == 0x1p-104);
  // In the order of k: 1 is lost in 2^60.
  std::vector<double> a = {1, 0x1p60, -0x1p60}, ones = {1, 1, 1};
  CHECK(mmaSyncElementF64(a.data(), ones.data(), 3, 0) == 0);
  a = {0x1p60, -0x1p60, 1};
  CHECK(mmaSyncElementF64(a.data(), ones.data(), 3, 0) == 1);
  // inf - inf: the NaN with its sign set.
  a = {INFINITY, -INFINITY, 0};
  CHECK(bitsOf(mmaSyncElementF64(a.data(), ones.data(), 3, 0)) ==
        0xfff8000000000000);
}
