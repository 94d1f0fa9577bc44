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

/// Functions whose arguments and result have one type.
static bool keepsType(const CallExpr &call) {
  const std::string &name = call.callee.text;
  return name == "floordiv" || name == "tdiv" || name == "tmod" ||
         name == "min" || name == "max" || name == "abs";
}

/// Calls `visit` for what `expr` computes with, in its type.
template <typename AnyExpr, typename Visit>
static void forEachOperand(AnyExpr &expr, Visit visit) {
  if (auto *unary = expr.template as<UnaryExpr>()) {
    visit(unary->operand);
  } else if (auto *binary = expr.template as<BinaryExpr>()) {
    // A comparison of indices needs no cast.
    if (isComparison(binary->op))
      return;
    visit(binary->lhs);
    visit(binary->rhs);
  } else if (auto *choice = expr.template as<IfExpr>()) {
    visit(choice->thenValue);
    visit(choice->elseValue);
  } else if (auto *call = expr.template as<CallExpr>()) {
    for (auto &argument : call->arguments)
      visit(argument);
  }
}

bool ExprChecker::holdsIndex(const Expr &expr) const {
  if (auto *name = expr.as<NameExpr>())
    return findIndex(name->name) || op->sizes.count(name->name);
  auto *call = expr.as<CallExpr>();
  bool holds = false;
  if (!call || keepsType(*call))
    forEachOperand(expr, [&](const ExprPtr &operand) {
      holds = holds || holdsIndex(*operand);
    });
  return holds;
}

void ExprChecker::castOperands(Expr &expr, bool constants) {
  // What stands beside an index has its type: `floordiv(k, GS)`.
  auto *call = expr.as<CallExpr>();
  constants = (!call || keepsType(*call)) && (constants || holdsIndex(expr));
  forEachOperand(expr, [&](ExprPtr &operand) {
    castIndices(operand, /*isCast=*/false, constants);
  });
}

void ExprChecker::castIndices(ExprPtr &expr, bool isCast, bool constants) {
  if (auto *name = expr->as<NameExpr>()) {
    bool isIndex = findIndex(name->name) || op->sizes.count(name->name);
    if (isCast || !(isIndex || (constants && isIntegerConstant(name->name))))
      return;
    CastExpr cast;
    cast.to = ScalarType::I64;
    cast.made = true;
    auto around = std::make_unique<Expr>();
    around->range = expr->range;
    around->depth = expr->depth + 1;
    cast.operand = std::move(expr);
    around->node = std::move(cast);
    expr = std::move(around);
    return;
  }
  if (auto *cast = expr->as<CastExpr>())
    return castIndices(cast->operand, /*isCast=*/true, /*constants=*/false);
  castOperands(*expr, constants);
}

bool ExprChecker::checkValue(Expr &expr) {
  // The node itself is no index, so it keeps its place in the tree.
  if (auto *cast = expr.as<CastExpr>())
    castIndices(cast->operand, /*isCast=*/true, /*constants=*/false);
  else
    castOperands(expr, /*constants=*/false);
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
