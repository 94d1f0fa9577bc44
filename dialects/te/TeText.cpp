//===- TeText.cpp - custom text forms of te types and ops -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/TeText.h"

#include "dialects/te/TeFacts.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace girih::te;

//===----------------------------------------------------------------------===//
// Extents: sums over sizes
//===----------------------------------------------------------------------===//

/// term ::= [integer '*'] name | integer, with the sign in front already read.
static ParseResult parseExtentTerm(AsmParser &parser, int64_t sign,
                                   LinearExtent &extent) {
  int64_t factor = 1;
  OptionalParseResult number = parser.parseOptionalInteger(factor);
  if (number.has_value()) {
    if (failed(*number))
      return failure();
    if (failed(parser.parseOptionalStar())) {
      extent.constant += sign * factor;
      return success();
    }
  }
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeywordOrString(&name)))
    return parser.emitError(loc, "expected a size or an integer");
  extent.terms.push_back(
      {parser.getBuilder().getStringAttr(name), sign * factor});
  return success();
}

/// extent ::= ['-'] term (('+' | '-') term)*
ParseResult girih::te::parseExtent(AsmParser &parser, Attribute &result) {
  LinearExtent extent;
  int64_t sign = 1;
  do {
    if (succeeded(parser.parseOptionalMinus()))
      sign = -sign;
    if (parseExtentTerm(parser, sign, extent))
      return failure();
    sign = 1;
    if (succeeded(parser.parseOptionalPlus()))
      continue;
    if (failed(parser.parseOptionalMinus()))
      break;
    sign = -1;
  } while (true);
  result = makeExtent(parser.getContext(), extent);
  return success();
}

void girih::te::printExtent(AsmPrinter &printer, Attribute attribute) {
  LinearExtent extent = linearOf(attribute);
  bool first = true;
  auto sign = [&](bool negative) {
    if (first)
      printer << (negative ? "-" : "");
    else
      printer << (negative ? " - " : " + ");
    first = false;
  };
  for (auto [size, factor] : extent.terms) {
    sign(factor < 0);
    if (factor != 1 && factor != -1)
      printer << std::abs(factor) << " * ";
    printer.printKeywordOrString(size.getValue());
  }
  if (extent.constant != 0 || first) {
    sign(extent.constant < 0);
    printer << std::abs(extent.constant);
  }
}

Attribute ExtentAttr::parse(AsmParser &parser, Type) {
  Attribute extent;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseExtent(parser, extent) ||
      parser.parseGreater())
    return {};
  if (!isa<ExtentAttr>(extent))
    return parser.emitError(loc, "is a plain size or integer, which stands "
                                 "without #te.extent"),
           Attribute();
  return extent;
}

void ExtentAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExtent(printer, *this);
  printer << '>';
}

Attribute DerivedSizeAttr::parse(AsmParser &parser, Type) {
  std::string size;
  Attribute numerator;
  int64_t divisor = 1;
  if (parser.parseLess() || parser.parseString(&size) || parser.parseEqual() ||
      parseExtent(parser, numerator) || parser.parseKeyword("by") ||
      parser.parseInteger(divisor) || parser.parseGreater())
    return {};
  return DerivedSizeAttr::get(parser.getContext(),
                              parser.getBuilder().getStringAttr(size),
                              numerator, divisor);
}

void DerivedSizeAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printString(getSize().getValue());
  printer << " = ";
  printExtent(printer, getNumerator());
  printer << " by " << getDivisor() << ">";
}

ParseResult girih::te::parseExtents(AsmParser &parser,
                                    SmallVectorImpl<Attribute> &extents) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseExtent(parser, extents.emplace_back());
  });
}

void girih::te::printExtents(AsmPrinter &printer, ArrayRef<Attribute> extents) {
  printer << '[';
  llvm::interleaveComma(extents, printer, [&](Attribute extent) {
    printExtent(printer, extent);
  });
  printer << ']';
}

Type TeTensorType::parse(AsmParser &parser) {
  SmallVector<Attribute> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseExtents(parser, shape) ||
      parser.parseComma() || parser.parseType(elementType) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<TeTensorType>(
      loc, parser.getContext(), ArrayRef<Attribute>(shape), elementType);
}

