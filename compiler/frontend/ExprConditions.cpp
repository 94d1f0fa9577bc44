//===- ExprConditions.cpp - comparisons of indices, who takes part --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Conditions.h"
#include "compiler/frontend/ConstFold.h"
#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Instance.h"

#include <fmt/format.h>

namespace girih::frontend {

//===----------------------------------------------------------------------===//
// Comparisons of indices
//===----------------------------------------------------------------------===//

/// A name that stands for an integer constant where indices are counted.
bool ExprChecker::isIntegerConstant(std::string_view name) const {
  for (const auto &constant : op->op.constants)
    if (constant->name.text == name)
      return isInteger(constant->type);
  const Global *global = sema.findGlobal(name);
  return global && global->constant && isInteger(global->constant->type);
}

/// Whether `expr` is written as a sum of indices, sizes and integers, with a
/// number in each product (others are values, and compared as such); `index`
/// is set if it names one of the first two.
bool ExprChecker::isIndexSum(const Expr &expr, bool &index) const {
  if (auto *literal = expr.as<LiteralExpr>())
    return !literal->suffix &&
           literal->digits.find_first_not_of("0123456789") == std::string::npos;
  if (auto *name = expr.as<NameExpr>()) {
    bool known = findIndex(name->name) || op->sizes.count(name->name);
    index |= known;
    return known || isIntegerConstant(name->name);
  }
  if (auto *unary = expr.as<UnaryExpr>())
    return unary->op == UnaryOp::Neg && isIndexSum(*unary->operand, index);
  auto *binary = expr.as<BinaryExpr>();
  bool sums =
      binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub ||
                 binary->op == BinaryOp::Mul);
  bool left = false, right = false;
  if (!sums || !isIndexSum(*binary->lhs, left) ||
      !isIndexSum(*binary->rhs, right))
    return false;
  index |= left || right;
  return binary->op != BinaryOp::Mul || !(left && right);
}

/// Whether `expr` is a sum, or what is left of one: `(i + 1) % 3`.
bool ExprChecker::isIndexTerm(const Expr &expr, bool &index) const {
  auto *binary = expr.as<BinaryExpr>();
  if (!binary || binary->op != BinaryOp::Mod)
    return isIndexSum(expr, index);
  bool ignored = false;
  return isIndexSum(*binary->rhs, ignored) && !ignored &&
         isIndexSum(*binary->lhs, index) && index;
}

bool ExprChecker::comparesIndices(const BinaryExpr &node) const {
  if (!op || !isComparison(node.op))
    return false;
  bool index = false;
  return isIndexTerm(*node.lhs, index) && isIndexTerm(*node.rhs, index) &&
         index;
}

static bool isPlain(const Expr &expr) {
  return expr.as<NameExpr>() || expr.as<LiteralExpr>();
}

std::optional<IndexTerm> ExprChecker::indexTerm(const Expr &expr) {
  IndexSums sums{sema,
                 sema.report(),
                 *op,
                 "a comparison of indices",
                 codes::kNoIndexArithmetic,
                 [&](std::string_view name) { return findIndex(name); },
                 indexNames()};
  auto *binary = expr.as<BinaryExpr>();
  bool isRest = binary && binary->op == BinaryOp::Mod;
  auto sum = sums.of(isRest ? *binary->lhs : expr);
  if (!sum)
    return std::nullopt;
  IndexTerm term{std::move(*sum), 0};
  if (!isRest)
    return term;
  auto divisor = sums.of(*binary->rhs);
  if (!divisor)
    return std::nullopt;
  term.modulus = divisor->offset.constant;
  if (!divisor->offset.isConstant() || term.modulus < 1) {
    sema.report()
        .error(codes::kNoIndexArithmetic,
               fmt::format("the divisor of an index is a number of at least 1, "
                           "not '{}'",
                           printExpr(*binary->rhs)),
               binary->rhs->range)
        .help("cast the index to divide by something else: i64(i) % i64(N)");
    return std::nullopt;
  }
  return term;
}

