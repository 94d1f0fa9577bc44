//===- CoreTest.cpp - decoding, launching, branches -----------------------===//
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

TEST_CASE("a straight line of instructions by every lane", "[sim][core]") {
  std::vector<uint64_t> values = runLanes("mov.u32 %r1, %laneid;\n"
                                          "add.u32 %r2, %r1, 5;\n"
                                          "mul.lo.u32 %r3, %r2, %r2;",
                                          "%r3", "u32", {});
  for (unsigned lane = 0; lane < 32; ++lane)
    CHECK(values[lane] == (lane + 5) * (lane + 5));
}

TEST_CASE("nested branches come together again", "[sim][core]") {
  std::string body = R"(
    mov.u32 %r1, %laneid;
    mov.u32 %r2, 0;
    setp.lt.u32 %p1, %r1, 20;
    @!%p1 bra OUTER_ELSE;
    setp.lt.u32 %p2, %r1, 7;
    @%p2 bra INNER;
    add.u32 %r2, %r2, 100;
    bra.uni JOIN;
  INNER:
    add.u32 %r2, %r2, 200;
    bra.uni JOIN;
  OUTER_ELSE:
    add.u32 %r2, %r2, 300;
  JOIN:
    activemask.b32 %r3;
    add.u32 %r2, %r2, %r1;
  )";
  auto results = runLanes(body, {{"%r2", "u32"}, {"%r3", "u32"}}, {});
  for (unsigned lane = 0; lane < 32; ++lane) {
    CHECK(results[0][lane] == lane + (lane < 7    ? 200u
                                      : lane < 20 ? 100u
                                                  : 300u));
    CHECK(results[1][lane] == 0xffffffffu);
  }
}

TEST_CASE("a loop with a trip count of each lane's own", "[sim][core]") {
  std::vector<uint64_t> values = runLanes(R"(
    mov.u32 %r1, %laneid;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
  LOOP:
    setp.ge.u32 %p1, %r3, %r1;
    @%p1 bra DONE;
    add.u32 %r3, %r3, 1;
    add.u32 %r2, %r2, %r3;
    bra.uni LOOP;
  DONE:
  )",
                                          "%r2", "u32", {});
  for (unsigned lane = 0; lane < 32; ++lane)
    CHECK(values[lane] == lane * (lane + 1) / 2);
}

TEST_CASE("brx.idx sends lanes to the entries of a list", "[sim][core]") {
  std::vector<uint64_t> values = runLanes(R"(
    mov.u32 %r1, %laneid;
    rem.u32 %r2, %r1, 3;
    ts: .branchtargets A, B, C;
    brx.idx %r2, ts;
  A:
    mov.u32 %r3, 10;
    bra JOIN;
  B:
    mov.u32 %r3, 20;
    bra JOIN;
  C:
    mov.u32 %r3, 30;
  JOIN:
    add.u32 %r3, %r3, %r1;
  )",
                                          "%r3", "u32", {});
  for (unsigned lane = 0; lane < 32; ++lane)
    CHECK(values[lane] == (lane % 3 + 1) * 10 + lane);
}

TEST_CASE("brx.idx beyond its list is a fault", "[sim][core]") {
  Report report = runForFaults(R"(
    mov.u32 %r1, %laneid;
    ts: .branchtargets A, B;
    brx.idx %r1, ts;
  A:
  B:
  )");
  REQUIRE(report.faults.size() == 1);
  const Fault &fault = report.faults[0].fault;
  CHECK(fault.kind == FaultKind::IllegalValue);
  CHECK(fault.sites[0].who.thread == 2);
  CHECK(fault.object == "index 2");
  CHECK(fault.detail == "the list of targets has 2 entries");
}

TEST_CASE("a guard narrows an instruction to some lanes", "[sim][core]") {
  std::vector<uint64_t> values = runLanes(R"(
    mov.u32 %r1, %laneid;
    mov.u32 %r2, 7;
    setp.gt.u32 %p1, %r1, 15;
    @%p1 mov.u32 %r2, 8;
    @!%p1 add.u32 %r2, %r2, 100;
  )",
                                          "%r2", "u32", {});
  for (unsigned lane = 0; lane < 32; ++lane)
    CHECK(values[lane] == (lane > 15 ? 8u : 107u));
}

TEST_CASE("lanes exit in divergent code and the others go on", "[sim][core]") {
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>(32, 0));
  LaunchShape shape;
  shape.block = {32, 1, 1};
  Report report = runKernel(card,
                            kernelText(R"(
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [a0];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 1;
    @%p1 exit;
    setp.lt.u32 %p2, %r1, 10;
    @%p2 ret;
    activemask.b32 %r3;
    st.global.u32 [%rd2], %r3;
  )",
                                       1),
                            shape, {out});
  INFO(report.text());
  REQUIRE(report.ok());
  std::vector<uint32_t> values = *card.download<uint32_t>(out, 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    CHECK(values[lane] ==
          (lane % 2 == 1 || lane < 10 ? 0u : 0x55555400u)); // 10, 12 .. 30
}

