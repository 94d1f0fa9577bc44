//===- AliasTest.cpp - outputs in the memory of an input ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

/// X and Y are f32[M, N], Y aliases X.
static std::string aliased(const std::string &body,
                           const std::string &more = "",
                           const std::string &outputs = "") {
  return "op f(X: f32[M, N], w: f32[N]" + more + ") -> Y: f32[M, N] aliases X" +
         outputs + " {\n" + body + "\n}";
}

static const OpDecl &compiledOf(const Program &program) {
  const OpDecl &op = *program.ops()[0];
  return op.instance ? *op.instance : op;
}

TEST_CASE("what is read before it is overwritten") {
  const char *const bodies[] = {
      "Y[i, j] = X[i, j] * w[j]",
      "q[i] = sum[j](X[i, j])\nY[i, j] = X[i, j] * q[i]",
      "T[i, j] = X[i, clamp(j + 1)]\nY[i, j] = T[i, j] + X[i, j]",
      "T[j, i] = X[i, j]\nY[i, j] = T[j, i]",
      "S[i, j] = cumsum[j](X[i, j])\nY[i, j] = S[i, j]",
      "Y[i, j] = X[i, j] where j < i else 2 * X[i, j]",
      "Y[i, j] = if X[i, j] > 0 then X[i, j] else w[j]",
      "Y[i, j] = w[j]",
  };
  for (const char *body : bodies) {
    INFO(body);
    auto program = accept(aliased(body));
    const OpDecl &made = compiledOf(*program);
    CHECK(made.outputs[0].tensor->aliases == made.inputs[0].tensor);
  }
  // Parts: the second reads what the first leaves.
  accept("op f(X: f32[2 * H]) -> Y: f32[2 * H] aliases X {\n"
         "Y[i] = X[i] + X[i + H]\nY[i + H] = X[i + H] * 2 }");
  accept("op f(X: f32[2 * N]) -> Y: f32[2 * N] aliases X {\n"
         "Y[2 * i] = X[2 * i] + X[2 * i + 1]\nY[2 * i + 1] = X[2 * i + 1] }");
  // New values of Y, old ones of X.
  accept("op f(X: f32[N]) -> Y: f32[N] aliases X where N >= 1 {\n"
         "Y[0] = X[0]\nY[i] = Y[i - 1] + X[i] }");
}

TEST_CASE("what is overwritten before it is read is refused") {
  const Refusal refusals[] = {
      {"Y[i, j] = @X[i, clamp(j - 1)]", "G0447",
       "'X' may be the memory of 'Y', and element X[0, 0] (with M = 1, N = 2) "
       "is written by another instance of this statement"},
      {"Y[i, j] = X[i, j] + @(X[i, j + 1] else 0)", "G0447",
       "'X' may be the memory of 'Y', and element X[0, 1] (with M = 1, N = 2) "
       "is written by another instance of this statement"},
      {"Y[i, j] = X[i, j] + @X[i, wrap(j + 1)]", "G0447",
       "'X' may be the memory of 'Y', and an element that it may read is "
       "written by another instance of this statement"},
      {"Y[i, j] = X[i, j] / sum[k](@X[i, k])", "G0447",
       "'X' may be the memory of 'Y', and element X[0, 0] (with M = 1, N = 1) "
       "is reduced over while this statement overwrites it"},
      {"Y[i, j] = X[i, j]\nT[i, j] = @X[i, j]\nZ[i] = sum[j](T[i, j])", "G0447",
       "'X' may be the memory of 'Y', and element X[0, 0] (with M = 1, N = 1) "
       "is overwritten before it is read here"},
      {"for t in 0..3 { @Y[i, j] = X[i, j] }", "G0433",
       "'Y' aliases 'X' and is written in a loop, whose turns would overwrite "
       "what later ones read"},
  };
  for (const Refusal &refusal : refusals) {
    std::string body = refusal.text;
    bool more = body.find("Z[i]") != std::string::npos;
    std::string text = aliased(body, "", more ? ", Z: f32[M]" : "");
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
  std::string text =
      aliased("@Y[b[t], j] +=[order=free] w[j]", ", b: i32[T] in 0..M");
  checkRefusal({text.c_str(), "G0433",
                "'Y' aliases 'X' and is scattered into, which sets every "
                "element before the first value comes"});
  checkRefusal({"op f(X: f32[N, N]) -> Y: f32[N, N] aliases X {\n"
                "Y[i, j] = @X[j, i] }",
                "G0447",
                "'X' may be the memory of 'Y', and element X[1, 0] (with N = "
                "2) is written by another instance of this statement"});
  checkRefusal({"op f(X: f32[T, 2 * H]) -> Y: f32[T, 2 * H] aliases X {\n"
                "Y[t, i] = X[t, i] - X[t, i + H]\n"
                "Y[t, i + H] = X[t, i + H] + @X[t, i] }",
                "G0447",
                "'X' may be the memory of 'Y', and element X[0, 0] (with T = "
                "1, H = 1) is overwritten before it is read here"});
}

TEST_CASE("aliases name an input that fits") {
  const Refusal refusals[] = {
      {"op f(X: f32[N]) -> Y: f32[N] aliases @Z { Y[i] = X[i] }", "G0203",
       "there is no input 'Z'"},
      {"op f(X: f32[N]) -> Y: f16[N] aliases @X { Y[i] = f16(X[i]) }", "G0433",
       "'Y' is f16[N], 'X' is f32[N]: only a tensor of one type and shape can "
       "be both"},
      {"op f(X: f32[N, M]) -> Y: f32[M, N] aliases @X { Y[i, j] = X[j, i] }",
       "G0433",
       "'Y' is f32[M, N], 'X' is f32[N, M]: only a tensor of one type and "
       "shape can be both"},
      {"op f(X: f32[(N, 2)]) -> Y: f32[N, 2] aliases @X { Y[i, j] = X[i, j] }",
       "G0433",
       "'Y' is f32[N, 2], 'X' is f32[(N, 2)]: only a tensor of one type and "
       "shape can be both"},
      {"op f(inout X: f32[N]) -> Y: f32[N] aliases @X { Y[i] = X[i] X[i] = "
       "0f32 }",
       "G0433", "'X' is inout: it is written in place already"},
      {"op f(X: f32[N]) -> Y: f32[N] aliases X, Z: f32[N] aliases @X { Y[i] = "
       "X[i] Z[i] = 0f32 }",
       "G0433", "'Y' aliases 'X' too: one memory cannot be both outputs"},
      {"op f(X: f32[N], W: f32[N] @aliases X) -> Y: f32[N] { Y[i] = X[i] }",
       "G0109", "only outputs alias an input"},
      {"op f(X: f32[N]) -> Y: f32[N] aliases X @aliases X { Y[i] = X[i] }",
       "G0109", "'aliases' stands twice behind one tensor"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
  // An input that is left out is aliased by nothing.
  auto program = accept("op f(A: f32[N], X: f32[N]? = none) -> Y: f32[N] "
                        "aliases X { Y[i] = A[i] }");
  CHECK(!compiledOf(*program).outputs[0].tensor->aliases);
  std::string text = "op f(X: f32[N]) -> Y: f32[N] align 16 aliases X {\n"
                     "  Y[i] = X[i]\n}\n";
  CHECK(printAst(accept(text)->file) == text);
}

TEST_CASE("a call's aliases are about memory of its own") {
  accept("op g(X: f32[N]) -> Y: f32[N] aliases X { Y[i] = X[i] }\n"
         "op f(X: f32[N]) -> Y: f32[N], Z: f32[N] {\n"
         "Y = g(X)\nZ[i] = X[i] + Y[i] }");
}
