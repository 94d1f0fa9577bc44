//===- TileEmitter.cpp - the values of one tile ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/TileEmitter.h"

#include "compiler/reference/FoldEmitter.h"
#include "compiler/reference/Signature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace girih;
using namespace girih::reference;
using llvm::Value;

TileEmitter::TileEmitter(llvm::IRBuilder<> &b, FloatOps &floats,
                         ScalarEmitter &scalars, te::FuncOp func,
                         const ComputePlan &plan, const ProgramInfo &program,
                         const KernelFrame &frame, bool bounds, TilePlace where)
    : b(b), floats(floats), scalars(scalars), func(func), plan(plan),
      program(program), frame(frame), bounds(bounds), place(std::move(where)) {
  int columnDim = plan.info.columnDim;
  auto columnsFrom = [&](unsigned c) {
    auto *lanes = llvm::FixedVectorType::get(b.getInt64Ty(), plan.width);
    return b.CreateAdd(b.CreateVectorSplat(plan.width, firstColumn(c)),
                       b.CreateStepVector(lanes));
  };
  if (place.columnEnd)
    mask = b.CreateICmpSLT(columnsFrom(0),
                           b.CreateVectorSplat(plan.width, place.columnEnd));
  for (mlir::BlockArgument index : plan.op->getRegion(0).getArguments()) {
    ValueFacts facts = plan.factsOf(index);
    int dim = index.getArgNumber();
    values[index] = makeBundle(facts, [&](unsigned r, unsigned c) -> Tracked {
      if (dim != columnDim)
        return {b.CreateAdd(place.indices[dim], b.getInt64(r))};
      Value *columns = columnsFrom(c);
      if (!mask)
        return {columns};
      Value *last = b.CreateVectorSplat(
          plan.width, b.CreateSub(place.columnEnd, b.getInt64(1)));
      return {b.CreateSelect(mask, columns, last)};
    });
  }
}

Value *TileEmitter::extentValue(llvm::IRBuilder<> &b, te::FuncOp func,
                                const KernelFrame &frame,
                                mlir::Attribute extent) {
  te::LinearExtent sum = te::linearOf(extent);
  Value *value = b.getInt64(sum.constant);
  for (auto [size, factor] : sum.terms)
    value = b.CreateAdd(value,
                        b.CreateMul(frame.sizes[func.findSize(size.getValue())],
                                    b.getInt64(factor)));
  return value;
}

TileEmitter::Bundle
TileEmitter::makeBundle(ValueFacts facts,
                        llvm::function_ref<Tracked(unsigned, unsigned)> make) {
  Bundle bundle{facts, {}};
  for (unsigned r = 0; r < (facts.row ? place.rows : 1); ++r)
    for (unsigned c = 0; c < (facts.lane ? place.columns : 1); ++c)
      bundle.items.push_back(make(r, c));
  return bundle;
}

Tracked TileEmitter::get(mlir::Value value, unsigned r, unsigned c) {
  auto found = values.find(value);
  if (found == values.end()) {
    // The index of a loop around: as deep as there are loops around that one.
    if (auto index = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      unsigned depth = 0;
      for (mlir::Operation *op = index.getOwner()->getParentOp()->getParentOp();
           mlir::isa<te::ForOp>(op); op = op->getParentOp())
        ++depth;
      return {frame.turns[depth]};
    }
    // A constant or size that stands outside the region.
    mlir::Operation *op = value.getDefiningOp();
    if (auto size = mlir::dyn_cast<te::SizeOp>(op))
      return {frame.sizes[func.findSize(size.getSize())]};
    if (auto index = mlir::dyn_cast<te::IndexConstantOp>(op))
      return {b.getInt64(index.getValue())};
    return scalars.emit(*op, {});
  }
  return itemOf(found->second, r, c);
}

Value *TileEmitter::firstColumn(unsigned c) {
  return b.CreateAdd(place.indices[plan.info.columnDim],
                     b.getInt64(int64_t(c) * plan.width));
}

