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

/// The read that `value` is, through casts and with what a guarded one has
/// outside; or null.
static ReadOp readBehindCasts(Value value) {
  for (;;) {
    auto cast = value.getDefiningOp<CastOp>();
    auto choice = value.getDefiningOp<SelectOp>();
    if (cast) {
      value = cast.getValue();
    } else if (choice) {
      value = choice.getThenValue();
      ReadOp read = value.getDefiningOp<ReadOp>();
      return read && read.getGuarded() ? read : ReadOp();
    } else {
      return value.getDefiningOp<ReadOp>();
    }
  }
}

/// The factor of `index` in a subscript; 0 where it depends on it otherwise or
/// not at all.
static int64_t factorOf(Value subscript, BlockArgument index) {
  if (subscript == index)
    return 1;
  int64_t sum = 0;
  if (auto affine = subscript.getDefiningOp<AffineOp>())
    for (auto [operand, factor] :
         llvm::zip(affine.getIndices(), affine.getCoefficients()))
      sum += operand == index ? factor : 0;
  return sum;
}

static bool dependsOn(Value value, BlockArgument index);

static bool dependsOn(ReadOp read, BlockArgument index) {
  return llvm::any_of(read.getIndices(), [&](Value subscript) {
    if (ToIndexOp gathered = gatherOf(subscript))
      return dependsOn(gathered.getValue(), index);
    if (auto bound = subscript.getDefiningOp<BoundOp>())
      subscript = bound.getValue();
    return factorOf(subscript, index) != 0;
  });
}

/// Of a value that chooses an element.
static bool dependsOn(Value value, BlockArgument index) {
  if (auto read = value.getDefiningOp<ReadOp>())
    return dependsOn(read, index);
  Operation *op = value.getDefiningOp();
  if (!op)
    return value == index;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOn(operand, index); });
}

/// Whether all that becomes of the value is a subscript.
static bool onlyChooses(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<ToIndexOp>(user) ||
           (user->getNumResults() == 1 && !isa<ReduceOp>(user) &&
            !user->use_empty() && onlyChooses(user));
  });
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
    bool left = dependsOn(lhs, index);
    bool right = dependsOn(rhs, index);
    onlyLeft |= left && !right;
    onlyRight |= right && !left;
  }
  return onlyLeft && onlyRight;
}

/// The first of the largest reads in the body with `index` in a subscript,
/// those with the most subscripts, of those that do not only choose elements of
/// others; or null.
static ReadOp mainReadOver(ReduceOp reduce, BlockArgument index) {
  ReadOp main;
  for (ReadOp read : reduce.getBlock().getOps<ReadOp>())
    if (dependsOn(read, index) && !onlyChooses(read) &&
        (!main || read.getIndices().size() > main.getIndices().size()))
      main = read;
  return main;
}

/// Whether `reduce` does nothing but sum the elements of a tensor along a
/// dimension along which a contraction sums their products.
static bool isBesideContraction(ReduceOp reduce) {
  if (reduce.getKind() != ReduceKind::Sum || reduce.getExtents().size() != 1)
    return false;
  Value body = cast<YieldOp>(reduce.getBlock().getTerminator()).getValue();
  ReadOp read = readBehindCasts(body);
  if (!read || !read.getTensor().getDefiningOp())
    return false;
  auto dimOf = [](ReadOp of, ReduceOp in) -> int64_t {
    auto place = llvm::find(of.getIndices(), in.getBlock().getArgument(0));
    return place == of.getIndices().end() ? -1
                                          : place - of.getIndices().begin();
  };
  int64_t dim = dimOf(read, reduce);
  return dim >= 0 &&
         llvm::any_of(read.getTensor().getUsers(), [&](Operation *user) {
           auto other = dyn_cast<ReadOp>(user);
           auto around = user->getParentOfType<ReduceOp>();
           if (!other || !around || around == reduce ||
               around.getExtents() != reduce.getExtents())
             return false;
           BinaryOp product = productOf(around);
           bool isFactor =
               product && (readBehindCasts(product.getLhs()) == other ||
                           readBehindCasts(product.getRhs()) == other);
           return isFactor && dimOf(other, around) == dim &&
                  isContraction(user->getParentOfType<ComputeOp>(), around);
         });
}

/// The fewest bytes of an element among those that make an element of the read
/// row: a temporary's are those of the tensors that it is made from, index by
/// index of its last dimension. So all passes over a row have the same lanes.
static unsigned bytesAlongRow(ReadOp read) {
  unsigned bytes = bytesOf(read.getType());
  auto maker = read.getTensor().getDefiningOp<ComputeOp>();
  if (!maker || maker.getInto() || maker.getType().getRank() == 0 ||
      !maker.getBlock().getOps<ReduceOp>().empty() ||
      !cast<YieldOp>(maker.getBlock().getTerminator()).getAt().empty())
    return bytes;
  BlockArgument along = maker.getBlock().getArguments().back();
  for (ReadOp source : maker.getBlock().getOps<ReadOp>())
    if (!source.getIndices().empty() && !onlyChooses(source) &&
        factorOf(source.getIndices().back(), along) == 1)
      bytes = std::min(bytes, bytesAlongRow(source));
  return bytes;
}

Term girih::te::defaultTerm(ComputeOp compute, ReduceOp reduce) {
  if (isContraction(compute, reduce) || isBesideContraction(reduce))
    return Term::seq();
  assert(reduce.getExtents().size() == 1 && "several indices are split first");
  if (compute.getType().getRank() == 0)
    return Term::seg(65536, Term::lanes(1024, 4), Term::lanes(1024, 1));
  BlockArgument index = reduce.getBlock().getArgument(0);
  ReadOp read = mainReadOver(reduce, index);
  if (read && factorOf(read.getIndices().back(), index) == 1)
    return Term::lanes(4096, 16 / bytesAlongRow(read));
  return Term::seg(4096, Term::lanes(64, 1), Term::lanes(64, 1));
}
