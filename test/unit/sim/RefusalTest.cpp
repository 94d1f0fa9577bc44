//===- RefusalTest.cpp - what does not load or launch ---------------------===//
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

/// The failure behind `line N: 'TEXT': `.
static std::string reason(const std::string &statement) {
  std::string message = decodeFailure(statement);
  std::string quoted = "'" + statement.substr(0, statement.size() - 1) + "': ";
  size_t at = message.find(quoted);
  INFO(message);
  REQUIRE(at != std::string::npos);
  CHECK(message.rfind("line ", 0) == 0);
  return message.substr(at + quoted.size());
}

TEST_CASE("what is not known is refused with line and text", "[sim][core]") {
  CHECK(decodeFailure("mov.u32 %r1, 3;").empty());
  // The header has 3 lines, the entry 2, the registers 8.
  CHECK(decodeFailure("mov.u32 %r1, 3;\n  frob.u32   %r1,\t%r2; // why") ==
        "line 15: 'frob.u32 %r1, %r2': instruction 'frob' is not one that the "
        "simulator knows");
  CHECK(reason("add.b32 %r1, %r2, %r3;") ==
        "this form of 'add' is not supported");
  CHECK(reason("membar.cta.fast;") == "modifier '.fast' is not supported here");
}

TEST_CASE("operands have to fit their type", "[sim][core]") {
  CHECK(reason("add.u32 %r1, %r2, 1.0;") ==
        "a floating-point number cannot be an operand of type .u32");
  CHECK(reason("add.f32 %f1, %f2, 1;") ==
        "an integer cannot be an operand of type .f32; write it as a "
        "floating-point number");
  CHECK(reason("mov.b32 %r1, 1.0;") ==
        "this number cannot be an operand of type .b32");
  CHECK(reason("add.u32 %r1, %rd2, 1;") ==
        "register %rd2 is declared .b64 and cannot be an operand of type .u32");
  CHECK(reason("add.u32 %f1, %r2, 1;") ==
        "register %f1 is declared .f32 and cannot be an operand of type .u32");
  CHECK(reason("add.u32 5, %r2, 1;") == "a result must be a register");
  CHECK(reason("add.u32 %r1, %r2;") == "takes 3 operands, not 2");
  CHECK(reason("mov.u32 %r1, %warpsize;") ==
        "special register '%warpsize' is not one that the simulator knows");
  CHECK(reason("mov.u64 %rd1, %tid.x;") ==
        "special register %tid.x has 32 bits and cannot be an operand of type "
        ".u64");
  CHECK(reason("add.u32 %r1, %tid.x, 1;") ==
        "special register %tid.x can only be read by mov and cvt");
  CHECK(reason("bra %r1;") == "operand 1 must be a label");
}

TEST_CASE("numbers become constants of their type", "[sim][core]") {
  CHECK(runOne("mov.f32 %f1, 0d3FF8000000000000;", "%f1", "f32") == bits(1.5f));
  CHECK(runOne("mov.f64 %d1, 0f3FC00000;", "%d1", "f64") == bits(1.5));
  CHECK(runOne("mov.b32 %r1, 0f3FC00000;", "%r1", "b32") == 0x3fc00000);
  CHECK(runOne("mov.f32 %f1, 0.1;", "%f1", "f32") == bits(0.1f));
  CHECK(runOne("mov.u32 %r1, 0x1FFFFFFFF;", "%r1", "u32") == 0xffffffff);
  CHECK(runOne("mov.s64 %rd1, -2;", "%rd1", "s64") == ~uint64_t(1));
  CHECK(runOne("mov.u16 %h1, 70000;", "%h1", "u16") == 70000 - 65536);
  CHECK(runOne("mov.u64 %rd1, WARP_SZ;", "%rd1", "u64") == 32);
}

static std::string refusal(const std::string &ptx, const LaunchShape &shape,
                           const std::vector<uint64_t> &arguments = {},
                           unsigned capability = 90) {
  SimulatorOptions options;
  options.capability = capability;
  Simulator card(options);
  Report report = runKernel(card, ptx, shape, arguments);
  CHECK(report.faults.empty());
  if (!report.refusal.empty())
    CHECK(report.text() == "kernel 'k': " + report.refusal + "\n");
  return report.refusal;
}

static LaunchShape shaped(std::array<uint32_t, 3> grid,
                          std::array<uint32_t, 3> block,
                          std::array<uint32_t, 3> cluster = {0, 0, 0},
                          uint32_t dynamicBytes = 0) {
  LaunchShape shape;
  shape.grid = grid;
  shape.block = block;
  shape.cluster = cluster;
  shape.dynamicSharedBytes = dynamicBytes;
  return shape;
}

