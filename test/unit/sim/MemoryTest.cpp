//===- MemoryTest.cpp - loads, stores, addresses --------------------------===//
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

/// `$` in the body becomes the space.
std::string inSpace(std::string body, const std::string &space) {
  for (size_t at; (at = body.find('$')) != std::string::npos;)
    body.replace(at, 1, space);
  return body;
}

constexpr uint64_t kBytes = 0xf0e1d2c3b4a59687; // every byte's top bit is set

} // namespace

TEST_CASE("a load extends its value to the register's width") {
  // From the byte 0x87, the pair 0x9687, the word 0xb4a59687.
  const char *body = R"(
    .shared .align 8 .b64 shared_word;
    .local .align 8 .b64 local_word;
    st.$.b64 [$_word], %rd1;
    ld.$.s8 %rd10, [$_word];
    ld.$.u8 %rd11, [$_word];
    ld.$.b8 %rd12, [$_word];
    ld.$.s16 %rd13, [$_word];
    ld.$.u16 %rd14, [$_word];
    ld.$.s32 %rd15, [$_word];
    ld.$.u32 %rd16, [$_word];
    ld.$.s8 %r10, [$_word];
    ld.$.u8 %r11, [$_word];
    ld.$.s16 %r12, [$_word];
    ld.$.u16 %r13, [$_word];
    ld.$.s8 %h10, [$_word];
    ld.$.u8 %h11, [$_word];
    mov.b32 %r14, {%h10, %h11};
    ld.$.b8 %b1, [$_word];
    ld.$.f32 %f1, [$_word];
    ld.$.f64 %d1, [$_word];
    ld.$.s64 %rd17, [$_word];
  )";
  for (const char *space : {"shared", "local"}) {
    INFO(space);
    auto values = runLanes(inSpace(body, space),
                           {{"%rd10", "u64"},
                            {"%rd11", "u64"},
                            {"%rd12", "u64"},
                            {"%rd13", "u64"},
                            {"%rd14", "u64"},
                            {"%rd15", "u64"},
                            {"%rd16", "u64"},
                            {"%r10", "u32"},
                            {"%r11", "u32"},
                            {"%r12", "u32"},
                            {"%r13", "u32"},
                            {"%h10", "u16"},
                            {"%h11", "u16"},
                            {"%b1", "u8"},
                            {"%f1", "f32"},
                            {"%d1", "f64"},
                            {"%rd17", "u64"},
                            {"%r14", "u32"}},
                           {{"%rd1", "u64", {kBytes}}}, unchecked());
    std::vector<uint64_t> expected = {0xffffffffffffff87,
                                      0x87,
                                      0x87,
                                      0xffffffffffff9687,
                                      0x9687,
                                      0xffffffffb4a59687,
                                      0xb4a59687,
                                      0xffffff87,
                                      0x87,
                                      0xffff9687,
                                      0x9687,
                                      0xff87,
                                      0x87,
                                      0x87,
                                      0xb4a59687,
                                      kBytes,
                                      kBytes,
                                      0x0087ff87};
    for (size_t i = 0; i < expected.size(); ++i) {
      INFO(i);
      CHECK(values[i][0] == expected[i]);
      CHECK(values[i][31] == expected[i]);
    }
  }
}

TEST_CASE("a store takes the low bits of a wider register") {
  const char *body = R"(
    .shared .align 8 .b64 word;
    mov.u64 %rd2, 0;
    st.shared.b64 [word], %rd2;
    st.shared.b8 [word], %rd1;
    st.shared.u8 [word+1], %r1;
    st.shared.s16 [word+2], %rd1;
    st.shared.b32 [word+4], %rd1;
    ld.shared.b64 %rd3, [word];
    st.shared.u8 [word+7], 0x1ff;
    st.shared.f32 [word], 0f3FC00000;
    ld.shared.b64 %rd4, [word];
  )";
  std::string text = std::string(body) + "\n";
  CHECK(runOne(text, "%rd3", "u64",
               {{"%rd1", "u64", {0x1122334455667788}},
                {"%r1", "u32", {0xaabbccdd}}}) == 0x556677887788dd88);
  CHECK(runOne(text, "%rd4", "u64",
               {{"%rd1", "u64", {0x1122334455667788}},
                {"%r1", "u32", {0xaabbccdd}}}) == 0xff6677883fc00000);
}

