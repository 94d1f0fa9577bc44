//===- Machine.h - warps, blocks and clusters while they run -- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_MACHINE_H
#define GIRIH_RUNTIME_SIM_MACHINE_H

#include "runtime/sim/Decode.h"
#include "runtime/sim/Fault.h"
#include "runtime/sim/Memory.h"

#include <array>
#include <memory>

namespace girih::sim {

class Checker;      // Checker.h
class BlockChecker; // Checker.h
class Counters;     // Counters.h
class MemorySystem; // MemorySystem.h
struct Block;
struct Cluster;
struct Launch;

/// Why a fragment does not go on, and how to find out that it may.
struct Wait {
  enum class Kind : uint8_t {
    None,
    Gather,  ///< other lanes of the warp are awaited (the scheduler's)
    Barrier, ///< object: barrier number
    ClusterBarrier,
    Mbarrier, ///< object: shared address, number: parity
    Sleep     ///< gives others a turn
  };
  Kind kind = Kind::None;
  uint64_t object = 0;
  uint64_t number = 0;
  uint32_t mask = 0; ///< lanes that issued the instruction
  /// Polled by the scheduler; true ends the wait and may write results.
  bool (*ready)(Context &context, const Instruction &instruction,
                Wait &wait) = nullptr;
  /// Set by the scheduler when nothing else can run: waits that may end by
  /// time-out (mbarrier.try_wait, nanosleep) then end.
  bool timeOut = false;
};

/// Lanes of a warp that are at one pc. A warp starts as one fragment;
/// branches split it; fragments that reach the same pc become one again.
struct Fragment {
  uint32_t pc = 0;
  uint32_t mask = 0;
  Wait wait;
};

/// A copy that was asked for and is not known to be complete. One thread's,
/// in order of issue; see AsyncOps.cpp.
struct AsyncCopy {
  uint32_t statement = 0;
  uint32_t group = 0;
  uint64_t order = 0;  ///< among the copies of its warp
  bool isBulk = false; ///< cp.async.bulk: groups of their own
  Space sourceSpace = Space::Global, destinationSpace = Space::Shared;
  uint64_t destination = 0; ///< in destinationSpace
  uint64_t source = 0;
  uint32_t bytes = 0, sourceBytes = 0; ///< the rest is zero
  uint64_t token = 0;                  ///< the checker's
};

struct Warp {
  Block *block = nullptr;
  uint32_t index = 0;  ///< in the block
  uint32_t exists = 0; ///< lanes with a thread
  uint32_t live = 0;   ///< of those, not exited
  std::vector<Fragment> fragments;
  std::unique_ptr<uint8_t[]> file; ///< registers, then specials
  std::vector<uint32_t> written;   ///< by register: lanes it was written for
  uint32_t carry = 0;              ///< CC.CF, a bit a lane
  std::vector<uint8_t> local;      ///< lane i's memory at i * localBytes
  std::vector<uint8_t> localInitialized;             ///< a byte a byte
  std::array<std::vector<AsyncCopy>, kLanes> copies; ///< pending, by lane
  std::array<uint32_t, kLanes> group{};              ///< open cp.async group
  std::array<uint32_t, kLanes> bulkGroup{};          ///< the same, bulk copies
  uint64_t copiesIssued = 0;
  /// By lane: the statement it exited at.
  std::array<uint32_t, kLanes> exitedAt{};
  /// By lane: 1 + the cluster barrier's generation it arrived at and has not
  /// waited for; 0: none.
  std::array<uint64_t, kLanes> clusterArrival{};

