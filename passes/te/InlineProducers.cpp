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

/// Whether each run of what is around `read` reads another element: its
/// subscripts are all the indices around it, each once.
static bool readsEachOnce(ReadOp read) {
  // What a scatter reads stays in memory.
  if (read.getGuarded() || !read->getParentOfType<ComputeOp>())
    return false;
  llvm::SmallPtrSet<Value, 8> subscripts;
  for (Value index : read.getIndices()) {
    auto argument = dyn_cast<BlockArgument>(index);
    if (!argument || isa<ForOp>(argument.getOwner()->getParentOp()) ||
        !subscripts.insert(index).second)
      return false;
  }
  return subscripts.size() == countEnclosingIndices(read);
}

/// The only reader of `compute`, when it reads each element once.
static ReadOp onlyReader(ComputeOp compute) {
  if (!compute->hasOneUse())
    return {};
  auto read = dyn_cast<ReadOp>(*compute->user_begin());
  return read && readsEachOnce(read) ? read : ReadOp();
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

//===----------------------------------------------------------------------===//
// Long rows
//===----------------------------------------------------------------------===//

/// Elements of a row that threads of one block keep in registers: 256 threads,
/// 32 each (TileChoice.cpp has the same).
constexpr int64_t kHeldRow = 256 * 32;
/// Calls of exp and the like that are made again rather than an f32 is stored
/// and loaded again.
constexpr int kMostCalls = 2;

/// Whether every row of the tensor is known to have at most kHeldRow elements.
static bool isShortRow(ComputeOp compute) {
  auto func = compute->getParentOfType<FuncOp>();
  LinearExtent length = linearOf(compute.getType().getShape().back());
  int64_t most = length.constant;
  for (auto [size, factor] : length.terms) {
    int64_t bound = func.getGiven()[func.findSize(size.getValue())];
    for (Attribute entry : func.getConstraints())
      if (auto known = dyn_cast<SizeConstraintAttr>(entry);
          bound < 0 && known && known.getSize() == size &&
          known.getKind() == ConstraintKind::AtMost)
        bound = known.getValue();
    if (bound < 0 || factor < 0 || bound > kHeldRow || factor > kHeldRow)
      return false;
    most += factor * bound;
  }
  return most <= kHeldRow;
}

/// Whether computing an element reads fewer bytes than the element has, none of
/// them chosen by data, and calls few functions.
static bool isCheapAlongRow(ComputeOp compute) {
  Block &body = compute.getBlock();
  BlockArgument along = body.getArguments().back();
  unsigned bytes = 0;
  int calls = 0;
  for (Operation &op : body) {
    if (isa<UnaryOp>(op))
      ++calls;
    auto read = dyn_cast<ReadOp>(op);
    if (!read)
      continue;
    if (read.getGuarded() || llvm::any_of(read.getIndices(), [](Value index) {
          return isComputed(index);
        }))
      return false;
    if (llvm::is_contained(read.getIndices(), along))
      bytes += bytesOf(read.getType());
  }
  return bytes <= bytesOf(compute.getType().getElementType()) &&
         calls <= kMostCalls;
}

/// The reads of a temporary's rows, where computing it for each is better than
/// keeping it; else none.
static SmallVector<ReadOp> readersOfLongRows(ComputeOp compute) {
  if (compute.getType().getRank() == 0 || isShortRow(compute) ||
      !isCheapAlongRow(compute))
    return {};
  SmallVector<ReadOp> reads;
  bool isReduced = false;
  for (Operation *user : compute->getUsers()) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read || !readsEachOnce(read))
      return {};
    reads.push_back(read);
    auto index = cast<BlockArgument>(read.getIndices().back());
    isReduced |= isa<ReduceOp>(index.getOwner()->getParentOp());
  }
  return isReduced ? reads : SmallVector<ReadOp>();
}

static void computeAt(ReadOp read, ComputeOp compute) {
  IRMapping mapping;
  Block &body = compute.getBlock();
  for (auto [argument, index] :
       llvm::zip_equal(body.getArguments(), read.getIndices()))
    mapping.map(argument, index);
  OpBuilder builder(read);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  auto yield = cast<YieldOp>(body.getTerminator());
  read.getResult().replaceAllUsesWith(mapping.lookup(yield.getValue()));
  read.erase();
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
    for (ComputeOp compute : llvm::reverse(computes)) {
      if (!isMap(compute) || llvm::is_contained(keep, compute.getName()))
        continue;
      if (ReadOp read = onlyReader(compute); read && mayMoveTo(compute, read)) {
        inlineInto(read, compute);
        continue;
      }
      if (!rows)
        continue;
      SmallVector<ReadOp> readers = readersOfLongRows(compute);
      if (readers.empty() || !llvm::all_of(readers, [&](ReadOp read) {
            return mayMoveTo(compute, read);
          }))
        continue;
      for (ReadOp read : readers)
        computeAt(read, compute);
      compute.erase();
    }
  }
};
} // namespace
