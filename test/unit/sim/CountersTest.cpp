//===- CountersTest.cpp - sectors, wavefronts, reports --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected numbers are counted by hand from the definitions in Counters.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/MemorySystem.h"
#include "test/unit/sim/MemoryHelpers.h"

#include <catch2/catch.hpp>

using namespace girih::sim;
using namespace girih::sim::test;

namespace {

/// Addresses from a function of the lane.
template <typename F>
WarpAccess accessOf(Space space, unsigned bytes, F &&addressOf) {
  WarpAccess access;
  access.space = space;
  access.bytes = access.elementBytes = bytes;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    access.address[lane] = addressOf(lane);
  return access;
}

template <typename F>
uint64_t wavefronts(unsigned bytes, F &&addressOf, uint32_t lanes = kAllLanes) {
  return countWavefronts(accessOf(Space::Shared, bytes, addressOf), lanes);
}

constexpr uint64_t kBuffer = uint64_t(3) << kBufferShift;

template <typename F>
uint64_t sectors(unsigned bytes, F &&offsetOf, uint32_t lanes = kAllLanes) {
  return countSectors(accessOf(Space::Global, bytes,
                               [&](unsigned lane) {
                                 return kBuffer + uint64_t(offsetOf(lane));
                               }),
                      lanes);
}

const CounterReport::Line &lineWith(const CounterReport &report,
                                    const std::string &part) {
  for (const CounterReport::Line &line : report.lines)
    if (contains(line.text, part))
      return line;
  FAIL("no line has " << part);
  return report.lines.front();
}

const BufferCount &tensorAt(const CounterReport &report, uint64_t address) {
  std::string name = "buffer " + std::to_string(address >> kBufferShift);
  for (const CounterReport::Tensor &tensor : report.tensors)
    if (tensor.name == name)
      return tensor.count;
  FAIL("no tensor " << name);
  return report.tensors.front().count;
}

} // namespace

TEST_CASE("the four ways to read a tile of 32 x 32 f32") {
  // A row; a column; a column of rows padded to 33; a column whose words are
  // swizzled by column ^ row.
  for (unsigned fixed : {0u, 1u, 17u, 31u}) {
    CHECK(wavefronts(4, [=](unsigned i) { return 4 * (32 * fixed + i); }) == 1);
    CHECK(wavefronts(4, [=](unsigned i) { return 4 * (32 * i + fixed); }) ==
          32);
    CHECK(wavefronts(4, [=](unsigned i) { return 4 * (33 * i + fixed); }) == 1);
    CHECK(wavefronts(
              4, [=](unsigned i) { return 4 * (32 * i + (fixed ^ i)); }) == 1);
  }
}

TEST_CASE("wavefronts by width") {
  // Lanes at one word cost nothing, whatever their bytes.
  CHECK(wavefronts(4, [](unsigned) { return 400; }) == 1);
  CHECK(wavefronts(1, [](unsigned i) { return i; }) == 1);
  CHECK(wavefronts(2, [](unsigned i) { return 2 * i; }) == 1);
  // Bytes 128 apart: one bank, 32 words.
  CHECK(wavefronts(1, [](unsigned i) { return 128 * i; }) == 32);
  // Every second word: two words in each of 16 banks.
  CHECK(wavefronts(4, [](unsigned i) { return 8 * i; }) == 2);
  CHECK(wavefronts(4, [](unsigned i) { return 16 * i; }) == 4);
  // Backwards makes no difference.
  CHECK(wavefronts(4, [](unsigned i) { return 4 * (31 - i); }) == 1);
  // 8 bytes go by half warps, 16 by quarters.
  CHECK(wavefronts(8, [](unsigned i) { return 8 * i; }) == 2);
  CHECK(wavefronts(16, [](unsigned i) { return 16 * i; }) == 4);
  CHECK(wavefronts(8, [](unsigned) { return 64; }) == 2);
  // Of a half warp, 16 pairs that are 16 bytes apart: banks 0 1 4 5 ... twice.
  CHECK(wavefronts(8, [](unsigned i) { return 16 * i; }) == 4);
  // Rows of 128 bytes: eight lanes at the same four banks, four times.
  CHECK(wavefronts(16, [](unsigned i) { return 128 * i; }) == 32);
  // Rows of 144 bytes, as padded tiles have: no conflict.
  CHECK(wavefronts(16, [](unsigned i) { return 144 * i; }) == 4);
  // Half the lanes: two quarters, or one lane of each.
  CHECK(wavefronts(
            16, [](unsigned i) { return 16 * i; }, 0xffff) == 2);
  CHECK(wavefronts(
            16, [](unsigned i) { return 16 * i; }, 0x01010101) == 4);
  CHECK(wavefronts(
            4, [](unsigned i) { return 128 * i; }, 0x7) == 3);
  CHECK(wavefronts(
            4, [](unsigned i) { return 128 * i; }, 0) == 0);
  // Generic addresses count where they are in the window.
  WarpAccess generic = accessOf(Space::Generic, 4, [](unsigned i) {
    return i < 16 ? kSharedWindow + 128 * i : kBuffer + 32 * i;
  });
  CHECK(countWavefronts(generic, kAllLanes) == 16);
  CHECK(countSectors(generic, kAllLanes) == 16);
}

