//===- MmaModel.cpp - how tensor cores add up a chunk ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/MmaModel.h"
#include "compiler/arith/Formats.h"
#include "compiler/arith/MmaParts.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace girih::arith {

// Sources: MMA-Sim (github.com/microsoft/MMA-Sim, arXiv 2511.10909), which
// recovers these figures by probing silicon; Khattak and Mikaitis (arXiv
// 2512.07004) find the same independently.
//
// sm_90 is proved: test/gpu/mma_silicon compared every form of mma.sync and
// wgmma of these types, with f32 and f16 accumulators, on an H200, 15400 tiles
// of each form, and every element has the model's bits. The figures are as
// published; what differs from the publications is what zeros do (they take no
// part in the alignment, whichever exponent stands beside them; published: they
// count as 2^-126), the least exponent of the alignment, that -0 never comes
// out, and tf32 NaNs. Also compared: f64, integers, bits (mmaSyncElement...).
// The other rows are published figures that we could not compare.
//
// sm_80 runs its k16 (tf32: k8) instruction as two steps of half the length, as
// does sm_89 its f8 instructions. sm_90's f16 and bf16 rows hold for wgmma and
// mma.sync; its f8 rows for wgmma only, see MmaOperation::widens.
static constexpr MmaModel kModels[] = {
    {"sm_80", MmaElement::F16, "mma.sync m16n8k16", 8, 24, 23, false},
    {"sm_80", MmaElement::Bf16, "mma.sync m16n8k16", 8, 24, 23, false},
    {"sm_80", MmaElement::Tf32, "mma.sync m16n8k8", 4, 24, 23, false},
    {"sm_89", MmaElement::F8E4M3, "mma.sync m16n8k32", 16, 13, 13, false},
    {"sm_89", MmaElement::F8E5M2, "mma.sync m16n8k32", 16, 13, 13, false},
    {"sm_90", MmaElement::F16, "wgmma k16, mma.sync m16n8k16", 16, 25, 23,
     true},
    {"sm_90", MmaElement::Bf16, "wgmma k16, mma.sync m16n8k16", 16, 25, 23,
     true},
    {"sm_90", MmaElement::Tf32, "wgmma k8, mma.sync m16n8k8", 8, 25, 23, true},
    {"sm_90", MmaElement::F8E4M3, "wgmma k32", 32, 13, 13, true},
    {"sm_90", MmaElement::F8E5M2, "wgmma k32", 32, 13, 13, true},
    {"sm_100", MmaElement::F16, "mma.sync m16n8k16", 16, 25, 23, false},
    {"sm_100", MmaElement::Bf16, "mma.sync m16n8k16", 16, 25, 23, false},
    {"sm_100", MmaElement::Tf32, "mma.sync m16n8k8", 8, 25, 23, false},
    {"sm_100", MmaElement::F8E4M3, "mma.sync m16n8k32", 32, 25, 23, false},
    {"sm_100", MmaElement::F8E5M2, "mma.sync m16n8k32", 32, 25, 23, false},
};

/// 128 bits hold 33 terms of up to 2 + fractionBits bits with room to spare,
/// and every product of two f32 significands.
using Wide = unsigned __int128;
using SignedWide = __int128;

namespace {

/// magnitude * 2^(exponent - fraction), as a tensor core sees a finite value.
struct Unpacked {
  bool negative = false;
  int exponent = 0;
  Wide magnitude = 0;
};

} // namespace

static constexpr int kFraction = 23; ///< fraction bits of an unpacked operand

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

