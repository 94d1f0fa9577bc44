//===- FormatsTest.cpp - conversions against a slow definition ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Formats.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

using namespace girih::arith;

namespace {

/// A format by its definition: the list of its non-negative finite values, in
/// order, so that code c is values[c]. Rounding is a search for the nearest.
class ByTable {
public:
  ByTable(int exponentBits, int fractionBits, int bias, unsigned finiteCodes,
          bool saturates, unsigned nan, unsigned sign)
      : saturates(saturates), nan(nan), sign(sign) {
    (void)exponentBits;
    unsigned perBinade = 1u << fractionBits;
    // One value past the largest finite one: where rounding would go if the
    // exponent had no end. Overflow is rounding to it.
    for (unsigned code = 0; code <= finiteCodes; ++code) {
      unsigned field = code / perBinade, fraction = code % perBinade;
      double significand = double(fraction) / perBinade;
      values.push_back(field == 0
                           ? std::ldexp(significand, 1 - bias)
                           : std::ldexp(1 + significand, int(field) - bias));
    }
  }

  double valueOf(unsigned code) const { return values[code]; }
  unsigned finiteCodes() const { return unsigned(values.size()) - 1; }

  unsigned round(double x) const {
    if (std::isnan(x))
      return nan;
    return (std::signbit(x) ? sign : 0) | magnitude(std::fabs(x));
  }

private:
  unsigned magnitude(double x) const {
    unsigned past = finiteCodes();
    unsigned code;
    if (x >= values[past]) {
      code = past;
    } else {
      unsigned above = unsigned(
          std::upper_bound(values.begin(), values.end(), x) - values.begin());
      unsigned below = above - 1;
      double down = x - values[below], up = values[above] - x;
      code = down < up   ? below
             : up < down ? above
                         : (below % 2 ? above : below);
    }
    return code == past && saturates ? past - 1 : code;
  }

  std::vector<double> values;
  bool saturates;
  unsigned nan, sign;
};

} // namespace

static const ByTable &f16Table() {
  static const ByTable table(5, 10, 15, 0x7c00, false, 0x7fff, 0x8000);
  return table;
}
static const ByTable &bf16Table() {
  static const ByTable table(8, 7, 127, 0x7f80, false, 0x7fff, 0x8000);
  return table;
}
static const ByTable &e4m3Table() {
  static const ByTable table(4, 3, 7, 0x7f, true, 0x7f, 0x80);
  return table;
}
static const ByTable &e5m2Table() {
  static const ByTable table(5, 2, 15, 0x7c, true, 0x7f, 0x80);
  return table;
}

/// Bit patterns that reach every corner: random ones, and for each narrow value
/// its neighbourhood and the ties on both sides.
static std::vector<float> trickyFloats() {
  std::vector<float> floats = {0.0f,
                               -0.0f,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               -NAN,
                               floatFromBits(0x7f800001),
                               std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::min(),
                               std::numeric_limits<float>::max()};
  std::mt19937 generator(20261130);
  for (int i = 0; i < 1000000; ++i)
    floats.push_back(floatFromBits(generator()));
  // Random patterns rarely fall into f16's range: move the exponent there.
  for (int i = 0; i < 300000; ++i)
    floats.push_back(floatFromBits((generator() & 0x807fffff) |
                                   (100 + generator() % 45) << 23));
  for (const ByTable *table : {&f16Table(), &bf16Table()})
    for (unsigned code = 0; code < table->finiteCodes(); ++code) {
      double tie = (table->valueOf(code) + table->valueOf(code + 1)) / 2;
      float at = float(tie);
      for (float x : {at, nextUp(at), nextDown(at)}) {
        floats.push_back(x);
        floats.push_back(-x);
      }
    }
  return floats;
}

TEST_CASE("f32 to f16, bf16 and f8 equal the nearest table entry") {
  size_t wrong = 0;
  for (float x : trickyFloats()) {
    wrong += toF16(x) != f16Table().round(x);
    wrong += toBf16(x) != bf16Table().round(x);
    wrong += toBf16(double(x)) != bf16Table().round(x);
    wrong += toF8E4M3(x) != e4m3Table().round(x);
    wrong += toF8E5M2(x) != e5m2Table().round(x);
  }
  CHECK(wrong == 0);
}

TEST_CASE("f64 to narrow formats rounds once") {
  std::mt19937_64 generator(5);
  size_t wrong = 0;
  auto compare = [&](double x) {
    wrong += toF16(x) != f16Table().round(x);
    wrong += toBf16(x) != bf16Table().round(x);
    wrong += toF8E4M3(x) != e4m3Table().round(x);
    wrong += toF8E5M2(x) != e5m2Table().round(x);
  };
  for (int i = 0; i < 300000; ++i)
    compare(doubleFromBits(generator()));
  for (int i = 0; i < 300000; ++i)
    compare(std::ldexp(1 + double(generator() >> 12) * 0x1p-52,
                       int(generator() % 60) - 40));
  compare(std::numeric_limits<double>::denorm_min());
  compare(-std::numeric_limits<double>::max());
  CHECK(wrong == 0);

  // Just above a tie of f16; through f32 it would become the tie.
  double x = 1 + 0x1p-11 + 0x1p-40;
  CHECK(toF16(x) == 0x3c01);
  CHECK(toF16(float(x)) == 0x3c00);
  CHECK(toBf16(1 + 0x1p-8 + 0x1p-40) == 0x3f81);
}

