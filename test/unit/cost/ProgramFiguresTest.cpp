//===- ProgramFiguresTest.cpp - published figures, from programs ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs with their schedules, as they are compiled: the figures come from
// the trees that become kernels.
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/Machine.h"
#include "test/unit/cost/ProgramModel.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace girih;
using namespace girih::test;
using cost::Plan;

namespace {

constexpr double kMiB = 1024 * 1024;

std::string gemmText(int rows, int columns) {
  std::string tile = std::to_string(rows) + ", " + std::to_string(columns);
  return R"(
op product(A: bf16[M, K], W: bf16[K, N]) -> C: bf16[M, N] {
  C[i, j] = bf16(sum[k](f32(A[i, k]) * f32(W[k, j])))
}
schedule product {
  tile C.i, C.j by )" +
         tile + R"( -> io, jo, ii, ji
  map io, jo to grid
  split C.k by 32 -> ko, ki
  stage A, W in shared at C.ko
}
)";
}

} // namespace

TEST_CASE("A: a product with its schedule", "[cost][figures]") {
  struct Row {
    int rows, columns;
    double a, w, total;
  };
  const Row rows[] = {{32, 32, 3072, 3072, 6168},
                      {64, 64, 1536, 1536, 3096},
                      {64, 128, 768, 1536, 2328},
                      {128, 128, 768, 768, 1560}};
  for (const Row &row : rows) {
    INFO(row.rows << " x " << row.columns);
    ProgramModel model = modelOf(gemmText(row.rows, row.columns));
    Plan plan = model.at({{"M", 1024}, {"K", 4096}, {"N", 12288}});
    REQUIRE(plan.kernels.size() == 1);
    const cost::KernelCost &kernel = plan.kernels[0];
    CHECK(kernel.matrixFlops == 103079215104.0);
    CHECK(kernel.find("A")->readBytes == row.a * kMiB);
    CHECK(kernel.find("W")->readBytes == row.w * kMiB);
    CHECK(plan.bytes() == row.total * kMiB);
    CHECK(kernel.isExact());
    CHECK(peakLiveBytes(plan) == 128 * kMiB);
    // Ragged neighbours, tile by tile.
    for (auto [m, k, n] : {std::array<double, 3>{1000, 4100, 12200},
                           std::array<double, 3>{1030, 4064, 12300}}) {
      plan =
          model.at({{"M", int64_t(m)}, {"K", int64_t(k)}, {"N", int64_t(n)}});
      CHECK(plan.kernels[0].find("A")->readBytes ==
            2 * m * k * std::ceil(n / row.columns));
      CHECK(plan.kernels[0].find("W")->readBytes ==
            2 * k * n * std::ceil(m / row.rows));
      CHECK(plan.writtenBytes() == 2 * m * n);
      CHECK(plan.kernels[0].blocks ==
            std::ceil(m / row.rows) * std::ceil(n / row.columns));
    }
  }
}

TEST_CASE("A: an activation behind the tile", "[cost][figures]") {
  const std::string op = R"(
op act(A: bf16[M, K], W: bf16[K, N]) -> Y: bf16[M, N] {
  C[i, j] = bf16(sum[k](f32(A[i, k]) * f32(W[k, j])))
  Y[i, j] = bf16(silu(f32(C[i, j])))
}
)";
  ProgramModel fused = modelOf(op);
  ProgramModel apart = modelOf(op + R"(
schedule act {
  tile C.i, C.j by 128, 128 -> io, jo, ii, ji
  map io, jo to grid
  split C.k by 16 -> ko, ki
  stage A, W in shared at C.ko
  map Y.i to grid
}
)");
  for (int64_t m : {1024, 1000, 1100}) {
    std::vector<std::pair<std::string, int64_t>> sizes{
        {"M", m}, {"K", 4096}, {"N", 12288}};
    Plan one = fused.at(sizes), two = apart.at(sizes);
    CHECK(one.kernels.size() == 1);
    CHECK(two.kernels.size() == 2);
    // C is written and read once more.
    CHECK(two.bytes() - one.bytes() == 2 * 2.0 * m * 12288);
    if (m == 1024)
      CHECK(two.bytes() - one.bytes() == 48 * kMiB);
  }
}

