//===- Parser.cpp - tokens to a tree: files and items ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Parser.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

Parser::Parser(std::string_view text, LexedFile lexed, Reporter &reporter,
               uint32_t base)
    : text(text), lexed(std::move(lexed)), reporter(reporter), base(base) {}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

const Token &Parser::token(size_t ahead) const {
  return lexed.tokens[std::min(position + ahead, lexed.tokens.size() - 1)];
}

std::string_view Parser::textOf(const Token &token) const {
  return text.substr(token.range.begin - base,
                     token.range.end - token.range.begin);
}

bool Parser::at(TokenKind kind, size_t ahead) const {
  return token(ahead).kind == kind;
}

bool Parser::atWord(std::string_view word, size_t ahead) const {
  return at(TokenKind::Identifier, ahead) && textOf(token(ahead)) == word;
}

Token Parser::take() {
  Token result = token();
  if (position + 1 < lexed.tokens.size())
    ++position;
  return result;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind))
    return false;
  take();
  return true;
}

Token Parser::expect(TokenKind kind, std::string_view where) {
  if (!at(kind))
    unexpected(describe(kind), where);
  return take();
}

void Parser::unexpected(std::string_view wanted, std::string_view where) {
  const Token &found = token();
  std::string what(describe(found.kind));
  if (found.kind >= TokenKind::KwAnd && found.kind <= TokenKind::KwWhere)
    what = fmt::format("the keyword '{}'", textOf(found));
  else if (found.kind == TokenKind::Identifier ||
           found.kind == TokenKind::Number)
    what = fmt::format("'{}'", textOf(found).substr(0, 40));
  fail(codes::kSyntax,
       fmt::format("expected {} {}, found {}", wanted, where, what),
       found.range);
}

void Parser::fail(const char *code, std::string message, SourceRange range,
                  std::string help) {
  Diagnostic &d = reporter.error(code, std::move(message), range);
  if (!help.empty())
    d.help(std::move(help));
  throw SyntaxError{};
}

void Parser::unsupported(const char *code, std::string what, SourceRange range,
                         std::string help) {
  fail(code, std::move(what) + " not supported yet", range, std::move(help));
}

SourceRange Parser::since(const Token &first) const {
  uint32_t end =
      position == 0 ? first.range.end : lexed.tokens[position - 1].range.end;
  return {first.range.begin, std::max(first.range.end, end)};
}

Name Parser::expectName(std::string_view what, std::string_view where) {
  if (!at(TokenKind::Identifier))
    unexpected(what, where);
  Token name = take();
  return {std::string(textOf(name)), name.range};
}

Name Parser::expectNewName(std::string_view what, std::string_view where) {
  Name name = expectName(what, where);
  refuseReserved(name.text, name.range);
  return name;
}

/// Parsing goes on: the name reads as a name here, if not at its uses.
void Parser::refuseReserved(std::string_view name, SourceRange range) {
  if (isReservedName(name))
    reporter.error(
        codes::kReservedName,
        fmt::format("'{}' is the name of a type or a built-in function", name),
        range);
}

int64_t Parser::expectInteger(std::string_view what, int64_t least,
                              int64_t most) {
  if (!at(TokenKind::Number))
    unexpected("an integer", fmt::format("as {}", what));
  Token number = take();
  std::string_view digits = textOf(number);
  if (digits.find_first_not_of("0123456789") != std::string_view::npos)
    fail(codes::kSyntax, fmt::format("{} must be a plain integer", what),
         number.range);
  int64_t value = 0;
  for (char c : digits) {
    value = std::min<int64_t>(value, INT64_MAX / 16) * 10 + (c - '0');
    if (value > most)
      break;
  }
  if (value < least || value > most)
    fail(codes::kIntegerOutOfRange,
         fmt::format("{} must lie in {} .. {}", what, least, most),
         number.range);
  return value;
}

