//===- SchedulerTest.cpp - turns, spinning, limits ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Harness.h"

#include <catch2/catch.hpp>

#include <thread>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;

static LaunchShape shaped(uint32_t grid, uint32_t block) {
  LaunchShape shape;
  shape.grid = {grid, 1, 1};
  shape.block = {block, 1, 1};
  return shape;
}

static std::vector<FaultKind> kinds(const Report &report) {
  std::vector<FaultKind> all;
  for (const FaultLog::Entry &entry : report.faults)
    all.push_back(entry.fault.kind);
  return all;
}

static const char *kSpin = R"(
    ld.param.u64 %rd1, [a0];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    @!%p1 bra SETTER;
  LOOP:
    ld.acquire.gpu.global.u32 %r2, [%rd1];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra LOOP;
    ld.global.u32 %r3, [%rd1+4];
    st.global.u32 [%rd1+8], %r3;
    bra.uni DONE;
)";

TEST_CASE("a block spins until another one sets a flag", "[sim][scheduler]") {
  Simulator card;
  uint64_t words = *card.upload(std::vector<uint32_t>{0, 0, 0});
  std::string body = kSpin + std::string(R"(
  SETTER:
    st.global.u32 [%rd1+4], 77;
    st.release.gpu.global.u32 [%rd1], 1;
  DONE:
  )");
  Report report = runKernel(card, kernelText(body, 1), shaped(2, 1), {words});
  INFO(report.text());
  REQUIRE(report.ok());
  CHECK(*card.download<uint32_t>(words, 3) == std::vector<uint32_t>{1, 77, 77});
}

TEST_CASE("a block that spins for ever is a deadlock", "[sim][scheduler]") {
  Simulator card;
  uint64_t words = *card.upload(std::vector<uint32_t>{0, 0, 0});
  std::string body = kSpin + std::string(R"(
  SETTER:
    st.global.u32 [%rd1+4], 77;
  DONE:
  )");
  Report report = runKernel(card, kernelText(body, 1), shaped(2, 1), {words});
  INFO(report.text());
  REQUIRE(kinds(report) == std::vector<FaultKind>{FaultKind::Deadlock});
  const Fault &fault = report.faults[0].fault;
  REQUIRE(fault.sites.size() == 1);
  CHECK(fault.sites[0].action == "reads again and again");
  CHECK(report.text().find(
            "block 0 thread 0 (warp 0, lane 0) reads again and again, PTX line "
            "20: ld.acquire.gpu.global.u32 %r2, [%rd1];") != std::string::npos);
}

TEST_CASE("a lock that nobody frees is a deadlock", "[sim][scheduler]") {
  Simulator card;
  uint64_t lock = *card.upload(std::vector<uint32_t>{1});
  Report report = runKernel(card,
                            kernelText(R"(
    ld.param.u64 %rd1, [a0];
  LOOP:
    atom.acquire.gpu.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra LOOP;
  )",
                                       1),
                            shaped(1, 4), {lock});
  INFO(report.text());
  CHECK(kinds(report) == std::vector<FaultKind>{FaultKind::Deadlock});
}

TEST_CASE("lanes of a warp take a lock one after the other",
          "[sim][scheduler]") {
  // The lane that has the lock stands behind the loop of those that try.
  Simulator card;
  uint64_t words = *card.upload(std::vector<uint32_t>{0, 0});
  Report report = runKernel(card,
                            kernelText(R"(
    ld.param.u64 %rd1, [a0];
  LOOP:
    atom.acquire.gpu.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra LOOP;
    ld.relaxed.gpu.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.relaxed.gpu.global.u32 [%rd1+4], %r2;
    st.release.gpu.global.u32 [%rd1], 0;
  )",
                                       1),
                            shaped(1, 4), {words});
  INFO(report.text());
  REQUIRE(report.ok());
  CHECK(*card.download<uint32_t>(words, 2) == std::vector<uint32_t>{0, 4});
}

