//===- Conditions.h - what comparisons of indices say -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_CONDITIONS_H
#define GIRIH_COMPILER_FRONTEND_CONDITIONS_H

#include "compiler/frontend/Ast.h"

#include <vector>

namespace girih::frontend {

/// Adds the sums that are not negative where the checked condition `expr` holds
/// (`negated`: where it does not). True when these say all of it: a conjunction
/// of comparisons of sums of indices and sizes.
bool collectConditions(const Expr &expr, bool negated,
                       std::vector<Condition> &conditions);

/// What is known where `expr` holds (`negated`: does not); besides these, which
/// sums are not 0.
std::vector<Condition> factsOf(const Expr &expr, bool negated);

/// Calls `each(const Expr &)` for the parts that `and` joins.
template <typename Each> void forEachConjunct(const Expr &expr, Each each) {
  const auto *binary = expr.as<BinaryExpr>();
  if (!binary || binary->op != BinaryOp::And)
    return each(expr);
  forEachConjunct(*binary->lhs, each);
  forEachConjunct(*binary->rhs, each);
}

/// The part of a condition that keeps it from being a conjunction of
/// comparisons of sums; null where there is none.
const Expr *findNotAffine(const Expr &expr, bool negated = false);

bool holdsReduction(const Expr &expr);
/// Whether a tensor is read with subscripts.
bool holdsAccess(const Expr &expr);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_CONDITIONS_H
