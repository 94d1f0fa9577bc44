//===- FloatMath.h - one lane's f32 arithmetic ---------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without branches, so that loops over lanes become vector code. Rounding to
// nearest is the host's; the directed roundings compare the exact result, held
// in two doubles, with the host's.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_FLOATMATH_H
#define GIRIH_RUNTIME_SIM_FLOATMATH_H

#include "compiler/arith/Formats.h"
#include "runtime/sim/Rounding.h"

namespace girih::sim {

inline float canonical(float value) {
  return value == value ? value : arith::floatFromBits(arith::kCanonicalNanF32);
}

// A NaN of f64 keeps its sign and its payload and becomes a quiet one. One that
// arises is kFormatF64.nan.

constexpr uint64_t kQuietF64 = uint64_t(1) << 51;

/// The result of an operation without NaN operands.
inline double arising(double result) {
  uint64_t mask = -uint64_t(result != result);
  uint64_t bits = arith::bitsOf(result);
  return arith::doubleFromBits((bits & ~mask) | (kFormatF64.nan & mask));
}
/// An operand that is NaN takes the result's place. Of several the last one
/// asked has it.
inline double orNan(double result, double operand) {
  uint64_t mask = -uint64_t(operand != operand);
  uint64_t bits = arith::bitsOf(result);
  uint64_t quiet = arith::bitsOf(operand) | kQuietF64;
  return arith::doubleFromBits((bits & ~mask) | (quiet & mask));
}

/// `value`, or `other` if the condition holds. By masks: from a conditional
/// expression the compiler makes a branch around all that led to `value`, and
/// no vector loop.
inline uint32_t unless(bool condition, uint32_t value, uint32_t other) {
  uint32_t mask = -uint32_t(condition);
  return (value & ~mask) | (other & mask);
}

/// Denormals to zero of the same sign.
inline float flushDenormal(float value) {
  uint32_t bits = arith::bitsOf(value);
  return arith::floatFromBits(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

/// To [+0, 1]; NaN to +0.
template <typename T> inline T saturated(T value) {
  value = value > 0 ? value : T(0);
  return value < 1 ? value : T(1);
}

template <bool ftz> inline float input(float value) {
  return ftz ? flushDenormal(value) : value;
}
template <bool sat> inline float output(float value) {
  return sat ? saturated(value) : canonical(value);
}

/// A sum without any rounding: high is the sum rounded to nearest, low the
/// rest, NaN where high is no finite number.
struct DoubleSum {
  double high, low;
};
inline DoubleSum exactSum(double a, double b) {
  double sum = a + b;
  double partOfB = sum - a;
  return {sum, (a - (sum - partOfB)) + (b - partOfB)};
}

/// Where numbers below the smallest normal f32 begin to count as denormal: half
/// a unit of the last place below it when rounded to nearest (the tie goes up
/// to it), a whole unit when rounded away from zero (which such a number is
/// not). See roundTo().
constexpr double kTinyNearest = 0x1.ffffffp-127;
constexpr double kTinyAway = 0x1.fffffep-127;

/// True if the magnitude of a sum is below a limit. Where the sum's f64 is the
/// limit itself, the rest says on which side it lies, and `equal` what holds if
/// there is none.
inline bool isBelow(const DoubleSum &sum, double limit, bool equal) {
  double high = std::fabs(sum.high);
  double outward = sum.low * sum.high; // its sign
  return (high < limit) |
         ((high == limit) & ((outward < 0) | (equal & (outward == 0))));
}

inline float zeroLike(float value) {
  return arith::floatFromBits(arith::bitsOf(value) & 0x80000000);
}

/// How far `sum` lies from the f32 next to it, in steps of that one's bits: +1
/// away from zero, -1 towards it, 0 where they are equal, or NaN. `less` and
/// `more` say which sides count.
inline uint32_t stepFrom(float nearest, const DoubleSum &sum, bool less,
                         bool more) {
  bool same = sum.high == nearest;
  bool isLess = (sum.high < nearest) | (same & (sum.low < 0));
  bool isMore = (sum.high > nearest) | (same & (sum.low > 0));
  uint32_t step = unless(isMore & more, 0, 1) - unless(isLess & less, 0, 1);
  // Of a negative number, less is more. A zero has the sum's sign.
  uint32_t negative = uint32_t(int32_t(arith::bitsOf(nearest)) >> 31);
  return (step ^ negative) - negative;
}

/// An exact sum to f32 by a rounding that is directed.
template <Rounding rounding, bool ftz>
inline float roundDirected(const DoubleSum &sum) {
  float nearest = float(sum.high);
  uint32_t step = stepFrom(nearest, sum, rounding != Rounding::Up,
                           rounding != Rounding::Down);
  if (rounding == Rounding::Zero)
    step = unless(step == 1, step, 0);
  float rounded = arith::floatFromBits(arith::bitsOf(nearest) + step);
  if (!ftz)
    return rounded;
  bool tiny = isBelow(sum, kTinyAway, true);
  return tiny ? zeroLike(rounded) : flushDenormal(rounded);
}

/// The zero that a sum gives where numbers are rounded down: -0 unless both
/// are +0.
template <Rounding rounding>
inline float zeroOfSum(float rounded, double a, double b, double sum) {
  if (rounding != Rounding::Down)
    return rounded;
  uint32_t minus = uint32_t((arith::bitsOf(a) | arith::bitsOf(b)) >> 32);
  return arith::floatFromBits(
      unless(sum == 0, arith::bitsOf(rounded), minus & 0x80000000));
}

template <Rounding rounding, bool ftz, bool sat>
inline float addF32(float a, float b) {
  a = input<ftz>(a), b = input<ftz>(b);
  if constexpr (rounding == Rounding::Nearest) {
    float sum = a + b; // exact where it is denormal
    return output<sat>(ftz ? flushDenormal(sum) : sum);
  } else {
    DoubleSum sum = exactSum(a, b);
    float rounded = roundDirected<rounding, ftz>(sum);
    return output<sat>(zeroOfSum<rounding>(rounded, a, b, sum.high));
  }
}

template <Rounding rounding, bool ftz, bool sat>
inline float mulF32(float a, float b) {
  a = input<ftz>(a), b = input<ftz>(b);
  double exact = double(a) * b;
  if constexpr (rounding == Rounding::Nearest) {
    float product = a * b;
    if (ftz)
      product = std::fabs(exact) < kTinyNearest ? zeroLike(product) : product;
    return output<sat>(product);
  } else {
    return output<sat>(roundDirected<rounding, ftz>({exact, 0}));
  }
}

template <Rounding rounding, bool ftz, bool sat>
inline float fmaF32(float a, float b, float c) {
  a = input<ftz>(a), b = input<ftz>(b), c = input<ftz>(c);
  if constexpr (rounding == Rounding::Nearest && !ftz) {
    return output<sat>(std::fma(a, b, c));
  } else {
    double product = double(a) * b; // exact
    DoubleSum sum = exactSum(product, c);
    if constexpr (rounding == Rounding::Nearest) {
      float rounded = std::fma(a, b, c);
      bool tiny = isBelow(sum, kTinyNearest, false);
      return output<sat>(tiny ? zeroLike(rounded) : rounded);
    } else {
      float rounded = roundDirected<rounding, ftz>(sum);
      return output<sat>(zeroOfSum<rounding>(rounded, product, c, sum.high));
    }
  }
}

/// min and max: a number wins over a NaN unless `nan`; -0 < +0. Two NaNs give
/// the canonical one.
template <bool isMax, bool nan> inline float extremeF32(float a, float b) {
  uint32_t aBits = arith::bitsOf(a), bBits = arith::bitsOf(b);
  bool takesA = isMax ? a > b : a < b;
  uint32_t bits = takesA ? aBits : bBits;
  // Equal values differ at most in the sign of zeros.
  bits = a == b ? (isMax ? aBits & bBits : aBits | bBits) : bits;
  bool aIsNan = a != a, bIsNan = b != b;
  bits = bIsNan ? aBits : bits;
  bits = (nan ? aIsNan | bIsNan : aIsNan & bIsNan) ? arith::kCanonicalNanF32
                                                   : bits;
  return arith::floatFromBits(bits);
}

/// f64 likewise, without a .NaN form; of two NaNs b is kept.
template <bool isMax> inline double extremeF64(double a, double b) {
  if (a != a)
    return orNan(b, b);
  if (b != b)
    return a;
  return isMax ? arith::maximum(a, b) : arith::minimum(a, b);
}

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_FLOATMATH_H
