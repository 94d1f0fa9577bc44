//===- StatementGen.h - one statement to te.compute -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_MLIRGEN_STATEMENTGEN_H
#define GIRIH_COMPILER_MLIRGEN_STATEMENTGEN_H

#include "compiler/mlirgen/ExprGen.h"

namespace girih::mlirgen {

/// A version of `tensor` in which nothing is defined.
mlir::Value emitNothing(ExprGen &exprs, mlir::OpBuilder &builder,
                        const frontend::Tensor &tensor, te::TeTensorType type,
                        mlir::Location loc);

/// Emits the te.compute of a statement at the builder's place, and those of the
/// value behind its `else`; `into` is the version that it goes on from, or
/// null. Returns the version behind it.
mlir::Value emitStatement(ExprGen &exprs, mlir::OpBuilder &builder,
                          const frontend::Statement &statement,
                          te::TeTensorType type, mlir::Value into);

} // namespace girih::mlirgen

#endif // GIRIH_COMPILER_MLIRGEN_STATEMENTGEN_H
