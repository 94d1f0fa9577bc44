//===- IntegerOps.cpp - integer arithmetic of te as LLVM ops --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM leaves a division by zero, INT_MIN / -1 and shifts by the width and more
// undefined; the language does not. Divisors and amounts are replaced where
// they would be undefined, and the result is chosen afterwards; constants fold.
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Te.h"
#include "passes/codegen/LlvmEmitter.h"
#include "passes/codegen/ScalarLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace girih::codegen {

namespace {
struct Division {
  Value quotient, remainder;
};
} // namespace

/// Rounded towards zero; by zero the quotient is 0 and the remainder a.
static Division divideUnsigned(LlvmEmitter &emit, Value a, Value b) {
  Type type = a.getType();
  Value byZero = emit.compare(Compare::Eq, b, 0);
  Value divisor = emit.select(byZero, emit.constant(type, 1), b);
  Value quotient = emit.integer(Int::DivUnsigned, a, divisor);
  Value remainder =
      emit.integer(Int::Sub, a, emit.integer(Int::Mul, quotient, divisor));
  return {emit.select(byZero, emit.constant(type, 0), quotient),
          emit.select(byZero, a, remainder)};
}

/// `floor`: the quotient is rounded down, so that the remainder has the
/// divisor's sign; else towards zero. The smallest number by -1 wraps.
static Division divideSigned(LlvmEmitter &emit, Value a, Value b, bool floor) {
  Type type = a.getType();
  Value zero = emit.constant(type, 0), one = emit.constant(type, 1);
  Value byZero = emit.compare(Compare::Eq, b, 0);
  Value byMinusOne = emit.compare(Compare::Eq, b, -1);
  Value divisor =
      emit.select(emit.integer(Int::Or, byZero, byMinusOne), one, b);
  Value quotient = emit.integer(Int::DivSigned, a, divisor);
  Value remainder =
      emit.integer(Int::Sub, a, emit.integer(Int::Mul, quotient, divisor));
  quotient = emit.select(byMinusOne, emit.integer(Int::Sub, zero, a), quotient);
  if (floor) {
    // Where the replaced divisor is 1 the remainder is 0 and nothing moves.
    Value moves =
        emit.integer(Int::And, emit.compare(Compare::Ne, remainder, 0),
                     emit.compare(Compare::SignedLt,
                                  emit.integer(Int::Xor, remainder, b), 0));
    quotient = emit.integer(Int::Sub, quotient, emit.select(moves, one, zero));
    remainder = emit.add(remainder, emit.select(moves, b, zero));
  }
  return {emit.select(byZero, zero, quotient),
          emit.select(byZero, a, remainder)};
}

/// The amount is read as an unsigned number.
static Value shift(LlvmEmitter &emit, Int op, Value a, Value amount) {
  const unsigned width = a.getType().getIntOrFloatBitWidth();
  if (op == Int::ShiftRightSigned)
    return emit.integer(op, a,
                        emit.integer(Int::MinUnsigned, amount, width - 1));
  Value zero = emit.constant(a.getType(), 0);
  Value all = emit.compare(Compare::UnsignedGe, amount, width);
  Value shifted = emit.integer(op, a, emit.select(all, zero, amount));
  return emit.select(all, zero, shifted);
}

Value ScalarLowering::lowerInteger(int kind, bool isUnsigned, Value a, Value b,
                                   Location loc) {
  LlvmEmitter emit(builder, loc);
  auto divide = [&](bool floor) {
    return isUnsigned ? divideUnsigned(emit, a, b)
                      : divideSigned(emit, a, b, floor);
  };
  switch (static_cast<te::BinaryKind>(kind)) {
  case te::BinaryKind::Add:
    return emit.integer(Int::Add, a, b);
  case te::BinaryKind::Sub:
    return emit.integer(Int::Sub, a, b);
  case te::BinaryKind::Mul:
    return emit.integer(Int::Mul, a, b);
  case te::BinaryKind::Min:
    return emit.integer(isUnsigned ? Int::MinUnsigned : Int::MinSigned, a, b);
  case te::BinaryKind::Max:
    return emit.integer(isUnsigned ? Int::MaxUnsigned : Int::MaxSigned, a, b);
  case te::BinaryKind::FloorDiv:
    return divide(true).quotient;
  case te::BinaryKind::Mod:
    return divide(true).remainder;
  case te::BinaryKind::TDiv:
    return divide(false).quotient;
  case te::BinaryKind::TMod:
    return divide(false).remainder;
  case te::BinaryKind::And:
    return emit.integer(Int::And, a, b);
  case te::BinaryKind::Or:
    return emit.integer(Int::Or, a, b);
  case te::BinaryKind::Xor:
    return emit.integer(Int::Xor, a, b);
  case te::BinaryKind::Shl:
    return shift(emit, Int::ShiftLeft, a, b);
  case te::BinaryKind::Shr:
    return shift(emit, isUnsigned ? Int::ShiftRight : Int::ShiftRightSigned, a,
                 b);
  case te::BinaryKind::Div:
    break; // the verifier keeps it to floats
  }
  llvm_unreachable("no such integer op");
}

/// The smallest number has no negative: it stays, as everything wraps.
Value ScalarLowering::lowerIntegerUnary(Operation *op, Value value) {
  LlvmEmitter emit(builder, op->getLoc());
  Value negative =
      emit.integer(Int::Sub, emit.constant(value.getType(), 0), value);
  if (cast<te::UnaryOp>(op).getKind() == te::UnaryKind::Neg)
    return negative;
  if (op->getResult(0).getType().isUnsignedInteger())
    return value;
  return emit.integer(Int::MaxSigned, value, negative);
}

} // namespace girih::codegen