TEST_CASE("bra.uni that lanes do not agree on is a fault", "[sim][core]") {
  Report report = runForFaults(R"(
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 4;
    @%p1 bra.uni SKIP;
    mov.u32 %r2, 1;
  SKIP:
  )");
  REQUIRE(report.faults.size() == 1);
  CHECK(report.faults[0].fault.kind == FaultKind::IllegalValue);
  CHECK(report.faults[0].fault.detail ==
        "it is true for lanes 0-3 and false for lanes 4-31: without .uni it "
        "may differ between lanes");
}

TEST_CASE("trap and brkpt end the launch", "[sim][core]") {
  Report trap = runForFaults("mov.u32 %r1, %laneid;\n"
                             "setp.eq.u32 %p1, %r1, 9;\n@%p1 trap;");
  REQUIRE(trap.faults.size() == 1);
  CHECK(trap.faults[0].fault.kind == FaultKind::Trap);
  CHECK(trap.faults[0].fault.sites[0].who.thread == 9);
  CHECK(trap.faults[0].fault.detail == "the kernel ends itself here");
  Report breakpoint = runForFaults("brkpt;");
  REQUIRE(breakpoint.faults.size() == 1);
  CHECK(breakpoint.faults[0].fault.detail ==
        "without a debugger a breakpoint ends the kernel");
}

TEST_CASE("registers read before they are written are found once a place",
          "[sim][core]") {
  Report report = runForFaults(R"(
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 5;
    @%p1 mov.u32 %r2, 1;
    add.u32 %r3, %r1, %r2;
    add.u32 %r4, %r3, %r2;
  )");
  INFO(report.text());
  REQUIRE(report.faults.size() == 1);
  const Fault &fault = report.faults[0].fault;
  CHECK(fault.kind == FaultKind::Uninitialized);
  CHECK(fault.object == "register %r2");
  CHECK(fault.sites[0].who.thread == 5);
  CHECK(fault.detail == "this thread has not written it before");
  CHECK(report.text().find("read of an uninitialised register") !=
        std::string::npos);
  SimulatorOptions unchecked;
  unchecked.checks = false;
  CHECK(runForFaults("add.u32 %r3, %r1, %r2;", {}, unchecked).ok());
}

TEST_CASE("an uninitialised guard is found", "[sim][core]") {
  Report report = runForFaults("@%p3 mov.u32 %r1, 1;");
  REQUIRE(report.faults.size() == 1);
  CHECK(report.faults[0].fault.object == "register %p3");
}

TEST_CASE("special registers", "[sim][core]") {
  Simulator card;
  constexpr unsigned kValues = 24;
  const char *names[] = {"%tid.x",       "%tid.y",       "%tid.z",
                         "%ntid.x",      "%ntid.y",      "%ntid.z",
                         "%ctaid.x",     "%ctaid.y",     "%ctaid.z",
                         "%nctaid.x",    "%nctaid.y",    "%nctaid.z",
                         "%laneid",      "%warpid",      "%nwarpid",
                         "%lanemask_eq", "%lanemask_le", "%lanemask_lt",
                         "%lanemask_ge", "%lanemask_gt", "%dynamic_smem_size",
                         "%tid.w",       "%envreg3",     "%nsmid"};
  static_assert(sizeof names / sizeof *names == kValues);
  // The linear number of the thread in the grid picks the row.
  std::string body = R"(
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
    mad.lo.u32 %r4, %r3, 2, %r2;
    mad.lo.u32 %r4, %r4, 3, %r1;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
    mad.lo.u32 %r5, %r3, 3, %r2;
    mad.lo.u32 %r5, %r5, 5, %r1;
    mad.lo.u32 %r4, %r4, 60, %r5;
    mul.lo.u32 %r4, %r4, 96;
    ld.param.u64 %rd1, [a0];
    cvt.u64.u32 %rd2, %r4;
    add.s64 %rd1, %rd1, %rd2;
  )";
  for (unsigned i = 0; i < kValues; ++i)
    body += "mov.u32 %r6, " + std::string(names[i]) +
            ";\nst.global.u32 [%rd1+" + std::to_string(4 * i) + "], %r6;\n";
  LaunchShape shape;
  shape.grid = {3, 2, 2};
  shape.block = {5, 3, 4}; // 60 threads: the last warp has 28
  shape.dynamicSharedBytes = 48;
  uint64_t out = *card.upload(std::vector<uint32_t>(12 * 60 * kValues, 0xdead));
  Report report = runKernel(card, kernelText(body, 1), shape, {out});
  INFO(report.text());
  REQUIRE(report.ok());
  std::vector<uint32_t> values =
      *card.download<uint32_t>(out, 12 * 60 * kValues);
  size_t row = 0;
  for (uint32_t cz = 0; cz < 2; ++cz)
    for (uint32_t cy = 0; cy < 2; ++cy)
      for (uint32_t cx = 0; cx < 3; ++cx)
        for (uint32_t t = 0; t < 60; ++t) {
          uint32_t lane = t % 32;
          uint32_t equal = 1u << lane, less = equal - 1;
          std::vector<uint32_t> wanted = {t % 5,
                                          t / 5 % 3,
                                          t / 15,
                                          5,
                                          3,
                                          4,
                                          cx,
                                          cy,
                                          cz,
                                          3,
                                          2,
                                          2,
                                          lane,
                                          t / 32,
                                          2,
                                          equal,
                                          less | equal,
                                          less,
                                          ~less,
                                          ~(less | equal),
                                          48,
                                          0,
                                          0,
                                          132};
          std::vector<uint32_t> found(values.begin() + ptrdiff_t(row),
                                      values.begin() +
                                          ptrdiff_t(row + kValues));
          REQUIRE(found == wanted);
          row += kValues;
        }
}

