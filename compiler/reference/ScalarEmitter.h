//===- ScalarEmitter.h - scalar te and arith ops as LLVM IR -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_SCALAREMITTER_H
#define GIRIH_COMPILER_REFERENCE_SCALAREMITTER_H

#include "compiler/reference/ErrorOps.h"
#include "dialects/te/Te.h"

namespace girih::reference {

/// The accuracy of a function: the op's own, else the te.func's, else fast.
/// Neg to trunc are exact; they answer portable.
te::Accuracy accuracyOf(te::UnaryOp op);

/// Translates one scalar operation at a time. Values that do not depend on the
/// lane stay scalars; where they meet a vector they are broadcast.
class ScalarEmitter {
public:
  using Type = artifact::ScalarType;

  /// Without `bounds` no error is ever produced.
  ScalarEmitter(llvm::IRBuilder<> &b, FloatOps &floats, bool bounds)
      : b(b), floats(floats), errors(b, floats), bounds(bounds) {}

  /// `op` is any scalar operation of a te region except te.read, te.reduce,
  /// te.size and te.index_constant; `operands` are its operands in order.
  Tracked emit(mlir::Operation &op, llvm::ArrayRef<Tracked> operands);

  Tracked add(Type type, Tracked x, Tracked y);
  Tracked fma(Type type, Tracked x, Tracked y, Tracked z);
  /// One step of a reduction or of a merge.
  Tracked combine(te::ReduceKind kind, Type type, Tracked x, Tracked y);
  /// One of two values by a condition that is certain, bit for bit.
  Tracked choose(llvm::Value *condition, Tracked x, Tracked y);
  /// What a chain of `kind` starts from.
  Tracked identity(te::ReduceKind kind, Type type);

  /// Broadcasts every value and error to a vector if any of them is one.
  void unify(llvm::MutableArrayRef<Tracked> values);
  Tracked splat(Tracked value, unsigned width);
  /// A stored error as an integer's flag, and back.
  llvm::Value *flagOf(llvm::Value *error) { return errors.flagOf(error); }
  llvm::Value *errorOf(llvm::Value *flag) { return errors.errorOf(flag); }

private:
  Tracked binary(te::BinaryKind kind, Type type, Tracked x, Tracked y);
  /// Errors of integers are flags: whether the value may be another.
  Tracked integerBinary(te::BinaryKind kind, bool isUnsigned, Tracked x,
                        Tracked y);
  Tracked cast(te::CastOp op, Tracked x);
  Tracked unary(te::UnaryOp op, Type type, Tracked x);
  Tracked compare(te::CompareOp op, Tracked x, Tracked y);
  Tracked select(Tracked condition, Tracked x, Tracked y);
  Tracked bitsOf(te::BitsOp op, Tracked x);
  Tracked constant(mlir::TypedAttr value);
  Tracked integerOp(mlir::Operation &op, llvm::ArrayRef<Tracked> operands);
  /// Calls a function of HostFunctions.h; operands are doubles of one shape.
  llvm::Value *callHost(llvm::StringRef name, Type type,
                        llvm::ArrayRef<llvm::Value *> operands);

  llvm::IRBuilder<> &b;
  FloatOps &floats;
  ErrorOps errors;
  bool bounds;
  llvm::Value *hostIn = nullptr, *hostOut = nullptr;
};

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_SCALAREMITTER_H
