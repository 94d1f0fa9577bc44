//===- CheckerSync.cpp - order by strong accesses and fences --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 8.9: a release pattern synchronises with an acquire pattern that
// observes its write, directly or through atomics, if the scopes of both reach
// the other. A pattern is an operation with that order, or a relaxed access
// with a fence on its far side. The simulator's memory is sequential, so what a
// read observes is the last write.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/CheckerState.h"

namespace girih::sim {

namespace {

Scope narrower(Scope one, Scope two) { return std::min(one, two); }

bool acquires(Order order) {
  return order == Order::Acquire || order == Order::AcquireRelease ||
         order == Order::SequentiallyConsistent;
}

bool releases(Order order) {
  return order == Order::Release || order == Order::AcquireRelease ||
         order == Order::SequentiallyConsistent;
}

/// Something that one thread does.
struct Actor {
  ClusterState &cluster;
  Block &block;
  uint32_t thread;

  uint32_t member() const {
    return block.rank * cluster.clocks.shape.threads + thread;
  }
  uint32_t domain(Scope scope) const {
    return scope == Scope::Cta       ? block.linear
           : scope == Scope::Cluster ? cluster.clocks.serial
                                     : 0;
  }
  Knowledge knowledge() const {
    return cluster.clocks.knowledge(block.rank, thread);
  }

