//===- RacePtxTest.cpp - races of real kernels ----------------------------===//
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

namespace {

struct Ran {
  Report report;
  std::vector<uint32_t> out;

  bool has(FaultKind kind) const {
    for (const FaultLog::Entry &entry : report.faults)
      if (entry.fault.kind == kind)
        return true;
    return false;
  }
  /// The statement behind a site of the first fault.
  std::string opcode(size_t site) const {
    uint32_t number = report.faults.at(0).fault.sites.at(site).statement;
    const SyntaxStatement &statement = report.syntax->statements[number];
    std::string text = statement.opcode;
    for (const std::string &modifier : statement.modifiers)
      text += "." + modifier;
    return text;
  }
};

/// a0: 4096 words that count up; a1: 64 zeros, returned; a2: 8 zeros.
Ran run(const std::string &body, LaunchShape shape) {
  Simulator card;
  std::vector<uint32_t> values(4096);
  for (uint32_t i = 0; i < values.size(); ++i)
    values[i] = i;
  uint64_t in = *card.upload(values);
  uint64_t out = *card.upload(std::vector<uint32_t>(64));
  uint64_t flags = *card.upload(std::vector<uint32_t>(8));
  Ran ran;
  ran.report = runKernel(card, kernelText(body, 3), shape, {in, out, flags});
  ran.out = *card.download<uint32_t>(out, 64);
  return ran;
}

LaunchShape shapeOf(uint32_t blocks, uint32_t threads) {
  LaunchShape shape;
  shape.grid[0] = blocks;
  shape.block[0] = threads;
  return shape;
}

/// `text` with every `name` replaced.
std::string with(std::string text, const std::string &name,
                 const std::string &value) {
  for (size_t at; (at = text.find(name)) != std::string::npos;)
    text.replace(at, name.size(), value);
  return text;
}

} // namespace

TEST_CASE("a sum by halves needs its barriers", "[sim][checks]") {
  // 64 threads; partial sums in shared memory.
  const char *body = R"(
    .shared .align 4 .b32 part[64];
    .reg .b32 %at, %n, %mine, %other;
    mov.u32 %r1, %tid.x;
    mov.u32 %at, part;
    mad.lo.u32 %at, %r1, 4, %at;
    st.shared.u32 [%at], %r1;
    mov.u32 %n, 128;
  AGAIN:
    BARRIER
    setp.lt.u32 %p1, %at, %n;
    @!%p1 bra SKIP;
    ld.shared.u32 %mine, [%at];
    add.u32 %r2, %at, %n;
    ld.shared.u32 %other, [%r2];
    add.u32 %mine, %mine, %other;
    st.shared.u32 [%at], %mine;
  SKIP:
    shr.u32 %n, %n, 1;
    setp.ge.u32 %p2, %n, 4;
    @%p2 bra AGAIN;
    setp.eq.u32 %p3, %r1, 0;
    ld.param.u64 %rd1, [a1];
    @%p3 ld.shared.u32 %mine, [part];
    @%p3 st.global.u32 [%rd1], %mine;
  )";
  LaunchShape shape = shapeOf(1, 64);
  Ran good = run(with(body, "BARRIER", "bar.sync 0;"), shape);
  INFO(good.report.text());
  CHECK(good.report.ok());
  CHECK(good.out[0] == 63 * 64 / 2);
  Ran bad = run(with(body, "BARRIER", ""), shape);
  REQUIRE(bad.has(FaultKind::Race));
  CHECK(bad.report.text().find("variable part") != std::string::npos);
}

TEST_CASE("warp barriers order lanes of a warp only", "[sim][checks]") {
  const char *body = R"(
    .shared .align 4 .b32 part[64];
    .reg .b32 %at, %from, %mine;
    mov.u32 %r1, %tid.x;
    mov.u32 %at, part;
    mad.lo.u32 %from, %r1, 4, %at;
    st.shared.u32 [%from], %r1;
    BARRIER
    xor.b32 %r2, %r1, MASK;
    mad.lo.u32 %from, %r2, 4, %at;
    ld.shared.u32 %mine, [%from];
    ld.param.u64 %rd1, [a1];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %mine;
  )";
  LaunchShape shape = shapeOf(1, 64);
  std::string synced = with(body, "BARRIER", "bar.warp.sync 0xffffffff;");
  Ran within = run(with(synced, "MASK", "1"), shape);
  INFO(within.report.text());
  CHECK(within.report.ok());
  CHECK(within.out[6] == 7);
  CHECK(run(with(synced, "MASK", "32"), shape).has(FaultKind::Race));
  CHECK(run(with(with(body, "BARRIER", ""), "MASK", "1"), shape)
            .has(FaultKind::Race));
}

