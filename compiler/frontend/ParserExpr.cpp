//===- ParserExpr.cpp - tokens to a tree: expressions ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Parser.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace girih::frontend {

namespace {

constexpr int64_t kMaxSubscript = (int64_t(1) << 40) - 1;
constexpr int64_t kMaxTermPart = int64_t(1) << 30;
constexpr unsigned kMaxTermDepth = 8;

} // namespace

bool isUntyped(const Expr::Node &node) {
  if (auto *literal = std::get_if<LiteralExpr>(&node))
    return !literal->suffix;
  if (auto *unary = std::get_if<UnaryExpr>(&node))
    return unary->op != UnaryOp::Not && unary->operand->untyped;
  if (auto *binary = std::get_if<BinaryExpr>(&node))
    return isArithmetic(binary->op) && binary->lhs->untyped &&
           binary->rhs->untyped;
  if (auto *choice = std::get_if<IfExpr>(&node))
    return choice->thenValue->untyped && choice->elseValue->untyped;
  return false;
}

ExprPtr Parser::make(Expr::Node node, SourceRange range) {
  auto expr = std::make_unique<Expr>();
  expr->untyped = isUntyped(node);
  expr->node = std::move(node);
  expr->range = range;
  forEachChild(*expr, [&](const Expr &child) {
    expr->depth = std::max(expr->depth, child.depth + 1);
  });
  if (expr->depth > kMaxTreeDepth)
    fail(codes::kNestedTooDeep,
         fmt::format("more than {} operations deep", kMaxTreeDepth), range,
         "name a part in a statement of its own");
  return expr;
}

ExprPtr Parser::binary(BinaryOp op, const Token &opToken, ExprPtr lhs,
                       ExprPtr rhs) {
  SourceRange range{lhs->range.begin, rhs->range.end};
  BinaryExpr node;
  node.op = op;
  node.opRange = opToken.range;
  node.lhs = std::move(lhs);
  node.rhs = std::move(rhs);
  return make(std::move(node), range);
}

/// expr ::= 'if' expr 'then' expr 'else' expr | or
ExprPtr Parser::parseExpr(bool inThen) {
  Nest nest(*this);
  bool before = std::exchange(elseIsTaken, inThen);
  ExprPtr result;
  if (!at(TokenKind::KwIf)) {
    result = parseOr();
  } else {
    Token first = take();
    IfExpr node;
    node.condition = parseExpr();
    expect(TokenKind::KwThen, "after the condition");
    node.thenValue = parseExpr(/*inThen=*/true);
    expect(TokenKind::KwElse, "before the other value");
    node.elseValue = parseExpr(inThen);
    result = make(std::move(node), since(first));
  }
  elseIsTaken = before;
  return result;
}

/// or ::= and ('or' and)*
ExprPtr Parser::parseOr() {
  ExprPtr lhs = parseAnd();
  while (at(TokenKind::KwOr)) {
    Token op = take();
    lhs = binary(BinaryOp::Or, op, std::move(lhs), parseAnd());
  }
  return lhs;
}

/// and ::= not ('and' not)*
ExprPtr Parser::parseAnd() {
  ExprPtr lhs = parseNot();
  while (at(TokenKind::KwAnd)) {
    Token op = take();
    lhs = binary(BinaryOp::And, op, std::move(lhs), parseNot());
  }
  return lhs;
}

/// not ::= 'not' not | comparison
ExprPtr Parser::parseNot() {
  if (!at(TokenKind::KwNot))
    return parseComparison();
  Nest nest(*this);
  Token first = take();
  UnaryExpr node;
  node.op = UnaryOp::Not;
  node.operand = parseNot();
  return make(std::move(node), since(first));
}