TEST_CASE("launches that a card would refuse", "[sim][core]") {
  std::string plain = kernelText("");
  CHECK(refusal(plain, shaped({1, 1, 1}, {0, 1, 1})) ==
        "a block of 0x1x1 threads has none");
  CHECK(refusal(plain, shaped({1, 1, 1}, {64, 17, 1})) ==
        "a block of 64x17x1 threads is too large: 1088 threads, at most 1024");
  CHECK(refusal(plain, shaped({1, 1, 1}, {1, 1, 65})) ==
        "a block of 1x1x65 threads is too large: at most 1024x1024x64 along "
        "its axes");
  CHECK(refusal(plain, shaped({4, 0, 1}, {32, 1, 1})) ==
        "a grid of 4x0x1 blocks has none");
  CHECK(refusal(plain, shaped({4}, {32})) == "");
  CHECK(refusal(plain, shaped({1, 70000, 1}, {32, 1, 1})) ==
        "a grid of 1x70000x1 blocks is too large: at most "
        "2147483647x65535x65535");
  CHECK(refusal(plain, shaped({6, 1, 1}, {32, 1, 1}, {4, 1, 1})) ==
        "a grid of 6x1x1 blocks cannot be divided into clusters of 4x1x1");
  CHECK(refusal(plain, shaped({32, 1, 1}, {32, 1, 1}, {32, 1, 1})) ==
        "clusters of 32x1x1 blocks are too large: at most 16 blocks");
  CHECK(refusal(plain, shaped({1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 233472)) ==
        "kernel 'k' asks for 233472 bytes of shared memory a block (0 static, "
        "233472 dynamic), sm_90 has 232448");
  CHECK(refusal(plain, shaped({1, 1, 1}, {32, 1, 1}), {1, 2}) ==
        "kernel 'k' takes 0 arguments, 2 given");
  CHECK(refusal(kernelText("", 1), shaped({1, 1, 1}, {32, 1, 1})) ==
        "kernel 'k' takes 1 argument, 0 given");
  CHECK(refusal(kernelText("", 0, "sm_80"),
                shaped({2, 1, 1}, {32, 1, 1}, {2, 1, 1}), {},
                80) == "clusters of 2x1x1 blocks need capability 9.0");
}

TEST_CASE("launches that a kernel's directives refuse", "[sim][core]") {
  auto with = [](const std::string &directive) {
    return header() + ".visible .entry k() " + directive + " { ret; }\n";
  };
  CHECK(refusal(with(".reqntid 32, 2"), shaped({1, 1, 1}, {64, 1, 1})) ==
        "a block of 64x1x1 threads does not fit kernel 'k', which requires "
        "32x2x1 (.reqntid)");
  CHECK(refusal(with(".reqntid 32, 2"), shaped({1, 1, 1}, {32, 2, 1})) == "");
  CHECK(refusal(with(".maxntid 128"), shaped({1, 1, 1}, {64, 3, 1})) ==
        "a block of 64x3x1 threads is too large for kernel 'k', which is made "
        "for at most 128 threads (.maxntid)");
  CHECK(refusal(with(".reqntid 32 .reqnctapercluster 2"),
                shaped({4, 1, 1}, {32, 1, 1}, {4, 1, 1})) ==
        "clusters of 4x1x1 blocks do not fit kernel 'k', which requires 2x1x1 "
        "(.reqnctapercluster)");
  CHECK(refusal(with(".explicitcluster"), shaped({4, 1, 1}, {32, 1, 1})) ==
        "kernel 'k' is declared .explicitcluster and has to be launched with a "
        "cluster size");
  CHECK(refusal(with(".explicitcluster"),
                shaped({3, 1, 1}, {32, 1, 1}, {2, 0, 0})) ==
        "a grid of 3x1x1 blocks cannot be divided into clusters of 2x1x1");
}

static std::string loadFailure(const std::string &ptx, const std::string &name,
                               unsigned capability) {
  SimulatorOptions options;
  options.capability = capability;
  Simulator card(options);
  Result<Kernel> kernel = card.load(ptx, name);
  return kernel ? "" : kernel.message();
}

TEST_CASE("modules for other cards are refused", "[sim][core]") {
  auto text = [](const char *target) { return kernelText("", 0, target); };
  CHECK(loadFailure(text("sm_90a"), "k", 90) == "");
  CHECK(loadFailure(text("sm_80"), "k", 90) == "");
  CHECK(loadFailure(text("sm_90"), "k", 80) ==
        "the module is for sm_90, the card that is played has capability 8.0");
  CHECK(loadFailure(text("sm_90a"), "k", 100) ==
        "the module is for sm_90a, the card that is played has capability 10.0 "
        "and would have to have exactly that one");
  CHECK(loadFailure(text("sm_90"), "scale", 90) ==
        "the module has no kernel 'scale'; its kernels: k");
}

TEST_CASE("a statement's text is found among others of its line",
          "[sim][core]") {
  CHECK(decodeFailure("bra retry; retry: ret 5; ret;") ==
        "line 14: 'ret 5': takes 0 operands, not 1");
}