TEST_CASE("a producer warp and a consumer warp", "[sim][checks]") {
  // Barrier 1: full, barrier 2: empty; each a ring of one slot.
  const char *body = R"(
    .shared .align 4 .b32 slot[32];
    .reg .b32 %at, %i, %sum, %value;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    mov.u32 %at, slot;
    mad.lo.u32 %at, %r2, 4, %at;
    mov.u32 %i, 0;
    mov.u32 %sum, 0;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra CONSUMER;
  PRODUCER:
    EMPTY_WAIT
    st.shared.u32 [%at], %i;
    bar.arrive 1, 64;
    LATE
    add.u32 %i, %i, 1;
    setp.lt.u32 %p2, %i, 10;
    @%p2 bra PRODUCER;
    bra DONE;
  CONSUMER:
    EMPTY_ARRIVE
    bar.sync 1, 64;
    ld.shared.u32 %value, [%at];
    add.u32 %sum, %sum, %value;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p2, %i, 10;
    @%p2 bra CONSUMER;
    ld.param.u64 %rd1, [a1];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %sum;
  DONE:
  )";
  LaunchShape shape = shapeOf(1, 64);
  std::string ring = with(with(body, "EMPTY_WAIT", "bar.sync 2, 64;"),
                          "EMPTY_ARRIVE", "bar.arrive 2, 64;");
  Ran good = run(with(ring, "LATE", ""), shape);
  INFO(good.report.text());
  CHECK(good.report.ok());
  CHECK(good.out[40] == 45);
  // Behind its arrival, the producer may no longer touch the slot.
  Ran late = run(with(ring, "LATE", "st.shared.u32 [%at], %i;"), shape);
  CHECK(late.has(FaultKind::Race));
}

TEST_CASE("the last block adds up", "[sim][checks]") {
  const char *body = R"(
    .shared .align 4 .b32 ticket;
    .reg .b32 %old, %sum, %value;
    .reg .b64 %in, %out, %flag, %from;
    ld.param.u64 %in, [a0];
    ld.param.u64 %out, [a1];
    ld.param.u64 %flag, [a2];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %nctaid.x;
    setp.eq.u32 %p1, %r1, 33;
    add.u32 %r4, %r2, 100;
    mad.wide.u32 %from, %r2, 4, %out;
    @%p1 st.global.u32 [%from], %r4;
    bar.sync 0;
    setp.eq.u32 %p2, %r1, 0;
    @!%p2 bra JOIN;
    RELEASE
    atom.global.add.u32 %old, [%flag], 1;
    ACQUIRE
    st.shared.u32 [ticket], %old;
  JOIN:
    bar.sync 0;
    ld.shared.u32 %old, [ticket];
    add.u32 %old, %old, 1;
    setp.ne.u32 %p3, %old, %r3;
    @%p3 bra DONE;
    setp.ge.u32 %p4, %r1, %r3;
    @%p4 bra DONE;
    mad.wide.u32 %from, %r1, 4, %out;
    ld.global.u32 %value, [%from];
    add.u32 %value, %value, 1;
    st.global.u32 [%from], %value;
  DONE:
  )";
  LaunchShape shape = shapeOf(40, 64);
  std::string fenced = with(body, "RELEASE", "membar.gl;");
  Ran good = run(with(fenced, "ACQUIRE", "fence.acq_rel.gpu;"), shape);
  INFO(good.report.text());
  CHECK(good.report.ok());
  for (uint32_t i = 0; i < 40; ++i)
    CHECK(good.out[i] == i + 101);
  Ran noAcquire = run(with(fenced, "ACQUIRE", ""), shape);
  REQUIRE(noAcquire.has(FaultKind::Race));
  CHECK(noAcquire.opcode(0) == "st.global.u32");
  CHECK(noAcquire.opcode(1) == "ld.global.u32");
  Ran noRelease =
      run(with(with(body, "RELEASE", ""), "ACQUIRE", "membar.gl;"), shape);
  CHECK(noRelease.has(FaultKind::Race));
  Ran narrow =
      run(with(with(body, "RELEASE", "membar.cta;"), "ACQUIRE", "membar.gl;"),
          shape);
  CHECK(narrow.has(FaultKind::Race));
  std::string semantic = with(body, "atom.global.add", "atom.acq_rel.gpu.add");
  Ran inOne = run(with(with(semantic, "RELEASE", ""), "ACQUIRE", ""), shape);
  INFO(inOne.report.text());
  CHECK(inOne.report.ok());
}

