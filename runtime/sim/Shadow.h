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
  /// Of a copy that an mbarrier told of: it, and `clock` is its phase. Nobody
  /// has done this access, then, not even the thread that asked for it.
  uint32_t agent = 0;
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

  /// Numbers there are at most; what a Ref holds.
  static std::atomic<uint32_t> most;

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
  /// After a barrier of all threads: forgets all accesses, and what they said
  /// is initialised stays so. False, and nothing done, while copies are under
  /// way.
  bool forget(const RecordTable &records);
  unsigned shift = 0; ///< of the granule
  EntrySets sets;

private:
  bool isPending(const RecordTable &records, const Cell &cell);
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

/// Granules of a page that change in step: each of write, first and second goes
/// up by one every 2^shift granules, or stays.
struct CellRun {
  uint16_t count = 0;
  std::array<uint8_t, 3> shifts{};
  Cell start;
};

/// Of a global buffer: pages of granules, made when they are touched. Pages
/// that all lanes seem to be done with are packed if there are many.
class GlobalShadow {
public:
  static constexpr uint32_t kCells = 1024;
  using Cells = std::array<Cell, kCells>;
  class Page {
  public:
    SpinLock lock;                   ///< for all but isSaturated and serial
    std::atomic<uint64_t> serial{0}; ///< of the checker that it is for
    EntrySets sets;

    /// The granules, unpacked.
    Cells &open();
    /// So many granules have been touched; packs the page at times.
    void close(uint32_t touched);
    void clear();

    // A bit a granule: two blocks that nothing orders have read it and none has
    // written it; more readers would say nothing new.
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

    ~Page() { clear(); }

  private:
    bool pack();
    std::array<std::atomic<uint32_t>, kCells / 32> saturated{};
    std::unique_ptr<Cells> cells; ///< null: packed, or nothing yet
    std::vector<CellRun> packed;
    uint32_t seen = 0;        ///< granules touched since the last look
    bool wasUnpacked = false; ///< in vain: packed again only if saturated
  };
  /// Pages that are not packed, of all buffers; beyond mostOpenPages some are.
  static std::atomic<int64_t> openPages, mostOpenPages;

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
