//===- TePipelines.cpp - the te phases, as the compiler runs them ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/te/TePipelines.h"

#include "dialects/te/TeFacts.h"
#include "passes/te/Cascade.h"
#include "passes/te/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace girih::te;

LogicalResult girih::te::runTePasses(ModuleOp module) {
  PassManager manager(module.getContext());
  OpPassManager &functions = manager.nest<FuncOp>();
  functions.addPass(createHoistReductions());
  functions.addPass(createCanonicalizeTe());
  return manager.run(module);
}

/// One pass where the text allows it, over blocks of the length that it says.
static LogicalResult runOnline(FuncOp func) {
  int64_t block = onlineOf(func);
  if (block == 0)
    return success();
  std::string why;
  bool found = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto compute : func.getBlock().getOps<ComputeOp>()) {
      ReduceOp reduce = compute.getReduction();
      if (!reduce || reduce.getKind() != ReduceKind::Sum || reduce.getFrom())
        continue;
      std::optional<Cascade> cascade = findCascade(compute, why);
      if (!cascade)
        continue;
      std::string problem = blockProblem(*cascade, block);
      if (!problem.empty())
        return compute->emitError(problem);
      rewriteCascade(func, *cascade, block);
      found = changed = true;
      break;
    }
  }
  if (!found)
    return func->emitError("nothing is relative to a maximum, so that nothing "
                           "can be rescaled")
           << (why.empty() ? "" : ": ") << why;
  return success();
}

LogicalResult girih::te::runAssoc(ModuleOp module,
                                  const std::vector<std::string> &keep) {
  PassManager terms(module.getContext());
  OpPassManager &before = terms.nest<FuncOp>();
  before.addPass(createAssociate());
  InlineProducersOptions inlining;
  inlining.keep.assign(keep.begin(), keep.end());
  before.addPass(createInlineProducers(inlining));
  if (failed(terms.run(module)))
    return failure();
  for (auto func : module.getOps<FuncOp>())
    if (failed(runOnline(func)))
      return failure();
  PassManager scalars(module.getContext());
  OpPassManager &after = scalars.nest<FuncOp>();
  after.addPass(createInlineProducers(inlining));
  after.addPass(createExpandFunctions());
  after.addPass(createCanonicalizeTe());
  return scalars.run(module);
}