TEST_CASE("a warp waits for another one's flag in shared memory",
          "[sim][scheduler]") {
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>{0});
  Report report = runKernel(card,
                            kernelText(R"(
    .shared .align 4 .b8 flag[4];
    ld.param.u64 %rd1, [a0];
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p4, %r1, 0;
    @!%p4 st.volatile.shared.u32 [flag], 0;
    bar.sync 0;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra SETTER;
  LOOP:
    ld.volatile.shared.u32 %r2, [flag];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra LOOP;
    @!%p4 st.global.u32 [%rd1], %r2;
    exit;
  SETTER:
    mov.u32 %r3, 0;
  WORK:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p3, %r3, 10000;
    @%p3 bra WORK;
    setp.eq.u32 %p2, %r1, 32;
    @%p2 st.volatile.shared.u32 [flag], 5;
  )",
                                       1),
                            shaped(1, 64), {out});
  INFO(report.text());
  REQUIRE(report.ok());
  CHECK(*card.download<uint32_t>(out, 1) == std::vector<uint32_t>{5});
}

static std::string mbarrierKernel(const std::string &wait) {
  return kernelText(R"(
    .shared .align 8 .b64 full;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @!%p1 mbarrier.init.shared.b64 [full], 2;
    bar.sync 0;
    setp.ge.u32 %p2, %r1, 32;
    @%p2 bra ARRIVE;
  LOOP:
  )" + wait + R"(
    @!%p3 bra LOOP;
    exit;
  ARRIVE:
    setp.ne.u32 %p1, %r1, 40;
    @!%p1 mbarrier.arrive.shared.b64 %rd1, [full];
  )");
}

TEST_CASE("an mbarrier that nobody completes is a deadlock at once",
          "[sim][scheduler]") {
  SimulatorOptions options;
  options.instructionLimit = 10000;
  Simulator card(options);
  Report report =
      runKernel(card,
                mbarrierKernel("mbarrier.try_wait.parity.shared.b64 %p3, "
                               "[full], 0;"),
                shaped(1, 64), {});
  INFO(report.text());
  REQUIRE(kinds(report) == std::vector<FaultKind>{FaultKind::Deadlock});
  const Fault &fault = report.faults[0].fault;
  REQUIRE(fault.sites.size() == 1);
  CHECK(fault.sites[0].action ==
        "waits for the mbarrier in shared memory at offset 0 (variable full) "
        "(phase 0: 1 of 2 arrivals missing)");
}

TEST_CASE("an mbarrier that is tested for ever is a deadlock",
          "[sim][scheduler]") {
  Simulator card;
  Report report =
      runKernel(card,
                mbarrierKernel("nanosleep.u32 100;\n"
                               "mbarrier.test_wait.parity.shared.b64 %p3, "
                               "[full], 0;"),
                shaped(1, 64), {});
  INFO(report.text());
  REQUIRE(kinds(report) == std::vector<FaultKind>{FaultKind::Deadlock});
}

TEST_CASE("blocks that have not started are named", "[sim][scheduler]") {
  // 132 multiprocessors with 2 blocks each; the last block sets the flag.
  Simulator card;
  uint64_t words = *card.upload(std::vector<uint32_t>{0});
  Report report = runKernel(card,
                            kernelText(R"(
    ld.param.u64 %rd1, [a0];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 299;
    @%p1 bra SETTER;
  LOOP:
    nanosleep.u32 20;
    ld.acquire.gpu.global.u32 %r2, [%rd1];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra LOOP;
    exit;
  SETTER:
    st.release.gpu.global.u32 [%rd1], 1;
  )",
                                       1),
                            shaped(300, 1), {words});
  INFO(report.text());
  REQUIRE(kinds(report) == std::vector<FaultKind>{FaultKind::Deadlock});
  CHECK(report.faults[0].fault.sites.size() == 40);
  CHECK(report.faults[0].fault.detail ==
        "no thread can go on; 224 more warps wait; 36 clusters of blocks have "
        "not started, only 264 run at a time");
}

TEST_CASE("a long computation is no deadlock", "[sim][scheduler]") {
  // 1.5 million turns that change one register; suspicion begins before.
  CHECK(runOne(R"(
    mov.u32 %r1, 0;
  LOOP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 1500000;
    @%p1 bra LOOP;
  )",
               "%r1", "u32") == 1500000);
}

