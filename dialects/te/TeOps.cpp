//===- TeOps.cpp - verifiers and small queries of te ops ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/TeText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace girih::te;

#define GET_OP_CLASSES
#include "dialects/te/TeOps.cpp.inc"

//===----------------------------------------------------------------------===//
// te.func
//===----------------------------------------------------------------------===//

int FuncOp::findSize(StringRef size) {
  for (auto [index, name] : llvm::enumerate(getSizes()))
    if (cast<StringAttr>(name).getValue() == size)
      return index;
  return -1;
}

std::optional<int64_t> FuncOp::constantExtent(Attribute extent) {
  LinearExtent sum = linearOf(extent);
  int64_t value = sum.constant;
  for (auto [size, factor] : sum.terms) {
    int index = findSize(size.getValue());
    if (index < 0 || getGiven()[index] < 0)
      return std::nullopt;
    value += factor * getGiven()[index];
  }
  return value;
}

LinearExtent girih::te::linearOf(Attribute extent) {
  LinearExtent sum;
  if (auto number = dyn_cast<IntegerAttr>(extent)) {
    sum.constant = number.getInt();
  } else if (auto size = dyn_cast<StringAttr>(extent)) {
    sum.terms.push_back({size, 1});
  } else {
    auto all = cast<ExtentAttr>(extent);
    for (auto [size, factor] : llvm::zip(all.getSizes(), all.getCoefficients()))
      sum.terms.push_back({size, factor});
    sum.constant = all.getConstant();
  }
  return sum;
}

Attribute girih::te::makeExtent(MLIRContext *context,
                                const LinearExtent &extent) {
  SmallVector<StringAttr> sizes;
  SmallVector<int64_t> factors;
  for (auto [size, factor] : extent.terms) {
    auto place = llvm::find(sizes, size);
    if (place == sizes.end()) {
      sizes.push_back(size);
      factors.push_back(factor);
    } else {
      factors[place - sizes.begin()] += factor;
    }
  }
  for (size_t i = sizes.size(); i-- > 0;)
    if (factors[i] == 0) {
      sizes.erase(sizes.begin() + i);
      factors.erase(factors.begin() + i);
    }
  if (sizes.empty())
    return Builder(context).getI64IntegerAttr(extent.constant);
  if (sizes.size() == 1 && factors[0] == 1 && extent.constant == 0)
    return sizes[0];
  return ExtentAttr::get(context, sizes, factors, extent.constant);
}

/// The language's limit, so that products of extents and of the numbers of a
/// term stay exact in the polyhedral model.
static constexpr int64_t kMaxExtent = int64_t(1) << 40;

LogicalResult girih::te::verifySum(Operation *op, FuncOp func,
                                   Attribute extent) {
  if (!isa<StringAttr, IntegerAttr, ExtentAttr>(extent))
    return op->emitOpError("has an extent that is neither a size nor an "
                           "integer nor a sum of them");
  LinearExtent sum = linearOf(extent);
  for (auto [size, factor] : sum.terms) {
    if (func.findSize(size.getValue()) < 0)
      return op->emitOpError("uses size '")
             << size.getValue() << "', which the function does not declare";
    if (factor <= -kMaxExtent || factor >= kMaxExtent)
      return op->emitOpError("has the coefficient ")
             << factor << ", whose magnitude must stay below " << kMaxExtent;
  }
  if (!sum.terms.empty() &&
      (sum.constant <= -kMaxExtent || sum.constant >= kMaxExtent))
    return op->emitOpError("has the number ")
           << sum.constant << ", whose magnitude must stay below "
           << kMaxExtent;
  return success();
}

LogicalResult girih::te::verifyExtents(Operation *op, FuncOp func,
                                       ArrayRef<Attribute> extents) {
  for (Attribute extent : extents) {
    if (failed(verifySum(op, func, extent)))
      return failure();
    auto number = dyn_cast<IntegerAttr>(extent);
    if (number && (number.getInt() < 0 || number.getInt() >= kMaxExtent))
      return op->emitOpError("has the extent ")
             << number.getInt() << ", but extents lie in 0 .. "
             << kMaxExtent - 1;
  }
  return success();
}

/// Ranges are of integers, and over sizes.
static LogicalResult verifyPromises(FuncOp func) {
  if (func.getArgRanges().size() != func.getArgNames().size())
    return func.emitOpError("has ")
           << func.getArgRanges().size() << " ranges for "
           << func.getArgNames().size() << " arguments";
  for (auto [argument, range] :
       llvm::zip(func.getBlock().getArguments(), func.getArgRanges())) {
    if (isa<UnitAttr>(range))
      continue;
    auto type = dyn_cast<TeTensorType>(argument.getType());
    auto promise = dyn_cast<ArrayAttr>(range);
    if (!promise || promise.size() != 2)
      return func.emitOpError("promises a range that has no two ends");
    if (!type || !isIntegerType(type.getElementType()))
      return func.emitOpError("promises a range of elements that are no "
                              "integers");
    for (Attribute end : promise)
      if (failed(verifySum(func, func, end)))
        return failure();
  }
  return verifyCheckWords(func);
}

