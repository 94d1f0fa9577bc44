//===- LowerTileDeferred.cpp - registers made when they are used ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neither LLVM nor ptxas moves hundreds of computations of a block to where
// they are used. A map over a long row that is emitted as a whole keeps all of
// its results alive.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTileImpl.h"

#include <set>

using namespace mlir;
using girih::layout::Layout;

namespace girih::codegen {

/// Fragments of so many registers are made at once.
static constexpr int64_t kFewRegisters = 16;
/// As many conditions are tested one by one: those of one vector.
static constexpr size_t kFewConditions = 16;

bool KernelLowering::mayDefer(Operation *op) {
  auto type = dyn_cast<tile::FragType>(op->getResult(0).getType());
  return type && type.parsedLayout().registerCount() > kFewRegisters &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return user->getBlock() == op->getBlock();
         });
}

Value KernelLowering::element(Value value, int64_t reg) {
  auto later = deferred.find(value);
  if (later == deferred.end())
    return of(value)[reg];
  if (Value made = later->second.made[reg])
    return made;
  // Making it may defer nothing, but may make others.
  const std::function<Value(int64_t)> make = later->second.make;
  Value made = make(reg);
  deferred.find(value)->second.made[reg] = made;
  return made;
}

void KernelLowering::makeAll(Value value) {
  const size_t count = deferred.find(value)->second.made.size();
  Values all;
  for (size_t reg = 0; reg < count; ++reg)
    all.push_back(element(value, int64_t(reg)));
  deferred.erase(value);
  set(value, std::move(all));
}

Value KernelLowering::unknownZero() {
  Value &zero = threadCache["unknown zero"];
  if (!zero) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(prologueEnd);
    zero = emit.unknownZero();
  }
  return zero;
}

void KernelLowering::deferPacked(Value value, const Values &registers) {
  Type type = registers.front().getType();
  if (type.getIntOrFloatBitWidth() != 16 || registers.size() % 2) {
    set(value, registers);
    return;
  }
  Values words;
  for (size_t reg = 0; reg < registers.size(); reg += 2)
    words.push_back(emit.packed(registers[reg], registers[reg + 1]));
  defer(value, int64_t(registers.size()), [this, words, type](int64_t reg) {
    return emit.parts(words[reg / 2], type)[reg % 2];
  });
}

void KernelLowering::lowerRegroup(tile::RegroupOp op) {
  const int64_t count = tile::layoutOf(op.getResult()).registerCount();
  Value source = op.getValue();
  if (!op.getFresh() && !deferred.contains(source)) {
    Values same = of(source);
    set(op, std::move(same));
    return;
  }
  if (!op.getFresh()) {
    defer(op, count,
          [this, source](int64_t reg) { return element(source, reg); });
    return;
  }
  const Value nothing = unknownZero();
  // Renewed word by word: the elements of one together.
  const unsigned bits = heldType(op.getValue().getType().getElementType())
                            .getIntOrFloatBitWidth();
  const int64_t each = bits == 8 || bits == 16 ? 32 / bits : 1;
  if (!mayDefer(op) || count % each != 0) {
    Values values = of(source);
    set(op, emit.renewed(values, nothing));
    return;
  }
  defer(op, count, [this, op, source, each, nothing](int64_t reg) mutable {
    const int64_t from = reg / each * each;
    Values old;
    for (int64_t i = 0; i < each; ++i)
      old.push_back(element(source, from + i));
    Values renewed = emit.renewed(old, nothing);
    // The others of the word at hand.
    Deferred &ours = deferred.find(op.getResult())->second;
    for (int64_t i = 0; i < each; ++i)
      ours.made[from + i] = renewed[i];
    return renewed[reg - from];
  });
}

bool KernelLowering::isSettled(const Validity &validity,
                               const std::vector<int64_t> &parts) {
  bool holds = true;
  for (auto [part, range] : llvm::zip(parts, validity.ranges)) {
    if (range && range->most + part < 0)
      return true; // nowhere
    holds &= range && range->least + part >= 0;
  }
  return holds;
}

bool KernelLowering::isNearlySettled(const Validity &validity) {
  std::set<std::vector<int64_t>> open, all;
  for (const std::vector<int64_t> &parts : validity.parts) {
    all.insert(parts);
    if (!isSettled(validity, parts))
      open.insert(parts);
  }
  return open.empty() ||
         (open.size() < all.size() && open.size() <= kFewConditions);
}

} // namespace girih::codegen
