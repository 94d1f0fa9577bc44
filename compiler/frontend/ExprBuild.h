//===- ExprBuild.h - trees made, small questions to trees -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Sema writes itself, as the statements that scans and ragged loops
// become. `range`: the place in the text that messages are to show.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_EXPRBUILD_H
#define GIRIH_COMPILER_FRONTEND_EXPRBUILD_H

#include "compiler/frontend/Ast.h"

#include <algorithm>

namespace girih::frontend {

inline ExprPtr makeExpr(Expr::Node node, SourceRange range) {
  auto expr = std::make_unique<Expr>();
  expr->untyped = isUntyped(node);
  expr->node = std::move(node);
  expr->range = range;
  forEachChild(*expr, [&](const Expr &child) {
    expr->depth = std::max(expr->depth, child.depth + 1);
  });
  return expr;
}

inline ExprPtr nameExpr(const std::string &text, SourceRange range) {
  NameExpr name;
  name.name = text;
  return makeExpr(std::move(name), range);
}

/// `value` is 0 or more.
inline ExprPtr numberExpr(int64_t value, SourceRange range) {
  LiteralExpr literal;
  literal.digits = std::to_string(value);
  return makeExpr(std::move(literal), range);
}

inline ExprPtr binaryExpr(BinaryOp op, ExprPtr lhs, ExprPtr rhs,
                          SourceRange range) {
  BinaryExpr node;
  node.op = op;
  node.opRange = range;
  node.lhs = std::move(lhs);
  node.rhs = std::move(rhs);
  return makeExpr(std::move(node), range);
}

inline ExprPtr castExpr(ScalarType to, ExprPtr operand, SourceRange range) {
  CastExpr cast;
  cast.to = to;
  cast.operand = std::move(operand);
  return makeExpr(std::move(cast), range);
}

/// An element of a tensor with one dimension.
inline AccessExpr elementOf(const std::string &tensor, ExprPtr subscript,
                            SourceRange range) {
  AccessExpr access;
  access.tensorName = {tensor, range};
  Subscript &place = access.subscripts.emplace_back();
  place.value = std::move(subscript);
  place.range = range;
  return access;
}

inline bool isName(const Expr &expr, const std::string &name) {
  auto *node = expr.as<NameExpr>();
  return node && node->name == name;
}

/// A literal without a suffix, written so.
inline bool isNumber(const Expr &expr, const std::string &digits) {
  auto *literal = expr.as<LiteralExpr>();
  return literal && !literal->suffix && literal->digits == digits;
}

/// Where the range of an index stands, which has one.
inline SourceRange writtenRange(const IndexVariable &index) {
  return {index.first->range.begin, index.end->range.end};
}

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_EXPRBUILD_H