namespace {
std::optional<BinaryOp> comparisonOp(TokenKind kind) {
  switch (kind) {
  case TokenKind::EqualEqual:
    return BinaryOp::Equal;
  case TokenKind::NotEqual:
    return BinaryOp::NotEqual;
  case TokenKind::Less:
    return BinaryOp::Less;
  case TokenKind::LessEqual:
    return BinaryOp::LessEqual;
  case TokenKind::Greater:
    return BinaryOp::Greater;
  case TokenKind::GreaterEqual:
    return BinaryOp::GreaterEqual;
  default:
    return std::nullopt;
  }
}
} // namespace

/// comparison ::= bitor [('==' | '!=' | '<' | '<=' | '>' | '>=') bitor]
ExprPtr Parser::parseComparison() {
  ExprPtr lhs = parseBits(0);
  auto op = comparisonOp(token().kind);
  if (!op)
    return lhs;
  Token opToken = take();
  if (at(TokenKind::KwNone) && lhs->as<NameExpr>() &&
      (op == BinaryOp::Equal || op == BinaryOp::NotEqual)) {
    IsNoneExpr node;
    node.tensor = {lhs->as<NameExpr>()->name, lhs->range};
    node.negated = op == BinaryOp::NotEqual;
    take();
    return make(std::move(node), {lhs->range.begin, since(opToken).end});
  }
  ExprPtr result = binary(*op, opToken, std::move(lhs), parseBits(0));
  if (comparisonOp(token().kind))
    fail(codes::kChainedComparison, "comparisons do not chain", token().range,
         "combine two with 'and'");
  return result;
}

/// bitor  ::= bitxor ('|' bitxor)*
/// bitxor ::= bitand ('^' bitand)*
/// bitand ::= shift ('&' shift)*
/// shift  ::= sum (('<<' | '>>') sum)*
ExprPtr Parser::parseBits(unsigned level) {
  struct Operator {
    unsigned level;
    TokenKind kind;
    BinaryOp op;
  };
  static constexpr Operator kOperators[] = {
      {0, TokenKind::Pipe, BinaryOp::BitOr},
      {1, TokenKind::Caret, BinaryOp::BitXor},
      {2, TokenKind::Ampersand, BinaryOp::BitAnd},
      {3, TokenKind::LessLess, BinaryOp::ShiftLeft},
      {3, TokenKind::GreaterGreater, BinaryOp::ShiftRight}};
  auto operand = [&] { return level == 3 ? parseSum() : parseBits(level + 1); };
  auto operatorHere = [&]() -> std::optional<BinaryOp> {
    for (const Operator &each : kOperators)
      if (each.level == level && at(each.kind))
        return each.op;
    return std::nullopt;
  };
  ExprPtr lhs = operand();
  while (auto op = operatorHere()) {
    Token token = take();
    lhs = binary(*op, token, std::move(lhs), operand());
  }
  return lhs;
}

/// sum ::= product (('+' | '-') product)*
ExprPtr Parser::parseSum() {
  ExprPtr lhs = parseProduct();
  while (at(TokenKind::Plus) || at(TokenKind::Minus)) {
    Token op = take();
    lhs = binary(op.kind == TokenKind::Plus ? BinaryOp::Add : BinaryOp::Sub, op,
                 std::move(lhs), parseProduct());
  }
  return lhs;
}

/// product ::= unary (('*' | '/' | '%') unary)*
ExprPtr Parser::parseProduct() {
  ExprPtr lhs = parseUnary();
  while (at(TokenKind::Star) || at(TokenKind::Slash) ||
         at(TokenKind::Percent)) {
    Token op = take();
    BinaryOp kind = op.kind == TokenKind::Star    ? BinaryOp::Mul
                    : op.kind == TokenKind::Slash ? BinaryOp::Div
                                                  : BinaryOp::Mod;
    lhs = binary(kind, op, std::move(lhs), parseUnary());
  }
  return lhs;
}

/// unary ::= ('-' | '~') unary | primary
ExprPtr Parser::parseUnary() {
  if (!at(TokenKind::Minus) && !at(TokenKind::Tilde))
    return parsePrimary();
  Nest nest(*this);
  Token first = take();
  UnaryExpr node;
  if (first.kind == TokenKind::Tilde)
    node.op = UnaryOp::BitNot;
  node.operand = parseUnary();
  return make(std::move(node), since(first));
}

