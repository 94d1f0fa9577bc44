//===- Instance.h - an operator with its parameters resolved ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operator leaves open (type and const parameters, optional tensors) is
// closed before anything looks at types and ranges: its tree is copied, names
// are replaced, and conditions that are known now choose their side. The same
// copying puts the statements of a called operator into its caller.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_INSTANCE_H
#define GIRIH_COMPILER_FRONTEND_INSTANCE_H

#include "compiler/frontend/Ast.h"

#include <map>
#include <optional>
#include <string>

namespace girih::frontend {

/// Copies trees and replaces names on the way. Everything is looked up by the
/// name that stands in the copied text.
struct Cloner {
  std::map<std::string, ScalarType, std::less<>> types;
  std::map<std::string, bool, std::less<>> booleans; ///< const parameters
  /// Optional tensors: is there one?
  std::map<std::string, bool, std::less<>> present;
  /// Const parameters that are numbers: for conditions, and renamed if the
  /// constant is called otherwise.
  std::map<std::string, const ConstDecl *, std::less<>> constants;
  std::map<std::string, std::string, std::less<>> tensors, indices;
  std::map<std::string, Extent, std::less<>> sizes;
  /// Indices that become several, or none: each stands alone as a subscript.
  std::map<std::string, std::vector<std::string>, std::less<>> spread;
  /// For functions whose use does not say.
  std::optional<Accuracy> functions;
  /// The loop that stands around all that is cloned, and copies of loops.
  const TimeLoop *around = nullptr;
  std::map<const TimeLoop *, const TimeLoop *> loops;
  std::map<const RaggedLoop *, const RaggedLoop *> raggedLoops;
  /// For sums that do not say.
  std::optional<bool> contract;

  ExprPtr clone(const Expr &expr) const;
  std::unique_ptr<Statement> clone(const Statement &statement) const;
  TensorDecl clone(const TensorDecl &decl) const;
  std::unique_ptr<DerivedSize> clone(const DerivedSize &size) const;
  /// Before the statements in them are cloned.
  void cloneLoops(const OpDecl &from, OpDecl &to);

private:
  template <typename Node> ExprPtr make(Node node, const Expr &original) const;
  ExprPtr cloneNode(const LiteralExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const BoolExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const NameExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const AccessExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const CastExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const UnaryExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const BinaryExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const IfExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const CallExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const ReduceExpr &node, const Expr &expr) const;
  ExprPtr cloneNode(const IsNoneExpr &node, const Expr &expr) const;
  std::unique_ptr<IndexVariable> clone(const IndexVariable &index) const;
  /// A subscript, a dimension or an end of a range: integer constants become
  /// numbers.
  ExprPtr cloneSum(const Expr &expr) const;
  /// A const parameter that is an integer.
  bool isNumber(const std::string &name) const;
  ExprPtr number(int64_t value, const Expr &original) const;
  ExprPtr sumOf(const Extent &extent, const Expr &original) const;
  Extent replaced(const Extent &extent) const;
  /// A number that is known: a float, or the bits of an integer with its sign
  /// in all 64.
  struct Number {
    double value = 0;
    uint64_t bits = 0;
  };
  /// The exact value of a literal or a const parameter in `type`, the sign in
  /// front included; nothing where `type` does not hold it.
  std::optional<Number> valueOf(const Expr &expr, ScalarType type) const;
  std::optional<Number> valueOf(const LiteralExpr &literal, ScalarType type,
                                bool negated) const;
  std::optional<ScalarType> typeOf(const Expr &expr) const;
  std::optional<bool> compare(BinaryOp op, const Expr &lhs,
                              const Expr &rhs) const;
};

/// True for an operator that cannot be checked as it is written.
bool needsInstance(const OpDecl &op);

/// The call that is the whole value of a statement, if its callee may be an
/// operator; else null.
const CallExpr *callOf(const Statement &statement);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_INSTANCE_H
