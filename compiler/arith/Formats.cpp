//===- Formats.cpp - exact conversions between float formats --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Formats.h"

#include <cstdlib>

namespace girih::arith {

namespace {

/// A binary format of at most 16 bits, sign first. Codes are magnitudes: bits
/// without the sign.
struct NarrowFormat {
  int signShift;
  int fractionBits;
  int bias;
  uint32_t largestFinite; ///< code
  uint32_t infinity;      ///< code that infinity and overflow give
  uint32_t nan;           ///< bits

  constexpr int smallestExponent() const { return 1 - bias; }
};

constexpr NarrowFormat kF16{15, 10, 15, 0x7bff, 0x7c00, kCanonicalNanF16};
constexpr NarrowFormat kBf16{15, 7, 127, 0x7f7f, 0x7f80, kCanonicalNanBf16};
// Saturating formats name their largest finite value as the overflow code.
constexpr NarrowFormat kF8E4M3{7, 3, 7, 0x7e, 0x7e, kCanonicalNanF8E4M3};
constexpr NarrowFormat kF8E5M2{7, 2, 15, 0x7b, 0x7b, kCanonicalNanF8E5M2};

} // namespace

static uint32_t narrow(double value, const NarrowFormat &format) {
  if (value != value)
    return format.nan;
  uint64_t bits = bitsOf(value);
  uint32_t sign = uint32_t(bits >> 63) << format.signShift;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  int field = int((bits >> 52) & 0x7ff);
  if (field == 0x7ff)
    return sign | format.infinity;
  // Zero, or a double denormal: far below half of any narrow denormal.
  if (field == 0)
    return sign;

  // value = significand * 2^(exponent - 52), significand in [2^52, 2^53).
  uint64_t significand = fraction | (uint64_t(1) << 52);
  int exponent = field - 1023;
  int smallest = format.smallestExponent();
  bool denormal = exponent < smallest;
  int dropped = 52 - format.fractionBits + (denormal ? smallest - exponent : 0);
  if (dropped > 54) // less than half of the smallest denormal
    return sign;
  uint64_t kept = significand >> dropped;
  uint64_t rest = significand & ((uint64_t(1) << dropped) - 1);
  uint64_t half = uint64_t(1) << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1) != 0))
    ++kept;
  // A carry out of the fraction moves into the exponent field by itself, both
  // from denormal to normal and from one binade to the next. A normal `kept`
  // has its leading one at the field's lowest bit, hence bias - 1.
  uint64_t code = kept;
  if (!denormal)
    code += uint64_t(exponent + format.bias - 1) << format.fractionBits;
  if (code > format.largestFinite)
    code = format.infinity;
  return sign | uint32_t(code);
}

/// For codes that are neither infinity nor NaN.
static float widen(uint32_t bits, const NarrowFormat &format) {
  uint32_t sign = (bits >> format.signShift) << 31;
  uint32_t code = bits & ((1u << format.signShift) - 1);
  uint32_t field = code >> format.fractionBits;
  uint32_t fraction = code & ((1u << format.fractionBits) - 1);
  if (field == 0) {
    // A small integer times a power of two that f32 holds: exact.
    int scale = format.smallestExponent() - format.fractionBits;
    float magnitude =
        float(fraction) * floatFromBits(uint32_t(scale + 127) << 23);
    return floatFromBits(sign | bitsOf(magnitude));
  }
  return floatFromBits(sign | (field + 127 - format.bias) << 23 |
                       fraction << (23 - format.fractionBits));
}

uint16_t toF16(double value) { return uint16_t(narrow(value, kF16)); }
uint16_t toBf16(double value) { return uint16_t(narrow(value, kBf16)); }
uint8_t toF8E4M3(double value) { return uint8_t(narrow(value, kF8E4M3)); }
uint8_t toF8E5M2(double value) { return uint8_t(narrow(value, kF8E5M2)); }

/// Rounds off the low `dropped` bits of finite or infinite f32 bits, to nearest
/// even. Infinity stays: its fraction is zero; a carry may reach it.
static uint32_t roundLowBits(uint32_t bits, int dropped) {
  uint32_t odd = (bits >> dropped) & 1;
  uint32_t justBelowHalf = (1u << (dropped - 1)) - 1;
  return ((bits + justBelowHalf + odd) >> dropped) << dropped;
}

