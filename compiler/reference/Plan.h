//===- Plan.h - how one te.compute becomes a host kernel --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_PLAN_H
#define GIRIH_COMPILER_REFERENCE_PLAN_H

#include "compiler/reference/Program.h"
#include "dialects/te/Te.h"

#include "llvm/ADT/DenseMap.h"

namespace girih::reference {

/// What the generated code may rely on.
struct HostShape {
  /// Width of the machine's vectors; 0: one element at a time.
  unsigned vectorBits = 128;
  bool nativeHalf = false; ///< f16 <-> float conversions in hardware
};

/// What a value in a compute's region depends on.
struct ValueFacts {
  bool row = false;     ///< the row index
  bool lane = false;    ///< the column index: one value per vector lane
  bool inexact = false; ///< a fast function is on a path to it
};

/// The shape of a kernel: a tile of `rows` x `columns` vectors of `width` lanes
/// is computed at once; `info` is what the runner sees of it.
struct ComputePlan {
  mlir::Operation *op = nullptr; ///< a te.compute or a te.scatter
  KernelInfo info;
  unsigned width = 1, rows = 1, columns = 1;
  llvm::DenseMap<mlir::Value, ValueFacts> facts;
  llvm::DenseMap<mlir::Operation *, unsigned> operandOf;   ///< of a te.read
  llvm::DenseMap<mlir::Operation *, unsigned> reductionOf; ///< of a te.reduce
  /// First watched access of a te.read, or of the compute's te.yield.
  llvm::DenseMap<mlir::Operation *, unsigned> watchOf;
  std::vector<arith::Term> terms; ///< parallel to info.reductions

  ValueFacts factsOf(mlir::Value value) const { return facts.lookup(value); }
  /// Whether lanes walk the last dimension in steps of one, and no other.
  bool walksNeighbours(mlir::ValueRange subscripts) const;
};

/// The extents of the indices of a te.compute or a te.scatter.
llvm::ArrayRef<mlir::Attribute> boxOf(mlir::Operation *op);

/// Plans one te.compute, or a te.scatter, which writes into what it starts
/// from. `tensorOf` has the memory of every tensor that it reads and, where it
/// writes into one, of that; `info` what is known of it.
Result<ComputePlan>
planCompute(te::FuncOp func, mlir::Operation *op, const HostShape &host,
            bool bounds, const ProgramInfo &info,
            const llvm::DenseMap<mlir::Value, unsigned> &tensorOf);

/// Every tensor and every compute of `func`, in order. Fails with a message for
/// what the reference cannot replay: a sum without a term, mma chains, portable
/// functions that have not been expanded.
struct FunctionPlan {
  ProgramInfo info;
  std::vector<ComputePlan> computes;
};
Result<FunctionPlan> planFunction(te::FuncOp func, const HostShape &host,
                                  bool bounds);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_PLAN_H