TEST_CASE("vectors lie in order, with sinks in loads") {
  const char *body = R"(
    .shared .align 16 .b8 tile[64];
    mov.u32 %r1, 11;
    mov.u32 %r2, 22;
    mov.u32 %r3, 33;
    st.shared.v4.u32 [tile], {%r1, %r2, %r3, 44};
    ld.shared.v2.u32 {%r10, %r11}, [tile+8];
    ld.shared.v4.u32 {_, %r12, _, %r13}, [tile];
    ld.shared.v2.b64 {%rd1, %rd2}, [tile];
    st.shared.v4.b8 [tile+16], {%r1, %r2, %r3, %r1};
    ld.shared.b32 %r14, [tile+16];
    st.shared.v2.b16 [tile+20], {%r1, %r2};
    ld.shared.v4.s8 {%h1, %h2, %h3, %h4}, [tile+20];
    st.shared.v2.f64 [tile+32], {0d3FF0000000000000, 0d4000000000000000};
    ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [tile+32];
    ld.shared.b128 %q1, [tile+32];
    st.shared.b128 [tile+48], %q1;
    ld.shared.f64 %d1, [tile+56];
  )";
  auto values = runLanes(body,
                         {{"%r10", "u32"},
                          {"%r11", "u32"},
                          {"%r12", "u32"},
                          {"%r13", "u32"},
                          {"%rd1", "u64"},
                          {"%rd2", "u64"},
                          {"%r14", "u32"},
                          {"%h1", "u16"},
                          {"%h3", "u16"},
                          {"%f2", "f32"},
                          {"%f4", "f32"},
                          {"%d1", "f64"}},
                         {}, unchecked());
  std::vector<uint64_t> expected = {
      33,         44, 22, 44,         0x160000000b, 0x2c00000021,
      0x0b21160b, 11, 22, 0x3ff00000, 0x40000000,   0x4000000000000000};
  for (size_t i = 0; i < expected.size(); ++i) {
    INFO(i);
    CHECK(values[i][0] == expected[i]);
  }
}

TEST_CASE("every space, direct and by generic addresses") {
  std::string text = header() + R"(
    .global .align 8 .b64 number = 1000;
    .const .align 8 .b64 fixed[2] = {5, 7};
    .visible .entry k(.param .u64 a0, .param .u32 small, .param .u8 tiny)
    {)" + registers() +
                     R"(
    .shared .align 8 .b64 word;
    .local .align 8 .b64 own;
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %rd1, %r1;
    add.s64 %rd2, %rd1, 100;
    st.local.u64 [own], %rd2;
    cvta.local.u64 %rd3, own;
    ld.u64 %rd4, [%rd3];           // 100 + thread
    cvta.const.u64 %rd5, fixed;
    ld.u64 %rd6, [%rd5+8];         // 7
    ld.const.u64 %rd7, [fixed];    // 5
    ld.param.u32 %rd8, [small];
    ld.param::entry.s8 %rd9, [tiny];
    cvta.param.u64 %rd10, small;
    ld.u32 %r2, [%rd10];
    cvt.u64.u32 %rd11, %r2;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra STORED;
    st.shared.u64 [word], 70;
    ld.global.u64 %rd12, [number];
    add.s64 %rd12, %rd12, 1;
    st.u64 [number], %rd12;
  STORED:
    bar.sync 0;
    cvta.shared.u64 %rd13, word;
    ld.u64 %rd14, [%rd13];         // 70
    cvta.to.shared.u64 %rd15, %rd13;
    ld.shared.u64 %rd16, [%rd15];  // 70
    ld.u64 %rd17, [number];        // 1001
    cvta.to.local.u64 %rd18, %rd3;
    ld.local.u64 %rd19, [%rd18];   // 100 + thread
    add.s64 %rd20, %rd4, %rd6;
    add.s64 %rd20, %rd20, %rd7;
    add.s64 %rd20, %rd20, %rd8;
    add.s64 %rd20, %rd20, %rd9;
    add.s64 %rd20, %rd20, %rd11;
    add.s64 %rd20, %rd20, %rd14;
    add.s64 %rd20, %rd20, %rd16;
    add.s64 %rd20, %rd20, %rd17;
    add.s64 %rd20, %rd20, %rd19;
    ld.param.u64 %rd21, [a0];
    cvta.to.global.u64 %rd21, %rd21;
    mad.lo.u64 %rd21, %rd1, 8, %rd21;
    st.global.u64 [%rd21], %rd20;
    ret;
    })";
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint64_t>(64));
  Report report = runKernel(card, text, shapeOf(64), {out, 3000000000, 0x80});
  INFO(report.text());
  REQUIRE(report.ok());
  std::vector<uint64_t> values = *card.download<uint64_t>(out, 64);
  for (uint64_t i = 0; i < 64; ++i)
    CHECK(values[i] == 2 * (100 + i) + 7 + 5 + 3000000000 - 128 + 3000000000 +
                           70 + 70 + 1001);
}

