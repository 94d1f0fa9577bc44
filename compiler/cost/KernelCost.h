//===- KernelCost.h - what a kernel takes and moves -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all figures of the cost model are computed from. It comes from a
// schedule tree (TreeCost.h) or from a plain description of a tile
// (PlainTile.h), which may say what no schedule can so far: stages in rings,
// other types in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_COST_KERNELCOST_H
#define GIRIH_COMPILER_COST_KERNELCOST_H

#include "compiler/target/GpuTarget.h"
#include "compiler/target/Occupancy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace girih::cost {

/// A tensor's part of a tile that a block keeps.
struct Buffer {
  std::string name;
  std::vector<int64_t> extents; ///< elements; the last is a row
  unsigned elementBytes = 4;
  bool isShared = true;   ///< else in registers
  int64_t slots = 1;      ///< of it at once: 2 where copying runs ahead by one
  int64_t rowPadding = 0; ///< elements behind each row
  bool padsLastRow = true;
  int64_t unit = 1; ///< bytes are rounded up to a multiple of it

  int64_t bytes() const;
};

/// Bytes of one tensor that a kernel moves, over all of its blocks.
struct TensorTraffic {
  std::string tensor;
  /// Each tile reads an element once: what crosses into a block's own memory.
  double readBytes = 0;
  /// What threads ask for: an element that several threads of a block read
  /// counts for each.
  double requestedBytes = 0;
  double writtenBytes = 0;
  /// Different bytes among those read, among those written.
  double readFootprint = 0, writtenFootprint = 0;
  /// Whether these are numbers; else bounds from above.
  bool isExact = true;
};

/// What a block does in each step of a product whose operands lie in shared
/// memory, on units that multiply and add.
struct StagedProduct {
  double steps = 0; ///< of a block
  double depth = 0; ///< elements of the sum in one step
  // Of a thread, for each of those elements.
  double multiplies = 0, loads = 0; ///< loads from shared memory
  double wavefronts = 0;            ///< passes of the banks for a warp's loads
  // Of a thread, and of a warp, in each step: filling shared memory.
  double copies = 0, copyWavefronts = 0;
};

struct KernelCost {
  std::string name;
  unsigned threads = 0;
  double blocks = 1;
  /// How often it is launched: the turns of the time loops around it.
  double launches = 1;
  unsigned registers = 0; ///< of a thread; 0: not known
  /// What its values would take if a thread could have so many.
  int64_t registerDemand = 0;
  unsigned loadBytes = 0; ///< that a thread asks for at a time
  std::vector<Buffer> buffers;
  std::vector<TensorTraffic> traffic;
  std::vector<StagedProduct> products;
  double matrixFlops = 0; ///< products and their sums
  double otherFlops = 0;
  /// What the products would be on a matrix unit.
  target::MatrixType matrixType = target::MatrixType::Bf16;
  bool usesMatrixUnit = false;

  int64_t sharedBytes() const;
  /// Shared memory and registers together.
  int64_t localBytes() const;
  double readBytes() const, requestedBytes() const, writtenBytes() const;
  double bytes() const { return readBytes() + writtenBytes(); }
  double flops() const { return matrixFlops + otherFlops; }
  bool isExact() const;
  const TensorTraffic *find(const std::string &tensor) const;
};

/// Kernels in the order of their launches.
struct Plan {
  std::vector<KernelCost> kernels;
  /// A tensor's bytes, and whether the caller owns its memory.
  struct Tensor {
    std::string name;
    double bytes = 0;
    enum class Role { Input, Output, Temporary } role = Role::Temporary;
  };
  std::vector<Tensor> tensors;

  double readBytes() const, writtenBytes() const;
  double bytes() const { return readBytes() + writtenBytes(); }
  double flops() const;
  double launches() const;
};

/// The most bytes of tensors that are needed at one time: a kernel's results
/// are allocated before it runs, what nobody reads any more is freed behind it;
/// inputs are there from the start.
double peakLiveBytes(const Plan &plan);

/// Ways to cut a chain of n operators into kernels.
constexpr uint64_t waysToCut(unsigned operators) {
  return operators == 0 ? 1 : uint64_t(1) << (operators - 1);
}

/// Blocks that a multiprocessor holds. Registers that are not known bound
/// nothing.
target::Occupancy residency(const KernelCost &kernel,
                            const target::GpuTarget &target);
unsigned warpsOf(const KernelCost &kernel, const target::GpuTarget &target);
/// Resident warps of all that fit.
double occupancyOf(const KernelCost &kernel, const target::GpuTarget &target);

} // namespace girih::cost

#endif // GIRIH_COMPILER_COST_KERNELCOST_H
