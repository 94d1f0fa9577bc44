//===- StatementGenTest.cpp - parts, domains and conditions in te ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace girih;
using namespace girih::mlirgen;

namespace {

/// Has each of the texts, and reads its own text back.
void hasAll(Generated &generated, const std::vector<std::string> &parts) {
  INFO(generated.text());
  for (const std::string &part : parts) {
    INFO(part);
    CHECK(generated.has(part));
  }
  CHECK(generated.textAgain() == generated.text());
}

} // namespace

TEST_CASE("parts go on from each other") {
  Generated interleave("op o(A: f32[N], B: f32[N]) -> Y: f32[2 * N] {\n"
                       "Y[2 * i] = A[i]\nY[2 * i + 1] = B[i]\n}\n");
  hasAll(interleave,
         {"%0 = te.compute \"Y\" [\"i\"] in [N] : !te.tensor<[2 * N], f32>",
          "te.affine[%arg2] by [2] plus 0",
          "%1 = te.compute \"Y\" [\"i\"] in [N] into %0 :",
          "te.affine[%arg2] by [2] plus 1", "te.return %1"});
  Generated ends("op o(A: f32[N]) -> B: f32[N] where N >= 2 {\n"
                 "B[0] = A[0]\nB[N - 1] = A[N - 1]\n"
                 "B[N - 2 - i] = A[i] where i + 3 <= N\n}\n");
  hasAll(ends,
         {"te.compute \"B\" [] in [] : !te.tensor<[N], f32>",
          "te.affine[] by [] plus N - 1", "te.compute \"B\" [\"i\"] into %1",
          "te.where[%arg1] by [-1] plus N - 3",
          "te.affine[%arg1] by [-1] plus N - 2"});
}

TEST_CASE("an else is a choice, or the definition of the rest") {
  Generated choice("op o(A: f32[N]) -> Y: f32[N] {\n"
                   "Y[i] = A[i - 1] where i >= 1 else 5\n}\n");
  hasAll(choice, {"guarded", "te.compare ge %arg1, %", "te.select"});
  CHECK_FALSE(choice.has("te.where"));
  Generated split("op o(A: f32[N, K]) -> Y: f32[N, N] {\n"
                  "Y[i, j] = sum[k](A[i, k]) where j <= i and i + j < 9 else "
                  "7\n}\n");
  // The rest: j > i, and then j <= i with i + j >= 9.
  hasAll(split, {"te.where[%arg1, %arg2] by [1, -1] plus 0",
                 "te.where[%arg1, %arg2] by [-1, -1] plus 8", "into %0",
                 "te.where[%arg1, %arg2] by [-1, 1] plus -1", "into %1",
                 "te.where[%arg1, %arg2] by [1, 1] plus -9"});
}

TEST_CASE("conditions of reductions cut, or choose what changes nothing") {
  Generated fine("op o(A: f32[N]) -> s: f32 where N >= 1 {\n"
                 "s = sum[k in 1..N : k < 4](A[k])\n}\n");
  // te counts from 0: k is 1 + its index.
  hasAll(fine, {"in [N - 1]", "te.where[%arg1] by [-1] plus 2"});
  struct Case {
    const char *body;
    const char *neutral;
  };
  const Case cases[] = {
      {"s = sum[k : X[k] > 0](X[k] + 1)", "te.constant -0.000000e+00 : f32"},
      {"s = prod[k : X[k] > 0](X[k])", "te.constant 1.000000e+00 : f32"},
      {"s = max[k : X[k] > 0](X[k])", "te.constant 0xFF800000 : f32"},
      {"s = min[k : X[k] > 0](X[k])", "te.constant 0x7F800000 : f32"},
      {"s = f32(sum[k : I[k] > 1](I[k] + 2))", "te.constant 0 : i8"},
      {"s = f32(prod[k : I[k] > 2](I[k]))", "te.constant 1 : i8"},
      {"s = f32(max[k : I[k] > 1](I[k]))", "te.constant -128 : i8"},
      {"s = f32(min[k : I[k] > 1](I[k]))", "te.constant 127 : i8"},
      {"s = f32(max[k : U[k] > 1](U[k]))", "te.constant 0 : ui16"},
      {"s = f32(min[k : U[k] > 1](U[k]))", "te.constant 65535 : ui16"},
      {"s = f32(any[k : X[k] > 0](X[k] > 1))", "te.constant false"},
      {"s = f32(all[k : X[k] > 0](X[k] > 1))", "te.constant true"},
  };
  for (const Case &each : cases) {
    Generated generated("op o(X: f32[N], I: i8[N], U: u16[N]) -> s: f32 {\n" +
                        std::string(each.body) + "\n}\n");
    hasAll(generated, {each.neutral, "te.select"});
  }
}

TEST_CASE("a product that is tested stays one") {
  Generated product("op o(A: f32[N], B: f32[N]) -> s: f32 {\n"
                    "s = sum[k : k % 2 == 0](A[k] * B[k])\n}\n");
  hasAll(product,
         {"te.constant -0.000000e+00 : f32", "te.constant 1.000000e+00 : f32"});
  for (const std::string &term : product.terms())
    CHECK(term.find("fma") != std::string::npos);
}

TEST_CASE("data says where a range ends") {
  Generated ragged("op o(v: f32[E], p: i32[R + 1]) -> Y: f32[R] {\n"
                   "Y[i] = sum[e in p[i]..p[i + 1]](v[e])\n}\n");
  hasAll(ragged, {"in [E]", "te.compare ge %", "te.compare lt %", "i32 to i64",
                  "index to i64"});
  CHECK_FALSE(ragged.has("te.where"));
}
