//===- Formats.h - exact conversions between float formats ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every narrowing conversion rounds once, to nearest with ties to even, from
// the value it is given: a double never passes through float. f16, bf16 and
// tf32 overflow to infinity; the f8 formats saturate to their largest finite
// value, from infinity too. Any NaN becomes the canonical NaN of the result's
// format, the one that PTX conversions produce. Widening is exact. Denormals
// are kept everywhere.
//
// A value of a narrow format is carried as its bits in an unsigned integer.
// fma needs no function here: std::fma is exact.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARITH_FORMATS_H
#define GIRIH_COMPILER_ARITH_FORMATS_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace girih::arith {

constexpr uint32_t kCanonicalNanF32 = 0x7fffffff;
constexpr uint16_t kCanonicalNanF16 = 0x7fff;
constexpr uint16_t kCanonicalNanBf16 = 0x7fff;
constexpr uint8_t kCanonicalNanF8E4M3 = 0x7f;
constexpr uint8_t kCanonicalNanF8E5M2 = 0x7f;

constexpr uint32_t bitsOf(float value) {
  return std::bit_cast<uint32_t>(value);
}
constexpr uint64_t bitsOf(double value) {
  return std::bit_cast<uint64_t>(value);
}
constexpr float floatFromBits(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
constexpr double doubleFromBits(uint64_t bits) {
  return std::bit_cast<double>(bits);
}

uint16_t toF16(double value);
uint16_t toBf16(double value);
uint8_t toF8E4M3(double value); ///< f8e4m3fn: no infinity, largest 448
uint8_t toF8E5M2(double value); ///< largest 57344

// float to double is exact, so one rounding remains.
inline uint16_t toF16(float value) { return toF16(double(value)); }
uint16_t toBf16(float value);
inline uint8_t toF8E4M3(float value) { return toF8E4M3(double(value)); }
inline uint8_t toF8E5M2(float value) { return toF8E5M2(double(value)); }

float fromF16(uint16_t bits);
float fromBf16(uint16_t bits);
float fromF8E4M3(uint8_t bits);
float fromF8E5M2(uint8_t bits);

/// f32 rounded to tf32's 10 fraction bits; stays f32.
float roundToTf32(float value);
/// f32 cut to tf32's 10 fraction bits, as tensor cores read their operands: a
/// NaN whose payload is in the 13 low bits alone becomes an infinity.
float truncateToTf32(float value);

/// Same bits, or both NaN: the equality of the numerics contract.
inline bool sameValue(float a, float b) {
  return bitsOf(a) == bitsOf(b) || (a != a && b != b);
}
inline bool sameValue(double a, double b) {
  return bitsOf(a) == bitsOf(b) || (a != a && b != b);
}

/// An integer that orders as the value does; -0 and +0 both give 0. NaN
/// orders outside the infinities.
constexpr int64_t orderedBits(float value) {
  uint32_t bits = bitsOf(value);
  int64_t magnitude = bits & 0x7fffffff;
  return bits >> 31 ? -magnitude : magnitude;
}
/// How many f32 values apart; 0 for two NaNs, 2^32 if just one is a NaN.
int64_t ulpDistance(float a, float b);

/// The spacing of f32 at `value`: 2^-23 in [1, 2), 2^-149 for denormals. NaN
/// for infinities and NaN.
float ulpOf(float value);

/// The next value towards +inf or -inf, IEEE-754 style: the infinity at the
/// end stays, NaN becomes canonical, both zeros step to the smallest denormal.
float nextUp(float value);
float nextDown(float value);
uint16_t nextUpF16(uint16_t bits);
uint16_t nextDownF16(uint16_t bits);
uint16_t nextUpBf16(uint16_t bits);
uint16_t nextDownBf16(uint16_t bits);

/// max and min of the language: a NaN wins; min(-0, +0) = -0, max = +0.
template <typename T> T maximum(T a, T b) {
  if (a != a)
    return a;
  if (b != b)
    return b;
  if (a == b) // equal zeros may differ in sign: + only if one is +
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T> T minimum(T a, T b) {
  if (a != a)
    return a;
  if (b != b)
    return b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

} // namespace girih::arith

#endif // GIRIH_COMPILER_ARITH_FORMATS_H