TEST_CASE("modifiers of loads and stores that only hint") {
  const char *body = R"(
    .shared .align 16 .b32 word[4];
    ld.param.u64 %rd1, [a0];
    cvta.to.global.u64 %rd1, %rd1;
    createpolicy.fractional.L2::evict_last.b64 %rd2, 0.25;
    createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd3;
    createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd4, [%rd1], 0x100, 0x200;
    createpolicy.cvt.L2.b64 %rd5, %rd2;
    prefetch.global.L1 [%rd1];
    prefetch.L2 [%rd1+64];
    prefetch.global.L2::evict_last [%rd1];
    prefetchu.L1 [%rd1];
    applypriority.global.L2::evict_normal [%rd1], 128;
    ld.global.ca.u32 %r1, [%rd1];
    ld.global.cg.u32 %r2, [%rd1+4];
    ld.global.cs.u32 %r3, [%rd1+8];
    ld.global.lu.u32 %r4, [%rd1+12];
    ld.global.cv.u32 %r5, [%rd1+16];
    ld.global.nc.u32 %r6, [%rd1+20];
    ld.global.L1::no_allocate.L2::128B.u32 %r7, [%rd1+24];
    ld.global.nc.L1::evict_last.L2::256B.v2.u32 {%r8, %r9}, [%rd1+24];
    ld.global.L2::cache_hint.u32 %r10, [%rd1+32], %rd2;
    ld.weak.global.u32 %r11, [%rd1+36];
    ldu.global.u32 %r12, [%rd1+40];
    ld.volatile.global.u32 %r13, [%rd1+44];
    ld.relaxed.gpu.global.u32 %r14, [%rd1+48];
    ld.global.acquire.sys.u32 %r15, [%rd1+52];
    ld.mmio.relaxed.sys.global.u32 %r16, [%rd1+56];
    ld.volatile.shared.u32 %r17, [word];
    st.global.wb.u32 [%rd1+128], %r1;
    st.global.cg.u32 [%rd1+132], %r2;
    st.global.cs.u32 [%rd1+136], %r3;
    st.global.wt.u32 [%rd1+140], %r4;
    st.global.L1::evict_first.u32 [%rd1+144], %r5;
    st.global.L2::cache_hint.u32 [%rd1+148], %r6, %rd4;
    st.volatile.global.u32 [%rd1+152], %r7;
    st.relaxed.cluster.global.u32 [%rd1+156], %r8;
    st.release.gpu.global.v4.u32 [%rd1+160], {%r9, %r10, %r11, %r12};
    st.mmio.relaxed.sys.global.u32 [%rd1+176], %r13;
    st.weak.global.v2.u32 [%rd1+184], {%r14, %r15};
    st.global.u32 [%rd1+192], %r16;
  )";
  Simulator card(unchecked());
  std::vector<uint32_t> numbers(64);
  for (uint32_t i = 0; i < 32; ++i)
    numbers[i] = 100 + i;
  uint64_t buffer = *card.upload(numbers);
  Report report = runKernel(card, kernelText(body, 1), shapeOf(1), {buffer});
  INFO(report.text());
  REQUIRE(report.ok());
  numbers = *card.download<uint32_t>(buffer, 64);
  std::vector<uint32_t> stored(numbers.begin() + 32, numbers.end());
  stored.resize(17);
  CHECK(stored == std::vector<uint32_t>{100, 101, 102, 103, 104, 105, 106, 106,
                                        107, 108, 109, 110, 111, 0, 112, 113,
                                        114});
}

