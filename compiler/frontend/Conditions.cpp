//===- Conditions.cpp - what comparisons of indices say -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Conditions.h"

#include "compiler/frontend/IndexSums.h"

namespace girih::frontend {

namespace {

BinaryOp opposite(BinaryOp op) {
  switch (op) {
  case BinaryOp::Equal:
    return BinaryOp::NotEqual;
  case BinaryOp::NotEqual:
    return BinaryOp::Equal;
  case BinaryOp::Less:
    return BinaryOp::GreaterEqual;
  case BinaryOp::LessEqual:
    return BinaryOp::Greater;
  case BinaryOp::Greater:
    return BinaryOp::LessEqual;
  default:
    return BinaryOp::Less;
  }
}

bool isAffine(const BinaryExpr &comparison) {
  if (comparison.sides.size() != 2)
    return false;
  for (const IndexTerm &side : comparison.sides)
    if (side.modulus != 0 || !fitsLimits(side.sum))
      return false;
  return true;
}

/// A comparison of two sums; false for `!=`.
bool collectComparison(const BinaryExpr &node, bool negated, SourceRange range,
                       std::vector<Condition> &conditions) {
  if (!isAffine(node))
    return false;
  BinaryOp op = negated ? opposite(node.op) : node.op;
  const IndexSum &a = node.sides[0].sum, &b = node.sides[1].sum;
  // greater - less - strict >= 0.
  auto add = [&](const IndexSum &greater, const IndexSum &less, int64_t by) {
    IndexSum sum = added(greater, scaled(less, -1));
    sum.offset.constant -= by;
    conditions.push_back({std::move(sum), range, /*differs=*/false});
  };
  switch (op) {
  case BinaryOp::Less:
    add(b, a, 1);
    return true;
  case BinaryOp::LessEqual:
    add(b, a, 0);
    return true;
  case BinaryOp::Greater:
    add(a, b, 1);
    return true;
  case BinaryOp::GreaterEqual:
    add(a, b, 0);
    return true;
  case BinaryOp::Equal:
    add(a, b, 0);
    add(b, a, 0);
    return true;
  default:
    return false;
  }
}

} // namespace

bool collectConditions(const Expr &expr, bool negated,
                       std::vector<Condition> &conditions) {
  if (auto *known = expr.as<BoolExpr>()) {
    if (known->value == negated) {
      IndexSum never;
      never.offset.constant = -1;
      conditions.push_back({never, expr.range, /*differs=*/false});
    }
    return true;
  }
  if (auto *unary = expr.as<UnaryExpr>(); unary && unary->op == UnaryOp::Not)
    return collectConditions(*unary->operand, !negated, conditions);
  auto *binary = expr.as<BinaryExpr>();
  if (!binary)
    return false;
  if (isComparison(binary->op))
    return collectComparison(*binary, negated, expr.range, conditions);
  if (binary->op != BinaryOp::And && binary->op != BinaryOp::Or)
    return false;
  if ((binary->op == BinaryOp::And) != negated) {
    bool left = collectConditions(*binary->lhs, negated, conditions);
    return collectConditions(*binary->rhs, negated, conditions) && left;
  }
  // One of two: only where the other is known not to hold.
  for (auto [side, other] : {std::pair(&binary->lhs, &binary->rhs),
                             std::pair(&binary->rhs, &binary->lhs)})
    if (auto *known = (*side)->as<BoolExpr>())
      return known->value != negated
                 ? true
                 : collectConditions(**other, negated, conditions);
  return false;
}

static void collectDiffering(const Expr &expr, bool negated,
                             std::vector<Condition> &facts) {
  if (auto *unary = expr.as<UnaryExpr>(); unary && unary->op == UnaryOp::Not)
    return collectDiffering(*unary->operand, !negated, facts);
  auto *binary = expr.as<BinaryExpr>();
  if (!binary)
    return;
  if (binary->op == (negated ? BinaryOp::Or : BinaryOp::And)) {
    collectDiffering(*binary->lhs, negated, facts);
    collectDiffering(*binary->rhs, negated, facts);
  }
  if (binary->op == (negated ? BinaryOp::Equal : BinaryOp::NotEqual) &&
      isAffine(*binary))
    facts.push_back(
        {added(binary->sides[0].sum, scaled(binary->sides[1].sum, -1)),
         expr.range, /*differs=*/true});
}

std::vector<Condition> factsOf(const Expr &expr, bool negated) {
  std::vector<Condition> facts;
  collectConditions(expr, negated, facts);
  collectDiffering(expr, negated, facts);
  return facts;
}

const Expr *findNotAffine(const Expr &expr, bool negated) {
  std::vector<Condition> ignored;
  if (collectConditions(expr, negated, ignored))
    return nullptr;
  if (auto *unary = expr.as<UnaryExpr>(); unary && unary->op == UnaryOp::Not)
    return findNotAffine(*unary->operand, !negated);
  auto *binary = expr.as<BinaryExpr>();
  if (binary && (binary->op == BinaryOp::And || binary->op == BinaryOp::Or) &&
      (binary->op == BinaryOp::And) != negated) {
    const Expr *left = findNotAffine(*binary->lhs, negated);
    return left ? left : findNotAffine(*binary->rhs, negated);
  }
  return &expr;
}

template <typename Test> static bool anyOf(const Expr &expr, Test test) {
  bool found = test(expr);
  forEachChild(expr,
               [&](const Expr &child) { found = found || anyOf(child, test); });
  return found;
}

bool holdsReduction(const Expr &expr) {
  return anyOf(expr, [](const Expr &e) { return e.as<ReduceExpr>(); });
}

bool holdsAccess(const Expr &expr) {
  return anyOf(expr, [](const Expr &e) { return e.as<AccessExpr>(); });
}

} // namespace girih::frontend
