//===- TeScatter.cpp - places that data chooses ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text and verifiers of te.scatter, te.to_index and of subscripts.
//
//===----------------------------------------------------------------------===//

#include "dialects/te/TeText.h"

using namespace mlir;
using namespace girih::te;

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

LogicalResult girih::te::verifySubscripts(Operation *op, TeTensorType type,
                                          ValueRange indices, StringRef verb) {
  if (indices.size() != type.getRank())
    return op->emitOpError(verb) << " a tensor of rank " << type.getRank()
                                 << " with " << indices.size() << " subscripts";
  for (Value index : indices)
    if (!isa<BlockArgument>(index) && !index.getDefiningOp<IndexConstantOp>() &&
        !index.getDefiningOp<AffineOp>() && !index.getDefiningOp<BoundOp>() &&
        !index.getDefiningOp<ToIndexOp>())
      return op->emitOpError(
          "has a subscript that is neither an index nor a "
          "constant nor made by te.affine, te.to_index or te.bound");
  return success();
}

LogicalResult ToIndexOp::verify() {
  for (Operation *user : getResult().getUsers())
    if (!isa<ReadOp, PutOp, BoundOp>(user))
      return emitOpError("is used by '")
             << user->getName() << "': only a subscript may be";
  return success();
}

ToIndexOp girih::te::gatherOf(Value subscript) {
  if (auto bound = subscript.getDefiningOp<BoundOp>())
    subscript = bound.getValue();
  return subscript.getDefiningOp<ToIndexOp>();
}

bool girih::te::isComputed(Value subscript) {
  return subscript.getDefiningOp<BoundOp>() ||
         subscript.getDefiningOp<ToIndexOp>();
}

//===----------------------------------------------------------------------===//
// te.scatter
//===----------------------------------------------------------------------===//

ParseResult ScatterOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  StringRef kindText;
  std::string name;
  SmallVector<Attribute> extents;
  OpAsmParser::UnresolvedOperand start;
  SMLoc kindLoc = parser.getCurrentLocation();
  Type type;
  if (parser.parseKeyword(&kindText) || parser.parseString(&name) ||
      parseNames(parser, properties.index_names) || parser.parseKeyword("in") ||
      parseExtents(parser, extents) || parser.parseKeyword("into") ||
      parser.parseOperand(start))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("distinct")))
    properties.distinct = builder.getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("drop")))
    properties.drop = builder.getUnitAttr();
  if (parser.parseColonType(type) ||
      parser.resolveOperand(start, type, result.operands) ||
      parser.parseRegion(*result.addRegion(), {}))
    return failure();
  std::optional<ScatterKind> kind = symbolizeScatterKind(kindText);
  if (!kind)
    return parser.emitError(kindLoc, "expected set, add, max or min");
  properties.kind = ScatterKindAttr::get(builder.getContext(), *kind);
  properties.name = builder.getStringAttr(name);
  properties.extents = builder.getArrayAttr(extents);
  result.addTypes(type);
  return success();
}

void ScatterOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyScatterKind(getKind()) << ' ';
  printer.printString(getName());
  printer << ' ';
  printNames(printer, getIndexNames());
  printer << " in ";
  printExtents(printer, getExtents().getValue());
  printer << " into " << getStart() << (getDistinct() ? " distinct" : "")
          << (getDrop() ? " drop" : "") << " : " << getType() << ' ';
  printer.printRegion(getBody());
}

PutOp ScatterOp::getPut() { return cast<PutOp>(getBlock().getTerminator()); }

LogicalResult ScatterOp::verify() {
  Block &block = getBlock();
  auto func = cast<FuncOp>((*this)->getParentOp());
  if (getIndexNames().size() != getExtents().size())
    return emitOpError("has ") << getIndexNames().size() << " indices and "
                               << getExtents().size() << " extents";
  if (failed(verifyIndexArguments(*this, block, getExtents().size())) ||
      failed(verifyExtents(*this, func, getExtents().getValue())) ||
      failed(verifyScalarRegion(*this, block)))
    return failure();
  if (getStart().getType() != getType())
    return emitOpError("starts from ")
           << getStart().getType() << " and makes " << getType();
  // A memory of its own, or one in which versions follow each other, which the
  // function's verifier looks after.
  bool isOwn = getStart().getDefiningOp<ComputeOp>() && getStart().hasOneUse();
  if (!isOwn && !isa<BlockArgument>(storageOf(getStart())))
    return emitOpError("starts from something other than a te.compute's "
                       "result that nothing else uses");
  if (!block.getOps<ReduceOp>().empty())
    return emitOpError("holds a te.reduce");
  auto put = dyn_cast<PutOp>(block.getTerminator());
  if (!put || put.getValue().getType() != getType().getElementType())
    return emitOpError("must put a value of its element type ")
           << getType().getElementType();
  bool isNumber = getType().getElementType().isF64() ||
                  getType().getElementType().isF32() ||
                  getType().getElementType().isF16() ||
                  getType().getElementType().isBF16() ||
                  isIntegerType(getType().getElementType());
  if (getKind() != ScatterKind::Set && !isNumber)
    return emitOpError("combines ") << getType().getElementType();
  return verifySubscripts(put, getType(), put.getIndices(), "puts into");
}

//===----------------------------------------------------------------------===//
// Error words
//===----------------------------------------------------------------------===//

LogicalResult girih::te::verifyCheckWords(FuncOp func) {
  for (Attribute attribute : func.getChecks()) {
    auto word = dyn_cast<DictionaryAttr>(attribute);
    auto number = [&](StringRef key) -> std::optional<int64_t> {
      auto value = word ? word.getAs<IntegerAttr>(key) : IntegerAttr();
      return value ? std::optional(value.getInt()) : std::nullopt;
    };
    std::optional<int64_t> where = number("where"), value = number("value");
    bool isNumber = word && word.get("kind");
    auto isWord = [&](std::optional<int64_t> result) {
      if (!result || *result < 0 ||
          *result >= int64_t(func.getResultTypes().size()))
        return false;
      auto type = dyn_cast<TeTensorType>(
          cast<TypeAttr>(func.getResultTypes()[*result]).getValue());
      bool isOne =
          type && (isNumber ? type.getRank() == 1 &&
                                  func.constantExtent(type.getShape()[0]) == 1
                            : type.getRank() == 0);
      return isOne && type.getElementType().isInteger(64);
    };
    auto list = [&](StringRef key) {
      return word ? word.getAs<ArrayAttr>(key) : ArrayAttr();
    };
    bool fine = isWord(where) && isWord(value) &&
                word.getAs<StringAttr>("tensor") &&
                word.getAs<StringAttr>("subscript") && list("names") &&
                list("starts") && list("extents") && word.get("end") &&
                list("names").size() == list("starts").size() &&
                list("names").size() == list("extents").size();
    if (fine && word.get("kind")) {
      auto kind = word.getAs<StringAttr>("kind");
      fine = kind && (kind == "spread" || kind == "magnitude") &&
             word.getAs<IntegerAttr>("low");
    }
    if (!fine)
      return func.emitOpError("has a malformed entry in 'checks'");
    for (Attribute name : list("names"))
      if (!isa<StringAttr>(name))
        return func.emitOpError("has a malformed entry in 'checks'");
    for (ArrayAttr sums : {list("starts"), list("extents")})
      for (Attribute sum : sums)
        if (failed(verifySum(func, func, sum)))
          return failure();
    if (failed(verifySum(func, func, word.get("end"))))
      return failure();
  }
  return success();
}
