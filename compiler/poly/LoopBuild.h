//===- LoopBuild.h - isl's loop tree as plain data --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_LOOPBUILD_H
#define GIRIH_COMPILER_POLY_LOOPBUILD_H

#include "compiler/poly/LoopAst.h"
#include "compiler/poly/Model.h"

#include <stdexcept>

namespace girih::poly {

/// isl made something that LoopNode cannot say.
class LoopError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What the generator is told of one statement.
struct TilePath {
  const Node *node = nullptr;       ///< its tile mark, or leaf
  std::vector<std::string> members; ///< above that, outermost first
  isl::set outer;                   ///< the values that those members take
};

/// The identifiers that may occur in isl's expressions. They are told apart by
/// user pointers, so no parameter's spelling can clash with them.
extern const char kGridTag;
extern const char kIteratorTag;
struct LoopNames {
  size_t params;
  std::vector<isl::id> grid;
  std::vector<isl::id> iterators; ///< by depth
};

LoopExpr makeExpr(LoopExpr::Kind kind, std::vector<LoopExpr> operands);
LoopExpr constantExpr(int64_t value);
/// `affine` over parameters.
LoopExpr affineExpr(const Affine &affine);
LoopExpr floorDivExpr(LoopExpr dividend, int64_t divisor);
/// `expr + value`, folded into constants where it can be.
LoopExpr addConstant(LoopExpr expr, int64_t value);
bool sameExpr(const LoopExpr &a, const LoopExpr &b);

/// Turns one kernel's isl loop tree into LoopNodes.
class LoopReader {
public:
  LoopReader(const Model &model, const LoopNames &names,
             const std::vector<TilePath> &tiles, size_t gridCount)
      : model(model), names(names), tiles(tiles), gridCount(gridCount) {}
  LoopNode read(const isl::ast_node &node);

private:
  LoopNode block(isl_ast_node *node);
  LoopNode forLoop(isl_ast_node *node);
  LoopNode branch(isl_ast_node *node);
  LoopNode tile(isl_ast_node *node);
  LoopNode any(isl_ast_node *node);
  LoopExpr expression(isl_ast_expr *expr);
  LoopExpr identifier(isl_ast_expr *expr);
  size_t depthOf(isl_ast_expr *iterator) const;

  const Model &model;
  const LoopNames &names;
  const std::vector<TilePath> &tiles;
  size_t gridCount;
  unsigned nextIterator = 0;
  /// What each depth's iterator stands for on the current path.
  std::vector<std::optional<LoopExpr>> values;
};

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_LOOPBUILD_H