namespace {

/// silu(G) U, then to one byte; T and Z in memory where kernels are apart.
std::string chainText(const std::string &schedule) {
  return R"(
op chain(G: bf16[M, N], U: bf16[M, N], s: f32) -> Q: f8e4m3fn[M, N] {
  T[i, j] = bf16(silu(f32(G[i, j])))
  Z[i, j] = bf16(f32(T[i, j]) * f32(U[i, j]))
  Q[i, j] = f8e4m3fn(f32(Z[i, j]) * s)
}
schedule chain exact {
)" + schedule +
         R"(
}
)";
}

/// Loops of one kernel, for its first statement.
std::string rows(const std::string &first) {
  return "  split " + first + ".j by 1024 -> " + first + "o, " + first +
         "1\n  split " + first + "1 by 4 -> " + first + "t, " + first +
         "v\n  map " + first + "t to thread\n  vectorize " + first +
         "v\n  map " + first + ".i, " + first + "o to grid\n";
}

} // namespace

TEST_CASE("E: a chain of elementwise operators", "[cost][figures]") {
  struct Row {
    std::string schedule;
    size_t kernels;
    double traffic;
  };
  const Row cases[] = {{rows("T") + rows("Z") + rows("Q"), 3, 156},
                       {"  fuse T, Z at T.j\n" + rows("T") + rows("Q") +
                            "  place T in registers\n",
                        2, 108},
                       {"  fuse Z, Q at Z.j\n" + rows("T") + rows("Z") +
                            "  place Z in registers\n",
                        2, 108},
                       {"  fuse T, Z, Q at T.j\n" + rows("T") +
                            "  place T in registers\n  place Z in registers\n",
                        1, 60}};
  for (const Row &row : cases) {
    INFO(row.schedule);
    ProgramModel model = modelOf(chainText(row.schedule));
    Plan plan = model.at({{"M", 1024}, {"N", 12288}});
    CHECK(plan.kernels.size() == row.kernels);
    // Beside the tensors each thread reads the factor: one element a tile.
    double factor = 0;
    for (const cost::KernelCost &kernel : plan.kernels)
      if (const cost::TensorTraffic *s = kernel.find("s"))
        factor += s->readBytes;
    CHECK(plan.bytes() - factor == row.traffic * kMiB);
    double peak = row.kernels == 1 ? 60 : 72;
    CHECK(std::abs(peakLiveBytes(plan) - peak * kMiB) < 8);
    for (auto [m, n] : {std::pair<double, double>{1000, 12300},
                        std::pair<double, double>{1025, 12280}}) {
      plan = model.at({{"M", int64_t(m)}, {"N", int64_t(n)}});
      // In units of an element: T, Z and Q read and write 2, 2 and 1 or 2
      // bytes.
      double expected = m * n * (row.traffic / 12);
      double read = 0;
      for (const cost::KernelCost &kernel : plan.kernels)
        if (const cost::TensorTraffic *s = kernel.find("s"))
          read += s->readBytes;
      CHECK(plan.bytes() - read == expected);
    }
  }
}

