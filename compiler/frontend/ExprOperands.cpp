//===- ExprOperands.cpp - literals and what operations need ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ConstFold.h"
#include "compiler/frontend/ExprChecker.h"

#include <fmt/format.h>

namespace girih::frontend {

namespace {

const Expr &firstLiteral(const Expr &expr) {
  const Expr *at = &expr;
  while (!at->as<LiteralExpr>()) {
    const Expr *next = nullptr;
    // The value, not the condition, of a choice.
    if (auto *choice = at->as<IfExpr>())
      next = choice->thenValue.get();
    else
      forEachChild(*at, [&](const Expr &child) {
        if (!next)
          next = &child;
      });
    at = next;
  }
  return *at;
}

} // namespace

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

void ExprChecker::literalAlone(const Expr &expr) {
  const Expr &literal = firstLiteral(expr);
  const std::string &digits = literal.as<LiteralExpr>()->digits;
  bool word = digits == "inf" || digits == "nan";
  sema.report()
      .error(codes::kLiteralAlone,
             fmt::format("'{}' has no operand beside it to take its type from",
                         digits),
             literal.range)
      .help(word ? fmt::format("write f32({})", digits)
                 : fmt::format("write it with its type: {}{}", digits, [&] {
                     // What the statement defines is often what is meant.
                     bool declared =
                         defining && defining->role != Tensor::Role::Temporary;
                     bool fits = declared && (isFloat(defining->type) ||
                                              (isInteger(defining->type) &&
                                               integerLiteral(digits)));
                     return spelling(fits ? defining->type : ScalarType::F32);
                   }()));
}

ExprChecker::Type ExprChecker::checkNode(LiteralExpr &node, Expr &expr,
                                         Type want) {
  return checkLiteral(node, expr, want, /*negated=*/false);
}

ExprChecker::Type ExprChecker::checkLiteral(LiteralExpr &node, Expr &expr,
                                            Type want, bool negated) {
  if (!node.suffix && !want) {
    literalAlone(expr);
    return std::nullopt;
  }
  ScalarType type = node.suffix ? *node.suffix : *want;
  if (isInteger(type))
    return checkIntegerLiteral(node, expr.range, type, negated);
  if (type == ScalarType::Index) {
    constexpr uint64_t kMost = 999'999'999'999'999'999;
    auto value = integerLiteral(node.digits);
    if (!value || value->tooLarge || value->value > kMost) {
      sema.report().error(
          codes::kWrongOperandType,
          fmt::format("beside an index stands an integer, not '{}'",
                      node.digits),
          expr.range);
      return std::nullopt;
    }
    node.indexValue = static_cast<int64_t>(value->value);
    return type;
  }
  if (type == ScalarType::Bool) {
    sema.report()
        .error(codes::kWrongOperandType,
               fmt::format("the number '{}' where a boolean is needed",
                           node.digits),
               expr.range)
        .help("write true or false");
    return std::nullopt;
  }
  auto value = roundedLiteral(node, expr.range, type, sema.report());
  if (!value)
    return std::nullopt;
  node.value = *value;
  return type;
}

ExprChecker::Type ExprChecker::checkIntegerLiteral(LiteralExpr &node,
                                                   SourceRange range,
                                                   ScalarType type,
                                                   bool negated) {
  auto bits = integerBits(node, range, type, negated, sema.report());
  if (!bits)
    return std::nullopt;
  node.bits = *bits;
  return type;
}

//===----------------------------------------------------------------------===//
// What an operation needs
//===----------------------------------------------------------------------===//

void ExprChecker::noNumber(ScalarType type, SourceRange range,
                           const std::string &what) {
  if (type == ScalarType::Index)
    sema.report()
        .error(
            codes::kNoIndexArithmetic,
            fmt::format("{} on indices and sizes is not supported yet", what),
            range)
        .help("cast it first, for example f32(i) or i64(i); without a cast "
              "there are + - * % floordiv tdiv tmod min max abs");
  else if (isStorageOnly(type))
    sema.report()
        .error(codes::kWrongOperandType,
               fmt::format("{} cannot work in {}, which is a type to store "
                           "values in",
                           what, spelling(type)),
               range)
        .help("cast it first, for example f32(x)");
  else
    sema.report()
        .error(codes::kWrongOperandType,
               fmt::format("{} needs numbers, this is bool", what), range)
        .help("cast it: i32(x) is 1 where x is true");
}

bool ExprChecker::needNumber(ScalarType type, SourceRange range,
                             const std::string &what) {
  if (isInteger(type) || (isFloat(type) && !isStorageOnly(type)))
    return true;
  noNumber(type, range, what);
  return false;
}

bool ExprChecker::needFloat(ScalarType type, SourceRange range,
                            const std::string &what) {
  if (!isInteger(type))
    return needNumber(type, range, what);
  Diagnostic &d = sema.report().error(
      codes::kWrongOperandType,
      fmt::format("{} needs floats, this is {}", what, spelling(type)), range);
  if (what == "'/'")
    d.help("floordiv(a, b) rounds down, tdiv(a, b) towards zero; or cast both "
           "sides, for example f32(a) / f32(b)");
  else
    d.help("cast it first, for example f32(x)");
  return false;
}

bool ExprChecker::needInteger(ScalarType type, SourceRange range,
                              const std::string &what) {
  if (isInteger(type))
    return true;
  if (type == ScalarType::Index) {
    noNumber(type, range, what);
    return false;
  }
  Diagnostic &d = sema.report().error(
      codes::kWrongOperandType,
      fmt::format("{} needs integers, this is {}", what, spelling(type)),
      range);
  if (type == ScalarType::Bool)
    d.help("the connectives of booleans are 'and', 'or', 'not'");
  else
    d.help("cast it first, for example i32(x)");
  return false;
}

bool ExprChecker::needBool(Expr &expr, const std::string &what) {
  Type type = check(expr, expr.untyped ? Type(ScalarType::Bool) : std::nullopt);
  if (!type)
    return false;
  if (*type == ScalarType::Bool)
    return true;
  sema.report()
      .error(
          codes::kWrongOperandType,
          fmt::format("{} needs a boolean, this is {}", what, spelling(*type)),
          expr.range)
      .help("compare it, for example with '> 0'");
  return false;
}

/// bits(x, lo, n): x an integer, lo one of x's type, n a literal.
ExprChecker::Type ExprChecker::checkBits(CallExpr &node) {
  const std::string &name = node.callee.text;
  Expr &value = *node.arguments[0], &lowest = *node.arguments[1];
  Type type = check(value);
  if (!type || !needInteger(*type, value.range, fmt::format("'{}'", name)))
    return std::nullopt;
  Type lowestType = check(lowest, lowest.untyped ? type : std::nullopt);
  if (!lowestType)
    return std::nullopt;
  if (*lowestType != *type) {
    sema.report()
        .error(codes::kOperandTypesDiffer,
               fmt::format("'{}' of {} counts its first bit in {}, this is {}",
                           name, spelling(*type), spelling(*type),
                           spelling(*lowestType)),
               lowest.range)
        .help(
            fmt::format("cast it: {}({})", spelling(*type), shortened(lowest)));
    return std::nullopt;
  }
  Expr &count = *node.arguments[2];
  auto *literal = count.as<LiteralExpr>();
  auto number = literal && !literal->suffix ? integerLiteral(literal->digits)
                                            : std::nullopt;
  const unsigned width = widthOf(*type);
  if (!number || number->tooLarge || number->value < 1 ||
      number->value > width) {
    sema.report().error(
        codes::kWrongOperandType,
        fmt::format("'{}' of {} takes a number of bits from 1 to {}, written "
                    "as a number",
                    name, spelling(*type), width),
        count.range);
    return std::nullopt;
  }
  literal->bits = number->value;
  count.type = *type;
  auto *first = lowest.as<LiteralExpr>();
  if (first && first->bits + number->value > width) {
    sema.report().error(
        codes::kWrongOperandType,
        fmt::format("bits {} to {} do not lie in the {} bits of {}",
                    first->bits, first->bits + number->value - 1, width,
                    spelling(*type)),
        {lowest.range.begin, count.range.end});
    return std::nullopt;
  }
  return node.builtin == Builtin::SBits ? signedTypeOf(*type) : *type;
}

} // namespace girih::frontend
