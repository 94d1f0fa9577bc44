//===- Toucher.h - lanes touch granules ----------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test for races, of lanes that share one clock. What it relies on:
//
// An entry of a granule may go if a later access is ordered behind it and
// conflicts with at least what it conflicts with: whoever races with the former
// races with the latter.
//
// Where only whole-block barriers order, two readers are enough: of one block
// and one phase, any writer is unordered with one of them; and two of different
// blocks are unordered with every writer, as long as blocks do not communicate.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_TOUCHER_H
#define GIRIH_RUNTIME_SIM_TOUCHER_H

#include "runtime/sim/CheckerState.h"

namespace girih::sim {

class Toucher {
public:
  Toucher(CheckerCore &core, Context &context, const WarpAccess &access,
          bool isShared);

  /// Where the granules are that come next: sets of their shadow, the page
  /// (null for shared memory).
  void enter(EntrySets &entrySets, GlobalShadow::Page *globalPage) {
    sets = &entrySets;
    page = globalPage;
  }
  /// Lanes with this clock come next.
  void become(const ThreadClock &lanesClock);
  /// True if more than whole-block barriers orders threads.
  bool isFine() const { return cluster.fine; }
  /// All lanes of the warp were looked at: what was found out about others'
  /// accesses serves the next ones, too.
  void keepForWarp();
  /// A copy that stays under way, issued at `statement`.
  void beginCopy(uint32_t statement);
  /// The same copy when it is done.
  void finishCopy(uint32_t statement, AgentClock agent = {});
  uint32_t recordNumber() { return mine ? mine : (mine = makeRecord()); }

  // What a lane does to a granule, the page's number `index`.
  /// Does a plain read or write, and returns true, where all it meets has been
  /// looked at before; most of the time, that is.
  bool readQuickly(Cell &cell, uint32_t index, unsigned lane, uint16_t flags);
  bool writeQuickly(Cell &cell, unsigned lane);
  void read(Cell &cell, uint32_t index, unsigned lane);
  void write(Cell &cell, uint32_t index, unsigned lane);
  void strong(Cell &cell, uint32_t index, unsigned lane);
  /// The copy that `pending` began is done.
  void finishRead(Cell &cell, uint32_t index, Ref pending);
  void finishWrite(Cell &cell, Ref pending);

  // Set by the owner, for names of granules.
  Block *owner = nullptr;
  GlobalBuffer *buffer = nullptr;
  uint64_t firstCell = 0; ///< of the page
  unsigned shift = 0;

private:
  /// Of a record, seen by all lanes at once.
  enum class Seen : uint8_t {
    Ordered,
    ByLane,  ///< depends on who
    SameWarp ///< the same, and it is this warp's
  };
  struct Memo {
    uint32_t record = 0;
    Seen seen = Seen::ByLane;
    bool covered = false; ///< Ordered, and this access says as much
  };

  uint32_t makeRecord();
  void reportExhausted();
  const Memo &look(uint32_t record);
  Seen classify(const Record &record) const;
  bool isOrdered(const Record &record, unsigned other, unsigned lane) const;
  bool isHarmless(const Record &record) const;
  bool covers(const Record &record) const;
  bool mayRace(Ref ref, unsigned lane);
  bool isPlain(const Record &record) const {
    return !record.writes() && record.strength == kWeak && !record.pending;
  }

  void checkWrite(Cell &cell, uint32_t index, unsigned lane);
  void checkSince(Cell &cell, uint32_t index, unsigned lane);
  void checkRef(Ref ref, uint32_t index, unsigned lane);
  void clearSince(Cell &cell);
  void note(Cell &cell, uint32_t index, unsigned lane);
  void prune(std::vector<Entry> &set, uint32_t bit);
  void noteThird(Cell &cell, uint32_t index, unsigned lane);
  void noteInSet(Cell &cell, uint32_t index, unsigned lane);
  bool isRedundant(Cell &cell, uint32_t index, unsigned lane);
  void settle(const Cell &cell, uint32_t index);
  void remove(Cell &cell, Ref ref);
  void tidy(Cell &cell, uint32_t index);

  bool isRepeated(Ref ref, unsigned lane);
  void report(Ref ref, uint32_t index, unsigned lane);
  void reportCopy(Ref ref, uint32_t index, unsigned lane, Conflict conflict);
  const uint8_t *dataOf(uint32_t index) const;
  std::string nameOf(uint32_t index) const;

  CheckerCore &core;
  Context &context;
  const WarpAccess &access;
  ClusterState &cluster;
  EntrySets *sets = nullptr;
  GlobalShadow::Page *page = nullptr;
  const ThreadClock *clock = nullptr;
  const bool isShared;
  const bool mayShorten; ///< blocks of different clusters are never ordered
  uint32_t mine = 0;     ///< record of this access; 0: not made yet
  Record self;
  Ref reportedRef = 0; ///< of the last report
  unsigned reportedLane = 0;
  Memo memos[4];
  unsigned nextMemo = 0;

  /// Records that what was found out about some granules is known of.
  struct Quick {
    uint32_t ordered = 0, orderedToo = 0; ///< before all lanes
    uint32_t live = 0, liveForeign = 0;   ///< of other warps, not ordered
    uint32_t one = 0, two = 0; ///< next to these, a read is redundant

    bool isOrdered(Ref ref) const {
      return recordOf(ref) == ordered || recordOf(ref) == orderedToo;
    }
  };
  Quick quick;
};

inline bool Toucher::readQuickly(Cell &cell, uint32_t index, unsigned lane,
                                 uint16_t flags) {
  // `flags`: those that have to be there; no others may but Initialized.
  if (!mine || (cell.flags & ~(Cell::kInitialized ^ flags)) != flags ||
      (cell.write && !quick.isOrdered(cell.write)))
    return false;
  Ref ref = makeRef(mine, lane);
  if (!cell.first) {
    cell.first = ref;
    return true;
  }
  if (cell.first == ref || cell.second == ref)
    return true;
  if (quick.isOrdered(cell.first)) {
    if (cell.second && !quick.isOrdered(cell.second))
      return false;
    cell.first = ref;
    cell.second = 0;
    return true;
  }
  if (cell.second)
    return recordOf(cell.first) == quick.one &&
           recordOf(cell.second) == quick.two;
  if (recordOf(cell.first) == quick.live) {
    cell.second = ref;
    return true;
  }
  if (recordOf(cell.first) != quick.liveForeign || cell.write)
    return false;
  cell.second = ref;
  page->setSaturated(index);
  return true;
}

inline bool Toucher::writeQuickly(Cell &cell, unsigned lane) {
  if (!mine || cell.flags & ~Cell::kInitialized ||
      (cell.write && !quick.isOrdered(cell.write)) ||
      (cell.first && !quick.isOrdered(cell.first)) ||
      (cell.second && !quick.isOrdered(cell.second)))
    return false;
  cell.write = makeRef(mine, lane);
  cell.first = cell.second = 0;
  cell.flags = Cell::kInitialized;
  return true;
}

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_TOUCHER_H