  /// Learns what the log's first entries say, as far as `scope` reaches.
  void hear(const std::shared_ptr<ReleaseLog> &log, uint32_t length,
            Scope scope) const;
  void leave(CheckerCore &core, SyncLocation &location,
             const Knowledge &knowledge, Scope scope) const;
};

void Actor::hear(const std::shared_ptr<ReleaseLog> &log, uint32_t length,
                 Scope scope) const {
  ClusterClocks &clocks = cluster.clocks;
  for (unsigned rank = 0; rank < clocks.shape.ranks; ++rank) {
    if (scope == Scope::Cta && rank != block.rank)
      continue;
    if (SnapshotRef known = log->of(clocks.serial, rank, length, clocks.shape))
      clocks.hear(block.rank, thread, known);
  }
  if (scope < Scope::Gpu || !log->hasOthers(clocks.serial))
    return;
  auto foreign = std::make_shared<Snapshot>();
  foreign->foreign.push_back({log, length});
  clocks.hear(block.rank, thread, foreign);
}

void Actor::leave(CheckerCore &core, SyncLocation &location,
                  const Knowledge &knowledge, Scope scope) const {
  scope = narrower(scope, Scope::Gpu);
  for (SyncLocation::Channel &channel : location.channels)
    if (channel.scope == scope && channel.domain == domain(scope))
      return channel.log->add(cluster.clocks.serial, block.rank, knowledge);
  auto log = std::make_shared<ReleaseLog>();
  log->add(cluster.clocks.serial, block.rank, knowledge);
  location.channels.push_back({scope, domain(scope), log});
  if (core.logs.size() == core.logs.capacity())
    std::erase_if(core.logs, [](const auto &old) { return old.expired(); });
  core.logs.push_back(log);
}

void hearLocation(const Actor &actor, const uint8_t *place,
                  SyncLocation &location, Order order, Scope scope) {
  auto before = actor.cluster.fences.find(actor.member());
  // An acquire makes good for relaxed reads of the same place, too.
  if (acquires(order) && before != actor.cluster.fences.end())
    for (const FenceState::Seen &seen : before->second.seen)
      if (seen.location == place)
        actor.hear(seen.log, seen.length, narrower(seen.scope, scope));
  for (SyncLocation::Channel &channel : location.channels) {
    if (channel.domain != actor.domain(channel.scope))
      continue;
    uint32_t length = channel.log->length();
    if (acquires(order)) {
      actor.hear(channel.log, length, scope);
      continue;
    }
    std::vector<FenceState::Seen> &seen =
        actor.cluster.fences[actor.member()].seen;
    auto same = std::find_if(seen.begin(), seen.end(), [&](const auto &other) {
      return other.log == channel.log && other.scope == scope;
    });
    if (same == seen.end())
      seen.push_back({channel.log, length, scope, place});
    else
      same->length = length;
  }
}

/// What the thread knew at releases of each scope; none reaches further than
/// the write that hands it on.
void leaveAll(CheckerCore &core, const Actor &actor, SyncLocation &location,
              const std::array<Knowledge, 3> &released, Scope scope) {
  const Knowledge *last = nullptr;
  for (unsigned level = 3; level-- > 0;) {
    // What reached further is older than this, or the same.
    const Knowledge &known = released[level];
    if (!known || (last && last->clock.now >= known.clock.now))
      continue;
    actor.leave(core, location, known, narrower(Scope(level), scope));
    last = &known;
  }
}

void leaveAt(CheckerCore &core, const Actor &actor, SyncLocation &location,
             AccessKind kind, Order order, Scope scope) {
  scope = narrower(scope, Scope::Gpu);
  if (kind != AccessKind::Atomic)
    location.channels.clear();
  std::pair<uint32_t, uint32_t> key(actor.cluster.clocks.serial,
                                    actor.member());
  if (releases(order)) {
    std::array<Knowledge, 3> &released = location.released[key];
    released[unsigned(scope)] = actor.knowledge();
    leaveAll(core, actor, location, released, scope);
    actor.cluster.clocks.step(actor.block.rank, actor.thread);
    return;
  }
  if (auto before = location.released.find(key);
      before != location.released.end())
    leaveAll(core, actor, location, before->second, scope);
  auto fences = actor.cluster.fences.find(actor.member());
  if (fences != actor.cluster.fences.end())
    leaveAll(core, actor, location, fences->second.released, scope);
}

} // namespace

static SyncLocations &locationsFor(CheckerCore &core, Block &block,
                                   const uint8_t *location) {
  for (const std::unique_ptr<Block> &other : block.cluster->blocks)
    if (location >= other->shared.data() &&
        location < other->shared.data() + other->shared.size())
      return clusterOf(block).sharedLocations;
  return core.locations;
}

void StrongAccess::readPart() {
  clusterOf(block).fine = true;
  if (kind == AccessKind::Write)
    return;
  std::unique_lock<std::mutex> lock(core.locationMutex);
  SyncLocations &all = locationsFor(core, block, location);
  if (auto found = all.find(location); found != all.end())
    hearLocation({clusterOf(block), block, thread}, location, found->second,
                 order, scope);
}

void StrongAccess::writePart() {
  if (kind == AccessKind::Read)
    return;
  Actor actor{clusterOf(block), block, thread};
  std::unique_lock<std::mutex> lock(core.locationMutex);
  SyncLocations &all = locationsFor(core, block, location);
  auto found = all.find(location);
  if (found == all.end()) {
    // A write that hands on nothing is not worth an entry.
    if (!releases(order) && !actor.cluster.fences.count(actor.member()))
      return;
    found = all.try_emplace(location).first;
    core.hasLocations = true;
  }
  found->second.bytes = std::max(found->second.bytes, bytes);
  leaveAt(core, actor, found->second, kind, order, scope);
}

bool mayOrder(CheckerCore &core, const ClusterState &cluster, Order order) {
  return acquires(order) || releases(order) || !cluster.fences.empty() ||
         core.hasLocations;
}

void strongFence(ClusterState &cluster, Block &block, uint32_t thread,
                 Scope scope) {
  Actor actor{cluster, block, thread};
  cluster.fine = true;
  scope = narrower(scope, Scope::Gpu);
  FenceState &state = cluster.fences[actor.member()];
  for (const FenceState::Seen &seen : state.seen)
    actor.hear(seen.log, seen.length, narrower(seen.scope, scope));
  // A narrower fence leaves what a wider one may still need.
  if (scope == Scope::Gpu)
    state.seen.clear();
  Knowledge knowledge = actor.knowledge();
  for (unsigned level = 0; level <= unsigned(scope); ++level)
    state.released[level] = knowledge;
  cluster.clocks.step(block.rank, thread);
}

void forgetLocation(CheckerCore &core, ClusterState &owner, bool isShared,
                    const uint8_t *data, unsigned bytes) {
  std::lock_guard<std::mutex> lock(core.locationMutex);
  SyncLocations &all = isShared ? owner.sharedLocations : core.locations;
  // Strong accesses are 16 bytes at most; one that began before may reach in.
  for (const uint8_t *at = data - 15; at < data + bytes; ++at)
    if (auto found = all.find(at);
        found != all.end() && at + found->second.bytes > data)
      found->second.channels.clear();
}

} // namespace girih::sim
