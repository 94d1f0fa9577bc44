//===- Order.cpp - which indices must be run through in order -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Order.h"

#include <map>

using namespace girih;

namespace {

/// A subscript as a sum over indices; `isKnown` is false where a rule or
/// something else makes it.
struct Subscript {
  std::map<void *, int64_t> factors; ///< not 0, by the index's value
  mlir::Attribute offset;
  bool isKnown = true;

  bool operator==(const Subscript &other) const {
    return isKnown && other.isKnown && factors == other.factors &&
           offset == other.offset;
  }
};

} // namespace

static Subscript subscriptOf(mlir::Value value) {
  mlir::Builder builder(value.getContext());
  Subscript result;
  result.offset = builder.getI64IntegerAttr(0);
  if (mlir::isa<mlir::BlockArgument>(value)) {
    result.factors[value.getAsOpaquePointer()] = 1;
  } else if (auto constant = value.getDefiningOp<te::IndexConstantOp>()) {
    result.offset = builder.getI64IntegerAttr(constant.getValue());
  } else if (auto affine = value.getDefiningOp<te::AffineOp>()) {
    // Through linearOf, so that equal sums are equal attributes.
    result.offset =
        te::makeExtent(value.getContext(), te::linearOf(affine.getOffset()));
    for (auto [index, factor] :
         llvm::zip(affine.getIndices(), affine.getCoefficients()))
      result.factors[index.getAsOpaquePointer()] += factor;
    std::erase_if(result.factors, [](auto &item) { return item.second == 0; });
  } else {
    result.isKnown = false;
  }
  return result;
}

/// The one index of `op` that `subscript` moves with, or nothing.
static std::optional<unsigned> singleIndex(te::ComputeOp op,
                                           const Subscript &subscript) {
  std::optional<unsigned> single;
  for (auto [pointer, factor] : subscript.factors) {
    auto index = mlir::cast<mlir::BlockArgument>(
        mlir::Value::getFromOpaquePointer(pointer));
    if (index.getOwner() != &op.getBlock())
      continue; // of a te.for around: the same for every instance
    if (single)
      return std::nullopt;
    single = index.getArgNumber();
  }
  return single;
}

bool reference::isSelfRead(te::ComputeOp op, te::ReadOp read) {
  return op.getInto() &&
         te::storageOf(read.getTensor()) == te::storageOf(op.getInto());
}

llvm::SmallVector<bool> reference::orderedIndices(te::ComputeOp op) {
  llvm::SmallVector<bool> ordered(op.getBox().size(), false);
  llvm::SmallVector<te::ReadOp> reads;
  op.walk([&](te::ReadOp read) {
    if (isSelfRead(op, read))
      reads.push_back(read);
  });
  if (reads.empty())
    return ordered; // no two instances write one element
  auto yield = mlir::cast<te::YieldOp>(op.getBlock().getTerminator());
  mlir::ValueRange target = yield.getAt();
  if (target.empty())
    target = op.getBlock().getArguments();
  llvm::SmallVector<bool> free(ordered.size(), false);
  bool everyDim = true;
  for (auto [dim, value] : llvm::enumerate(target)) {
    Subscript written = subscriptOf(value);
    bool same = llvm::all_of(reads, [&, dim = dim](te::ReadOp read) {
      return subscriptOf(read.getIndices()[dim]) == written;
    });
    everyDim &= same;
    // Different values of this index meet in no element.
    if (std::optional<unsigned> index = singleIndex(op, written); same && index)
      free[*index] = true;
  }
  // Each instance reads no element but its own.
  if (everyDim)
    return ordered;
  for (size_t index = 0; index < ordered.size(); ++index)
    ordered[index] = !free[index];
  return ordered;
}