Value *TileEmitter::laneIndex(unsigned c, unsigned lane) {
  Value *index = b.CreateAdd(firstColumn(c), b.getInt64(lane));
  if (!place.columnEnd)
    return index;
  Value *last = b.CreateSub(place.columnEnd, b.getInt64(1));
  return b.CreateSelect(b.CreateICmpSLT(index, last), index, last);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// One element, one vector of neighbours, or one element for each lane.
Value *TileEmitter::readLanes(te::ReadOp read, const TensorView &view,
                              llvm::Type *element, int contiguousDim,
                              unsigned r, unsigned c) {
  bool plain = !read.getGuarded() && !plan.watchOf.contains(read);
  for (mlir::Value index : read.getIndices())
    plain &= !te::gatherOf(index) && (!plan.factsOf(index).lane ||
                                      mlir::isa<mlir::BlockArgument>(index));
  if (!plain)
    return gatherLanes(read, view, element, contiguousDim, r, c);
  mlir::Block *outer = &plan.op->getRegion(0).front();
  Value *fixed = b.getInt64(0), *moving = b.getInt64(0), *laneStride = nullptr;
  for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
    if (plan.factsOf(index).lane) {
      laneStride = laneStride ? b.CreateAdd(laneStride, view.strides[dim])
                              : view.strides[dim];
      continue;
    }
    Value *term = b.CreateMul(get(index, r, c).value, view.strides[dim]);
    // Indices of the tile apart from those of reductions: the first sum leaves
    // their loops.
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(index);
    bool reduced = argument ? argument.getOwner() != outer
                            : !index.getDefiningOp<te::IndexConstantOp>();
    Value *&sum = reduced ? moving : fixed;
    sum = b.CreateAdd(sum, term);
  }
  auto at = [&](Value *offset) {
    Value *start = b.CreateGEP(element, view.data, offset);
    return b.CreateGEP(element, start, moving);
  };
  llvm::Align align(element->getScalarSizeInBits() / 8);
  if (!laneStride)
    return b.CreateAlignedLoad(element, at(fixed), align);
  auto *vector = llvm::FixedVectorType::get(element, plan.width);
  if (contiguousDim >= 0) {
    Value *start = at(b.CreateAdd(fixed, firstColumn(c)));
    if (mask)
      return b.CreateMaskedLoad(vector, start, align, mask,
                                llvm::Constant::getNullValue(vector));
    return b.CreateAlignedLoad(vector, start, align);
  }
  Value *lanes = llvm::PoisonValue::get(vector);
  for (unsigned lane = 0; lane < plan.width; ++lane) {
    Value *offset =
        b.CreateAdd(fixed, b.CreateMul(laneIndex(c, lane), laneStride));
    lanes = b.CreateInsertElement(
        lanes, b.CreateAlignedLoad(element, at(offset), align), lane);
  }
  return lanes;
}

Value *TileEmitter::gatherLanes(te::ReadOp read, const TensorView &view,
                                llvm::Type *element, int contiguousDim,
                                unsigned r, unsigned c) {
  bool lanes = false;
  for (mlir::Value index : read.getIndices())
    lanes |= plan.factsOf(index).lane;
  // Of one lane where all read the same element.
  unsigned width = lanes ? plan.width : 1;
  auto *wide = llvm::FixedVectorType::get(b.getInt64Ty(), width);
  Value *offset = llvm::Constant::getNullValue(wide);
  for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
    Value *subscript = widened(get(index, r, c).value, width);
    offset = b.CreateAdd(
        offset, b.CreateMul(subscript, widened(view.strides[dim], width)));
  }
  llvm::Align align(element->getScalarSizeInBits() / 8);
  auto *type = llvm::FixedVectorType::get(element, width);
  Value *inside = b.CreateVectorSplat(width, b.getTrue());
  auto gather = [&] {
    Value *pointers = b.CreateGEP(element, view.data, offset);
    return b.CreateMaskedGather(type, pointers, align, inside,
                                llvm::Constant::getNullValue(type));
  };
  auto load = [&]() -> Value * {
    Value *first = b.CreateExtractElement(offset, uint64_t(0));
    return b.CreateAlignedLoad(type, b.CreateGEP(element, view.data, first),
                               align);
  };
  bool neighbours = lanes && contiguousDim >= 0 && !mask;
  // What data say may be wrong, whatever was promised.
  bool isData = llvm::any_of(read.getIndices(), [](mlir::Value index) {
    return index.getDefiningOp<te::ToIndexOp>() != nullptr;
  });
  if (!read.getGuarded() && !plan.watchOf.contains(read) && !isData)
    return neighbours ? load()
           : lanes    ? gather()
                      : b.CreateExtractElement(gather(), uint64_t(0));
  inside = lanesInside(read, read.getIndices(), read.getTensor().getType(),
                       width, r, c);
  if (!neighbours)
    return lanes ? gather() : b.CreateExtractElement(gather(), uint64_t(0));
  return emitChoice(b.CreateAndReduce(inside), load, gather);
}

void TileEmitter::emitAffine(te::AffineOp affine) {
  values[affine.getResult()] = makeBundle(
      plan.factsOf(affine.getResult()), [&](unsigned r, unsigned c) -> Tracked {
        Value *sum = extentValue(b, func, frame, affine.getOffset());
        for (auto [operand, factor] :
             llvm::zip(affine.getIndices(), affine.getCoefficients())) {
          Value *index = get(operand, r, c).value;
          auto *times = llvm::ConstantInt::get(index->getType(), factor);
          Value *term = b.CreateMul(index, times);
          if (term->getType() != sum->getType())
            (term->getType()->isVectorTy() ? sum : term) = b.CreateVectorSplat(
                plan.width, term->getType()->isVectorTy() ? sum : term);
          sum = b.CreateAdd(sum, term);
        }
        return {sum};
      });
}

