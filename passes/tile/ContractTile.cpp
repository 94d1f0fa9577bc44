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

LogicalResult
KernelEmitter::emitContract(const Site &site,
                            const std::vector<const poly::Node *> &stages) {
  te::ReduceOp reduce = site.info.reduce;
  mlir::Block &block = reduce.getBlock();
  Value yielded = mlir::cast<te::YieldOp>(block.getTerminator()).getValue();
  auto product = yielded.getDefiningOp<te::BinaryOp>();
  unsigned rank = site.box.rank(), k = rank - 1;
  if (stages.size() != 2 || rank < 3 || !product ||
      reduce.getLeaf() == te::Leaf::Plain)
    return fail("'" + site.model.name +
                "' is staged but is no product of two staged operands");
  unsigned accumulator = site.model.write().array;
  auto held = fragments.find(accumulator);
  if (held == fragments.end())
    return fail("the accumulator of '" + site.model.name +
                "' is not in registers");

  // Bounds of k for the tail: a product of fills must be -0.0, which leaves
  // every accumulator as it is.
  Value reducedEnd;
  for (const Affine &constraint : site.valid.constraints)
    if (constraint.dimCoefficient(k) == -1) {
      Affine bound = constraint + Affine::dim(k) + Affine::of(1);
      reducedEnd = index.affine(bound, site.box.corners);
    }

  std::vector<Value> buffers, staged;
  for (unsigned operand = 0; operand < 2; ++operand) {
    const Access &access = site.model.accesses[operand];
    const poly::StageMark &mark = stages[operand]->stage;
    if (mark.array != access.array)
      return fail("stages of '" + site.model.name +
                  "' are not in the order of its factors");
    FailureOr<Layout> copy =
        markLayout(mark.layout, mark.shape,
                   "stage of '" + context.scop.arrays[mark.array].name + "'");
    if (failed(copy))
      return failure();
    // The box of the array: one array dimension, one statement dim.
    TileBox box;
    std::vector<Affine> subscripts;
    poly::Statement reader;
    std::vector<int> dimOf;
    int kAxis = -1, freeAxis = -1;
    for (unsigned a = 0; a < access.subscripts.size(); ++a) {
      const Affine &subscript = access.subscripts[a];
      int dim = -1;
      for (unsigned d = 0; d < rank; ++d)
        if (subscript.dimCoefficient(d) == 1)
          dim = d;
      dimOf.push_back(dim);
      box.shape.push_back(mark.shape[a]);
      Affine moved = Affine::dim(a);
      moved.constant = subscript.constant;
      moved.params = subscript.params;
      subscripts.push_back(moved);
      box.corners.push_back(dim < 0 ? index.constant(0)
                                    : site.box.corners[dim]);
      box.cornerMultiple.push_back(dim < 0 ? 0 : site.box.cornerMultiple[dim]);
      if (dim == int(k))
        kAxis = a;
      else if (mark.shape[a] > 1)
        freeAxis = a;
    }
    if (kAxis < 0)
      return fail("a staged operand does not depend on the reduced index");
    // Rows or columns of one: any axis that is not k.
    unsigned free = operand == 0 ? rank - 3 : rank - 2;
    for (unsigned a = 0; a < dimOf.size(); ++a)
      if (dimOf[a] == int(free))
        freeAxis = a;
    if (freeAxis < 0)
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
        reader.constraints.push_back(moved);
    }
    reader.name = site.model.name;
    ValidSet valid = validSet(reader, box, index);
    Site part{site.statement, reader, site.info, site.mark, *copy, box, valid};
    Access moved = access;
    moved.subscripts = subscripts;
    FailureOr<Fragment> loaded = read(part, moved, *copy);
    if (failed(loaded))
      return failure();

    // The factor's conversions, applied once while copying.
    Value factor = operand == 0 ? product.getLhs() : product.getRhs();
    Value value = *loaded;
    std::vector<mlir::Type> casts;
    while (auto cast = factor.getDefiningOp<te::CastOp>()) {
      casts.push_back(cast.getType());
      factor = cast.getValue();
    }
    for (auto type = casts.rbegin(); type != casts.rend(); ++type)
      value = castTo(value, *type);
    if (reducedEnd)
      value = maskAxis(value, kAxis, site.box.corners[k], reducedEnd,
                       builder.getFloatAttr(site.info.elementType,
                                            operand == 0 ? -0.0 : 0.0));
    // Shared memory holds [k, free].
    Layout swapped;
    Layout source = tile::layoutOf(value);
    llvm::SmallVector<int64_t> dims(source.rank(), 0);
    swapped.shape = {source.shape[kAxis], source.shape[freeAxis]};
    auto rename = [&](std::vector<layout::Digit> digits) {
      for (layout::Digit &digit : digits) {
        if (digit.dim == kAxis)
          digit.dim = 0;
        else if (digit.dim == freeAxis)
          digit.dim = 1;
        else if (digit.dim >= 0)
          digit.dim = -1; // an axis of extent 1
      }
      return digits;
    };
    swapped.registers = rename(source.registers);
    swapped.threads = rename(source.threads);
    dims[kAxis] = 0;
    dims[freeAxis] = 1;
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
