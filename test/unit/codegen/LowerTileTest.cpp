//===- LowerTileTest.cpp - unit tests of tile kernels as PTX --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTile.h"
#include "passes/codegen/EmitPtx.h"
#include "passes/codegen/Ptxas.h"
#include "test/unit/codegen/TileKernels.h"

#include "dialects/te/Te.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <iostream>

using namespace girih;
using namespace girih::codegen;
using namespace girih::codegen::test;

namespace {

/// One kernel's way from text to an LLVM-dialect module.
struct Lowered {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string errors;
  KernelFacts facts;
  mlir::OwningOpRef<mlir::ModuleOp> source, module;
  bool ok = false;

  Lowered(const std::string &text, const std::string &targetName) {
    context.loadDialect<te::TeDialect, tile::TileDialect,
                        mlir::arith::ArithDialect, mlir::scf::SCFDialect,
                        mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
    context.allowUnregisteredDialects();
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            errors += diagnostic.str() + "\n";
                                            return mlir::success();
                                          });
    source = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!source)
      return;
    mlir::OpBuilder builder(&context);
    module = mlir::ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    auto kernel = *source->getOps<tile::KernelOp>().begin();
    ok = mlir::succeeded(lowerTileKernel(
             kernel, builder, *target::findTarget(targetName), facts)) &&
         mlir::succeeded(mlir::verify(*module));
  }

  std::string ptx(const std::string &targetName) {
    Result<std::string> text =
        emitPtx(*module, *target::findTarget(targetName));
    INFO(text.message());
    REQUIRE(text.ok());
    return *text;
  }
};

} // namespace

static size_t countOf(const std::string &text, const std::string &what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1))
    ++count;
  return count;
}

static std::string ptxOfKernel(const std::string &name,
                               const std::string &targetName = "sm_90a") {
  Lowered lowered(tileKernels().at(name), targetName);
  INFO(name << ": " << lowered.errors);
  REQUIRE(lowered.ok);
  return lowered.ptx(targetName);
}

TEST_CASE("every kernel assembles for every target without spills") {
  const std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    WARN("ptxas is not installed: PTX is generated but not assembled");
  for (const auto &[name, text] : tileKernels())
    for (const char *targetName : {"sm_75", "sm_80", "sm_90a", "sm_120"}) {
      // More shared memory than a block of sm_75 has.
      if (name == "matmul64" && targetName == std::string("sm_75"))
        continue;
      Lowered lowered(text, targetName);
      INFO(name << " for " << targetName << ": " << lowered.errors);
      REQUIRE(lowered.ok);
      const std::string ptx = lowered.ptx(targetName);
      if (!ptxas)
        continue;
      std::string error;
      std::optional<PtxasReport> report = assemble(ptx, targetName, error);
      INFO(error);
      REQUIRE(report);
      REQUIRE(report->kernels.size() == 1);
      const PtxasKernel &kernel = report->kernels.front();
      CHECK(kernel.spillStoreBytes == 0);
      CHECK(kernel.stackBytes == 0);
      CHECK(report->notes.empty());
      CHECK(kernel.sharedBytes ==
            (lowered.facts.dynamicShared ? 0 : lowered.facts.sharedBytes));
      std::cout << name << " " << targetName << ": " << kernel.registers
                << " registers, " << lowered.facts.sharedBytes
                << (lowered.facts.dynamicShared ? " dynamic" : "")
                << " shared bytes\n";
    }
}

TEST_CASE("facts") {
  Lowered matmul(tileKernels().at("matmul16"), "sm_80");
  REQUIRE(matmul.ok);
  CHECK(matmul.facts.name == "matmul16");
  CHECK(matmul.facts.threads == 256);
  CHECK(matmul.facts.sharedBytes == 4 * (16 * 132 - 4 + 16 * 128));
  CHECK_FALSE(matmul.facts.dynamicShared);
  Lowered large(tileKernels().at("matmul64"), "sm_80");
  REQUIRE(large.ok);
  CHECK(large.facts.dynamicShared);
  CHECK(large.facts.sharedBytes == 4 * (64 * 132 - 4 + 64 * 128));
  // 256 partial sums, twice.
  CHECK(Lowered(tileKernels().at("row_sum"), "sm_80").facts.sharedBytes ==
        2 * 1024);
}

TEST_CASE("memory instructions are as wide as promised") {
  std::string ptx = ptxOfKernel("elementwise");
  // Two vectors in a row; where not both are valid, the first alone.
  CHECK(countOf(ptx, "ld.global.nc.v4.b32") == 3);
  CHECK(countOf(ptx, "st.global.v4.b32") == 3);
  CHECK(countOf(ptx, "ld.global.nc.b32") == 0);

  ptx = ptxOfKernel("transpose");
  CHECK(countOf(ptx, "ld.global.nc.v4.b32") == 4);
  CHECK(countOf(ptx, "st.global.v4.b32") == 4);

  ptx = ptxOfKernel("matmul16");
  CHECK(countOf(ptx, "fma.rn.f32") == 16 * 64);
  CHECK(countOf(ptx, "ld.shared.v4.b32") == 16 * 4);
  CHECK(countOf(ptx, "ld.shared.b32") == 0);
  CHECK(countOf(ptx, "bar.sync") + countOf(ptx, "barrier.sync") == 2);

  ptx = ptxOfKernel("matmul64");
  CHECK(countOf(ptx, "fma.rn.f32") == 0);
  CHECK(countOf(ptx, "mul.rn.f32") == 8 * 32);
  CHECK(countOf(ptx, "add.rn.f32") == 8 * 32);
}