TEST_CASE("special registers of clusters", "[sim][core]") {
  Simulator card;
  const char *names[] = {"%clusterid.x",      "%clusterid.y",
                         "%nclusterid.x",     "%nclusterid.y",
                         "%cluster_ctaid.x",  "%cluster_ctaid.y",
                         "%cluster_nctaid.x", "%cluster_nctaid.y",
                         "%cluster_ctarank",  "%cluster_nctarank"};
  std::string body = R"(
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y;
    mad.lo.u32 %r4, %r2, 6, %r1;
    mul.lo.u32 %r4, %r4, 44;
    ld.param.u64 %rd1, [a0];
    cvt.u64.u32 %rd2, %r4;
    add.s64 %rd1, %rd1, %rd2;
    mov.pred %p1, %is_explicit_cluster;
    selp.u32 %r6, 1, 0, %p1;
    st.global.u32 [%rd1+40], %r6;
  )";
  for (unsigned i = 0; i < 10; ++i)
    body += "mov.u32 %r6, " + std::string(names[i]) +
            ";\nst.global.u32 [%rd1+" + std::to_string(4 * i) + "], %r6;\n";
  LaunchShape shape;
  shape.grid = {6, 4, 1};
  shape.cluster = {3, 2, 1};
  uint64_t out = *card.upload(std::vector<uint32_t>(24 * 11, 0xdead));
  Report report = runKernel(card, kernelText(body, 1), shape, {out});
  INFO(report.text());
  REQUIRE(report.ok());
  std::vector<uint32_t> values = *card.download<uint32_t>(out, 24 * 11);
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 6; ++x) {
      std::vector<uint32_t> wanted = {
          x / 3, y / 2, 2, 2, x % 3, y % 2, 3, 2, x % 3 + 3 * (y % 2), 6, 1};
      auto at = values.begin() + ptrdiff_t((y * 6 + x) * 11);
      CHECK(std::vector<uint32_t>(at, at + 11) == wanted);
    }
}

TEST_CASE("clocks go on", "[sim][core]") {
  auto results =
      runLanes(R"(
    mov.u32 %r1, %clock;
    mov.u64 %rd1, %clock64;
    add.u32 %r3, %r1, 0;
    mov.u32 %r2, %clock;
    mov.u64 %rd2, %clock64;
    mov.u64 %rd3, %globaltimer;
    sub.u32 %r4, %r2, %r1;
    sub.u64 %rd4, %rd2, %rd1;
    sub.u64 %rd5, %rd3, %rd2;
  )",
               {{"%r4", "u32"}, {"%rd4", "u64"}, {"%rd5", "u64"}}, {});
  // Instructions in between and themselves.
  CHECK(results[0][0] == 3);
  CHECK(results[1][31] == 3);
  CHECK(results[2][5] == 1);
}

TEST_CASE("a warp with fewer threads", "[sim][core]") {
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>(64, 0));
  LaunchShape shape;
  shape.block = {40, 1, 1};
  Report report = runKernel(card,
                            kernelText(R"(
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [a0];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    bar.sync 0;
    vote.sync.ballot.b32 %r2, 1, 0xffffffff;
    activemask.b32 %r3;
    st.global.u32 [%rd2], %r3;
  )",
                                       1),
                            shape, {out});
  INFO(report.text());
  REQUIRE(report.ok());
  std::vector<uint32_t> values = *card.download<uint32_t>(out, 64);
  for (unsigned i = 0; i < 64; ++i)
    CHECK(values[i] == (i < 32 ? 0xffffffffu : i < 40 ? 0xffu : 0u));
}
