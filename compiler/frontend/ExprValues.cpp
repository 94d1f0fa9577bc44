//===- ExprValues.cpp - indices as values, grids, random numbers ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ConstFold.h"
#include "compiler/frontend/ExprChecker.h"

#include <fmt/format.h>
#include <limits>

namespace girih::frontend {

namespace {

/// The integer constant of at most 63 bits that `expr` names, or null.
const ConstDecl *integerConstant(const Expr &expr) {
  auto *name = expr.as<NameExpr>();
  auto *constant =
      name ? std::get_if<const ConstDecl *>(&name->target) : nullptr;
  if (!constant || !isInteger((*constant)->type))
    return nullptr;
  bool fits =
      !isUnsigned((*constant)->type) ||
      (*constant)->foldedBits <= uint64_t(std::numeric_limits<int64_t>::max());
  return fits ? *constant : nullptr;
}

/// Integer constants and numbers without a suffix, joined by + - *.
bool isConstantSum(const Expr &expr) {
  if (auto *literal = expr.as<LiteralExpr>())
    return !literal->suffix;
  if (auto *unary = expr.as<UnaryExpr>())
    return unary->op == UnaryOp::Neg && isConstantSum(*unary->operand);
  if (auto *binary = expr.as<BinaryExpr>())
    return (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub ||
            binary->op == BinaryOp::Mul) &&
           isConstantSum(*binary->lhs) && isConstantSum(*binary->rhs);
  return integerConstant(expr) != nullptr;
}

/// Of a constant sum that was checked: computes it as indices are.
void makeIndex(Expr &expr) {
  expr.type = ScalarType::Index;
  if (auto *literal = expr.as<LiteralExpr>())
    if (auto value = integerLiteral(literal->digits))
      literal->indexValue = static_cast<int64_t>(value->value);
  forEachChild(expr, [](Expr &child) { makeIndex(child); });
}

using Wide = __int128;

/// The value of literals joined by + - *; nothing where something else stands
/// among them, or a part of it does not fit (that part was reported).
std::optional<Wide> literalValue(const Expr &expr) {
  if (auto *literal = expr.as<LiteralExpr>())
    return literal->indexValue;
  if (auto *unary = expr.as<UnaryExpr>()) {
    auto value = literalValue(*unary->operand);
    return value ? std::optional(-*value) : std::nullopt;
  }
  auto *binary = expr.as<BinaryExpr>();
  if (!binary || !expr.untyped)
    return std::nullopt;
  auto lhs = literalValue(*binary->lhs), rhs = literalValue(*binary->rhs);
  constexpr Wide kLeast = std::numeric_limits<int64_t>::min();
  constexpr Wide kMost = std::numeric_limits<int64_t>::max();
  if (!lhs || !rhs || *lhs < kLeast || *lhs > kMost || *rhs < kLeast ||
      *rhs > kMost)
    return std::nullopt;
  switch (binary->op) {
  case BinaryOp::Add:
    return *lhs + *rhs;
  case BinaryOp::Sub:
    return *lhs - *rhs;
  case BinaryOp::Mul:
    return *lhs * *rhs;
  default:
    return std::nullopt;
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

ExprChecker::Type ExprChecker::besideIndex(Expr &operand, ScalarType here,
                                           Expr &first, Type &type) {
  if (*type == ScalarType::Index && isInteger(here) && isConstantSum(operand)) {
    makeIndex(operand);
    return ScalarType::Index;
  }
  if (here == ScalarType::Index && isInteger(*type) && isConstantSum(first)) {
    makeIndex(first);
    type = ScalarType::Index;
  }
  return here;
}

/// Numbers alone are computed here, exactly.
bool ExprChecker::checkIndexRange(const Expr &expr) {
  auto value = literalValue(expr);
  if (!value || (*value >= std::numeric_limits<int64_t>::min() &&
                 *value <= std::numeric_limits<int64_t>::max()))
    return true;
  sema.report()
      .error(codes::kLiteralOverflow,
             fmt::format("{} lies outside the 64 bits of an index",
                         shortened(expr)),
             expr.range)
      .help("compute with floats: f64(i) * ...");
  return false;
}

//===----------------------------------------------------------------------===//
// on_grid, philox, uniform
//===----------------------------------------------------------------------===//

/// A number written in the text: an integer literal, a minus before it or not,
/// or an integer constant. Nothing where it is none or beyond +-2^31.
static std::optional<int64_t> writtenNumber(const Expr &expr) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (const ConstDecl *constant = integerConstant(expr)) {
    auto value = static_cast<int64_t>(constant->foldedBits);
    bool fits = isUnsigned(constant->type)
                    ? constant->foldedBits <= uint64_t(kMost)
                    : value >= -kMost && value <= kMost;
    return fits ? std::optional(value) : std::nullopt;
  }
  if (auto *unary = expr.as<UnaryExpr>(); unary && unary->op == UnaryOp::Neg) {
    auto value = writtenNumber(*unary->operand);
    return value ? std::optional(-*value) : std::nullopt;
  }
  auto *literal = expr.as<LiteralExpr>();
  auto number = literal && !literal->suffix ? integerLiteral(literal->digits)
                                            : std::nullopt;
  if (!number || number->tooLarge || number->value > uint64_t(kMost))
    return std::nullopt;
  return static_cast<int64_t>(number->value);
}

/// The digits n for which 2^-n is a number of the type.
static std::pair<int, int> digitsOf(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return {-1023, 1074};
  case ScalarType::F16:
    return {-15, 24};
  case ScalarType::BF16:
    return {-127, 133};
  default:
    return {-127, 149};
  }
}

ExprChecker::Type ExprChecker::checkOnGrid(CallExpr &node) {
  Expr &value = *node.arguments[0], &count = *node.arguments[1];
  Type type = check(value);
  if (!type || !needFloat(*type, value.range, "'on_grid'"))
    return std::nullopt;
  if (!count.untyped && !check(count))
    return std::nullopt;
  auto [least, most] = digitsOf(*type);
  auto digits = writtenNumber(count);
  if (!digits || *digits < least || *digits > most) {
    sema.report().error(
        codes::kWrongOperandType,
        fmt::format("'on_grid' of {} takes a number of digits from {} to {}, "
                    "written as a number or a constant",
                    spelling(*type), least, most),
        count.range);
    return std::nullopt;
  }
  node.number = *digits;
  // The type of an index allows a sign.
  if (count.untyped)
    check(count, ScalarType::Index);
  return type;
}

/// behind(x, i, y, j): two values and the places where they are.
ExprChecker::Type ExprChecker::checkBehind(CallExpr &node) {
  Type type = unify({node.arguments[0].get(), node.arguments[2].get()},
                    std::nullopt, "the values of 'behind'");
  if (!type || !needCount(*type, node.arguments[0]->range, "'behind'"))
    return std::nullopt;
  for (size_t i : {size_t(1), size_t(3)}) {
    Expr &place = *node.arguments[i];
    Type placeType =
        check(place, place.untyped ? Type(ScalarType::I64) : std::nullopt);
    if (!placeType)
      return std::nullopt;
    if (*placeType == ScalarType::I64)
      continue;
    sema.report()
        .error(codes::kWrongOperandType,
               fmt::format("a place of 'behind' is an i64, this is {}",
                           spelling(*placeType)),
               place.range)
        .help(fmt::format("cast it: i64({})", shortened(place)));
    return std::nullopt;
  }
  return ScalarType::Bool;
}

/// philox(seed, counter, word) and uniform(seed, counter).
ExprChecker::Type ExprChecker::checkRandom(CallExpr &node) {
  std::string what = fmt::format("'{}'", node.callee.text);
  for (size_t i = 0; i < 2; ++i) {
    Expr &argument = *node.arguments[i];
    Type type = check(argument,
                      argument.untyped ? Type(ScalarType::U64) : std::nullopt);
    if (!type)
      return std::nullopt;
    if (*type == ScalarType::I64 || *type == ScalarType::U64)
      continue;
    sema.report()
        .error(codes::kWrongOperandType,
               fmt::format("{} takes a seed and a counter of 64 bits, this is "
                           "{}",
                           what, spelling(*type)),
               argument.range)
        .help(fmt::format("cast it: i64({})", shortened(argument)));
    return std::nullopt;
  }
  if (node.builtin == Builtin::Uniform)
    return ScalarType::F32;
  Expr &word = *node.arguments[2];
  if (!word.untyped && !check(word))
    return std::nullopt;
  auto number = writtenNumber(word);
  if (!number || *number < 0 || *number > 3) {
    sema.report().error(codes::kWrongOperandType,
                        "'philox' takes the number of a word from 0 to 3, "
                        "written as a number or a constant",
                        word.range);
    return std::nullopt;
  }
  node.number = *number;
  if (word.untyped)
    check(word, ScalarType::Index);
  return ScalarType::U32;
}

} // namespace girih::frontend
