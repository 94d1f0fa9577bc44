//===- ExprGen.h - one expression to te ops ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_MLIRGEN_EXPRGEN_H
#define GIRIH_COMPILER_MLIRGEN_EXPRGEN_H

#include "compiler/frontend/Ast.h"
#include "compiler/support/Diagnostics.h"
#include "dialects/te/Te.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>
#include <vector>

namespace girih::mlirgen {

/// Emits the expressions of one operator at the builder's place. What they
/// read is bound before.
class ExprGen {
public:
  ExprGen(mlir::OpBuilder &builder, const SourceFile &source,
          Diagnostics &diags);

  void bind(const frontend::Tensor &tensor, mlir::Value value) {
    tensors[&tensor] = value;
  }
  /// Adds one index argument to `block` for each index and binds them.
  void bindIndices(
      const std::vector<std::unique_ptr<frontend::IndexVariable>> &indices,
      mlir::Block &block);
  void bindIndex(const frontend::IndexVariable &index, mlir::Value value) {
    indices[&index] = value;
  }
  mlir::Value tensorValue(const frontend::Tensor &tensor) const {
    return tensors.lookup(&tensor);
  }

  /// Only a suffix at a use chooses an accuracy: the operator's was replaced.
  void useOneAccuracy() { oneAccuracy = true; }

  /// Sums of products that say nothing else keep the product's rounding.
  void useNoContraction() { contract = false; }

  /// The value of `expr`, of type typeOf(expr.type); index arithmetic that is
  /// no sum of indices and sizes gives an i64.
  mlir::Value emit(const frontend::Expr &expr);
  /// A te.where for each condition.
  void emitDomain(const std::vector<frontend::Condition> &conditions);
  /// What holds of the indices that are bound now, for `checked` subscripts.
  void setDomain(const std::vector<frontend::Condition> &conditions) {
    domain = conditions;
  }
  /// The value of `expr`, which counts only where `condition` is `held`.
  mlir::Value emitWhere(const frontend::Expr &condition, bool held,
                        const frontend::Expr &expr);
  /// A sum as subscripts are.
  mlir::Value emitSum(const frontend::IndexSum &sum, mlir::Location loc);
  /// The subscripts of an access as te.read and te.put take them.
  llvm::SmallVector<mlir::Value>
  emitSubscripts(const frontend::AccessExpr &access);

  /// One `checked` subscript that was emitted, and the conditions of the
  /// choices around it, each with whether it held.
  struct CheckedUse {
    const frontend::Subscript *subscript = nullptr;
    std::string tensor;
    frontend::Extent end; ///< inside is 0 .. end-1
    std::vector<std::pair<const frontend::Expr *, bool>> path;
    /// Those that hold besides.
    std::vector<frontend::Condition> domain;
    /// What subscript and conditions depend on, outermost first.
    std::vector<const frontend::IndexVariable *> indices;
  };
  /// Those since the last call.
  std::vector<CheckedUse> takeChecked() { return std::move(checkedUses); }
  /// A tensor without dimensions: the number of the first instance, over
  /// `use.indices`, whose subscript lies outside, or the largest i64; with
  /// `where`, which is that, the subscript's value there.
  mlir::Value emitCheckWord(const CheckedUse &use, const std::string &name,
                            mlir::Value where);

