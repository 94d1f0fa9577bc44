//===- PromiseTest.cpp - what inputs promise, drawn and looked at ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Promise.h"
#include "runtime/SizeSolver.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;
using artifact::Signature;
using artifact::SizeExpr;

/// `f(off: i32[E + 1] offsets(T), X: f32[T])`
static Signature grouped(ScalarType type = ScalarType::I32) {
  SizeExpr e = SizeExpr::sizeRef(0), t = SizeExpr::sizeRef(1),
           one = SizeExpr::constant(1);
  Signature signature;
  signature.op = std::string("f"); // assigned, g++ 12 warns in vain
  signature.sizes = {"E", "T"};
  signature.given = {-1, -1};
  auto next = [&](SizeExpr size) {
    return SizeExpr::binary(SizeExpr::Kind::Add, size, one);
  };
  signature.params = {{"off", type, {next(e)}, false},
                      {"X", ScalarType::F32, {t}, false}};
  signature.params[0].range = {SizeExpr::constant(0), next(t), t};
  return signature;
}

static std::vector<int64_t> valuesOf(const HostArray &array) {
  std::vector<int64_t> values;
  for (int64_t at = 0; at < array.elements(); ++at)
    values.push_back(int64_t(loadBits(array.tensor(), at)));
  return values;
}

static HostArray offsets(const std::vector<int64_t> &values) {
  Result<HostArray> array =
      HostArray::create(ScalarType::I32, {int64_t(values.size())});
  REQUIRE(array);
  for (size_t at = 0; at < values.size(); ++at)
    storeBits(array->data(), ScalarType::I32, int64_t(at),
              uint64_t(values[at]));
  return std::move(*array);
}

TEST_CASE("drawn offsets keep what they promise") {
  for (ScalarType type : {ScalarType::I32, ScalarType::U8, ScalarType::I64})
    for (RandomKind kind : {RandomKind::Normal, RandomKind::Ones,
                            RandomKind::Special, RandomKind::Zeros}) {
      Signature signature = grouped(type);
      for (int64_t groups : {1, 2, 5, 300})
        for (int64_t elements : {0, 1, 7, 100}) {
          Result<HostArray> array = HostArray::create(type, {groups + 1});
          REQUIRE(array);
          std::vector<int64_t> sizes = {groups, elements};
          REQUIRE(fillPromised(*array, signature, signature.params[0], sizes,
                               kind, 3, 0));
          CHECK(checkPromise(*array, signature, signature.params[0], sizes));
          std::vector<int64_t> values = valuesOf(*array);
          CHECK(values.front() == 0);
          CHECK(values.back() == elements);
          CHECK(std::is_sorted(values.begin(), values.end()));
        }
    }
  // Without groups there are no elements.
  Signature signature = grouped();
  HostArray one = offsets({5});
  CHECK(fillPromised(one, signature, signature.params[0], {0, 0},
                     RandomKind::Normal, 1, 0));
  CHECK(valuesOf(one) == std::vector<int64_t>{0});
  CHECK(fillPromised(one, signature, signature.params[0], {0, 2},
                     RandomKind::Normal, 1, 0)
            .message() == "'off' promises offsets(T), here T = 2, of no "
                          "groups: no value can be drawn");
}

TEST_CASE("offsets that break their promise are named") {
  Signature signature = grouped();
  auto message = [&](const std::vector<int64_t> &values) {
    Status status =
        checkPromise(offsets(values), signature, signature.params[0],
                     {int64_t(values.size()) - 1, 5});
    return status ? std::string("fine") : status.message();
  };
  CHECK(message({0, 5}) == "fine");
  CHECK(message({0, 0, 3, 3, 5, 5}) == "fine");
  CHECK(message({1, 3, 5}) == "off[0] is 1, and offsets begin at 0: 'off' "
                              "promises offsets(T), here T = 5");
  CHECK(message({0, 3, 2, 5}) == "off[2] is 2, less than off[1], 3: 'off' "
                                 "promises offsets(T), here T = 5");
  CHECK(message({0, 3, 4}) == "off[2] is 4, and offsets end at 5: 'off' "
                              "promises offsets(T), here T = 5");
  CHECK(message({0, 6, 5}) == "off[1] is 6, outside the range that 'off' "
                              "promises: 0..T + 1, here 0..6");
  CHECK(message({0, -1, 5}) == "off[1] is -1, outside the range that 'off' "
                               "promises: 0..T + 1, here 0..6");
}

TEST_CASE("elements without groups are refused before a launch") {
  Signature signature = grouped();
  auto message = [&](int64_t groups, int64_t elements) {
    Result<HostArray> off = HostArray::create(ScalarType::I32, {groups + 1});
    Result<HostArray> x = HostArray::create(ScalarType::F32, {elements});
    REQUIRE(off);
    REQUIRE(x);
    Result<std::vector<int64_t>> sizes =
        solveSizes(signature, {off->tensor(), x->tensor()}, {});
    return sizes ? std::string("fine") : sizes.message();
  };
  CHECK(message(0, 0) == "fine");
  CHECK(message(1, 0) == "fine");
  CHECK(message(1, 3) == "fine");
  CHECK(message(0, 3) == "'off' promises the offsets of T = 3 elements in 0 "
                         "groups, which cannot be");
}
