//===- ParserRefusalTest.cpp - words and places of syntax errors ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

TEST_CASE("refused by the lexer and the parser") {
  const Refusal refusals[] = {
      {"@tensor o() -> s: f32 { s = 1f32 }", "G0103",
       "expected 'const', 'fn', 'op', 'schedule', 'template', 'test' or 'use' "
       "at "
       "the start of an item, "
       "found 'tensor'"},
      {"@cons A: f32 = 1", "G0103",
       "'cons' starts no item; did you mean 'const'?"},
      {"const @: f32 = 1", "G0103", "expected a name after 'const', found ':'"},
      {"const @if: f32 = 1", "G0103",
       "expected a name after 'const', found the keyword 'if'"},
      {"const A @f32 = 1", "G0103",
       "expected ':' after the constant's name, found 'f32'"},
      {"const A: @f33 = 1", "G0203",
       "there is no type 'f33'; did you mean 'f32'?"},
      {"const A: f32 = @", "G0103",
       "expected an expression here, found the end of the file"},
      {"const A: f32 = @1e", "G0102",
       "'e' is not a type that a literal can have"},
      {"const A: f32 = @1.", "G0102", "a number needs digits behind its point"},
      {"const A: f32 = @.5", "G0102", "a number needs digits before its point"},
      {"const A: f32 = @0x1.8", "G0102",
       "a hexadecimal float needs an exponent"},
      {"fn f(x: f32@[N]) -> f32 = x", "G0103",
       "a function takes scalars, not tensors"},
      {"fn f(x: f32) @= x", "G0103",
       "expected '->' before the function's result type, found '='"},
      {"op o(@X: f32[A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q]) -> "
       "s: f32 { s = 0f32 }",
       "G0115", "'X' has 17 dimensions, the limit is 16"},
      {"op o(X: f32[M]) -> s: f32 { s = sum[a, b, c, d, e, f, g, h, k, l](X[a] "
       "* @sum[m, n, o, p, q, r, t, u, v, w, x](X[m])) }",
       "G0115", "21 indices hold in one place, the limit is 20"},
      {"op o(X: f32[M]) @{ }", "G0103",
       "expected '->' before the operator's outputs, found '{'"},
      {"op o(X: f32[@-1]) -> Y: f32 { }", "G0103",
       "expected a size or an integer as a dimension, found '-'"},
      {"op o(X: f32[@99999999999999]) -> Y: f32 { }", "G0108",
       "a dimension must lie in 0 .. 1099511627775"},
      {"op o(X: f32[@1.5]) -> Y: f32 { }", "G0103",
       "a dimension must be a plain integer"},
      {"op o(X: f32[M]) -> Y: f32[M] where M % @0 == 0 { Y[i] = X[i] }",
       "G0108", "the divisor must lie in 1 .. 1099511627776"},
      {"op o(X: f32[M]) -> Y: f32[M] where @8 <= M { Y[i] = X[i] }", "G0407",
       "a constraint starts with its size"},
      {"op o(X: f32[M]) -> Y: f32[M] where M @= 8 { Y[i] = X[i] }", "G0407",
       "expected '%', '<', '<=', '>', '>=' or '==' after the size"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] @== X[i] }", "G0103",
       "a statement defines with '='; '==' compares"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = X[i] @= 2 }", "G0103",
       "'=' cannot follow an expression"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = (X[i] @}", "G0103",
       "expected ')' to close the parenthesis, found '}'"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = X[i] @) }", "G0103",
       "expected a new statement or '}' after the expression, found ')'"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = X[i]@", "G0103",
       "expected a new statement or '}' after the expression, found the end "
       "of the file"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = X[i] t @}", "G0103",
       "expected '=' after 't', found '}'"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = @sum(X[i]) }", "G0103",
       "'sum' needs its indices"},
      {"op o(X: f32[M]) -> s: f32 { s = @sum[](X[i]) }", "G0103",
       "'sum' needs an index to reduce"},
      {"op o(X: f32[M]) -> s: f32 { s = sum[i]@X[i] }", "G0103",
       "expected '(' before the body of 'sum', found 'X'"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = 1 + @if true then 1 else 2 }",
       "G0103", "'if' as an operand needs parentheses"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = if true then X[i] @}", "G0103",
       "expected 'else' before the other value, found '}'"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = exp.@slow(X[i]) }", "G0103",
       "expected 'fast' or 'portable' after '.', found 'slow'"},
      {"op o(X: f32[M]) -> Y: f32[M] {\n Y[i] = if 0 < X[i] @< 1 then 1 else 2 "
       "}",
       "G0110", "comparisons do not chain"},
      {"op o(X: f32[M]) -> Y: f32[M] { Y[i] = X[i] @; }", "G0101",
       "unexpected character ';'"},
      {"op o(X: f32[M]) -> Y: f32[M] {\n Y[i] = X[i]\n @numerics { } }",
       "G0109", "'numerics' must be the first thing in the operator"},
      {"op o(X: f32[M]) -> Y: f32[M] { numerics { functions = fast\n"
       "@functions = fast } Y[i] = X[i] }",
       "G0109", "'functions' is set twice"},
      {"op o(X: f32[M]) -> Y: f32[M] { numerics { @function = fast } }",
       "G0203",
       "there is no numerics licence 'function'; did you mean 'functions'?"},
      {"op o(X: f32[M]) -> Y: f32[M] { numerics { invariant = M, @invariant = "
       "M "
       "} Y[i] = X[i] }",
       "G0109", "'invariant' is set twice"},
      {"op o(X: f32[M]) -> Y: f32[M] { numerics { invariant = @} }", "G0103",
       "expected a size in 'invariant', found '}'"},
      {"op o(X: f32[M]) -> Y: f32[M] { numerics { @invariants = M } }", "G0203",
       "there is no numerics licence 'invariants'; did you mean 'invariant'?"},
      {"op o(X: f32[M, Nrow]) -> Y: f32[M] { numerics { invariant = M, @Nrows "
       "} "
       "Y[i] = X[i, 0] }",
       "G0203", "there is no size 'Nrows'; did you mean 'Nrow'?"},
      {"op o(X: f32[M]) -> Y: f32[M] { numerics { invariant = M, @M } Y[i] = "
       "X[i] }",
       "G0109", "'M' stands in 'invariant' twice"},
      {"op o(X: f32[M]) -> Y: f32[M] { numerics { functions = @slow } }",
       "G0103", "expected 'fast' or 'portable' here, found 'slow'"},
      {"op o(X: f32[M]) -> s: f32 { s = sum[i, order=@tre(4)](X[i]) }", "G0504",
       "there is no order 'tre'; did you mean 'tree'?"},
      {"op o(X: f32[M]) -> s: f32 { s = sum[i, order=lanes(@6, 1)](X[i]) }",
       "G0501", "the number of lanes must be a power of two"},
      {"op o(X: f32[M]) -> s: f32 { s = sum[i, order=lanes(8, 1, "
       "@tree(2))](X[i]) }",
       "G0501", "each lane must be 'seq'"},
      {"op o(X: f32[M]) -> s: f32 { s = sum[i, order=seg(@0, seq)](X[i]) }",
       "G0108", "the segment length must lie in 1 .. 1073741824"},
      {"op o(X: f32[M]) -> s: f32 { s = sum[i, order=seg(4, seq, @tree(2))]"
       "(X[i]) }",
       "G0103", "expected 'm=' in 'seg', found 'tree'"},
      {"op o(X: f32[M]) -> s: f32 { s = sum[i, order=seq@, k](X[i]) }", "G0103",
       "expected ']' after the order clause, found ','"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
}
