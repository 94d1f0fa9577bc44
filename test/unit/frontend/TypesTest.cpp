//===- TypesTest.cpp - integers, booleans and f8 in the front end ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/frontend/Helpers.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::frontend;

/// `body` over inputs of several types; T is what it gives.
static std::string over(const std::string &type, const std::string &body) {
  return "op o(X: i32[N], U: u8[N], B: bool[N], F: f32[N], G: f8e4m3fn[N], "
         "L: i64[N]) -> Y: " +
         type + "[N] {\n" + body + "\n}\n";
}

static const Expr &valueOf(const Program &program) {
  const auto &op = std::get<std::unique_ptr<OpDecl>>(program.file.items[0]);
  return *op->statements[0]->value;
}

static const ConstDecl &constOf(const Program &program) {
  return *std::get<std::unique_ptr<ConstDecl>>(program.file.items[0]);
}

TEST_CASE("every type is a tensor's, a value's and a cast's") {
  for (const char *type :
       {"f64", "f32", "f16", "bf16", "f8e4m3fn", "f8e5m2", "i8", "i16", "i32",
        "i64", "u8", "u16", "u32", "u64", "bool"}) {
    std::string name = type;
    accept("op o(X: " + name + "[N]) -> Y: " + name + "[N] { Y[i] = X[i] }");
    // From any to any.
    for (const char *from : {"X", "U", "B", "F", "G", "L"})
      accept(over(name, "Y[i] = " + name + "(" + from + "[i])"));
  }
  accept(over("i64", "Y[i] = i64(i) + i64(N)"));
  accept(over("f8e5m2", "Y[i] = f8e5m2(i)"));
}

TEST_CASE("integer operators bind as in Python") {
  auto printed = [](const std::string &body) {
    return printExpr(valueOf(*accept(over("i32", "Y[i] = " + body))));
  };
  CHECK(printed("X[i] | X[i] ^ X[i] & X[i] << 1 + 2") ==
        "X[i] | X[i] ^ X[i] & X[i] << 1 + 2");
  CHECK(printed("((X[i] | 1) ^ 2) & 3") == "((X[i] | 1) ^ 2) & 3");
  CHECK(printed("X[i] % 3 * 2") == "X[i] % 3 * 2");
  CHECK(printed("X[i] % (3 * X[i])") == "X[i] % (3 * X[i])");
  CHECK(printed("~X[i] >> (X[i] >> 1)") == "~X[i] >> (X[i] >> 1)");
  CHECK(printed("-(-X[i])") == "-(-X[i])");
  // A comparison is looser than the bit operations.
  auto program = accept(over("bool", "Y[i] = X[i] & 1 == 0"));
  CHECK(valueOf(*program).as<BinaryExpr>()->op == BinaryOp::Equal);
  // Two slashes are a comment, between integers too.
  CHECK(printed("X[i] // 2") == "X[i]");
}

TEST_CASE("integer literals") {
  auto bits = [](const std::string &type, const std::string &value) {
    const auto program = accept("const A: " + type + " = " + value);
    return constOf(*program).foldedBits;
  };
  CHECK(bits("i8", "127") == 127);
  CHECK(bits("i8", "-128") == static_cast<uint64_t>(-128));
  CHECK(bits("u64", "0xFFFFFFFFFFFFFFFF") == ~uint64_t(0));
  CHECK(bits("u64", "18446744073709551615") == ~uint64_t(0));
  CHECK(bits("i64", "-9223372036854775808") == uint64_t(1) << 63);
  CHECK(bits("i32", "0x1Fi32") == 31);
  CHECK(bits("u8", "200 + 100 - 50") == 250); // only the result must fit
  CHECK(bits("bool", "true") == 1);
  CHECK(bits("bool", "bool(0.0f32)") == 0);
  // A cast truncates and saturates floats, and wraps integers.
  CHECK(bits("i8", "i8(-3.9f32)") == static_cast<uint64_t>(-3));
  CHECK(bits("u8", "u8(-3.9f32)") == 0);
  CHECK(bits("u8", "u8(1000.0f32)") == 255);
  CHECK(bits("i8", "i8(f32(inf))") == 127);
  CHECK(bits("i16", "i16(f32(nan))") == 0);
  CHECK(bits("i8", "i8(384i32)") == static_cast<uint64_t>(-128));
  CHECK(bits("u16", "u16(-1i32)") == 65535);
  // As a float's value too, from its digits.
  CHECK(constOf(*accept("const A: f32 = 0x10")).folded == 16);
  // 2^24 + 1 lies between two f32.
  CHECK(constOf(*accept("const A: f32 = f32(16777217i32)")).folded == 16777216);
}

