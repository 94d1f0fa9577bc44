//===- ContractTile.cpp - a tile of a matrix product ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/KernelEmitter.h"

#include <algorithm>

using namespace girih;
using namespace girih::tilegen;
using layout::Layout;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;
using poly::Access;
using poly::Affine;

tile::Leaf girih::tilegen::tileLeaf(te::Leaf leaf) {
  switch (leaf) {
  case te::Leaf::Plain:
    return tile::Leaf::Plain;
  case te::Leaf::MulAdd:
    return tile::Leaf::MulAdd;
  case te::Leaf::Fma:
    return tile::Leaf::Fma;
  }
  return tile::Leaf::Plain;
}

/// The box of one staged operand: one array dimension, one statement dim.
FailureOr<KernelEmitter::StagedPart>
KernelEmitter::stagedPart(const Site &site, const poly::StageMark &mark,
                          unsigned operand) {
  StagedPart part;
  part.access = site.model.accesses[operand];
  const Access &access = site.model.accesses[operand];
  const unsigned rank = site.box.rank(), k = rank - 1;
  if (mark.array != access.array)
    return fail("stages of '" + site.model.name +
                "' are not in the order of its factors");
  FailureOr<Layout> copy =
      markLayout(mark.layout, mark.shape,
                 "stage of '" + context.scop.arrays[mark.array].name + "'");
  if (failed(copy))
    return failure();
  part.copy = *copy;
  std::vector<int> dimOf;
  for (unsigned a = 0; a < access.subscripts.size(); ++a) {
    const Affine &subscript = access.subscripts[a];
    int dim = -1;
    for (unsigned d = 0; d < rank; ++d)
      if (subscript.dimCoefficient(d) == 1)
        dim = d;
    dimOf.push_back(dim);
    part.box.shape.push_back(mark.shape[a]);
    Affine moved = Affine::dim(a);
    moved.constant = subscript.constant;
    moved.params = subscript.params;
    part.access.subscripts[a] = moved;
    part.box.corners.push_back(dim < 0 ? index.constant(0)
                                       : site.box.corners[dim]);
    part.box.cornerMultiple.push_back(dim < 0 ? 0
                                              : site.box.cornerMultiple[dim]);
    if (dim == int(k))
      part.kAxis = a;
    else if (mark.shape[a] > 1)
      part.freeAxis = a;
  }
  if (part.kAxis < 0)
    return fail("a staged operand does not depend on the reduced index");
  // Rows or columns of one: any axis that is not k.
  unsigned free = operand == 0 ? rank - 3 : rank - 2;
  for (unsigned a = 0; a < dimOf.size(); ++a)
    if (dimOf[a] == int(free))
      part.freeAxis = a;
  if (part.freeAxis < 0)
    return fail("a staged operand depends on the reduced index alone");
  if (access.subscripts.size() != 2)
    return fail("a staged operand of rank " +
                std::to_string(access.subscripts.size()) +
                " is not supported yet");
  for (const Affine &constraint : site.valid.constraints) {
    Affine moved = Affine::of(constraint.constant);
    moved.params = constraint.params;
    bool mentionsOthers = false;
    for (unsigned d = 0; d < rank; ++d) {
      int64_t factor = constraint.dimCoefficient(d);
      if (factor == 0)
        continue;
      auto place = std::find(dimOf.begin(), dimOf.end(), int(d));
      if (place == dimOf.end())
        mentionsOthers = true;
      else
        moved = moved + Affine::dim(place - dimOf.begin(), factor);
    }
    if (!mentionsOthers)
      part.reader.constraints.push_back(moved);
  }
  part.reader.name = site.model.name;
  return part;
}

/// Both operands are read before anything is done with either, so that neither
/// waits for the other.
FailureOr<std::vector<Value>>
KernelEmitter::readStages(const Site &site,
                          const std::vector<const poly::Node *> &stages) {
  te::ReduceOp reduce = site.info.reduce;
  Value yielded =
      mlir::cast<te::YieldOp>(reduce.getBlock().getTerminator()).getValue();
  if (stages.size() != 2 || site.box.rank() < 3 ||
      !yielded.getDefiningOp<te::BinaryOp>() ||
      reduce.getLeaf() == te::Leaf::Plain)
    return fail("'" + site.model.name +
                "' is staged but is no product of two staged operands");
  std::vector<Value> loaded;
  for (unsigned operand = 0; operand < 2; ++operand) {
    FailureOr<StagedPart> part =
        stagedPart(site, stages[operand]->stage, operand);
    if (failed(part))
      return failure();
    ValidSet valid = validSet(part->reader, part->box, index);
    Site reading{site.statement, part->reader, site.info, site.mark,
                 part->copy,     part->box,    valid};
    FailureOr<Fragment> value = read(reading, part->access, part->copy);
    if (failed(value))
      return failure();
    loaded.push_back(*value);
  }
  return loaded;
}

LogicalResult
KernelEmitter::emitContract(const Site &site,
                            const std::vector<const poly::Node *> &stages) {
  FailureOr<std::vector<Value>> loaded = readStages(site, stages);
  return failed(loaded)
             ? failure()
             : contractLoaded(site, stages, *loaded, [] { return success(); });
}

