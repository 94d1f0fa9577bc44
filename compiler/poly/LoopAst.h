//===- LoopAst.h - loops generated from a schedule tree ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// isl's AST generator turns the part of a kernel above its tile marks into
// loops; this is its result as plain data. Grid members are parameters there.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_LOOPAST_H
#define GIRIH_COMPILER_POLY_LOOPAST_H

#include "compiler/poly/Dependence.h"
#include "compiler/poly/ScheduleTree.h"

namespace girih::poly {

/// An integer expression over parameters, grid digits and loop iterators.
struct LoopExpr {
  enum class Kind {
    Constant,
    Param,
    Grid,
    Iterator,
    Add,
    Sub,
    Mul,
    Neg,
    Min,
    Max,
    FloorDiv,
    Mod, ///< Mod: result in [0, divisor)
    Le,
    Lt,
    Ge,
    Gt,
    Eq,
    And,
    Or
  };
  Kind kind = Kind::Constant;
  int64_t value = 0;  ///< Constant
  unsigned index = 0; ///< Param: Scop::params. Grid: turns of the time loops,
                      ///< then grid members. Iterator: loop number
  std::vector<LoopExpr> operands;
};

struct LoopNode {
  enum class Kind { Block, For, If, Tile };
  Kind kind = Kind::Block;
  std::vector<LoopNode>
      children; ///< Block: in order. For, If: the body (If: [1] is else)
  // For
  unsigned iterator = 0; ///< its number, unique in the kernel
  std::string name;      ///< the member it came from
  LoopExpr lower, upper; ///< lower <= iterator < upper
  int64_t step = 1;
  // If
  LoopExpr condition;
  // Tile: the tile (or leaf) of one statement; `node` is the tree's Tile node.
  unsigned statement = 0;
  const Node *node = nullptr;
  /// Values of the members above the tile mark on the path from the root, in
  /// order, time and grid members included.
  std::vector<LoopExpr> outer;
};

/// One grid member of a kernel: its number of digits, over parameters only.
struct GridMember {
  std::string name;
  LoopExpr extent; ///< count of values, starting at 0
};

struct KernelLoops {
  const Node *kernel = nullptr;
  /// Time loops around it, outermost first: of the values that LoopExpr::Grid
  /// numbers, their turns come first, then those of `grid`.
  std::vector<unsigned> loops;
  std::vector<GridMember> grid; ///< outermost first
  LoopNode body;
};

/// Loops of every kernel of a legal tree, in order. A grid extent is the
/// largest that a statement of the kernel needs; a statement that needs less
/// gets a guard. Reports (G0713 a broken tree, G0714 isl's failure or quota)
/// and returns nothing. `kernel` and `node` point into `tree`.
std::optional<std::vector<KernelLoops>> generateLoops(const Scop &scop,
                                                      const ScheduleTree &tree,
                                                      const PolyBudget &budget,
                                                      Diagnostics &diags);

/// C-like text, for people and tests.
std::string printLoops(const Scop &scop, const KernelLoops &loops);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_LOOPAST_H
