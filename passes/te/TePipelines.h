//===- TePipelines.h - the te phases, as the compiler runs them -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_TEPIPELINES_H
#define GIRIH_PASSES_TE_TEPIPELINES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace girih::te {

/// te -> te, before associations: reductions hoisted, canonical form.
mlir::LogicalResult runTePasses(mlir::ModuleOp module);

/// te -> te with associations: terms and leaves, then producers inlined and
/// portable functions expanded. Terms come first so that they depend on the
/// text alone: not on what inlining or an expansion puts into a body. Refusals
/// are diagnostics at the te.reduce's location.
/// Tensors of `keep` stay tensors (a schedule names them).
mlir::LogicalResult runAssoc(mlir::ModuleOp module,
                             const std::vector<std::string> &keep = {});

} // namespace girih::te

#endif // GIRIH_PASSES_TE_TEPIPELINES_H
