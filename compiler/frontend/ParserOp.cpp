//===- ParserOp.cpp - tokens to a tree: operators and statements ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Parser.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

static bool findLeftIndex(const Statement &statement, std::string_view name) {
  for (const auto &index : statement.indices)
    if (index->name.text == name)
      return true;
  return false;
}

namespace {
// No size reaches it, and the polyhedral model takes no number above 2^53.
constexpr int64_t kMaxLeft = (int64_t(1) << 40) - 1;
} // namespace

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

/// op ::= 'op' name '(' [tensor (',' tensor)*] ')'
///        ['->' tensor (',' tensor)*]
///        ['where' where (',' where)*] '{' [numerics] statement* '}'
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
  bool inOut = std::any_of(op->inputs.begin(), op->inputs.end(),
                           [](const TensorDecl &decl) { return decl.inOut; });
  // What is written in place may be all that comes out.
  if (!inOut || at(TokenKind::Arrow)) {
    expect(TokenKind::Arrow, "before the operator's outputs");
    do
      op->outputs.push_back(parseTensorDecl(/*input=*/false));
    while (accept(TokenKind::Comma));
  }
  op->range = since(first);
  if (size_t tensors = op->inputs.size() + op->outputs.size();
      tensors > kMaxTensors)
    fail(codes::kTooManyIndices,
         fmt::format("'{}' has {} inputs and outputs, the limit is {}",
                     op->name.text, tensors, kMaxTensors),
         op->name.range, "make one tensor of several, or split the operator");
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

/// tensor ::= ['inout'] name ':' type [dims] ['in' sum '..' sum]
///            ['?' '=' 'none'] promise*
TensorDecl Parser::parseTensorDecl(bool input) {
  TensorDecl decl;
  Token first = token();
  decl.inOut = accept(TokenKind::KwInout);
  if (decl.inOut && !input)
    fail(codes::kMisplaced, "an inout tensor stands among the inputs",
         first.range, "it is an output too, without being listed there");
  if (at(TokenKind::KwConst) || at(TokenKind::KwType))
    fail(codes::kMisplaced,
         "a const or type parameter stands in '<...>' behind the operator's "
         "name",
         first.range);
  decl.name = expectNewName("a tensor's name",
                            input ? "in the input list" : "in the output list");
  expect(TokenKind::Colon, "after the tensor's name");
  decl.type = parseTypeOrParam(decl.typeParam);
  parseDims(decl);
  if (decl.dims.size() > kMaxDims)
    fail(codes::kTooManyIndices,
         fmt::format("'{}' has {} dimensions, the limit is {}", decl.name.text,
                     decl.dims.size(), kMaxDims),
         first.range);
  parsePromise(decl, input);
  if (at(TokenKind::Question)) {
    if (!input || decl.inOut)
      fail(codes::kNotOptional,
           decl.inOut ? "an inout tensor cannot be optional"
                      : "an output cannot be optional",
           token().range);
    take();
    decl.optional = true;
    expect(TokenKind::Equal, "after '?'");
    expect(TokenKind::KwNone, "as the default of an optional tensor");
  }
  parsePromises(decl, input);
  decl.range = since(first);
  if (at(TokenKind::Equal))
    fail(codes::kSyntax, "a tensor has no default value", token().range,
         "an optional one is written 'X: f32[N]? = none'");
  if (at(TokenKind::KwIn))
    fail(codes::kMisplaced, "a promised range stands before '? = none'",
         token().range);
  return decl;
}

/// numerics ::= 'numerics' '{' (licence [','])* '}'
void Parser::parseNumerics(OpDecl &op) {
  expect(TokenKind::KwNumerics, "here");
  expect(TokenKind::LeftBrace, "after 'numerics'");
  while (!at(TokenKind::RightBrace)) {
    parseLicence(op);
    accept(TokenKind::Comma);
  }
  expect(TokenKind::RightBrace, "after the numerics licences");
}

/// Elements of a block whose sums are rescaled together, at most.
static constexpr int64_t kMaxOnlineBlock = 1 << 20;

