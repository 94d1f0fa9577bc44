//===- Fault.h - what a kernel did wrong ---------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_FAULT_H
#define GIRIH_RUNTIME_SIM_FAULT_H

#include "runtime/sim/Types.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace girih::sim {

enum class FaultKind : uint8_t {
  Race,          ///< two accesses that nothing orders
  AsyncRace,     ///< memory touched while an asynchronous copy uses it
  Uninitialized, ///< memory or a register read before it was written
  OutOfBounds,   ///< no buffer there, or past the end of one
  Misaligned,
  WrongSpace,        ///< an address of another space
  ReadOnly,          ///< a write to constant or parameter memory
  BarrierDivergence, ///< some threads of a warp or block never come
  BarrierMisuse,     ///< counts, identifiers, mixed kinds
  MbarrierMisuse,    ///< not initialised, too many arrivals, overwritten
  Deadlock,
  LeakedAsync, ///< copies under way at exit
  ExitedBlock, ///< shared memory of a block that is gone
  Trap,        ///< the kernel's own trap
  IllegalValue ///< an operand with no meaning, such as a bad member mask
};
/// `data race`, `read of uninitialised memory`
std::string_view nameOf(FaultKind kind);

/// A thread of a launch.
struct ThreadName {
  uint32_t block = 0;  ///< linear, in the grid
  uint32_t thread = 0; ///< linear, in the block
};

/// One side of a fault: who, and at which instruction.
struct FaultSite {
  ThreadName who;
  uint32_t statement = 0; ///< of the kernel
  /// What it did, such as "reads 4 bytes" or "waits at".
  std::string action;
};

struct Fault {
  FaultKind kind = FaultKind::Race;
  std::vector<FaultSite> sites; ///< one, or the two in conflict, or every
                                ///< waiting warp of a deadlock
  std::string object; ///< `shared memory at 0x400, element 256 of tile0`,
                      ///< `Y[3, 17] (f32)`
  std::string detail; ///< what is wrong and what would mend it
};

/// Collects faults of one launch from all workers. Faults of the same kind at
/// the same statements are one fault, counted.
class FaultLog {
public:
  explicit FaultLog(unsigned limit) : limit(limit) {}
  void report(Fault fault);
  bool empty() const;
  /// True once `limit` different faults are there, or after a fatal one.
  bool shouldStop() const;
  void stop(); ///< after this the launch ends

  struct Entry {
    Fault fault; ///< the first of its kind
    uint64_t count = 1;
  };
  std::vector<Entry> entries() const;

private:
  mutable std::mutex mutex;
  std::vector<Entry> found;
  unsigned limit;
  bool stopped = false;
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_FAULT_H
