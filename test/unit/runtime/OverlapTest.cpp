//===- OverlapTest.cpp - shared memory against brute force ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Overlap.h"
#include "test/unit/runtime/TestArtifact.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

/// Addresses of all elements, in row-major order.
static std::vector<uint64_t> addresses(const Tensor &tensor) {
  std::vector<uint64_t> all;
  int64_t count = *elementCount(tensor.shape);
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat, offset = 0;
    for (size_t dim = tensor.shape.size(); dim-- > 0;) {
      offset += rest % tensor.shape[dim] * tensor.strides[dim];
      rest /= tensor.shape[dim];
    }
    all.push_back(reinterpret_cast<uintptr_t>(tensor.data) +
                  uint64_t(offset * artifact::bytesOf(tensor.type)));
  }
  return all;
}

static bool reallyOverlap(const Tensor &a, const Tensor &b) {
  std::set<uint64_t> bytes;
  for (uint64_t address : addresses(a))
    for (unsigned i = 0; i < artifact::bytesOf(a.type); ++i)
      bytes.insert(address + i);
  for (uint64_t address : addresses(b))
    for (unsigned i = 0; i < artifact::bytesOf(b.type); ++i)
      if (bytes.count(address + i))
        return true;
  return false;
}

TEST_CASE("halves of a packed buffer do not overlap") {
  Tensor left = test::at(0x1000, ScalarType::F32, {4, 8});
  left.strides = {16, 1};
  Tensor right = left;
  right.data = reinterpret_cast<void *>(uintptr_t(0x1000 + 8 * 4));
  CHECK_FALSE(mayOverlap(left, right));
  CHECK_FALSE(mayOverlap(right, left));
  right.data = reinterpret_cast<void *>(uintptr_t(0x1000 + 7 * 4));
  CHECK(mayOverlap(left, right));
  // The last column reaches into the next row's first.
  right.data = reinterpret_cast<void *>(uintptr_t(0x1000 + 9 * 4));
  CHECK(mayOverlap(left, right));
}

TEST_CASE("even and odd elements do not overlap, reversed either") {
  Tensor even = test::at(0x1000, ScalarType::F16, {8});
  even.strides = {2};
  Tensor odd = test::at(0x1000 + 15 * 2, ScalarType::F16, {8});
  odd.strides = {-2};
  CHECK_FALSE(mayOverlap(even, odd));
  odd.data = reinterpret_cast<void *>(uintptr_t(0x1000 + 14 * 2));
  CHECK(mayOverlap(even, odd));
}

TEST_CASE("random views: no overlap is ever missed") {
  std::mt19937 random(7);
  auto pick = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  const ScalarType types[] = {ScalarType::F64, ScalarType::F32,
                              ScalarType::F16};
  auto view = [&] {
    Tensor tensor;
    tensor.type = types[pick(0, 2)];
    tensor.data = reinterpret_cast<void *>(
        uintptr_t(0x10000 + pick(0, 20) * artifact::bytesOf(tensor.type)));
    for (int dim = pick(0, 3); dim > 0; --dim) {
      tensor.shape.push_back(pick(0, 4));
      tensor.strides.push_back(pick(-6, 12));
    }
    return tensor;
  };
  unsigned overlapping = 0, provedApart = 0, interleaved = 0;
  for (int round = 0; round < 20000; ++round) {
    Tensor a = view(), b = view();
    bool really = reallyOverlap(a, b), may = mayOverlap(a, b);
    REQUIRE(!(really && !may));
    REQUIRE(may == mayOverlap(b, a));
    overlapping += really;
    provedApart += !may;
    Result<ByteRange> rangeA = byteRange(a), rangeB = byteRange(b);
    interleaved += !may && !rangeA->empty() && !rangeB->empty() &&
                   rangeA->begin < rangeB->end && rangeB->begin < rangeA->end;

    std::vector<uint64_t> all = addresses(a);
    bool distinct =
        std::set<uint64_t>(all.begin(), all.end()).size() == all.size();
    REQUIRE(!(hasDistinctElements(a) && !distinct));
    for (uint64_t address : all) {
      REQUIRE(address >= rangeA->begin);
      REQUIRE(address + artifact::bytesOf(a.type) <= rangeA->end);
    }
  }
  CHECK(overlapping > 1000);
  CHECK(provedApart > 1000);
  CHECK(interleaved > 100);
}

TEST_CASE("usual layouts have distinct elements") {
  Tensor t = test::at(0x1000, ScalarType::F32, {3, 4, 5});
  CHECK(hasDistinctElements(t));
  t.strides = {1, 3, 12};
  CHECK(hasDistinctElements(t));
  t.strides = {-20, 5, -1};
  CHECK(hasDistinctElements(t));
  t.strides = {20, 4, 1};
  CHECK_FALSE(hasDistinctElements(t));
  t.shape = {3, 0, 5};
  t.strides = {0, 0, 0};
  CHECK(hasDistinctElements(t));
}
