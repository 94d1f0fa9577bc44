//===- LowerTileGather.cpp - places that data or rules choose -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTileImpl.h"

#include "passes/codegen/TileAccess.h"

using namespace mlir;
using girih::layout::Layout;

namespace girih::codegen {

using Parts = std::vector<int64_t>;

Value KernelLowering::bringInside(tile::BoundRule rule, Value subscript,
                                  Value extent) {
  Value last = emit.integer(Int::Sub, extent, 1);
  // The remainder of a division that rounds down, by a positive number.
  auto modulo = [&](Value value, Value period) {
    Value rest = emit.integer(Int::RemSigned, value, period);
    Value negative = emit.compare(Compare::SignedLt, rest, 0);
    return emit.select(negative, emit.add(rest, period), rest);
  };
  switch (rule) {
  case tile::BoundRule::None:
  case tile::BoundRule::Skip:
    return subscript;
  case tile::BoundRule::Clamp: {
    Value least = emit.constant(emit.i64(), 0);
    return emit.integer(Int::MaxSigned,
                        emit.integer(Int::MinSigned, subscript, last), least);
  }
  case tile::BoundRule::Wrap:
    return modulo(subscript, extent);
  case tile::BoundRule::Reflect: {
    // There and back: 0 1 .. n-1 .. 1. With one element the period is 0 and
    // everything is element 0, which the remainder by 1 says too.
    Value twice = emit.integer(Int::Mul, last, 2);
    Value one = emit.constant(emit.i64(), 1);
    Value place = modulo(subscript, emit.integer(Int::MaxSigned, twice, one));
    return emit.integer(Int::MinSigned, place,
                        emit.integer(Int::Sub, twice, place));
  }
  }
  return subscript;
}

/// Where the elements of one access lie. Subscripts and offsets have 64 bits.
template <typename Access>
KernelLowering::Computed KernelLowering::computed(Access op,
                                                  const Layout &layout) {
  Computed result;
  const std::vector<int64_t> coefficients = toVector(op.getCoefficients());
  result.tensor = of(op.getTensor());
  result.element = memoryType(op.getTensor().getType().getElementType());
  result.deltas = registerParts(layout, coefficients, op.getBases().size());
  result.subscripts = threadValues(layout, op.getBases(), coefficients);
  result.extents = scalars(op.getExtents());
  result.valid =
      validity(layout, op.getValidBases(), op.getValidCoefficients());
  for (int32_t rule : op.getRules())
    result.rules.push_back(static_cast<tile::BoundRule>(rule));
  result.gathered.resize(result.rules.size());
  for (auto [values, dim] : llvm::zip(op.getGathered(), op.getGatheredDims()))
    result.gathered[dim] = of(values);
  return result;
}

Value KernelLowering::condition(const Computed &access, int64_t reg) {
  Value all = access.valid.everywhere()
                  ? Value()
                  : holds(access.valid, access.valid.parts[reg]);
  for (size_t s = 0; s < access.rules.size(); ++s)
    if (access.rules[s] == tile::BoundRule::Skip) {
      // Below 0 is far above the extent.
      Value inside = emit.compare(
          Compare::UnsignedLt, subscriptOf(access, s, reg), access.extents[s]);
      all = both(all, inside);
    }
  return all;
}

Value KernelLowering::subscriptOf(const Computed &access, size_t s,
                                  int64_t reg) {
  Value subscript =
      emit.integer(Int::Add, access.subscripts[s], access.deltas[reg][s]);
  if (!access.gathered[s].empty())
    subscript = emit.add(subscript, access.gathered[s][reg]);
  return subscript;
}

Value KernelLowering::pointerTo(const Computed &access, int64_t reg) {
  Value pointer = access.tensor[0];
  for (size_t s = 0; s < access.subscripts.size(); ++s) {
    Value subscript = bringInside(access.rules[s], subscriptOf(access, s, reg),
                                  access.extents[s]);
    pointer =
        emit.offset(pointer, access.element,
                    emit.integer(Int::Mul, subscript, access.tensor[s + 1]));
  }
  return pointer;
}

/// One element a register, each under its own condition.
void KernelLowering::lowerLoadBound(tile::LoadBoundOp op) {
  const Layout layout = tile::layoutOf(op.getResult());
  const Computed access = computed(op, layout);
  const bool invariant = !written.contains(op.getTensor());
  const bool isPredicate =
      op.getTensor().getType().getElementType().isInteger(1);
  // Registers that read the same element under the same condition share it.
  std::map<std::tuple<Parts, Parts, std::vector<void *>>, Value> known;
  Values result;
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
    std::vector<void *> chosenBy;
    for (const Values &values : access.gathered)
      if (!values.empty())
        chosenBy.push_back(values[reg].getAsOpaquePointer());
    Value &value =
        known[{access.deltas[reg], access.valid.parts[reg], chosenBy}];
    if (!value) {
      auto load = [&] {
        return emit.load(pointerTo(access, reg), access.element, 1, invariant);
      };
      Value when = condition(access, reg);
      value =
          (when ? emit.choose(when, load,
                              [&] { return Values{emit.zero(access.element)}; })
                : load())
              .front();
      if (isPredicate)
        value = emit.compare(Compare::Ne, value, 0);
    }
    result.push_back(value);
  }
  set(op, result);
}

/// The registers of a layout in lexicographic order of their coordinates.
static std::vector<int64_t> registersInOrder(const Layout &layout) {
  std::vector<int64_t> order;
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg)
    if (ownsItsElement(layout, reg))
      order.push_back(reg);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return layout.registerPart(a) < layout.registerPart(b);
  });
  return order;
}

/// The number of te::ReduceKind that combines as `kind` does.
static int combineKind(tile::ScatterKind kind) {
  return kind == tile::ScatterKind::Add   ? 0
         : kind == tile::ScatterKind::Max ? 2
                                          : 3;
}

void KernelLowering::lowerScatter(tile::ScatterOp op) {
  const Layout layout = tile::layoutOf(op.getValue());
  const Computed access = computed(op, layout);
  const Type type = op.getTensor().getType().getElementType();
  const Values values = of(op.getValue());
  auto nothing = [] { return Values(); };
  auto putAll = [&] {
    for (int64_t reg : registersInOrder(layout)) {
      auto putOne = [&] {
        Value pointer = pointerTo(access, reg);
        Value value = values[reg];
        if (op.getAtomic()) {
          emit.atomic(combineKind(op.getKind()), type.isUnsignedInteger(),
                      pointer, value);
          return Values();
        }
        if (op.getKind() != tile::ScatterKind::Set)
          value = scalarLowering.combine(
              combineKind(op.getKind()), type,
              emit.load(pointer, access.element, 1).front(), value,
              emit.getLoc());
        if (type.isInteger(1))
          value = emit.extendUnsigned(value, access.element);
        emit.store(value, pointer);
        return Values();
      };
      if (Value when = condition(access, reg))
        emit.choose(when, putOne, nothing);
      else
        putOne();
    }
    return Values();
  };
  if (Value owner = ownerCondition(layout))
    emit.choose(owner, putAll, nothing);
  else
    putAll();
}

} // namespace girih::codegen
