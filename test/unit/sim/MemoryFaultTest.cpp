//===- MemoryFaultTest.cpp - accesses that cannot go on -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/CheckHarness.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;

namespace {

/// One block, X of f32[33, 65] in global memory, all written.
struct Fixture {
  CheckSetup setup;
  HandMade hand;
  uint64_t x = 0;

  explicit Fixture(const CheckSetup &setup = {}) : setup(setup), hand(setup) {
    x = *hand.memory.allocate(33 * 65 * 4);
    hand.memory.find(x)->view = {"X", "f32", 4, {33, 65}, {65, 1}, 0};
    REQUIRE(hand.memory.fill(x, 0, 33 * 65 * 4));
  }
  void start() { hand.start(setup); }

  bool touch(AccessKind kind, Space space, uint64_t address,
             unsigned bytes = 4) {
    return hand.touch(0, 5, 7, kind, space, address, bytes);
  }
  /// The words of the only fault.
  void expect(FaultKind kind, const std::string &action,
              const std::string &object, const std::string &detail) {
    REQUIRE(hand.faults.entries().size() == 1);
    Fault fault = hand.only();
    CHECK(fault.kind == kind);
    REQUIRE(fault.sites.size() == 1);
    CHECK(fault.sites[0].who.thread == 5);
    CHECK(fault.sites[0].statement == 7);
    CHECK(fault.sites[0].action == action);
    CHECK(fault.object == object);
    CHECK(fault.detail == detail);
  }
};

} // namespace

TEST_CASE("a read past the end names the element", "[sim][checks]") {
  Fixture f;
  f.start();
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Global, f.x + 33 * 65 * 4));
  f.expect(FaultKind::OutOfBounds, "reads 4 bytes",
           "X[33, 0], 4 bytes past the end of X (f32[33, 65])",
           "no buffer holds these bytes");
}

TEST_CASE("a vector that begins within and ends outside", "[sim][checks]") {
  Fixture f;
  f.start();
  CHECK_FALSE(
      f.touch(AccessKind::Write, Space::Global, f.x + 33 * 65 * 4 - 4, 8));
  f.expect(FaultKind::OutOfBounds, "writes 8 bytes",
           "X[32, 64], 4 bytes past the end of X (f32[33, 65])",
           "no buffer holds these bytes");
}

TEST_CASE("addresses before a buffer and where none is", "[sim][checks]") {
  Fixture f;
  f.start();
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Global, f.x - 8));
  f.expect(FaultKind::OutOfBounds, "reads 4 bytes",
           "8 bytes before the start of X (f32[33, 65])",
           "no buffer holds these bytes");
  Fixture g;
  g.start();
  CHECK_FALSE(g.touch(AccessKind::Atomic, Space::Global, uint64_t(9) << 40));
  g.expect(FaultKind::OutOfBounds, "atomically updates 4 bytes",
           "address 0x90000000000, where no buffer is",
           "no buffer holds these bytes");
  Fixture h;
  h.start();
  CHECK_FALSE(h.touch(AccessKind::Read, Space::Global, 0));
  h.expect(FaultKind::OutOfBounds, "reads 4 bytes",
           "address 0x0, where no buffer is",
           "no buffer holds these bytes; the pointer is null");
}

TEST_CASE("a freed buffer is no buffer", "[sim][checks]") {
  Fixture f;
  f.start();
  f.hand.memory.release(f.x);
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Global, f.x));
  CHECK(f.hand.only().object == "address 0x10000000000, where no buffer is");
}

TEST_CASE("alignment is that of the vector", "[sim][checks]") {
  Fixture f;
  f.start();
  CHECK(f.touch(AccessKind::Read, Space::Global, f.x + 8, 8));
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Global, f.x + 4, 8));
  f.expect(FaultKind::Misaligned, "reads 8 bytes", "X[0, 1] (f32)",
           "address 0x10000000004 is not a multiple of 8");
  Fixture g;
  g.start();
  CHECK_FALSE(g.touch(AccessKind::Read, Space::Shared, 18, 4));
  g.expect(FaultKind::Misaligned, "reads 4 bytes", "shared memory at offset 18",
           "address 0x12 is not a multiple of 4");
}