float mmaStep(const MmaOperation &operation, const float *a, const float *b,
              int kc, float c) {
  constexpr int kLongestChunk = 64;
  const MmaModel &model = *operation.model;
  assert(kc >= 0 && kc <= model.kc && model.kc <= kLongestChunk);
  assert(model.fractionBits <= 2 * kFraction && !operation.widens);
  float cut[2][kLongestChunk];
  if (operation.a == MmaElement::Tf32) {
    std::transform(a, a + kc, cut[0], truncateToTf32);
    std::transform(b, b + kc, cut[1], truncateToTf32);
    a = cut[0];
    b = cut[1];
  }
  float special = 0;
  if (specialResult(a, b, kc, c, special))
    return special;

  int smallestA = smallestExponent(operation.a);
  int smallestB = smallestExponent(operation.b);
  Unpacked accumulator = unpack(c, smallestExponent(operation.sum));
  Unpacked products[kLongestChunk];
  int largest = std::max(accumulator.exponent, leastAlignment(operation.sum));
  for (int k = 0; k < kc; ++k) {
    Unpacked x = unpack(a[k], smallestA), y = unpack(b[k], smallestB);
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
  int unit = largest - model.fractionBits;
  if (operation.sum ==
      MmaSum::F16) // the sum has fewer than 53 bits; -0 becomes +0
    return fromF16(toF16(std::ldexp(double(int64_t(sum)), unit))) + 0.0f;
  return roundTowardZero(sum, unit, model.resultFractionBits);
}

float mmaChunk(const MmaModel &model, const float *a, const float *b, int kc,
               float c) {
  return mmaStep({&model, model.element, model.element}, a, b, kc, c);
}

float mmaChain(const MmaModel &model, const float *a, const float *b, int64_t n,
               float c) {
  for (int64_t k = 0; k < n; k += model.kc)
    c = mmaChunk(model, a + k, b + k, int(std::min<int64_t>(model.kc, n - k)),
                 c);
  return c;
}

std::optional<MmaOperation> mmaSync(unsigned capability, MmaElement a,
                                    MmaElement b, MmaSum sum) {
  auto isF8 = [](MmaElement element) {
    return element == MmaElement::F8E4M3 || element == MmaElement::F8E5M2;
  };
  auto row = [](std::string_view name, MmaElement element) {
    return findMmaModel(name, element);
  };
  if (capability < 80 || isF8(a) != isF8(b) || (!isF8(a) && a != b))
    return std::nullopt;
  if (capability >= 100)
    return MmaOperation{row("sm_100", a), a, b, sum};
  if (!isF8(a))
    return MmaOperation{row(capability >= 90 ? "sm_90" : "sm_80", a), a, b,
                        sum};
  if (capability >= 90)
    return MmaOperation{row("sm_90", MmaElement::F16), a, b, sum, true};
  if (capability == 89)
    return MmaOperation{row("sm_89", a), a, b, sum};
  return std::nullopt;
}

/// Chunks of the model's length or the instruction's, in order.
static float chain(const MmaOperation &operation, const float *a,
                   const float *b, int n, float c) {
  for (int k = 0; k < n; k += operation.model->kc)
    c = mmaStep(operation, a + k, b + k, std::min(operation.model->kc, n - k),
                c);
  return c;
}

float mmaSyncElement(const MmaOperation &operation, const float *a,
                     const float *b, int k, float c) {
  if (!operation.widens)
    return chain(operation, a, b, k, c);
  MmaOperation half = {operation.model, MmaElement::F16, MmaElement::F16,
                       operation.sum};
  float sum = 0;
  for (int part = 0; part < 2; ++part) {
    float x[64], y[64];
    int n = 0;
    for (int i = 0; i < k; ++i)
      if ((i % 4 < 2) == (part == 0)) {
        x[n] = a[i];
        y[n++] = b[i];
      }
    assert(n <= operation.model->kc);
    sum = mmaStep(half, x, y, n, sum);
  }
  float total = operation.sum == MmaSum::F16
                    ? fromF16(toF16(double(sum) + double(c)))
                    : sum + c;
  return std::isnan(total) ? floatFromBits(kCanonicalNanF32) : total;
}

/// a * b + c with the NaN that tensor cores give: b's, else c's, else a's, made
/// quiet; else the one with the sign set.
static double fusedF64(double a, double b, double c) {
  double result = std::fma(a, b, c);
  if (!std::isnan(result))
    return result;
  constexpr uint64_t kQuiet = 0x0008000000000000;
  for (double operand : {b, c, a})
    if (std::isnan(operand))
      return doubleFromBits(bitsOf(operand) | kQuiet);
  return doubleFromBits(0xfff8000000000000);
}

double mmaSyncElementF64(const double *a, const double *b, int k, double c) {
  for (int i = 0; i < k; ++i)
    c = fusedF64(a[i], b[i], c);
  return c;
}

int32_t mmaSyncElementInteger(const int16_t *a, const int16_t *b, int k,
                              int32_t c, bool saturates) {
  int32_t products = 0; // at most 64 of 16 bits
  for (int i = 0; i < k; ++i)
    products += a[i] * b[i];
  int64_t sum = int64_t(c) + products;
  if (saturates)
    sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                              std::numeric_limits<int32_t>::max());
  return int32_t(uint32_t(uint64_t(sum)));
}

} // namespace girih::arith
