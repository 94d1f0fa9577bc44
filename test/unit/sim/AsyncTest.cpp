//===- AsyncTest.cpp - asynchronous copies --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/MemoryHelpers.h"

#include <catch2/catch.hpp>

using namespace girih::sim;
using namespace girih::sim::test;

namespace {

std::vector<uint32_t> iota(uint32_t count) {
  std::vector<uint32_t> values(count);
  for (uint32_t i = 0; i < count; ++i)
    values[i] = i;
  return values;
}

struct Ran {
  Report report;
  std::vector<uint32_t> out;
};

/// a0: 4096 words that count up; a1: `words` zeros, returned.
Ran run(const std::string &body, LaunchShape shape, uint32_t words) {
  Simulator card;
  uint64_t in = *card.upload(iota(4096));
  uint64_t out = *card.upload(std::vector<uint32_t>(words));
  Ran ran;
  ran.report = runKernel(card, kernelText(body, 2), shape, {in, out});
  ran.out = *card.download<uint32_t>(out, words);
  return ran;
}

bool hasFault(const Report &report, FaultKind kind) {
  for (const FaultLog::Entry &entry : report.faults)
    if (entry.fault.kind == kind)
      return true;
  return false;
}

} // namespace

TEST_CASE("double buffering with cp.async") {
  // 16 tiles of 64 words; while one is summed up, the next is on its way.
  const char *body = R"(
    .shared .align 16 .b32 tiles[128];
    .reg .b32 %at, %tile, %sum, %other;
    .reg .b64 %from;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [a0];
    mad.wide.u32 %from, %r1, 4, %rd1;
    mov.u32 %at, tiles;
    mad.lo.u32 %at, %r1, 4, %at;
    cp.async.ca.shared.global [%at], [%from], 4;
    cp.async.commit_group;
    mov.u32 %tile, 0;
    mov.u32 %sum, 0;
  NEXT:
    add.u32 %r2, %tile, 1;
    setp.ge.u32 %p1, %r2, 16;
    @%p1 bra LAST;
    and.b32 %r3, %r2, 1;
    mov.u32 %at, tiles;
    mad.lo.u32 %at, %r3, 256, %at;
    mad.lo.u32 %at, %r1, 4, %at;
    mad.wide.u32 %rd2, %r2, 256, %from;
    cp.async.ca.shared.global [%at], [%rd2], 4;
  LAST:
    cp.async.commit_group;
    cp.async.wait_group 1;
    bar.sync 0;
    and.b32 %r3, %tile, 1;
    mov.u32 %at, tiles;
    mad.lo.u32 %at, %r3, 256, %at;
    xor.b32 %r4, %r1, 33;
    mad.lo.u32 %at, %r4, 4, %at;
    ld.shared.u32 %r5, [%at];
    add.u32 %sum, %sum, %r5;
    bar.sync 0;
    mov.u32 %tile, %r2;
    @!%p1 bra NEXT;
    ld.param.u64 %rd3, [a1];
    mad.wide.u32 %rd3, %r1, 4, %rd3;
    st.global.u32 [%rd3], %sum;
  )";
  Ran ran = run(body, shapeOf(64), 64);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t i = 0; i < 64; ++i)
    CHECK(ran.out[i] == 16 * (i ^ 33) + 64 * 120);
  // 16 tiles of two warps: 4 sectors each. The last commit has no copy.
  CHECK(ran.report.counters.tensors[0].count.readSectors == 16 * 2 * 4);

  // One group too many may stay under way.
  std::string late = body;
  late.replace(late.find("wait_group 1"), 12, "wait_group 2");
  ran = run(late, shapeOf(64), 64);
  CHECK(hasFault(ran.report, FaultKind::AsyncRace));

  // Without the barrier the next copy lands on a tile that is still read.
  std::string fast = body;
  fast.erase(fast.rfind("bar.sync 0;"), 11);
  ran = run(fast, shapeOf(64), 64);
  CHECK_FALSE(ran.report.ok());
}

