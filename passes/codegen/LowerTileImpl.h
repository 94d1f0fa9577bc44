//===- LowerTileImpl.h - the lowering of one tile kernel --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the LowerTile*.cpp files only. Every tile value becomes a list of
// LLVM values: a fragment one per register, an index one i64, a tensor its
// pointer and strides, a shared buffer its pointer.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_LOWERTILEIMPL_H
#define GIRIH_PASSES_CODEGEN_LOWERTILEIMPL_H

#include "passes/codegen/LlvmEmitter.h"
#include "passes/codegen/LowerTile.h"
#include "passes/codegen/ScalarLowering.h"
#include "passes/codegen/SharedPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <array>
#include <map>

namespace girih::codegen {

class KernelLowering {
public:
  using Values = LlvmEmitter::Values;

  KernelLowering(tile::KernelOp kernel, mlir::OpBuilder &builder,
                 const target::GpuTarget &target);
  mlir::LogicalResult run(KernelFacts &facts);

private:
  // LowerTile.cpp
  void lowerArguments(KernelFacts &facts);
  mlir::ArrayAttr sharedNames(const std::string &variable);
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);

  // LowerTileControl.cpp
  mlir::LogicalResult lowerFor(mlir::Operation *op);
  mlir::LogicalResult lowerIf(mlir::Operation *op);
  mlir::LogicalResult lowerIndexOp(mlir::Operation *op);

  // LowerTileGather.cpp
  void lowerLoadBound(tile::LoadBoundOp op);
  void lowerScatter(tile::ScatterOp op);
  struct Computed;
  template <typename Access>
  Computed computed(Access op, const layout::Layout &layout);
  /// When the register's element takes part; null: always.
  mlir::Value condition(const Computed &access, int64_t reg);
  /// Before its rule brings it inside.
  mlir::Value subscriptOf(const Computed &access, size_t s, int64_t reg);
  mlir::Value pointerTo(const Computed &access, int64_t reg);

  // LowerTileMemory.cpp
  void lowerLoad(tile::LoadOp op);
  /// `subscript` brought into 0 .. extent-1.
  mlir::Value bringInside(tile::BoundRule rule, mlir::Value subscript,
                          mlir::Value extent);
  void lowerStore(tile::StoreOp op);
  void lowerLoadShared(tile::LoadSharedOp op);
  void lowerStoreShared(tile::StoreSharedOp op);
  /// Reads or writes the elements of `layout` at `strides` (elements, one per
  /// dimension) from `pointer`. Predicates are bytes in memory.
  Values readShared(const layout::Layout &layout,
                    const std::vector<int64_t> &strides, mlir::Value pointer,
                    mlir::Type element);
  void writeShared(const layout::Layout &layout,
                   const std::vector<int64_t> &strides, mlir::Value pointer,
                   mlir::ValueRange values);

  // LowerTileCompute.cpp
  void lowerFill(tile::FillOp op);
  mlir::LogicalResult lowerMap(tile::MapOp op);
  void lowerReduce(tile::ReduceOp op);
  void lowerContract(tile::ContractOp op);

