//===- MlirDiagnostics.h - MLIR's diagnostics as ours -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_MLIRDIAGNOSTICS_H
#define GIRIH_COMPILER_PIPELINE_MLIRDIAGNOSTICS_H

#include "compiler/support/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"

namespace girih::pipeline {

/// While alive, errors and warnings of `context` go to `diags` under `code`;
/// locations in the sink's own file become ranges.
class MlirDiagnostics {
public:
  MlirDiagnostics(mlir::MLIRContext &context, Diagnostics &diags,
                  std::string code);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_MLIRDIAGNOSTICS_H
