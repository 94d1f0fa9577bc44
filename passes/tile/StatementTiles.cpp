//===- StatementTiles.cpp - each kind of statement as tile ops ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

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

tile::FragType KernelEmitter::fragType(mlir::Type element,
                                       const Layout &layout) {
  return tile::FragType::get(builder.getContext(), element,
                             layout::print(layout));
}

/// Identity dims: source dimension i is result dimension i.
KernelEmitter::Fragment KernelEmitter::convertTo(Fragment value,
                                                 const Layout &layout,
                                                 llvm::ArrayRef<int64_t> dims) {
  Layout source = tile::layoutOf(value);
  llvm::SmallVector<int64_t> all(dims);
  if (dims.empty())
    for (unsigned d = 0; d < source.rank(); ++d)
      all.push_back(d);
  bool isIdentity = all.size() == layout.rank();
  for (size_t d = 0; d < all.size(); ++d)
    isIdentity &= all[d] == int64_t(d);
  if (isIdentity && source == layout)
    return value;
  auto element = mlir::cast<tile::FragType>(value.getType()).getElementType();
  return tile::ConvertOp::create(builder, loc, fragType(element, layout), value,
                                 all);
}

mlir::TypedAttr KernelEmitter::identityOf(te::ReduceKind kind,
                                          mlir::Type type) {
  if (!mlir::isa<mlir::FloatType>(type)) {
    // max starts at the smallest value, min at the largest; of booleans those
    // are false and true.
    unsigned width = type.getIntOrFloatBitWidth();
    bool isUnsigned = type.isUnsignedInteger() || width == 1;
    llvm::APInt value(width, kind == te::ReduceKind::Prod);
    if (kind == te::ReduceKind::Max && !isUnsigned)
      value = llvm::APInt::getSignedMinValue(width);
    if (kind == te::ReduceKind::Min)
      value = isUnsigned ? llvm::APInt::getMaxValue(width)
                         : llvm::APInt::getSignedMaxValue(width);
    return builder.getIntegerAttr(type, value);
  }
  double value = 0;
  if (kind == te::ReduceKind::Prod)
    value = 1;
  if (kind == te::ReduceKind::Max)
    value = -std::numeric_limits<double>::infinity();
  if (kind == te::ReduceKind::Min)
    value = std::numeric_limits<double>::infinity();
  return builder.getFloatAttr(type, value);
}

mlir::TypedAttr KernelEmitter::zeroOf(mlir::Type type, bool negative) {
  if (!mlir::isa<mlir::FloatType>(type))
    return builder.getIntegerAttr(type, 0);
  return builder.getFloatAttr(type, negative ? -0.0 : 0.0);
}

