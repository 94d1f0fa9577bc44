//===- Quotients.h - sizes that are divided ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quotient of sizes, rounded down, is a size of its own (OpDecl::derived):
// proofs and later phases see sums only. What is written behind `where` has its
// name; a quotient in a dimension, a range, a subscript or a comparison gets
// its text as a name, and the name takes its place in the tree.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_QUOTIENTS_H
#define GIRIH_COMPILER_FRONTEND_QUOTIENTS_H

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Reporter.h"

#include <functional>
#include <set>

namespace girih::frontend {

/// The quotients of one operator.
class Quotients {
public:
  /// The value of an integer constant or const parameter.
  using Constants = std::function<std::optional<int64_t>(const std::string &)>;

  Quotients(OpDecl &op, Constants constants, Reporter &reporter);

  /// Computes the definitions that are not, and names every quotient in the
  /// operator's expressions. A quotient of something else than sizes is left
  /// for those who check what stands around it.
  void nameAll();

  /// sum / divisor as a sum, with one more derived size where no other says
  /// it.
  NamedSum quotient(NamedSum sum, int64_t divisor, SourceRange range);

private:
  /// sum + part / divisor, rounded down; divisor 1: the sum alone.
  struct Value {
    NamedSum sum, part;
    int64_t divisor = 1;
  };
  void define(size_t at);
  std::optional<Value> valueOf(const Expr &expr);
  std::optional<Value> dividedBy(const Expr &lhs, const Expr &rhs);
  std::optional<Value> nameOf(const std::string &name, const Expr &expr);
  NamedSum flat(const Value &value, SourceRange range);
  std::optional<Value> fault(const Expr &expr, std::string message,
                             std::string help = "");
  void nameIn(ExprPtr &expr, bool isSum);
  void nameIn(IndexVariable &index);

  OpDecl &op;
  Constants constants;
  Reporter &reporter;
  std::set<std::string, std::less<>> known; ///< sizes so far
  /// The definition that is computed: what is wrong with it is reported.
  const DerivedSize *defining = nullptr;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_QUOTIENTS_H
