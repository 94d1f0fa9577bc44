//===- BarrierTest.cpp - barriers of blocks and clusters ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Harness.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;

/// `%r1` is the thread, `%rd2` the address of its u32 in the output.
static const char *kStart = R"(
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [a0];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
)";

struct Ran {
  Report report;
  std::vector<uint32_t> values;
};

/// One block; every thread has a u32 of the output.
static Ran runBlock(const std::string &body, uint32_t threads,
                    const SimulatorOptions &options = {}) {
  Simulator card(options);
  uint64_t out = *card.upload(std::vector<uint32_t>(threads, 0));
  LaunchShape shape;
  shape.block = {threads, 1, 1};
  Ran ran;
  ran.report = runKernel(card, kernelText(kStart + body, 1), shape, {out});
  ran.values = *card.download<uint32_t>(out, threads);
  return ran;
}

static std::vector<FaultKind> kinds(const Report &report) {
  std::vector<FaultKind> all;
  for (const FaultLog::Entry &entry : report.faults)
    all.push_back(entry.fault.kind);
  return all;
}

TEST_CASE("bar.sync lets a block exchange values", "[sim][barrier]") {
  for (const char *barrier : {"bar.sync 0;", "bar.cta.sync 3;",
                              "barrier.sync 0;", "barrier.cta.sync.aligned 15;",
                              "bar.sync 1, 96;", "barrier.sync 1, 96;"}) {
    Ran ran = runBlock(std::string(R"(
    .shared .align 4 .b8 words[384];
    mov.u32 %r2, words;
    mad.lo.u32 %r3, %r1, 4, %r2;
    st.shared.u32 [%r3], %r1;
    )") + barrier + R"(
    sub.u32 %r4, 95, %r1;
    mad.lo.u32 %r3, %r4, 4, %r2;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd2], %r5;
    )",
                       96);
    INFO(barrier << "\n" << ran.report.text());
    REQUIRE(ran.report.ok());
    for (uint32_t i = 0; i < 96; ++i)
      CHECK(ran.values[i] == 95 - i);
    CHECK(ran.report.counters.barriers == 1);
  }
}

TEST_CASE("a barrier is used again and again", "[sim][barrier]") {
  Ran ran = runBlock(R"(
    .shared .align 4 .b8 word[4];
    mov.u32 %r6, 0;
  LOOP:
    rem.u32 %r7, %r6, 128;
    setp.ne.u32 %p1, %r7, %r1;
    @%p1 bra SKIP;
    mul.lo.u32 %r8, %r6, 3;
    st.shared.u32 [word], %r8;
  SKIP:
    bar.sync 0;
    ld.shared.u32 %r9, [word];
    bar.sync 0;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 300;
    @%p2 bra LOOP;
    st.global.u32 [%rd2], %r9;
  )",
                     128);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t value : ran.values)
    CHECK(value == 299 * 3);
  CHECK(ran.report.counters.barriers == 600);
}

TEST_CASE("producers arrive, consumers wait", "[sim][barrier]") {
  // Warps 0 and 1 produce for warp 2; barrier 1: full, barrier 2: empty.
  Ran ran = runBlock(R"(
    .shared .align 4 .b8 words[256];
    mov.u32 %r2, words;
    mov.u32 %r10, 0;
    mov.u32 %r6, 0;
    setp.ge.u32 %p1, %r1, 64;
    mad.lo.u32 %r3, %r1, 4, %r2;
    @%p1 bra CONSUMER;
  PRODUCE:
    bar.sync 2, 96;
    mad.lo.u32 %r4, %r6, 1000, %r1;
    st.shared.u32 [%r3], %r4;
    bar.arrive 1, 96;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 5;
    @%p2 bra PRODUCE;
    bra.uni DONE;
  CONSUMER:
    sub.u32 %r5, %r1, 64;
    mad.lo.u32 %r3, %r5, 4, %r2;
  CONSUME:
    bar.arrive 2, 96;
    bar.sync 1, 96;
    ld.shared.u32 %r7, [%r3];
    ld.shared.u32 %r8, [%r3+128];
    add.u32 %r10, %r10, %r7;
    add.u32 %r10, %r10, %r8;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 5;
    @%p2 bra CONSUME;
  DONE:
    st.global.u32 [%rd2], %r10;
  )",
                     96);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t i = 64; i < 96; ++i) {
    uint32_t lane = i - 64;
    // Rounds 0..4, of thread `lane` and of thread `lane + 32`.
    CHECK(ran.values[i] == 2 * 10 * 1000 + 5 * (lane + lane + 32));
  }
}