TEST_CASE("every f16, bf16 and f8 pattern comes back") {
  size_t wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    uint16_t b = uint16_t(bits);
    bool f16Nan = (b & 0x7fff) > 0x7c00, bf16Nan = (b & 0x7fff) > 0x7f80;
    wrong += toF16(fromF16(b)) != (f16Nan ? kCanonicalNanF16 : b);
    wrong += toBf16(fromBf16(b)) != (bf16Nan ? kCanonicalNanBf16 : b);
    wrong += std::isnan(fromF16(b)) != f16Nan;
    wrong += std::isnan(fromBf16(b)) != bf16Nan;
    wrong += std::isinf(fromF16(b)) != ((b & 0x7fff) == 0x7c00);
  }
  CHECK(wrong == 0);
  for (unsigned bits = 0; bits < 0x100; ++bits) {
    uint8_t b = uint8_t(bits), sign = b & 0x80, code = b & 0x7f;
    INFO(bits);
    CHECK(toF8E4M3(fromF8E4M3(b)) == (code == 0x7f ? kCanonicalNanF8E4M3 : b));
    // The one pattern that a conversion never makes: e5m2's infinity.
    CHECK(toF8E5M2(fromF8E5M2(b)) == (code == 0x7c  ? (sign | 0x7b)
                                      : code > 0x7c ? kCanonicalNanF8E5M2
                                                    : b));
  }
}

TEST_CASE("widening gives the table's values") {
  size_t wrong = 0;
  for (unsigned code = 0; code < 0x7c00; ++code) {
    wrong += fromF16(uint16_t(code)) != f16Table().valueOf(code);
    wrong += fromF16(uint16_t(code | 0x8000)) != -f16Table().valueOf(code);
  }
  for (unsigned code = 0; code < 0x7f80; ++code)
    wrong += fromBf16(uint16_t(code)) != bf16Table().valueOf(code);
  for (unsigned code = 0; code < 0x7f; ++code)
    wrong += fromF8E4M3(uint8_t(code)) != e4m3Table().valueOf(code);
  for (unsigned code = 0; code < 0x7c; ++code)
    wrong += fromF8E5M2(uint8_t(code)) != e5m2Table().valueOf(code);
  CHECK(wrong == 0);
  CHECK(fromF8E4M3(0x7e) == 448.0f);
  CHECK(fromF8E5M2(0x7b) == 57344.0f);
  CHECK(fromF8E5M2(0xfc) == -INFINITY);
  CHECK(bitsOf(fromF16(0x8000)) == 0x80000000);
}

TEST_CASE("published ties of the f8 formats") {
  auto e5m2 = [](float x) { return fromF8E5M2(toF8E5M2(x)); };
  auto e4m3 = [](float x) { return fromF8E4M3(toF8E4M3(x)); };
  CHECK(e5m2(9.0f) == 8.0f);
  CHECK(e5m2(11.0f) == 12.0f);
  CHECK(e5m2(13.0f) == 12.0f);
  CHECK(e5m2(15.0f) == 16.0f);
  CHECK(e5m2(18.0f) == 16.0f);
  CHECK(e5m2(22.0f) == 24.0f);
  CHECK(e5m2(1.125f) == 1.0f);
  CHECK(e5m2(1.375f) == 1.5f);
  CHECK(e5m2(-9.0f) == -8.0f);
  CHECK(e4m3(1.0625001f) == 1.125f);
  CHECK(e4m3(1.0625f) == 1.0f);
  CHECK(e4m3(1e30f) == 448.0f);
  CHECK(e4m3(-INFINITY) == -448.0f);
  CHECK(e5m2(INFINITY) == 57344.0f);
  CHECK(toF8E4M3(NAN) == kCanonicalNanF8E4M3);
  CHECK(toF8E4M3(-NAN) == kCanonicalNanF8E4M3);
}

