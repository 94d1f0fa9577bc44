//===- Programs.cpp - programs that tests of the middle use ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/Programs.h"

using namespace girih::test;

static std::vector<Program> makePrograms() {
  const std::vector<Sizes> kPlane = {{{"M", 0}, {"N", 3}},
                                     {{"M", 2}, {"N", 0}},
                                     {{"M", 1}, {"N", 1}},
                                     {{"M", 3}, {"N", 1030}}};
  const std::vector<Sizes> kProduct = {{{"M", 0}, {"N", 3}, {"K", 2}},
                                       {{"M", 3}, {"N", 2}, {"K", 0}},
                                       {{"M", 130}, {"N", 9}, {"K", 17}},
                                       {{"M", 5}, {"N", 131}, {"K", 33}}};
  return {
      {"row_sum", exampleText("row_sum"), 1, kPlane},
      {"softmax", exampleText("softmax"), 1, kPlane},
      {"swiglu", exampleText("swiglu"), 1, kPlane},
      {"ffn_silu", exampleText("ffn_silu"), 1, kProduct},
      {"whole_sum",
       exampleText("whole_sum"),
       2,
       {{{"N", 0}}, {{"N", 1}}, {{"N", 70001}}}},
      {"two products",
       "op f(A: f32[M, K], B: f32[K, N], C: f32[N, L]) -> Y: f32[M, L] {\n"
       "  T[i, j] = sum[k](A[i, k] * B[k, j])\n"
       "  Y[i, l] = sum[j](T[i, j] * C[j, l])\n}\n",
       2,
       {{{"M", 0}, {"N", 1}, {"K", 1}, {"L", 1}},
        {{"M", 3}, {"N", 0}, {"K", 2}, {"L", 2}},
        {{"M", 65}, {"N", 18}, {"K", 20}, {"L", 129}}}},
      {"product, then softmax",
       "op f(A: f32[M, K], B: f32[K, N]) -> Y: f32[M, N] {\n"
       "  T[i, j] = sum[k](A[i, k] * B[k, j])\n"
       "  m[i] = max[j](T[i, j])\n"
       "  P[i, j] = exp(T[i, j] - m[i])\n"
       "  s[i] = sum[j](P[i, j])\n"
       "  Y[i, j] = P[i, j] / s[i]\n}\n",
       2,
       {{{"M", 2}, {"N", 0}, {"K", 2}}, {{"M", 3}, {"N", 130}, {"K", 18}}}},
      {"product with bias, transposed weights",
       "op f(A: bf16[M, K], W: bf16[N, K], b: f32[N]) -> Y: bf16[M, N] {\n"
       "  Y[i, j] = bf16(sum[k](f32(A[i, k]) * f32(W[j, k])) + b[j])\n}\n",
       1, kProduct},
      {"batched product",
       "op f(A: f32[B, M, K], W: f32[B, K, N]) -> Y: f32[B, M, N] {\n"
       "  Y[b, i, j] = sum[k](A[b, i, k] * W[b, k, j])\n}\n",
       1,
       {{{"B", 0}, {"M", 2}, {"N", 2}, {"K", 2}},
        {{"B", 2}, {"M", 3}, {"N", 130}, {"K", 17}}}},
      {"matrix times vector",
       "op f(A: f32[M, K], x: f32[K]) -> y: f32[M] {\n"
       "  y[i] = sum[k](A[i, k] * x[k])\n}\n",
       1,
       {{{"M", 2}, {"K", 0}}, {{"M", 3}, {"K", 517}}}},
      {"column sum",
       "op f(X: f32[M, N]) -> Y: f32[N] {\n  Y[j] = sum[i](X[i, j])\n}\n",
       2,
       {{{"M", 0}, {"N", 3}},
        {{"M", 2}, {"N", 0}},
        {{"M", 70}, {"N", 33}},
        {{"M", 4099}, {"N", 2}}}},
      {"sum, then elementwise",
       "op f(X: f32[M, N]) -> Y: f32[M, N] {\n"
       "  s[i] = sum[k](X[i, k])\n  Y[i, j] = X[i, j] / s[i]\n}\n",
       1, kPlane},
      {"tree order",
       "op f(X: f32[M, 64]) -> Y: f32[M] {\n"
       "  Y[i] = sum[k, order=tree(8, seq)](X[i, k])\n}\n",
       2,
       {{{"M", 0}}, {{"M", 3}}}},
      {"segments in segments",
       "op f(X: f32[M, N]) -> Y: f32[M] {\n  Y[i] = sum[k, order=seg(12, "
       "seg(5, seq), m = lanes(4, 1))](X[i, k])\n}\n",
       3,
       {{{"M", 2}, {"N", 0}}, {{"M", 3}, {"N", 67}}}},
      {"sequential order",
       "op f(X: f32[M, N]) -> Y: f32[M] {\n"
       "  Y[i] = sum[k, order=sequential](X[i, k])\n}\n",
       1,
       {{{"M", 2}, {"N", 0}}, {{"M", 130}, {"N", 21}}}},
      {"sequential columns",
       "op f(X: f32[M, N]) -> Y: f32[N] {\n"
       "  Y[j] = sum[i, order=sequential](X[i, j])\n}\n",
       1,
       {{{"M", 2}, {"N", 0}}, {{"M", 21}, {"N", 130}}}},
      {"several indices in order",
       "op f(X: f32[M, N, K]) -> Y: f32[M] {\n"
       "  Y[i] = sum[j, k, order=sequential](X[i, j, k])\n}\n",
       1,
       {{{"M", 2}, {"N", 0}, {"K", 3}}, {{"M", 130}, {"N", 5}, {"K", 11}}}},
      {"neighbours and their neighbours",
       "op f(X: f32[M, N]) -> Y: f32[M, N] {\n"
       "  T[i, j] = (X[i - 1, j] else 0) + (X[i + 1, j] else 0) - X[i, j]\n"
       "  Y[i, j] = (T[i, j - 1] else 1) * (T[i, N - 1 - j] + T[i, j])\n}\n",
       1,
       {{{"M", 0}, {"N", 3}}, {{"M", 1}, {"N", 1}}, {{"M", 3}, {"N", 1030}}}},
      {"strided windows",
       "op f(X: f32[2 * M + K, N], W: f32[K + 1]) -> Y: f32[M, N] {\n"
       "  Y[i, j] = sum[r](X[2 * i + r, j] * W[r])\n}\n",
       2,
       {{{"M", 0}, {"N", 3}, {"K", 0}},
        {{"M", 3}, {"N", 2}, {"K", 4}},
        {{"M", 9}, {"N", 131}, {"K", 1}}}},
      {"windows over a temporary, summed from its second element",
       "op f(X: f32[N + 2]) -> s: f32[N] where N >= 1 {\n"
       "  T[i] = X[i] * X[i + 2]\n"
       "  s[i] = T[i] + sum[k in 1..N](T[k - 1] * T[N - k])\n}\n",
       4,
       {{{"N", 1}}, {{"N", 2}}, {{"N", 300}}}},
      {"read across rows",
       "op f(X: f32[M, M]) -> Y: f32[M, M] {\n"
       "  H[i, j] = exp(X[i, j])\n"
       "  s[i] = sum[k](H[i, k])\n"
       "  Y[i, j] = H[j, i] / s[j]\n}\n",
       2,
       {{{"M", 0}}, {{"M", 1}}, {{"M", 40}}}},
      {"whole sum, then elementwise",
       "op f(X: f32[N]) -> Y: f32[N] {\n"
       "  s = sum[i](X[i])\n  Y[i] = X[i] / s\n}\n",
       3,
       {{{"N", 0}}, {{"N", 3000}}}},
      {"rows, columns and their difference",
       "op f(X: f32[M, N]) -> Y: f32[M], Z: f32[N], W: f32[M, N] {\n"
       "  Y[i] = sum[j](X[i, j])\n"
       "  Z[j] = max[i](X[i, j])\n"
       "  W[i, j] = X[i, j] - Y[i] + Z[j]\n}\n",
       4,
       {{{"M", 1}, {"N", 1}}, {{"M", 9}, {"N", 35}}}},
      {"layer norm",
       "op f(X: f16[M, N]) -> Z: f16[M, N] {\n"
       "  mean[i] = sum[j](f32(X[i, j])) / f32(N)\n"
       "  v[i] = sum[j]((f32(X[i, j]) - mean[i]) * (f32(X[i, j]) - mean[i])) / "
       "f32(N)\n"
       "  Z[i, j] = f16((f32(X[i, j]) - mean[i]) / sqrt(v[i] + 0.00001))\n}\n",
       1,
       {{{"M", 2}, {"N", 37}}}},
      {"three dimensions",
       "op f(X: f32[B, M, N]) -> Y: f32[B, M, N] {\n"
       "  m[b, i] = max[j](X[b, i, j])\n"
       "  Y[b, i, j] = X[b, i, j] - m[b, i]\n}\n",
       1,
       {{{"B", 2}, {"M", 3}, {"N", 70}}}},
      {"f64 rows and their maximum",
       "op f(X: f64[M, N]) -> y: f64 {\n"
       "  r[i] = sum[j](X[i, j])\n  y = max[i](r[i])\n}\n",
       3,
       {{{"M", 0}, {"N", 2}}, {{"M", 5}, {"N", 70}}}},
      {"scalars",
       "op f(X: f32[N], Y: f32[N]) -> d: f32, e: f32 {\n"
       "  d = sum[i](X[i] * Y[i])\n  e = d * 2\n}\n",
       2,
       {{{"N", 0}}, {{"N", 2051}}}},
      {"sum of sums",
       "op f(X: f32[M, N, K]) -> Y: f32[M] {\n"
       "  Y[i] = sum[j, k](X[i, j, k])\n}\n",
       2,
       {{{"M", 2}, {"N", 0}, {"K", 3}}, {{"M", 2}, {"N", 5}, {"K", 19}}}},
      {"maximum of trees",
       "op f(X: f32[M, N, 16]) -> Y: f32[M] {\n"
       "  S[i, j] = sum[k, order=tree(4)](X[i, j, k])\n"
       "  Y[i] = max[j](S[i, j])\n}\n",
       3,
       {{{"M", 2}, {"N", 0}}, {{"M", 3}, {"N", 5}}}},
      {"a reduction under another's result",
       "op f(X: f32[M, N], Z: f32[M, N, K]) -> S: f32[M, N] {\n"
       "  m[i] = max[j](X[i, j])\n"
       "  S[i, j] = sum[k](Z[i, j, k] - m[i])\n}\n",
       2,
       {{{"M", 2}, {"N", 3}, {"K", 0}}, {{"M", 2}, {"N", 5}, {"K", 19}}}},
  };
}

const std::vector<Program> &girih::test::programs() {
  static const std::vector<Program> list = makePrograms();
  return list;
}
