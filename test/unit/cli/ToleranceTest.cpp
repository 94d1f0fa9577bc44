//===- ToleranceTest.cpp - near enough, as a user says it -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Tolerance.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace girih;
using namespace girih::cli;
using artifact::ScalarType;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

rt::HostArray vectorOf(ScalarType type, const std::vector<double> &values) {
  Result<rt::HostArray> array =
      rt::HostArray::create(type, {int64_t(values.size())});
  REQUIRE(array);
  for (size_t i = 0; i < values.size(); ++i)
    rt::storeElement(array->data(), type, int64_t(i), values[i]);
  return std::move(*array);
}

/// Is `actual` near `expected`, both in f32?
bool isNear(double actual, double expected, Tolerance tolerance) {
  rt::HostArray a = vectorOf(ScalarType::F32, {actual});
  rt::HostArray e = vectorOf(ScalarType::F32, {expected});
  return compare(a.tensor(), e.tensor(), tolerance).faults == 0;
}

} // namespace

TEST_CASE("distances in steps of the type") {
  // One step above 1 in each format, and over zero.
  CHECK(ulpDistance(ScalarType::F32, 0x3f800000, 0x3f800001) == 1u);
  CHECK(ulpDistance(ScalarType::BF16, 0x3f80, 0x3f7f) == 1u);
  CHECK(ulpDistance(ScalarType::F16, 0x0000, 0x8000) == 0u);
  CHECK(ulpDistance(ScalarType::F16, 0x0001, 0x8001) == 2u);
  CHECK(ulpDistance(ScalarType::F64, 0x3ff0000000000000, 0x3ff0000000000007) ==
        7u);
  // From the largest f64 to the smallest: all finite numbers and two more
  // steps to the infinities.
  CHECK(ulpDistance(ScalarType::F64, 0x7ff0000000000000, 0xfff0000000000000) ==
        0xffe0000000000000);
  CHECK_FALSE(ulpDistance(ScalarType::F32, 0x7fc00000, 0));
  CHECK_FALSE(ulpDistance(ScalarType::BF16, 0, 0xffff));
}

TEST_CASE("distances of f8, integers and booleans") {
  // 448, the largest e4m3, is 0x7e; 0x7f is its NaN; e5m2 has infinities.
  CHECK(ulpDistance(ScalarType::F8E4M3FN, 0x38, 0x39) == 1u);
  CHECK(ulpDistance(ScalarType::F8E4M3FN, 0x7e, 0xfe) == 252u);
  CHECK_FALSE(ulpDistance(ScalarType::F8E4M3FN, 0x7f, 0x38));
  CHECK(ulpDistance(ScalarType::F8E5M2, 0x7b, 0x7c) == 1u);
  CHECK_FALSE(ulpDistance(ScalarType::F8E5M2, 0x7d, 0x38));
  CHECK(ulpDistance(ScalarType::F8E5M2, 0x00, 0x80) == 0u);
  // -1 and 1; the smallest and the largest of a type; 255 and 1.
  CHECK(ulpDistance(ScalarType::I8, 0xff, 0x01) == 2u);
  CHECK(ulpDistance(ScalarType::I8, 0x80, 0x7f) == 255u);
  CHECK(ulpDistance(ScalarType::U8, 0xff, 0x01) == 254u);
  CHECK(ulpDistance(ScalarType::I64, uint64_t(1) << 63,
                    (uint64_t(1) << 63) - 1) == ~uint64_t(0));
  CHECK(ulpDistance(ScalarType::U64, 0, ~uint64_t(0)) == ~uint64_t(0));
  CHECK(ulpDistance(ScalarType::Bool, 1, 0) == 1u);
  CHECK(ulpDistance(ScalarType::Bool, 1, 2) == 0u);
}

