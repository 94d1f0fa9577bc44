//===- ConstFold.cpp - the value of a const -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ConstFold.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace girih::frontend {

FloatFormat formatOf(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return FloatFormat::F64;
  case ScalarType::F16:
    return FloatFormat::F16;
  case ScalarType::BF16:
    return FloatFormat::BF16;
  default:
    return FloatFormat::F32;
  }
}

namespace {

double largestFinite(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return std::numeric_limits<double>::max();
  case ScalarType::F16:
    return 65504.0;
  case ScalarType::BF16:
    return 0x1.FEp127;
  default:
    return std::numeric_limits<float>::max();
  }
}

bool checkRounded(const RoundedNumber &number, std::string_view what,
                  SourceRange range, ScalarType type, Reporter &reporter) {
  if (number.overflow) {
    reporter
        .error(codes::kLiteralOverflow,
               fmt::format("{} is too large for {}, whose largest value is {}",
                           what, spelling(type), largestFinite(type)),
               range)
        .help(fmt::format("write {}(inf) if an infinity is meant",
                          spelling(type)));
    return false;
  }
  if (number.roundedToZero)
    reporter.warning(
        codes::kLiteralUnderflow,
        fmt::format("{} rounds to zero in {}", what, spelling(type)), range);
  return true;
}

/// A number on its way: exact, or one of the values that are no numbers.
struct Folded {
  std::optional<ExactNumber> exact;
  double special = 0; ///< inf, -inf or nan where `exact` is empty
};

class Folder {
public:
  Folder(const ConstLookup &lookup, Reporter &reporter)
      : lookup(lookup), reporter(reporter) {}

  /// `type` is the type that the whole is rounded to.
  std::optional<Folded> fold(Expr &expr, ScalarType type) {
    expr.type = type;
    if (auto *literal = expr.as<LiteralExpr>())
      return foldLiteral(*literal, expr, type);
    if (auto *name = expr.as<NameExpr>())
      return foldName(*name, expr, type);
    if (auto *cast = expr.as<CastExpr>())
      return foldCast(*cast, expr, type);
    if (auto *unary = expr.as<UnaryExpr>(); unary && unary->op == UnaryOp::Neg)
      return foldNegation(*unary, type);
    if (auto *binary = expr.as<BinaryExpr>();
        binary && isArithmetic(binary->op))
      return foldBinary(*binary, expr, type);
    reporter
        .error(codes::kNotConstant, "this cannot stand in a constant's value",
               expr.range)
        .help("a constant is made of numbers, constants, casts and + - * /");
    return std::nullopt;
  }

  std::optional<double> round(const Folded &value, ScalarType type,
                              SourceRange range) {
    if (!value.exact)
      return value.special;
    RoundedNumber rounded = value.exact->round(formatOf(type));
    if (!checkRounded(rounded, "this value", range, type, reporter))
      return std::nullopt;
    return rounded.value;
  }

private:
  static Folded ofDouble(double value) {
    if (std::isfinite(value))
      return {ExactNumber::fromDouble(value), 0};
    return {std::nullopt, value};
  }

  std::optional<Folded> foldLiteral(LiteralExpr &node, Expr &expr,
                                    ScalarType type) {
    if (node.suffix && *node.suffix != type) {
      typesDiffer(expr, *node.suffix, type);
      return std::nullopt;
    }
    // The literal's own value, for whoever reads the tree; the fold goes on
    // with the digits unless a suffix rounds them here.
    if (node.suffix || node.digits == "inf" || node.digits == "nan") {
      auto value = roundedLiteral(node, expr.range, type, reporter);
      if (!value)
        return std::nullopt;
      node.value = *value;
      return ofDouble(*value);
    }
    node.value = roundLiteral(node.digits, formatOf(type)).value;
    auto exact = ExactNumber::fromLiteral(node.digits);
    if (!exact) {
      // Far outside every type: the plain rounding says overflow or zero.
      auto value = roundedLiteral(node, expr.range, type, reporter);
      return value ? std::optional<Folded>(ofDouble(*value)) : std::nullopt;
    }
    return Folded{exact, 0};
  }

  std::optional<Folded> foldName(NameExpr &node, Expr &expr, ScalarType type) {
    const ConstDecl *decl = lookup(node, expr.range);
    if (!decl)
      return std::nullopt;
    node.target = decl;
    if (decl->type != type) {
      typesDiffer(expr, decl->type, type);
      return std::nullopt;
    }
    return ofDouble(decl->folded);
  }

