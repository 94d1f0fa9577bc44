//===- ErrorOps.h - running error bounds as LLVM IR -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that are worth inlining; the others are calls (HostFunctions.h). An
// error is a double >= 0 of the shape of its value, or null where the value is
// exact for a reason known at compile time. Booleans and integers carry an i1
// instead: "may differ on a device".
//
// Each rule bounds |device - replay|, given that bound for every operand:
// rounding differs by at most one ulp of the result's type at the largest
// magnitude that either side may have (half an ulp each), and an operation on
// operands without error gives the same bits on both sides.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_ERROROPS_H
#define GIRIH_COMPILER_REFERENCE_ERROROPS_H

#include "compiler/reference/FloatOps.h"

namespace girih::reference {

/// A value in generated code with what is known about its error.
struct Tracked {
  llvm::Value *value = nullptr;
  llvm::Value *error = nullptr;
};

class ErrorOps {
public:
  using Type = artifact::ScalarType;
  ErrorOps(llvm::IRBuilder<> &b, FloatOps &floats) : b(b), floats(floats) {}

  // Operands and results have one shape; `r` is the replay's result. Null when
  // no operand carries an error.
  llvm::Value *sum(Type type, Tracked x, Tracked y,
                   llvm::Value *r); ///< + and -
  llvm::Value *product(Type type, Tracked x, Tracked y, llvm::Value *r);
  llvm::Value *fma(Type type, Tracked x, Tracked y, Tracked z, llvm::Value *r);
  llvm::Value *minMax(Tracked x, Tracked y);
  llvm::Value *select(Tracked condition, Tracked x, Tracked y);
  /// Whether a comparison of x and y may come out otherwise.
  llvm::Value *uncertain(Tracked x, Tracked y);
  /// Or of flags, any of which may be null.
  llvm::Value *either(llvm::Value *x, llvm::Value *y);
  /// A float's error as the flag of its bits, and back.
  llvm::Value *flagOf(llvm::Value *error);
  llvm::Value *errorOf(llvm::Value *flag);

private:
  llvm::Value *errorOrZero(Tracked x);
  llvm::Value *magnitude(llvm::Value *value);
  llvm::Value *real(llvm::Value *like, double value);
  /// `change` and one rounding near |r|; 0 where every one of `errors` is 0.
  llvm::Value *rounded(Type type, llvm::Value *r, llvm::Value *change,
                       llvm::ArrayRef<llvm::Value *> errors);

  llvm::IRBuilder<> &b;
  FloatOps &floats;
};

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_ERROROPS_H
