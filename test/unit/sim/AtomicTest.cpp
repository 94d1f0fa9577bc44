//===- AtomicTest.cpp - atom and red --------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Formats.h"
#include "test/unit/sim/MemoryHelpers.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;

namespace {

struct Result3 {
  uint64_t old, now;
};

/// One thread: `atom.SPACE.FORM` on a cell that holds `cell` with %OPERANDS
/// from `b` and `c`. `kind`: h (16 bits), r (32), rd (64).
Result3 atomOnce(const std::string &space, const std::string &form,
                 const std::string &kind, uint64_t cell, uint64_t b,
                 uint64_t c = 0) {
  std::string width = kind == "h" ? "b16" : kind == "r" ? "b32" : "b64";
  bool isCompare = form.find("cas") != std::string::npos;
  std::string body = R"(
    .shared .align 16 .b64 cell;
    ld.param.u64 %rd60, [a0];
    mov.u64 %rd61, cell;
    )";
  std::string at = space == "global" ? "%rd60" : "%rd61";
  if (space == "generic") {
    body += "cvta.shared.u64 %rd61, cell;\n";
  }
  std::string dot = space == "generic" ? "" : "." + space;
  body += "ld.param." + width + " %" + kind + "1, [a1];\n";
  body += "ld.param." + width + " %" + kind + "2, [a2];\n";
  body += "ld.param." + width + " %" + kind + "3, [a3];\n";
  body += "st" + dot + "." + width + " [" + at + "], %" + kind + "1;\n";
  body += "atom" + dot + "." + form + " %" + kind + "4, [" + at + "], %" +
          kind + "2" + (isCompare ? ", %" + kind + "3" : "") + ";\n";
  body += "ld" + dot + "." + width + " %" + kind + "5, [" + at + "];\n";
  body += "st.global." + width + " [%rd60+8], %" + kind + "4;\n";
  body += "st.global." + width + " [%rd60+16], %" + kind + "5;\n";
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint64_t>(3));
  Report report =
      runKernel(card, kernelText(body, 4), shapeOf(1), {out, cell, b, c});
  INFO(body);
  INFO(report.text());
  REQUIRE(report.ok());
  std::vector<uint64_t> values = *card.download<uint64_t>(out, 3);
  return {values[1], values[2]};
}

} // namespace

TEST_CASE("integer atomics") {
  struct Case {
    const char *form, *kind;
    uint64_t cell, b, c, now;
  };
  const uint64_t minus5 = 0xfffffffb, minus5wide = 0xfffffffffffffffb;
  const Case cases[] = {
      {"add.u32", "r", 0xfffffffe, 3, 0, 1},
      {"add.s32", "r", minus5, 3, 0, 0xfffffffe},
      {"add.u64", "rd", 0xffffffffffffffff, 2, 0, 1},
      {"min.u32", "r", 7, minus5, 0, 7},
      {"min.s32", "r", 7, minus5, 0, minus5},
      {"max.u32", "r", 7, minus5, 0, minus5},
      {"max.s32", "r", minus5, 7, 0, 7},
      {"min.u64", "rd", minus5wide, 7, 0, 7},
      {"min.s64", "rd", minus5wide, 7, 0, minus5wide},
      {"max.u64", "rd", minus5wide, 7, 0, minus5wide},
      {"max.s64", "rd", minus5wide, 7, 0, 7},
      {"inc.u32", "r", 6, 7, 0, 7},
      {"inc.u32", "r", 7, 7, 0, 0},
      {"inc.u32", "r", 9, 7, 0, 0},
      {"dec.u32", "r", 6, 7, 0, 5},
      {"dec.u32", "r", 0, 7, 0, 7},
      {"dec.u32", "r", 9, 7, 0, 7},
      {"and.b32", "r", 0b1100, 0b1010, 0, 0b1000},
      {"or.b32", "r", 0b1100, 0b1010, 0, 0b1110},
      {"xor.b32", "r", 0b1100, 0b1010, 0, 0b0110},
      {"and.b64", "rd", 0xff00000000000001, 0x8000000000000003, 0,
       0x8000000000000001},
      {"or.b64", "rd", 0xff00000000000000, 1, 0, 0xff00000000000001},
      {"xor.b64", "rd", 0xff00000000000001, 1, 0, 0xff00000000000000},
      {"exch.b32", "r", 4, 9, 0, 9},
      {"exch.b64", "rd", 4, 9, 0, 9},
      {"cas.b32", "r", 4, 4, 9, 9},
      {"cas.b32", "r", 4, 5, 9, 4},
      {"cas.b64", "rd", 1ull << 40, 1ull << 40, 9, 9},
      {"cas.b64", "rd", 1ull << 40, 0, 9, 1ull << 40},
      {"cas.b16", "h", 0x8004, 0x8004, 9, 9},
      {"cas.b16", "h", 4, 5, 9, 4},
  };
  for (const Case &test : cases)
    for (const char *space : {"global", "shared", "generic"}) {
      INFO(space << " " << test.form);
      Result3 result =
          atomOnce(space, test.form, test.kind, test.cell, test.b, test.c);
      CHECK(result.old == test.cell);
      CHECK(result.now == test.now);
    }
}

