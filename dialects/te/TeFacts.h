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

/// The name of the attribute that invariantOf reads.
inline constexpr char kInvariant[] = "te.invariant";

/// The sizes on which the bits of no result may depend, as names, or null:
/// `functions fast invariant ["M"]` in a te.func's text. An attribute that the
/// op need not have, since nothing but passes/te/Invariance.h looks at it.
mlir::ArrayAttr invariantOf(FuncOp func);
void setInvariant(FuncOp func, mlir::ArrayAttr sizes);

/// The name of the attribute that onlineOf reads.
inline constexpr char kOnline[] = "te.online";

/// The block over which sums relative to a maximum may be made in one pass,
/// rescaled in between (`functions fast online 64`), or 0 where none may:
/// another attribute of that kind (passes/te/Cascade.h).
int64_t onlineOf(FuncOp func);
void setOnline(FuncOp func, int64_t block);

/// The name of the attribute that isApart reads.
inline constexpr char kApart[] = "te.apart";

/// Whether the caller may give the result, which is in place of an argument, a
/// memory of its own, into which the argument is copied first, and which then
/// keeps its elements (`functions fast apart ["Y"]`): an attribute of that kind
/// that launches look at.
bool isApart(FuncOp func, llvm::StringRef result);
/// `results`: their names, one or more.
void setApart(FuncOp func, mlir::ArrayAttr results);

/// Whether the turns of a te.for are blocks of one pass over elements
/// (`attributes {te.pass}`; passes/te/Cascade.h makes such).
bool isPass(ForOp loop);
void markPass(ForOp loop);

/// They are sizes of the function.
mlir::LogicalResult verifyInvariant(FuncOp func);

/// They are results in place of arguments.
mlir::LogicalResult verifyApart(FuncOp func);

/// The facts of a te.func name its tensors and fit their types.
mlir::LogicalResult verifyFacts(FuncOp func);

} // namespace girih::te

#endif // GIRIH_DIALECTS_TE_TEFACTS_H
