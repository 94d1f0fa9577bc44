//===- Dimensions.h - dimensions of an argument -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A declared tensor is indexed by its sizes, and an argument for it has one
// dimension for each size that stands alone, one for each group, and any number
// for `..R`.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_DIMENSIONS_H
#define GIRIH_COMPILER_FRONTEND_DIMENSIONS_H

#include "compiler/frontend/Ast.h"

#include <string>
#include <vector>

namespace girih::frontend {

/// One dimension of an argument, or all of its leading ones.
struct OuterDim {
  unsigned first = 0, count = 1; ///< its dimensions among TensorDecl::dims
  bool leading = false;
  std::string text; ///< `N`, `(HK, G)`, `..R`
  SourceRange range;
};
std::vector<OuterDim> outerDims(const TensorDecl &decl);

/// `bf16[B, (HK, G), L]`
std::string printShape(const TensorDecl &decl);
/// True where an argument's dimensions are those that are indexed.
bool isPlain(const TensorDecl &decl);
/// The name of the leading dimensions; null where there are none.
const std::string *leadingName(const TensorDecl &decl);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_DIMENSIONS_H
