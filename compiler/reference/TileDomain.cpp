//===- TileDomain.cpp - which instances run and what they write -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/TileEmitter.h"

using namespace girih;
using namespace girih::reference;
using llvm::Value;

TileEmitter::Bundle TileEmitter::domainOf(mlir::Block &block) {
  Bundle result;
  for (te::WhereOp where : block.getOps<te::WhereOp>()) {
    ValueFacts facts;
    for (mlir::Value index : where.getIndices()) {
      facts.row |= plan.factsOf(index).row;
      facts.lane |= plan.factsOf(index).lane;
    }
    Bundle holds = makeBundle(facts, [&](unsigned r, unsigned c) -> Tracked {
      unsigned width = facts.lane ? plan.width : 1;
      Value *sum = extentValue(b, func, frame, where.getOffset());
      if (facts.lane)
        sum = widened(sum, width);
      for (auto [index, factor] :
           llvm::zip(where.getIndices(), where.getCoefficients())) {
        Value *value = get(index, r, c).value;
        if (facts.lane)
          value = widened(value, width);
        sum = b.CreateAdd(
            sum, b.CreateMul(value,
                             llvm::ConstantInt::get(value->getType(), factor)));
      }
      return {
          b.CreateICmpSGE(sum, llvm::Constant::getNullValue(sum->getType()))};
    });
    result = both(result, holds);
  }
  return result;
}

TileEmitter::Bundle TileEmitter::both(const Bundle &x, const Bundle &y) {
  if (x.items.empty() || y.items.empty())
    return x.items.empty() ? y : x;
  ValueFacts facts{x.facts.row || y.facts.row, x.facts.lane || y.facts.lane,
                   false};
  return makeBundle(facts, [&](unsigned r, unsigned c) -> Tracked {
    Value *p = itemOf(x, r, c).value, *q = itemOf(y, r, c).value;
    if (facts.lane) {
      p = widened(p, plan.width);
      q = widened(q, plan.width);
    }
    return {b.CreateAnd(p, q)};
  });
}

void TileEmitter::emitIf(Value *condition, llvm::function_ref<void()> body) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *then = llvm::BasicBlock::Create(b.getContext(), "then", function);
  auto *after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

Value *TileEmitter::emitChoice(Value *condition,
                               llvm::function_ref<Value *()> yes,
                               llvm::function_ref<Value *()> no) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *then = llvm::BasicBlock::Create(b.getContext(), "then", function);
  auto *otherwise = llvm::BasicBlock::Create(b.getContext(), "else", function);
  auto *after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, then, otherwise);
  b.SetInsertPoint(then);
  Value *first = yes();
  b.CreateBr(after);
  b.SetInsertPoint(otherwise);
  Value *second = no();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  llvm::PHINode *chosen = b.CreatePHI(first->getType(), 2);
  chosen->addIncoming(first, then);
  chosen->addIncoming(second, otherwise);
  return chosen;
}

Value *TileEmitter::lanesInside(mlir::Operation *access,
                                mlir::ValueRange subscripts,
                                te::TeTensorType type, unsigned width,
                                unsigned r, unsigned c) {
  auto watched = plan.watchOf.find(access);
  Value *inside = b.CreateVectorSplat(width, b.getTrue());
  for (auto [dim, index] : llvm::enumerate(subscripts)) {
    Value *subscript = widened(get(index, r, c).value, width);
    Value *extent = extentValue(b, func, frame, type.getShape()[dim]);
    // Unsigned: below 0 is far above the extent.
    Value *within = b.CreateICmpULT(subscript, widened(extent, width));
    inside = b.CreateAnd(inside, within);
    if (watched == plan.watchOf.end())
      continue;
    Value *outside = b.CreateNot(within);
    if (!domain.items.empty()) {
      // An access that no lane walks stands for every lane that takes part.
      Value *takesPart = itemOf(domain, r, c).value;
      if (takesPart->getType()->isVectorTy() && width == 1)
        takesPart = b.CreateOrReduce(takesPart);
      outside = b.CreateAnd(outside, widened(takesPart, width));
    }
    emitIf(b.CreateOrReduce(outside), [&, dim = dim] {
      llvm::StoreInst *store = b.CreateAlignedStore(
          b.getInt64(watched->second + dim + 1), frame.watch, llvm::Align(8));
      store->setAtomic(llvm::AtomicOrdering::Monotonic);
    });
  }
  return inside;
}

