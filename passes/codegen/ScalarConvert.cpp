//===- ScalarConvert.cpp - values in another type -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LlvmEmitter.h"
#include "passes/codegen/ScalarLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace girih::codegen {

static bool isNarrow(Type type) { return type.isF16() || type.isBF16(); }
static bool isF8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

Type heldType(Type element) {
  if (isF8(element) || element.isUnsignedInteger())
    return IntegerType::get(element.getContext(),
                            element.getIntOrFloatBitWidth());
  return element;
}

Type memoryType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return heldType(element);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// f16 and bf16 do not contain one another, so between them the way leads
/// through f32, which contains both. f64 to bf16 is cvt.rn.bf16.f64 on sm_90;
/// before, LLVM rounds to odd in f32 first, so the result is rounded once.
/// A bf16 is the upper half of an f32: as integers, LLVM sees when it is half
/// of a loaded word already, which takes one instruction instead of three.
Value ScalarLowering::floatToFloat(Value value, Type to, Location loc) {
  Type from = value.getType();
  if (from == to)
    return value;
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (from.isBF16() && to.isF32()) {
    Type i16 = builder.getIntegerType(16), i32 = builder.getI32Type();
    Value bits = LLVM::BitcastOp::create(builder, loc, i16, value);
    bits = LLVM::ZExtOp::create(builder, loc, i32, bits);
    Value sixteen = LLVM::ConstantOp::create(builder, loc, i32,
                                             builder.getI32IntegerAttr(16));
    bits = LLVM::ShlOp::create(builder, loc, bits, sixteen);
    return LLVM::BitcastOp::create(builder, loc, to, bits);
  }
  if (fromWidth == toWidth) {
    value = LLVM::FPExtOp::create(builder, loc, builder.getF32Type(), value);
    return LLVM::FPTruncOp::create(builder, loc, to, value);
  }
  if (fromWidth < toWidth)
    return LLVM::FPExtOp::create(builder, loc, to, value);
  return LLVM::FPTruncOp::create(builder, loc, to, value);
}

/// An f64 or f32 as an f32 rounded to odd (towards zero, last bit set if
/// inexact), so that rounding it to fewer than 23 digits is the only rounding.
static Value oddFloat(LlvmEmitter &emit, Value value) {
  Type f32 = emit.getBuilder().getF32Type();
  if (value.getType().isF32())
    return value;
  OpBuilder &builder = emit.getBuilder();
  Location loc = emit.getLoc();
  Value cut = LLVM::CallIntrinsicOp::create(
                  builder, loc, f32, builder.getStringAttr("llvm.nvvm.d2f.rz"),
                  ValueRange{value})
                  .getResult(0);
  Value back = LLVM::FPExtOp::create(builder, loc, value.getType(), cut);
  Value inexact =
      LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::une, back, value);
  Value bits = emit.integer(Int::Or, emit.bitcast(cut, emit.i32()),
                            emit.extendUnsigned(inexact, emit.i32()));
  return emit.bitcast(bits, f32);
}

namespace {
/// How an f8 format differs from f32.
struct F8Format {
  int fractionBits;
  int bias;
  uint32_t largest; ///< code of the largest finite value
};
} // namespace

static F8Format formatOf(Type type) {
  return isa<Float8E4M3FNType>(type) ? F8Format{3, 7, 0x7e}
                                     : F8Format{2, 15, 0x7b};
}

