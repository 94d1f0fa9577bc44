//===- FunctionsTest.cpp - functions, grids, index arithmetic -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

namespace {

void refusesAll(const std::vector<Refusal> &bodies) {
  for (const Refusal &refusal : bodies) {
    std::string text = inOp(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
}

std::string messagesOf(const std::string &text) {
  return check(text).diagnostics.renderText(false);
}

} // namespace

TEST_CASE("functions need floats and their number of arguments") {
  refusesAll({
      {"Y[i, j] = sin(@i32(X[i, j]))", "G0306",
       "'sin' needs floats, this is i32"},
      {"Y[i, j] = f32(pow(@i64(i), i64(j)))", "G0306",
       "'pow' needs floats, this is i64"},
      {"Y[i, j] = pow(@X[i, j], B[i, j])", "G0301",
       "the arguments of 'pow' have different types: f32 and bf16"},
      {"Y[i, j] = @pow(X[i, j])", "G0307",
       "'pow' takes 2 arguments, this call gives 1"},
      {"Y[i, j] = @erf(X[i, j], 1)", "G0307",
       "'erf' takes 1 argument, this call gives 2"},
      {"Y[i, j] = @on_grid.fast(X[i, j], 1)", "G0311",
       "'on_grid' has one accuracy only: it is exactly rounded"},
      {"Y[i, j] = gelu(@i32(X[i, j]))", "G0306",
       "'gelu' needs floats, this is i32"},
      {"Y[i, j] = @cot(X[i, j])", "G0203",
       "there is no function 'cot'; did you mean 'cos'?"},
  });
  accept(inOp("Y[i, j] = sin(X[i, j]) + cos.fast(X[i, j]) + "
              "erf.portable(X[i, j]) + pow(X[i, j], 2) + pow(2, X[i, j])"));
  accept(inOp("Y[i, j] = gelu(X[i, j]) + gelu_tanh(X[i, j]) + "
              "softplus(X[i, j]) * f32(gelu(B[i, j]))"));
}

TEST_CASE("a file may replace the library's functions, not the language's") {
  accept("fn gelu(x: f32) -> f32 = x\n" + inOp("Y[i, j] = gelu(X[i, j])"));
  for (const char *name : {"sin", "pow", "on_grid", "philox", "uniform"}) {
    std::string text = std::string("fn @") + name + "(x: f32) -> f32 = x\n" +
                       inOp("Y[i, j] = X[i, j]");
    Checked checked = check(text.erase(text.find('@'), 1));
    REQUIRE_FALSE(checked.diagnostics.all().empty());
    CHECK(checked.diagnostics.all()[0].code == "G0204");
  }
}

TEST_CASE("the digits of a grid are written and make a number of the type") {
  const char *f32Words = "'on_grid' of f32 takes a number of digits from -127 "
                         "to 149, written as a number or a constant";
  const char *bf16Words = "'on_grid' of bf16 takes a number of digits from "
                          "-127 to 133, written as a number or a constant";
  refusesAll({
      {"Y[i, j] = on_grid(X[i, j], @150)", "G0306", f32Words},
      {"Y[i, j] = on_grid(X[i, j], @-128)", "G0306", f32Words},
      {"Y[i, j] = on_grid(X[i, j], @i)", "G0306", f32Words},
      {"Y[i, j] = on_grid(X[i, j], @X[i, j])", "G0306", f32Words},
      {"Y[i, j] = on_grid(X[i, j], @4i32)", "G0306", f32Words},
      {"Y[i, j] = on_grid(X[i, j], @1 + 1)", "G0306", f32Words},
      {"Y[i, j] = on_grid(X[i, j], @99999999999999999)", "G0306", f32Words},
      {"Y[i, j] = f32(on_grid(B[i, j], @134))", "G0306", bf16Words},
      {"Y[i, j] = f32(on_grid(@i32(X[i, j]), 3))", "G0306",
       "'on_grid' needs floats, this is i32"},
      {"Y[i, j] = on_grid(X[i, j], @0.5)", "G0306", f32Words},
  });
  accept("const DIGITS: i32 = -12\n"
         "fn snap(x: f32) -> f32 = on_grid(x, DIGITS)\n" +
         inOp("Y[i, j] = snap(on_grid(X[i, j], 149)) + f32(on_grid(B[i, j], "
              "-127))"));
  accept("op o<const D: u8 = 3>(X: f64[N]) -> Y: f64[N] {\n"
         "Y[i] = on_grid(on_grid(X[i], D), 1074) }\n");
}

TEST_CASE("random numbers take 64 bits of seed and counter") {
  refusesAll({
      {"Y[i, j] = uniform(@1i32, 2)", "G0306",
       "'uniform' takes a seed and a counter of 64 bits, this is i32"},
      {"Y[i, j] = uniform(1, @i)", "G0306",
       "'uniform' takes a seed and a counter of 64 bits, this is index"},
      {"Y[i, j] = uniform(-@1, 2)", "G0304",
       "'-1' is outside u64, which holds 0 .. 18446744073709551615"},
      {"Y[i, j] = f32(philox(1, i64(i), @4))", "G0306",
       "'philox' takes the number of a word from 0 to 3, written as a number "
       "or a constant"},
      {"Y[i, j] = f32(philox(1, i64(i), @-1))", "G0306",
       "'philox' takes the number of a word from 0 to 3, written as a number "
       "or a constant"},
      {"Y[i, j] = @philox(1, 2, 3)", "G0303",
       "'Y' is declared f32, this value is u32"},
  });
  CHECK(messagesOf(inOp("Y[i, j] = uniform(1, i)"))
            .find("help: cast it: i64(i)") != std::string::npos);
  accept(inOp("Y[i, j] = uniform(7, i64(i * N + j)) + "
              "f32(philox(7u64, u64(i), 0))"));
}

TEST_CASE("indices and sizes are values") {
  accept("const S: i32 = 3\n"
         "op o<const P: u8 = 2>(X: f32[M, N]) -> Y: f32[M, N] {\n"
         "Y[i, j] = if (i + j) % 2 == 0 and S * i < N - P then f32(i * j) else "
         "f32(max(floordiv(i, P), tdiv(-j, 3)) + abs(tmod(j, S) - min(i, M))) +"
         " f32(if i < j then i else 2 * j) }\n");
  refusesAll({
      {"Y[i, j] = f32(@i / 2)", "G0912",
       "'/' on indices and sizes is not supported yet"},
      {"Y[i, j] = f32(@i & 1)", "G0912",
       "'&' on indices and sizes is not supported yet"},
      {"Y[i, j] = f32(exp(@i))", "G0912",
       "'exp' on indices and sizes is not supported yet"},
      {"Y[i, j] = f32(~@i)", "G0912",
       "'~' on indices and sizes is not supported yet"},
      {"Y[i, j] = f32(@i + 1i32)", "G0301",
       "the operands of '+' have different types: index and i32"},
      {"Y[i, j] = f32(@i + X[i, j])", "G0301",
       "the operands of '+' have different types: index and f32"},
      {"Y[i, j] = @i + 1", "G0303", "'Y' is declared f32, this value is index"},
      {"Y[i, j] = f32(i + @0.5)", "G0306",
       "beside an index stands an integer, not '0.5'"},
      {"Y[i, j] = f32(i + @4000000000 * 4000000000)", "G0304",
       "4000000000 * 4000000000 lies outside the 64 bits of an index"},
      {"Y[i, j] = f32(i + @BIG)", "G0203", "there is no value 'BIG'"},
  });
  std::string huge = messagesOf("const BIG: u64 = 0xffffffffffffffff\n" +
                                inOp("Y[i, j] = f32(i + BIG)"));
  CHECK(huge.find("have different types: index and u64") != std::string::npos);
}

TEST_CASE("the contraction of sums is chosen in numerics") {
  for (const char *text :
       {"contract = off", "functions = portable, contract = on",
        "contract = off functions = fast"}) {
    auto program = accept(
        inOp(std::string("numerics { ") + text + " }\nY[i, j] = X[i, j]"));
    const OpDecl *op = program->findOp("o");
    bool off = std::string(text).find("off") != std::string::npos;
    CHECK(op->contract == std::optional<bool>(!off));
  }
  refusesAll({
      {"numerics { contract = @maybe }\nY[i, j] = X[i, j]", "G0103",
       "expected 'on' or 'off' here, found 'maybe'"},
      {"numerics { contract = on, @contract = on }\nY[i, j] = X[i, j]", "G0109",
       "'contract' is set twice"},
      {"numerics { @contraction = on }\nY[i, j] = X[i, j]", "G0203",
       "there is no numerics licence 'contraction'; did you mean 'contract'?"},
  });
}

TEST_CASE("an inlined sum keeps the contraction of its own operator") {
  Checked checked =
      check("op inner(X: f32[N]) -> s: f32 { s = sum[k](X[k] * X[k]) }\n"
            "op strict(X: f32[N]) -> s: f32 { numerics { contract = off }\n"
            "  s = inner(X) }\n"
            "op o(X: f32[N]) -> a: f32, b: f32, c: f32 { a = strict(X)\n"
            "  b = inner(X)  c = sum[k](X[k] * X[k]) }\n");
  REQUIRE(checked.program != nullptr);
  const OpDecl *op = checked.program->findOp("o");
  std::vector<std::optional<bool>> choices;
  for (const auto &statement : op->statements)
    if (auto *sum = statement->value->as<ReduceExpr>())
      choices.push_back(sum->contract);
  CHECK(choices ==
        std::vector<std::optional<bool>>{false, std::nullopt, std::nullopt});
}

TEST_CASE("behind takes two values and their places") {
  accept("op o(X: f32[N], Y: f32[N]) -> Z: bool[N] {\n"
         "Z[i] = behind(X[i], i64(i), Y[i], 0) }");
  accept("op o(X: u8[N]) -> Z: bool[N] {\n"
         "Z[i] = behind(X[i], i64(i), 3, 7) }");
  const Refusal refusals[] = {
      {"op o(X: f32[N], Y: f16[N]) -> Z: bool[N] {\n"
       "Z[i] = behind(X[i], 0, @Y[i], 0) }",
       "G0301", nullptr},
      {"op o(X: f32[N]) -> Z: bool[N] {\nZ[i] = behind(X[i], @i, 0, 0) }",
       "G0306", "a place of 'behind' is an i64, this is index"},
      {"op o(X: f32[N]) -> Z: bool[N] {\nZ[i] = @behind(X[i], 0, 1) }", "G0307",
       "'behind' takes 4 arguments, this call gives 3"},
      {"op o(X: bool[N]) -> Z: bool[N] {\n"
       "Z[i] = behind(@X[i], 0, X[i], 0) }",
       "G0306", nullptr}};
  for (const Refusal &refusal : refusals) {
    if (refusal.message) {
      checkRefusal(refusal);
      continue;
    }
    std::string text = refusal.text;
    text.erase(text.find('@'), 1);
    Checked checked = check(text);
    INFO(checked.diagnostics.renderText(false));
    CHECK(checked.program == nullptr);
    CHECK(checked.diagnostics.all()[0].code == refusal.code);
  }
}
