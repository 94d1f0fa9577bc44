//===- ScalarLowering.cpp - one te scalar op as LLVM ops ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/ScalarLowering.h"

#include "dialects/te/Te.h"
#include "passes/codegen/FastMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace girih::codegen {

Value ScalarLowering::intrinsic(StringRef name, Type result,
                                ArrayRef<Value> operands, Location loc) {
  return LLVM::CallIntrinsicOp::create(builder, loc, result,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

Value ScalarLowering::constant(TypedAttr value, Location loc) {
  Type type = value.getType();
  if (type.isIndex()) {
    type = builder.getI64Type();
    value = builder.getI64IntegerAttr(cast<IntegerAttr>(value).getInt());
  }
  Type held = heldType(type);
  if (held != type) { // the bits of an f8, or an unsigned integer's
    auto real = dyn_cast<FloatAttr>(value);
    llvm::APInt bits = real ? real.getValue().bitcastToAPInt()
                            : cast<IntegerAttr>(value).getValue();
    value = builder.getIntegerAttr(held, bits);
  }
  return LLVM::ConstantOp::create(builder, loc, held, value);
}

Value ScalarLowering::mul(Value a, Value b, Location loc) {
  if (!isa<FloatType>(a.getType()))
    return LLVM::MulOp::create(builder, loc, a, b);
  return LLVM::FMulOp::create(builder, loc, a, b);
}

/// Before sm_80 LLVM would form a bf16 fma in f32 and round again, and an f64
/// fma rounded to bf16 is two roundings too: a * b = 1 + 2^-8 lies on a bf16
/// midpoint and a tiny c decides. Rounding the f64 sum to odd keeps that
/// decision: round towards zero and set the last bit if the sum is inexact,
/// which is when rounding down and up disagree. 53 bits are enough for one
/// more rounding to 8 (53 >= 8 + 2). NaN stays NaN; products and sums of bf16
/// values do not overflow f64; an exact zero has the sign that rounding
/// towards zero gives, which is that of rounding to nearest.
static Value fmaBf16ByRoundingToOdd(OpBuilder &builder, ArrayRef<Value> terms,
                                    Location loc) {
  Type f64 = builder.getF64Type(), i64 = builder.getI64Type();
  SmallVector<Value> wide;
  for (Value term : terms)
    wide.push_back(LLVM::FPExtOp::create(builder, loc, f64, term));
  auto round = [&](StringRef name) {
    return LLVM::CallIntrinsicOp::create(builder, loc, f64,
                                         builder.getStringAttr(name), wide)
        .getResult(0);
  };
  Value inexact = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::une,
                                       round("llvm.nvvm.fma.rm.d"),
                                       round("llvm.nvvm.fma.rp.d"));
  Value bits =
      LLVM::BitcastOp::create(builder, loc, i64, round("llvm.nvvm.fma.rz.d"));
  Value sticky = LLVM::ZExtOp::create(builder, loc, i64, inexact);
  bits = LLVM::OrOp::create(builder, loc, bits, sticky);
  Value odd = LLVM::BitcastOp::create(builder, loc, f64, bits);
  return LLVM::FPTruncOp::create(builder, loc, builder.getBF16Type(), odd);
}

Value ScalarLowering::fma(Value a, Value b, Value c, Location loc) {
  if (a.getType().isBF16() && !target.hasBf16Arithmetic())
    return fmaBf16ByRoundingToOdd(builder, {a, b, c}, loc);
  return LLVM::FMAOp::create(builder, loc, a, b, c);
}

/// max and min are LLVM's maximum and minimum: a NaN wins and +0 is greater
/// than -0. From sm_80 that is max.NaN; f64 and older targets get max, a NaN
/// select and a select by the zeros' signs.
Value ScalarLowering::lowerBinary(int kind, Type element, Value a, Value b,
                                  Location loc) {
  if (!isa<FloatType>(element))
    return lowerInteger(kind, element.isUnsignedInteger(), a, b, loc);
  switch (static_cast<te::BinaryKind>(kind)) {
  case te::BinaryKind::Add:
    return LLVM::FAddOp::create(builder, loc, a, b);
  case te::BinaryKind::Sub:
    return LLVM::FSubOp::create(builder, loc, a, b);
  case te::BinaryKind::Mul:
    return mul(a, b, loc);
  case te::BinaryKind::Div:
    return LLVM::FDivOp::create(builder, loc, a, b);
  case te::BinaryKind::Min:
    return LLVM::MinimumOp::create(builder, loc, a, b);
  case te::BinaryKind::Max:
    return LLVM::MaximumOp::create(builder, loc, a, b);
  default:
    break; // the verifier keeps the others to integers
  }
  llvm_unreachable("no such binary op");
}

Value ScalarLowering::combine(int kind, Type element, Value a, Value b,
                              Location loc) {
  const bool isBool = element.isInteger(1);
  te::BinaryKind step = te::BinaryKind::Add;
  switch (static_cast<te::ReduceKind>(kind)) {
  case te::ReduceKind::Sum:
    break;
  case te::ReduceKind::Prod:
    step = te::BinaryKind::Mul;
    break;
  case te::ReduceKind::Max:
    step = isBool ? te::BinaryKind::Or : te::BinaryKind::Max;
    break;
  case te::ReduceKind::Min:
    step = isBool ? te::BinaryKind::And : te::BinaryKind::Min;
    break;
  }
  return lowerBinary(static_cast<int>(step), element, a, b, loc);
}

/// Clearing the sign bit, without the detour through f32 that LLVM makes for
/// bf16 on sm_75.
Value ScalarLowering::absolute(Value value, Location loc) {
  if (!value.getType().isBF16())
    return LLVM::FAbsOp::create(builder, loc, value);
  Type i16 = builder.getIntegerType(16);
  Value bits = LLVM::BitcastOp::create(builder, loc, i16, value);
  Value mask = LLVM::ConstantOp::create(builder, loc, i16,
                                        builder.getI16IntegerAttr(0x7fff));
  bits = LLVM::AndOp::create(builder, loc, bits, mask);
  return LLVM::BitcastOp::create(builder, loc, value.getType(), bits);
}

Value ScalarLowering::lowerFast(Operation *op, Value value) {
  auto unary = cast<te::UnaryOp>(op);
  StringRef name = te::stringifyUnaryKind(unary.getKind());
  if (unary.getAccuracy() == te::Accuracy::Portable ||
      unary.isAlwaysPortable()) {
    op->emitError() << "portable " << name
                    << " was not expanded before code generation";
    return {};
  }
  if (unary.getAccuracy() == te::Accuracy::Unset) {
    op->emitError() << name << " reached code generation without an accuracy";
    return {};
  }
  Type type = value.getType();
  if (type.isF64()) {
    op->emitError() << "fast " << name
                    << " in f64 is not supported; use .portable";
    return {};
  }
  auto function = [&] {
    switch (unary.getKind()) {
    case te::UnaryKind::Exp:
      return FastFunction::Exp;
    case te::UnaryKind::Exp2:
      return FastFunction::Exp2;
    case te::UnaryKind::Log:
      return FastFunction::Log;
    case te::UnaryKind::Log2:
      return FastFunction::Log2;
    case te::UnaryKind::Tanh:
      return FastFunction::Tanh;
    case te::UnaryKind::Rsqrt:
      return FastFunction::Rsqrt;
    default:
      return FastFunction::Rcp;
    }
  }();
  Location loc = op->getLoc();
  Value x = floatToFloat(value, builder.getF32Type(), loc);
  return floatToFloat(emitFast(builder, function, x, loc), type, loc);
}

Value ScalarLowering::lowerUnary(Operation *op, Value value) {
  Location loc = op->getLoc();
  if (!isa<FloatType>(op->getResult(0).getType()))
    return lowerIntegerUnary(op, value);
  switch (cast<te::UnaryOp>(op).getKind()) {
  case te::UnaryKind::Neg:
    return LLVM::FNegOp::create(builder, loc, value);
  case te::UnaryKind::Abs:
    return absolute(value, loc);
  case te::UnaryKind::Sqrt:
    return LLVM::SqrtOp::create(builder, loc, value);
  case te::UnaryKind::Floor:
    return LLVM::FFloorOp::create(builder, loc, value);
  case te::UnaryKind::Ceil:
    return LLVM::FCeilOp::create(builder, loc, value);
  case te::UnaryKind::Round:
    return LLVM::RoundEvenOp::create(builder, loc, value);
  case te::UnaryKind::Trunc:
    return LLVM::FTruncOp::create(builder, loc, value);
  case te::UnaryKind::Tf32:
    return toTf32(value, loc);
  default:
    return lowerFast(op, value);
  }
}

Value ScalarLowering::lowerCompare(int kind, Type element, Value a, Value b,
                                   Location loc) {
  using Float = LLVM::FCmpPredicate;
  using Int = LLVM::ICmpPredicate;
  struct Predicates {
    Float ordered;
    Int integer, unsignedInteger;
  };
  static constexpr Predicates kPredicates[] = {
      {Float::olt, Int::slt, Int::ult}, {Float::ole, Int::sle, Int::ule},
      {Float::ogt, Int::sgt, Int::ugt}, {Float::oge, Int::sge, Int::uge},
      {Float::oeq, Int::eq, Int::eq},   {Float::une, Int::ne, Int::ne}};
  auto [ordered, integer, unsignedInteger] = kPredicates[kind];
  if (element.isUnsignedInteger())
    return LLVM::ICmpOp::create(builder, loc, unsignedInteger, a, b);
  if (isa<FloatType>(a.getType()))
    return LLVM::FCmpOp::create(builder, loc, ordered, a, b);
  return LLVM::ICmpOp::create(builder, loc, integer, a, b);
}

/// The integer helpers that scalar regions may use (the te dialect's
/// description lists them). Both dialects number their predicates alike.
Value ScalarLowering::lowerArith(Operation *op, ArrayRef<Value> operands) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantOp c) { return constant(c.getValue(), loc); })
      .Case([&](arith::AddIOp) -> Value {
        return LLVM::AddOp::create(builder, loc, operands[0], operands[1]);
      })
      .Case([&](arith::SubIOp) -> Value {
        return LLVM::SubOp::create(builder, loc, operands[0], operands[1]);
      })
      .Case([&](arith::ShLIOp) -> Value {
        return LLVM::ShlOp::create(builder, loc, operands[0], operands[1]);
      })
      .Case([&](arith::ShRSIOp) -> Value {
        return LLVM::AShrOp::create(builder, loc, operands[0], operands[1]);
      })
      .Case([&](arith::AndIOp) -> Value {
        return LLVM::AndOp::create(builder, loc, operands[0], operands[1]);
      })
      .Case([&](arith::OrIOp) -> Value {
        return LLVM::OrOp::create(builder, loc, operands[0], operands[1]);
      })
      .Case([&](arith::CmpIOp compare) -> Value {
        auto predicate =
            static_cast<LLVM::ICmpPredicate>(compare.getPredicate());
        return LLVM::ICmpOp::create(builder, loc, predicate, operands[0],
                                    operands[1]);
      })
      .Case([&](arith::SelectOp) -> Value {
        return LLVM::SelectOp::create(builder, loc, operands[0], operands[1],
                                      operands[2]);
      })
      .Case([&](arith::BitcastOp bitcast) -> Value {
        return LLVM::BitcastOp::create(builder, loc, bitcast.getType(),
                                       operands[0]);
      })
      .Default([&](Operation *) -> Value {
        op->emitError() << "'" << op->getName()
                        << "' is not a scalar operation of a kernel";
        return {};
      });
}

