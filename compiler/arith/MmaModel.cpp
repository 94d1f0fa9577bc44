//===- MmaModel.cpp - how tensor cores add up a chunk ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/MmaModel.h"
#include "compiler/arith/Formats.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace girih::arith {

// Sources: MMA-Sim (github.com/microsoft/MMA-Sim, arXiv 2511.10909), which
// recovers these figures by probing silicon; Khattak and Mikaitis (arXiv
// 2512.07004) find the same independently. Published figures, not yet compared
// with a device by us: no row is proved.
//
// sm_80 runs its k16 (tf32: k8) instruction as two steps of half the length.
// sm_90's f16 and bf16 rows hold for wgmma and mma.sync; its f8 rows for wgmma
// only, since mma.sync widens f8 to f16 first.
static constexpr MmaModel kModels[] = {
    {"sm_80", MmaElement::F16, "mma.sync m16n8k16", 8, 24, 23, false},
    {"sm_80", MmaElement::Bf16, "mma.sync m16n8k16", 8, 24, 23, false},
    {"sm_80", MmaElement::Tf32, "mma.sync m16n8k8", 4, 24, 23, false},
    {"sm_90", MmaElement::F16, "wgmma k16, mma.sync m16n8k16", 16, 25, 23,
     false},
    {"sm_90", MmaElement::Bf16, "wgmma k16, mma.sync m16n8k16", 16, 25, 23,
     false},
    {"sm_90", MmaElement::Tf32, "wgmma k8, mma.sync m16n8k8", 8, 25, 23, false},
    {"sm_90", MmaElement::F8E4M3, "wgmma k32", 32, 13, 13, false},
    {"sm_90", MmaElement::F8E5M2, "wgmma k32", 32, 13, 13, false},
};

/// 128 bits hold 33 terms of up to 2 + fractionBits bits with room to spare,
/// and every product of two f32 significands.
using Wide = unsigned __int128;
using SignedWide = __int128;

static int smallestExponent(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
  case MmaElement::F8E5M2:
    return -14;
  case MmaElement::F8E4M3:
    return -6;
  case MmaElement::Bf16:
  case MmaElement::Tf32:
    return -126;
  }
  return -126;
}

namespace {

/// magnitude * 2^(exponent - fraction), as a tensor core sees a finite value.
struct Unpacked {
  bool negative = false;
  int exponent = 0;
  Wide magnitude = 0;
};

} // namespace

static constexpr int kFraction = 23; ///< fraction bits of an unpacked operand
static constexpr int kExponentOfZero = -126;

/// A finite f32 that is a value of a type whose smallest exponent is given.
static Unpacked unpack(float value, int smallest) {
  uint32_t bits = bitsOf(value);
  Unpacked result;
  result.negative = bits >> 31;
  uint32_t fraction = bits & 0x7fffff;
  int field = int((bits >> 23) & 0xff);
  if (field == 0 && fraction == 0) {
    result.exponent = kExponentOfZero;
    return result;
  }
  result.exponent = field == 0 ? -126 : field - 127;
  result.magnitude = field == 0 ? fraction : fraction | 0x800000;
  // A denormal of the operand's type has no leading one at its exponent. The
  // bits shifted out are zero, because the value belongs to the type.
  if (result.exponent < smallest) {
    result.magnitude >>= std::min(smallest - result.exponent, 127);
    result.exponent = smallest;
  }
  return result;
}

/// magnitude * 2^shift, cut toward zero.
static Wide scaled(Wide magnitude, int shift) {
  if (shift >= 0) {
    assert(shift < 64 && magnitude >> 60 == 0);
    return magnitude << shift;
  }
  return -shift >= 128 ? 0 : magnitude >> -shift;
}

static int highestBit(Wide value) {
  uint64_t high = uint64_t(value >> 64);
  return high ? 127 - std::countl_zero(high)
              : 63 - std::countl_zero(uint64_t(value));
}

