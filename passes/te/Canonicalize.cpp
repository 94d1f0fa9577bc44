//===- Canonicalize.cpp - dead tensors, equal values, constant folds ------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only what keeps every bit: x + 0 is not x (-0.0 + 0 is +0.0), and x * 1 or
// arithmetic on constants are roundings that the text wrote.
//
//===----------------------------------------------------------------------===//

#include "passes/te/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace girih::te;

namespace girih::te {
#define GEN_PASS_DEF_CANONICALIZETE
#include "passes/te/Passes.h.inc"
} // namespace girih::te

/// The value of a te.constant or arith.constant, or null.
static TypedAttr constantValue(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return constant.getValue();
  TypedAttr attribute;
  matchPattern(value, m_Constant(&attribute));
  return attribute;
}

/// Folds te.select on a constant and te.unary neg of a constant: both exact.
static void foldConstants(FuncOp func) {
  func.walk([](Operation *op) {
    if (auto select = dyn_cast<SelectOp>(op)) {
      auto condition =
          dyn_cast_or_null<IntegerAttr>(constantValue(select.getCondition()));
      if (condition)
        select.getResult().replaceAllUsesWith(condition.getValue().isZero()
                                                  ? select.getElseValue()
                                                  : select.getThenValue());
    } else if (auto unary = dyn_cast<UnaryOp>(op)) {
      if (unary.getKind() != UnaryKind::Neg)
        return;
      TypedAttr value = constantValue(unary.getValue()), result;
      if (auto real = dyn_cast_or_null<FloatAttr>(value))
        result = FloatAttr::get(real.getType(), -real.getValue());
      if (auto whole = dyn_cast_or_null<IntegerAttr>(value))
        result = IntegerAttr::get(whole.getType(), -whole.getValue());
      if (!result)
        return;
      OpBuilder builder(unary);
      auto negated = ConstantOp::create(builder, unary.getLoc(), result);
      unary.getResult().replaceAllUsesWith(negated.getResult());
    }
  });
}

/// Whether the tensor is only read: no output and no version of another one. A
/// tensor whose memory is written again is no other's equal.
static bool isOnlyRead(ComputeOp compute) {
  return !compute.getInto() &&
         llvm::all_of(compute->getUses(), [](OpOperand &use) {
           return isa<ReadOp>(use.getOwner());
         });
}

/// Whether no later op writes into the tensor's memory.
static bool isLastVersion(ComputeOp compute) {
  return !compute.getInto() &&
         llvm::all_of(compute->getUsers(), [](Operation *user) {
           return isa<ReadOp, ReturnOp>(user);
         });
}

/// Merges tensors of one block with the same domain and the same region into
/// the first. True when something changed.
static bool mergeEqualComputes(Block &block) {
  bool changed = false;
  SmallVector<ComputeOp> kept;
  for (auto compute : llvm::make_early_inc_range(block.getOps<ComputeOp>())) {
    auto equal = llvm::find_if(kept, [&](ComputeOp other) {
      return other.getType() == compute.getType() && isLastVersion(other) &&
             other.getExtentsAttr() == compute.getExtentsAttr() &&
             OperationEquivalence::isRegionEquivalentTo(
                 &other.getBody(), &compute.getBody(),
                 OperationEquivalence::IgnoreLocations);
    });
    if (equal == kept.end() || !isOnlyRead(compute)) {
      kept.push_back(compute);
      continue;
    }
    compute.getResult().replaceAllUsesWith(equal->getResult());
    compute.erase();
    changed = true;
  }
  return changed;
}

static bool mergeEqualComputes(FuncOp func) {
  bool changed = mergeEqualComputes(func.getBlock());
  func.walk(
      [&](ForOp loop) { changed |= mergeEqualComputes(loop.getBlock()); });
  return changed;
}

/// Users before what they use, so one walk erases everything that dies.
static void eraseDead(FuncOp func) {
  func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    bool unused = isa<ComputeOp, ReduceOp, ForOp>(op) && op->use_empty();
    if (unused || isOpTriviallyDead(op))
      op->erase();
  });
}

namespace {
struct CanonicalizeTePass
    : girih::te::impl::CanonicalizeTeBase<CanonicalizeTePass> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    IRRewriter rewriter(func.getContext());
    foldConstants(func);
    do {
      eraseDead(func);
      // Merges equal pure operations within nested regions; tensors and
      // reductions are not pure, so none moves.
      DominanceInfo dominance(func);
      eliminateCommonSubExpressions(rewriter, dominance, func);
    } while (mergeEqualComputes(func));
    eraseDead(func);
  }
};
} // namespace
