//===- RoundingTest.cpp - exact arithmetic in integers --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two references: the host's unit for f32 and f64, and for a tiny format the
// definition itself, over all operands: the value is exact in f64 and compared
// with every number that the format has.
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/HostFloat.h"

#include "runtime/sim/FloatMath.h"
#include "runtime/sim/HalfMath.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;

namespace {

// 1 sign, 3 exponent, 2 fraction bits: 0.0625 .. 14.
constexpr FloatFormat kTiny{3, 2, 0x1f};

double valueOfTiny(uint64_t bits) {
  double sign = bits & 0x20 ? -1 : 1;
  int field = int(bits >> 2 & 7), fraction = int(bits & 3);
  if (field == 7)
    return fraction ? NAN : sign * INFINITY;
  return sign * (field ? std::ldexp(4 + fraction, field - 5)
                       : std::ldexp(fraction, -4));
}

/// Rounds by search. `below`: how many more exponents there are at the lower
/// end. `value` has no other sign than the zero's.
double roundBySearch(double value, Rounding rounding, int below) {
  if (value != value || std::isinf(value))
    return value;
  double magnitude = std::fabs(value);
  // Neighbours among 0 and (4 + f) * 2^e; beyond 14 comes 16, for infinity.
  double lower = 0, upper = 16;
  auto offer = [&](double candidate) {
    if (candidate <= magnitude)
      lower = std::max(lower, candidate);
    if (candidate >= magnitude)
      upper = std::min(upper, candidate);
  };
  for (int exponent = -4 - below; exponent <= 1; ++exponent)
    for (int fraction = 0; fraction < 4; ++fraction)
      offer(std::ldexp(4 + fraction, exponent));
  for (int fraction = 0; fraction < 4; ++fraction)
    offer(std::ldexp(fraction, -4 - below));
  bool negative = std::signbit(value);
  double chosen = lower;
  if (lower != upper) {
    double middle = (lower + upper) / 2;
    // The even one of two neighbours is the multiple of twice their distance.
    bool lowerIsEven = std::fmod(lower, 2 * (upper - lower)) == 0;
    switch (rounding) {
    case Rounding::Nearest:
      chosen = magnitude > middle || (magnitude == middle && !lowerIsEven)
                   ? upper
                   : lower;
      break;
    case Rounding::Away:
      chosen = magnitude >= middle ? upper : lower;
      break;
    case Rounding::Zero:
      break;
    case Rounding::Down:
      chosen = negative ? upper : lower;
      break;
    case Rounding::Up:
      chosen = negative ? lower : upper;
      break;
    }
  }
  if (chosen >= 16) {
    bool inward = rounding == Rounding::Zero ||
                  rounding == (negative ? Rounding::Up : Rounding::Down);
    chosen = inward ? 14 : INFINITY;
  }
  return std::copysign(chosen, value);
}

double expectedTiny(double value, Rounding rounding, bool flush) {
  if (flush && std::fabs(roundBySearch(value, rounding, 12)) < 0.25)
    return std::copysign(0.0, value);
  return roundBySearch(value, rounding, 0);
}

double flushedTiny(double value, bool flush) {
  return flush && std::fabs(value) < 0.25 ? std::copysign(0.0, value) : value;
}

bool same(double a, double b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

constexpr Rounding kAll[] = {Rounding::Nearest, Rounding::Zero, Rounding::Down,
                             Rounding::Up, Rounding::Away};

/// A sum that is zero: its sign depends on the rounding.
double sumOf(double a, double b, Rounding rounding) {
  double sum = a + b;
  if (sum == 0 && rounding == Rounding::Down &&
      (std::signbit(a) || std::signbit(b)))
    return -0.0;
  return sum;
}

template <typename F> void forTinyPairs(F &&check) {
  for (Rounding rounding : kAll)
    for (bool flush : {false, true})
      for (uint64_t a = 0; a < 64; ++a)
        for (uint64_t b = 0; b < 64; ++b)
          check(rounding, flush, a, b);
}

} // namespace

TEST_CASE("sums, products and quotients of a tiny format", "[sim]") {
  size_t wrong = 0;
  forTinyPairs([&](Rounding rounding, bool flush, uint64_t a, uint64_t b) {
    double x = flushedTiny(valueOfTiny(a), flush);
    double y = flushedTiny(valueOfTiny(b), flush);
    auto check = [&](uint64_t found, double exact) {
      wrong += !same(valueOfTiny(found), expectedTiny(exact, rounding, flush));
    };
    check(softAdd(kTiny, a, b, rounding, flush), sumOf(x, y, rounding));
    check(softMul(kTiny, a, b, rounding, flush), x * y);
    // Quotients of 3 bit numbers are exact in f64 or far from any tie.
    check(softDiv(kTiny, a, b, rounding, flush), x / y);
  });
  CHECK(wrong == 0);
}

TEST_CASE("fused sums of a tiny format", "[sim]") {
  size_t wrong = 0;
  forTinyPairs([&](Rounding rounding, bool flush, uint64_t a, uint64_t b) {
    double x = flushedTiny(valueOfTiny(a), flush);
    double y = flushedTiny(valueOfTiny(b), flush);
    for (uint64_t c = 0; c < 64; c += 1 + (a + b) % 3) {
      double z = flushedTiny(valueOfTiny(c), flush);
      double found = valueOfTiny(softFma(kTiny, a, b, c, rounding, flush));
      wrong += !same(found,
                     expectedTiny(sumOf(x * y, z, rounding), rounding, flush));
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("roots and conversions of a tiny format", "[sim]") {
  for (Rounding rounding : kAll)
    for (bool flush : {false, true})
      for (uint64_t a = 0; a < 64; ++a) {
        double x = flushedTiny(valueOfTiny(a), flush);
        // A root of a 3 bit number is exact or far from any tie.
        double root = valueOfTiny(softSqrt(kTiny, a, rounding, flush));
        INFO(a << " " << int(rounding) << " " << flush);
        CHECK(same(root, expectedTiny(std::sqrt(x), rounding, flush)));
      }
  // From f64: every multiple of 2^-8 up to 20, which has all ties.
  size_t wrong = 0;
  for (Rounding rounding : kAll)
    for (bool flush : {false, true})
      for (int i = -20 * 256; i <= 20 * 256; ++i) {
        double value = i / 256.0;
        uint64_t found =
            softConvert(kFormatF64, kTiny, bitsOfHost(value), rounding, flush);
        wrong +=
            !same(valueOfTiny(found), expectedTiny(value, rounding, flush));
      }
  CHECK(wrong == 0);
}

namespace {

uint64_t softOperation(const FloatFormat &format, const std::string &name,
                       const uint64_t *in, Rounding rounding, bool flush) {
  if (name == "add")
    return softAdd(format, in[0], in[1], rounding, flush);
  if (name == "sub")
    return softAdd(format, in[0], in[1] ^ format.sign(), rounding, flush);
  if (name == "mul")
    return softMul(format, in[0], in[1], rounding, flush);
  if (name == "div")
    return softDiv(format, in[0], in[1], rounding, flush);
  if (name == "fma")
    return softFma(format, in[0], in[1], in[2], rounding, flush);
  return softSqrt(format, in[0], rounding, flush);
}

template <typename T>
void compareWithHost(const FloatFormat &format, int count, bool flush) {
  for (std::string name : {"add", "mul", "div", "fma", "sqrt"})
    for (const RoundingName &mode : kRoundings) {
      FloatSource source(format);
      HostMode host(mode.host, flush);
      size_t wrong = 0;
      uint64_t first[3] = {};
      for (int i = 0; i < count; ++i) {
        uint64_t in[3] = {source.any(), source.any(), source.any()};
        if (i % 3 == 0)
          in[1] = source.near(in[0], 2);
        if (i % 5 == 0) { // c near the product, and of the other sign
          T product = valueOf<T>(in[0]) * valueOf<T>(in[1]);
          in[2] = bitsOfHost(product) ^ format.sign() ^ (source.next() % 4);
        }
        T expected = hostOperation<T>(name, valueOf<T>(in[0]),
                                      valueOf<T>(in[1]), valueOf<T>(in[2]));
        if (softOperation(format, name, in, mode.rounding, flush) !=
            bitsOfHost(expected)) {
          if (wrong++ == 0)
            std::copy_n(in, 3, first);
        }
      }
      INFO(name << "." << mode.ptx << std::hex << " 0x" << first[0] << " 0x"
                << first[1] << " 0x" << first[2]);
      CHECK(wrong == 0);
    }
}

} // namespace

TEST_CASE("f32 in integers is the host's", "[sim]") {
  compareWithHost<float>(kFormatF32, 20000, false);
}

TEST_CASE("f64 in integers is the host's", "[sim]") {
  compareWithHost<double>(kFormatF64, 20000, false);
}

TEST_CASE("f32 flushed in integers is the host's", "[sim]") {
  if (kHostFlushes)
    compareWithHost<float>(kFormatF32, 20000, true);
}
