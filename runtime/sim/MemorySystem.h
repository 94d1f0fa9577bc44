//===- MemorySystem.h - every access goes through here -------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the bytes of an access and looks at it with all checks on the way:
// space, bounds, alignment, initialised or not, races; counts it. What loads,
// stores, atomics, copies and matrix loads have in common.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_MEMORYSYSTEM_H
#define GIRIH_RUNTIME_SIM_MEMORYSYSTEM_H

#include "runtime/sim/Machine.h"

namespace girih::sim {

enum class AccessKind : uint8_t {
  Read,
  Write,
  Atomic,    ///< read and write in one
  AsyncRead, ///< an asynchronous copy's, see Checker::beginCopy
  AsyncWrite
};

/// One instruction's access by the lanes of a warp.
struct WarpAccess {
  Space space = Space::Generic;
  AccessKind kind = AccessKind::Read;
  Order order = Order::Weak;
  Scope scope = Scope::Gpu;
  unsigned bytes = 0;        ///< of a lane, all elements together
  unsigned elementBytes = 0; ///< of one element; divides `bytes`
  unsigned alignment = 0;    ///< of the address; 0: `bytes`
  uint32_t mask = 0;
  bool counted = true;
  bool onMbarrier = false; ///< the bytes may be an mbarrier's
  std::array<uint64_t, kLanes> address{};
  std::array<uint8_t *, kLanes> data{}; ///< out; valid for the lanes returned
};

class MemorySystem {
public:
  explicit MemorySystem(Launch &launch) : launch(launch) {}
  /// Fills in `data`. Returns the lanes that may go on; faults of the others
  /// have been reported. Writes mark their bytes as initialised. Two lanes of
  /// one weak write instruction at the same bytes are a race too, unless
  /// launch-time rules say otherwise (docs/simulator.md).
  uint32_t resolve(Context &context, WarpAccess &access);

  /// The block that a shared address belongs to, and the offset in its memory;
  /// null where the cluster has no such block. Says nothing about bounds.
  static Block *sharedBlock(Context &context, Space space, uint64_t address,
                            uint32_t &offset);

  /// Held while an atomic reads and writes `data` of global memory: blocks run
  /// on several threads of the host.
  std::mutex &atomicMutex(const uint8_t *data);

private:
  Launch &launch;
  std::array<std::mutex, 64> mutexes;
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_MEMORYSYSTEM_H
