//===- EmitPtxTest.cpp - from the LLVM dialect to PTX ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/EmitPtx.h"
#include "passes/codegen/Ptxas.h"
#include "test/unit/codegen/GemmText.h"
#include "test/unit/codegen/KernelText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

#include <cctype>
#include <thread>

using namespace girih;
using namespace girih::codegen;
using namespace girih::codegen::test;

static std::string header(const std::string &ptx) {
  size_t begin = ptx.find(".version");
  return ptx.substr(begin, ptx.find(".address_size") - begin);
}

static const char *const kStore =
    "llvm.func @k(%p: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {\n"
    "  llvm.store %x, %p : f32, !llvm.ptr<1>\n  llvm.return\n}\n";

TEST_CASE("each target gets its PTX version", "[codegen][ptx]") {
  const std::pair<const char *, const char *> expected[] = {
      {"sm_75", "7.8"},  {"sm_80", "7.8"},   {"sm_86", "7.8"},
      {"sm_89", "8.1"},  {"sm_90", "8.6"},   {"sm_90a", "8.6"},
      {"sm_100", "8.6"}, {"sm_100a", "8.6"}, {"sm_120", "8.7"},
      {"sm_120a", "8.7"}};
  for (auto [target, version] : expected) {
    auto ptx = ptxOf(kStore, target);
    INFO(target << ": " << (ptx.ok() ? "" : ptx.message()));
    REQUIRE(ptx.ok());
    CHECK(header(*ptx) ==
          std::string(".version ") + version + "\n.target " + target + "\n");
  }
}

TEST_CASE("kernels carry their launch bounds", "[codegen][ptx]") {
  auto ptx = ptxOf("llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel, "
                   "nvvm.reqntid = array<i32: 128, 1, 1>} {\n"
                   "  llvm.return\n}\n",
                   "sm_80");
  REQUIRE(ptx.ok());
  CHECK(ptx->find(".visible .entry k(") != std::string::npos);
  CHECK(ptx->find(".reqntid 128, 1, 1") != std::string::npos);
}

TEST_CASE("what LLVM refuses comes back as a failure", "[codegen][ptx]") {
  // The backend's last resort is a fatal error; the process and later
  // emissions must not notice.
  auto refused = ptxOf("llvm.func @k() attributes {nvvm.kernel} {\n"
                       "  nvvm.wgmma.fence.aligned\n  llvm.return\n}\n",
                       "sm_75");
  REQUIRE_FALSE(refused.ok());
  INFO(refused.message());
  CHECK(refused.message().find("Cannot select: intrinsic "
                               "%llvm.nvvm.wgmma.fence.sync.aligned") !=
        std::string::npos);
  CHECK(ptxOf(kStore, "sm_75").ok());

  auto unknown = ptxOf("llvm.func @k() attributes {nvvm.kernel} {\n"
                       "  %x = llvm.call_intrinsic \"llvm.nvvm.nonsense\"() : "
                       "() -> f32\n  llvm.return\n}\n",
                       "sm_90a");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.message().find("llvm.nvvm.nonsense") != std::string::npos);
}

TEST_CASE("asm that LLVM rejects is a failure", "[codegen][ptx]") {
  auto refused =
      ptxOf("llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {\n"
            "  %x = llvm.inline_asm has_side_effects \"mov.b32 $0, 1;\", "
            "\"=a\" : () -> i32\n"
            "  llvm.store %x, %p : i32, !llvm.ptr<1>\n  llvm.return\n}\n",
            "sm_90a");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.message() ==
        "couldn't allocate output register for constraint 'a'");
}

TEST_CASE("an op that is not lowered is a failure", "[codegen][ptx]") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::arith::ArithDialect>();
  mlir::OpBuilder builder(&context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(module->getBody());
  mlir::arith::ConstantOp::create(builder, builder.getUnknownLoc(),
                                  builder.getI32IntegerAttr(1));
  auto refused = emitPtx(*module, *target::findTarget("sm_90a"));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.message().find("cannot be converted to LLVM IR: missing "
                               "`LLVMTranslationDialectInterface`") == 0);
  // The module is as it was.
  CHECK(module->getOperation()->getAttrs().empty());
}

TEST_CASE("inline assembly is convergent", "[codegen][ptx]") {
  auto ir = llvmIrOf("llvm.func @k() attributes {nvvm.kernel} {\n"
                     "  llvm.inline_asm has_side_effects \"bar.arrive 1, 64;\","
                     " \"\" : () -> ()\n  llvm.return\n}\n",
                     "sm_90a");
  REQUIRE(ir.ok());
  size_t call = ir->find("asm sideeffect \"bar.arrive 1, 64;\"");
  REQUIRE(call != std::string::npos);
  size_t number = ir->find('#', call);
  std::string attributes =
      ir->substr(number, ir->find_first_of(", \n", number) - number);
  CHECK(ir->find("attributes " + attributes + " = { convergent") !=
        std::string::npos);
}

