//===- PtxasTest.cpp - reading what ptxas says ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/Ptxas.h"

#include <catch2/catch.hpp>

using namespace girih::codegen;

TEST_CASE("a verbose report is read", "[codegen][ptxas]") {
  PtxasReport report = parsePtxasOutput(
      "ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to insufficient register resources for "
      "the function 'b'\n"
      "ptxas warning : Value of threads per SM is out of range\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90a'\n"
      "ptxas info    : Function properties for a\n"
      "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative "
      "stack size, 8192 bytes smem\n"
      "ptxas info    : Compile time = 36.447 ms\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90a'\n"
      "ptxas info    : Function properties for helper\n"
      "    64 bytes stack frame, 32 bytes spill stores, 32 bytes spill loads\n"
      "ptxas info    : Function properties for b\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 3 barriers\n");
  REQUIRE(report.kernels.size() == 2);
  const PtxasKernel *a = report.find("a"), *b = report.find("b");
  REQUIRE(a);
  REQUIRE(b);
  CHECK(a->registers == 40);
  CHECK(a->barriers == 1);
  CHECK(a->stackBytes == 16);
  CHECK(a->spillStoreBytes == 8);
  CHECK(a->spillLoadBytes == 12);
  CHECK(a->sharedBytes == 8192);
  CHECK(b->registers == 168);
  CHECK(b->barriers == 3);
  CHECK(b->stackBytes == 0);
  CHECK(b->sharedBytes == 0);
  CHECK(report.spills());
  REQUIRE(report.notes.size() == 2);
  CHECK(report.notes[0] ==
        "(C7512) Potential Performance Loss: wgmma.mma_async instructions are "
        "serialized due to insufficient register resources for the function "
        "'b'");
  CHECK(report.notes[1] == "Value of threads per SM is out of range");
  CHECK_FALSE(report.find("c"));
}

TEST_CASE("a missing or failing ptxas is said", "[codegen][ptxas]") {
  std::string error;
  PtxasOptions elsewhere;
  elsewhere.path = "/nonexistent/ptxas";
  CHECK_FALSE(assemble("", "sm_90a", error, elsewhere));
  CHECK(error == "'/nonexistent/ptxas' is not an executable");
  if (!findPtxas()) {
    WARN("no ptxas here: its refusals are not tested");
    return;
  }
  CHECK_FALSE(assemble(".version 7.8\n.target sm_80\n.address_size 64\n"
                       ".visible .entry k()\n{\n\tnonsense;\n}\n",
                       "sm_80", error));
  CHECK(error.rfind("ptxas failed: ptxas ", 0) == 0);
  CHECK(error.find("Not a name of any known instruction: 'nonsense'") !=
        std::string::npos);
}

TEST_CASE("ptxas reports resources", "[codegen][ptxas]") {
  if (!findPtxas()) {
    WARN("no ptxas here: reports are not tested");
    return;
  }
  std::string error;
  auto report = assemble(
      ".version 7.8\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 p)\n{\n"
      "\t.shared .align 4 .b8 s[512];\n\t.reg .b32 %r<4>;\n\t.reg .b64 %d<3>;\n"
      "\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r3, s;\n\tst.shared.b32 [%r3], %r1;\n"
      "\tbar.sync 0;\n\tld.shared.b32 %r2, [%r3];\n\tld.param.b64 %d1, [p];\n"
      "\tst.global.b32 [%d1], %r2;\n\tret;\n}\n",
      "sm_80", error);
  INFO(error);
  REQUIRE(report);
  const PtxasKernel *k = report->find("k");
  REQUIRE(k);
  CHECK(k->registers > 0);
  CHECK(k->barriers == 1);
  CHECK(k->sharedBytes == 512);
  CHECK_FALSE(report->spills());
  CHECK(report->cubin.substr(0, 4) == "\x7f"
                                      "ELF");
}