TEST_CASE("sectors") {
  CHECK(sectors(4, [](unsigned i) { return 4 * i; }) == 4);
  CHECK(sectors(4, [](unsigned i) { return 4 * i + 4; }) == 5);
  CHECK(sectors(4, [](unsigned i) { return 4 * (31 - i); }) == 4);
  CHECK(sectors(4, [](unsigned i) { return 4 * (i * 7 % 32); }) == 4);
  CHECK(sectors(4, [](unsigned i) { return 8 * i; }) == 8);
  CHECK(sectors(4, [](unsigned i) { return 4096 * i; }) == 32);
  CHECK(sectors(4, [](unsigned i) { return 4096 * (i * 5 % 32); }) == 32);
  CHECK(sectors(4, [](unsigned i) { return 32 * (i % 3); }) == 3);
  CHECK(sectors(4, [](unsigned i) { return i % 2 ? 96 : 160; }) == 2);
  CHECK(sectors(4, [](unsigned) { return 12; }) == 1);
  CHECK(sectors(1, [](unsigned i) { return i; }) == 1);
  CHECK(sectors(2, [](unsigned i) { return 2 * i; }) == 2);
  CHECK(sectors(8, [](unsigned i) { return 8 * i; }) == 8);
  CHECK(sectors(16, [](unsigned i) { return 16 * i; }) == 16);
  CHECK(sectors(32, [](unsigned i) { return 32 * i; }) == 32);
  CHECK(sectors(
            4, [](unsigned i) { return 4 * i; }, 0x80000001) == 2);
  CHECK(sectors(
            4, [](unsigned i) { return 4 * i; }, 0) == 0);
  // Bulk: 1024 bytes; two that overlap by half; one sector and a bit.
  CHECK(sectors(
            1024, [](unsigned) { return 64; }, 1) == 32);
  CHECK(sectors(
            1024, [](unsigned i) { return 512 * i; }, 3) == 48);
  CHECK(sectors(
            48, [](unsigned) { return 16; }, 1) == 2);
}

TEST_CASE("rows and broadcasts are counted like anything else") {
  // countSectors and countWavefronts look at every lane.
  Simulator card;
  auto kernel = card.load(kernelText(""), "k");
  REQUIRE(kernel.ok());
  for (Space space : {Space::Global, Space::Shared})
    for (unsigned bytes : {1u, 2u, 4u, 8u, 16u})
      for (unsigned start : {0u, 16u, 48u, 112u, 4064u})
        for (unsigned step : {0u, bytes, 2 * bytes}) {
          uint64_t base = space == Space::Global ? kBuffer : 0;
          WarpAccess access = accessOf(space, bytes, [&](unsigned lane) {
            return base + start + uint64_t(lane) * step;
          });
          for (uint32_t lanes : {kAllLanes, kAllLanes << 1}) {
            Counters counters(kernel->code());
            counters.access(0, access, lanes);
            const InstructionCount &count = counters.instructions[0];
            unsigned number = unsigned(__builtin_popcount(lanes));
            CHECK(count.bytes == bytes * number);
            CHECK(count.sectors == countSectors(access, lanes));
            CHECK(count.wavefronts == countWavefronts(access, lanes));
            if (space == Space::Global) {
              CHECK(count.usedBytes == (step ? bytes * number : bytes));
              CHECK(counters.buffers[kBuffer].readBytes == bytes * number);
              CHECK(counters.buffers[kBuffer].readSectors == count.sectors);
            } else {
              CHECK(counters.peakShared == start + 31 * step + bytes);
              CHECK(count.idealWavefronts == (bytes <= 4   ? 1
                                              : bytes == 8 ? 2
                                                           : 4));
            }
          }
        }
}

