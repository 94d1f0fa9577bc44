//===- HoistReductions.h - a tensor for every reduction ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_HOISTREDUCTIONS_H
#define GIRIH_PASSES_TE_HOISTREDUCTIONS_H

#include "dialects/te/Te.h"

namespace girih::te {

/// Afterwards each te.compute of `func` holds no te.reduce, or exactly one,
/// which it yields and which holds no other (Passes.td, te-hoist-reductions).
/// Emits an error for a reduction over what its own te.compute writes.
mlir::LogicalResult hoistReductions(FuncOp func);

} // namespace girih::te

#endif // GIRIH_PASSES_TE_HOISTREDUCTIONS_H
