//===- ParserScatter.cpp - tokens to a tree: scatter statements -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Parser.h"

#include <fmt/format.h>

namespace girih::frontend {

/// `T[..x[..]..] =`, `T[f(i)] =`, `T[...] +=`, `T[...] max=`.
bool Parser::atScatter() const {
  if (!at(TokenKind::Identifier))
    return false;
  size_t ahead = 1;
  bool computed = false;
  if (at(TokenKind::LeftBracket, ahead)) {
    unsigned depth = 0;
    do {
      if (at(TokenKind::LeftBracket, ahead))
        computed |= ++depth > 1;
      else if (at(TokenKind::RightBracket, ahead))
        --depth;
      else if (at(TokenKind::EndOfFile, ahead))
        return false;
      // A rule, a cast or a function.
      computed |= at(TokenKind::Identifier, ahead) &&
                  at(TokenKind::LeftParen, ahead + 1);
      computed |= at(TokenKind::Percent, ahead);
    } while (++ahead, depth > 0);
  }
  bool combines = atWord("max", ahead) || atWord("min", ahead);
  if (at(TokenKind::PlusEqual, ahead) ||
      (combines && at(TokenKind::Equal, ahead + 1)))
    return true;
  return computed && at(TokenKind::Equal, ahead);
}

/// scatter ::= name '[' subscript (',' subscript)* ']'
///             ('=' | ('+=' | 'max=' | 'min=') ['[' order ']']) expr
///             ['unique' [',' 'drop'] | 'drop' [',' 'unique']]
void Parser::parseScatter(Statement &statement) {
  Token first = token();
  statement.target = expectNewName("a statement", "or '}'");
  Scatter &scatter = statement.scatter.emplace();
  AccessExpr place;
  place.tensorName = statement.target;
  if (!at(TokenKind::LeftBracket))
    fail(codes::kNoStatement,
         fmt::format("'{}' has no subscript: what combines with a single value "
                     "is a reduction",
                     statement.target.text),
         token().range,
         fmt::format("write {} = sum[i](...)", statement.target.text));
  take();
  while (!at(TokenKind::RightBracket)) {
    place.subscripts.push_back(parseSubscript());
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightBracket, "after the left-hand subscripts");
  SourceRange placeRange = since(first);
  Token op = take();
  if (op.kind == TokenKind::PlusEqual) {
    scatter.kind = Scatter::Kind::Add;
  } else if (op.kind == TokenKind::Identifier) {
    scatter.kind =
        textOf(op) == "max" ? Scatter::Kind::Max : Scatter::Kind::Min;
    take();
  }
  scatter.opRange = since(op);
  bool combines = scatter.kind != Scatter::Kind::Set;
  if (combines && at(TokenKind::LeftBracket)) {
    take();
    Token word = token();
    if (!atWord("order") || !at(TokenKind::Equal, 1))
      unexpected("an order clause", "here");
    scatter.order = parseOrder(word);
    expect(TokenKind::RightBracket, "after the order clause");
  }
  statement.value = parseExpr();
  do {
    bool isUnique = atWord("unique");
    bool isWord = (isUnique || atWord("drop")) && !at(TokenKind::Equal, 1) &&
                  !at(TokenKind::LeftBracket, 1);
    if (!isWord)
      break;
    bool &flag = isUnique ? scatter.unique : scatter.drop;
    if (flag)
      fail(codes::kMisplaced,
           fmt::format("'{}' stands here twice", isUnique ? "unique" : "drop"),
           token().range);
    flag = true;
    Token word = take();
    if (isUnique)
      scatter.uniqueRange = word.range;
  } while (accept(TokenKind::Comma));
  place.isPlace = true;
  place.drops = scatter.drop;
  scatter.place = make(std::move(place), placeRange);
}

} // namespace girih::frontend
