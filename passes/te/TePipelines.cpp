//===- TePipelines.cpp - the te phases, as the compiler runs them ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/te/TePipelines.h"

#include "passes/te/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

LogicalResult girih::te::runTePasses(ModuleOp module) {
  PassManager manager(module.getContext());
  OpPassManager &functions = manager.nest<FuncOp>();
  functions.addPass(createHoistReductions());
  functions.addPass(createCanonicalizeTe());
  return manager.run(module);
}

LogicalResult girih::te::runAssoc(ModuleOp module,
                                  const std::vector<std::string> &keep) {
  PassManager manager(module.getContext());
  OpPassManager &functions = manager.nest<FuncOp>();
  functions.addPass(createAssociate());
  InlineProducersOptions inlining;
  inlining.keep.assign(keep.begin(), keep.end());
  functions.addPass(createInlineProducers(inlining));
  functions.addPass(createExpandFunctions());
  functions.addPass(createCanonicalizeTe());
  return manager.run(module);
}
