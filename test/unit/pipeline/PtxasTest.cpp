//===- PtxasTest.cpp - PTX of programs assembles without spills -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/Ptxas.h"
#include "test/unit/pipeline/Compile.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::test;
using pipeline::CompileOptions;

namespace {

void checkAssembles(const std::string &text, const std::string &target) {
  CompileOptions options;
  options.target = target;
  Outcome outcome = compileText(text, options);
  INFO(outcome.errors);
  REQUIRE(outcome);
  for (const artifact::Variant &variant : outcome.result->artifact->variants) {
    INFO(variant.name << " for " << target);
    std::string error;
    auto report = codegen::assemble(variant.ptx, target, error);
    INFO(error);
    REQUIRE(report);
    CHECK(report->kernels.size() == variant.launches.size());
    for (const std::string &note : report->notes)
      FAIL_CHECK(note);
    for (const codegen::PtxasKernel &kernel : report->kernels) {
      INFO(kernel.name << ": " << kernel.registers << " registers, "
                       << kernel.stackBytes << " bytes of stack");
      CHECK(kernel.spillStoreBytes == 0);
      CHECK(kernel.spillLoadBytes == 0);
    }
  }
}

bool havePtxas() {
  if (codegen::findPtxas())
    return true;
  WARN("no ptxas here: assembling is not tested");
  return false;
}

} // namespace

TEST_CASE("the examples assemble for every target", "[pipeline][ptxas]") {
  if (!havePtxas())
    return;
  for (const char *target :
       {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"})
    for (const char *name : kExamples) {
      INFO(name);
      checkAssembles(exampleText(name), target);
    }
}

TEST_CASE("every order assembles", "[pipeline][ptxas]") {
  if (!havePtxas())
    return;
  for (const char *order :
       {"sequential", "lanes(64, 2)", "seg(64, seq)", "seg(12, seg(5, seq))",
        "seg(256, lanes(64, 1), m = lanes(64, 1))",
        "seg(8, lanes(4, 1), m = seg(4, seq))"})
    for (const char *target : {"sm_75", "sm_90a"}) {
      INFO(order);
      checkAssembles("op f(X: bf16[M, N]) -> Y: f32[M] {\n  Y[i] = sum[k, "
                     "order=" +
                         std::string(order) + "](f32(X[i, k]))\n}\n",
                     target);
    }
  for (const char *target : {"sm_75", "sm_90a"}) {
    checkAssembles(
        "op f(X: f32[M, 4096]) -> Y: f32[M] {\n"
        "  Y[i] = sum[k, order=tree(64, lanes(16, 4))](X[i, k])\n}\n",
        target);
    checkAssembles("op f(X: f32[M, N]) -> Y: f32[N] {\n"
                   "  Y[j] = sum[i](X[i, j])\n}\n",
                   target);
    checkAssembles(
        "op f(A: f32[M, K], B: f32[K, N]) -> Y: f32[M, N] {\n"
        "  Y[i, j] = sum[k, order=sequential](A[i, k] * B[k, j])\n}\n",
        target);
  }
}
