//===- OccupancyTest.cpp - resident blocks against published figures ------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/target/Occupancy.h"

#include <catch2/catch.hpp>

using namespace girih::target;

static GpuTarget target(const char *name) { return *findTarget(name); }
static constexpr unsigned kKiB = 1024;

TEST_CASE("128x128 tile on Hopper, accumulator in shared memory") {
  Occupancy o = occupancy(target("sm_90"), 256, 128, 96 * kKiB);
  CHECK(o.blocksByThreads == 8);
  CHECK(o.blocksByRegisters == 2);
  CHECK(o.blocksByShared == 2);
  CHECK(o.blocksBySlots == 32);
  CHECK(o.resident == 2);
  CHECK(o.bound == "registers and shared memory");
  // 16 of 64 warps.
  CHECK(o.resident * 256 * 4 == target("sm_90").maxThreadsPerMultiprocessor);
}

TEST_CASE("the accumulator in registers, and a smaller tile") {
  Occupancy inRegisters = occupancy(target("sm_90"), 256, 128, 32 * kKiB);
  CHECK(inRegisters.blocksByShared == 6);
  CHECK(inRegisters.blocksByRegisters == 2);
  CHECK(inRegisters.resident == 2);
  CHECK(inRegisters.bound == "registers");
  Occupancy fewer = occupancy(target("sm_90"), 256, 64, 32 * kKiB);
  CHECK(fewer.blocksByShared == 6);
  CHECK(fewer.blocksByRegisters == 4);
  CHECK(fewer.resident == 4);
}

TEST_CASE("resident blocks by shared memory on sm_120") {
  auto resident = [](unsigned kib) {
    return occupancy(target("sm_120"), 128, 32, kib * kKiB).resident;
  };
  CHECK(resident(24) == 4);
  CHECK(resident(80) == 1);
  CHECK(resident(32) == 3);
  CHECK(resident(96) == 1);
  CHECK(resident(99) == 1);
  Occupancy tooMuch = occupancy(target("sm_120"), 128, 32, 99 * kKiB + 1);
  CHECK(tooMuch.resident == 0);
  CHECK(tooMuch.bound == "shared memory");
}

TEST_CASE("1024 threads hold 64 registers each and no more") {
  CHECK(occupancy(target("sm_90"), 1024, 64, 0).resident == 1);
  Occupancy over = occupancy(target("sm_90"), 1024, 65, 0);
  CHECK(over.blocksByRegisters == 0);
  CHECK(over.resident == 0);
  CHECK(over.bound == "registers");
}

TEST_CASE("limits of one block") {
  CHECK(occupancy(target("sm_90"), 1025, 16, 0).bound == "threads");
  CHECK(occupancy(target("sm_90"), 1025, 16, 0).resident == 0);
  CHECK(occupancy(target("sm_90"), 0, 16, 0).resident == 0);
  CHECK(occupancy(target("sm_90"), 32, 256, 0).blocksByRegisters == 0);
  CHECK(occupancy(target("sm_90"), 32, 255, 0).blocksByRegisters == 8);
  // 168 registers: 3 warps a scheduler. 13 warps would need 4 on one of them.
  CHECK(occupancy(target("sm_90"), 384, 168, 0).blocksByRegisters == 1);
  CHECK(occupancy(target("sm_90"), 416, 168, 0).blocksByRegisters == 0);
  // 40 registers take 1280 of a scheduler's 16384: 12 warps, 48 in all.
  CHECK(occupancy(target("sm_90"), 160, 40, 0).blocksByRegisters == 9);
  CHECK(occupancy(target("sm_90"), 128, 32, 232448).blocksByShared == 1);
  CHECK(occupancy(target("sm_90"), 128, 32, 232449).blocksByShared == 0);
}

TEST_CASE("small blocks are bound by slots, partial warps count whole") {
  Occupancy small = occupancy(target("sm_90"), 32, 16, 0);
  CHECK(small.resident == 32);
  CHECK(small.bound == "block slots");
  CHECK(occupancy(target("sm_90"), 33, 0, 0).blocksByThreads == 32);
  CHECK(occupancy(target("sm_75"), 1024, 0, 0).bound == "threads");
  // No reserved bytes and none used on sm_75: as many blocks as slots.
  CHECK(occupancy(target("sm_75"), 64, 32, 0).blocksByShared == 16);
  CHECK(occupancy(target("sm_75"), 64, 32, 64 * kKiB).blocksByShared == 1);
}
