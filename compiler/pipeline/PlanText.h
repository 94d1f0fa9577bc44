//===- PlanText.h - the launch plan as an MLIR attribute --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Below the schedule the plan travels with the kernels: as the attribute
// `girih.plan` of the module in tile and llvm, as comment lines in ptx.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_PLANTEXT_H
#define GIRIH_COMPILER_PIPELINE_PLANTEXT_H

#include "compiler/artifact/Artifact.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace girih::pipeline {

/// Everything of `plan` but the signature (which the te module gives) and PTX.
mlir::DictionaryAttr planToAttr(mlir::MLIRContext &context,
                                const artifact::Artifact &plan);
/// Reads planToAttr's result. On failure sets `error` and returns false.
bool planFromAttr(mlir::Attribute attr, artifact::Artifact &plan,
                  std::string &error);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_PLANTEXT_H
