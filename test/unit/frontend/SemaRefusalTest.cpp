//===- SemaRefusalTest.cpp - words and places of errors of meaning --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

namespace {

/// Like checkRefusal, for a body inside inOp's operator.
void checkBody(const Refusal &refusal, Severity severity = Severity::Error) {
  std::string text = inOp(refusal.text);
  checkRefusal({text.c_str(), refusal.code, refusal.message}, severity);
}

} // namespace

TEST_CASE("refused names") {
  const Refusal files[] = {
      {"const A: f32 = 1\nconst @A: f32 = 2", "G0201", "'A' is defined twice"},
      {"const A: f32 = 1\nfn @A() -> f32 = 2f32", "G0202",
       "'A' names a constant and a function"},
      {"fn @exp(x: f32) -> f32 = x", "G0204",
       "'exp' is the name of a type or a built-in function"},
      {"fn f(@f: f32) -> f32 = 1f32", "G0201",
       "the parameter 'f' has the name of the function"},
      {"const A: f32 = 1\nfn f(@A: f32) -> f32 = A", "G0202",
       "the parameter 'A' has the name of the constant"},
      {"fn f(x: f32, @x: f32) -> f32 = x", "G0201",
       "the parameter 'x' is declared twice"},
      {"fn f(x: f32) -> f32 = @y", "G0203",
       "there is no parameter or constant 'y'"},
      {"fn @f(x: f32) -> f32 = f(x)", "G0211", "the function 'f' calls itself"},
      {"fn @f(x: f32) -> f32 = g(x)\nfn g(x: f32) -> f32 = f(x)", "G0211",
       "the function 'f' calls itself through 'g'"},
      {"const A: f32 = @B\nconst B: f32 = 1", "G0214",
       "the constant 'B' is used above its definition"},
      {"const A: f32 = @C", "G0203", "there is no constant 'C'"},
      {"op o(X: f32[M], @X: f32[M]) -> Y: f32[M] { Y[i] = X[i] }", "G0201",
       "the tensor 'X' is declared twice"},
      {"op o(@K: f32[K]) -> Y: f32[K] { Y[i] = K[i] }", "G0202",
       "'K' names a tensor and a size"},
      {"op o(X: f32[M]) -> @o: f32[M] { o[i] = X[i] }", "G0201",
       "'o' names a tensor and an operator"},
      {"op o(@sum: f32[M]) -> Y: f32[M] { Y[i] = sum[i] }", "G0204",
       "'sum' is the name of a type or a built-in function"},
      {"const N: f32 = 1\nop o(X: f32[@N]) -> Y: f32 { Y = N }", "G0213",
       "the constant 'N' is f32, not a size"},
      {"op o(X: f32[M]) -> @Y: f32[M] { t[i] = X[i] }", "G0207",
       "the output 'Y' is never defined"},
      {"op o(X: f32[M]) -> Y: f32[M] where @L < 4 { Y[i] = X[i] }", "G0203",
       "there is no size 'L'"},
  };
  for (const Refusal &refusal : files)
    checkRefusal(refusal);

  const Refusal bodies[] = {
      {"Y[i, j] = @Z[i, j]", "G0203", "there is no tensor 'Z'"},
      {"Norm[i, j] = X[i, j]\nY[i, j] = @Nrom[i, j]", "G0203",
       "there is no tensor 'Nrom'; did you mean 'Norm'?"},
      {"Y[i, j] = @sillu(X[i, j])", "G0203",
       "there is no function 'sillu'; did you mean 'silu'?"},
      {"Y[i, j] = X[i, @q]", "G0203", "there is no index 'q'"},
      {"Y[i, j] = X[i, j] * @alpha", "G0203", "there is no value 'alpha'"},
      {"Y[i, j] = @T[i, j]\nT[i, j] = X[i, j]", "G0206",
       "'T' is read before it is defined"},
      {"T[i, j] = @Y[i, j]\nY[i, j] = X[i, j] + T[i, j]", "G0206",
       "'Y' is read before it is defined"},
      {"Y[i, j] = X[i, j]\n@Y[i, j] = X[i, j]", "G0205",
       "'Y' is defined twice"},
      {"T[i, j] = X[i, j]\n@T[i, j] = X[i, j]\nY[i, j] = T[i, j]", "G0205",
       "'T' is defined twice"},
      {"@X[i, j] = 1f32\nY[i, j] = X[i, j]", "G0210",
       "'X' is an input and cannot be defined"},
      {"@N[i, j] = X[i, j]\nY[i, j] = X[i, j]", "G0202",
       "'N' names a tensor and a size"},
      {"Y[i, j] = X[i, j] + sum[@i](X[i, j])", "G0212",
       "the index 'i' is in use already"},
      {"Y[i, @i] = X[i, i]", "G0403",
       "the index 'i' runs over N here and over M there"},
      {"Y[i, j] = sum[k, @k](X[i, k])", "G0212",
       "the index 'k' is in use already"},
      {"Y[i, j] = sum[@N](X[i, j])", "G0202", "'N' names an index and a size"},
      {"Y[i, @B] = X[i, B]", "G0202", "'B' names an index and a tensor"},
      {"T[i, j] = sum[@u](X[i, u])\nu = 1f32\nY[i, j] = T[i, j]", "G0202",
       "'u' names an index and a tensor"},
      {"Y[i, @max] = X[i, max]", "G0204",
       "'max' is the name of a type or a built-in function"},
      {"Y[i, j] = X[i, @N]", "G0405",
       "cannot prove that N lies inside a dimension of size N"},
      {"Y[i, j] = @N[i, j]", "G0213", "the size 'N' is not a tensor"},
      {"Y[i, j] = @N(X[i, j])", "G0213", "the size 'N' is not a function"},
      {"Y[i, j] = @X(i, j)", "G0213", "the tensor 'X' is not a function"},
      {"Y[i, j] = X[i, j] + @exp", "G0213",
       "the function 'exp' is not a value"},
      {"Y[i, j] = X[i, j] + @o", "G0213", "the operator 'o' is not a value"},
  };
  for (const Refusal &refusal : bodies)
    checkBody(refusal);
}

