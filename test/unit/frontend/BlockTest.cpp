//===- BlockTest.cpp - test blocks ----------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <cmath>

using namespace girih;
using namespace girih::frontend;

namespace {

/// A test block around `body`, behind an operator with Y = X * W by rows.
std::string inTest(const std::string &body) {
  return "op o(X: f32[M, N], W: bf16[N, 3]) -> Y: f32[M, 3] {\n"
         "  Y[i, j] = sum[k](X[i, k] * f32(W[k, j]))\n}\n"
         "const TWO: f32 = 2\nfn f(x: f32) -> f32 = x\n"
         "test \"t\" {\n" +
         body + "\n}\n";
}

const TestRun &runOf(const Program &program) {
  return program.tests().at(0)->runs.at(0);
}

} // namespace

TEST_CASE("values of a test are rounded once, to the tensor's type") {
  auto program = accept(inTest("run o(X = [[1, 1/3], [-0.0, inf]],"
                               " W = [[1, 2, 3], [0.1, bf16(TWO) / 4, nan]])\n"
                               "expect Y ~= fill(0) abs 1e9 rel 0.5 ulp 3"));
  const TestRun &run = runOf(*program);
  REQUIRE(run.arguments.size() == 2);
  const TestValue &x = run.arguments[0].value;
  CHECK(x.shape == std::vector<int64_t>{2, 2});
  REQUIRE(x.values.size() == 4);
  CHECK(x.values[0] == 1);
  CHECK(x.values[1] == double(1.0f / 3.0f));
  CHECK(x.values[2] == 0);
  CHECK(std::signbit(x.values[2]));
  CHECK(std::isinf(x.values[3]));
  const TestValue &w = run.arguments[1].value;
  REQUIRE(w.values.size() == 6);
  // 0.1 in bf16: 0x3DCD.
  CHECK(w.values[3] == 0x1.9Ap-4);
  CHECK(w.values[4] == 0.5);
  CHECK(std::isnan(w.values[5]));
  const TestExpect &expected = run.expects.at(0);
  CHECK_FALSE(expected.exact);
  CHECK(expected.value.shape == std::vector<int64_t>{2, 3});
  CHECK(expected.ulp == "3");
  CHECK(expected.abs == "1e9");
  CHECK(expected.rel == "0.5");
}

TEST_CASE("generators take their shapes from the sizes") {
  auto program =
      accept(inTest("run o(X = random(7, cancel), W = iota(), M = 5, N = 0)\n"
                    "expect Y == o(X = X, W = fill(1))"));
  const TestRun &run = runOf(*program);
  CHECK(run.arguments[0].value.shape == std::vector<int64_t>{5, 0});
  CHECK(run.arguments[0].value.seed == 7);
  CHECK(run.arguments[1].value.shape == std::vector<int64_t>{0, 3});
  const TestValue &call = run.expects.at(0).value;
  REQUIRE(call.kind == TestValue::Kind::Call);
  CHECK(call.word == "Y");
  CHECK(call.shape == std::vector<int64_t>{5, 3});
}

TEST_CASE("integers and booleans of a test are exact") {
  auto program =
      accept("const BIG: i64 = 9007199254740993\n"
             "op o(X: i64[N], U: u64[N], C: i8[N], B: bool[N], n: u16[N]) -> "
             "Y: i64[N], Z: bool[N] {\n  Y[i] = X[i]  Z[i] = B[i]\n}\n"
             "test \"t\" {\n"
             "  run o(X = [BIG, -9223372036854775808, i64(-3.9f32)],"
             " U = [0xFFFFFFFFFFFFFFFF, 1, 0], C = fill(-128),"
             " B = [true, false, bool(2i32)], n = iota())\n"
             "  expect Y == [9007199254740993, 1, 2]\n"
             "  expect Z == fill(true)\n}\n");
  const TestRun &run = runOf(*program);
  using Bits = std::vector<uint64_t>;
  CHECK(run.arguments[0].value.bits ==
        Bits{(uint64_t(1) << 53) + 1, uint64_t(1) << 63, uint64_t(-3)});
  CHECK(run.arguments[0].value.values.empty());
  CHECK(run.arguments[1].value.bits == Bits{~uint64_t(0), 1, 0});
  CHECK(run.arguments[2].value.bits == Bits{uint64_t(-128)});
  CHECK(run.arguments[3].value.bits == Bits{1, 0, 1});
  CHECK(run.arguments[4].value.shape == std::vector<int64_t>{3});
  CHECK(run.expects[0].value.bits == Bits{(uint64_t(1) << 53) + 1, 1, 2});
  CHECK(run.expects[1].value.bits == Bits{1});
}

