//===- SizeExprTest.cpp - evaluating and printing size expressions --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/Artifact.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace girih;
using namespace girih::artifact;
using Kind = SizeExpr::Kind;

static constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
static constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

static SizeExpr of(Kind kind, int64_t a, int64_t b) {
  return SizeExpr::binary(kind, SizeExpr::constant(a), SizeExpr::constant(b));
}

static int64_t valueOf(const SizeExpr &expr,
                       const std::vector<int64_t> &sizes = {}) {
  Result<int64_t> value = evaluate(expr, sizes);
  INFO(value.message());
  REQUIRE(value);
  return *value;
}

static std::string messageOf(const SizeExpr &expr,
                             const std::vector<int64_t> &sizes = {}) {
  Result<int64_t> value = evaluate(expr, sizes);
  REQUIRE_FALSE(value);
  return value.message();
}

/// One operation inside another, `depth` levels with the constant's.
static SizeExpr nested(unsigned depth) {
  SizeExpr expr = SizeExpr::constant(1);
  for (unsigned i = 1; i < depth; ++i)
    expr = SizeExpr::binary(Kind::Add, SizeExpr::constant(1), std::move(expr));
  return expr;
}

TEST_CASE("values") {
  CHECK(valueOf(SizeExpr::constant(-7)) == -7);
  CHECK(valueOf(SizeExpr::sizeRef(1), {5, 6}) == 6);
  CHECK(valueOf(of(Kind::Add, 3, 4)) == 7);
  CHECK(valueOf(of(Kind::Mul, 3, -4)) == -12);
  CHECK(valueOf(of(Kind::Min, 3, -4)) == -4);
  CHECK(valueOf(of(Kind::Max, 3, -4)) == 3);
  SizeExpr three = of(Kind::Add, 1, 2);
  three.operands.push_back(SizeExpr::sizeRef(0));
  CHECK(valueOf(three, {10}) == 13);
  three.kind = Kind::Max;
  CHECK(valueOf(three, {10}) == 10);
}

TEST_CASE("divisions round up and down, not toward zero") {
  CHECK(valueOf(of(Kind::CeilDiv, 7, 2)) == 4);
  CHECK(valueOf(of(Kind::CeilDiv, 8, 2)) == 4);
  CHECK(valueOf(of(Kind::CeilDiv, 0, 128)) == 0);
  CHECK(valueOf(of(Kind::CeilDiv, -36, 5)) == -7);
  CHECK(valueOf(of(Kind::CeilDiv, 7, -2)) == -3);
  CHECK(valueOf(of(Kind::CeilDiv, -7, -2)) == 4);
  CHECK(valueOf(of(Kind::FloorDiv, 7, 2)) == 3);
  CHECK(valueOf(of(Kind::FloorDiv, -7, 2)) == -4);
  CHECK(valueOf(of(Kind::FloorDiv, 7, -2)) == -4);
  CHECK(valueOf(of(Kind::FloorDiv, -7, -2)) == 3);
  CHECK(valueOf(of(Kind::FloorDiv, -8, 2)) == -4);
  CHECK(valueOf(of(Kind::CeilDiv, kLargest, 2)) == kLargest / 2 + 1);
  CHECK(valueOf(of(Kind::FloorDiv, kSmallest, 1)) == kSmallest);
}

