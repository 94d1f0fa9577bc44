//===- LowerTileCompute.cpp - arithmetic on fragments ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LowerTileImpl.h"

#include "passes/codegen/TileAccess.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <set>

using namespace mlir;
using girih::layout::Digit;
using girih::layout::Layout;

namespace girih::codegen {

void KernelLowering::lowerFill(tile::FillOp op) {
  Value value = scalarLowering.constant(op.getValue(), op.getLoc());
  set(op, Values(tile::layoutOf(op.getResult()).registerCount(), value));
}

LogicalResult KernelLowering::lowerMap(tile::MapOp op) {
  const Layout layout = tile::layoutOf(op.getResult());
  const std::vector<int64_t> coefficients = toVector(op.getIndexCoefficients());
  const Values indices = threadValues(layout, op.getIndexBases(), coefficients);
  const std::vector<std::vector<int64_t>> parts =
      registerParts(layout, coefficients, indices.size());
  // Null after an error.
  auto make = [this, op, indices, parts](int64_t reg) mutable -> Value {
    Block &body = op.getBlock();
    const size_t inputs = op.getInputs().size();
    Values arguments;
    for (Value input : op.getInputs())
      arguments.push_back(element(input, reg));
    for (auto [i, argument] : llvm::enumerate(arguments))
      set(body.getArgument(i), {argument});
    for (size_t e = 0; e < indices.size(); ++e)
      set(body.getArgument(inputs + e),
          {emit.integer(Int::Add, indices[e], parts[reg][e])});
    for (Operation &inner : body.without_terminator()) {
      Values operands;
      for (Value operand : inner.getOperands()) {
        if (!lowered.contains(operand) || of(operand).size() != 1) {
          inner.emitOpError("takes a value that is no number");
          return {};
        }
        operands.push_back(scalar(operand));
      }
      Value value = scalarLowering.lower(&inner, operands);
      if (!value)
        return {};
      set(inner.getResult(0), {value});
    }
    return scalar(body.back().getOperand(0));
  };
  if (mayDefer(op)) {
    defer(op, layout.registerCount(), [this, op, make](int64_t reg) mutable {
      Value made = make(reg);
      if (made)
        return made;
      hasFailed = true; // some value, for what is still to be emitted
      return emit.zero(heldType(op.getResult().getType().getElementType()));
    });
    return success();
  }
  Values result;
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
    result.push_back(make(reg));
    if (!result.back())
      return failure();
  }
  set(op, result);
  return success();
}

//===----------------------------------------------------------------------===//
// tile.reduce
//===----------------------------------------------------------------------===//

/// For each register of the accumulator, the registers of the value that are
/// added to it, in lexicographic order of the reduced coordinates.
static std::vector<std::vector<int64_t>> reductionOrder(const Layout &layout,
                                                        unsigned kept) {
  int64_t accumulators = 1;
  for (const Digit &digit : layout.registers)
    if (digit.dim < static_cast<int>(kept))
      accumulators *= digit.count;
  std::vector<std::vector<int64_t>> order(accumulators);
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
    int64_t rest = reg, place = 1, accumulator = 0;
    for (const Digit &digit : layout.registers) {
      const int64_t value = rest % digit.count;
      rest /= digit.count;
      if (digit.dim >= static_cast<int>(kept))
        continue;
      accumulator += value * place;
      place *= digit.count;
    }
    order[accumulator].push_back(reg);
  }
  auto reduced = [&](int64_t reg) {
    const std::vector<int64_t> at = layout.registerPart(reg);
    return std::vector<int64_t>(at.begin() + kept, at.end());
  };
  for (std::vector<int64_t> &registers : order)
    std::stable_sort(
        registers.begin(), registers.end(),
        [&](int64_t a, int64_t b) { return reduced(a) < reduced(b); });
  return order;
}