  // Shared with what is around the expressions.
  mlir::Location at(SourceRange range) const;
  mlir::Type typeOf(frontend::ScalarType type) const;
  mlir::Attribute extentOf(const frontend::Extent &extent) const;
  mlir::ArrayAttr
  namesOf(const std::vector<std::unique_ptr<frontend::IndexVariable>> &indices)
      const;

private:
  mlir::Location locOf(const frontend::Expr &expr) const;
  mlir::Value emitConstant(double value, frontend::ScalarType type,
                           mlir::Location loc);
  /// The low bits of `bits`, as an integer or bool.
  mlir::Value emitInteger(uint64_t bits, mlir::Type type, mlir::Location loc);
  /// A sum as comparisons take it.
  mlir::Value emitIndex(const frontend::IndexSum &sum, mlir::Location loc);
  mlir::Value emitComparison(const frontend::BinaryExpr &node,
                             const frontend::Expr &expr);
  /// An expression of type Index (IndexGen.cpp).
  mlir::Value emitIndex(const frontend::Expr &expr);
  /// An index, or an i64, as an i64.
  mlir::Value toLong(mlir::Value value, mlir::Location loc);
  // Error words (CheckGen.cpp).
  void noteChecked(const frontend::Subscript &subscript,
                   const frontend::Tensor &tensor, size_t dim);
  mlir::Value emitCheckBody(const CheckedUse &use, mlir::Value where,
                            mlir::Location loc);
  // Values as subscripts (GatherGen.cpp).
  /// An index, or a sum of them, in i64.
  mlir::Value emitAsInteger(mlir::Value index, mlir::Location loc);
  /// A sum that holds values, in i64.
  mlir::Value emitComputed(const frontend::IndexSum &sum, mlir::Location loc);
  /// A subscript as te.read takes it.
  mlir::Value emitSubscript(const frontend::Subscript &subscript,
                            const frontend::Extent &dim);
  /// Whether a guarded read's subscripts lie inside.
  mlir::Value emitInside(const frontend::AccessExpr &access,
                         mlir::ValueRange subscripts, mlir::Location loc);
  mlir::Value emitNode(const frontend::LiteralExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::BoolExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::IsNoneExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::NameExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::AccessExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::CastExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::UnaryExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::BinaryExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::IfExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::CallExpr &, const frontend::Expr &);
  mlir::Value emitNode(const frontend::ReduceExpr &, const frontend::Expr &);
  /// Where the largest or smallest value is (ArgumentGen.cpp).
  mlir::Value emitArgument(const frontend::ReduceExpr &reduce,
                           const frontend::Expr &expr);
  /// behind(x, i, y, j).
  mlir::Value emitBehind(const frontend::CallExpr &call, mlir::Location loc);
  // Reductions (ReduceGen.cpp).
  mlir::Value emitReduction(const frontend::ReduceExpr &reduce,
                            te::ReduceKind kind, frontend::ScalarType type,
                            mlir::Location loc);
  /// The body where all tests hold, else what contributes nothing.
  mlir::Value emitTested(const frontend::ReduceExpr &reduce,
                         te::ReduceKind kind, frontend::ScalarType type);
  /// What contributes nothing to a reduction.
  mlir::Value emitNeutral(te::ReduceKind kind, frontend::ScalarType type,
                          mlir::Location loc);
  /// The text of te.reduce's `order`.
  std::string orderOf(const frontend::ReduceExpr &reduce,
                      frontend::ScalarType type);
  // Functions (CallGen.cpp).
  mlir::Value inlineCall(const frontend::CallExpr &call, mlir::Location loc);
  te::Accuracy accuracyOf(const frontend::CallExpr &call) const;
  mlir::Value emitBuiltin(const frontend::CallExpr &call, mlir::Location loc);
  mlir::Value emitBits(const frontend::CallExpr &call, mlir::Location loc);
  /// philox or uniform (IndexGen.cpp).
  mlir::Value emitRandom(const frontend::CallExpr &call, mlir::Location loc);

  mlir::OpBuilder &builder;
  const SourceFile &source;
  Diagnostics &diags;
  mlir::StringAttr fileName;
  llvm::DenseMap<const frontend::Tensor *, mlir::Value> tensors;
  /// Region arguments, which count from 0.
  llvm::DenseMap<const frontend::IndexVariable *, mlir::Value> indices;
  std::vector<const frontend::IndexVariable *> bound; ///< in that order
  std::vector<std::pair<const frontend::Expr *, bool>> path;
  std::vector<frontend::Condition> domain;
  std::vector<CheckedUse> checkedUses;
  bool notesChecked = true;
  /// Functions do not recurse, so each parameter has one value at a time.
  llvm::DenseMap<const frontend::FnParam *, mlir::Value> parameters;
  /// Around the call that is being emitted.
  std::optional<frontend::Accuracy> inherited;
  bool oneAccuracy = false;
  bool contract = true;
  /// Inside a library function, which has no place in the file: the call's.
  std::optional<mlir::Location> libraryCall;
};

} // namespace girih::mlirgen

#endif // GIRIH_COMPILER_MLIRGEN_EXPRGEN_H
