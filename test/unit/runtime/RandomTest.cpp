//===- RandomTest.cpp - random inputs are the same everywhere -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Random.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <set>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static HostArray filled(ScalarType type, std::vector<int64_t> shape,
                        RandomKind kind, uint64_t seed = 1,
                        uint32_t stream = 0) {
  Result<HostArray> array = HostArray::create(type, std::move(shape));
  REQUIRE(array);
  fillRandom(*array, kind, seed, stream);
  return std::move(*array);
}

static std::vector<double> values(const HostArray &array) {
  std::vector<double> all;
  for (int64_t i = 0; i < array.elements(); ++i)
    all.push_back(loadElement(array.tensor(), i));
  return all;
}

TEST_CASE("kinds have names") {
  Result<RandomKind> cancel = parseRandomKind("cancel");
  REQUIRE(cancel);
  CHECK(*cancel == RandomKind::Cancel);
  CHECK(parseRandomKind("gauss").message() ==
        "unknown kind of random input 'gauss'; known: normal, uniform, ones, "
        "special, cancel, denormals, nonfinite, zeros and ties");
  for (const std::string &name : randomKindNames())
    CHECK(parseRandomKind(name).ok());
}

TEST_CASE("normal values have the right moments and the library's accuracy") {
  std::vector<double> all =
      values(filled(ScalarType::F64, {1000000}, RandomKind::Normal));
  double sum = 0, squares = 0, fourths = 0;
  unsigned beyondTwo = 0;
  for (double x : all) {
    REQUIRE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    beyondTwo += std::fabs(x) > 2;
  }
  double n = double(all.size());
  CHECK(std::fabs(sum / n) < 0.004);
  CHECK(std::fabs(squares / n - 1) < 0.006);
  CHECK(std::fabs(fourths / n - 3) < 0.05);
  CHECK(std::fabs(beyondTwo / n - 0.0455) < 0.001);
  // A pair is radius * (cos, sin): its radius and angle have distributions of
  // their own, which a wrong quadrant or polynomial would bend.
  unsigned octants[8] = {};
  double negativeLogSum = 0;
  for (size_t i = 0; i + 1 < all.size(); i += 2) {
    double angle = std::atan2(all[i + 1], all[i]) / (2 * M_PI) + 0.5;
    ++octants[std::min(7, int(angle * 8))];
    negativeLogSum += (all[i] * all[i] + all[i + 1] * all[i + 1]) / 2;
  }
  for (unsigned count : octants)
    CHECK(std::fabs(count / (n / 2) - 0.125) < 0.002);
  CHECK(std::fabs(negativeLogSum / (n / 2) - 1) < 0.006);
}

TEST_CASE("values are frozen") {
  // Philox-4x32-10 with counter and key 0 begins 6627e8d5 e169c58d (Random123,
  // kat_vectors): the first uniform is 0xe169c58d6627e8d5 / 2^64.
  HostArray array = filled(ScalarType::F64, {2}, RandomKind::Uniform, 0);
  CHECK(loadElement(array.tensor(), 0) ==
        double(0xe169c58d6627e8d5ull >> 11) * 0x1p-53);
  HostArray normal = filled(ScalarType::F32, {4}, RandomKind::Normal, 42, 3);
  HostArray again = filled(ScalarType::F32, {2, 2}, RandomKind::Normal, 42, 3);
  CHECK(std::memcmp(normal.data(), again.data(), 16) == 0);
}

TEST_CASE("seed and stream matter, strides and threads do not") {
  std::vector<int64_t> shape = {1200, 1000};
  HostArray a = filled(ScalarType::F32, shape, RandomKind::Normal, 1, 0);
  HostArray seed = filled(ScalarType::F32, shape, RandomKind::Normal, 2, 0);
  HostArray stream = filled(ScalarType::F32, shape, RandomKind::Normal, 1, 1);
  CHECK(std::memcmp(a.data(), seed.data(), a.bytes()) != 0);
  CHECK(std::memcmp(a.data(), stream.data(), a.bytes()) != 0);
  Result<HostArray> turned =
      HostArray::createColumnMajor(ScalarType::F32, shape);
  REQUIRE(turned);
  fillRandom(*turned, RandomKind::Normal, 1, 0);
  CHECK(values(*turned) == values(a));
  // A small array is filled by one thread, a large one by several: the values
  // at the same flat index agree.
  HostArray small = filled(ScalarType::F32, {1000}, RandomKind::Normal, 1, 0);
  CHECK(std::memcmp(a.data(), small.data(), small.bytes()) == 0);
}

TEST_CASE("uniform values stay below 1 in every type") {
  for (ScalarType type :
       {ScalarType::F64, ScalarType::F32, ScalarType::F16, ScalarType::BF16}) {
    double sum = 0;
    for (double x : values(filled(type, {100000}, RandomKind::Uniform))) {
      REQUIRE(x >= 0);
      REQUIRE(x < 1);
      sum += x;
    }
    CHECK(std::fabs(sum / 100000 - 0.5) < 0.01);
  }
}