static tile::Combine combineOf(te::ReduceKind kind) {
  switch (kind) {
  case te::ReduceKind::Sum:
    return tile::Combine::Sum;
  case te::ReduceKind::Prod:
    return tile::Combine::Prod;
  case te::ReduceKind::Max:
    return tile::Combine::Max;
  case te::ReduceKind::Min:
    return tile::Combine::Min;
  }
  return tile::Combine::Sum;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Ops of `block` that `value` depends on, in order.
static llvm::SetVector<mlir::Operation *> sliceOf(Value value,
                                                  mlir::Block &block) {
  llvm::DenseSet<mlir::Operation *> needed;
  std::vector<Value> work{value};
  while (!work.empty()) {
    mlir::Operation *op = work.back().getDefiningOp();
    work.pop_back();
    if (!op || op->getBlock() != &block || !needed.insert(op).second)
      continue;
    if (mlir::isa<te::ReadOp>(op))
      continue; // its subscripts are part of the access
    for (Value operand : op->getOperands())
      work.push_back(operand);
  }
  llvm::SetVector<mlir::Operation *> ordered;
  for (mlir::Operation &op : block)
    if (needed.contains(&op))
      ordered.insert(&op);
  return ordered;
}

FailureOr<KernelEmitter::Fragment>
KernelEmitter::mapBody(const Site &site, Value yielded, mlir::Block &teBlock,
                       const Layout &layout,
                       const std::vector<Value> &teIndices) {
  llvm::SetVector<mlir::Operation *> ops = sliceOf(yielded, teBlock);
  // Accesses stand in the order of the block's te.read ops.
  std::map<mlir::Operation *, unsigned> accessOf;
  unsigned position = 0;
  for (mlir::Operation &op : teBlock)
    if (mlir::isa<te::ReadOp>(op))
      accessOf[&op] = position++;

  std::vector<Value> inputs;
  std::vector<std::pair<mlir::Operation *, unsigned>> inputOf;
  std::map<unsigned, unsigned> inputOfAccess;
  llvm::SetVector<Value> usedIndices; // and sums of them
  auto isPlain = [](te::ReadOp read) {
    return !read.getGuarded() &&
           llvm::none_of(read.getIndices(), [](Value subscript) {
             return te::isComputed(subscript);
           });
  };
  for (mlir::Operation *op : ops) {
    if (mlir::isa<te::ReadOp>(op)) {
      unsigned number = accessOf[op];
      // The same element read twice is loaded once.
      auto source = mlir::cast<te::ReadOp>(op);
      bool shares = isPlain(source);
      for (auto [earlier, input] : inputOfAccess)
        if (shares &&
            site.model.accesses[earlier] == site.model.accesses[number]) {
          inputOf.push_back({op, input});
          number = earlier;
          break;
        }
      if (inputOf.empty() || inputOf.back().first != op) {
        FailureOr<Fragment> value =
            read(site, site.model.accesses[number], layout, source);
        if (failed(value))
          return failure();
        if (shares)
          inputOfAccess[number] = inputs.size();
        inputOf.push_back({op, unsigned(inputs.size())});
        inputs.push_back(*value);
      }
      continue;
    }
    if (mlir::isa<te::AffineOp>(op)) {
      usedIndices.insert(op->getResult(0));
      continue;
    }
    for (Value operand : op->getOperands())
      if (llvm::is_contained(teIndices, operand))
        usedIndices.insert(operand);
  }
  // A body that is one read needs no map.
  if (ops.size() == 1 && inputs.size() == 1)
    return inputs[0];

  std::vector<Value> bases;
  std::vector<int64_t> coefficients;
  for (Value which : usedIndices) {
    Affine expression = affineOf(site, which);
    bases.push_back(index.affine(expression, site.box.corners));
    for (unsigned d = 0; d < site.box.rank(); ++d)
      coefficients.push_back(expression.dimCoefficient(d));
  }
  auto map = tile::MapOp::create(
      builder, loc, fragType(yielded.getType(), layout), inputs, bases,
      builder.getDenseI64ArrayAttr(coefficients));
  mlir::Block &body = map.getBody().emplaceBlock();
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&body);
  std::vector<Value> arguments;
  for (Value input : inputs)
    arguments.push_back(body.addArgument(
        mlir::cast<tile::FragType>(input.getType()).getElementType(), loc));
  mlir::IRMapping mapping;
  for (Value which : usedIndices)
    mapping.map(which, body.addArgument(builder.getIndexType(), loc));
  for (auto [op, input] : inputOf)
    mapping.map(op->getResult(0), arguments[input]);
  for (mlir::Operation *op : ops) {
    if (mlir::isa<te::ReadOp, te::AffineOp>(op))
      continue;
    if (auto constant = mlir::dyn_cast<te::IndexConstantOp>(op)) {
      mapping.map(op->getResult(0), index.constant(constant.getValue()));
    } else if (auto size = mlir::dyn_cast<te::SizeOp>(op)) {
      int number = context.func.findSize(size.getSize());
      int64_t given = context.func.getGiven()[number];
      Value value;
      for (unsigned p = 0; p < context.sizeOf.size(); ++p)
        if (context.sizeOf[p] == unsigned(number))
          value = index.params[p];
      mapping.map(op->getResult(0), given >= 0 ? index.constant(given) : value);
    } else {
      builder.clone(*op, mapping);
    }
  }
  tile::YieldOp::create(builder, loc, mapping.lookup(yielded));
  return Fragment(map.getResult());
}

std::vector<Value> KernelEmitter::indicesOf(const scop::StatementInfo &info) {
  std::vector<Value> indices;
  for (auto loop =
           info.outerBlock().getParentOp()->getParentOfType<te::ForOp>();
       loop; loop = loop->getParentOfType<te::ForOp>())
    indices.push_back(loop.getIndex());
  for (mlir::BlockArgument argument : info.outerBlock().getArguments())
    indices.push_back(argument);
  if (te::ReduceOp reduce = info.reduce)
    for (mlir::BlockArgument argument : reduce.getBlock().getArguments())
      indices.push_back(argument);
  return indices;
}

