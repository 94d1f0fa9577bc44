//===- PtxParser.h - how PTX text is parsed ------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind parsePtx of PtxSyntax.h; nothing else includes this. Recursive descent
// with a token of lookahead; every recursion has a limit. Labels may be used
// before they are defined, so bare words wait for the end of their body.
//
//   PtxParser.cpp        the module, its directives, debug information
//   PtxDirectives.cpp    variables, registers, parameters
//   PtxInitializers.cpp  their values
//   PtxBody.cpp          kernels, statements, labels
//   PtxOperands.cpp      operands, constant expressions
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_PTXPARSER_H
#define GIRIH_RUNTIME_SIM_PTXPARSER_H

#include "runtime/sim/PtxLexer.h"
#include "runtime/sim/PtxSyntax.h"

#include <deque>
#include <unordered_map>

namespace girih::sim {

/// What a name stands for.
struct PtxSymbol {
  enum class Kind : uint8_t {
    Register,
    Variable,       ///< of the body
    GlobalVariable, ///< of the module
    Parameter,
    Label,
    Table
  };
  Kind kind = Kind::Register;
  uint32_t index = 0;
  uint32_t line = 0;
};

/// Names by scope. Labels live apart from registers and variables.
class PtxSymbols {
public:
  /// False if the scope has that name already; `existing` is then its line.
  bool add(uint32_t scope, std::string_view name, PtxSymbol symbol,
           uint32_t &existing);
  const PtxSymbol *find(uint32_t scope, std::string_view name) const;
  /// Labels and branch tables.
  const PtxSymbol *findTarget(uint32_t scope, std::string_view name) const;
  void clear() { symbols = {}; }
  size_t size() const { return symbols.size(); }
  void reserve(size_t count) { symbols.reserve(symbols.size() + count); }

private:
  struct Key {
    std::string_view name;
    uint32_t scope; ///< twice its number, and 1 more for targets
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      return std::hash<std::string_view>()(key.name) ^
             key.scope * size_t(0x9e3779b97f4a7c15);
    }
  };
  const PtxSymbol *findKey(const Key &key) const;
  std::unordered_map<Key, PtxSymbol, Hash> symbols;
};

/// A constant expression's value.
struct PtxConstant {
  enum class Kind : uint8_t { Integer, Float32, Float64 };
  Kind kind = Kind::Integer;
  bool isUnsigned = false;
  uint64_t bits = 0;
};

class PtxParser {
public:
  explicit PtxParser(std::string_view text);
  Result<SyntaxModule> parse();

private:
  // All functions that parse return false once something has failed.

  // Tokens (PtxParser.cpp) ---------------------------------------------------

  void advance();
  bool fail(uint32_t line, std::string what);
  /// `expected WHAT, found 'x'`, at the current token.
  bool expected(const std::string &what);
  bool expect(std::string_view punctuation);
  bool takeIf(std::string_view punctuation);
  bool expectInteger(const std::string &what, uint64_t most, uint64_t &value);
  bool expectWord(const std::string &what, Token &word);
  std::string describeCurrent() const;

  // The module (PtxParser.cpp) -----------------------------------------------

  bool parseModule();
  bool parseVersion();
  bool parseTarget();
  bool parseAddressSize();
  bool parseItem();
  bool parseLinked();
  bool parseFile();
  bool parseLoc();
  bool parseSection();
  bool parsePragma();
  bool parseFunction();

  // Variables and registers (PtxDirectives.cpp) ------------------------------

  /// What stands in front of the declared names.
  struct Declaration {
    Space space = Space::Global;
    bool isExtern = false;
    Type type = Type::None;
    uint32_t alignment = 0; ///< 0: the type's own
    uint32_t vector = 1;    ///< elements of a .v2 or .v4
  };

