//===- DimensionsTest.cpp - groups, leading dimensions, promises ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "compiler/frontend/Dimensions.h"

using namespace girih;
using namespace girih::frontend;

TEST_CASE("dimensions are those that are indexed, and those of arguments") {
  auto program = accept("op o(Q: f32[B, (HK, G, 2), L], X: f32[..R, HK]) -> "
                        "Y: f32[..R, (G, HK)] {\n"
                        "  Y[r, g, h] = X[r, h] + sum[b, i](Q[b, h, g, 1, i])\n"
                        "}\n");
  const OpDecl &op = *program->ops().front();
  CHECK(op.inputs[0].tensor->dims.size() == 5);
  std::vector<OuterDim> dims = outerDims(op.inputs[0]);
  REQUIRE(dims.size() == 3);
  CHECK(dims[1].first == 1);
  CHECK(dims[1].count == 3);
  CHECK(dims[1].text == "(HK, G, 2)");
  CHECK(printShape(op.inputs[1]) == "f32[..R, HK]");
  CHECK(*leadingName(op.outputs[0]) == "R");
  CHECK_FALSE(isPlain(op.outputs[0]));
}

TEST_CASE("dimensions, promises and assumptions are printed and read again") {
  const char *text =
      "op f(Q: bf16[B, (N, G), D] layout(B, D, (N, G)) align 16, "
      "X: f32[..R, N]? = none layout(N, ..R), W: f32[N, N, 3] layout(2, 0, 1)) "
      "-> Y: f32[N] align 4096 {\n"
      "  assume finite(W)\n"
      "  T[i] = W[i, i, 0]\n"
      "  assume finite(Q)\n"
      "  Y[i] = T[i] + sum[b, h, g, d](f32(Q[b, h, g, d]))\n"
      "}\n";
  auto program = accept(text);
  CHECK(printAst(program->file) == text);
  const OpDecl &op = *program->ops().front();
  CHECK(op.inputs[0].layout == std::vector<unsigned>{0, 2, 1});
  CHECK(op.outputs[0].align == 4096);
  CHECK(op.assumptions.size() == 2);
}