TEST_CASE("errors say what happened") {
  CHECK(messageOf(of(Kind::Mul, int64_t(1) << 62, 2)) ==
        "4611686018427387904 * 2 overflows 64 bits");
  CHECK(messageOf(of(Kind::Add, kLargest, 1)) ==
        "9223372036854775807 + 1 overflows 64 bits");
  CHECK(messageOf(of(Kind::FloorDiv, kSmallest, -1)) ==
        "floordiv(-9223372036854775808, -1) overflows 64 bits");
  CHECK(messageOf(of(Kind::CeilDiv, 7, 0)) ==
        "division by zero in ceildiv(7, 0)");
  CHECK(messageOf(SizeExpr::sizeRef(3), {1, 2}) ==
        "size number 3 is unknown: 2 sizes are given");
  SizeExpr lonely;
  lonely.kind = Kind::Add;
  lonely.operands = {SizeExpr::constant(1)};
  CHECK(messageOf(lonely) == "a sum cannot have 1 operands");
  SizeExpr wide = of(Kind::CeilDiv, 1, 1);
  wide.operands.push_back(SizeExpr::constant(1));
  CHECK(messageOf(wide) == "ceildiv cannot have 3 operands");
  SizeExpr odd;
  odd.kind = Kind(200);
  CHECK(messageOf(odd) == "an unknown operation cannot have 0 operands");
  // An error below comes up unchanged.
  CHECK(messageOf(SizeExpr::binary(Kind::Max, SizeExpr::constant(1),
                                   of(Kind::CeilDiv, 7, 0))) ==
        "division by zero in ceildiv(7, 0)");
}

TEST_CASE("deep expressions are refused, not followed") {
  CHECK(valueOf(nested(64)) == 64);
  CHECK(messageOf(nested(65)) == "a size expression is nested deeper than 64");
  CHECK(print(nested(65), {}).substr(0, 8) == "1 + 1 + ");
}

TEST_CASE("expressions print with the sizes' names") {
  std::vector<std::string> names = {"M", "N"};
  auto M = SizeExpr::sizeRef(0), N = SizeExpr::sizeRef(1);
  auto c = [](int64_t value) { return SizeExpr::constant(value); };
  CHECK(print(SizeExpr::binary(Kind::Mul,
                               SizeExpr::binary(Kind::CeilDiv, M, c(128)),
                               SizeExpr::binary(Kind::CeilDiv, N, c(128))),
              names) == "ceildiv(M, 128) * ceildiv(N, 128)");
  CHECK(print(SizeExpr::binary(Kind::Mul, SizeExpr::binary(Kind::Add, M, c(1)),
                               N),
              names) == "(M + 1) * N");
  CHECK(print(SizeExpr::binary(Kind::Add, SizeExpr::binary(Kind::Mul, M, c(2)),
                               N),
              names) == "M * 2 + N");
  CHECK(print(SizeExpr::binary(Kind::Min, SizeExpr::binary(Kind::Add, M, N),
                               c(-3)),
              names) == "min(M + N, -3)");
  CHECK(print(SizeExpr::binary(Kind::FloorDiv, M, c(4)), names) ==
        "floordiv(M, 4)");
  CHECK(print(SizeExpr::binary(Kind::Max, M, c(0)), names) == "max(M, 0)");
  CHECK(print(SizeExpr::sizeRef(9), names) == "size#9");
}

TEST_CASE("scalar types") {
  CHECK(bytesOf(ScalarType::F64) == 8);
  CHECK(bytesOf(ScalarType::F32) == 4);
  CHECK(bytesOf(ScalarType::F16) == 2);
  CHECK(bytesOf(ScalarType::BF16) == 2);
  CHECK(bytesOf(ScalarType::F8E4M3FN) == 1);
  CHECK(bytesOf(ScalarType::F8E5M2) == 1);
  CHECK(bytesOf(ScalarType::I16) == 2);
  CHECK(bytesOf(ScalarType::U64) == 8);
  CHECK(bytesOf(ScalarType::Bool) == 1);
  for (const std::string &name : scalarTypeNames())
    CHECK(nameOf(*parseScalarType(name)) == name);
  CHECK(scalarTypeNames().size() == 15);
  CHECK(isUnsigned(ScalarType::U8));
  CHECK_FALSE(isUnsigned(ScalarType::I64));
  CHECK_FALSE(isInteger(ScalarType::Bool));
  CHECK(isFloat(ScalarType::F8E5M2));
  CHECK_FALSE(isFloat(ScalarType::I8));
  CHECK(parseScalarType("f8").message() ==
        "unknown scalar type 'f8' (known: f64, f32, f16, bf16, f8e4m3fn, "
        "f8e5m2, i8, i16, i32, i64, u8, u16, u32, u64, bool)");
}
