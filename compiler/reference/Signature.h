//===- Signature.h - the signature of a te.func -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_SIGNATURE_H
#define GIRIH_COMPILER_REFERENCE_SIGNATURE_H

#include "compiler/artifact/Artifact.h"
#include "dialects/te/Te.h"

namespace girih::reference {

/// The element type of a te tensor or a te float scalar. The type must be f64,
/// f32, f16 or bf16.
artifact::ScalarType scalarTypeOf(mlir::Type type);

/// An extent or offset as an expression over the function's sizes.
artifact::SizeExpr extentOf(te::FuncOp func, mlir::Attribute extent);

/// Sizes, values given at compile time, inputs then outputs (which say what
/// they are in place of), and constraints.
/// `func` must be verified.
artifact::Signature signatureOf(te::FuncOp func);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_SIGNATURE_H
