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
