//===- FloatOps.h - exactly rounded arithmetic as LLVM IR -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How values are held: f64 as double; the other floats as float, a narrow value
// being the float that equals it; integers in their width; a bool as i1. Every
// function works on scalars and on vectors alike and rounds once, to nearest
// with ties to even.
//
// Why float may compute for 16-bit types. For + - * / sqrt, rounding first to a
// format of q digits and then to one of p gives the once-rounded result when
// q >= 2p + 2 (Figueroa): 24 >= 2 * 11 + 2 for f16, 24 >= 2 * 8 + 2 for bf16.
// Denormal results:
// - f16's are normal floats, and the bound above only gets easier with fewer
//   result digits.
// - bf16 shares float's exponents, so float itself may round there, to
// multiples
//   of 2^-149. Sums are multiples of 2^-133: exact. A product has 16 digits: at
//   2^-134 and above its last digit is >= 2^-149, so it is exact; below, it
//   goes to 0 either way (2^-134 itself is a tie that goes to the even 0). A
//   quotient a/b = A/B * 2^s differs from a midpoint M * 2^-134, M < 2^8, by at
//   least 2^min(s, -134) / B with s >= -135 (b is normal, else the quotient is
//   not denormal), which is > 2^-143 and so far more than float's error of
//   2^-150. Square roots are never denormal.
// fma has no such bound: its 16-bit forms go through double with rounding to
// odd (see fma).
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_FLOATOPS_H
#define GIRIH_COMPILER_REFERENCE_FLOATOPS_H

#include "compiler/artifact/Artifact.h"

#include "llvm/IR/IRBuilder.h"

namespace girih::reference {

class FloatOps {
public:
  using Type = artifact::ScalarType;

  /// `nativeHalf`: the host converts between f16 and float in hardware.
  FloatOps(llvm::IRBuilder<> &b, bool nativeHalf)
      : b(b), nativeHalf(nativeHalf) {}

  /// double, float, or an integer.
  llvm::Type *carrier(Type type);
  /// The same, or i16 and i8 for what is narrower in memory; a bool is an i8.
  llvm::Type *memory(Type type);

  llvm::Value *unpack(Type type, llvm::Value *stored); ///< memory -> carrier
  llvm::Value *pack(Type type, llvm::Value *value);    ///< carrier -> memory

  llvm::Value *add(Type type, llvm::Value *x, llvm::Value *y);
  llvm::Value *sub(Type type, llvm::Value *x, llvm::Value *y);
  llvm::Value *mul(Type type, llvm::Value *x, llvm::Value *y);
  llvm::Value *div(Type type, llvm::Value *x, llvm::Value *y);
  llvm::Value *sqrt(Type type, llvm::Value *x);
  llvm::Value *fma(Type type, llvm::Value *x, llvm::Value *y, llvm::Value *z);
  /// A NaN wins; -0 < +0.
  llvm::Value *maximum(llvm::Value *x, llvm::Value *y);
  llvm::Value *minimum(llvm::Value *x, llvm::Value *y);

  /// From one type of the program to another.
  llvm::Value *cast(Type from, Type to, llvm::Value *value);
  /// A double (any value) to `type`.
  llvm::Value *fromDouble(Type type, llvm::Value *value);
  llvm::Value *toDouble(llvm::Value *value);
  /// An integer to a float type.
  llvm::Value *fromInteger(Type type, llvm::Value *value,
                           bool isUnsigned = false);
  /// A float or double to an integer type: truncated, saturated, NaN to 0.
  llvm::Value *toInteger(Type type, llvm::Value *value);

private:
  /// A float to the nearest value of a 16-bit type, still held as float; other
  /// types pass through.
  llvm::Value *roundTo(Type type, llvm::Value *value);
  llvm::Value *roundToBf16(llvm::Value *value);
  llvm::Value *roundToF16(llvm::Value *value);
  llvm::Value *roundToF8(Type type, llvm::Value *value);
  llvm::Value *unpackF8E4M3(llvm::Value *stored);
  llvm::Value *packF8E4M3(llvm::Value *value);
  llvm::Value *oddFloat(llvm::Value *value);

  /// `element` with the shape (scalar or vector) of `like`.
  llvm::Type *shaped(llvm::Type *element, llvm::Value *like);
  llvm::Value *bits(llvm::Value *value);
  llvm::Value *floatFrom(llvm::Value *bits);
  llvm::Constant *integer(llvm::Value *like, uint64_t value);
  llvm::Constant *real(llvm::Value *like, double value);

  llvm::IRBuilder<> &b;
  bool nativeHalf;
};

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_FLOATOPS_H