TEST_CASE("global memory that nothing has written", "[sim][checks]") {
  Fixture f;
  uint64_t y = *f.hand.memory.allocate(64 * 4);
  f.hand.memory.find(y)->view = {"Y", "f32", 4, {4, 16}, {16, 1}, 0};
  float one = 1;
  REQUIRE(f.hand.memory.write(y + 20 * 4, &one, 4));
  f.start();
  CHECK(f.touch(AccessKind::Read, Space::Global, y + 20 * 4));
  CHECK(f.touch(AccessKind::Write, Space::Global, y + 22 * 4));
  CHECK(f.touch(AccessKind::Read, Space::Global, y + 22 * 4));
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Global, y + 20 * 4, 8));
  f.expect(FaultKind::Uninitialized, "reads 8 bytes", "Y[1, 5] (f32)",
           "nothing has written it: no kernel, and no copy from the host");
}

TEST_CASE("poison takes initialisation away again", "[sim][checks]") {
  Fixture f;
  REQUIRE(f.hand.memory.poison(f.x + 65 * 4, 0x55, 8));
  f.start();
  CHECK(f.touch(AccessKind::Read, Space::Global, f.x + 64 * 4));
  CHECK(f.touch(AccessKind::Read, Space::Global, f.x + 67 * 4));
  CHECK_FALSE(f.touch(AccessKind::Atomic, Space::Global, f.x + 66 * 4));
  CHECK(f.hand.only().object == "X[1, 1] (f32)");
  uint8_t byte = 0;
  REQUIRE(f.hand.memory.read(&byte, f.x + 66 * 4, 1));
  CHECK(byte == 0x55);
}

TEST_CASE("shared memory that no thread has written", "[sim][checks]") {
  Fixture f;
  SyntaxVariable tile;
  tile.name = "tile0";
  tile.bytes = 128;
  f.hand.code.shared.push_back({&tile, 16});
  f.start();
  CHECK(f.touch(AccessKind::Write, Space::Shared, 80));
  CHECK(f.touch(AccessKind::Read, Space::Shared, 80));
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Shared, 80, 8));
  f.expect(FaultKind::Uninitialized, "reads 8 bytes",
           "shared memory at offset 80 (variable tile0 + 64)",
           "no thread has written it");
}

TEST_CASE("shared memory has an end", "[sim][checks]") {
  Fixture f;
  f.start();
  CHECK_FALSE(f.touch(AccessKind::Write, Space::Shared, 256));
  f.expect(FaultKind::OutOfBounds, "writes 4 bytes",
           "shared memory at offset 256",
           "the block's shared memory has 256 bytes");
}

TEST_CASE("addresses of the wrong space", "[sim][checks]") {
  Fixture f;
  f.start();
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Global, kSharedWindow + 16));
  f.expect(FaultKind::WrongSpace, "reads 4 bytes", "address 0x1000000010",
           "this is a generic address of .shared memory, the access is one of "
           ".global; leave out the space, or convert it with cvta.to.shared");
  Fixture g;
  g.start();
  CHECK_FALSE(g.touch(AccessKind::Read, Space::Shared, g.x));
  g.expect(FaultKind::OutOfBounds, "reads 4 bytes",
           "address 0x10000000000 of shared memory",
           "this is no address of shared memory; a generic one needs "
           "cvta.to.shared");
}

TEST_CASE("generic addresses find their space", "[sim][checks]") {
  CheckSetup setup;
  setup.localBytes = 16;
  Fixture f(setup);
  f.hand.launch.parameters.assign(8, 3);
  f.start();
  CHECK(f.touch(AccessKind::Write, Space::Generic, kSharedWindow + 16));
  CHECK(f.touch(AccessKind::Read, Space::Shared, 16));
  CHECK(f.touch(AccessKind::Write, Space::Generic, kLocalWindow + 12));
  CHECK(f.touch(AccessKind::Read, Space::Local, 12));
  CHECK(f.touch(AccessKind::Read, Space::Generic, kParamWindow + 4));
  CHECK(f.touch(AccessKind::Read, Space::Generic, f.x));
  CHECK(f.hand.faults.empty());
}

TEST_CASE("lanes of one generic access go to several spaces", "[sim][checks]") {
  Fixture f;
  f.start();
  WarpAccess access;
  access.kind = AccessKind::Write;
  access.bytes = access.elementBytes = 4;
  access.mask = 0xf;
  access.address = {f.x + 4, kSharedWindow + 8, 1, f.x + 8};
  CHECK(f.hand.resolve(0, 0, 7, access) == 0xb);
  CHECK(access.data[0] == f.hand.memory.find(f.x)->data.get() + 4);
  CHECK(access.data[1] == f.hand.block(0).shared.data() + 8);
  CHECK(access.data[3] == f.hand.memory.find(f.x)->data.get() + 8);
  CHECK(f.hand.only().sites[0].who.thread == 2);
}