  std::optional<Folded> foldCast(CastExpr &node, Expr &expr, ScalarType type) {
    if (node.to != type) {
      typesDiffer(expr, node.to, type);
      return std::nullopt;
    }
    // The operand has a type of its own unless it is made of literals only.
    ScalarType inner = typeOf(*node.operand).value_or(node.to);
    auto value = fold(*node.operand, inner);
    if (!value)
      return std::nullopt;
    if (inner != node.to) {
      auto once = round(*value, inner, node.operand->range);
      if (!once)
        return std::nullopt;
      value = ofDouble(*once);
    }
    auto rounded = round(*value, node.to, expr.range);
    return rounded ? std::optional<Folded>(ofDouble(*rounded)) : std::nullopt;
  }

  /// The type that the first typed leaf gives to an expression.
  std::optional<ScalarType> typeOf(const Expr &expr) {
    if (auto *literal = expr.as<LiteralExpr>())
      return literal->suffix;
    if (auto *cast = expr.as<CastExpr>())
      return cast->to;
    if (auto *unary = expr.as<UnaryExpr>())
      return typeOf(*unary->operand);
    if (auto *binary = expr.as<BinaryExpr>()) {
      auto left = typeOf(*binary->lhs);
      return left ? left : typeOf(*binary->rhs);
    }
    if (auto *name = expr.as<NameExpr>())
      if (const ConstDecl *decl = lookup(*name, expr.range))
        return decl->type;
    return std::nullopt;
  }

  std::optional<Folded> foldNegation(UnaryExpr &node, ScalarType type) {
    auto value = fold(*node.operand, type);
    if (!value)
      return std::nullopt;
    if (value->exact)
      value->exact = value->exact->negated();
    else
      value->special = -value->special;
    return value;
  }

  std::optional<Folded> foldBinary(BinaryExpr &node, Expr &expr,
                                   ScalarType type) {
    auto lhs = fold(*node.lhs, type);
    auto rhs = fold(*node.rhs, type);
    if (!lhs || !rhs)
      return std::nullopt;
    if (!lhs->exact || !rhs->exact)
      return cannot("inf and nan cannot be computed with in a constant", expr);
    std::optional<ExactNumber> result;
    switch (node.op) {
    case BinaryOp::Add:
      result = lhs->exact->plus(*rhs->exact);
      break;
    case BinaryOp::Sub:
      result = lhs->exact->plus(rhs->exact->negated());
      break;
    case BinaryOp::Mul:
      result = lhs->exact->times(*rhs->exact);
      break;
    default:
      if (rhs->exact->isZero())
        return cannot("division by zero in a constant", expr);
      result = lhs->exact->over(*rhs->exact);
    }
    if (!result)
      return cannot("this constant has too many digits to be exact", expr);
    return Folded{result, 0};
  }

  std::optional<Folded> cannot(const char *why, const Expr &expr) {
    reporter.error(codes::kConstNotFoldable, why, expr.range);
    return std::nullopt;
  }

  void typesDiffer(const Expr &expr, ScalarType found, ScalarType wanted) {
    reporter
        .error(codes::kOperandTypesDiffer,
               fmt::format("this is {} in a constant of type {}",
                           spelling(found), spelling(wanted)),
               expr.range)
        .help(fmt::format("cast it: {}(...)", spelling(wanted)));
  }

  const ConstLookup &lookup;
  Reporter &reporter;
};

} // namespace

std::optional<double> roundedLiteral(const LiteralExpr &literal,
                                     SourceRange range, ScalarType type,
                                     Reporter &reporter) {
  RoundedNumber rounded = roundLiteral(literal.digits, formatOf(type));
  if (!checkRounded(rounded, fmt::format("'{}'", literal.digits), range, type,
                    reporter))
    return std::nullopt;
  return rounded.value;
}

bool foldConst(ConstDecl &decl, const ConstLookup &lookup, Reporter &reporter) {
  Folder folder(lookup, reporter);
  auto value = folder.fold(*decl.value, decl.type);
  if (!value)
    return false;
  auto rounded = folder.round(*value, decl.type, decl.value->range);
  if (!rounded)
    return false;
  decl.folded = *rounded;
  return true;
}

} // namespace girih::frontend
