//===- TeFacts.cpp - what is known of a function's tensors ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/TeFacts.h"

#include "mlir/IR/DialectImplementation.h"

#include <numeric>

using namespace mlir;
using namespace girih::te;

/// The largest alignment of an address that may be promised, in bytes.
static constexpr int64_t kMaxAlign = 4096;

static ParseResult parseNumbers(AsmParser &parser,
                                SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(numbers.emplace_back());
  });
}

Attribute FactsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> groups, layout;
  bool leading = false, finite = false;
  int64_t align = 0;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("groups")) &&
      parseNumbers(parser, groups))
    return {};
  leading = succeeded(parser.parseOptionalKeyword("leading"));
  if (succeeded(parser.parseOptionalKeyword("layout")) &&
      parseNumbers(parser, layout))
    return {};
  if (succeeded(parser.parseOptionalKeyword("align")) &&
      parser.parseInteger(align))
    return {};
  finite = succeeded(parser.parseOptionalKeyword("finite"));
  if (parser.parseGreater())
    return {};
  return FactsAttr::get(parser.getContext(), groups, leading, layout, align,
                        finite);
}

void FactsAttr::print(AsmPrinter &printer) const {
  const char *space = "";
  auto word = [&](const char *text) -> AsmPrinter & {
    printer << space << text;
    space = " ";
    return printer;
  };
  auto numbers = [&](const char *name, ArrayRef<int64_t> list) {
    if (list.empty())
      return;
    word(name) << " [";
    llvm::interleaveComma(list, printer);
    printer << ']';
  };
  printer << '<';
  numbers("groups", getGroups());
  if (getLeading())
    word("leading");
  numbers("layout", getLayout());
  if (getAlign() != 0)
    word("align") << ' ' << getAlign();
  if (getFinite())
    word("finite");
  printer << '>';
}

static bool isPermutation(ArrayRef<int64_t> numbers, int64_t count) {
  SmallVector<int64_t> sorted(numbers);
  llvm::sort(sorted);
  SmallVector<int64_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return sorted == all;
}

static LogicalResult verifyOne(FuncOp func, StringRef name, TeTensorType type,
                               FactsAttr facts, bool isInput) {
  int64_t rank = type.getRank();
  auto wrong = [&](const char *what) {
    return func.emitOpError("has facts about '") << name << "': " << what;
  };
  int64_t members = 0;
  for (int64_t group : facts.getGroups()) {
    if (group < 1 || group > rank)
      return wrong("a group without members");
    members += group;
  }
  if (!facts.getGroups().empty() && members != rank)
    return wrong("its groups do not cover its dimensions");
  if (facts.getLeading() &&
      (rank == 0 || !isa<StringAttr>(type.getShape().front()) ||
       (!facts.getGroups().empty() && facts.getGroups().front() != 1)))
    return wrong("leading dimensions are not one plain size");
  if (!facts.getLayout().empty() && !isPermutation(facts.getLayout(), rank))
    return wrong("its layout does not name every dimension once");
  int64_t align = facts.getAlign();
  if (align < 0 || align > kMaxAlign || (align & (align - 1)) != 0)
    return wrong("its alignment is no power of two up to 4096");
  if (facts.getFinite() && !(isInput && isa<FloatType>(type.getElementType())))
    return wrong("only an input of floats is assumed finite");
  return success();
}

ArrayAttr girih::te::invariantOf(FuncOp func) {
  return func->getAttrOfType<ArrayAttr>(kInvariant);
}

void girih::te::setInvariant(FuncOp func, ArrayAttr sizes) {
  func->setAttr(kInvariant, sizes);
}

int64_t girih::te::onlineOf(FuncOp func) {
  auto block = func->getAttrOfType<IntegerAttr>(kOnline);
  return block ? block.getInt() : 0;
}

void girih::te::setOnline(FuncOp func, int64_t block) {
  func->setAttr(kOnline, Builder(func.getContext()).getI64IntegerAttr(block));
}

bool girih::te::isApart(FuncOp func, StringRef result) {
  auto names = func->getAttrOfType<ArrayAttr>(kApart);
  return names && llvm::any_of(names, [&](Attribute name) {
           return cast<StringAttr>(name).getValue() == result;
         });
}

void girih::te::setApart(FuncOp func, ArrayAttr results) {
  func->setAttr(kApart, results);
}

LogicalResult girih::te::verifyApart(FuncOp func) {
  auto names = func->getAttrOfType<ArrayAttr>(kApart);
  if (!names)
    return success();
  for (Attribute name : names) {
    int64_t argument = -1;
    for (auto [number, result] : llvm::enumerate(func.getResultNames()))
      if (result == name)
        argument = func.inPlaceOf(number);
    if (!isa<StringAttr>(name) || argument < 0)
      return func.emitOpError("may have ")
             << name << " apart, which is no result in place of an argument";
  }
  return success();
}

static constexpr char kPass[] = "te.pass";

bool girih::te::isPass(ForOp loop) { return loop->hasAttr(kPass); }

void girih::te::markPass(ForOp loop) {
  loop->setAttr(kPass, UnitAttr::get(loop.getContext()));
}

LogicalResult girih::te::verifyInvariant(FuncOp func) {
  if (ArrayAttr sizes = invariantOf(func))
    for (Attribute size : sizes) {
      auto name = dyn_cast<StringAttr>(size);
      if (!name || func.findSize(name.getValue()) < 0)
        return func.emitOpError("is to be invariant in ")
               << size << ", which is not one of its sizes";
    }
  return success();
}

LogicalResult girih::te::verifyFacts(FuncOp func) {
  DictionaryAttr all = func.getFacts().value_or(DictionaryAttr());
  if (!all)
    return success();
  for (NamedAttribute entry : all) {
    auto facts = dyn_cast<FactsAttr>(entry.getValue());
    if (!facts)
      return func.emitOpError("has facts that are no #te.facts");
    StringRef name = entry.getName().getValue();
    TeTensorType type;
    bool isInput = false;
    for (auto [argument, other] :
         llvm::zip(func.getBlock().getArguments(), func.getArgNames()))
      if (cast<StringAttr>(other).getValue() == name) {
        type = cast<TeTensorType>(argument.getType());
        isInput = true;
      }
    for (auto [result, other] :
         llvm::zip(func.getResultTypes(), func.getResultNames()))
      if (cast<StringAttr>(other).getValue() == name)
        type = dyn_cast<TeTensorType>(cast<TypeAttr>(result).getValue());
    if (!type)
      return func.emitOpError("has facts about '")
             << name << "', which is none of its tensors";
    if (failed(verifyOne(func, name, type, facts, isInput)))
      return failure();
  }
  return success();
}

FactsAttr FuncOp::factsOf(StringRef tensor) {
  return getFacts() ? getFacts()->getAs<FactsAttr>(tensor) : FactsAttr();
}
