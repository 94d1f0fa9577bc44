//===- DerivedSizesTest.cpp - sizes that other sizes say ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

namespace {

/// `where` behind an operator that pools H elements into OH.
std::string pool(const std::string &where, const std::string &body) {
  return "op pool<const S: i32 = 2, const P: i32 = 1>(X: f32[H]) -> Y: "
         "f32[OH]\n"
         "    where " +
         where + " {\n  " + body + "\n}\n";
}

const OpDecl &opOf(const Program &program) { return *program.ops().at(0); }

std::string sizesOf(const OpDecl &op) {
  std::string text;
  for (const auto &derived : op.derived)
    text += (text.empty() ? "" : "; ") + derived->name.text + " = (" +
            spelling(derived->numerator) + ") / " +
            std::to_string(derived->divisor);
  return text;
}

} // namespace

TEST_CASE("a definition is one quotient of a sum") {
  const std::pair<const char *, const char *> definitions[] = {
      {"OH = (H + 2 * P - 3) / S + 1", "OH = (H + 1) / 2"},
      {"OH = floordiv(H - 1, S) + 1", "OH = (H + 1) / 2"},
      {"OH = 1 + H / 2 / 3", "OH = (H + 6) / 6"},
      {"OH = (2 * H + 3) / 4", "OH = (H + 1) / 2"},
      {"OH = H + 2 * P", "OH = (H + 2) / 1"},
      {"OH = (H - 3) / P + 1", "OH = (H - 2) / 1"},
      {"OH = 3 * (H / 2)", "H / 2 = (H) / 2; OH = (3 * (H / 2)) / 1"},
      {"OH = H / 2 + H / 3", "H / 3 = (H) / 3; OH = (H + 2 * (H / 3)) / 2"},
      {"Q = H / 2, OH = Q + 1", "Q = (H) / 2; OH = (Q + 1) / 1"},
  };
  for (auto [definition, expected] : definitions) {
    INFO(definition);
    auto program = accept(pool(definition, "Y[i] = 1f32"));
    std::string text = sizesOf(opOf(*program));
    CHECK(text == expected);
  }
}

TEST_CASE("what a definition says is known to the proofs") {
  accept(pool("OH = (H + 2 * P - 3) / S + 1",
              "Y[i] = max[k in 0..3](if S * i + k - P >= 0 and S * i + k - P < "
              "H then X[S * i + k - P] else 0)"));
  accept(pool("OH = (H - 3) / S + 1", "Y[i] = sum[k in 0..3](X[S * i + k])"));
  accept(pool("OH = (H - 1) / 2 + 1", "Y[i] = X[2 * i]"));
  accept(pool("OH = H - 2, H >= 2", "Y[i] = X[i + 2]"));
  checkRefusal({"op o(X: f32[H]) -> Y: f32[OH] where OH = H / 2 + 1 {\n"
                "  Y[i] = X[@2 * i]\n}",
                "G0405",
                "cannot prove that 2 * i lies inside a dimension of size H"});
}

TEST_CASE("a quotient in the text is a size") {
  const char *bodies[] = {
      "Y[t, i] = X[t, i + D / 2]\n  Y[t, i + D / 2] = X[t, i] where i < D / 2",
      "Y[t, i] = X[t, i + D / 2] where i < D / 2\n"
      "  Y[t, i + (D + 2) / 2 - 1] = X[t, i] where i < D / 2",
  };
  for (const char *body : bodies)
    accept(std::string("op o(X: f32[T, D]) -> Y: f32[T, D] where D % 2 == 0 "
                       "{\n  ") +
           body + "\n}");
  accept("op o(X: f32[D], C: f32[D / 2]) -> Y: f32[D / 2] {\n"
         "  Y[i] = X[i] * C[i] + sum[k in 0..D / 2](X[k + D / 2])\n}");
  accept("op o(X: f32[D], C: f32[h]) -> Y: f32[D] where h = D / 2, D % 2 == 0 "
         "{\n  Y[i] = X[i] * C[i] - X[i + h]\n  Y[i + h] = X[i] * C[i]\n}");
  // Odd sizes leave an element out.
  checkRefusal({"op o(X: f32[D]) -> Y: f32[D] {\n"
                "  Y[i] = X[i] where i < D / 2\n"
                "  @Y[i + D / 2] = X[i] where i < D / 2\n}",
                "G0442",
                "element Y[0] (with D = 1, D / 2 = 0) of the output is never "
                "defined"});
}

