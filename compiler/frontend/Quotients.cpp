//===- Quotients.cpp - sizes that are divided -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Quotients.h"

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace girih::frontend {

namespace {

/// As for every sum: numbers below 2^40, factors below 2^16.
constexpr int64_t kMaxNumber = int64_t(1) << 40;
constexpr int64_t kMaxFactor = int64_t(1) << 16;

bool fits(const NamedSum &sum) {
  bool small = std::abs(sum.constant) < kMaxNumber;
  for (const auto &[name, factor] : sum.factors)
    small &= std::abs(factor) < kMaxFactor;
  return small;
}

NamedSum times(NamedSum sum, int64_t factor) {
  if (factor == 0)
    return {};
  sum.constant *= factor;
  for (auto &term : sum.factors)
    term.second *= factor;
  return sum;
}

NamedSum plus(NamedSum sum, const NamedSum &other) {
  addTo(sum, other, 1);
  return sum;
}

int64_t floorDivided(int64_t value, int64_t divisor) {
  int64_t rest = (value % divisor + divisor) % divisor;
  return (value - rest) / divisor;
}

/// sum / divisor = whole + rest / divisor, where the factors of `rest` and,
/// unless `keepsNumber`, its number lie in 0 .. divisor-1.
std::pair<NamedSum, NamedSum> split(const NamedSum &sum, int64_t divisor,
                                    bool keepsNumber) {
  NamedSum whole;
  for (const auto &[name, factor] : sum.factors)
    if (int64_t part = floorDivided(factor, divisor))
      whole.factors[name] = part;
  if (!keepsNumber)
    whole.constant = floorDivided(sum.constant, divisor);
  return {whole, plus(sum, times(whole, -divisor))};
}

/// The same quotient in smaller numbers.
void reduce(NamedSum &sum, int64_t &divisor) {
  int64_t common = divisor;
  for (const auto &term : sum.factors)
    common = std::gcd(common, term.second);
  for (auto &term : sum.factors)
    term.second /= common;
  sum.constant = floorDivided(sum.constant, common);
  divisor /= common;
}

ExprPtr node(Expr::Node inner, SourceRange range) {
  auto expr = std::make_unique<Expr>();
  expr->node = std::move(inner);
  expr->range = range;
  expr->untyped = isUntyped(expr->node);
  forEachChild(*expr, [&](const Expr &child) {
    expr->depth = std::max(expr->depth, child.depth + 1);
  });
  return expr;
}

ExprPtr number(int64_t value, SourceRange range) {
  LiteralExpr literal;
  literal.digits = std::to_string(value);
  return node(std::move(literal), range);
}

ExprPtr binary(BinaryOp op, ExprPtr lhs, ExprPtr rhs, SourceRange range) {
  BinaryExpr inner;
  inner.op = op;
  inner.opRange = range;
  inner.lhs = std::move(lhs);
  inner.rhs = std::move(rhs);
  return node(std::move(inner), range);
}

ExprPtr exprOf(const NamedSum &sum, SourceRange range) {
  ExprPtr result;
  auto add = [&](ExprPtr term, bool subtract) {
    if (result) {
      result = binary(subtract ? BinaryOp::Sub : BinaryOp::Add,
                      std::move(result), std::move(term), range);
    } else if (subtract) {
      UnaryExpr negated;
      negated.operand = std::move(term);
      result = node(std::move(negated), range);
    } else {
      result = std::move(term);
    }
  };
  for (const auto &[name, factor] : sum.factors) {
    ExprPtr term = node(NameExpr{name, {}}, range);
    if (std::abs(factor) != 1)
      term = binary(BinaryOp::Mul, number(std::abs(factor), range),
                    std::move(term), range);
    add(std::move(term), factor < 0);
  }
  if (sum.constant != 0 || !result)
    add(number(std::abs(sum.constant), range), sum.constant < 0);
  return result;
}

/// `D / 2` or `floordiv(D, 2)`: the two sides.
std::optional<std::pair<const Expr *, const Expr *>>
asDivision(const Expr &expr) {
  if (auto *binary = expr.as<BinaryExpr>();
      binary && binary->op == BinaryOp::Div)
    return std::pair(binary->lhs.get(), binary->rhs.get());
  if (auto *call = expr.as<CallExpr>();
      call && call->callee.text == "floordiv" && call->arguments.size() == 2)
    return std::pair(call->arguments[0].get(), call->arguments[1].get());
  return std::nullopt;
}

bool isNumber(const NamedSum &sum) { return sum.factors.empty(); }

} // namespace

Quotients::Quotients(OpDecl &op, Constants constants, Reporter &reporter)
    : op(op), constants(std::move(constants)), reporter(reporter) {
  for (auto *decls : {&op.inputs, &op.outputs})
    for (const TensorDecl &decl : *decls)
      for (const DimDecl &dim : decl.dims)
        forEachName(*dim.value, [&](const std::string &name, SourceRange) {
          if (!this->constants(name))
            known.insert(name);
        });
  for (const auto &size : op.derived)
    if (size->divisor == 0)
      known.erase(size->name.text);
    else
      known.insert(size->name.text);
}

void Quotients::nameAll() {
  for (size_t i = 0; i < op.derived.size(); ++i)
    if (op.derived[i]->divisor == 0)
      define(i);
  for (auto *decls : {&op.inputs, &op.outputs})
    for (TensorDecl &decl : *decls) {
      for (DimDecl &dim : decl.dims)
        nameIn(dim.value, /*isSum=*/true);
      if (decl.first) {
        nameIn(decl.first, /*isSum=*/true);
        nameIn(decl.end, /*isSum=*/true);
      }
    }
  for (const auto &loop : op.loops)
    nameIn(*loop->index);
  for (const auto &statement : op.statements) {
    for (const auto &index : statement->indices)
      nameIn(*index);
    for (Subscript &subscript : statement->at)
      nameIn(subscript.value, /*isSum=*/true);
    if (statement->scatter)
      nameIn(statement->scatter->place, /*isSum=*/false);
    for (ExprPtr *expr :
         {&statement->value, &statement->where, &statement->otherwise})
      if (*expr)
        nameIn(*expr, /*isSum=*/false);
  }
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

void Quotients::define(size_t at) {
  DerivedSize &size = *op.derived[at];
  for (size_t before = 0; before < at; ++before)
    if (const Name &other = op.derived[before]->name;
        other.text == size.name.text) {
      reporter
          .error(codes::kRedefined,
                 fmt::format("the size '{}' is defined twice", other.text),
                 size.name.range)
          .note("first defined here", other.range);
      size.divisor = 1;
      return;
    }
  size_t count = op.derived.size();
  defining = &size;
  std::optional<Value> value = valueOf(*size.value);
  defining = nullptr;
  size.divisor = 1;
  if (value) {
    size.divisor = value->divisor;
    size.sum = plus(times(value->sum, value->divisor), value->part);
    reduce(size.sum, size.divisor);
  }
  known.insert(size.name.text);
  // What it needs stands before it.
  auto first = op.derived.begin();
  std::rotate(first + long(at), first + long(count), op.derived.end());
}

std::optional<Quotients::Value>
Quotients::fault(const Expr &expr, std::string message, std::string help) {
  if (!defining)
    return std::nullopt;
  Diagnostic &d =
      reporter.error(codes::kBadDefinition, std::move(message), expr.range);
  if (!help.empty())
    d.help(std::move(help));
  return std::nullopt;
}

std::optional<Quotients::Value> Quotients::nameOf(const std::string &name,
                                                  const Expr &expr) {
  Value value;
  if (known.count(name)) {
    value.sum.factors[name] = 1;
    return value;
  }
  if (auto constant = constants(name)) {
    value.sum.constant = *constant;
    return value;
  }
  if (!defining)
    return std::nullopt;
  if (name == defining->name.text)
    return fault(expr, fmt::format("'{}' stands in its own definition", name));
  for (const auto &other : op.derived)
    if (other->name.text == name)
      return fault(expr,
                   fmt::format("'{}' is defined behind '{}', which uses it",
                               name, defining->name.text),
                   fmt::format("define '{}' first", name));
  reporter.error(codes::kUndefined,
                 fmt::format("there is no size '{}'{}", name,
                             didYouMean(name, {known.begin(), known.end()})),
                 expr.range);
  return std::nullopt;
}

std::optional<Quotients::Value> Quotients::valueOf(const Expr &expr) {
  if (auto *name = expr.as<NameExpr>())
    return nameOf(name->name, expr);
  if (expr.as<LiteralExpr>()) {
    auto sum = namedSum(expr);
    if (!sum)
      return fault(expr, "a size's definition needs plain integers");
    return Value{*sum, {}, 1};
  }
  if (auto *unary = expr.as<UnaryExpr>(); unary && unary->op == UnaryOp::Neg) {
    auto operand = valueOf(*unary->operand);
    if (!operand)
      return std::nullopt;
    return Value{times(flat(*operand, expr.range), -1), {}, 1};
  }
  if (auto sides = asDivision(expr))
    return dividedBy(*sides->first, *sides->second);
  auto *binary = expr.as<BinaryExpr>();
  bool sums =
      binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub ||
                 binary->op == BinaryOp::Mul);
  if (!sums)
    return fault(expr,
                 fmt::format("a size's definition holds sizes and integers, "
                             "not '{}'",
                             printExpr(expr)),
                 "'+', '-', '*' by a number and '/' by one are allowed");
  auto lhs = valueOf(*binary->lhs), rhs = valueOf(*binary->rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  Value value;
  if (binary->op == BinaryOp::Mul) {
    NamedSum left = flat(*lhs, expr.range), right = flat(*rhs, expr.range);
    if (!isNumber(left))
      std::swap(left, right);
    if (!isNumber(left))
      return fault(expr,
                   fmt::format("a size's definition cannot hold '{}', a "
                               "product of two sizes",
                               printExpr(expr)),
                   "one factor of each product is a number");
    bool small = left.constant < kMaxFactor && left.constant > -kMaxFactor;
    value.sum = times(right, small ? left.constant : 0);
    return small && fits(value.sum)
               ? std::optional(value)
               : fault(expr, "a size's definition has a number of 2^40 or a "
                             "factor of 2^16 or more");
  }
  if (binary->op == BinaryOp::Sub) {
    rhs->sum = times(flat(*rhs, expr.range), -1);
    rhs->divisor = 1;
  } else if (lhs->divisor != 1 && rhs->divisor != 1) {
    rhs->sum = flat(*rhs, expr.range);
    rhs->divisor = 1;
  }
  value = lhs->divisor != 1 ? *lhs : *rhs;
  value.sum = plus(lhs->sum, rhs->sum);
  return fits(value.sum)
             ? std::optional(value)
             : fault(expr, "a size's definition has a number of 2^40 or a "
                           "factor of 2^16 or more");
}

/// floor((sum + floor(part / d)) / e) = floor((d * sum + part) / (d * e)).
std::optional<Quotients::Value> Quotients::dividedBy(const Expr &lhs,
                                                     const Expr &rhs) {
  auto divisor = valueOf(rhs), value = valueOf(lhs);
  if (!divisor || !value)
    return std::nullopt;
  if (divisor->divisor != 1 || !isNumber(divisor->sum) ||
      divisor->sum.constant < 1 || divisor->sum.constant >= kMaxFactor)
    return fault(rhs,
                 fmt::format("a size is divided by a number from 1 to 65535, "
                             "not by '{}'",
                             printExpr(rhs)),
                 "write a number, or a const parameter");
  Value result;
  result.part = plus(times(value->sum, value->divisor), value->part);
  result.divisor = value->divisor * divisor->sum.constant;
  if (!fits(result.part) || result.divisor >= kMaxFactor)
    return fault(lhs, "a size's definition has a number of 2^40 or a factor of "
                      "2^16 or more");
  if (isNumber(result.part)) {
    result.sum.constant = floorDivided(result.part.constant, result.divisor);
    result.part = {};
    result.divisor = 1;
  } else if (result.divisor == 1) {
    std::swap(result.sum, result.part);
  }
  return result;
}

NamedSum Quotients::flat(const Value &value, SourceRange range) {
  if (value.divisor == 1)
    return plus(value.sum, value.part);
  return plus(value.sum, quotient(value.part, value.divisor, range));
}

NamedSum Quotients::quotient(NamedSum sum, int64_t divisor, SourceRange range) {
  reduce(sum, divisor);
  auto [whole, rest] = split(sum, divisor, /*keepsNumber=*/false);
  if (isNumber(rest))
    return whole; // the number is less than the divisor
  for (const auto &other : op.derived) {
    if (other->divisor != divisor)
      continue;
    auto [otherWhole, otherRest] =
        split(other->sum, divisor, /*keepsNumber=*/false);
    if (!(otherRest == rest))
      continue;
    NamedSum result = plus(whole, times(otherWhole, -1));
    NamedSum name;
    name.factors[other->name.text] = 1;
    return plus(result, name);
  }
  auto [taken, numerator] = split(sum, divisor, /*keepsNumber=*/true);
  DerivedSize &size = *op.derived.emplace_back(std::make_unique<DerivedSize>());
  ExprPtr written = exprOf(numerator, range);
  size.value =
      binary(BinaryOp::Div, std::move(written), number(divisor, range), range);
  size.name = {printExpr(*size.value), range};
  size.range = range;
  size.sum = std::move(numerator);
  size.divisor = divisor;
  known.insert(size.name.text);
  taken.factors[size.name.text] = 1;
  return taken;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void Quotients::nameIn(IndexVariable &index) {
  if (!index.end)
    return;
  nameIn(index.first, /*isSum=*/true);
  nameIn(index.end, /*isSum=*/true);
}

/// `isSum`: `expr` is, or is a part of, a sum of indices and sizes.
void Quotients::nameIn(ExprPtr &expr, bool isSum) {
  auto *binary = expr->as<BinaryExpr>();
  if (isSum && binary && binary->op == BinaryOp::Div) {
    bool ofSizes = false, onlySizes = true;
    forEachName(*expr, [&](const std::string &name, SourceRange) {
      ofSizes |= known.count(name) != 0;
      onlySizes &= known.count(name) || constants(name);
    });
    auto value = ofSizes && onlySizes ? valueOf(*expr) : std::nullopt;
    if (value) {
      expr = exprOf(flat(*value, expr->range), expr->range);
      return;
    }
  }
  if (binary) {
    bool inside =
        isComparison(binary->op) || (isSum && isIndexArithmetic(binary->op));
    nameIn(binary->lhs, inside);
    nameIn(binary->rhs, inside);
  } else if (auto *unary = expr->as<UnaryExpr>()) {
    nameIn(unary->operand, isSum && unary->op == UnaryOp::Neg);
  } else if (auto *access = expr->as<AccessExpr>()) {
    for (Subscript &subscript : access->subscripts)
      nameIn(subscript.value, /*isSum=*/true);
    if (access->otherwise)
      nameIn(access->otherwise, /*isSum=*/false);
  } else if (auto *cast = expr->as<CastExpr>()) {
    nameIn(cast->operand, /*isSum=*/false);
  } else if (auto *choice = expr->as<IfExpr>()) {
    nameIn(choice->condition, /*isSum=*/false);
    nameIn(choice->thenValue, /*isSum=*/false);
    nameIn(choice->elseValue, /*isSum=*/false);
  } else if (auto *call = expr->as<CallExpr>()) {
    for (ExprPtr &argument : call->arguments)
      nameIn(argument, /*isSum=*/false);
  } else if (auto *reduce = expr->as<ReduceExpr>()) {
    for (auto &index : reduce->indices)
      nameIn(*index);
    if (reduce->condition)
      nameIn(reduce->condition, /*isSum=*/false);
    nameIn(reduce->body, /*isSum=*/false);
  }
}

} // namespace girih::frontend
