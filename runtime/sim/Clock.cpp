//===- Clock.cpp - what threads know of each other ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Clock.h"

namespace girih::sim {

//===----------------------------------------------------------------------===//
// Snapshots

static bool coversForeign(const Snapshot &one, const Snapshot &two) {
  for (const LogView &view : two.foreign) {
    bool found = false;
    for (const LogView &own : one.foreign)
      found |= own.log == view.log && own.length >= view.length;
    if (!found)
      return false;
  }
  return true;
}

bool Snapshot::covers(const Snapshot &other) const {
  if (this == &other)
    return true;
  if (clocks.empty() && !other.clocks.empty())
    return false; // possible, but not worth finding out
  for (unsigned rank = 0; rank < kRanks; ++rank)
    if (floors[rank] < other.floors[rank])
      return false;
  for (size_t member = 0; member < other.clocks.size(); ++member)
    if (clocks[member] < other.clocks[member])
      return false;
  return coversForeign(*this, other);
}

bool Knowledge::knows(unsigned rank, uint32_t other, uint32_t time) const {
  if (other == member)
    return clock.now >= time;
  if (clock.base->known(rank, other) >= time)
    return true;
  if (other < warp || other >= warp + kLanes)
    return false;
  return clock.warpFloor >= time ||
         (clock.warp && (*clock.warp)[other - warp] >= time);
}

//===----------------------------------------------------------------------===//
// WarpClock

ThreadClock &WarpClock::apart(unsigned lane) {
  if (uniform) {
    lanes.assign(kLanes, all);
    uniform = false;
  }
  dirty = true;
  return lanes[lane];
}

void WarpClock::unite(ThreadClock clock) {
  all = std::move(clock);
  uniform = true;
  dirty = false;
}

bool WarpClock::isUniform() {
  if (uniform || !dirty)
    return uniform;
  dirty = false;
  const ThreadClock &first = lanes[unsigned(__builtin_ctz(exists))];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (exists >> lane & 1 && !(lanes[lane] == first))
      return false;
  unite(first);
  return true;
}

//===----------------------------------------------------------------------===//
// Joiner

Joiner::Joiner(ClusterShape shape)
    : shape(shape), made(std::make_shared<Snapshot>()) {
  made->clocks.assign(shape.members(), 0);
}

void Joiner::raise(uint32_t member, uint32_t clock) {
  uint32_t &known = made->clocks[member];
  known = std::max(known, clock);
}

void Joiner::add(const SnapshotRef &snapshot) {
  // Nearly always the same few.
  if (std::find(seen.begin(), seen.end(), snapshot.get()) != seen.end())
    return;
  if (seen.size() < 16)
    seen.push_back(snapshot.get());
  for (unsigned rank = 0; rank < kRanks; ++rank)
    made->floors[rank] = std::max(made->floors[rank], snapshot->floors[rank]);
  for (uint32_t member = 0; member < snapshot->clocks.size(); ++member)
    raise(member, snapshot->clocks[member]);
  for (const LogView &view : snapshot->foreign) {
    auto same = std::find_if(
        made->foreign.begin(), made->foreign.end(),
        [&](const LogView &other) { return other.log == view.log; });
    if (same == made->foreign.end())
      made->foreign.push_back(view);
    else
      same->length = std::max(same->length, view.length);
  }
}

void Joiner::add(const Knowledge &knowledge) {
  const ThreadClock &clock = knowledge.clock;
  add(clock.base);
  raise(knowledge.member, clock.now);
  if (!clock.warpFloor && !clock.warp)
    return;
  uint32_t end =
      std::min(knowledge.warp / shape.threads * shape.threads + shape.threads,
               knowledge.warp + kLanes);
  for (uint32_t member = knowledge.warp; member < end; ++member) {
    raise(member, clock.warpFloor);
    if (clock.warp)
      raise(member, (*clock.warp)[member - knowledge.warp]);
  }
}

SnapshotRef Joiner::finish() {
  // What all threads of a block have reached is its floor; where nothing is
  // above the floors, they say all.
  bool above = false;
  for (unsigned rank = 0; rank < shape.ranks; ++rank) {
    auto first = made->clocks.begin() + rank * shape.threads;
    auto [least, most] = std::minmax_element(first, first + shape.threads);
    made->floors[rank] = std::max(made->floors[rank], *least);
    above |= *most > made->floors[rank];
  }
  if (!above)
    made->clocks = {};
  return std::move(made);
}

const SnapshotRef &Gathering::snapshot(ClusterShape shape) {
  if (!fresh.empty()) {
    Joiner joiner(shape);
    if (joined)
      joiner.add(joined);
    for (const Knowledge &knowledge : fresh)
      joiner.add(knowledge);
    fresh.clear();
    joined = joiner.finish();
  }
  return joined;
}

//===----------------------------------------------------------------------===//
// ReleaseLog

void ReleaseLog::add(uint32_t cluster, unsigned rank,
                     const Knowledge &knowledge) {
  uint32_t position = count++;
  std::vector<Part> &ours = parts[cluster];
  auto part = std::find_if(ours.begin(), ours.end(),
                           [&](const Part &p) { return p.rank == rank; });
  if (part == ours.end())
    part = ours.insert(part, Part{rank, {}, nullptr, 0});
  part->items.push_back({position, knowledge});
  for (const LogView &view : knowledge.clock.base->foreign) {
    // What was in this log before is there for everyone who sees this entry.
    bool isKnown = view.log.get() == this;
    for (size_t i = links.size(); i-- && !isKnown;)
      isKnown =
          links[i].view.log == view.log && links[i].view.length >= view.length;
    if (!isKnown)
      links.push_back({position, view});
  }
}

SnapshotRef ReleaseLog::of(uint32_t cluster, unsigned rank, uint32_t length,
                           ClusterShape shape) {
  auto found = parts.find(cluster);
  if (found == parts.end())
    return nullptr;
  auto place = std::find_if(found->second.begin(), found->second.end(),
                            [&](const Part &p) { return p.rank == rank; });
  if (place == found->second.end() || place->items.front().position >= length)
    return nullptr;
  Part &part = *place;
  bool isAll = part.items.back().position < length;
  if (isAll && part.merged == part.items.size())
    return part.joined;
  Joiner joiner(shape);
  size_t start = isAll ? part.merged : 0;
  if (isAll && part.joined)
    joiner.add(part.joined);
  for (size_t i = start; i < part.items.size(); ++i)
    if (part.items[i].position < length)
      joiner.add(part.items[i].knowledge);
  SnapshotRef made = joiner.finish();
  if (isAll) {
    part.joined = made;
    part.merged = part.items.size();
  }
  return made;
}

template <typename F>
bool ReleaseLog::search(std::span<const LogView> views, uint32_t cluster,
                        F &&test) {
  std::vector<LogView> todo(views.begin(), views.end());
  std::unordered_map<const ReleaseLog *, uint32_t> seen;
  while (!todo.empty()) {
    LogView view = std::move(todo.back());
    todo.pop_back();
    uint32_t &before = seen[view.log.get()];
    if (before >= view.length)
      continue;
    before = view.length;
    if (auto found = view.log->parts.find(cluster);
        found != view.log->parts.end())
      for (const Part &part : found->second)
        for (size_t i = part.items.size(); i--;)
          if (part.items[i].position < view.length &&
              test(part.items[i].knowledge))
            return true;
    for (const Link &link : view.log->links)
      if (link.position < view.length)
        todo.push_back(link.view);
  }
  return false;
}

bool ReleaseLog::knows(std::span<const LogView> views, uint32_t cluster,
                       unsigned rank, uint32_t member, uint32_t time) {
  return search(views, cluster, [&](const Knowledge &knowledge) {
    return knowledge.knows(rank, member, time);
  });
}

bool ReleaseLog::knowsAll(std::span<const LogView> views, uint32_t cluster,
                          unsigned rank, uint32_t time) {
  return search(views, cluster, [&](const Knowledge &knowledge) {
    return knowledge.clock.base->floors[rank] >= time;
  });
}

void ReleaseLog::clear() {
  parts.clear();
  links.clear();
}

//===----------------------------------------------------------------------===//
// ClusterClocks

ClusterClocks::ClusterClocks(ClusterShape shape, uint32_t serial)
    : shape(shape), serial(serial),
      warpsPerBlock((shape.threads + kLanes - 1) / kLanes),
      warps(shape.ranks * warpsPerBlock) {
  SnapshotRef nothing = std::make_shared<Snapshot>();
  for (size_t i = 0; i < warps.size(); ++i) {
    uint32_t first = uint32_t(i % warpsPerBlock) * kLanes;
    uint32_t count = std::min(shape.threads - first, kLanes);
    warps[i].exists = count == kLanes ? kAllLanes : (1u << count) - 1;
    warps[i].common().base = nothing;
  }
}

Knowledge ClusterClocks::knowledge(unsigned rank, uint32_t thread) {
  uint32_t member = rank * shape.threads + thread;
  return {warpOf(rank, thread / kLanes).at(thread % kLanes), member,
          member - thread % kLanes};
}

void ClusterClocks::step(unsigned rank, uint32_t thread) {
  ++apart(rank, thread).now;
}

SnapshotRef ClusterClocks::join(const SnapshotRef &one,
                                const SnapshotRef &two) {
  if (one == two || one->covers(*two))
    return one;
  if (two->covers(*one))
    return two;
  for (const Joined &joined : recent)
    if (joined.one == one && joined.two == two)
      return joined.result;
  Joiner joiner(shape);
  joiner.add(one);
  joiner.add(two);
  Joined &slot = recent[next++ % recent.size()];
  slot = {one, two, joiner.finish()};
  return slot.result;
}

void ClusterClocks::hear(unsigned rank, uint32_t thread,
                         const SnapshotRef &snapshot) {
  WarpClock &warp = warpOf(rank, thread / kLanes);
  SnapshotRef made = join(warp.at(thread % kLanes).base, snapshot);
  if (made != warp.at(thread % kLanes).base)
    warp.apart(thread % kLanes).base = std::move(made);
}

void ClusterClocks::wholeBarrier(unsigned rank) {
  uint32_t now = 0;
  SnapshotRef base;
  for (uint32_t index = 0; index < warpsPerBlock; ++index) {
    WarpClock &warp = warpOf(rank, index);
    bool uniform = warp.isUniform();
    for (unsigned lane = 0; lane < (uniform ? 1 : kLanes); ++lane) {
      if (!(warp.exists >> lane & 1))
        continue;
      const ThreadClock &clock = warp.at(lane);
      now = std::max(now, clock.now);
      base = base ? join(base, clock.base) : clock.base;
    }
  }
  auto made = std::make_shared<Snapshot>(*base);
  made->floors[rank] = now;
  if (shape.ranks == 1) // the floor says all
    made->clocks = {};
  ThreadClock clock;
  clock.now = now + 1;
  clock.base = std::move(made);
  for (uint32_t index = 0; index < warpsPerBlock; ++index)
    warpOf(rank, index).unite(clock);
}

void ClusterClocks::partialBarrier(unsigned rank,
                                   std::span<const Knowledge> arrived,
                                   std::span<const uint32_t> waiting) {
  Joiner joiner(shape);
  for (const Knowledge &knowledge : arrived)
    joiner.add(knowledge);
  ThreadClock clock;
  clock.base = joiner.finish();
  for (uint32_t thread : waiting) {
    uint32_t now = warpOf(rank, thread / kLanes).at(thread % kLanes).now;
    clock.now = std::max(clock.now, now + 1);
  }
  for (uint32_t thread : waiting)
    apart(rank, thread) = clock;
}

void ClusterClocks::warpBarrier(unsigned rank, uint32_t index, uint32_t mask) {
  WarpClock &warp = warpOf(rank, index);
  mask &= warp.exists;
  if (!mask)
    return;
  uint32_t now = 0;
  ThreadClock clock;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    const ThreadClock &lane = warp.at(unsigned(__builtin_ctz(rest)));
    now = std::max(now, lane.now);
    clock.base = clock.base ? join(clock.base, lane.base) : lane.base;
    clock.warpFloor = std::max(clock.warpFloor, lane.warpFloor);
  }
  clock.now = now + 1;
  if (mask == warp.exists) {
    clock.warpFloor = now;
    warp.unite(std::move(clock));
    return;
  }
  WarpClocks known{};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = unsigned(__builtin_ctz(rest));
    if (const WarpClocksRef &heard = warp.at(lane).warp)
      for (unsigned i = 0; i < kLanes; ++i)
        known[i] = std::max(known[i], (*heard)[i]);
    known[lane] = std::max(known[lane], warp.at(lane).now);
  }
  clock.warp = std::make_shared<WarpClocks>(known);
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    warp.apart(unsigned(__builtin_ctz(rest))) = clock;
}

} // namespace girih::sim