TEST_CASE("what integers, booleans and f8 refuse") {
  const char *outside = "'300' is outside u8, which holds 0 .. 255";
  const Refusal refusals[] = {
      {"const A: u8 = @300", "G0304", outside},
      {"const A: u8 = -@1", "G0304",
       "'-1' is outside u8, which holds 0 .. 255"},
      {"const A: i8 = @128", "G0304",
       "'128' is outside i8, which holds -128 .. 127"},
      {"const A: u64 = @18446744073709551616", "G0304",
       "'18446744073709551616' is outside u64, which holds 0 .. "
       "18446744073709551615"},
      {"const A: i32 = @1.5", "G0306",
       "'1.5' where an integer is needed: the type is i32"},
      {"const A: u8 = @200 + 100", "G0304",
       "this value is outside u8, which holds 0 .. 255"},
      {"const A: i32 = @7 / 2", "G0310",
       "'/' needs floats, and this constant is an integer"},
      {"const A: f8e4m3fn = @500", "G0304",
       "this value is too large for f8e4m3fn, whose largest value is 448"},
      {"const A: i32 = @1 << 4", "G0309",
       "this cannot stand in a constant's value"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);

  const Refusal bodies[] = {
      {"Y[i] = U[i] + @300", "G0304", outside},
      {"Y[i] = U[i] + -@1", "G0304",
       "'-1' is outside u8, which holds 0 .. 255"},
      {"Y[i] = U[i] * @0.5", "G0306",
       "'0.5' where an integer is needed: the type is u8"},
      {"Y[i] = @U[i] / 2", "G0306", "'/' needs floats, this is u8"},
      {"Y[i] = u8(exp(@X[i]))", "G0306", "'exp' needs floats, this is i32"},
      {"Y[i] = u8(fma(@X[i], 1, 2))", "G0306",
       "'fma' needs floats, this is i32"},
      {"Y[i] = u8(@F[i] % 2)", "G0306", "'%' needs integers, this is f32"},
      {"Y[i] = u8(@F[i] << 2)", "G0306", "'<<' needs integers, this is f32"},
      {"Y[i] = u8(~@B[i])", "G0306", "'~' needs integers, this is bool"},
      {"Y[i] = u8(tdiv(@F[i], 2))", "G0306",
       "'tdiv' needs integers, this is f32"},
      {"Y[i] = u8(@X[i] + L[i])", "G0301",
       "the operands of '+' have different types: i32 and i64"},
      {"Y[i] = u8(@G[i] + G[i])", "G0306",
       "'+' cannot work in f8e4m3fn, which is a type to store values in"},
      {"Y[i] = u8(@G[i] < G[i])", "G0306",
       "'<' cannot work in f8e4m3fn, which is a type to store values in"},
      {"Y[i] = u8(-@G[i])", "G0306",
       "unary '-' cannot work in f8e4m3fn, which is a type to store values in"},
      {"Y[i] = u8(sum[k](@G[k]))", "G0306",
       "'sum' cannot work in f8e4m3fn, which is a type to store values in"},
      {"Y[i] = u8(any[k](@X[k]))", "G0306",
       "'any' needs booleans, this is i32"},
      {"Y[i] = u8(sum[k](@B[k]))", "G0306",
       "'sum' needs numbers, this is bool"},
      {"Y[i] = u8(max(@B[i], true))", "G0306",
       "'max' needs numbers, this is bool"},
      {"Y[i] = bits(U[i], @5, 4)", "G0306",
       "bits 5 to 8 do not lie in the 8 bits of u8"},
      {"Y[i] = bits(U[i], 0, @9)", "G0306",
       "'bits' of u8 takes a number of bits from 1 to 8, written as a number"},
      {"Y[i] = bits(U[i], 0, @U[i])", "G0306",
       "'bits' of u8 takes a number of bits from 1 to 8, written as a number"},
      {"Y[i] = bits(U[i], @X[i], 4)", "G0301",
       "'bits' of u8 counts its first bit in u8, this is i32"},
      {"Y[i] = u8(bits(@F[i], 0, 4))", "G0306",
       "'bits' needs integers, this is f32"},
      {"Y[i] = u8(tf32(@X[i]))", "G0306", "'tf32' needs floats, this is i32"},
      {"Y[i] = u8(tf32(@f64(X[i])))", "G0306",
       "'tf32' rounds an f32, this is f64"},
      {"Y[i] = @i", "G0303", "'Y' is declared u8, this value is index"},
      {"Y[i] = u8(@i | 2)", "G0912",
       "'|' on indices and sizes is not supported yet"},
  };
  for (const Refusal &refusal : bodies) {
    std::string text = over("u8", refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  std::string any = over("bool", "Y[i] = @any(B[i])");
  checkRefusal({any.c_str(), "G0103", "'any' needs its indices"});
}

TEST_CASE("the help of integers says what to write") {
  auto help = [](const std::string &body) {
    return check(over("u8", body)).diagnostics.renderText(false);
  };
  CHECK(help("Y[i] = U[i] / 2")
            .find("floordiv(a, b) rounds down, tdiv(a, b) "
                  "towards zero") != std::string::npos);
  CHECK(help("Y[i] = u8(X[i] + L[i])").find("cast explicitly: i64(X[i])") !=
        std::string::npos);
  CHECK(help("Y[i] = u8(X[i] + U[i])").find("cast explicitly: i32(U[i])") !=
        std::string::npos);
  CHECK(help("Y[i] = u8(G[i] + G[i])")
            .find("cast it first, for example "
                  "f32(x)") != std::string::npos);
  CHECK(help("Y[i] = u8(sum[k](B[k]))").find("i32(x) is 1 where x is true") !=
        std::string::npos);
}

TEST_CASE("types of fields, reductions and equality") {
  CHECK(valueOf(*accept(over("u8", "Y[i] = bits(U[i], 4, 4)"))).type ==
        ScalarType::U8);
  CHECK(valueOf(*accept(over("i8", "Y[i] = sbits(U[i], U[i], 4)"))).type ==
        ScalarType::I8);
  CHECK(valueOf(*accept(over("bool", "Y[i] = all[k](B[k] == B[i])"))).type ==
        ScalarType::Bool);
  CHECK(valueOf(*accept(over("u8", "Y[i] = max[k](U[k])"))).type ==
        ScalarType::U8);
  // A temporary of any type.
  accept(over("bool", "T[i] = X[i] > 0\nY[i] = not T[i]"));
}

TEST_CASE("an order on an integer sum has no effect") {
  std::string text = over("i32", "Y[i] = sum[k, @order=lanes(32, 1)](X[k])");
  checkRefusal({text.c_str(), "G0503",
                "'sum' of i32 gives the same bits in any order: the clause has "
                "no effect"},
               Severity::Warning);
}