TEST_CASE("a vector sum") {
  const char *body = R"(
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r1, 256, %r2;
    setp.ge.u32 %p1, %r3, 1000;
    @%p1 bra END;
    ld.param.u64 %rd1, [a0];
    ld.param.u64 %rd2, [a1];
    ld.param.u64 %rd3, [a2];
    mul.wide.u32 %rd4, %r3, 4;
    add.s64 %rd1, %rd1, %rd4;
    add.s64 %rd2, %rd2, %rd4;
    add.s64 %rd3, %rd3, %rd4;
    ld.global.f32 %f1, [%rd1];
    ld.global.f32 %f2, [%rd2];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd3], %f3;
  END:
  )";
  Simulator card;
  std::vector<float> ones(1000, 1);
  uint64_t a = *card.upload(ones), b = *card.upload(ones),
           c = *card.upload(ones);
  Report report =
      runKernel(card, kernelText(body, 3), shapeOf(256, 4), {a, b, c});
  REQUIRE(report.ok());
  const CounterReport &counters = report.counters;
  CHECK(counters.blocks == 4);
  CHECK(counters.threadsPerBlock == 256);
  // 32 warps, the last one with 8 lanes below 1000; all reach the return.
  CHECK(counters.warpInstructions == 32 * (16 + 1));
  CHECK(counters.threadInstructions == 1024 * (4 + 1) + 24 + 1000 * 11);
  CHECK(counters.mix[unsigned(Category::Load)] == 32 * 5);
  CHECK(counters.mix[unsigned(Category::Store)] == 32);
  CHECK(counters.mix[unsigned(Category::Float32)] == 32);
  CHECK(counters.sharedWavefronts == 0);
  CHECK(counters.peakShared == 0);
  // 31 warps of 128 bytes and one of 32.
  for (uint64_t read : {a, b}) {
    CHECK(tensorAt(counters, read).readBytes == 4000);
    CHECK(tensorAt(counters, read).readSectors == 125);
    CHECK(tensorAt(counters, read).writtenBytes == 0);
  }
  CHECK(tensorAt(counters, c).writtenBytes == 4000);
  CHECK(tensorAt(counters, c).writtenSectors == 125);
  CHECK(tensorAt(counters, c).readSectors == 0);
  CHECK(counters.lines.size() == 3); // without parameters
  const CounterReport::Line &load = lineWith(counters, "%f2, [%rd2]");
  CHECK(load.count.warps == 32);
  CHECK(load.count.threads == 1000);
  CHECK(load.count.bytes == 4000);
  CHECK(load.count.sectors == 125);
  CHECK(load.sectorUse == 1);
}

namespace {

/// 64 x 64 f32, tiles of 32 x 32, a thread an element. `pitch`: words a row of
/// the tile in shared memory.
std::string transposeBody(unsigned pitch) {
  std::string row = std::to_string(4 * pitch);
  return ".shared .align 4 .b8 tile[" + std::to_string(128 * pitch) + "];\n" +
         R"(
    ld.param.u64 %rd1, [a0];
    ld.param.u64 %rd2, [a1];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    mad.lo.u32 %r5, %r3, 32, %r1;
    mad.lo.u32 %r6, %r4, 32, %r2;
    mad.lo.u32 %r7, %r6, 64, %r5;
    mad.wide.u32 %rd3, %r7, 4, %rd1;
    ld.global.f32 %f1, [%rd3];
    mov.u32 %r8, tile;
    mad.lo.u32 %r9, %r2, )" +
         row + R"(, %r8;
    mad.lo.u32 %r9, %r1, 4, %r9;
    st.shared.f32 [%r9], %f1;
    bar.sync 0;
    mad.lo.u32 %r10, %r1, )" +
         row + R"(, %r8;
    mad.lo.u32 %r10, %r2, 4, %r10;
    ld.shared.f32 %f2, [%r10];
    mad.lo.u32 %r11, %r4, 32, %r1;
    mad.lo.u32 %r12, %r3, 32, %r2;
    mad.lo.u32 %r13, %r12, 64, %r11;
    mad.wide.u32 %rd4, %r13, 4, %rd2;
    st.global.f32 [%rd4], %f2;
  )";
}