TEST_CASE("a loop without an end and without memory is a deadlock",
          "[sim][scheduler]") {
  Report report = runForFaults("LOOP:\n  bra.uni LOOP;");
  INFO(report.text());
  CHECK(kinds(report) == std::vector<FaultKind>{FaultKind::Deadlock});
}

TEST_CASE("a spinning thread that watches a clock is no deadlock",
          "[sim][scheduler]") {
  CHECK(runOne(R"(
    mov.u64 %rd1, %clock64;
  LOOP:
    mov.u64 %rd2, %clock64;
    sub.u64 %rd3, %rd2, %rd1;
    setp.lt.u64 %p1, %rd3, 1500000;
    @%p1 bra LOOP;
    mov.u32 %r1, 9;
  )",
               "%r1", "u32") == 9);
}

TEST_CASE("instruction limit", "[sim][scheduler]") {
  SimulatorOptions options;
  options.instructionLimit = 100000;
  Report report = runForFaults(R"(
    mov.u32 %r1, 0;
  LOOP:
    add.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra LOOP;
  )",
                               {}, options);
  CHECK(report.faults.empty());
  std::string wanted = "warp instructions, the limit is 100000; 0 of 1 "
                       "clusters of blocks were done";
  INFO(report.refusal);
  CHECK(report.refusal.find("gave up after 10") == 0);
  CHECK(report.refusal.find(wanted) != std::string::npos);
}

static std::string counting() {
  return kernelText(R"(
    mov.u32 %r1, 0;
  LOOP:
    add.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 20000;
    @%p1 bra LOOP;
  )");
}

TEST_CASE("a launch can be interrupted", "[sim][scheduler]") {
  Simulator card;
  LaunchShape shape = shaped(1000000, 32);
  unsigned asked = 0;
  std::thread::id caller = std::this_thread::get_id();
  bool sameThread = true;
  shape.cancelled = [&] {
    sameThread &= std::this_thread::get_id() == caller;
    return ++asked == 2;
  };
  Report report = runKernel(card, counting(), shape, {});
  CHECK(report.refusal == "interrupted");
  CHECK(sameThread);
  CHECK(asked == 2);
}

TEST_CASE("progress rises to 1", "[sim][scheduler]") {
  Simulator card;
  LaunchShape shape = shaped(40, 32);
  std::vector<double> seen;
  shape.progress = [&](double part) { seen.push_back(part); };
  Report report = runKernel(card, counting(), shape, {});
  REQUIRE(report.ok());
  REQUIRE(!seen.empty());
  for (size_t i = 1; i < seen.size(); ++i)
    CHECK(seen[i] >= seen[i - 1]);
  CHECK(seen.back() == 1.0);
}

TEST_CASE("many blocks on several threads of the host", "[sim][scheduler]") {
  SimulatorOptions options;
  options.threads = 3;
  Simulator card(options);
  uint64_t out = *card.upload(std::vector<uint32_t>(500 * 64, 0));
  Report report = runKernel(card,
                            kernelText(R"(
    .shared .align 4 .b8 words[256];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, 64, %r1;
    mul.lo.u32 %r4, %r1, 4;
    mov.u32 %r5, words;
    add.u32 %r5, %r5, %r4;
    st.shared.u32 [%r5], %r3;
    bar.sync 0;
    sub.u32 %r6, 252, %r4;
    mov.u32 %r5, words;
    add.u32 %r5, %r5, %r6;
    ld.shared.u32 %r7, [%r5];
    ld.param.u64 %rd1, [a0];
    mad.wide.u32 %rd2, %r3, 4, %rd1;
    st.global.u32 [%rd2], %r7;
  )",
                                       1),
                            shaped(500, 64), {out});
  INFO(report.text());
  REQUIRE(report.ok());
  std::vector<uint32_t> values = *card.download<uint32_t>(out, 500 * 64);
  for (uint32_t i = 0; i < 500 * 64; ++i)
    REQUIRE(values[i] == i / 64 * 64 + 63 - i % 64);
  CHECK(report.counters.blocks == 500);
  CHECK(report.counters.warpInstructions == 500 * 2 * 16);
}