/// primary ::= number | 'inf' | 'nan' | 'true' | 'false' | '(' expr ')' | named
ExprPtr Parser::parsePrimary() {
  Token first = token();
  switch (first.kind) {
  case TokenKind::Number:
    return parseNumber();
  case TokenKind::KwInf:
  case TokenKind::KwNan: {
    take();
    LiteralExpr node;
    node.digits = textOf(first);
    return make(std::move(node), first.range);
  }
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
    take();
    return make(BoolExpr{first.kind == TokenKind::KwTrue}, first.range);
  case TokenKind::LeftParen: {
    take();
    ExprPtr inner = parseExpr();
    expect(TokenKind::RightParen, "to close the parenthesis");
    inner->range = since(first);
    return inner;
  }
  case TokenKind::Identifier:
    return parseNamed();
  case TokenKind::KwIf:
    fail(codes::kSyntax, "'if' as an operand needs parentheses", first.range,
         "write '(if ... then ... else ...)'");
  case TokenKind::KwNone:
    fail(codes::kNotOptional,
         "'none' can only be compared with the name of an optional tensor",
         first.range, "write it like 'bias == none'");
  case TokenKind::Dot:
    if (at(TokenKind::Number, 1))
      fail(codes::kMalformedNumber, "a number needs digits before its point",
           first.range, fmt::format("write 0.{}", textOf(token(1))));
    break;
  default:
    break;
  }
  unexpected("an expression", "here");
}

/// number ::= digits [type]
ExprPtr Parser::parseNumber() {
  Token number = take();
  NumberParts parts = splitNumber(textOf(number));
  LiteralExpr node;
  node.digits = parts.digits;
  if (!parts.suffix.empty())
    node.suffix = typeNamed(parts.suffix);
  return make(std::move(node), number.range);
}

/// named ::= cast | reduction | call | access | name
ExprPtr Parser::parseNamed() {
  Token first = token();
  std::string_view name = textOf(first);
  if (at(TokenKind::LeftBracket, 1) || at(TokenKind::Less, 1)) {
    if (isUnsupportedReduction(name))
      fail(codes::kMisplaced,
           fmt::format("'{}' gives two tensors: it is a statement", name),
           first.range, "write it like V[t, r], A[t, r] = topk<8>[e](X[t, e])");
    if (at(TokenKind::LeftBracket, 1))
      return reduceKind(name) ? parseReduction() : parseAccess();
  }
  if (typeNamed(name) || isTypeParam(name))
    return parseCast();
  if (at(TokenKind::LeftParen, 1) || at(TokenKind::Dot, 1))
    return parseCall();
  if (reduceKind(name) && !findBuiltin(name))
    fail(codes::kSyntax, fmt::format("'{}' needs its indices", name),
         first.range, fmt::format("write it like {}[k](...)", name));
  take();
  NameExpr node;
  node.name = name;
  return make(std::move(node), first.range);
}

/// cast ::= type '(' expr ')'
ExprPtr Parser::parseCast() {
  Token first = token();
  std::string_view name = textOf(first);
  CastExpr node;
  node.to = parseTypeOrParam(node.typeParam);
  expect(TokenKind::LeftParen, fmt::format("after the type '{}'", name));
  node.operand = parseExpr();
  expect(TokenKind::RightParen, "after the value to cast");
  return make(std::move(node), since(first));
}