  bool parseVariables(Space space, bool isExtern, bool inBody);
  bool parsePrefix(Declaration &declaration);
  bool parseOnePrefix(Declaration &declaration);
  bool parseAttribute();
  bool parseDeclarator(const Declaration &declaration,
                       SyntaxVariable &variable);
  bool parseDimensions(const Declaration &declaration,
                       std::vector<uint64_t> &dimensions, bool &isUnsized);
  bool parseInitializer(const Declaration &declaration,
                        SyntaxVariable &variable,
                        std::vector<uint64_t> &dimensions, bool isUnsized);
  bool parseInitializerLevel(SyntaxVariable &variable,
                             const std::vector<uint64_t> &dimensions,
                             size_t level, uint64_t offset, uint64_t &count);
  bool parseInitializerValue(SyntaxVariable &variable, uint64_t offset);
  bool checkSize(const SyntaxVariable &variable);
  bool addVariable(SyntaxVariable variable, std::string_view name, bool inBody);
  bool parseParameter();
  bool parsePointerAttributes();
  bool parseRegisters();
  bool parseRegisterType(Type &type);
  bool addRegisters(const Token &name, Type type, uint64_t count);

  // Kernels (PtxBody.cpp) ----------------------------------------------------

  bool parseEntry();
  bool parseParameters();
  bool parsePerformance();
  bool parseOnePerformance(std::string_view name);
  bool parseThreads(std::string_view name, std::array<uint32_t, 3> &sizes);
  bool parseBody();
  bool parseBodyItem();
  bool parseBodyDirective();
  bool openScope();
  void closeScope();
  bool parseLabel();
  bool parseTargets(const Token &label);
  bool parseStatement();
  bool parseGuard(SyntaxStatement &statement);
  bool declare(uint32_t scope, std::string_view name, PtxSymbol symbol);
  const PtxSymbol *lookUp(std::string_view name) const;
  bool resolveNames();
  void resolveOperand(SyntaxOperand &operand, uint32_t scope);
  const PtxSymbol *lookUpTarget(uint32_t scope, std::string_view name) const;

  // Operands (PtxOperands.cpp) -----------------------------------------------

  bool parseOperand(SyntaxOperand &operand, unsigned depth);
  bool parseSimple(SyntaxOperand &operand, unsigned depth);
  bool parseVector(SyntaxOperand &operand, unsigned depth);
  bool parseAddress(SyntaxOperand &operand, unsigned depth);
  bool parseAddressBase(SyntaxOperand &operand);
  bool parseNegated(SyntaxOperand &operand);
  bool parseNamed(SyntaxOperand &operand);
  bool parseOffset(int64_t &offset);
  bool parseConstantOperand(SyntaxOperand &operand);
  bool isWarpSizeAlone() const;
  bool startsConstant() const;
  bool parseConstant(PtxConstant &value);
  bool parseBinary(PtxConstant &value, unsigned weakest, unsigned depth);
  bool parseUnary(PtxConstant &value, unsigned depth);
  bool parsePrimary(PtxConstant &value, unsigned depth);
  bool combine(std::string_view symbol, uint32_t line, PtxConstant &left,
               const PtxConstant &right);

  std::string_view text;
  Lexer lexer;
  Token current, ahead;
  uint32_t lastLine = 1; ///< of the token before `current`
  std::string error;     ///< empty: all is well

  SyntaxModule module;
  PtxSymbols moduleSymbols, symbols; ///< `symbols`: the kernel's
  std::deque<std::string> rangeNames;
  size_t registerCount = 0, registerNameBytes = 0;
  uint64_t initializedBytes = 0;
  std::array<uint64_t, 7> moduleBytes{}, bodyBytes{}; ///< by space

  // The kernel being parsed.
  SyntaxKernel kernel;
  std::vector<uint32_t> scopeParents; ///< by number; the outermost is its own
  std::vector<uint32_t> openScopes;
  Location location; ///< of the `.loc` in force
  struct Pending {
    uint32_t statement, scope;
  };
  std::vector<Pending> pending; ///< statements with names yet to be found
  bool hasPendingName = false;
  struct PendingTable {
    uint32_t table, scope, line;
    std::vector<std::string_view> labels;
  };
  std::vector<PendingTable> pendingTables;
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_PTXPARSER_H
