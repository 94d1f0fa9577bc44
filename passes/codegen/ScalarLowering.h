//===- ScalarLowering.h - one te scalar op as LLVM ops ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the numerics contract meets the hardware. Every te scalar op becomes
// LLVM-dialect ops that round exactly once, in the op's type: no fast-math
// flag is ever set, so LLVM prints `.rn` instructions, which ptxas may neither
// fuse nor reorder, and no `.ftz`.
//
// LLVM's own lowering is used wherever it is exact: f16 arithmetic is native
// from sm_75 on; bf16 arithmetic is native from sm_90, is done by fma.rn.bf16
// on sm_80 (a * 1 + b and a * b + -0), and before that in f32 with one rounding
// after it (innocuous for + - * / sqrt, as 24 >= 2 * 8 + 2). Where LLVM rounds
// twice this class does it itself: fma in bf16 before sm_80, and integers
// converted to f16 or bf16. f8 types are bytes that are
// only converted, by integer arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_SCALARLOWERING_H
#define GIRIH_PASSES_CODEGEN_SCALARLOWERING_H

#include "compiler/target/GpuTarget.h"

#include "mlir/IR/Value.h"

namespace mlir {
class OpBuilder;
class Operation;
class TypedAttr;
} // namespace mlir

namespace girih::codegen {

/// What holds an element in registers: f8 as i8, an unsigned integer without
/// its sign.
mlir::Type heldType(mlir::Type element);
/// What holds it in memory: the same, but a bool as i8.
mlir::Type memoryType(mlir::Type element);

/// Emits LLVM-dialect ops at `builder`'s insertion point for one kernel of one
/// target. Values have the types of heldType; what they mean (a sign, an f8
/// format) is in the te types beside them. Index values arrive as i64.
class ScalarLowering {
public:
  ScalarLowering(mlir::OpBuilder &builder, const target::GpuTarget &target)
      : builder(builder), target(target) {}

  /// Emits LLVM-dialect/NVVM ops for one te scalar or integer arith op on
  /// already lowered scalar operands; returns the result, or null after
  /// emitting an MLIR error on `op`.
  mlir::Value lower(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);

  /// One step of a reduction over `element`: te's ReduceKind as a number
  /// (0 sum, 1 prod, 2 max, 3 min), rounded once.
  mlir::Value combine(int kind, mlir::Type element, mlir::Value a,
                      mlir::Value b, mlir::Location loc);
  /// a * b + c with one rounding.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c,
                  mlir::Location loc);
  mlir::Value mul(mlir::Value a, mlir::Value b, mlir::Location loc);
  /// te.cast: one rounding; the value itself if the type is the same.
  mlir::Value convert(mlir::Value value, mlir::Type from, mlir::Type to,
                      mlir::Location loc);
  /// A float or integer literal; an index becomes an i64.
  mlir::Value constant(mlir::TypedAttr value, mlir::Location loc);

private:
  mlir::Value lowerArith(mlir::Operation *op,
                         llvm::ArrayRef<mlir::Value> operands);
  mlir::Value lowerBinary(int kind, mlir::Type element, mlir::Value a,
                          mlir::Value b, mlir::Location loc);
  // IntegerOps.cpp
  mlir::Value lowerInteger(int kind, bool isUnsigned, mlir::Value a,
                           mlir::Value b, mlir::Location loc);
  mlir::Value lowerIntegerUnary(mlir::Operation *op, mlir::Value value);
  mlir::Value lowerUnary(mlir::Operation *op, mlir::Value value);
  mlir::Value lowerFast(mlir::Operation *op, mlir::Value value);
  mlir::Value lowerCompare(int kind, mlir::Type element, mlir::Value a,
                           mlir::Value b, mlir::Location loc);
  mlir::Value absolute(mlir::Value value, mlir::Location loc);
  // ScalarConvert.cpp
  mlir::Value floatToFloat(mlir::Value value, mlir::Type to,
                           mlir::Location loc);
  mlir::Value toTf32(mlir::Value value, mlir::Location loc);
  mlir::Value fromInteger(mlir::Value value, bool isUnsigned, mlir::Type to,
                          mlir::Location loc);
  mlir::Value floatToInteger(mlir::Value value, bool isUnsigned, mlir::Type to,
                             mlir::Location loc);
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result,
                        llvm::ArrayRef<mlir::Value> operands,
                        mlir::Location loc);

  mlir::OpBuilder &builder;
  const target::GpuTarget &target;
};

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_SCALARLOWERING_H
