//===- IndexSums.cpp - sums over sizes and indices ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions, subscripts and ends of ranges: names and integers joined by + -
// and *, where one side of each product is a number. In subscripts integer
// values may stand beside them.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/IndexSums.h"

#include "compiler/support/Suggest.h"

#include <fmt/format.h>
#include <utility>

namespace girih::frontend {

namespace {

/// Beyond any size. Products of a number and a factor, and sums of many, stay
/// exact.
constexpr int64_t kMaxNumber = int64_t(1) << 40;
constexpr int64_t kMaxFactor = int64_t(1) << 16;

bool isNumber(const IndexSum &sum) {
  return sum.terms.empty() && sum.values.empty() && sum.offset.isConstant();
}

/// A const parameter, or null.
const ConstDecl *constantOf(const OpDecl &op, std::string_view name) {
  for (const auto &constant : op.constants)
    if (constant->name.text == name)
      return constant.get();
  return nullptr;
}

} // namespace

IndexSum scaled(const IndexSum &sum, int64_t factor) {
  IndexSum product;
  if (factor == 0)
    return product;
  product = sum;
  for (auto &term : product.terms)
    term.second *= factor;
  for (auto &value : product.values)
    value.second *= factor;
  product.offset = sum.offset * factor;
  return product;
}

IndexSum added(const IndexSum &a, const IndexSum &b) {
  IndexSum sum = a;
  sum.offset = a.offset + b.offset;
  sum.values.insert(sum.values.end(), b.values.begin(), b.values.end());
  for (auto [index, factor] : b.terms) {
    size_t i = 0;
    while (i < sum.terms.size() && sum.terms[i].first != index)
      ++i;
    if (i == sum.terms.size())
      sum.terms.push_back({index, factor});
    else if ((sum.terms[i].second += factor) == 0)
      sum.terms.erase(sum.terms.begin() + i);
  }
  return sum;
}

bool fitsLimits(const IndexSum &sum, int64_t factor) {
  auto small = [&](int64_t value, int64_t limit) {
    __int128 product = static_cast<__int128>(value) * factor;
    return product > -limit && product < limit;
  };
  bool all = small(sum.offset.constant, kMaxNumber);
  for (const auto &term : sum.terms)
    all &= small(term.second, kMaxFactor);
  for (const auto &term : sum.offset.terms)
    all &= small(term.second, kMaxFactor);
  for (const auto &value : sum.values)
    all &= small(value.second, kMaxFactor);
  return all;
}

std::optional<IndexSum> IndexSums::of(const Expr &expr) const {
  std::optional<IndexSum> sum = compute(expr);
  return !sum || fitsLimits(*sum) ? sum : tooLarge(expr);
}

std::optional<IndexSum> IndexSums::tooLarge(const Expr &expr) const {
  reporter.error(codes::kIntegerOutOfRange,
                 fmt::format("{} has a number of 2^40 or a factor of 2^16 or "
                             "more",
                             what),
                 expr.range);
  return std::nullopt;
}

bool IndexSums::isValue(const Expr &expr) const {
  if (auto *name = expr.as<NameExpr>()) {
    bool isIndex = findIndex && findIndex(name->name);
    return !isIndex && scope.tensors.count(name->name);
  }
  if (auto *unary = expr.as<UnaryExpr>())
    return unary->op == UnaryOp::BitNot;
  if (auto *binary = expr.as<BinaryExpr>())
    return isIntegerOnly(binary->op);
  return expr.as<AccessExpr>() || expr.as<CastExpr>() || expr.as<CallExpr>() ||
         expr.as<IfExpr>() || expr.as<ReduceExpr>();
}

bool IndexSums::holdsValue(const Expr &expr) const {
  if (isValue(expr))
    return true;
  if (auto *unary = expr.as<UnaryExpr>())
    return holdsValue(*unary->operand);
  if (auto *binary = expr.as<BinaryExpr>())
    return holdsValue(*binary->lhs) || holdsValue(*binary->rhs);
  return false;
}

std::optional<IndexSum> IndexSums::value(const Expr &expr) const {
  // The parser's tree is ours to annotate.
  if (!checkValue(const_cast<Expr &>(expr)))
    return std::nullopt;
  IndexSum sum;
  sum.values.push_back({&expr, 1});
  return sum;
}

std::optional<IndexSum> IndexSums::compute(const Expr &expr) const {
  if (checkValue && isValue(expr))
    return value(expr);
  if (auto *literal = expr.as<LiteralExpr>())
    return number(*literal, expr);
  if (auto *name = expr.as<NameExpr>())
    return resolve(name->name, expr.range);
  if (auto *unary = expr.as<UnaryExpr>())
    if (unary->op == UnaryOp::Neg) {
      auto sum = of(*unary->operand);
      return sum ? std::optional(scaled(*sum, -1)) : std::nullopt;
    }
  if (auto *binary = expr.as<BinaryExpr>())
    return combine(*binary, expr);
  refuse(expr);
  return std::nullopt;
}

std::optional<IndexSum> IndexSums::number(const LiteralExpr &literal,
                                          const Expr &expr) const {
  const std::string &digits = literal.digits;
  if (literal.suffix ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    reporter.error(codes::kSyntax, fmt::format("{} needs plain integers", what),
                   expr.range);
    return std::nullopt;
  }
  IndexSum sum;
  for (char c : digits)
    sum.offset.constant =
        std::min(sum.offset.constant, kMaxNumber) * 10 + (c - '0');
  return sum;
}

std::optional<IndexSum> IndexSums::combine(const BinaryExpr &binary,
                                           const Expr &expr) const {
  if (binary.op != BinaryOp::Add && binary.op != BinaryOp::Sub &&
      binary.op != BinaryOp::Mul) {
    refuse(expr);
    return std::nullopt;
  }
  // A product of two values is one value, in their type.
  if (checkValue && binary.op == BinaryOp::Mul && holdsValue(*binary.lhs) &&
      holdsValue(*binary.rhs))
    return value(expr);
  auto lhs = of(*binary.lhs), rhs = of(*binary.rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  if (binary.op == BinaryOp::Add)
    return added(*lhs, *rhs);
  if (binary.op == BinaryOp::Sub)
    return added(*lhs, scaled(*rhs, -1));
  return product(std::move(*lhs), std::move(*rhs), expr);
}

std::optional<IndexSum> IndexSums::product(IndexSum left, IndexSum right,
                                           const Expr &expr) const {
  IndexSum *lhs = &left, *rhs = &right;
  if (isNumber(*rhs))
    std::swap(lhs, rhs);
  if (isNumber(*lhs))
    return fitsLimits(*rhs, lhs->offset.constant)
               ? scaled(*rhs, lhs->offset.constant)
               : tooLarge(expr);
  if (!lhs->values.empty() || !rhs->values.empty()) {
    reporter
        .error(code,
               fmt::format("{} cannot hold '{}', a product of a value and {}",
                           what, printExpr(expr),
                           lhs->terms.empty() && rhs->terms.empty()
                               ? "a size"
                               : "an index"),
               expr.range)
        .help("cast both to i64, for example i64(id[i]) * i64(N)");
    return std::nullopt;
  }
  bool indices = !lhs->terms.empty() && !rhs->terms.empty();
  bool sizes = lhs->terms.empty() && rhs->terms.empty();
  reporter
      .error(code,
             fmt::format("{} cannot hold '{}', a product of {}", what,
                         printExpr(expr),
                         indices ? "two indices"
                         : sizes ? "two sizes"
                                 : "an index and a size"),
             expr.range)
      .help("one factor of each product is a number");
  return std::nullopt;
}

bool IndexSums::holdsIndex(const Expr &expr) const {
  bool holds = holdsValue(expr);
  forEachName(expr, [&](const std::string &name, SourceRange) {
    holds |= findIndex && findIndex(name);
  });
  return holds;
}

void IndexSums::refuse(const Expr &expr) const {
  const auto *binary = expr.as<BinaryExpr>();
  bool divides =
      binary && (binary->op == BinaryOp::Div || binary->op == BinaryOp::Mod);
  if (binary && binary->op == BinaryOp::Div && !holdsIndex(*binary->lhs)) {
    reporter
        .error(code,
               fmt::format("{} divides sizes by numbers, not by '{}'", what,
                           printExpr(*binary->rhs)),
               binary->rhs->range)
        .help("a divisor is a number from 1 to 65535, or a const parameter");
    return;
  }
  if (divides) {
    Diagnostic &d = reporter.error(code,
                                   fmt::format("'{}' in {} is not supported{}",
                                               spelling(binary->op), what,
                                               checkValue ? "" : " yet"),
                                   binary->opRange);
    if (checkValue)
      d.help(fmt::format("write floordiv({}, {}), which rounds down",
                         printExpr(*binary->lhs), printExpr(*binary->rhs)));
    return;
  }
  reporter
      .error(code,
             fmt::format("{} is a sum of {} and integers, not '{}'", what,
                         findIndex ? "indices, sizes" : "sizes",
                         printExpr(expr)),
             expr.range)
      .help("'+', '-' and '*' by a number are allowed");
}

std::optional<IndexSum> IndexSums::resolve(const std::string &name,
                                           SourceRange range) const {
  IndexSum sum;
  if (findIndex)
    if (const IndexVariable *index = findIndex(name)) {
      sum.terms.push_back({index, 1});
      return sum;
    }
  auto size = scope.sizes.find(name);
  if (size != scope.sizes.end()) {
    sum.offset = Extent::of(size->second);
    return sum;
  }
  const char *wanted = findIndex ? "an index" : "a size";
  auto wrong = [&](std::string found, SourceRange place) {
    reporter
        .error(codes::kWrongKind,
               fmt::format("{} '{}' is not {}", found, name, wanted), range)
        .note("defined here", place);
  };
  auto tensor = scope.tensors.find(name);
  const Global *global = sema.findGlobal(name);
  if (tensor != scope.tensors.end()) {
    wrong("the tensor", tensor->second->name.range);
  } else if (global && global->constant && isInteger(global->constant->type) &&
             findIndex) {
    sum.offset.constant = static_cast<int64_t>(global->constant->foldedBits);
    return sum;
  } else if (auto *constant = constantOf(scope.op, name);
             constant && isInteger(constant->type) && findIndex) {
    sum.offset.constant = static_cast<int64_t>(constant->foldedBits);
    return sum;
  } else if (global) {
    wrong(global->what(), global->range);
  } else if (constant) {
    wrong("the parameter", constant->name.range);
  } else {
    std::vector<std::string> candidates = indexNames;
    for (auto &[known, symbol] : scope.sizes)
      candidates.push_back(known);
    Diagnostic &d = reporter.error(
        codes::kUndefined,
        fmt::format("there is no {} '{}'{}", findIndex ? "index" : "size", name,
                    didYouMean(name, candidates)),
        range);
    if (findIndex)
      d.help("an index stands on the left-hand side or in the brackets of a "
             "reduction");
  }
  return std::nullopt;
}

const std::string *NamedSum::plainName() const {
  bool plain =
      constant == 0 && factors.size() == 1 && factors.begin()->second == 1;
  return plain ? &factors.begin()->first : nullptr;
}

void addTo(NamedSum &sum, const NamedSum &other, int64_t factor) {
  sum.constant += other.constant * factor;
  for (const auto &[name, times] : other.factors)
    if ((sum.factors[name] += times * factor) == 0)
      sum.factors.erase(name);
}

std::optional<NamedSum> namedSum(const Expr &expr) {
  NamedSum sum;
  if (auto *name = expr.as<NameExpr>()) {
    sum.factors[name->name] = 1;
    return sum;
  }
  if (auto *literal = expr.as<LiteralExpr>()) {
    constexpr size_t kMostDigits = 12;
    if (literal->suffix || literal->digits.size() > kMostDigits ||
        literal->digits.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
    sum.constant = std::stoll(literal->digits);
    return sum;
  }
  if (auto *unary = expr.as<UnaryExpr>(); unary && unary->op == UnaryOp::Neg) {
    auto operand = namedSum(*unary->operand);
    if (!operand)
      return std::nullopt;
    addTo(sum, *operand, -1);
    return sum;
  }
  auto *binary = expr.as<BinaryExpr>();
  if (!binary)
    return std::nullopt;
  auto lhs = namedSum(*binary->lhs), rhs = namedSum(*binary->rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  if (binary->op == BinaryOp::Mul) {
    if (!lhs->factors.empty())
      std::swap(lhs, rhs);
    if (!lhs->factors.empty())
      return std::nullopt;
    if (lhs->constant != 0)
      addTo(sum, *rhs, lhs->constant);
    return sum;
  }
  if (binary->op != BinaryOp::Add && binary->op != BinaryOp::Sub)
    return std::nullopt;
  addTo(*lhs, *rhs, binary->op == BinaryOp::Add ? 1 : -1);
  return lhs;
}

} // namespace girih::frontend
