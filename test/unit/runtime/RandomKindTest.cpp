//===- RandomKindTest.cpp - inputs that look for one kind of fault --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Random.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static HostArray drawn(ScalarType type, const Draw &draw,
                       int64_t count = 4096) {
  Result<HostArray> array = HostArray::create(type, {count});
  REQUIRE(array);
  fillRandom(*array, draw);
  return std::move(*array);
}

static std::vector<double> values(const HostArray &array) {
  std::vector<double> all;
  for (int64_t i = 0; i < array.elements(); ++i)
    all.push_back(loadElement(array.tensor(), i));
  return all;
}

namespace {
struct FloatType {
  ScalarType type;
  int mantissa; ///< bits behind the point
  double smallestNormal;
};
} // namespace

static const FloatType kFloats[] = {
    {ScalarType::F64, 52, 0x1p-1022},  {ScalarType::F32, 23, 0x1p-126},
    {ScalarType::F16, 10, 0x1p-14},    {ScalarType::BF16, 7, 0x1p-126},
    {ScalarType::F8E4M3FN, 3, 0x1p-6}, {ScalarType::F8E5M2, 2, 0x1p-14}};

TEST_CASE("denormals lie around zero, of every size and sign") {
  for (const FloatType &format : kFloats) {
    INFO(artifact::nameOf(format.type));
    unsigned denormals = 0, negatives = 0, zeros = 0, smallest = 0;
    double step = std::ldexp(format.smallestNormal, -format.mantissa);
    for (double x : values(drawn(format.type, {RandomKind::Denormals}))) {
      CHECK(std::fabs(x) < 2 * format.smallestNormal);
      zeros += x == 0;
      smallest += std::fabs(x) == step;
      denormals += x != 0 && std::fabs(x) < format.smallestNormal;
      negatives += std::signbit(x);
    }
    CHECK(denormals > 1000);
    CHECK(zeros > 10);
    CHECK(smallest > 10);
    CHECK(negatives > 1800);
    CHECK(negatives < 2300);
  }
}

TEST_CASE("nonfinite values are few, and of three kinds") {
  unsigned up = 0, down = 0, nan = 0;
  for (double x : values(drawn(ScalarType::F32, {RandomKind::Nonfinite}))) {
    up += x == INFINITY;
    down += x == -INFINITY;
    nan += std::isnan(x);
  }
  for (unsigned count : {up, down, nan}) {
    CHECK(count > 50);
    CHECK(count < 130);
  }
}

TEST_CASE("zeros have both signs") {
  unsigned positive = 0, negative = 0, others = 0;
  for (double x : values(drawn(ScalarType::BF16, {RandomKind::Zeros}))) {
    others += x != 0;
    positive += x == 0 && !std::signbit(x);
    negative += x == 0 && std::signbit(x);
  }
  CHECK(others > 900);
  CHECK(others < 1150);
  CHECK(positive > 1350);
  CHECK(negative > 1350);
}

/// Half way between two neighbours of a type with that many mantissa bits: odd
/// in units of half its last place.
static bool isTie(double x, int mantissa) {
  int exponent = 0;
  double scaled = std::ldexp(std::frexp(std::fabs(x), &exponent), mantissa + 2);
  return scaled == std::floor(scaled) && std::fmod(scaled, 2) == 1;
}

TEST_CASE("ties are those of the narrower types that are named") {
  Draw draw{RandomKind::Ties};
  draw.narrow = {ScalarType::F64, ScalarType::F32, ScalarType::BF16,
                 ScalarType::I8};
  for (double x : values(drawn(ScalarType::F32, draw)))
    REQUIRE(isTie(x, 7));
  unsigned single = 0, brain = 0;
  for (double x : values(drawn(ScalarType::F64, draw))) {
    single += isTie(x, 23);
    brain += isTie(x, 7);
  }
  CHECK(single + brain == 4096);
  CHECK(single > 1800);
  CHECK(brain > 1800);
}

TEST_CASE("without a narrower type there are ties of all, and of integers") {
  for (const FloatType &format : kFloats) {
    INFO(artifact::nameOf(format.type));
    unsigned halves = 0, others = 0;
    for (double x : values(drawn(format.type, {RandomKind::Ties}))) {
      bool isHalf = std::fabs(x) - std::floor(std::fabs(x)) == 0.5;
      bool found = isHalf;
      for (const FloatType &narrow : kFloats)
        found |= narrow.mantissa < format.mantissa && isTie(x, narrow.mantissa);
      REQUIRE(found);
      halves += isHalf;
      others += !isHalf;
    }
    CHECK(halves > 100);
    CHECK((others > 100) == (format.type != ScalarType::F8E5M2));
  }
}

TEST_CASE("ties of integers are odd, also beyond a float's precision") {
  unsigned beyond = 0;
  for (double x : values(drawn(ScalarType::I32, {RandomKind::Ties}))) {
    REQUIRE(std::fmod(std::fabs(x), 2) == 1);
    beyond += std::fabs(x) > 0x1p24;
  }
  CHECK(beyond > 100);
}

TEST_CASE("promised ranges hold for every kind and every type") {
  for (size_t kind = 0; kind < randomKindNames().size(); ++kind)
    for (ScalarType type :
         {ScalarType::I8, ScalarType::U8, ScalarType::I16, ScalarType::U16,
          ScalarType::I32, ScalarType::U32, ScalarType::I64, ScalarType::U64}) {
      Draw draw{RandomKind(kind)};
      draw.range = IntegerRange{3, 10};
      bool low = false, high = false;
      for (double x : values(drawn(type, draw, 512))) {
        REQUIRE(x >= 3);
        REQUIRE(x < 10);
        low |= x == 3;
        high |= x == 9;
      }
      if (RandomKind(kind) == RandomKind::Special) {
        CHECK(low);
        CHECK(high);
      }
    }
  Draw draw;
  draw.range = IntegerRange{-4, 5};
  bool negative = false;
  for (double x : values(drawn(ScalarType::I16, draw))) {
    REQUIRE(x >= -4);
    REQUIRE(x < 5);
    negative |= x < 0;
  }
  CHECK(negative);
  draw.range = IntegerRange{7, 7};
  for (double x : values(drawn(ScalarType::I16, draw, 8)))
    CHECK(x == 7);
  draw.range = IntegerRange{INT64_MIN, INT64_MAX};
  drawn(ScalarType::I64, draw, 64);
}
