//===- PtxDirectives.cpp - variables and registers ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 5 (state spaces, types and variables).
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/PtxParser.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace girih::sim {

namespace {

constexpr size_t kDimensions = 16;
constexpr size_t kRegisters = 1000000;
constexpr size_t kRegisterNameBytes = size_t(64) << 20;
constexpr size_t kDigits = 7; ///< of a number below kRegisters, and one more
constexpr uint64_t kAlignment = uint64_t(1) << 20;

/// The most bytes that a variable may take. Global addresses have 40 bits for
/// the offset and shared ones 24; the others are PTX's limits.
uint64_t limitOf(Space space) {
  switch (space) {
  case Space::Global:
    return uint64_t(1) << 40;
  case Space::Shared:
    return (uint64_t(1) << 24) - 1;
  case Space::Local:
    return 512 << 10;
  case Space::Const:
    return 64 << 10;
  default:
    return 32764; // parameters
  }
}

/// Of all variables together: a kernel need not use all of its module's, so
/// that this only keeps sums within 32 bits.
uint64_t totalLimitOf(Space space) {
  bool isExact = space == Space::Global || space == Space::Param;
  return isExact ? limitOf(space) : uint64_t(INT32_MAX);
}

/// Types of variables and registers; the others are only of instructions.
bool isFundamental(Type type) {
  switch (type) {
  case Type::Pred:
  case Type::B8:
  case Type::B16:
  case Type::B32:
  case Type::B64:
  case Type::B128:
  case Type::U8:
  case Type::U16:
  case Type::U32:
  case Type::U64:
  case Type::S8:
  case Type::S16:
  case Type::S32:
  case Type::S64:
  case Type::F16:
  case Type::F16x2:
  case Type::F32:
  case Type::F64:
    return true;
  default:
    return false;
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// What stands in front of the names
//===----------------------------------------------------------------------===//

/// `.attribute(.managed)`: current is `.attribute`.
bool PtxParser::parseAttribute() {
  advance();
  if (!expect("("))
    return false;
  while (!current.is(")")) {
    if (current.kind == Token::Kind::Bad || current.kind == Token::Kind::End ||
        current.is(";"))
      return expected("')'");
    advance();
  }
  advance();
  return true;
}

/// One directive in front of the names: current.
bool PtxParser::parseOnePrefix(Declaration &declaration) {
  std::string_view name = current.text.substr(1);
  uint32_t line = current.line;
  if (name == "align") {
    advance();
    uint64_t value = 0;
    if (!expectInteger("an alignment", kAlignment, value))
      return false;
    if (!std::has_single_bit(value))
      return fail(line,
                  "alignment " + std::to_string(value) + " is no power of two");
    declaration.alignment = uint32_t(value);
    return true;
  }
  if (name == "attribute")
    return parseAttribute();
  if (name == "v2" || name == "v4") {
    advance();
    declaration.vector = name == "v2" ? 2 : 4;
    return true;
  }
  if (name == "texref" || name == "surfref" || name == "samplerref")
    return fail(line, "textures, surfaces and samplers are not supported: '" +
                          std::string(current.text) + "'");
  std::optional<Type> type = parseType(name);
  if (!type)
    return fail(line, "expected a type such as '.b32', found '" +
                          std::string(current.text) + "'");
  if (!isFundamental(*type) || *type == Type::Pred)
    return fail(line, "a variable cannot have type '" +
                          std::string(current.text) +
                          "': declare its bits, as in '.b" +
                          std::to_string(std::max(bitsOf(*type), 8u)) + "'");
  declaration.type = *type;
  advance();
  return true;
}

/// Up to the type.
bool PtxParser::parsePrefix(Declaration &declaration) {
  while (declaration.type == Type::None) {
    if (current.kind != Token::Kind::Dotted)
      return expected("a type such as '.b32'");
    if (!parseOnePrefix(declaration))
      return false;
  }
  if (bitsOf(declaration.type) * declaration.vector > 128)
    return fail(lastLine, "a vector of " + std::to_string(declaration.vector) +
                              " '." + std::string(nameOf(declaration.type)) +
                              "' has more than 128 bits");
  return true;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// `.shared .align 16 .b8 a[64], b;`: current is the space.
bool PtxParser::parseVariables(Space space, bool isExtern, bool inBody) {
  Declaration declaration;
  declaration.space = space;
  declaration.isExtern = isExtern;
  uint32_t line = current.line;
  advance();
  if (isExtern && space != Space::Shared)
    return fail(line, "an '.extern ." + std::string(nameOf(space)) +
                          "' variable lives in another module, which is not "
                          "supported");
  if (!parsePrefix(declaration))
    return false;
  do {
    Token name;
    SyntaxVariable variable;
    if (!expectWord("a variable's name", name))
      return false;
    variable.name = name.text;
    variable.location.line = name.line;
    if (!parseDeclarator(declaration, variable) ||
        !addVariable(std::move(variable), name.text, inBody))
      return false;
  } while (takeIf(","));
  return expect(";");
}

/// Dimensions and initializer behind the name.
bool PtxParser::parseDeclarator(const Declaration &declaration,
                                SyntaxVariable &variable) {
  variable.space = declaration.space;
  variable.type = declaration.type;
  uint64_t elementBytes = bitsOf(declaration.type) / 8;
  variable.alignment = declaration.alignment
                           ? declaration.alignment
                           : uint32_t(elementBytes * declaration.vector);
  std::vector<uint64_t> dimensions;
  bool isUnsized = false;
  if (!parseDimensions(declaration, dimensions, isUnsized))
    return false;
  if (declaration.isExtern) {
    if (!isUnsized || dimensions.size() > 1)
      return fail(variable.location.line,
                  "'.extern .shared' variable '" + variable.name +
                      "' stands for the launch's dynamic memory: declare it "
                      "as '" +
                      variable.name + "[]'");
    if (current.is("="))
      return fail(current.line, "an '.extern' variable has no initializer");
    variable.isDynamic = true;
    return true;
  }
  if (declaration.vector > 1)
    dimensions.push_back(declaration.vector);
  if (current.is("="))
    return parseInitializer(declaration, variable, dimensions, isUnsized) &&
           checkSize(variable);
  if (isUnsized)
    return fail(variable.location.line, "variable '" + variable.name +
                                            "' has no size: give one, or an "
                                            "initializer");
  variable.bytes = elementBytes;
  for (uint64_t dimension : dimensions)
    if (__builtin_mul_overflow(variable.bytes, dimension, &variable.bytes))
      variable.bytes = UINT64_MAX;
  return checkSize(variable);
}

/// Only the first may be left out; its entry is then 0.
bool PtxParser::parseDimensions(const Declaration &declaration,
                                std::vector<uint64_t> &dimensions,
                                bool &isUnsized) {
  while (current.is("[")) {
    uint32_t line = current.line;
    advance();
    if (dimensions.size() == kDimensions)
      return fail(line, "an array has more than " +
                            std::to_string(kDimensions) + " dimensions");
    uint64_t size = 0;
    if (current.is("]") && dimensions.empty()) {
      isUnsized = true;
    } else {
      if (!expectInteger("an array's size", limitOf(declaration.space), size))
        return false;
      if (size == 0)
        return fail(line, "an array's size is 0");
    }
    dimensions.push_back(size);
    if (!expect("]"))
      return false;
  }
  return true;
}

bool PtxParser::checkSize(const SyntaxVariable &variable) {
  uint64_t most = limitOf(variable.space);
  if (variable.bytes > most)
    return fail(variable.location.line,
                "'" + variable.name + "' is larger than the " +
                    std::to_string(most) + " bytes that '." +
                    std::string(nameOf(variable.space)) + "' can have");
  return true;
}

bool PtxParser::addVariable(SyntaxVariable variable, std::string_view name,
                            bool inBody) {
  // Module variables that a body declares are only named by it.
  bool isGlobal = !inBody || variable.space == Space::Global ||
                  variable.space == Space::Const;
  bool isParameter = variable.space == Space::Param;
  uint64_t &total =
      (isGlobal ? moduleBytes : bodyBytes)[unsigned(variable.space)];
  uint64_t mask = variable.alignment - 1;
  total = ((total + mask) & ~mask) + variable.bytes;
  if (uint64_t most = totalLimitOf(variable.space); total > most)
    return fail(variable.location.line,
                "'" + variable.name +
                    "' and the variables before it take more than the " +
                    std::to_string(most) + " bytes that '." +
                    std::string(nameOf(variable.space)) + "' can have");
  std::vector<SyntaxVariable> &list = isParameter ? kernel.parameters
                                      : isGlobal  ? module.variables
                                                  : kernel.variables;
  PtxSymbol symbol;
  symbol.kind = isParameter ? PtxSymbol::Kind::Parameter
                : isGlobal  ? PtxSymbol::Kind::GlobalVariable
                            : PtxSymbol::Kind::Variable;
  symbol.index = uint32_t(list.size());
  symbol.line = variable.location.line;
  list.push_back(std::move(variable));
  if (inBody)
    return declare(openScopes.back(), name, symbol);
  uint32_t existing = 0;
  if (!moduleSymbols.add(0, name, symbol, existing))
    return fail(symbol.line, "'" + std::string(name) +
                                 "' is already declared in line " +
                                 std::to_string(existing));
  return true;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// `.ptr .global .align 16`: current is `.ptr`. Promises to the compiler.
bool PtxParser::parsePointerAttributes() {
  advance();
  for (Space space : {Space::Global, Space::Shared, Space::Const, Space::Local})
    if (current.isDotted(nameOf(space))) {
      advance();
      break;
    }
  if (!current.isDotted("align"))
    return true;
  Declaration ignored;
  return parseOnePrefix(ignored);
}

bool PtxParser::parseParameter() {
  if (!current.isDotted("param"))
    return expected("'.param'");
  advance();
  Declaration declaration;
  declaration.space = Space::Param;
  Token name;
  if (!parsePrefix(declaration))
    return false;
  if (declaration.vector > 1)
    return fail(lastLine, "a parameter is no vector: declare an array");
  if (current.isDotted("ptr") && !parsePointerAttributes())
    return false;
  if (!expectWord("a parameter's name", name))
    return false;
  SyntaxVariable variable;
  variable.name = name.text;
  variable.location.line = name.line;
  if (!parseDeclarator(declaration, variable))
    return false;
  return addVariable(std::move(variable), name.text, /*inBody=*/true);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

bool PtxParser::parseRegisterType(Type &type) {
  if (current.kind != Token::Kind::Dotted)
    return expected("a register's type");
  std::string_view name = current.text.substr(1);
  if (name == "v2" || name == "v4")
    return fail(current.line, "vector registers are not supported: declare " +
                                  std::string(name.substr(1)) + " registers");
  std::optional<Type> known = parseType(name);
  if (!known)
    return fail(current.line, "expected a register's type such as '.b32', "
                              "found '" +
                                  std::string(current.text) + "'");
  if (!isFundamental(*known))
    return fail(current.line,
                "a register cannot have type '" + std::string(current.text) +
                    "': declare its bits, as in '.b" +
                    std::to_string(std::max(bitsOf(*known), 16u)) + "'");
  type = *known;
  advance();
  return true;
}

/// `.reg .b32 %r<10>, a, b;`: current is `.reg`.
bool PtxParser::parseRegisters() {
  advance();
  Type type = Type::None;
  if (!parseRegisterType(type))
    return false;
  do {
    Token name;
    if (!expectWord("a register's name", name))
      return false;
    if (!takeIf("<")) {
      if (!addRegisters(name, type, UINT64_MAX))
        return false;
      continue;
    }
    uint64_t count = 0;
    if (!expectInteger("a number of registers", kRegisters, count) ||
        !expect(">") || !addRegisters(name, type, count))
      return false;
  } while (takeIf(","));
  return expect(";");
}

/// `count` of UINT64_MAX: one, with no number behind its name.
bool PtxParser::addRegisters(const Token &name, Type type, uint64_t count) {
  bool isRange = count != UINT64_MAX;
  size_t added = isRange ? count : 1;
  if (added > kRegisters - registerCount)
    return fail(name.line, "the module declares more than " +
                               std::to_string(kRegisters) + " registers");
  registerCount += added;
  registerNameBytes += added * (name.text.size() + kDigits);
  if (registerNameBytes > kRegisterNameBytes)
    return fail(name.line, "the names of the module's registers have more "
                           "than " +
                               std::to_string(kRegisterNameBytes) +
                               " characters");
  PtxSymbol symbol;
  symbol.line = name.line;
  auto add = [&](std::string_view whole) {
    symbol.index = uint32_t(kernel.registers.size());
    kernel.registers.push_back({std::string(whole), type});
    return declare(openScopes.back(), whole, symbol);
  };
  if (!isRange)
    return add(name.text);

  // The names of a range lie one behind the other in a string that stays.
  std::string &names = rangeNames.emplace_back();
  names.resize(added * (name.text.size() + kDigits));
  if (added > symbols.size())
    symbols.reserve(added);
  char *place = names.data();
  for (uint64_t i = 0; i < added; ++i) {
    char *begin = place;
    place = std::copy(name.text.begin(), name.text.end(), place);
    place = std::to_chars(place, place + kDigits, i).ptr;
    if (!add({begin, size_t(place - begin)}))
      return false;
  }
  return true;
}

} // namespace girih::sim
