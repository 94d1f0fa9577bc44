//===- IndexGen.cpp - indices as values, random numbers -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of indices, sizes and numbers become te.affine, so that later phases see
// what they are; everything else is computed in i64.
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/ExprGen.h"

namespace girih::mlirgen {

using namespace frontend;
using mlir::Location;
using mlir::Value;

namespace {

/// As for subscripts: what stays below is exact in every later phase.
constexpr int64_t kMaxNumber = int64_t(1) << 40;
constexpr int64_t kMaxFactor = int64_t(1) << 16;

bool fits(const IndexSum &sum) {
  auto small = [](int64_t value, int64_t limit) {
    return value > -limit && value < limit;
  };
  bool all = small(sum.offset.constant, kMaxNumber);
  for (const auto &term : sum.terms)
    all &= small(term.second, kMaxFactor);
  for (const auto &term : sum.offset.terms)
    all &= small(term.second, kMaxFactor);
  return all;
}

bool isNumber(const IndexSum &sum) {
  return sum.terms.empty() && sum.offset.isConstant();
}

IndexSum scaled(const IndexSum &sum, int64_t factor) {
  IndexSum product;
  if (factor == 0)
    return product;
  product.terms = sum.terms;
  for (auto &term : product.terms)
    term.second *= factor;
  product.offset = sum.offset * factor;
  return product;
}

IndexSum added(IndexSum sum, const IndexSum &other) {
  sum.offset = sum.offset + other.offset;
  for (auto [index, factor] : other.terms) {
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

std::optional<IndexSum> linearOf(const Expr &expr);

std::optional<IndexSum> productOf(const IndexSum &lhs, const IndexSum &rhs) {
  if (!isNumber(lhs))
    return isNumber(rhs) ? productOf(rhs, lhs) : std::nullopt;
  // Below 2^40 times a factor below 2^16 stays within 64 bits.
  int64_t factor = lhs.offset.constant;
  if (isNumber(rhs)) {
    bool small = factor > -kMaxFactor && factor < kMaxFactor;
    int64_t other = rhs.offset.constant;
    if (!small && (other <= -kMaxFactor || other >= kMaxFactor))
      return std::nullopt;
  } else if (factor <= -kMaxFactor || factor >= kMaxFactor) {
    return std::nullopt;
  }
  return scaled(rhs, factor);
}

std::optional<IndexSum> linearOf(const BinaryExpr &binary) {
  auto lhs = linearOf(*binary.lhs), rhs = linearOf(*binary.rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (binary.op) {
  case BinaryOp::Add:
    return added(*lhs, *rhs);
  case BinaryOp::Sub:
    return added(*lhs, scaled(*rhs, -1));
  case BinaryOp::Mul:
    return productOf(*lhs, *rhs);
  default:
    return std::nullopt;
  }
}

/// `expr`, of type Index, as a sum; nothing where it is none or its numbers are
/// large.
std::optional<IndexSum> linearOf(const Expr &expr) {
  std::optional<IndexSum> sum;
  if (auto *literal = expr.as<LiteralExpr>()) {
    sum.emplace().offset = Extent::of(literal->indexValue);
  } else if (auto *name = expr.as<NameExpr>()) {
    sum.emplace();
    if (auto *index = std::get_if<const IndexVariable *>(&name->target))
      sum->terms.push_back({*index, 1});
    else if (auto *size = std::get_if<const SizeSymbol *>(&name->target))
      sum->offset = Extent::of(*size);
    else
      sum->offset = Extent::of(static_cast<int64_t>(
          std::get<const ConstDecl *>(name->target)->foldedBits));
  } else if (auto *unary = expr.as<UnaryExpr>()) {
    if (auto operand = linearOf(*unary->operand))
      sum = scaled(*operand, -1);
  } else if (auto *binary = expr.as<BinaryExpr>()) {
    sum = linearOf(*binary);
  }
  return sum && fits(*sum) ? sum : std::nullopt;
}

} // namespace

Value ExprGen::toLong(Value value, Location loc) {
  if (!value.getType().isIndex())
    return value;
  if (auto constant = value.getDefiningOp<te::IndexConstantOp>())
    return emitInteger(uint64_t(int64_t(constant.getValue())),
                       builder.getI64Type(), loc);
  return te::CastOp::create(builder, loc, builder.getI64Type(), value);
}

Value ExprGen::emitIndex(const Expr &expr) {
  Location loc = locOf(expr);
  if (std::optional<IndexSum> sum = linearOf(expr))
    return emitIndex(*sum, loc);
  auto number = [&](int64_t value) {
    return emitInteger(uint64_t(value), builder.getI64Type(), loc);
  };
  if (auto *literal = expr.as<LiteralExpr>())
    return number(literal->indexValue);
  if (auto *name = expr.as<NameExpr>())
    return number(static_cast<int64_t>(
        std::get<const ConstDecl *>(name->target)->foldedBits));
  if (auto *unary = expr.as<UnaryExpr>())
    return te::UnaryOp::create(builder, loc, te::UnaryKind::Neg,
                               te::Accuracy::Unset,
                               toLong(emit(*unary->operand), loc));
  if (auto *choice = expr.as<IfExpr>()) {
    Value condition = emit(*choice->condition);
    Value thenValue = toLong(emit(*choice->thenValue), loc);
    Value elseValue = toLong(emit(*choice->elseValue), loc);
    return te::SelectOp::create(builder, loc, condition, thenValue, elseValue);
  }
  if (auto *call = expr.as<CallExpr>())
    return emitBuiltin(*call, loc);
  auto *binary = expr.as<BinaryExpr>();
  te::BinaryKind kind = te::BinaryKind::Mod;
  if (binary->op == BinaryOp::Add)
    kind = te::BinaryKind::Add;
  else if (binary->op == BinaryOp::Sub)
    kind = te::BinaryKind::Sub;
  else if (binary->op == BinaryOp::Mul)
    kind = te::BinaryKind::Mul;
  Value lhs = toLong(emit(*binary->lhs), loc);
  Value rhs = toLong(emit(*binary->rhs), loc);
  return te::BinaryOp::create(builder, loc, kind, lhs, rhs);
}

/// uniform is the upper 24 bits of word 0, times 2^-24; both steps are exact.
Value ExprGen::emitRandom(const CallExpr &call, Location loc) {
  auto asLong = [&](const Expr &expr) {
    Value value = emit(expr);
    if (expr.type == ScalarType::I64)
      return value;
    return Value(te::CastOp::create(builder, loc, builder.getI64Type(), value));
  };
  Value seed = asLong(*call.arguments[0]), counter = asLong(*call.arguments[1]);
  mlir::Type word = builder.getIntegerType(32, /*isSigned=*/false);
  Value bits =
      te::PhiloxOp::create(builder, loc, word, call.number, seed, counter);
  if (call.builtin == Builtin::Philox)
    return bits;
  bits = te::BinaryOp::create(builder, loc, te::BinaryKind::Shr, bits,
                              emitInteger(8, word, loc));
  bits = te::CastOp::create(builder, loc, builder.getF32Type(), bits);
  return te::BinaryOp::create(builder, loc, te::BinaryKind::Mul, bits,
                              emitConstant(0x1p-24, ScalarType::F32, loc));
}

} // namespace girih::mlirgen
