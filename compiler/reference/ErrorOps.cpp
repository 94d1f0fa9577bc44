//===- ErrorOps.cpp - running error bounds as LLVM IR ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/ErrorOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Intrinsics.h"

#include <cmath>
#include <limits>

using namespace girih;
using namespace girih::reference;
using llvm::Value;

/// Covers the rounding of the bound's own f64 arithmetic: a few operations on
/// terms >= 0, each off by a factor of at most 1 + 2^-53.
static constexpr double kSlack = 1 + 0x1p-40;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value *ErrorOps::real(Value *like, double value) {
  return llvm::ConstantFP::get(like->getType()->getWithNewType(b.getDoubleTy()),
                               value);
}

Value *ErrorOps::errorOrZero(Tracked x) {
  return x.error ? x.error : real(x.value, 0);
}

Value *ErrorOps::magnitude(Value *value) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, floats.toDouble(value));
}

Value *ErrorOps::rounded(Type type, Value *r, Value *change,
                         llvm::ArrayRef<Value *> errors) {
  int fractionBits = 0;
  double smallest = 0, largest = 0;
  switch (type) {
  case Type::F64:
    fractionBits = 52, smallest = 0x1p-1074;
    largest = std::numeric_limits<double>::max();
    break;
  case Type::F32:
    fractionBits = 23, smallest = 0x1p-149;
    largest = std::numeric_limits<float>::max();
    break;
  case Type::F16:
    fractionBits = 10, smallest = 0x1p-24, largest = 65504;
    break;
  case Type::BF16:
    fractionBits = 7, smallest = 0x1p-133, largest = 0x1.FEp127;
    break;
  default:
    break; // nothing else is computed in with errors
  }
  Value *far = b.CreateFAdd(magnitude(r), change);
  // The exponent alone, as a number, is the power of two below `far`. A double
  // that is denormal gives 0: `smallest` takes over.
  llvm::Type *integers = far->getType()->getWithNewType(b.getInt64Ty());
  Value *power = b.CreateBitCast(
      b.CreateAnd(b.CreateBitCast(far, integers), uint64_t(0x7ff) << 52),
      far->getType());
  Value *ulp = b.CreateFMul(power, real(far, std::ldexp(1.0, -fractionBits)));
  ulp = b.CreateSelect(b.CreateFCmpOGT(ulp, real(far, smallest)), ulp,
                       real(far, smallest));
  Value *error = b.CreateFMul(b.CreateFAdd(change, ulp), real(far, kSlack));
  // Either side may overflow, or there is a NaN: nothing is known.
  Value *finite = b.CreateFCmpOLE(far, real(far, largest));
  error = b.CreateSelect(finite, error, real(far, kInfinity));
  Value *allZero = nullptr;
  for (Value *operand : errors) {
    Value *zero = b.CreateFCmpOEQ(operand, real(operand, 0));
    allZero = allZero ? b.CreateAnd(allZero, zero) : zero;
  }
  return b.CreateSelect(allZero, real(far, 0), error);
}

Value *ErrorOps::sum(Type type, Tracked x, Tracked y, Value *r) {
  if (!x.error && !y.error)
    return nullptr;
  Value *ex = errorOrZero(x), *ey = errorOrZero(y);
  Value *error = rounded(type, r, b.CreateFAdd(ex, ey), {ex, ey});
  // An infinity that is certain swallows any finite value that stays finite (a
  // finite bound promises that): masked scores are -inf - m = -inf.
  Value *infinite = real(r, kInfinity);
  auto certain = [&](Tracked whole, Value *error, Value *otherError) {
    return b.CreateAnd(
        b.CreateAnd(b.CreateFCmpOEQ(magnitude(whole.value), infinite),
                    b.CreateFCmpOEQ(error, real(r, 0))),
        b.CreateFCmpOLT(otherError, infinite));
  };
  Value *absorbed =
      b.CreateAnd(b.CreateOr(certain(x, ex, ey), certain(y, ey, ex)),
                  b.CreateFCmpOEQ(magnitude(r), infinite));
  return b.CreateSelect(absorbed, real(r, 0), error);
}

