//===- ChecksTest.cpp - races, their words, patterns of order -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/CheckHarness.h"

#include "runtime/sim/Shadow.h"

#include <catch2/catch.hpp>
#include <random>
#include <thread>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;

namespace {

struct Site {
  uint32_t block, thread, statement;
  std::string action;
};

void expect(const HandMade &hand, FaultKind kind, const Site &first,
            const Site &second, const std::string &object,
            const std::string &detail) {
  REQUIRE(hand.faults.entries().size() == 1);
  Fault fault = hand.only();
  CHECK(fault.kind == kind);
  REQUIRE(fault.sites.size() == 2);
  const Site *wanted[] = {&first, &second};
  for (unsigned i = 0; i < 2; ++i) {
    CHECK(fault.sites[i].who.block == wanted[i]->block);
    CHECK(fault.sites[i].who.thread == wanted[i]->thread);
    CHECK(fault.sites[i].statement == wanted[i]->statement);
    CHECK(fault.sites[i].action == wanted[i]->action);
  }
  CHECK(fault.object == object);
  CHECK(fault.detail == detail);
}

/// Blocks with a buffer D and a word for flags, all zero.
struct Blocks {
  CheckSetup setup;
  HandMade hand;
  uint64_t d = 0, flag = 0;

  explicit Blocks(uint32_t clusters, bool communicate = true)
      : setup(makeSetup(clusters, communicate)), hand(setup) {
    d = *hand.memory.allocate(64);
    flag = *hand.memory.allocate(4);
    hand.memory.find(d)->view = {"D", "f32", 4, {16}, {1}, 0};
    REQUIRE(hand.memory.fill(d, 0, 64));
    REQUIRE(hand.memory.fill(flag, 0, 4));
    hand.start(setup);
  }
  static CheckSetup makeSetup(uint32_t clusters, bool communicate) {
    CheckSetup setup;
    setup.clusters = clusters;
    setup.communicate = communicate;
    return setup;
  }

  void strong(uint32_t block, uint32_t thread, AccessKind kind,
              Order order = Order::Relaxed, Scope scope = Scope::Gpu) {
    hand.touch(block, thread, 50, kind, Space::Global, flag, 4, order, scope);
  }
  void fence(uint32_t block, uint32_t thread, Scope scope = Scope::Gpu) {
    hand.checker->fence(hand.block(block), thread, scope);
  }
  bool hasFaults() const { return !hand.faults.empty(); }
};

} // namespace

//===----------------------------------------------------------------------===//
// Words

TEST_CASE("a race in shared memory names both sides", "[sim][checks]") {
  CheckSetup setup;
  setup.fine = false;
  HandMade hand(setup);
  SyntaxVariable tile;
  tile.name = "tile";
  tile.bytes = 256;
  hand.code.shared.push_back({&tile, 0});
  hand.start(setup);
  hand.write(0, 3, 11, 20);
  hand.read(0, 40, 12, 20);
  expect(hand, FaultKind::Race, {0, 3, 11, "writes 4 bytes"},
         {0, 40, 12, "reads 4 bytes"},
         "shared memory at offset 20 (variable tile + 20)",
         "no barrier between them orders these two accesses");
}

TEST_CASE("a barrier between them is enough", "[sim][checks]") {
  CheckSetup setup;
  setup.fine = false;
  HandMade hand(setup);
  hand.start(setup);
  hand.write(0, 3, 11, 20);
  hand.barrier(0);
  hand.read(0, 40, 12, 20);
  CHECK(hand.faults.empty());
  hand.write(0, 3, 13, 20); // the reader may still be at it
  expect(hand, FaultKind::Race, {0, 40, 12, "reads 4 bytes"},
         {0, 3, 13, "writes 4 bytes"}, "shared memory at offset 20",
         "no barrier between them orders these two accesses");
}

TEST_CASE("blocks race in global memory", "[sim][checks]") {
  Blocks b(2, false);
  b.hand.write(0, 3, 11, b.d + 8);
  b.hand.barrier(0);
  b.hand.barrier(1);
  b.hand.write(1, 4, 12, b.d + 8);
  expect(b.hand, FaultKind::Race, {0, 3, 11, "writes 4 bytes"},
         {1, 4, 12, "writes 4 bytes"}, "D[2] (f32)",
         "blocks run in any order, and no release and acquire between them "
         "orders these two accesses");
}

