//===- TeTest.h - parsing and running te text in tests ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PASSES_TETEST_H
#define GIRIH_TEST_UNIT_PASSES_TETEST_H

#include "dialects/te/Te.h"
#include "passes/te/Passes.h"
#include "passes/te/TePipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <string>

namespace girih::te {

/// A module of te text and the diagnostics that running passes on it gave.
class TeTest {
public:
  explicit TeTest(const std::string &text)
      : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<TeDialect, mlir::arith::ArithDialect>();
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &error) { diagnostics += error.str() + "\n"; });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    INFO(diagnostics);
    REQUIRE(module);
  }

  /// Runs one pass, or a list, on each te.func.
  template <typename... Passes> bool run(Passes... passes) {
    mlir::PassManager manager(&context);
    (manager.nest<FuncOp>().addPass(std::move(passes)), ...);
    return succeeded(manager.run(*module));
  }

  bool runAll() {
    return succeeded(runTePasses(*module)) && succeeded(runAssoc(*module));
  }

  /// The module's text, runs of spaces as one.
  std::string text() {
    std::string out, single;
    llvm::raw_string_ostream stream(out);
    module->print(stream);
    for (char c : out)
      if (c != ' ' || single.empty() || single.back() != ' ')
        single += c;
    return single;
  }

  bool has(const std::string &part) {
    return text().find(part) != std::string::npos;
  }

  FuncOp func() { return *module->getOps<FuncOp>().begin(); }

  /// The te.compute of that name, or null.
  ComputeOp compute(llvm::StringRef name) {
    for (auto compute : func().getBlock().getOps<ComputeOp>())
      if (compute.getName() == name)
        return compute;
    return {};
  }

  std::string diagnostics;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace girih::te

#endif // GIRIH_TEST_UNIT_PASSES_TETEST_H
