//===- KernelTimeTest.cpp - times and limits of candidates ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/KernelTime.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::cost;
using target::findTarget;

TEST_CASE("a kernel over a limit says which, and both numbers", "[cost]") {
  const target::GpuTarget h200 = *findTarget("h200");
  KernelCost kernel;
  kernel.threads = 256;
  kernel.registerDemand = 128;
  CHECK_FALSE(excessOf(kernel, h200));

  kernel.buffers = {{"A", {128, 256}, 2, true, 4},
                    {"B", {128, 256}, 2, true, 4}};
  REQUIRE(excessOf(kernel, h200));
  CHECK(excessOf(kernel, h200)->text() ==
        "524288 bytes of shared memory, of 232448");

  kernel.buffers.clear();
  kernel.threads = 2048;
  CHECK(excessOf(kernel, h200)->text() == "2048 threads, of 1024");

  // A tile of 384 x 256 on 1024 threads: 96 accumulators each, of 64 registers.
  kernel.threads = 1024;
  kernel.registerDemand = 96 + 20;
  CHECK(excessOf(kernel, h200)->text() ==
        "about 116 registers a thread, of 64");
  kernel.threads = 256;
  CHECK_FALSE(excessOf(kernel, h200));
}

TEST_CASE("registers that a thread can have", "[cost]") {
  const target::GpuTarget h200 = *findTarget("h200");
  CHECK(registersFor(h200, 32) == 255);
  CHECK(registersFor(h200, 256) == 255);
  CHECK(registersFor(h200, 512) == 128);
  CHECK(registersFor(h200, 768) == 80); // in units of 8
  CHECK(registersFor(h200, 1024) == 64);
}

TEST_CASE("steps of time keep its order", "[cost]") {
  double time = 1e-6;
  int64_t last = stepOf(time);
  for (int i = 0; i < 20000; ++i) {
    time *= 1.0005;
    CHECK(stepOf(time) >= last);
    CHECK(stepOf(time) - last <= 1);
    last = stepOf(time);
  }
  // What is 0.25 % apart is told apart, what is 0.01 % apart seldom.
  CHECK(stepOf(1.0025e-3) > stepOf(1e-3));
  CHECK(stepOf(0.5) < stepOf(0.51));
  CHECK(stepOf(0.999) < stepOf(1.001));
}

namespace {

KernelCost streaming(double bytes, unsigned threads, unsigned loadBytes) {
  KernelCost kernel;
  kernel.threads = threads;
  kernel.registers = kernel.registerDemand = 24;
  kernel.loadBytes = loadBytes;
  kernel.blocks = bytes / 2 / (threads * double(loadBytes));
  TensorTraffic traffic;
  traffic.readBytes = traffic.readFootprint = bytes / 2;
  traffic.requestedBytes = bytes / 2;
  traffic.writtenBytes = traffic.writtenFootprint = bytes / 2;
  kernel.traffic = {traffic};
  return kernel;
}

} // namespace

TEST_CASE("bytes in flight decide how fast a copy is", "[cost]") {
  const target::GpuTarget h200 = *findTarget("h200");
  // A copy of 4.3 GB, 32 KB in flight on an SM: 1.0 ms measured.
  double full = predictTime(streaming(4.3e9, 256, 16), h200).total();
  CHECK(full == Approx(1.004e-3).epsilon(0.05));
  // Half the bytes a thread: 2048 threads still have 16 KB in flight.
  double half = predictTime(streaming(4.3e9, 256, 8), h200).total();
  CHECK(half > full);
  CHECK(half < 1.5 * full);
  CHECK(std::string(predictTime(streaming(4.3e9, 256, 16), h200).bound()) ==
        "memory");
}

TEST_CASE("a product's time is that of its feeding and its waves", "[cost]") {
  const target::GpuTarget h200 = *findTarget("h200");
  auto product = [&](double blocks, double multiplies, double loads) {
    KernelCost kernel;
    kernel.threads = 256;
    kernel.registers = kernel.registerDemand = 100;
    kernel.blocks = blocks;
    StagedProduct staged;
    staged.steps = 256;
    staged.depth = 16;
    staged.multiplies = multiplies;
    staged.loads = loads;
    staged.wavefronts = loads;
    kernel.products = {staged};
    kernel.matrixFlops = 2 * blocks * 256 * multiplies * 256 * 16;
    return predictTime(kernel, h200);
  };
  // 64 multiplications for 4 loads: little less than the peak of two blocks an
  // SM in whole waves.
  KernelTime whole = product(264, 64, 4);
  CHECK(whole.resident == 2);
  double peak = 2.0 * 264 * 256 * 64 * 256 * 16 / h200.fp32Flops;
  CHECK(whole.compute >= peak);
  CHECK(whole.compute < 1.15 * peak);
  // One block more is one more on an SM.
  KernelTime more = product(265, 64, 4);
  CHECK(more.compute > 1.4 * whole.compute);
  // Half the tile has to be fed as often: less than half as long is no gain.
  KernelTime small = product(264, 16, 4);
  CHECK(small.compute > whole.compute / 4 * 1.1);
}

TEST_CASE("nothing resident, nothing predicted", "[cost]") {
  const target::GpuTarget h200 = *findTarget("h200");
  KernelCost kernel = streaming(1e6, 256, 16);
  kernel.buffers = {{"A", {1 << 20}, 4}};
  CHECK(predictTime(kernel, h200).resident == 0);
}
