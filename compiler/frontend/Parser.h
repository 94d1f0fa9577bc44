//===- Parser.h - tokens to a tree ------------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent; the rule a function parses stands above it. A syntax error
// is reported where it is found and thrown to the next statement or item, where
// parsing goes on. Line ends mean nothing but in schedules: a statement ends
// where its expression does. The result is empty of meaning; Sema looks at
// names and types.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_PARSER_H
#define GIRIH_COMPILER_FRONTEND_PARSER_H

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Lexer.h"
#include "compiler/frontend/Reporter.h"

#include <string_view>

namespace girih::frontend {

struct OuterDim;

class Parser {
public:
  /// `base`: as it was given to lex.
  Parser(std::string_view text, LexedFile lexed, Reporter &reporter,
         uint32_t base = 0);

  /// The whole file; what could not be parsed is left out (and reported).
  File parseFile();
  /// One expression and nothing else; null after an error.
  ExprPtr parseOnlyExpr();

private:
  struct SyntaxError {}; ///< thrown once an error is reported
  class Nest;

  // Tokens (Parser.cpp).
  const Token &token(size_t ahead = 0) const;
  std::string_view textOf(const Token &token) const;
  bool at(TokenKind kind, size_t ahead = 0) const;
  bool atWord(std::string_view word, size_t ahead = 0) const;
  Token take();
  bool accept(TokenKind kind);
  Token expect(TokenKind kind, std::string_view where);
  [[noreturn]] void unexpected(std::string_view wanted, std::string_view where);
  [[noreturn]] void fail(const char *code, std::string message,
                         SourceRange range, std::string help = "");
  /// "... not supported yet".
  [[noreturn]] void unsupported(const char *code, std::string what,
                                SourceRange range, std::string help = "");
  SourceRange since(const Token &first) const;
  Name expectName(std::string_view what, std::string_view where);
  /// A name that is defined here: not that of a type or built-in function.
  Name expectNewName(std::string_view what, std::string_view where);
  void refuseReserved(std::string_view name, SourceRange range);
  int64_t expectInteger(std::string_view what, int64_t least, int64_t most);
  std::vector<std::string> docsOf(const Token &token) const;
  void countStatement(const Token &token);

  // Items (Parser.cpp).
  bool atItem() const;
  void skipToItem();
  void skipBraces();
  void parseItem(File &file);
  std::unique_ptr<ConstDecl> parseConst();
  std::unique_ptr<FnDecl> parseFn();
  std::unique_ptr<UseDecl> parseUse();
  ScalarType parseType();
  /// A type, or the name of a type parameter of the operator: then F32 and
  /// `param`.
  ScalarType parseTypeOrParam(std::string &param);
  bool isTypeParam(std::string_view name) const;
  std::string parseString(std::string_view what, std::string_view where);

  // Tests (ParserTest.cpp).
  std::unique_ptr<TestDecl> parseTest();
  TestRun parseRun(bool nested);
  TestExpect parseExpect();
  TestValue parseTestValue();
  void parseList(TestValue &value, size_t depth);
  TestValue parseGenerator();
  void parseTolerances(TestExpect &expect);

  // Schedules (ParserSchedule.cpp).
  bool atTemplate() const;
  std::unique_ptr<ScheduleDecl> parseSchedule();
  std::unique_ptr<TemplateDecl> parseTemplate();
  void parseDirectives(std::vector<Directive> &directives,
                       std::string_view what);
  void skipDirective();
  Directive parseDirective();
  void parseOperands(Directive &directive, const std::string &word);
  void parseResults(Directive &directive, bool optional);
  void parseOptions(Directive &directive, bool commas);
  DirectiveOption parseOption();
  Factor parseFactor(std::string_view where);
  int64_t parseFactorValue(std::string_view where);
  std::vector<Factor> parseFactors(std::string_view where);
  LoopRef parseLoopRef(std::string_view where);
  std::vector<LoopRef> parseLoopRefs(std::string_view where);
  Name parseDotted(std::string_view what, std::string_view where);
  std::vector<Name> parseDottedList(std::string_view what,
                                    std::string_view where);
  void checkListed(size_t count);
  void checkParts(size_t count, const Token &first);
  bool atDirectiveEnd() const;
  bool acceptWord(std::string_view word);
  // These stay in the directive.
  bool acceptHere(TokenKind kind);
  bool acceptWordHere(std::string_view word);
  void expectHere(TokenKind kind, std::string_view where);
  void expectWordHere(std::string_view word, std::string_view where);
  Name expectNameHere(std::string_view what, std::string_view where);
  [[noreturn]] void unexpectedInDirective(std::string_view wanted,
                                          std::string_view where);

