//===- KernelArrays.h - which arrays a kernel keeps in memory ---*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_KERNELARRAYS_H
#define GIRIH_COMPILER_POLY_KERNELARRAYS_H

#include "compiler/poly/ScheduleTree.h"

#include <set>
#include <vector>

namespace girih::poly {

/// Arrays that one kernel reads from or writes to global memory.
struct KernelArrays {
  std::vector<unsigned> arrays; ///< sorted
  /// Written in this kernel and to be stored: outputs and what another kernel
  /// reads.
  std::set<unsigned> stored;
};

/// Place of `array` in the kernel; Global for what the kernel only reads.
Place placeOf(const KernelMark &kernel, unsigned array);

KernelArrays findKernelArrays(const Scop &scop, const Node &kernel);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_KERNELARRAYS_H