TEST_CASE("a writer runs into readers of two blocks", "[sim][checks]") {
  Blocks b(3, false);
  for (uint32_t block : {0, 1, 2})
    for (uint32_t thread : {0, 1, 33})
      b.hand.read(block, thread, 10 + block, b.d + 8);
  CHECK_FALSE(b.hasFaults());
  b.hand.write(2, 0, 20, b.d + 8);
  CHECK(b.hasFaults());
  for (const FaultLog::Entry &entry : b.hand.faults.entries()) {
    CHECK(entry.fault.sites[0].statement != 12); // two others are enough
    CHECK(entry.fault.sites[1].statement == 20);
  }
  // What another launch did is over.
  HandMade next(b.setup);
  next.launch.memory = &b.hand.memory;
  next.start(b.setup);
  next.write(2, 0, 20, b.d + 8);
  CHECK(next.faults.empty());
}

TEST_CASE("two lanes of one store", "[sim][checks]") {
  CheckSetup setup;
  HandMade hand(setup);
  hand.start(setup);
  WarpAccess access;
  access.space = Space::Shared;
  access.kind = AccessKind::Write;
  access.bytes = access.elementBytes = 4;
  access.mask = 0x3;
  access.address = {8, 8};
  hand.resolve(0, 0, 5, access);
  expect(hand, FaultKind::Race, {0, 0, 5, "writes 4 bytes"},
         {0, 1, 5, "writes 4 bytes"}, "shared memory at offset 8",
         "two lanes of one instruction write the same element, either may "
         "win");
}

TEST_CASE("lanes of a warp are threads like others", "[sim][checks]") {
  CheckSetup setup;
  HandMade hand(setup);
  hand.start(setup);
  hand.write(0, 0, 5, 8);
  hand.read(0, 0, 6, 8);
  CHECK(hand.faults.empty());
  hand.read(0, 1, 6, 8);
  CHECK(hand.faults.entries().size() == 1);
  hand.checker->warpBarrier(*hand.block(0).warps[0], 0x3);
  hand.read(0, 1, 7, 8);
  hand.write(0, 1, 8, 8);
  CHECK(hand.faults.entries().size() == 1);
  hand.read(0, 2, 9, 8); // did not take part
  CHECK(hand.faults.entries().size() == 2);
}

TEST_CASE("the same race again is counted", "[sim][checks]") {
  CheckSetup setup;
  HandMade hand(setup);
  hand.start(setup);
  for (uint32_t i = 0; i < 5; ++i) {
    hand.write(0, 0, 5, i * 4);
    hand.read(0, 33, 6, i * 4);
  }
  REQUIRE(hand.faults.entries().size() == 1);
  CHECK(hand.faults.entries()[0].count == 5);
}

TEST_CASE("a strong and a weak access race", "[sim][checks]") {
  CheckSetup setup;
  HandMade hand(setup);
  hand.start(setup);
  for (uint32_t thread : {0, 1, 40})
    hand.touch(0, thread, 5, AccessKind::Atomic, Space::Shared, 8, 4,
               Order::Relaxed);
  // The first atomic finds nothing there; that is another matter.
  size_t before = hand.faults.entries().size();
  hand.write(0, 2, 6, 8);
  REQUIRE(hand.faults.entries().size() == before + 1);
  Fault fault = hand.faults.entries().back().fault;
  CHECK(fault.sites[0].action == "atomically updates 4 bytes");
  CHECK(fault.detail == "only one of them is atomic, and no barrier between "
                        "them orders these two accesses");
}

TEST_CASE("atomics of a block's scope race with other blocks",
          "[sim][checks]") {
  Blocks b(2);
  b.strong(0, 0, AccessKind::Atomic, Order::Relaxed, Scope::Cta);
  b.strong(0, 1, AccessKind::Atomic, Order::Relaxed, Scope::Cta);
  CHECK_FALSE(b.hasFaults());
  b.strong(1, 0, AccessKind::Atomic, Order::Relaxed, Scope::Gpu);
  REQUIRE(b.hasFaults());
  CHECK(b.hand.only().detail == "both are atomic only within a block or "
                                "cluster, and these are two; use .gpu scope");
}

//===----------------------------------------------------------------------===//
// Patterns between blocks

