//===- TileOps.cpp - verifiers of tile ops --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/Tile.h"

using namespace mlir;
using namespace girih::tile;
using girih::layout::Layout;

//===----------------------------------------------------------------------===//
// tile.reduce: the accumulator's type is the result's and is written once
//===----------------------------------------------------------------------===//

static ParseResult parseReduceTypes(OpAsmParser &parser,
                                    SmallVectorImpl<Type> &values,
                                    Type &accumulator, Type &result) {
  if (parser.parseTypeList(values) || parser.parseArrow() ||
      parser.parseType(result))
    return failure();
  accumulator = result;
  return success();
}

static void printReduceTypes(OpAsmPrinter &printer, Operation *,
                             TypeRange values, Type, Type result) {
  printer << values << " -> " << result;
}

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// tile.kernel
//===----------------------------------------------------------------------===//

static bool isScalarBodyOp(Operation &op) {
  StringRef dialect = op.getName().getDialectNamespace();
  return dialect == "te" || dialect == "arith";
}

LogicalResult KernelOp::verify() {
  if (getThreads() < 1 || getThreads() > 1024)
    return emitOpError("has ") << getThreads() << " threads; 1 .. 1024 is "
                               << "possible";
  Block &block = getBlock();
  if (block.getNumArguments() != getArgNames().size())
    return emitOpError("has ") << block.getNumArguments() << " arguments but "
                               << getArgNames().size() << " argument names";
  bool sizes = false;
  for (BlockArgument argument : block.getArguments()) {
    if (argument.getType().isIndex()) {
      sizes = true;
    } else if (!isa<GlobalType>(argument.getType())) {
      return emitOpError("takes tensors and index values, not ")
             << argument.getType();
    } else if (sizes) {
      return emitOpError("takes its tensors before its index values");
    }
  }
  // Every fragment of a block is spread over all of its threads.
  WalkResult walked = getBody().walk([&](Operation *op) {
    for (Value value : op->getResults()) {
      auto type = dyn_cast<FragType>(value.getType());
      if (!type)
        continue;
      int64_t threads = type.parsedLayout().threadCount();
      if (threads != getThreads()) {
        op->emitOpError("makes a fragment over ")
            << threads << " threads in a kernel of " << getThreads();
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static LogicalResult verifyCoefficients(Operation *op, StringRef what,
                                        size_t coefficients, size_t bases,
                                        size_t rank) {
  if (coefficients != bases * rank)
    return op->emitOpError("has ")
           << coefficients << " " << what << " coefficients for " << bases
           << " expressions over a box of rank " << rank;
  return success();
}

/// The checks that all accesses of global memory share.
template <typename Access>
static LogicalResult verifyAccess(Access op, FragType frag) {
  GlobalType tensor = op.getTensor().getType();
  Layout layout = frag.parsedLayout();
  if (tensor.getElementType() != frag.getElementType())
    return op.emitOpError("moves ")
           << tensor.getElementType() << " as " << frag.getElementType();
  if (op.getBases().size() != tensor.getRank())
    return op.emitOpError("has ")
           << op.getBases().size() << " subscripts for a tensor of rank "
           << tensor.getRank();
  if (failed(verifyCoefficients(op, "subscript", op.getCoefficients().size(),
                                op.getBases().size(), layout.rank())) ||
      failed(verifyCoefficients(op, "valid", op.getValidCoefficients().size(),
                                op.getValidBases().size(), layout.rank())))
    return failure();
  return success();
}

/// The further checks of tile.load and tile.store: those on vectors.
template <typename Access>
static LogicalResult verifyVectors(Access op, FragType frag) {
  GlobalType tensor = op.getTensor().getType();
  Layout layout = frag.parsedLayout();
  const int64_t vector = op.getVector();
  if (vector == 1)
    return success();
  if (vector < 1 || vector > static_cast<int64_t>(tensor.getVector()) ||
      tensor.getVector() % vector)
    return op.emitOpError("uses vectors of ")
           << vector << " on a tensor that promises vectors of "
           << tensor.getVector();
  int dim = -1;
  for (const girih::layout::Digit &digit : layout.registers)
    if (digit.count > 1) {
      dim = digit.dim;
      break;
    }
  if (dim < 0 || layout.vectorWidth(dim) % vector)
    return op.emitOpError("uses vectors of ")
           << vector << " but the layout has no " << vector
           << " consecutive elements in its fastest registers";
  for (size_t s = 0; s < op.getBases().size(); ++s) {
    int64_t coefficient = op.getCoefficients()[s * layout.rank() + dim];
    if (coefficient != (s + 1 == op.getBases().size() ? 1 : 0))
      return op.emitOpError("uses vectors along dimension ")
             << dim << " of the box, which is not the tensor's last dimension "
             << "with coefficient 1";
  }
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccess(*this, getResult().getType())))
    return failure();
  return verifyVectors(*this, getResult().getType());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyAccess(*this, getValue().getType())))
    return failure();
  return verifyVectors(*this, getValue().getType());
}

/// The further checks of accesses with rules and gathered subscripts.
template <typename Access>
static LogicalResult verifyRules(Access op, FragType frag) {
  size_t rank = op.getBases().size();
  if (op.getRules().size() != rank || op.getExtents().size() != rank)
    return op.emitOpError("has ")
           << op.getRules().size() << " rules and " << op.getExtents().size()
           << " extents for " << rank << " subscripts";
  for (int32_t rule : op.getRules())
    if (!symbolizeBoundRule(rule))
      return op.emitOpError("has the rule ") << rule << ", which is none";
  if (op.getGathered().size() != op.getGatheredDims().size())
    return op.emitOpError("has ")
           << op.getGathered().size() << " gathered subscripts at "
           << op.getGatheredDims().size() << " places";
  for (int32_t dim : op.getGatheredDims())
    if (dim < 0 || size_t(dim) >= rank)
      return op.emitOpError("gathers subscript ")
             << dim << ", which does not exist";
  for (Value gathered : op.getGathered()) {
    auto type = cast<FragType>(gathered.getType());
    if (!type.getElementType().isInteger(64) ||
        type.getLayout() != frag.getLayout())
      return op.emitOpError("gathers by a fragment that is not of i64 in the "
                            "layout of its own");
  }
  return success();
}

LogicalResult LoadBoundOp::verify() {
  if (failed(verifyAccess(*this, getResult().getType())))
    return failure();
  return verifyRules(*this, getResult().getType());
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyAccess(*this, getValue().getType())) ||
      failed(verifyRules(*this, getValue().getType())))
    return failure();
  Type element = getValue().getType().getElementType();
  bool isWord =
      element.isIntOrIndex() && (element.getIntOrFloatBitWidth() == 32 ||
                                 element.getIntOrFloatBitWidth() == 64);
  if (getAtomic() && (!isWord || getKind() == ScatterKind::Set))
    return emitOpError("has no atomic ")
           << stringifyScatterKind(getKind()) << " of " << element;
  return success();
}

