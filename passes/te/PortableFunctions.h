//===- PortableFunctions.h - functions in exact operations ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `portable` functions as straight-line sequences of correctly rounded
// operations and integer arithmetic, so that every machine gets the same bits.
// The sequences are templates over the machine that runs them: the compiler
// instantiates them with a builder of te ops, the tests with the host's floats,
// so what is measured is what is emitted.
//
// An `Ops` has types Float, Int (as wide as Float), Long (64 bits) and Bool, a
// `Format` (PortableF32, PortableF64) and the operations used here, in
// PortableTrig.h, PortablePower.h and PortableRandom.h. min and max return a
// NaN when given one. shiftLeftLong and shiftRightLong read both operands
// without sign and give 0 from 64 on; truncate saturates; widen adds zeros.
//
// Largest errors against the exact value stand in docs/numerics.md; they are
// measured over all 2^32 inputs of f32 by test/accuracy.
//
// Denormal arguments and results count in full: exp and exp2 scale in two steps
// of which only the last can round, log and log2 first scale denormals up.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_PORTABLEFUNCTIONS_H
#define GIRIH_PASSES_TE_PORTABLEFUNCTIONS_H

#include <cstddef>
#include <cstdint>
#include <limits>

namespace girih::te::portable {

/// Constants for f32. The polynomials are fitted by fit_portable.py.
struct PortableF32 {
  static constexpr int kMantissaBits = 23;
  static constexpr int64_t kBias = 127;
  static constexpr int64_t kSignBit = -0x80000000LL;
  static constexpr int64_t kMagnitudeMask = 0x7fffffff;
  static constexpr int64_t kMantissaMask = 0x007fffff;
  static constexpr int64_t kOneBits = 0x3f800000;
  static constexpr int64_t kSqrtHalfBits = 0x3f3504f3;
  static constexpr double kMinNormal = 0x1p-126;
  /// Adding it rounds to an integer, which then stands in the low bits.
  static constexpr double kShifter = 0x1.8p23;
  static constexpr int64_t kShifterBits = 0x4b400000;
  /// Beyond these, exp (exp2) is 0 or overflows.
  static constexpr double kExpLow = -105, kExpHigh = 89;
  static constexpr double kExp2Low = -151, kExp2High = 129;
  /// tanh(x) rounds to 1 for 2x from here on.
  static constexpr double kTanhLimit = 20;
  static constexpr double kLog2EHigh = 0x1.715476p+0, kLog2ELow = 0x1.4ae0cp-26;
  static constexpr double kLn2High = 0x1.62e43p-1, kLn2Low = -0x1.05c61p-29;
  /// (e^r - 1 - r) / r^2 on |r| <= ln(2)/2.
  static constexpr double kExp[] = {0x1p-1,         0x1.555552p-3,
                                    0x1.5554e4p-5,  0x1.1115bap-7,
                                    0x1.6d5158p-10, 0x1.9a8b72p-13};
  /// (2^f - 1) / f on |f| <= 1/2.
  static constexpr double kExp2[] = {
      0x1.62e43p-1,   0x1.ebfbep-3,   0x1.c6b072p-5, 0x1.3b2a4ap-7,
      0x1.5da0f4p-10, 0x1.44227cp-13, 0x1.e5ba06p-17};
  /// (log((1+s)/(1-s))/s - 2) / s^2 in s^2, for (1+s)/(1-s) in
  /// [sqrt(1/2), sqrt(2)].
  static constexpr double kLog[] = {0x1.555554p-1, 0x1.999bd4p-2, 0x1.23f1a8p-2,
                                    0x1.ec1bacp-3};
};

/// The same for f64.
struct PortableF64 {
  static constexpr int kMantissaBits = 52;
  static constexpr int64_t kBias = 1023;
  static constexpr int64_t kSignBit = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMagnitudeMask = 0x7fffffffffffffff;
  static constexpr int64_t kMantissaMask = 0x000fffffffffffff;
  static constexpr int64_t kOneBits = 0x3ff0000000000000;
  static constexpr int64_t kSqrtHalfBits = 0x3fe6a09e667f3bcd;
  static constexpr double kMinNormal = 0x1p-1022;
  static constexpr double kShifter = 0x1.8p52;
  static constexpr int64_t kShifterBits = 0x4338000000000000;
  static constexpr double kExpLow = -746, kExpHigh = 711;
  static constexpr double kExp2Low = -1076, kExp2High = 1025;
  static constexpr double kTanhLimit = 40;
  static constexpr double kLog2EHigh = 0x1.71547652b82fep+0,
                          kLog2ELow = 0x1.777d0ffda0d24p-56;
  static constexpr double kLn2High = 0x1.62e42fefa39efp-1,
                          kLn2Low = 0x1.abc9e3b39803fp-56;
  static constexpr double kExp[] = {
      0x1.0000000000000p-1,  0x1.555555555555cp-3,  0x1.5555555555541p-5,
      0x1.111111110e9fcp-7,  0x1.6c16c16c1faa9p-10, 0x1.a01a01b44479cp-13,
      0x1.a01a0176e8516p-16, 0x1.71ddee71d959ep-19, 0x1.27e540b6dfbc2p-22,
      0x1.af6e8548443edp-26, 0x1.1ed9ba2b72278p-29};
  static constexpr double kExp2[] = {
      0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58ep-3,  0x1.c6b08d704a185p-5,
      0x1.3b2ab6fba50fep-7,  0x1.5d87fe788835cp-10, 0x1.430912f7a9ea0p-13,
      0x1.ffcbfcde5e964p-17, 0x1.62c02560d10fbp-20, 0x1.b5241c748619ep-24,
      0x1.e4c37dbb8c8edp-28, 0x1.eb078dac7a012p-32, 0x1.d48bab76c6261p-36};
  static constexpr double kLog[] = {0x1.5555555555595p-1, 0x1.999999997f10fp-2,
                                    0x1.249249429c613p-2, 0x1.c71c518065c33p-3,
                                    0x1.74665b022f06ep-3, 0x1.399edf1a838bcp-3,
                                    0x1.2f2298e082702p-3};
};

/// c[0] + x (c[1] + x (...)) by fused multiply-adds.
template <typename Ops, size_t N>
typename Ops::Float horner(Ops &ops, typename Ops::Float x,
                           const double (&coefficients)[N]) {
  typename Ops::Float sum = ops.constant(coefficients[N - 1]);
  for (size_t i = N - 1; i-- > 0;)
    sum = ops.fma(sum, x, ops.constant(coefficients[i]));
  return sum;
}

/// 2^exponent for exponents of normal numbers.
template <typename Ops>
typename Ops::Float powerOfTwo(Ops &ops, typename Ops::Int exponent) {
  using F = typename Ops::Format;
  return ops.toFloatBits(
      ops.shiftLeft(ops.addInt(exponent, ops.integer(F::kBias)),
                    ops.integer(F::kMantissaBits)));
}

/// value * 2^exponent for a value in [1/2, 2], in two factors so that both are
/// normal numbers: the first product is exact, the second rounds once.
template <typename Ops>
typename Ops::Float scaleBy(Ops &ops, typename Ops::Float value,
                            typename Ops::Int exponent) {
  typename Ops::Int half = ops.shiftRight(exponent, ops.integer(1));
  typename Ops::Int rest = ops.subInt(exponent, half);
  return ops.mul(ops.mul(value, powerOfTwo(ops, half)), powerOfTwo(ops, rest));
}

/// x = exponent * ln 2 + r with |r| <= ln(2)/2: the exponent and e^r - 1.
template <typename Ops> struct ReducedExp {
  typename Ops::Int exponent;
  typename Ops::Float expm1;
};

template <typename Ops>
ReducedExp<Ops> reduceExp(Ops &ops, typename Ops::Float x) {
  using F = typename Ops::Format;
  auto shifter = ops.constant(F::kShifter);
  auto shifted = ops.fma(x, ops.constant(F::kLog2EHigh), shifter);
  auto count = ops.sub(shifted, shifter);
  // The first step is exact: the leading bits cancel.
  auto r = ops.fma(count, ops.constant(-F::kLn2High), x);
  r = ops.fma(count, ops.constant(-F::kLn2Low), r);
  auto expm1 = ops.fma(ops.mul(r, r), horner(ops, r, F::kExp), r);
  return {ops.subInt(ops.toIntBits(shifted), ops.integer(F::kShifterBits)),
          expm1};
}

template <typename Ops>
typename Ops::Float exp(Ops &ops, typename Ops::Float x) {
  using F = typename Ops::Format;
  x = ops.max(ops.min(x, ops.constant(F::kExpHigh)), ops.constant(F::kExpLow));
  ReducedExp<Ops> reduced = reduceExp(ops, x);
  return scaleBy(ops, ops.add(reduced.expm1, ops.constant(1.0)),
                 reduced.exponent);
}

template <typename Ops>
typename Ops::Float exp2(Ops &ops, typename Ops::Float x) {
  using F = typename Ops::Format;
  x = ops.max(ops.min(x, ops.constant(F::kExp2High)),
              ops.constant(F::kExp2Low));
  auto shifter = ops.constant(F::kShifter);
  auto shifted = ops.add(x, shifter);
  auto fraction = ops.sub(x, ops.sub(shifted, shifter)); // both exact
  auto value =
      ops.fma(fraction, horner(ops, fraction, F::kExp2), ops.constant(1.0));
  return scaleBy(
      ops, value,
      ops.subInt(ops.toIntBits(shifted), ops.integer(F::kShifterBits)));
}

/// x = 2^exponent * mantissa with a mantissa in [sqrt(1/2), sqrt(2)), for a
/// positive finite x; else meaningless.
template <typename Ops> struct SplitFloat {
  typename Ops::Float exponent, mantissa;
};

template <typename Ops>
SplitFloat<Ops> splitFloat(Ops &ops, typename Ops::Float x) {
  using F = typename Ops::Format;
  auto scaleUp = ops.constant(double(int64_t(1) << (F::kMantissaBits + 1)));
  auto denormal = ops.less(x, ops.constant(F::kMinNormal));
  auto scaled = ops.select(denormal, ops.mul(x, scaleUp), x);
  auto adjust = ops.select(denormal, ops.constant(-(F::kMantissaBits + 1)),
                           ops.constant(0.0));
  auto bits = ops.addInt(ops.toIntBits(scaled),
                         ops.integer(F::kOneBits - F::kSqrtHalfBits));
  auto biased = ops.shiftRight(bits, ops.integer(F::kMantissaBits));
  auto exponent = ops.add(
      ops.convertInt(ops.subInt(biased, ops.integer(F::kBias))), adjust);
  auto mantissa = ops.toFloatBits(
      ops.addInt(ops.andInt(bits, ops.integer(F::kMantissaMask)),
                 ops.integer(F::kSqrtHalfBits)));
  return {exponent, mantissa};
}

/// x = 2^exponent * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and
/// log(1 + f) = f - halfSquare + correction. For x that are not positive and
/// finite the result is meaningless (see finishLog).
template <typename Ops> struct ReducedLog {
  typename Ops::Float exponent, f, halfSquare, correction;
};

template <typename Ops>
ReducedLog<Ops> reduceLog(Ops &ops, typename Ops::Float x) {
  using F = typename Ops::Format;
  auto [exponent, mantissa] = splitFloat(ops, x);
  auto f = ops.sub(mantissa, ops.constant(1.0)); // exact
  auto s = ops.div(f, ops.add(f, ops.constant(2.0)));
  auto z = ops.mul(s, s);
  auto rest = ops.mul(z, horner(ops, z, F::kLog));
  auto halfSquare = ops.mul(ops.mul(f, ops.constant(0.5)), f);
  return {exponent, f, halfSquare, ops.mul(s, ops.add(halfSquare, rest))};
}

/// The logarithm's value at 0 (-inf), inf (inf), negative numbers and NaN
/// (NaN).
template <typename Ops>
typename Ops::Float finishLog(Ops &ops, typename Ops::Float x,
                              typename Ops::Float value) {
  auto zero = ops.constant(0.0);
  auto infinity = ops.constant(std::numeric_limits<double>::infinity());
  auto special =
      ops.select(ops.equal(x, zero),
                 ops.constant(-std::numeric_limits<double>::infinity()),
                 ops.constant(std::numeric_limits<double>::quiet_NaN()));
  auto positive = ops.select(ops.less(x, infinity), value, x);
  return ops.select(ops.less(zero, x), positive, special);
}

template <typename Ops>
typename Ops::Float log(Ops &ops, typename Ops::Float x) {
  using F = typename Ops::Format;
  ReducedLog<Ops> reduced = reduceLog(ops, x);
  auto small =
      ops.fma(reduced.exponent, ops.constant(F::kLn2Low), reduced.correction);
  auto rest = ops.sub(reduced.f, ops.sub(reduced.halfSquare, small));
  return finishLog(ops, x,
                   ops.fma(reduced.exponent, ops.constant(F::kLn2High), rest));
}

template <typename Ops>
typename Ops::Float log2(Ops &ops, typename Ops::Float x) {
  using F = typename Ops::Format;
  ReducedLog<Ops> reduced = reduceLog(ops, x);
  // f - halfSquare as high + low without error, times log2(e) as high + low.
  auto high = ops.sub(reduced.f, reduced.halfSquare);
  auto low = ops.add(ops.sub(ops.sub(reduced.f, high), reduced.halfSquare),
                     reduced.correction);
  auto log2E = ops.constant(F::kLog2EHigh);
  auto small = ops.fma(low, log2E, ops.mul(high, ops.constant(F::kLog2ELow)));
  return finishLog(ops, x,
                   ops.add(ops.fma(high, log2E, small), reduced.exponent));
}

/// With t = e^2|x| - 1: tanh |x| = t / (t + 2); then the sign bit of x.
template <typename Ops>
typename Ops::Float tanh(Ops &ops, typename Ops::Float x) {
  using F = typename Ops::Format;
  auto bits = ops.toIntBits(x);
  auto magnitude =
      ops.toFloatBits(ops.andInt(bits, ops.integer(F::kMagnitudeMask)));
  auto twice =
      ops.min(ops.add(magnitude, magnitude), ops.constant(F::kTanhLimit));
  ReducedExp<Ops> reduced = reduceExp(ops, twice);
  auto power = powerOfTwo(ops, reduced.exponent);
  auto t = ops.fma(power, reduced.expm1, ops.sub(power, ops.constant(1.0)));
  auto value = ops.div(t, ops.add(t, ops.constant(2.0)));
  return ops.toFloatBits(ops.orInt(ops.toIntBits(value),
                                   ops.andInt(bits, ops.integer(F::kSignBit))));
}

/// Two roundings: of the square root and of the division.
template <typename Ops>
typename Ops::Float rsqrt(Ops &ops, typename Ops::Float x) {
  return ops.div(ops.constant(1.0), ops.sqrt(x));
}

/// One rounding.
template <typename Ops>
typename Ops::Float rcp(Ops &ops, typename Ops::Float x) {
  return ops.div(ops.constant(1.0), x);
}

} // namespace girih::te::portable

#endif // GIRIH_PASSES_TE_PORTABLEFUNCTIONS_H