TEST_CASE("what is read once per column is loaded once") {
  std::string ptx = ptxOfKernel("broadcast");
  // Four rows of X in a row, or all but the last; one element of C.
  CHECK(countOf(ptx, "ld.global.nc.b16") == 4 + 3 + 1);
}

TEST_CASE("merges shuffle inside warps and meet once between them") {
  std::string ptx = ptxOfKernel("row_sum");
  CHECK(countOf(ptx, "shfl.sync.bfly") == 5);
  CHECK(countOf(ptx, "bar.sync") + countOf(ptx, "barrier.sync") == 1);
  CHECK(countOf(ptx, "ld.shared.b32") == 8);
}

TEST_CASE("a tensor that is written and read is neither cached nor unaliased") {
  Lowered lowered(tileKernels().at("control"), "sm_90a");
  REQUIRE(lowered.ok);
  std::string ptx = lowered.ptx("sm_90a");
  CHECK(countOf(ptx, "ld.global.nc") == 0);
  CHECK(countOf(ptx, "ld.global.b32") == 1);
  std::string text;
  llvm::raw_string_ostream stream(text);
  lowered.module->print(stream);
  CHECK(text.find("%arg0: !llvm.ptr<1>, %arg1") != std::string::npos);
  CHECK(text.find("%arg2: !llvm.ptr<1> {llvm.noalias}") != std::string::npos);
}

TEST_CASE("locations stay on what an op becomes") {
  Lowered lowered(tileKernels().at("elementwise"), "sm_90a");
  REQUIRE(lowered.ok);
  mlir::Location add = mlir::UnknownLoc::get(&lowered.context);
  lowered.source->walk([&](te::BinaryOp op) { add = op.getLoc(); });
  int found = 0;
  lowered.module->walk([&](mlir::LLVM::FAddOp op) {
    ++found;
    CHECK(op.getLoc() == add);
  });
  CHECK(found == 8);
}

TEST_CASE("the PTX of every kernel, to look at", "[.ptx]") {
  for (const auto &[name, text] : tileKernels())
    std::cout << "//// " << name << "\n" << ptxOfKernel(name) << "\n";
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

static std::string refusal(const std::string &text) {
  Lowered lowered(text, "sm_75");
  CHECK_FALSE(lowered.ok);
  REQUIRE(lowered.module);
  // Nothing half-written is left behind.
  CHECK(lowered.module->getBody()->empty());
  return lowered.errors;
}

TEST_CASE("an unknown op is refused by name") {
  CHECK(refusal("tile.kernel @k threads 32 () {\n"
                "  \"other.op\"() : () -> ()\n}") ==
        "'other.op' op cannot be lowered to a GPU kernel\n");
  CHECK(refusal("tile.kernel @k threads 32 (%n \"n\": index) {\n"
                "  %f = arith.index_castui %n : index to i32\n}") ==
        "'arith.index_castui' op cannot be lowered to a GPU kernel\n");
  CHECK(refusal("tile.kernel @k threads 32 (%n \"n\": index) {\n"
                "  scf.while : () -> () {\n"
                "    %t = arith.constant true\n"
                "    scf.condition(%t)\n"
                "  } do {\n    scf.yield\n  }\n}") ==
        "'scf.while' op cannot be lowered to a GPU kernel\n");
  // Inside a loop, after shared memory was made.
  CHECK(refusal("tile.kernel @k threads 32 (%n \"n\": index) {\n"
                "  %s = tile.alloc_shared \"s\" : !tile.shared<f32, [8], [1]>\n"
                "  scf.for %i = %n to %n step %n {\n"
                "    \"other.op\"(%i) : (index) -> ()\n  }\n}") ==
        "'other.op' op cannot be lowered to a GPU kernel\n");
}

TEST_CASE("more shared memory than a block has is refused") {
  CHECK(refusal("tile.kernel @k threads 32 () {\n"
                "  %s = tile.alloc_shared \"s\" : !tile.shared<f32, [20000], "
                "[1]>\n}") ==
        "kernel 'k' needs 80000 bytes of shared memory; a block on sm_75 "
        "has at most 65536\n");
}

TEST_CASE("a merge of very many scattered cells is refused") {
  // Three rows below the cells: no bit of a cell's number is a thread's.
  CHECK(refusal("tile.kernel @k threads 96 () {\n"
                "  %x = tile.fill 1.0 : f32 : <f32, \"[3, 512] r(16@1:32) "
                "t(3@0:1, 32@1:1)\">\n"
                "  %s = tile.merge sum pairwise %x : <f32, \"[3, 512] "
                "r(16@1:32) t(3@0:1, 32@1:1)\"> -> <f32, \"[3] r() t(3@0:1, "
                "32@-)\">\n}") ==
        "'tile.merge' op would read 512 cells of other threads one by one, and "
        "at most 256 are; where the number of cells and of threads below them "
        "are powers of two, cells are combined bit by bit\n");
}
