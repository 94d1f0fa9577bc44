//===- ConstFold.cpp - the value of a const -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ConstFold.h"

#include <algorithm>
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
  case ScalarType::F8E4M3FN:
    return FloatFormat::F8E4M3FN;
  case ScalarType::F8E5M2:
    return FloatFormat::F8E5M2;
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
  case ScalarType::F8E4M3FN:
    return 448.0;
  case ScalarType::F8E5M2:
    return 57344.0;
  default:
    return std::numeric_limits<float>::max();
  }
}

bool checkRounded(const RoundedNumber &number, std::string_view what,
                  SourceRange range, ScalarType type, Reporter &reporter) {
  if (number.overflow) {
    Diagnostic &d = reporter.error(
        codes::kLiteralOverflow,
        fmt::format("{} is too large for {}, whose largest value is {}", what,
                    spelling(type), largestFinite(type)),
        range);
    if (!isStorageOnly(type))
      d.help(
          fmt::format("write {}(inf) if an infinity is meant", spelling(type)));
    return false;
  }
  if (number.roundedToZero)
    reporter.warning(
        codes::kLiteralUnderflow,
        fmt::format("{} rounds to zero in {}", what, spelling(type)), range);
  return true;
}

/// The smallest (as a magnitude below zero) and the largest value of an integer
/// type or bool.
std::pair<uint64_t, uint64_t> rangeOf(ScalarType type) {
  if (type == ScalarType::Bool)
    return {0, 1};
  uint64_t top = uint64_t(1) << (widthOf(type) - 1);
  if (isUnsigned(type))
    return {0, top - 1 + top};
  return {top, top - 1};
}

