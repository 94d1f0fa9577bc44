//===- Rounding.cpp - exact arithmetic, rounded once ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Rounding.h"

#include <algorithm>

namespace girih::sim {

using uint128 = unsigned __int128;

/// Number of bits up to the leading one; 0 for 0.
static int lengthOf(uint128 value) {
  uint64_t high = uint64_t(value >> 64), low = uint64_t(value);
  if (high)
    return 128 - __builtin_clzll(high);
  return low ? 64 - __builtin_clzll(low) : 0;
}

/// Shifts right; what falls out is noted.
static void shiftRight(Exact &number, int count) {
  if (count <= 0)
    return;
  if (count >= 128) {
    number.inexact |= number.significand != 0;
    number.significand = 0;
  } else {
    number.inexact |= (number.significand & ((uint128(1) << count) - 1)) != 0;
    number.significand >>= count;
  }
  number.exponent += count;
}

/// Makes the leading one bit 125: room for a carry and a sign.
static void normalize(Exact &number) {
  int shift = 126 - lengthOf(number.significand);
  if (shift >= 0) {
    number.significand <<= shift;
    number.exponent -= shift;
  } else {
    shiftRight(number, -shift);
  }
}

/// The significand as a multiple of 2^unit, rounded.
static uint64_t roundAt(Exact number, int unit, Rounding rounding) {
  int dropped = unit - number.exponent;
  if (dropped <= 0)
    return uint64_t(number.significand << -dropped);
  // All but the last dropped bit join the rest.
  shiftRight(number, dropped - 1);
  bool half = number.significand & 1;
  uint64_t kept = uint64_t(number.significand >> 1);
  bool up = false;
  switch (rounding) {
  case Rounding::Nearest:
    up = half && (number.inexact || (kept & 1));
    break;
  case Rounding::Away:
    up = half;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = number.isNegative && (half || number.inexact);
    break;
  case Rounding::Up:
    up = !number.isNegative && (half || number.inexact);
    break;
  }
  return kept + up;
}

/// What a number beyond the largest finite one becomes.
static uint64_t overflow(const FloatFormat &format, bool isNegative,
                         Rounding rounding) {
  bool towardsZero = rounding == Rounding::Zero ||
                     rounding == (isNegative ? Rounding::Up : Rounding::Down);
  return format.infinity() - towardsZero;
}

uint64_t roundTo(const FloatFormat &format, const Exact &number,
                 Rounding rounding, bool flush) {
  uint64_t sign = number.isNegative ? format.sign() : 0;
  if (number.significand == 0)
    return sign;
  int leading = number.exponent + lengthOf(number.significand) - 1;
  int smallest = format.smallestExponent();
  if (flush && leading < smallest) {
    uint64_t kept = roundAt(number, leading - format.fractionBits, rounding);
    bool carried = kept >> (format.fractionBits + 1);
    if (leading + carried < smallest)
      return sign;
  }
  int least = std::max(leading, smallest);
  // A carry out of the fraction moves into the exponent by itself. A normal
  // number's leading one is at the lowest bit of the exponent, hence the -1;
  // a denormal's exponent field is 0.
  uint64_t code = roundAt(number, least - format.fractionBits, rounding);
  if (leading >= smallest) {
    if (leading > format.bias())
      return sign | overflow(format, number.isNegative, rounding);
    code += uint64_t(leading + format.bias() - 1) << format.fractionBits;
  }
  if (code >= format.infinity())
    code = overflow(format, number.isNegative, rounding);
  return sign | code;
}

Exact exactOf(const FloatFormat &format, uint64_t bits) {
  Exact number;
  number.isNegative = bits & format.sign();
  uint64_t code = bits & (format.sign() - 1);
  int field = int(code >> format.fractionBits);
  number.significand = code & (format.smallestNormal() - 1);
  if (field)
    number.significand |= format.smallestNormal();
  else
    field = 1;
  number.exponent = field - format.bias() - format.fractionBits;
  return number;
}

Exact exactOf(uint64_t magnitude, bool isNegative) {
  Exact number;
  number.significand = magnitude;
  number.isNegative = isNegative;
  return number;
}

/// x + y. Zeros with different signs, and x - x, give -0 only where numbers
/// are rounded down.
static Exact addExact(Exact x, Exact y, Rounding rounding) {
  bool zeroIsNegative =
      x.isNegative == y.isNegative ? x.isNegative : rounding == Rounding::Down;
  if (x.significand == 0 && y.significand == 0) {
    x.isNegative = zeroIsNegative;
    return x;
  }
  if (x.significand == 0)
    return y;
  if (y.significand == 0)
    return x;
  normalize(x);
  normalize(y);
  if (x.exponent < y.exponent ||
      (x.exponent == y.exponent && x.significand < y.significand))
    std::swap(x, y);
  // Both have at least 19 zeros at the end (a product has at most 106 bits), so
  // that bits get lost only where the sum keeps more than 120.
  shiftRight(y, x.exponent - y.exponent);
  if (x.isNegative == y.isNegative) {
    x.significand += y.significand;
  } else {
    x.significand -= y.significand;
    // x - (y + rest) = (x - y - 1) + (1 - rest)
    x.significand -= y.inexact;
    if (x.significand == 0)
      x.isNegative = zeroIsNegative;
  }
  x.inexact = y.inexact;
  return x;
}

static Exact mulExact(const Exact &x, const Exact &y) {
  Exact product;
  product.significand = x.significand * y.significand;
  product.exponent = x.exponent + y.exponent;
  product.isNegative = x.isNegative != y.isNegative;
  return product;
}

namespace {

/// An operand with what kind of value it is.
struct Operand {
  Operand(const FloatFormat &format, uint64_t bits, bool flush)
      : bits(flush ? format.flushed(bits) : bits) {
    uint64_t magnitude = this->bits & (format.sign() - 1);
    isNan = magnitude > format.infinity();
    isInfinite = magnitude == format.infinity();
    isZero = magnitude == 0;
    isNegative = this->bits & format.sign();
    if (!isNan && !isInfinite)
      exact = exactOf(format, this->bits);
  }