TEST_CASE("quotients print as they are read") {
  std::string text = "op o(X: f32[D], Z: f32[D / 2]) -> Y: f32[OH + 2]\n"
                     "    where OH = 3 * (D / 2), D >= 2 {\n"
                     "  Y[i] = X[i - 2 * (D / 2)] else 0\n"
                     "}\n";
  auto program = accept(text);
  CHECK(printAst(program->file) == text);
}

TEST_CASE("a call says what the callee's sizes are") {
  std::string half =
      "op half(X: f32[H]) -> Y: f32[OH] where OH = (H + 1) / 2 {\n"
      "  Y[i] = X[2 * i]\n}\n";
  auto check = [&](const std::string &caller, const char *sizes) {
    auto program = accept(half + caller);
    const OpDecl *op = program->findOp("two");
    REQUIRE(op);
    CHECK(sizesOf(*op) == sizes);
  };
  check("op two(X: f32[N]) -> Y: f32[Q] where Q = (N + 1) / 2 {\n"
        "  Y = half(X)\n}\n",
        "Q = (N + 1) / 2");
  check("op two(X: f32[N]) -> Y: f32[Q] where Q = (N + 3) / 4 {\n"
        "  T = half(X)\n  Y = half(T)\n}\n",
        "Q = (N + 3) / 4; (N + 1) / 2 = (N + 1) / 2; ((N + 1) / 2 + 1) / 2 = "
        "((N + 1) / 2 + 1) / 2");
  check("op two(X: f32[2 * N]) -> Y: f32[N] {\n  Y = half(X)\n}\n", "");
}

