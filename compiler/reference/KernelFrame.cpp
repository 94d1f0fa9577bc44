//===- KernelFrame.cpp - the arguments of a kernel as values --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/TileEmitter.h"

using namespace girih;
using namespace girih::reference;
using llvm::Value;

namespace {

/// Takes one word after the other.
class Arguments {
public:
  Arguments(llvm::IRBuilder<> &b, Value *args) : b(b), args(args) {}

  Value *next() {
    return b.CreateAlignedLoad(
        b.getInt64Ty(), b.CreateConstGEP1_64(b.getInt64Ty(), args, number++),
        llvm::Align(8));
  }
  Value *nextPointer() { return b.CreateIntToPtr(next(), b.getPtrTy()); }
  TensorView nextView(size_t rank) {
    TensorView view;
    view.data = nextPointer();
    for (size_t dim = 0; dim < rank; ++dim)
      view.strides.push_back(next());
    return view;
  }

private:
  llvm::IRBuilder<> &b;
  Value *args;
  unsigned number = 0;
};

} // namespace

/// In the order that KernelInfo documents.
KernelFrame reference::loadFrame(llvm::IRBuilder<> &b, Value *args,
                                 Value *scratch, const ComputePlan &plan,
                                 const ProgramInfo &program) {
  Arguments arguments(b, args);
  KernelFrame frame;
  for (size_t i = 0; i < program.signature.sizes.size(); ++i)
    frame.sizes.push_back(arguments.next());
  for (unsigned i = 0; i < plan.info.loops; ++i)
    frame.turns.push_back(arguments.next());
  size_t rank = program.tensors[plan.info.result].shape.size();
  frame.result.values = arguments.nextView(rank);
  frame.result.errors = arguments.nextView(rank);
  for (const OperandInfo &operand : plan.info.operands) {
    rank = program.tensors[operand.tensor].shape.size();
    OperandView view;
    view.values = arguments.nextView(rank);
    view.errors = arguments.nextView(rank);
    frame.operands.push_back(std::move(view));
  }
  for (size_t i = 0; i < plan.info.reductions.size(); ++i)
    frame.scratch.push_back(
        b.CreateGEP(b.getInt8Ty(), scratch, arguments.next()));
  if (!plan.info.watched.empty())
    frame.watch = arguments.nextPointer();
  if (plan.info.distinct) {
    frame.touched = arguments.nextPointer();
    frame.repeated = arguments.nextPointer();
  }
  return frame;
}