/// An f32 rounded to f8 by cvt.rn.satfinite, or as that does by integer
/// arithmetic before sm_89: to nearest even, saturating, NaN to 0x7f.
static Value toF8(LlvmEmitter &emit, Value value, Type to, bool hasCvt) {
  const F8Format format = formatOf(to);
  const int dropped = 23 - format.fractionBits;
  OpBuilder &builder = emit.getBuilder();
  if (hasCvt) { // two at once; the second is the lower byte
    StringRef name = isa<Float8E4M3FNType>(to) ? "llvm.nvvm.ff.to.e4m3x2.rn"
                                               : "llvm.nvvm.ff.to.e5m2x2.rn";
    Value both = LLVM::CallIntrinsicOp::create(
                     builder, emit.getLoc(), builder.getI16Type(),
                     builder.getStringAttr(name),
                     ValueRange{emit.zero(builder.getF32Type()), value})
                     .getResult(0);
    return emit.truncate(both, builder.getI8Type());
  }
  Type f32 = builder.getF32Type(), i32 = emit.i32();
  auto number = [&](int64_t n) { return emit.constant(i32, n); };
  Value all = emit.bitcast(value, i32);
  Value sign = emit.integer(Int::And, emit.integer(Int::ShiftRight, all, 24),
                            number(0x80));
  Value magnitude = emit.integer(Int::And, all, number(0x7fffffff));
  // Normal results: half of the last kept place, less one where it is even. A
  // carry moves on into the exponent.
  Value odd = emit.integer(
      Int::And, emit.integer(Int::ShiftRight, magnitude, dropped), number(1));
  Value sum =
      emit.add(emit.add(magnitude, number((1 << (dropped - 1)) - 1)), odd);
  Value normal =
      emit.integer(Int::Sub, emit.integer(Int::ShiftRight, sum, dropped),
                   number((127 - format.bias) << format.fractionBits));
  // Denormal ones: added to a float whose last place is the format's smallest
  // value, the number is rounded there.
  const int smallest = 1 - format.bias - format.fractionBits; // exponent
  Value anchor = number((smallest + 23 + 127) << 23);
  Value anchored =
      LLVM::FAddOp::create(builder, emit.getLoc(), emit.bitcast(magnitude, f32),
                           emit.bitcast(anchor, f32));
  Value denormal = emit.integer(Int::Sub, emit.bitcast(anchored, i32), anchor);
  const int64_t firstNormal = int64_t(1 - format.bias + 127) << 23;
  Value code =
      emit.select(emit.compare(Compare::UnsignedLt, magnitude, firstNormal),
                  denormal, normal);
  code = emit.integer(Int::MinUnsigned, code, number(format.largest));
  code = emit.select(emit.compare(Compare::UnsignedGt, magnitude, 0x7f800000),
                     number(0x7f), code);
  return emit.truncate(emit.integer(Int::Or, code, sign), builder.getI8Type());
}

/// Exact. An f8e5m2 is the upper half of an f16. An f8e4m3fn's exponent and
/// fraction, read as those of an f32, are the value times 2^-120.
static Value fromF8(LlvmEmitter &emit, Value value, Type from, bool hasCvt) {
  OpBuilder &builder = emit.getBuilder();
  Type f32 = builder.getF32Type(), i32 = emit.i32();
  Location loc = emit.getLoc();
  if (isa<Float8E5M2Type>(from)) {
    Type i16 = builder.getIntegerType(16);
    Value half = emit.integer(Int::ShiftLeft, emit.extendUnsigned(value, i16),
                              emit.constant(i16, 8));
    return LLVM::FPExtOp::create(builder, loc, f32,
                                 emit.bitcast(half, builder.getF16Type()));
  }
  if (hasCvt) {
    Type halves = VectorType::get({2}, builder.getF16Type());
    Value both =
        LLVM::CallIntrinsicOp::create(
            builder, loc, halves,
            builder.getStringAttr("llvm.nvvm.e4m3x2.to.f16x2.rn"),
            ValueRange{emit.extendUnsigned(value, builder.getI16Type())})
            .getResult(0);
    Value half = LLVM::ExtractElementOp::create(builder, loc, both,
                                                emit.constant(i32, 0));
    return LLVM::FPExtOp::create(builder, loc, f32, half);
  }
  Value wide = emit.extendUnsigned(value, i32);
  Value code = emit.integer(Int::And, wide, emit.constant(i32, 0x7f));
  Value sign =
      emit.integer(Int::ShiftLeft,
                   emit.integer(Int::And, wide, emit.constant(i32, 0x80)), 24);
  Value scaled = emit.bitcast(emit.integer(Int::ShiftLeft, code, 20), f32);
  Value scale = emit.bitcast(emit.constant(i32, (120 + 127) << 23), f32);
  Value magnitude =
      emit.bitcast(LLVM::FMulOp::create(builder, loc, scaled, scale), i32);
  magnitude = emit.select(emit.compare(Compare::Eq, code, 0x7f),
                          emit.constant(i32, 0x7fffffff), magnitude);
  return emit.bitcast(emit.integer(Int::Or, magnitude, sign), f32);
}

