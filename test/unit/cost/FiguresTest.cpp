//===- FiguresTest.cpp - published figures, from the model ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each figure comes out of the functions of the model, given extents; at other
// sizes nearby it is compared with a walk over tiles that is written here. What
// ordinary programs with their schedules give stands in ProgramFiguresTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/Machine.h"
#include "compiler/cost/PlainTile.h"
#include "compiler/cost/Roofline.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace girih;
using namespace girih::cost;
using target::findTarget;
using target::GpuTarget;
using target::MatrixType;

namespace {

constexpr double kKiB = 1024, kMiB = 1024 * 1024;

double rounded(double value, int digits) {
  double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale;
}

/// The product's operands, tile by tile.
struct GemmWalk {
  double a = 0, w = 0, c = 0;
};
GemmWalk walkGemm(const GemmTile &g) {
  GemmWalk sum;
  for (int64_t i = 0; i < g.m; i += g.rows)
    for (int64_t j = 0; j < g.n; j += g.columns) {
      int64_t rows = std::min(g.rows, g.m - i),
              columns = std::min(g.columns, g.n - j);
      for (int64_t k = 0; k < g.k; k += g.step) {
        int64_t step = std::min(g.step, g.k - k);
        sum.a += double(rows * step * g.aBytes);
        sum.w += double(step * columns * g.wBytes);
      }
      sum.c += double(rows * columns * g.cBytes);
    }
  return sum;
}

void checkGemm(const GemmTile &g) {
  KernelCost cost = costOf(describe(g));
  GemmWalk walk = walkGemm(g);
  CHECK(cost.find("A")->readBytes == walk.a);
  CHECK(cost.find("W")->readBytes == walk.w);
  CHECK(cost.find("C")->writtenBytes == walk.c);
  CHECK(cost.matrixFlops == 2.0 * double(g.m) * double(g.n) * double(g.k));
}

} // namespace

TEST_CASE("A: one product in tiles", "[cost][figures]") {
  const GpuTarget h100 = *findTarget("h100");
  struct Row {
    int64_t rows, columns;
    double local, a, w, total, intensity, cap;
  };
  const Row rows[] = {{32, 32, 8, 3072, 3072, 6168, 15.9, 5},
                      {64, 64, 24, 1536, 1536, 3096, 31.7, 11},
                      {64, 128, 44, 768, 1536, 2328, 42.2, 14},
                      {128, 128, 80, 768, 768, 1560, 63.0, 21}};
  for (const Row &row : rows) {
    INFO(row.rows << " x " << row.columns);
    GemmTile gemm{1024, 12288, 4096, row.rows, row.columns, 32};
    gemm.sumsInShared = true;
    KernelCost cost = costOf(describe(gemm));
    CHECK(cost.matrixFlops == 103079215104.0);
    CHECK(cost.find("A")->readFootprint == 8 * kMiB);
    CHECK(cost.find("W")->readFootprint == 96 * kMiB);
    CHECK(cost.find("C")->writtenFootprint == 24 * kMiB);
    CHECK(cost.localBytes() == row.local * kKiB);
    CHECK(cost.find("A")->readBytes == row.a * kMiB);
    CHECK(cost.find("W")->readBytes == row.w * kMiB);
    CHECK(cost.bytes() == row.total * kMiB);
    Roofline roof =
        rooflineOf(cost.flops(), cost.bytes(),
                   h100.matrixOf(MatrixType::Bf16)->flops, h100.dramBandwidth);
    // Published with the second digit cut off.
    CHECK(std::floor(10 * roof.intensity) / 10 == row.intensity);
    CHECK(rounded(roof.ridge, 0) == 295);
    CHECK(rounded(100 * roof.cap(), 0) == row.cap);
    CHECK(roof.isMemoryBound());
    // Neighbours, with ragged tiles.
    for (auto [m, n, k] : {std::array<int64_t, 3>{1000, 12200, 4100},
                           std::array<int64_t, 3>{1056, 12416, 4064}})
      checkGemm({m, n, k, row.rows, row.columns, 32});
  }
}

