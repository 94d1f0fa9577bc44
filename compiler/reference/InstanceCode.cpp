//===- InstanceCode.cpp - one instance at a time as host code -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/InstanceCode.h"

#include "compiler/reference/Signature.h"
#include "compiler/reference/TileEmitter.h"

#include "llvm/IR/Module.h"

using namespace girih;
using namespace girih::reference;
using llvm::Value;

namespace {

te::ReduceOp reductionOf(mlir::Operation *op) {
  auto compute = mlir::dyn_cast<te::ComputeOp>(op);
  return compute ? compute.getReduction() : te::ReduceOp();
}

/// The functions of one op: SYMBOL, and of a reduction SYMBOL.start and
/// SYMBOL.combine.
class InstanceEmitter {
public:
  InstanceEmitter(llvm::Module &module, te::FuncOp func,
                  const ComputePlan &plan, const ProgramInfo &program,
                  bool nativeHalf)
      : b(module.getContext()), floats(b, nativeHalf),
        scalars(b, floats, /*bounds=*/false), module(module), func(func),
        plan(plan), program(program), reduce(reductionOf(plan.op)) {
    if (reduce)
      type = scalarTypeOf(reduce.getType());
  }

  void run() {
    emitRun();
    if (!reduce)
      return;
    llvm::Function *start = begin(plan.info.symbol + ".start", 1);
    store(start->getArg(0), scalars.identity(reduce.getKind(), type));
    llvm::Function *combine = begin(plan.info.symbol + ".combine", 2);
    store(combine->getArg(0),
          scalars.combine(reduce.getKind(), type, load(combine->getArg(0)),
                          load(combine->getArg(1))));
  }

private:
  llvm::Function *begin(const std::string &name, unsigned pointers) {
    llvm::SmallVector<llvm::Type *> types(pointers, b.getPtrTy());
    auto *function = llvm::Function::Create(
        llvm::FunctionType::get(b.getVoidTy(), types, false),
        llvm::Function::ExternalLinkage, name, module);
    function->setDoesNotThrow();
    b.SetInsertPoint(
        llvm::BasicBlock::Create(b.getContext(), "entry", function));
    return function;
  }

  Tracked load(Value *cell) {
    llvm::Type *memory = floats.memory(type);
    llvm::Align align(memory->getScalarSizeInBits() / 8);
    return {floats.unpack(type, b.CreateAlignedLoad(memory, cell, align))};
  }

  /// The last thing that a function does.
  void store(Value *cell, Tracked value) {
    llvm::Align align(floats.memory(type)->getScalarSizeInBits() / 8);
    b.CreateAlignedStore(floats.pack(type, value.value), cell, align);
    b.CreateRetVoid();
  }

  void emitRun() {
    llvm::Function *function = begin(plan.info.symbol, 3);
    // The whole reduction is never run, so nothing lies in scratch memory.
    KernelFrame frame =
        loadFrame(b, function->getArg(0),
                  llvm::ConstantPointerNull::get(b.getPtrTy()), plan, program);
    llvm::SmallVector<Value *> indices;
    size_t outer = plan.op->getRegion(0).getNumArguments();
    size_t count = outer + (reduce ? reduce.getBlock().getNumArguments() : 0);
    for (size_t i = 0; i < count; ++i)
      indices.push_back(b.CreateAlignedLoad(
          b.getInt64Ty(),
          b.CreateConstGEP1_64(b.getInt64Ty(), function->getArg(1), i),
          llvm::Align(8)));
    TilePlace place;
    place.indices.assign(indices.begin(), indices.begin() + outer);
    TileEmitter tile(b, floats, scalars, func, plan, program, frame,
                     /*bounds=*/false, std::move(place));
    if (!reduce) {
      tile.run();
      b.CreateRetVoid();
      return;
    }
    Value *cell = function->getArg(2);
    store(cell, tile.addElement(
                    reduce, llvm::ArrayRef<Value *>(indices).drop_front(outer),
                    load(cell)));
  }

  llvm::IRBuilder<> b;
  FloatOps floats;
  ScalarEmitter scalars;
  llvm::Module &module;
  te::FuncOp func;
  const ComputePlan &plan;
  const ProgramInfo &program;
  te::ReduceOp reduce;
  artifact::ScalarType type = artifact::ScalarType::F32;
};

template <typename Function>
Status find(const HostJit &jit, const std::string &symbol, Function &function) {
  Result<KernelFunction> found = jit.lookup(symbol);
  if (!found)
    return Failure{found.message()};
  function = reinterpret_cast<Function>(*found);
  return {};
}

} // namespace

Result<InstanceProgram> InstanceProgram::compile(te::FuncOp func) {
  Result<HostJit> jit = HostJit::create();
  if (!jit)
    return Failure{jit.message()};
  HostShape scalar;
  scalar.vectorBits = 0;
  scalar.nativeHalf = jit->shape().nativeHalf;
  Result<FunctionPlan> plan = planFunction(func, scalar, /*bounds=*/false);
  if (!plan)
    return Failure{plan.message()};
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>(func.getSymName(), *context);
  for (ComputePlan &compute : plan->computes) {
    compute.info.distinct = false; // a promise of the text's order
    InstanceEmitter(*module, func, compute, plan->info, scalar.nativeHalf)
        .run();
  }
  if (Status status = jit->add(std::move(module), std::move(context)); !status)
    return Failure{status.message()};
  InstanceProgram result(std::move(plan->info), std::move(*jit));
  for (const ComputePlan &compute : plan->computes) {
    InstanceCode &code = result.codes[compute.op];
    code.info = compute.info;
    te::ReduceOp reduce = reductionOf(compute.op);
    mlir::Block &block =
        reduce ? reduce.getBlock() : compute.op->getRegion(0).front();
    for (te::ReadOp read : block.getOps<te::ReadOp>())
      code.reads.push_back(compute.operandOf.lookup(read));
    const std::string &symbol = compute.info.symbol;
    Status status = find(result.jit, symbol, code.run);
    if (status && reduce)
      status = find(result.jit, symbol + ".start", code.start);
    if (status && reduce)
      status = find(result.jit, symbol + ".combine", code.combine);
    if (!status)
      return Failure{status.message()};
  }
  return std::move(result);
}
