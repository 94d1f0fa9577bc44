//===- InlineProducers.cpp - elements computed where they are read --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/te/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace girih::te;

namespace girih::te {
#define GEN_PASS_DEF_INLINEPRODUCERS
#include "passes/te/Passes.h.inc"
} // namespace girih::te

/// Number of indices of all regions around `op` up to its te.compute.
static unsigned countEnclosingIndices(Operation *op) {
  unsigned count = 0;
  for (Operation *around = op->getParentOp(); isa<ComputeOp, ReduceOp>(around);
       around = around->getParentOp())
    count += around->getRegion(0).getNumArguments();
  return count;
}

/// The only reader of `compute`, when each of its runs reads another element:
/// its subscripts are all the indices around it, each once.
static ReadOp onlyReader(ComputeOp compute) {
  if (!compute->hasOneUse())
    return {};
  auto read = dyn_cast<ReadOp>(*compute->user_begin());
  // What a scatter reads stays in memory.
  if (!read || read.getGuarded() || !read->getParentOfType<ComputeOp>())
    return {};
  llvm::SmallPtrSet<Value, 8> subscripts;
  for (Value index : read.getIndices()) {
    auto argument = dyn_cast<BlockArgument>(index);
    if (!argument || isa<ForOp>(argument.getOwner()->getParentOp()) ||
        !subscripts.insert(index).second)
      return {};
  }
  return subscripts.size() == countEnclosingIndices(read) ? read : ReadOp();
}

/// A map that defines every element of a tensor of its own.
static bool isMap(ComputeOp compute) {
  return compute.isWhole() && compute.getBlock().getOps<ReduceOp>().empty();
}

/// Whether what `compute` reads still has its values where `read` stands: the
/// reader is in the same block (not repeated in time) and nothing up to it, nor
/// itself, writes into a tensor that `compute` reads.
static bool mayMoveTo(ComputeOp compute, ReadOp read) {
  auto reader = read->getParentOfType<ComputeOp>();
  if (reader->getBlock() != compute->getBlock())
    return false;
  auto overwritesBefore = [&](Operation *user, Value tensor) {
    auto writer = dyn_cast<ComputeOp>(user);
    bool overwrites =
        isa<ForOp>(user) || (writer && writer.getInto() == tensor);
    return overwrites && user->getBlock() == reader->getBlock() &&
           (user == reader || user->isBeforeInBlock(reader));
  };
  return llvm::all_of(compute.getBlock().getOps<ReadOp>(), [&](ReadOp operand) {
    Value tensor = operand.getTensor();
    return llvm::none_of(tensor.getUsers(), [&](Operation *user) {
      return overwritesBefore(user, tensor);
    });
  });
}

static void inlineInto(ReadOp read, ComputeOp compute) {
  // Its reductions become the reader's.
  auto reader = read->getParentOfType<ComputeOp>();
  StringAttr owner =
      reader.getPartOfAttr() ? reader.getPartOfAttr() : reader.getNameAttr();
  for (auto part : compute->getBlock()->getOps<ComputeOp>())
    if (part.getPartOf() == compute.getName())
      part.setPartOfAttr(owner);
  Block &body = compute.getBlock();
  for (auto [argument, index] :
       llvm::zip_equal(body.getArguments(), read.getIndices()))
    argument.replaceAllUsesWith(index);
  auto yield = cast<YieldOp>(body.getTerminator());
  read.getResult().replaceAllUsesWith(yield.getValue());
  read->getBlock()->getOperations().splice(read->getIterator(),
                                           body.getOperations(), body.begin(),
                                           yield->getIterator());
  read.erase();
  compute.erase();
}

namespace {
struct InlineProducersPass
    : girih::te::impl::InlineProducersBase<InlineProducersPass> {
  using InlineProducersBase::InlineProducersBase;
  void runOnOperation() override {
    // Readers first: of a chain of maps each is moved once.
    SmallVector<ComputeOp> computes;
    getOperation().walk(
        [&](ComputeOp compute) { computes.push_back(compute); });
    for (ComputeOp compute : llvm::reverse(computes))
      if (isMap(compute) && !llvm::is_contained(keep, compute.getName()))
        if (ReadOp read = onlyReader(compute); read && mayMoveTo(compute, read))
          inlineInto(read, compute);
  }
};
} // namespace
