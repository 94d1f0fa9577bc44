//===- Toucher.cpp - lanes touch granules ---------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Toucher.h"

#include "runtime/sim/Naming.h"

namespace girih::sim {

Toucher::Toucher(CheckerCore &core, Context &context, const WarpAccess &access,
                 bool isShared)
    : core(core), context(context), access(access),
      cluster(clusterOf(context.block)), isShared(isShared),
      mayShorten(!core.communicate && !isShared) {
  self.block = context.block.linear;
  self.cluster = cluster.clocks.serial;
  self.statement = context.fragment.pc;
  self.warp = uint16_t(context.warp.index);
  self.rank = uint8_t(context.block.rank);
  self.bytes = uint16_t(std::min(access.bytes, 0xffffu));
  self.kind = access.kind;
  self.strength = strengthOf(access.kind == AccessKind::Atomic
                                 ? std::max(access.order, Order::Relaxed)
                                 : access.order,
                             access.scope);
}

void Toucher::become(const ThreadClock &lanesClock) {
  clock = &lanesClock;
  self.clock = lanesClock.now;
  mine = 0;
  for (Memo &memo : memos)
    memo = Memo();
  const auto &over = cluster.recentOf(self.rank, self.warp).ordered;
  quick = Quick();
  quick.ordered = over[0];
  quick.orderedToo = over[1];
}

void Toucher::keepForWarp() {
  cluster.recentOf(self.rank, self.warp).ordered = {quick.ordered,
                                                    quick.orderedToo};
}

void Toucher::beginCopy(uint32_t statement) {
  self.statement = statement;
  self.pending = true;
  mine = 0;
}

void Toucher::finishCopy(uint32_t statement, AgentClock agent) {
  self.statement = statement;
  self.agent = agent.agent;
  self.pending = false;
  mine = 0;
}

uint32_t Toucher::makeRecord() {
  auto &made = cluster.recentOf(self.rank, self.warp).made;
  ClusterState::Recent::Made &slot = made[self.statement % made.size()];
  // A copy under way is told apart by its number.
  if (!self.pending && slot.number && slot.isShared == isShared &&
      slot.record == self)
    return slot.number;
  uint32_t number =
      core.records.add(isShared ? cluster.sharedRun : cluster.globalRun, self,
                       isShared ? &cluster.sharedRuns : nullptr);
  if (!number)
    reportExhausted();
  if (!self.pending)
    slot = {number, isShared, self};
  return number;
}

void Toucher::reportExhausted() {
  if (core.isExhausted.exchange(true))
    return;
  context.launch.faults->report({FaultKind::IllegalValue,
                                 {{{self.block, 0},
                                   self.statement,
                                   describeAction(self.kind, self.bytes)}},
                                 "the record of accesses",
                                 "it is full after " +
                                     std::to_string(RecordTable::most) +
                                     " entries, and races from here on may go "
                                     "unnoticed; a smaller launch "
                                     "is needed, or one without checks"});
}

//===----------------------------------------------------------------------===//
// Order

Toucher::Seen Toucher::classify(const Record &record) const {
  if (record.cluster != self.cluster) {
    const std::vector<LogView> &foreign = clock->base->foreign;
    return !foreign.empty() && !record.agent &&
                   ReleaseLog::knowsAll(foreign, record.cluster, record.rank,
                                        record.clock)
               ? Seen::Ordered
               : Seen::ByLane;
  }
  if (record.agent)
    return clock->base->knowsAgent(record.agent, record.clock) ? Seen::Ordered
                                                               : Seen::ByLane;
  if (record.clock <= clock->base->floors[record.rank])
    return Seen::Ordered;
  if (!record.sameWarp(self) || self.agent)
    return Seen::ByLane;
  return record.clock <= clock->warpFloor ? Seen::Ordered : Seen::SameWarp;
}

/// Looks a record up once for many granules.
inline const Toucher::Memo &Toucher::look(uint32_t record) {
  for (const Memo &memo : memos)
    if (memo.record == record)
      return memo;
  const Record &found = core.records[record];
  Memo &memo = memos[nextMemo++ % 4];
  memo.record = record;
  memo.seen = classify(found);
  memo.covered = memo.seen == Seen::Ordered && covers(found);
  if (memo.seen == Seen::Ordered) {
    quick.orderedToo = quick.ordered;
    quick.ordered = record;
  }
  return memo;
}

bool Toucher::isOrdered(const Record &record, unsigned other,
                        unsigned lane) const {
  uint32_t threads = cluster.clocks.shape.threads;
  uint32_t member = record.rank * threads + record.warp * kLanes + other;
  const std::vector<LogView> &foreign = clock->base->foreign;
  if (record.agent)
    return clock->base->knowsAgent(record.agent, record.clock) ||
           (!foreign.empty() &&
            ReleaseLog::knowsAgent(foreign, record.cluster, record.agent,
                                   record.clock));
  if (record.cluster == self.cluster) {
    if (record.sameWarp(self) &&
        (other == lane || record.clock <= clock->warpFloor ||
         (clock->warp && record.clock <= (*clock->warp)[other])))
      return true;
    if (record.clock <= clock->base->known(record.rank, member))
      return true;
  }
  // Threads of the own cluster may have been heard of by way of others.
  return !foreign.empty() &&
         ReleaseLog::knows(foreign, record.cluster, record.rank, member,
                           record.clock);
}

/// True if the two are strong and in each other's scope: those do not race.
bool Toucher::isHarmless(const Record &record) const {
  switch (std::min(record.strength, self.strength)) {
  case kWeak:
    return false;
  case 1 + unsigned(Scope::Cta):
    return record.block == self.block;
  case 1 + unsigned(Scope::Cluster):
    return record.cluster == self.cluster;
  default:
    return true;
  }
}

/// True if whatever conflicts with the record conflicts with this access too.
bool Toucher::covers(const Record &record) const {
  if (record.pending || (record.writes() && !self.writes()))
    return false;
  if (self.strength == kWeak)
    return true;
  return record.strength >= self.strength &&
         (record.block == self.block ||
          self.strength > 1 + unsigned(Scope::Cluster));
}

bool Toucher::mayRace(Ref ref, unsigned lane) {
  const Memo &memo = look(recordOf(ref));
  if (memo.seen == Seen::Ordered ||
      (memo.seen == Seen::SameWarp && laneOf(ref) == lane))
    return false;
  return !isOrdered(core.records[recordOf(ref)], laneOf(ref), lane);
}

//===----------------------------------------------------------------------===//
// What was there before

inline void Toucher::checkWrite(Cell &cell, uint32_t index, unsigned lane) {
  if (cell.write && mayRace(cell.write, lane) &&
      !isHarmless(core.records[recordOf(cell.write)]))
    report(cell.write, index, lane);
}

void Toucher::checkRef(Ref ref, uint32_t index, unsigned lane) {
  const Record &record = core.records[recordOf(ref)];
  if (!record.writes() && !self.writes())
    return;
  if (record.pending)
    return reportCopy(ref, index, lane, Conflict::CopyReads);
  if (mayRace(ref, lane) && !isHarmless(record))
    report(ref, index, lane);
}

void Toucher::checkSince(Cell &cell, uint32_t index, unsigned lane) {
  if (!(cell.first & Cell::kMany)) {
    if (cell.first)
      checkRef(cell.first, index, lane);
    if (cell.second)
      checkRef(cell.second, index, lane);
    return;
  }
  for (const Entry &entry : (*sets)[cell.first & ~Cell::kMany])
    for (uint32_t rest = entry.mask; rest; rest &= rest - 1)
      checkRef(makeRef(entry.record, unsigned(__builtin_ctz(rest))), index,
               lane);
}

void Toucher::clearSince(Cell &cell) {
  if (cell.first & Cell::kMany)
    sets->drop(cell.first & ~Cell::kMany);
  cell.first = cell.second = 0;
}

//===----------------------------------------------------------------------===//
// What lanes do

void Toucher::read(Cell &cell, uint32_t index, unsigned lane) {
  if (cell.flags & Cell::kBusy)
    return reportCopy(cell.write, index, lane, Conflict::CopyWrites);
  if (cell.write)
    checkWrite(cell, index, lane);
  if (cell.flags & Cell::kMixed)
    checkSince(cell, index, lane);
  note(cell, index, lane);
}

void Toucher::write(Cell &cell, uint32_t index, unsigned lane) {
  if (cell.flags & Cell::kBusy)
    return reportCopy(cell.write, index, lane, Conflict::CopyWrites);
  checkWrite(cell, index, lane);
  if (cell.first) {
    checkSince(cell, index, lane);
    clearSince(cell);
  }
  if (cell.flags & Cell::kSync)
    forgetLocation(core, cluster, isShared, dataOf(index), 1u << shift);
  if (page && page->isSaturated(index))
    page->clearSaturated(index);
  uint32_t record = recordNumber();
  cell.write = record ? makeRef(record, lane) : 0;
  cell.flags = self.pending ? Cell::kBusy : Cell::kInitialized;
}

void Toucher::strong(Cell &cell, uint32_t index, unsigned lane) {
  if (cell.flags & Cell::kBusy)
    return reportCopy(cell.write, index, lane, Conflict::CopyWrites);
  checkWrite(cell, index, lane);
  if (cell.first)
    checkSince(cell, index, lane);
  if (page && page->isSaturated(index))
    page->clearSaturated(index);
  if (self.writes())
    cell.flags |= Cell::kInitialized | Cell::kSync;
  note(cell, index, lane);
}

//===----------------------------------------------------------------------===//
// What is kept

inline void Toucher::note(Cell &cell, uint32_t index, unsigned lane) {
  uint32_t record = recordNumber();
  if (!record)
    return;
  Ref ref = makeRef(record, lane);
  if (!isPlain(self))
    cell.flags |= Cell::kMixed;
  if (!cell.first) {
    cell.first = ref;
    return;
  }
  if (cell.first == ref || cell.second == ref)
    return;
  if (cell.first & Cell::kMany)
    return noteInSet(cell, index, lane);
  auto goes = [&](Ref old) {
    const Memo &memo = look(recordOf(old));
    return memo.covered ||
           (memo.seen == Seen::SameWarp && laneOf(old) == lane &&
            covers(core.records[recordOf(old)]));
  };
  if (goes(cell.first)) {
    cell.first = ref;
    if (cell.second && goes(cell.second))
      cell.second = 0;
  } else if (!cell.second || goes(cell.second)) {
    cell.second = ref;
    const Record &other = core.records[recordOf(cell.first)];
    if (other.cluster != self.cluster)
      (mayShorten ? quick.liveForeign : quick.live) = recordOf(cell.first);
    else if (!other.sameWarp(self))
      quick.live = recordOf(cell.first);
  } else {
    return noteThird(cell, index, lane);
  }
  if (mayShorten && cell.second)
    settle(cell, index);
}

/// Marks a granule that two unordered blocks have read.
void Toucher::settle(const Cell &cell, uint32_t index) {
  if (cell.write || cell.flags & Cell::kMixed)
    return;
  if (core.records[recordOf(cell.first)].cluster !=
      core.records[recordOf(cell.second)].cluster)
    page->setSaturated(index);
}

/// Two plain readers, neither ordered before this one, and of other threads.
/// True if this one need not be kept.
bool Toucher::isRedundant(Cell &cell, uint32_t index, unsigned lane) {
  const Record &one = core.records[recordOf(cell.first)];
  const Record &two = core.records[recordOf(cell.second)];
  if (!isPlain(self) || !isPlain(one) || !isPlain(two))
    return false;
  if (mayShorten && one.cluster != two.cluster)
    return true;
  if (mayShorten && one.cluster != self.cluster) {
    cell.second = makeRef(mine, lane);
    settle(cell, index);
    return true;
  }
  return !cluster.fine && one.clock == self.clock && two.clock == self.clock;
}

void Toucher::noteThird(Cell &cell, uint32_t index, unsigned lane) {
  if (isRedundant(cell, index, lane)) {
    quick.one = recordOf(cell.first);
    quick.two = recordOf(cell.second);
    return;
  }
  uint32_t number = sets->take();
  std::vector<Entry> &set = (*sets)[number];
  if (set.capacity() < 4)
    set.reserve(4);
  for (Ref ref : {cell.first, cell.second}) {
    if (!set.empty() && set.back().record == recordOf(ref))
      set.back().mask |= 1u << laneOf(ref);
    else
      set.push_back({recordOf(ref), 1u << laneOf(ref)});
  }
  cell.first = Cell::kMany | number;
  cell.second = 0;
  noteInSet(cell, index, lane);
}

void Toucher::noteInSet(Cell &cell, uint32_t index, unsigned lane) {
  std::vector<Entry> &set = (*sets)[cell.first & ~Cell::kMany];
  uint32_t bit = 1u << lane;
  if (set.back().record == mine) {
    set.back().mask |= bit;
    return;
  }
  if (mayShorten && !(cell.flags & Cell::kMixed) &&
      core.records[set.front().record].cluster != self.cluster) {
    Ref first =
        makeRef(set.front().record, unsigned(__builtin_ctz(set.front().mask)));
    clearSince(cell);
    cell.first = first;
    cell.second = makeRef(mine, lane);
    return settle(cell, index);
  }
  // Looking through it only now and then keeps reading cheap; but what is left
  // of an earlier phase goes at once.
  bool isOver = look(set.back().record).covered;
  if (isOver || set.size() == set.capacity()) {
    prune(set, bit);
    if (set.empty()) {
      clearSince(cell);
      cell.first = makeRef(mine, lane);
      return;
    }
    if (set.size() > set.capacity() / 2)
      set.reserve(set.capacity() * 2);
  }
  set.push_back({mine, bit});
}

/// Drops what this access stands for, and brings together what is of one
/// record.
void Toucher::prune(std::vector<Entry> &set, uint32_t bit) {
  size_t kept = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    Entry entry = set[i];
    const Memo &memo = look(entry.record);
    if (memo.covered)
      continue;
    if (memo.seen == Seen::SameWarp && entry.mask & bit &&
        covers(core.records[entry.record]))
      entry.mask &= ~bit;
    if (!entry.mask)
      continue;
    size_t same = 0;
    while (same < kept && set[same].record != entry.record)
      ++same;
    if (same < kept)
      set[same].mask |= entry.mask;
    else
      set[kept++] = entry;
  }
  set.resize(kept);
}

