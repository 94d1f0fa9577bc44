//===- ParserSizes.cpp - tokens to a tree: 'where' of an operator ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Parser.h"

#include <cctype>
#include <fmt/format.h>

namespace girih::frontend {

static constexpr int64_t kMaxBound = int64_t(1) << 40;

/// where ::= constraint | name '=' sum
void Parser::parseConstraints(OpDecl &op) {
  // `M = 8` is a mistake for `M == 8`.
  auto atDefinition = [&] {
    bool number = at(TokenKind::Number, 2) &&
                  (at(TokenKind::Comma, 3) || at(TokenKind::LeftBrace, 3));
    return at(TokenKind::Identifier) && at(TokenKind::Equal, 1) && !number;
  };
  do
    if (atDefinition())
      op.derived.push_back(parseDerivedSize());
    else
      op.constraints.push_back(parseConstraint());
  while (accept(TokenKind::Comma));
}

std::unique_ptr<DerivedSize> Parser::parseDerivedSize() {
  auto size = std::make_unique<DerivedSize>();
  Token first = token();
  size->name = expectNewName("a size", "in a definition");
  expect(TokenKind::Equal, "after the size");
  size->value = parseSum();
  size->written = true;
  size->range = since(first);
  refuseHiddenDivisor(first);
  return size;
}

/// Whether a comment reads like what would be left of a quotient: `2`, `S + 1`.
static bool looksLikeDivisor(std::string_view comment) {
  size_t at = comment.find_first_not_of("/ ");
  if (at == std::string_view::npos || comment.substr(0, 3) == "///")
    return false;
  if (comment[at] == '(' ||
      std::isdigit(static_cast<unsigned char>(comment[at])))
    return true;
  while (at < comment.size() &&
         (std::isalnum(static_cast<unsigned char>(comment[at])) ||
          comment[at] == '_'))
    ++at;
  size_t next = comment.find_first_not_of(" \r", at);
  return next == std::string_view::npos ||
         std::string_view("+-*,{)").find(comment[next]) !=
             std::string_view::npos;
}

/// `H // 2` is H with a comment behind it, which nobody means in a definition.
void Parser::refuseHiddenDivisor(const Token &first) {
  uint32_t end = since(first).end;
  for (SourceRange comment : lexed.comments) {
    if (comment.begin < end)
      continue;
    std::string_view between = text.substr(end - base, comment.begin - end);
    std::string_view words =
        text.substr(comment.begin - base, comment.end - comment.begin);
    if (between.find('\n') == std::string_view::npos &&
        comment.begin < token().range.begin && looksLikeDivisor(words))
      fail(codes::kBadDefinition, "'//' starts a comment, which ends the size",
           {comment.begin, comment.begin + 2},
           "write '/', which rounds down; or put the comment on a line of its "
           "own");
    return;
  }
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
         op.kind == TokenKind::Equal
             ? fmt::format("write '{0} == {1}', which says how large {0} is",
                           constraint.name.text, textOf(token()))
             : "write it like 'M % 8 == 0' or 'N <= 65536'; 'OH = H / 2' "
               "defines a size");
  }
  if (at(TokenKind::Identifier))
    unsupported(codes::kBadConstraint, "constraints between two sizes are",
                token().range,
                constraint.kind == Kind::Equal
                    ? fmt::format("a size that a parameter or other sizes say "
                                  "is defined by one '=': {} = {}",
                                  constraint.name.text, textOf(token()))
                    : "compare with a number");
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

} // namespace girih::frontend
