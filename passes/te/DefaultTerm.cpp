//===- DefaultTerm.cpp - the association of a `fixed` reduction -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/te/DefaultTerm.h"

using namespace mlir;
using namespace girih::te;
using girih::arith::Term;

/// The product that the reduction's body is, or null.
static BinaryOp productOf(ReduceOp reduce) {
  auto yield = cast<YieldOp>(reduce.getBlock().getTerminator());
  auto product = yield.getValue().getDefiningOp<BinaryOp>();
  return product && product.getKind() == BinaryKind::Mul ? product : BinaryOp();
}

/// The read that `value` is, through casts only, or null.
static ReadOp readBehindCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getValue();
  return value.getDefiningOp<ReadOp>();
}

bool girih::te::isSumOfProducts(ReduceOp reduce) {
  return reduce.getKind() == ReduceKind::Sum && productOf(reduce);
}

bool girih::te::isContraction(ComputeOp compute, ReduceOp reduce) {
  if (reduce.getKind() != ReduceKind::Sum &&
      reduce.getKind() != ReduceKind::Prod)
    return false;
  BinaryOp product = productOf(reduce);
  if (!product)
    return false;
  ReadOp lhs = readBehindCasts(product.getLhs());
  ReadOp rhs = readBehindCasts(product.getRhs());
  if (!lhs || !rhs)
    return false;
  bool onlyLeft = false, onlyRight = false;
  for (BlockArgument index : compute.getBlock().getArguments()) {
    bool left = llvm::is_contained(lhs.getIndices(), index);
    bool right = llvm::is_contained(rhs.getIndices(), index);
    onlyLeft |= left && !right;
    onlyRight |= right && !left;
  }
  return onlyLeft && onlyRight;
}

/// The first read in the body that has `index` as a subscript, or null.
static ReadOp firstReadOver(ReduceOp reduce, BlockArgument index) {
  for (ReadOp read : reduce.getBlock().getOps<ReadOp>())
    if (llvm::is_contained(read.getIndices(), index))
      return read;
  return {};
}

Term girih::te::defaultTerm(ComputeOp compute, ReduceOp reduce) {
  if (isContraction(compute, reduce))
    return Term::seq();
  assert(reduce.getExtents().size() == 1 && "several indices are split first");
  if (compute.getType().getRank() == 0)
    return Term::seg(65536, Term::lanes(1024, 4), Term::lanes(1024, 1));
  BlockArgument index = reduce.getBlock().getArgument(0);
  ReadOp read = firstReadOver(reduce, index);
  if (read && read.getIndices().back() == index) {
    return Term::lanes(4096, 16 / bytesOf(read.getType()));
  }
  return Term::seg(4096, Term::lanes(64, 1), Term::lanes(64, 1));
}