TEST_CASE("refused integers of test blocks") {
  const std::string op =
      "op o(X: u8[N], B: bool[N]) -> Y: u8[N], Z: bool[N] {\n"
      "  Y[i] = X[i]  Z[i] = B[i]\n}\ntest \"t\" {\n";
  const Refusal refusals[] = {
      {"run o(X = [1, @256], B = fill(true))\nexpect Y == fill(1)", "G0304",
       "'256' is outside u8, which holds 0 .. 255"},
      {"run o(X = [1, -@1], B = fill(true))\nexpect Y == fill(1)", "G0304",
       "'-1' is outside u8, which holds 0 .. 255"},
      {"run o(X = [@200 + 100], B = fill(true))\nexpect Y == fill(1)", "G0304",
       "this value is outside u8, which holds 0 .. 255"},
      {"run o(X = [1], B = fill(true))\nexpect Y == [@0.5]", "G0306",
       "'0.5' where an integer is needed: the type is u8"},
      {"run o(X = [1], B = [@1])\nexpect Y == fill(1)", "G0306",
       "the number '1' where a boolean is needed"},
      {"run o(X = [@true], B = [true])\nexpect Y == fill(1)", "G0309",
       "this cannot stand in a constant's value"},
      {"run o(X = [1], B = [true])\nexpect @Y ~= fill(1) ulp 1", "G0306",
       "'~=' is for floats, and 'Y' is u8"},
      {"run o(X = [1], B = [true])\nexpect @Z ~= fill(true) abs 0.5", "G0306",
       "'~=' is for floats, and 'Z' is bool"},
      {"run o(X = @iota(), B = random(1), N = 257)\nexpect Y == fill(1)",
       "G0304",
       "'iota()' counts to 256 here, outside u8, which holds 0 .. 255"},
      {"run o(X = random(1), B = @iota(), N = 3)\nexpect Y == fill(1)", "G0304",
       "'iota()' counts to 2 here, outside bool, which holds 0 .. 1"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text = op + refusal.text + "\n}\n";
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  // 0 .. 255 just fit, and nothing counts to nothing.
  accept(op + "run o(X = iota(), B = random(1), N = 256)\n"
              "expect Y == iota()\n}\n");
  accept(op + "run o(X = [], B = iota())\nexpect Y == iota()\n}\n");
}

TEST_CASE("test blocks print to a fixed point") {
  std::string text =
      "use \"a/b.te\"\n\n"
      "op o<const A: bool = true, type T in {bf16, f32}>(X: T[M], b: T[M]? = "
      "none) -> Y: T[M] {\n"
      "  Y[i] = if A and b == none or b != none then X[i] else T(1) + X[i]\n"
      "}\n\n"
      "op p(X: f32[M]) -> Y: f32[M], Z: f32[M] {\n"
      "  Y, Z = q(X, b = X, A = false, T = f32, c = none)\n"
      "}\n\n"
      "/// doc\n"
      "test \"all of it\" {\n"
      "  run o(X = [[[1, -2], []], [1 / 3]], A = false, b = none, T = f16)\n"
      "  expect Y == random(3)\n"
      "  expect Y ~= fill(inf) ulp 1 abs 0x1p-3 rel 1e-3\n"
      "  run o(X = iota(), Y = random(4, ones))\n"
      "  expect Y == o(X = X)\n"
      "  expect Y == X\n"
      "}\n";
  // Lists here are even: what is ragged does not parse.
  text.replace(text.find("[[[1, -2], []], [1 / 3]]"), 24,
               "[[[1, -2]], [[1 / 3, x]]]");
  SourceFile source("t.te", text);
  Diagnostics diagnostics(std::make_shared<const SourceFile>("t.te", text));
  auto file = parseFile(source, diagnostics);
  INFO(diagnostics.renderText(false));
  REQUIRE(file != nullptr);
  CHECK(printAst(*file) == text);
}

TEST_CASE("sizes follow from dimensions that are sums") {
  const std::string op =
      "op c<const S: i32 = 1>(X: f32[S * N + K - 1], W: f32[K])"
      " -> Y: f32[N] where K >= 1 {\n"
      "  Y[i] = sum[k](X[i + k] * W[k])\n}\n"
      "op d(X: f32[N]) -> Y: f32[N - 2] where N >= 2 { Y[i] = X[i] }\n";
  auto run = [&](const std::string &body) {
    return op + "test \"t\" {\n" + body + "\n}\n";
  };
  // 6 = N + 3 - 1.
  auto program = accept(run("run c(X = [1, 2, 3, 4, 5, 6], W = [1, 1, 1])\n"
                            "expect Y == fill(0)"));
  CHECK(runOf(*program).expects[0].value.shape == std::vector<int64_t>{4});
  // 4 + 3 - 1.
  program = accept(run("run c(X = fill(1), W = [1, 1, 1], N = 4)\n"
                       "expect Y == fill(3)"));
  CHECK(runOf(*program).arguments[0].value.shape == std::vector<int64_t>{6});
  // 7 = 2 * N + 2 - 1.
  program = accept(run("run c(S = 2, X = [1, 2, 3, 4, 5, 6, 7], W = [1, 1])\n"
                       "expect Y == fill(3)"));
  CHECK(runOf(*program).expects[0].value.shape == std::vector<int64_t>{3});
  const Refusal refusals[] = {
      {"run c(X = @[1, 2, 3], W = [1, 1], N = 4)\nexpect Y == fill(0)", "G0421",
       "'X' has 1 * N + K - 1 elements in dimension 0, with K = 2, N = 4; this "
       "value has 3"},
      {"run c(X = @[1, 2, 3], W = [1, 1], S = 3)\nexpect Y == fill(0)", "G0421",
       "'X' has 3 * N + K - 1 elements in dimension 0, with K = 2; this value "
       "has 3"},
      {"run c(X = @[1], W = [1, 1, 1])\nexpect Y == fill(0)", "G0421",
       "'X' has 1 * N + K - 1 elements in dimension 0, with K = 3; this value "
       "has 1"},
      {"run d(X = [1])\nexpect @Y == fill(0)", "G0408",
       "'Y' would have -1 elements in the dimension N - 2"},
      {"run c(X = @fill(0), W = [1])\nexpect Y == fill(0)", "G0422",
       "nothing says how large 'N' is"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text = run(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
}

TEST_CASE("refused test blocks") {
  const Refusal refusals[] = {
      {"run @p(X = [[1]])\nexpect Y == [[1]]", "G0203",
       "there is no operator 'p'"},
      {"run @f(x = 1)\nexpect Y == [[1]]", "G0213",
       "the function 'f' is not an operator"},
      {"run o(X = [[1]], @Wx = fill(1))\nexpect Y == fill(1)", "G0203",
       "'o' has no parameter 'Wx'; did you mean 'W'?"},
      {"run o(X = [[1]], W = fill(1), @Y = fill(1))\nexpect Y == fill(1)",
       "G0203", "'Y' is an output of 'o' and is not given"},
      {"run o(X = [[1]], W = fill(1), @X = [[1]])\nexpect Y == fill(1)",
       "G0221", "'X' is given twice"},
      {"run @o(X = [[1]])\nexpect Y == fill(1)", "G0222",
       "the run of 'o' gives no 'W'"},
      {"run o(X = [[1, 2], @[3]], W = fill(1))\nexpect Y == fill(1)", "G0420",
       "this list has 1 element, the one before it has 2"},
      {"run o(X = [[1], @2], W = fill(1))\nexpect Y == fill(1)", "G0420",
       "a number where the others are lists"},
      {"run o(X = [1, @[2]], W = fill(1))\nexpect Y == fill(1)", "G0420",
       "a list where the others are numbers"},
      {"run o(X = @[1], W = fill(1))\nexpect Y == fill(1)", "G0421",
       "'X' has 2 dimensions, this value has 1"},
      {"run o(X = @1, W = fill(1))\nexpect Y == fill(1)", "G0421",
       "'X' has 2 dimensions, this value has 0"},
      {"run o(X = [[1]], W = @[[1, 2]])\nexpect Y == fill(1)", "G0421",
       "'W' has 3 elements in dimension 1, this value has 2"},
      {"run o(X = [[1]], W = @[[1, 2, 3], [4, 5, 6]])\nexpect Y == fill(1)",
       "G0421", "'N' is 2 here and 1 there"},
      {"run o(X = @[[1]], W = fill(1), N = 2)\nexpect Y == fill(1)", "G0421",
       "'N' is 1 here and 2 there"},
      {"run o(X = @random(1), W = fill(1), N = 2)\nexpect Y == fill(1)",
       "G0422", "nothing says how large 'M' is"},
      {"run o(X = random(1), W = fill(1), N = @2.5, M = 1)\n"
       "expect Y == fill(1)",
       "G0320", "the size 'N' is an integer from 0 on"},
      {"run o(X = random(1, @norml), W = fill(1))\nexpect Y == fill(1)",
       "G0203", "there are no random numbers 'norml'; did you mean 'normal'?"},
      {"run o(X = [[@TWOO]], W = fill(1))\nexpect Y == fill(1)", "G0203",
       "there is no constant 'TWOO'; did you mean 'TWO'?"},
      {"run o(X = [[@1e40]], W = fill(1))\nexpect Y == fill(1)", "G0304",
       "this value is too large for f32, whose largest value is "
       "3.4028234663852886e+38"},
      {"run o(X = @none, W = fill(1))\nexpect Y == fill(1)", "G0321",
       "'X' is not optional"},
      {"run o(X = @f32, W = fill(1))\nexpect Y == fill(1)", "G0320",
       "'X' is a tensor, not a type"},
      {"run o(X = [[1]], W = fill(1))\nexpect @Z == fill(1)", "G0203",
       "'o' has no output 'Z'"},
      {"run o(X = [[1]], W = fill(1))\nexpect Y == @[[1, 2]]", "G0421",
       "'Y' has the shape [1, 3] here, this value [1, 2]"},
      {"run o(X = [[1]], W = fill(1))\nexpect Y == @1", "G0421",
       "'Y' has the shape [1, 3] here, this value []"},
      {"run o(X = [[1]], W = fill(1))\nexpect Y == @random(1)", "G0109",
       "this is nothing that an output can be"},
      {"run o(X = [[1]], W = fill(1))\nexpect Y == @W", "G0301",
       "'Y' is f32, 'W' is bf16"},
      {"run o(X = [[1]], W = fill(1))\n@expect Y ~= fill(1)", "G0103",
       "'~=' needs to know how near is near enough"},
      {"run o(X = [[1]], W = fill(1))\nexpect Y == fill(1) @ulp 1", "G0109",
       "'==' asks for equal bits and takes no tolerance"},
      {"run o(X = [[1]], W = fill(1))\nexpect Y ~= fill(1) ulp 1 @ulp 2",
       "G0221", "'ulp' is given twice"},
      {"run o(X = [[1]], W = fill(1))\nexpect Y @= fill(1)", "G0103",
       "an expectation compares with '==' or '~='"},
      {"@expect Y == fill(1)", "G0109", "'expect' needs a 'run' before it"},
      {"run @o(X = [[1]], W = fill(1))", "G0103",
       "a 'run' without an 'expect' behind it"},
      {"run o(X = [[1]], W = fill(1))\nexpect Y == o(X = @Q, W = W)", "G0203",
       "there is no tensor or constant 'Q'"},
      {"@Y = 1", "G0103",
       "expected 'run', 'expect' or '}' in a test, found "
       "'Y'"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text = inTest(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  checkRefusal(
      {"test @\"a\" { }", "G0103", "a test without a 'run' tests nothing"});
  checkRefusal({"test @a { }", "G0103",
                "expected the test's name in quotes after 'test', found 'a'"});
  checkRefusal({"op o(X: f32) -> Y: f32 { Y = X }\n"
                "test \"a\" { run o(X = 1) expect Y == 1 }\n"
                "test @\"a\" { run o(X = 1) expect Y == 1 }",
                "G0201", "there are two tests \"a\""});
}
