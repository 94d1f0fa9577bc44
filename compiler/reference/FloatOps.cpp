//===- FloatOps.cpp - exactly rounded arithmetic as LLVM IR ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/FloatOps.h"

#include "llvm/IR/Intrinsics.h"

using namespace girih;
using namespace girih::reference;
using llvm::Value;

static bool isF8(FloatOps::Type type) {
  return type == FloatOps::Type::F8E4M3FN || type == FloatOps::Type::F8E5M2;
}

static bool isNarrow(FloatOps::Type type) {
  return type == FloatOps::Type::F16 || type == FloatOps::Type::BF16 ||
         isF8(type);
}

llvm::Type *FloatOps::carrier(Type type) {
  if (type == Type::Bool)
    return b.getInt1Ty();
  if (!artifact::isFloat(type))
    return b.getIntNTy(8 * artifact::bytesOf(type));
  return type == Type::F64 ? b.getDoubleTy() : b.getFloatTy();
}

llvm::Type *FloatOps::memory(Type type) {
  if (isNarrow(type) || type == Type::Bool)
    return b.getIntNTy(8 * artifact::bytesOf(type));
  return carrier(type);
}

llvm::Type *FloatOps::shaped(llvm::Type *element, Value *like) {
  return like->getType()->getWithNewType(element);
}

Value *FloatOps::bits(Value *value) {
  unsigned width = value->getType()->getScalarSizeInBits();
  return b.CreateBitCast(value, shaped(b.getIntNTy(width), value));
}

Value *FloatOps::floatFrom(Value *bits) {
  return b.CreateBitCast(bits, shaped(b.getFloatTy(), bits));
}

llvm::Constant *FloatOps::integer(Value *like, uint64_t value) {
  return llvm::ConstantInt::get(like->getType(), value);
}

