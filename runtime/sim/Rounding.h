//===- Rounding.h - exact arithmetic, rounded once ------------ -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floating-point arithmetic in integers, for any binary format of at most 53
// significand bits and every rounding that PTX has. Slow and plain; what is
// frequent goes other ways that tests hold against these.
//
// Values are carried as their bits. Any NaN that comes out is the format's
// canonical one: which of f64's it is, the callers know (FloatMath.h).
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_ROUNDING_H
#define GIRIH_RUNTIME_SIM_ROUNDING_H

#include <cstdint>

namespace girih::sim {

enum class Rounding : uint8_t {
  Nearest, ///< .rn: ties to even
  Zero,    ///< .rz
  Down,    ///< .rm: towards -inf
  Up,      ///< .rp: towards +inf
  Away     ///< .rna: to nearest, ties away from zero
};

/// A format with infinities, denormals and IEEE's bias.
struct FloatFormat {
  uint8_t exponentBits, fractionBits;
  uint64_t nan; ///< canonical

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  /// The exponent of the smallest normal number.
  constexpr int smallestExponent() const { return 1 - bias(); }
  constexpr uint64_t sign() const {
    return uint64_t(1) << (exponentBits + fractionBits);
  }
  constexpr uint64_t infinity() const {
    return ((uint64_t(1) << exponentBits) - 1) << fractionBits;
  }
  constexpr uint64_t smallestNormal() const {
    return uint64_t(1) << fractionBits;
  }
  constexpr bool isNan(uint64_t bits) const {
    return (bits & (sign() - 1)) > infinity();
  }
  /// Denormals to zero of the same sign.
  constexpr uint64_t flushed(uint64_t bits) const {
    return (bits & (sign() - 1)) < smallestNormal() ? bits & sign() : bits;
  }
};

inline constexpr FloatFormat kFormatF16{5, 10, 0x7fff};
inline constexpr FloatFormat kFormatBf16{8, 7, 0x7fff};
/// In 19 bits: to be moved up by 13.
inline constexpr FloatFormat kFormatTf32{8, 10, 0x3ffff};
inline constexpr FloatFormat kFormatF32{8, 23, 0x7fffffff};
inline constexpr FloatFormat kFormatF64{11, 52, 0xfff8000000000000};

/// A finite number: (significand + rest) * 2^exponent, 0 <= rest < 1, where
/// rest is 0 exactly if `inexact` is false. A significand of 0 is a zero.
struct Exact {
  unsigned __int128 significand = 0;
  int exponent = 0;
  bool isNegative = false;
  bool inexact = false;
};

/// Rounds to a format; too large becomes infinity or the largest finite value,
/// as the rounding says. An inexact number must have at least two significant
/// bits more than the format.
///
/// `flush` turns denormal results into zeros of their sign. What counts is the
/// number rounded as if exponents had no lower bound: just below the smallest
/// normal number it may round up to it and stays. ptxas flushes so where it
/// emulates .ftz (cvt.rn.ftz.f32.f64 on sm_90).
uint64_t roundTo(const FloatFormat &format, const Exact &number,
                 Rounding rounding, bool flush = false);

/// A value's exact number; not for infinities and NaN.
Exact exactOf(const FloatFormat &format, uint64_t bits);
Exact exactOf(uint64_t magnitude, bool isNegative);

// With `flush`, denormal operands count as zeros too.
uint64_t softAdd(const FloatFormat &format, uint64_t a, uint64_t b,
                 Rounding rounding, bool flush = false);
uint64_t softMul(const FloatFormat &format, uint64_t a, uint64_t b,
                 Rounding rounding, bool flush = false);
uint64_t softFma(const FloatFormat &format, uint64_t a, uint64_t b, uint64_t c,
                 Rounding rounding, bool flush = false);
uint64_t softDiv(const FloatFormat &format, uint64_t a, uint64_t b,
                 Rounding rounding, bool flush = false);
uint64_t softSqrt(const FloatFormat &format, uint64_t a, Rounding rounding,
                  bool flush = false);
/// `flush` concerns the result only.
uint64_t softConvert(const FloatFormat &from, const FloatFormat &to,
                     uint64_t bits, Rounding rounding, bool flush = false);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_ROUNDING_H