TEST_CASE("integers are compared as they are") {
  // Beyond 2^53 an f64 does not tell neighbours apart.
  auto faults = [](ScalarType type, uint64_t actual, uint64_t expected,
                   Tolerance tolerance) {
    rt::HostArray a = vectorOf(type, {0}), e = vectorOf(type, {0});
    rt::storeBits(a.data(), type, 0, actual);
    rt::storeBits(e.data(), type, 0, expected);
    return compare(a.tensor(), e.tensor(), tolerance).faults;
  };
  const uint64_t big = uint64_t(1) << 60;
  Tolerance exact, ulp, abs, rel;
  ulp.ulp = 2;
  abs.abs = 2.5;
  rel.rel = 0.125;
  for (ScalarType type : {ScalarType::I64, ScalarType::U64}) {
    CHECK(faults(type, big, big, exact) == 0);
    CHECK(faults(type, big + 1, big, exact) == 1);
    CHECK(faults(type, big + 2, big, ulp) == 0);
    CHECK(faults(type, big + 3, big, ulp) == 1);
    CHECK(faults(type, big + 2, big, abs) == 0);
    CHECK(faults(type, big, big + 3, abs) == 1);
    CHECK(faults(type, big + big / 8, big, rel) == 0);
    CHECK(faults(type, big + big / 8 + 1024, big, rel) == 1);
  }
  CHECK(faults(ScalarType::Bool, 2, 1, exact) == 0);
  CHECK(faults(ScalarType::Bool, 0, 1, exact) == 1);

  auto words = [](ScalarType type, uint64_t actual, uint64_t expected) {
    rt::HostArray a = vectorOf(type, {0}), e = vectorOf(type, {0});
    rt::storeBits(a.data(), type, 0, actual);
    rt::storeBits(e.data(), type, 0, expected);
    return printFault("Y", type,
                      compare(a.tensor(), e.tensor(), {}).first.at(0));
  };
  CHECK(words(ScalarType::I8, 0x80, 2) ==
        "Y[0] = -128 (0x80), expected 2 (0x02), 130 apart");
  CHECK(words(ScalarType::U64, ~uint64_t(0), 0) ==
        "Y[0] = 18446744073709551615 (0xffffffffffffffff), expected 0 "
        "(0x0000000000000000), 18446744073709551615 apart");
  CHECK(words(ScalarType::Bool, 1, 0) ==
        "Y[0] = true (0x01), expected false (0x00)");
  CHECK(words(ScalarType::F8E4M3FN, 0x38, 0x3a) ==
        "Y[0] = 1 (0x38), expected 1.25 (0x3a), 2 ulp apart");
}

TEST_CASE("one of the bounds is enough") {
  Tolerance exact, ulp, abs, rel, both;
  ulp.ulp = 1;
  abs.abs = 0.25;
  rel.rel = 0.5;
  both.abs = 0.25;
  both.rel = 0.5;
  CHECK(isNear(1, 1, exact));
  CHECK_FALSE(isNear(0.0, -0.0, exact));
  CHECK(isNear(0.0, -0.0, ulp));
  CHECK(isNear(kNan, -kNan, exact));
  CHECK(isNear(kNan, kNan, abs));
  CHECK_FALSE(isNear(kNan, 1, abs));
  CHECK_FALSE(isNear(1, kNan, rel));
  CHECK(isNear(1 + 0x1p-23, 1, ulp));
  CHECK_FALSE(isNear(1 + 0x1p-22, 1, ulp));
  CHECK(isNear(1.25, 1, abs));
  CHECK_FALSE(isNear(1.5, 1, abs));
  CHECK(isNear(-1.5, -1, rel));
  CHECK_FALSE(isNear(-1.625, -1, rel));
  // The bound is a part of what is expected, not of what came.
  CHECK(isNear(2, 4, rel));
  CHECK_FALSE(isNear(4, 2, rel));
  CHECK(isNear(150, 100, both));
  CHECK(isNear(0.2, 0, both));
  CHECK(isNear(kInf, kInf, abs));
  CHECK_FALSE(isNear(kInf, -kInf, rel));
  abs.abs = kInf;
  CHECK_FALSE(isNear(kInf, 1, abs));
}

TEST_CASE("the first faults, and their words") {
  rt::HostArray a = vectorOf(ScalarType::BF16, {1, 2, 3, 4, 5, kNan});
  rt::HostArray e = vectorOf(ScalarType::BF16, {1.0078125, 2, -3, 0, 4, 1});
  ToleranceResult result = compare(a.tensor(), e.tensor(), {});
  CHECK(result.elements == 6);
  CHECK(result.faults == 5);
  REQUIRE(result.first.size() == 3);
  CHECK(printFault("Y", ScalarType::BF16, result.first[0]) ==
        "Y[0] = 1 (0x3f80), expected 1.0078125 (0x3f81), 1 ulp apart");
  CHECK(result.first[1].index == std::vector<int64_t>{2});
  ElementFault fault;
  fault.actual = kNan;
  fault.actualBits = 0x7fff;
  fault.expected = 1;
  fault.expectedBits = 0x3f80;
  CHECK(printFault("s", ScalarType::BF16, fault) ==
        "s = nan (0x7fff), expected 1 (0x3f80)");
}