TEST_CASE("A: blocks resident on an SM of sm_120", "[cost][figures]") {
  const GpuTarget card = *findTarget("rtxpro6000");
  auto resident = [&](int64_t tile, int64_t slots) {
    GemmTile gemm{1024, 12288, 4096, tile, tile, 32};
    gemm.sumsInShared = true;
    gemm.slots = slots;
    KernelCost cost = costOf(describe(gemm));
    return std::pair(cost.sharedBytes(), residency(cost, card).resident);
  };
  CHECK(resident(64, 1) == std::pair<int64_t, unsigned>(24 * 1024, 4));
  CHECK(resident(128, 1) == std::pair<int64_t, unsigned>(80 * 1024, 1));
  CHECK(resident(64, 2) == std::pair<int64_t, unsigned>(32 * 1024, 3));
  CHECK(resident(128, 2) == std::pair<int64_t, unsigned>(96 * 1024, 1));
  // Beyond the limit of one block nothing is.
  CHECK(resident(160, 1).second == 0);
  for (int64_t tile : {48, 96}) {
    auto [bytes, blocks] = resident(tile, 1);
    CHECK(bytes == 2 * tile * 32 * 2 + 4 * tile * tile);
    CHECK(blocks == 102400 / (bytes + 1024));
  }
}

TEST_CASE("a tile that is too large", "[cost]") {
  const GpuTarget h200 = *findTarget("h200");
  GemmTile gemm{8192, 8192, 8192, 256, 256, 128};
  gemm.slots = 4;
  KernelCost cost = costOf(describe(gemm));
  CHECK(cost.sharedBytes() == 524288);
  CHECK(h200.maxSharedBytesPerBlock == 232448);
  CHECK(residency(cost, h200).resident == 0);
  gemm.slots = 1;
  CHECK(residency(costOf(describe(gemm)), h200).blocksByShared == 1);
}

TEST_CASE("B: residency and latency on an H100 SM", "[cost][figures]") {
  const GpuTarget h100 = *findTarget("h100");
  GemmTile gemm{1024, 12288, 4096, 128, 128, 64};
  gemm.threads = 256;
  gemm.registers = 128;
  gemm.sumsInShared = true;
  KernelCost cost = costOf(describe(gemm));
  CHECK(cost.sharedBytes() == 96 * 1024);
  target::Occupancy blocks = residency(cost, h100);
  CHECK(blocks.blocksByThreads == 8);
  CHECK(blocks.blocksByRegisters == 2);
  CHECK(blocks.blocksByShared == 2);
  CHECK(blocks.blocksBySlots == 32);
  CHECK(blocks.resident == 2);
  CHECK(blocks.bound == "registers and shared memory");
  CHECK(blocks.resident * warpsOf(cost, h100) == 16);
  CHECK(occupancyOf(cost, h100) == 0.25);

  // Sums in registers instead: 64 of them a thread more.
  gemm.sumsInShared = false;
  gemm.registers = 64;
  PlainTile moved = describe(gemm);
  int64_t words = 0;
  for (const Buffer &buffer : moved.buffers)
    if (!buffer.isShared)
      words += buffer.bytes() / 4 / gemm.threads;
  CHECK(words == 64);
  moved.registers += unsigned(words);
  blocks = residency(costOf(moved), h100);
  CHECK(moved.registers == 128);
  CHECK(blocks.blocksByShared >= 6);
  CHECK(costOf(moved).sharedBytes() == 32 * 1024);
  CHECK(blocks.blocksByRegisters == 2);
  CHECK(blocks.bound == "registers");

  gemm = {1024, 12288, 4096, 64, 64, 64};
  gemm.sumsInShared = true;
  gemm.registers = 128;
  cost = costOf(describe(gemm));
  CHECK(cost.sharedBytes() == 32 * 1024);
  CHECK(residency(cost, h100).blocksByShared >= 6);
  CHECK(residency(cost, h100).blocksByRegisters == 2);
  cost.registers = 64;
  CHECK(residency(cost, h100).blocksByRegisters == 4);
  // Neighbours: 96 and 112 rows.
  for (int64_t rows : {96, 112}) {
    gemm = {1024, 12288, 4096, rows, 128, 64};
    gemm.sumsInShared = true;
    cost = costOf(describe(gemm));
    int64_t bytes = (rows * 64 + 64 * 128) * 2 + rows * 128 * 4;
    CHECK(cost.sharedBytes() == bytes);
    CHECK(residency(cost, h100).blocksByShared == 233472 / (bytes + 1024));
  }
}