void KernelLowering::lowerReduce(tile::ReduceOp op) {
  const Layout layout = tile::layoutOf(op.getValues().front());
  const int kind = static_cast<int>(op.getKind());
  Type element = op.getAccumulator().getType().getElementType();
  const tile::Leaf leaf = op.getLeaf();
  const Values initial = of(op.getAccumulator());
  const std::vector<std::vector<int64_t>> order =
      reductionOrder(layout, op.getKept());
  const Validity valid =
      validity(layout, op.getValidBases(), op.getValidCoefficients());

  const std::set<std::vector<int64_t>> distinct(valid.parts.begin(),
                                                valid.parts.end());
  const bool branches =
      !valid.everywhere() && distinct.size() > 2 && !isNearlySettled(valid);
  if (branches)
    for (Value value : op.getValues())
      of(value);
  auto factor = [&](unsigned which, int64_t reg) {
    return this->element(op.getValues()[which], reg);
  };
  auto step = [&](Value accumulator, int64_t reg) {
    const Location loc = op.getLoc();
    Value first = factor(0, reg);
    if (leaf == tile::Leaf::Fma)
      return scalarLowering.fma(first, factor(1, reg), accumulator, loc);
    if (leaf == tile::Leaf::MulAdd)
      first = scalarLowering.mul(first, factor(1, reg), loc);
    return scalarLowering.combine(kind, element, accumulator, first, loc);
  };
  // Neighbouring chains are interleaved: each waits for itself only.
  auto reduceAll = [&](bool guarded) {
    Values accumulators = initial;
    std::map<std::vector<int64_t>, Value> conditions;
    for (size_t position = 0; position < order.front().size(); ++position)
      for (size_t chain = 0; chain < order.size(); ++chain) {
        const int64_t reg = order[chain][position];
        Value condition;
        if (guarded) {
          auto [known, isNew] = conditions.try_emplace(valid.parts[reg]);
          if (isNew)
            known->second = holds(valid, valid.parts[reg]);
          condition = known->second;
        }
        if (condition && matchPattern(condition, m_Zero()))
          continue; // in no thread
        Value next = step(accumulators[chain], reg);
        if (condition)
          next = emit.select(condition, next, accumulators[chain]);
        accumulators[chain] = next;
      }
    return accumulators;
  };
  if (!branches) {
    set(op, reduceAll(!valid.everywhere()));
    return;
  }
  set(op, emit.choose(
              allHold(valid, valid.parts), [&] { return reduceAll(false); },
              [&] { return reduceAll(true); }));
}

//===----------------------------------------------------------------------===//
// tile.contract
//===----------------------------------------------------------------------===//

namespace {

/// The elements of one factor that a thread needs, read from shared memory in
/// the widest vectors as they are first wanted.
class FactorReader {
public:
  /// Offsets of the registers along the factor's second dimension, for k in
  /// 0 .. steps - 1.
  FactorReader(LlvmEmitter &emit, tile::SharedType type, Value pointer,
               const std::vector<int64_t> &registerOffsets, int64_t granule,
               int64_t steps)
      : emit(emit), element(memoryType(type.getElementType())),
        pointer(pointer), kStride(type.getStrides()[0]) {
    std::vector<int64_t> offsets;
    for (int64_t k = 0; k < steps; ++k)
      for (int64_t offset : registerOffsets)
        offsets.push_back(k * kStride + offset);
    for (const Run &run :
         coverByRuns(offsets, granule, 128 / element.getIntOrFloatBitWidth()))
      for (unsigned i = 0; i < run.width; ++i)
        runs[run.offset + i] = run;
  }

  Value at(int64_t k, int64_t registerOffset) {
    const int64_t offset = k * kStride + registerOffset;
    auto found = values.find(offset);
    if (found != values.end())
      return found->second;
    const Run &run = runs.at(offset);
    LlvmEmitter::Values loaded = emit.load(
        emit.offset(pointer, element, run.offset), element, run.width);
    for (unsigned i = 0; i < run.width; ++i)
      values[run.offset + i] = loaded[i];
    return values[offset];
  }

private:
  LlvmEmitter &emit;
  Type element;
  Value pointer;
  int64_t kStride;
  std::map<int64_t, Run> runs;
  std::map<int64_t, Value> values;
};

} // namespace