Value *ErrorOps::product(Type type, Tracked x, Tracked y, Value *r) {
  if (!x.error && !y.error)
    return nullptr;
  // x'y' - xy = x (y' - y) + y (x' - x) + (x' - x)(y' - y).
  Value *ex = errorOrZero(x), *ey = errorOrZero(y);
  Value *change =
      b.CreateFAdd(b.CreateFAdd(b.CreateFMul(magnitude(x.value), ey),
                                b.CreateFMul(magnitude(y.value), ex)),
                   b.CreateFMul(ex, ey));
  return rounded(type, r, change, {ex, ey});
}

Value *ErrorOps::fma(Type type, Tracked x, Tracked y, Tracked z, Value *r) {
  if (!x.error && !y.error && !z.error)
    return nullptr;
  Value *ex = errorOrZero(x), *ey = errorOrZero(y), *ez = errorOrZero(z);
  Value *change =
      b.CreateFAdd(b.CreateFAdd(b.CreateFMul(magnitude(x.value), ey),
                                b.CreateFMul(magnitude(y.value), ex)),
                   b.CreateFAdd(b.CreateFMul(ex, ey), ez));
  return rounded(type, r, change, {ex, ey, ez});
}

Value *ErrorOps::minMax(Tracked x, Tracked y) {
  if (!x.error && !y.error)
    return nullptr;
  // |max(x', y') - max(x, y)| <= max(|x' - x|, |y' - y|), and nothing rounds.
  Value *ex = errorOrZero(x), *ey = errorOrZero(y);
  // A NaN operand is the result on both sides; a bound that says "may be
  // anything" is infinite and wins.
  return b.CreateSelect(b.CreateFCmpOGT(ex, ey), ex, ey);
}

Value *ErrorOps::select(Tracked condition, Tracked x, Tracked y) {
  if (!condition.error && !x.error && !y.error)
    return nullptr;
  Value *ex = errorOrZero(x), *ey = errorOrZero(y);
  Value *chosen = b.CreateSelect(condition.value, ex, ey);
  if (!condition.error)
    return chosen;
  // The device may take the other side: as far as that value, and its error.
  Value *dx = floats.toDouble(x.value), *dy = floats.toDouble(y.value);
  Value *distance =
      b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b.CreateFSub(dx, dy));
  distance = b.CreateSelect(b.CreateFCmpOEQ(dx, dy), real(dx, 0), distance);
  distance = b.CreateSelect(b.CreateFCmpORD(distance, distance), distance,
                            real(dx, kInfinity));
  Value *other = b.CreateFMul(
      b.CreateFAdd(distance, b.CreateSelect(condition.value, ey, ex)),
      real(dx, kSlack));
  Value *hull = b.CreateSelect(b.CreateFCmpOGT(other, chosen), other, chosen);
  return b.CreateSelect(condition.error, hull, chosen);
}

Value *ErrorOps::uncertain(Tracked x, Tracked y) {
  if (!x.error && !y.error)
    return nullptr;
  Value *both = b.CreateFMul(b.CreateFAdd(errorOrZero(x), errorOrZero(y)),
                             real(x.value, kSlack));
  Value *distance = b.CreateUnaryIntrinsic(
      llvm::Intrinsic::fabs,
      b.CreateFSub(floats.toDouble(x.value), floats.toDouble(y.value)));
  // Unordered or less: intervals that touch, or a NaN.
  Value *close = b.CreateNot(b.CreateFCmpOGT(distance, both));
  return b.CreateAnd(close, b.CreateFCmpUNE(both, real(x.value, 0)));
}

Value *ErrorOps::either(Value *x, Value *y) {
  if (!x || !y)
    return x ? x : y;
  return b.CreateOr(x, y);
}

Value *ErrorOps::flagOf(Value *error) {
  return error ? b.CreateFCmpUNE(error, real(error, 0)) : nullptr;
}

Value *ErrorOps::errorOf(Value *flag) {
  if (!flag)
    return nullptr;
  Value *zero = real(flag, 0);
  return b.CreateSelect(flag, real(flag, kInfinity), zero);
}
