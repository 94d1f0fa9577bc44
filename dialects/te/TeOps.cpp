//===- TeOps.cpp - verifiers and small queries of te ops ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/TeFacts.h"
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
    if (!promise || (promise.size() != 2 && promise.size() != 3))
      return func.emitOpError("promises a range that has no two ends");
    if (promise.size() == 3 && type && type.getRank() != 1)
      return func.emitOpError("promises offsets that have not one dimension");
    if (!type || !isIntegerType(type.getElementType()))
      return func.emitOpError("promises a range of elements that are no "
                              "integers");
    for (Attribute end : promise)
      if (failed(verifySum(func, func, end)))
        return failure();
  }
  return verifyCheckWords(func);
}

/// Versions of tensors: one memory has one living version.
static LogicalResult verifyVersions(FuncOp func) {
  auto walked = func.walk([&](Operation *op) {
    auto compute = dyn_cast<ComputeOp>(op);
    auto loop = dyn_cast<ForOp>(op);
    SmallVector<Value> overwritten;
    if (compute && compute.getInto())
      overwritten.push_back(compute.getInto());
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      overwritten.push_back(scatter.getStart());
    else if (loop)
      llvm::append_range(overwritten, loop.getInits());
    for (Value tensor : overwritten) {
      if (op->getParentRegion() != tensor.getParentRegion()) {
        op->emitOpError("writes into a tensor from outside its te.for");
        return WalkResult::interrupt();
      }
      for (Operation *user : tensor.getUsers()) {
        Operation *at = op->getBlock()->findAncestorOpInBlock(*user);
        bool isItself = at == op && (compute || user == op);
        if (isItself || (at && at->isBeforeInBlock(op)))
          continue;
        op->emitOpError("overwrites a tensor that is used below");
        return WalkResult::interrupt();
      }
      auto argument = dyn_cast<BlockArgument>(tensor);
      if (!argument || argument.getOwner() != &func.getBlock())
        continue;
      if (!func.getInPlace() ||
          !llvm::is_contained(*func.getInPlace(), argument.getArgNumber())) {
        op->emitOpError("writes into argument ")
            << argument.getArgNumber() << ", which no result is in place of";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  auto terminator = cast<ReturnOp>(func.getBlock().getTerminator());
  for (auto [number, value] : llvm::enumerate(terminator.getResults())) {
    int64_t argument = func.inPlaceOf(number);
    if (argument >= int64_t(func.getBlock().getNumArguments()))
      return func.emitOpError("has no argument ") << argument;
    Value storage = storageOf(value);
    bool isArgument = isa<BlockArgument>(storage);
    if (argument >= 0 ? storage != func.getBlock().getArgument(argument)
                      : isArgument && storage != value)
      return func.emitOpError("has a result ")
             << number << " that lies elsewhere than it says";
  }
  return success();
}

/// A derived size is one of the sizes, and uses those before it.
static LogicalResult verifyDerived(FuncOp func) {
  if (!func.getDerived())
    return success();
  SmallVector<StringAttr> later;
  for (Attribute attribute : func.getDerivedAttr()) {
    auto derived = dyn_cast<DerivedSizeAttr>(attribute);
    if (!derived)
      return func.emitOpError("derives something that is no size");
    later.push_back(derived.getSize());
  }
  for (Attribute attribute : func.getDerivedAttr()) {
    auto derived = cast<DerivedSizeAttr>(attribute);
    if (func.findSize(derived.getSize().getValue()) < 0 ||
        llvm::count(later, derived.getSize()) != 1)
      return func.emitOpError("derives '")
             << derived.getSize().getValue()
             << "', which is not one of its sizes, or twice";
    if (failed(verifySum(func, func, derived.getNumerator())))
      return failure();
    if (derived.getDivisor() < 1 || derived.getDivisor() >= kMaxExtent)
      return func.emitOpError("divides by ")
             << derived.getDivisor() << " for '" << derived.getSize().getValue()
             << "'";
    for (auto [size, factor] : linearOf(derived.getNumerator()).terms)
      if (llvm::is_contained(later, size))
        return func.emitOpError("derives '")
               << derived.getSize().getValue() << "' from '" << size.getValue()
               << "', which is not known before it";
    later.erase(llvm::find(later, derived.getSize()));
  }
  return success();
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
  if (failed(verifyDerived(*this)))
    return failure();
  if (getInPlace() && getInPlace()->size() != getResultNames().size())
    return emitOpError("says of ")
           << getInPlace()->size() << " results where "
           << "they are, but has " << getResultNames().size();
  if (failed(verifyInvariant(*this)) || failed(verifyApart(*this)) ||
      failed(verifyFacts(*this)))
    return failure();
  auto terminator = dyn_cast<ReturnOp>(block.getTerminator());
  if (!terminator || terminator.getNumOperands() != getResultTypes().size())
    return emitOpError("must end in a te.return of its ")
           << getResultTypes().size() << " results";
  for (auto [value, type] :
       llvm::zip(terminator.getResults(), getResultTypes()))
    if (value.getType() != cast<TypeAttr>(type).getValue())
      return emitOpError("returns ")
             << value.getType() << " where " << type << " is declared";
  return verifyVersions(*this);
}

//===----------------------------------------------------------------------===//
// te.compute
//===----------------------------------------------------------------------===//

/// Scalar regions may use te scalar ops and integer arith helpers only.
LogicalResult girih::te::verifyScalarRegion(Operation *op, Block &block) {
  for (Operation &inner : block) {
    if (isa<TeDialect>(inner.getDialect()) &&
        !isa<FuncOp, ComputeOp, ScatterOp, ReturnOp, ForOp, NextOp>(inner))
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

/// te.where ops come first, so that a region's domain is known before it is
/// run.
static LogicalResult verifyDomain(Operation *op, Block &block) {
  bool isFront = true;
  for (Operation &inner : block) {
    if (!isa<WhereOp>(inner))
      isFront = false;
    else if (!isFront)
      return op->emitOpError("has a te.where behind other ops");
  }
  return success();
}

/// The subscripts of what a te.compute writes.
static LogicalResult verifyTarget(ComputeOp op, YieldOp yield) {
  if (yield.getAt().empty()) {
    if (op.getBox().size() != op.getType().getRank())
      return op.emitOpError("defines a tensor of rank ")
             << op.getType().getRank() << " with " << op.getBox().size()
             << " indices";
    return success();
  }
  if (yield.getAt().size() != op.getType().getRank())
    return op.emitOpError("writes a tensor of rank ")
           << op.getType().getRank() << " at " << yield.getAt().size()
           << " subscripts";
  for (Value index : yield.getAt())
    if (!isa<BlockArgument>(index) && !index.getDefiningOp<IndexConstantOp>() &&
        !index.getDefiningOp<AffineOp>())
      return op.emitOpError("writes at a subscript that is neither an index "
                            "nor a constant nor made by te.affine");
  return success();
}

ArrayRef<Attribute> ComputeOp::getBox() {
  ArrayAttr extents = getExtentsAttr();
  return extents ? extents.getValue() : getType().getShape();
}

bool ComputeOp::isWhole() {
  auto yield = cast<YieldOp>(getBlock().getTerminator());
  return !getExtentsAttr() && !getInto() && yield.getAt().empty() &&
         getBlock().getOps<WhereOp>().empty();
}

LogicalResult ComputeOp::verify() {
  Block &block = getBlock();
  auto func = (*this)->getParentOfType<FuncOp>();
  if (!func)
    return emitOpError("stands outside a te.func");
  if (getIndexNames().size() != getBox().size())
    return emitOpError("names ")
           << getIndexNames().size() << " indices of " << getBox().size();
  if (failed(verifyIndexArguments(*this, block, getBox().size())) ||
      failed(verifyExtents(*this, func, getType().getShape())) ||
      failed(verifyExtents(*this, func, getBox())) ||
      failed(verifyScalarRegion(*this, block)) ||
      failed(verifyDomain(*this, block)))
    return failure();
  if (getInto() && getInto().getType() != getType())
    return emitOpError("writes into a tensor of another type");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValue().getType() != getType().getElementType())
    return emitOpError("must yield a value of its element type ")
           << getType().getElementType();
  return verifyTarget(*this, yield);
}

ReduceOp ComputeOp::getReduction() {
  auto yield = cast<YieldOp>(getBlock().getTerminator());
  auto reduce = yield.getValue().getDefiningOp<ReduceOp>();
  if (getExtentsAttr() || !yield.getAt().empty() || !reduce ||
      reduce->getBlock() != &getBlock() || (getInto() && !reduce.getFrom()))
    return {};
  for (Operation &op : getBlock())
    if (!isa<WhereOp>(op) && &op != reduce && &op != yield &&
        (!reduce.getFrom() || &op != reduce.getFrom().getDefiningOp()))
      return {};
  return reduce;
}

//===----------------------------------------------------------------------===//
// te.for, versions of tensors
//===----------------------------------------------------------------------===//

LogicalResult ForOp::verify() {
  auto func = (*this)->getParentOfType<FuncOp>();
  if (!func)
    return emitOpError("stands outside a te.func");
  if (failed(verifyExtents(*this, func, {getExtent()})))
    return failure();
  Block &block = getBlock();
  if (block.getNumArguments() != 1 + getInits().size() ||
      !block.getArgument(0).getType().isIndex())
    return emitOpError("needs a region over an index and its ")
           << getInits().size() << " tensors";
  auto next = dyn_cast<NextOp>(block.getTerminator());
  if (!next || next.getValues().size() != getInits().size() ||
      getNumResults() != getInits().size())
    return emitOpError("must hand over its ")
           << getInits().size() << " tensors by te.next";
  for (auto [number, init] : llvm::enumerate(getInits())) {
    Value argument = block.getArgument(1 + number);
    Value value = next.getValues()[number];
    if (argument.getType() != init.getType() ||
        value.getType() != init.getType() ||
        getResult(number).getType() != init.getType())
      return emitOpError("changes the type of tensor ") << number;
    // Followed inside the loop: up to its argument, no further.
    while (value != argument) {
      Value before;
      if (auto compute = value.getDefiningOp<ComputeOp>())
        before = compute.getInto();
      else if (auto loop = value.getDefiningOp<ForOp>())
        before = loop.getInits()[cast<OpResult>(value).getResultNumber()];
      if (!before)
        return emitOpError("hands over a tensor ")
               << number << " that is no version of its argument";
      value = before;
    }
  }
  return success();
}

Value girih::te::storageOf(Value tensor) {
  while (true) {
    Value before;
    if (auto compute = tensor.getDefiningOp<ComputeOp>())
      before = compute.getInto();
    else if (auto scatter = tensor.getDefiningOp<ScatterOp>())
      before = scatter.getStart();
    else if (auto loop = tensor.getDefiningOp<ForOp>())
      before = loop.getInits()[cast<OpResult>(tensor).getResultNumber()];
    else if (auto argument = dyn_cast<BlockArgument>(tensor))
      if (auto around = dyn_cast<ForOp>(argument.getOwner()->getParentOp()))
        before = around.getInits()[argument.getArgNumber() - 1];
    if (!before)
      return tensor;
    tensor = before;
  }
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
      failed(verifyScalarRegion(*this, block)) ||
      failed(verifyDomain(*this, block)))
    return failure();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValue().getType() != getType())
    return emitOpError("must yield a value of its type ") << getType();
  if (!yield.getAt().empty())
    return emitOpError("yields to an element");
  if (getFrom()) {
    if (!getStart() || getFrom().getType() != getType())
      return emitOpError("goes on from something other than an element of its "
                         "type that is read in front of it");
    if (getTermAttr() && getTermAttr().getText() != "seq")
      return emitOpError("goes on with a chain, but its term is ")
             << getTermAttr().getText();
  }
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

ReadOp ReduceOp::getStart() {
  auto read = getFrom() ? getFrom().getDefiningOp<ReadOp>() : ReadOp();
  return read && read->getBlock() == (*this)->getBlock() ? read : ReadOp();
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

/// Of te.affine and te.where: factors, the indices they belong to, an offset.
template <typename OpT> static LogicalResult verifyIndexSum(OpT op) {
  if (op.getIndices().size() != op.getCoefficients().size())
    return op.emitOpError("has ")
           << op.getIndices().size() << " indices but "
           << op.getCoefficients().size() << " coefficients";
  for (Value index : op.getIndices())
    if (!isa<BlockArgument>(index))
      return op.emitOpError("sums something that is not an index of a region "
                            "around it");
  for (int64_t factor : op.getCoefficients())
    if (factor <= -kMaxExtent || factor >= kMaxExtent)
      return op.emitOpError("has the coefficient ")
             << factor << ", whose magnitude must stay below " << kMaxExtent;
  auto func = op->template getParentOfType<FuncOp>();
  if (!func)
    return op.emitOpError("stands outside a te.func");
  return verifySum(op, func, op.getOffset());
}

LogicalResult AffineOp::verify() { return verifyIndexSum(*this); }

LogicalResult WhereOp::verify() { return verifyIndexSum(*this); }

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

OnGridOp::Range OnGridOp::rangeOf(Type type) {
  const llvm::fltSemantics &format = cast<FloatType>(type).getFloatSemantics();
  return {-llvm::APFloat::semanticsMaxExponent(format),
          int(llvm::APFloat::semanticsPrecision(format)) - 1 -
              llvm::APFloat::semanticsMinExponent(format)};
}

LogicalResult OnGridOp::verify() {
  auto [first, last] = rangeOf(getType());
  const int64_t digits = getDigits();
  if (digits < first || digits > last)
    return emitOpError("counts digits from ")
           << first << " to " << last << " in " << getType();
  return success();
}

LogicalResult PhiloxOp::verify() {
  const int64_t word = getWord();
  if (word < 0 || word > 3)
    return emitOpError("has words 0 to 3");
  return success();
}
