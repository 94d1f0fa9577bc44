//===- MbarrierTest.cpp - mbarriers and clusters' memory ------------------===//
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

std::vector<uint32_t> runWords(const std::string &body, LaunchShape shape,
                               size_t words) {
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>(words));
  Report report = runKernel(card, kernelText(body, 1), shape, {out});
  INFO(report.text());
  REQUIRE(report.ok());
  return *card.download<uint32_t>(out, words);
}

/// The faults of one thread's `body`, with an mbarrier `bar` at offset 0 that
/// is initialised for `count` arrivals, if that is not 0.
Report faultsOf(const std::string &body, unsigned count = 1) {
  std::string text = ".shared .align 8 .b64 bar;\n";
  if (count)
    text += "mbarrier.init.shared.b64 [bar], " + std::to_string(count) + ";\n";
  Simulator card;
  return runKernel(card, kernelText(text + body), shapeOf(1), {});
}

} // namespace

TEST_CASE("a pipeline of two stages over many phases") {
  // Warp 0 fills 20 stages with stage * 100 + lane, warp 1 sums them up.
  const char *body = R"(
    .shared .align 8 .b64 full[2];
    .shared .align 8 .b64 empty[2];
    .shared .align 16 .b32 stages[64];
    .reg .b32 %full, %empty, %slot, %parity, %stage, %lane, %at, %sum;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [full], 32;
    mbarrier.init.shared::cta.b64 [full+8], 32;
    mbarrier.init.shared::cta.b64 [empty], 32;
    mbarrier.init.shared::cta.b64 [empty+8], 32;
  READY:
    bar.sync 0;
    and.b32 %lane, %r1, 31;
    mov.u32 %stage, 0;
    mov.u32 %sum, 0;
    setp.ge.u32 %p2, %r1, 32;
  NEXT:
    and.b32 %slot, %stage, 1;
    shr.u32 %parity, %stage, 1;
    and.b32 %parity, %parity, 1;
    mov.u32 %full, full;
    mad.lo.u32 %full, %slot, 8, %full;
    mov.u32 %empty, empty;
    mad.lo.u32 %empty, %slot, 8, %empty;
    mov.u32 %at, stages;
    mad.lo.u32 %at, %slot, 128, %at;
    mad.lo.u32 %at, %lane, 4, %at;
    @%p2 bra CONSUME;
    xor.b32 %r2, %parity, 1;
  FREE:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%empty], %r2;
    @!%p3 bra FREE;
    mad.lo.u32 %r3, %stage, 100, %lane;
    st.shared.u32 [%at], %r3;
    mbarrier.arrive.shared::cta.b64 _, [%full];
    bra STEP;
  CONSUME:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%full], %parity, 1000;
    @!%p3 bra CONSUME;
    xor.b32 %r5, %lane, 5;
    mov.u32 %at, stages;
    mad.lo.u32 %at, %slot, 128, %at;
    mad.lo.u32 %at, %r5, 4, %at;
    ld.shared.u32 %r4, [%at];
    add.u32 %sum, %sum, %r4;
    mbarrier.arrive.release.cta.shared::cta.b64 _, [%empty];
  STEP:
    add.u32 %stage, %stage, 1;
    setp.lt.u32 %p4, %stage, 20;
    @%p4 bra NEXT;
    @!%p2 bra END;
    ld.param.u64 %rd1, [a0];
    mad.wide.u32 %rd1, %lane, 4, %rd1;
    st.global.u32 [%rd1], %sum;
  END:
  )";
  std::vector<uint32_t> sums = runWords(body, shapeOf(64), 32);
  for (uint32_t i = 0; i < 32; ++i)
    CHECK(sums[i] == 100 * 190 + 20 * (i ^ 5));
}