  uint64_t bits;
  bool isNan, isInfinite, isZero, isNegative;
  Exact exact;
};

} // namespace

uint64_t softAdd(const FloatFormat &format, uint64_t a, uint64_t b,
                 Rounding rounding, bool flush) {
  Operand x(format, a, flush), y(format, b, flush);
  if (x.isNan || y.isNan)
    return format.nan;
  if (x.isInfinite)
    return y.isInfinite && x.bits != y.bits ? format.nan : x.bits;
  if (y.isInfinite)
    return y.bits;
  return roundTo(format, addExact(x.exact, y.exact, rounding), rounding, flush);
}

uint64_t softMul(const FloatFormat &format, uint64_t a, uint64_t b,
                 Rounding rounding, bool flush) {
  Operand x(format, a, flush), y(format, b, flush);
  if (x.isNan || y.isNan || (x.isInfinite && y.isZero) ||
      (x.isZero && y.isInfinite))
    return format.nan;
  if (x.isInfinite || y.isInfinite)
    return format.infinity() |
           (x.isNegative != y.isNegative ? format.sign() : 0);
  return roundTo(format, mulExact(x.exact, y.exact), rounding, flush);
}

uint64_t softFma(const FloatFormat &format, uint64_t a, uint64_t b, uint64_t c,
                 Rounding rounding, bool flush) {
  Operand x(format, a, flush), y(format, b, flush), z(format, c, flush);
  if (x.isNan || y.isNan || z.isNan || (x.isInfinite && y.isZero) ||
      (x.isZero && y.isInfinite))
    return format.nan;
  bool isNegative = x.isNegative != y.isNegative;
  if (x.isInfinite || y.isInfinite) {
    if (z.isInfinite && z.isNegative != isNegative)
      return format.nan;
    return format.infinity() | (isNegative ? format.sign() : 0);
  }
  if (z.isInfinite)
    return z.bits;
  Exact sum = addExact(mulExact(x.exact, y.exact), z.exact, rounding);
  return roundTo(format, sum, rounding, flush);
}

uint64_t softDiv(const FloatFormat &format, uint64_t a, uint64_t b,
                 Rounding rounding, bool flush) {
  Operand x(format, a, flush), y(format, b, flush);
  if (x.isNan || y.isNan || (x.isInfinite && y.isInfinite) ||
      (x.isZero && y.isZero))
    return format.nan;
  uint64_t sign = x.isNegative != y.isNegative ? format.sign() : 0;
  if (x.isInfinite || y.isZero)
    return sign | format.infinity();
  if (y.isInfinite || x.isZero)
    return sign;
  // 126 bits by at most 53: the quotient has at least 73.
  normalize(x.exact);
  Exact quotient;
  quotient.significand = x.exact.significand / y.exact.significand;
  quotient.inexact =
      quotient.significand * y.exact.significand != x.exact.significand;
  quotient.exponent = x.exact.exponent - y.exact.exponent;
  quotient.isNegative = sign != 0;
  return roundTo(format, quotient, rounding, flush);
}

/// The integer square root, bit by bit.
static uint64_t rootOf(uint128 value) {
  uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    uint64_t next = root | uint64_t(1) << bit;
    if (uint128(next) * next <= value)
      root = next;
  }
  return root;
}

uint64_t softSqrt(const FloatFormat &format, uint64_t a, Rounding rounding,
                  bool flush) {
  Operand x(format, a, flush);
  if (x.isNan || (x.isNegative && !x.isZero))
    return format.nan;
  if (x.isInfinite || x.isZero)
    return x.bits;
  normalize(x.exact);
  if (x.exact.exponent & 1) {
    x.exact.significand <<= 1;
    --x.exact.exponent;
  }
  uint64_t integer = rootOf(x.exact.significand);
  Exact root;
  root.significand = integer;
  root.inexact = uint128(integer) * integer != x.exact.significand;
  root.exponent = x.exact.exponent / 2;
  return roundTo(format, root, rounding, flush);
}

uint64_t softConvert(const FloatFormat &from, const FloatFormat &to,
                     uint64_t bits, Rounding rounding, bool flush) {
  Operand x(from, bits, false);
  if (x.isNan)
    return to.nan;
  if (x.isInfinite)
    return to.infinity() | (x.isNegative ? to.sign() : 0);
  return roundTo(to, x.exact, rounding, flush);
}

} // namespace girih::sim
