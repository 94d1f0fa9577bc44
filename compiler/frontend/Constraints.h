//===- Constraints.h - what a size has to satisfy ------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_CONSTRAINTS_H
#define GIRIH_COMPILER_FRONTEND_CONSTRAINTS_H

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Prover.h"

namespace girih::frontend {

/// Does a size of this value satisfy the constraint?
bool holds(const SizeConstraint &constraint, int64_t value);

/// Does a sum of sizes satisfy it wherever the prover's assumptions hold?
bool isProved(const SizeConstraint &constraint, const Extent &extent,
              const Prover &prover);

/// extent / divisor where that is a sum.
std::optional<Extent> divided(Extent extent, int64_t divisor);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_CONSTRAINTS_H
