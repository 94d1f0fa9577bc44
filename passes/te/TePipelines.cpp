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

/// Of the func's sums one of `request`'s tensor over its index; null where
/// there is none.
static ComputeOp sumOf(FuncOp func, const CascadeRequest &request) {
  for (auto compute : func.getBlock().getOps<ComputeOp>()) {
    ReduceOp reduce = compute.getReduction();
    bool isOf = compute.getName() == request.tensor ||
                compute.getPartOf() == request.tensor;
    if (!isOf || !reduce || reduce.getKind() != ReduceKind::Sum)
      continue;
    for (Attribute index : reduce.getIndexNames())
      if (cast<StringAttr>(index).getValue() == request.index)
        return compute;
  }
  return {};
}

/// Blocks of a pass that nobody asked for.
static constexpr int64_t kDefaultBlock = 32;

/// Bytes of the tensors that would be written and read again without the pass;
/// 0 where sizes are not known.
static int64_t savedBytes(FuncOp func, const Cascade &cascade) {
  int64_t total = 0;
  for (auto [tensor, dim] : cascade.tensors) {
    TeTensorType type = ComputeOp(tensor).getType();
    int64_t bytes = bytesOf(type.getElementType());
    for (Attribute extent : type.getShape()) {
      std::optional<int64_t> value = func.constantExtent(extent);
      if (!value || __builtin_mul_overflow(bytes, *value, &bytes))
        return 0;
    }
    total += bytes;
  }
  return total;
}

/// Exact cascades of the function that save more than `least` bytes.
static std::vector<CascadeRequest> worthwhile(FuncOp func, int64_t least) {
  std::vector<CascadeRequest> requests;
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (auto compute : func.getBlock().getOps<ComputeOp>()) {
    std::string why;
    if (seen.contains(compute))
      continue;
    std::optional<Cascade> cascade = findCascade(compute, why);
    if (!cascade || !cascade->inexact.empty() ||
        savedBytes(func, *cascade) <= least ||
        !blockProblem(*cascade, kDefaultBlock).empty())
      continue;
    for (const CascadeSum &sum : cascade->sums)
      seen.insert(sum.compute);
    requests.push_back(
        {compute.getName().str(), cascade->indexName(), kDefaultBlock});
    // The reduced index has the sum's own name.
    requests.back().index =
        cast<StringAttr>(compute.getReduction().getIndexNames()[0]).str();
  }
  return requests;
}

/// Adds the function with exact cascades in one pass, where there are any.
static LogicalResult realise(ModuleOp module, const AssocOptions &options) {
  FuncOp func = *module.getOps<FuncOp>().begin();
  std::vector<CascadeRequest> requests = options.cascades;
  bool isAsked = !requests.empty();
  if (!isAsked && options.worthBytes && onlineOf(func) == 0)
    requests = worthwhile(func, *options.worthBytes);
  auto refuse = [&](CascadeRefusal::Kind kind, size_t request,
                    std::string why) {
    if (options.refuse)
      options.refuse({kind, request, std::move(why)});
    return failure();
  };
  using Kind = CascadeRefusal::Kind;
  for (auto [number, request] : llvm::enumerate(requests)) {
    if (int64_t block = onlineOf(func))
      return refuse(Kind::NoCascade, number,
                    "the text makes it one pass already, by blocks of " +
                        std::to_string(block));
    ComputeOp sum = sumOf(func, request);
    if (!sum)
      return refuse(Kind::NoCascade, number,
                    "'" + request.tensor + "' has no sum over '" +
                        request.index + "'");
    std::string why;
    std::optional<Cascade> cascade = findCascade(sum, why);
    if (!cascade)
      return refuse(Kind::NoCascade, number, why);
    std::string problem = blockProblem(*cascade, request.block);
    if (!problem.empty())
      return refuse(Kind::CutsTerm, number, problem);
    if (!cascade->inexact.empty())
      return refuse(Kind::Inexact, number, cascade->inexact);
  }
  if (requests.empty())
    return success();
  for (const CascadeRequest &request : requests) {
    std::string why;
    addRangeWords(func, *findCascade(sumOf(func, request), why));
  }
  PassManager terms(module.getContext());
  terms.nest<FuncOp>().addPass(createAssociate());
  if (failed(terms.run(module)))
    return failure();
  OpBuilder builder(func);
  builder.setInsertionPointAfter(func);
  auto pass = cast<FuncOp>(builder.clone(*func));
  pass.setSymName((func.getSymName() + "__pass").str());
  for (const CascadeRequest &request : requests) {
    std::string why;
    ComputeOp sum = sumOf(pass, request);
    std::optional<Cascade> cascade;
    if (sum)
      cascade = findCascade(sum, why);
    if (!cascade)
      continue; // an earlier request's pass has taken it in
    CascadeRequest said = request;
    said.tensor = sum.getPartOf().value_or(sum.getName()).str();
    rewriteCascade(pass, *cascade, request.block);
    if (options.made)
      options.made(said);
  }
  // One signature: the pass has sizes of its own, which others say.
  func.setSizesAttr(pass.getSizes());
  func.setGiven(pass.getGiven());
  func.setDerivedAttr(pass.getDerivedAttr());
  return success();
}

FuncOp girih::te::realisedBy(ModuleOp module) {
  FuncOp last;
  for (auto func : module.getOps<FuncOp>())
    last = func;
  return last;
}

LogicalResult girih::te::runAssoc(ModuleOp module,
                                  const AssocOptions &options) {
  PassManager terms(module.getContext());
  OpPassManager &before = terms.nest<FuncOp>();
  before.addPass(createAssociate());
  InlineProducersOptions inlining;
  inlining.keep.assign(options.keep.begin(), options.keep.end());
  before.addPass(createInlineProducers(inlining));
  if (failed(terms.run(module)))
    return failure();
  for (auto func : module.getOps<FuncOp>())
    if (failed(runOnline(func)))
      return failure();
  if (failed(realise(module, options)))
    return failure();
  PassManager scalars(module.getContext());
  OpPassManager &after = scalars.nest<FuncOp>();
  inlining.rows = options.recomputesRows;
  after.addPass(createInlineProducers(inlining));
  after.addPass(createExpandFunctions());
  after.addPass(createCanonicalizeTe());
  return scalars.run(module);
}
