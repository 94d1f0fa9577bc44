//===- MatrixTest.cpp - ldmatrix, stmatrix, movmatrix ---------------------===//
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

// Shared memory holds 32 rows of 16 bytes: row i at byte 16 * (5 * i % 32), so
// that addresses matter. Element e of row i is 256 + 8 * i + e.

static uint16_t element(unsigned matrix, unsigned row, unsigned column) {
  return uint16_t(256 + 8 * (8 * matrix + row) + column);
}

/// Declares the tile and fills it: lane i writes row i. Leaves the row's
/// address in %r0.
static std::string fill() {
  return ".shared .align 16 .b8 tile[512];\n"
         "mov.u32 %r1, %laneid;\n"
         "mul.lo.u32 %r0, %r1, 5;\n"
         "and.b32 %r0, %r0, 31;\n"
         "shl.b32 %r0, %r0, 4;\n"
         "mov.u32 %r2, tile;\n"
         "add.u32 %r0, %r0, %r2;\n"
         "mul.lo.u32 %r3, %r1, 0x00080008;\n"
         "add.u32 %r4, %r3, 0x01010100;\n"
         "add.u32 %r5, %r4, 0x00020002;\n"
         "add.u32 %r6, %r5, 0x00020002;\n"
         "add.u32 %r7, %r6, 0x00020002;\n"
         "st.shared.v4.b32 [%r0], {%r4, %r5, %r6, %r7};\n"
         "bar.warp.sync 0xffffffff;\n";
}

static std::string list(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text.append(i ? ", %r" : "%r").append(std::to_string(first + i));
  return text + "}";
}

static std::vector<std::pair<std::string, std::string>>
registersFrom(unsigned first, unsigned count) {
  std::vector<std::pair<std::string, std::string>> names;
  for (unsigned i = 0; i < count; ++i)
    names.push_back({"%r" + std::to_string(first + i), "b32"});
  return names;
}

/// The elements that a lane gets of a matrix, low half first.
static uint32_t fragment(unsigned matrix, unsigned lane, bool isTransposed) {
  uint32_t word = 0;
  for (unsigned i = 0; i < 2; ++i) {
    unsigned row = lane / 4, column = lane % 4 * 2 + i;
    if (isTransposed)
      std::swap(row, column);
    word |= uint32_t(element(matrix, row, column)) << 16 * i;
  }
  return word;
}

static void checkFragments(const std::vector<std::vector<uint64_t>> &registers,
                           bool isTransposed) {
  for (unsigned matrix = 0; matrix < registers.size(); ++matrix)
    for (unsigned lane = 0; lane < 32; ++lane)
      CHECK(registers[matrix][lane] == fragment(matrix, lane, isTransposed));
}

TEST_CASE("ldmatrix gives each lane its elements") {
  for (unsigned count : {1, 2, 4})
    for (bool isTransposed : {false, true})
      for (const char *space : {".shared", ".shared::cta", ""}) {
        std::string body = fill(), address = "[%r0+0]";
        if (!*space) {
          body += "cvt.u64.u32 %rd0, %r0; cvta.shared.u64 %rd1, %rd0;\n";
          address = "[%rd1]";
        }
        body += "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                (isTransposed ? ".trans" : "") + space + ".b16 " +
                list(20, count) + ", " + address + ";";
        INFO(body);
        checkFragments(runLanes(body, registersFrom(20, count), {}),
                       isTransposed);
      }
}

TEST_CASE("only the lanes of the rows need an address") {
  // Lanes 8 and up have none; an x1 does not look.
  std::string body = fill() + "setp.lt.u32 %p0, %r1, 8;\n"
                              "@%p0 mov.u32 %r9, %r0;\n";
  checkFragments(
      runLanes(body + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r9];",
               registersFrom(20, 1), {}),
      false);
  Report report = runForFaults(
      body + "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20, %r21}, [%r9];");
  CHECK_THAT(report.text(), Catch::Contains("reads register %r9"));
}