TEST_CASE("B: bytes in flight", "[cost][figures]") {
  GpuTarget h100 = *findTarget("h100");
  REQUIRE(h100.memoryLatency == 600e-9);
  InFlight flight = inFlight(h100, 2, 8, 4, 16);
  CHECK(rounded(flight.needed / 1e3, 1) == 15.2);
  CHECK(flight.available == 32 * kKiB);
  CHECK(rounded(flight.cover(), 2) == 2.15);
  CHECK(flight.blocksNeeded == 1);
  CHECK(flight.warpsNeeded == 8);
  h100.memoryLatency = 1000e-9;
  flight = inFlight(h100, 2, 8, 2, 16);
  CHECK(rounded(flight.needed / 1e3, 1) == 25.4);
  CHECK(flight.available == 16 * kKiB);
  CHECK(rounded(flight.cover(), 2) == 0.65);
  CHECK(flight.warpsNeeded == 25);
  CHECK(flight.blocksNeeded == 4);
  for (unsigned loads : {3u, 5u}) {
    flight = inFlight(h100, 3, 4, loads, 8);
    CHECK(flight.available == 3.0 * 4 * loads * 32 * 8);
    CHECK(flight.warpsNeeded ==
          std::ceil(3.35e12 * 1e-6 / 132 / (loads * 32 * 8)));
  }
}

TEST_CASE("B: matrix instructions and the pipeline", "[cost][figures]") {
  const GpuTarget h100 = *findTarget("h100");
  const target::MatrixRate mma =
      *findTarget("a100")->matrixOf(MatrixType::Bf16);
  REQUIRE((mma.m == 16 && mma.n == 8 && mma.k == 16));
  MatrixCount instructions = matrixInstructions(mma, 128, 128, 64, 8);
  CHECK(instructions.instructions == 512);
  CHECK(instructions.perWarp == 64);
  CHECK(instructions.waste == 0);
  CHECK(matrixInstructions(mma, 128, 120, 64, 8).instructions == 480);
  CHECK(matrixInstructions(mma, 130, 128, 64, 8).instructions == 9 * 16 * 4);

  GemmTile step{128, 128, 64, 128, 128, 64};
  KernelCost cost = costOf(describe(step));
  double copy = copyTimeOf(h100, cost.readBytes());
  double compute = computeTimeOf(h100, MatrixType::Bf16, cost.matrixFlops);
  CHECK(cost.readBytes() == 32 * kKiB);
  CHECK(rounded(copy * 1e6, 2) == 1.29);
  CHECK(rounded(compute * 1e6, 2) == 0.28);
  CHECK(rounded(pipelineTime(4, copy, compute, 1) * 1e6, 2) == 6.28);
  CHECK(rounded(pipelineTime(4, copy, compute, 2) * 1e6, 2) == 5.44);
  CHECK(pipelineTime(4, copy, compute, 3) == pipelineTime(4, copy, compute, 2));
  CHECK(pipelineTime(0, copy, compute, 2) == 0);
  for (int64_t steps : {3, 7}) {
    // Two machines, one behind the other.
    double copied = 0, computed = 0;
    for (int64_t s = 0; s < steps; ++s) {
      copied += copy;
      computed = std::max(computed, copied) + compute;
    }
    CHECK(pipelineTime(steps, copy, compute, 2) == Approx(computed));
  }
}