/// sum * 2^unit rounded toward zero to f32 with `fractionBits` fraction bits.
static float roundTowardZero(SignedWide sum, int unit, int fractionBits) {
  bool negative = sum < 0;
  Wide magnitude = negative ? Wide(-sum) : Wide(sum);
  if (magnitude == 0)
    return 0.0f;
  int exponent = std::max(highestBit(magnitude) + unit, -126);
  int dropped = exponent - fractionBits - unit;
  if (dropped > 0) {
    magnitude = dropped >= 128 ? 0 : magnitude >> dropped;
    unit += dropped;
  }
  if (magnitude == 0)
    return 0.0f;
  float result = exponent > 127
                     ? std::numeric_limits<float>::infinity()
                     // At most 24 bits above 2^-149: every step is exact.
                     : float(std::ldexp(double(uint64_t(magnitude)), unit));
  return negative ? -result : result;
}

/// The result when some operand is not finite; nothing is rounded then, and
/// the terms' values do not matter, only which infinities and NaNs occur.
static bool specialResult(const float *a, const float *b, int kc, float c,
                          float &result) {
  bool nan = std::isnan(c), plus = false, minus = false;
  auto note = [&](double term) {
    nan = nan || std::isnan(term);
    plus = plus || term == std::numeric_limits<double>::infinity();
    minus = minus || term == -std::numeric_limits<double>::infinity();
  };
  note(c);
  for (int k = 0; k < kc; ++k)
    note(double(a[k]) * double(b[k])); // a finite product never overflows f64
  if (nan || (plus && minus))
    result = floatFromBits(kCanonicalNanF32);
  else if (plus || minus)
    result = plus ? std::numeric_limits<float>::infinity()
                  : -std::numeric_limits<float>::infinity();
  return nan || plus || minus;
}

std::span<const MmaModel> mmaModels() { return kModels; }

const MmaModel *findMmaModel(std::string_view name, MmaElement element) {
  for (const MmaModel &model : kModels)
    if (model.name == name && model.element == element)
      return &model;
  return nullptr;
}

float mmaChunk(const MmaModel &model, const float *a, const float *b, int kc,
               float c) {
  constexpr int kLongestChunk = 64;
  assert(kc >= 0 && kc <= model.kc && model.kc <= kLongestChunk);
  assert(model.fractionBits <= 2 * kFraction);
  float special = 0;
  if (specialResult(a, b, kc, c, special))
    return special;

  int smallest = smallestExponent(model.element);
  Unpacked accumulator = unpack(c, -126);
  Unpacked products[kLongestChunk];
  int largest = accumulator.exponent;
  for (int k = 0; k < kc; ++k) {
    bool isTf32 = model.element == MmaElement::Tf32;
    Unpacked x = unpack(isTf32 ? truncateToTf32(a[k]) : a[k], smallest);
    Unpacked y = unpack(isTf32 ? truncateToTf32(b[k]) : b[k], smallest);
    products[k] = {x.negative != y.negative, x.exponent + y.exponent,
                   x.magnitude * y.magnitude};
    largest = std::max(largest, products[k].exponent);
  }

  SignedWide sum = 0;
  auto add = [&](const Unpacked &term, int fraction) {
    SignedWide cut =
        SignedWide(scaled(term.magnitude, model.fractionBits - fraction +
                                              term.exponent - largest));
    sum += term.negative ? -cut : cut;
  };
  add(accumulator, kFraction);
  for (int k = 0; k < kc; ++k)
    add(products[k], 2 * kFraction);
  return roundTowardZero(sum, largest - model.fractionBits,
                         model.resultFractionBits);
}

float mmaChain(const MmaModel &model, const float *a, const float *b, int64_t n,
               float c) {
  for (int64_t k = 0; k < n; k += model.kc)
    c = mmaChunk(model, a + k, b + k, int(std::min<int64_t>(model.kc, n - k)),
                 c);
  return c;
}

} // namespace girih::arith