TEST_CASE("floating-point atomics") {
  struct Case {
    const char *form, *kind;
    uint64_t cell, b, shared, global;
  };
  const uint64_t tiny = 0x00000003, minusTiny = 0x80000003;
  const Case cases[] = {
      {"add.f32", "r", bits(1.5f), bits(2.25f), bits(3.75f), bits(3.75f)},
      // 1 + 2^-24 is half way between 1 and 1 + 2^-23: to even.
      {"add.f32", "r", bits(1.0f), bits(0x1p-24f), bits(1.0f), bits(1.0f)},
      {"add.f32", "r", bits(0x1.000002p0f), bits(0x1p-24f), bits(0x1.000004p0f),
       bits(0x1.000004p0f)},
      {"add.f32", "r", 0x7fc00001, bits(1.0f), 0x7fffffff, 0x7fffffff},
      // Denormals: kept in shared memory, zeros of their sign in global.
      {"add.f32", "r", tiny, tiny, 0x00000006, 0},
      {"add.f32", "r", minusTiny, minusTiny, 0x80000006, 0x80000000},
      {"add.f32", "r", minusTiny, tiny, 0, 0},
      // 1.5 * 2^-126 - 2^-126: only the result is denormal.
      {"add.f32", "r", 0x00c00000, 0x80800000, 0x00400000, 0},
      {"add.f32", "r", bits(1.0f), tiny, bits(1.0f), bits(1.0f)},
      {"add.f64", "rd", bits(1.5), bits(0x1p-1074), bits(1.5), bits(1.5)},
      {"add.f64", "rd", 5, 6, 11, 11},
      {"add.f64", "rd", 0x7ff8000000000123, bits(1.0), 0x7ff8000000000000,
       0x7ff8000000000000},
      // f16: 2048 + 1 and 1 + 2^-11 are ties, as is the next one; denormals
      // stay.
      {"add.noftz.f16", "h", 0x6800, 0x3c00, 0x6800, 0x6800},
      {"add.noftz.f16", "h", 0x3c00, 0x1000, 0x3c00, 0x3c00},
      {"add.noftz.f16", "h", 0x3c01, 0x1000, 0x3c02, 0x3c02},
      {"add.noftz.f16", "h", 0x0001, 0x0002, 0x0003, 0x0003},
      {"add.noftz.f16", "h", 0x7bff, 0x7bff, 0x7c00, 0x7c00},
      {"add.noftz.f16", "h", 0x7e01, 0x3c00, 0x7fff, 0x7fff},
      {"add.noftz.f16x2", "r", 0x3c004000, 0x3c003c00, 0x40004200, 0x40004200},
      {"add.noftz.bf16", "h", 0x3f80, 0x3f80, 0x4000, 0x4000},
      {"add.noftz.bf16", "h", 0x0001, 0x0001, 0x0002, 0x0002},
      // 256 + 1 in bf16 (8 digits): a tie to 256.
      {"add.noftz.bf16", "h", 0x4380, 0x3f80, 0x4380, 0x4380},
      {"add.noftz.bf16x2", "r", 0x3f804000, 0xbf803f80, 0x00004040, 0x00004040},
  };
  for (const Case &test : cases) {
    INFO(test.form << " " << test.cell << " " << test.b);
    Result3 shared =
        atomOnce("shared", test.form, test.kind, test.cell, test.b);
    CHECK(shared.old == test.cell);
    CHECK(shared.now == test.shared);
    CHECK(atomOnce("generic", test.form, test.kind, test.cell, test.b).now ==
          test.shared);
    CHECK(atomOnce("global", test.form, test.kind, test.cell, test.b).now ==
          test.global);
  }
}