TEST_CASE("isspacep looks at windows") {
  std::string text = header() + R"(
    .global .b32 number;
    .const .b32 fixed = 1;
    .visible .entry k(.param .u64 a0)
    {)" + registers() +
                     R"(
    .shared .b32 word;
    .local .b32 own;
    .reg .b32 %n, %bits;
    .reg .b64 %address<6>, %to;
    cvta.shared.u64 %address0, word;
    cvta.local.u64 %address1, own;
    cvta.global.u64 %address2, number;
    cvta.const.u64 %address3, fixed;
    cvta.param.u64 %address4, a0;
    ld.param.u64 %to, [a0];
    )";
  for (const char *address :
       {"%address0", "%address1", "%address2", "%address3", "%address4"}) {
    text += "mov.u32 %bits, 0;\n";
    int bit = 1;
    for (const char *space :
         {"shared", "shared::cluster", "local", "global", "const", "param"}) {
      text += std::string("isspacep.") + space + " %p1, " + address + ";\n" +
              "selp.u32 %n, " + std::to_string(bit) + ", 0, %p1;\n" +
              "or.b32 %bits, %bits, %n;\n";
      bit *= 2;
    }
    text += "st.global.u32 [%to], %bits;\nadd.s64 %to, %to, 4;\n";
  }
  text += "ret;\n}\n";
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>(5));
  Report report = runKernel(card, text, shapeOf(1), {out});
  INFO(report.text());
  REQUIRE(report.ok());
  // shared 1, cluster 2, local 4, global 8, const 16, param 32.
  CHECK(*card.download<uint32_t>(out, 5) ==
        std::vector<uint32_t>{3, 4, 8, 16, 8 + 32});
}

TEST_CASE("a discarded line is uninitialised again") {
  const char *body = R"(
    ld.param.u64 %rd1, [a0];
    discard.global.L2 [%rd1+128], 128;
    ld.global.u32 %r1, [%rd1+124];
    ld.global.u32 %r2, [%rd1+256];
    st.global.u32 [%rd1+192], %r1;
    ld.global.u32 %r3, [%rd1+192];
    ld.global.u32 %r4, [%rd1+252];
    ld.global.u32 %r5, [%rd1+128];
  )";
  Simulator card;
  uint64_t buffer = *card.memory().allocate(512);
  std::vector<uint32_t> words(65, 9);
  REQUIRE(card.memory().write(buffer, words.data(), 260).ok());
  Report report = runKernel(card, kernelText(body, 1), shapeOf(1), {buffer});
  INFO(report.text());
  REQUIRE(report.faults.size() == 2);
  for (uint32_t i = 0; i < 2; ++i) {
    CHECK(report.faults[i].fault.kind == FaultKind::Uninitialized);
    CHECK(report.faults[i].fault.sites[0].statement == 6 + i);
  }
}

