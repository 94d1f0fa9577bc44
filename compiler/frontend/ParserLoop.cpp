//===- ParserLoop.cpp - loops, statements for two tensors -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `V, A = argmax[e](x)` is two statements: V = max[e](x) and A = argmax[e](x).
// `topk<k>` is k such pairs, each over the elements that the pairs before it
// did not choose. A side that is called `_` is not made.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Parser.h"

#include <fmt/format.h>

namespace girih::frontend {

namespace {
constexpr int64_t kMaxSubscript = int64_t(1) << 40;
constexpr int64_t kMaxTopK = 64;

/// `_` on the left: what would be there is not wanted.
bool isUnused(const Statement &side) { return side.target.text == "_"; }
} // namespace

/// loop ::= 'for' name 'in' sum '..' sum '{' statement* '}'
///        | 'for' name 'in' sum '..' sum ',' name 'in' sum '..' sum
///          '{' statement* '}' ['else' expr]
bool Parser::parseLoop(OpDecl &op, const TimeLoop *parent) {
  Nest nest(*this);
  Token first = take();
  countStatement(first);
  std::unique_ptr<IndexVariable> index = parseLoopIndex("after 'for'");
  if (accept(TokenKind::Comma))
    return parseRaggedLoop(op, parent, std::move(index), first);
  auto loop = std::make_unique<TimeLoop>();
  loop->parent = parent;
  loop->index = std::move(index);
  loop->range = since(first);
  expect(TokenKind::LeftBrace, "before the statements of a loop");
  op.loops.push_back(std::move(loop));
  return parseBody(op, op.loops.back().get());
}

std::unique_ptr<IndexVariable> Parser::parseLoopIndex(std::string_view where) {
  auto index = std::make_unique<IndexVariable>();
  index->name = expectNewName("an index name", where);
  if (at(TokenKind::Comma))
    unsupported(codes::kNoStatement, "loops over several indices are",
                token().range,
                "write a loop in a loop; over the elements of groups it is "
                "for e in 0..E, t in off[e]..off[e + 1] { ... }");
  expect(TokenKind::KwIn, "after the loop's index");
  index->first = parseIndexSum("the start of a range", kMaxSubscript);
  expect(TokenKind::DotDot, "between the ends of a range");
  index->end = parseIndexSum("the end of a range", kMaxSubscript);
  return index;
}

/// Behind the first range and its comma.
bool Parser::parseRaggedLoop(OpDecl &op, const TimeLoop *parent,
                             std::unique_ptr<IndexVariable> group,
                             const Token &first) {
  auto loop = std::make_unique<RaggedLoop>();
  loop->parent = parent;
  loop->group = std::move(group);
  loop->element = parseLoopIndex("after ','");
  if (at(TokenKind::Comma))
    unsupported(codes::kNoStatement, "loops over three indices and more are",
                token().range,
                "the elements of a group have one index; the others stand on "
                "the left of the statements: Y[t, j] = ...");
  loop->range = since(first);
  expect(TokenKind::LeftBrace, "before the statements of a loop");
  op.raggedLoops.push_back(std::move(loop));
  RaggedLoop &made = *op.raggedLoops.back();
  size_t before = op.statements.size();
  unsigned errors = reporter.errors();
  if (!parseBody(op, parent, &made))
    return false;
  if (op.statements.size() == before && reporter.errors() == errors)
    fail(codes::kSyntax, "a loop over groups holds a statement or more",
         made.range,
         fmt::format("write what each element defines: Y[{}] = ...",
                     made.element->name.text));
  if (accept(TokenKind::KwElse))
    made.otherwise = parseExpr();
  return true;
}

std::vector<std::unique_ptr<Statement>>
Parser::parsePair(std::unique_ptr<Statement> values, const Token &first,
                  const Token &comma) {
  auto places = std::make_unique<Statement>();
  if (values->moreTargets.empty()) {
    take();
    places->target = expectNewName("a tensor's name", "after ','");
    if (accept(TokenKind::LeftBracket))
      parseLeftSide(*places);
  } else {
    places->target = values->moreTargets[0];
    if (values->moreTargets.size() == 1 && isUnused(*values) &&
        accept(TokenKind::LeftBracket))
      parseLeftSide(*places);
  }
  bool named =
      at(TokenKind::Equal) &&
      (atWord("argmax", 1) || atWord("argmin", 1) || atWord("topk", 1));
  if (!named || values->moreTargets.size() > 1)
    unsupported(codes::kNoStatement, "statements that define two tensors are",
                comma.range,
                "a call of an operator gives several; argmax, argmin and topk "
                "give two: V[t], A[t] = argmax[e](X[t, e])");
  values->moreTargets.clear();
  take();
  if (isUnused(*values) && isUnused(*places))
    fail(codes::kSyntax, "neither of the two tensors has a name",
         values->target.range, "name what is wanted, or leave the line out");
  for (const Statement *side : {values.get(), places.get()})
    if (isUnused(*side) && !(side->at.empty() && side->indices.empty()))
      fail(codes::kSyntax, "'_' stands for a tensor that is not wanted",
           side->target.range, "write it without indices");
  if (atWord("topk"))
    return parseTopK(std::move(values), std::move(places), first);
  ReduceKind kind = atWord("argmax") ? ReduceKind::Max : ReduceKind::Min;
  // The text is read twice, once for each tensor.
  size_t begin = position;
  std::vector<std::unique_ptr<Statement>> pair;
  for (auto *side : {&values, &places}) {
    if (isUnused(**side))
      continue;
    position = begin;
    (*side)->value = parseReduction();
    if (side == &values)
      (*side)->value->as<ReduceExpr>()->kind = kind;
    (*side)->range = since(first);
    pair.push_back(std::move(*side));
  }
  refuseStatementTail();
  return pair;
}

std::vector<std::unique_ptr<Statement>>
Parser::parseTopK(std::unique_ptr<Statement> values,
                  std::unique_ptr<Statement> places, const Token &first) {
  Token word = take();
  expect(TokenKind::Less, "behind 'topk', before how many");
  if (at(TokenKind::Identifier))
    fail(codes::kSyntax, "how many are chosen is a number, not a name",
         token().range, "write the number itself: topk<8>");
  int64_t count = expectInteger("how many are chosen", 1, kMaxTopK);
  expect(TokenKind::Greater, "after how many are chosen");
  for (const Statement *side : {values.get(), places.get()})
    if (!isUnused(*side) && (!side->at.empty() || side->indices.empty()))
      fail(codes::kSyntax,
           fmt::format("the left side of 'topk' needs plain indices, the last "
                       "one for the {} chosen",
                       count),
           side->target.range,
           "write it like V[t, r], A[t, r] = topk<8>[e](X[t, e])");

  auto number = [&](int64_t value, SourceRange range) {
    LiteralExpr literal;
    literal.digits = std::to_string(value);
    ExprPtr expr = make(std::move(literal), range);
    return expr;
  };
  auto nameOf = [&](const std::string &text, SourceRange range) {
    NameExpr name;
    name.name = text;
    return make(std::move(name), range);
  };
  // The left side's subscripts, the last one being `rank`.
  auto subscripts = [&](const Statement &side, int64_t rank) {
    std::vector<Subscript> at;
    for (const auto &index : side.indices) {
      Subscript &subscript = at.emplace_back();
      subscript.range = index->name.range;
      subscript.value = at.size() == side.indices.size()
                            ? number(rank, subscript.range)
                            : nameOf(index->name.text, subscript.range);
    }
    return at;
  };
  auto part = [&](const Statement &side, int64_t rank) {
    auto copy = std::make_unique<Statement>();
    copy->target = side.target;
    copy->at = subscripts(side, rank);
    for (size_t i = 0; i + 1 < side.indices.size(); ++i) {
      copy->indices.push_back(std::make_unique<IndexVariable>());
      copy->indices.back()->name = side.indices[i]->name;
    }
    return copy;
  };

  bool wantsValues = !isUnused(*values), wantsPlaces = !isUnused(*places);
  if (!wantsPlaces) {
    // Later pairs ask what was chosen all the same.
    places->target.text = "_" + values->target.text;
    for (const auto &index : values->indices) {
      places->indices.push_back(std::make_unique<IndexVariable>());
      places->indices.back()->name = index->name;
    }
  }

  size_t begin = position;
  std::vector<std::unique_ptr<Statement>> result;
  for (int64_t rank = 0; rank < count; ++rank)
    for (Statement *side : {values.get(), places.get()}) {
      bool wanted =
          side == values.get() ? wantsValues : wantsPlaces || rank + 1 < count;
      if (!wanted)
        continue;
      if (rank)
        countStatement(word);
      position = begin;
      Token open = token();
      ReduceExpr node = parseReduced(
          "topk", side == values.get() ? ReduceKind::Max : ReduceKind::ArgMax,
          word);
      if (node.indices.size() != 1)
        fail(codes::kSyntax, "'topk' takes one index", since(open),
             "name the element by a single index");
      for (int64_t earlier = 0; earlier < rank; ++earlier) {
        CastExpr cast;
        cast.to = ScalarType::I64;
        cast.operand = nameOf(node.indices[0]->name.text, word.range);
        AccessExpr chosen;
        chosen.tensorName = {places->target.text, word.range};
        chosen.subscripts = subscripts(*places, earlier);
        ExprPtr differs =
            binary(BinaryOp::NotEqual, word, make(std::move(cast), word.range),
                   make(std::move(chosen), word.range));
        node.condition = node.condition ? binary(BinaryOp::And, word,
                                                 std::move(node.condition),
                                                 std::move(differs))
                                        : std::move(differs);
      }
      auto statement = part(*side, rank);
      statement->value = make(std::move(node), since(word));
      statement->range = since(first);
      result.push_back(std::move(statement));
    }
  refuseStatementTail();
  return result;
}

} // namespace girih::frontend