TEST_CASE("the last block of many reads what all have left", "[sim][checks]") {
  constexpr uint32_t kBlocks = 12;
  struct Variant {
    bool releases, acquires, ordered;
  };
  auto [releases, acquires, ordered] =
      GENERATE(Variant{true, true, true}, Variant{false, true, false},
               Variant{true, false, false});
  Blocks b(kBlocks);
  for (uint32_t block = 0; block < kBlocks; ++block) {
    b.hand.write(block, 37, 1, b.d + block * 4);
    b.hand.barrier(block);
    if (releases)
      b.fence(block, 0);
    b.strong(block, 0, AccessKind::Atomic);
    if (acquires)
      b.fence(block, 0);
    b.hand.barrier(block);
  }
  for (uint32_t i = 0; i < kBlocks; ++i)
    b.hand.read(kBlocks - 1, 50, 2, b.d + i * 4);
  CHECK(b.hasFaults() != ordered);
  // Any other block has not heard of those after it.
  b.hand.read(3, 50, 3, b.d + 2 * 4);
  CHECK(b.hasFaults() != ordered);
  b.hand.read(3, 50, 4, b.d + 4 * 4);
  CHECK(b.hasFaults());
}

TEST_CASE("a fence by one thread does not serve the others", "[sim][checks]") {
  Blocks b(2);
  b.hand.write(0, 37, 1, b.d);
  b.fence(0, 0); // before the barrier: thread 37's write is not covered
  b.hand.barrier(0);
  b.strong(0, 0, AccessKind::Atomic);
  b.strong(1, 0, AccessKind::Atomic);
  b.fence(1, 0);
  b.hand.read(1, 0, 2, b.d);
  CHECK(b.hasFaults());
}

TEST_CASE("st.release and ld.acquire of a flag", "[sim][checks]") {
  Blocks b(2);
  b.hand.write(0, 37, 1, b.d);
  b.hand.barrier(0);
  b.strong(0, 0, AccessKind::Write, Order::Release);
  b.strong(1, 5, AccessKind::Read, Order::Acquire);
  b.hand.read(1, 5, 2, b.d);
  CHECK_FALSE(b.hasFaults());
  b.hand.read(1, 6, 3, b.d); // not without a barrier
  CHECK(b.hasFaults());
}

TEST_CASE("one side alone orders nothing", "[sim][checks]") {
  bool releases = GENERATE(false, true);
  Blocks b(2);
  b.hand.write(0, 0, 1, b.d);
  b.strong(0, 0, AccessKind::Write, releases ? Order::Release : Order::Relaxed);
  b.strong(1, 5, AccessKind::Read, releases ? Order::Relaxed : Order::Acquire);
  b.hand.read(1, 5, 2, b.d);
  CHECK(b.hasFaults());
}

TEST_CASE("a volatile flag with fences on both sides", "[sim][checks]") {
  Scope scope = GENERATE(Scope::Cta, Scope::Gpu, Scope::System);
  Blocks b(2);
  b.hand.write(0, 0, 1, b.d);
  b.fence(0, 0, scope);
  b.strong(0, 0, AccessKind::Write, Order::Relaxed, Scope::System);
  for (int i = 0; i < 10; ++i) // spinning
    b.strong(1, 5, AccessKind::Read, Order::Relaxed, Scope::System);
  b.fence(1, 5, scope);
  b.hand.read(1, 5, 2, b.d);
  CHECK(b.hasFaults() == (scope == Scope::Cta));
}

TEST_CASE("a flag read before it was set carries nothing", "[sim][checks]") {
  Blocks b(2);
  b.strong(1, 5, AccessKind::Read, Order::Acquire);
  b.hand.write(0, 0, 1, b.d);
  b.strong(0, 0, AccessKind::Write, Order::Release);
  b.hand.read(1, 5, 2, b.d);
  CHECK(b.hasFaults());
}

TEST_CASE("what comes after a release is not covered by it", "[sim][checks]") {
  Blocks b(2);
  b.strong(0, 0, AccessKind::Write, Order::Release);
  b.hand.write(0, 0, 1, b.d);
  b.strong(1, 5, AccessKind::Read, Order::Acquire);
  b.hand.read(1, 5, 2, b.d);
  CHECK(b.hasFaults());
}

TEST_CASE("a store breaks a chain of releases, an atomic does not",
          "[sim][checks]") {
  AccessKind between = GENERATE(AccessKind::Write, AccessKind::Atomic);
  Blocks b(3);
  b.hand.write(0, 0, 1, b.d);
  b.strong(0, 0, AccessKind::Write, Order::Release);
  b.strong(1, 0, between, Order::Relaxed);
  b.strong(2, 0, AccessKind::Read, Order::Acquire);
  b.hand.read(2, 0, 2, b.d);
  CHECK(b.hasFaults() == (between == AccessKind::Write));
}

