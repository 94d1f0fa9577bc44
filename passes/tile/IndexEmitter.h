//===- IndexEmitter.h - affine and loop expressions as index ops -*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TILE_INDEXEMITTER_H
#define GIRIH_PASSES_TILE_INDEXEMITTER_H

#include "compiler/poly/LoopAst.h"
#include "mlir/IR/Builders.h"

#include <map>
#include <vector>

namespace girih::tilegen {

/// Emits arith ops on `index` values for one kernel.
class IndexEmitter {
public:
  IndexEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : loc(loc), builder(builder) {}

  std::vector<mlir::Value> params; ///< by Scop parameter
  std::vector<mlir::Value> grid;   ///< by grid member
  std::map<unsigned, mlir::Value> iterators;

  mlir::Value constant(int64_t value);
  static bool isZero(mlir::Value value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t factor);
  /// Floor division and the matching remainder by a positive constant.
  mlir::Value floorDiv(mlir::Value a, int64_t divisor);
  mlir::Value floorMod(mlir::Value a, int64_t divisor);
  /// constant + sum params + sum dims * corners, where `corners` stand for
  /// dims.
  mlir::Value affine(const poly::Affine &affine,
                     const std::vector<mlir::Value> &corners);
  /// Integer kinds give an index, comparisons an i1. Null for a division by
  /// something that is not a positive constant.
  mlir::Value loopExpr(const poly::LoopExpr &expr);

  mlir::Location loc; ///< where ops are from

private:
  mlir::OpBuilder &builder;
};

} // namespace girih::tilegen

#endif // GIRIH_PASSES_TILE_INDEXEMITTER_H