TEST_CASE("widths, parts and ignored sources of cp.async") {
  const char *body = R"(
    .shared .align 16 .b8 tile[96];
    ld.param.u64 %rd1, [a0];
    ld.param.u64 %rd2, [a1];
    createpolicy.fractional.L2::evict_first.b64 %rd3, 1.0;
    mov.u32 %r1, 6;
    mov.u64 %rd4, 12345;
    setp.eq.u32 %p1, %r1, 6;
    cp.async.ca.shared.global [tile], [%rd1+4], 4;
    cp.async.ca.shared::cta.global.L2::64B [tile+8], [%rd1+8], 8;
    cp.async.cg.shared.global.L2::cache_hint.L2::128B [tile+16], [%rd1+16], 16, %r1, %rd3;
    cp.async.cg.shared.global [tile+32], [%rd4], 16, 0;
    cp.async.cg.shared.global [tile+48], [%rd4+1], 16, %p1;
    cp.async.ca.shared.global [tile+64], [%rd1+64], 16, !%p1;
    cp.async.ca.shared.global.L2::cache_hint [tile+4], [%rd1+40], 4, %rd3;
    cp.async.cg.shared.global [tile+80], [%rd1+80], 16, 16;
    cp.async.wait_all;
    ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile];
    st.global.v4.u32 [%rd2], {%r2, %r3, %r4, %r5};
    ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+16];
    st.global.v4.u32 [%rd2+16], {%r2, %r3, %r4, %r5};
    ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+32];
    st.global.v4.u32 [%rd2+32], {%r2, %r3, %r4, %r5};
    ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+48];
    st.global.v4.u32 [%rd2+48], {%r2, %r3, %r4, %r5};
    ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+64];
    st.global.v4.u32 [%rd2+64], {%r2, %r3, %r4, %r5};
    ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+80];
    st.global.v4.u32 [%rd2+80], {%r2, %r3, %r4, %r5};
  )";
  Ran ran = run(body, shapeOf(1), 24);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  // Six bytes of 4, 5: the fifth word's low half.
  CHECK(ran.out == std::vector<uint32_t>{1,  10, 2,  3,  4,  5,  0,  0,
                                         0,  0,  0,  0,  0,  0,  0,  0,
                                         16, 17, 18, 19, 20, 21, 22, 23});
}

TEST_CASE("copies are under way until they are waited for") {
  struct Case {
    const char *body;
    FaultKind kind;
  };
  const Case cases[] = {
      // Read before any wait; after a wait for another group; written.
      {"cp.async.ca.shared.global [tile], [%rd1], 16;\n"
       "ld.shared.u32 %r1, [tile+4];\ncp.async.wait_all;",
       FaultKind::AsyncRace},
      {"cp.async.ca.shared.global [tile], [%rd1], 16;\n"
       "cp.async.wait_group 0;\n"
       "ld.shared.u32 %r1, [tile+4];\ncp.async.wait_all;",
       FaultKind::AsyncRace},
      {"cp.async.ca.shared.global [tile], [%rd1], 16;\n"
       "st.shared.u32 [tile+4], 1;\ncp.async.wait_all;",
       FaultKind::AsyncRace},
      {"cp.async.ca.shared.global [tile], [%rd1], 16;\n"
       "st.global.u32 [%rd1+8], 1;\ncp.async.wait_all;",
       FaultKind::AsyncRace},
      {"cp.async.ca.shared.global [tile], [%rd1], 16;", FaultKind::LeakedAsync},
      {"cp.async.ca.shared.global [tile], [%rd1], 16;\n"
       "cp.async.commit_group; cp.async.wait_group 1;",
       FaultKind::LeakedAsync},
      {"cp.async.ca.shared.global [tile], [%rd1+4], 16;",
       FaultKind::Misaligned},
      {"cp.async.ca.shared.global [tile+8], [%rd1], 16;",
       FaultKind::Misaligned},
      {"cp.async.ca.shared.global [tile], [%rd1+16384], 16;",
       FaultKind::OutOfBounds},
      {"cp.async.ca.shared.global [tile+64], [%rd1], 16;",
       FaultKind::OutOfBounds},
      {"mov.u32 %r1, 5; cp.async.ca.shared.global [tile], [%rd1], 4, %r1;\n"
       "cp.async.wait_all;",
       FaultKind::IllegalValue},
  };
  for (const Case &test : cases) {
    INFO(test.body);
    Ran ran =
        run(".shared .align 16 .b8 tile[64];\nld.param.u64 %rd1, [a0];\n" +
                std::string(test.body),
            shapeOf(1), 1);
    INFO(ran.report.text());
    REQUIRE(ran.report.faults.size() == 1);
    CHECK(ran.report.faults[0].fault.kind == test.kind);
  }
  // Groups end in order; what is not committed yet ends with wait_all only.
  const char *body = R"(
    .shared .align 16 .b8 tile[64];
    ld.param.u64 %rd1, [a0];
    ld.param.u64 %rd2, [a1];
    cp.async.ca.shared.global [tile], [%rd1+4], 4;
    cp.async.commit_group;
    cp.async.ca.shared.global [tile+4], [%rd1+8], 4;
    cp.async.commit_group;
    cp.async.commit_group;
    cp.async.ca.shared.global [tile+8], [%rd1+12], 4;
    cp.async.wait_group 2;
    ld.shared.u32 %r1, [tile];
    cp.async.wait_group 1;
    ld.shared.u32 %r2, [tile+4];
    cp.async.wait_all;
    ld.shared.u32 %r3, [tile+8];
    st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r3};
  )";
  Ran ran = run(body, shapeOf(1), 4);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  CHECK(ran.out == std::vector<uint32_t>{1, 2, 3, 3});
}