void TeTensorType::print(AsmPrinter &printer) const {
  printer << '<';
  printExtents(printer, getShape());
  printer << ", " << getElementType() << '>';
}

//===----------------------------------------------------------------------===//
// Names: ["i", "j"]
//===----------------------------------------------------------------------===//

ParseResult girih::te::parseNames(OpAsmParser &parser, ArrayAttr &names) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            std::string name;
            if (parser.parseString(&name))
              return failure();
            list.push_back(parser.getBuilder().getStringAttr(name));
            return success();
          }))
    return failure();
  names = parser.getBuilder().getArrayAttr(list);
  return success();
}

void girih::te::printNames(OpAsmPrinter &printer, ArrayAttr names) {
  printer << '[';
  llvm::interleaveComma(names, printer, [&](Attribute name) {
    printer.printString(cast<StringAttr>(name).getValue());
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// te.func
//===----------------------------------------------------------------------===//

/// `in_place %X` behind a result, if it stands there.
static ParseResult parseInPlace(OpAsmParser &parser,
                                ArrayRef<OpAsmParser::Argument> arguments,
                                int64_t &number) {
  if (failed(parser.parseOptionalKeyword("in_place")))
    return success();
  OpAsmParser::UnresolvedOperand operand;
  if (parser.parseOperand(operand, /*allowResultNumber=*/false))
    return failure();
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (argument.ssaName.name == operand.name)
      number = index;
  if (number < 0)
    return parser.emitError(operand.location,
                            "is no argument of this function");
  return success();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  ArrayAttr sizes;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseKeyword("sizes") || parseNames(parser, sizes))
    return failure();
  SmallVector<int64_t> given(sizes.size(), -1);
  if (succeeded(parser.parseOptionalKeyword("given"))) {
    given.clear();
    if (parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Square, [&]() -> ParseResult {
              return parser.parseInteger(given.emplace_back());
            }))
      return failure();
  }

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> argumentNames, argumentRanges;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren,
          [&]() -> ParseResult {
            std::string argumentName;
            OpAsmParser::Argument &argument = arguments.emplace_back();
            if (parser.parseArgument(argument) ||
                parser.parseString(&argumentName))
              return failure();
            SmallVector<Attribute> range;
            bool promises = succeeded(parser.parseOptionalKeyword("in"));
            if ((promises && parseExtents(parser, range)) ||
                parser.parseColon() || parser.parseType(argument.type))
              return failure();
            argumentNames.push_back(builder.getStringAttr(argumentName));
            argumentRanges.push_back(
                promises ? Attribute(builder.getArrayAttr(range))
                         : Attribute(builder.getUnitAttr()));
            return success();
          }) ||
      parser.parseArrow())
    return failure();

  SmallVector<Attribute> resultNames, resultTypes;
  SmallVector<int64_t> inPlace;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren, [&]() -> ParseResult {
            std::string resultName;
            Type type;
            if (parser.parseString(&resultName) || parser.parseColon() ||
                parser.parseType(type))
              return failure();
            resultNames.push_back(builder.getStringAttr(resultName));
            resultTypes.push_back(TypeAttr::get(type));
            return parseInPlace(parser, arguments, inPlace.emplace_back(-1));
          }))
    return failure();

  ArrayAttr derived;
  if (succeeded(parser.parseOptionalKeyword("derived")))
    if (parser.parseAttribute(derived))
      return failure();
  ArrayAttr checks = builder.getArrayAttr({});
  if (succeeded(parser.parseOptionalKeyword("checks")))
    if (parser.parseAttribute(checks))
      return failure();
  ArrayAttr constraints = builder.getArrayAttr({});
  if (succeeded(parser.parseOptionalKeyword("where")))
    if (parser.parseAttribute(constraints))
      return failure();

  StringRef accuracy;
  SMLoc accuracyLoc;
  if (parser.parseKeyword("functions") ||
      parser.getCurrentLocation(&accuracyLoc) || parser.parseKeyword(&accuracy))
    return failure();
  std::optional<Accuracy> functions = symbolizeAccuracy(accuracy);
  if (!functions)
    return parser.emitError(accuracyLoc, "expected fast, portable or unset");

  if (succeeded(parser.parseOptionalKeyword("invariant"))) {
    ArrayAttr names;
    if (parseNames(parser, names))
      return failure();
    result.addAttribute(kInvariant, names);
  }
  if (succeeded(parser.parseOptionalKeyword("online"))) {
    int64_t block;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseInteger(block))
      return failure();
    if (block < 1)
      return parser.emitError(loc, "expected a number of elements");
    result.addAttribute(kOnline, builder.getI64IntegerAttr(block));
  }
  if (succeeded(parser.parseOptionalKeyword("apart"))) {
    ArrayAttr names;
    if (parseNames(parser, names))
      return failure();
    result.addAttribute(kApart, names);
  }
  DictionaryAttr facts;
  if (succeeded(parser.parseOptionalKeyword("facts")))
    if (parser.parseAttribute(facts))
      return failure();

  Properties &properties = result.getOrAddProperties<Properties>();
  properties.facts = facts;
  properties.derived = derived;
  properties.sizes = sizes;
  properties.given = builder.getDenseI64ArrayAttr(given);
  properties.arg_names = builder.getArrayAttr(argumentNames);
  properties.result_names = builder.getArrayAttr(resultNames);
  properties.result_types = builder.getArrayAttr(resultTypes);
  properties.arg_ranges = builder.getArrayAttr(argumentRanges);
  properties.checks = checks;
  properties.constraints = constraints;
  if (llvm::any_of(inPlace, [](int64_t number) { return number >= 0; }))
    properties.in_place = builder.getDenseI64ArrayAttr(inPlace);
  properties.functions = AccuracyAttr::get(builder.getContext(), *functions);
  return parser.parseRegion(*result.addRegion(), arguments);
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " sizes ";
  printNames(printer, getSizes());
  if (llvm::any_of(getGiven(), [](int64_t value) { return value >= 0; })) {
    printer << " given [";
    llvm::interleaveComma(getGiven(), printer);
    printer << ']';
  }
  printer << '(';
  llvm::interleaveComma(
      llvm::zip(getBlock().getArguments(), getArgNames(), getArgRanges()),
      printer, [&](auto pair) {
        auto [argument, name, range] = pair;
        printer << argument << ' ';
        printer.printString(cast<StringAttr>(name).getValue());
        if (auto promise = dyn_cast<ArrayAttr>(range)) {
          printer << " in ";
          printExtents(printer, promise.getValue());
        }
        printer << ": " << argument.getType();
      });
  printer << ") -> (";
  unsigned number = 0;
  llvm::interleaveComma(
      llvm::zip(getResultNames(), getResultTypes()), printer, [&](auto pair) {
        auto [name, type] = pair;
        printer.printString(cast<StringAttr>(name).getValue());
        printer << ": " << cast<TypeAttr>(type).getValue();
        if (int64_t argument = inPlaceOf(number++); argument >= 0)
          printer << " in_place " << getBlock().getArgument(argument);
      });
  printer << ')';
  if (getDerived())
    printer << " derived " << *getDerived();
  if (!getChecks().empty())
    printer << " checks " << getChecks();
  if (!getConstraints().empty())
    printer << " where " << getConstraints();
  printer << " functions " << stringifyAccuracy(getFunctions()) << ' ';
  if (ArrayAttr names = invariantOf(*this)) {
    printer << "invariant ";
    printNames(printer, names);
    printer << ' ';
  }
  if (int64_t block = onlineOf(*this))
    printer << "online " << block << ' ';
  if (auto names = (*this)->getAttrOfType<ArrayAttr>(kApart)) {
    printer << "apart ";
    printNames(printer, names);
    printer << ' ';
  }
  if (getFacts())
    printer << "facts " << *getFacts() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// te.compute, te.reduce, te.read