TEST_CASE("vector atomics in global memory") {
  const char *body = R"(
    ld.param.u64 %rd1, [a0];
    mov.f32 %f1, 0f3F800000;
    mov.f32 %f2, 0f40000000;
    atom.global.add.v4.f32 {%f5, %f6, %f7, %f8}, [%rd1], {%f1, %f2, %f2, %f1};
    st.global.v4.f32 [%rd1+64], {%f5, %f6, %f7, %f8};
    red.global.add.v2.f32 [%rd1], {%f1, %f1};
    mov.b16 %h1, 0x3c00;
    mov.b16 %h2, 0xc000;
    atom.global.v2.f16.max.noftz {%h3, %h4}, [%rd1+16], {%h1, %h1};
    red.global.v4.bf16.min.noftz [%rd1+24], {%h1, %h2, %h1, %h2};
    mov.b32 %r1, 0x7fff8000;
    mov.b32 %r2, 0x3c000000;
    red.relaxed.gpu.global.v2.f16x2.max.noftz [%rd1+32], {%r1, %r2};
    red.global.v4.bf16x2.add.noftz [%rd1+48], {%r2, %r2, %r2, %r2};
  )";
  Simulator card;
  std::vector<uint32_t> words(20);
  words[0] = uint32_t(bits(10.0f));
  words[3] = 1;           // a denormal: counts as zero
  words[4] = 0xfe00'3800; // NaN and 0.5
  words[6] = 0x3c00'4000; // as bf16: 0.0078125 and 2
  words[7] = 0xc100'c100; // -8 and -8
  words[8] = 0x4000'0000; // 2 and +0
  words[9] = 0x7fff'8000; // NaN and -0
  words[12] = 0x3c00'0000;
  uint64_t buffer = *card.upload(words);
  Report report = runKernel(card, kernelText(body, 1), shapeOf(1), {buffer});
  INFO(report.text());
  REQUIRE(report.ok());
  words = *card.download<uint32_t>(buffer, 20);
  CHECK(words[0] == bits(12.0f));
  CHECK(words[1] == bits(3.0f));
  CHECK(words[2] == bits(2.0f));
  CHECK(words[3] == bits(1.0f));
  CHECK(words[16] == bits(10.0f));
  CHECK(words[19] == 1);
  // The vector has two 16-bit elements: 1 beats 0.5; of NaN and 1 it is 1.
  CHECK(words[4] == 0x3c003c00);
  CHECK(words[6] == 0xc0003c00); // min(2, 0x3c00), min(0x3c00, -2)
  CHECK(words[7] == 0xc100c100);
  CHECK(words[8] == 0x40000000); // a NaN loses; max(-0, +0) is +0
  CHECK(words[9] == 0x3c000000); // max(NaN, 1) is 1, max(-0, +0) is +0
  CHECK(words[12] == 0x3c800000);
  CHECK(words[13] == 0x3c000000);
}

TEST_CASE("128 bits are exchanged and compared as one") {
  const char *body = R"(
    ld.param.u64 %rd1, [a0];
    ld.global.b128 %q1, [%rd1+16];
    ld.global.b128 %q2, [%rd1+32];
    atom.global.exch.b128 %q3, [%rd1], %q1;
    st.global.b128 [%rd1+48], %q3;
    atom.global.cas.b128 %q3, [%rd1], %q2, %q2;
    atom.global.cas.b128 %q4, [%rd1], %q1, %q2;
    st.global.b128 [%rd1+64], %q4;
    atom.global.exch.b128 _, [%rd1+80], %q2;
  )";
  Simulator card;
  uint64_t buffer =
      *card.upload(std::vector<uint64_t>{1, 2, 3, 4, 3, 5, 0, 0, 0, 0, 0, 0});
  Report report = runKernel(card, kernelText(body, 1), shapeOf(1), {buffer});
  INFO(report.text());
  REQUIRE(report.ok());
  CHECK(*card.download<uint64_t>(buffer, 12) ==
        std::vector<uint64_t>{3, 5, 3, 4, 3, 5, 1, 2, 3, 4, 3, 5});
}

TEST_CASE("lanes of a warp are ordered, blocks do not lose updates") {
  const char *body = R"(
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [a0];
    ld.param.u64 %rd2, [a1];
    mad.lo.u32 %r3, %r2, 64, %r1;
    atom.global.add.u32 %r4, [%rd1], 1;
    mad.wide.u32 %rd3, %r3, 4, %rd2;
    st.global.u32 [%rd3], %r4;
    red.global.max.u32 [%rd1+4], %r3;
    red.global.or.b32 [%rd1+8], %r2;
    atom.global.add.u32 _, [%rd1+12], %r1;
  )";
  Simulator card;
  uint64_t cells = *card.upload(std::vector<uint32_t>(4));
  uint64_t out = *card.upload(std::vector<uint32_t>(8 * 64));
  Report report =
      runKernel(card, kernelText(body, 2), shapeOf(64, 8), {cells, out});
  INFO(report.text());
  REQUIRE(report.ok());
  CHECK(*card.download<uint32_t>(cells, 4) ==
        std::vector<uint32_t>{512, 511, 7, 8 * 2016});
  std::vector<uint32_t> olds = *card.download<uint32_t>(out, 512);
  std::vector<bool> seen(512);
  for (size_t i = 0; i < olds.size(); ++i) {
    REQUIRE(olds[i] < 512);
    CHECK_FALSE(seen[olds[i]]);
    seen[olds[i]] = true;
    if (i % 32)
      CHECK(olds[i] == olds[i - 1] + 1);
  }
}