namespace {

/// Warp 0 copies, warp 1 waits at the mbarrier and reads. `NOINC` and the count
/// of arrivals differ; with `plain`, the threads arrive by themselves too.
std::string arriveBody(bool noinc) {
  std::string body = R"(
    .shared .align 8 .b64 bar;
    .shared .align 16 .b32 tile[64];
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [a0];
    setp.ne.u32 %p1, %r1, 0;
    @!%p1 mbarrier.init.shared.b64 [bar], 32;
    bar.sync 0;
    mov.u32 %r5, tile;
    setp.ge.u32 %p2, %r1, 32;
    mov.u32 %r6, 0;
  NEXT:
    and.b32 %r7, %r6, 1;
    @%p2 bra CONSUME;
    mad.lo.u32 %r2, %r1, 4, %r5;
    mad.lo.u32 %r2, %r7, 128, %r2;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    mad.wide.u32 %rd2, %r6, 128, %rd2;
    cp.async.ca.shared.global [%r2], [%rd2], 4;
    ARRIVE
    bra STEP;
  CONSUME:
    mbarrier.try_wait.parity.shared.b64 %p3, [bar], %r7;
    @!%p3 bra CONSUME;
    sub.u32 %r3, 63, %r1;
    mad.lo.u32 %r4, %r3, 4, %r5;
    mad.lo.u32 %r4, %r7, 128, %r4;
    ld.shared.u32 %r8, [%r4];
    ld.param.u64 %rd3, [a1];
    sub.u32 %r9, %r1, 32;
    mad.wide.u32 %rd3, %r9, 4, %rd3;
    mad.wide.u32 %rd3, %r6, 128, %rd3;
    st.global.u32 [%rd3], %r8;
  STEP:
    bar.sync 0;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p4, %r6, 6;
    @%p4 bra NEXT;
  )";
  std::string arrive = noinc
                           ? "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"
                           : "cp.async.mbarrier.arrive.shared::cta.b64 [bar];\n"
                             "mbarrier.arrive.shared.b64 _, [bar];";
  body.replace(body.find("ARRIVE"), 6, arrive);
  return body;
}

} // namespace

TEST_CASE("an mbarrier hears of cp.async") {
  for (bool noinc : {false, true}) {
    Ran ran = run(arriveBody(noinc), shapeOf(64), 192);
    INFO(ran.report.text());
    REQUIRE(ran.report.ok());
    for (uint32_t phase = 0; phase < 6; ++phase)
      for (uint32_t i = 0; i < 32; ++i)
        CHECK(ran.out[phase * 32 + i] == phase * 32 + 31 - i);
  }
  // The copy is under way for its own thread, too.
  std::string own = arriveBody(true);
  own.replace(own.find("bra STEP;"), 9, "ld.shared.u32 %r8, [%r2];\nbra STEP;");
  Ran ran = run(own, shapeOf(64), 192);
  REQUIRE(ran.report.faults.size() == 1);
  CHECK(ran.report.faults[0].fault.kind == FaultKind::AsyncRace);
  // The thread may wait for its group instead.
  const char *body = R"(
    .shared .align 8 .b64 bar[2];
    .shared .align 16 .b32 tile[4];
    ld.param.u64 %rd1, [a0];
    ld.param.u64 %rd2, [a1];
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.init.shared.b64 [bar+8], 1;
    cp.async.ca.shared.global [tile], [%rd1+4], 4;
    cp.async.commit_group;
    cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
    cp.async.wait_group 0;
    ld.shared.u32 %r1, [tile];
    cp.async.ca.shared.global [tile+4], [%rd1+8], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
    cp.async.ca.shared.global [tile+8], [%rd1+12], 4;
    cp.async.mbarrier.arrive.noinc.b64 [bar+8];
  AGAIN: // the second one tells of all copies before it
    mbarrier.test_wait.parity.shared.b64 %p1, [bar+8], 0;
    @!%p1 bra AGAIN;
    ld.shared.u32 %r2, [tile+4];
    ld.shared.u32 %r3, [tile+8];
    st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r3};
  )";
  ran = run(body, shapeOf(1), 4);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  CHECK(ran.out == std::vector<uint32_t>{1, 2, 3, 3});
}