/// The sides of a comparison of indices.
ExprChecker::Type ExprChecker::checkIndexComparison(BinaryExpr &node) {
  // Names and numbers that stand alone have messages of their own.
  if (isPlain(*node.lhs) && isPlain(*node.rhs) &&
      !unify({node.lhs.get(), node.rhs.get()}, std::nullopt,
             fmt::format("the operands of '{}'", spelling(node.op))))
    return std::nullopt;
  node.sides.clear();
  for (const ExprPtr *side : {&node.lhs, &node.rhs}) {
    auto term = indexTerm(**side);
    if (!term)
      return std::nullopt;
    (*side)->type = ScalarType::Index;
    node.sides.push_back(std::move(*term));
  }
  return ScalarType::Bool;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Whether a range ends where an element of a tensor says.
bool ExprChecker::isDataEnd(const Expr &expr) const {
  bool found = holdsAccess(expr);
  forEachName(expr, [&](const std::string &name, SourceRange) {
    found |= op->tensors.count(name) || op->firstStatement.count(name);
  });
  return found;
}

/// The range that the text gives an index: of sizes and integers, or of other
/// indices, or of elements. The last kind becomes tests once the index is
/// bound.
bool ExprChecker::checkRange(IndexVariable &index) {
  if (!index.end || isDataEnd(*index.first) || isDataEnd(*index.end))
    return true;
  IndexSums sums{sema,
                 sema.report(),
                 *op,
                 "the end of a range",
                 codes::kNoReduction,
                 [&](std::string_view name) { return findIndex(name); },
                 indexNames()};
  auto first = sums.of(*index.first), end = sums.of(*index.end);
  if (!first || !end)
    return false;
  index.fixedBy = {index.first->range.begin, index.end->range.end};
  if (first->terms.empty() && end->terms.empty()) {
    index.start = first->offset;
    index.extent = end->offset - first->offset;
    return true;
  }
  index.dependent = true;
  dependentRanges[&index] = {std::move(*first), std::move(*end)};
  return true;
}

/// Says in the reduction's domain or tests what the range of a bound index
/// depends on.
bool ExprChecker::addRange(ReduceExpr &node, const IndexVariable &index) {
  IndexSum self;
  self.terms.push_back({&index, 1});
  if (index.dependent) {
    const auto &[first, end] = dependentRanges.at(&index);
    node.domain.push_back({added(self, scaled(first, -1)), index.first->range});
    Condition below{added(end, scaled(self, -1)), index.end->range};
    below.sum.offset.constant -= 1;
    node.domain.push_back(std::move(below));
    return true;
  }
  if (!index.end || !(isDataEnd(*index.first) || isDataEnd(*index.end)))
    return true;
  bool fine = true;
  for (bool upper : {false, true}) {
    const Expr &end = upper ? *index.end : *index.first;
    // Every index is 0 or more.
    auto *literal = end.as<LiteralExpr>();
    if (!upper && literal && literal->digits == "0")
      continue;
    fine &= addDataEnd(node, index, end, upper);
  }
  return fine;
}

/// i64(index) < i64(end), or >= where `end` is the first.
bool ExprChecker::addDataEnd(ReduceExpr &node, const IndexVariable &index,
                             const Expr &end, bool upper) {
  auto wrap = [&](Expr::Node inner, SourceRange range) {
    auto expr = std::make_unique<Expr>();
    expr->node = std::move(inner);
    expr->range = range;
    return expr;
  };
  auto cast = [&](ExprPtr operand) {
    CastExpr node;
    node.to = ScalarType::I64;
    SourceRange range = operand->range;
    node.operand = std::move(operand);
    return wrap(std::move(node), range);
  };
  ExprPtr value = Cloner().clone(end);
  Type type = check(*value, ScalarType::I64);
  if (!type)
    return false;
  if (!isInteger(*type) && *type != ScalarType::Index) {
    sema.report()
        .error(codes::kWrongOperandType,
               fmt::format("the end of a range is an integer, this is {}",
                           spelling(*type)),
               end.range)
        .help(fmt::format("cast it: i32({})", shortened(end)));
    return false;
  }
  NameExpr name;
  name.name = index.name.text;
  name.target = &index;
  ExprPtr self = wrap(std::move(name), index.name.range);
  self->type = ScalarType::Index;
  BinaryExpr comparison;
  comparison.op = upper ? BinaryOp::Less : BinaryOp::GreaterEqual;
  comparison.opRange = end.range;
  comparison.lhs = cast(std::move(self));
  comparison.rhs = cast(std::move(value));
  comparison.lhs->type = comparison.rhs->type = ScalarType::I64;
  ExprPtr test = wrap(std::move(comparison), end.range);
  test->type = ScalarType::Bool;
  node.tests.push_back(test.get());
  node.madeTests.push_back(std::move(test));
  return true;
}

/// Who takes part: comparisons of sums cut the domain, the rest are tests.
bool ExprChecker::checkCondition(ReduceExpr &node) {
  bool fine = true;
  for (const auto &index : node.indices)
    fine &= addRange(node, *index);
  if (!node.condition)
    return fine;
  if (!needBool(*node.condition,
                fmt::format("the condition of '{}'", spelling(node.kind))))
    return false;
  forEachConjunct(*node.condition, [&](const Expr &part) {
    std::vector<Condition> conditions;
    if (collectConditions(part, /*negated=*/false, conditions))
      node.domain.insert(node.domain.end(), conditions.begin(),
                         conditions.end());
    else
      node.tests.push_back(&part);
  });
  return fine;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// `where` is a conjunction of comparisons of sums: what a domain can be.
bool ExprChecker::checkWhere(Statement &statement) {
  if (!statement.where)
    return true;
  if (!needBool(*statement.where, "'where'"))
    return false;
  if (collectConditions(*statement.where, /*negated=*/false, statement.domain))
    return true;
  const Expr &fault = *findNotAffine(*statement.where);
  auto *binary = fault.as<BinaryExpr>();
  bool compares = binary && isComparison(binary->op);
  bool isRest = compares && !binary->sides.empty() &&
                (binary->sides[0].modulus || binary->sides[1].modulus);
  bool joins = binary && !compares;
  Diagnostic &d = sema.report().error(
      codes::kBadCondition,
      fmt::format("'where' joins comparisons of indices and sizes by 'and'; "
                  "'{}' is {}",
                  shortened(fault),
                  joins    ? "a choice of two"
                  : isRest ? "about what a division leaves"
                  : compares && !binary->sides.empty()
                      ? "two ranges"
                      : "no comparison of them"),
      fault.range);
  if (isRest)
    d.help("define the part with a factor: Y[2 * i] = ..., Y[2 * i + 1] = ...");
  else
    d.help(fmt::format("choose in the value: if {} then ... else ...",
                       shortened(*statement.where)));
  return false;
}

ExprChecker::Type ExprChecker::checkStatement(Statement &statement) {
  bool fine = checkWhere(statement);
  Type type = check(*statement.value);
  if (!statement.otherwise || !type)
    return fine ? type : std::nullopt;
  Expr &other = *statement.otherwise;
  facts = factsOf(*statement.where, /*negated=*/true);
  inOtherwise = true;
  Type here = check(other, other.untyped ? type : std::nullopt);
  inOtherwise = false;
  facts.clear();
  if (!here || !fine)
    return std::nullopt;
  if (*here == *type)
    return type;
  sema.report()
      .error(
          codes::kOperandTypesDiffer,
          fmt::format("the value behind 'else' is {}, the one before 'where' "
                      "is {}",
                      spelling(*here), spelling(*type)),
          other.range)
      .note(fmt::format("this is {}", spelling(*type)), statement.value->range)
      .help(fmt::format("cast it: {}({})", spelling(*type), shortened(other)));
  return std::nullopt;
}

} // namespace girih::frontend