TEST_CASE("faulty lanes read zero and write nothing") {
  const char *body = R"(
    .shared .align 4 .b32 tile[16];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, tile;
    mad.lo.u32 %r2, %r1, 4, %r2;
    st.shared.u32 [%r2], %r1;
    mov.u32 %r3, 77;
    ld.shared.u32 %r3, [%r2];
    ld.param.u64 %rd1, [a0];
    mad.wide.u32 %rd1, %r1, 4, %rd1;
    st.global.u32 [%rd1], %r3;
  )";
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>(32, 5));
  Report report = runKernel(card, kernelText(body, 1), shapeOf(32), {out});
  INFO(report.text());
  REQUIRE(report.faults.size() == 2);
  CHECK(report.faults[0].fault.kind == FaultKind::OutOfBounds);
  CHECK(report.faults[0].count == 16);
  CHECK(report.faults[1].count == 16);
  std::vector<uint32_t> values = *card.download<uint32_t>(out, 32);
  for (uint32_t i = 0; i < 32; ++i)
    CHECK(values[i] == (i < 16 ? i : 0));
}

TEST_CASE("what a kernel's accesses say about it") {
  struct Case {
    const char *statement;
    bool fine, communicates;
    unsigned shared, global;
  };
  const Case cases[] = {
      {"", false, false, 16, 16},
      {"ld.global.u32 %r1, [%rd1];", false, false, 16, 4},
      {"ld.global.v4.u16 {%h1, %h2, %h3, %h4}, [%rd1];", false, false, 16, 2},
      {"ld.global.nc.b128 %q1, [%rd1];", false, false, 16, 16},
      {"st.shared.f64 [%r1], %d1;", false, false, 8, 16},
      {"st.u8 [%rd1], %r1;", false, false, 1, 1},
      {"ld.local.u8 %r1, [%r1];", false, false, 16, 16},
      {"ld.volatile.shared.u32 %r1, [%r1];", true, false, 4, 16},
      {"ld.volatile.global.u32 %r1, [%rd1];", true, true, 16, 4},
      {"st.release.gpu.u32 [%rd1], %r1;", true, true, 4, 4},
      {"ld.acquire.cta.shared::cta.u64 %rd1, [%r1];", true, false, 8, 16},
      {"atom.shared.add.u32 %r1, [%r1], 1;", true, false, 4, 16},
      {"red.global.add.noftz.f16x2 [%rd1], %r1;", true, true, 16, 4},
      {"red.add.u64 [%rd1], 1;", true, true, 8, 8},
      {"mbarrier.arrive.shared.b64 _, [%r1];", true, false, 8, 16},
      {"mapa.shared::cluster.u32 %r1, %r2, 0;", true, false, 16, 16},
      {"cp.async.ca.shared.global [%r1], [%rd1], 8;", false, false, 8, 8},
      {"cp.async.ca.shared.global [%r1], [%rd1], 16, %r1;", false, false, 16,
       4},
      {"cp.async.mbarrier.arrive.shared.b64 [%r1];", true, false, 8, 16},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;", false,
       false, 16, 16},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], "
       "[%rd1], 64, [%r2];",
       true, false, 8, 16},
  };
  for (const Case &test : cases) {
    INFO(test.statement);
    Simulator card;
    auto kernel = card.load(kernelText(test.statement), "k");
    INFO((kernel ? "" : kernel.message()));
    REQUIRE(kernel.ok());
    CHECK(kernel->code().hasFineSync == test.fine);
    CHECK(kernel->code().blocksCommunicate == test.communicates);
    CHECK(kernel->code().sharedGranule == test.shared);
    CHECK(kernel->code().globalGranule == test.global);
  }
}

