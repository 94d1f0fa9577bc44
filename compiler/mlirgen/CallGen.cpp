//===- CallGen.cpp - functions and builtins to te ops ---------------------===//
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

Value ExprGen::emitNode(const CallExpr &call, const Expr &expr) {
  auto outer = inherited;
  if (call.inherited)
    inherited = call.inherited;
  Value result =
      call.fn ? inlineCall(call, locOf(expr)) : emitBuiltin(call, locOf(expr));
  inherited = outer;
  return result;
}

Value ExprGen::inlineCall(const CallExpr &call, Location loc) {
  // All arguments first: one of them may call the same function.
  llvm::SmallVector<Value, 4> arguments;
  for (const ExprPtr &argument : call.arguments)
    arguments.push_back(emit(*argument));
  for (size_t i = 0; i < arguments.size(); ++i)
    parameters[&call.fn->params[i]] = arguments[i];
  auto outer = libraryCall;
  if (call.fn->library && !libraryCall)
    libraryCall = loc;
  Value result = emit(*call.fn->body);
  libraryCall = outer;
  return result;
}

static te::UnaryKind unaryKind(Builtin builtin) {
  switch (builtin) {
  case Builtin::Abs:
    return te::UnaryKind::Abs;
  case Builtin::Neg:
    return te::UnaryKind::Neg;
  case Builtin::Sqrt:
    return te::UnaryKind::Sqrt;
  case Builtin::Rsqrt:
    return te::UnaryKind::Rsqrt;
  case Builtin::Rcp:
    return te::UnaryKind::Rcp;
  case Builtin::Exp:
    return te::UnaryKind::Exp;
  case Builtin::Exp2:
    return te::UnaryKind::Exp2;
  case Builtin::Log:
    return te::UnaryKind::Log;
  case Builtin::Log2:
    return te::UnaryKind::Log2;
  case Builtin::Tanh:
    return te::UnaryKind::Tanh;
  case Builtin::Floor:
    return te::UnaryKind::Floor;
  case Builtin::Ceil:
    return te::UnaryKind::Ceil;
  case Builtin::Round:
    return te::UnaryKind::Round;
  case Builtin::Trunc:
    return te::UnaryKind::Trunc;
  case Builtin::Tf32:
    return te::UnaryKind::Tf32;
  case Builtin::Sin:
    return te::UnaryKind::Sin;
  case Builtin::Cos:
    return te::UnaryKind::Cos;
  case Builtin::Erf:
    return te::UnaryKind::Erf;
  default:
    break;
  }
  llvm_unreachable("a function of one value");
}

te::Accuracy ExprGen::accuracyOf(const CallExpr &call) const {
  std::optional<Accuracy> accuracy = call.accuracy;
  if (!accuracy && !oneAccuracy)
    accuracy = inherited;
  if (!accuracy)
    return te::Accuracy::Unset;
  return *accuracy == Accuracy::Fast ? te::Accuracy::Fast
                                     : te::Accuracy::Portable;
}

Value ExprGen::emitBuiltin(const CallExpr &call, Location loc) {
  switch (*call.builtin) {
  case Builtin::Bits:
  case Builtin::SBits:
    return emitBits(call, loc);
  case Builtin::OnGrid:
    return te::OnGridOp::create(builder, loc, emit(*call.arguments[0]),
                                call.number);
  case Builtin::Philox:
  case Builtin::Uniform:
    return emitRandom(call, loc);
  case Builtin::Behind:
    return emitBehind(call, loc);
  default:
    break;
  }
  llvm::SmallVector<Value, 3> values;
  for (const ExprPtr &argument : call.arguments)
    values.push_back(argument->type == ScalarType::Index
                         ? toLong(emit(*argument), loc)
                         : emit(*argument));
  auto binary = [&](te::BinaryKind kind) -> Value {
    return te::BinaryOp::create(builder, loc, kind, values[0], values[1]);
  };
  switch (*call.builtin) {
  case Builtin::Fma:
    return te::FmaOp::create(builder, loc, values[0], values[1], values[2]);
  case Builtin::Pow:
    return te::PowOp::create(builder, loc, values[0], values[1]);
  case Builtin::Min:
    return binary(te::BinaryKind::Min);
  case Builtin::Max:
    return binary(te::BinaryKind::Max);
  case Builtin::FloorDiv:
    return binary(te::BinaryKind::FloorDiv);
  case Builtin::TDiv:
    return binary(te::BinaryKind::TDiv);
  case Builtin::TMod:
    return binary(te::BinaryKind::TMod);
  default:
    return te::UnaryOp::create(builder, loc, unaryKind(*call.builtin),
                               accuracyOf(call), values[0]);
  }
}

/// bits(x, lo, n): shifted down as an unsigned number, so that what lies above
/// the top bit is 0, and masked; sbits: moved to the top and shifted down with
/// its sign.
Value ExprGen::emitBits(const CallExpr &call, Location loc) {
  Value value = emit(*call.arguments[0]), lowest = emit(*call.arguments[1]);
  uint64_t count = call.arguments[2]->as<LiteralExpr>()->bits;
  unsigned width = value.getType().getIntOrFloatBitWidth();
  mlir::Type type = value.getType();
  mlir::Type unsignedType = builder.getIntegerType(width, /*isSigned=*/false);
  auto cast = [&](Value x, mlir::Type to) -> Value {
    if (x.getType() == to)
      return x;
    return te::CastOp::create(builder, loc, to, x);
  };
  auto apply = [&](te::BinaryKind kind, Value x, uint64_t y) -> Value {
    return te::BinaryOp::create(builder, loc, kind, x,
                                emitInteger(y, x.getType(), loc));
  };
  Value shifted = te::BinaryOp::create(builder, loc, te::BinaryKind::Shr,
                                       cast(value, unsignedType),
                                       cast(lowest, unsignedType));
  if (call.builtin == Builtin::Bits) {
    uint64_t mask = ~uint64_t(0) >> (64 - count);
    return cast(apply(te::BinaryKind::And, shifted, mask), type);
  }
  Value field = cast(shifted, builder.getIntegerType(width));
  field = apply(te::BinaryKind::Shl, field, width - count);
  return apply(te::BinaryKind::Shr, field, width - count);
}

} // namespace girih::mlirgen