LogicalResult FuncOp::verify() {
  if (getGiven().size() != getSizes().size())
    return emitOpError("has ") << getSizes().size() << " sizes but "
                               << getGiven().size() << " given values";
  Block &block = getBlock();
  if (block.getNumArguments() != getArgNames().size())
    return emitOpError("has ") << block.getNumArguments() << " arguments but "
                               << getArgNames().size() << " argument names";
  if (getResultNames().size() != getResultTypes().size())
    return emitOpError("has ") << getResultTypes().size() << " results but "
                               << getResultNames().size() << " result names";
  for (BlockArgument argument : block.getArguments()) {
    auto type = dyn_cast<TeTensorType>(argument.getType());
    if (!type)
      return emitOpError("takes tensors only");
    if (failed(verifyExtents(*this, *this, type.getShape())))
      return failure();
  }
  if (failed(verifyPromises(*this)))
    return failure();
  for (Attribute constraint : getConstraints()) {
    auto onSize = dyn_cast<SizeConstraintAttr>(constraint);
    if (!onSize || findSize(onSize.getSize().getValue()) < 0)
      return emitOpError("has a constraint on something that is not one of "
                         "its sizes");
    if (onSize.getKind() == ConstraintKind::Divisible && onSize.getValue() < 1)
      return emitOpError("has a divisibility constraint by less than 1");
  }
  auto terminator = dyn_cast<ReturnOp>(block.getTerminator());
  if (!terminator || terminator.getNumOperands() != getResultTypes().size())
    return emitOpError("must end in a te.return of its ")
           << getResultTypes().size() << " results";
  for (auto [value, type] :
       llvm::zip(terminator.getResults(), getResultTypes()))
    if (value.getType() != cast<TypeAttr>(type).getValue())
      return emitOpError("returns ")
             << value.getType() << " where " << type << " is declared";
  return success();
}

//===----------------------------------------------------------------------===//
// te.compute
//===----------------------------------------------------------------------===//

/// Scalar regions may use te scalar ops and integer arith helpers only.
LogicalResult girih::te::verifyScalarRegion(Operation *op, Block &block) {
  for (Operation &inner : block) {
    if (isa<TeDialect>(inner.getDialect()) &&
        !isa<FuncOp, ComputeOp, ScatterOp, ReturnOp>(inner))
      continue;
    if (isa<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::ShLIOp,
            arith::ShRSIOp, arith::AndIOp, arith::OrIOp, arith::CmpIOp,
            arith::SelectOp>(inner))
      continue;
    return op->emitOpError("holds '")
           << inner.getName() << "', which is not a scalar operation of te";
  }
  return success();
}

LogicalResult girih::te::verifyIndexArguments(Operation *op, Block &block,
                                              size_t count) {
  if (block.getNumArguments() != count)
    return op->emitOpError("has ")
           << block.getNumArguments() << " region arguments for " << count
           << " indices";
  for (BlockArgument argument : block.getArguments())
    if (!argument.getType().isIndex())
      return op->emitOpError("has a region argument that is not an index");
  return success();
}

LogicalResult ComputeOp::verify() {
  Block &block = getBlock();
  auto func = cast<FuncOp>((*this)->getParentOp());
  if (getIndexNames().size() != getType().getRank())
    return emitOpError("defines a tensor of rank ")
           << getType().getRank() << " with " << getIndexNames().size()
           << " indices";
  if (failed(verifyIndexArguments(*this, block, getType().getRank())) ||
      failed(verifyExtents(*this, func, getType().getShape())) ||
      failed(verifyScalarRegion(*this, block)))
    return failure();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValue().getType() != getType().getElementType())
    return emitOpError("must yield a value of its element type ")
           << getType().getElementType();
  return success();
}

ReduceOp ComputeOp::getReduction() {
  Block &block = getBlock();
  if (!llvm::hasNItems(block, 2))
    return {};
  auto reduce = dyn_cast<ReduceOp>(block.front());
  auto yield = cast<YieldOp>(block.getTerminator());
  return reduce && yield.getValue() == reduce.getResult() ? reduce : ReduceOp();
}

