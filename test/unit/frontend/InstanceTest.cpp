//===- InstanceTest.cpp - parameters and calls of operators ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <set>

using namespace girih;
using namespace girih::frontend;

namespace {

Checked checkWith(std::string text, ParseOptions options) {
  Checked result;
  auto source = std::make_shared<const SourceFile>("t.te", std::move(text));
  result.program = parseProgram(source, result.diagnostics, options);
  return result;
}

/// The statements of the operator as they are compiled, one a line.
std::string
compiled(const std::string &text,
         std::vector<std::pair<std::string, std::string>> settings = {},
         const std::string &op = "o") {
  Checked checked = checkWith(text, {op, std::move(settings), {}});
  INFO(text << "\n" << checked.diagnostics.renderText(false));
  REQUIRE(checked.program != nullptr);
  const OpDecl *found = checked.program->findOp(op);
  REQUIRE(found != nullptr);
  std::string lines;
  for (const auto &statement : found->statements)
    lines +=
        statement->target.text + " = " + printExpr(*statement->value) + "\n";
  return lines;
}

const char *const kSoftmax =
    "op softmax<type T in {bf16, f32}>(X: T[M, N]) -> Y: T[M, N] {\n"
    "  m[i] = max[j](f32(X[i, j]))\n"
    "  P[i, j] = exp(f32(X[i, j]) - m[i])\n"
    "  Y[i, j] = T(P[i, j] / sum[k](P[i, k]) * f32(N))\n}\n";

} // namespace

TEST_CASE("constant conditions choose their side") {
  const std::string op =
      "op o<const ACT: bool = true, const EPS: f32 = 1e-6>"
      "(X: f32[M], b: f32[N]? = none) -> Y: f32[M] {\n"
      "  Y[i] = if ACT and b == none then X[i] + EPS else X[i] * 2\n}\n";
  CHECK(compiled(op) == "Y = X[i] + EPS\n");
  CHECK(compiled(op, {{"ACT", "false"}}) == "Y = X[i] * 2\n");
  CHECK(compiled(op, {{"b", "present"}}) == "Y = X[i] * 2\n");
  // What is not chosen may not even fit: N is not M.
  const std::string range =
      "op o<const S: f32 = 1>(X: f32[M], b: f32[N]) -> Y: f32[M] {\n"
      "  Y[i] = if S * 1 == 2 then b[i] else X[i]\n}\n";
  CHECK_FALSE(checkWith(range, {}).program);
  const std::string known =
      "op o<const S: f32 = 0.1>(X: f32[M], b: f32[N]) -> Y: f32[M] {\n"
      "  Y[i] = if not (S == 0.1) then b[i] else if S <= 0.05 or S > 0.2 "
      "then b[i] else X[i]\n}\n";
  CHECK(compiled(known) == "Y = X[i]\n");
}

TEST_CASE("integer parameters decide comparisons exactly") {
  // `yes` or `no`: what an operator with one parameter chooses.
  auto chosen = [](const std::string &param, const std::string &condition) {
    return compiled("op o<" + param +
                    ">(yes: f32[M], no: f32[M]) -> Y: f32[M] {\n"
                    "  Y[i] = if " +
                    condition + " then yes[i] else no[i]\n}\n");
  };
  const std::string yes = "Y = yes[i]\n", no = "Y = no[i]\n";
  CHECK(chosen("const K: i32 = 3", "K == 3 and K < 4") == yes);
  CHECK(chosen("const K: i32 = -3", "K >= 0 or -K != 3") == no);
  // 2^53 and its neighbour are one f64, and two integers.
  CHECK(chosen("const K: i64 = 9007199254740993", "K == 9007199254740992") ==
        no);
  CHECK(chosen("const K: u64 = 0xFFFFFFFFFFFFFFFF",
               "K > 18446744073709551614") == yes);
  // Without a sign 2^63 is more than 1, with one it is less.
  CHECK(chosen("const K: u64 = 0x8000000000000000", "K > 1") == yes);
  CHECK(chosen("const K: i64 = -9223372036854775808", "K > 1") == no);
  CHECK(chosen("const K: i8 = -128", "K == -128") == yes);
  // A sign in front of anything but a literal wraps.
  CHECK(chosen("const K: i8 = -128", "-K == K") == yes);
  CHECK(chosen("const K: u8 = 1", "-K == 255") == yes);
  CHECK(chosen("const A: bool = true", "A == true and A != false") == yes);
}