TEST_CASE("J: arithmetic of programs", "[cost][figures]") {
  // One addition for each f32 read.
  ProgramModel sum = modelOf(R"(
op total(X: f32[N]) -> s: f32 { s = sum[i](X[i]) }
)");
  for (int64_t n : {int64_t(1) << 24, int64_t(1000003)}) {
    Plan plan = sum.at({{"N", n}});
    double x = plan.kernels[0].find("X")->readBytes;
    CHECK(x == 4.0 * n);
    CHECK(plan.kernels[0].otherFlops / x == Approx(0.25));
  }
  // 2 B H' W' K^2 Cin Cout.
  ProgramModel conv = modelOf(R"(
op conv(X: f32[B, H + R - 1, W + S - 1, C], F: f32[R, S, C, K])
    -> Y: f32[B, H, W, K] {
  Y[b, h, w, k] = sum[r, s, c](X[b, h + r, w + s, c] * F[r, s, c, k])
}
)");
  for (int64_t h : {14, 13, 17}) {
    Plan plan = conv.at({{"B", 2},
                         {"H", h},
                         {"W", 12},
                         {"R", 3},
                         {"S", 3},
                         {"C", 8},
                         {"K", 16}});
    CHECK(plan.kernels[0].flops() == 2.0 * 2 * h * 12 * 9 * 8 * 16);
  }
  // An attention layer: 4 S^2 d for scores and values, 8 S d^2 for the four
  // projections.
  ProgramModel layer = modelOf(R"(
op layer(X: f32[B, S, D], WQ: f32[D, D], WK: f32[D, D], WV: f32[D, D],
         WO: f32[D, D]) -> Y: f32[B, S, D] {
  Q[b, i, d] = sum[e](X[b, i, e] * WQ[e, d])
  K[b, i, d] = sum[e](X[b, i, e] * WK[e, d])
  V[b, i, d] = sum[e](X[b, i, e] * WV[e, d])
  A[b, i, j] = sum[d](Q[b, i, d] * K[b, j, d])
  m[b, i] = max[j](A[b, i, j])
  P[b, i, j] = exp(A[b, i, j] - m[b, i])
  z[b, i] = sum[j](P[b, i, j])
  O[b, i, d] = sum[j](P[b, i, j] * V[b, j, d]) / z[b, i]
  Y[b, i, d] = sum[e](O[b, i, e] * WO[e, d])
}
)");
  for (double s : {64.0, 60.0, 72.0}) {
    double d = 32, b = 3, flops = 0;
    for (const cost::Product &product :
         layer.products({{"B", 3}, {"S", int64_t(s)}, {"D", 32}}))
      flops += 2 * product.m * product.n * product.k;
    CHECK(flops == b * (4 * s * s * d + 8 * s * d * d));
  }
  // Shapes that broadcast: (32, 1, 64) with (1, 128, 64).
  ProgramModel wide = modelOf(R"(
op wide(A: f32[M, K], B: f32[N, K]) -> C: f32[M, N, K] {
  C[i, j, k] = A[i, k] + B[j, k]
}
)");
  for (int64_t n : {128, 127, 130}) {
    Plan plan = wide.at({{"M", 32}, {"N", n}, {"K", 64}});
    CHECK(plan.writtenBytes() == 4.0 * 32 * n * 64);
    CHECK(plan.kernels[0].find("A")->readFootprint == 4.0 * 32 * 64);
    CHECK(plan.kernels[0].find("B")->readFootprint == 4.0 * n * 64);
  }
}

TEST_CASE("the model's fixed costs", "[cost]") {
  // A softmax of rows: the model's bytes are those of its tree at any size. Of
  // rows of any length X is read for the maximum, for the sum and for Y, which
  // computes the exponentials again.
  ProgramModel softmax = modelOf(R"(
op softmax(X: f32[M, N]) -> Y: f32[M, N] {
  m[i] = max[j](X[i, j])
  P[i, j] = exp(X[i, j] - m[i])
  s[i] = sum[j](P[i, j])
  Y[i, j] = P[i, j] / s[i]
}
)");
  for (int64_t n : {1000, 1023, 40000}) {
    Plan plan = softmax.at({{"M", 5}, {"N", n}});
    double tensor = 4.0 * 5 * n;
    CHECK(plan.kernels.size() == 1);
    CHECK(plan.kernels[0].blocks == 5);
    CHECK(plan.kernels[0].find("Y")->writtenBytes == tensor);
    CHECK(plan.kernels[0].find("X")->readBytes == 3 * tensor);
    CHECK(plan.kernels[0].isExact());
  }
}