/// Takes a lane of a record out of the accesses since the last write.
void Toucher::remove(Cell &cell, Ref ref) {
  if (!(cell.first & Cell::kMany)) {
    if (cell.second == ref)
      cell.second = 0;
    if (cell.first == ref) {
      cell.first = cell.second;
      cell.second = 0;
    }
    return;
  }
  std::vector<Entry> &set = (*sets)[cell.first & ~Cell::kMany];
  for (Entry &entry : set)
    if (entry.record == recordOf(ref))
      entry.mask &= ~(1u << laneOf(ref));
  std::erase_if(set, [](const Entry &entry) { return !entry.mask; });
  if (set.empty())
    clearSince(cell);
}

/// After copies: a granule with nothing but plain reads again.
void Toucher::tidy(Cell &cell, uint32_t index) {
  auto plain = [&](uint32_t record) { return isPlain(core.records[record]); };
  if (!(cell.first & Cell::kMany)) {
    if ((cell.first && !plain(recordOf(cell.first))) ||
        (cell.second && !plain(recordOf(cell.second))))
      return;
    cell.flags &= uint16_t(~Cell::kMixed);
    if (mayShorten && cell.second)
      settle(cell, index);
    return;
  }
  std::vector<Entry> &set = (*sets)[cell.first & ~Cell::kMany];
  for (const Entry &entry : set)
    if (!plain(entry.record))
      return;
  cell.flags &= uint16_t(~Cell::kMixed);
  const Entry first = set.front();
  for (const Entry &entry : set)
    if (mayShorten && core.records[entry.record].cluster !=
                          core.records[first.record].cluster) {
      Ref second = makeRef(entry.record, unsigned(__builtin_ctz(entry.mask)));
      clearSince(cell);
      cell.first = makeRef(first.record, unsigned(__builtin_ctz(first.mask)));
      cell.second = second;
      return settle(cell, index);
    }
}

