//===- Roofline.h - what bounds a plan, and from below ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_COST_ROOFLINE_H
#define GIRIH_COMPILER_COST_ROOFLINE_H

#include "compiler/cost/KernelCost.h"

namespace girih::cost {

/// FLOP a byte at which computing takes as long as moving.
double ridgePoint(double flopsPerSecond, double bytesPerSecond);
/// Of the matrix unit for this type, or of f32 where there is none.
double ridgePoint(const target::GpuTarget &target, target::MatrixType type);

struct Roofline {
  double intensity = 0; ///< FLOP a byte
  double ridge = 0;
  /// The part of the peak that memory allows, 0 to 1.
  double cap() const;
  bool isMemoryBound() const { return intensity < ridge; }
};
Roofline rooflineOf(double flops, double bytes, double flopsPerSecond,
                    double bytesPerSecond);

/// The least bytes that any plan for the same results moves.
struct LowerBound {
  /// Inputs once in, results once out.
  double compulsory = 0;
  /// With a memory of the target's next to the units: registers and shared
  /// memory of all multiprocessors. For a product of m x k and k x n with room
  /// for s elements, 2 m n k / sqrt(s) (Hong and Kung; constants by Kwasniewski
  /// and others, SC 2019), where that is more.
  double atCapacity = 0;
  double bytes() const;
};

/// A product in a plan: what bounds its reads at a capacity.
struct Product {
  double m = 0, n = 0, k = 0;
  unsigned operandBytes = 2;
};
LowerBound lowerBound(const Plan &plan, const std::vector<Product> &products,
                      const target::GpuTarget &target);
/// Bytes of registers and shared memory of the whole card.
double localCapacity(const target::GpuTarget &target);
/// Reads that a product needs at least with room for `elements`.
double productReads(double m, double n, double k, double elements);

} // namespace girih::cost

#endif // GIRIH_COMPILER_COST_ROOFLINE_H