TEST_CASE("two kernels of a module share its variables", "[sim][scheduler]") {
  std::string text = header() + R"(
.visible .global .align 4 .u32 counter = 5;
.visible .entry first() {
  .reg .b32 %r<4>;
  ld.global.u32 %r1, [counter];
  add.u32 %r1, %r1, 1;
  st.global.u32 [counter], %r1;
  ret;
}
.visible .entry second(.param .u64 out) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.global.u32 %r1, [counter];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>{0});
  Result<std::vector<Kernel>> kernels = card.loadAll(text);
  INFO(kernels.message());
  REQUIRE(kernels.ok());
  REQUIRE(kernels->size() == 2);
  CHECK(card.run((*kernels)[0], shaped(1, 1), {}).ok());
  CHECK(card.run((*kernels)[0], shaped(1, 1), {}).ok());
  CHECK(card.run((*kernels)[1], shaped(1, 1), {out}).ok());
  CHECK(*card.download<uint32_t>(out, 1) == std::vector<uint32_t>{7});
}

TEST_CASE("shared variables of module and body, and dynamic memory behind",
          "[sim][scheduler]") {
  std::string text = header() + R"(
.shared .align 4 .b8 outer[20];
.shared .align 16 .b8 unused[4096];
.extern .shared .align 32 .b8 tail[];
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  .shared .align 8 .b8 inner[12];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, outer;
  mov.u32 %r2, inner;
  mov.u32 %r3, tail;
  mov.u32 %r4, %total_smem_size;
  st.shared.u32 [tail+60], 9;
  ld.shared.u32 %r5, [tail+60];
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  st.global.u32 [%rd1+8], %r3;
  st.global.u32 [%rd1+12], %r4;
  st.global.u32 [%rd1+16], %r5;
  ret;
}
)";
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>(5, 0));
  LaunchShape shape = shaped(1, 1);
  shape.dynamicSharedBytes = 64;
  Report report = runKernel(card, text, shape, {out});
  INFO(report.text());
  REQUIRE(report.ok());
  // 20 bytes, then 12 from 24, then 64 from the next multiple of 32.
  CHECK(*card.download<uint32_t>(out, 5) ==
        std::vector<uint32_t>{0, 24, 64, 128, 9});
}

TEST_CASE("every lane has local memory of its own", "[sim][scheduler]") {
  std::vector<uint64_t> values = runLanes(R"(
    .local .align 8 .b8 stack[16];
    mov.u32 %r1, %laneid;
    mov.u64 %rd1, stack;
    st.local.u32 [%rd1+8], %r1;
    st.local.u32 [stack], 3;
    ld.local.u32 %r2, [stack+8];
    add.u32 %r2, %r2, 3;
  )",
                                          "%r2", "u32", {});
  for (unsigned lane = 0; lane < 32; ++lane)
    CHECK(values[lane] == lane + 3);
}

TEST_CASE("a report names the program's line", "[sim][scheduler]") {
  std::string text = header() + R"(.file 1 "softmax.te"
.visible .entry k() {
  .reg .b32 %r<4>;
  .loc 1 5 3
  add.u32 %r1, %r2, 1;
  ret;
}
)";
  Simulator card;
  Report report = runKernel(card, text, shaped(3, 40), {});
  // Two warps of each block.
  CHECK(report.text() ==
        "kernel 'k': read of an uninitialised register\n"
        "  block 0 thread 0 (warp 0, lane 0) reads register %r2, PTX line 8: "
        "add.u32 %r1, %r2, 1;  from softmax.te:5:3\n"
        "  register %r2\n"
        "  this thread has not written it before\n"
        "  seen 5 more times\n");
  Report fine = runKernel(card, kernelText(""), shaped(1, 1), {});
  CHECK(fine.text() == "kernel 'k': no fault\n");
}

TEST_CASE("a launch ends at the limit of different faults",
          "[sim][scheduler]") {
  SimulatorOptions options;
  options.faultLimit = 2;
  Report report = runForFaults("add.u32 %r1, %r2, 1;\nadd.u32 %r3, %r4, 1;\n"
                               "add.u32 %r5, %r6, 1;\nLOOP: bra LOOP;",
                               {}, options);
  CHECK(report.faults.size() == 2);
}
