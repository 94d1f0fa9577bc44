//===- ExprChecker.h - types and ranges of one expression -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_EXPRCHECKER_H
#define GIRIH_COMPILER_FRONTEND_EXPRCHECKER_H

#include "compiler/frontend/Ranges.h"

#include <set>

namespace girih::frontend {

/// Checks the expressions of one statement or one function body. A function
/// that returns nothing has reported (or met a tensor that was reported).
class ExprChecker {
public:
  /// In a statement of `op`, which defines `defining`.
  /// `typed`: its type and rank are known before, so that it may be read.
  ExprChecker(Sema &sema, OpScope &op, const Tensor *defining,
              bool typed = false)
      : sema(sema), op(&op), defining(defining), typed(typed) {}
  /// In the body of `fn`.
  ExprChecker(Sema &sema, const FnDecl &fn) : sema(sema), fn(&fn) {}

  /// Annotates `expr`. `want` is the type that literals without a typed
  /// neighbour take; without it they are an error.
  std::optional<ScalarType>
  check(Expr &expr, std::optional<ScalarType> want = std::nullopt);

  /// Makes an index visible; reports a name that is taken.
  void bind(IndexVariable &index);
  void unbind() { indices.pop_back(); }
  /// All indices and reads of the statement, once it was checked.
  const std::vector<IndexVariable *> &allIndices() const { return bound; }
  const std::vector<SeenAccess> &allAccesses() const { return accesses; }
  /// Of indices whose range other indices say.
  const DependentRanges &ranges() const { return dependentRanges; }
  /// The value of a statement, with its `where` and `else`; its indices are
  /// bound.
  std::optional<ScalarType> checkStatement(Statement &statement);
  /// Orders of reductions against the ranges that are known now.
  bool checkOrders();
  /// The place of a scatter into `target`, and what it puts there.
  bool checkPlace(Expr &place, const Tensor &target);
  /// The tensor that a read of `name` means. Reports what is wrong.
  const Tensor *findTensor(const Name &name);

private:
  using Type = std::optional<ScalarType>;

  // Types (ExprChecker.cpp).
  Type checkNode(LiteralExpr &node, Expr &expr, Type want);
  Type checkNode(BoolExpr &node, Expr &expr, Type want);
  Type checkNode(NameExpr &node, Expr &expr, Type want);
  Type checkNode(IsNoneExpr &node, Expr &expr, Type want);
  Type checkNode(CastExpr &node, Expr &expr, Type want);
  Type checkNode(UnaryExpr &node, Expr &expr, Type want);
  Type checkNode(BinaryExpr &node, Expr &expr, Type want);
  Type checkNode(IfExpr &node, Expr &expr, Type want);
  Type checkNode(CallExpr &node, Expr &expr, Type want);
  Type checkBuiltin(CallExpr &node, Expr &expr);
  Type checkFnCall(CallExpr &node, const FnDecl &callee);
  Type checkUnknownCall(CallExpr &node);
  bool checkArity(const CallExpr &node, const Expr &expr, size_t wanted);
  Type unify(const std::vector<Expr *> &operands, Type want,
             const std::string &what);
  // Operands (ExprOperands.cpp): what `what` needs is reported where `type` is
  // something else.
  bool needFloat(ScalarType type, SourceRange range, const std::string &what);
  /// A float that can be computed in, or an integer.
  bool needNumber(ScalarType type, SourceRange range, const std::string &what);
  bool needInteger(ScalarType type, SourceRange range, const std::string &what);
  /// A number as for needNumber, or an index.
  bool needCount(ScalarType type, SourceRange range, const std::string &what) {
    return type == ScalarType::Index || needNumber(type, range, what);
  }
  void noNumber(ScalarType type, SourceRange range, const std::string &what);
  Type checkLiteral(LiteralExpr &node, Expr &expr, Type want, bool negated);
  Type checkIntegerLiteral(LiteralExpr &node, SourceRange range,
                           ScalarType type, bool negated);
  Type checkBits(CallExpr &node);
  // Indices as values, grids, random numbers (ExprValues.cpp).
  /// Two operands of different types: where one is an index and the other
  /// computed from integer constants, that is an index too. The type of
  /// `operand`.
  Type besideIndex(Expr &operand, ScalarType here, Expr &first, Type &type);
  bool checkIndexRange(const Expr &expr);
  Type checkOnGrid(CallExpr &node);
  Type checkBehind(CallExpr &node);
  Type checkRandom(CallExpr &node);
  bool needBool(Expr &expr, const std::string &what);
  void literalAlone(const Expr &expr);
  void undefined(std::string_view name, SourceRange range,
                 std::string_view what, std::vector<std::string> candidates);

  // Tensors, indices, ranges (ExprRanges.cpp).
  Type checkNode(AccessExpr &node, Expr &expr, Type want);
  Type checkNode(ReduceExpr &node, Expr &expr, Type want);
  // Comparisons of indices, who takes part (ExprConditions.cpp).
  bool isIntegerConstant(std::string_view name) const;
  bool isIndexSum(const Expr &expr, bool &index) const;
  bool isIndexTerm(const Expr &expr, bool &index) const;
  bool comparesIndices(const BinaryExpr &node) const;
  std::optional<IndexTerm> indexTerm(const Expr &expr);
  Type checkIndexComparison(BinaryExpr &node);
  bool isDataEnd(const Expr &expr) const;
  // Subscripts (ExprGather.cpp).
  bool checkSubscripts(AccessExpr &node, const Expr &expr,
                       const char *verb = "read");
  /// A part of a subscript that only its value can say.
  bool checkValue(Expr &expr);
  /// Puts `i64(...)` around the indices and sizes that `expr` computes with;
  /// `constants`: around integer constants too.
  void castIndices(ExprPtr &expr, bool isCast, bool constants);
  /// The same for what `expr` is made of.
  void castOperands(Expr &expr, bool constants);
  /// Whether what `expr` computes with holds an index or a size.
  bool holdsIndex(const Expr &expr) const;

  bool checkRange(IndexVariable &index);
  bool addRange(ReduceExpr &node, const IndexVariable &index);
  bool addDataEnd(ReduceExpr &node, const IndexVariable &index, const Expr &end,
                  bool upper);
  bool checkCondition(ReduceExpr &node);
  bool checkWhere(Statement &statement);
  bool checkOtherwise(AccessExpr &node, const Tensor &tensor);
  bool checkOrder(const ReduceExpr &node, ScalarType type);
  bool isAbsent(std::string_view name) const;
  IndexVariable *findIndex(std::string_view name) const;
  std::vector<std::string> indexNames() const;
  std::vector<std::string> tensorNames() const;

  Sema &sema;
  OpScope *op = nullptr;
  const Tensor *defining = nullptr;
  bool typed = false;
  const FnDecl *fn = nullptr;
  std::vector<IndexVariable *> indices; ///< innermost last
  std::vector<IndexVariable *> bound;   ///< all that were ever bound
  std::vector<SeenAccess> accesses;
  std::vector<ReduceExpr *> around; ///< innermost last
  std::vector<Condition> facts;     ///< of the sides of `if` around
  bool inOtherwise = false;
  std::map<const Expr *, std::vector<Condition>> sideFacts;
  DependentRanges dependentRanges;
  std::vector<std::pair<const ReduceExpr *, ScalarType>> reductions;
};

/// `text`, or its start and "..." where it is long: for edits in messages.
std::string shortened(const Expr &expr);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_EXPRCHECKER_H