void TileEmitter::emitBound(te::BoundOp bound) {
  values[bound.getResult()] = makeBundle(
      plan.factsOf(bound.getResult()), [&](unsigned r, unsigned c) -> Tracked {
        Value *value = get(bound.getValue(), r, c).value;
        // Where a te.where leaves nothing, the extent may be 0.
        Value *extent = b.CreateBinaryIntrinsic(
            llvm::Intrinsic::smax,
            extentValue(b, func, frame, bound.getExtent()), b.getInt64(1));
        if (value->getType()->isVectorTy())
          extent = b.CreateVectorSplat(plan.width, extent);
        auto *zero = llvm::Constant::getNullValue(value->getType());
        auto *one = llvm::ConstantInt::get(value->getType(), 1);
        auto modulo = [&](Value *dividend, Value *period) {
          Value *rest = b.CreateSRem(dividend, period);
          return b.CreateSelect(b.CreateICmpSLT(rest, zero),
                                b.CreateAdd(rest, period), rest);
        };
        Value *last = b.CreateSub(extent, one);
        switch (bound.getRule()) {
        case te::BoundRule::Clamp:
          value = b.CreateSelect(b.CreateICmpSGT(value, last), last, value);
          return {b.CreateSelect(b.CreateICmpSLT(value, zero), zero, value)};
        case te::BoundRule::Wrap:
          return {modulo(value, extent)};
        case te::BoundRule::Reflect:
          break;
        }
        // Walk up to the last element and back again, as often as needed.
        Value *period = b.CreateAdd(last, last);
        Value *single = b.CreateICmpEQ(last, zero);
        Value *place = modulo(value, b.CreateSelect(single, one, period));
        Value *back = b.CreateSub(period, place);
        return {b.CreateSelect(b.CreateICmpSGT(place, last),
                               b.CreateSelect(single, zero, back), place)};
      });
}

/// The error of a value that was read, at a place that may be another.
Value *TileEmitter::placeError(te::ReadOp read, Tracked value, unsigned r,
                               unsigned c) {
  Value *error = value.error;
  for (mlir::Value index : read.getIndices()) {
    Value *flag = get(index, r, c).error;
    if (!flag)
      continue;
    Value *doubt = scalars.errorOf(flag);
    auto *wide = llvm::dyn_cast<llvm::FixedVectorType>(value.value->getType());
    if (wide && !doubt->getType()->isVectorTy())
      doubt = b.CreateVectorSplat(wide->getNumElements(), doubt);
    error = error ? b.CreateFAdd(error, doubt) : doubt;
  }
  return error;
}