std::vector<std::string> Parser::docsOf(const Token &token) const {
  return {lexed.docLines.begin() + token.docBegin,
          lexed.docLines.begin() + token.docEnd};
}

void Parser::countStatement(const Token &token) {
  if (++statements == kMaxStatements + 1)
    reporter.error(codes::kTooManyStatements,
                   fmt::format("more than {} statements and items in one file",
                               kMaxStatements),
                   token.range);
}

Parser::Nest::Nest(Parser &parser) : parser(parser) {
  if (++parser.nesting > kMaxNesting) {
    --parser.nesting; // the destructor does not run
    parser.fail(codes::kNestedTooDeep,
                fmt::format("nested deeper than {} levels", kMaxNesting),
                parser.token().range, "name a part in a statement of its own");
  }
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

/// `template` is no keyword: a tensor may be called like it.
bool Parser::atTemplate() const {
  return atWord("template") && at(TokenKind::Identifier, 1) &&
         at(TokenKind::LeftParen, 2);
}

bool Parser::atItem() const {
  switch (token().kind) {
  case TokenKind::KwConst:
  case TokenKind::KwExtern:
  case TokenKind::KwFn:
  case TokenKind::KwOp:
  case TokenKind::KwSchedule:
  case TokenKind::KwTest:
  case TokenKind::KwUse:
    return true;
  default:
    return atTemplate();
  }
}

/// Moves on to the next item. Braces are stepped over as a whole, but an item's
/// keyword at the start of a line ends any search: braces may be unbalanced.
void Parser::skipToItem() {
  unsigned depth = 0;
  while (!at(TokenKind::EndOfFile)) {
    if (atItem() && (depth == 0 || token().startsLine))
      return;
    if (at(TokenKind::LeftBrace))
      ++depth;
    else if (at(TokenKind::RightBrace) && depth > 0)
      --depth;
    take();
  }
}

/// file ::= item*
File Parser::parseFile() {
  File file;
  while (!at(TokenKind::EndOfFile) && !reporter.full() &&
         statements <= kMaxStatements) {
    size_t start = position;
    try {
      parseItem(file);
    } catch (const SyntaxError &) {
      nesting = 0;
      if (position == start)
        take();
      skipToItem();
    }
  }
  return file;
}

ExprPtr Parser::parseOnlyExpr() {
  try {
    ExprPtr expr = parseExpr();
    if (!at(TokenKind::EndOfFile))
      unexpected("nothing more", "after the value");
    return expr;
  } catch (const SyntaxError &) {
    return nullptr;
  }
}

/// item ::= use | const | fn | op | schedule | template | test
void Parser::parseItem(File &file) {
  const Token &first = token();
  countStatement(first);
  switch (first.kind) {
  case TokenKind::KwConst:
    file.items.emplace_back(parseConst());
    return;
  case TokenKind::KwFn:
    file.items.emplace_back(parseFn());
    return;
  case TokenKind::KwOp:
    if (auto op = parseOp())
      file.items.emplace_back(std::move(op));
    return;
  case TokenKind::KwUse:
    file.items.emplace_back(parseUse());
    return;
  case TokenKind::KwSchedule:
    file.items.emplace_back(parseSchedule());
    return;
  case TokenKind::KwTest:
    file.items.emplace_back(parseTest());
    return;
  case TokenKind::KwExtern: {
    Token keyword = take();
    accept(TokenKind::KwFn); // or it would be taken for the next item
    unsupported(codes::kNoItem, "an 'extern' function is", keyword.range);
  }
  default: {
    if (atWord("template")) {
      file.items.emplace_back(parseTemplate());
      return;
    }
    std::string suggestion;
    if (first.kind == TokenKind::Identifier)
      suggestion = nearestName(textOf(first), {"const", "fn", "op", "schedule",
                                               "template", "test", "use"});
    if (!suggestion.empty())
      fail(codes::kSyntax,
           fmt::format("'{}' starts no item; did you mean '{}'?", textOf(first),
                       suggestion),
           first.range);
    unexpected("'const', 'fn', 'op', 'schedule', 'template', 'test' or 'use'",
               "at the start of an item");
  }
  }
}

/// use ::= 'use' string
std::unique_ptr<UseDecl> Parser::parseUse() {
  auto decl = std::make_unique<UseDecl>();
  Token first = take();
  decl->docs = docsOf(first);
  decl->pathRange = token().range;
  decl->path = parseString("the path of a file in quotes", "after 'use'");
  decl->range = since(first);
  return decl;
}

std::string Parser::parseString(std::string_view what, std::string_view where) {
  if (!at(TokenKind::String))
    unexpected(what, where);
  std::string_view quoted = textOf(take());
  quoted.remove_prefix(1);
  if (!quoted.empty() && quoted.back() == '"')
    quoted.remove_suffix(1);
  return std::string(quoted);
}

/// const ::= 'const' name ':' type '=' expr
std::unique_ptr<ConstDecl> Parser::parseConst() {
  auto decl = std::make_unique<ConstDecl>();
  Token first = take();
  decl->docs = docsOf(first);
  decl->name = expectNewName("a name", "after 'const'");
  expect(TokenKind::Colon, "after the constant's name");
  decl->type = parseType();
  expect(TokenKind::Equal, "before the constant's value");
  decl->value = parseExpr();
  decl->range = since(first);
  return decl;
}

/// fn ::= 'fn' name '(' [name ':' type (',' name ':' type)*] ')' '->' type
///        '=' expr
std::unique_ptr<FnDecl> Parser::parseFn() {
  auto decl = std::make_unique<FnDecl>();
  Token first = take();
  decl->docs = docsOf(first);
  decl->name = expectNewName("a name", "after 'fn'");
  if (at(TokenKind::Less))
    unsupported(codes::kNoParameter, "type and const parameters are",
                token().range);
  expect(TokenKind::LeftParen, "before the function's parameters");
  while (!at(TokenKind::RightParen)) {
    FnParam param;
    param.name = expectNewName("a parameter's name", "in this list");
    expect(TokenKind::Colon, "after the parameter's name");
    param.type = parseType();
    if (at(TokenKind::LeftBracket))
      fail(codes::kSyntax, "a function takes scalars, not tensors",
           token().range, "write an 'op' for tensors");
    decl->params.push_back(std::move(param));
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen, "after the function's parameters");
  expect(TokenKind::Arrow, "before the function's result type");
  decl->result = parseType();
  expect(TokenKind::Equal, "before the function's value");
  decl->body = parseExpr();
  decl->range = since(first);
  return decl;
}

bool Parser::isTypeParam(std::string_view name) const {
  return std::find(typeParams.begin(), typeParams.end(), name) !=
         typeParams.end();
}

ScalarType Parser::parseTypeOrParam(std::string &param) {
  if (!at(TokenKind::Identifier) || !isTypeParam(textOf(token())))
    return parseType();
  param = textOf(take());
  return ScalarType::F32;
}

/// type ::= 'f64' | 'f32' | 'f16' | 'bf16' | 'f8e4m3fn' | 'f8e5m2' | 'i8' |
///          'i16' | 'i32' | 'i64' | 'u8' | 'u16' | 'u32' | 'u64' | 'bool'
ScalarType Parser::parseType() {
  if (!at(TokenKind::Identifier))
    unexpected("a type", "here");
  std::string_view name = textOf(token());
  if (auto type = typeNamed(name)) {
    take();
    return *type;
  }
  if (name == "tf32")
    fail(codes::kNoType, "tf32 is a precision, not a type of values",
         token().range, "use f32");
  fail(codes::kUndefined,
       fmt::format("there is no type '{}'{}", name,
                   didYouMean(name, typeNames())),
       token().range);
}

} // namespace girih::frontend
