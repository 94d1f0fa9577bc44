//===- CompareTest.cpp - comparing tensors --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Compare.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static constexpr double kInf = std::numeric_limits<double>::infinity();

static HostArray array(ScalarType type, std::vector<int64_t> shape,
                       const std::vector<double> &values) {
  Result<HostArray> result = HostArray::create(type, std::move(shape));
  REQUIRE(result);
  for (size_t i = 0; i < values.size(); ++i)
    storeElement(result->data(), type, int64_t(i), values[i]);
  return std::move(*result);
}

TEST_CASE("bits: zeros of different sign differ, NaN equals NaN") {
  HostArray a = array(ScalarType::F32, {2, 2}, {1, -0.0, NAN, 3});
  HostArray b = array(ScalarType::F32, {2, 2}, {1, 0.0, -NAN, 3});
  Result<CompareResult> result = compareBits(a.tensor(), b.tensor());
  REQUIRE(result);
  CHECK(result->elements == 4);
  CHECK(result->mismatches == 1);
  CHECK(result->firstIndex == std::vector<int64_t>{0, 1});
  CHECK(printComparison("Y", ScalarType::F32, *result) ==
        "Y: 1 of 4 elements differs, first Y[0, 1] = -0 (0x80000000), "
        "expected 0 (0x00000000)");
}

TEST_CASE("within bounds: the first mismatch and the largest quotient") {
  HostArray a = array(ScalarType::F32, {2, 3}, {1, 2.5, 3, 4, -0.0, NAN});
  HostArray b = array(ScalarType::F32, {2, 3}, {1, 2, 2.75, 4.5, 0.0, NAN});
  Result<CompareResult> good =
      compareWithin(a.tensor(), b.tensor(), {0, 0.5, 1, 1, 0, 0});
  REQUIRE(good);
  CHECK(good->equal());
  CHECK(good->maxError == 0.5);
  CHECK(good->maxErrorOverBound == 1);
  CHECK(printComparison("Y", ScalarType::F32, *good) ==
        "Y: all 6 elements agree, largest error 0.5, largest error / bound 1");
  Result<CompareResult> bad =
      compareWithin(a.tensor(), b.tensor(), {0, 0.5, 0.125, 0.25, 0, 0});
  REQUIRE(bad);
  CHECK(bad->mismatches == 2);
  CHECK(bad->maxErrorOverBound == 2);
  CHECK(printComparison("Y", ScalarType::F32, *bad) ==
        "Y: 2 of 6 elements differ, first Y[0, 2] = 3 (0x40400000), expected "
        "2.75 (0x40300000) within 0.125");
  Result<CompareResult> exact =
      compareWithin(a.tensor(), b.tensor(), {0, 0, 1, 1, 0, 0});
  REQUIRE(exact);
  CHECK(exact->mismatches == 1);
  CHECK(exact->maxErrorOverBound == kInf);
}

TEST_CASE("NaN and infinities only equal themselves") {
  HostArray a = array(ScalarType::F64, {4}, {NAN, 1, kInf, kInf});
  HostArray b = array(ScalarType::F64, {4}, {1, NAN, -kInf, kInf});
  Result<CompareResult> result =
      compareWithin(a.tensor(), b.tensor(), {1e300, 1e300, 1e300, 0});
  REQUIRE(result);
  CHECK(result->mismatches == 3);
  CHECK(result->firstIndex == std::vector<int64_t>{0});
  Result<CompareResult> unbounded =
      compareWithin(a.tensor(), b.tensor(), {kInf, kInf, kInf, kInf});
  REQUIRE(unbounded);
  CHECK(unbounded->equal());
}

TEST_CASE("strides are followed") {
  HostArray a = array(ScalarType::F16, {2, 3}, {1, 2, 3, 4, 5, 6});
  Result<HostArray> b = HostArray::createColumnMajor(ScalarType::F16, {2, 3});
  REQUIRE(b);
  const double values[] = {1, 4, 2, 5, 3, 6.5};
  for (int64_t i = 0; i < 6; ++i)
    storeElement(b->data(), ScalarType::F16, i, values[i]);
  Result<CompareResult> result = compareBits(a.tensor(), b->tensor());
  REQUIRE(result);
  CHECK(result->mismatches == 1);
  CHECK(printComparison("Y", ScalarType::F16, *result) ==
        "Y: 1 of 6 elements differs, first Y[1, 2] = 6 (0x4600), expected 6.5 "
        "(0x4680)");
}

TEST_CASE("integers are compared as integers") {
  HostArray a = std::move(*HostArray::create(ScalarType::I64, {2}));
  HostArray b = std::move(*HostArray::create(ScalarType::I64, {2}));
  // 2^53 and 2^53 + 1 are one f64.
  storeBits(a.data(), ScalarType::I64, 0, uint64_t(1) << 53);
  storeBits(b.data(), ScalarType::I64, 0, (uint64_t(1) << 53) + 1);
  for (bool within : {false, true}) {
    Result<CompareResult> result =
        within ? compareWithin(a.tensor(), b.tensor(), {0, 0})
               : compareBits(a.tensor(), b.tensor());
    REQUIRE(result);
    CHECK(result->mismatches == 1);
    CHECK(printComparison("Y", ScalarType::I64, *result) ==
          "Y: 1 of 2 elements differs, first Y[0] = 9007199254740992 "
          "(0x0020000000000000), expected 9007199254740993 "
          "(0x0020000000000001)");
  }
  HostArray p = std::move(*HostArray::create(ScalarType::Bool, {1}));
  HostArray q = std::move(*HostArray::create(ScalarType::Bool, {1}));
  storeBits(p.data(), ScalarType::Bool, 0, 1);
  Result<CompareResult> result = compareBits(p.tensor(), q.tensor());
  REQUIRE(result);
  CHECK(printComparison("B", ScalarType::Bool, *result) ==
        "B: 1 of 1 element differs, first B[0] = true (0x01), expected false "
        "(0x00)");
}

TEST_CASE("what cannot be compared is refused") {
  HostArray a = array(ScalarType::F32, {2}, {1, 2});
  HostArray half = array(ScalarType::F16, {2}, {1, 2});
  HostArray longer = array(ScalarType::F32, {3}, {1, 2, 3});
  CHECK(compareBits(a.tensor(), half.tensor()).message() ==
        "cannot compare f32 with f16");
  CHECK(compareBits(a.tensor(), longer.tensor()).message() ==
        "cannot compare shape [2] with shape [3]");
  CHECK(compareWithin(a.tensor(), a.tensor(), {0}).message() ==
        "cannot compare: 1 bounds for 2 elements");
  CHECK(compareWithin(a.tensor(), a.tensor(), {0, NAN}).message() ==
        "cannot compare: the bound of element [1] is negative or NaN");
  CHECK(compareWithin(a.tensor(), a.tensor(), {-1, 0}).message() ==
        "cannot compare: the bound of element [0] is negative or NaN");
}