//===----------------------------------------------------------------------===//
// te.reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  Block &block = getBlock();
  auto func = (*this)->getParentOfType<FuncOp>();
  if (!func)
    return emitOpError("stands outside a te.func");
  if (getIndexNames().empty() || getIndexNames().size() != getExtents().size())
    return emitOpError("has ") << getIndexNames().size() << " indices and "
                               << getExtents().size() << " extents";
  if (failed(verifyIndexArguments(*this, block, getExtents().size())) ||
      failed(verifyExtents(*this, func, getExtents().getValue())) ||
      failed(verifyScalarRegion(*this, block)))
    return failure();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValue().getType() != getType())
    return emitOpError("must yield a value of its type ") << getType();
  bool isBool = getType().isInteger(1);
  bool orders = getKind() == ReduceKind::Max || getKind() == ReduceKind::Min;
  if ((isBool && !orders) || isa<Float8E4M3FNType, Float8E5M2Type>(getType()))
    return emitOpError("has a ")
           << stringifyReduceKind(getKind()) << " of " << getType();
  if (getLeaf() == Leaf::Fma && !isa<FloatType>(getType()))
    return emitOpError("has leaf fma, but ") << getType() << " is no float";
  if (getLeaf() != Leaf::Plain) {
    auto product = yield.getValue().getDefiningOp<BinaryOp>();
    if (getKind() != ReduceKind::Sum || !product ||
        product.getKind() != BinaryKind::Mul)
      return emitOpError("has leaf ")
             << stringifyLeaf(getLeaf()) << " but is not a sum of products";
  }
  return success();
}

llvm::StringRef girih::te::nameOf(ReduceOp reduce) {
  if (reduce.getType().isInteger(1) && reduce.getKind() == ReduceKind::Max)
    return "any";
  if (reduce.getType().isInteger(1) && reduce.getKind() == ReduceKind::Min)
    return "all";
  return stringifyReduceKind(reduce.getKind());
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

LogicalResult ReadOp::verify() {
  TeTensorType type = getTensor().getType();
  if (getType() != type.getElementType())
    return emitOpError("reads ")
           << type.getElementType() << " as " << getType();
  return verifySubscripts(*this, type, getIndices(), "reads");
}

LogicalResult AffineOp::verify() {
  if (getIndices().size() != getCoefficients().size())
    return emitOpError("has ") << getIndices().size() << " indices but "
                               << getCoefficients().size() << " coefficients";
  for (Value index : getIndices())
    if (!isa<BlockArgument>(index))
      return emitOpError("sums something that is not an index of a region "
                         "around it");
  for (int64_t factor : getCoefficients())
    if (factor <= -kMaxExtent || factor >= kMaxExtent)
      return emitOpError("has the coefficient ")
             << factor << ", whose magnitude must stay below " << kMaxExtent;
  auto func = (*this)->getParentOfType<FuncOp>();
  if (!func)
    return emitOpError("stands outside a te.func");
  return verifySum(*this, func, getOffset());
}

LogicalResult BoundOp::verify() {
  auto func = (*this)->getParentOfType<FuncOp>();
  if (!func)
    return emitOpError("stands outside a te.func");
  for (Operation *user : getResult().getUsers())
    if (!isa<ReadOp, PutOp>(user))
      return emitOpError("is used by '")
             << user->getName() << "': only a te.read's subscript may be";
  return verifyExtents(*this, func, getExtent());
}

LogicalResult ConstantOp::verify() {
  if (!isa<FloatAttr, IntegerAttr>(getValue()))
    return emitOpError("holds neither a float nor an integer");
  if (!isScalarType(getType()))
    return emitOpError("has the type ") << getType()
                                        << ", which values have "
                                           "not";
  return success();
}

LogicalResult UnaryOp::verify() {
  bool forIntegers = getKind() == UnaryKind::Neg || getKind() == UnaryKind::Abs;
  if (!forIntegers && !isa<FloatType>(getType()))
    return emitOpError("has no ")
           << stringifyUnaryKind(getKind()) << " of " << getType();
  if (getKind() == UnaryKind::Tf32 && !getType().isF32())
    return emitOpError("rounds f32 to tf32, not ") << getType();
  return success();
}

LogicalResult BinaryOp::verify() {
  bool isFloat = isa<FloatType>(getType());
  bool fits = getKind() == BinaryKind::Div        ? isFloat
              : getKind() >= BinaryKind::FloorDiv ? !isFloat
                                                  : true;
  if (!fits)
    return emitOpError("has no ")
           << stringifyBinaryKind(getKind()) << " of " << getType();
  return success();
}

LogicalResult BitsOp::verify() {
  Type from = getValue().getType(), to = getType();
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth() ||
      isa<FloatType>(from) == isa<FloatType>(to))
    return emitOpError("turns ") << from << " into " << to
                                 << ": widths must match and one side be an "
                                    "integer";
  return success();
}