TEST_CASE("tf32 rounds to nearest even or cuts") {
  CHECK(roundToTf32(1.0f + 0x1p-11f) == 1.0f);
  CHECK(roundToTf32(1.0f + 0x1p-11f + 0x1p-23f) == 1.0f + 0x1p-10f);
  CHECK(roundToTf32(1.0f + 0x3p-11f) == 1.0f + 0x1p-9f);
  CHECK(truncateToTf32(1.0f + 0x1p-10f - 0x1p-23f) == 1.0f);
  CHECK(truncateToTf32(-1.0f - 0x1p-11f) == -1.0f);
  CHECK(roundToTf32(std::numeric_limits<float>::max()) == INFINITY);
  CHECK(roundToTf32(-INFINITY) == -INFINITY);
  CHECK(std::isnan(roundToTf32(floatFromBits(0x7f800001))));
  CHECK(truncateToTf32(floatFromBits(0x7f801fff)) == INFINITY);
  CHECK(std::isnan(truncateToTf32(floatFromBits(0xff802000))));
  CHECK(roundToTf32(0x1p-149f) == 0.0f);
  CHECK(roundToTf32(0x1p-136f) == 0x1p-136f);

  // Any f32 lands on a multiple of its binade's tf32 spacing, at most half a
  // spacing away.
  std::mt19937 generator(3);
  size_t wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    float x = floatFromBits(generator());
    if (!std::isfinite(x) || std::fabs(x) > 0x1.ffep127f)
      continue;
    double rounded = roundToTf32(x), spacing = double(ulpOf(x)) * 8192;
    wrong += bitsOf(float(rounded)) % 8192 != 0;
    wrong += std::fabs(rounded - double(x)) > spacing / 2;
    wrong += std::fabs(double(truncateToTf32(x))) > std::fabs(double(x));
  }
  CHECK(wrong == 0);
}

TEST_CASE("ulp helpers") {
  CHECK(ulpOf(1.0f) == 0x1p-23f);
  CHECK(ulpOf(-1.99f) == 0x1p-23f);
  CHECK(ulpOf(2.0f) == 0x1p-22f);
  CHECK(ulpOf(0.0f) == 0x1p-149f);
  CHECK(ulpOf(0x1p-126f) == 0x1p-149f);
  CHECK(ulpOf(0x1p-125f) == 0x1p-148f);
  CHECK(ulpOf(0x1p-104f) == 0x1p-127f);
  CHECK(ulpOf(0x1p-103f) == 0x1p-126f);
  CHECK(std::isnan(ulpOf(INFINITY)));

  CHECK(nextUp(1.0f) == 1.0f + 0x1p-23f);
  CHECK(nextUp(-0.0f) == 0x1p-149f);
  CHECK(nextDown(0.0f) == -0x1p-149f);
  CHECK(bitsOf(nextUp(-0x1p-149f)) == 0x80000000);
  CHECK(nextUp(std::numeric_limits<float>::max()) == INFINITY);
  CHECK(nextUp(INFINITY) == INFINITY);
  CHECK(nextUp(-INFINITY) == -std::numeric_limits<float>::max());
  CHECK(nextDown(-INFINITY) == -INFINITY);
  CHECK(bitsOf(nextUp(floatFromBits(0xffc00000))) == kCanonicalNanF32);
  std::mt19937 generator(9);
  size_t wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    float x = floatFromBits(generator());
    wrong += !sameValue(nextUp(x), std::nextafter(x, INFINITY));
    wrong += !sameValue(nextDown(x), std::nextafter(x, -INFINITY));
  }
  CHECK(wrong == 0);

  CHECK(nextUpF16(0x3c00) == 0x3c01);
  CHECK(nextUpF16(0x7bff) == 0x7c00);
  CHECK(nextDownF16(0x0000) == 0x8001);
  CHECK(nextDownF16(0x7c00) == 0x7bff);
  CHECK(nextUpBf16(0xbf80) == 0xbf7f);
  CHECK(nextDownBf16(0xff80) == 0xff80);
  CHECK(nextUpBf16(0x7fc0) == kCanonicalNanBf16);

  CHECK(ulpDistance(1.0f, 1.0f + 0x1p-22f) == 2);
  CHECK(ulpDistance(-0.0f, 0.0f) == 0);
  CHECK(ulpDistance(-0x1p-149f, 0x1p-149f) == 2);
  CHECK(ulpDistance(NAN, -NAN) == 0);
  CHECK(ulpDistance(NAN, 1.0f) == int64_t(1) << 32);
  CHECK(orderedBits(-1.0f) < orderedBits(-0.5f));
}

TEST_CASE("equality of the contract") {
  CHECK(sameValue(NAN, floatFromBits(0xffffffff)));
  CHECK_FALSE(sameValue(0.0f, -0.0f));
  CHECK(sameValue(-0.0, -0.0));
  CHECK_FALSE(sameValue(1.0, 1.0 + 0x1p-52));
}

TEST_CASE("max and min of the language") {
  CHECK(bitsOf(maximum(-0.0f, 0.0f)) == 0);
  CHECK(bitsOf(maximum(0.0f, -0.0f)) == 0);
  CHECK(bitsOf(maximum(-0.0f, -0.0f)) == 0x80000000);
  CHECK(bitsOf(minimum(-0.0f, 0.0f)) == 0x80000000);
  CHECK(bitsOf(minimum(0.0f, -0.0f)) == 0x80000000);
  CHECK(bitsOf(minimum(0.0f, 0.0f)) == 0);
  CHECK(std::isnan(maximum(NAN, INFINITY)));
  CHECK(std::isnan(maximum(1.0f, NAN)));
  CHECK(std::isnan(minimum(NAN, -INFINITY)));
  CHECK(std::isnan(minimum(1.0, double(NAN))));
  CHECK(maximum(2.0f, 3.0f) == 3.0f);
  CHECK(minimum(2.0, 3.0) == 2.0);
  CHECK(minimum(-INFINITY, 3.0f) == -INFINITY);
}
