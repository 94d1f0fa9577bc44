//===- HalfMath.h - one lane's f16 and bf16 arithmetic -------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halves are computed in f32. That rounds twice, and yet as if once: sums and
// products have 24 bits or few enough for a second rounding to do no harm
// (24 >= 2 * 11 + 2), and where that is not so (fma) the first rounding is to
// odd, which keeps what the second has to know.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_HALFMATH_H
#define GIRIH_RUNTIME_SIM_HALFMATH_H

#include "runtime/sim/FloatMath.h"

namespace girih::sim {

/// Conversions as in compiler/arith/Formats.h, without branches.
inline float widenF16(uint32_t half) {
  uint32_t code = half & 0x7fff;
  uint32_t denormal = arith::bitsOf(float(int32_t(code)) * 0x1p-24f);
  uint32_t bits = unless(code < 0x400, (code << 13) + (112u << 23), denormal);
  bits = unless(code >= 0x7c00, bits, 0x7f800000) | (half & 0x8000) << 16;
  bits = unless(code > 0x7c00, bits, arith::kCanonicalNanF32);
  return arith::floatFromBits(bits);
}

inline uint32_t narrowF16(float value) {
  uint32_t bits = arith::bitsOf(value);
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t odd = (magnitude >> 13) & 1;
  uint32_t code = (magnitude + 0xfff + odd - (112u << 23)) >> 13;
  // Denormal: at 0.5 the last bit of f32 is worth as much as f16's smallest
  // number.
  uint32_t small = arith::bitsOf(arith::floatFromBits(magnitude) + 0.5f);
  code = unless(magnitude < 0x38800000, code, small - 0x3f000000);
  code = unless(magnitude >= 0x47800000, code, 0x7c00); // 65536
  code |= (bits >> 16) & 0x8000;
  return unless(magnitude > 0x7f800000, code, arith::kCanonicalNanF16);
}

inline float widenBf16(uint32_t half) {
  return arith::floatFromBits(half << 16);
}

inline uint32_t narrowBf16(float value) {
  uint32_t bits = arith::bitsOf(value);
  uint32_t code = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return (bits & 0x7fffffff) > 0x7f800000 ? arith::kCanonicalNanBf16 : code;
}

/// A sum to f32, to the neighbour whose last bit is 1 unless it is exact.
inline float roundToOdd(float nearest, const DoubleSum &sum) {
  uint32_t bits = arith::bitsOf(nearest);
  uint32_t even = (bits & 1) - 1; // a mask
  return arith::floatFromBits(bits +
                              (stepFrom(nearest, sum, true, true) & even));
}

/// a * b + c, rounded to odd. Products of f16 are exact in f32, those of bf16
/// in f64.
inline float fmaToOddF16(float a, float b, float c) {
  float product = a * b, sum = product + c;
  float part = sum - product;
  float rest = (product - (sum - part)) + (c - part);
  return roundToOdd(sum, {sum, rest});
}
inline float fmaToOddBf16(float a, float b, float c) {
  DoubleSum sum = exactSum(double(a) * b, c);
  return roundToOdd(float(sum.high), sum);
}

struct F16 {
  static constexpr const FloatFormat &format = kFormatF16;
  /// Numbers below it are flushed by .ftz: half a unit of the last place below
  /// the smallest normal number.
  static constexpr double tiny = 0x1.ffep-15;
  static float widen(uint32_t half) { return widenF16(half); }
  static uint32_t narrow(float value) { return narrowF16(value); }
  static uint32_t narrow(double value) { return arith::toF16(value); }
  static float fmaToOdd(float a, float b, float c) {
    return fmaToOddF16(a, b, c);
  }
};
struct BF16 {
  static constexpr const FloatFormat &format = kFormatBf16;
  static constexpr double tiny = 0x1.ffp-127;
  static float widen(uint32_t half) { return widenBf16(half); }
  static uint32_t narrow(float value) { return narrowBf16(value); }
  static uint32_t narrow(double value) { return arith::toBf16(value); }
  static float fmaToOdd(float a, float b, float c) {
    return fmaToOddBf16(a, b, c);
  }
};

/// Negative values to +0; a NaN stays.
template <typename T> inline T rectified(T value) {
  return value <= 0 ? T(0) : value;
}

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_HALFMATH_H