/// call ::= name ['.' ('fast' | 'portable')] '(' [expr (',' expr)*] ')'
ExprPtr Parser::parseCall() {
  Token first = take();
  CallExpr node;
  node.callee = {std::string(textOf(first)), first.range};
  if (accept(TokenKind::Dot)) {
    if (atWord("fast"))
      node.accuracy = Accuracy::Fast;
    else if (atWord("portable"))
      node.accuracy = Accuracy::Portable;
    else
      unexpected("'fast' or 'portable'", "after '.'");
    take();
  }
  expect(TokenKind::LeftParen,
         fmt::format("before the arguments of '{}'", node.callee.text));
  if (reduceKind(node.callee.text) && !findBuiltin(node.callee.text))
    fail(codes::kSyntax,
         fmt::format("'{}' needs its indices", node.callee.text), first.range,
         fmt::format("write it like {}[k](...)", node.callee.text));
  while (!at(TokenKind::RightParen)) {
    if (at(TokenKind::Identifier) && at(TokenKind::Equal, 1))
      node.named.push_back(parseNamedArgument());
    else if (node.named.empty())
      node.arguments.push_back(parseExpr());
    else
      fail(codes::kSyntax, "arguments with names come last", token().range);
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen,
         fmt::format("after the arguments of '{}'", node.callee.text));
  return make(std::move(node), since(first));
}

/// named ::= name '=' (expr | type | 'none')
NamedArgument Parser::parseNamedArgument() {
  NamedArgument argument;
  argument.name = expectName("a parameter's name", "here");
  expect(TokenKind::Equal, "after the parameter's name");
  bool type = at(TokenKind::Identifier) && !at(TokenKind::LeftParen, 1) &&
              (typeNamed(textOf(token())) || isTypeParam(textOf(token())));
  if (type || at(TokenKind::KwNone))
    argument.word = textOf(take());
  else
    argument.value = parseExpr();
  return argument;
}

/// access ::= name '[' [subscript (',' subscript)*] ']' ['else' unary]
ExprPtr Parser::parseAccess() {
  Token first = take();
  AccessExpr node;
  node.tensorName = {std::string(textOf(first)), first.range};
  expect(TokenKind::LeftBracket, "after the tensor's name");
  while (!at(TokenKind::RightBracket)) {
    node.subscripts.push_back(parseSubscript());
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightBracket, "after the subscripts");
  if (!elseIsTaken && at(TokenKind::KwElse)) {
    Nest nest(*this);
    take();
    node.otherwise = parseUnary();
  }
  return make(std::move(node), since(first));
}

ExprPtr Parser::parseIndexSum(const char *what, int64_t most) {
  bool ends = at(TokenKind::Comma, 1) || at(TokenKind::RightBracket, 1) ||
              at(TokenKind::RightParen, 1) || at(TokenKind::DotDot, 1);
  if (!at(TokenKind::Number) || !ends)
    return parseSum();
  LiteralExpr node;
  SourceRange range = token().range;
  node.digits = std::to_string(expectInteger(what, 0, most));
  return make(std::move(node), range);
}

ExprPtr Parser::parsePlace() {
  bool ends = at(TokenKind::Comma, 1) || at(TokenKind::RightBracket, 1) ||
              at(TokenKind::RightParen, 1);
  if (at(TokenKind::Number) && ends)
    return parseIndexSum("a constant subscript", kMaxSubscript);
  // An `else` in here is a read's.
  bool before = std::exchange(elseIsTaken, false);
  ExprPtr value = parseBits(0);
  elseIsTaken = before;
  return value;
}

/// subscript ::= bitor | rule '(' bitor ')'
/// rule      ::= 'clamp' | 'reflect' | 'wrap' | 'checked'
Subscript Parser::parseSubscript() {
  Subscript subscript;
  Token first = token();
  if (at(TokenKind::Colon) || at(TokenKind::Colon, 1) ||
      at(TokenKind::DotDot) || at(TokenKind::DotDot, 1))
    unsupported(codes::kNoSubscript, "slices are", first.range,
                "write index names");
  for (AccessRule rule : {AccessRule::Clamp, AccessRule::Reflect,
                          AccessRule::Wrap, AccessRule::Checked})
    if (atWord(spelling(rule)) && at(TokenKind::LeftParen, 1))
      subscript.rule = rule;
  if (subscript.rule != AccessRule::None) {
    take();
    take();
  } else if (!at(TokenKind::Identifier) && !at(TokenKind::Number) &&
             !at(TokenKind::Minus) && !at(TokenKind::LeftParen) &&
             !at(TokenKind::Tilde)) {
    unexpected("an index name or an integer", "as a subscript");
  }
  subscript.value = parsePlace();
  if (subscript.rule != AccessRule::None)
    expect(TokenKind::RightParen,
           fmt::format("after '{}'", spelling(subscript.rule)));
  subscript.range = since(first);
  return subscript;
}