TEST_CASE("an arrival that nobody waits for may be left over",
          "[sim][barrier]") {
  Ran ran = runBlock("setp.lt.u32 %p1, %r1, 32;\n@!%p1 exit;\n"
                     "bar.arrive 1, 64;",
                     64);
  INFO(ran.report.text());
  CHECK(ran.report.ok());
}

TEST_CASE("bar.red counts and combines predicates", "[sim][barrier]") {
  Ran ran = runBlock(R"(
    setp.lt.u32 %p1, %r1, 37;
    setp.lt.u32 %p2, %r1, 64;
    bar.red.popc.u32 %r3, 0, %p1;
    bar.red.and.pred %p3, 0, %p1;
    bar.red.and.pred %p4, 0, 64, %p2;
    bar.red.or.pred %p5, 0, 64, !%p2;
    barrier.cta.red.popc.aligned.u32 %r4, 1, 64, !%p1;
    barrier.red.or.pred %p6, 2, %p1;
    selp.u32 %r5, 1, 0, %p3;
    selp.u32 %r6, 2, 0, %p4;
    selp.u32 %r7, 4, 0, %p5;
    selp.u32 %r8, 8, 0, %p6;
    or.b32 %r5, %r5, %r6; or.b32 %r7, %r7, %r8; or.b32 %r5, %r5, %r7;
    mad.lo.u32 %r5, %r3, 1000, %r5;
    mad.lo.u32 %r5, %r4, 1000000, %r5;
    st.global.u32 [%rd2], %r5;
  )",
                     64);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  // 37 true; 27 not; all below 64; none of the negated; some.
  for (uint32_t value : ran.values)
    CHECK(value == 27 * 1000000 + 37 * 1000 + 2 + 8);
}

TEST_CASE("two halves of a block use barriers of their own", "[sim][barrier]") {
  Ran ran = runBlock(R"(
    shr.u32 %r2, %r1, 6;
    add.u32 %r3, %r2, 1;
    setp.eq.u32 %p1, %r2, 0;
    bar.red.popc.u32 %r4, %r3, 64, %p1;
    st.global.u32 [%rd2], %r4;
  )",
                     128);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t i = 0; i < 128; ++i)
    CHECK(ran.values[i] == (i < 64 ? 64u : 0u));
}

TEST_CASE("an aligned barrier in divergent code is a fault", "[sim][barrier]") {
  Ran ran = runBlock(R"(
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra THEN;
    bar.sync 0;
    bra.uni DONE;
  THEN:
    bar.sync 0;
  DONE:
  )",
                     64);
  INFO(ran.report.text());
  REQUIRE(kinds(ran.report) ==
          std::vector<FaultKind>{FaultKind::BarrierDivergence});
  const Fault &fault = ran.report.faults[0].fault;
  REQUIRE(fault.sites.size() == 2);
  CHECK(fault.object == "warp 0 of block 0");
  CHECK(fault.detail == "all lanes of a warp have to come to the same .aligned "
                        "instruction: move it out of divergent code");
  std::string text = ran.report.text();
  CHECK(
      text.find("with lanes 0-15 waits for lanes 16-31 of its warp to come,") !=
      std::string::npos);
  CHECK(
      text.find("with lanes 16-31 waits for lanes 0-15 of its warp to come,") !=
      std::string::npos);
}

TEST_CASE("a barrier without .aligned may stand in divergent code",
          "[sim][barrier]") {
  Ran ran = runBlock(R"(
    mov.u32 %r3, 1;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra THEN;
    barrier.sync 0;
    bra.uni DONE;
  THEN:
    mov.u32 %r3, 2;
    barrier.sync 0;
  DONE:
    st.global.u32 [%rd2], %r3;
  )",
                     64);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t i = 0; i < 64; ++i)
    CHECK(ran.values[i] == (i < 16 ? 2u : 1u));
  CHECK(ran.report.counters.barriers == 1);
}

TEST_CASE("threads that exit early are missed at a barrier", "[sim][barrier]") {
  Ran ran = runBlock(R"(
    setp.ge.u32 %p1, %r1, 90;
    @%p1 exit;
    bar.sync 0;
    st.global.u32 [%rd2], 1;
  )",
                     96);
  INFO(ran.report.text());
  REQUIRE(kinds(ran.report) ==
          std::vector<FaultKind>{FaultKind::BarrierDivergence});
  const Fault &fault = ran.report.faults[0].fault;
  CHECK(fault.object == "barrier 0 of block 0");
  CHECK(fault.detail ==
        "threads 90-95 have exited and will never come: every thread of a "
        "block has to come to its barriers");
  CHECK(fault.sites[1].who.thread == 90);
  CHECK(fault.sites[1].action == "exits");
  // The others went on.
  CHECK(ran.report.refusal.empty());
  for (uint32_t i = 0; i < 96; ++i)
    CHECK(ran.values[i] == (i < 90 ? 1u : 0u));
}