TEST_CASE("C: banks", "[cost][figures]") {
  auto layout = [](const char *text) {
    std::string why;
    return *layout::parseLayout(text, why);
  };
  layout::Layout row = layout("[32, 32] r(32@0:1) t(32@1:1)"),
                 column = layout("[32, 32] r(32@1:1) t(32@0:1)");
  CHECK(wavefronts(laneOffsets(row, 4, 0, false), 4) == 1);
  CHECK(wavefronts(laneOffsets(column, 4, 0, false), 4) == 32);
  CHECK(wavefronts(laneOffsets(column, 4, 1, false), 4) == 1);
  CHECK(wavefronts(laneOffsets(column, 4, 0, true), 4) == 1);
  CHECK(wavefronts(laneOffsets(row, 4, 0, true), 4) == 1);
  Buffer plain{"T", {32, 32}, 4}, padded{"T", {32, 32}, 4};
  padded.rowPadding = 1;
  CHECK(plain.bytes() == 4096);
  CHECK(padded.bytes() == 4224);
  CHECK(rounded(100.0 * padded.bytes() / plain.bytes() - 100, 1) == 3.1);
  // Neighbours: pitches by the banks that they meet.
  for (int64_t padding : {2, 4, 8, 16}) {
    unsigned worst = 0;
    std::array<unsigned, 32> banks{};
    for (int64_t lane = 0; lane < 32; ++lane)
      worst = std::max(worst, ++banks[lane * (32 + padding) % 32]);
    CHECK(wavefronts(laneOffsets(column, 4, padding, false), 4) == worst);
  }
}

namespace {

/// RMSNorm of rows, in one piece or in `parts`.
Plan rmsNorm(int64_t rows, int64_t columns, int64_t parts) {
  auto use = [](const char *tensor, unsigned bytes, bool isWrite,
                std::vector<std::string> along,
                std::vector<std::string> again = {}) {
    return PlainTile::Use{tensor, bytes, isWrite, along, again};
  };
  int64_t part = columns / parts;
  PlainTile norm;
  norm.name = "scale";
  norm.loops = {{"i", rows, 1, true}, {"j", columns, part, parts > 1}};
  norm.uses = {use("X", 2, false, {"i", "j"}),
               use("gamma", 2, false, {"j"}, {"i"}),
               use("Y", 2, true, {"i", "j"})};
  norm.buffers = {{"row", {part}, 4, false}};
  Plan plan;
  if (parts > 1) {
    PlainTile sums = norm, merge = norm;
    sums.name = "sums";
    sums.uses = {use("X", 2, false, {"i", "j"}),
                 use("partial", 4, true, {"i", "p"})};
    sums.loops.push_back({"p", parts, 1});
    sums.loops[1].isGrid = true;
    merge.name = "merge";
    merge.loops = {{"i", rows, 1, true}, {"p", parts, parts}};
    merge.uses = {use("partial", 4, false, {"i", "p"}),
                  use("factor", 4, true, {"i"})};
    norm.uses.push_back(use("factor", 4, false, {"i"}, {"j"}));
    plan.kernels = {costOf(sums), costOf(merge)};
  }
  plan.kernels.push_back(costOf(norm));
  return plan;
}

} // namespace

TEST_CASE("D: a row in one piece or in eight", "[cost][figures]") {
  Plan whole = rmsNorm(1024, 4096, 1), split = rmsNorm(1024, 4096, 8);
  CHECK(whole.bytes() == 24 * kMiB);
  CHECK(whole.kernels.size() == 1);
  CHECK(whole.kernels[0].localBytes() == 16 * kKiB);
  CHECK(split.kernels.size() == 3);
  CHECK(split.kernels[0].blocks == 8192);
  CHECK(split.kernels[0].find("partial")->writtenBytes == 32 * kKiB);
  CHECK(split.kernels[1].find("factor")->writtenBytes == 4 * kKiB);
  CHECK(rounded(split.bytes() / kMiB, 1) == 32.1);
  CHECK(split.kernels[2].localBytes() == 2 * kKiB);
  for (int64_t rows : {1000, 1100}) {
    double x = double(rows) * 4096 * 2;
    CHECK(rmsNorm(rows, 4096, 1).bytes() == 3 * x);
    CHECK(rmsNorm(rows, 4096, 8).bytes() ==
          4 * x + double(rows) * 4 * (8 + 8 + 1 + 8));
  }
}

