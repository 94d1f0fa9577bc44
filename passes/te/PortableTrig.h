//===- PortableTrig.h - sine and cosine in exact operations -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = quadrant * pi/2 + r with |r| <= pi/4, for every x: the significand of x,
// an integer, times the part of 2/pi that matters for its exponent, in integer
// arithmetic (Payne and Hanek). Bits of 2/pi that contribute multiples of 4
// quadrants are left out, and as many are kept as the x nearest to a multiple
// of pi/2 needs: f32 keeps 62 bits below the point, where 30 of them may be
// zeros, f64 126, where 61 may be.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_PORTABLETRIG_H
#define GIRIH_PASSES_TE_PORTABLETRIG_H

#include "passes/te/PortableFunctions.h"

#include <vector>

namespace girih::te::portable {

template <typename Format> struct TrigConstants;

template <> struct TrigConstants<PortableF32> {
  /// The bits of 2/pi in words, behind one word of zeros.
  static constexpr unsigned kWordBits = 32, kWordShift = 5;
  static constexpr uint64_t kTwoOverPi[] = {0,          0xa2f9836e, 0x4e441529,
                                            0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                            0x3c439041, 0xfe5163ab};
  static constexpr unsigned kHighestStep = 4;
  /// The biased exponent whose window starts at the first bit.
  static constexpr int64_t kFirstExponent = 120;
  static constexpr int64_t kQuarterPiBits = 0x3f490fdb;
  static constexpr double kHalfPiHigh = 0x1.921fb6p-64,
                          kHalfPiLow = -0x1.777a5cp-89;
  /// (sin r / r - 1) / r^2 and (cos r - 1 + r^2/2) / r^4 in r^2.
  static constexpr double kSin[] = {-0x1.555544p-3, 0x1.1106e4p-7,
                                    -0x1.992bd4p-13};
  static constexpr double kCos[] = {0x1.55554ap-5, -0x1.6c0c28p-10,
                                    0x1.99e818p-16};
};

template <> struct TrigConstants<PortableF64> {
  static constexpr unsigned kWordBits = 64, kWordShift = 6;
  static constexpr uint64_t kTwoOverPi[] = {0,
                                            0xa2f9836e4e441529,
                                            0xfc2757d1f534ddc0,
                                            0xdb6295993c439041,
                                            0xfe5163abdebbc561,
                                            0xb7246e3a424dd2e0,
                                            0x06492eea09d1921c,
                                            0xfe1deb1cb129a73e,
                                            0xe88235f52ebb4484,
                                            0xe99c7026b45f7e41,
                                            0x3991d639835339f4,
                                            0x9c845f8bbdf9283b,
                                            0x1ff897ffde05980f,
                                            0xef2f118b5a0a6d1f,
                                            0x6d367ecf27cb09b7,
                                            0x4f463f669e5fea2d,
                                            0x7527bac7ebe5f17b,
                                            0x3d0739f78a5292ea,
                                            0x6bfb5fb11f8d5d08,
                                            0x56033046fc7b6bab};
  static constexpr unsigned kHighestStep = 16;
  static constexpr int64_t kFirstExponent = 1013;
  static constexpr int64_t kQuarterPiBits = 0x3fe921fb54442d18;
  static constexpr double kHalfPiHigh = 0x1.921fb54442d18p-64,
                          kHalfPiLow = 0x1.1a62633145c07p-118;
  static constexpr double kSin[] = {
      -0x1.5555555555548p-3, 0x1.111111110f74bp-7,   -0x1.a01a019bee95ep-13,
      0x1.71de355b2cdc6p-19, -0x1.ae5e50fc082e3p-26, 0x1.5d8d1994303ecp-33};
  static constexpr double kCos[] = {
      0x1.555555555554ap-5,   -0x1.6c16c16c14e3dp-10, 0x1.a01a019c66716p-16,
      -0x1.27e4f7d6ee797p-22, 0x1.1ee9cb1bf237cp-29,  -0x1.8f9e6f3908c77p-37};
};

/// The high 64 bits of a * b, read without sign, for a < 2^53.
template <typename Ops>
typename Ops::Long mulHigh(Ops &ops, typename Ops::Long a,
                           typename Ops::Long b) {
  auto word = ops.longInteger(32), mask = ops.longInteger(0xffffffff);
  auto aLow = ops.andLong(a, mask), aHigh = ops.shiftRightLong(a, word);
  auto bLow = ops.andLong(b, mask), bHigh = ops.shiftRightLong(b, word);
  auto cross = ops.mulLong(aLow, bHigh);
  auto middle =
      ops.addLong(ops.addLong(ops.shiftRightLong(ops.mulLong(aLow, bLow), word),
                              ops.andLong(cross, mask)),
                  ops.mulLong(aHigh, bLow));
  return ops.addLong(
      ops.addLong(ops.mulLong(aHigh, bHigh), ops.shiftRightLong(cross, word)),
      ops.shiftRightLong(middle, word));
}

/// Four words of 2/pi from word `first` on, by conditional moves.
template <typename Ops>
std::vector<typename Ops::Long> wordsOfTwoOverPi(Ops &ops,
                                                 typename Ops::Long first) {
  using C = TrigConstants<typename Ops::Format>;
  constexpr unsigned kWanted = 4;
  std::vector<typename Ops::Long> words;
  for (uint64_t word : C::kTwoOverPi)
    words.push_back(ops.longInteger(int64_t(word)));
  for (unsigned step = C::kHighestStep; step > 0; step /= 2) {
    auto moves = ops.lessLong(
        ops.longInteger(0), ops.andLong(first, ops.longInteger(int64_t(step))));
    unsigned needed = kWanted + step - 1;
    for (unsigned i = 0; i < needed && i + step < words.size(); ++i)
      words[i] = ops.select(moves, words[i + step], words[i]);
    words.resize(needed, words[0]);
  }
  return words;
}

/// |x| in quadrants: the quadrant in the low two bits, and the rest, at most
/// half a quadrant, as high + low in units of 2^-64 quadrants.
template <typename Ops> struct Quadrants {
  typename Ops::Long quadrant;
  typename Ops::Float high, low;
};

/// The nearest number of quadrants for a count whose two bits above the point
/// are the highest bits of `count`.
template <typename Ops>
typename Ops::Long nearestQuadrant(Ops &ops, typename Ops::Long count) {
  auto halves = ops.shiftRightLong(count, ops.longInteger(61));
  return ops.shiftRightLong(ops.addLong(halves, ops.longInteger(1)),
                            ops.longInteger(1));
}

template <typename Ops>
Quadrants<Ops> quadrantsF32(Ops &ops, typename Ops::Long significand,
                            const std::vector<typename Ops::Long> &words,
                            typename Ops::Long shift) {
  auto word = ops.longInteger(32);
  auto upper = ops.orLong(ops.shiftLeftLong(words[0], word), words[1]);
  auto lower = ops.orLong(ops.shiftLeftLong(words[2], word), words[3]);
  auto top = ops.orLong(
      ops.shiftLeftLong(upper, shift),
      ops.shiftRightLong(lower, ops.subLong(ops.longInteger(64), shift)));
  auto next = ops.shiftRightLong(ops.shiftLeftLong(lower, shift), word);
  auto count =
      ops.addLong(ops.mulLong(significand, top),
                  ops.shiftRightLong(ops.mulLong(significand, next), word));
  auto rest = ops.shiftLeftLong(count, ops.longInteger(2)); // with a sign
  auto high = ops.convertLong(rest);
  auto low = ops.convertLong(ops.subLong(rest, ops.truncate(high)));
  return {nearestQuadrant(ops, count), high, low};
}

template <typename Ops>
Quadrants<Ops> quadrantsF64(Ops &ops, typename Ops::Long significand,
                            const std::vector<typename Ops::Long> &words,
                            typename Ops::Long shift) {
  auto back = ops.subLong(ops.longInteger(64), shift);
  auto shifted = [&](unsigned i) {
    return ops.orLong(ops.shiftLeftLong(words[i], shift),
                      ops.shiftRightLong(words[i + 1], back));
  };
  auto middle = shifted(1);
  auto carried = mulHigh(ops, significand, shifted(2));
  auto low = ops.addLong(ops.mulLong(significand, middle), carried);
  // Compared without sign: the sum wrapped where it is less than a summand.
  auto sign = ops.longInteger(std::numeric_limits<int64_t>::min());
  auto wrapped =
      ops.lessLong(ops.addLong(low, sign), ops.addLong(carried, sign));
  auto count =
      ops.addLong(ops.addLong(ops.mulLong(significand, shifted(0)),
                              mulHigh(ops, significand, middle)),
                  ops.select(wrapped, ops.longInteger(1), ops.longInteger(0)));
  auto two = ops.longInteger(2);
  auto rest = ops.orLong(ops.shiftLeftLong(count, two),
                         ops.shiftRightLong(low, ops.longInteger(62)));
  auto below =
      ops.shiftRightLong(ops.shiftLeftLong(low, two), ops.longInteger(11));
  auto whole = ops.convertLong(rest);
  auto fraction =
      ops.fma(ops.convertLong(below), ops.constant(0x1p-53),
              ops.convertLong(ops.subLong(rest, ops.truncate(whole))));
  auto high = ops.add(whole, fraction);
  return {nearestQuadrant(ops, count), high,
          ops.sub(fraction, ops.sub(high, whole))};
}

/// |x| = quadrant * pi/2 + high + low. Meaningless for infinities and NaN.
template <typename Ops> struct ReducedAngle {
  typename Ops::Long quadrant;
  typename Ops::Float high, low;
};

template <typename Ops>
ReducedAngle<Ops> reduceAngle(Ops &ops, typename Ops::Long magnitude,
                              typename Ops::Float absolute) {
  using F = typename Ops::Format;
  using C = TrigConstants<F>;
  auto significand =
      ops.orLong(ops.andLong(magnitude, ops.longInteger(F::kMantissaMask)),
                 ops.longInteger(F::kMantissaMask + 1));
  auto offset = ops.subLong(
      ops.shiftRightLong(magnitude, ops.longInteger(F::kMantissaBits)),
      ops.longInteger(C::kFirstExponent));
  auto words = wordsOfTwoOverPi(
      ops, ops.shiftRightLong(offset, ops.longInteger(C::kWordShift)));
  auto shift = ops.andLong(offset, ops.longInteger(C::kWordBits - 1));
  Quadrants<Ops> q;
  if constexpr (F::kMantissaBits == PortableF32::kMantissaBits)
    q = quadrantsF32(ops, significand, words, shift);
  else
    q = quadrantsF64(ops, significand, words, shift);
  auto halfPi = ops.constant(C::kHalfPiHigh);
  auto high = ops.mul(q.high, halfPi);
  auto low = ops.fma(q.high, halfPi, ops.sub(ops.constant(0.0), high));
  low = ops.add(low, ops.fma(q.low, halfPi,
                             ops.mul(q.high, ops.constant(C::kHalfPiLow))));
  auto isSmall =
      ops.lessLong(magnitude, ops.longInteger(C::kQuarterPiBits + 1));
  return {ops.select(isSmall, ops.longInteger(0), q.quadrant),
          ops.select(isSmall, absolute, high),
          ops.select(isSmall, ops.constant(0.0), low)};
}

/// sin(x + ahead * pi/2).
template <typename Ops>
typename Ops::Float sineAhead(Ops &ops, typename Ops::Float x, int64_t ahead) {
  using F = typename Ops::Format;
  using C = TrigConstants<F>;
  auto bits = ops.toIntBits(x);
  auto absoluteBits = ops.andInt(bits, ops.integer(F::kMagnitudeMask));
  auto magnitude = ops.widen(absoluteBits);
  ReducedAngle<Ops> angle =
      reduceAngle(ops, magnitude, ops.toFloatBits(absoluteBits));
  auto r = angle.high;
  auto square = ops.mul(r, r);
  auto sine = ops.add(
      r, ops.fma(ops.mul(r, square), horner(ops, square, C::kSin), angle.low));
  // 1 - r^2/2 rounds; what it loses is exact.
  auto half = ops.mul(square, ops.constant(0.5));
  auto one = ops.constant(1.0);
  auto leading = ops.sub(one, half);
  auto lost = ops.sub(ops.sub(one, leading), half);
  auto rest = ops.fma(ops.mul(square, square), horner(ops, square, C::kCos),
                      ops.sub(lost, ops.mul(r, angle.low)));
  auto cosine = ops.add(leading, rest);

  auto quadrant = ops.addLong(angle.quadrant, ops.longInteger(ahead));
  auto odd = ops.lessLong(ops.longInteger(0),
                          ops.andLong(quadrant, ops.longInteger(1)));
  auto value = ops.select(odd, cosine, sine);
  // The second bit of the quadrant turns the sign; a sine has that of x too.
  auto signBit = ops.integer(F::kSignBit);
  auto turn = ops.narrow(ops.shiftLeftLong(
      quadrant, ops.longInteger(F::kMantissaBits == 23 ? 30 : 62)));
  auto flip = ahead == 0 ? ops.xorInt(turn, bits) : turn;
  value = ops.toFloatBits(
      ops.xorInt(ops.toIntBits(value), ops.andInt(flip, signBit)));
  constexpr int64_t kInfinityBits = F::kMagnitudeMask - F::kMantissaMask;
  auto isFinite = ops.lessLong(magnitude, ops.longInteger(kInfinityBits));
  return ops.select(isFinite, value, ops.sub(x, x));
}

template <typename Ops>
typename Ops::Float sin(Ops &ops, typename Ops::Float x) {
  return sineAhead(ops, x, 0);
}

template <typename Ops>
typename Ops::Float cos(Ops &ops, typename Ops::Float x) {
  return sineAhead(ops, x, 1);
}

} // namespace girih::te::portable

#endif // GIRIH_PASSES_TE_PORTABLETRIG_H