TEST_CASE("a warp that exits while others wait is missed", "[sim][barrier]") {
  Ran ran = runBlock(R"(
    setp.lt.u32 %p1, %r1, 64;
    @%p1 bra WAIT;
    mov.u32 %r2, 0;
  LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 3000;
    @%p2 bra LOOP;
    exit;
  WAIT:
    bar.sync 0;
    st.global.u32 [%rd2], 1;
  )",
                     96);
  INFO(ran.report.text());
  REQUIRE(kinds(ran.report) ==
          std::vector<FaultKind>{FaultKind::BarrierDivergence});
  CHECK(ran.report.faults[0].fault.detail.find("threads 64-95 have exited") ==
        0);
  CHECK(ran.values[63] == 1);
  CHECK(ran.values[64] == 0);
}

TEST_CASE("arrivals that do not go together", "[sim][barrier]") {
  SECTION("thread counts") {
    Ran ran = runBlock(R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra FIRST;
    bar.sync 1, 64;
    exit;
  FIRST:
    bar.sync 1, 96;
  )",
                       96);
    INFO(ran.report.text());
    REQUIRE(!ran.report.faults.empty());
    const Fault &fault = ran.report.faults[0].fault;
    CHECK(fault.kind == FaultKind::BarrierMisuse);
    CHECK(fault.detail ==
          "it is for 64 threads here, for 96 by those who came first");
    CHECK(fault.sites.size() == 2);
  }
  SECTION("reductions and others") {
    Ran ran = runBlock(R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra FIRST;
    bar.red.popc.u32 %r2, 0, %p1;
    exit;
  FIRST:
    bar.sync 0;
  )",
                       64);
    INFO(ran.report.text());
    REQUIRE(!ran.report.faults.empty());
    CHECK(ran.report.faults[0].fault.detail ==
          "a reduction does not mix with other arrivals at one barrier");
  }
  SECTION("a warp arrives twice") {
    Ran ran = runBlock("setp.lt.u32 %p1, %r1, 32;\n"
                       "@!%p1 exit;\n"
                       "bar.arrive 1, 64;\nbar.arrive 1, 64;",
                       64);
    INFO(ran.report.text());
    REQUIRE(kinds(ran.report) ==
            std::vector<FaultKind>{FaultKind::BarrierMisuse});
    CHECK(ran.report.faults[0].fault.detail ==
          "this thread has arrived before and the barrier is not complete "
          "yet");
  }
}

TEST_CASE("operands of barriers without a meaning", "[sim][barrier]") {
  auto detail = [](const std::string &body) {
    Ran ran = runBlock(body, 64);
    INFO(ran.report.text());
    REQUIRE(kinds(ran.report) ==
            std::vector<FaultKind>{FaultKind::BarrierMisuse});
    return ran.report.faults[0].fault.detail;
  };
  CHECK(detail("mov.u32 %r2, 16; bar.sync %r2;") ==
        "a block has barriers 0 to 15");
  CHECK(detail("mov.u32 %r2, 48; bar.sync 1, %r2;") ==
        "a thread count of 48 is not a multiple of the warp's 32");
  CHECK(detail("bar.sync 1, 128;") ==
        "a thread count of 128 is more than the block's 64 threads");
  CHECK(detail("mov.u32 %r2, 0; bar.arrive 1, %r2;") ==
        "an arrival needs a thread count, not 0");
  CHECK(detail("and.b32 %r2, %r1, 1; bar.sync %r2, 32;") ==
        "it differs between the lanes of a warp");
  CHECK(decodeFailure("bar.sync 16;").find("a block has barriers 0 to 15") !=
        std::string::npos);
  CHECK(decodeFailure("bar.arrive 1;").find("takes 2 operands, not 1") !=
        std::string::npos);
}