TEST_CASE("refused types") {
  const Refusal files[] = {
      {"fn f(x: f32) -> bf16 = @x", "G0303",
       "'f' is declared to give bf16, its value is f32"},
      {"fn f(x: f32) -> f32 = @1", "G0302",
       "'1' has no operand beside it to take its type from"},
      {"fn f(x: f32) -> f32 = x + @sum[i](x)", "G0308",
       "a function is scalar: it cannot hold a reduction"},
      {"fn f(x: f32) -> f32 = x + @T[0]", "G0308",
       "a function computes from its parameters only: it reads no tensors"},
      {"fn f(x: f32) -> f32 = x\nop o(X: bf16) -> Y: f32 { Y = f(@X) }",
       "G0301", "'f' takes f32 here, this argument is bf16"},
      {"const A: f32 = 1\nconst B: bf16 = 2 * @A", "G0301",
       "this is f32 in a constant of type bf16"},
      {"const A: f32 = @sqrt(2f32)", "G0309",
       "this cannot stand in a constant's value"},
      {"const A: f32 = @1 / 0", "G0310", "division by zero in a constant"},
      {"const A: f32 = @inf - inf", "G0310",
       "inf and nan cannot be computed with in a constant"},
      {"const A: f16 = @65520", "G0304",
       "this value is too large for f16, whose largest value is 65504"},
      {"const A: f32 = @1e2000", "G0304",
       "'1e2000' is too large for f32, whose largest value is "
       "3.4028234663852886e+38"},
  };
  for (const Refusal &refusal : files)
    checkRefusal(refusal);

  const Refusal bodies[] = {
      {"Y[i, j] = @X[i, j] * B[i, j]", "G0301",
       "the operands of '*' have different types: f32 and bf16"},
      {"Y[i, j] = @f32(B[i, j]) + 1f64", "G0301",
       "the operands of '+' have different types: f32 and f64"},
      {"Y[i, j] = max(@X[i, j], B[i, j])", "G0301",
       "the arguments of 'max' have different types: f32 and bf16"},
      {"Y[i, j] = if true then @X[i, j] else B[i, j]", "G0301",
       "the two sides of 'if' have different types: f32 and bf16"},
      {"Y[i, j] = if @X[i, j] > i then 1f32 else 0", "G0301",
       "the operands of '>' have different types: f32 and index"},
      {"Y[i, j] = @B[i, j]", "G0303",
       "'Y' is declared f32, this value is bf16"},
      {"Y[i, j] = @X[i, j] > 0", "G0303",
       "'Y' is declared f32, this value is bool"},
      {"Y[i, j] = @i", "G0303", "'Y' is declared f32, this value is index"},
      {"Y[i, j] = @0", "G0302",
       "'0' has no operand beside it to take its type from"},
      {"Y[i, j] = X[i, j] * exp(@2)", "G0302",
       "'2' has no operand beside it to take its type from"},
      {"Y[i, j] = if @1 < 2 then X[i, j] else 0", "G0302",
       "'1' has no operand beside it to take its type from"},
      {"Y[i, j] = X[i, j] + @1e39", "G0304",
       "'1e39' is too large for f32, whose largest value is "
       "3.4028234663852886e+38"},
      {"Y[i, j] = if @X[i, j] then 1f32 else 0", "G0306",
       "the condition of 'if' needs a boolean, this is f32"},
      {"Y[i, j] = if @1 then 1f32 else 0", "G0306",
       "the number '1' where a boolean is needed"},
      {"Y[i, j] = if not @X[i, j] then 1f32 else 0", "G0306",
       "'not' needs a boolean, this is f32"},
      {"Y[i, j] = @(X[i, j] > 0) + (X[i, j] > 1)", "G0306",
       "'+' needs numbers, this is bool"},
      {"Y[i, j] = if @true < false then 1f32 else 0", "G0306",
       "'<' compares numbers, not booleans"},
      {"Y[i, j] = if i < @0.5 then 1f32 else 0", "G0306",
       "beside an index stands an integer, not '0.5'"},
      {"Y[i, j] = sum[k](@X[i, k] > 0)", "G0306",
       "'sum' needs numbers, this is bool"},
      {"T[i, j] = @i\nY[i, j] = X[i, j]", "G0306",
       "an index is not a tensor's element"},
      {"Y[i, j] = @exp(X[i, j], X[i, j])", "G0307",
       "'exp' takes 1 argument, this call gives 2"},
      {"Y[i, j] = @fma(X[i, j])", "G0307",
       "'fma' takes 3 arguments, this call gives 1"},
      {"Y[i, j] = @sqrt.fast(X[i, j])", "G0311",
       "'sqrt' has one accuracy only: it is exactly rounded"},
      {"Y[i, j] = @silu.fast(X[i, j])", "G0311",
       "'silu' is no function with a choice of accuracy"},
  };
  for (const Refusal &refusal : bodies)
    checkBody(refusal);
}