TEST_CASE("order goes on from block to block", "[sim][checks]") {
  Blocks b(4);
  uint64_t flags = *b.hand.memory.allocate(16);
  REQUIRE(b.hand.memory.fill(flags, 0, 16));
  b.hand.memory.makeShadows(4);
  b.hand.write(0, 0, 1, b.d);
  for (uint32_t block = 0; block < 4; ++block) {
    if (block)
      b.hand.touch(block, 0, 2, AccessKind::Read, Space::Global,
                   flags + (block - 1) * 4, 4, Order::Acquire);
    b.hand.touch(block, 0, 3, AccessKind::Write, Space::Global,
                 flags + block * 4, 4, Order::Release);
  }
  b.hand.read(3, 0, 4, b.d);
  b.hand.write(3, 0, 5, b.d);
  CHECK_FALSE(b.hasFaults());
}

TEST_CASE("bar.arrive covers only what came before it", "[sim][checks]") {
  CheckSetup setup;
  HandMade hand(setup);
  hand.start(setup);
  std::vector<uint32_t> producer = {0}, consumer = {40};
  hand.write(0, 0, 1, 0);
  hand.checker->arrive(hand.block(0), 3, producer);
  hand.write(0, 0, 2, 4);
  hand.checker->barrier(hand.block(0), std::vector<uint32_t>{0, 40}, consumer,
                        3);
  hand.read(0, 40, 3, 0);
  CHECK(hand.faults.empty());
  hand.read(0, 40, 4, 4);
  CHECK(hand.only().sites[0].statement == 2);
}

//===----------------------------------------------------------------------===//
// Copies

TEST_CASE("memory that a copy uses", "[sim][checks]") {
  Blocks b(1, false);
  AsyncCopy copy;
  copy.statement = 30;
  copy.destination = 16;
  copy.source = b.d;
  copy.bytes = 16;
  copy.sourceBytes = 8;
  copy.token = b.hand.beginCopy(0, 7, copy);

  SECTION("its own thread reads the destination") {
    b.hand.read(0, 7, 31, 28);
    expect(b.hand, FaultKind::AsyncRace, {0, 7, 30, "copies 16 bytes to here"},
           {0, 7, 31, "reads 4 bytes"}, "shared memory at offset 28",
           "it is being written by the cp.async issued at instruction 30; "
           "wait for its group first");
  }
  SECTION("another thread writes it, after a barrier") {
    b.hand.barrier(0);
    b.hand.write(0, 9, 31, 16);
    CHECK(b.hand.only().kind == FaultKind::AsyncRace);
  }
  SECTION("somebody writes the source") {
    b.hand.read(0, 9, 31, b.d + 4); // reading is no harm
    CHECK_FALSE(b.hasFaults());
    b.hand.write(0, 7, 32, b.d + 4);
    REQUIRE(b.hasFaults());
    Fault fault = b.hand.faults.entries()[0].fault;
    CHECK(fault.kind == FaultKind::AsyncRace);
    CHECK(fault.sites[0].action == "copies 8 bytes from here");
    CHECK(fault.object == "D[1] (f32)");
    CHECK(fault.detail == "it is being read by the cp.async issued at "
                          "instruction 30; wait for its group first");
  }
  SECTION("the part of the source that is not read is free") {
    b.hand.write(0, 7, 32, b.d + 8);
    CHECK_FALSE(b.hasFaults());
  }
  SECTION("once it is done, its thread may read, others after a barrier") {
    b.hand.endCopy(0, 7, copy);
    b.hand.read(0, 7, 31, 28);
    b.hand.write(0, 7, 32, b.d + 4);
    CHECK_FALSE(b.hasFaults());
    b.hand.read(0, 9, 33, 20);
    expect(b.hand, FaultKind::Race, {0, 7, 30, "copies 16 bytes to here"},
           {0, 9, 33, "reads 4 bytes"}, "shared memory at offset 20",
           "no barrier between them orders these two accesses");
    b.hand.barrier(0);
    b.hand.read(0, 9, 34, 16);
    CHECK(b.hand.faults.entries().size() == 1);
  }
  SECTION("a second copy to the same place") {
    AsyncCopy again = copy;
    again.statement = 33;
    again.destination = 24;
    again.bytes = again.sourceBytes = 4;
    again.token = b.hand.beginCopy(0, 8, again);
    CHECK(b.hand.only().kind == FaultKind::AsyncRace);
  }
}