TEST_CASE("two barriers that wait for each other are a deadlock",
          "[sim][barrier]") {
  Ran ran = runBlock(R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra FIRST;
    bar.sync 2, 64;
    bar.sync 1, 64;
    exit;
  FIRST:
    bar.sync 1, 64;
    bar.sync 2, 64;
  )",
                     64);
  INFO(ran.report.text());
  REQUIRE(kinds(ran.report) == std::vector<FaultKind>{FaultKind::Deadlock});
  const Fault &fault = ran.report.faults[0].fault;
  REQUIRE(fault.sites.size() == 2);
  CHECK(fault.sites[0].action ==
        "waits for barrier 1 (32 of 64 threads have come)");
  CHECK(fault.sites[1].action ==
        "waits for barrier 2 (32 of 64 threads have come)");
  // 13 lines of declarations, 4 of kStart and the rest of its last.
  CHECK(fault.detail ==
        "no thread can go on; barrier 1 of block 0 waits for 32 more threads, "
        "not there are threads 32-63 (wait at PTX line 21); barrier 2 of block "
        "0 waits for 32 more threads, not there are threads 0-31 (wait at PTX "
        "line 25)");
}

TEST_CASE("a counted barrier whose threads have exited is a deadlock",
          "[sim][barrier]") {
  Ran ran = runBlock(R"(
    setp.lt.u32 %p1, %r1, 32;
    @!%p1 exit;
    bar.sync 1, 64;
  )",
                     96);
  INFO(ran.report.text());
  REQUIRE(kinds(ran.report) == std::vector<FaultKind>{FaultKind::Deadlock});
  CHECK(ran.report.faults[0].fault.detail.find(
            "threads 32-95 (exited at PTX line 20)") != std::string::npos);
}

TEST_CASE("bar.warp.sync takes the lanes of its mask", "[sim][barrier]") {
  Ran ran = runBlock(R"(
    .shared .align 4 .b8 words[128];
    mov.u32 %r2, words;
    mad.lo.u32 %r3, %r1, 4, %r2;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    st.shared.u32 [%r3], %r1;
    bar.warp.sync 0xffff0000;
    xor.b32 %r4, %r1, 1;
    mad.lo.u32 %r3, %r4, 4, %r2;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd2], %r5;
  LOW:
    bar.warp.sync 0xffffffff;
  )",
                     32);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t i = 16; i < 32; ++i)
    CHECK(ran.values[i] == (i ^ 1));
}

TEST_CASE("lanes of one fragment may have masks of their own",
          "[sim][barrier]") {
  Ran ran = runBlock(R"(
    and.b32 %r2, %r1, 8;
    setp.eq.u32 %p1, %r2, 0;
    selp.b32 %r3, 0x00ff00ff, 0xff00ff00, %p1;
    vote.sync.ballot.b32 %r4, 1, %r3;
    st.global.u32 [%rd2], %r4;
  )",
                     32);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t i = 0; i < 32; ++i)
    CHECK(ran.values[i] == (i & 8 ? 0xff00ff00u : 0x00ff00ffu));
}

TEST_CASE("lanes that a mask names and that never come", "[sim][barrier]") {
  Ran ran = runBlock(R"(
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    bar.warp.sync 0xffffffff;
    exit;
  LOW:
    bar.warp.sync 0xffffffff;
  )",
                     32);
  INFO(ran.report.text());
  REQUIRE(kinds(ran.report) ==
          std::vector<FaultKind>{FaultKind::BarrierDivergence});
  CHECK(ran.report.faults[0].fault.detail ==
        "all lanes that a member mask names have to come to the same "
        "instruction with the same mask");
}

TEST_CASE("member masks without a meaning", "[sim][barrier]") {
  Ran own = runBlock("bar.warp.sync 0x0000ffff;", 32);
  INFO(own.report.text());
  REQUIRE(kinds(own.report) == std::vector<FaultKind>{FaultKind::IllegalValue});
  CHECK(own.report.faults[0].fault.object == "member mask 0x0000ffff");
  CHECK(own.report.faults[0].fault.sites[0].who.thread == 16);
  CHECK(own.report.faults[0].fault.detail ==
        "the mask does not name the thread's own lane");
  Ran gone = runBlock("setp.eq.u32 %p1, %r1, 3;\n@%p1 exit;\n"
                      "bar.warp.sync 0xffffffff;",
                      32);
  REQUIRE(kinds(gone.report) ==
          std::vector<FaultKind>{FaultKind::IllegalValue});
  CHECK(gone.report.faults[0].fault.detail ==
        "the mask names lane 3, which has exited");
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// A grid of clusters of 2 blocks of 64 threads; a u32 a thread.
static Ran runClusters(const std::string &body, uint32_t blocks) {
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>(64 * blocks, 0));
  LaunchShape shape;
  shape.grid = {blocks, 1, 1};
  shape.cluster = {2, 1, 1};
  shape.block = {64, 1, 1};
  Ran ran;
  ran.report = runKernel(card,
                         kernelText(R"(
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, 64, %r1;
    ld.param.u64 %rd1, [a0];
    mad.wide.u32 %rd2, %r3, 4, %rd1;
  )" + body,
                                    1),
                         shape, {out});
  ran.values = *card.download<uint32_t>(out, 64 * blocks);
  return ran;
}

