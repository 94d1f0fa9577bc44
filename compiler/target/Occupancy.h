//===- Occupancy.h - how many blocks fit a multiprocessor -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_TARGET_OCCUPANCY_H
#define GIRIH_COMPILER_TARGET_OCCUPANCY_H

#include "compiler/target/GpuTarget.h"

#include <string>

namespace girih::target {

/// Blocks that each resource of one multiprocessor could hold, and what comes
/// out: `resident`, the smallest of them.
struct Occupancy {
  unsigned blocksByThreads = 0;
  unsigned blocksByRegisters = 0;
  unsigned blocksByShared = 0;
  unsigned blocksBySlots = 0;
  unsigned resident = 0;
  /// The resources that give `resident`, joined by " and ", in the order
  /// "threads", "registers", "shared memory", "block slots".
  std::string bound;
};

/// A pure function of its arguments. Registers are granted per warp in the
/// target's units and from the warp's own quarter of the register file; shared
/// bytes are rounded up to the allocation unit, and the system's reserved bytes
/// are added. A block beyond a limit of its own (threads, registers per thread,
/// shared bytes) gets 0 from that resource. A resource that the kernel does not
/// use allows as many blocks as there are slots.
Occupancy occupancy(const GpuTarget &target, unsigned threads,
                    unsigned registersPerThread, unsigned sharedBytesPerBlock);

} // namespace girih::target

#endif // GIRIH_COMPILER_TARGET_OCCUPANCY_H
