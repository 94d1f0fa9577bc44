//===- IndexEmitter.cpp - affine and loop expressions as index ops --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/IndexEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace girih;
using namespace girih::tilegen;
using mlir::Value;
using poly::LoopExpr;
using Predicate = mlir::arith::CmpIPredicate;

static std::optional<int64_t> constantOf(Value value) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantIndexOp>();
  if (!constant)
    return std::nullopt;
  return constant.value();
}

bool IndexEmitter::isZero(Value value) {
  std::optional<int64_t> constant = constantOf(value);
  return constant && *constant == 0;
}

Value IndexEmitter::constant(int64_t value) {
  return mlir::arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexEmitter::add(Value a, Value b) {
  std::optional<int64_t> left = constantOf(a), right = constantOf(b);
  if (left && right)
    return constant(*left + *right);
  if (left && *left == 0)
    return b;
  if (right && *right == 0)
    return a;
  return mlir::arith::AddIOp::create(builder, loc, a, b);
}

Value IndexEmitter::mul(Value a, int64_t factor) {
  if (std::optional<int64_t> value = constantOf(a))
    return constant(*value * factor);
  if (factor == 1)
    return a;
  return mlir::arith::MulIOp::create(builder, loc, a, constant(factor));
}

Value IndexEmitter::floorDiv(Value a, int64_t divisor) {
  if (divisor == 1)
    return a;
  if ((divisor & (divisor - 1)) == 0)
    return mlir::arith::ShRSIOp::create(builder, loc, a,
                                        constant(__builtin_ctzll(divisor)));
  // (a - floorMod(a)) / divisor is exact.
  Value rest = floorMod(a, divisor);
  return mlir::arith::DivSIOp::create(
      builder, loc, mlir::arith::SubIOp::create(builder, loc, a, rest),
      constant(divisor));
}

Value IndexEmitter::floorMod(Value a, int64_t divisor) {
  if (divisor == 1)
    return constant(0);
  if ((divisor & (divisor - 1)) == 0)
    return mlir::arith::AndIOp::create(builder, loc, a, constant(divisor - 1));
  Value rest = mlir::arith::RemSIOp::create(builder, loc, a, constant(divisor));
  Value isNegative = mlir::arith::CmpIOp::create(builder, loc, Predicate::slt,
                                                 rest, constant(0));
  return mlir::arith::SelectOp::create(builder, loc, isNegative,
                                       add(rest, constant(divisor)), rest);
}

Value IndexEmitter::affine(const poly::Affine &affine,
                           const std::vector<Value> &corners) {
  Value result = constant(affine.constant);
  for (unsigned p = 0; p < params.size(); ++p)
    if (int64_t factor = affine.paramCoefficient(p))
      result = add(result, mul(params[p], factor));
  for (unsigned d = 0; d < corners.size(); ++d)
    if (int64_t factor = affine.dimCoefficient(d))
      result = add(result, mul(corners[d], factor));
  return result;
}

Value IndexEmitter::loopExpr(const LoopExpr &expr) {
  switch (expr.kind) {
  case LoopExpr::Kind::Constant:
    return constant(expr.value);
  case LoopExpr::Kind::Param:
    return params[expr.index];
  case LoopExpr::Kind::Grid:
    return grid[expr.index];
  case LoopExpr::Kind::Iterator:
    return iterators.at(expr.index);
  default:
    break;
  }
  if (expr.kind == LoopExpr::Kind::FloorDiv ||
      expr.kind == LoopExpr::Kind::Mod) {
    const LoopExpr &divisor = expr.operands[1];
    if (divisor.kind != LoopExpr::Kind::Constant || divisor.value < 1)
      return {};
    Value value = loopExpr(expr.operands[0]);
    if (!value)
      return {};
    return expr.kind == LoopExpr::Kind::FloorDiv
               ? floorDiv(value, divisor.value)
               : floorMod(value, divisor.value);
  }
  Value result;
  for (const LoopExpr &operand : expr.operands) {
    Value value = loopExpr(operand);
    if (!value)
      return {};
    if (!result) {
      result = expr.kind == LoopExpr::Kind::Neg ? mul(value, -1) : value;
      continue;
    }
    auto compare = [&](Predicate predicate) -> Value {
      return mlir::arith::CmpIOp::create(builder, loc, predicate, result,
                                         value);
    };
    auto choose = [&](Predicate predicate) -> Value {
      return mlir::arith::SelectOp::create(builder, loc, compare(predicate),
                                           result, value);
    };
    switch (expr.kind) {
    case LoopExpr::Kind::Add:
      result = add(result, value);
      break;
    case LoopExpr::Kind::Sub:
      result = add(result, mul(value, -1));
      break;
    case LoopExpr::Kind::Mul:
      if (std::optional<int64_t> factor = constantOf(value))
        result = mul(result, *factor);
      else if (std::optional<int64_t> factor = constantOf(result))
        result = mul(value, *factor);
      else
        result = mlir::arith::MulIOp::create(builder, loc, result, value);
      break;
    case LoopExpr::Kind::Min:
      result = choose(Predicate::sle);
      break;
    case LoopExpr::Kind::Max:
      result = choose(Predicate::sge);
      break;
    case LoopExpr::Kind::Le:
      result = compare(Predicate::sle);
      break;
    case LoopExpr::Kind::Lt:
      result = compare(Predicate::slt);
      break;
    case LoopExpr::Kind::Ge:
      result = compare(Predicate::sge);
      break;
    case LoopExpr::Kind::Gt:
      result = compare(Predicate::sgt);
      break;
    case LoopExpr::Kind::Eq:
      result = compare(Predicate::eq);
      break;
    case LoopExpr::Kind::And:
      result = mlir::arith::AndIOp::create(builder, loc, result, value);
      break;
    case LoopExpr::Kind::Or:
      result = mlir::arith::OrIOp::create(builder, loc, result, value);
      break;
    default:
      return {};
    }
  }
  return result;
}