TEST_CASE("states, counts, drops and transactions") {
  const char *body = R"(
    .shared .align 8 .b64 bar;
    .reg .b32 %out;
    mbarrier.init.shared.b64 [bar], 5;
    mbarrier.arrive.shared.b64 %rd2, [bar];
    mbarrier.pending_count.b64 %r1, %rd2;          // 5: from before
    mbarrier.arrive.noComplete.shared.b64 %rd3, [bar], 2;
    mbarrier.pending_count.b64 %r2, %rd3;          // 4
    mbarrier.test_wait.shared.b64 %p1, [bar], %rd2;
    mbarrier.arrive_drop.shared.b64 %rd4, [bar];
    mbarrier.pending_count.b64 %r3, %rd4;          // 2
    mbarrier.arrive.shared.b64 %rd5, [bar];        // phase 0 is complete
    mbarrier.test_wait.shared.b64 %p2, [bar], %rd2;
    mbarrier.test_wait.parity.shared.b64 %p3, [bar], 0;
    mbarrier.test_wait.parity.shared.b64 %p4, [bar], 1;
    mbarrier.arrive.shared.b64 %rd6, [bar], 3;
    mbarrier.pending_count.b64 %r4, %rd6;          // 4: one dropped out
    mbarrier.arrive.expect_tx.shared.b64 %rd7, [bar], 96;
    mbarrier.test_wait.shared.b64 %p5, [bar], %rd7;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 32;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 100;
    mbarrier.test_wait.shared.b64 %p6, [bar], %rd7;
    mbarrier.complete_tx.shared::cluster.b64 [bar], 28;
    mbarrier.test_wait.acquire.cta.shared.b64 %p7, [bar], %rd7;
    mbarrier.arrive_drop.expect_tx.shared.b64 _, [bar], 8;
    mbarrier.complete_tx.b64 [bar], 8;
    mbarrier.arrive_drop.noComplete.shared.b64 %rd9, [bar], 2;
    mbarrier.arrive.shared.b64 _, [bar];
    mbarrier.arrive.shared.b64 %rd10, [bar];
    mbarrier.pending_count.b64 %r5, %rd10;         // 1: four dropped out
    mbarrier.try_wait.shared.b64 %p8, [bar], %rd10;
    mbarrier.inval.shared.b64 [bar];
    mbarrier.init.shared.b64 [bar], 1;
    selp.u32 %out, 1, 0, %p1;
    selp.u32 %r6, 2, 0, %p2;
    or.b32 %out, %out, %r6;
    selp.u32 %r6, 4, 0, %p3;
    or.b32 %out, %out, %r6;
    selp.u32 %r6, 8, 0, %p4;
    or.b32 %out, %out, %r6;
    selp.u32 %r6, 16, 0, %p5;
    or.b32 %out, %out, %r6;
    selp.u32 %r6, 32, 0, %p6;
    or.b32 %out, %out, %r6;
    selp.u32 %r6, 64, 0, %p7;
    or.b32 %out, %out, %r6;
    selp.u32 %r6, 128, 0, %p8;
    or.b32 %out, %out, %r6;
    ld.param.u64 %rd1, [a0];
    st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
    st.global.v2.u32 [%rd1+16], {%r5, %out};
  )";
  CHECK(runWords(body, shapeOf(1), 6) ==
        std::vector<uint32_t>{5, 4, 2, 4, 1, 2 + 4 + 64 + 128});
}

TEST_CASE("a wait that cannot end by itself times out") {
  const char *body = R"(
    .shared .align 8 .b64 bar;
    mbarrier.init.shared.b64 [bar], 2;
    mbarrier.arrive.shared.b64 %rd2, [bar];
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0, 100;
    mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1;
    selp.u32 %r1, 1, 0, %p1;
    selp.u32 %r2, 1, 0, %p2;
    ld.param.u64 %rd1, [a0];
    st.global.v2.u32 [%rd1], {%r1, %r2};
  )";
  CHECK(runWords(body, shapeOf(1), 2) == std::vector<uint32_t>{0, 1});
}