TEST_CASE("refused shapes and ranges") {
  const Refusal bodies[] = {
      {"Y[i, j] = @X[i]", "G0401",
       "'X' has 2 dimensions, this read gives 1 subscript"},
      {"Y[i, j] = @X", "G0401",
       "'X' has 2 dimensions and needs as many subscripts"},
      {"@Y[i] = sum[k](X[i, k])", "G0401",
       "'Y' has 2 dimensions, this statement gives 1 index"},
      {"T[i, @j] = sum[k](X[i, k])\nY[i, j] = T[i, j]", "G0402",
       "nothing says how far the index 'j' runs"},
      {"Y[i, j] = X[i, j] + sum[@k](1f32)", "G0402",
       "nothing says how far the index 'k' runs"},
      {"T[i] = X[i, @0]\nY[i, j] = T[i]", "G0405",
       "cannot prove that 0 lies inside a dimension of size N"},
  };
  for (const Refusal &refusal : bodies)
    checkBody(refusal);
  checkBody({"Y[i, j] = X[i, j] + X[j, @i]", "G0403",
             "the index 'i' runs over N here and over M there"});

  checkRefusal({"op o(X: f32[M, 4]) -> Y: f32[M] { Y[i] = X[i, @4] }", "G0404",
                "4 lies outside a dimension of size 4"});
  checkRefusal({"op o(X: f32[0]) -> Y: f32 { Y = X[@0] }", "G0404",
                "0 lies outside a dimension of size 0"});
  checkRefusal({"op o(X: f32[M]) -> Y: f32[@P] { Y[i] = 1f32 }", "G0406",
                "no input says how large 'P' is"});
}

