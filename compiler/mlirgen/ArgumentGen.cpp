//===- ArgumentGen.cpp - argmax and argmin --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two reductions: the value v, then the least index whose value is v. Where
// nothing takes part the index stays at the largest u64, which is -1 as an i64.
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/ExprGen.h"

#include <utility>

namespace girih::mlirgen {

using namespace frontend;
using mlir::Location;
using mlir::Value;

/// Whether x is the value v that max or min gave: equal, zeros of one sign, or
/// both NaN.
static Value isChosen(mlir::OpBuilder &builder, Location loc, Value x,
                      Value v) {
  mlir::Type flag = builder.getI1Type(), type = x.getType();
  auto compare = [&](te::CompareKind kind, Value a, Value b) -> Value {
    return te::CompareOp::create(builder, loc, flag, kind, a, b);
  };
  Value same = compare(te::CompareKind::Eq, x, v);
  auto real = llvm::dyn_cast<mlir::FloatType>(type);
  if (!real)
    return same;
  auto number = [&](double value) -> Value {
    return te::ConstantOp::create(builder, loc,
                                  mlir::FloatAttr::get(real, value));
  };
  Value one = number(1), zero = number(0);
  auto inverse = [&](Value value) -> Value {
    return te::BinaryOp::create(builder, loc, type, te::BinaryKind::Div, one,
                                value);
  };
  auto both = [&](te::LogicKind kind, Value a, Value b) -> Value {
    return te::LogicOp::create(builder, loc, flag, kind, a, b);
  };
  Value signs = both(te::LogicKind::Or, compare(te::CompareKind::Ne, x, zero),
                     compare(te::CompareKind::Eq, inverse(x), inverse(v)));
  Value none = both(te::LogicKind::And, compare(te::CompareKind::Ne, x, x),
                    compare(te::CompareKind::Ne, v, v));
  return both(te::LogicKind::Or, both(te::LogicKind::And, same, signs), none);
}

Value ExprGen::emitArgument(const ReduceExpr &reduce, const Expr &expr) {
  Location loc = locOf(expr);
  bool most = reduce.kind == ReduceKind::ArgMax;
  Value best =
      emitReduction(reduce, most ? te::ReduceKind::Max : te::ReduceKind::Min,
                    reduce.body->type, loc);
  const IndexVariable &index = *reduce.indices[0];
  mlir::Type wide = typeOf(ScalarType::U64);
  auto op = te::ReduceOp::create(
      builder, loc, wide, te::ReduceKind::Min, namesOf(reduce.indices),
      builder.getArrayAttr({extentOf(*index.extent)}), "fixed", te::TermAttr(),
      te::Leaf::Plain, /*from=*/Value());
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *body = builder.createBlock(&op.getBody());
    bindIndices(reduce.indices, *body);
    emitDomain(reduce.domain);
    bool notes =
        std::exchange(notesChecked, false); // those of `best` are noted
    Value chosen = isChosen(builder, loc, emit(*reduce.body), best);
    for (const Expr *test : reduce.tests)
      chosen = te::LogicOp::create(builder, loc, builder.getI1Type(),
                                   te::LogicKind::And, emit(*test), chosen);
    notesChecked = notes;
    IndexSum place;
    place.terms.push_back({&index, 1});
    Value here = te::CastOp::create(builder, loc, wide, emitSum(place, loc));
    Value nowhere = emitInteger(~uint64_t(0), wide, loc);
    te::YieldOp::create(
        builder, loc,
        Value(te::SelectOp::create(builder, loc, chosen, here, nowhere)));
  }
  return te::CastOp::create(builder, loc, typeOf(ScalarType::I64),
                            op.getResult());
}

} // namespace girih::mlirgen
