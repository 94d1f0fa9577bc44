//===- VerdictTest.cpp - what girih check accepts -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Verdict.h"

#include "runtime/HostArray.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace girih;
using namespace girih::cli;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

rt::HostArray arrayOf(const std::vector<double> &values) {
  Result<rt::HostArray> array = rt::HostArray::create(artifact::ScalarType::F32,
                                                      {int64_t(values.size())});
  REQUIRE(array);
  for (size_t i = 0; i < values.size(); ++i)
    rt::storeElement(array->data(), array->type(), int64_t(i), values[i]);
  return std::move(*array);
}

Verdict judged(const std::vector<double> &actual,
               const std::vector<double> &expected,
               const std::vector<double> &bounds) {
  rt::HostArray a = arrayOf(actual), e = arrayOf(expected);
  Result<Verdict> verdict = judge(a.tensor(), e.tensor(), bounds);
  REQUIRE(verdict);
  return *verdict;
}

int64_t mismatches(double actual, double expected, double bound) {
  return judged({actual}, {expected}, {bound}).compared.mismatches;
}

} // namespace

TEST_CASE("a bound of zero asks for the same bits") {
  CHECK(mismatches(1.5, 1.5, 0) == 0);
  CHECK(mismatches(1.5, std::nextafter(1.5f, 2.0f), 0) == 1);
  CHECK(mismatches(0.0, -0.0, 0) == 1);
  CHECK(mismatches(kNan, -kNan, 0) == 0);
  CHECK(mismatches(kInf, kInf, 0) == 0);
  CHECK(mismatches(kInf, -kInf, 0) == 1);
  CHECK(mismatches(kNan, 1, 0) == 1);
}

TEST_CASE("within a bound") {
  CHECK(mismatches(1.25, 1.0, 0.25) == 0);
  CHECK(mismatches(1.25, 1.0, 0.2) == 1);
  CHECK(mismatches(0.0, -0.0, 0.1) == 0);
  CHECK(mismatches(kNan, 1, 0.5) == 1); // poison that nobody overwrote
  CHECK(mismatches(1, kNan, 0.5) == 1);
  CHECK(mismatches(kInf, 1e30, 0.5) == 1);
}

TEST_CASE("elements are counted by what is known about them") {
  Verdict verdict =
      judged({1, 2, 3, 4, 9}, {1, 2.5, 3, 7, 1}, {0, 1, 0.5, 1, kInf});
  CHECK(verdict.exact == 1);
  CHECK(verdict.bounded == 3);
  CHECK(verdict.unbounded == 1);
  CHECK(verdict.compared.elements == 5);
  CHECK(verdict.compared.mismatches == 1);
  CHECK(verdict.compared.firstIndex == std::vector<int64_t>{3});
  CHECK(verdict.compared.maxErrorOverBound == 3);
  CHECK(printVerdict("Y", artifact::ScalarType::F32, verdict) ==
        "Y: 1 of 5 elements differs, first Y[3] = 4 (0x40800000), expected 7 "
        "(0x40e00000) within 1; 1 exact, 3 within a bound, 1 not compared (no "
        "finite bound), largest error / bound 3");
  CHECK(printVerdict("Y", artifact::ScalarType::F32,
                     judged({1, 2}, {1, 2}, {0, 0})) ==
        "Y: all 2 elements agree; 2 exact, 0 within a bound");
}

TEST_CASE("what does not belong together is refused") {
  rt::HostArray two = arrayOf({1, 2}), three = arrayOf({1, 2, 3});
  CHECK_FALSE(judge(two.tensor(), three.tensor(), {0, 0, 0}));
  CHECK_FALSE(judge(two.tensor(), two.tensor(), {0}));
  Result<Verdict> bad = judge(two.tensor(), two.tensor(), {0, kNan});
  REQUIRE_FALSE(bad);
  CHECK(bad.message() == "the bound of element [1] is negative or NaN");
}
