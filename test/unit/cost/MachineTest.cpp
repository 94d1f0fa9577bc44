//===- MachineTest.cpp - the model's figures by themselves ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/Machine.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::cost;
using target::findTarget;

TEST_CASE("raster: fewer bytes in near-squares", "[cost]") {
  // 8 x 8 tiles, 16 at a time. Row after row of 8: two rows and all columns.
  CHECK(rasterBytes(8, 8, 16, 1, 1, 1) == 4 * (2 + 8));
  CHECK(rasterBytes(8, 8, 16, 4, 1, 1) == 4 * (4 + 4));
  CHECK(bestRaster(8, 8, 16, 1, 1) == 4);
  // All at once: everything once.
  CHECK(rasterBytes(8, 8, 64, 1, 1, 1) == 16);
  CHECK(bestRaster(8, 8, 64, 1, 1) == 1);
  CHECK(rasterBytes(0, 8, 64, 1, 1, 1) == 0);
}

TEST_CASE("waves and their tails", "[cost]") {
  const target::GpuTarget h200 = *findTarget("h200");
  // Tiles of 128 x 256 for M 512, N 12288: 192 blocks on 132 places.
  Waves waves = wavesOf(4 * 48, placesOf(h200, 1));
  CHECK(waves.whole == 2);
  CHECK(waves.efficiency == Approx(192.0 / 264));
  CHECK(placesOf(h200, 1, 2) == 132);
  CHECK(placesOf(h200, 1, 4) == 120); // 30 clusters of 4
  // 57 rows of tiles of 7239 are padded to 58 by a cluster of 2 rows.
  CHECK(wavesOf(57 * 48, placesOf(h200, 1)).whole == 21);
  CHECK(wavesOf(58 * 48, placesOf(h200, 1, 2)).whole == 22);
}

TEST_CASE("memory-bound kernels take what was measured", "[cost]") {
  const target::GpuTarget h200 = *findTarget("h200");
  auto micros = [&](double read, double written, double blocks = 1) {
    KernelCost kernel;
    kernel.blocks = blocks;
    TensorTraffic traffic;
    traffic.readBytes = traffic.readFootprint = read;
    traffic.writtenBytes = traffic.writtenFootprint = written;
    kernel.traffic = {traffic};
    return 1e6 * timeOf(kernel, h200).total();
  };
  // Measured on an H200, microseconds; within 6 %.
  double element = 16384.0 * 12288;
  CHECK(micros(4 * element, 2 * element) == Approx(280.64).epsilon(0.06));
  CHECK(micros(4 * element, element) == Approx(234.3).epsilon(0.06));
  double row = 16384.0 * 4096;
  CHECK(micros(2 * row, 2 * row) == Approx(67.9).epsilon(0.06));
  CHECK(micros(2 * row, row) == Approx(53.5).epsilon(0.06));
  double square = 4096.0 * 4096 * 4;
  CHECK(micros(square, square) == Approx(37.63).epsilon(0.06));
  CHECK(micros(16384.0 * 16384 * 4, 0) == Approx(245.5).epsilon(0.06));
  // Small ones are a launch.
  CHECK(micros(8192, 8192) == Approx(4.4).epsilon(0.2));
  KernelCost tiny;
  CHECK(timeOf(tiny, h200).bound() == std::string("launch"));
  // Blocks of a few bytes are bound by their starts: 65536 in 42.5 us.
  CHECK(micros(65536, 0, 65536) == Approx(5 + 42.5).epsilon(0.05));
}

TEST_CASE("coalescing", "[cost]") {
  std::vector<int64_t> row, column;
  for (int64_t lane = 0; lane < 32; ++lane) {
    row.push_back(lane * 4);
    column.push_back(lane * 4096);
  }
  CHECK(coalescing(row, 4).sectors == 4);
  CHECK(coalescing(row, 4).use == 1);
  CHECK(coalescing(column, 4).sectors == 32);
  CHECK(coalescing(column, 4).use == Approx(4.0 / 32));
}

TEST_CASE("padding waste of matrix instructions", "[cost]") {
  const target::MatrixRate mma{
      target::MatrixType::Bf16, "mma.sync", 16, 8, 16, 1};
  CHECK(matrixInstructions(mma, 16, 8, 16, 1).waste == 0);
  MatrixCount one = matrixInstructions(mma, 16, 1, 16, 1);
  CHECK(one.instructions == 1);
  CHECK(one.waste == Approx(7.0 / 8));
  CHECK(matrixInstructions(mma, 17, 9, 17, 4).instructions == 8);
  CHECK(matrixInstructions(mma, 17, 9, 17, 4).perWarp == 2);
}
