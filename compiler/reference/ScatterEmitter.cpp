//===- ScatterEmitter.cpp - values at places that data decide -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/TileEmitter.h"

using namespace girih;
using namespace girih::reference;
using llvm::Value;

void TileEmitter::emitToIndex(te::ToIndexOp op) {
  values[op.getResult()] =
      makeBundle(plan.factsOf(op.getResult()), [&](unsigned r, unsigned c) {
        return get(op.getValue(), r, c);
      });
}

TileEmitter::PutPlace TileEmitter::placeOf(te::PutOp put) {
  const OperandView &view = frame.result;
  auto type = mlir::cast<te::TeTensorType>(plan.op->getResult(0).getType());
  PutPlace at{b.getTrue(), b.getInt64(0), b.getInt64(0), b.getInt64(0)};
  for (auto [dim, index] : llvm::enumerate(put.getIndices())) {
    Value *subscript = get(index, 0, 0).value;
    Value *extent = extentValue(b, func, frame, type.getShape()[dim]);
    // Unsigned: below 0 is far above the extent.
    at.inside = b.CreateAnd(at.inside, b.CreateICmpULT(subscript, extent));
    auto add = [&](Value *&offset, Value *stride) {
      offset = b.CreateAdd(offset, b.CreateMul(subscript, stride));
    };
    add(at.offset, view.values.strides[dim]);
    add(at.errorOffset, view.errors.strides[dim]);
    at.number = b.CreateAdd(b.CreateMul(at.number, extent), subscript);
  }
  return at;
}

void TileEmitter::noteWrite(Value *number) {
  Value *byte = b.CreateGEP(b.getInt8Ty(), frame.touched, number);
  Value *again = b.CreateICmpNE(
      b.CreateAlignedLoad(b.getInt8Ty(), byte, llvm::Align(1)), b.getInt8(0));
  b.CreateAlignedStore(b.getInt8(1), byte, llvm::Align(1));
  Value *known =
      b.CreateAlignedLoad(b.getInt64Ty(), frame.repeated, llvm::Align(8));
  Value *isFirst = b.CreateAnd(again, b.CreateICmpEQ(known, b.getInt64(0)));
  b.CreateAlignedStore(
      b.CreateSelect(isFirst, b.CreateAdd(number, b.getInt64(1)), known),
      frame.repeated, llvm::Align(8));
}

static te::ReduceKind reduceKindOf(te::ScatterKind kind) {
  switch (kind) {
  case te::ScatterKind::Max:
    return te::ReduceKind::Max;
  case te::ScatterKind::Min:
    return te::ReduceKind::Min;
  case te::ScatterKind::Set:
  case te::ScatterKind::Add:
    break;
  }
  return te::ReduceKind::Sum;
}

/// Under a condition, so that the bytes around the tensor are safe.
void TileEmitter::emitPut(te::PutOp put) {
  auto scatter = mlir::cast<te::ScatterOp>(plan.op);
  const TensorInfo &tensor = program.tensors[plan.info.result];
  Tracked value = get(put.getValue(), 0, 0);
  const bool isFloat = artifact::isFloat(tensor.type);
  const bool hasErrors = bounds && tensor.inexact;
  // A place that may be another makes the element uncertain; so are then all.
  Value *doubt = nullptr;
  if (hasErrors)
    for (mlir::Value index : put.getIndices())
      if (Value *flag = get(index, 0, 0).error)
        doubt = doubt ? b.CreateOr(doubt, flag) : flag;
  PutPlace at = placeOf(put);

  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *then = llvm::BasicBlock::Create(b.getContext(), "put", function);
  auto *after = llvm::BasicBlock::Create(b.getContext(), "", function);
  b.CreateCondBr(at.inside, then, after);
  b.SetInsertPoint(then);
  llvm::Type *memory = floats.memory(tensor.type);
  llvm::Align align(memory->getScalarSizeInBits() / 8);
  Value *address = b.CreateGEP(memory, frame.result.values.data, at.offset);
  Value *errorAddress =
      hasErrors ? b.CreateGEP(b.getDoubleTy(), frame.result.errors.data,
                              at.errorOffset)
                : nullptr;
  if (scatter.getKind() != te::ScatterKind::Set) {
    Tracked old{floats.unpack(tensor.type,
                              b.CreateAlignedLoad(memory, address, align))};
    if (hasErrors) {
      old.error =
          b.CreateAlignedLoad(b.getDoubleTy(), errorAddress, llvm::Align(8));
      if (!isFloat)
        old.error = scalars.flagOf(old.error);
    }
    value = scalars.combine(reduceKindOf(scatter.getKind()), tensor.type, old,
                            value);
  }
  b.CreateAlignedStore(floats.pack(tensor.type, value.value), address, align);
  if (hasErrors) {
    Value *error = value.error;
    if (error && !isFloat)
      error = scalars.errorOf(error);
    if (!error)
      error = llvm::ConstantFP::get(b.getDoubleTy(), 0.0);
    if (doubt)
      error = b.CreateFAdd(error, scalars.errorOf(doubt));
    b.CreateAlignedStore(error, errorAddress, llvm::Align(8));
  }
  if (frame.touched)
    noteWrite(at.number);
  b.CreateBr(after);
  b.SetInsertPoint(after);
}