TEST_CASE("E: ways to cut a chain", "[cost][figures]") {
  CHECK(waysToCut(10) == 512);
  CHECK(waysToCut(3) == 4);
  CHECK(waysToCut(1) == 1);
}

TEST_CASE("F: attention in local memory", "[cost][figures]") {
  const GpuTarget card = *findTarget("rtxpro6000");
  REQUIRE(card.maxSharedBytesPerBlock == 101376);
  struct Row {
    int64_t keys, slots, queries, passes;
    double traffic;
    int64_t updates;
  };
  const Row rows[] = {{1, 1, 128, 64, 260, 524288},
                      {64, 1, 82, 100, 404, 12800},
                      {128, 1, 53, 155, 624, 9920},
                      {64, 2, 66, 125, 504, 16000}};
  std::vector<double> times;
  const target::MatrixRate &rate = *card.matrixOf(MatrixType::Bf16);
  for (const Row &row : rows) {
    INFO(row.keys << " keys, " << row.slots << " slots");
    AttentionTile tile{8192, 128, 0, row.keys};
    tile.keySlots = row.slots;
    tile.queries = mostQueries(tile, card.maxSharedBytesPerBlock);
    CHECK(tile.queries == row.queries);
    KernelCost cost = costOf(describe(tile));
    CHECK(cost.blocks == double(row.passes));
    CHECK(cost.bytes() == row.traffic * kMiB);
    CHECK(cost.find("Q")->readBytes == 2 * kMiB);
    CHECK(stateUpdates(tile) == row.updates);
    CHECK(cost.sharedBytes() == 2 * tile.queries * 128 +
                                    row.slots * 2 * row.keys * 128 +
                                    4 * tile.queries * row.keys +
                                    4 * tile.queries * 128 + 12 * tile.queries);
    // Time: the products with what the instructions' shapes waste.
    MatrixCount scores =
                    matrixInstructions(rate, tile.queries, row.keys, 128, 8),
                values =
                    matrixInstructions(rate, tile.queries, 128, row.keys, 8);
    KernelCost done = cost;
    done.usesMatrixUnit = true;
    done.matrixFlops = 2.0 * double(scores.instructions + values.instructions) *
                       rate.m * rate.n * rate.k * double(row.updates);
    times.push_back(timeOf(done, card).total());
  }
  // Least traffic is not least time.
  CHECK(times[0] > times[1]);
  CHECK(times[0] > times[2]);
  for (int64_t length : {8000, 8448}) {
    AttentionTile tile{length, 128, 82, 64};
    double passes = std::ceil(double(length) / 82);
    CHECK(costOf(describe(tile)).bytes() ==
          passes * 4 * double(length) * 128 + 4 * double(length) * 128);
    CHECK(stateUpdates(tile) == passes * std::ceil(double(length) / 64));
  }
}

namespace {

/// A quantised by rows to e4m3 and multiplied, in one kernel or two.
struct Quantised {
  double a = 0, rest = 0;
  double total() const { return a + rest; }
};
enum class How { Apart, Fused, Prefix };
Quantised quantised(int64_t m, int64_t k, int64_t n, How how) {
  GemmTile gemm{m, n, k, 128, 128, 64};
  gemm.aBytes = how == How::Apart ? 1 : 2;
  gemm.wBytes = 1;
  KernelCost product = costOf(describe(gemm));
  PlainTile rows;
  rows.loops = {{"i", m, 1, true}, {"k", k, k}};
  rows.uses = {{"A", 2, false, {"i", "k"}, {}}};
  if (how == How::Apart)
    rows.uses.push_back({"A8", 1, true, {"i", "k"}, {}});
  Quantised result;
  result.a = product.find("A")->readBytes;
  result.rest = product.find("W")->readBytes + product.find("C")->writtenBytes;
  // The row's scale is known after all of the row; a prefix's is not it.
  if (how != How::Prefix)
    result.a += costOf(rows).bytes();
  return result;
}

} // namespace