  // Operators (ParserOp.cpp).
  std::unique_ptr<OpDecl> parseOp();
  void parseOpParams(OpDecl &op);
  OpParam parseOpParam();
  TensorDecl parseTensorDecl(bool input);
  void parseNumerics(OpDecl &op);
  void parseLicence(OpDecl &op);
  bool parseBody(OpDecl &op, const TimeLoop *loop = nullptr,
                 const RaggedLoop *ragged = nullptr);
  bool parseLoop(OpDecl &op, const TimeLoop *parent);
  /// `t in 0..T`
  std::unique_ptr<IndexVariable> parseLoopIndex(std::string_view where);
  bool parseRaggedLoop(OpDecl &op, const TimeLoop *parent,
                       std::unique_ptr<IndexVariable> group,
                       const Token &first);
  bool skipToStatement(const Token *start);
  bool startsStatement() const;
  std::vector<std::unique_ptr<Statement>> parseStatement();
  /// Behind the first of two left sides, or of two plain names.
  std::vector<std::unique_ptr<Statement>>
  parsePair(std::unique_ptr<Statement> values, const Token &first,
            const Token &comma);
  std::vector<std::unique_ptr<Statement>>
  parseTopK(std::unique_ptr<Statement> values,
            std::unique_ptr<Statement> places, const Token &first);
  void parseLeftSide(Statement &statement);
  // Scatter (ParserScatter.cpp).
  /// At a statement whose place data decide, or that combines.
  bool atScatter() const;
  void parseScatter(Statement &statement);
  void refuseStatementTail();

  // What sizes have to satisfy, and what they are (ParserSizes.cpp).
  void parseConstraints(OpDecl &op);
  SizeConstraint parseConstraint();
  std::unique_ptr<DerivedSize> parseDerivedSize();
  void refuseHiddenDivisor(const Token &first);

  // Dimensions and promises of tensors (ParserDims.cpp).
  void parseDims(TensorDecl &decl);
  void parsePromise(TensorDecl &decl, bool input);
  DimDecl parseLeading(bool first);
  bool atGroup() const;
  void parseGroup(TensorDecl &decl);
  DimDecl parseDim();
  void parsePromises(TensorDecl &decl, bool input);
  void parseLayout(TensorDecl &decl, const Token &word);
  void parseAliases(TensorDecl &decl, bool input, const Token &word);
  void parseOffsets(TensorDecl &decl, bool input, const Token &word);
  unsigned parseLayoutPlace(const TensorDecl &decl,
                            const std::vector<OuterDim> &dims);
  Assumption parseAssume(size_t before);

  // Expressions (ParserExpr.cpp).
  ExprPtr make(Expr::Node node, SourceRange range);
  /// `inThen`: between `then` and `else`, where an `else` is not a read's.
  ExprPtr parseExpr(bool inThen = false);
  ExprPtr parseOr();
  ExprPtr parseAnd();
  ExprPtr parseNot();
  ExprPtr parseComparison();
  /// Bit operations and shifts: `level` 0 to 3 is |, ^, &, shifts.
  ExprPtr parseBits(unsigned level);
  ExprPtr parseSum();
  ExprPtr parseProduct();
  ExprPtr parseUnary();
  ExprPtr parsePrimary();
  ExprPtr parseNamed();
  ExprPtr parseNumber();
  ExprPtr parseCast();
  ExprPtr parseCall();
  NamedArgument parseNamedArgument();
  ExprPtr parseAccess();
  ExprPtr parseReduction();
  ReduceExpr parseReduced(std::string_view name, ReduceKind kind,
                          const Token &first);
  Subscript parseSubscript();
  /// A sum of names, integers and integer values.
  ExprPtr parsePlace();
  /// A sum of names and integers; others are refused when names are resolved.
  ExprPtr parseIndexSum(const char *what, int64_t most);
  /// Refuses more indices than kMaxIndices.
  void checkIndices(const Token &first);
  ReduceOrder parseOrder(const Token &first);
  std::unique_ptr<OrderTerm> parseTerm(unsigned depth);
  ExprPtr binary(BinaryOp op, const Token &opToken, ExprPtr lhs, ExprPtr rhs);

  std::string_view text;
  LexedFile lexed;
  Reporter &reporter;
  uint32_t base;
  std::vector<std::string> typeParams; ///< of the operator being parsed
  size_t position = 0;
  bool inRagged = false; ///< the statement stands in a loop over groups
  /// A loop that stands for a part of the statement that was parsed last.
  std::unique_ptr<TimeLoop> madeLoop;
  unsigned nesting = 0;
  size_t directiveBegin = 0; ///< the first token of the directive
  bool elseIsTaken = false;  ///< the next `else` belongs to an `if`
  unsigned statements = 0;
  unsigned indicesHere = 0; ///< of the statement and the reductions around
};

/// Counts one level of nesting while it lives.
class Parser::Nest {
public:
  explicit Nest(Parser &parser);
  ~Nest() { --parser.nesting; }
  Nest(const Nest &) = delete;
  Nest &operator=(const Nest &) = delete;

private:
  Parser &parser;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_PARSER_H