/// reduction ::= ('sum' | 'prod' | 'max' | 'min' | 'any' | 'all' | 'argmax' |
///                'argmin' | 'cumsum' | 'cumprod')
///               '[' index (',' index)* [':' expr] [',' order] ']' '(' expr ')'
/// index     ::= name ['in' sum '..' sum]
ExprPtr Parser::parseReduction() {
  Token first = take();
  std::string_view name = textOf(first);
  ReduceExpr node = parseReduced(name, *reduceKind(name), first);
  return make(std::move(node), since(first));
}

/// What stands behind the name of a reduction.
ReduceExpr Parser::parseReduced(std::string_view name, ReduceKind kind,
                                const Token &first) {
  ReduceExpr node;
  node.kind = kind;
  expect(TokenKind::LeftBracket, "before the reduced indices");
  while (!at(TokenKind::RightBracket)) {
    Token word = token();
    if (atWord("order") && at(TokenKind::Equal, 1)) {
      node.order = parseOrder(word);
      if (!at(TokenKind::RightBracket))
        unexpected("']'", "after the order clause");
      break;
    }
    bool flag = isScan(node.kind) && !node.indices.empty();
    if (flag && (atWord("exclusive") || atWord("reverse"))) {
      (atWord("exclusive") ? node.exclusive : node.reverse) = true;
      take();
      if (!accept(TokenKind::Comma))
        break;
      continue;
    }
    if (!node.indices.empty() && (isScan(node.kind) || isArgument(node.kind)))
      fail(codes::kSyntax, fmt::format("'{}' takes one index", name),
           token().range,
           isScan(node.kind) ? "behind it stand 'exclusive', 'reverse' and "
                               "'order'"
                             : "name the element by a single index");
    auto index = std::make_unique<IndexVariable>();
    index->name = expectNewName("an index name", "in the reduced indices");
    index->reduced = !isScan(node.kind);
    if (isScan(node.kind) && (at(TokenKind::KwIn) || at(TokenKind::Colon)))
      fail(codes::kSyntax,
           fmt::format("'{}' runs along an index of the left side, over all of "
                       "its range",
                       name),
           token().range);
    if (accept(TokenKind::KwIn)) {
      index->first = parseIndexSum("the start of a range", kMaxSubscript);
      expect(TokenKind::DotDot, "between the ends of a range");
      index->end = parseIndexSum("the end of a range", kMaxSubscript);
    }
    if (node.condition)
      fail(codes::kSyntax, "the condition stands behind the last index",
           word.range, "write it like sum[i, j : i < j](...)");
    node.indices.push_back(std::move(index));
    if (accept(TokenKind::Colon))
      node.condition = parseExpr();
    if (!accept(TokenKind::Comma))
      break;
  }
  if (node.indices.empty())
    fail(codes::kSyntax, fmt::format("'{}' needs an index to reduce", name),
         since(first), fmt::format("write it like {}[k](...)", name));
  expect(TokenKind::RightBracket, "after the reduced indices");
  expect(TokenKind::LeftParen, fmt::format("before the body of '{}'", name));
  auto own = static_cast<unsigned>(node.indices.size());
  indicesHere += own;
  checkIndices(first);
  node.body = parseExpr();
  indicesHere -= own;
  expect(TokenKind::RightParen, fmt::format("after the body of '{}'", name));
  return node;
}

void Parser::checkIndices(const Token &first) {
  if (indicesHere <= kMaxIndices)
    return;
  fail(codes::kTooManyIndices,
       fmt::format("{} indices hold in one place, the limit is {}", indicesHere,
                   kMaxIndices),
       first.range, "give an inner reduction a statement of its own");
}