LogicalResult KernelEmitter::contractLoaded(
    const Site &site, const std::vector<const poly::Node *> &stages,
    const std::vector<Value> &loaded,
    const std::function<LogicalResult()> &beforeContract) {
  te::ReduceOp reduce = site.info.reduce;
  auto product = mlir::cast<te::YieldOp>(reduce.getBlock().getTerminator())
                     .getValue()
                     .getDefiningOp<te::BinaryOp>();
  unsigned k = site.box.rank() - 1;
  unsigned accumulator = site.model.write().array;
  auto held = fragments.find(accumulator);
  if (held == fragments.end())
    return fail("the accumulator of '" + site.model.name +
                "' is not in registers");

  // Bounds of k for the tail: a product of fills must be -0.0 (0 of integers),
  // which leaves every accumulator as it is.
  Value reducedEnd;
  for (const Affine &constraint : site.valid.constraints)
    if (constraint.dimCoefficient(k) == -1) {
      Affine bound = constraint + Affine::dim(k) + Affine::of(1);
      reducedEnd = index.affine(bound, site.box.corners);
    }

  std::vector<Value> buffers, staged;
  for (unsigned operand = 0; operand < 2; ++operand) {
    const poly::StageMark &mark = stages[operand]->stage;
    FailureOr<StagedPart> part = stagedPart(site, mark, operand);
    if (failed(part))
      return failure();
    // The factor's conversions, applied once while copying.
    Value factor = operand == 0 ? product.getLhs() : product.getRhs();
    Value value = loaded[operand];
    std::vector<mlir::Type> casts;
    while (auto cast = factor.getDefiningOp<te::CastOp>()) {
      casts.push_back(cast.getType());
      factor = cast.getValue();
    }
    for (auto type = casts.rbegin(); type != casts.rend(); ++type)
      value = castTo(value, *type);
    if (reducedEnd)
      value = maskAxis(value, part->kAxis, site.box.corners[k], reducedEnd,
                       zeroOf(site.info.elementType,
                              /*negative=*/operand == 0));
    // Shared memory holds [k, free].
    Layout swapped;
    Layout source = tile::layoutOf(value);
    llvm::SmallVector<int64_t> dims(source.rank(), 0);
    swapped.shape = {source.shape[part->kAxis], source.shape[part->freeAxis]};
    auto rename = [&](std::vector<layout::Digit> digits) {
      for (layout::Digit &digit : digits) {
        if (digit.dim == part->kAxis)
          digit.dim = 0;
        else if (digit.dim == part->freeAxis)
          digit.dim = 1;
        else if (digit.dim >= 0)
          digit.dim = -1; // an axis of extent 1
      }
      return digits;
    };
    swapped.registers = rename(source.registers);
    swapped.threads = rename(source.threads);
    dims[part->kAxis] = 0;
    dims[part->freeAxis] = 1;
    staged.push_back(convertTo(value, swapped, dims));
    auto type = tile::SharedType::get(
        builder.getContext(), site.info.elementType, swapped.shape,
        llvm::ArrayRef<int64_t>{swapped.shape[1] + 4, 1});
    buffers.push_back(sharedBuffer(
        context.scop.arrays[mark.array].name + std::to_string(operand), type));
  }
  // Earlier readers of the buffers are done; then all see the new contents.
  tile::BarrierOp::create(builder, loc);
  for (unsigned operand = 0; operand < 2; ++operand)
    tile::StoreSharedOp::create(builder, loc, staged[operand],
                                buffers[operand]);
  tile::BarrierOp::create(builder, loc);
  dirty.clear();
  if (failed(beforeContract()))
    return failure();
  Value before = convertTo(held->second, site.layout, {});
  Value after = tile::ContractOp::create(builder, loc, before.getType(),
                                         tileLeaf(reduce.getLeaf()), buffers[0],
                                         buffers[1], before);
  fragments[accumulator] = after;
  return success();
}

Value KernelEmitter::castTo(Value value, mlir::Type type) {
  Layout layout = tile::layoutOf(value);
  auto map = tile::MapOp::create(builder, loc, fragType(type, layout),
                                 mlir::ValueRange{value}, mlir::ValueRange{},
                                 builder.getDenseI64ArrayAttr({}));
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block &body = map.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  Value element = body.addArgument(
      mlir::cast<tile::FragType>(value.getType()).getElementType(), loc);
  tile::YieldOp::create(
      builder, loc,
      te::CastOp::create(builder, loc, type, element).getResult());
  return map.getResult();
}

/// Buffers are allocated once, at the kernel's start.
Value KernelEmitter::sharedBuffer(const std::string &name,
                                  tile::SharedType type) {
  auto found = sharedBuffers.find(name);
  if (found != sharedBuffers.end() && found->second.getType() == type)
    return found->second;
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Operation *parent = builder.getInsertionBlock()->getParentOp();
  while (!mlir::isa<tile::KernelOp>(parent))
    parent = parent->getParentOp();
  builder.setInsertionPointToStart(
      &mlir::cast<tile::KernelOp>(parent).getBlock());
  Value buffer = tile::AllocSharedOp::create(builder, loc, type,
                                             builder.getStringAttr(name));
  sharedBuffers[name] = buffer;
  return buffer;
}
