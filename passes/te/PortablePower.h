//===- PortablePower.h - powers and erf in exact operations -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// pow carries log2 |x| and its product with y as sums of two numbers. What is
// left grows with y log2 m, m the significand of x, to about half an ulp. A
// power that is a number of the type is given exactly, since there m is 1 or y
// at most 33 (f32: 15), which leaves less than 2^-5 ulp.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_PORTABLEPOWER_H
#define GIRIH_PASSES_TE_PORTABLEPOWER_H

#include "passes/te/PortableFunctions.h"

namespace girih::te::portable {

template <typename Format> struct PowerConstants;

template <> struct PowerConstants<PortableF32> {
  /// With z = s^2: log2((1+s)/(1-s)) = s (2/ln 2 + z (2/(3 ln 2) + z P(z))).
  static constexpr double kFirstHigh = 0x1.715476p+1, kFirstLow = 0x1.4ae0cp-25;
  static constexpr double kThirdHigh = 0x1.ec709ep-1,
                          kThirdLow = -0x1.e2fe02p-28;
  static constexpr double kLog[] = {0x1.277712p-1, 0x1.a5b932p-2, 0x1.5a29ep-2};
  /// (2^g - 1 - g ln 2) / g^2 on |g| <= 1/2.
  static constexpr double kExp[] = {0x1.ebfbd8p-3, 0x1.c6af84p-5, 0x1.3b30b2p-7,
                                    0x1.5f0654p-10, 0x1.3f8e34p-13};
  /// (erf x / x - 1) in x^2 below the limit, (-log(erfc x) - x) / x from there
  /// to the end, where erf x rounds to 1.
  static constexpr double kErfLimit = 0x1.dcp-1, kErfEnd = 4;
  static constexpr double kErfSmall[] = {0x1.06eba6p-3, -0x1.8126dap-2,
                                         0x1.ce17f4p-4, -0x1.b663d8p-6,
                                         0x1.4648d8p-8, -0x1.362150p-11};
  static constexpr double kErfLarge[] = {
      0x1.077c92p-3, 0x1.452e94p-1,   0x1.b35ceap-4, -0x1.861abep-6,
      0x1.e08e98p-9, -0x1.58f624p-12, 0x1.8e942ep-17};
};

template <> struct PowerConstants<PortableF64> {
  static constexpr double kFirstHigh = 0x1.71547652b82fep+1,
                          kFirstLow = 0x1.777d0ffda0d24p-55;
  static constexpr double kThirdHigh = 0x1.ec709dc3a03fdp-1,
                          kThirdLow = 0x1.d27f05548af0cp-55;
  static constexpr double kLog[] = {0x1.2776c50ef9bfbp-1, 0x1.a61762a7af1eap-2,
                                    0x1.484b13d67938bp-2, 0x1.0c9a85506890ap-2,
                                    0x1.c68edf41b7a7dp-3, 0x1.8a0b15e7e1dd4p-3,
                                    0x1.58e3814c678f6p-3, 0x1.62b2cc0481e8ep-3};
  static constexpr double kExp[] = {
      0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c8p-5,  0x1.3b2ab6fba4d6bp-7,
      0x1.5d87fe78a36bap-10, 0x1.430912f8b295cp-13, 0x1.ffcbfc70d9ed6p-17,
      0x1.62c0213561b1fp-20, 0x1.b524e495251dcp-24, 0x1.e4d2be6cc791fp-28,
      0x1.e9f77c45b4156p-32, 0x1.bfcd72db4cc2ap-36};
  static constexpr double kErfLimit = 0x1.dcp-1, kErfEnd = 6;
  static constexpr double kErfSmall[] = {
      0x1.06eba8214db68p-3,   -0x1.812746b0379c4p-2,  0x1.ce2f21a0417e7p-4,
      -0x1.b82ce31234438p-6,  0x1.565bcd0200da1p-8,   -0x1.c02db1c1447dep-11,
      0x1.f9a2e32b6d429p-14,  -0x1.f4ccfd4fcd382p-17, 0x1.b99ce8c03523dp-20,
      -0x1.5cc98e467c407p-23, 0x1.dcd24d9f3010ap-27,  -0x1.be35328926440p-31};
  static constexpr double kErfLarge[] = {
      0x1.06eb9271b8b3cp-3,   0x1.45f33ace200c5p-1,   0x1.a4edc63e55749p-4,
      -0x1.391b77fb1d35ep-6,  -0x1.f889adf812571p-13, 0x1.c6871652f9cdbp-10,
      -0x1.44f15bfa9d80bp-11, 0x1.374968ee8761fp-15,  0x1.271b9fcbfab7cp-14,
      -0x1.68bdcab568f7ap-15, 0x1.f87c534209cf5p-17,  -0x1.ef3e5aa3a294ap-19,
      0x1.62a3d65483278p-21,  -0x1.6e29e506398bap-24, 0x1.037918e4614a6p-27,
      -0x1.c4d84c51674f6p-32, 0x1.6f3367a2fc3c7p-37};
};

/// A number as an unevaluated sum, |low| at most about an ulp of high.
template <typename Ops> struct Sum2 { typename Ops::Float high, low; };

/// log2 of a positive finite number, to about 2^-36 (f64: 2^-65) of itself.
template <typename Ops> Sum2<Ops> preciseLog2(Ops &ops, typename Ops::Float x) {
  using C = PowerConstants<typename Ops::Format>;
  SplitFloat<Ops> split = splitFloat(ops, x);
  auto zero = ops.constant(0.0), one = ops.constant(1.0);
  // s = f / d with f = m - 1 (exact) and d = m + 1 = dHigh + dLow.
  auto m = split.mantissa;
  auto f = ops.sub(m, one);
  auto dHigh = ops.add(m, one);
  auto dLow = ops.sub(m, ops.sub(dHigh, one));
  auto inverse = ops.div(one, dHigh);
  auto s = ops.mul(f, inverse);
  auto minusS = ops.sub(zero, s);
  auto sLow =
      ops.mul(inverse, ops.fma(minusS, dLow, ops.fma(minusS, dHigh, f)));
  auto z = ops.mul(s, s);
  auto zLow = ops.fma(ops.add(s, s), sLow, ops.fma(s, s, ops.sub(zero, z)));
  // p = third + z P(z), q = z p, u = first + q, log2 m = s u.
  auto third = ops.constant(C::kThirdHigh), first = ops.constant(C::kFirstHigh);
  auto t = ops.mul(z, horner(ops, z, C::kLog));
  auto p = ops.add(third, t);
  auto pLow =
      ops.add(ops.sub(t, ops.sub(p, third)), ops.constant(C::kThirdLow));
  auto q = ops.mul(z, p);
  auto qLow =
      ops.fma(zLow, p, ops.fma(z, pLow, ops.fma(z, p, ops.sub(zero, q))));
  auto u = ops.add(first, q);
  auto uLow = ops.add(ops.sub(q, ops.sub(u, first)),
                      ops.add(ops.constant(C::kFirstLow), qLow));
  auto log = ops.mul(s, u);
  auto logLow =
      ops.fma(sLow, u, ops.fma(s, uLow, ops.fma(s, u, ops.sub(zero, log))));
  // The exponent is 0 or larger than the logarithm of m.
  auto high = ops.add(split.exponent, log);
  return {high, ops.add(ops.sub(log, ops.sub(high, split.exponent)), logLow)};
}

/// 2^(high + low), rounded once but for results that are denormal.
template <typename Ops>
typename Ops::Float preciseExp2(Ops &ops, Sum2<Ops> sum) {
  using F = typename Ops::Format;
  using C = PowerConstants<F>;
  auto one = ops.constant(1.0), zero = ops.constant(0.0);
  auto low = ops.constant(F::kExp2Low), high = ops.constant(F::kExp2High);
  auto inside = ops.logicAnd(ops.less(low, sum.high), ops.less(sum.high, high));
  auto rest = ops.select(inside, sum.low, zero);
  auto x = ops.max(ops.min(sum.high, high), low);
  auto shifter = ops.constant(F::kShifter);
  auto shifted = ops.add(x, shifter);
  auto fraction = ops.sub(x, ops.sub(shifted, shifter)); // exact
  auto g = ops.add(fraction, rest);
  auto gLow = ops.sub(rest, ops.sub(g, fraction));
  // 2^g - 1 = v + vLow.
  auto ln2 = ops.constant(F::kLn2High);
  auto v = ops.mul(g, ln2);
  auto vLow = ops.fma(g, ln2, ops.sub(zero, v));
  vLow = ops.fma(g, ops.constant(F::kLn2Low), vLow);
  vLow = ops.fma(ops.mul(g, g), horner(ops, g, C::kExp), vLow);
  auto step = ops.mul(gLow, ln2);
  vLow = ops.add(vLow, ops.fma(step, v, step));
  auto sumHigh = ops.add(one, v);
  auto sumLow = ops.add(ops.sub(v, ops.sub(sumHigh, one)), vLow);
  return scaleBy(
      ops, ops.add(sumHigh, sumLow),
      ops.subInt(ops.toIntBits(shifted), ops.integer(F::kShifterBits)));
}

/// |x|^y for x and y that are no NaN; |x| = 1 and y = 0 are the caller's.
template <typename Ops>
typename Ops::Float powerOfMagnitude(Ops &ops, typename Ops::Float magnitude,
                                     typename Ops::Float y) {
  auto zero = ops.constant(0.0);
  auto infinity = ops.constant(std::numeric_limits<double>::infinity());
  Sum2<Ops> log = preciseLog2(ops, magnitude);
  auto ordinary =
      ops.logicAnd(ops.less(zero, magnitude), ops.less(magnitude, infinity));
  auto limit =
      ops.select(ops.equal(magnitude, zero), ops.sub(zero, infinity), infinity);
  log.high = ops.select(ordinary, log.high, limit);
  log.low = ops.select(ordinary, log.low, zero);
  auto product = ops.mul(y, log.high);
  auto low = ops.fma(y, log.low, ops.fma(y, log.high, ops.sub(zero, product)));
  return preciseExp2(ops, Sum2<Ops>{product, low});
}

/// The power with the special values of IEEE 754 (and of C).
template <typename Ops>
typename Ops::Float pow(Ops &ops, typename Ops::Float x,
                        typename Ops::Float y) {
  using F = typename Ops::Format;
  auto zero = ops.constant(0.0), one = ops.constant(1.0);
  auto nan = ops.constant(std::numeric_limits<double>::quiet_NaN());
  auto infinity = ops.constant(std::numeric_limits<double>::infinity());
  auto bits = ops.toIntBits(x);
  auto magnitude =
      ops.toFloatBits(ops.andInt(bits, ops.integer(F::kMagnitudeMask)));
  auto value = powerOfMagnitude(ops, magnitude, y);
  value = ops.select(ops.equal(magnitude, one), one, value);
  // An odd y keeps the sign of x. Large numbers and infinities are even.
  auto half = ops.mul(y, ops.constant(0.5));
  auto isInteger = ops.equal(ops.trunc(y), y);
  auto isEven = ops.equal(ops.trunc(half), half);
  auto sign = ops.select(isEven, ops.integer(0),
                         ops.andInt(bits, ops.integer(F::kSignBit)));
  sign = ops.select(isInteger, sign, ops.integer(0));
  value = ops.toFloatBits(ops.orInt(ops.toIntBits(value), sign));
  auto isNegative =
      ops.logicAnd(ops.less(x, zero), ops.less(ops.sub(zero, infinity), x));
  value = ops.select(isInteger, value, ops.select(isNegative, nan, value));
  auto isNumber = ops.logicAnd(ops.equal(x, x), ops.equal(y, y));
  value = ops.select(isNumber, value, nan);
  value = ops.select(ops.equal(x, one), one, value);
  return ops.select(ops.equal(y, zero), one, value);
}

/// erf x = x + x P(x^2) for small x, else 1 - e^-g(|x|) with the sign of x.
template <typename Ops>
typename Ops::Float erf(Ops &ops, typename Ops::Float x) {
  using F = typename Ops::Format;
  using C = PowerConstants<F>;
  auto bits = ops.toIntBits(x);
  auto magnitude =
      ops.toFloatBits(ops.andInt(bits, ops.integer(F::kMagnitudeMask)));
  auto limit = ops.constant(C::kErfLimit);
  auto isSmall = ops.less(magnitude, limit);
  auto held = ops.min(magnitude, limit); // keeps the square finite
  auto nearZero = ops.fma(
      magnitude, horner(ops, ops.mul(held, held), C::kErfSmall), magnitude);
  auto t = ops.min(magnitude, ops.constant(C::kErfEnd));
  auto g = ops.fma(t, horner(ops, t, C::kErfLarge), t);
  auto far =
      ops.sub(ops.constant(1.0), exp(ops, ops.sub(ops.constant(0.0), g)));
  auto value = ops.select(isSmall, nearZero, far);
  return ops.toFloatBits(ops.orInt(ops.toIntBits(value),
                                   ops.andInt(bits, ops.integer(F::kSignBit))));
}

} // namespace girih::te::portable

#endif // GIRIH_PASSES_TE_PORTABLEPOWER_H