TEST_CASE("refused orders") {
  checkBody({"Y[i, j] = sum[k, order=@tree(4)](X[i, k])", "G0502",
             "'tree' needs a constant extent, 'k' runs over N"});
  checkRefusal({"op o(X: f32[M, 30]) -> Y: f32[M] {\n"
                "Y[i] = sum[k, order=@tree(4)](X[i, k]) }",
                "G0502", "tree(4) cannot split 30 elements evenly"});
  // The last segment is short: 64 = 3 * 20 + 4.
  checkRefusal({"op o(X: f32[M, 64]) -> Y: f32[M] {\n"
                "Y[i] = sum[k, order=seg(20, @tree(5))](X[i, k]) }",
                "G0502", "tree(5) cannot split 4 elements evenly"});
  checkRefusal({"op o(X: f32[M, 64]) -> Y: f32[M] {\n"
                "Y[i] = sum[k, order=seg(20, seq, m=@tree(3))](X[i, k]) }",
                "G0502", "tree(3) cannot split 4 elements evenly"});
}

TEST_CASE("an error of extents shows both places") {
  Checked checked = check("op o(X: f32[M, 30]) -> Y: f32[M] {\n"
                          "Y[i] = sum[k, order=tree(4)](X[i, k]) }");
  REQUIRE(checked.diagnostics.all().size() == 1);
  const Diagnostic &d = checked.diagnostics.all()[0];
  REQUIRE(d.notes.size() == 1);
  CHECK(d.notes[0].message == "this fixes 'k' to 30");
  CHECK(
      checked.diagnostics.file()->lineColumn(d.notes[0].range->begin).column ==
      35);
}

TEST_CASE("one fault is reported once") {
  for (const char *body : {"T[i, j] = Z[i, j]\nY[i, j] = T[i, j] + T[i, j]",
                           "Y[i, j] = X[i, j] + X[j, i] + X[j, i]",
                           "Y[i, j] = exp(exp(Q[i, j] + 1) * 2)",
                           "T[i, N] = X[i, N]\nY[i, j] = X[i, j]"}) {
    Checked checked = check(inOp(body));
    INFO(checked.diagnostics.renderText(false));
    size_t count = checked.diagnostics.all().size();
    CHECK(count == (std::string(body).find("X[j, i]") != std::string::npos
                        ? 2u // i and j each
                        : 1u));
  }
}

TEST_CASE("warnings do not refuse") {
  const auto warning = Severity::Warning;
  checkRefusal({"op o(X: f32[M], @Z: f32[M]) -> Y: f32[M] { Y[i] = X[i] }",
                "G0208", "the input 'Z' is never read"},
               warning);
  checkRefusal({"op o(X: f32[M]) -> Y: f32[M] { @t[i] = X[i]\nY[i] = X[i] }",
                "G0209", "'t' is defined and never read"},
               warning);
  checkRefusal({"op o(X: f32[M]) -> Y: f32[M] { Y[i] = X[i] + @1e-60 }",
                "G0305", "'1e-60' rounds to zero in f32"},
               warning);
  checkRefusal({"op o(X: f32[M]) -> s: f32 {\n"
                "s = max[i, @order=sequential](X[i]) }",
                "G0503",
                "'max' gives the same bits in any order: the clause has no "
                "effect"},
               warning);
}

TEST_CASE("a literal alone is offered the type of what is defined") {
  auto help = [](const char *text) {
    Checked checked = check(text);
    REQUIRE_FALSE(checked.diagnostics.all().empty());
    const Diagnostic &first = checked.diagnostics.all().front();
    CHECK(first.code == "G0302");
    return first.helps.at(0);
  };
  CHECK(help("op o(X: f32[N]) -> Y: i16[N] { Y[i] = 0 }") ==
        "write it with its type: 0i16");
  CHECK(help("op o(X: f32[N]) -> Y: i16[N] { Y[i] = 0.5 }") ==
        "write it with its type: 0.5f32");
  CHECK(help("op o(X: f32[N]) -> Y: bool[N] { Y[i] = 0 }") ==
        "write it with its type: 0f32");
}