TEST_CASE("bulk copies by way of shared memory") {
  // In by an mbarrier, doubled in place, out by a group.
  const char *body = R"(
    .shared .align 128 .b32 tile[256];
    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [a0];
    ld.param.u64 %rd2, [a1];
    mad.wide.u32 %rd1, %r2, 1024, %rd1;
    mad.wide.u32 %rd2, %r2, 1024, %rd2;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra WAIT;
    mbarrier.init.shared.b64 [bar], 1;
    fence.proxy.async.shared::cta;
    cp.async.bulk.prefetch.L2.global [%rd1], 64;
    mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 1008, [bar];
    add.s64 %rd3, %rd1, 1008;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile+1008], [%rd3], 16, [bar];
  WAIT:
    bar.sync 0;
  AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
    @!%p2 bra AGAIN;
    mov.u32 %r3, tile;
    mad.lo.u32 %r3, %r1, 4, %r3;
    ld.shared.u32 %r4, [%r3];
    add.u32 %r4, %r4, %r4;
    st.shared.u32 [%r3], %r4;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    @%p1 bra END;
    cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 512;
    cp.async.bulk.commit_group;
    cp.async.bulk.global.shared::cta.bulk_group [%rd2+512], [tile+512], 512;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    cp.async.bulk.wait_group 0;
  END:
  )";
  Ran ran = run(body, shapeOf(256, 3), 768);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t i = 0; i < 768; ++i)
    CHECK(ran.out[i] == 2 * i);
  // 3 KiB in and out; the prefetch reads two sectors more a block.
  const CounterReport &counters = ran.report.counters;
  REQUIRE(counters.tensors.size() == 2);
  CHECK(counters.tensors[0].count.readBytes == 3 * (1024 + 64));
  // The two copies of a block share the sector of bytes 992 to 1023.
  CHECK(counters.tensors[0].count.readSectors == 3 * (32 + 1 + 2));
  CHECK(counters.tensors[1].count.writtenBytes == 3072);
  CHECK(counters.tensors[1].count.writtenSectors == 96);

  std::string early = body;
  const std::string wait = "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;";
  early.replace(early.find(wait), wait.size(), "setp.eq.u32 %p2, %r1, %r1;");
  CHECK(
      hasFault(run(early, shapeOf(256, 1), 768).report, FaultKind::AsyncRace));
  std::string leaked = body;
  leaked.erase(leaked.find("cp.async.bulk.wait_group.read 0;"), 32);
  leaked.erase(leaked.find("cp.async.bulk.wait_group 0;"), 27);
  CHECK(hasFault(run(leaked, shapeOf(256, 1), 768).report,
                 FaultKind::LeakedAsync));
}

TEST_CASE("bulk copies in a cluster") {
  // Block 0 reads a row and sends it to all; each sends it on to the next.
  const char *body = R"(
    .shared .align 16 .b32 row[32];
    .shared .align 16 .b32 second[32];
    .shared .align 8 .b64 bar[2];
    .reg .b32 %rank, %next, %to, %signal;
    mov.u32 %r1, %tid.x;
    mov.u32 %rank, %cluster_ctarank;
    ld.param.u64 %rd1, [a0];
    ld.param.u64 %rd2, [a1];
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.init.shared.b64 [bar+8], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
    mbarrier.arrive.expect_tx.shared.b64 _, [bar+8], 128;
  READY:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    @%p1 bra FIRST;
    setp.ne.u32 %p2, %rank, 0;
    @%p2 bra FIRST;
    mov.b16 %h1, 7;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [row], [%rd1+256], 128, [bar], %h1;
  FIRST:
    mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;
    @!%p3 bra FIRST;
    @%p1 bra SECOND;
    add.u32 %next, %rank, 1;
    rem.u32 %next, %next, 3;
    mapa.shared::cluster.u32 %to, second, %next;
    mapa.shared::cluster.u32 %signal, bar, %next;
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%to], [row], 128, [%signal+8];
  SECOND:
    mbarrier.try_wait.parity.shared.b64 %p3, [bar+8], 0;
    @!%p3 bra SECOND;
    mov.u32 %r2, row;
    mad.lo.u32 %r2, %r1, 4, %r2;
    ld.shared.u32 %r3, [%r2];
    ld.shared.u32 %r4, [%r2+128];
    add.u32 %r3, %r3, %r4;
    mov.u32 %r5, %ctaid.x;
    mad.lo.u32 %r5, %r5, 32, %r1;
    mad.wide.u32 %rd2, %r5, 4, %rd2;
    st.global.u32 [%rd2], %r3;
    barrier.cluster.arrive;
    barrier.cluster.wait;
  )";
  Ran ran = run(body, shapeOf(32, 3, 3), 96);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t i = 0; i < 96; ++i)
    CHECK(ran.out[i] == 2 * (64 + i % 32));
}

