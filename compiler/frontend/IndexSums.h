//===- IndexSums.h - sums over sizes and indices ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_INDEXSUMS_H
#define GIRIH_COMPILER_FRONTEND_INDEXSUMS_H

#include "compiler/frontend/Sema.h"

#include <functional>

namespace girih::frontend {

IndexSum scaled(const IndexSum &sum, int64_t factor);
IndexSum added(const IndexSum &a, const IndexSum &b);
/// Numbers and factors (times `factor`) are as small as a sum's must be.
bool fitsLimits(const IndexSum &sum, int64_t factor = 1);

/// Reads expressions as sums, and reports those that are none.
struct IndexSums {
  Sema &sema;
  Reporter &reporter;
  const OpScope &scope;
  const char *what; ///< "a subscript", "a dimension", ...
  const char *code; ///< of what is no sum
  /// Indices that may stand in the sum; empty where only sizes may.
  std::function<const IndexVariable *(std::string_view)> findIndex = {};
  std::vector<std::string> indexNames = {};
  /// Checks a part that is no sum, and reports where it is no integer; empty
  /// where there may be none.
  std::function<bool(Expr &)> checkValue = {};

  std::optional<IndexSum> of(const Expr &expr) const;

private:
  std::optional<IndexSum> compute(const Expr &expr) const;
  std::optional<IndexSum> tooLarge(const Expr &expr) const;
  std::optional<IndexSum> number(const LiteralExpr &literal,
                                 const Expr &expr) const;
  std::optional<IndexSum> combine(const BinaryExpr &binary,
                                  const Expr &expr) const;
  std::optional<IndexSum> resolve(const std::string &name,
                                  SourceRange range) const;
  std::optional<IndexSum> product(IndexSum lhs, IndexSum rhs,
                                  const Expr &expr) const;
  std::optional<IndexSum> value(const Expr &expr) const;
  /// Whether it is, or holds, something that only its value can say.
  bool holdsValue(const Expr &expr) const;
  bool isValue(const Expr &expr) const;
  /// Whether an index or a value stands in it.
  bool holdsIndex(const Expr &expr) const;
  void refuse(const Expr &expr) const;
};

/// sum += factor * other.
void addTo(NamedSum &sum, const NamedSum &other, int64_t factor);

/// Nothing where `expr` is no sum; IndexSums says what is wrong with it.
std::optional<NamedSum> namedSum(const Expr &expr);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_INDEXSUMS_H