TEST_CASE("a cluster's barrier orders its blocks", "[sim][barrier]") {
  Ran ran = runClusters(R"(
    .shared .align 4 .b8 words[256];
    mov.u32 %r4, words;
    mad.lo.u32 %r5, %r1, 4, %r4;
    st.shared.u32 [%r5], %r3;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    mov.u32 %r6, %cluster_ctarank;
    xor.b32 %r6, %r6, 1;
    mapa.shared::cluster.u32 %r7, %r5, %r6;
    ld.shared::cluster.u32 %r8, [%r7];
    st.global.u32 [%rd2], %r8;
    barrier.cluster.arrive;
    barrier.cluster.wait;
  )",
                        6);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  for (uint32_t i = 0; i < 6 * 64; ++i)
    CHECK(ran.values[i] == (i ^ 64));
}

TEST_CASE("a cluster's barrier does not wait for threads that have exited",
          "[sim][barrier]") {
  Ran ran = runClusters(R"(
    setp.ge.u32 %p1, %r1, 40;
    @%p1 exit;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    st.global.u32 [%rd2], 1;
  )",
                        2);
  INFO(ran.report.text());
  REQUIRE(ran.report.ok());
  CHECK(ran.values[39] == 1);
  CHECK(ran.values[64] == 1);
}

TEST_CASE("misuse of a cluster's barrier", "[sim][barrier]") {
  Ran wait = runClusters("barrier.cluster.wait.aligned;", 2);
  REQUIRE(kinds(wait.report) ==
          std::vector<FaultKind>{FaultKind::BarrierMisuse});
  CHECK(wait.report.faults[0].fault.detail ==
        "this thread waits without having arrived: barrier.cluster.arrive "
        "must come first");
  Ran twice = runClusters("barrier.cluster.arrive.aligned;\n"
                          "barrier.cluster.arrive.aligned;\n"
                          "barrier.cluster.wait.aligned;",
                          2);
  REQUIRE(kinds(twice.report) ==
          std::vector<FaultKind>{FaultKind::BarrierMisuse});
  CHECK(twice.report.faults[0].fault.detail ==
        "this thread has arrived before and has not waited since: "
        "barrier.cluster.wait must come in between");
}

TEST_CASE("a block that does not come to its cluster's barrier is a deadlock",
          "[sim][barrier]") {
  Ran ran = runClusters(R"(
    .shared .align 4 .b8 word[4];
    mov.u32 %r4, %cluster_ctarank;
    setp.eq.u32 %p1, %r4, 1;
    @%p1 bra OTHER;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    exit;
  OTHER:
    bar.sync 1, 64;
    setp.lt.u32 %p2, %r1, 32;
    @%p2 bra LAST;
    bar.sync 2, 64;
  LAST:
    bar.sync 3, 64;
  )",
                        2);
  INFO(ran.report.text());
  REQUIRE(kinds(ran.report) == std::vector<FaultKind>{FaultKind::Deadlock});
  CHECK(ran.report.faults[0].fault.detail.find(
            "block 1 has not come to the cluster's barrier with threads") !=
        std::string::npos);
  CHECK(ran.report.faults[0].fault.sites[0].action ==
        "waits for the cluster's barrier (64 threads have come)");
}

TEST_CASE("fences of every kind are accepted", "[sim][barrier]") {
  Ran ran = runBlock(R"(
    membar.cta; membar.gl; membar.sys;
    fence.sc.cta; fence.acq_rel.gpu; fence.sc.sys; fence.acq_rel.cluster;
    fence.acquire.gpu; fence.release.cta;
    fence.proxy.async; fence.proxy.async.shared::cta; fence.proxy.async.global;
    fence.proxy.alias;
    fence.mbarrier_init.release.cluster;
    fence.proxy.tensormap::generic.release.gpu;
    st.global.u32 [%rd2], 1;
  )",
                     32);
  INFO(ran.report.text());
  CHECK(ran.report.ok());
  CHECK(decodeFailure("fence.sc;")
            .find("a scope must follow: cta, cluster, "
                  "gpu or sys") != std::string::npos);
  CHECK(decodeFailure("membar.gpu;")
            .find("a level must follow: cta, gl or "
                  "sys") != std::string::npos);
  CHECK(decodeFailure("fence.proxy.magic;")
            .find("a kind of proxy must "
                  "follow") != std::string::npos);
}