TEST_CASE("comparisons that do not fit are left to the types") {
  const Refusal refusals[] = {
      {"op o<const K: i32 = 3>(X: f32[M]) -> Y: f32[M] {\n"
       "  Y[i] = if @K == 3i64 then X[i] else 0\n}\n",
       "G0301", "the operands of '==' have different types: i32 and i64"},
      {"op o<const K: u8 = 3>(X: f32[M]) -> Y: f32[M] {\n"
       "  Y[i] = if K < @300 then X[i] else 0\n}\n",
       "G0304", "'300' is outside u8, which holds 0 .. 255"},
      {"op o<const K: u8 = @300>(X: f32) -> Y: f32 { Y = X }", "G0304",
       "'300' is outside u8, which holds 0 .. 255"},
      {"op o<const K: i32 = @1.5>(X: f32) -> Y: f32 { Y = X }", "G0306",
       "'1.5' where an integer is needed: the type is i32"},
      {"op o<const G: f8e4m3fn = 1>(X: f32[M]) -> Y: f32[M] {\n"
       "  Y[i] = if @G == 1 then X[i] else 0\n}\n",
       "G0306",
       "'==' cannot work in f8e4m3fn, which is a type to store values in"},
      {"op o<const A: bool = @-1>(X: f32) -> Y: f32 { Y = X }", "G0320",
       "'A' of 'o' is true or false"},
      {"const F: f32 = 1\n"
       "op o<const A: bool = @F>(X: f32) -> Y: f32 { Y = X }",
       "G0301", "this is f32 in a constant of type bool"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
}

TEST_CASE("booleans of the file, casts and other parameters as values") {
  const std::string text =
      "const ON: bool = true\nconst OFF: bool = bool(0i32)\n"
      "op o<const K: i32 = 2, const A: bool = ON, const B: bool = bool(K), "
      "const C: bool = A>(X: f32[M]) -> Y: f32[M] {\n"
      "  Y[i] = if A and B and C then X[i] else -X[i]\n}\n"
      "op p(X: f32[M]) -> Y: f32[M] { Y = o(X, A = OFF) }\n";
  CHECK(compiled(text) == "Y = X[i]\n");
  CHECK(compiled(text, {{"K", "0"}}) == "Y = -X[i]\n");
  CHECK(compiled(text, {{"A", "OFF"}}) == "Y = -X[i]\n");
  CHECK(compiled(text, {}, "p") == "Y = -X[i]\n");
}

TEST_CASE("type parameters over integers") {
  const std::string text =
      "op o<type T in {i32, u8, f32}, const K: T = 3>(X: T[M]) -> Y: T[M] {\n"
      "  Y[i] = if K == 3 then X[i] * T(2) + 1 else min(X[i], K)\n}\n";
  CHECK(compiled(text) == "Y = X[i] * i32(2) + 1\n");
  CHECK(compiled(text, {{"T", "f32"}}) == "Y = X[i] * f32(2) + 1\n");
  CHECK(compiled(text, {{"T", "u8"}, {"K", "255"}}) == "Y = min(X[i], K)\n");
  Checked checked = checkWith(text, {"o", {{"T", "u8"}, {"K", "256"}}, {}});
  REQUIRE(checked.program == nullptr);
  CHECK(checked.diagnostics.renderText(false).find(
            "-D:1:3: error[G0304]: '256' is outside u8, which holds 0 .. "
            "255\n") == 0);
}

TEST_CASE("calls with integer tensors") {
  const std::string text =
      "op q<type T in {i8, u8}, const Z: T = 0>(X: T[M, K], b: bool[M]) -> "
      "C: i32[M] {\n"
      "  C[i] = if b[i] then sum[k](i32(X[i, k]) - i32(Z)) else 0\n}\n"
      "op o(A: u8[R, S], ok: bool[R]) -> Y: i32[R] {\n"
      "  P = q(A, ok, Z = 128)\n  Y[i] = P[i] << 1\n}\n";
  CHECK(compiled(text) ==
        "P = if ok[i] then sum[k](i32(A[i, k]) - i32(q_Z)) else 0\n"
        "Y = P[i] << 1\n");
  const std::string wrong = text + "op w(A: i16[R, S], ok: bool[R]) -> "
                                   "Y: i32[R] { Y = q(A, ok) }\n";
  Checked checked = checkWith(wrong, {"w", {}, {}});
  REQUIRE(checked.program == nullptr);
  CHECK(checked.diagnostics.renderText(false).find("i16") != std::string::npos);
}

TEST_CASE("an instance has a name of its own, and its types") {
  Checked checked = checkWith(kSoftmax, {"softmax", {{"T", "f32"}}, {}});
  REQUIRE(checked.program != nullptr);
  const OpDecl *op = checked.program->findOp("softmax");
  CHECK(op->name.text == "softmax_T_f32");
  CHECK(op->inputs.at(0).tensor->type == ScalarType::F32);
  CHECK(op->outputs.at(0).tensor->type == ScalarType::F32);
  // The first choice is the default, and has the plain name.
  checked = checkWith(kSoftmax, {});
  op = checked.program->findOp("softmax");
  CHECK(op->name.text == "softmax");
  CHECK(op->inputs.at(0).tensor->type == ScalarType::BF16);
  // The text is printed as it was written.
  CHECK(printAst(checked.program->file).find("T in {bf16, f32}") !=
        std::string::npos);
}

TEST_CASE("settings that no parameter takes are handed back") {
  Checked checked =
      checkWith(kSoftmax, {"", {{"N", "7"}, {"T", "f32"}, {"q", "x"}}, {}});
  REQUIRE(checked.program != nullptr);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(checked.program->unusedSettings == Pairs{{"N", "7"}, {"q", "x"}});
}

TEST_CASE("a call's statements take its place") {
  CHECK(compiled(std::string(kSoftmax) +
                 "op o(A: f32[K, 128]) -> Y: f32[K, 128], Z: f32[K, 128] {\n"
                 "  Y = softmax(A)\n"
                 "  Z = softmax(Y)\n}\n") ==
        "softmax_m = max[j](f32(A[i, j]))\n"
        "softmax_P = exp(f32(A[i, j]) - softmax_m[i])\n"
        "Y = f32(softmax_P[i, j] / sum[k](softmax_P[i, k]) * f32(128))\n"
        "softmax_m_2 = max[j](f32(Y[i, j]))\n"
        "softmax_P_2 = exp(f32(Y[i, j]) - softmax_m_2[i])\n"
        "Z = f32(softmax_P_2[i, j] / sum[k](softmax_P_2[i, k]) * f32(128))\n");
}

TEST_CASE("a constraint on a size of an absent tensor is absent") {
  const std::string text =
      "op o(X: f32[M], b: f32[N]? = none) -> Y: f32[M] where N > 4, M < 9 {\n"
      "  Y[i] = if b == none then X[i] else X[i] + sum[k](b[k])\n}\n";
  Checked checked = checkWith(text, {});
  REQUIRE(checked.program != nullptr);
  CHECK(checked.program->findOp("o")->constraints.size() == 1);
  checked = checkWith(text, {"o", {{"b", "present"}}, {}});
  REQUIRE(checked.program != nullptr);
  CHECK(checked.program->findOp("o")->constraints.size() == 2);
}

TEST_CASE("an error inside a called operator names the call") {
  Checked checked = check("op c<type T in {f32, f16}>(X: T[N]) -> Y: T[N] {\n"
                          "  Y[i] = X[i] * 2f32\n}\n"
                          "op d(X: f16[N]) -> Y: f16[N] { Y = c(X) }\n");
  REQUIRE(checked.program == nullptr);
  REQUIRE(checked.diagnostics.all().size() == 1);
  CHECK(checked.diagnostics.renderText(false).find(
            "t.te:2:10: error[G0301]: the operands of '*' have different "
            "types: f16 and f32\n"
            "    2 |   Y[i] = X[i] * 2f32\n"
            "      |          ^^^^^^^^^^^\n"
            "t.te:4:36: note: in the call of 'c' here\n") == 0);
}

TEST_CASE("calls: several outputs, parameters, optional tensors, names") {
  const std::string inner =
      "op two<const S: f32 = 2, const NEG: bool = false>"
      "(X: f32[N], b: f32[N]? = none) -> P: f32[N], q: f32 where N > 1 {\n"
      "  P[i] = (if NEG then -X[i] else X[i]) * S + "
      "(if b == none then 0f32 else b[i])\n"
      "  q = sum[i](P[i])\n}\n";
  CHECK(compiled(inner +
                 "op o<const S: f32 = 3>(i: f32[K]) -> R: f32[K], s: f32 {\n"
                 "  R, s = two(i, S = S * 2, NEG = true, b = i)\n}\n") ==
        "R = -i[i_] * two_S + i[i_]\n"
        "s = sum[i_](R[i_])\n");
  // A constraint of the callee is one of the caller's.
  Checked checked = checkWith(
      inner + "op o(A: f32[K]) -> s: f32 { R, s = two(A) }\n", {"o", {}, {}});
  REQUIRE(checked.program != nullptr);
  const OpDecl *op = checked.program->findOp("o");
  REQUIRE(op->constraints.size() == 1);
  CHECK(printConstraint(op->constraints[0]) == "K > 1");
}

TEST_CASE("an inlined use keeps the accuracy of its own operator") {
  Checked checked = checkWith(
      "op e(X: f32[N]) -> Y: f32[N] { numerics { functions = portable }\n"
      "  Y[i] = exp(X[i]) }\n"
      "op o(X: f32[N]) -> Y: f32[N] { t = e(X)  Y[i] = exp(t[i]) }\n",
      {"o", {}, {}});
  REQUIRE(checked.program != nullptr);
  const OpDecl *op = checked.program->findOp("o");
  REQUIRE(op->statements.size() == 2);
  CHECK(op->statements[0]->value->as<CallExpr>()->inherited ==
        Accuracy::Portable);
  CHECK_FALSE(op->statements[1]->value->as<CallExpr>()->inherited);
}

TEST_CASE("probes are outputs behind the declared ones") {
  Checked checked = checkWith(kSoftmax, {"", {}, {"*"}});
  REQUIRE(checked.program != nullptr);
  std::vector<std::string> names;
  for (const TensorDecl &decl : checked.program->findOp("softmax")->outputs)
    names.push_back(decl.name.text);
  CHECK(names == std::vector<std::string>{"Y", "m", "P"});
  checked = checkWith(kSoftmax, {"", {}, {"Q"}});
  REQUIRE(checked.program == nullptr);
  CHECK(checked.diagnostics.all()[0].message ==
        "'softmax' has no temporary 'Q'");
}

namespace {

const char *const kConvolution =
    "op conv(X: f32[N + K - 1], W: f32[K]) -> Y: f32[N] where K >= 1 {\n"
    "  Y[i] = sum[k](X[i + k] * W[k])\n}\n"
    "op stride<const S: i32 = 2>(X: f32[S * N]) -> Y: f32[N] {\n"
    "  Y[i] = sum[k in 0..S](X[S * i + k])\n}\n"
    "op blur(X: f32[N]) -> Y: f32[N - 2], Z: f32[N - 2] where N >= 2 {\n"
    "  Y[i] = X[i + 1] + (X[i - 1] else 0) + X[clamp(i + 2)]\n"
    "  Z[i] = X[i]\n}\n";

/// The dimensions of a tensor of the operator 'o'.
std::string dimsOf(const std::string &text, const std::string &name) {
  Checked checked = checkWith(kConvolution + text, {"o", {}, {}});
  INFO(text << "\n" << checked.diagnostics.renderText(false));
  REQUIRE(checked.program != nullptr);
  std::string dims;
  for (const auto &tensor : checked.program->findOp("o")->tensors)
    if (tensor->name.text == name)
      for (const Extent &extent : tensor->dims)
        dims += (dims.empty() ? "" : ", ") + spelling(extent);
  return dims;
}

} // namespace

TEST_CASE("const parameters are numbers in subscripts, dimensions, ranges") {
  const std::string text(kConvolution);
  CHECK(compiled(text, {}, "stride") == "Y = sum[k in 0..2](X[2 * i + k])\n");
  CHECK(compiled(text, {{"S", "3"}}, "stride") ==
        "Y = sum[k in 0..3](X[3 * i + k])\n");
  const std::string shift =
      "op o<const D: i64 = -1>(X: f32[N]) -> Y: f32[N] {\n"
      "  Y[i] = X[i + D] else 0\n}\n";
  CHECK(compiled(shift) == "Y = (X[i + -1] else 0)\n");
  // A number that is no integer is none of a subscript.
  checkRefusal({"op o<const D: f32 = 1>(X: f32[N]) -> Y: f32[N] {\n"
                "  Y[i] = X[i + @D] else 0\n}\n",
                "G0213", "the parameter 'D' is not an index"});
}

TEST_CASE("calls solve the sizes of dimensions that are sums") {
  CHECK(dimsOf("op o(A: f32[M + 2], B: f32[3]) -> C: f32[M] {\n"
               "  C = conv(A, B)\n}\n",
               "C") == "M");
  CHECK(dimsOf("op o(A: f32[L], B: f32[3]) -> s: f32 where L >= 2 {\n"
               "  C = conv(A, B)\n  s = sum[i](C[i])\n}\n",
               "C") == "L - 2");
  CHECK(dimsOf("op o(A: f32[6 * M + 4]) -> s: f32 {\n"
               "  C = stride(A)\n  s = sum[i](C[i])\n}\n",
               "C") == "3 * M + 2");
  // What is called declares how far its results run.
  const std::string twice = "op o(A: f32[M + 1]) -> s: f32 where M >= 1 {\n"
                            "  B, C = blur(A)\n"
                            "  s = sum[i](B[i] + C[i])\n}\n";
  CHECK(dimsOf(twice, "B") == "M - 1");
  CHECK(dimsOf(twice, "C") == "M - 1");
  // Inside of what is called, too.
  const std::string nested = "op both(X: f32[N]) -> s: f32 where N >= 2 {\n"
                             "  P, Q = blur(X)\n  s = sum[i](P[i] * Q[i])\n}\n"
                             "op o(A: f32[M + 4]) -> s: f32 { s = both(A) }\n";
  CHECK(dimsOf(nested, "both_P") == "M + 2");
  CHECK(dimsOf(nested, "both_Q") == "M + 2");
}

TEST_CASE("refused calls of operators whose dimensions are sums") {
  const Refusal refusals[] = {
      {"op o(A: f32[M], B: f32[3]) -> C: f32[M] { @C = conv(A, B) }", "G0421",
       "'C' is declared f32[M], 'conv' gives f32[M - 2]"},
      {"op o(A: f32[2 * M + 1]) -> s: f32 { C = stride(@A)\n s = C[0] }",
       "G0421",
       "'N' of 'stride' is no sum of sizes: 2 * N is 2 * M + 1 by 'A'"},
      {"op o(A: f32[M + 1]) -> s: f32 { C, D = @blur(A)\n s = C[0] + D[0] }",
       "G0421", "nothing proves what 'blur' wants of 'N', which is M + 1 here"},
      {"op e(X: f32[N], Y: f32[N + 1]) -> Z: f32[N] { Z[i] = X[i] + Y[i + 1] "
       "}\n"
       "op o(A: f32[M]) -> C: f32[M] { C = e(A, @A) }",
       "G0421", "'e' needs M + 1 here (N + 1), the dimension of 'A' is M"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text = kConvolution + std::string(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  Checked checked = check(kConvolution +
                          std::string("op o(A: f32[L], B: f32[3]) -> s: f32 {\n"
                                      "  C = conv(A, B)\n"
                                      "  s = sum[i](C[i])\n}\n"));
  REQUIRE(checked.program == nullptr);
  REQUIRE(checked.diagnostics.all().size() == 1);
  CHECK(checked.diagnostics.all()[0].code == "G0408");
}

TEST_CASE("refused parameters") {
  const Refusal refusals[] = {
      {"op o<const @M: bool = true>(X: f32[M]) -> Y: f32 { Y = X[0] }", "G0202",
       "'M' names a parameter and a size"},
      {"op o<const @X: bool = true>(X: f32) -> Y: f32 { Y = X }", "G0202",
       "'X' names a parameter and a tensor"},
      {"op o<const @i: f32 = 1>(X: f32[M]) -> Y: f32[M] { Y[i] = X[i] }",
       "G0202", "'i' names a parameter and an index"},
      {"const A: f32 = 1\n"
       "op o<const @A: f32 = 1>(X: f32) -> Y: f32 { Y = X }",
       "G0202", "'A' names a parameter and a constant"},
      {"op o<const A: f32 = 1, type @A in {f32}>(X: f32) -> Y: f32 "
       "{ Y = X }",
       "G0201", "'A' names a parameter and another parameter"},
      {"op o<const A: bool = @1>(X: f32) -> Y: f32 { Y = X }", "G0320",
       "'A' of 'o' is true or false"},
      {"op o<const A: f32 = @true>(X: f32) -> Y: f32 { Y = X }", "G0309",
       "this cannot stand in a constant's value"},
      {"op o<@foo>(X: f32) -> Y: f32 { Y = X }", "G0103",
       "expected 'const' or 'type' in the operator's parameters, found 'foo'"},
      {"op o(@const A: bool) -> Y: f32 { Y = X }", "G0109",
       "a const or type parameter stands in '<...>' behind the operator's "
       "name"},
      {"op o(X: f32) -> Y: f32@? = none { Y = X }", "G0321",
       "an output cannot be optional"},
      {"op o(X: f32 @= 1) -> Y: f32 { Y = X }", "G0103",
       "a tensor has no default value"},
      {"op o(X: f32, b: f32? = none) -> Y: f32 { Y = X + @b }", "G0321",
       "'b' is none here and cannot be read"},
      {"op o(X: f32) -> Y: f32 { Y = if @X == none then 1f32 else X }", "G0321",
       "'X' is no optional tensor of this operator"},
      {"op o(X: f32) -> Y: f32 { Y = if X == 1 and @none == X then X else X "
       "}",
       "G0321",
       "'none' can only be compared with the name of an optional tensor"},
      {"op o<type T in {f16, bf16}>(X: T) -> Y: T { Y = X }\n"
       "test \"t\" { run o(X = 1, @T = f32) expect Y == 1 }",
       "G0320", "'T' of 'o' is one of f16, bf16, not f32"},
      {"op o<const A: bool>(X: f32) -> Y: f32 { Y = X }\n"
       "test \"t\" { run @o(X = 1) expect Y == 1 }",
       "G0223", "the parameter 'A' of 'o' has no value"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
  // On the command line.
  Checked checked = checkWith(kSoftmax, {"", {{"T", "f64"}}, {}});
  REQUIRE(checked.program == nullptr);
  CHECK(checked.diagnostics.renderText(false).find(
            "-D:1:1: error[G0320]: 'T' of 'softmax' is one of bf16, f32, not "
            "f64") == 0);
}

TEST_CASE("refused calls") {
  const std::string callee =
      "op c(X: f32[M, N], b: f32[4]) -> Y: f32[M, N] where M > 2 {\n"
      "  Y[i, j] = X[i, j] + b[0] }\n"
      "op d(X: f32[N, N]) -> P: f32, Q: f32 { P = sum[i, j](X[i, j])  Q = P "
      "}\n";
  const Refusal refusals[] = {
      {"Y[i, j] = 1 + @c(X, b)", "G0109",
       "the call of the operator 'c' must be the whole value of a statement"},
      {"@Y[i, j] = c(X, b)", "G0401",
       "'c' gives whole tensors: no indices stand on the left of its call"},
      {"Y = @c(X)", "G0222", "the call of 'c' gives no 'b'"},
      {"Y = @c(X, b, X)", "G0307", "'c' takes 2 tensors, this call gives 3"},
      {"Y = c(X, @v)", "G0421", "'c' needs 4 here, the dimension of 'v' is M"},
      {"Y = c(@h, b)", "G0301", "'c' takes f32[M, N] for 'X', 'h' is bf16"},
      {"Y = c(@v, b)", "G0421",
       "'c' takes f32[M, N] for 'X', 'v' has 1 "
       "dimension"},
      {"Y = c(@X[i, j], b)", "G0306",
       "'c' takes a whole tensor for 'X', by its name"},
      {"Y = c(@Z, b)", "G0203", "there is no tensor 'Z'"},
      {"Y = c(X, b, @bb = b)", "G0203",
       "'c' has no parameter 'bb'; did you "
       "mean 'b'?"},
      {"Y = c(X, b, @X = X)", "G0221", "'X' is given twice"},
      {"Y = c(X, @b = none)", "G0320", "'b' is a tensor, not none"},
      {"p, q = d(@X)", "G0421",
       "'N' of 'd' is N by 'X' and M by what stands before it"},
      {"@Y = d(S)", "G0307", "'d' gives 2 tensors, this statement takes 1"},
      {"p, @p = d(S)", "G0205", "'p' is defined twice"},
      {"@Y = c(S, b)", "G0421",
       "'Y' is declared f32[M, N], 'c' gives f32[M, M]"},
      {"Y = @c(T, b)", "G0421", "'c' does not take 2 for 'M'"},
      {"p, q = @silu(a)", "G0213",
       "only a call of an operator gives several tensors"},
      {"Y[i, j] = silu(X[i, j], @b = b)", "G0103",
       "'silu' is no operator: its arguments have no names"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text =
        callee +
        "op o(X: f32[M, N], S: f32[M, M], T: f32[2, N], v: f32[M], b: f32[4],"
        " h: bf16[M, N], a: f32) -> Y: f32[M, N] {\n" +
        refusal.text + "\n}\n";
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  Checked checked = check("op a(X: f32) -> Y: f32 { Y = b(X) }\n"
                          "op b(X: f32) -> Y: f32 { Y = c(X) }\n"
                          "op c(X: f32) -> Y: f32 { Y = b(X) }\n");
  REQUIRE(checked.program == nullptr);
  REQUIRE(checked.diagnostics.all().size() == 1);
  const Diagnostic &first = checked.diagnostics.all()[0];
  CHECK(first.code == "G0220");
  CHECK(first.message == "the operator 'b' calls itself");
  CHECK(first.notes.at(0).message == "b calls c calls b");
}