llvm::Constant *FloatOps::real(Value *like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

//===----------------------------------------------------------------------===//
// Memory forms
//===----------------------------------------------------------------------===//

Value *FloatOps::unpack(Type type, Value *stored) {
  if (type == Type::Bool)
    return b.CreateICmpNE(stored, integer(stored, 0));
  if (!isNarrow(type))
    return stored;
  if (type == Type::F8E4M3FN)
    return unpackF8E4M3(stored);
  if (type == Type::F8E5M2) // the upper half of an f16
    return unpack(
        Type::F16,
        b.CreateShl(b.CreateZExt(stored, shaped(b.getInt16Ty(), stored)), 8));
  if (type == Type::F16 && nativeHalf)
    return b.CreateFPExt(b.CreateBitCast(stored, shaped(b.getHalfTy(), stored)),
                         shaped(b.getFloatTy(), stored));
  Value *wide = b.CreateZExt(stored, shaped(b.getInt32Ty(), stored));
  if (type == Type::BF16)
    return floatFrom(b.CreateShl(wide, 16));
  // Exponent and fraction, read as a float, are the value times 2^-112; the
  // product is exact. Infinity and NaN get float's exponent instead.
  Value *sign = b.CreateShl(b.CreateAnd(wide, 0x8000), 16);
  Value *magnitude = b.CreateShl(b.CreateAnd(wide, 0x7fff), 13);
  Value *scaled =
      b.CreateFMul(floatFrom(magnitude), real(floatFrom(magnitude), 0x1p112));
  Value *special = b.CreateICmpUGE(magnitude, integer(magnitude, 0x0f800000));
  Value *result =
      b.CreateSelect(special, b.CreateOr(magnitude, 0x7f800000), bits(scaled));
  return floatFrom(b.CreateOr(result, sign));
}

/// Exponent and fraction, read as those of a float, are the value times 2^-120;
/// the product is exact. All ones is NaN.
Value *FloatOps::unpackF8E4M3(Value *stored) {
  Value *wide = b.CreateZExt(stored, shaped(b.getInt32Ty(), stored));
  Value *sign = b.CreateShl(b.CreateAnd(wide, 0x80), 24);
  Value *code = b.CreateAnd(wide, 0x7f);
  Value *small = floatFrom(b.CreateShl(code, 20));
  Value *scaled = b.CreateFMul(small, real(small, 0x1p120));
  Value *result = b.CreateSelect(b.CreateICmpEQ(code, integer(code, 0x7f)),
                                 integer(code, 0x7fffffff), bits(scaled));
  return floatFrom(b.CreateOr(result, sign));
}

/// The value is one of f8e4m3fn: a multiple of 2^-9 below 2^-6, and above it
/// the float's upper bits with another bias.
Value *FloatOps::packF8E4M3(Value *value) {
  Value *all = bits(value);
  Value *sign = b.CreateAnd(b.CreateLShr(all, 24), 0x80);
  Value *magnitude = b.CreateAnd(all, 0x7fffffff);
  Value *absolute = floatFrom(magnitude);
  Value *denormal = b.CreateFPToUI(
      b.CreateFMul(b.CreateBinaryIntrinsic(llvm::Intrinsic::minnum, absolute,
                                           real(absolute, 1)),
                   real(absolute, 512)),
      magnitude->getType());
  Value *normal = b.CreateSub(b.CreateLShr(magnitude, 20),
                              integer(magnitude, uint64_t(120) << 3));
  Value *result = b.CreateSelect(
      b.CreateFCmpOLT(absolute, real(absolute, 0x1p-6)), denormal, normal);
  result = b.CreateSelect(b.CreateFCmpUNO(value, value), integer(result, 0x7f),
                          result);
  return b.CreateTrunc(b.CreateOr(result, sign), shaped(b.getInt8Ty(), value));
}

Value *FloatOps::pack(Type type, Value *value) {
  if (type == Type::Bool)
    return b.CreateZExt(value, shaped(b.getInt8Ty(), value));
  if (!isNarrow(type))
    return value;
  if (type == Type::F8E4M3FN)
    return packF8E4M3(value);
  if (type == Type::F8E5M2) {
    Value *half = pack(Type::F16, value);
    return b.CreateTrunc(b.CreateLShr(half, 8), shaped(b.getInt8Ty(), half));
  }
  llvm::Type *stored = shaped(b.getInt16Ty(), value);
  if (type == Type::BF16)
    return b.CreateTrunc(b.CreateLShr(bits(value), 16), stored);
  if (nativeHalf)
    return b.CreateBitCast(b.CreateFPTrunc(value, shaped(b.getHalfTy(), value)),
                           stored);
  // The value is one of f16, so every case below is exact.
  Value *all = bits(value);
  Value *sign = b.CreateAnd(b.CreateLShr(all, 16), 0x8000);
  Value *magnitude = b.CreateAnd(all, 0x7fffffff);
  Value *normal = b.CreateSub(b.CreateLShr(magnitude, 13),
                              integer(magnitude, uint64_t(112) << 10));
  // Adding 0.5 puts a denormal's digits at the end of the float's fraction.
  Value *absolute = floatFrom(magnitude);
  Value *denormal =
      b.CreateSub(bits(b.CreateFAdd(absolute, real(absolute, 0.5))),
                  integer(magnitude, 0x3f000000));
  Value *result =
      b.CreateSelect(b.CreateICmpULT(magnitude, integer(magnitude, 0x38800000)),
                     denormal, normal);
  result =
      b.CreateSelect(b.CreateICmpEQ(magnitude, integer(magnitude, 0x7f800000)),
                     integer(result, 0x7c00), result);
  result =
      b.CreateSelect(b.CreateICmpUGT(magnitude, integer(magnitude, 0x7f800000)),
                     integer(result, 0x7fff), result);
  return b.CreateTrunc(b.CreateOr(result, sign), stored);
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

Value *FloatOps::roundToBf16(Value *value) {
  Value *all = bits(value);
  // Half of the last kept place, less one when that place is even; a carry out
  // of the fraction moves to the exponent, up to infinity.
  Value *last = b.CreateAnd(b.CreateLShr(all, 16), 1);
  Value *sum = b.CreateAdd(b.CreateAdd(all, integer(all, 0x7fff)), last);
  Value *cut = b.CreateAnd(sum, 0xffff0000);
  Value *result = b.CreateSelect(b.CreateFCmpUNO(value, value),
                                 integer(all, 0x7fff0000), cut);
  return floatFrom(result);
}

Value *FloatOps::roundToF16(Value *value) {
  if (nativeHalf)
    return b.CreateFPExt(b.CreateFPTrunc(value, shaped(b.getHalfTy(), value)),
                         shaped(b.getFloatTy(), value));
  Value *all = bits(value);
  Value *sign = b.CreateAnd(all, 0x80000000);
  Value *magnitude = b.CreateAnd(all, 0x7fffffff);
  Value *last = b.CreateAnd(b.CreateLShr(magnitude, 13), 1);
  Value *normal = b.CreateAnd(
      b.CreateAdd(b.CreateAdd(magnitude, integer(all, 0xfff)), last),
      ~uint64_t(0x1fff) & 0xffffffff);
  // 65520 and above (65536 after rounding) is infinity; so is infinity.
  normal = b.CreateSelect(b.CreateICmpUGE(normal, integer(all, 0x47800000)),
                          integer(all, 0x7f800000), normal);
  // Below 2^-14 the spacing is 2^-24, as that of floats in [0.5, 1).
  Value *absolute = floatFrom(magnitude);
  Value *half = real(absolute, 0.5);
  Value *denormal = bits(b.CreateFSub(b.CreateFAdd(absolute, half), half));
  Value *result = b.CreateSelect(
      b.CreateICmpULT(magnitude, integer(all, 0x38800000)), denormal, normal);
  result = b.CreateSelect(b.CreateICmpUGT(magnitude, integer(all, 0x7f800000)),
                          integer(all, 0x7fffe000), result);
  return floatFrom(b.CreateOr(result, sign));
}

/// Held to the largest finite value, then counted in the spacing at its
/// exponent and rounded to a whole number: scaling by powers of two is exact.
Value *FloatOps::roundToF8(Type type, Value *value) {
  bool isE4M3 = type == Type::F8E4M3FN;
  double largest = isE4M3 ? 448 : 57344;
  double smallestNormal = isE4M3 ? 0x1p-6 : 0x1p-14;
  double digit = isE4M3 ? 0x1p-3 : 0x1p-2;
  Value *held = minimum(maximum(value, real(value, -largest)),
                        real(value, largest)); // a NaN stays
  Value *power = floatFrom(b.CreateAnd(bits(held), 0x7f800000));
  power = b.CreateBinaryIntrinsic(llvm::Intrinsic::maxnum, power,
                                  real(power, smallestNormal));
  Value *spacing = b.CreateFMul(power, real(power, digit));
  Value *whole = b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven,
                                        b.CreateFDiv(held, spacing));
  return b.CreateFMul(whole, spacing);
}

Value *FloatOps::roundTo(Type type, Value *value) {
  if (isF8(type))
    return roundToF8(type, value);
  if (type == Type::BF16)
    return roundToBf16(value);
  return type == Type::F16 ? roundToF16(value) : value;
}

/// A double to float, rounded to odd: cut towards zero, the last bit set if
/// anything was lost. Rounding the result to at most 22 digits gives the same
/// as rounding the double directly (Boldo and Melquiond), also for overflow,
/// which stops at the largest float (odd), and for tiny values (2^-149, odd).
Value *FloatOps::oddFloat(Value *value) {
  Value *nearest = b.CreateFPTrunc(value, shaped(b.getFloatTy(), value));
  Value *back = b.CreateFPExt(nearest, value->getType());
  Value *inexact = b.CreateFCmpONE(back, value);
  Value *away =
      b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                      b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
  Value *all = bits(nearest);
  Value *cut = b.CreateSub(all, b.CreateZExt(away, all->getType()));
  return floatFrom(b.CreateSelect(inexact, b.CreateOr(cut, 1), all));
}

Value *FloatOps::toDouble(Value *value) {
  if (value->getType()->getScalarType()->isDoubleTy())
    return value;
  return b.CreateFPExt(value, shaped(b.getDoubleTy(), value));
}

Value *FloatOps::fromDouble(Type type, Value *value) {
  if (type == Type::F64)
    return value;
  if (type == Type::F32)
    return b.CreateFPTrunc(value, shaped(b.getFloatTy(), value));
  return roundTo(type, oddFloat(value));
}

Value *FloatOps::cast(Type from, Type to, Value *value) {
  if (from == to)
    return value;
  if (from == Type::Bool) { // true is 1
    from = Type::I32;
    value = b.CreateZExt(value, shaped(b.getInt32Ty(), value));
  }
  bool fromFloat = artifact::isFloat(from);
  if (to == Type::Bool)
    return fromFloat ? b.CreateFCmpUNE(value, real(value, 0))
                     : b.CreateICmpNE(value, integer(value, 0));
  bool isUnsigned = artifact::isUnsigned(from);
  if (!artifact::isFloat(to)) {
    if (fromFloat)
      return toInteger(to, value);
    llvm::Type *type = shaped(carrier(to), value);
    return isUnsigned ? b.CreateZExtOrTrunc(value, type)
                      : b.CreateSExtOrTrunc(value, type);
  }
  if (!fromFloat)
    return fromInteger(to, value, isUnsigned);
  if (from == Type::F64)
    return fromDouble(to, value);
  return to == Type::F64 ? toDouble(value) : roundTo(to, value);
}

Value *FloatOps::toInteger(Type type, Value *value) {
  llvm::Type *result = shaped(carrier(type), value);
  return b.CreateIntrinsic(artifact::isUnsigned(type)
                               ? llvm::Intrinsic::fptoui_sat
                               : llvm::Intrinsic::fptosi_sat,
                           {result, value->getType()}, {value});
}

Value *FloatOps::fromInteger(Type type, Value *value, bool isUnsigned) {
  if (!isNarrow(type)) {
    llvm::Type *result = shaped(carrier(type), value);
    return isUnsigned ? b.CreateUIToFP(value, result)
                      : b.CreateSIToFP(value, result);
  }
  llvm::Type *wide = shaped(b.getInt64Ty(), value);
  if (isUnsigned) {
    value = b.CreateZExtOrTrunc(value, wide);
    // In the upper half of the range the same, without the sign's place.
    Value *lost = b.CreateICmpNE(b.CreateAnd(value, 0xfff), integer(value, 0));
    Value *odd = b.CreateShl(
        b.CreateOr(b.CreateLShr(value, 12), b.CreateZExt(lost, wide)), 12);
    Value *isSmall = b.CreateICmpULE(value, integer(value, uint64_t(1) << 53));
    return fromDouble(type, b.CreateUIToFP(b.CreateSelect(isSmall, value, odd),
                                           shaped(b.getDoubleTy(), value)));
  }
  value = b.CreateSExtOrTrunc(value, wide);
  // Beyond 2^53 a double would round. There the last 12 bits are replaced by
  // one that says whether any was set: rounding to odd, at least 41 digits.
  Value *lost = b.CreateICmpNE(b.CreateAnd(value, 0xfff), integer(value, 0));
  Value *odd = b.CreateShl(
      b.CreateOr(b.CreateAShr(value, 12), b.CreateZExt(lost, wide)), 12);
  Value *small =
      b.CreateICmpULE(b.CreateAdd(value, integer(value, uint64_t(1) << 53)),
                      integer(value, uint64_t(1) << 54));
  Value *exact = b.CreateSelect(small, value, odd);
  return fromDouble(type,
                    b.CreateSIToFP(exact, shaped(b.getDoubleTy(), value)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value *FloatOps::add(Type type, Value *x, Value *y) {
  return roundTo(type, b.CreateFAdd(x, y));
}
Value *FloatOps::sub(Type type, Value *x, Value *y) {
  return roundTo(type, b.CreateFSub(x, y));
}
Value *FloatOps::mul(Type type, Value *x, Value *y) {
  return roundTo(type, b.CreateFMul(x, y));
}
Value *FloatOps::div(Type type, Value *x, Value *y) {
  return roundTo(type, b.CreateFDiv(x, y));
}
Value *FloatOps::sqrt(Type type, Value *x) {
  return roundTo(type, b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
}
Value *FloatOps::maximum(Value *x, Value *y) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x, y);
}
Value *FloatOps::minimum(Value *x, Value *y) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, x, y);
}

/// 16-bit types: the product is exact in double (22 digits; exponents from
/// -266 to 256). Its sum with z is rounded to odd: s is the nearest double and
/// `error` what it lacks, exactly (TwoSum); if anything is lacking and s is
/// even, the odd neighbour on that side is taken. Rounding to odd twice, with
/// 53 and 24 digits, then to nearest with 11 or 8, equals rounding once.
Value *FloatOps::fma(Type type, Value *x, Value *y, Value *z) {
  if (!isNarrow(type))
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  Value *product = b.CreateFMul(toDouble(x), toDouble(y));
  Value *addend = toDouble(z);
  Value *sum = b.CreateFAdd(product, addend);
  Value *addendPart = b.CreateFSub(sum, product);
  Value *error =
      b.CreateFAdd(b.CreateFSub(product, b.CreateFSub(sum, addendPart)),
                   b.CreateFSub(addend, addendPart));
  Value *zero = real(sum, 0);
  // Ordered: false where the sum is infinite or NaN.
  Value *inexact = b.CreateFCmpONE(error, zero);
  Value *all = bits(sum);
  Value *even = b.CreateICmpEQ(b.CreateAnd(all, 1), integer(all, 0));
  Value *outward =
      b.CreateICmpEQ(b.CreateFCmpOGT(error, zero), b.CreateFCmpOGT(sum, zero));
  Value *moved = b.CreateSelect(outward, b.CreateAdd(all, integer(all, 1)),
                                b.CreateSub(all, integer(all, 1)));
  Value *odd = b.CreateSelect(b.CreateAnd(inexact, even), moved, all);
  return fromDouble(type, b.CreateBitCast(odd, sum->getType()));
}