void Toucher::finishRead(Cell &cell, uint32_t index, Ref pending) {
  remove(cell, pending);
  note(cell, index, laneOf(pending));
  tidy(cell, index);
}

void Toucher::finishWrite(Cell &cell, Ref pending) {
  if (cell.write != pending || !(cell.flags & Cell::kBusy))
    return; // somebody wrote over it, and was told
  uint32_t record = recordNumber();
  cell.write = record ? makeRef(record, laneOf(pending)) : 0;
  cell.flags = Cell::kInitialized;
}

//===----------------------------------------------------------------------===//
// Reports

const uint8_t *Toucher::dataOf(uint32_t index) const {
  return (isShared ? owner->shared.data() : buffer->data.get()) +
         ((firstCell + index) << shift);
}

std::string Toucher::nameOf(uint32_t index) const {
  uint64_t offset = (firstCell + index) << shift;
  if (isShared)
    return describeShared(context.block, *owner, offset);
  return describeGlobal(
      *context.launch.memory, buffer->address + offset,
      std::min<uint64_t>(uint64_t(1) << shift, buffer->bytes - offset));
}

static RaceSide sideOf(const Record &record, unsigned lane) {
  return {{record.block, record.warp * kLanes + lane},
          record.statement,
          record.kind,
          record.bytes,
          record.strength != kWeak};
}

