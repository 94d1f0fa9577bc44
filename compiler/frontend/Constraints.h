//===- Constraints.h - what a size has to satisfy ------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_CONSTRAINTS_H
#define GIRIH_COMPILER_FRONTEND_CONSTRAINTS_H

#include "compiler/frontend/Ast.h"

namespace girih::frontend {

/// Does a size of this value satisfy the constraint?
bool holds(const SizeConstraint &constraint, int64_t value);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_CONSTRAINTS_H
