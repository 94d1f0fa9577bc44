//===- BuildScop.h - te with terms -> Scop ----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs after the assoc phase: each te.compute is a map or a single reduction
// with a term. Expands every term into accumulator cells, their updates and
// merges (docs/architecture.md, "Terms in the Scop"), so that the order a term
// asks for becomes dependences and cells that legality can check. Sizes that
// are given become constants; the others stay parameters.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCOP_BUILDSCOP_H
#define GIRIH_PASSES_SCOP_BUILDSCOP_H

#include "passes/scop/StatementMap.h"

#include <optional>

namespace girih::scop {

struct ScopWithMap {
  poly::Scop scop;
  StatementMap map;
};

/// Deterministic: the same module gives the same Scop. Emits MLIR errors at the
/// op concerned and returns nothing when the module is not in assoc form.
std::optional<ScopWithMap> buildScop(te::FuncOp func);

/// By statement: the reductions that were hoisted out of a statement of the
/// text are part of it.
std::vector<poly::Owner> ownersOf(const ScopWithMap &scop);

} // namespace girih::scop

#endif // GIRIH_PASSES_SCOP_BUILDSCOP_H
