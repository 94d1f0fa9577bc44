//===- Codegen.cpp - a te module as host code -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Codegen.h"

#include "compiler/reference/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace girih;
using namespace girih::reference;

/// `line:column: message` of the first error, followed by its notes.
static std::string textOf(mlir::Diagnostic &diagnostic) {
  std::string text;
  if (auto place =
          mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation()))
    text = std::to_string(place.getLine()) + ":" +
           std::to_string(place.getColumn()) + ": ";
  return text + diagnostic.str();
}

static Result<HostProgram> compileFunction(te::FuncOp func, bool bounds,
                                           std::optional<HostShape> shape) {
  Result<HostJit> jit = HostJit::create(shape);
  if (!jit)
    return Failure{jit.message()};
  Result<FunctionPlan> plan = planFunction(func, jit->shape(), bounds);
  if (!plan)
    return Failure{plan.message()};
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>(func.getSymName(), *context);
  for (const ComputePlan &compute : plan->computes)
    emitKernel(*module, func, compute, plan->info, jit->shape(), bounds);
  if (Status status = jit->add(std::move(module), std::move(context)); !status)
    return Failure{status.message()};
  std::vector<KernelFunction> functions;
  for (const KernelInfo &kernel : plan->info.kernels) {
    Result<KernelFunction> function = jit->lookup(kernel.symbol);
    if (!function)
      return Failure{function.message()};
    functions.push_back(*function);
  }
  return HostProgram{std::move(plan->info), std::move(*jit),
                     std::move(functions)};
}

Result<HostProgram> reference::compileProgram(const std::string &teModule,
                                              bool bounds,
                                              std::optional<HostShape> shape) {
  // A context of our own, without threads: two compiles never meet.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<te::TeDialect, mlir::arith::ArithDialect>();
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (problem.empty())
                                            problem = textOf(diagnostic);
                                          return mlir::success();
                                        });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(teModule, &context);
  if (!module)
    return Failure{"the te module cannot be read: " + problem};
  auto functions = module->getOps<te::FuncOp>();
  if (!llvm::hasSingleElement(functions))
    return Failure{
        "a te module for the reference holds one te.func, this one "
        "holds " +
        std::to_string(std::distance(functions.begin(), functions.end()))};
  return compileFunction(*functions.begin(), bounds, shape);
}