const char *const kNaive = R"(
    ld.param.u64 %rd1, [a0];
    ld.param.u64 %rd2, [a1];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    mad.lo.u32 %r5, %r3, 32, %r1;
    mad.lo.u32 %r6, %r4, 32, %r2;
    mad.lo.u32 %r7, %r6, 64, %r5;
    mad.lo.u32 %r8, %r5, 64, %r6;
    mad.wide.u32 %rd3, %r7, 4, %rd1;
    mad.wide.u32 %rd4, %r8, 4, %rd2;
    ld.global.f32 %f1, [%rd3];
    st.global.f32 [%rd4], %f1;
  )";

CounterReport transpose(const std::string &body) {
  Simulator card;
  std::vector<float> values(64 * 64);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  uint64_t from = *card.upload(values);
  uint64_t to = *card.upload(std::vector<float>(64 * 64));
  LaunchShape shape;
  shape.grid = {2, 2, 1};
  shape.block = {32, 32, 1};
  Report report = runKernel(card, kernelText(body, 2), shape, {from, to});
  INFO(report.text());
  REQUIRE(report.ok());
  values = *card.download<float>(to, 64 * 64);
  for (size_t i = 0; i < values.size(); ++i)
    REQUIRE(values[i] == float(i % 64 * 64 + i / 64));
  return report.counters;
}

} // namespace

TEST_CASE("transposes: straight, by a tile, by a padded tile") {
  // 128 warps; a row of a tile is four sectors, a column 32.
  CounterReport naive = transpose(kNaive);
  CHECK(lineWith(naive, "ld.global").count.sectors == 128 * 4);
  CHECK(lineWith(naive, "ld.global").sectorUse == 1);
  CHECK(lineWith(naive, "st.global").count.sectors == 128 * 32);
  CHECK(lineWith(naive, "st.global").sectorUse == 0.125);
  CHECK(naive.barriers == 0);

  CounterReport tiled = transpose(transposeBody(32));
  CHECK(lineWith(tiled, "st.global").count.sectors == 128 * 4);
  CHECK(lineWith(tiled, "st.shared").count.wavefronts == 128);
  CHECK(lineWith(tiled, "ld.shared").count.wavefronts == 128 * 32);
  CHECK(lineWith(tiled, "ld.shared").count.idealWavefronts == 128);
  CHECK(tiled.sharedWavefronts == 128 * 33);
  CHECK(tiled.sharedConflicts == 128 * 31);
  CHECK(tiled.barriers == 4);
  CHECK(tiled.peakShared == 4096);
  CHECK(tiled.sharedBytes == 4096);

  CounterReport padded = transpose(transposeBody(33));
  CHECK(lineWith(padded, "ld.shared").count.wavefronts == 128);
  CHECK(padded.sharedConflicts == 0);
  CHECK(padded.sharedBytes == 4224);
  // The last column of the last row is padding.
  CHECK(padded.peakShared == 4220);
}