TEST_CASE("blocks hand on from one to the next", "[sim][checks]") {
  // Block i waits for flag i - 1, adds to the sum so far, sets flag i.
  const char *body = R"(
    .reg .b32 %set, %value;
    .reg .b64 %out, %flag, %mine;
    ld.param.u64 %out, [a1];
    ld.param.u64 %flag, [a2];
    mov.u32 %r1, %ctaid.x;
    mad.wide.u32 %mine, %r1, 4, %flag;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra GO;
  SPIN:
    LOAD %set, [%mine + -4];
    setp.eq.u32 %p2, %set, 0;
    @%p2 bra SPIN;
    AFTER
  GO:
    ld.global.u32 %value, [%out];
    add.u32 %value, %value, %r1;
    st.global.u32 [%out], %value;
    mov.u32 %set, 1;
    BEFORE
    STORE [%mine], %set;
  )";
  auto make = [&](const char *load, const char *after, const char *before,
                  const char *store) {
    std::string text = with(body, "LOAD", load);
    text = with(text, "AFTER", after);
    return with(with(text, "BEFORE", before), "STORE", store);
  };
  LaunchShape shape = shapeOf(8, 1);
  for (const std::string &text :
       {make("ld.acquire.gpu.u32", "", "", "st.release.gpu.u32"),
        make("ld.volatile.global.u32", "membar.gl;", "membar.gl;",
             "st.volatile.global.u32"),
        make("ld.relaxed.gpu.u32", "fence.acq_rel.gpu;", "fence.acq_rel.gpu;",
             "st.relaxed.gpu.u32")}) {
    Ran good = run(text, shape);
    INFO(good.report.text());
    CHECK(good.report.ok());
    CHECK(good.out[0] == 28);
  }
  for (const std::string &text :
       {make("ld.relaxed.gpu.u32", "", "", "st.release.gpu.u32"),
        make("ld.acquire.gpu.u32", "", "", "st.relaxed.gpu.u32"),
        make("ld.volatile.global.u32", "membar.gl;", "",
             "st.volatile.global.u32"),
        make("ld.acquire.cta.u32", "", "", "st.release.gpu.u32")})
    CHECK(run(text, shape).has(FaultKind::Race));
}

TEST_CASE("counting with atomics", "[sim][checks]") {
  const char *body = R"(
    .shared .align 4 .b32 count[4];
    .reg .b32 %at, %value, %key;
    .reg .b64 %in, %out;
    ld.param.u64 %in, [a0];
    ld.param.u64 %out, [a1];
    mov.u32 %r1, %tid.x;
    mov.u32 %at, count;
    mov.u32 %r3, 0;
    setp.lt.u32 %p1, %r1, 4;
    mad.lo.u32 %r2, %r1, 4, %at;
    @%p1 st.shared.u32 [%r2], %r3;
    FIRST
    and.b32 %key, %r1, 3;
    mad.lo.u32 %key, %key, 4, %at;
    atom.shared.add.u32 %value, [%key], 1;
    SECOND
    @%p1 ld.shared.u32 %value, [%r2];
    mad.wide.u32 %out, %r1, 4, %out;
    @%p1 red.global.add.u32 [%out], %value;
  )";
  LaunchShape shape = shapeOf(3, 128);
  std::string half = with(body, "FIRST", "bar.sync 0;");
  Ran good = run(with(half, "SECOND", "bar.sync 0;"), shape);
  INFO(good.report.text());
  CHECK(good.report.ok());
  CHECK(good.out[2] == 3 * 32);
  CHECK(run(with(half, "SECOND", ""), shape).has(FaultKind::Race));
  CHECK(run(with(with(body, "FIRST", ""), "SECOND", "bar.sync 0;"), shape)
            .has(FaultKind::Race));
}

TEST_CASE("a copy in bulk is waited for by everybody", "[sim][checks]") {
  const char *body = R"(
    .shared .align 16 .b32 tile[64];
    .shared .align 8 .b64 full;
    .reg .b32 %at, %bar, %value;
    .reg .b64 %in, %out;
    ld.param.u64 %in, [a0];
    ld.param.u64 %out, [a1];
    mov.u32 %r1, %tid.x;
    mov.u32 %at, tile;
    mov.u32 %bar, full;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [%bar], 1;
    bar.sync 0;
    @!%p1 bra WAIT;
    mbarrier.arrive.expect_tx.shared.b64 %rd3, [%bar], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%in], 256, [%bar];
    SKIPS
  WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [%bar], 0;
    @!%p2 bra WAIT;
  READ:
    mad.lo.u32 %at, %r1, 4, %at;
    ld.shared.u32 %value, [%at];
    mad.wide.u32 %out, %r1, 4, %out;
    st.global.u32 [%out], %value;
  )";
  LaunchShape shape = shapeOf(1, 64);
  Ran good = run(with(body, "SKIPS", ""), shape);
  INFO(good.report.text());
  CHECK(good.report.ok());
  CHECK(good.out[63] == 63);
  Ran bad = run(with(body, "SKIPS", "bra READ;"), shape);
  CHECK((bad.has(FaultKind::Race) || bad.has(FaultKind::AsyncRace)));
}

TEST_CASE("checks can be left out", "[sim][checks]") {
  const char *body = R"(
    .shared .align 4 .b32 x;
    .reg .b32 %value;
    mov.u32 %r1, %tid.x;
    st.shared.u32 [x], %r1;
    ld.shared.u32 %value, [x];
  )";
  LaunchShape shape = shapeOf(1, 64);
  CHECK(run(body, shape).has(FaultKind::Race));
  SimulatorOptions options;
  options.checks = false;
  Simulator card(options);
  CHECK(runKernel(card, kernelText(body), shape, {}).ok());
}