TEST_CASE("pointers to shared memory are short", "[codegen][ptx]") {
  std::string text =
      "llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : "
      "i64} : !llvm.array<256 x f32>\n"
      "llvm.func @k(%p: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {\n"
      "  %s = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
      "  %q = llvm.getelementptr inbounds %s[%i] : (!llvm.ptr<3>, i32) -> "
      "!llvm.ptr<3>, f32\n"
      "  %x = llvm.load %q : !llvm.ptr<3> -> f32\n"
      "  llvm.store %x, %p : f32, !llvm.ptr<1>\n  llvm.return\n}\n";
  auto ptx = ptxOf(text, "sm_90a");
  REQUIRE(ptx.ok());
  // `%rd` names a register of 64 bits, `%r` one of 32.
  const std::string load = "ld.shared.b32 \t";
  size_t at = ptx->find(load);
  INFO(*ptx);
  REQUIRE(at != std::string::npos);
  std::string address = ptx->substr(ptx->find('[', at), 4);
  CHECK(address.substr(0, 3) == "[%r");
  CHECK(std::isdigit(static_cast<unsigned char>(address[3])));
  // To global memory they are long.
  at = ptx->find("st.global.b32 \t");
  REQUIRE(at != std::string::npos);
  CHECK(ptx->substr(ptx->find('[', at), 4) == "[%rd");
  auto ir = llvmIrOf(text, "sm_90a");
  REQUIRE(ir.ok());
  CHECK(ir->find("p3:32:32") != std::string::npos);
}

TEST_CASE("an i64 is loaded whole", "[codegen][ptx]") {
  // LLVM's default layout would align it to four bytes.
  auto ptx = ptxOf("llvm.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) "
                   "attributes {nvvm.kernel} {\n"
                   "  %x = llvm.load %p : !llvm.ptr<1> -> i64\n"
                   "  llvm.store %x, %q : i64, !llvm.ptr<1>\n"
                   "  llvm.return\n}\n",
                   "sm_90a");
  REQUIRE(ptx.ok());
  CHECK(ptx->find("ld.global.b64") != std::string::npos);
  CHECK(ptx->find("ld.global.b32") == std::string::npos);
}

TEST_CASE("the same module gives the same bytes", "[codegen][ptx]") {
  std::string text = gemmText();
  auto first = ptxOf(text, "sm_90a");
  INFO((first.ok() ? "" : first.message()));
  REQUIRE(first.ok());
  auto second = ptxOf(text, "sm_90a");
  REQUIRE(second.ok());
  CHECK(*first == *second);

  // Four threads at once, one of them through a fatal error.
  std::vector<Result<std::string>> results(4, Failure{"not run"});
  std::vector<std::thread> threads;
  for (size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      results[i] = i == 1 ? ptxOf("llvm.func @k() attributes {nvvm.kernel} {\n"
                                  "  nvvm.wgmma.fence.aligned\n"
                                  "  llvm.return\n}\n",
                                  "sm_75")
                          : ptxOf(text, "sm_90a");
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < results.size(); ++i) {
    if (i == 1) {
      CHECK_FALSE(results[i].ok());
      continue;
    }
    REQUIRE(results[i].ok());
    CHECK(*results[i] == *first);
  }
}

TEST_CASE("a GEMM block keeps its 64 accumulators in registers",
          "[codegen][ptx]") {
  if (!findPtxas()) {
    WARN("no ptxas here: registers are not tested");
    return;
  }
  for (const char *target : {"sm_75", "sm_80", "sm_90a", "sm_120a"}) {
    auto ptx = ptxOf(gemmText(), target);
    REQUIRE(ptx.ok());
    std::string error;
    auto report = assemble(*ptx, target, error);
    INFO(target << ": " << error);
    REQUIRE(report);
    REQUIRE(report->kernels.size() == 1);
    const PtxasKernel &kernel = report->kernels[0];
    CHECK(kernel.name == "gemm");
    CHECK(kernel.registers <= 128);
    CHECK(kernel.spillStoreBytes == 0);
    CHECK(kernel.sharedBytes == 8192);
    CHECK(report->notes.empty());
  }
}

// Not run by default: `unit_codegen "[.time]"`.
TEST_CASE("how long a GEMM block takes", "[.time]") {
  std::string text = gemmText();
  for (int i = 0; i < 5; ++i) {
    double milliseconds = emissionMilliseconds(text, "sm_90a");
    WARN("emitPtx: " << milliseconds << " ms");
  }
}

TEST_CASE("PTX says which line of the program it is from", "[codegen][ptx]") {
  auto ptx = ptxOf("module {\n"
                   "llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {\n"
                   "  %c = llvm.mlir.constant(7 : i32) : i32 loc(#here)\n"
                   "  llvm.store %c, %p : i32, !llvm.ptr<1> loc(#here)\n"
                   "  llvm.return loc(#here)\n"
                   "} loc(#start)\n"
                   "}\n"
                   "#start = loc(\"some/program.te\":3:1)\n"
                   "#here = loc(\"some/program.te\":5:7)\n",
                   "sm_90a");
  INFO(ptx.message());
  REQUIRE(ptx.ok());
  CHECK(ptx->find("\t.loc\t1 5 7\n") != std::string::npos);
  CHECK(ptx->find(".file\t1 \"some/program.te\"") != std::string::npos);
  // Lines alone: no debug sections, which would also disable optimisation.
  CHECK(ptx->find(".target sm_90a\n") != std::string::npos);
  CHECK(ptx->find(".debug_info") == std::string::npos);
}

TEST_CASE("PTX says what lies where in shared memory", "[codegen][ptx]") {
  auto ptx = ptxOf("llvm.mlir.global external @k_shared() {addr_space = 3 : "
                   "i32, alignment = 16 : i64} : !llvm.array<64 x i8>\n"
                   "llvm.func @k() attributes {nvvm.kernel, girih.shared = "
                   "[\"k_shared 0 A f32 4 4x4 4x1\"]} {\n"
                   "  llvm.return\n}\n",
                   "sm_90a");
  INFO(ptx.message());
  REQUIRE(ptx.ok());
  CHECK(ptx->find(".address_size 64\n"
                  "// girih.shared k_shared 0 A f32 4 4x4 4x1\n") !=
        std::string::npos);
}