TEST_CASE("a lock by cas and a hand-over by exch") {
  // A thread of each warp adds its number to a plain word within the lock.
  const char *body = R"(
    .shared .align 4 .b32 lock;
    .shared .align 4 .b32 sum;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    st.shared.u32 [lock], 0;
    st.shared.u32 [sum], 0;
  READY:
    bar.sync 0;
    and.b32 %r6, %r1, 31;
    setp.ne.u32 %p2, %r6, 0;
    @%p2 bra DONE;
  AGAIN:
    atom.acquire.cta.shared.cas.b32 %r2, [lock], 0, 1;
    setp.ne.u32 %p3, %r2, 0;
    @%p3 bra NEXT;
    ld.shared.u32 %r3, [sum];
    add.u32 %r3, %r3, %r1;
    st.shared.u32 [sum], %r3;
    atom.release.cta.shared.exch.b32 %r4, [lock], 0;
    bra DONE;
  NEXT:
    bra AGAIN;
  DONE:
    bar.sync 0;
    @%p1 bra END;
    ld.shared.u32 %r5, [sum];
    ld.param.u64 %rd1, [a0];
    st.global.u32 [%rd1], %r5;
  END:
  )";
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>(1));
  Report report = runKernel(card, kernelText(body, 1), shapeOf(96), {out});
  INFO(report.text());
  REQUIRE(report.ok());
  CHECK(*card.download<uint32_t>(out, 1) == std::vector<uint32_t>{0 + 32 + 64});
}

TEST_CASE("atomics that are refused") {
  struct Case {
    const char *statement, *words;
  };
  const Case cases[] = {
      {"atom.global.add.s64 %rd1, [%rd2], %rd3;",
       "there is no such operation on type s64"},
      {"atom.global.add.b32 %r1, [%rd2], %r3;",
       "there is no such operation on type b32"},
      {"atom.global.min.f32 %f1, [%rd2], %f3;",
       "there is no such operation on type f32"},
      {"atom.global.inc.s32 %r1, [%rd2], %r3;",
       "there is no such operation on type s32"},
      {"atom.global.and.u32 %r1, [%rd2], %r3;",
       "there is no such operation on type u32"},
      {"atom.global.add.f16 %h1, [%rd2], %h3;", "f16 and bf16 need '.noftz'"},
      {"atom.global.add.noftz.f32 %f1, [%rd2], %f3;",
       "'.noftz' is only for f16 and bf16"},
      {"atom.global.min.noftz.f16 %h1, [%rd2], %h3;",
       "minimum and maximum of f16 have to be vectors"},
      {"atom.shared.add.v2.f32 {%f1, %f2}, [%r1], {%f3, %f4};",
       "a vector has to be one of global memory"},
      {"red.global.add.v2.u32 [%rd1], {%r1, %r2};",
       "there is no vector of u32 atomics"},
      {"red.global.add.noftz.v8.f16x2 [%rd1], {%r1,%r1,%r1,%r1,%r1,%r1,%r1,"
       "%r1};",
       "a vector of this type has two or four elements"},
      {"red.global.add.v2.f32 [%rd1], %f1;",
       "operand 2 has to be a vector of 2 registers"},
      {"atom.local.add.u32 %r1, [own], 1;",
       "atomics are for global and shared memory, not local"},
      {"red.global.exch.b32 [%rd2], 1;", "it cannot exchange; use atom"},
      {"red.acquire.gpu.global.add.u32 [%rd2], 1;",
       "red cannot acquire; use atom"},
      {"atom.volatile.global.add.u32 %r1, [%rd2], 1;",
       "atomics are neither weak nor volatile"},
      {"atom.global.u32 %r1, [%rd2], 1;", "an operation has to be given"},
      {"atom.global.add %r1, [%rd2], 1;", "a type has to be given"},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
       ".add.u32 [%r1], %r2, [%r1];",
       "'red.async' is not supported"},
  };
  for (const Case &test : cases) {
    INFO(test.statement);
    std::string message =
        decodeFailure(".local .b32 own;\n" + std::string(test.statement));
    INFO(message);
    CHECK(message.find(test.words) != std::string::npos);
  }
}