  uint32_t thread(unsigned lane) const { return index * kLanes + lane; }
};

/// One of a block's sixteen barriers.
struct NamedBarrier {
  uint32_t expected = 0; ///< threads; 0: none has come yet
  uint32_t arrived = 0;  ///< threads, whole warps
  uint64_t generation = 0;
  std::vector<uint32_t> arrivedThreads;
  std::vector<uint32_t> waitingThreads; ///< those of them that wait (sync)
  /// By warp: lanes that have arrived in this phase.
  std::array<uint32_t, kLanes> here{};
  uint32_t warpsHere = 0;    ///< a bit a warp whose live lanes all have
  bool isReduction = false;  ///< of bar.red, which does not mix with others
  uint32_t trueThreads = 0;  ///< whose predicate is true
  uint32_t firstArrival = 0; ///< statement of the first to come
};

struct Block {
  Launch *launch = nullptr;
  Cluster *cluster = nullptr;
  uint32_t linear = 0; ///< in the grid
  uint32_t rank = 0;   ///< in the cluster
  std::array<uint32_t, 3> index{};
  uint32_t liveThreads = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<uint8_t> shared;
  std::array<NamedBarrier, 16> barriers;
  std::unique_ptr<BlockChecker> checker; ///< shadow of `shared`, mbarriers
};

struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks; ///< by rank
  // The cluster barrier.
  uint64_t generation = 0;
  uint32_t arrivedThreads = 0;
  std::vector<std::pair<uint32_t, uint32_t>> arrived; ///< rank, thread
  std::shared_ptr<struct ClusterSync> sync;           ///< BarrierOps.cpp
};

/// Everything that does not change while a kernel runs, and what its workers
/// share.
struct Launch {
  const KernelCode *code = nullptr;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t threads = 1;     ///< a block
  uint32_t sharedBytes = 0; ///< static and dynamic
  uint32_t dynamicSharedBytes = 0;
  unsigned capability = 90; ///< of the card that is played
  bool checks = true;       ///< races, uninitialised memory and registers
  std::vector<uint8_t> parameters;
  GlobalMemory *memory = nullptr;
  FaultLog *faults = nullptr;
  Counters *counters = nullptr; ///< null: not counted
  Checker *checker = nullptr;   ///< never null
  MemorySystem *memorySystem = nullptr;
  uint64_t number = 0; ///< launches so far
};

/// What an instruction works on.
struct Context {
  Launch &launch;
  Block &block;
  Warp &warp;
  Fragment &fragment;
  Counters *counters; ///< this worker's; null: not counted

  const KernelCode &code() const { return *launch.code; }
  uint8_t *bank(const Slot &slot) const {
    return slot.constant
               ? const_cast<uint8_t *>(launch.code->constants.data()) +
                     slot.offset
               : warp.file.get() + slot.offset;
  }
  /// Lanes of a slot of 8 to 32 bits.
  uint32_t *lanes32(const Slot &slot) const {
    return reinterpret_cast<uint32_t *>(bank(slot));
  }
  /// Lanes of a slot of 64 bits, pairs for 128.
  uint64_t *lanes64(const Slot &slot) const {
    return reinterpret_cast<uint64_t *>(bank(slot));
  }
  uint32_t &predicate(const Slot &slot) const { return *lanes32(slot); }

  /// One lane's value, zero-extended; any width up to 64.
  uint64_t get(const Slot &slot, unsigned lane) const {
    if (slot.bits == 1)
      return predicate(slot) >> lane & 1;
    return slot.bits == 64 ? lanes64(slot)[lane] : lanes32(slot)[lane];
  }
  /// Cuts to the slot's width. Slots that do not exist are left alone.
  void set(const Slot &slot, unsigned lane, uint64_t value) const {
    if (slot.bits == 64)
      lanes64(slot)[lane] = value;
    else if (slot.bits == 1)
      predicate(slot) =
          (predicate(slot) & ~(1u << lane)) | (uint32_t(value & 1) << lane);
    else if (slot.bits == 32)
      lanes32(slot)[lane] = uint32_t(value);
    else if (slot.bits)
      lanes32(slot)[lane] = uint32_t(value) & ((1u << slot.bits) - 1);
  }
  ThreadName name(unsigned lane) const {
    return {block.linear, warp.thread(lane)};
  }
  /// Reports a fault of one lane at this fragment's instruction.
  void fault(FaultKind kind, unsigned lane, std::string action,
             std::string object, std::string detail) const;
};

/// Calls f(lane) for the lanes of a mask, in order; the common case of a full
/// warp is a loop that a compiler can vectorise.
template <typename F> void forLanes(uint32_t mask, F &&f) {
  if (mask == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      f(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    f(unsigned(__builtin_ctz(mask)));
}

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_MACHINE_H
