//===- KernelText.cpp - from test text to PTX -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/codegen/KernelText.h"

#include "dialects/te/Te.h"
#include "passes/codegen/ScalarLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <ctime>
#include <sstream>

using namespace mlir;

namespace girih::codegen::test {

/// Lowers every te and arith op of `module` in place; false after an error.
static bool lowerAll(ModuleOp module, const target::GpuTarget &target) {
  SmallVector<Operation *> scalars;
  module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "te" || dialect == "arith")
      scalars.push_back(op);
  });
  OpBuilder builder(module.getContext());
  ScalarLowering lowering(builder, target);
  // The ops stay as they are until all are lowered: their types say which
  // integers have a sign.
  DenseMap<Value, Value> lowered;
  for (Operation *op : scalars) {
    builder.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto found = lowered.find(operand);
      operands.push_back(found == lowered.end() ? operand : found->second);
    }
    Value result = lowering.lower(op, operands);
    if (!result)
      return false;
    lowered[op->getResult(0)] = result;
  }
  for (Operation *op : llvm::reverse(scalars)) {
    op->getResult(0).replaceAllUsesWith(lowered[op->getResult(0)]);
    op->erase();
  }
  return true;
}

using Emit = Result<std::string> (*)(ModuleOp, const target::GpuTarget &,
                                     const PtxOptions &);

static Result<std::string> run(const std::string &text, const std::string &name,
                               const PtxOptions &options, Emit emit) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                      te::TeDialect>();
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  auto target = target::findTarget(name);
  if (!module || !target || !lowerAll(*module, *target))
    return Failure{errors.empty() ? "no such target" : errors};
  return emit(*module, *target, options);
}

Result<std::string> ptxOf(const std::string &text, const std::string &target,
                          const PtxOptions &options) {
  return run(text, target, options, emitPtx);
}

Result<std::string> llvmIrOf(const std::string &text, const std::string &target,
                             const PtxOptions &options) {
  return run(text, target, options, printLlvmIr);
}

double emissionMilliseconds(const std::string &text,
                            const std::string &target) {
  static thread_local double milliseconds;
  auto timed = [](ModuleOp module, const target::GpuTarget &target,
                  const PtxOptions &options) {
    std::clock_t begin = std::clock();
    Result<std::string> ptx = emitPtx(module, target, options);
    milliseconds = 1e3 * double(std::clock() - begin) / CLOCKS_PER_SEC;
    return ptx;
  };
  return run(text, target, {}, timed).ok() ? milliseconds : -1;
}

std::map<std::string, std::string> bodiesOf(const std::string &ptx) {
  std::map<std::string, std::string> bodies;
  std::istringstream stream(ptx);
  std::string line, name;
  bool inside = false;
  while (std::getline(stream, line)) {
    if (auto at = line.find(".entry "); at != std::string::npos) {
      name = line.substr(at + 7, line.find('(') - at - 7);
    } else if (line == "{") {
      inside = true;
    } else if (line == "}") {
      inside = false;
    } else if (inside && !line.empty() && line[0] == '\t' && line[1] != '.' &&
               line.find("ld.param") == std::string::npos) {
      for (char &c : line)
        if (c == '\t')
          c = ' ';
      std::string &body = bodies[name];
      body += line.substr(1);
      while (body.find("  ") != std::string::npos)
        body.erase(body.find("  "), 1);
      body += '\n';
    }
  }
  return bodies;
}

std::string kernel(const std::string &name, const std::string &arguments,
                   const std::string &body, const std::string &result) {
  std::string text = "llvm.func @" + name + "(%p: !llvm.ptr<1>";
  std::istringstream types(arguments);
  std::string type;
  for (char argument = 'a'; types >> type; ++argument)
    text += std::string(", %") + argument + ": " + type;
  return text + ") attributes {nvvm.kernel} {\n" + body +
         "\nllvm.store %r, %p : " + result + ", !llvm.ptr<1>\nllvm.return\n}\n";
}

} // namespace girih::codegen::test