LogicalResult KernelEmitter::emitMap(const Site &site) {
  te::ComputeOp compute = site.info.compute;
  auto yield = mlir::cast<te::YieldOp>(compute.getBlock().getTerminator());
  FailureOr<Fragment> value =
      mapBody(site, yield.getValue(), compute.getBlock(), site.layout,
              indicesOf(site.info));
  if (failed(value))
    return failure();
  return write(site, site.model.write(), *value);
}

LogicalResult KernelEmitter::emitInit(const Site &site) {
  te::ReduceOp reduce = site.info.reduce;
  if (site.model.accesses.size() > 1) {
    // A chain that goes on from an element.
    FailureOr<Fragment> element =
        read(site, site.model.accesses.front(), site.layout, reduce.getStart());
    return failed(element) ? failure()
                           : write(site, site.model.write(), *element);
  }
  Fragment value = tile::FillOp::create(
      builder, loc, fragType(site.info.elementType, site.layout),
      identityOf(reduce.getKind(), site.info.elementType));
  return write(site, site.model.write(), value);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitUpdate(const Site &site) {
  te::ReduceOp reduce = site.info.reduce;
  unsigned accumulator = site.model.write().array;
  unsigned kept =
      site.model.loops.size() + site.model.write().subscripts.size();
  auto held = fragments.find(accumulator);
  if (held == fragments.end())
    return fail("the accumulator of '" + site.model.name +
                "' is not in registers");

  std::vector<Value> values;
  tile::Leaf leaf = tile::Leaf::Plain;
  if (site.info.level > 1) {
    FailureOr<Fragment> value =
        read(site, site.model.accesses.front(), site.layout);
    if (failed(value))
      return failure();
    values.push_back(*value);
  } else {
    mlir::Block &block = reduce.getBlock();
    Value yielded = mlir::cast<te::YieldOp>(block.getTerminator()).getValue();
    std::vector<Value> parts{yielded};
    leaf = tileLeaf(reduce.getLeaf());
    if (leaf != tile::Leaf::Plain) {
      auto product = yielded.getDefiningOp<te::BinaryOp>();
      parts = {product.getLhs(), product.getRhs()};
    }
    for (Value part : parts) {
      // A square: one value, loaded and computed once.
      if (!values.empty() && part == parts[0]) {
        values.push_back(values[0]);
        continue;
      }
      FailureOr<Fragment> value =
          mapBody(site, part, block, site.layout, indicesOf(site.info));
      if (failed(value))
        return failure();
      values.push_back(*value);
    }
  }
  Layout cells = site.layout;
  while (cells.rank() > kept)
    cells = cells.slice(cells.rank() - 1);
  Value before = convertTo(held->second, cells, {});
  Value after = tile::ReduceOp::create(
      builder, loc, fragType(site.info.elementType, cells),
      combineOf(reduce.getKind()), leaf, kept, values, before, site.valid.bases,
      builder.getDenseI64ArrayAttr(site.valid.coefficients));
  return write(site, site.model.write(), after);
}

KernelEmitter::Fragment KernelEmitter::maskAxis(Fragment value, unsigned axis,
                                                Value base, Value bound,
                                                mlir::TypedAttr fill) {
  Layout layout = tile::layoutOf(value);
  std::vector<int64_t> coefficients(layout.rank(), 0);
  coefficients[axis] = 1;
  auto map = tile::MapOp::create(
      builder, loc, value.getType(), mlir::ValueRange{value},
      mlir::ValueRange{base}, builder.getDenseI64ArrayAttr(coefficients));
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block &body = map.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  Value element = body.addArgument(fill.getType(), loc);
  Value coordinate = body.addArgument(builder.getIndexType(), loc);
  Value inside = te::CompareOp::create(builder, loc, builder.getI1Type(),
                                       te::CompareKind::Lt, coordinate, bound);
  Value constant = te::ConstantOp::create(builder, loc, fill);
  Value chosen = te::SelectOp::create(builder, loc, inside, element, constant);
  tile::YieldOp::create(builder, loc, chosen);
  return map.getResult();
}

/// Cells are merged where they are; a pairwise merge reads the partial results
/// of its segments first.
LogicalResult KernelEmitter::emitMerge(const Site &site) {
  te::ReduceOp reduce = site.info.reduce;
  const Access &source = site.model.accesses.front();
  mlir::Type element = site.info.elementType;
  if (source.wholeFrom < 0) {
    FailureOr<Fragment> value = read(site, source, site.layout);
    return failed(value) ? failure() : write(site, site.model.write(), *value);
  }
  Value cells;
  auto held = fragments.find(source.array);
  if (held != fragments.end()) {
    cells = held->second;
    if (site.info.padded && mlir::isa<mlir::FloatType>(element)) {
      // Only -0.0 notices: the first empty lane's identity reaches every cell
      // before the merge.
      auto map = tile::MapOp::create(
          builder, loc, cells.getType(), mlir::ValueRange{cells},
          mlir::ValueRange{}, builder.getDenseI64ArrayAttr({}));
      mlir::OpBuilder::InsertionGuard guard(builder);
      mlir::Block &body = map.getBody().emplaceBlock();
      builder.setInsertionPointToEnd(&body);
      Value cell = body.addArgument(element, loc);
      Value identity = te::ConstantOp::create(
          builder, loc, identityOf(reduce.getKind(), element));
      te::BinaryKind kind = te::BinaryKind::Add;
      if (reduce.getKind() == te::ReduceKind::Prod)
        kind = te::BinaryKind::Mul;
      if (reduce.getKind() == te::ReduceKind::Max)
        kind = te::BinaryKind::Max;
      if (reduce.getKind() == te::ReduceKind::Min)
        kind = te::BinaryKind::Min;
      Value sum =
          te::BinaryOp::create(builder, loc, element, kind, cell, identity);
      tile::YieldOp::create(builder, loc, sum);
      cells = map.getResult();
    }
  } else {
    FailureOr<Fragment> partial = readCells(site, source);
    if (failed(partial))
      return failure();
    cells = *partial;
  }
  Layout sliced = tile::layoutOf(cells);
  sliced = sliced.slice(sliced.rank() - 1);
  tile::MergeOrder order = site.info.mergeOrder == scop::MergeOrder::Halving
                               ? tile::MergeOrder::Halving
                               : tile::MergeOrder::Pairwise;
  Value merged =
      tile::MergeOp::create(builder, loc, fragType(element, sliced),
                            combineOf(reduce.getKind()), order, cells);
  return write(site, site.model.write(), merged);
}

/// All cells of a partial array for the site's values, padded to a power of two
/// with the value that changes nothing: -0.0 for sums of floats (x + -0.0 is x
/// for every x).
FailureOr<KernelEmitter::Fragment>
KernelEmitter::readCells(const Site &site, const Access &source) {
  const poly::Array &model = context.scop.arrays[source.array];
  int64_t count = model.extents.back().constant;
  int64_t padded = 1;
  while (padded < count)
    padded *= 2;
  // One more axis, over the threads that hold copies of the site's value.
  Layout layout = site.layout;
  unsigned axis = layout.rank();
  layout.shape.push_back(padded);
  int64_t stride = 1, left = padded;
  for (layout::Digit &digit : layout.threads)
    if (digit.dim < 0 && left > 1) {
      if (digit.count > left) {
        layout::Digit rest = digit;
        rest.count = digit.count / left;
        digit = {left, int(axis), stride};
        layout.threads.insert(layout.threads.begin() +
                                  (&digit - layout.threads.data()) + 1,
                              rest);
        left = 1;
        break;
      }
      int64_t taken = digit.count;
      digit = {taken, int(axis), stride};
      stride *= taken;
      left /= taken;
    }
  if (left > 1)
    layout.registers.push_back({left, int(axis), stride});

  TileBox box = site.box;
  box.shape.push_back(padded);
  box.corners.push_back(index.constant(0));
  box.cornerMultiple.push_back(0);
  Access access = source;
  access.wholeFrom = -1;
  access.subscripts.push_back(Affine::dim(axis));
  poly::Statement reader = site.model;
  reader.dims.push_back("cell");
  reader.constraints.push_back(Affine::of(count - 1) - Affine::dim(axis));
  ValidSet valid = validSet(reader, box, index);
  Site extended{site.statement, reader, site.info, site.mark,
                layout,         box,    valid};
  FailureOr<Fragment> value = read(extended, access, layout);
  if (failed(value) || padded == count)
    return value;
  te::ReduceOp reduce = site.info.reduce;
  te::ReduceKind kind = reduce.getKind();
  mlir::TypedAttr neutral = identityOf(kind, site.info.elementType);
  if (kind == te::ReduceKind::Sum)
    neutral = zeroOf(site.info.elementType, /*negative=*/true);
  return maskAxis(*value, axis, index.constant(0), index.constant(count),
                  neutral);
}