/// licence ::= 'functions' '=' ('fast' | 'portable')
///           | 'contract' '=' ('on' | 'off')
///           | 'invariant' '=' name (',' name)*
///           | 'rescale' '=' 'online' '(' integer ')'
void Parser::parseLicence(OpDecl &op) {
  Name key = expectName("a licence's name", "in 'numerics'");
  bool isFunctions = key.text == "functions";
  bool isInvariant = key.text == "invariant";
  bool isRescale = key.text == "rescale";
  if (!isFunctions && !isInvariant && !isRescale && key.text != "contract")
    fail(codes::kUndefined,
         fmt::format("there is no numerics licence '{}'{}", key.text,
                     didYouMean(key.text, {"functions", "contract", "invariant",
                                           "rescale"})),
         key.range);
  if (isFunctions   ? op.functions.has_value()
      : isInvariant ? !op.invariant.empty()
      : isRescale   ? op.online != 0
                    : op.contract.has_value())
    fail(codes::kMisplaced, fmt::format("'{}' is set twice", key.text),
         key.range);
  expect(TokenKind::Equal, fmt::format("after '{}'", key.text));
  if (isInvariant) {
    // A name before '=' is the next licence's.
    do
      op.invariant.push_back(expectName("a size", "in 'invariant'"));
    while (at(TokenKind::Comma) && at(TokenKind::Identifier, 1) &&
           !at(TokenKind::Equal, 2) && accept(TokenKind::Comma));
    return;
  }
  if (isRescale) {
    if (!atWord("online"))
      unexpected("'online'", "here");
    take();
    expect(TokenKind::LeftParen, "after 'online'");
    op.online = expectInteger("a number of elements", 1, kMaxOnlineBlock);
    expect(TokenKind::RightParen, "after the block's length");
    return;
  }
  if (isFunctions && atWord("fast"))
    op.functions = Accuracy::Fast;
  else if (isFunctions && atWord("portable"))
    op.functions = Accuracy::Portable;
  else if (!isFunctions && atWord("on"))
    op.contract = true;
  else if (!isFunctions && atWord("off"))
    op.contract = false;
  else
    unexpected(isFunctions ? "'fast' or 'portable'" : "'on' or 'off'", "here");
  take();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The statements up to and with '}'. False where the end was lost.
bool Parser::parseBody(OpDecl &op, const TimeLoop *loop,
                       const RaggedLoop *ragged) {
  bool first = true;
  while (!accept(TokenKind::RightBrace)) {
    if (reporter.full() || statements > kMaxStatements)
      return false;
    const Token *start = &token();
    try {
      if (at(TokenKind::EndOfFile) || (atItem() && token().startsLine))
        unexpected("'}'", fmt::format("at the end of '{}'", op.name.text));
      if (at(TokenKind::KwNumerics)) {
        if (!first || loop || ragged)
          fail(codes::kMisplaced,
               "'numerics' must be the first thing in the operator",
               token().range);
        parseNumerics(op);
      } else if (at(TokenKind::KwFor)) {
        if (ragged)
          unsupported(codes::kNoStatement,
                      "a loop inside a loop over groups of elements is",
                      token().range,
                      "put the loop over time outside, or write two loops "
                      "over the groups");
        if (!parseLoop(op, loop))
          return false;
      } else if (at(TokenKind::KwAssume)) {
        op.assumptions.push_back(parseAssume(op.statements.size()));
      } else {
        inRagged = ragged != nullptr;
        auto parsed = parseStatement();
        if (madeLoop) {
          madeLoop->parent = loop;
          op.loops.push_back(std::move(madeLoop));
        }
        for (auto &statement : parsed) {
          if (!statement->loop)
            statement->loop = loop;
          statement->ragged = ragged;
          op.statements.push_back(std::move(statement));
        }
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

/// statement ::= name ['[' [sum (',' sum)*] ']'] '=' expr
///               ['where' expr ['else' expr]]
///             | name (',' name)* '=' call
///             | left ',' left '=' ('argmax' | 'argmin' | 'topk' '<' integer
///             '>')
///               '[' ... ']' '(' expr ')'
std::vector<std::unique_ptr<Statement>> Parser::parseStatement() {
  auto statement = std::make_unique<Statement>();
  Token first = token();
  countStatement(first);
  if (atScatter()) {
    indicesHere = 0;
    parseScatter(*statement);
    statement->range = since(first);
    refuseStatementTail();
    std::vector<std::unique_ptr<Statement>> one;
    one.push_back(std::move(statement));
    return one;
  }
  statement->target = expectNewName("a statement", "or '}'");
  Token comma = token();
  while (accept(TokenKind::Comma))
    statement->moreTargets.push_back(
        expectNewName("a tensor's name", "after ','"));
  bool calls = at(TokenKind::Equal) && at(TokenKind::Identifier, 1) &&
               at(TokenKind::LeftParen, 2);
  if (!statement->moreTargets.empty() && !calls)
    return parsePair(std::move(statement), first, comma);
  if (accept(TokenKind::LeftBracket))
    parseLeftSide(*statement);
  if (at(TokenKind::Comma))
    return parsePair(std::move(statement), first, token());
  indicesHere = static_cast<unsigned>(
      std::max(statement->indices.size(), statement->at.size()));
  checkIndices(first);
  if (atWord("prod") && at(TokenKind::Equal, 1))
    unsupported(codes::kNoStatement, "scatter by products ('prod=') is",
                token().range);
  if (at(TokenKind::EqualEqual))
    fail(codes::kSyntax, "a statement defines with '='; '==' compares",
         token().range, "write '='");
  expect(TokenKind::Equal, fmt::format("after '{}'", statement->target.text));
  statement->value = parseExpr();
  if (accept(TokenKind::KwWhere)) {
    // An 'else' behind it is the statement's, not that of a read.
    statement->where = parseExpr(/*inThen=*/true);
    if (accept(TokenKind::KwElse))
      statement->otherwise = parseExpr();
  }
  statement->range = since(first);
  refuseStatementTail();
  std::vector<std::unique_ptr<Statement>> one;
  one.push_back(std::move(statement));
  return one;
}

/// The subscripts on the left: `i, 2 * j + 1]`. Names of sizes and constants
/// among them are sorted out where names are resolved.
void Parser::parseLeftSide(Statement &statement) {
  std::vector<Subscript> subscripts;
  bool plain = true;
  while (!at(TokenKind::RightBracket)) {
    Subscript subscript;
    Token first = token();
    if (!at(TokenKind::Identifier) && !at(TokenKind::Number) &&
        !at(TokenKind::Minus) && !at(TokenKind::LeftParen))
      unexpected("an index or an integer", "on the left-hand side");
    if (at(TokenKind::Identifier))
      refuseReserved(std::string(textOf(first)), first.range);
    subscript.value = parseIndexSum("a constant subscript", kMaxLeft);
    subscript.range = since(first);
    auto *name = subscript.value->as<NameExpr>();
    plain &= name && !findLeftIndex(statement, name->name);
    forEachName(*subscript.value, [&](const std::string &text, SourceRange at) {
      if (findLeftIndex(statement, text))
        return;
      auto index = std::make_unique<IndexVariable>();
      index->name = {text, at};
      statement.indices.push_back(std::move(index));
    });
    subscripts.push_back(std::move(subscript));
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightBracket, "after the left-hand indices");
  if (!plain)
    statement.at = std::move(subscripts);
}

/// What may follow a statement in the full language.
void Parser::refuseStatementTail() {
  SourceRange range = token().range;
  if (at(TokenKind::KwElse))
    fail(codes::kSyntax, "an 'else' needs a 'where' or an 'if' in front of it",
         range, "write it like 'Y[i] = x where i < K else 0'");
  for (std::string_view word : {"unique", "drop"})
    if (atWord(word) && !at(TokenKind::Equal, 1) &&
        !at(TokenKind::LeftBracket, 1))
      fail(codes::kMisplaced,
           fmt::format("'{}' belongs to a statement whose place data decide",
                       word),
           range, "write it like KC[slot[t], d] = K[t, d] unique, drop");
  switch (token().kind) {
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
