//===- TileEmitter.h - the values of one tile -------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_TILEEMITTER_H
#define GIRIH_COMPILER_REFERENCE_TILEEMITTER_H

#include "compiler/reference/Plan.h"
#include "compiler/reference/ScalarEmitter.h"

namespace girih::reference {

/// Address and strides (in elements) of a tensor, and of its errors, as values
/// loaded from a kernel's arguments.
struct TensorView {
  llvm::Value *data = nullptr;
  llvm::SmallVector<llvm::Value *> strides;
};
struct OperandView {
  TensorView values, errors;
};

/// What a kernel's entry block provides to its tiles.
struct KernelFrame {
  llvm::SmallVector<llvm::Value *> sizes;
  llvm::SmallVector<llvm::Value *> turns; ///< of loops around, outermost first
  OperandView result;
  /// Of a scatter to distinct places: bytes by element, and a word.
  llvm::Value *touched = nullptr, *repeated = nullptr;
  llvm::SmallVector<OperandView> operands;
  llvm::SmallVector<llvm::Value *> scratch; ///< of each reduction
  llvm::Value *watch = nullptr;             ///< set where accesses are watched
};

/// Loads everything from `args`, which are as KernelInfo says; `scratch` is
/// where their offsets of scratch memory count from.
KernelFrame loadFrame(llvm::IRBuilder<> &b, llvm::Value *args,
                      llvm::Value *scratch, const ComputePlan &plan,
                      const ProgramInfo &program);

/// Where a tile lies. Rows and columns count from `row` and `column`; lanes
/// from `mask`'s end on are not stored and read the last valid element.
struct TilePlace {
  unsigned rows = 1, columns = 1;
  llvm::SmallVector<llvm::Value *>
      indices; ///< per dimension; row and column: first
  llvm::Value *columnEnd =
      nullptr; ///< set for one masked vector: exclusive end
};

/// Emits the region of a te.compute for rows x columns vectors at once.
class TileEmitter {
public:
  TileEmitter(llvm::IRBuilder<> &b, FloatOps &floats, ScalarEmitter &scalars,
              te::FuncOp func, const ComputePlan &plan,
              const ProgramInfo &program, const KernelFrame &frame, bool bounds,
              TilePlace place);

  /// Computes the tile and stores it.
  void run();
  /// Of a tile of one element: `chain` with the element of `reduce`, the
  /// compute's own, at `indices`.
  Tracked addElement(te::ReduceOp reduce, llvm::ArrayRef<llvm::Value *> indices,
                     Tracked chain);

  /// The value of an extent.
  static llvm::Value *extentValue(llvm::IRBuilder<> &b, te::FuncOp func,
                                  const KernelFrame &frame,
                                  mlir::Attribute extent);

private:
  /// The values of one SSA value over the tile: one for each row it depends on
  /// times one for each column it depends on.
  struct Bundle {
    ValueFacts facts;
    llvm::SmallVector<Tracked> items;
  };

  void emitBlock(mlir::Block &block, mlir::Operation *skipped = nullptr);
  void emitOp(mlir::Operation &op);
  void emitRead(te::ReadOp read);
  void emitReduction(te::ReduceOp reduce);
  /// Adds the element at `indices` to the chain of each vector of the tile.
  llvm::SmallVector<Tracked> step(te::ReduceOp reduce, const ValueFacts &facts,
                                  llvm::ArrayRef<llvm::Value *> indices,
                                  llvm::ArrayRef<Tracked> chains);

  // In TileDomain.cpp.
  /// Where the te.where ops of `block` hold: of i1, without items where it has
  /// none.
  Bundle domainOf(mlir::Block &block);
  Bundle both(const Bundle &x, const Bundle &y);
  /// Which lanes lie inside the tensor at `subscripts`, as a vector of `width`.
  /// A watched `access` reports those outside that take part.
  llvm::Value *lanesInside(mlir::Operation *access, mlir::ValueRange subscripts,
                           te::TeTensorType type, unsigned width, unsigned r,
                           unsigned c);
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> body);
  /// The value of one of two, of which only that one is run.
  llvm::Value *emitChoice(llvm::Value *condition,
                          llvm::function_ref<llvm::Value *()> yes,
                          llvm::function_ref<llvm::Value *()> no);
  void storeResult(te::YieldOp yield);
  void storeValue(te::YieldOp yield, const TensorView &view,
                  llvm::Value *stored, llvm::Value *lanes, unsigned r,
                  unsigned c);
  /// The lanes that are stored, or null for all of them.
  llvm::Value *lanesStored(te::YieldOp yield, unsigned r, unsigned c);
  mlir::ValueRange targetOf(te::YieldOp yield);
  // ScatterEmitter.cpp
  void emitToIndex(te::ToIndexOp op);
  void emitPut(te::PutOp put);
  /// The element that one te.put changes.
  struct PutPlace {
    llvm::Value *inside, *offset, *errorOffset, *number;
  };
  PutPlace placeOf(te::PutOp put);
  /// Notes that element `number` is written.
  void noteWrite(llvm::Value *number);

  Bundle makeBundle(ValueFacts facts,
                    llvm::function_ref<Tracked(unsigned r, unsigned c)> make);
  Tracked get(mlir::Value value, unsigned r, unsigned c);
  Tracked itemOf(const Bundle &bundle, unsigned r, unsigned c) {
    unsigned columns = bundle.facts.lane ? place.columns : 1;
    return bundle.items[(bundle.facts.row ? r : 0) * columns +
                        (bundle.facts.lane ? c : 0)];
  }
  /// `value` as a vector of `width`.
  llvm::Value *widened(llvm::Value *value, unsigned width) {
    return value->getType()->isVectorTy() ? value
                                          : b.CreateVectorSplat(width, value);
  }
  llvm::Value *readLanes(te::ReadOp read, const TensorView &view,
                         llvm::Type *element, int contiguousDim, unsigned r,
                         unsigned c);
  /// One element for each lane at subscripts of any kind; a guarded read
  /// touches memory only where they lie inside. Lanes that walk neighbours in a
  /// dimension of stride 1, `contiguousDim`, are loaded at once where all do.
  llvm::Value *gatherLanes(te::ReadOp read, const TensorView &view,
                           llvm::Type *element, int contiguousDim, unsigned r,
                           unsigned c);
  llvm::Value *placeError(te::ReadOp read, Tracked value, unsigned r,
                          unsigned c);
  void emitAffine(te::AffineOp affine);
  void emitBound(te::BoundOp bound);
  llvm::Value *firstColumn(unsigned c);
  /// Index of lane l, held at the last valid column.
  llvm::Value *laneIndex(unsigned c, unsigned lane);

  llvm::IRBuilder<> &b;
  FloatOps &floats;
  ScalarEmitter &scalars;
  te::FuncOp func;
  const ComputePlan &plan;
  const ProgramInfo &program;
  const KernelFrame &frame;
  bool bounds;
  TilePlace place;
  llvm::Value *mask = nullptr;
  Bundle domain; ///< where the regions around take part; no items: everywhere
  llvm::DenseMap<mlir::Value, Bundle> values;
};

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_TILEEMITTER_H