TEST_CASE("arrivals in another block of the cluster") {
  // Every block stores into the next one's memory and arrives there.
  const char *body = R"(
    .shared .align 8 .b64 bar;
    .shared .align 4 .b32 box[32];
    .reg .b32 %rank, %next, %theirs, %word;
    .reg .b64 %generic;
    mov.u32 %r1, %tid.x;
    mov.u32 %rank, %cluster_ctarank;
    mov.u32 %r2, %cluster_nctarank;
    setp.ne.u32 %p1, %r1, 0;
    @!%p1 mbarrier.init.shared::cta.b64 [bar], 32;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    add.u32 %next, %rank, 1;
    rem.u32 %next, %next, %r2;
    mapa.shared::cluster.u32 %theirs, box, %next;
    mad.lo.u32 %theirs, %r1, 4, %theirs;
    mad.lo.u32 %r3, %rank, 1000, %r1;
    st.shared::cluster.u32 [%theirs], %r3;
    cvta.shared.u64 %rd2, bar;
    mapa.u64 %generic, %rd2, %next;
    getctarank.u64 %r4, %generic;
    getctarank.shared::cluster.u32 %r5, %theirs;
    getctarank.shared::cluster.u32 %r6, box;
    isspacep.shared::cta %p4, %generic;
    @%p4 add.u32 %r4, %r4, 100;
    mapa.u64 %rd3, %rd2, %rank;
    isspacep.shared %p5, %rd3;
    @!%p5 add.u32 %r4, %r4, 200;
    isspacep.shared::cluster %p6, %generic;
    @!%p6 add.u32 %r4, %r4, 400;
    mapa.shared::cluster.u32 %theirs, bar, %next;
    and.b32 %r7, %r1, 1;
    setp.eq.u32 %p2, %r7, 0;
    @%p2 mbarrier.arrive.release.cluster.b64 _, [%generic];
    @!%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%theirs];
  AGAIN:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0;
    @!%p3 bra AGAIN;
    mov.u32 %r8, box;
    mad.lo.u32 %r8, %r1, 4, %r8;
    ld.shared.u32 %r9, [%r8];
    ld.param.u64 %rd1, [a0];
    mov.u32 %r10, %ctaid.x;
    mad.lo.u32 %r10, %r10, 32, %r1;
    mad.wide.u32 %rd1, %r10, 16, %rd1;
    st.global.v4.u32 [%rd1], {%r9, %r4, %r5, %r6};
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
  )";
  std::vector<uint32_t> out = runWords(body, shapeOf(32, 6, 3), 6 * 32 * 4);
  for (uint32_t block = 0; block < 6; ++block)
    for (uint32_t lane = 0; lane < 32; ++lane) {
      INFO(block << " " << lane);
      uint32_t rank = block % 3;
      const uint32_t *row = &out[(block * 32 + lane) * 4];
      CHECK(row[0] == (rank + 2) % 3 * 1000 + lane);
      CHECK(row[1] == (rank + 1) % 3);
      CHECK(row[2] == (rank + 1) % 3);
      CHECK(row[3] == rank);
    }
}

