//===- ExprGather.cpp - subscripts, and values as parts of them -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"

#include <fmt/format.h>

namespace girih::frontend {

bool ExprChecker::checkSubscripts(AccessExpr &node, const Expr &expr,
                                  const char *verb) {
  const Tensor &tensor = *node.tensor;
  if (tensor.dims.size() != node.subscripts.size()) {
    sema.report()
        .error(codes::kRankMismatch,
               fmt::format("'{}' has {} dimension{}, this {} gives {} "
                           "subscript{}",
                           tensor.name.text, tensor.dims.size(),
                           tensor.dims.size() == 1 ? "" : "s", verb,
                           node.subscripts.size(),
                           node.subscripts.size() == 1 ? "" : "s"),
               expr.range)
        .note(fmt::format("'{}' is defined here", tensor.name.text),
              tensor.name.range);
    return false;
  }
  IndexSums sums{sema,
                 sema.report(),
                 *op,
                 "a subscript",
                 codes::kNoSubscript,
                 [&](std::string_view name) { return findIndex(name); },
                 indexNames(),
                 [&](Expr &value) { return checkValue(value); }};
  bool fine = true;
  for (Subscript &subscript : node.subscripts) {
    auto sum = sums.of(*subscript.value);
    fine &= sum.has_value();
    if (sum)
      subscript.sum = std::move(*sum);
  }
  accesses.push_back({&node, expr.range, indices, around, facts, inOtherwise});
  return fine;
}

void ExprChecker::castIndices(ExprPtr &expr, bool isCast) {
  if (auto *name = expr->as<NameExpr>()) {
    bool isIndex = findIndex(name->name) || op->sizes.count(name->name);
    if (!isIndex || isCast)
      return;
    CastExpr cast;
    cast.to = ScalarType::I64;
    auto around = std::make_unique<Expr>();
    around->range = expr->range;
    around->depth = expr->depth + 1;
    cast.operand = std::move(expr);
    around->node = std::move(cast);
    expr = std::move(around);
    return;
  }
  if (auto *cast = expr->as<CastExpr>())
    return castIndices(cast->operand, /*isCast=*/true);
  if (auto *unary = expr->as<UnaryExpr>())
    return castIndices(unary->operand, false);
  if (auto *binary = expr->as<BinaryExpr>()) {
    // A comparison of indices needs no cast.
    if (isComparison(binary->op))
      return;
    castIndices(binary->lhs, false);
    castIndices(binary->rhs, false);
  } else if (auto *choice = expr->as<IfExpr>()) {
    castIndices(choice->thenValue, false);
    castIndices(choice->elseValue, false);
  } else if (auto *call = expr->as<CallExpr>()) {
    for (ExprPtr &argument : call->arguments)
      castIndices(argument, false);
  }
}

bool ExprChecker::checkValue(Expr &expr) {
  // The node itself is no index, so it keeps its place in the tree.
  if (auto *cast = expr.as<CastExpr>()) {
    castIndices(cast->operand, /*isCast=*/true);
  } else if (auto *unary = expr.as<UnaryExpr>()) {
    castIndices(unary->operand, false);
  } else if (auto *binary = expr.as<BinaryExpr>()) {
    castIndices(binary->lhs, false);
    castIndices(binary->rhs, false);
  } else if (auto *choice = expr.as<IfExpr>()) {
    castIndices(choice->thenValue, false);
    castIndices(choice->elseValue, false);
  } else if (auto *call = expr.as<CallExpr>()) {
    for (ExprPtr &argument : call->arguments)
      castIndices(argument, false);
  }
  Type type = check(expr);
  if (!type)
    return false;
  if (isInteger(*type))
    return true;
  sema.report()
      .error(codes::kWrongOperandType,
             fmt::format("a subscript is an integer, '{}' is {}",
                         shortened(expr), spelling(*type)),
             expr.range)
      .help(fmt::format("cast it, for example i64({})", shortened(expr)));
  return false;
}

bool ExprChecker::checkPlace(Expr &place, const Tensor &target) {
  auto &node = *place.as<AccessExpr>();
  node.tensor = &target;
  place.type = target.type;
  return checkSubscripts(node, place, "statement");
}

} // namespace girih::frontend