TEST_CASE("stmatrix writes what ldmatrix reads") {
  for (unsigned count : {1, 2, 4})
    for (bool isTransposed : {false, true}) {
      std::vector<LaneInput> inputs;
      for (unsigned i = 0; i < count; ++i) {
        std::vector<uint64_t> lanes;
        for (unsigned lane = 0; lane < 32; ++lane)
          lanes.push_back(fragment(i, lane, isTransposed));
        inputs.push_back({"%r" + std::to_string(40 + i), "b32", lanes});
      }
      // Zeros over all of it, then the matrices; each lane reads its row.
      std::string body = fill() +
                         "mov.b32 %r10, 0;\n"
                         "st.shared.v4.b32 [%r0], {%r10, %r10, %r10, %r10};\n"
                         "bar.warp.sync 0xffffffff;\n"
                         "stmatrix.sync.aligned.m8n8.x" +
                         std::to_string(count) +
                         (isTransposed ? ".trans" : "") +
                         ".shared.b16 [%r0], " + list(40, count) +
                         ";\n"
                         "bar.warp.sync 0xffffffff;\n"
                         "ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r0];";
      INFO(body);
      auto words = runLanes(body, registersFrom(20, 4), inputs);
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i) {
          unsigned matrix = lane / 8, row = lane % 8;
          uint32_t expected =
              matrix < count
                  ? element(matrix, row, 2 * i) |
                        uint32_t(element(matrix, row, 2 * i + 1)) << 16
                  : 0;
          CHECK(words[i][lane] == expected);
        }
    }
}

TEST_CASE("movmatrix transposes") {
  std::vector<uint64_t> lanes, expected;
  for (unsigned lane = 0; lane < 32; ++lane) {
    lanes.push_back(fragment(0, lane, false));
    expected.push_back(fragment(0, lane, true));
  }
  std::vector<LaneInput> inputs = {{"%r0", "b32", lanes}};
  CHECK(runLanes("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;", "%r1",
                 "b32", inputs) == expected);
  CHECK(runLanes("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r0;", "%r0",
                 "b32", inputs) == expected);
}

TEST_CASE("ldmatrix and mma multiply matrices in shared memory") {
  // A (16 x 8, row major) times B (8 x 8, in columns): C = A B of small
  // numbers, where A[i][j] = i - j and B[j][n] = j + 2 n.
  std::string body = ".shared .align 16 .b8 a[256];\n"
                     ".shared .align 16 .b8 b[128];\n"
                     "mov.u32 %r1, %laneid;\n"
                     "setp.lt.u32 %p0, %r1, 16;\n"
                     "setp.lt.u32 %p1, %r1, 8;\n"
                     "shl.b32 %r2, %r1, 4;\n"
                     "mov.u32 %r3, a; add.u32 %r3, %r3, %r2;\n"
                     "mov.u32 %r4, b; add.u32 %r4, %r4, %r2;\n"
                     "cvt.rn.f32.u32 %f0, %r1; add.f32 %f1, %f0, %f0;\n";
  for (unsigned j = 0; j < 8; ++j) {
    std::string k = std::to_string(j), at = std::to_string(2 * j);
    body += "sub.f32 %f2, %f0, " + k + ".0; cvt.rn.f16.f32 %h0, %f2;\n" +
            "@%p0 st.shared.b16 [%r3+" + at + "], %h0;\n" +
            "add.f32 %f2, %f1, " + k + ".0; cvt.rn.f16.f32 %h0, %f2;\n" +
            "@%p1 st.shared.b16 [%r4+" + at + "], %h0;\n";
  }
  body += "bar.warp.sync 0xffffffff;\n"
          "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%r3];\n"
          "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r12}, [%r4];\n"
          "mov.f32 %f3, 0f00000000;\n"
          "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f10, %f11, %f12, "
          "%f13}, {%r10, %r11}, {%r12}, {%f3, %f3, %f3, %f3};\n";
  auto d = runLanes(
      body,
      {{"%f10", "f32"}, {"%f11", "f32"}, {"%f12", "f32"}, {"%f13", "f32"}}, {});
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      int row = int(lane / 4 + 8 * (i / 2)), n = int(lane % 4 * 2 + i % 2);
      int sum = 0;
      for (int j = 0; j < 8; ++j)
        sum += (row - j) * (j + 2 * n);
      CHECK(asFloat(d[i][lane]) == float(sum));
    }
}

// Faults
// -----------------------------------------------------------------------

