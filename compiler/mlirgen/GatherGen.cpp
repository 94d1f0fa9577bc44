//===- GatherGen.cpp - values as subscripts -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/ExprGen.h"

namespace girih::mlirgen {

using namespace frontend;
using mlir::Location;
using mlir::Value;

llvm::SmallVector<Value> ExprGen::emitSubscripts(const AccessExpr &access) {
  llvm::SmallVector<Value> subscripts;
  for (auto [d, subscript] : llvm::enumerate(access.subscripts))
    noteChecked(subscript, *access.tensor, d);
  for (auto [d, subscript] : llvm::enumerate(access.subscripts))
    subscripts.push_back(emitSubscript(subscript, access.tensor->dims[d]));
  return subscripts;
}

Value ExprGen::emitAsInteger(Value index, Location loc) {
  if (auto constant = index.getDefiningOp<te::IndexConstantOp>())
    return emitInteger(uint64_t(constant.getValue()), builder.getI64Type(),
                       loc);
  return te::CastOp::create(builder, loc, builder.getI64Type(), index);
}

Value ExprGen::emitComputed(const IndexSum &sum, Location loc) {
  mlir::Type type = builder.getI64Type();
  Value result;
  auto add = [&](Value part) {
    result = result ? Value(te::BinaryOp::create(
                          builder, loc, te::BinaryKind::Add, result, part))
                    : part;
  };
  for (auto [value, factor] : sum.values) {
    Value part = emit(*value);
    if (part.getType() != type)
      part = te::CastOp::create(builder, loc, type, part);
    if (factor != 1)
      part = te::BinaryOp::create(builder, loc, te::BinaryKind::Mul, part,
                                  emitInteger(uint64_t(factor), type, loc));
    add(part);
  }
  IndexSum affine = sum;
  affine.values.clear();
  bool isNothing = affine.terms.empty() && affine.offset == Extent();
  if (!result || !isNothing)
    add(emitAsInteger(emitSum(affine, loc), loc));
  return result;
}

} // namespace girih::mlirgen
