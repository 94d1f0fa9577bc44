//===- SizeSumTest.cpp - sums over sizes and what they solve --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/SizeSum.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::artifact;
using Kind = SizeExpr::Kind;
using Terms = std::vector<std::pair<unsigned, int64_t>>;

static SizeExpr size(unsigned number) { return SizeExpr::sizeRef(number); }
static SizeExpr number(int64_t value) { return SizeExpr::constant(value); }
static SizeExpr plus(SizeExpr a, SizeExpr b) {
  return SizeExpr::binary(Kind::Add, std::move(a), std::move(b));
}
static SizeExpr times(SizeExpr a, SizeExpr b) {
  return SizeExpr::binary(Kind::Mul, std::move(a), std::move(b));
}

TEST_CASE("expressions that are sums") {
  // 3 (2 s0 + s1 - 4) - s1
  auto sum =
      sumOf(plus(times(number(3), plus(plus(times(number(2), size(0)), size(1)),
                                       number(-4))),
                 times(size(1), number(-1))));
  REQUIRE(sum);
  CHECK(sum->terms == Terms{{0, 6}, {1, 2}});
  CHECK(sum->constant == -12);
  sum = sumOf(plus(size(2), times(number(-1), size(2))));
  REQUIRE(sum);
  CHECK(sum->terms.empty());
}

TEST_CASE("expressions that are no sums") {
  CHECK_FALSE(sumOf(times(size(0), size(1))));
  CHECK_FALSE(sumOf(SizeExpr::binary(Kind::CeilDiv, size(0), number(2))));
  CHECK_FALSE(sumOf(SizeExpr::binary(Kind::Min, size(0), number(2))));
  CHECK_FALSE(sumOf(times(number(INT64_MAX), number(2))));
  SizeExpr deep = size(0);
  for (int i = 0; i < 1000; ++i)
    deep = plus(std::move(deep), number(1));
  CHECK_FALSE(sumOf(deep));
}

TEST_CASE("the one unknown size of a sum") {
  SizeExpr window = plus(plus(times(number(2), size(0)), size(1)), number(-2));
  // 2 s0 + 3 - 2 = 11.
  auto solved = solveFor(window, 11, {-1, 3});
  REQUIRE(solved);
  REQUIRE(*solved);
  CHECK((*solved)->size == 0);
  CHECK((*solved)->value == 5);
  // Both unknown, and both known.
  solved = solveFor(window, 11, {-1, -1});
  REQUIRE(solved);
  CHECK_FALSE(*solved);
  solved = solveFor(window, 11, {5, 3});
  REQUIRE(solved);
  CHECK_FALSE(*solved);
}

TEST_CASE("extents that no size makes") {
  auto odd = solveFor(times(number(2), size(0)), 7, {-1});
  REQUIRE_FALSE(odd);
  CHECK(odd.message() == "7 is not a multiple of 2");
  auto negative = solveFor(plus(size(0), number(2)), 1, {-1});
  REQUIRE_FALSE(negative);
  CHECK(negative.message() == "it would be -1");
}