TEST_CASE("only the faulty lanes of a warp stop", "[sim][checks]") {
  Fixture f;
  f.start();
  WarpAccess access;
  access.space = Space::Global;
  access.bytes = access.elementBytes = 4;
  access.mask = kAllLanes;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    access.address[lane] = f.x + (33 * 65 - 20 + lane) * 4;
  CHECK(f.hand.resolve(0, 1, 7, access) == 0x000fffff);
  Fault fault = f.hand.only();
  CHECK(fault.sites[0].who.thread == 52); // lane 20 of the second warp
  CHECK(f.hand.faults.entries()[0].count == 12);
}

TEST_CASE("local memory is a thread's own", "[sim][checks]") {
  CheckSetup setup;
  setup.localBytes = 16;
  Fixture f(setup);
  SyntaxVariable spill;
  spill.name = "spill";
  spill.bytes = 16;
  f.hand.code.local.push_back({&spill, 0});
  f.start();
  CHECK(f.hand.touch(0, 4, 1, AccessKind::Write, Space::Local, 8));
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Local, 8));
  f.expect(FaultKind::Uninitialized, "reads 4 bytes",
           "local memory at offset 8 (variable spill + 8)",
           "the thread has not written it");
  Fixture g(setup);
  g.start();
  CHECK_FALSE(g.touch(AccessKind::Write, Space::Local, 16));
  g.expect(FaultKind::OutOfBounds, "writes 4 bytes",
           "local memory at offset 16",
           "the thread's local memory has 16 bytes");
}

TEST_CASE("what cannot be written", "[sim][checks]") {
  Fixture f;
  f.hand.launch.parameters.assign(8, 3);
  f.start();
  CHECK(f.touch(AccessKind::Read, Space::Param, 4));
  CHECK_FALSE(f.touch(AccessKind::Write, Space::Param, 4));
  f.expect(FaultKind::ReadOnly, "writes 4 bytes",
           "parameter memory at offset 4",
           "the kernel's parameters cannot be written");
  Fixture g;
  g.hand.memory.find(g.x)->isConstant = true;
  g.start();
  CHECK(g.touch(AccessKind::Read, Space::Const, g.x));
  CHECK(g.touch(AccessKind::Read, Space::Generic, g.x));
  CHECK_FALSE(g.touch(AccessKind::Write, Space::Generic, g.x));
  g.expect(FaultKind::ReadOnly, "writes 4 bytes", "X[0, 0] (f32)",
           "a .const variable cannot be written");
}

TEST_CASE(".const and .global are told apart", "[sim][checks]") {
  Fixture f;
  f.start();
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Const, f.x));
  f.expect(FaultKind::WrongSpace, "reads 4 bytes", "X[0, 0] (f32)",
           "this is global memory, the access is one of .const");
  Fixture g;
  g.hand.memory.find(g.x)->isConstant = true;
  g.start();
  CHECK_FALSE(g.touch(AccessKind::Read, Space::Global, g.x));
  g.expect(FaultKind::WrongSpace, "reads 4 bytes", "X[0, 0] (f32)",
           "this is a .const variable, the access is one of .global");
}

TEST_CASE("memory of other blocks of the cluster", "[sim][checks]") {
  CheckSetup setup;
  setup.ranks = 2;
  Fixture f(setup);
  f.start();
  uint64_t other = 2 * uint64_t(kSharedLimit) + 32;
  CHECK(f.touch(AccessKind::Write, Space::SharedCluster, other));
  CHECK(f.hand.touch(1, 0, 1, AccessKind::Write, Space::Shared, 36));
  CHECK(f.hand.touch(1, 0, 1, AccessKind::Write, Space::Shared,
                     other + 8)); // its own, by its cluster address
  CHECK(f.hand.faults.empty());
  CHECK_FALSE(f.touch(AccessKind::Write, Space::Shared, other));
  f.expect(FaultKind::WrongSpace, "writes 4 bytes",
           "address 0x2000020 of shared memory",
           "this is memory of another block (rank 1 in the cluster); only "
           ".shared::cluster reaches it");
  Fixture g(setup);
  g.start();
  CHECK_FALSE(g.touch(AccessKind::Write, Space::SharedCluster,
                      3 * uint64_t(kSharedLimit)));
  g.expect(FaultKind::OutOfBounds, "writes 4 bytes",
           "address 0x3000000 of shared memory", "the cluster has 2 blocks");
  Fixture h(setup);
  h.start();
  h.hand.block(1).liveThreads = 0;
  h.hand.checker->endBlock(h.hand.block(1));
  CHECK_FALSE(h.touch(AccessKind::Read, Space::SharedCluster, other));
  h.expect(FaultKind::ExitedBlock, "reads 4 bytes",
           "shared memory of block 1 at offset 32",
           "block 1 has exited; a cluster barrier at its end keeps its memory "
           "until all are done with it");
}

