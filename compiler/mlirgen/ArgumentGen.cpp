//===- ArgumentGen.cpp - argmax and argmin --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two reductions: the value v, then the least index whose value is v. Where
// nothing takes part the index stays at the largest u64, which is -1 as an i64.
// `behind` compares two elements by the order in which argmax takes them.
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/ExprGen.h"

#include <utility>

namespace girih::mlirgen {

using namespace frontend;
using mlir::Location;
using mlir::Value;

namespace {

/// Comparisons of two values as max and min order them.
class Ranks {
public:
  Ranks(mlir::OpBuilder &builder, Location loc, Value x, Value v)
      : builder(builder), loc(loc), x(x), v(v),
        real(llvm::dyn_cast<mlir::FloatType>(x.getType())) {}

  Value compare(te::CompareKind kind, Value a, Value b) {
    return te::CompareOp::create(builder, loc, builder.getI1Type(), kind, a, b);
  }
  Value both(Value a, Value b) { return join(te::LogicKind::And, a, b); }
  Value either(Value a, Value b) { return join(te::LogicKind::Or, a, b); }

  /// Whether x is the value v that max or min gave: equal, zeros of one sign,
  /// or both NaN.
  Value same() {
    Value equal = compare(te::CompareKind::Eq, x, v);
    if (!real)
      return equal;
    Value signs = either(compare(te::CompareKind::Ne, x, number(0)),
                         compare(te::CompareKind::Eq, inverse(x), inverse(v)));
    return either(both(equal, signs), both(isNan(x), isNan(v)));
  }

  /// Whether max takes v before x: x is less, -0 beside +0, or only v is NaN.
  Value less() {
    Value below = compare(te::CompareKind::Lt, x, v);
    if (!real)
      return below;
    Value equal = compare(te::CompareKind::Eq, x, v);
    Value zeros = both(compare(te::CompareKind::Eq, x, number(0)),
                       compare(te::CompareKind::Lt, inverse(x), inverse(v)));
    Value none = both(compare(te::CompareKind::Eq, x, x), isNan(v));
    return either(either(below, both(equal, zeros)), none);
  }

private:
  Value join(te::LogicKind kind, Value a, Value b) {
    return te::LogicOp::create(builder, loc, builder.getI1Type(), kind, a, b);
  }
  Value isNan(Value value) {
    return compare(te::CompareKind::Ne, value, value);
  }
  Value number(double value) {
    return te::ConstantOp::create(builder, loc,
                                  mlir::FloatAttr::get(real, value));
  }
  Value inverse(Value value) {
    return te::BinaryOp::create(builder, loc, real, te::BinaryKind::Div,
                                number(1), value);
  }

  mlir::OpBuilder &builder;
  Location loc;
  Value x, v;
  mlir::FloatType real; ///< null for integers
};

} // namespace

Value ExprGen::emitBehind(const CallExpr &call, Location loc) {
  Value x = emit(*call.arguments[0]), place = emit(*call.arguments[1]);
  Value v = emit(*call.arguments[2]), chosen = emit(*call.arguments[3]);
  Ranks ranks(builder, loc, x, v);
  // Nothing is behind where nothing was left to choose.
  Value some = ranks.compare(te::CompareKind::Ge, chosen,
                             emitInteger(0, chosen.getType(), loc));
  Value later = ranks.both(ranks.same(),
                           ranks.compare(te::CompareKind::Gt, place, chosen));
  return ranks.both(some, ranks.either(ranks.less(), later));
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
    Value chosen = Ranks(builder, loc, emit(*reduce.body), best).same();
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