  // LowerTileExchange.cpp
  mlir::LogicalResult lowerMerge(tile::MergeOp op);
  void lowerConvert(tile::ConvertOp op);
  Values mergeByBits(tile::MergeOp op);
  Values mergeGathered(tile::MergeOp op);
  mlir::Value exchangeCombined(mlir::Value scratch, mlir::Type element,
                               const std::vector<unsigned> &threadBits,
                               int64_t slot, int kind);
  /// The scratch area, free for this op to write: with a barrier if some
  /// thread may still be reading it. The caller calls meetToRead once, between
  /// its writes and its reads.
  mlir::Value acquireScratch();
  /// Between what registers and what memory holds: a bool is a byte there.
  mlir::Value toMemory(mlir::Value value);
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);
  void meetToRead();
  void meet();
  /// By slot: whether no thread can be reading it any more.
  using SlotStates = std::array<bool, 2>;

  // LowerTileAffine.cpp
  /// The part of an affine expression that the thread adds (row: one
  /// coefficient per dimension), computed once per kernel; null if zero.
  mlir::Value threadPart(const layout::Layout &layout,
                         const std::vector<int64_t> &row, mlir::Type type);
  /// Whether this thread is the one that writes, of those that hold copies;
  /// null if no element is held by two threads.
  mlir::Value ownerCondition(const layout::Layout &layout);
  /// The base plus the thread's part of `count` expressions, as i64.
  Values threadValues(const layout::Layout &layout, mlir::ValueRange bases,
                      const std::vector<int64_t> &coefficients);

  /// Validity of boxes: constraint c holds in a register that adds parts[c] to
  /// it iff thread[c] + parts[c] >= 0.
  struct Validity {
    Values thread;
    std::vector<std::vector<int64_t>> parts; ///< by register
    /// The least and the largest thread[c] over all threads where the base is a
    /// constant, else none.
    struct Range {
      int64_t least, most;
    };
    std::vector<std::optional<Range>> ranges;
    bool everywhere() const { return thread.empty(); }
  };
  Validity validity(const layout::Layout &layout, mlir::ValueRange bases,
                    llvm::ArrayRef<int64_t> coefficients);
  /// Null where they hold in every thread.
  mlir::Value holds(const Validity &validity,
                    const std::vector<int64_t> &parts);
  /// The conditions of all of `parts` at once.
  mlir::Value allHold(const Validity &validity,
                      const std::vector<std::vector<int64_t>> &parts);

  /// The parts of an access with rules or gathered subscripts.
  struct Computed {
    Values tensor, subscripts, extents;
    mlir::Type element; ///< in memory
    std::vector<std::vector<int64_t>> deltas;
    std::vector<tile::BoundRule> rules;
    std::vector<Values> gathered; ///< by subscript; empty where there is none
    Validity valid;
  };

  /// All registers of a value.
  const Values &of(mlir::Value value) {
    if (auto later = deferred.find(value); later != deferred.end())
      makeAll(value);
    return lowered.find(value)->second;
  }
  /// One register of a value.
  mlir::Value element(mlir::Value value, int64_t reg);
  mlir::Value scalar(mlir::Value value) { return of(value).front(); }
  Values scalars(mlir::ValueRange values);
  void set(mlir::Value value, Values values) {
    lowered[value] = std::move(values);
  }
  mlir::Value both(mlir::Value a, mlir::Value b); ///< null stands for true

  // LowerTileDeferred.cpp. A fragment of many elements whose every register is
  // made when it is first asked for: what makes one stands before what uses it,
  // and few are alive at once.
  struct Deferred {
    std::function<mlir::Value(int64_t)> make;
    Values made; ///< null where not yet
  };
  /// Whether the result of `op` is worth it: many registers, and all its users
  /// in the same block, so that each stands behind the first.
  static bool mayDefer(mlir::Operation *op);
  void defer(mlir::Value value, int64_t registers,
             std::function<mlir::Value(int64_t)> make) {
    deferred[value] = {std::move(make), Values(registers)};
  }
  void makeAll(mlir::Value value);
  /// Keeps narrow registers packed in words, from which each is taken out where
  /// it is used.
  void deferPacked(mlir::Value value, const Values &registers);
  mlir::Value unknownZero(); ///< once a kernel
  void lowerRegroup(tile::RegroupOp op);
  /// Whether what holds with `parts` is known before the kernel runs.
  static bool isSettled(const Validity &validity,
                        const std::vector<int64_t> &parts);
  /// Of all registers that is known, or of all but few conditions: not worth
  /// two versions of the code.
  static bool isNearlySettled(const Validity &validity);

  tile::KernelOp kernel;
  mlir::OpBuilder &builder;
  const target::GpuTarget &target;
  LlvmEmitter emit;
  ScalarLowering scalarLowering;
  SharedPlan plan;
  llvm::DenseMap<mlir::Value, Values> lowered;
  llvm::DenseMap<mlir::Value, Deferred> deferred;
  bool hasFailed = false;                    ///< making a deferred register did
  llvm::DenseSet<mlir::Value> written, read; ///< tensors
  mlir::Operation *prologueEnd = nullptr;    ///< emission of per-kernel values
  mlir::Value thread;
  mlir::Value sharedBase;
  std::map<std::string, mlir::Value> threadCache;
  SlotStates slotIsFree = {true, true};
  int currentSlot = 0;
};

/// A std::vector of an attribute's numbers.
inline std::vector<int64_t> toVector(llvm::ArrayRef<int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_LOWERTILEIMPL_H
