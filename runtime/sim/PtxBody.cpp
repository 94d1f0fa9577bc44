//===- PtxBody.cpp - kernels and their statements -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 4.3 (statements) and 11 (directives).
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/PtxParser.h"

namespace girih::sim {

namespace {

constexpr size_t kScopes = 64; ///< one within the other

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool PtxParser::declare(uint32_t scope, std::string_view name,
                        PtxSymbol symbol) {
  uint32_t existing = 0;
  if (symbols.add(scope, name, symbol, existing))
    return true;
  return fail(symbol.line, quoted(name) + " is already declared in line " +
                               std::to_string(existing));
}

/// A register or variable, seen from the innermost scope.
const PtxSymbol *PtxParser::lookUp(std::string_view name) const {
  for (size_t i = openScopes.size(); i-- > 0;)
    if (const PtxSymbol *symbol = symbols.find(openScopes[i], name))
      return symbol;
  return moduleSymbols.find(0, name);
}

const PtxSymbol *PtxParser::lookUpTarget(uint32_t scope,
                                         std::string_view name) const {
  for (;; scope = scopeParents[scope]) {
    if (const PtxSymbol *symbol = symbols.findTarget(scope, name))
      return symbol;
    if (scope == scopeParents[scope])
      return nullptr;
  }
}

/// Words that nothing declared before may be labels.
void PtxParser::resolveOperand(SyntaxOperand &operand, uint32_t scope) {
  using Kind = SyntaxOperand::Kind;
  for (SyntaxOperand &element : operand.elements)
    resolveOperand(element, scope); // as deep as operands may be nested
  if (operand.kind != Kind::Name && operand.kind != Kind::Special)
    return;
  if (const PtxSymbol *symbol = lookUpTarget(scope, operand.name)) {
    operand.kind =
        symbol->kind == PtxSymbol::Kind::Label ? Kind::Label : Kind::Table;
    operand.index = symbol->index;
  }
}

bool PtxParser::resolveNames() {
  for (const Pending &wait : pending)
    for (SyntaxOperand &operand : kernel.statements[wait.statement].operands)
      resolveOperand(operand, wait.scope);
  for (const PendingTable &table : pendingTables)
    for (std::string_view name : table.labels) {
      const PtxSymbol *symbol = lookUpTarget(table.scope, name);
      if (!symbol || symbol->kind != PtxSymbol::Kind::Label)
        return fail(table.line,
                    "branch target " + quoted(name) + " is no label here");
      kernel.tables[table.table].push_back(symbol->index);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool PtxParser::parseEntry() {
  kernel = SyntaxKernel{};
  kernel.location.line = current.line;
  location = Location{};
  symbols.clear();
  rangeNames.clear();
  bodyBytes = {};
  pending.clear();
  pendingTables.clear();
  scopeParents = {0};
  openScopes = {0};
  advance();
  Token name;
  if (!expectWord("a kernel's name", name))
    return false;
  kernel.name = name.text;
  if (!parseParameters() || !parsePerformance())
    return false;
  if (takeIf(";"))
    return true; // a declaration of what another module has
  if (!current.is("{"))
    return expected("'{' before the body of " + quoted(kernel.name));
  PtxSymbol symbol;
  symbol.kind = PtxSymbol::Kind::Label;
  symbol.line = kernel.location.line;
  uint32_t existing = 0;
  if (!moduleSymbols.add(0, name.text, symbol, existing))
    return fail(name.line, "kernel " + quoted(kernel.name) +
                               " is already defined in line " +
                               std::to_string(existing));
  if (!parseBody() || !resolveNames())
    return false;
  module.kernels.push_back(std::move(kernel));
  return true;
}

bool PtxParser::parseParameters() {
  if (!takeIf("(") || takeIf(")"))
    return true;
  do {
    if (!parseParameter())
      return false;
  } while (takeIf(","));
  return current.is(")") ? expect(")") : expected("',' or ')' in parameters");
}

/// 1 to 3 sizes; those left out are 1.
bool PtxParser::parseThreads(std::string_view name,
                             std::array<uint32_t, 3> &sizes) {
  sizes = {1, 1, 1};
  uint64_t product = 1;
  for (size_t i = 0; i == 0 || (i < 3 && takeIf(",")); ++i) {
    uint64_t size = 0;
    uint32_t line = current.line;
    if (!expectInteger("a size of '." + std::string(name) + "'", INT32_MAX,
                       size))
      return false;
    if (size == 0)
      return fail(line, "a size of '." + std::string(name) + "' is 0");
    sizes[i] = uint32_t(size);
    product *= size; // of two factors below 2^31 at a time
    if (product > INT32_MAX)
      return fail(line, "the sizes of '." + std::string(name) +
                            "' multiply to more than " +
                            std::to_string(INT32_MAX));
  }
  return true;
}

bool PtxParser::parseOnePerformance(std::string_view name) {
  if (name == "pragma")
    return parsePragma();
  uint32_t line = current.line;
  advance();
  if (name == "reqntid")
    return parseThreads(name, kernel.requiredThreads);
  if (name == "maxntid")
    return parseThreads(name, kernel.maximalThreads);
  if (name == "reqnctapercluster")
    return parseThreads(name, kernel.requiredCluster);
  if (name == "explicitcluster")
    return kernel.explicitCluster = true;
  if (name == "blocksareclusters")
    return kernel.blocksAreClusters = true;
  if (name == "noreturn")
    return true;
  // Hints to the register allocator, and the driver's limit for clusters.
  uint64_t ignored = 0;
  for (const char *known :
       {"maxnreg", "minnctapersm", "maxnctapersm", "maxclusterrank"})
    if (name == known)
      return expectInteger("the number of '." + std::string(name) + "'",
                           UINT32_MAX, ignored);
  return fail(line, "directive " + quoted("." + std::string(name)) +
                        " of a kernel is not known");
}

bool PtxParser::parsePerformance() {
  while (current.kind == Token::Kind::Dotted)
    if (!parseOnePerformance(current.text.substr(1)))
      return false;
  if (kernel.requiredThreads[0] && kernel.maximalThreads[0])
    return fail(lastLine, "kernel " + quoted(kernel.name) +
                              " has both '.reqntid' and '.maxntid'");
  return true;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

bool PtxParser::openScope() {
  if (openScopes.size() > kScopes)
    return fail(current.line, "scopes are nested deeper than " +
                                  std::to_string(kScopes) + " levels");
  scopeParents.push_back(openScopes.back());
  openScopes.push_back(uint32_t(scopeParents.size() - 1));
  advance();
  return true;
}

void PtxParser::closeScope() {
  openScopes.pop_back();
  advance();
}

/// Current is the `{`. Scope 0 has the parameters, scope 1 the body.
bool PtxParser::parseBody() {
  uint32_t line = current.line;
  if (!openScope())
    return false;
  while (openScopes.size() > 1) {
    if (current.kind == Token::Kind::End)
      return fail(line, "the body of kernel " + quoted(kernel.name) +
                            " that begins here has no '}'");
    if (!parseBodyItem())
      return false;
  }
  return true;
}

bool PtxParser::parseBodyItem() {
  if (current.is("{"))
    return openScope();
  if (current.is("}")) {
    closeScope();
    return true;
  }
  if (current.isWord() && ahead.is(":"))
    return parseLabel();
  if (current.kind == Token::Kind::Dotted)
    return parseBodyDirective();
  return parseStatement();
}

bool PtxParser::parseBodyDirective() {
  std::string_view name = current.text.substr(1);
  if (name == "reg")
    return parseRegisters();
  if (name == "loc")
    return parseLoc();
  if (name == "pragma")
    return parsePragma();
  if (name == "file")
    return parseFile();
  if (name == "section")
    return parseSection();
  for (Space space : {Space::Shared, Space::Local, Space::Global, Space::Const})
    if (name == nameOf(space))
      return parseVariables(space, /*isExtern=*/false, /*inBody=*/true);
  if (name == "param")
    return fail(current.line, "a '.param' variable in a body is for calls, "
                              "which are not supported: inline the function");
  if (name == "branchtargets")
    return fail(current.line, "'.branchtargets' has no label");
  return fail(current.line,
              "directive " + quoted(current.text) + " is not known in a body");
}

bool PtxParser::parseLabel() {
  Token label = current;
  advance();
  advance();
  if (label.text == "_")
    return fail(label.line, "'_' is no name for a label");
  if (current.isDotted("branchtargets"))
    return parseTargets(label);
  if (current.isDotted("callprototype") || current.isDotted("calltargets"))
    return fail(current.line, quoted(current.text) +
                                  " is for calls, which are not supported: "
                                  "inline the function");
  PtxSymbol symbol;
  symbol.kind = PtxSymbol::Kind::Label;
  symbol.index = uint32_t(kernel.statements.size());
  symbol.line = label.line;
  return declare(openScopes.back(), label.text, symbol);
}

/// Current is `.branchtargets`.
bool PtxParser::parseTargets(const Token &label) {
  PtxSymbol symbol;
  symbol.kind = PtxSymbol::Kind::Table;
  symbol.index = uint32_t(kernel.tables.size());
  symbol.line = label.line;
  PendingTable table{symbol.index, openScopes.back(), current.line, {}};
  advance();
  do {
    Token word;
    if (!expectWord("a label", word))
      return false;
    table.labels.push_back(word.text);
  } while (takeIf(","));
  kernel.tables.emplace_back();
  pendingTables.push_back(std::move(table));
  return expect(";") && declare(openScopes.back(), label.text, symbol);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// `@%p` or `@!%p`: current is the `@`.
bool PtxParser::parseGuard(SyntaxStatement &statement) {
  advance();
  statement.guardNegated = takeIf("!");
  Token name;
  if (!expectWord("a predicate behind '@'", name))
    return false;
  const PtxSymbol *symbol = lookUp(name.text);
  if (!symbol || symbol->kind != PtxSymbol::Kind::Register)
    return fail(name.line,
                "guard " + quoted(name.text) + " is no declared register");
  Type type = kernel.registers[symbol->index].type;
  if (type != Type::Pred)
    return fail(name.line, "guard " + quoted(name.text) + " is a '." +
                               std::string(nameOf(type)) +
                               "': a predicate is needed");
  statement.guard = symbol->index;
  return true;
}

bool PtxParser::parseStatement() {
  SyntaxStatement &statement = kernel.statements.emplace_back();
  statement.location = location;
  statement.location.line = current.line;
  hasPendingName = false;
  if (current.is("@") && !parseGuard(statement))
    return false;
  if (!current.isWord() || current.text[0] == '%' || current.text[0] == '_')
    return expected("an instruction");
  statement.opcode = current.text;
  if (statement.opcode == "call")
    return fail(current.line, "'call' is not supported: inline the function");
  advance();
  if (current.kind == Token::Kind::Dotted)
    statement.modifiers.reserve(4);
  for (; current.kind == Token::Kind::Dotted; advance())
    statement.modifiers.emplace_back(current.text.substr(1));
  if (!current.is(";")) {
    statement.operands.reserve(4);
    do {
      statement.operands.emplace_back();
      if (!parseOperand(statement.operands.back(), 0))
        return false;
    } while (takeIf(","));
  }
  if (!current.is(";"))
    return expected("',' or ';'");
  advance();
  if (hasPendingName)
    pending.push_back(
        {uint32_t(kernel.statements.size() - 1), openScopes.back()});
  return true;
}

} // namespace girih::sim
