//===- LowerTileMemory.cpp - loads and stores of fragments ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTileImpl.h"

#include "passes/codegen/TileAccess.h"

#include <set>

using namespace mlir;
using girih::layout::Layout;

namespace girih::codegen {

using Parts = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

namespace {

/// One memory instruction of a thread: the registers from `reg` on.
struct Touch {
  int64_t reg = 0;
  Parts deltas; ///< what the register adds to the subscripts
  Parts valid;  ///< what the register adds to the constraints
};

/// The pointers of one access: the thread's own, and for each register the
/// constant multiples of the strides that it adds. Those are formed in the
/// block that accesses memory: addresses of 64 bits that live across blocks
/// would take more registers than the values.
class Pointers {
public:
  Pointers(LlvmEmitter &emit, tile::GlobalType type, Value pointer,
           ValueRange strides, const LlvmEmitter::Values &subscripts)
      : emit(emit), element(memoryType(type.getElementType())),
        strides(strides), lastIsDense(type.getVector() > 1) {
    start = pointer;
    for (size_t s = 0; s < subscripts.size(); ++s)
      start = emit.offset(start, element, scaled(subscripts[s], s));
  }

  /// What was formed elsewhere is not used in the block that begins here.
  void beginBlock() { rows.clear(); }

  Value at(const Parts &deltas) {
    Parts strided = deltas;
    int64_t dense = 0;
    if (lastIsDense)
      dense = std::exchange(strided.back(), 0);
    Value &row = rows[strided];
    if (!row) {
      row = start;
      for (size_t s = 0; s < strided.size(); ++s)
        if (strided[s])
          row = emit.offset(row, element,
                            scaled(emit.constant(emit.i64(), strided[s]), s));
    }
    return emit.offset(row, element, dense);
  }

private:
  Value scaled(Value subscript, size_t s) {
    if (lastIsDense && s + 1 == strides.size())
      return subscript;
    return emit.integer(Int::Mul, subscript, strides[s]);
  }