TEST_CASE("a copy overwrites what others may still read", "[sim][checks]") {
  Blocks b(1, false);
  b.hand.write(0, 1, 1, 16);
  b.hand.barrier(0);
  b.hand.read(0, 2, 2, 16);
  AsyncCopy copy;
  copy.statement = 30;
  copy.destination = 16;
  copy.source = b.d;
  copy.bytes = copy.sourceBytes = 4;
  copy.token = b.hand.beginCopy(0, 7, copy);
  expect(b.hand, FaultKind::Race, {0, 2, 2, "reads 4 bytes"},
         {0, 7, 30, "copies 4 bytes to here"}, "shared memory at offset 16",
         "no barrier between them orders these two accesses");
}

TEST_CASE("a copy in bulk to global memory", "[sim][checks]") {
  Blocks b(2, false);
  b.hand.write(0, 3, 1, 32);
  b.hand.barrier(0);
  AsyncCopy copy;
  copy.statement = 30;
  copy.sourceSpace = Space::Shared;
  copy.destinationSpace = Space::Global;
  copy.source = 32;
  copy.destination = b.d + 16;
  copy.bytes = copy.sourceBytes = 4;
  copy.token = b.hand.beginCopy(0, 7, copy);
  b.hand.write(0, 7, 31, 32);
  CHECK(b.hand.only().kind == FaultKind::AsyncRace);
  b.hand.endCopy(0, 7, copy);
  b.hand.read(1, 0, 32, b.d + 16);
  REQUIRE(b.hand.faults.entries().size() == 2);
  CHECK(b.hand.faults.entries()[1].fault.object == "D[4] (f32)");
}

TEST_CASE("a copy that an mbarrier tells of is nobody's", "[sim][checks]") {
  Blocks b(1, false);
  Mbarrier first, second;
  AsyncCopy copy;
  copy.destination = 16;
  copy.source = b.d;
  copy.bytes = copy.sourceBytes = 4;
  copy.token = b.hand.beginCopy(0, 7, copy);
  AsyncCopy other = copy;
  other.destination = 20;
  other.token = b.hand.beginCopy(0, 7, other);
  b.hand.endCopy(0, 7, copy, first);
  b.hand.endCopy(0, 7, other, second);
  Checker &checker = *b.hand.checker;

  SECTION("whoever waits is behind it") {
    checker.acquire(b.hand.block(0), 9, first.open);
    b.hand.read(0, 9, 31, 16);
    b.hand.write(0, 9, 32, b.d); // of the two that read it ...
    REQUIRE(b.hand.faults.entries().size() == 1);
    CHECK(b.hand.only().sites[1].statement == 32);
    b.hand.read(0, 9, 33, 20); // ... and the one not waited for
    CHECK(b.hand.faults.entries().size() == 2);
    checker.acquire(b.hand.block(0), 9, second.open);
    b.hand.read(0, 9, 34, 20);
    CHECK(b.hand.faults.entries().size() == 2);
  }
  SECTION("even its thread has to wait") {
    b.hand.read(0, 7, 31, 16);
    expect(b.hand, FaultKind::Race, {0, 7, 0, "copies 4 bytes to here"},
           {0, 7, 31, "reads 4 bytes"}, "shared memory at offset 16",
           "no barrier between them orders these two accesses");
  }
  SECTION("a barrier of threads who have not waited does not do") {
    b.hand.barrier(0);
    b.hand.read(0, 9, 31, 16);
    CHECK(b.hasFaults());
  }
  SECTION("one that has waited may tell the others") {
    checker.acquire(b.hand.block(0), 9, first.open);
    b.hand.barrier(0);
    b.hand.read(0, 40, 31, 16);
    b.hand.write(0, 40, 32, 16);
    CHECK_FALSE(b.hasFaults());
  }
  SECTION("what its thread did besides is not told") {
    b.hand.write(0, 7, 30, 64);
    checker.acquire(b.hand.block(0), 9, first.open);
    b.hand.read(0, 9, 31, 64);
    CHECK(b.hasFaults());
  }
  SECTION("the next phase is another matter") {
    checker.acquire(b.hand.block(0), 9, first.open);
    first.completed = std::move(first.open);
    ++first.phase;
    b.hand.barrier(0);
    copy.token = b.hand.beginCopy(0, 7, copy);
    CHECK_FALSE(b.hasFaults());
    b.hand.endCopy(0, 7, copy, first);
    b.hand.read(0, 9, 31, 16);
    CHECK(b.hasFaults());
  }
}

