//===- ConvertMath.cpp - one lane's conversions ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.9.21.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/ConvertMath.h"

#include "runtime/sim/FloatDecode.h"
#include "runtime/sim/HalfMath.h"

using namespace girih;
using namespace girih::sim;

using arith::bitsOf;
using arith::doubleFromBits;
using arith::floatFromBits;

bool sim::isConvertInteger(Type type) {
  return type == Type::U8 || type == Type::S8 || isInteger(type);
}

bool sim::isConvertFloat(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 ||
         type == Type::F64;
}

namespace {

const FloatFormat &formatOf(Type type) {
  switch (type) {
  case Type::F16:
    return kFormatF16;
  case Type::BF16:
    return kFormatBf16;
  case Type::F32:
    return kFormatF32;
  default:
    return kFormatF64;
  }
}

uint64_t lowBits(uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

uint64_t signExtended(uint64_t bits, unsigned width) {
  return uint64_t(int64_t(bits << (64 - width)) >> (64 - width));
}

uint64_t largestOf(Type type) {
  return lowBits(~uint64_t(0), sim::bitsOf(type) - isSigned(type));
}

/// Every value is exact in f64.
double toDouble(Type type, uint64_t bits) {
  switch (type) {
  case Type::F16:
    return widenF16(uint32_t(bits));
  case Type::BF16:
    return widenBf16(uint32_t(bits));
  case Type::F32:
    return floatFromBits(uint32_t(bits));
  default:
    return doubleFromBits(bits);
  }
}

/// What .sat, .relu and .satfinite make of a float.
uint64_t clamp(const FloatFormat &format, uint8_t flags, uint64_t bits) {
  bool isNan = format.isNan(bits), isNegative = bits & format.sign();
  uint64_t magnitude = bits & (format.sign() - 1);
  if (flags & kSat) {
    uint64_t one = uint64_t(format.bias()) << format.fractionBits;
    if (isNan || isNegative)
      return 0;
    return magnitude > one ? one : magnitude;
  }
  if (isNan)
    return bits;
  if ((flags & kRelu) && isNegative)
    return 0;
  if ((flags & kSatFinite) && magnitude == format.infinity())
    return bits - 1;
  return bits;
}

uint64_t integerToInteger(Type to, Type from, ConvertHow how, uint64_t bits) {
  unsigned width = sim::bitsOf(to);
  bool isNegative = isSigned(from) && int64_t(bits) < 0;
  if (how.flags & kSat) {
    uint64_t largest = largestOf(to);
    if (!isNegative && bits > largest)
      bits = largest;
    if (isNegative && !isSigned(to))
      bits = 0;
    if (isNegative && isSigned(to) && int64_t(bits) < -int64_t(largest) - 1)
      bits = ~largest;
  }
  return isSigned(to) ? signExtended(bits, width) : lowBits(bits, width);
}

uint64_t integerToFloat(Type to, Type from, ConvertHow how, uint64_t bits) {
  bool isNegative = isSigned(from) && int64_t(bits) < 0;
  Exact number = exactOf(isNegative ? -bits : bits, isNegative);
  const FloatFormat &format = formatOf(to);
  return clamp(format, how.flags, roundTo(format, number, how.rounding));
}

/// A NaN becomes 0; where f64 or 64 bits take part, the bits of the least
/// signed number.
uint64_t floatToInteger(Type to, Type from, ConvertHow how, uint64_t bits) {
  unsigned width = sim::bitsOf(to);
  double value = toDouble(from, bits);
  if (value != value) {
    if (from != Type::F64 && width != 64)
      return 0;
    uint64_t least = uint64_t(1) << (width - 1);
    return isSigned(to) ? signExtended(least, width) : least;
  }
  value = roundedToInteger(value, how.rounding);
  uint64_t largest = largestOf(to);
  double beyond = std::ldexp(1.0, int(width) - isSigned(to));
  if (value >= beyond)
    return largest;
  if (!isSigned(to))
    return value > 0 ? uint64_t(value) : 0;
  return value < -beyond ? ~largest : uint64_t(int64_t(value));
}

/// The unit that converts from and to f64 (F2F, FRND) keeps a NaN's sign and
/// the upper part of its payload, and makes it a quiet one: measured on an
/// H200.
uint64_t convertedNan(const FloatFormat &to, const FloatFormat &from,
                      uint64_t bits) {
  uint64_t fraction = lowBits(bits, from.fractionBits);
  int more = to.fractionBits - from.fractionBits;
  fraction = more < 0 ? fraction >> -more : fraction << more;
  uint64_t quiet = uint64_t(1) << (to.fractionBits - 1);
  uint64_t sign = bits & from.sign() ? to.sign() : 0;
  return sign | to.infinity() | quiet | fraction;
}

uint64_t floatToFloat(Type to, Type from, ConvertHow how, uint64_t bits) {
  const FloatFormat &format = formatOf(to), &source = formatOf(from);
  bool ftz = how.flags & kFtz;
  if (how.toInteger && !source.isNan(bits)) {
    double value = roundedToInteger(toDouble(from, bits), how.rounding);
    return clamp(
        format, how.flags,
        softConvert(kFormatF64, format, bitsOf(value), Rounding::Nearest));
  }
  // ptxas moves the bits, a NaN's too.
  bool moves = !ftz && !(how.flags & kSat) && !how.toInteger;
  if (moves && to == from && (to == Type::F32 || to == Type::F64))
    return bits;
  if (moves && to == Type::F32 && from == Type::BF16)
    return bits << 16;
  if ((from == Type::F64 || to == Type::F64) && source.isNan(bits)) {
    if (ftz && from == Type::F32) // by a multiplication before
      bits = kFormatF32.nan;
    return clamp(format, how.flags, convertedNan(format, source, bits));
  }
  uint64_t value =
      softConvert(source, format, bits, how.rounding, ftz && to == Type::F32);
  return clamp(format, how.flags, value);
}

} // namespace

uint64_t sim::convertScalar(Type to, Type from, ConvertHow how, uint64_t bits) {
  unsigned width = sim::bitsOf(from);
  bits = isSigned(from) ? signExtended(bits, width) : lowBits(bits, width);
  // To f16, .ftz does nothing: measured on an H200.
  if (from == Type::F32 && (how.flags & kFtz) && to != Type::F16)
    bits = kFormatF32.flushed(bits);
  if (isConvertInteger(from))
    return isConvertInteger(to) ? integerToInteger(to, from, how, bits)
                                : integerToFloat(to, from, how, bits);
  return isConvertInteger(to) ? floatToInteger(to, from, how, bits)
                              : floatToFloat(to, from, how, bits);
}

uint32_t sim::convertToTf32(ConvertHow how, uint32_t bits) {
  constexpr unsigned below = 13;
  if (how.rounding == Rounding::Away) {
    // ptxas adds and cuts: a NaN keeps the upper part of its payload, and
    // becomes an infinity where nothing of it is left.
    if ((bits & 0x7fffffff) < 0x7f800000)
      bits += 1u << (below - 1);
    bits &= ~((1u << below) - 1);
    if ((how.flags & kSatFinite) && (bits & 0x7fffffff) >= 0x7f800000)
      bits -= 1u << below;
    return bits;
  }
  // A NaN's lower bits are zeros, too: measured on an H200.
  uint64_t rounded = softConvert(kFormatF32, kFormatTf32, bits, how.rounding);
  return uint32_t(clamp(kFormatTf32, how.flags, rounded)) << below;
}

uint8_t sim::convertToF8(Type to, ConvertHow how, float value) {
  if (how.flags & kRelu)
    value = rectified(value);
  return to == Type::E4M3x2 ? arith::toF8E4M3(value) : arith::toF8E5M2(value);
}

uint16_t sim::convertFromF8(Type from, ConvertHow how, uint8_t bits) {
  float value =
      from == Type::E4M3x2 ? arith::fromF8E4M3(bits) : arith::fromF8E5M2(bits);
  return uint16_t(narrowF16(how.flags & kRelu ? rectified(value) : value));
}
