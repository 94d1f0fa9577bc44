//===- LowerTileExchange.cpp - merges and changes of layout ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTileImpl.h"

#include "passes/codegen/TileAccess.h"
#include "passes/codegen/TileMerge.h"

using namespace mlir;
using girih::layout::Layout;

namespace girih::codegen {

//===----------------------------------------------------------------------===//
// The scratch area
//===----------------------------------------------------------------------===//

void KernelLowering::meet() {
  emit.barrier();
  slotIsFree = {true, true};
}

void KernelLowering::meetToRead() {
  meet();
  slotIsFree[currentSlot] = false;
}

Value KernelLowering::toMemory(Value value) {
  return value.getType().isInteger(1)
             ? emit.extendUnsigned(value, builder.getI8Type())
             : value;
}

Value KernelLowering::fromMemory(Value value, Type element) {
  return element.isInteger(1) ? emit.compare(Compare::Ne, value, 0) : value;
}

Value KernelLowering::acquireScratch() {
  int slot = 0;
  if (plan.scratchSlots == 2 && !slotIsFree[0])
    slot = 1;
  if (!slotIsFree[slot])
    meet();
  currentSlot = slot;
  return emit.offset(sharedBase, builder.getI8Type(),
                     plan.scratchOffset + slot * plan.scratchBytes);
}

//===----------------------------------------------------------------------===//
// tile.merge
//===----------------------------------------------------------------------===//

/// The result of halving the cells l, l + step, l + 2 * step ... of `count`,
/// in an order that keeps few values alive.
static Value halve(int64_t l, int64_t step, int64_t count,
                   const std::function<Value(int64_t)> &cell,
                   const std::function<Value(Value, Value)> &combine) {
  if (step == count)
    return cell(l);
  Value low = halve(l, 2 * step, count, cell, combine);
  return combine(low, halve(l + step, 2 * step, count, cell, combine));
}

/// Value `index` of the level at which `width` = 2^level cells are paired.
static Value pairUp(int64_t index, int64_t width, int64_t count,
                    const std::function<Value(int64_t)> &cell,
                    const std::function<Value(Value, Value)> &combine) {
  if (width == 1)
    return cell(index);
  const int64_t below = (count + width / 2 - 1) / (width / 2);
  Value left = pairUp(2 * index, width / 2, count, cell, combine);
  if (2 * index + 1 >= below)
    return left;
  return combine(left, pairUp(2 * index + 1, width / 2, count, cell, combine));
}

/// Threads that differ in `threadBits` hold the cells to combine, by the first
/// of those bits first; each reads all of them and combines them itself.
Value KernelLowering::exchangeCombined(Value scratch, Type element,
                                       const std::vector<unsigned> &threadBits,
                                       int64_t slot, int kind) {
  unsigned mask = 0;
  for (unsigned bit : threadBits)
    mask |= 1u << bit;
  Value rest = emit.integer(Int::And, thread, ~static_cast<int64_t>(mask));
  Type stored = memoryType(element);
  Value pointer = emit.offset(scratch, stored, rest);
  const size_t bits = threadBits.size();
  auto cell = [&](int64_t number) {
    int64_t at = slot * kernel.getThreads();
    for (size_t i = 0; i < bits; ++i)
      if (number >> (bits - 1 - i) & 1)
        at += int64_t(1) << threadBits[i];
    return fromMemory(
        emit.load(emit.offset(pointer, stored, at), stored, 1).front(),
        element);
  };
  auto combine = [&](Value a, Value b) {
    return scalarLowering.combine(kind, element, a, b, emit.getLoc());
  };
  return halve(0, 1, int64_t(1) << bits, cell, combine);
}

KernelLowering::Values KernelLowering::mergeByBits(tile::MergeOp op) {
  const Layout cells = tile::layoutOf(op.getCells());
  const Values values = of(op.getCells());
  Type element = op.getCells().getType().getElementType();
  const int kind = static_cast<int>(op.getKind());
  // By register of the result: cell part -> value.
  std::vector<std::map<int64_t, Value>> live(
      tile::layoutOf(op.getResult()).registerCount());
  for (auto [reg, to] : llvm::enumerate(mergedRegisters(cells)))
    live[to.result][to.cell] = values[reg];

  const std::vector<MergeStep> steps = *mergeSteps(cells, bitOrderOf(op));
  for (const MergeStep &step : steps) {
    switch (step.kind) {
    case MergeStep::Kind::Register:
      for (std::map<int64_t, Value> &row : live) {
        std::map<int64_t, Value> lower;
        for (auto [cell, value] : row)
          if (!(cell & step.cellStride))
            lower[cell] = scalarLowering.combine(kind, element, value,
                                                 row.at(cell + step.cellStride),
                                                 op.getLoc());
        row = lower;
      }
      break;
    case MergeStep::Kind::Shuffle:
      // Both lanes compute the sum; addition commutes.
      for (std::map<int64_t, Value> &row : live)
        for (auto &[cell, value] : row)
          value = scalarLowering.combine(kind, element, value,
                                         emit.shuffleXor(value, step.laneMask),
                                         op.getLoc());
      break;
    case MergeStep::Kind::Exchange: {
      Value scratch = acquireScratch();
      Type stored = memoryType(element);
      Value mine = emit.offset(scratch, stored, thread);
      int64_t slot = 0;
      for (std::map<int64_t, Value> &row : live)
        for (auto &[cell, value] : row)
          emit.store(toMemory(value),
                     emit.offset(mine, stored, slot++ * kernel.getThreads()));
      meetToRead();
      slot = 0;
      for (std::map<int64_t, Value> &row : live)
        for (auto &[cell, value] : row)
          value =
              exchangeCombined(scratch, element, step.threadBits, slot++, kind);
      break;
    }
    }
  }
  Values result;
  for (std::map<int64_t, Value> &row : live)
    result.push_back(row.begin()->second);
  return result;
}

/// The general way: every thread that holds a result reads all of its cells,
/// from its own registers or from shared memory, and combines them itself.
KernelLowering::Values KernelLowering::mergeGathered(tile::MergeOp op) {
  const Layout cells = tile::layoutOf(op.getCells());
  const Layout to = tile::layoutOf(op.getResult());
  const Values values = of(op.getCells());
  Type element = op.getCells().getType().getElementType();
  const int64_t count = cells.shape.back();
  const int kind = static_cast<int>(op.getKind());
  auto combine = [&](Value a, Value b) {
    return scalarLowering.combine(kind, element, a, b, op.getLoc());
  };
  std::function<Value(int64_t, int64_t)> cellOf;

  std::vector<std::map<int64_t, Value>> own(to.registerCount());
  Value scratch;
  std::vector<std::vector<int64_t>> rowOffsets;
  if (cells.threadTerms(cells.rank() - 1).empty()) {
    for (auto [reg, merged] : llvm::enumerate(mergedRegisters(cells)))
      own[merged.result].try_emplace(merged.cell, values[reg]);
    cellOf = [&](int64_t result, int64_t cell) { return own[result].at(cell); };
  } else {
    const std::vector<int64_t> strides = denseStrides(cells.shape);
    scratch = acquireScratch();
    writeShared(cells, strides, scratch, values);
    meetToRead();
    const std::vector<int64_t> row(strides.begin(), strides.end() - 1);
    if (Value part = threadPart(to, row, emit.i32()))
      scratch = emit.offset(scratch, memoryType(element), part);
    rowOffsets = registerParts(to, row, 1);
    cellOf = [&](int64_t result, int64_t cell) {
      Type stored = memoryType(element);
      Value at = emit.offset(scratch, stored, rowOffsets[result][0] + cell);
      return fromMemory(emit.load(at, stored, 1).front(), element);
    };
  }
  int64_t width = 1;
  while (width < count)
    width *= 2;
  Values result;
  for (int64_t reg = 0; reg < to.registerCount(); ++reg) {
    auto cell = [&](int64_t number) { return cellOf(reg, number); };
    result.push_back(op.getOrder() == tile::MergeOrder::Halving
                         ? halve(0, 1, count, cell, combine)
                         : pairUp(0, width, count, cell, combine));
  }
  return result;
}

LogicalResult KernelLowering::lowerMerge(tile::MergeOp op) {
  const Layout cells = tile::layoutOf(op.getCells());
  if (mergeSteps(cells, bitOrderOf(op))) {
    set(op, mergeByBits(op));
    return success();
  }
  // Each read is an instruction of its own.
  constexpr int64_t kMost = 256;
  const int64_t reads =
      cells.shape.back() * tile::layoutOf(op.getResult()).registerCount();
  if (!cells.threadTerms(cells.rank() - 1).empty() && reads > kMost)
    return op.emitOpError("would read ")
           << reads << " cells of other threads one by one, and at most "
           << kMost
           << " are; where the number of cells and of threads below them are "
              "powers of two, cells are combined bit by bit";
  set(op, mergeGathered(op));
  return success();
}

//===----------------------------------------------------------------------===//
// tile.convert
//===----------------------------------------------------------------------===//

void KernelLowering::lowerConvert(tile::ConvertOp op) {
  const auto [from, dims] = sourceOf(op);
  const Layout to = tile::layoutOf(op.getResult());
  const Values values = of(op.getValue());
  Type element = op.getValue().getType().getElementType();
  const ConvertPlan how = planConvert(from, to, dims, tile::bytesOf(element));
  if (how.inRegisters) {
    Values result;
    const std::vector<int64_t> map = *to.registerMapFrom(from, dims);
    for (int64_t reg : map)
      result.push_back(values[reg]);
    set(op, result);
    return;
  }
  Value scratch = acquireScratch();
  writeShared(from, how.strides, scratch, values);
  meetToRead();
  set(op, readShared(to, readStrides(how.strides, to.rank(), dims), scratch,
                     element));
}

} // namespace girih::codegen