uint16_t toBf16(float value) {
  if (value != value)
    return kCanonicalNanBf16;
  return uint16_t(roundLowBits(bitsOf(value), 16) >> 16);
}

float fromF16(uint16_t bits) {
  uint32_t code = bits & 0x7fff;
  if (code > kF16.infinity)
    return floatFromBits(kCanonicalNanF32);
  if (code == kF16.infinity)
    return floatFromBits(uint32_t(bits >> 15) << 31 | 0x7f800000);
  return widen(bits, kF16);
}

float fromBf16(uint16_t bits) {
  if ((bits & 0x7fff) > kBf16.infinity)
    return floatFromBits(kCanonicalNanF32);
  return floatFromBits(uint32_t(bits) << 16);
}

float fromF8E4M3(uint8_t bits) {
  if ((bits & 0x7f) == 0x7f)
    return floatFromBits(kCanonicalNanF32);
  return widen(bits, kF8E4M3);
}

float fromF8E5M2(uint8_t bits) {
  uint32_t code = bits & 0x7f;
  if (code > 0x7c)
    return floatFromBits(kCanonicalNanF32);
  if (code == 0x7c)
    return floatFromBits(uint32_t(bits >> 7) << 31 | 0x7f800000);
  return widen(bits, kF8E5M2);
}

float roundToTf32(float value) {
  if (value != value)
    return floatFromBits(kCanonicalNanF32);
  return floatFromBits(roundLowBits(bitsOf(value), 13));
}

float truncateToTf32(float value) {
  return floatFromBits(bitsOf(value) & ~uint32_t(0x1fff));
}

int64_t ulpDistance(float a, float b) {
  bool aIsNan = a != a, bIsNan = b != b;
  if (aIsNan || bIsNan)
    return aIsNan && bIsNan ? 0 : int64_t(1) << 32;
  return std::llabs(orderedBits(a) - orderedBits(b));
}

float ulpOf(float value) {
  uint32_t field = (bitsOf(value) >> 23) & 0xff;
  if (field == 0xff)
    return floatFromBits(kCanonicalNanF32);
  if (field == 0)
    field = 1;
  if (field > 23)
    return floatFromBits((field - 23) << 23);
  return floatFromBits(1u << (field - 1)); // the spacing itself is denormal
}

/// nextUp on sign-magnitude bits whose infinity is `infinity`.
static uint32_t stepUp(uint32_t bits, uint32_t signBit, uint32_t infinity,
                       uint32_t nan) {
  uint32_t magnitude = bits & (signBit - 1);
  if (magnitude > infinity)
    return nan;
  if (magnitude == 0)
    return 1;
  if (bits & signBit)
    return bits - 1; // towards zero; the smallest denormal steps to -0
  return magnitude == infinity ? bits : bits + 1;
}

/// nextDown(x) = -nextUp(-x).
static uint32_t stepDown(uint32_t bits, uint32_t signBit, uint32_t infinity,
                         uint32_t nan) {
  if ((bits & (signBit - 1)) > infinity)
    return nan;
  return stepUp(bits ^ signBit, signBit, infinity, nan) ^ signBit;
}

static constexpr uint32_t kSignF32 = 0x80000000, kInfinityF32 = 0x7f800000;
static constexpr uint32_t kSign16 = 0x8000;

float nextUp(float value) {
  return floatFromBits(
      stepUp(bitsOf(value), kSignF32, kInfinityF32, kCanonicalNanF32));
}
float nextDown(float value) {
  return floatFromBits(
      stepDown(bitsOf(value), kSignF32, kInfinityF32, kCanonicalNanF32));
}
uint16_t nextUpF16(uint16_t bits) {
  return uint16_t(stepUp(bits, kSign16, kF16.infinity, kF16.nan));
}
uint16_t nextDownF16(uint16_t bits) {
  return uint16_t(stepDown(bits, kSign16, kF16.infinity, kF16.nan));
}
uint16_t nextUpBf16(uint16_t bits) {
  return uint16_t(stepUp(bits, kSign16, kBf16.infinity, kBf16.nan));
}
uint16_t nextDownBf16(uint16_t bits) {
  return uint16_t(stepDown(bits, kSign16, kBf16.infinity, kBf16.nan));
}

} // namespace girih::arith
