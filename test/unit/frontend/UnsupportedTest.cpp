//===- UnsupportedTest.cpp - recognised, and refused for now --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::frontend;

TEST_CASE("the rest of the language is refused by name") {
  const Refusal refusals[] = {
      {"@extern fn f(x: f32) -> f32 = cuda \"file.cu\"", "G0901",
       "an 'extern' function is not supported yet"},
      {"fn f@<type T>(x: T) -> T = x", "G0902",
       "type and const parameters are not supported yet"},
      {"const A: @tf32 = 1", "G0903",
       "tf32 is a precision, not a type of values"},
      {"op o(X: f32[E, E / @E]) -> Y: f32 { Y = 1f32 }", "G0904",
       "a dimension divides sizes by numbers, not by 'E'"},
      {"op o(X: f32[E, @E * E]) -> Y: f32 { Y = 1f32 }", "G0904",
       "a dimension cannot hold 'E * E', a product of two sizes"},
      {"op o(X: f32[E, 1 + @max(E, 2)]) -> Y: f32 { Y = 1f32 }", "G0904",
       "a dimension is a sum of sizes and integers, not 'max(E, 2)'"},
      {"op o(X: f32[M]) -> Y: f32[M] where M @+ 1 < 4 { Y[i] = X[i] }", "G0407",
       "constraints on computed sizes are not supported yet"},
      {"op o(X: f32[M, N]) -> Y: f32[M] where M < @N { Y[i] = X[i, 0] }",
       "G0407", "constraints between two sizes are not supported yet"},
      {"op o(X: f32[M]) -> Y: f32[M] where M % 8 == @1 { Y[i] = X[i] }",
       "G0407", "remainders other than 0 are not supported yet"},
  };
  for (const Refusal &refusal : refusals)
    checkRefusal(refusal);
}

TEST_CASE("statements and expressions that are refused for now") {
  const Refusal bodies[] = {
      {"Y[i, j] @prod= X[i, j]", "G0906",
       "scatter by products ('prod=') is not supported yet"},
      {"@c[B[i]] = X[i, 0]\nY[i, j] = X[i, j]", "G0906",
       "'c' is no output: only outputs are scattered into"},
      {"@c[i32(B[i, 0])] += 1\nY[i, j] = X[i, j]", "G0906",
       "'c' is no output: only outputs are scattered into"},
      {"Y @+= X[0, 0]", "G0906",
       "'Y' has no subscript: what combines with a single value is a "
       "reduction"},
      {"v@, a = X[0, 0]", "G0906",
       "statements that define two tensors are not supported yet"},
      {"Y[i, j] = X[@i * j, j]", "G0907",
       "a subscript cannot hold 'i * j', a product of two indices"},
      {"Y[i, j] = X[i, @N * j]", "G0907",
       "a subscript cannot hold 'N * j', a product of an index and a size"},
      {"Y[i, j] = X[i @/ 2, j]", "G0907",
       "'/' in a subscript is not supported"},
      {"Y[i, j] = X[@:, j]", "G0907", "slices are not supported yet"},
      {"Y[i, j] = X[i, j + N / @M]", "G0907",
       "a subscript divides sizes by numbers, not by 'M'"},
      {"Y[i, j] = sum[k in 0..N / @M](X[i, k])", "G0908",
       "the end of a range divides sizes by numbers, not by 'M'"},
      {"Y[i, j] = sum[k, order=@mma(sm_90, 16)](X[i, k])", "G0909",
       "tensor-core orders ('mma') are not supported yet"},
      {"Y[i, j] = sum[k, l, @order=lanes(4, 1)](X[k, l])", "G0909",
       "'lanes(4, 1)' over several indices is not supported yet"},
  };
  for (const Refusal &refusal : bodies) {
    std::string text = inOp(refusal.text);
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
}