TEST_CASE("what goes wrong with bulk copies") {
  struct Case {
    const char *statement, *words;
  };
  const Case cases[] = {
      {"mov.u32 %r1, 24; cp.async.bulk.shared::cluster.global.mbarrier"
       "::complete_tx::bytes [tile], [%rd1], %r1, [bar];",
       "the size is not a multiple of 16"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
       "[tile], [%rd1+8], 16, [bar];",
       "is not a multiple of 16"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
       "[tile+48], [%rd1], 32, [bar];",
       "the block's shared memory has 72 bytes"},
      {"cp.async.bulk.prefetch.L2.global [%rd1+16368], 32;",
       "no buffer holds these bytes"},
      {"mov.u32 %r1, 24; cp.async.bulk.prefetch.L2.global [%rd1], %r1;",
       "the size is not a multiple of 16"},
  };
  for (const Case &test : cases) {
    INFO(test.statement);
    Ran ran =
        run(".shared .align 16 .b8 tile[64];\n.shared .align 8 .b64 bar;\n"
            "ld.param.u64 %rd1, [a0];\n"
            "mbarrier.init.shared.b64 [bar], 1;\n" +
                std::string(test.statement),
            shapeOf(1), 1);
    INFO(ran.report.text());
    REQUIRE(ran.report.faults.size() == 1);
    CHECK(contains(ran.report.faults[0].fault.detail, test.words));
  }
}

TEST_CASE("asynchronous copies that are refused") {
  struct Case {
    const char *statement, *words;
  };
  const Case cases[] = {
      {"cp.async.cg.shared.global [tile], [%rd1], 8;",
       "the size has to be 16 with '.cg'"},
      {"cp.async.ca.shared.global [tile], [%rd1], 2;",
       "the size has to be 4, 8 or 16"},
      {"cp.async.ca.shared.global [tile], [%rd1], %r1;",
       "operand 3 must be a number"},
      {"cp.async.ca.global.shared [%rd1], [tile], 4;",
       "the spaces have to be '.shared.global'"},
      {"cp.async.wait_group %r1;", "must be a number"},
      {"cp.async.wait_group -1;", "the number of groups cannot be negative"},
      {"cp.async.mbarrier.arrive.shared::cluster.b64 [%r1];",
       "the mbarrier has to be in the block's own shared memory"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
       "::bytes [tile], [%rd1, {%r1, %r2}], [tile];",
       "tensor maps (cp.async.bulk.tensor) are not supported"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], "
       "[tile], 64;",
       "copies that reduce are not supported"},
      {"cp.async.bulk.global.global.bulk_group [%rd1], [%rd2], 64;",
       "there is no bulk copy between these spaces"},
      {"cp.async.bulk.shared::cta.shared::cta.bulk_group [%r1], [%r2], 64;",
       "there is no bulk copy between these spaces"},
      {"cp.async.bulk.shared::cta.global.bulk_group [%r1], [%rd2], 64;",
       "a bulk copy to shared memory has to be"},
      {"cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%rd1], "
       "[%r2], 64, [%r1];",
       "a bulk copy to global memory has to be '.bulk_group'"},
      {"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r2], 64, "
       "%h1;",
       "masks of bytes are not supported"},
  };
  for (const Case &test : cases) {
    INFO(test.statement);
    std::string message = decodeFailure(".shared .align 16 .b8 tile[64];\n" +
                                        std::string(test.statement));
    INFO(message);
    CHECK(contains(message, test.words));
  }
}
