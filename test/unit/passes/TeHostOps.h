//===- TeHostOps.h - portable functions on the host's floats ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the sequences of passes/te/PortableFunctions.h on float or double, and
// measures results in units in the last place.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PASSES_TEHOSTOPS_H
#define GIRIH_TEST_UNIT_PASSES_TEHOSTOPS_H

#include "passes/te/PortablePower.h"
#include "passes/te/PortableRandom.h"
#include "passes/te/PortableTrig.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace girih::te::portable {

/// Exactly rounded host arithmetic; integers wrap. (Division, square root and
/// fma of a C++ implementation with IEEE floats are correctly rounded.)
template <typename T> struct HostOps {
  static constexpr bool kIsF32 = std::is_same_v<T, float>;
  using Format = std::conditional_t<kIsF32, PortableF32, PortableF64>;
  using Float = T;
  using Int = std::conditional_t<kIsF32, int32_t, int64_t>;
  using Bits = std::make_unsigned_t<Int>;
  using Long = int64_t;
  using Bool = bool;

  Float constant(double value) { return T(value); }
  Int integer(int64_t value) { return Int(value); }

  Float add(Float a, Float b) { return a + b; }
  Float sub(Float a, Float b) { return a - b; }
  Float mul(Float a, Float b) { return a * b; }
  Float div(Float a, Float b) { return a / b; }
  Float fma(Float a, Float b, Float c) { return std::fma(a, b, c); }
  Float sqrt(Float a) { return std::sqrt(a); }
  Float trunc(Float a) { return std::trunc(a); }
  Float min(Float a, Float b) {
    return std::isnan(a) || std::isnan(b) ? a + b : a < b ? a : b;
  }
  Float max(Float a, Float b) {
    return std::isnan(a) || std::isnan(b) ? a + b : a < b ? b : a;
  }

  Bool less(Float a, Float b) { return a < b; }
  Bool equal(Float a, Float b) { return a == b; }
  template <typename V> V select(Bool condition, V a, V b) {
    return condition ? a : b;
  }
  Bool logicAnd(Bool a, Bool b) { return a && b; }
  Bool lessLong(Long a, Long b) { return a < b; }

  Int toIntBits(Float a) { return std::bit_cast<Int>(a); }
  Float toFloatBits(Int a) { return std::bit_cast<Float>(a); }
  Float convertInt(Int a) { return T(a); }
  Int addInt(Int a, Int b) { return Int(Bits(a) + Bits(b)); }
  Int subInt(Int a, Int b) { return Int(Bits(a) - Bits(b)); }
  Int andInt(Int a, Int b) { return a & b; }
  Int orInt(Int a, Int b) { return a | b; }
  Int shiftLeft(Int a, Int b) { return Int(Bits(a) << b); }
  Int shiftRight(Int a, Int b) { return a >> b; }
  Int xorInt(Int a, Int b) { return a ^ b; }

  Long longInteger(int64_t value) { return value; }
  Long widen(Int a) { return Long(Bits(a)); }
  Int narrow(Long a) { return Int(a); }
  Long truncate(Float a) {
    return a >= Float(0x1p63)   ? std::numeric_limits<Long>::max()
           : a < Float(-0x1p63) ? std::numeric_limits<Long>::min()
           : std::isnan(a)      ? 0
                                : Long(a);
  }
  Float convertLong(Long a) { return T(a); }
  Long addLong(Long a, Long b) { return Long(uint64_t(a) + uint64_t(b)); }
  Long subLong(Long a, Long b) { return Long(uint64_t(a) - uint64_t(b)); }
  Long mulLong(Long a, Long b) { return Long(uint64_t(a) * uint64_t(b)); }
  Long andLong(Long a, Long b) { return a & b; }
  Long orLong(Long a, Long b) { return a | b; }
  Long xorLong(Long a, Long b) { return a ^ b; }
  Long shiftLeftLong(Long a, Long b) {
    return uint64_t(b) < 64 ? Long(uint64_t(a) << b) : 0;
  }
  Long shiftRightLong(Long a, Long b) {
    return uint64_t(b) < 64 ? Long(uint64_t(a) >> b) : 0;
  }
};

/// |value - exact| in units in the last place of `exact` in T's format; an
/// infinite value counts as the power of two after the largest number. Infinity
/// when one of the two is a NaN and the other is not, or a limit is missed.
template <typename T, typename Wide> double ulpError(T value, Wide exact) {
  constexpr bool kIsF32 = std::is_same_v<T, float>;
  constexpr int kDigits = kIsF32 ? 24 : 53;
  constexpr int kMinExponent = kIsF32 ? -126 : -1022;
  constexpr int kMaxExponent = kIsF32 ? 127 : 1023;
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(value))
    return std::isnan(exact) && std::isnan(value) ? 0 : kWrong;
  if (exact == 0)
    return value == 0 ? 0 : kWrong;
  const Wide limit = std::ldexp(Wide(1), kMaxExponent + 1);
  const Wide roundsUp = limit - std::ldexp(Wide(1), kMaxExponent - kDigits);
  if (std::fabs(exact) >= roundsUp) {
    if (std::isinf(value))
      return std::signbit(value) == std::signbit(exact) ? 0 : kWrong;
    if (std::fabs(exact) > limit)
      return kWrong;
  }
  int exponent = std::isinf(exact) ? kMaxExponent : std::ilogb(exact);
  if (exponent < kMinExponent)
    exponent = kMinExponent;
  if (exponent > kMaxExponent)
    exponent = kMaxExponent;
  Wide number =
      std::isinf(value) ? std::copysign(limit, Wide(value)) : Wide(value);
  return double(std::fabs(std::ldexp(number - exact, kDigits - 1 - exponent)));
}

} // namespace girih::te::portable

#endif // GIRIH_TEST_UNIT_PASSES_TEHOSTOPS_H
