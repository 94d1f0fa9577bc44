//===- DebugLines.h - the program's lines in PTX -------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_DEBUGLINES_H
#define GIRIH_PASSES_CODEGEN_DEBUGLINES_H

#include "mlir/IR/BuiltinOps.h"

namespace girih::codegen {

/// Gives every function of the module a debug scope, so that its operations'
/// places reach the PTX as `.loc` lines; profilers and the simulator read them.
/// Nothing else changes: no debug sections, no less optimisation. Functions
/// without a place in a file are left alone.
void addLineScopes(mlir::ModuleOp module);

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_DEBUGLINES_H