mlir::ValueRange TileEmitter::targetOf(te::YieldOp yield) {
  if (yield.getAt().empty())
    return plan.op->getRegion(0).getArguments();
  return yield.getAt();
}

Value *TileEmitter::lanesStored(te::YieldOp yield, unsigned r, unsigned c) {
  unsigned width = plan.info.columnDim < 0 ? 1 : plan.width;
  Value *lanes = mask;
  auto restrict = [&](Value *more) {
    more = widened(more, width);
    lanes = lanes ? b.CreateAnd(lanes, more) : more;
  };
  if (!domain.items.empty())
    restrict(itemOf(domain, r, c).value);
  if (plan.watchOf.contains(yield)) {
    auto type = mlir::cast<te::TeTensorType>(plan.op->getResult(0).getType());
    restrict(lanesInside(yield, targetOf(yield), type, width, r, c));
  }
  return lanes;
}

void TileEmitter::storeValue(te::YieldOp yield, const TensorView &view,
                             Value *stored, Value *lanes, unsigned r,
                             unsigned c) {
  llvm::Type *element = stored->getType()->getScalarType();
  llvm::Align align(element->getScalarSizeInBits() / 8);
  bool scalar = plan.info.columnDim < 0;
  bool neighbours = !scalar && plan.walksNeighbours(targetOf(yield));
  Value *offset = b.getInt64(0);
  for (auto [dim, index] : llvm::enumerate(targetOf(yield))) {
    Value *subscript = get(index, r, c).value;
    bool isLast = dim + 1 == view.strides.size();
    if (neighbours && isLast) {
      // Neighbours in a dimension of stride 1, from the first lane on.
      Value *first = mlir::isa<mlir::BlockArgument>(index)
                         ? firstColumn(c)
                         : b.CreateExtractElement(subscript, uint64_t(0));
      offset = b.CreateAdd(offset, first);
      continue;
    }
    Value *stride = view.strides[dim];
    if (!scalar && !neighbours) {
      subscript = widened(subscript, plan.width);
      stride = widened(stride, plan.width);
      offset = widened(offset, plan.width);
    }
    offset = b.CreateAdd(offset, b.CreateMul(subscript, stride));
  }
  Value *address = b.CreateGEP(element, view.data, offset);
  if (scalar && lanes)
    emitIf(b.CreateExtractElement(lanes, uint64_t(0)),
           [&] { b.CreateAlignedStore(stored, address, align); });
  else if (!scalar && !neighbours)
    b.CreateMaskedScatter(stored, address, align,
                          lanes ? lanes
                                : b.CreateVectorSplat(plan.width, b.getTrue()));
  else if (lanes)
    b.CreateMaskedStore(stored, address, align, lanes);
  else
    b.CreateAlignedStore(stored, address, align);
}

void TileEmitter::storeResult(te::YieldOp yield) {
  const TensorInfo &tensor = program.tensors[plan.info.result];
  for (unsigned r = 0; r < place.rows; ++r)
    for (unsigned c = 0; c < place.columns; ++c) {
      Tracked result = get(yield.getValue(), r, c);
      if (plan.info.columnDim >= 0)
        result = scalars.splat(result, plan.width);
      Value *lanes = lanesStored(yield, r, c);
      storeValue(yield, frame.result.values,
                 floats.pack(tensor.type, result.value), lanes, r, c);
      if (!bounds || !tensor.inexact)
        continue;
      if (result.error && !artifact::isFloat(tensor.type))
        result.error = scalars.errorOf(result.error);
      if (!result.error)
        result.error = llvm::ConstantFP::get(
            result.value->getType()->getWithNewType(b.getDoubleTy()), 0.0);
      storeValue(yield, frame.result.errors, result.error, lanes, r, c);
    }
}