//===----------------------------------------------------------------------===//
// Housekeeping

TEST_CASE("blocks one after the other use the same shadow", "[sim][checks]") {
  CheckSetup setup;
  HandMade hand(setup);
  hand.start(setup);
  for (int round = 0; round < 3; ++round) {
    CHECK_FALSE(hand.read(0, 1, 9, 8)); // nothing is left of the one before
    hand.write(0, 0, 5, 8);
    hand.checker->endBlock(hand.block(0));
    hand.block(0).checker.reset();
    hand.checker->startBlock(hand.block(0));
  }
  REQUIRE(hand.faults.entries().size() == 2);
  CHECK(hand.faults.entries()[0].fault.kind == FaultKind::Uninitialized);
  CHECK(hand.faults.entries()[0].count == 3);
  // The read that was refused races with the write behind it all the same.
  CHECK(hand.faults.entries()[1].count == 3);
}

TEST_CASE("blocks of several workers", "[sim][checks]") {
  CheckSetup setup;
  setup.fine = false;
  setup.clusters = 4;
  HandMade hand(setup);
  constexpr uint64_t kWords = 8192;
  uint64_t in = *hand.memory.allocate(kWords * 4);
  uint64_t out = *hand.memory.allocate(kWords * 4);
  REQUIRE(hand.memory.fill(in, 0, kWords * 4));
  hand.start(setup);
  std::vector<std::thread> workers;
  for (uint32_t block = 0; block < 4; ++block)
    workers.emplace_back([&, block] {
      for (uint32_t i = 0; i < kWords / 32; ++i) {
        WarpAccess access;
        access.space = Space::Global;
        access.bytes = access.elementBytes = 4;
        access.mask = kAllLanes;
        for (unsigned lane = 0; lane < kLanes; ++lane)
          access.address[lane] = in + (i * 32 + lane) * 4;
        hand.resolve(block, i % 2, 1, access);
        if (i % 4 != block)
          continue;
        access.kind = AccessKind::Write;
        for (unsigned lane = 0; lane < kLanes; ++lane)
          access.address[lane] = out + (i * 32 + lane) * 4;
        hand.resolve(block, i % 2, 2, access);
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  CHECK(hand.faults.empty());
  hand.write(2, 0, 3, in + 400);
  CHECK_FALSE(hand.faults.empty());
}

namespace {

/// Warps of three blocks read and write 3000 words in many ways; the races.
std::vector<std::pair<uint32_t, uint32_t>> playPages(uint32_t seed,
                                                     int64_t openPages) {
  int64_t before = GlobalShadow::mostOpenPages.exchange(openPages);
  CheckSetup setup;
  setup.fine = false;
  setup.clusters = 3;
  HandMade hand(setup);
  constexpr uint32_t kWords = 3000;
  uint64_t buffer = *hand.memory.allocate(kWords * 4);
  REQUIRE(hand.memory.fill(buffer, 0, kWords * 4));
  hand.start(setup);
  std::mt19937 random(seed);
  // Mostly reads: all of a page by a block is what packs it.
  for (uint32_t step = 1; step < 900; ++step) {
    uint32_t block = random() % 3, words = 1u << random() % 3;
    uint32_t stride = random() % 4 ? words : 0;
    uint32_t begin = random() % (kWords / 128) * 128 % (kWords - 128);
    WarpAccess access;
    access.space = Space::Global;
    access.kind = random() % 400 ? AccessKind::Read : AccessKind::Write;
    access.elementBytes = 4;
    access.bytes = words * 4;
    access.mask = access.kind == AccessKind::Read ? kAllLanes : 1;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      access.address[lane] = buffer + (begin + lane * stride) * 4;
    hand.resolve(block, random() % 2, step, access);
    if (random() % 20 == 0)
      hand.barrier(block);
  }
  std::vector<std::pair<uint32_t, uint32_t>> races;
  for (const FaultLog::Entry &entry : hand.faults.entries())
    races.emplace_back(entry.fault.sites[0].statement,
                       entry.fault.sites[1].statement);
  GlobalShadow::mostOpenPages = before;
  return races;
}

} // namespace

TEST_CASE("packed pages say the same", "[sim][checks]") {
  size_t races = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    auto open = playPages(seed, 1 << 20);
    CHECK(playPages(seed, 0) == open);
    races += open.size();
  }
  CHECK(races > 60);
}

TEST_CASE("what all have read is packed", "[sim][checks]") {
  int64_t before = GlobalShadow::mostOpenPages.exchange(0);
  int64_t open = GlobalShadow::openPages;
  CheckSetup setup;
  setup.fine = false;
  setup.clusters = 2;
  HandMade hand(setup);
  uint64_t buffer = *hand.memory.allocate(1024 * 4);
  REQUIRE(hand.memory.fill(buffer, 0, 1024 * 4));
  hand.start(setup);
  WarpAccess access;
  access.space = Space::Global;
  access.bytes = access.elementBytes = 4;
  access.mask = kAllLanes;
  for (uint32_t block = 0; block < 2; ++block)
    for (uint32_t i = 0; i < 32; ++i) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        access.address[lane] = buffer + (i * 32 + lane) * 4;
      hand.resolve(block, i % 2, 7 + block, access);
    }
  CHECK(GlobalShadow::openPages == open);
  hand.write(0, 32, 10, buffer + 500 * 4);
  CHECK(GlobalShadow::openPages == open + 1);
  GlobalShadow::mostOpenPages = before;
  REQUIRE(hand.faults.entries().size() == 2);
  // Word 500 was lane 20's of a second warp's turn.
  for (const FaultLog::Entry &entry : hand.faults.entries())
    CHECK(entry.fault.sites[0].who.thread == 32 + 20);
}

TEST_CASE("a long-lived block uses its records again", "[sim][checks]") {
  uint32_t most = RecordTable::most.exchange(300000);
  CheckSetup setup;
  setup.fine = GENERATE(false, true);
  HandMade hand(setup);
  hand.start(setup);
  // 800000 different accesses.
  for (uint32_t i = 0; i < 100000; ++i) {
    for (uint32_t pc = 1; pc < 5; ++pc) {
      hand.write(0, 1, pc, pc * 4);
      hand.write(0, 33, pc, pc * 4 + 128);
    }
    hand.barrier(0);
  }
  CHECK(hand.faults.empty());
  hand.read(0, 40, 5, 8);
  CHECK(hand.faults.empty()); // still initialised
  hand.write(0, 41, 6, 8);
  CHECK(hand.faults.entries().size() == 1);
  RecordTable::most = most;
}

TEST_CASE("records may run out", "[sim][checks]") {
  uint32_t most = RecordTable::most.exchange(1000);
  CheckSetup setup;
  HandMade hand(setup);
  hand.start(setup);
  for (uint32_t i = 0; i < 2000; ++i) {
    hand.write(0, 3, 4, 0);
    hand.barrier(0);
  }
  RecordTable::most = most;
  REQUIRE(hand.faults.entries().size() == 1);
  Fault fault = hand.only();
  CHECK(fault.kind == FaultKind::IllegalValue);
  CHECK(fault.object == "the record of accesses");
  CHECK(fault.detail ==
        "it is full after 1000 entries, and races from here on may go "
        "unnoticed; a smaller launch is needed, or one without checks");
}

TEST_CASE("the log of faults", "[sim][checks]") {
  FaultLog log(2);
  auto make = [](FaultKind kind, std::vector<uint32_t> statements) {
    Fault fault;
    fault.kind = kind;
    for (uint32_t statement : statements)
      fault.sites.push_back({{}, statement, "reads"});
    return fault;
  };
  CHECK(log.empty());
  log.report(make(FaultKind::Race, {1, 2}));
  log.report(make(FaultKind::Race, {2, 1})); // the same two
  CHECK_FALSE(log.shouldStop());
  CHECK(log.entries()[0].count == 2);
  log.report(make(FaultKind::OutOfBounds, {1}));
  CHECK(log.shouldStop());
  log.report(make(FaultKind::Misaligned, {1})); // beyond the limit
  CHECK(log.entries().size() == 2);
  FaultLog other(10);
  other.report(make(FaultKind::Trap, {1}));
  CHECK(other.shouldStop()); // nothing goes on after a trap
  CHECK(nameOf(FaultKind::Race) == "data race");
  CHECK(nameOf(FaultKind::Uninitialized) == "read of uninitialised memory");
}