TEST_CASE("G: quantise, then multiply", "[cost][figures]") {
  Quantised apart = quantised(4096, 4096, 1536, How::Apart),
            fused = quantised(4096, 4096, 1536, How::Fused),
            prefix = quantised(4096, 4096, 1536, How::Prefix);
  CHECK(apart.a == 240 * kMiB);
  CHECK(apart.rest == 204 * kMiB);
  CHECK(apart.total() == 444 * kMiB);
  CHECK(fused.a == 416 * kMiB);
  CHECK(fused.total() == 620 * kMiB);
  CHECK(rounded(100 * (fused.total() / apart.total() - 1), 0) == 40);
  CHECK(prefix.total() == 588 * kMiB);
  for (int64_t m : {4000, 4224}) {
    double a = double(m) * 4096, tiles = 12,
           rest = 6 * kMiB * std::ceil(double(m) / 128) + double(m) * 1536 * 2;
    CHECK(quantised(m, 4096, 1536, How::Apart).total() ==
          3 * a + a * tiles + rest);
    CHECK(quantised(m, 4096, 1536, How::Fused).total() ==
          2 * a + 2 * a * tiles + rest);
  }
}

TEST_CASE("J: rooflines", "[cost][figures]") {
  GpuTarget a100 = *findTarget("a100");
  CHECK(rounded(ridgePoint(*findTarget("h100"), MatrixType::Bf16), 0) == 295);
  CHECK(rounded(ridgePoint(*findTarget("b200"), MatrixType::Bf16), 0) == 281);
  // The published figure is of 2 TB/s, the data sheet says 2.039.
  CHECK(rounded(ridgePoint(a100, MatrixType::Bf16), 0) == 153);
  a100.dramBandwidth = 2e12;
  CHECK(rounded(ridgePoint(a100, MatrixType::Bf16), 0) == 156);
  // Products of n x n: each operand once; with beta, C is read as well.
  for (int64_t n : {64, 63, 80}) {
    GemmTile gemm{n, n, n, n, n, n};
    PlainTile tile = describe(gemm);
    KernelCost cost = costOf(tile);
    CHECK(cost.flops() / cost.bytes() == Approx(n / 3.0));
    tile.uses.push_back({"C", 2, false, {"i", "j"}, {}});
    cost = costOf(tile);
    CHECK(cost.flops() / cost.bytes() == Approx(n / 4.0));
    if (n == 64) {
      CHECK(rounded(costOf(describe(gemm)).flops() /
                        costOf(describe(gemm)).bytes(),
                    1) == 21.3);
    }
  }
}

TEST_CASE("lower bounds", "[cost]") {
  const GpuTarget h200 = *findTarget("h200");
  Plan plan;
  plan.kernels = {costOf(describe(GemmTile{1024, 12288, 4096, 128, 128, 32}))};
  plan.tensors = {{"A", 8 * kMiB, Plan::Tensor::Role::Input},
                  {"W", 96 * kMiB, Plan::Tensor::Role::Input},
                  {"C", 24 * kMiB, Plan::Tensor::Role::Output}};
  LowerBound bound = lowerBound(plan, {{1024, 12288, 4096, 2}}, h200);
  CHECK(bound.compulsory == 128 * kMiB);
  CHECK(bound.atCapacity == Approx(2 * 2.0 * 1024 * 12288 * 4096 /
                                       std::sqrt(localCapacity(h200) / 2) +
                                   24 * kMiB));
  CHECK(bound.bytes() == std::max(bound.compulsory, bound.atCapacity));
  // Registers and shared memory of 132 multiprocessors.
  CHECK(localCapacity(h200) == 132 * (65536.0 * 4 + 233472));
  CHECK(peakLiveBytes(plan) == 128 * kMiB);
}
