//===- TargetDialects.h - the dialects that lowering makes ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_TARGETDIALECTS_H
#define GIRIH_PASSES_CODEGEN_TARGETDIALECTS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace girih::codegen {

/// Loads llvm and nvvm, which lowered kernels consist of.
void loadDialects(mlir::MLIRContext &context);

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_TARGETDIALECTS_H
