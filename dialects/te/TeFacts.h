//===- TeFacts.h - what is known of a function's tensors --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_DIALECTS_TE_TEFACTS_H
#define GIRIH_DIALECTS_TE_TEFACTS_H

#include "dialects/te/Te.h"

namespace girih::te {

/// The facts of a te.func name its tensors and fit their types.
mlir::LogicalResult verifyFacts(FuncOp func);

} // namespace girih::te

#endif // GIRIH_DIALECTS_TE_TEFACTS_H