  LlvmEmitter &emit;
  Type element;
  ValueRange strides;
  bool lastIsDense;
  Value start;
  std::map<Parts, Value> rows;
};

} // namespace

/// The validity parts of all touches, and the distinct ones.
static std::vector<Parts> distinctValid(const std::vector<Touch> &touches) {
  std::set<Parts> distinct;
  for (const Touch &touch : touches)
    distinct.insert(touch.valid);
  return {distinct.begin(), distinct.end()};
}

void KernelLowering::lowerLoad(tile::LoadOp op) {
  const Layout layout = tile::layoutOf(op.getResult());
  tile::GlobalType type = op.getTensor().getType();
  Type element = memoryType(type.getElementType());
  const int64_t vector = op.getVector();
  const Values tensor = of(op.getTensor());
  const std::vector<int64_t> coefficients = toVector(op.getCoefficients());
  const std::vector<Parts> deltas =
      registerParts(layout, coefficients, op.getBases().size());
  Pointers pointers(emit, type, tensor[0], ValueRange(tensor).drop_front(),
                    threadValues(layout, op.getBases(), coefficients));
  Validity valid =
      validity(layout, op.getValidBases(), op.getValidCoefficients());
  // What is loaded where follows from the conditions alone (compiler/cost
  // counts it), not from which of them are known beforehand.
  valid.ranges.assign(valid.ranges.size(), std::nullopt);

  // Registers that read the same element under the same condition share one
  // load.
  std::vector<Touch> touches;
  std::map<std::pair<Parts, Parts>, size_t> known;
  std::vector<std::pair<size_t, int64_t>> source; // by register: touch, lane
  for (int64_t reg = 0; reg < layout.registerCount(); reg += vector) {
    auto [place, isNew] =
        known.try_emplace({deltas[reg], valid.parts[reg]}, touches.size());
    if (isNew)
      touches.push_back({reg, deltas[reg], valid.parts[reg]});
    for (int64_t lane = 0; lane < vector; ++lane)
      source.push_back({place->second, lane});
  }

  // Nobody writes a tensor that the kernel does not: its loads may be cached.
  const bool invariant = !written.contains(op.getTensor());
  // Parts of a word stay words until the blocks join: what converts them there
  // then works on words too.
  const int64_t perWord =
      std::max<int64_t>(32 / element.getIntOrFloatBitWidth(), 1);
  const bool inWords = perWord > 1 && vector % perWord == 0;
  Type unit = inWords ? emit.i32() : element;
  const int64_t units = inWords ? vector / perWord : vector;
  auto loadThose = [&](const Parts *only) {
    pointers.beginBlock();
    Values loaded;
    for (const Touch &touch : touches)
      if (!only || touch.valid == *only)
        llvm::append_range(loaded, emit.load(pointers.at(touch.deltas), unit,
                                             units, invariant));
    return loaded;
  };
  auto zeros = [&](size_t count) { return Values(count, emit.zero(unit)); };
  const size_t total = touches.size() * units;

  Values loaded;
  if (valid.everywhere()) {
    loaded = loadThose(nullptr);
  } else {
    const std::vector<Parts> distinct = distinctValid(touches);
    auto groupByGroup = [&] {
      Values merged(total);
      for (const Parts &parts : distinct) {
        SmallVector<size_t> members;
        for (size_t t = 0; t < touches.size(); ++t)
          if (touches[t].valid == parts)
            members.push_back(t);
        Values group = emit.choose(
            holds(valid, parts), [&] { return loadThose(&parts); },
            [&] { return zeros(members.size() * units); });
        for (auto [i, t] : llvm::enumerate(members))
          for (int64_t u = 0; u < units; ++u)
            merged[t * units + u] = group[i * units + u];
      }
      return merged;
    };
    // Most threads hold valid elements only: they issue all loads in a row.
    loaded = distinct.size() == 1
                 ? groupByGroup()
                 : emit.choose(
                       allHold(valid, distinct),
                       [&] { return loadThose(nullptr); }, groupByGroup);
  }
  const bool isBool = type.getElementType().isInteger(1);
  if (inWords && !isBool && mayDefer(op)) {
    // Words are what stays; their parts are taken out where they are used.
    defer(op, layout.registerCount(),
          [this, loaded, source, vector, perWord, element](int64_t reg) {
            auto [touch, lane] = source[reg];
            const int64_t at = touch * vector + lane;
            return emit.parts(loaded[at / perWord], element)[at % perWord];
          });
    return;
  }
  if (inWords) {
    Values parts;
    for (Value word : loaded)
      llvm::append_range(parts, emit.parts(word, element));
    loaded = parts;
  }
  if (type.getElementType().isInteger(1))
    for (Value &value : loaded)
      value = emit.compare(Compare::Ne, value, 0);
  Values result;
  for (auto [touch, lane] : source)
    result.push_back(loaded[touch * vector + lane]);
  if (perWord > 1 && !isBool && mayDefer(op))
    deferPacked(op, result);
  else
    set(op, result);
}

void KernelLowering::lowerStore(tile::StoreOp op) {
  const Layout layout = tile::layoutOf(op.getValue());
  tile::GlobalType type = op.getTensor().getType();
  const int64_t vector = op.getVector();
  const Values tensor = of(op.getTensor());
  const std::vector<int64_t> coefficients = toVector(op.getCoefficients());
  const std::vector<Parts> deltas =
      registerParts(layout, coefficients, op.getBases().size());
  Pointers pointers(emit, type, tensor[0], ValueRange(tensor).drop_front(),
                    threadValues(layout, op.getBases(), coefficients));
  const Validity valid =
      validity(layout, op.getValidBases(), op.getValidCoefficients());

  const Value owner = ownerCondition(layout);
  if (owner || !isNearlySettled(valid))
    of(op.getValue());
  auto valuesFrom = [&](int64_t reg) {
    Values values;
    for (int64_t lane = 0; lane < vector; ++lane) {
      Value value = this->element(op.getValue(), reg + lane);
      values.push_back(type.getElementType().isInteger(1)
                           ? emit.extendUnsigned(value, builder.getI8Type())
                           : value);
    }
    return values;
  };
  std::vector<Touch> touches;
  for (int64_t reg = 0; reg < layout.registerCount(); reg += vector)
    if (ownsItsElement(layout, reg))
      touches.push_back({reg, deltas[reg], valid.parts[reg]});
  auto storeThose = [&](const Parts *only) {
    pointers.beginBlock();
    for (const Touch &touch : touches)
      if (!only || touch.valid == *only)
        emit.store(valuesFrom(touch.reg), pointers.at(touch.deltas));
    return Values();
  };
  // Made in front of the condition, so that others may use them too.
  auto makeThose = [&](const Parts &only) {
    for (const Touch &touch : touches)
      if (touch.valid == only)
        valuesFrom(touch.reg);
  };
  auto nothing = [] { return Values(); };
  auto storeValid = [&] {
    if (valid.everywhere())
      return storeThose(nullptr);
    const std::vector<Parts> distinct = distinctValid(touches);
    auto groupByGroup = [&] {
      for (const Parts &parts : distinct) {
        Value condition = holds(valid, parts);
        if (condition && !isSettled(valid, parts))
          makeThose(parts);
        emit.choose(
            condition, [&] { return storeThose(&parts); }, nothing);
      }
      return Values();
    };
    return distinct.size() == 1 || isNearlySettled(valid)
               ? groupByGroup()
               : emit.choose(
                     allHold(valid, distinct),
                     [&] { return storeThose(nullptr); }, groupByGroup);
  };
  if (owner)
    emit.choose(owner, storeValid, nothing);
  else
    storeValid();
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

KernelLowering::Values
KernelLowering::readShared(const Layout &layout,
                           const std::vector<int64_t> &strides, Value pointer,
                           Type element) {
  const bool isPredicate = element.isInteger(1);
  Type stored = memoryType(element);
  if (Value part = threadPart(layout, strides, emit.i32()))
    pointer = emit.offset(pointer, stored, part);
  std::vector<int64_t> offsets;
  for (const Parts &parts : registerParts(layout, strides, 1))
    offsets.push_back(parts[0]);
  std::map<int64_t, Value> values;
  for (const Run &run : coverByRuns(offsets, threadGranule(layout, strides),
                                    128 / stored.getIntOrFloatBitWidth())) {
    Values loaded =
        emit.load(emit.offset(pointer, stored, run.offset), stored, run.width);
    for (unsigned i = 0; i < run.width; ++i)
      values[run.offset + i] =
          isPredicate ? emit.compare(Compare::Ne, loaded[i], 0) : loaded[i];
  }
  Values result;
  for (int64_t offset : offsets)
    result.push_back(values[offset]);
  return result;
}

void KernelLowering::writeShared(const Layout &layout,
                                 const std::vector<int64_t> &strides,
                                 Value pointer, ValueRange values) {
  Type element = values.front().getType();
  const bool isPredicate = element.isInteger(1);
  Type stored = memoryType(element);
  if (Value part = threadPart(layout, strides, emit.i32()))
    pointer = emit.offset(pointer, stored, part);
  std::vector<int64_t> offsets;
  std::map<int64_t, Value> byOffset;
  for (auto [reg, parts] : llvm::enumerate(registerParts(layout, strides, 1))) {
    offsets.push_back(parts[0]);
    byOffset.try_emplace(parts[0], values[reg]);
  }
  auto writeAll = [&] {
    for (const Run &run : coverByRuns(offsets, threadGranule(layout, strides),
                                      128 / stored.getIntOrFloatBitWidth())) {
      Values together;
      for (unsigned i = 0; i < run.width; ++i) {
        Value value = byOffset[run.offset + i];
        together.push_back(isPredicate ? emit.extendUnsigned(value, stored)
                                       : value);
      }
      emit.store(together, emit.offset(pointer, stored, run.offset));
    }
    return Values();
  };
  if (Value owner = ownerCondition(layout))
    emit.choose(owner, writeAll, [] { return Values(); });
  else
    writeAll();
}

void KernelLowering::lowerLoadShared(tile::LoadSharedOp op) {
  tile::SharedType type = op.getBuffer().getType();
  set(op,
      readShared(tile::layoutOf(op.getResult()), toVector(type.getStrides()),
                 scalar(op.getBuffer()), type.getElementType()));
}

void KernelLowering::lowerStoreShared(tile::StoreSharedOp op) {
  tile::SharedType type = op.getBuffer().getType();
  writeShared(tile::layoutOf(op.getValue()), toVector(type.getStrides()),
              scalar(op.getBuffer()), of(op.getValue()));
}

} // namespace girih::codegen
