//===- ParserLoop.cpp - loops, statements for two tensors -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `V, A = argmax[e](x)` is two statements: V = max[e](x) and A = argmax[e](x).
// `topk<k>` is k such pairs, each over the elements behind those that the pair
// before it chose; behind a few of them, which are written out, it is a loop
// over time. A side that is called `_` is not made.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Parser.h"

#include <fmt/format.h>
#include <functional>

namespace girih::frontend {

namespace {
constexpr int64_t kMaxSubscript = int64_t(1) << 40;
constexpr int64_t kMaxTopK = 64;
/// Pairs of a topk that are written out one by one.
constexpr int64_t kMostUnrolled = 4;

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
  auto whole = [&](const Statement &side) {
    auto copy = std::make_unique<Statement>();
    for (size_t i = 0; i + 1 < side.indices.size(); ++i) {
      copy->indices.push_back(std::make_unique<IndexVariable>());
      copy->indices.back()->name = side.indices[i]->name;
    }
    return copy;
  };
  const Statement &shape = isUnused(*values) ? *places : *values;
  bool wantsValues = !isUnused(*values), wantsPlaces = !isUnused(*places);
  // What a pair chooses has a name of its own, which the next pair knows.
  auto named = [&](const char *what, int64_t rank) {
    std::string text = fmt::format("_{}_{}", shape.target.text, what);
    return Name{rank ? fmt::format("{}_{}", text, rank) : text, word.range};
  };
  auto read = [&](const Name &name) {
    if (shape.indices.size() == 1)
      return nameOf(name.text, word.range);
    AccessExpr access;
    access.tensorName = name;
    access.subscripts = subscripts(shape, 0);
    access.subscripts.pop_back();
    return make(std::move(access), word.range);
  };

  size_t begin = position;
  std::vector<std::unique_ptr<Statement>> result;
  auto add = [&](std::unique_ptr<Statement> statement, const TimeLoop *loop) {
    countStatement(word);
    statement->range = since(first);
    statement->loop = loop;
    result.push_back(std::move(statement));
  };
  std::function<ExprPtr()> takesPart;
  // The text is read once for each tensor that it defines.
  auto reduced = [&](ReduceKind kind, const Name *value, const Name *place) {
    position = begin;
    Token open = token();
    ReduceExpr node = parseReduced("topk", kind, word);
    if (node.indices.size() != 1)
      fail(codes::kSyntax, "'topk' takes one index", since(open),
           "name the element by a single index");
    if (value) {
      position = begin;
      CastExpr here;
      here.to = ScalarType::I64;
      here.operand = nameOf(node.indices[0]->name.text, word.range);
      CallExpr behind;
      behind.callee = {"behind", word.range};
      behind.arguments.push_back(parseReduced("topk", kind, word).body);
      behind.arguments.push_back(make(std::move(here), word.range));
      behind.arguments.push_back(read(*value));
      behind.arguments.push_back(read(*place));
      ExprPtr test = make(std::move(behind), word.range);
      if (takesPart)
        test = binary(BinaryOp::And, word, takesPart(), std::move(test));
      node.condition = node.condition
                           ? binary(BinaryOp::And, word,
                                    std::move(node.condition), std::move(test))
                           : std::move(test);
    }
    return make(std::move(node), since(word));
  };
  auto define = [&](const Name &name, ExprPtr value, const TimeLoop *loop) {
    std::unique_ptr<Statement> statement = whole(shape);
    statement->target = name;
    statement->value = std::move(value);
    add(std::move(statement), loop);
  };
  auto store = [&](const Statement &side, ExprPtr rank, const Name &from,
                   const TimeLoop *loop) {
    if (isUnused(side))
      return;
    std::unique_ptr<Statement> statement = whole(side);
    statement->target = side.target;
    statement->at = subscripts(side, 0);
    statement->at.back().value = std::move(rank);
    statement->value = read(from);
    add(std::move(statement), loop);
  };
  // Later ones are told by the names of what the one before them chose.
  auto choose = [&](const Name &value, const Name &place,
                    const Name *afterValue, const Name *afterPlace, bool isLast,
                    const TimeLoop *loop) {
    if (wantsValues || !isLast)
      define(value, reduced(ReduceKind::Max, afterValue, afterPlace), loop);
    if (wantsPlaces || !isLast)
      define(place, reduced(ReduceKind::ArgMax, afterValue, afterPlace), loop);
  };
  auto storeBoth = [&](const Name &value, const Name &place, auto rank,
                       const TimeLoop *loop) {
    store(*values, rank(), value, loop);
    store(*places, rank(), place, loop);
  };
  bool unrolled = inRagged || count <= kMostUnrolled;
  Name value = named("value", 0), place = named("place", 0);
  choose(value, place, nullptr, nullptr, count == 1, nullptr);
  for (int64_t rank = 0; rank < count && unrolled; ++rank) {
    storeBoth(
        value, place, [&] { return number(rank, word.range); }, nullptr);
    if (rank + 1 == count)
      break;
    Name nextValue = named("value", rank + 1),
         nextPlace = named("place", rank + 1);
    choose(nextValue, nextPlace, &value, &place, rank + 2 == count, nullptr);
    value = nextValue;
    place = nextPlace;
  }
  if (!unrolled) {
    // The turns of a loop are launches of the same kernels. Each stores what
    // the one before it chose, and nothing takes part in the last one's choice.
    auto loop = std::make_unique<TimeLoop>();
    loop->index = std::make_unique<IndexVariable>();
    loop->index->name = {"_" + shape.indices.back()->name.text, word.range};
    loop->index->first = number(0, word.range);
    loop->index->end = number(count, word.range);
    loop->range = word.range;
    auto turn = [&] { return nameOf(loop->index->name.text, word.range); };
    storeBoth(value, place, turn, loop.get());
    takesPart = [&] {
      return binary(BinaryOp::Less, word, turn(),
                    number(count - 1, word.range));
    };
    Name nextValue = named("next", 0), nextPlace = named("next_place", 0);
    choose(nextValue, nextPlace, &value, &place, false, loop.get());
    define(value, read(nextValue), loop.get());
    define(place, read(nextPlace), loop.get());
    madeLoop = std::move(loop);
  }
  refuseStatementTail();
  return result;
}

} // namespace girih::frontend