TEST_CASE("atomics, copies and matrices in a report") {
  const char *body = R"(
    .shared .align 16 .b8 tile[512];
    ld.param.u64 %rd1, [a0];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 16;
    add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r2, tile;
    mad.lo.u32 %r2, %r1, 16, %r2;
    cp.async.cg.shared.global [%r2], [%rd3], 16;
    cp.async.wait_all;
    bar.warp.sync 0xffffffff;
    red.global.add.u32 [%rd1], 0;
    mov.b32 %r3, 0;
    mov.f32 %f1, 0f00000000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r3, %r3, %r3, %r3}, {%r3, %r3}, {%f1, %f1, %f1, %f1};
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, %f5}, {%r3, %r3, %r3, %r3}, {%r3, %r3}, {%f1, %f1, %f1, %f1};
    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f2, %f3, %f4, %f5}, {%r3, %r3, %r3, %r3}, {%r3, %r3}, {%f1, %f1, %f1, %f1};
  )";
  Simulator card;
  uint64_t buffer = *card.upload(std::vector<uint32_t>(128));
  card.memory().find(buffer)->view.name = "X";
  Report report = runKernel(card, kernelText(body, 1), shapeOf(32), {buffer});
  INFO(report.text());
  REQUIRE(report.ok());
  const CounterReport &counters = report.counters;
  REQUIRE(counters.tensors.size() == 1);
  CHECK(counters.tensors[0].name == "X");
  CHECK(counters.tensors[0].count.readBytes == 512);
  CHECK(counters.tensors[0].count.readSectors == 16);
  CHECK(counters.tensors[0].count.atomicBytes == 128);
  CHECK(counters.tensors[0].count.atomicSectors == 1);
  CHECK(lineWith(counters, "cp.async.cg").count.bytes == 512);
  CHECK(lineWith(counters, "cp.async.cg").count.sectors == 16);
  CHECK(lineWith(counters, "cp.async.cg").count.wavefronts == 4);
  CHECK(lineWith(counters, "red.global.add").count.bytes == 128);
  // One word of a sector's eight.
  CHECK(lineWith(counters, "red.global.add").sectorUse == 0.125);
  CHECK(counters.peakShared == 512);
  CHECK(counters.matrix == std::map<std::string, uint64_t>{{"mma.m16n8k16", 2},
                                                           {"mma.m16n8k8", 1}});
  std::string text = printText(counters);
  CHECK(contains(text, "kernel 'k'"));
  CHECK(contains(text, "mma.m16n8k16"));
  CHECK(contains(text, "sectors 16 (100.0 % used)"));
  CHECK(contains(text, "wavefronts 4 (4 without conflicts)"));
}

TEST_CASE("a report as JSON") {
  CounterReport report;
  report.kernel = "a \"b\"\n";
  report.blocks = 2;
  report.threadsPerBlock = 64;
  report.warpInstructions = 12;
  report.threadInstructions = 384;
  report.mix[unsigned(Category::Load)] = 4;
  report.matrix["mma.m16n8k16"] = 8;
  report.barriers = 1;
  report.peakShared = 16;
  report.sharedBytes = 32;
  report.sharedWavefronts = 6;
  report.sharedConflicts = 2;
  CHECK(printJson(report) == R"({
  "kernel": "a \"b\"\u000a",
  "blocks": 2,
  "threadsPerBlock": 64,
  "warpInstructions": 12,
  "threadInstructions": 384,
  "mix": {"load": 4},
  "matrix": {"mma.m16n8k16": 8},
  "barriers": 1,
  "peakShared": 16,
  "sharedBytes": 32,
  "sharedWavefronts": 6,
  "sharedConflicts": 2,
  "tensors": [],
  "lines": []
}
)");
  report.tensors.push_back({"C:\\x", {}});
  report.tensors[0].count.readBytes = 128;
  report.tensors[0].count.readSectors = 4;
  CounterReport::Line line;
  line.location.line = 7;
  line.text = "ld.global.f32 %f1, [%rd1];";
  line.count.warps = 1;
  line.count.sectors = 4;
  line.sectorUse = 0.25;
  report.lines.push_back(line);
  std::string json = printJson(report);
  CHECK(contains(json, R"("tensors": [
    {"name": "C:\\x", "readBytes": 128, "readSectors": 4, "writtenBytes": 0, )"
                       R"("writtenSectors": 0, "atomicBytes": 0, )"
                       R"("atomicSectors": 0}
  ],)"));
  CHECK(contains(json, R"("text": "ld.global.f32 %f1, [%rd1];", "warps": 1)"));
  CHECK(contains(json, R"("sectorUse": 0.25}
  ]
})"));
}
