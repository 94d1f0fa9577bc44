//===- KnownTargetsTest.cpp - the table of GPUs ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/target/GpuTarget.h"

#include <catch2/catch.hpp>

using namespace girih::target;

TEST_CASE("the known targets") {
  CHECK(knownTargets() == std::vector<std::string>{"sm_75", "sm_80", "sm_86",
                                                   "sm_89", "sm_90", "sm_90a",
                                                   "sm_100", "sm_100a",
                                                   "sm_120", "sm_120a"});
}

TEST_CASE("every row is complete and consistent") {
  for (const std::string &name : knownTargets()) {
    INFO(name);
    auto t = findTarget(name);
    REQUIRE(t);
    CHECK(t->name == name);
    std::string spelled = "sm_" + std::to_string(t->capability);
    CHECK(name == spelled + (t->archSpecific ? "a" : ""));
    CHECK_FALSE(t->product.empty());
    CHECK(t->multiprocessors >= 40);
    CHECK(t->maxThreadsPerMultiprocessor >= t->maxThreadsPerBlock);
    CHECK(t->maxThreadsPerMultiprocessor % t->warpSize == 0);
    CHECK(t->maxBlocksPerMultiprocessor >= 16);
    CHECK(t->registersPerMultiprocessor == 65536);
    CHECK(t->maxSharedBytesPerBlock + t->reservedSharedBytesPerBlock ==
          t->sharedBytesPerMultiprocessor);
    CHECK(t->l2Bytes >= 4 << 20);
    CHECK(t->dramBandwidth > 3e11);
    CHECK(t->dramBandwidth <= 8e12);
    // The f32 rate is 2 x 128 (T4: 64; A100 and B200: 64, 128) per SM and
    // clock, so it implies a boost clock between 1 and 3 GHz.
    double lanes = t->capability == 75 || t->capability == 80 ? 64 : 128;
    double clock = t->fp32Flops / (2 * lanes * t->multiprocessors);
    CHECK(clock > 1e9);
    CHECK(clock < 3e9);
  }
}

TEST_CASE("the H200 row") {
  auto t = findTarget("sm_90a");
  REQUIRE(t);
  CHECK(t->archSpecific);
  CHECK(t->product == "NVIDIA H200");
  CHECK(t->multiprocessors == 132);
  CHECK(t->sharedBytesPerMultiprocessor == 233472);
  CHECK(t->maxSharedBytesPerBlock == 232448);
  CHECK(t->l2Bytes == 52428800);
  CHECK(t->dramBandwidth == 4.8e12);
  CHECK(t->fp32Flops == 66.9e12);
  CHECK_FALSE(findTarget("sm_90")->archSpecific);
}

TEST_CASE("the RTX PRO 6000 row") {
  auto t = findTarget("sm_120");
  REQUIRE(t);
  CHECK(t->sharedBytesPerMultiprocessor == 102400);
  CHECK(t->maxSharedBytesPerBlock == 101376);
  CHECK(t->reservedSharedBytesPerBlock == 1024);
  CHECK(t->maxThreadsPerMultiprocessor == 1536);
}

TEST_CASE("what a capability brings") {
  CHECK_FALSE(findTarget("sm_75")->hasBf16Arithmetic());
  CHECK_FALSE(findTarget("sm_75")->hasCpAsync());
  CHECK_FALSE(findTarget("sm_75")->hasMaxNan());
  CHECK(findTarget("sm_80")->hasBf16Arithmetic());
  CHECK(findTarget("sm_120a")->hasMaxNan());
}

TEST_CASE("unknown names and the nearest known one") {
  CHECK_FALSE(findTarget("sm_70"));
  CHECK_FALSE(findTarget(""));
  CHECK_FALSE(findTarget("sm_90A"));
  CHECK(nearestTarget("sm_90a") == "sm_90a");
  CHECK(nearestTarget("sm90a") == "sm_90a");
  CHECK(nearestTarget("SM_80") == "sm_80");
  CHECK(nearestTarget("sm_99") == "sm_90");
  CHECK(nearestTarget("sm_87") == "sm_80");
  CHECK(nearestTarget("sm_10") == "sm_100");
  CHECK(nearestTarget("hopper") == "");
  CHECK(nearestTarget("") == "");
  CHECK(nearestTarget(std::string(100000, 's')) == "");
}
