//===- Checker.cpp - happens-before between threads -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Checker.h"

#include "runtime/sim/CheckerState.h"

namespace girih::sim {

struct SyncPoint::State {
  Gathering gathering;
};
SyncPoint::SyncPoint() = default;
SyncPoint::~SyncPoint() = default;
SyncPoint::SyncPoint(SyncPoint &&) noexcept = default;
SyncPoint &SyncPoint::operator=(SyncPoint &&) noexcept = default;
void SyncPoint::clear() { state.reset(); }

BlockChecker::BlockChecker() = default;
BlockChecker::~BlockChecker() = default;

static uint64_t nextSerial() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Checker::Checker(Launch &launch, bool enabled)
    : state(std::make_unique<State>()), launch(launch), enabled(enabled) {
  state->serial = nextSerial();
}

Checker::~Checker() {
  for (const std::weak_ptr<ReleaseLog> &log : state->logs)
    if (std::shared_ptr<ReleaseLog> alive = log.lock())
      alive->clear();
  if (enabled && launch.memory)
    launch.memory->dropShadows();
}

//===----------------------------------------------------------------------===//
// Blocks

void Checker::startBlock(Block &block) {
  if (!block.checker)
    block.checker = std::make_unique<BlockChecker>();
  if (!enabled)
    return;
  std::call_once(state->prepared, [&] {
    state->communicate = launch.code->blocksCommunicate;
    state->sharedGranule = launch.code->sharedGranule;
    if (launch.memory)
      launch.memory->makeShadows(launch.code->globalGranule);
  });
  // The blocks of a cluster have one state; the first one makes it.
  std::shared_ptr<ClusterState> cluster;
  if (block.cluster)
    for (const std::unique_ptr<Block> &other : block.cluster->blocks)
      if (other && other.get() != &block && other->checker &&
          other->checker->threads)
        cluster = other->checker->threads->cluster;
  if (!cluster) {
    unsigned ranks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
    cluster = std::make_shared<ClusterState>(
        ClusterShape{std::clamp(ranks, 1u, kRanks), launch.threads},
        ++state->clusters);
    cluster->fine = launch.code->hasFineSync || ranks > 1 || state->communicate;
  }
  cluster->blocks[block.rank] = block.linear;
  ++cluster->running;
  block.checker->threads = std::make_unique<BlockChecker::Threads>();
  block.checker->threads->cluster = std::move(cluster);
}

SharedShadow &shadowOf(CheckerCore &core, Block &owner) {
  std::unique_ptr<SharedShadow> &shadow = owner.checker->shadow;
  if (shadow)
    return *shadow;
  std::lock_guard<std::mutex> lock(core.poolMutex);
  if (core.pool.empty()) {
    shadow = std::make_unique<SharedShadow>();
  } else {
    shadow = std::move(core.pool.back());
    core.pool.pop_back();
  }
  shadow->begin(owner.shared.size(), core.sharedGranule);
  return *shadow;
}

void Checker::endBlock(Block &block) {
  if (!enabled)
    return;
  if (block.checker->shadow) {
    std::lock_guard<std::mutex> lock(state->poolMutex);
    state->pool.push_back(std::move(block.checker->shadow));
  }
  ClusterState &cluster = clusterOf(block);
  if (--cluster.running)
    return;
  state->records.giveBack(cluster.sharedRuns);
  cluster.sharedRuns.clear();
  cluster.sharedRun = RecordTable::Run();
}

//===----------------------------------------------------------------------===//
// Barriers

/// All that the block has done to its memory is over: a long-lived block uses
/// its records again.
static void forgetShared(CheckerCore &core, ClusterState &cluster,
                         Block &block) {
  if (cluster.blocks.size() > 1 || !block.checker->shadow ||
      !block.checker->shadow->forget(core.records)) {
    cluster.manyRuns *= 2;
    return;
  }
  core.records.giveBack(cluster.sharedRuns);
  cluster.sharedRuns.clear();
  cluster.sharedRun = RecordTable::Run();
  for (ClusterState::Recent &recent : cluster.recent)
    recent = ClusterState::Recent();
}

void Checker::arrive(Block &block, unsigned barrier,
                     std::span<const uint32_t> threads) {
  if (!enabled)
    return;
  ClusterState &cluster = clusterOf(block);
  cluster.fine = true;
  for (uint32_t thread : threads) {
    cluster.arrivals[{block.rank, barrier, thread}] =
        cluster.clocks.knowledge(block.rank, thread);
    cluster.clocks.step(block.rank, thread);
  }
}

void Checker::barrier(Block &block, std::span<const uint32_t> arrived,
                      std::span<const uint32_t> waiting, unsigned number) {
  if (!enabled)
    return;
  ClusterState &cluster = clusterOf(block);
  if (waiting.size() == launch.threads) {
    cluster.clocks.wholeBarrier(block.rank);
    if (cluster.sharedRuns.size() >= cluster.manyRuns)
      forgetShared(*state, cluster, block);
    return;
  }
  cluster.fine = true;
  std::vector<Knowledge> known;
  known.reserve(arrived.size());
  for (uint32_t thread : arrived) {
    auto before = cluster.arrivals.find({block.rank, number, thread});
    if (before == cluster.arrivals.end()) {
      known.push_back(cluster.clocks.knowledge(block.rank, thread));
      continue;
    }
    known.push_back(std::move(before->second));
    cluster.arrivals.erase(before);
  }
  cluster.clocks.partialBarrier(block.rank, known, waiting);
}

void Checker::warpBarrier(Warp &warp, uint32_t mask) {
  if (!enabled)
    return;
  ClusterState &cluster = clusterOf(*warp.block);
  cluster.fine = true;
  cluster.clocks.warpBarrier(warp.block->rank, warp.index, mask);
}

//===----------------------------------------------------------------------===//
// Releases

void Checker::release(Block &block, uint32_t thread, SyncPoint &point) {
  if (!enabled)
    return;
  ClusterState &cluster = clusterOf(block);
  cluster.fine = true;
  if (!point.state)
    point.state = std::make_unique<SyncPoint::State>();
  point.state->gathering.add(cluster.clocks.knowledge(block.rank, thread));
  cluster.clocks.step(block.rank, thread);
}

void Checker::relaxedRelease(Block &block, uint32_t thread, SyncPoint &point,
                             Scope scope) {
  if (!enabled)
    return;
  ClusterState &cluster = clusterOf(block);
  cluster.fine = true;
  auto fences =
      cluster.fences.find(block.rank * cluster.clocks.shape.threads + thread);
  if (fences == cluster.fences.end())
    return;
  const Knowledge &known =
      fences->second.released[unsigned(std::min(scope, Scope::Gpu))];
  if (!known)
    return;
  if (!point.state)
    point.state = std::make_unique<SyncPoint::State>();
  point.state->gathering.add(known);
}

void Checker::acquire(Block &block, uint32_t thread, const SyncPoint &point) {
  if (!enabled || !point.state || point.state->gathering.empty())
    return;
  ClusterClocks &clocks = clusterOf(block).clocks;
  clocks.hear(block.rank, thread,
              point.state->gathering.snapshot(clocks.shape));
}

void Checker::pass(const SyncPoint &from, SyncPoint &to) {
  if (!from.state)
    return;
  if (!to.state)
    to.state = std::make_unique<SyncPoint::State>();
  to.state->gathering.add(from.state->gathering);
}

void Checker::tell(SyncPoint &point, const AgentClock &agent) {
  if (!point.state)
    point.state = std::make_unique<SyncPoint::State>();
  point.state->gathering.add(agent);
}

void Checker::fence(Block &block, uint32_t thread, Scope scope) {
  if (enabled)
    strongFence(clusterOf(block), block, thread, scope);
}

void Checker::strongAccess(Block &block, uint32_t thread,
                           const uint8_t *location, AccessKind kind,
                           Order order, Scope scope) {
  if (!enabled || order == Order::Weak)
    return;
  StrongAccess access{*state, block, thread, location, 1, kind, order, scope};
  access.readPart();
  access.writePart();
}

//===----------------------------------------------------------------------===//
// One lane

static WarpAccess oneLane(unsigned lane, uint8_t *data, unsigned bytes,
                          AccessKind kind, Order order) {
  WarpAccess access;
  access.kind = kind;
  access.order = order;
  access.bytes = access.elementBytes = bytes;
  access.mask = 1u << lane;
  access.data[lane] = data;
  return access;
}

void Checker::accessShared(Context &context, unsigned lane, Block &owner,
                           uint32_t offset, unsigned bytes, AccessKind kind,
                           Order order) {
  accessShared(context,
               oneLane(lane, owner.shared.data() + offset, bytes, kind, order),
               1u << lane, owner);
}

void Checker::accessGlobal(Context &context, unsigned lane,
                           GlobalBuffer &buffer, uint64_t offset,
                           unsigned bytes, AccessKind kind, Order order) {
  accessGlobal(context,
               oneLane(lane, buffer.data.get() + offset, bytes, kind, order),
               1u << lane, buffer);
}

} // namespace girih::sim