//===----------------------------------------------------------------------===//

ParseResult ComputeOp::parse(OpAsmParser &parser, OperationState &result) {
  Properties &properties = result.getOrAddProperties<Properties>();
  std::string name;
  TeTensorType type;
  if (parser.parseString(&name) || parseNames(parser, properties.index_names))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("in"))) {
    SmallVector<Attribute> extents;
    if (parseExtents(parser, extents))
      return failure();
    properties.extents = parser.getBuilder().getArrayAttr(extents);
  }
  OpAsmParser::UnresolvedOperand into;
  bool hasInto = succeeded(parser.parseOptionalKeyword("into"));
  if ((hasInto && parser.parseOperand(into)) || parser.parseColonType(type))
    return failure();
  std::string partOf;
  if (succeeded(parser.parseOptionalKeyword("for"))) {
    if (parser.parseString(&partOf))
      return failure();
    properties.part_of = parser.getBuilder().getStringAttr(partOf);
  }
  if (parser.parseRegion(*result.addRegion(), {}) ||
      (hasInto && parser.resolveOperand(into, type, result.operands)))
    return failure();
  properties.name = parser.getBuilder().getStringAttr(name);
  result.addTypes(type);
  return success();
}

void ComputeOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printString(getName());
  printer << ' ';
  printNames(printer, getIndexNames());
  if (ArrayAttr extents = getExtentsAttr()) {
    printer << " in ";
    printExtents(printer, extents.getValue());
  }
  if (getInto())
    printer << " into " << getInto();
  printer << " : " << getType() << ' ';
  if (getPartOf()) {
    printer << "for ";
    printer.printString(*getPartOf());
    printer << ' ';
  }
  printer.printRegion(getBody());
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  StringRef kindText, leafText;
  std::string order;
  SmallVector<Attribute> extents;
  SMLoc kindLoc = parser.getCurrentLocation(), leafLoc;
  Type type;
  if (parser.parseKeyword(&kindText) ||
      parseNames(parser, properties.index_names) || parser.parseKeyword("in") ||
      parseExtents(parser, extents))
    return failure();
  OpAsmParser::UnresolvedOperand from;
  bool hasFrom = succeeded(parser.parseOptionalKeyword("from"));
  if ((hasFrom && parser.parseOperand(from)) || parser.parseKeyword("order") ||
      parser.parseString(&order))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("term"))) {
    std::string text;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLess() || parser.parseString(&text) ||
        parser.parseGreater())
      return failure();
    properties.term =
        parser.getChecked<TermAttr>(loc, parser.getContext(), StringRef(text));
    if (!properties.term)
      return failure();
  }
  if (parser.parseKeyword("leaf") || parser.getCurrentLocation(&leafLoc) ||
      parser.parseKeyword(&leafText) || parser.parseColonType(type) ||
      parser.parseRegion(*result.addRegion(), {}) ||
      (hasFrom && parser.resolveOperand(from, type, result.operands)))
    return failure();
  std::optional<ReduceKind> kind = symbolizeReduceKind(kindText);
  if (!kind)
    return parser.emitError(kindLoc, "expected sum, prod, max or min");
  std::optional<Leaf> leaf = symbolizeLeaf(leafText);
  if (!leaf)
    return parser.emitError(leafLoc, "expected plain, muladd or fma");
  properties.kind = ReduceKindAttr::get(builder.getContext(), *kind);
  properties.leaf = LeafAttr::get(builder.getContext(), *leaf);
  properties.extents = builder.getArrayAttr(extents);
  properties.order = builder.getStringAttr(order);
  result.addTypes(type);
  return success();
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyReduceKind(getKind()) << ' ';
  printNames(printer, getIndexNames());
  printer << " in ";
  printExtents(printer, getExtents().getValue());
  if (getFrom())
    printer << " from " << getFrom();
  printer << " order ";
  printer.printString(getOrder());
  if (TermAttr term = getTermAttr()) {
    printer << " term <";
    printer.printString(term.getText());
    printer << '>';
  }
  printer << " leaf " << stringifyLeaf(getLeaf()) << " : " << getType() << ' ';
  printer.printRegion(getBody());
}

ParseResult ReadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand tensor;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  TeTensorType type;
  if (parser.parseOperand(tensor) ||
      parser.parseOperandList(indices, OpAsmParser::Delimiter::Square))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("guarded")))
    result.getOrAddProperties<Properties>().guarded =
        parser.getBuilder().getUnitAttr();
  if (parser.parseColonType(type) ||
      parser.resolveOperand(tensor, type, result.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getIndexType(),
                             result.operands))
    return failure();
  result.addTypes(type.getElementType());
  return success();
}

void ReadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getTensor() << '[' << getIndices() << ']'
          << (getGuarded() ? " guarded : " : " : ") << getTensor().getType();
}
