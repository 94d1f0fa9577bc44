//===- CallLeading.h - leading dimensions of a called operator --*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A called operator indexes `X: f32[..R, N]` by two indices, and its caller may
// have a tensor of any rank in that place: where the statements are copied, the
// index of `..R` becomes as many indices as there are leading dimensions. That
// is possible where it only ever stands alone in that place.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_CALLLEADING_H
#define GIRIH_COMPILER_FRONTEND_CALLLEADING_H

#include "compiler/frontend/Ast.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace girih::frontend {

class LeadingIndices {
public:
  using FindOp = std::function<const OpDecl *(std::string_view)>;
  /// `spread`: names of leading dimensions that are not one dimension.
  LeadingIndices(const OpDecl &op, std::set<std::string, std::less<>> spread,
                 FindOp findOp)
      : op(op), spread(std::move(spread)), findOp(std::move(findOp)) {}

  struct Problem {
    std::string message;
    SourceRange range;
  };
  /// Finds the indices that run over leading dimensions; says where one stands
  /// in another place.
  std::optional<Problem> run();

  /// Index -> leading dimensions, of one statement.
  using Indices = std::map<std::string, std::string, std::less<>>;
  const Indices &of(const Statement &statement) const {
    return found.at(&statement);
  }

private:
  /// By dimension.
  using Places = std::map<unsigned, std::string>;
  void declare(const TensorDecl &decl);
  void declareResults(const Statement &statement);
  void visit(const Statement &statement);
  void collect(const Expr &expr, Indices &indices);
  void verify(const Expr &expr, const Indices &indices);
  void verifySum(const Expr &expr, const Indices &indices);
  const std::string *leadingAt(std::string_view tensor, size_t dim) const;
  void refuse(std::string message, SourceRange range);

  const OpDecl &op;
  std::set<std::string, std::less<>> spread;
  FindOp findOp;
  std::map<std::string, Places, std::less<>> places; ///< by tensor
  std::map<const Statement *, Indices> found;
  std::optional<Problem> problem;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_CALLLEADING_H
