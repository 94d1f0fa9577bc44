//===- Checker.h - happens-before between threads ------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders of accesses. A thread of a cluster is named by rank * threads a block
// + thread. Everything that synchronises tells the checker; every access asks
// it (through MemorySystem). Clock.h has the clocks, Shadow.h what is kept
// about each granule of memory.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_CHECKER_H
#define GIRIH_RUNTIME_SIM_CHECKER_H

#include "runtime/sim/Machine.h"

#include <memory>
#include <span>

namespace girih::sim {

enum class AccessKind : uint8_t; // MemorySystem.h
struct WarpAccess;               // MemorySystem.h
class Clock;                     // Clock.h: what a thread knows of all others

/// Something that threads hand their knowledge over through: a barrier's
/// phase, an mbarrier, an atomic variable.
class SyncPoint {
public:
  SyncPoint();
  ~SyncPoint();
  SyncPoint(SyncPoint &&) noexcept;
  SyncPoint &operator=(SyncPoint &&) noexcept;
  void clear();

private:
  friend class Checker;
  struct State;
  std::unique_ptr<State> state;
};

/// What an mbarrier hears of once asynchronous copies are complete: an arrival
/// (cp.async.mbarrier.arrive) or bytes (cp.async.bulk). It is played when a
/// thread looks at the mbarrier, so as late as anyone could rely on it.
struct AsyncArrival {
  Warp *warp = nullptr; ///< the issuing thread's
  unsigned lane = 0;
  uint32_t statement = 0;
  bool arrives = false;
  uint32_t transactions = 0; ///< bytes of complete_tx
  uint64_t order = 0;        ///< copies that its warp had issued by then
  std::vector<AsyncCopy> copies;
};

/// An mbarrier that was initialised; keyed by its address in its block.
struct Mbarrier {
  uint32_t expected = 0;              ///< arrivals a phase
  uint32_t pending = 0;               ///< arrivals still missing in this phase
  int64_t transactions = 0;           ///< bytes announced and not yet there
  uint64_t phase = 0;                 ///< completed phases
  uint32_t initializedBy = 0;         ///< statement
  std::vector<ThreadName> arrivedNow; ///< who has come in this phase
  SyncPoint open;                     ///< arrivals of the current phase
  SyncPoint completed;                ///< of the phase completed last
  std::vector<AsyncArrival> asyncArrivals; ///< to come, in order of issue
};

/// What is known about a block's shared memory.
class SharedShadow; // Shadow.h

class BlockChecker {
public:
  BlockChecker();
  ~BlockChecker();
  std::unique_ptr<SharedShadow> shadow;
  std::map<uint32_t, Mbarrier> mbarriers; ///< by offset in shared memory
  struct Threads;                         ///< the threads' clocks
  std::unique_ptr<Threads> threads;
};

class Checker {
public:
  /// Disabled, it makes a block's BlockChecker and does nothing else.
  explicit Checker(Launch &launch, bool enabled = true);
  ~Checker();
  bool isEnabled() const { return enabled; }

  void startBlock(Block &block);
  /// The block's threads are gone; what they wrote stays on record.
  void endBlock(Block &block);

  // Ordering ------------------------------------------------------------

  /// bar.arrive: the threads go on, and what they do from now on is not covered
  /// by the barrier. Called when they arrive; barrier() names them in `arrived`
  /// later. Threads that wait need no call.
  void arrive(Block &block, unsigned barrier,
              std::span<const uint32_t> threads);
  /// `waiting` go on knowing what all of `arrived` (which include them) knew.
  /// `number`: the barrier's, for those who called arrive().
  void barrier(Block &block, std::span<const uint32_t> arrived,
               std::span<const uint32_t> waiting, unsigned number = 0);
  /// bar.warp.sync
  void warpBarrier(Warp &warp, uint32_t mask);
  /// A cluster barrier in two halves.
  void release(Block &block, uint32_t thread, SyncPoint &point);
  /// The same by a relaxed arrival: hands on what the thread knew at its last
  /// fence that reached `scope`.
  void relaxedRelease(Block &block, uint32_t thread, SyncPoint &point,
                      Scope scope);
  void acquire(Block &block, uint32_t thread, const SyncPoint &point);
  /// membar and fence: with relaxed accesses before or after, they order.
  void fence(Block &block, uint32_t thread, Scope scope);
  /// A strong access (not weak) to a location of memory that may carry order:
  /// what accessShared and accessGlobal do for accesses that are not Weak.
  void strongAccess(Block &block, uint32_t thread, const uint8_t *location,
                    AccessKind kind, Order order, Scope scope);

  // Accesses ------------------------------------------------------------

  /// A warp's access by the lanes of `mask`, `data` filled in, to memory of one
  /// block. Returns the lanes that read bytes that nothing has written (not
  /// reported yet).
  uint32_t accessShared(Context &context, const WarpAccess &access,
                        uint32_t mask, Block &owner);
  void accessGlobal(Context &context, const WarpAccess &access, uint32_t mask,
                    GlobalBuffer &buffer);
  /// Bytes [offset, offset + bytes) of a block's shared memory.
  void accessShared(Context &context, unsigned lane, Block &owner,
                    uint32_t offset, unsigned bytes, AccessKind kind,
                    Order order);
  void accessGlobal(Context &context, unsigned lane, GlobalBuffer &buffer,
                    uint64_t offset, unsigned bytes, AccessKind kind,
                    Order order);

  // Asynchronous copies ------------------------------------------------------

  /// The copy's bytes belong to it until endCopy: anyone's access to the
  /// destination, and a write to the source, is an AsyncRace. Returns a token.
  /// The source may lie in global memory (cp.async) or shared.
  uint64_t beginCopy(Context &context, unsigned lane, const AsyncCopy &copy);
  /// The thread waited: the copy counts as done by it, now.
  void endCopy(Context &context, unsigned lane, const AsyncCopy &copy);

private:
  struct State;
  std::unique_ptr<State> state;
  Launch &launch;
  const bool enabled;
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_CHECKER_H