TEST_CASE("what is no definition of a size is refused") {
  const Refusal refusals[] = {
      {"op o(X: f32[H]) -> Y: f32[Q] where Q = H / @0 { Y[i] = 1f32 }", "G0432",
       "a size is divided by a number from 1 to 65535, not by '0'"},
      {"op o(X: f32[H, W]) -> Y: f32[Q] where Q = H / @W { Y[i] = 1f32 }",
       "G0432", "a size is divided by a number from 1 to 65535, not by 'W'"},
      {"op o(X: f32[H, W]) -> Y: f32[Q] where Q = @H * W { Y[i] = 1f32 }",
       "G0432",
       "a size's definition cannot hold 'H * W', a product of two sizes"},
      {"op o(X: f32[H]) -> Y: f32[Q] where Q = @H % 2 { Y[i] = 1f32 }", "G0432",
       "a size's definition holds sizes and integers, not 'H % 2'"},
      {"op o(X: f32[H]) -> Y: f32[Q] where Q = H + @1.5 { Y[i] = 1f32 }",
       "G0432", "a size's definition needs plain integers"},
      {"op o(X: f32[H]) -> Y: f32[Q] where Q = @Q + H { Y[i] = 1f32 }", "G0432",
       "'Q' stands in its own definition"},
      {"op o(X: f32[H]) -> Y: f32[Q] where Q = @R + 1, R = H / 2 { Y[i] = 1f32 "
       "}",
       "G0432", "'R' is defined behind 'Q', which uses it"},
      {"op o(X: f32[H]) -> Y: f32[Q] where Q = @99999 * H { Y[i] = 1f32 }",
       "G0432",
       "a size's definition has a number of 2^40 or a factor of 2^16 or more"},
      {"op o(X: f32[H]) -> Y: f32[Q] where Q = H @// 2\n { Y[i] = 1f32 }",
       "G0432", "'//' starts a comment, which ends the size"},
      {"op o(X: f32[H]) -> Y: f32[Q] where Q = H / 2, @Q = H / 3 { Y[i] = 1f32 "
       "}",
       "G0201", "the size 'Q' is defined twice"},
      {"op o(X: f32[Height]) -> Y: f32[Q] where Q = @Heigt / 2 { Y[i] = 1f32 }",
       "G0203", "there is no size 'Heigt'; did you mean 'Height'?"},
      {"op o(X: f32[@E / 2]) -> Y: f32 { Y = 1f32 }", "G0406",
       "no input says how large 'E' is"},
      {"op o<const @Q: i32 = 1>(X: f32[H]) -> Y: f32[H] where Q = H / 2 { Y[i] "
       "= X[i] }",
       "G0202", "'Q' names a parameter and a size"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
  // A comment that is none of that.
  accept("op o(X: f32[H]) -> Y: f32[Q] where Q = H / 2 // rounds down\n"
         " { Y[i] = X[2 * i] }");
}

TEST_CASE("constraints that no size keeps") {
  const Refusal refusals[] = {
      {"op f(X: f32[N]) -> Y: f32[N] where N >= 5, @N <= 3 {\n"
       "Y[i] = X[i + 100] }",
       "G0407", "no sizes keep all constraints: N >= 5, N <= 3"},
      {"op f(X: f32[N]) -> Y: f32[M] where M = N / 2, M == 7, @N == 3 {\n"
       "Y[i] = X[i] }",
       "G0407", "no sizes keep all constraints: M == 7, N == 3"},
      // A dimension has 0 elements or more.
      {"op f(X: f32[N - 4]) -> Y: f32[N - 4] where @N < 4 { Y[i] = X[i] }",
       "G0407", "no sizes keep all constraints: N < 4"}};
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
  accept("op f(X: f32[N]) -> Y: f32[N] where N >= 3, N <= 3, N % 3 == 0 {\n"
         "Y[i] = X[i] }");
}

TEST_CASE("sizes that no other size says") {
  auto sizeOf = [](const std::string &text) {
    auto program = accept(text);
    const OpDecl *op = program->ops()[0];
    op = op->instance ? op->instance : op;
    REQUIRE(op->derived.size() == 1);
    CHECK(op->derived[0]->numerator.isConstant());
    CHECK(op->derived[0]->divisor == 1);
    return op->derived[0]->numerator.constant;
  };
  CHECK(sizeOf("op o<const E: i32 = 4>(X: f32[M]) -> Y: f32[M, N] where N = E {"
               " Y[i, j] = X[i] }") == 4);
  CHECK(sizeOf("const E: i32 = 7\nop o(X: f32[M]) -> Y: f32[M, N] where N = (2 "
               "* E + 1) / 4 { Y[i, j] = X[i] * f32(N) }") == 3);
  CHECK(sizeOf("op o() -> Y: f32[N] where N == 5 { Y[i] = f32(i) }") == 5);
  CHECK(
      sizeOf("op o(X: f32[M]) -> Y: f32[M, N] where N == 5, M > 2 { Y[i, j] = "
             "X[i] }") == 5);
  // What an input shows is a constraint.
  auto program = accept("op o(X: f32[N]) -> Y: f32[N] where N == 5 { Y[i] = "
                        "X[i] }");
  CHECK(program->ops()[0]->derived.empty());
  Checked checked = check("op o(X: f32[M]) -> Y: f32[M, N] { Y[i, j] = X[i] }");
  CHECK(checked.diagnostics.renderText(false).find(
            "use a size of an input, or a constant; or say it: where N == 4, "
            "where N = E with a parameter or constant E") != std::string::npos);
  checked =
      check("op o(X: f32[M]) -> Y: f32[M, N] where N = 4 { Y[i, j] = X[i] "
            "}");
  CHECK(checked.diagnostics.renderText(false).find(
            "write 'N == 4', which says how large N is") != std::string::npos);
  checked =
      check("op o<const E: i32 = 4>(X: f32[M]) -> Y: f32[M, N] where N == "
            "E { Y[i, j] = X[i] }");
  CHECK(checked.diagnostics.renderText(false).find(
            "a size that a parameter or other sizes say is defined by one '=': "
            "N = E") != std::string::npos);
}