TEST_CASE("what goes wrong at mbarriers") {
  struct Case {
    unsigned count;
    const char *body, *words;
  };
  const Case cases[] = {
      {0, "mbarrier.arrive.shared.b64 _, [bar];",
       "no mbarrier is initialised there; mbarrier.init has to come first"},
      {0, "mbarrier.inval.shared.b64 [bar];",
       "no mbarrier is initialised there"},
      {1,
       "mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, "
       "[bar];",
       "no mbarrier is initialised there"},
      {4, "mbarrier.init.shared.b64 [bar], 4;",
       "there is an mbarrier already, initialised at line 15; mbarrier.inval "
       "it first"},
      {0, "mbarrier.init.shared.b64 [bar], 0;",
       "the count 0 is not from 1 to 1048575"},
      {0, "mbarrier.init.shared.b64 [bar], 1048576;",
       "the count 1048576 is not from 1 to 1048575"},
      {1, "mbarrier.arrive.shared.b64 _, [bar], 0;",
       "the count 0 is not from 1 to 1048575"},
      {1,
       "mbarrier.arrive.shared.b64 _, [bar];\n"
       "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
       "mbarrier.arrive.shared.b64 _, [bar];",
       "arrivals exceed the expected count 1 of phase 1: 0 are missing when 1 "
       "more come"},
      {3, "mbarrier.arrive.shared.b64 _, [bar], 4;",
       "arrivals exceed the expected count 3 of phase 0: 3 are missing when 4 "
       "more come"},
      {2, "mbarrier.arrive.noComplete.shared.b64 %rd1, [bar], 2;",
       "an arrival with .noComplete completes phase 0"},
      {1,
       "mbarrier.expect_tx.shared::cta.b64 [bar], 1048575;\n"
       "mbarrier.expect_tx.shared::cta.b64 [bar], 1;",
       "the transactions of phase 0 come to 1048576, beyond 1048575"},
      {1,
       "mbarrier.arrive.shared.b64 %rd1, [bar];\n"
       "mbarrier.arrive.shared.b64 _, [bar];\n"
       "mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;",
       "the state is one of phase 0, but the mbarrier is in phase 2; only "
       "that and the one before it can be tested"},
  };
  for (const Case &test : cases) {
    INFO(test.body);
    Report report = faultsOf(test.body, test.count);
    INFO(report.text());
    REQUIRE(report.faults.size() == 1);
    CHECK(report.faults[0].fault.kind == FaultKind::MbarrierMisuse);
    CHECK(report.faults[0].fault.detail.find(test.words) == 0);
    CHECK(report.faults[0].fault.object ==
          "shared memory at offset 0 (variable bar)");
  }
}

TEST_CASE("an mbarrier that is overwritten") {
  std::string body = R"(
    .shared .align 8 .b64 bar;
    mbarrier.init.shared.b64 [bar], 1;
    st.shared.u32 [bar+4], 7;
    mbarrier.arrive.shared.b64 _, [bar];
    mbarrier.inval.shared.b64 [bar];
    st.shared.u32 [bar+4], 7;
  )";
  // With checks at the store, without them where it is used next.
  for (bool checks : {true, false}) {
    Simulator card(checks ? SimulatorOptions() : unchecked());
    Report report = runKernel(card, kernelText(body), shapeOf(1), {});
    INFO(report.text());
    REQUIRE(report.faults.size() == 1);
    const Fault &fault = report.faults[0].fault;
    CHECK(fault.kind == FaultKind::MbarrierMisuse);
    CHECK(fault.sites[0].statement == (checks ? 1 : 2));
    CHECK(contains(fault.detail,
                   checks ? "overwrites the mbarrier"
                          : "its 8 bytes have been overwritten since it was "
                            "initialised; mbarrier.inval it first"));
  }
}

TEST_CASE("operands without meaning") {
  struct Case {
    FaultKind kind;
    const char *body, *words;
  };
  const Case cases[] = {
      {FaultKind::IllegalValue,
       "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 2;",
       "the parity 2 is neither 0 nor 1"},
      {FaultKind::Misaligned,
       "mov.u32 %r1, bar; mbarrier.arrive.shared.b64 _, [%r1+4];",
       "is not a multiple of 8"},
      {FaultKind::OutOfBounds,
       "mov.u32 %r1, bar; mbarrier.arrive.shared.b64 _, [%r1+16];",
       "the block's shared memory has 16 bytes"},
      {FaultKind::WrongSpace,
       "mov.u64 %rd1, number; mbarrier.arrive.b64 _, [%rd1];",
       "the address has to be one of shared memory"},
      {FaultKind::WrongSpace,
       "mov.u64 %rd1, number; mbarrier.init.b64 [%rd1], 1;",
       "the address has to be one of the block's own shared memory"},
      {FaultKind::IllegalValue, "mapa.shared::cluster.u32 %r1, bar, 1;",
       "the cluster has 1 block"},
      {FaultKind::WrongSpace, "mov.u64 %rd1, number; mapa.u64 %rd1, %rd1, 0;",
       "it is no generic address of shared memory"},
      {FaultKind::WrongSpace,
       "mov.u32 %r1, 0x5000000; getctarank.shared::cluster.u32 %r2, %r1;",
       "it is no address of the cluster's shared memory"},
  };
  for (const Case &test : cases) {
    INFO(test.body);
    std::string text = header() + ".global .align 8 .b64 number = 0;\n" +
                       ".visible .entry k()\n{\n" + registers() +
                       ".shared .align 8 .b64 bar[2];\n"
                       "mbarrier.init.shared.b64 [bar], 1;\n" +
                       test.body + "\nret;\n}\n";
    Simulator card;
    Report report = runKernel(card, text, shapeOf(1), {});
    INFO(report.text());
    REQUIRE(report.faults.size() == 1);
    CHECK(report.faults[0].fault.kind == test.kind);
    CHECK(contains(report.faults[0].fault.detail, test.words));
  }
}