void KernelLowering::lowerContract(tile::ContractOp op) {
  const Layout layout = tile::layoutOf(op.getAccumulator());
  Type type = op.getAccumulator().getType().getElementType();
  const bool fused = op.getLeaf() == tile::Leaf::Fma;
  const Location loc = op.getLoc();
  const int64_t depth = op.getA().getType().getShape()[0];
  const int64_t registers = layout.registerCount();

  struct Factor {
    tile::SharedType type;
    Value pointer;
    std::vector<int64_t> offsets; ///< by register of the accumulator
    int64_t granule = 0;
  };
  auto factor = [&](Value buffer, unsigned dim) {
    Factor made{
        cast<tile::SharedType>(buffer.getType()), scalar(buffer), {}, 0};
    std::vector<int64_t> row(2, 0);
    row[dim] = made.type.getStrides()[1];
    if (Value part = threadPart(layout, row, emit.i32()))
      made.pointer = emit.offset(made.pointer,
                                 memoryType(made.type.getElementType()), part);
    for (const std::vector<int64_t> &parts : registerParts(layout, row, 1))
      made.offsets.push_back(parts[0]);
    made.granule = threadGranule(layout, row);
    return made;
  };
  const Factor a = factor(op.getA(), 0), b = factor(op.getB(), 1);

  // `steps` values of k, from pointers that stand at the first of them.
  auto accumulate = [&](Value aPointer, Value bPointer, int64_t steps,
                        ValueRange initial) {
    FactorReader aReader(emit, a.type, aPointer, a.offsets, a.granule, steps);
    FactorReader bReader(emit, b.type, bPointer, b.offsets, b.granule, steps);
    Values accumulators(initial);
    for (int64_t k = 0; k < steps; ++k) {
      std::map<int64_t, Value> aWide, bWide;
      auto wide = [&](const Factor &factor, FactorReader &reader,
                      std::map<int64_t, Value> &known, int64_t offset) {
        Value &value = known[offset];
        if (!value)
          value = scalarLowering.convert(
              reader.at(k, offset), factor.type.getElementType(), type, loc);
        return value;
      };
      for (int64_t reg = 0; reg < registers; ++reg) {
        Value x = wide(a, aReader, aWide, a.offsets[reg]);
        Value y = wide(b, bReader, bWide, b.offsets[reg]);
        Value &accumulator = accumulators[reg];
        accumulator =
            fused ? scalarLowering.fma(x, y, accumulator, loc)
                  : scalarLowering.combine(0, type, accumulator,
                                           scalarLowering.mul(x, y, loc), loc);
      }
    }
    return accumulators;
  };

  // Long chains are a loop over a part that fits the instruction cache.
  constexpr int64_t kWhole = 16, kUnroll = 8;
  const Values initial = of(op.getAccumulator());
  if (depth <= kWhole) {
    set(op, accumulate(a.pointer, b.pointer, depth, initial));
    return;
  }
  const int64_t looped = depth / kUnroll * kUnroll;
  auto advanced = [&](const Factor &f, Value pointer) {
    return emit.offset(pointer, memoryType(f.type.getElementType()),
                       kUnroll * f.type.getStrides()[0]);
  };
  // The pointers move along, so that no address is computed in the loop.
  Values carried{a.pointer, b.pointer};
  llvm::append_range(carried, initial);
  Values result =
      emit.countedLoop(looped, kUnroll, carried, [&](Value, ValueRange now) {
        Values next{advanced(a, now[0]), advanced(b, now[1])};
        llvm::append_range(
            next, accumulate(now[0], now[1], kUnroll, now.drop_front(2)));
        return next;
      });
  if (looped < depth)
    result = accumulate(result[0], result[1], depth - looped,
                        ValueRange(result).drop_front(2));
  else
    result.erase(result.begin(), result.begin() + 2);
  set(op, result);
}

} // namespace girih::codegen