/// One granule of two accesses is enough.
bool Toucher::isRepeated(Ref ref, unsigned lane) {
  bool same = reportedRef == ref && reportedLane == lane;
  reportedRef = ref;
  reportedLane = lane;
  return same;
}

void Toucher::report(Ref ref, uint32_t index, unsigned lane) {
  if (isRepeated(ref, lane))
    return;
  const Record &record = core.records[recordOf(ref)];
  Conflict conflict = record.cluster == self.cluster ? Conflict::Unordered
                                                     : Conflict::OtherCluster;
  unsigned other = laneOf(ref);
  if (record == self && access.mask >> other & 1) {
    uint64_t distance = access.address[other] - access.address[lane];
    if (distance + access.bytes - 1 < 2 * access.bytes - 1)
      conflict = Conflict::SameInstruction;
  }
  reportConflict(core, context.launch, sideOf(record, other),
                 sideOf(self, lane), conflict, [&] { return nameOf(index); });
}

void Toucher::reportCopy(Ref ref, uint32_t index, unsigned lane,
                         Conflict conflict) {
  if (isRepeated(ref, lane))
    return;
  reportConflict(core, context.launch,
                 sideOf(core.records[recordOf(ref)], laneOf(ref)),
                 sideOf(self, lane), conflict, [&] { return nameOf(index); });
}

} // namespace girih::sim