/// To nearest even, ten fraction bits kept; NaN stays as it is.
Value ScalarLowering::toTf32(Value value, Location loc) {
  LlvmEmitter emit(builder, loc);
  Type i32 = emit.i32();
  constexpr int kDropped = 13;
  Value all = emit.bitcast(value, i32);
  Value odd =
      emit.integer(Int::And, emit.integer(Int::ShiftRight, all, kDropped),
                   emit.constant(i32, 1));
  Value sum = emit.add(
      emit.add(all, emit.constant(i32, (1 << (kDropped - 1)) - 1)), odd);
  Value cut = emit.integer(Int::And, sum, emit.constant(i32, -(1 << kDropped)));
  Value isNan = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::uno,
                                     value, value);
  return emit.bitcast(emit.select(isNan, all, cut), value.getType());
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// To f32 and f64 one instruction rounds once. To f16 and bf16 LLVM may pass
/// through a rounded f32; rounding that f32 to odd (towards zero, last bit set
/// if inexact) makes the second rounding the only one: 24 >= 11 + 2. Towards
/// zero never reaches 2^63 (2^64), so converting back to compare cannot
/// overflow.
Value ScalarLowering::fromInteger(Value value, bool isUnsigned, Type to,
                                  Location loc) {
  LlvmEmitter emit(builder, loc);
  // Smaller ones fit the next larger signed type.
  const unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width < 32)
    value = isUnsigned ? emit.extendUnsigned(value, emit.i32())
                       : emit.extendSigned(value, emit.i32());
  else if (width == 32 && isUnsigned)
    value = emit.extendUnsigned(value, emit.i64());
  isUnsigned &= width == 64;
  if (!isNarrow(to) && !isF8(to)) {
    if (isUnsigned)
      return LLVM::UIToFPOp::create(builder, loc, to, value);
    return LLVM::SIToFPOp::create(builder, loc, to, value);
  }
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  bool isLong = value.getType().isInteger(64);
  Value cut = intrinsic(isUnsigned ? "llvm.nvvm.ull2f.rz"
                        : isLong   ? "llvm.nvvm.ll2f.rz"
                                   : "llvm.nvvm.i2f.rz",
                        f32, {value}, loc);
  Value back;
  if (isUnsigned)
    back = LLVM::FPToUIOp::create(builder, loc, value.getType(), cut);
  else
    back = LLVM::FPToSIOp::create(builder, loc, value.getType(), cut);
  Value inexact =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, back, value);
  Value sticky = LLVM::ZExtOp::create(builder, loc, i32, inexact);
  Value bits = LLVM::BitcastOp::create(builder, loc, i32, cut);
  bits = LLVM::OrOp::create(builder, loc, bits, sticky);
  Value odd = LLVM::BitcastOp::create(builder, loc, f32, bits);
  if (isF8(to))
    return toF8(emit, odd, to, target.capability >= 89);
  return LLVM::FPTruncOp::create(builder, loc, to, odd);
}

/// LLVM's saturating conversions do what the language says.
Value ScalarLowering::floatToInteger(Value value, bool isUnsigned, Type to,
                                     Location loc) {
  if (isNarrow(value.getType()))
    value = floatToFloat(value, builder.getF32Type(), loc);
  return intrinsic(isUnsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat", to,
                   {value}, loc);
}

//===----------------------------------------------------------------------===//
// Any to any
//===----------------------------------------------------------------------===//

Value ScalarLowering::convert(Value value, Type from, Type to, Location loc) {
  if (from == to)
    return value;
  LlvmEmitter emit(builder, loc);
  if (from.isInteger(1)) { // true is 1
    from = emit.i32();
    value = emit.extendUnsigned(value, from);
  }
  if (isF8(from)) {
    value = fromF8(emit, value, from, target.capability >= 89);
    from = builder.getF32Type();
  }
  if (from.isIndex())
    from = emit.i64();
  const bool fromFloat = isa<FloatType>(from);
  if (to.isInteger(1)) {
    if (!fromFloat)
      return emit.compare(Compare::Ne, value, 0);
    Value zero = emit.zero(from);
    return LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::une, value,
                                zero);
  }
  if (!isa<FloatType>(to)) {
    if (fromFloat)
      return floatToInteger(value, to.isUnsignedInteger(), heldType(to), loc);
    if (from.getIntOrFloatBitWidth() >= to.getIntOrFloatBitWidth())
      return emit.truncate(value, heldType(to));
    return from.isUnsignedInteger() ? emit.extendUnsigned(value, heldType(to))
                                    : emit.extendSigned(value, heldType(to));
  }
  if (!fromFloat)
    return fromInteger(value, from.isUnsignedInteger(), to, loc);
  if (!isF8(to))
    return floatToFloat(value, to, loc);
  if (isNarrow(from))
    value = floatToFloat(value, builder.getF32Type(), loc);
  return toF8(emit, oddFloat(emit, value), to, target.capability >= 89);
}

} // namespace girih::codegen