static_assert(static_cast<int>(arith::CmpIPredicate::eq) ==
                  static_cast<int>(LLVM::ICmpPredicate::eq) &&
              static_cast<int>(arith::CmpIPredicate::slt) ==
                  static_cast<int>(LLVM::ICmpPredicate::slt) &&
              static_cast<int>(arith::CmpIPredicate::uge) ==
                  static_cast<int>(LLVM::ICmpPredicate::uge));

Value ScalarLowering::lower(Operation *op, ArrayRef<Value> operands) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](te::ConstantOp c) { return constant(c.getValue(), loc); })
      .Case([&](te::IndexConstantOp c) {
        return constant(builder.getI64IntegerAttr(c.getValue()), loc);
      })
      .Case([&](te::ToFloatOp to) {
        return fromInteger(operands[0], /*isUnsigned=*/false, to.getType(),
                           loc);
      })
      .Case([&](te::CastOp cast) {
        return convert(operands[0], cast.getValue().getType(), cast.getType(),
                       loc);
      })
      .Case([&](te::BitsOp bits) -> Value {
        return LLVM::BitcastOp::create(builder, loc, bits.getType(),
                                       operands[0]);
      })
      .Case([&](te::UnaryOp) { return lowerUnary(op, operands[0]); })
      .Case([&](te::BinaryOp binary) {
        return lowerBinary(static_cast<int>(binary.getKind()), binary.getType(),
                           operands[0], operands[1], loc);
      })
      .Case([&](te::FmaOp) {
        return fma(operands[0], operands[1], operands[2], loc);
      })
      .Case([&](te::CompareOp compare) {
        return lowerCompare(static_cast<int>(compare.getKind()),
                            compare.getLhs().getType(), operands[0],
                            operands[1], loc);
      })
      .Case([&](te::LogicOp logic) -> Value {
        if (logic.getKind() == te::LogicKind::And)
          return LLVM::AndOp::create(builder, loc, operands[0], operands[1]);
        return LLVM::OrOp::create(builder, loc, operands[0], operands[1]);
      })
      .Case([&](te::NotOp) -> Value {
        Value all = constant(builder.getBoolAttr(true), loc);
        return LLVM::XOrOp::create(builder, loc, operands[0], all);
      })
      .Case([&](te::SelectOp) -> Value {
        return LLVM::SelectOp::create(builder, loc, operands[0], operands[1],
                                      operands[2]);
      })
      .Default([&](Operation *) { return lowerArith(op, operands); });
}

} // namespace girih::codegen
