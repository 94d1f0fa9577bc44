//===- KnownTargetsTest.cpp - the table of GPUs ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/target/GpuTarget.h"
#include "compiler/target/TargetFields.h"

#include <catch2/catch.hpp>

using namespace girih::target;

TEST_CASE("the known targets") {
  CHECK(knownTargets() == std::vector<std::string>{"sm_75", "sm_80", "sm_86",
                                                   "sm_89", "sm_90", "sm_90a",
                                                   "sm_100", "sm_100a",
                                                   "sm_120", "sm_120a"});
}

TEST_CASE("the known cards") {
  CHECK(knownCards() == std::vector<std::string>{"t4", "a100", "rtx3090",
                                                 "rtx4090", "h100", "h200",
                                                 "b200", "rtxpro6000"});
  CHECK(findTarget("h100")->name == "sm_90a");
  CHECK(findTarget("h100")->dramBandwidth == 3.35e12);
  CHECK(*findTarget("h200") == *findTarget("sm_90a"));
  CHECK(*findTarget("t4") == *findTarget("sm_75"));
  CHECK(nearestTarget("rtx4900") == "rtx4090");
  CHECK(nearestTarget("H100") == "h100");
}

TEST_CASE("every row is complete and consistent") {
  std::vector<std::string> names = knownTargets();
  for (const std::string &card : knownCards())
    names.push_back(card);
  for (const std::string &name : names) {
    INFO(name);
    auto t = findTarget(name);
    REQUIRE(t);
    CHECK((t->name == name || t->card == name));
    std::string spelled = "sm_" + std::to_string(t->capability);
    CHECK(t->name == spelled + (t->archSpecific ? "a" : ""));
    CHECK(contradictionIn(*t) == "");
    for (const TargetField &field : targetFields()) {
      INFO(field.key);
      double value = field.get(*t);
      CHECK((field.mayBeZero && value == 0) ==
            !(value >= field.least && value <= field.most));
      GpuTarget other = *t;
      field.set(other, field.most);
      CHECK(field.get(other) == field.most);
    }
    // The table of allocation units of cuda_occupancy.h.
    CHECK(t->registerGranularity == 256);
    CHECK(t->sharedGranularity == (t->capability >= 80 ? 128u : 256u));
    // A shape multiplies what one or more warps hold; a faster type is narrower.
    for (const MatrixRate &rate : t->matrix) {
      INFO(nameOf(rate.type));
      CHECK(findMatrixType(nameOf(rate.type)) == rate.type);
      CHECK(rate.flops >= t->fp32Flops / 2);
      CHECK(t->matrixOf(rate.type) == &rate);
    }
    CHECK((t->maxClusterBlocks > 0) == (t->capability >= 90));
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

TEST_CASE("clusters that fit") {
  auto t = findTarget("h200");
  CHECK(t->residentClusters(1) == 132);
  CHECK(t->residentClusters(2) == 66);
  CHECK(t->residentClusters(4) == 30); // groups of SMs are not all of one size
  CHECK(t->residentClusters(9) == 0);
  CHECK(t->residentClusters(0) == 0);
  CHECK(findTarget("a100")->residentClusters(2) == 0);
}

TEST_CASE("what code for later chips misses") {
  CHECK(findTarget("sm_90a")->matrixOf(MatrixType::Bf16)->instruction ==
        "wgmma");
  CHECK(findTarget("sm_90")->matrixOf(MatrixType::Bf16)->instruction ==
        "mma.sync");
  CHECK(findTarget("sm_90")->matrixOf(MatrixType::Bf16)->flops < 989.4e12);
  CHECK(findTarget("t4")->matrixOf(MatrixType::Bf16) == nullptr);
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
