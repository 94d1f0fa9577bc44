//===- PlanFunction.cpp - tensors, kernels and loops of a te.func ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Plan.h"
#include "compiler/reference/Signature.h"

using namespace girih;
using namespace girih::reference;

namespace {

class FunctionPlanner {
public:
  FunctionPlanner(te::FuncOp func, const HostShape &host, bool bounds)
      : func(func), host(host), bounds(bounds) {}

  Result<FunctionPlan> run();

private:
  void addTensor(mlir::Value value, std::string name);
  void addArguments();
  Status planBlock(mlir::Block &block, std::vector<Step> &steps);
  Status planKernel(mlir::Operation *op, std::vector<Step> &steps);
  Status planLoop(te::ForOp op, std::vector<Step> &steps);
  bool hasVersions();

  te::FuncOp func;
  const HostShape &host;
  bool bounds;
  FunctionPlan function;
  llvm::DenseMap<mlir::Value, unsigned> tensorOf; ///< of every version
  /// Inexact tensors, by the op or argument that begins them, found so far: a
  /// loop or a recurrence may read what is written further down.
  llvm::DenseSet<mlir::Value> inexact;
};

} // namespace

void FunctionPlanner::addTensor(mlir::Value value, std::string name) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.type = scalarTypeOf(value.getType());
  for (mlir::Attribute extent :
       mlir::cast<te::TeTensorType>(value.getType()).getShape())
    tensor.shape.push_back(extentOf(func, extent));
  tensor.inexact = inexact.contains(value);
  tensorOf[value] = function.info.tensors.size();
  function.info.tensors.push_back(std::move(tensor));
}

void FunctionPlanner::addArguments() {
  for (auto [argument, name] :
       llvm::zip(func.getBlock().getArguments(), func.getArgNames()))
    addTensor(argument, mlir::cast<mlir::StringAttr>(name).getValue().str());
}

Status FunctionPlanner::planKernel(mlir::Operation *op,
                                   std::vector<Step> &steps) {
  ProgramInfo &info = function.info;
  Result<ComputePlan> plan =
      planCompute(func, op, host, bounds, info, tensorOf);
  if (!plan)
    return Failure{plan.message()};
  mlir::Value result = op->getResult(0);
  auto compute = mlir::dyn_cast<te::ComputeOp>(op);
  if (auto scatter = mlir::dyn_cast<te::ScatterOp>(op)) {
    tensorOf[result] = plan->info.result;
    info.tensors[plan->info.result].name = scatter.getName().str();
  } else if (compute.getInto()) {
    tensorOf[result] = plan->info.result;
  } else {
    addTensor(result, compute.getName().str());
    info.tensors.back().isPartial = !compute.isWhole();
  }
  TensorInfo &tensor = info.tensors[plan->info.result];
  tensor.isWritten = true;
  // What is yielded or put; a place may be uncertain, too.
  for (mlir::Value value :
       op->getRegion(0).front().getTerminator()->getOperands())
    if (plan->factsOf(value).inexact) {
      tensor.inexact = true;
      inexact.insert(te::storageOf(result));
    }
  plan->info.symbol = "compute" + std::to_string(function.computes.size());
  steps.push_back({static_cast<unsigned>(info.kernels.size())});
  info.kernels.push_back(plan->info);
  function.computes.push_back(std::move(*plan));
  return {};
}

Status FunctionPlanner::planLoop(te::ForOp op, std::vector<Step> &steps) {
  for (auto [number, init] : llvm::enumerate(op.getInits())) {
    unsigned tensor = tensorOf.lookup(init);
    tensorOf[op.getBlock().getArgument(1 + number)] = tensor;
    tensorOf[op.getResult(number)] = tensor;
  }
  Step loop;
  loop.isLoop = true;
  loop.extent = extentOf(func, op.getExtent());
  if (Status status = planBlock(op.getBlock(), loop.body); !status)
    return status;
  steps.push_back(std::move(loop));
  return {};
}

Status FunctionPlanner::planBlock(mlir::Block &block,
                                  std::vector<Step> &steps) {
  for (mlir::Operation &op : block) {
    Status status;
    if (mlir::isa<te::ComputeOp, te::ScatterOp>(op))
      status = planKernel(&op, steps);
    else if (auto loop = mlir::dyn_cast<te::ForOp>(op))
      status = planLoop(loop, steps);
    if (!status)
      return status;
  }
  return {};
}

bool FunctionPlanner::hasVersions() {
  return func
      .walk([](mlir::Operation *op) {
        auto compute = mlir::dyn_cast<te::ComputeOp>(op);
        return mlir::isa<te::ForOp, te::ScatterOp>(op) ||
                       (compute && compute.getInto())
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

Result<FunctionPlan> FunctionPlanner::run() {
  // Until nothing more turns out to be inexact; without versions the first
  // plan has it all, since reads stand below what they read.
  for (bool again = true; again;) {
    size_t known = inexact.size();
    function = {};
    tensorOf.clear();
    function.info.signature = signatureOf(func);
    addArguments();
    if (Status status = planBlock(func.getBlock(), function.info.steps);
        !status)
      return Failure{status.message()};
    again = inexact.size() != known && hasVersions();
  }
  for (mlir::Value output : func.getBlock().getTerminator()->getOperands())
    function.info.outputs.push_back(tensorOf.lookup(output));
  return std::move(function);
}

Result<FunctionPlan>
reference::planFunction(te::FuncOp func, const HostShape &host, bool bounds) {
  return FunctionPlanner(func, host, bounds).run();
}