TEST_CASE("who does not wait for an mbarrier has a race") {
  const char *body = R"(
    .shared .align 8 .b64 bar;
    .shared .align 4 .b32 word;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @!%p1 mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    setp.eq.u32 %p2, %r1, 32;
    @!%p1 st.shared.u32 [word], 5;
    @!%p1 mbarrier.arrive.shared.b64 _, [bar];
    @!%p2 bra END;
    WAIT
    ld.shared.u32 %r2, [word];
  END:
  )";
  auto run = [&](const std::string &wait) {
    std::string text = body;
    text.replace(text.find("WAIT"), 4, wait);
    Simulator card;
    return runKernel(card, kernelText(text), shapeOf(64), {});
  };
  Report good = run("AGAIN:\nmbarrier.try_wait.parity.shared.b64 %p3, [bar], "
                    "0;\n@!%p3 bra AGAIN;");
  INFO(good.text());
  CHECK(good.ok());
  Report relaxed = run("AGAIN:\nmbarrier.try_wait.parity.relaxed.cluster"
                       ".shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra AGAIN;");
  INFO(relaxed.text());
  REQUIRE(relaxed.faults.size() == 1);
  CHECK(relaxed.faults[0].fault.kind == FaultKind::Race);
  Report none = run("");
  INFO(none.text());
  bool hasRace = false;
  for (const FaultLog::Entry &entry : none.faults)
    hasRace |= entry.fault.kind == FaultKind::Race;
  CHECK(hasRace);
}

TEST_CASE("mbarrier instructions that are refused") {
  struct Case {
    const char *statement, *words;
  };
  const Case cases[] = {
      {"mbarrier.init.shared::cluster.b64 [bar], 12;",
       "the mbarrier has to be in the block's own shared memory"},
      {"mbarrier.try_wait.parity.shared::cluster.b64 %p1, [%r1], 0;",
       "the mbarrier has to be in the block's own shared memory"},
      {"mbarrier.arrive.global.b64 %rd1, [%rd2];",
       "an mbarrier is in shared memory"},
      {"mbarrier.arrive.release.shared.b64 %rd1, [bar];",
       "a semantic such as '.release' goes with a scope"},
      {"mbarrier.arrive.acquire.cta.shared.b64 %rd1, [bar];",
       "this semantic does not go with this instruction"},
      {"mbarrier.arrive.release.gpu.shared.b64 %rd1, [bar];",
       "the scope has to be '.cta' or '.cluster'"},
      {"mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];",
       "an arrival in '.shared::cluster' has no state; the result has to be "
       "'_'"},
      {"mbarrier.arrive.noComplete.shared.b64 %rd1, [bar];",
       "takes 3 operands, not 2"},
      {"mbarrier.arrive.shared.b32 %rd1, [bar];", ".b32"},
      {"mbarrier.suspend.b64 [bar];", "this form of mbarrier is not supported"},
      {"mapa.u32 %r1, %r2, 0;", "addresses of 32 bits cannot be generic"},
      {"getctarank.shared::cluster.s32 %r1, %r2;",
       "the type has to be u32 or u64"},
  };
  for (const Case &test : cases) {
    INFO(test.statement);
    std::string message = decodeFailure(".shared .align 8 .b64 bar;\n" +
                                        std::string(test.statement));
    INFO(message);
    CHECK(contains(message, test.words));
  }
}
