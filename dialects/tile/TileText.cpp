//===- TileText.cpp - custom text forms of tile ops -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/Tile.h"

using namespace mlir;
using namespace girih::tile;

//===----------------------------------------------------------------------===//
// tile.kernel @name threads 256 (%A "A": type, ...) { ... }
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  int32_t threads = 0;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseKeyword("threads") || parser.parseInteger(threads))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> names;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren, [&]() -> ParseResult {
            std::string argumentName;
            OpAsmParser::Argument &argument = arguments.emplace_back();
            if (parser.parseArgument(argument) ||
                parser.parseString(&argumentName) || parser.parseColon() ||
                parser.parseType(argument.type))
              return failure();
            names.push_back(builder.getStringAttr(argumentName));
            return success();
          }))
    return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.threads = builder.getI32IntegerAttr(threads);
  properties.arg_names = builder.getArrayAttr(names);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  // `{}` reads as no block at all.
  if (body->empty()) {
    Block &block = body->emplaceBlock();
    for (OpAsmParser::Argument &argument : arguments)
      block.addArgument(argument.type, result.location);
  }
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " threads " << getThreads() << " (";
  llvm::interleaveComma(llvm::zip(getBlock().getArguments(), getArgNames()),
                        printer, [&](auto pair) {
                          auto [argument, name] = pair;
                          printer << argument << ' ';
                          printer.printString(
                              cast<StringAttr>(name).getValue());
                          printer << ": " << argument.getType();
                        });
  printer << ") ";
  SmallVector<NamedAttribute> others((*this)->getDiscardableAttrs());
  printer.printOptionalAttrDictWithKeyword(others);
  if (!others.empty())
    printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// tile.map(%a, %b) index [%i] by [1, 0] : (types) -> type { ... }
//===----------------------------------------------------------------------===//

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, bases;
  SmallVector<int64_t> coefficients;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("index"))) {
    if (parser.parseOperandList(bases, OpAsmParser::Delimiter::Square) ||
        parser.parseKeyword("by") ||
        parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Square, [&]() -> ParseResult {
              return parser.parseInteger(coefficients.emplace_back());
            }))
      return failure();
  }
  FunctionType type;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(inputs, type.getInputs(), loc, result.operands) ||
      parser.resolveOperands(bases, builder.getIndexType(), result.operands) ||
      parser.parseRegion(*result.addRegion(), {}))
    return failure();
  result.addTypes(type.getResults());
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.index_coefficients = builder.getDenseI64ArrayAttr(coefficients);
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(bases.size())};
  return success();
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << '(' << getInputs() << ')';
  if (!getIndexBases().empty()) {
    printer << " index [" << getIndexBases() << "] by [";
    llvm::interleaveComma(getIndexCoefficients(), printer);
    printer << ']';
  }
  printer.printOptionalAttrDict(
      SmallVector<NamedAttribute>((*this)->getDiscardableAttrs()));
  printer << " : ";
  printer.printFunctionalType(getInputs().getTypes(),
                              (*this)->getResultTypes());
  printer << ' ';
  printer.printRegion(getBody());
}
