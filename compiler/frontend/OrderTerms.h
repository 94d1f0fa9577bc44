//===- OrderTerms.h - which extents a term can order ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_ORDERTERMS_H
#define GIRIH_COMPILER_FRONTEND_ORDERTERMS_H

#include "compiler/frontend/Ast.h"

namespace girih::frontend {

/// Why a `tree` of a term cannot order what it is given.
struct TreeFault {
  const OrderTerm *tree = nullptr;
  bool symbolic = false; ///< the extent is no constant
  int64_t extent = 0;    ///< else: the extent that the tree cannot split
};

/// Follows `term` down over an extent of elements: every `tree(n)` must meet a
/// constant extent that n divides, the last short segment of a `seg` included.
/// Nothing where all is well.
std::optional<TreeFault> findTreeFault(const OrderTerm &term,
                                       const Extent &extent);

/// The first `mma` inside `term`, or null.
const OrderTerm *findMma(const OrderTerm &term);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_ORDERTERMS_H
