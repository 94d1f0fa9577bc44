//===- KernelPlan.cpp - arguments, guards and grid of a kernel ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/KernelPlan.h"

using namespace girih;
using namespace girih::tilegen;
using artifact::SizeExpr;
using poly::LoopExpr;

SizeExpr girih::tilegen::sizeExpr(const poly::Affine &affine,
                                  const std::vector<unsigned> &sizeOf) {
  SizeExpr result = SizeExpr::constant(affine.constant);
  bool isFirst = affine.constant == 0;
  for (unsigned p = 0; p < sizeOf.size(); ++p) {
    int64_t factor = affine.paramCoefficient(p);
    if (factor == 0)
      continue;
    SizeExpr term = SizeExpr::sizeRef(sizeOf[p]);
    if (factor != 1)
      term = SizeExpr::binary(SizeExpr::Kind::Mul, std::move(term),
                              SizeExpr::constant(factor));
    result = isFirst ? std::move(term)
                     : SizeExpr::binary(SizeExpr::Kind::Add, std::move(result),
                                        std::move(term));
    isFirst = false;
  }
  return result;
}

std::optional<SizeExpr>
girih::tilegen::sizeExpr(const LoopExpr &expr,
                         const std::vector<unsigned> &sizeOf) {
  if (expr.kind == LoopExpr::Kind::Constant)
    return SizeExpr::constant(expr.value);
  if (expr.kind == LoopExpr::Kind::Param)
    return SizeExpr::sizeRef(sizeOf[expr.index]);
  std::vector<SizeExpr> operands;
  for (const LoopExpr &operand : expr.operands) {
    std::optional<SizeExpr> value = sizeExpr(operand, sizeOf);
    if (!value)
      return std::nullopt;
    operands.push_back(std::move(*value));
  }
  auto negated = [](SizeExpr value) {
    return SizeExpr::binary(SizeExpr::Kind::Mul, std::move(value),
                            SizeExpr::constant(-1));
  };
  auto fold = [&](SizeExpr::Kind kind) {
    SizeExpr result = operands[0];
    for (size_t i = 1; i < operands.size(); ++i)
      result = SizeExpr::binary(kind, std::move(result), operands[i]);
    return result;
  };
  switch (expr.kind) {
  case LoopExpr::Kind::Add:
    return fold(SizeExpr::Kind::Add);
  case LoopExpr::Kind::Sub:
    return SizeExpr::binary(SizeExpr::Kind::Add, operands[0],
                            negated(operands[1]));
  case LoopExpr::Kind::Neg:
    return negated(operands[0]);
  case LoopExpr::Kind::Mul:
    return fold(SizeExpr::Kind::Mul);
  case LoopExpr::Kind::Min:
    return fold(SizeExpr::Kind::Min);
  case LoopExpr::Kind::Max:
    return fold(SizeExpr::Kind::Max);
  case LoopExpr::Kind::FloorDiv:
    return fold(SizeExpr::Kind::FloorDiv);
  default:
    return std::nullopt;
  }
}

SizeExpr girih::tilegen::extentExpr(const poly::Array &array, unsigned dim,
                                    const std::vector<unsigned> &sizeOf) {
  SizeExpr extent = sizeExpr(array.extents[dim], sizeOf);
  int64_t divisor =
      array.extentDivisors.empty() ? 1 : array.extentDivisors[dim];
  if (divisor == 1)
    return extent;
  return SizeExpr::binary(SizeExpr::Kind::CeilDiv, std::move(extent),
                          SizeExpr::constant(divisor));
}