TEST_CASE("ones are ones") {
  for (double x : values(filled(ScalarType::BF16, {9}, RandomKind::Ones)))
    CHECK(x == 1);
}

TEST_CASE("special values hold everything a type has") {
  for (ScalarType type :
       {ScalarType::F64, ScalarType::F32, ScalarType::F16, ScalarType::BF16}) {
    HostArray array = filled(type, {4096}, RandomKind::Special);
    unsigned nan = 0, positiveInf = 0, negativeInf = 0, negativeZero = 0,
             denormal = 0, ordinary = 0;
    unsigned mantissaBits = type == ScalarType::F64   ? 52
                            : type == ScalarType::F32 ? 23
                            : type == ScalarType::F16 ? 10
                                                      : 7;
    for (int64_t i = 0; i < array.elements(); ++i) {
      double x = loadElement(array.tensor(), i);
      uint64_t bits = loadBits(array.tensor(), i);
      unsigned width = 8 * artifact::bytesOf(type);
      uint64_t exponent =
          (bits & ~(uint64_t(1) << (width - 1))) >> mantissaBits;
      nan += std::isnan(x);
      positiveInf += x == INFINITY;
      negativeInf += x == -INFINITY;
      negativeZero += x == 0 && std::signbit(x);
      denormal += exponent == 0 && x != 0;
      ordinary += std::isfinite(x) && exponent != 0;
    }
    CHECK(nan > 50);
    CHECK(positiveInf > 50);
    CHECK(negativeInf > 50);
    CHECK(negativeZero > 50);
    CHECK(denormal > 200);
    CHECK(ordinary > 2000);
  }
}

TEST_CASE("random integers and booleans") {
  constexpr int64_t kCount = 4096;
  auto drawn = [](ScalarType type, RandomKind kind) {
    HostArray array = std::move(*HostArray::create(type, {kCount}));
    fillRandom(array, kind, 7, 1);
    std::vector<double> values;
    for (int64_t i = 0; i < kCount; ++i)
      values.push_back(loadElement(array.tensor(), i));
    return values;
  };
  auto count = [](const std::vector<double> &values, double value) {
    return std::count(values.begin(), values.end(), value);
  };
  // Small ones: mean 0, deviation 8, none beyond 7 deviations.
  for (ScalarType type : {ScalarType::I8, ScalarType::I64}) {
    std::vector<double> values = drawn(type, RandomKind::Normal);
    double sum = 0, squares = 0;
    for (double value : values) {
      sum += value;
      squares += value * value;
      CHECK(std::fabs(value) <= 56);
    }
    CHECK(std::fabs(sum / kCount) < 0.6); // 8 / 64, five times
    CHECK(squares / kCount == Approx(64).epsilon(0.15));
  }
  for (double value : drawn(ScalarType::U16, RandomKind::Normal))
    CHECK(value >= 0);
  // All values: each half of the range is met about equally often.
  std::vector<double> all = drawn(ScalarType::U64, RandomKind::Uniform);
  int64_t upper = std::count_if(all.begin(), all.end(),
                                [](double v) { return v >= 0x1p63; });
  CHECK(upper > kCount / 2 - 200);
  CHECK(upper < kCount / 2 + 200);
  std::vector<double> bytes = drawn(ScalarType::I8, RandomKind::Uniform);
  CHECK(count(bytes, -128) > 0);
  CHECK(count(bytes, 127) > 0);
  // Extremes.
  std::vector<double> special = drawn(ScalarType::I32, RandomKind::Special);
  for (double value : {-2147483648.0, 2147483647.0, -1.0, 31.0})
    CHECK(count(special, value) > 50);
  CHECK(count(drawn(ScalarType::U8, RandomKind::Ones), 1) == kCount);
  CHECK(count(drawn(ScalarType::Bool, RandomKind::Ones), 1) == kCount);
  int64_t truths = count(drawn(ScalarType::Bool, RandomKind::Normal), 1);
  CHECK(truths > kCount / 2 - 200);
  CHECK(truths < kCount / 2 + 200);
  // f8 values are rounded into their type.
  for (double value : drawn(ScalarType::F8E4M3FN, RandomKind::Uniform)) {
    CHECK(value < 1);
    CHECK(value * 16 == std::floor(value * 16));
  }
}

TEST_CASE("cancelling values alternate and span many magnitudes") {
  for (ScalarType type :
       {ScalarType::F64, ScalarType::F32, ScalarType::F16, ScalarType::BF16}) {
    std::vector<double> all = values(filled(type, {4096}, RandomKind::Cancel));
    double smallest = INFINITY, largest = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      REQUIRE(std::isfinite(all[i]));
      REQUIRE((all[i] < 0) == (i % 2 == 1));
      smallest = std::min(smallest, std::fabs(all[i]));
      largest = std::max(largest, std::fabs(all[i]));
    }
    CHECK(largest / smallest > 1e5);
  }
}
