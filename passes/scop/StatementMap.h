//===- StatementMap.h - which te op a statement came from -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCOP_STATEMENTMAP_H
#define GIRIH_PASSES_SCOP_STATEMENTMAP_H

#include "compiler/poly/Scop.h"
#include "dialects/te/Te.h"

#include <string>
#include <vector>

namespace girih::scop {

/// How a merge statement combines its cells (arith/Term.h).
enum class MergeOrder { Halving, Pairwise };

/// The te side of one statement: what its instances compute.
struct StatementInfo {
  te::ComputeOp compute;
  te::ScatterOp scatter; ///< Scatter: in place of a compute
  /// Init, Update and Merge: the reduction they belong to.
  te::ReduceOp reduce;
  /// Update: 1 for the level that evaluates the reduction's body; higher levels
  /// combine partial results, read by the statement's first access.
  unsigned level = 1;
  MergeOrder mergeOrder = MergeOrder::Halving;
  /// Merge: the cells are a power of two that is less than the term's lanes;
  /// the first empty lane's identity is added to each cell before the merge.
  bool padded = false;
  /// Map, Scatter and level-1 Update: the te indices (the compute's, then the
  /// reduce's) as affine expressions of the statement's dims.
  std::vector<poly::Affine> indices;
  mlir::Type elementType; ///< of the array written

  /// The block whose arguments are the first te indices.
  mlir::Block &outerBlock() const {
    auto &whole = const_cast<StatementInfo &>(*this);
    return scatter ? whole.scatter.getBlock() : whole.compute.getBlock();
  }
};

struct StatementMap {
  std::vector<StatementInfo> statements; ///< parallel to Scop::statements
  std::vector<mlir::Type>
      arrayTypes; ///< element types, parallel to Scop::arrays
  std::vector<unsigned> sizeOfParam; ///< Scop parameter -> size of the function
  /// Per array: the operator's argument or result it is, or -1.
  std::vector<int> argument;
  std::vector<int> result;
};

} // namespace girih::scop

#endif // GIRIH_PASSES_SCOP_STATEMENTMAP_H