uint64_t twosComplement(bool negative, uint64_t magnitude) {
  return negative ? ~magnitude + 1 : magnitude;
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
    if (auto *truth = expr.as<BoolExpr>(); truth && type == ScalarType::Bool)
      return Folded{ExactNumber::fromInteger(false, truth->value), 0};
    if (auto *literal = expr.as<LiteralExpr>())
      return foldLiteral(*literal, expr, type, /*negated=*/false);
    if (auto *name = expr.as<NameExpr>())
      return foldName(*name, expr, type);
    if (auto *cast = expr.as<CastExpr>())
      return foldCast(*cast, expr, type);
    if (auto *unary = expr.as<UnaryExpr>(); unary && unary->op == UnaryOp::Neg)
      return foldNegation(*unary, type);
    if (auto *binary = expr.as<BinaryExpr>();
        binary && isArithmetic(binary->op))
      return foldBinary(*binary, expr, type);
    return notConstant(expr);
  }

  /// The bits of an integer or bool; a value outside the type is reported.
  std::optional<uint64_t> bits(const Folded &value, ScalarType type,
                               SourceRange range) {
    IntegerPart part = value.exact->integerPart();
    if (type == ScalarType::Bool)
      return part.magnitude;
    if (!part.tooLarge && part.isWhole &&
        isInRange(type, part.negative, part.magnitude))
      return twosComplement(part.negative, part.magnitude);
    reporter.error(codes::kLiteralOverflow,
                   part.isWhole
                       ? fmt::format("this value is outside {}, which holds {}",
                                     spelling(type), rangeText(type))
                       : fmt::format("this value is no integer, as {} needs",
                                     spelling(type)),
                   range);
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
                                    ScalarType type, bool negated) {
    if (node.suffix && *node.suffix != type) {
      typesDiffer(expr, *node.suffix, type);
      return std::nullopt;
    }
    if (type == ScalarType::Bool) {
      reporter
          .error(codes::kWrongOperandType,
                 fmt::format("the number '{}' where a boolean is needed",
                             node.digits),
                 expr.range)
          .help("write true or false");
      return std::nullopt;
    }
    if (isInteger(type)) {
      auto value = integerBits(node, expr.range, type, negated, reporter);
      if (!value)
        return std::nullopt;
      node.bits = *value;
      return Folded{ExactNumber::fromInteger(false, *value), 0};
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
    if (isFloat(type))
      return ofDouble(decl->folded);
    bool negative = isInteger(type) && !isUnsigned(type) &&
                    static_cast<int64_t>(decl->foldedBits) < 0;
    return Folded{ExactNumber::fromInteger(
                      negative, twosComplement(negative, decl->foldedBits)),
                  0};
  }

  std::optional<Folded> notConstant(const Expr &expr) {
    reporter
        .error(codes::kNotConstant, "this cannot stand in a constant's value",
               expr.range)
        .help("a constant is made of numbers, constants, casts and + - * /");
    return std::nullopt;
  }

  /// A float, integer or bool turned into an integer or bool, as a cast does.
  Folded toInteger(const Folded &value, ScalarType from, ScalarType to) {
    auto number = [](bool negative, uint64_t magnitude) {
      return Folded{ExactNumber::fromInteger(negative, magnitude), 0};
    };
    if (!value.exact) { // inf, -inf, nan
      if (to == ScalarType::Bool)
        return number(false, 1);
      auto [below, most] = rangeOf(to);
      return value.special > 0   ? number(false, most)
             : value.special < 0 ? number(true, below)
                                 : number(false, 0);
    }
    if (to == ScalarType::Bool)
      return number(false, !value.exact->isZero());
    IntegerPart part = value.exact->integerPart();
    auto [below, most] = rangeOf(to);
    if (isFloat(from)) { // truncates and saturates
      uint64_t end = part.negative ? below : most;
      return number(part.negative,
                    part.tooLarge ? end : std::min(part.magnitude, end));
    }
    unsigned unused = 64 - widthOf(to); // wraps
    uint64_t bits = twosComplement(part.negative, part.magnitude) << unused;
    if (isUnsigned(to))
      return number(false, bits >> unused);
    int64_t wrapped = static_cast<int64_t>(bits) >> unused;
    return number(wrapped < 0,
                  twosComplement(wrapped < 0, static_cast<uint64_t>(wrapped)));
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
    if (!isFloat(inner)) {
      if (!bits(*value, inner, node.operand->range))
        return std::nullopt;
    } else if (inner != node.to) {
      auto once = round(*value, inner, node.operand->range);
      if (!once)
        return std::nullopt;
      value = ofDouble(*once);
    }
    if (!isFloat(node.to))
      return inner == node.to ? value : toInteger(*value, inner, node.to);
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
    auto *literal = node.operand->as<LiteralExpr>();
    node.operand->type = type;
    auto value = literal ? foldLiteral(*literal, *node.operand, type,
                                       /*negated=*/true)
                         : fold(*node.operand, type);
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
    if (type == ScalarType::Bool || isIntegerOnly(node.op))
      return notConstant(expr);
    if (isStorageOnly(type))
      return cannot("f8 types are to store values in: compute in f32 and cast",
                    expr);
    if (node.op == BinaryOp::Div && isInteger(type))
      return cannot("'/' needs floats, and this constant is an integer", expr);
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

bool isInRange(ScalarType type, bool negative, uint64_t magnitude) {
  auto [below, most] = rangeOf(type);
  return magnitude <= (negative ? below : most);
}

std::string rangeText(ScalarType type) {
  auto [below, most] = rangeOf(type);
  return fmt::format("{} .. {}", below ? "-" + std::to_string(below) : "0",
                     most);
}

std::optional<IntegerLiteral> integerLiteral(std::string_view digits) {
  IntegerLiteral result;
  const bool isHex = digits.substr(0, 2) == "0x" || digits.substr(0, 2) == "0X";
  const unsigned base = isHex ? 16 : 10;
  if (isHex)
    digits.remove_prefix(2);
  for (char c : digits) {
    unsigned digit = c >= '0' && c <= '9'   ? unsigned(c - '0')
                     : c >= 'a' && c <= 'f' ? unsigned(c - 'a') + 10
                     : c >= 'A' && c <= 'F' ? unsigned(c - 'A') + 10
                                            : base;
    if (digit >= base)
      return std::nullopt;
    constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
    result.tooLarge |= result.value > (kMost - digit) / base;
    result.value = result.value * base + digit;
  }
  return digits.empty() ? std::nullopt : std::optional(result);
}

std::optional<uint64_t> integerBits(const LiteralExpr &literal,
                                    SourceRange range, ScalarType type,
                                    bool negated, Reporter &reporter) {
  auto value = integerLiteral(literal.digits);
  if (!value) {
    reporter
        .error(codes::kWrongOperandType,
               fmt::format("'{}' where an integer is needed: the type is {}",
                           literal.digits, spelling(type)),
               range)
        .help("write it without point and exponent, or cast the other side to "
              "a float");
    return std::nullopt;
  }
  if (!value->tooLarge && isInRange(type, negated, value->value))
    return value->value;
  reporter.error(codes::kLiteralOverflow,
                 fmt::format("'{}{}' is outside {}, which holds {}",
                             negated ? "-" : "", literal.digits, spelling(type),
                             rangeText(type)),
                 range);
  return std::nullopt;
}

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
  if (!isFloat(decl.type)) {
    auto bits = folder.bits(*value, decl.type, decl.value->range);
    if (bits)
      decl.foldedBits = *bits;
    return bits.has_value();
  }
  auto rounded = folder.round(*value, decl.type, decl.value->range);
  if (!rounded)
    return false;
  decl.folded = *rounded;
  return true;
}

} // namespace girih::frontend