TEST_CASE("an mbarrier is not for loads and stores", "[sim][checks]") {
  Fixture f;
  f.start();
  CHECK(f.touch(AccessKind::Write, Space::Shared, 64, 16));
  f.hand.block(0).checker->mbarriers[72].initializedBy = 3;
  CHECK(f.touch(AccessKind::Read, Space::Shared, 64, 8));
  CHECK(f.hand.faults.empty());
  CHECK(f.touch(AccessKind::Write, Space::Shared, 76));
  f.expect(FaultKind::MbarrierMisuse, "writes 4 bytes",
           "shared memory at offset 72",
           "overwrites the mbarrier at offset 72 initialised at instruction "
           "3; only mbarrier instructions may touch it until mbarrier.inval");
}

TEST_CASE("without checks, bounds and alignment stay", "[sim][checks]") {
  CheckSetup setup;
  setup.checks = false;
  Fixture f(setup);
  uint64_t y = *f.hand.memory.allocate(64);
  f.start();
  CHECK(f.touch(AccessKind::Read, Space::Global, y));
  CHECK(f.touch(AccessKind::Read, Space::Shared, 0));
  CHECK(f.hand.touch(0, 6, 8, AccessKind::Write, Space::Shared, 0));
  CHECK(f.hand.faults.empty());
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Global, y + 64));
  CHECK_FALSE(f.touch(AccessKind::Read, Space::Shared, 2));
  CHECK(f.hand.faults.entries().size() == 2);
}

//===----------------------------------------------------------------------===//
// GlobalMemory

TEST_CASE("buffers of global memory", "[sim][checks]") {
  GlobalMemory memory;
  uint64_t a = *memory.allocate(100), b = *memory.allocate(0);
  CHECK(a == uint64_t(1) << kBufferShift);
  CHECK(b == uint64_t(2) << kBufferShift);
  uint32_t value = 0x01020304, back = 0;
  REQUIRE(memory.write(a + 96, &value, 4));
  REQUIRE(memory.read(&back, a + 96, 4));
  CHECK(back == value);
  Status status = memory.write(a + 97, &value, 4);
  REQUIRE_FALSE(status);
  CHECK(status.message() == "a range of 4 bytes at 0x10000000061 does not lie "
                            "within one buffer: byte 97 of "
                            "buffer 1");
  status = memory.read(&back, b, 1);
  REQUIRE_FALSE(status);
  CHECK(status.message() == "a range of 1 byte at 0x20000000000 does not lie "
                            "within one buffer: byte 0, 1 byte "
                            "past the end of buffer 2 (0 bytes)");
  CHECK_FALSE(memory.fill(a + 50, 0, 51));
  memory.release(a);
  CHECK(memory.find(a) == nullptr);
  CHECK(*memory.allocate(8) == a); // the number is free again
  Result<uint64_t> huge = memory.allocate(uint64_t(1) << 50);
  REQUIRE_FALSE(huge);
  CHECK(huge.message() ==
        "out of memory: 1125899906842624 bytes for a simulated buffer");
}

TEST_CASE("names of bytes", "[sim][checks]") {
  GlobalMemory memory;
  uint64_t a = *memory.allocate(1000);
  BufferView &view = memory.find(a)->view;
  CHECK(describeAddress(memory, a + 40) == "byte 40 of buffer 1");
  view.name = "T";
  CHECK(describeAddress(memory, a + 40) == "byte 40 of T");
  // f16[3, 5, 4] with padded rows, from byte 8 on.
  view = {"T", "f16", 2, {3, 5, 4}, {48, 8, 1}, 8};
  CHECK(describeAddress(memory, a + 8 + (2 * 48 + 3 * 8 + 1) * 2) ==
        "T[2, 3, 1] (f16)");
  CHECK(describeAddress(memory, a + 8 + (2 * 48 + 3 * 8 + 1) * 2 + 1) ==
        "byte 1 of T[2, 3, 1] (f16)");
  CHECK(describeAddress(memory, a + 4) == "byte 4 of T");
  // Column major, with a dimension of one.
  view = {"T", "f32", 4, {10, 1, 20}, {1, 10, 10}, 0};
  CHECK(describeAddress(memory, a + (7 + 13 * 10) * 4) == "T[7, 0, 13] (f32)");
  // Broadcast.
  view = {"T", "f32", 4, {10, 20}, {0, 1}, 0};
  CHECK(describeAddress(memory, a + 4 * 4) == "T[0, 4] (f32)");
}
