//===- ExactNumberTest.cpp - one rounding, from the text ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/ExactNumber.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

using girih::ExactNumber;
using girih::FloatFormat;
using girih::roundLiteral;

TEST_CASE("literals round once from their digits") {
  CHECK(roundLiteral("0.1", FloatFormat::F64).value == 0.1);
  CHECK(roundLiteral("0.1", FloatFormat::F32).value == double(0.1f));
  CHECK(roundLiteral("0x1.8p3", FloatFormat::F16).value == 12.0);
  CHECK(roundLiteral("1.4426950408889634", FloatFormat::F32).value ==
        double(1.4426950408889634f));
  // 1 + 2^-8 is a tie in bf16 (to even: 1). A hair above it must round up, and
  // would not if it went through f32 first.
  CHECK(roundLiteral("1.00390625", FloatFormat::BF16).value == 1.0);
  CHECK(roundLiteral("1.00390625000000000001", FloatFormat::BF16).value ==
        1.0078125);
  CHECK(std::isinf(roundLiteral("inf", FloatFormat::BF16).value));
  CHECK(std::isnan(roundLiteral("nan", FloatFormat::F32).value));
}

TEST_CASE("overflow and vanishing literals are told") {
  CHECK(roundLiteral("65519", FloatFormat::F16).value == 65504.0);
  CHECK_FALSE(roundLiteral("65519", FloatFormat::F16).overflow);
  CHECK(roundLiteral("65520", FloatFormat::F16).overflow);
  CHECK(roundLiteral("1e400", FloatFormat::F64).overflow);
  CHECK(roundLiteral("1e-60", FloatFormat::F32).roundedToZero);
  CHECK_FALSE(roundLiteral("1e-45", FloatFormat::F32).roundedToZero);
  CHECK_FALSE(roundLiteral("0.0", FloatFormat::F32).roundedToZero);
  CHECK_FALSE(roundLiteral("inf", FloatFormat::F32).overflow);
}

namespace {
ExactNumber exact(const char *text) {
  auto value = ExactNumber::fromLiteral(text);
  REQUIRE(value);
  return *value;
}
} // namespace

TEST_CASE("rational arithmetic is exact") {
  auto third = exact("1").over(exact("3"));
  REQUIRE(third);
  CHECK(third->round(FloatFormat::F64).value == 1.0 / 3.0);
  CHECK(third->round(FloatFormat::F32).value == double(1.0f / 3.0f));
  auto one = third->times(exact("3"));
  REQUIRE(one);
  CHECK(one->round(FloatFormat::F64).value == 1.0);
  // 0.1 + 0.2 is not 0.3 in doubles; exactly it is.
  auto sum = exact("0.1").plus(exact("0.2"));
  REQUIRE(sum);
  CHECK(sum->round(FloatFormat::F64).value == 0.3);
  CHECK(exact("0x1.8p-3").round(FloatFormat::F32).value == 0.1875);
  CHECK(ExactNumber::fromDouble(-0.1).round(FloatFormat::F64).value == -0.1);
  CHECK(ExactNumber::fromDouble(5e-324).round(FloatFormat::F64).value ==
        5e-324);
}

TEST_CASE("zeros keep their sign") {
  ExactNumber zero = exact("0.0"), minus = zero.negated();
  CHECK(std::signbit(minus.round(FloatFormat::F32).value));
  CHECK(std::signbit(minus.plus(minus)->round(FloatFormat::F32).value));
  CHECK_FALSE(std::signbit(minus.plus(zero)->round(FloatFormat::F32).value));
  CHECK(std::signbit(minus.times(exact("2"))->round(FloatFormat::F32).value));
  ExactNumber one = exact("1");
  CHECK_FALSE(
      std::signbit(one.plus(one.negated())->round(FloatFormat::F32).value));
}

TEST_CASE("sizes are bounded") {
  CHECK_FALSE(ExactNumber::fromLiteral("1e2000"));
  CHECK_FALSE(ExactNumber::fromLiteral("0x1p-99999"));
  auto big = exact("1e900");
  std::optional<ExactNumber> power = big;
  int steps = 0;
  while (power && steps < 100) {
    power = power->times(big);
    ++steps;
  }
  CHECK_FALSE(power);
}

TEST_CASE("exact rounding agrees with the processor on random quotients") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    double a = std::ldexp(double(random() >> 11), int(random() % 200) - 100);
    double b =
        std::ldexp(double((random() >> 11) | 1), int(random() % 200) - 100);
    auto quotient = ExactNumber::fromDouble(a).over(ExactNumber::fromDouble(b));
    REQUIRE(quotient);
    REQUIRE(quotient->round(FloatFormat::F64).value == a / b);
    float fa = float(a), fb = float(b);
    if (!std::isnormal(fa) || !std::isnormal(fb) || !std::isfinite(fa / fb))
      continue;
    auto single = ExactNumber::fromDouble(fa).over(ExactNumber::fromDouble(fb));
    REQUIRE(single->round(FloatFormat::F32).value == double(fa / fb));
  }
}