TEST_CASE("memory instructions that are refused") {
  struct Case {
    const char *statement, *words;
  };
  const Case cases[] = {
      {"ld.shared.u32 %r1, [own];",
       "'own' is a variable of local memory, not of shared"},
      {"ld.local.u32 %r1, [word];",
       "'word' is a variable of shared memory, not of local"},
      {"ld.relaxed.global.u32 %r1, [%rd1];",
       "'.relaxed' and '.acquire' go with a scope"},
      {"ld.release.gpu.global.u32 %r1, [%rd1];",
       "a load cannot be '.release' or '.acq_rel'"},
      {"st.acquire.gpu.global.u32 [%rd1], %r1;",
       "a store cannot be '.acquire' or '.acq_rel'"},
      {"ld.volatile.relaxed.gpu.global.u32 %r1, [%rd1];",
       "only one of '.weak', '.volatile', '.relaxed'"},
      {"ld.mmio.global.u32 %r1, [%rd1];", "'.mmio' needs '.relaxed.sys'"},
      {"ld.volatile.local.u32 %r1, [own];",
       "only accesses of global and shared memory can be volatile or ordered"},
      {"ld.shared.global.u32 %r1, [%rd1];",
       "two modifiers contradict each other"},
      {"ld.nc.u32 %r1, [%rd1];", "'.nc' has to be a weak load of global"},
      {"ldu.shared.u32 %r1, [word];", "ldu has to be a weak load of global"},
      {"ld.global.f16 %h1, [%rd1];", "has to be a type from b8 to b128"},
      {"ld.global.v2.u32 %r1, [%rd1];",
       "operand 1 has to be a vector of 2 registers"},
      {"ld.global.v4.u32 {%r1, %r2}, [%rd1];",
       "operand 1 has to be a vector of 4 registers"},
      {"ld.global.u32 {%r1, %r2}, [%rd1];",
       "operand 1 is a vector, but there is no '.v2' or '.v4'"},
      {"ld.global.v8.u32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];",
       "a vector of 32 bytes needs a target of sm_100 or later"},
      {"ld.global.v4.f64 {%d1,%d2,%d3,%d4}, [%rd1];",
       "a vector of 32 bytes needs a target of sm_100 or later"},
      {"ld.global.v8.u16 {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8}, [%rd1];",
       "there is no vector of 8 u16"},
      {"st.const.u32 [%rd1], %r1;", "constant memory cannot be written"},
      {"st.param.u32 [%rd1], %r1;", "a kernel's parameters cannot be written"},
      {"st.async.u32 [%r1], %r2, [%r3];", "'st.async' is not supported"},
      {"cvta.shared.u32 %r1, %r2;", "addresses of 32 bits cannot be generic"},
      {"cvta.u64 %rd1, %rd2;", "a state space has to be given"},
      {"prefetch.const.tensormap [%rd1];", "tensor maps are not supported"},
      {"prefetch.shared.L1 [%rd1];",
       "only global and local memory can be prefetched"},
      {"applypriority.global.L2::evict_normal [%rd1], 64;",
       "the size has to be 128"},
      {"multimem.ld_reduce.global.add.u32 %r1, [%rd1];",
       "memory of several devices at once is not supported"},
  };
  for (const Case &test : cases) {
    INFO(test.statement);
    std::string message = decodeFailure(
        ".shared .b32 word; .local .b32 own;\n" + std::string(test.statement));
    INFO(message);
    CHECK(contains(message, test.words));
  }
}

TEST_CASE("vectors of 32 bytes on later targets") {
  const char *body = R"(
    ld.param.u64 %rd1, [a0];
    ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];
    ld.global.v4.b64 {%rd2, %rd3, %rd4, %rd5}, [%rd1+32];
    st.global.v8.b32 [%rd1+32], {%r8, %r7, %r6, %r5, %r4, %r3, %r2, %r1};
    st.global.v4.b64 [%rd1], {%rd5, %rd4, %rd3, %rd2};
  )";
  SimulatorOptions options;
  options.capability = 100;
  Simulator card(options);
  std::vector<uint32_t> numbers(16);
  for (uint32_t i = 0; i < 16; ++i)
    numbers[i] = i;
  uint64_t buffer = *card.upload(numbers);
  Report report =
      runKernel(card, kernelText(body, 1, "sm_100"), shapeOf(1), {buffer});
  INFO(report.text());
  REQUIRE(report.ok());
  CHECK(*card.download<uint32_t>(buffer, 16) ==
        std::vector<uint32_t>{14, 15, 12, 13, 10, 11, 8, 9, 7, 6, 5, 4, 3, 2, 1,
                              0});
}