void TileEmitter::emitRead(te::ReadOp read) {
  unsigned number = plan.operandOf.lookup(read);
  const OperandInfo &operand = plan.info.operands[number];
  const TensorInfo &tensor = program.tensors[operand.tensor];
  const OperandView &view = frame.operands[number];
  values[read.getResult()] =
      makeBundle(plan.factsOf(read.getResult()), [&](unsigned r, unsigned c) {
        Tracked result;
        result.value =
            floats.unpack(tensor.type, readLanes(read, view.values,
                                                 floats.memory(tensor.type),
                                                 operand.contiguousDim, r, c));
        if (bounds && tensor.inexact)
          result.error = readLanes(read, view.errors, b.getDoubleTy(),
                                   operand.contiguousDim, r, c);
        result.error = placeError(read, result, r, c);
        // Integers and booleans are certain or not.
        if (!artifact::isFloat(tensor.type))
          result.error = scalars.flagOf(result.error);
        return result;
      });
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

llvm::SmallVector<Tracked> TileEmitter::step(te::ReduceOp reduce,
                                             const ValueFacts &facts,
                                             llvm::ArrayRef<Value *> indices,
                                             llvm::ArrayRef<Tracked> chains) {
  artifact::ScalarType type = scalarTypeOf(reduce.getType());
  mlir::Block &block = reduce.getBlock();
  mlir::Value body = mlir::cast<te::YieldOp>(block.getTerminator()).getValue();

  // A leaf fma takes the factors of the product that the body ends in; the
  // product itself is rounded only where something else uses it.
  auto product = body.getDefiningOp<te::BinaryOp>();
  bool fused = reduce.getLeaf() == te::Leaf::Fma;
  mlir::Operation *skipped =
      fused && body.hasOneUse() ? product.getOperation() : nullptr;

  for (auto [argument, index] : llvm::zip(block.getArguments(), indices))
    values[argument] = Bundle{{}, {Tracked{index}}};
  Bundle around = domain, cut = domainOf(block);
  domain = both(around, cut);
  emitBlock(block, skipped);
  domain = std::move(around);
  unsigned next = 0;
  Bundle sums = makeBundle(facts, [&](unsigned r, unsigned c) {
    Tracked chain = chains[next++];
    // muladd is the plain form: the body is already a rounded product.
    Tracked sum =
        fused ? scalars.fma(type, get(product.getLhs(), r, c),
                            get(product.getRhs(), r, c), chain)
              : scalars.combine(reduce.getKind(), type, chain, get(body, r, c));
    if (cut.items.empty())
      return sum;
    return scalars.choose(itemOf(cut, r, c).value, sum, chain);
  });
  return std::move(sums.items);
}

Tracked TileEmitter::addElement(te::ReduceOp reduce,
                                llvm::ArrayRef<Value *> indices,
                                Tracked chain) {
  return step(reduce, plan.factsOf(reduce.getResult()), indices, chain)[0];
}

void TileEmitter::emitReduction(te::ReduceOp reduce) {
  using Type = artifact::ScalarType;
  Type type = scalarTypeOf(reduce.getType());
  ValueFacts facts = plan.factsOf(reduce.getResult());
  unsigned number = plan.reductionOf.lookup(reduce);

  Bundle start = makeBundle(facts, [&](unsigned r, unsigned c) {
    Tracked chain = reduce.getFrom() ? get(reduce.getFrom(), r, c)
                                     : scalars.identity(reduce.getKind(), type);
    if (facts.inexact && bounds && !chain.error)
      chain.error = llvm::Constant::getNullValue(
          artifact::isFloat(type) ? b.getDoubleTy() : b.getInt1Ty());
    return facts.lane ? scalars.splat(chain, plan.width) : chain;
  });

  Elements elements;
  for (mlir::Attribute extent : reduce.getExtents())
    elements.extents.push_back(b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, extentValue(b, func, frame, extent),
        b.getInt64(0)));
  elements.step = [&](llvm::ArrayRef<Value *> indices, Chains chains) {
    return Chains(step(reduce, facts, indices, chains));
  };

  Value *count = b.getInt64(1);
  for (Value *extent : elements.extents)
    count = b.CreateMul(count, extent);
  FoldEmitter folder(b, scalars, reduce.getKind(), type, Chains(start.items));
  values[reduce.getResult()] =
      Bundle{facts, folder.fold(plan.terms[number], b.getInt64(0), count,
                                elements, frame.scratch[number])};
}

void TileEmitter::emitOp(mlir::Operation &op) {
  if (auto read = mlir::dyn_cast<te::ReadOp>(op))
    return emitRead(read);
  if (auto reduce = mlir::dyn_cast<te::ReduceOp>(op))
    return emitReduction(reduce);
  if (auto size = mlir::dyn_cast<te::SizeOp>(op)) {
    values[size.getResult()] =
        Bundle{{}, {Tracked{frame.sizes[func.findSize(size.getSize())]}}};
    return;
  }
  if (auto affine = mlir::dyn_cast<te::AffineOp>(op))
    return emitAffine(affine);
  if (auto bound = mlir::dyn_cast<te::BoundOp>(op))
    return emitBound(bound);
  if (auto index = mlir::dyn_cast<te::ToIndexOp>(op))
    return emitToIndex(index);
  if (auto index = mlir::dyn_cast<te::IndexConstantOp>(op)) {
    values[index.getResult()] =
        Bundle{{}, {Tracked{b.getInt64(index.getValue())}}};
    return;
  }
  mlir::Value result = op.getResult(0);
  values[result] =
      makeBundle(plan.factsOf(result), [&](unsigned r, unsigned c) {
        llvm::SmallVector<Tracked, 3> operands;
        for (mlir::Value operand : op.getOperands())
          operands.push_back(get(operand, r, c));
        return scalars.emit(op, operands);
      });
}

void TileEmitter::emitBlock(mlir::Block &block, mlir::Operation *skipped) {
  for (mlir::Operation &op : block.without_terminator())
    if (&op != skipped && !mlir::isa<te::WhereOp>(op))
      emitOp(op);
}

void TileEmitter::run() {
  mlir::Block &block = plan.op->getRegion(0).front();
  auto emit = [&] {
    emitBlock(block);
    if (auto put = mlir::dyn_cast<te::PutOp>(block.getTerminator()))
      return emitPut(put);
    storeResult(mlir::cast<te::YieldOp>(block.getTerminator()));
  };
  domain = domainOf(block);
  if (domain.items.empty())
    return emit();
  // A tile outside is skipped; one that lies partly inside is computed whole
  // and stored in part.
  Value *any = b.getFalse();
  for (Tracked item : domain.items)
    any = b.CreateOr(any, item.value->getType()->isVectorTy()
                              ? b.CreateOrReduce(item.value)
                              : item.value);
  emitIf(any, emit);
}