static LogicalResult verifyShared(Operation *op, FragType frag,
                                  SharedType buffer) {
  if (frag.getElementType() != buffer.getElementType())
    return op->emitOpError("moves ")
           << buffer.getElementType() << " as " << frag.getElementType();
  if (ArrayRef<int64_t>(frag.parsedLayout().shape) != buffer.getShape())
    return op->emitOpError("needs a fragment and a buffer of one shape");
  return success();
}

LogicalResult StoreSharedOp::verify() {
  return verifyShared(*this, getValue().getType(), getBuffer().getType());
}

LogicalResult ViewSharedOp::verify() {
  SharedType from = getBuffer().getType(), to = getResult().getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("views ")
           << from.getElementType() << " as " << to.getElementType();
  if (to.bytes() > from.bytes())
    return emitOpError("views ")
           << to.bytes() << " bytes of a buffer of " << from.bytes();
  return success();
}

LogicalResult LoadSharedOp::verify() {
  return verifyShared(*this, getResult().getType(), getBuffer().getType());
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult FillOp::verify() {
  if (getValue().getType() != getResult().getType().getElementType())
    return emitOpError("fills ")
           << getResult().getType().getElementType() << " with a value of type "
           << getValue().getType();
  return success();
}

LogicalResult MapOp::verify() {
  FragType result = getResult().getType();
  Block &block = getBlock();
  if (failed(verifyCoefficients(*this, "index", getIndexCoefficients().size(),
                                getIndexBases().size(),
                                result.parsedLayout().rank())))
    return failure();
  if (block.getNumArguments() != getInputs().size() + getIndexBases().size())
    return emitOpError("has ")
           << block.getNumArguments() << " region arguments for "
           << getInputs().size() << " fragments and " << getIndexBases().size()
           << " index expressions";
  for (auto [input, argument] : llvm::zip(getInputs(), block.getArguments())) {
    auto type = cast<FragType>(input.getType());
    if (type.getLayout() != result.getLayout())
      return emitOpError("has an input of layout \"")
             << type.getLayout() << "\" and a result of layout \""
             << result.getLayout() << "\"";
    if (argument.getType() != type.getElementType())
      return emitOpError("passes ")
             << type.getElementType() << " as " << argument.getType();
  }
  for (BlockArgument argument :
       block.getArguments().drop_front(getInputs().size()))
    if (!argument.getType().isIndex())
      return emitOpError("passes an index as ") << argument.getType();
  if (block.empty() || !isa<YieldOp>(block.back()))
    return emitOpError("must end in tile.yield");
  auto yield = cast<YieldOp>(block.back());
  if (yield.getValue().getType() != result.getElementType())
    return emitOpError("yields ") << yield.getValue().getType() << " for a "
                                  << "fragment of " << result.getElementType();
  for (Operation &op : block.without_terminator())
    if (!isScalarBodyOp(op))
      return emitOpError("holds '")
             << op.getName() << "', which is not a scalar operation";
  return success();
}

LogicalResult ReduceOp::verify() {
  const size_t factors = getLeaf() == Leaf::Plain ? 1 : 2;
  if (getValues().size() != factors)
    return emitOpError("takes ")
           << factors << " values with leaf " << stringifyLeaf(getLeaf())
           << ", not " << getValues().size();
  if (getLeaf() != Leaf::Plain && getKind() != Combine::Sum)
    return emitOpError("has a product leaf, which only sum takes");
  if (getLeaf() == Leaf::Fma &&
      !isa<FloatType>(getResult().getType().getElementType()))
    return emitOpError("has leaf fma, but its elements are no floats");
  auto value = cast<FragType>(getValues().front().getType());
  FragType accumulator = getAccumulator().getType();
  if (llvm::any_of(getValues(),
                   [&](Value other) { return other.getType() != value; }))
    return emitOpError("needs factors of one type");
  if (getResult().getType() != accumulator)
    return emitOpError("needs an accumulator of the result's type");
  if (accumulator.getElementType() != value.getElementType())
    return emitOpError("adds ") << value.getElementType() << " into "
                                << accumulator.getElementType();
  Layout layout = value.parsedLayout();
  const int64_t kept = getKept();
  if (kept < 0 || kept > layout.rank())
    return emitOpError("keeps ")
           << kept << " of " << layout.rank() << " dimensions";
  for (const girih::layout::Digit &digit : layout.threads)
    if (digit.dim >= kept && digit.count > 1)
      return emitOpError("reduces dimension ")
             << digit.dim << ", which lies over threads";
  Layout expected = layout;
  while (expected.rank() > kept)
    expected = expected.slice(expected.rank() - 1);
  if (accumulator.parsedLayout() != expected)
    return emitOpError("needs an accumulator of layout \"")
           << girih::layout::print(expected) << "\", not \""
           << accumulator.getLayout() << "\"";
  return verifyCoefficients(*this, "valid", getValidCoefficients().size(),
                            getValidBases().size(), layout.rank());
}

LogicalResult MergeOp::verify() {
  Layout cells = getCells().getType().parsedLayout();
  FragType result = getResult().getType();
  if (cells.rank() == 0)
    return emitOpError("has no axis to merge");
  if (result.getElementType() != getCells().getType().getElementType())
    return emitOpError("gives ") << result.getElementType() << " from "
                                 << getCells().getType().getElementType();
  Layout expected = cells.slice(cells.rank() - 1);
  if (result.parsedLayout() != expected)
    return emitOpError("gives layout \"")
           << girih::layout::print(expected) << "\", not \""
           << result.getLayout() << "\"";
  const int64_t count = cells.shape.back();
  if (getOrder() == MergeOrder::Halving && (count & (count - 1)))
    return emitOpError("halves ") << count << " cells, not a power of two";
  return success();
}

LogicalResult ContractOp::verify() {
  FragType accumulator = getAccumulator().getType();
  Type element = accumulator.getElementType();
  if (getLeaf() == Leaf::Plain)
    return emitOpError("needs leaf fma or muladd");
  bool isInteger = isa<IntegerType>(element);
  if (!element.isF32() && !element.isF64() &&
      !(isInteger && element.getIntOrFloatBitWidth() >= 32))
    return emitOpError("accumulates in f32, f64 or integers of 32 or 64 bits, "
                       "not ")
           << element;
  if (isInteger && getLeaf() == Leaf::Fma)
    return emitOpError("has leaf fma, but ") << element << " is no float";
  SharedType a = getA().getType(), b = getB().getType();
  Layout layout = accumulator.parsedLayout();
  if (layout.rank() != 2 || a.getShape().size() != 2 ||
      b.getShape().size() != 2)
    return emitOpError("takes [k, i], [k, j] and [i, j]");
  if (a.getShape()[0] != b.getShape()[0] ||
      a.getShape()[1] != layout.shape[0] || b.getShape()[1] != layout.shape[1])
    return emitOpError("takes [k, i], [k, j] and [i, j], not [")
           << a.getShape() << "], [" << b.getShape() << "] and ["
           << ArrayRef<int64_t>(layout.shape) << "]";
  for (SharedType factor : {a, b})
    if (isInteger && factor.getElementType() != element)
      return emitOpError("takes integer factors of the accumulator's type ")
             << element << ", not " << factor.getElementType();
    else if (factor.getElementType().getIntOrFloatBitWidth() >
             element.getIntOrFloatBitWidth())
      return emitOpError("cannot convert ")
             << factor.getElementType() << " to " << element << " exactly";
  return success();
}

LogicalResult ConvertOp::verify() {
  Layout from = getValue().getType().parsedLayout();
  Layout to = getResult().getType().parsedLayout();
  if (getValue().getType().getElementType() !=
      getResult().getType().getElementType())
    return emitOpError("changes the layout, not the element type");
  if (getDims().size() != from.rank())
    return emitOpError("names ")
           << getDims().size() << " dimensions for a source of rank "
           << from.rank();
  SmallVector<bool> used(to.rank(), false);
  for (auto [source, dim] : llvm::enumerate(getDims())) {
    if (dim == -1 && from.shape[source] == 1)
      continue;
    if (dim < 0 || dim >= static_cast<int64_t>(to.rank()) || used[dim])
      return emitOpError("needs distinct dimensions of the result, not ")
             << dim;
    used[dim] = true;
    if (from.shape[source] != to.shape[dim])
      return emitOpError("matches extent ")
             << from.shape[source] << " with extent " << to.shape[dim];
  }
  return success();
}

LogicalResult RegroupOp::verify() {
  Layout from = getValue().getType().parsedLayout();
  Layout to = getResult().getType().parsedLayout();
  if (getValue().getType().getElementType() !=
      getResult().getType().getElementType())
    return emitOpError("changes the axes, not the element type");
  auto isMatrix = [](ArrayRef<int64_t> coefficients, unsigned rank) {
    return rank ? coefficients.size() % rank == 0 : coefficients.empty();
  };
  if (!isMatrix(getAt(), from.rank()) || !isMatrix(getAs(), to.rank()) ||
      (from.rank() && to.rank() &&
       getAt().size() / from.rank() != getAs().size() / to.rank()))
    return emitOpError("takes a coefficient for each place and axis, not ")
           << getAt().size() << " for rank " << from.rank() << " and "
           << getAs().size() << " for rank " << to.rank();
  if (girih::layout::movesOf(from, getAt()) !=
      girih::layout::movesOf(to, getAs()))
    return emitOpError("would move elements between registers or threads");
  return success();
}