TEST_CASE("rows have to be shared memory that was written, aligned to 16") {
  std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, "
                     "%r22, %r23}, ";
  auto text = [&](const std::string &body) {
    return runForFaults(fill() + body).text();
  };
  CHECK_THAT(text(load + "[%r0+8];"), Catch::Contains("misaligned"));
  CHECK_THAT(text(load + "[%r0+16];"), Catch::Contains("out of bounds"));
  Report report = runForFaults(
      ".shared .align 16 .b8 tile[512]; mov.u32 %r1, %laneid; shl.b32 %r0, "
      "%r1, 4; mov.u32 %r2, tile; add.u32 %r0, %r0, %r2;" +
      load + "[%r0];");
  CHECK_THAT(report.text(), Catch::Contains("uninitialised"));
  // x1 reads the first 8 rows alone.
  CHECK(runForFaults(fill() +
                     "add.u32 %r0, %r0, 0;"
                     "setp.ge.u32 %p0, %r1, 8;"
                     "@%p0 mov.u32 %r0, 0x00ffff00;"
                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r0];")
            .ok());
}

TEST_CASE("stmatrix to one row twice is a race") {
  Report report =
      runForFaults(fill() + "mov.u32 %r0, tile;"
                            "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], "
                            "{%r4};");
  REQUIRE_FALSE(report.faults.empty());
  CHECK(report.faults[0].fault.kind == FaultKind::Race);
}

TEST_CASE("registers that stmatrix stores have to be written") {
  Report report = runForFaults(
      fill() + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], {%r44};");
  CHECK_THAT(report.text(), Catch::Contains("reads register %r44"));
}

TEST_CASE("matrices need a whole warp") {
  for (const char *text :
       {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r0];",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], {%r4};",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r4;"}) {
    Simulator card;
    LaunchShape shape;
    shape.block[0] = 24;
    std::string body = fill();
    body.erase(body.find("bar.warp.sync"));
    Report report = runKernel(card, kernelText(body + text), shape, {});
    CHECK_THAT(report.text(),
               Catch::Contains("24 of 32 lanes are there, and each holds a "
                               "part of the matrices"));
  }
}

TEST_CASE("matrix loads refuse what is not supported") {
  auto says = [](const std::string &text) { return Catch::Contains(text); };
  CHECK_THAT(
      decodeFailure("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, "
                    "%r1}, [%r2];"),
      says("only matrices of shape .m8n8 are supported; .m16n8, .m16n16 and "
           ".m8n16 are of capability 10.0"));
  CHECK_THAT(decodeFailure("ldmatrix.sync.aligned.m8n8.x1.shared.b8 {%r0}, "
                           "[%r2];"),
             says("only elements of type .b16 are supported"));
  CHECK_THAT(decodeFailure("ldmatrix.sync.aligned.m8n8.shared.b16 {%r0}, "
                           "[%r2];"),
             says("the number of matrices is missing: .x1, .x2 or .x4"));
  CHECK_THAT(decodeFailure("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, "
                           "[%r2];"),
             says("a list of 2 registers in braces is expected, one a matrix"));
  CHECK_THAT(decodeFailure("ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r0}, "
                           "[%rd2];"),
             says("ldmatrix works on shared memory: .shared or .shared::cta"));
  CHECK_THAT(decodeFailure("stmatrix.aligned.m8n8.x1.shared.b16 [%r2], "
                           "{%r0};"),
             says("stmatrix is written stmatrix.sync.aligned"));
  CHECK_THAT(decodeFailure("movmatrix.sync.aligned.m8n8.b16 %r0, %r1;"),
             says("movmatrix is written "
                  "movmatrix.sync.aligned.m8n8.trans.b16"));
}

TEST_CASE("a conflict-free ldmatrix takes one wavefront a matrix") {
  for (bool conflicts : {false, true}) {
    // Rows 16 bytes apart, or 128: the same banks.
    std::string apart = conflicts ? "7" : "4";
    Report report = runForFaults(
        ".shared .align 128 .b8 wide[4096];\n"
        "mov.u32 %r1, %laneid; shl.b32 %r0, %r1, " +
        apart +
        "; mov.u32 %r2, wide; add.u32 %r0, %r0, %r2; mov.b32 %r4, 0;\n"
        "st.shared.v4.b32 [%r0], {%r4, %r4, %r4, %r4};\n"
        "bar.warp.sync 0xffffffff;\n"
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, "
        "[%r0];");
    REQUIRE(report.ok());
    for (const CounterReport::Line &line : report.counters.lines)
      if (line.text.find("ldmatrix") == 0) {
        CHECK(line.count.wavefronts == (conflicts ? 32u : 4u));
        CHECK(line.count.idealWavefronts == 4);
        CHECK(line.count.bytes == 512);
      }
  }
}
