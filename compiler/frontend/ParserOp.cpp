//===- ParserOp.cpp - tokens to a tree: operators and statements ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Parser.h"
#include "compiler/support/Suggest.h"

#include <fmt/format.h>

namespace girih::frontend {

namespace {
constexpr int64_t kMaxDim = (int64_t(1) << 40) - 1;
// No size reaches it, and the polyhedral model takes no number above 2^53.
constexpr int64_t kMaxBound = int64_t(1) << 40;
} // namespace

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

/// op ::= 'op' name '(' [tensor (',' tensor)*] ')' '->' tensor (',' tensor)*
///        ['where' constraint (',' constraint)*] '{' [numerics] statement* '}'
std::unique_ptr<OpDecl> Parser::parseOp() {
  auto op = std::make_unique<OpDecl>();
  Token first = take();
  op->docs = docsOf(first);
  op->name = expectNewName("a name", "after 'op'");
  typeParams.clear();
  if (at(TokenKind::Less))
    parseOpParams(*op);
  expect(TokenKind::LeftParen, "before the operator's inputs");
  while (!at(TokenKind::RightParen)) {
    op->inputs.push_back(parseTensorDecl(/*input=*/true));
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen, "after the operator's inputs");
  expect(TokenKind::Arrow, "before the operator's outputs");
  do
    op->outputs.push_back(parseTensorDecl(/*input=*/false));
  while (accept(TokenKind::Comma));
  op->range = since(first);
  if (accept(TokenKind::KwWhere))
    parseConstraints(*op);
  expect(TokenKind::LeftBrace, "before the operator's statements");
  bool ended = parseBody(*op);
  typeParams.clear();
  return ended ? std::move(op) : nullptr;
}

/// params ::= '<' param (',' param)* '>'
void Parser::parseOpParams(OpDecl &op) {
  expect(TokenKind::Less, "here");
  while (!at(TokenKind::Greater)) {
    op.params.push_back(parseOpParam());
    if (op.params.back().kind == OpParam::Kind::Type)
      typeParams.push_back(op.params.back().name.text);
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::Greater, "after the operator's parameters");
}

/// param ::= 'const' name ':' type ['=' sum]
///         | 'type' name 'in' '{' type (',' type)* '}'
OpParam Parser::parseOpParam() {
  OpParam param;
  Token first = token();
  if (accept(TokenKind::KwConst)) {
    param.name = expectNewName("a name", "after 'const'");
    expect(TokenKind::Colon, "after the parameter's name");
    param.type = parseTypeOrParam(param.typeParam);
    // No comparison: the '>' that follows ends the list.
    if (accept(TokenKind::Equal))
      param.value = parseSum();
  } else if (accept(TokenKind::KwType)) {
    param.kind = OpParam::Kind::Type;
    param.name = expectNewName("a name", "after 'type'");
    expect(TokenKind::KwIn, "after the type parameter's name");
    expect(TokenKind::LeftBrace, "before the types it may be");
    do
      param.choices.push_back(parseType());
    while (accept(TokenKind::Comma) && !at(TokenKind::RightBrace));
    expect(TokenKind::RightBrace, "after the types it may be");
  } else {
    unexpected("'const' or 'type'", "in the operator's parameters");
  }
  param.range = since(first);
  return param;
}

/// tensor ::= name ':' type ['[' [dim (',' dim)*] ']'] ['in' sum '..' sum]
///            ['?' '=' 'none']
TensorDecl Parser::parseTensorDecl(bool input) {
  TensorDecl decl;
  Token first = token();
  if (at(TokenKind::KwInout))
    unsupported(codes::kNoParameter, "'inout' parameters are", first.range,
                "write the new value to an output of its own");
  if (at(TokenKind::KwConst) || at(TokenKind::KwType))
    fail(codes::kMisplaced,
         "a const or type parameter stands in '<...>' behind the operator's "
         "name",
         first.range);
  decl.name = expectNewName("a tensor's name",
                            input ? "in the input list" : "in the output list");
  expect(TokenKind::Colon, "after the tensor's name");
  decl.type = parseTypeOrParam(decl.typeParam);
  if (accept(TokenKind::LeftBracket)) {
    while (!at(TokenKind::RightBracket)) {
      decl.dims.push_back(parseDim());
      if (!accept(TokenKind::Comma))
        break;
    }
    expect(TokenKind::RightBracket, "after the tensor's dimensions");
  }
  parsePromise(decl, input);
  if (at(TokenKind::Question)) {
    if (!input)
      fail(codes::kNotOptional, "an output cannot be optional", token().range);
    take();
    decl.optional = true;
    expect(TokenKind::Equal, "after '?'");
    expect(TokenKind::KwNone, "as the default of an optional tensor");
  }
  decl.range = since(first);
  if (at(TokenKind::Equal))
    fail(codes::kSyntax, "a tensor has no default value", token().range,
         "an optional one is written 'X: f32[N]? = none'");
  if (at(TokenKind::KwIn))
    fail(codes::kMisplaced, "a promised range stands before '? = none'",
         token().range);
  return decl;
}

/// dim ::= sum
DimDecl Parser::parseDim() {
  DimDecl dim;
  Token first = token();
  if (at(TokenKind::DotDot))
    unsupported(codes::kNoDimension, "leading dimensions ('..R') are",
                first.range);
  // `(HK, G)`, but not `(N - K) + 1`.
  for (size_t ahead = 0, depth = 0; ahead == 0 || depth > 0; ++ahead) {
    if (at(TokenKind::LeftParen, ahead))
      ++depth;
    else if (at(TokenKind::RightParen, ahead))
      --depth;
    else if (depth == 1 && at(TokenKind::Comma, ahead))
      unsupported(codes::kNoDimension, "grouped dimensions are", first.range);
    else if (depth == 0 || at(TokenKind::EndOfFile, ahead))
      break;
  }
  if (!at(TokenKind::Number) && !at(TokenKind::Identifier) &&
      !at(TokenKind::LeftParen))
    unexpected("a size or an integer", "as a dimension");
  if (at(TokenKind::Identifier))
    refuseReserved(std::string(textOf(first)), first.range);
  dim.value = parseIndexSum("a dimension", kMaxDim);
  dim.range = since(first);
  return dim;
}

/// ['in' sum '..' sum], and what else may stand behind a tensor in the full
/// language.
void Parser::parsePromise(TensorDecl &decl, bool input) {
  SourceRange range = token().range;
  if (at(TokenKind::KwIn) && !input)
    fail(codes::kMisplaced, "only inputs promise a range", range,
         "what an output holds follows from its statement");
  if (accept(TokenKind::KwIn)) {
    decl.first = parseIndexSum("the start of a range", kMaxDim);
    expect(TokenKind::DotDot, "between the ends of a range");
    decl.end = parseIndexSum("the end of a range", kMaxDim);
  }
  range = token().range;
  for (std::string_view word : {"layout", "align", "aliases", "offsets"})
    if (atWord(word))
      unsupported(codes::kNoPromise, fmt::format("'{}' is", word), range,
                  "leave it out: any strides are accepted");
}

void Parser::parseConstraints(OpDecl &op) {
  do
    op.constraints.push_back(parseConstraint());
  while (accept(TokenKind::Comma));
}

/// constraint ::= name '%' integer '==' '0'
///              | name ('<' | '<=' | '>' | '>=' | '==') integer
SizeConstraint Parser::parseConstraint() {
  SizeConstraint constraint;
  Token first = token();
  if (at(TokenKind::Number))
    fail(codes::kBadConstraint, "a constraint starts with its size",
         first.range, "write it like 'N <= 65536'");
  constraint.name = expectName("a size", "in a constraint");
  Token op = take();
  using Kind = SizeConstraint::Kind;
  switch (op.kind) {
  case TokenKind::Percent:
    constraint.kind = Kind::Multiple;
    break;
  case TokenKind::Less:
    constraint.kind = Kind::Less;
    break;
  case TokenKind::LessEqual:
    constraint.kind = Kind::LessEqual;
    break;
  case TokenKind::Greater:
    constraint.kind = Kind::Greater;
    break;
  case TokenKind::GreaterEqual:
    constraint.kind = Kind::GreaterEqual;
    break;
  case TokenKind::EqualEqual:
    constraint.kind = Kind::Equal;
    break;
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Star:
  case TokenKind::Slash:
    unsupported(codes::kBadConstraint, "constraints on computed sizes are",
                op.range);
  default:
    fail(codes::kBadConstraint,
         "expected '%', '<', '<=', '>', '>=' or '==' after the size", op.range,
         "write it like 'M % 8 == 0' or 'N <= 65536'");
  }
  if (at(TokenKind::Identifier))
    unsupported(codes::kBadConstraint, "constraints between two sizes are",
                token().range);
  if (constraint.kind == Kind::Multiple) {
    constraint.value = expectInteger("the divisor", 1, kMaxBound);
    expect(TokenKind::EqualEqual, "after the divisor");
    SourceRange rest = token().range;
    if (expectInteger("the remainder", 0, kMaxBound) != 0)
      unsupported(codes::kBadConstraint, "remainders other than 0 are", rest);
  } else {
    constraint.value = expectInteger("the bound", 0, kMaxBound);
  }
  constraint.range = since(first);
  return constraint;
}

/// numerics ::= 'numerics' '{' ('functions' '=' ('fast' | 'portable'))* '}'
void Parser::parseNumerics(OpDecl &op) {
  expect(TokenKind::KwNumerics, "here");
  expect(TokenKind::LeftBrace, "after 'numerics'");
  while (!at(TokenKind::RightBrace)) {
    Name key = expectName("a licence's name", "in 'numerics'");
    if (key.text != "functions") {
      if (key.text == "contract" || key.text == "contraction" ||
          key.text == "rescale" || key.text == "rescaling")
        unsupported(codes::kNoNumerics,
                    fmt::format("the numerics licence '{}' is", key.text),
                    key.range);
      fail(codes::kUndefined,
           fmt::format("there is no numerics licence '{}'{}", key.text,
                       didYouMean(key.text, {"functions"})),
           key.range);
    }
    if (op.functions)
      fail(codes::kMisplaced, "'functions' is set twice", key.range);
    expect(TokenKind::Equal, "after 'functions'");
    if (atWord("fast"))
      op.functions = Accuracy::Fast;
    else if (atWord("portable"))
      op.functions = Accuracy::Portable;
    else
      unexpected("'fast' or 'portable'", "here");
    take();
    accept(TokenKind::Comma);
  }
  expect(TokenKind::RightBrace, "after the numerics licences");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The statements up to and with '}'. False where the end was lost.
bool Parser::parseBody(OpDecl &op) {
  bool first = true;
  while (!accept(TokenKind::RightBrace)) {
    if (reporter.full() || statements > kMaxStatements)
      return false;
    const Token *start = &token();
    try {
      if (at(TokenKind::EndOfFile) || (atItem() && token().startsLine))
        unexpected("'}'", fmt::format("at the end of '{}'", op.name.text));
      if (at(TokenKind::KwNumerics)) {
        if (!first)
          fail(codes::kMisplaced,
               "'numerics' must be the first thing in the operator",
               token().range);
        parseNumerics(op);
      } else {
        op.statements.push_back(parseStatement());
      }
    } catch (const SyntaxError &) {
      nesting = 0;
      elseIsTaken = false;
      if (!skipToStatement(start))
        return false;
    }
    first = false;
  }
  return true;
}

/// Looks like `T =`, `T[...] =` or another statement.
bool Parser::startsStatement() const {
  if (at(TokenKind::KwFor) || at(TokenKind::KwAssume) ||
      at(TokenKind::KwNumerics))
    return true;
  if (!at(TokenKind::Identifier))
    return false;
  size_t ahead = 1;
  if (at(TokenKind::LeftBracket, ahead)) {
    constexpr size_t kLongest = 64;
    unsigned depth = 0;
    do {
      if (at(TokenKind::LeftBracket, ahead))
        ++depth;
      else if (at(TokenKind::RightBracket, ahead))
        --depth;
      else if (at(TokenKind::EndOfFile, ahead))
        return false;
    } while (++ahead < kLongest && depth > 0);
  }
  bool combines = atWord("max", ahead) || atWord("min", ahead);
  return at(TokenKind::Equal, ahead) || at(TokenKind::PlusEqual, ahead) ||
         (combines && at(TokenKind::Equal, ahead + 1));
}

/// Moves past a faulty statement; false at the end of the operator.
bool Parser::skipToStatement(const Token *start) {
  unsigned depth = 0;
  while (!at(TokenKind::EndOfFile)) {
    if (atItem() && token().startsLine)
      return false;
    if (depth == 0 && at(TokenKind::RightBrace))
      return true;
    if (depth == 0 && &token() != start && token().startsLine &&
        startsStatement())
      return true;
    if (at(TokenKind::LeftBrace))
      ++depth;
    else if (at(TokenKind::RightBrace))
      --depth;
    take();
  }
  return false;
}

/// statement ::= name ['[' [name (',' name)*] ']'] '=' expr
///             | name (',' name)* '=' call
std::unique_ptr<Statement> Parser::parseStatement() {
  auto statement = std::make_unique<Statement>();
  Token first = token();
  countStatement(first);
  if (at(TokenKind::KwFor))
    unsupported(codes::kNoStatement, "time loops ('for') are", first.range);
  if (at(TokenKind::KwAssume))
    unsupported(codes::kNoStatement, "'assume' is", first.range);
  if (atScatter()) {
    parseScatter(*statement);
    statement->range = since(first);
    refuseStatementTail();
    return statement;
  }
  statement->target = expectNewName("a statement", "or '}'");
  Token comma = token();
  while (accept(TokenKind::Comma))
    statement->moreTargets.push_back(
        expectNewName("a tensor's name", "after ','"));
  bool calls = at(TokenKind::Equal) && at(TokenKind::Identifier, 1) &&
               at(TokenKind::LeftParen, 2);
  if (!statement->moreTargets.empty() && !calls)
    unsupported(codes::kNoStatement, "statements that define two tensors are",
                comma.range, "only a call of an operator gives several");
  if (accept(TokenKind::LeftBracket)) {
    while (!at(TokenKind::RightBracket)) {
      statement->indices.push_back(parseLeftIndex());
      if (!accept(TokenKind::Comma))
        break;
    }
    expect(TokenKind::RightBracket, "after the left-hand indices");
  }
  if (atWord("prod") && at(TokenKind::Equal, 1))
    unsupported(codes::kNoStatement, "scatter by products ('prod=') is",
                token().range);
  if (at(TokenKind::EqualEqual))
    fail(codes::kSyntax, "a statement defines with '='; '==' compares",
         token().range, "write '='");
  expect(TokenKind::Equal, fmt::format("after '{}'", statement->target.text));
  statement->value = parseExpr();
  statement->range = since(first);
  refuseStatementTail();
  return statement;
}

std::unique_ptr<IndexVariable> Parser::parseLeftIndex() {
  Token first = token();
  bool plain = at(TokenKind::Identifier) &&
               (at(TokenKind::Comma, 1) || at(TokenKind::RightBracket, 1));
  if (!plain) {
    if (at(TokenKind::Number))
      unsupported(codes::kNoStatement,
                  "defining a part of a tensor (a constant on the left) is",
                  first.range);
    if (!at(TokenKind::Identifier) && !at(TokenKind::Minus) &&
        !at(TokenKind::LeftParen))
      unexpected("an index name", "on the left-hand side");
    Token op = at(TokenKind::Identifier) ? token(1) : first;
    switch (op.kind) {
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::Star:
    case TokenKind::Slash:
    case TokenKind::LeftParen:
      unsupported(codes::kNoStatement,
                  "defining a part of a tensor (a computed left-hand index) is",
                  first.range);
    default:
      take();
      unexpected("',' or ']'", "after a left-hand index");
    }
  }
  auto index = std::make_unique<IndexVariable>();
  index->name = expectNewName("an index name", "on the left-hand side");
  return index;
}

/// What may follow a statement in the full language.
void Parser::refuseStatementTail() {
  SourceRange range = token().range;
  if (at(TokenKind::KwWhere))
    unsupported(codes::kNoStatement, "'where' after a statement is", range);
  if (at(TokenKind::KwElse))
    unsupported(codes::kNoStatement, "'else' (a value outside the range) is",
                range);
  for (std::string_view word : {"unique", "drop"})
    if (atWord(word) && !at(TokenKind::Equal, 1) &&
        !at(TokenKind::LeftBracket, 1))
      fail(codes::kMisplaced,
           fmt::format("'{}' belongs to a statement whose place data decide",
                       word),
           range, "write it like KC[slot[t], d] = K[t, d] unique, drop");
  switch (token().kind) {
  case TokenKind::Ampersand:
  case TokenKind::Caret:
  case TokenKind::Pipe:
  case TokenKind::Tilde:
    unsupported(codes::kNoFunction, "bit operations are", range,
                "the connectives are 'and', 'or', 'not'");
  case TokenKind::EqualEqual:
  case TokenKind::NotEqual:
  case TokenKind::Less:
  case TokenKind::Greater:
    fail(codes::kChainedComparison, "comparisons do not chain", range,
         "combine two with 'and'");
  case TokenKind::Equal:
    fail(codes::kSyntax, "'=' cannot follow an expression", range,
         "write '==' to compare; or is there an operator too many before it?");
  case TokenKind::Identifier:
  case TokenKind::RightBrace:
  case TokenKind::KwFor:
  case TokenKind::KwAssume:
  case TokenKind::KwNumerics:
    return;
  default:
    unexpected("a new statement or '}'", "after the expression");
  }
}

} // namespace girih::frontend