TEST_CASE("faulty dimensions are refused with their places") {
  const Refusal refusals[] = {
      {"op o(X: f32[N, @..R]) -> Y: f32 { Y = 1f32 }", "G0109",
       "leading dimensions stand first"},
      {"op o(X: f32[(N, @..R)]) -> Y: f32 { Y = 1f32 }", "G0109",
       "leading dimensions stand in no group"},
      {"op o(X: f32[(N, @(A, B))]) -> Y: f32 { Y = 1f32 }", "G0109",
       "groups of dimensions do not nest"},
      {"op o(X: f32[@(N,)]) -> Y: f32 { Y = 1f32 }", "G0103",
       "a group has two sizes or more"},
      {"op o(X: f32[..@3]) -> Y: f32 { Y = 1f32 }", "G0103",
       "expected a name for the leading dimensions, found '3'"},
      {"op o(Q: f32[(@HK, G)]) -> Y: f32 { Y = sum[h, g](Q[h, g]) }", "G0406",
       "no input says how large 'HK' is"},
      {"op o(Q: f32[(@G, G)]) -> Y: f32 { Y = sum[h, g](Q[h, g]) }", "G0406",
       "no input says how large 'G' is"},
      {"op o(X: f32[N]) -> Y: f32[@..R, N] { Y[r, i] = X[i] }", "G0431",
       "no input has the leading dimensions '..R'"},
      {"op o<const S: i32 = 2>(X: f32[@..S, N]) -> Y: f32[N] { Y[i] = X[0, i] "
       "}",
       "G0431", "the name of leading dimensions is that of a parameter"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
}

TEST_CASE("faulty promises are refused with their places") {
  const Refusal refusals[] = {
      {"op o(W: f32[K, N] layout(N, @M)) -> Y: f32 { Y = 1f32 }", "G0430",
       "'W' has no dimension 'M'"},
      {"op o(W: f32[K, N] layout(N, @2)) -> Y: f32 { Y = 1f32 }", "G0430",
       "'W' has no dimension 2"},
      {"op o(W: f32[K, N] @layout(N)) -> Y: f32 { Y = 1f32 }", "G0430",
       "'layout' leaves out the dimension 'K' of 'W'"},
      {"op o(W: f32[K, N] layout(N, @N)) -> Y: f32 { Y = 1f32 }", "G0430",
       "'layout' names the dimension 'N' twice"},
      {"op o(W: f32[N, N] layout(@N, N)) -> Y: f32 { Y = 1f32 }", "G0430",
       "2 dimensions of 'W' are 'N'"},
      {"op o(w: f32 @layout(N)) -> Y: f32 { Y = 1f32 }", "G0430",
       "'w' has no dimensions to lay out"},
      {"op o(Q: f32[B, (H, G)] layout(B, @H, G)) -> Y: f32 { Y = 1f32 }",
       "G0430", "'Q' has no dimension 'H'"},
      {"op o(W: f32[K] align @24) -> Y: f32 { Y = 1f32 }", "G0108",
       "an alignment is a power of two, 24 is none"},
      {"op o(W: f32[K] align @8192) -> Y: f32 { Y = 1f32 }", "G0108",
       "the alignment must lie in 1 .. 4096"},
      {"op o(W: f32[K] align 16 @align 8) -> Y: f32 { Y = 1f32 }", "G0109",
       "'align' stands twice behind one tensor"},
      {"op o(X: f32[N]) -> Y: f32[N] { assume @finit(X) Y[i] = X[i] }", "G0203",
       "there is no assumption 'finit'; did you mean 'finite'?"},
      {"op o(X: f32[N]) -> Y: f32[N] { Y[i] = X[i] assume finite(@Y) }",
       "G0213", "'Y' is computed: only inputs are assumed finite"},
      {"op o(X: f32[N]) -> Y: f32[N] { assume finite(@T) T[i] = X[i] "
       "Y[i] = T[i] }",
       "G0213", "'T' is computed: only inputs are assumed finite"},
      {"op o(X: f32[N]) -> Y: f32[N] { assume finite(@Z) Y[i] = X[i] }",
       "G0203", "there is no input 'Z'"},
      {"op o(X: i32[N]) -> Y: i32[N] { assume finite(@X) Y[i] = X[i] }",
       "G0306", "'X' is i32, which is always finite"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
}

static std::string withCallee(const std::string &callee,
                              const std::string &caller) {
  return callee + "\n" + caller + "\n";
}

TEST_CASE("calls take leading dimensions of any number") {
  const std::string norm = "op norm(X: f32[..R, N]) -> Y: f32[..R, N] {\n"
                           "  s[r] = sum[j](X[r, j])\n"
                           "  Y[r, j] = X[r, j] / s[r]\n"
                           "}";
  auto program = accept(
      withCallee(norm, "op o(X: f32[A, B, N], v: f32[N], Z: f32[..R, N]) -> "
                       "Y: f32[A, B, N], w: f32[N], U: f32[..R, N] {\n"
                       "  Y = norm(X)\n  w = norm(v)\n  U = norm(Z)\n}"));
  const OpDecl *op = nullptr;
  for (const OpDecl *each : program->ops())
    if (each->name.text == "o")
      op = each;
  REQUIRE(op);
  REQUIRE(op->statements.size() == 6);
  CHECK(op->statements[1]->indices.size() == 3);
  CHECK(op->statements[2]->indices.empty());
  CHECK(op->statements[5]->indices.size() == 2);
}

TEST_CASE("calls that leading dimensions do not allow say why") {
  const std::string callees[] = {
      "op f(X: f32[..R, N]) -> Y: f32[..R, N] { Y[r, j] = X[r, j] * f32(r) }",
      "op f(X: f32[..R, N]) -> Y: f32[N] { Y[j] = sum[r](X[r, j]) }",
      "op f(X: f32[..R, N]) -> Y: f32[..R, N] { Y[r, j] = X[r, j] + "
      "(X[r - 1, j] else 0) }",
      "op f(X: f32[..R, N], s: f32[R]) -> Y: f32[..R, N] { Y[r, j] = X[r, j] * "
      "s[r] }",
      "op f(X: f32[..R, N], Z: f32[..R, N]) -> Y: f32[..R, N] { Y[r, j] = X[r, "
      "j] * Z[r, j] }",
      "op f(Q: f32[(A, B, N)], Z: f32[A, B]) -> Y: f32[A] { Y[a] = (Q[a, 0, "
      "0] else 0) + (Z[a, 0] else 0) }",
  };
  const std::string words[] = {
      "'f' cannot be called with leading dimensions that are not one: the "
      "number of 'r', which runs over '..R', is used here",
      "'f' cannot be called with leading dimensions that are not one: 'r' "
      "reduces over '..R' here",
      "'f' cannot be called with leading dimensions that are not one: '..R' is "
      "indexed by more than an index here",
      "'f' uses the size 'R', which is the product of [A, B] here",
      "the leading dimensions '..R' of 'f' are [] by 'v' and [A, B] by what "
      "stands before it",
      "'f' takes f32[(A, B, N)] for 'Q', 'M' has 2 dimensions",
  };
  const std::string calls[] = {"f(X)",    "f(X)",    "f(X)",
                               "f(X, v)", "f(X, v)", "f(M, M)"};
  for (size_t i = 0; i < std::size(callees); ++i) {
    Checked checked = check(
        withCallee(callees[i], "op o(X: f32[A, B, N], v: f32[N], M: f32[A, B]) "
                               "-> Z: f32[N] {\n  T = " +
                                   calls[i] + "\n  Z[i] = v[i]\n}"));
    INFO(checked.diagnostics.renderText(false));
    REQUIRE_FALSE(checked.program);
    CHECK(checked.diagnostics.all().front().message == words[i]);
  }
}

TEST_CASE("values of tests have the shape of arguments") {
  const std::string op =
      "op o(X: f32[..R, N], Z: f32[..R, N], Q: f32[(H, G)], w: f32[H]) -> "
      "Y: f32[..R, N], P: f32[(G, H)] {\n"
      "  Y[r, j] = X[r, j] + Z[r, j]\n  P[g, h] = Q[h, g] * w[h]\n}\n";
  const std::pair<const char *, const char *> runs[] = {
      {"X = [[1, 2]], Z = [1, 2], Q = [1, 2], w = [1]",
       "'..R' is [] here and [1] there"},
      {"X = 1, Z = [1, 2], Q = [1, 2], w = [1]",
       "'X' has 1 dimension or more, this value has 0"},
      {"X = [1], Z = [2], Q = [1, 2, 3], w = [1, 2]",
       "'Q' has (H, G) elements in dimension 0, with H = 2; this value has 3"},
      {"X = [[1]], Z = random(1), R = 2, Q = [1, 2], w = [1, 2]",
       "'R' is 1 here and 2 there"},
      {"X = [1], Z = [2], Q = random(1), w = [1, 2]",
       "nothing says how large 'G' is"},
  };
  for (auto [run, words] : runs) {
    Checked checked =
        check(op + "test \"t\" { run o(" + run + ") expect Y == fill(0) }\n");
    INFO(run << "\n" << checked.diagnostics.renderText(false));
    REQUIRE_FALSE(checked.program);
    CHECK(checked.diagnostics.all().front().message == words);
  }
  Checked checked =
      check(op + "test \"t\" { run o(X = [[[1], [2]]], Z = random(1), Q = [1, "
                 "2, 3, 4], w = [1, 2]) expect Y == fill(0) expect P == [1, 2, "
                 "3] }\n");
  REQUIRE_FALSE(checked.program);
  CHECK(checked.diagnostics.all().front().message ==
        "'P' has the shape [4] here, this value [3]");
}
