//===- FastMath.h - functions by the hardware's own units -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `functions fast` means on a GPU, in f32 with denormals. Bounds: those of
// the PTX ISA (9.0) or, for exp, derived from them in FastMath.cpp; in brackets
// the worst that DeviceSemanticsTest saw on an H200.
//   exp    3 ulp (2.3)                   ex2.approx.f32, compensated
//   exp2   2^-22 relative (2.2 ulp)      ex2.approx.f32
//   log2   2^-22 absolute in [0.5, 2],
//          2^-22 relative elsewhere      lg2.approx.f32
//   log    as log2, and one rounding     lg2.approx.f32
//   tanh   2^-11 relative                tanh.approx.f32
//   rsqrt  2^-22.4 relative (1.5 ulp)    rsqrt.approx.f32
//   rcp    1 ulp (0.98)                  rcp.approx.f32
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_FASTMATH_H
#define GIRIH_PASSES_CODEGEN_FASTMATH_H

#include "mlir/IR/Value.h"

namespace mlir {
class OpBuilder;
} // namespace mlir

namespace girih::codegen {

enum class FastFunction { Exp, Exp2, Log, Log2, Tanh, Rsqrt, Rcp };

/// Emits `function` of an f32 value; the result is f32.
mlir::Value emitFast(mlir::OpBuilder &builder, FastFunction function,
                     mlir::Value x, mlir::Location loc);

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_FASTMATH_H
