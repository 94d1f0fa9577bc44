//===- Shadow.h - what is kept about memory ------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each granule of memory: the last weak write, and the accesses since then
// that a later one could race with. Who did an access is written once for all
// lanes and granules (Record); a granule has numbers of records.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_SHADOW_H
#define GIRIH_RUNTIME_SIM_SHADOW_H

#include "runtime/sim/MemorySystem.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace girih::sim {

/// How far a strong access is strong; 0 for weak ones.
constexpr uint8_t kWeak = 0;
inline uint8_t strengthOf(Order order, Scope scope) {
  if (order == Order::Weak)
    return kWeak;
  // System and gpu scope are the same to one card.
  return uint8_t(1 + std::min(unsigned(scope), unsigned(Scope::Gpu)));
}

/// An access by lanes of a warp, all at the same clock.
struct Record {
  uint32_t block = 0;   ///< linear, in the grid
  uint32_t cluster = 0; ///< ClusterClocks::serial
  uint32_t clock = 0;
  uint32_t statement = 0;
  uint16_t warp = 0;  ///< in the block
  uint16_t bytes = 0; ///< of a lane
  uint8_t rank = 0;
  AccessKind kind = AccessKind::Read;
  uint8_t strength = kWeak;
  bool pending = false; ///< of a copy that is under way

  bool writes() const {
    return kind != AccessKind::Read && kind != AccessKind::AsyncRead;
  }
  bool sameWarp(const Record &other) const {
    return warp == other.warp && block == other.block;
  }
  bool operator==(const Record &) const = default;
};

/// All records of a launch, by number from 1. Numbers are handed out in runs,
/// so that threads of the host do not wait for each other.
class RecordTable {
public:
  static constexpr uint32_t kRun = 64;
  /// Numbers of one owner, used up one after the other.
  struct Run {
    uint32_t next = 0, end = 0;
  };

  RecordTable();
  ~RecordTable();
  const Record &operator[](uint32_t number) const {
    return segments[number / kSegment].load(
        std::memory_order_acquire)[number % kSegment];
  }
  /// Takes a number from the run, or a new run. 0 if there are none left.
  uint32_t add(Run &run, const Record &record, std::vector<uint32_t> *taken);
  /// Runs, by their first number, that nothing refers to any more.
  void giveBack(const std::vector<uint32_t> &runs);

private:
  static constexpr uint32_t kSegment = 1 << 14, kSegments = 1 << 12;
  bool refill(Run &run);
  std::unique_ptr<std::atomic<Record *>[]> segments;
  std::mutex mutex;
  std::vector<uint32_t> freeRuns;
  uint32_t nextRun = kRun; ///< number 0 means none
};

/// A lane of a record: 32 * record + lane.
using Ref = uint32_t;
constexpr Ref makeRef(uint32_t record, unsigned lane) {
  return record << 5 | lane;
}
constexpr uint32_t recordOf(Ref ref) { return ref >> 5; }
constexpr unsigned laneOf(Ref ref) { return ref & 31; }

/// What is kept about one granule.
struct Cell {
  Ref write = 0; ///< the last weak write; 0: none
  /// Accesses since: none (0), one or two, or kMany + a number of a set in
  /// `first` alone.
  Ref first = 0, second = 0;
  uint16_t epoch = 0; ///< of the shadow; cells of others are void
  uint16_t flags = 0;

  static constexpr Ref kMany = 1u << 31;
  static constexpr uint16_t kInitialized = 1;
  static constexpr uint16_t kBusy = 2; ///< destination of a copy under way
  static constexpr uint16_t kSync = 4; ///< a strong write has been here
  /// Something other than plain reads is among the accesses since.
  static constexpr uint16_t kMixed = 8;
};
static_assert(sizeof(Cell) == 16);

/// Accesses of one record to one granule.
struct Entry {
  uint32_t record = 0;
  uint32_t mask = 0; ///< lanes
};

/// Sets of entries, by number.
class EntrySets {
public:
  uint32_t take();
  void drop(uint32_t number) { spare.push_back(number); }
  std::vector<Entry> &operator[](uint32_t number) { return sets[number]; }
  void clear();

private:
  std::vector<std::vector<Entry>> sets;
  std::vector<uint32_t> spare;
};

/// Of a block's shared memory.
class SharedShadow {
public:
  /// For a new block: all that was kept is void.
  void begin(uint64_t bytes, unsigned granule);
  Cell &at(uint32_t index) {
    Cell &cell = cells[index];
    if (cell.epoch != epoch) {
      cell = Cell();
      cell.epoch = epoch;
    }
    return cell;
  }
  unsigned shift = 0; ///< of the granule
  EntrySets sets;

private:
  std::vector<Cell> cells;
  uint16_t epoch = 0;
};

/// A lock for a few hundred ns.
class SpinLock {
public:
  void lock() {
    for (unsigned tries = 0; flag.test_and_set(std::memory_order_acquire);)
      if (++tries % 64 == 0)
        std::this_thread::yield();
  }
  void unlock() { flag.clear(std::memory_order_release); }

private:
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
};

/// Of a global buffer: pages of granules, made when they are touched.
class GlobalShadow {
public:
  static constexpr uint32_t kCells = 1024;
  struct Page {
    SpinLock lock;
    std::atomic<uint64_t> serial{0}; ///< of the checker that it is for
    /// A bit a granule: two blocks that nothing orders have read it and none
    /// has written it; more readers would say nothing new.
    std::array<std::atomic<uint32_t>, kCells / 32> saturated{};
    std::array<Cell, kCells> cells;
    EntrySets sets;

    bool isSaturated(uint32_t cell) const {
      return saturated[cell / 32].load(std::memory_order_relaxed) >>
                 (cell % 32) &
             1;
    }
    void setSaturated(uint32_t cell) {
      saturated[cell / 32].fetch_or(1u << cell % 32, std::memory_order_relaxed);
    }
    void clearSaturated(uint32_t cell) {
      saturated[cell / 32].fetch_and(~(1u << cell % 32),
                                     std::memory_order_relaxed);
    }
  };

  GlobalShadow(uint64_t bytes, unsigned granule);
  ~GlobalShadow();
  /// Ready for this launch.
  Page &page(uint64_t number, uint64_t serial);

  const unsigned shift; ///< of the granule

private:
  void renew(Page &page, uint64_t serial);
  uint64_t count;
  std::unique_ptr<std::atomic<Page *>[]> pages;
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_SHADOW_H