/// order ::= 'order' '=' ('fixed' | 'sequential' | 'free' | term)
ReduceOrder Parser::parseOrder(const Token &first) {
  ReduceOrder order;
  take();
  take();
  if (atWord("fixed")) {
    take();
  } else if (atWord("sequential")) {
    take();
    order.kind = ReduceOrder::Kind::Sequential;
  } else if (atWord("free")) {
    take();
    order.kind = ReduceOrder::Kind::Free;
  } else {
    order.kind = ReduceOrder::Kind::Pinned;
    order.term = parseTerm(1);
  }
  order.range = since(first);
  return order;
}

/// term ::= 'seq' | 'seg' '(' L [',' term] [',' 'm' '=' term] ')'
///        | 'tree' '(' n [',' term] ')' | 'lanes' '(' V ',' w [',' term] ')'
///        | 'mma' '(' model ',' kc ')'
std::unique_ptr<OrderTerm> Parser::parseTerm(unsigned depth) {
  auto term = std::make_unique<OrderTerm>();
  Token first = token();
  if (depth > kMaxTermDepth)
    fail(codes::kBadTerm,
         fmt::format("terms nest at most {} deep", kMaxTermDepth), first.range);
  if (!at(TokenKind::Identifier))
    unexpected("an order", "here");
  std::string name(textOf(take()));
  std::string within = fmt::format("in '{}'", name);
  using Kind = OrderTerm::Kind;
  if (name == "seq") {
    term->range = first.range;
    return term;
  }
  if (name == "seg" || name == "tree" || name == "lanes") {
    expect(TokenKind::LeftParen, fmt::format("after '{}'", name));
    SourceRange lengthRange = token().range;
    term->length =
        expectInteger(name == "seg" ? "the segment length"
                                    : (name == "tree" ? "the number of segments"
                                                      : "the number of lanes"),
                      1, kMaxTermPart);
    if (name == "seg") {
      term->kind = Kind::Seg;
      bool more = accept(TokenKind::Comma);
      if (more && !(atWord("m") && at(TokenKind::Equal, 1))) {
        term->inner = parseTerm(depth + 1);
        more = accept(TokenKind::Comma);
      }
      if (more) {
        if (!atWord("m") || !at(TokenKind::Equal, 1))
          unexpected("'m='", within);
        take();
        take();
        term->merge = parseTerm(depth + 1);
      }
    } else if (name == "tree") {
      term->kind = Kind::Tree;
      if (accept(TokenKind::Comma))
        term->inner = parseTerm(depth + 1);
    } else {
      term->kind = Kind::Lanes;
      if ((term->length & (term->length - 1)) != 0)
        fail(codes::kBadTerm, "the number of lanes must be a power of two",
             lengthRange);
      expect(TokenKind::Comma, within);
      term->width = expectInteger("the lane width", 1, kMaxTermPart);
      if (accept(TokenKind::Comma)) {
        SourceRange range = token().range;
        term->inner = parseTerm(depth + 1);
        if (term->inner->kind != Kind::Seq)
          fail(codes::kBadTerm, "each lane must be 'seq'", range);
      }
    }
    expect(TokenKind::RightParen, within);
  } else if (name == "mma") {
    term->kind = Kind::Mma;
    expect(TokenKind::LeftParen, "after 'mma'");
    term->model = expectName("an arithmetic model", within).text;
    expect(TokenKind::Comma, within);
    term->length = expectInteger("the chunk length", 1, kMaxTermPart);
    expect(TokenKind::RightParen, within);
  } else {
    fail(codes::kUnknownOrder,
         fmt::format("there is no order '{}'{}", name,
                     didYouMean(name, {"fixed", "sequential", "free", "seq",
                                       "seg", "tree", "lanes", "mma"})),
         first.range);
  }
  term->range = since(first);
  return term;
}

} // namespace girih::frontend
