//===- FenceOps.cpp - barriers of clusters, fences ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.13.3 (barrier.cluster) and 9.7.13.4 (membar, fence).
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/BarrierOps.h"
#include "runtime/sim/Checker.h"

using namespace girih;
using namespace girih::sim;

namespace girih::sim {
struct ClusterSync {
  SyncPoint open;      ///< arrivals of the current phase
  SyncPoint completed; ///< of the phase completed last
};
} // namespace girih::sim

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

namespace {

ClusterSync &syncOf(Cluster &cluster) {
  if (!cluster.sync)
    cluster.sync = std::make_shared<ClusterSync>();
  return *cluster.sync;
}

/// True if every thread of the cluster that has not exited has arrived.
bool allHere(const Cluster &cluster) {
  uint64_t live = 0;
  for (const std::unique_ptr<Block> &block : cluster.blocks)
    live += block->liveThreads;
  if (cluster.arrivedThreads < live)
    return false;
  bool all = true;
  for (const std::unique_ptr<Block> &block : cluster.blocks)
    for (const std::unique_ptr<Warp> &warp : block->warps)
      forLanes(warp->live, [&](unsigned lane) {
        all &= warp->clusterArrival[lane] == cluster.generation + 1;
      });
  return all;
}

void completeIfFull(Cluster &cluster) {
  if (cluster.arrivedThreads == 0 || !allHere(cluster))
    return;
  ClusterSync &sync = syncOf(cluster);
  sync.completed = std::move(sync.open);
  sync.open = SyncPoint();
  ++cluster.generation;
  cluster.arrivedThreads = 0;
  cluster.arrived.clear();
}

/// `order`: Release or Relaxed.
Outcome executeArrive(Context &context, const Instruction &instruction,
                      uint32_t mask) {
  Cluster &cluster = *context.block.cluster;
  forLanes(mask, [&](unsigned lane) {
    uint64_t &arrival = context.warp.clusterArrival[lane];
    if (arrival != 0) {
      context.fault(FaultKind::BarrierMisuse, lane, "arrives",
                    "the cluster's barrier",
                    "this thread has arrived before and has not waited since: "
                    "barrier.cluster.wait must come in between");
      return;
    }
    arrival = cluster.generation + 1;
    uint32_t thread = context.warp.thread(lane);
    if (instruction.order != Order::Relaxed)
      context.launch.checker->release(context.block, thread,
                                      syncOf(cluster).open);
    else
      context.launch.checker->relaxedRelease(
          context.block, thread, syncOf(cluster).open, Scope::Cluster);
    cluster.arrived.push_back({context.block.rank, thread});
    ++cluster.arrivedThreads;
  });
  completeIfFull(cluster);
  return Outcome::Next;
}

bool clusterReady(Context &context, const Instruction &, Wait &wait) {
  Cluster &cluster = *context.block.cluster;
  if (cluster.generation < wait.number)
    return false;
  forLanes(wait.mask, [&](unsigned lane) {
    if (context.warp.clusterArrival[lane] == 0)
      return;
    context.warp.clusterArrival[lane] = 0;
    context.launch.checker->acquire(context.block, context.warp.thread(lane),
                                    syncOf(cluster).completed);
  });
  return true;
}

Outcome executeClusterWait(Context &context, const Instruction &,
                           uint32_t mask) {
  Wait &wait = context.fragment.wait;
  wait.kind = Wait::Kind::ClusterBarrier;
  wait.number = 0;
  wait.ready = clusterReady;
  forLanes(mask, [&](unsigned lane) {
    uint64_t arrival = context.warp.clusterArrival[lane];
    if (arrival == 0)
      context.fault(FaultKind::BarrierMisuse, lane, "waits",
                    "the cluster's barrier",
                    "this thread waits without having arrived: "
                    "barrier.cluster.arrive must come first");
    wait.number = std::max(wait.number, arrival);
  });
  return Outcome::Waits;
}

} // namespace

Status sim::decodeClusterBarrier(Decoder &d) {
  std::optional<unsigned> what = d.takeOneOf({"arrive", "wait"});
  if (!what)
    return d.fail("arrive or wait must follow");
  Instruction &made = d.instruction();
  if (*what == 0) {
    made.order = Order::Release;
    if (d.take("relaxed"))
      made.order = Order::Relaxed;
    else
      d.take("release");
    made.execute = executeArrive;
  } else {
    d.take("acquire");
    made.order = Order::Acquire;
    made.execute = executeClusterWait;
  }
  made.convergence = d.take("aligned") ? Convergence::Warp : Convergence::None;
  made.category = Category::Barrier;
  made.scope = Scope::Cluster;
  d.kernel().hasFineSync = true;
  return d.expectOperands(0);
}

void sim::clusterAfterExit(Context &context, uint32_t) {
  completeIfFull(*context.block.cluster);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

namespace {

Outcome executeFence(Context &context, const Instruction &instruction,
                     uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    context.launch.checker->fence(context.block, context.warp.thread(lane),
                                  instruction.scope);
  });
  return Outcome::Next;
}

/// Between proxies there is nothing to order: the simulator has one.
Outcome executeProxyFence(Context &, const Instruction &, uint32_t) {
  return Outcome::Next;
}

std::optional<Scope> takeScope(Decoder &d) {
  std::optional<unsigned> scope = d.takeOneOf({"cta", "cluster", "gpu", "sys"});
  if (!scope)
    return std::nullopt;
  return Scope(*scope);
}

Status makeFence(Decoder &d, Scope scope, Order order) {
  Instruction &made = d.instruction();
  made.category = Category::Barrier;
  made.scope = scope;
  made.order = order;
  made.execute = executeFence;
  d.kernel().hasFineSync = true;
  return d.expectOperands(0);
}

/// fence.proxy.tensormap::generic.release.scope, or .acquire.scope [a], size
Status decodeTensormapFence(Decoder &d) {
  std::optional<unsigned> order = d.takeOneOf({"release", "acquire"});
  std::optional<Scope> scope = takeScope(d);
  if (!order || !scope)
    return d.fail("release or acquire and a scope must follow");
  Instruction &made = d.instruction();
  made.category = Category::Barrier;
  made.scope = *scope;
  made.order = *order == 0 ? Order::Release : Order::Acquire;
  made.execute = executeFence;
  d.kernel().hasFineSync = true;
  if (*order == 0)
    return d.expectOperands(0);
  if (Status status = d.expectOperands(2); !status)
    return status;
  if (Result<unsigned> address = d.addressSource(0); !address)
    return Failure{address.message()};
  if (Result<int64_t> size = d.immediate(1); !size)
    return Failure{size.message()};
  return {};
}

Status decodeProxyFence(Decoder &d) {
  if (d.take("tensormap::generic"))
    return decodeTensormapFence(d);
  Instruction &made = d.instruction();
  made.category = Category::Barrier;
  made.execute = executeProxyFence;
  if (d.take("async::generic")) {
    std::optional<unsigned> order = d.takeOneOf({"acquire", "release"});
    if (!order ||
        !d.take(*order == 0 ? "sync_restrict::shared::cluster"
                            : "sync_restrict::shared::cta") ||
        !d.take("cluster"))
      return d.fail("an order, .sync_restrict and .cluster must follow");
    return d.expectOperands(0);
  }
  std::optional<unsigned> kind = d.takeOneOf({"alias", "async"});
  if (!kind)
    return d.fail("a kind of proxy must follow: alias, async, "
                  "tensormap::generic");
  if (*kind == 1)
    d.takeOneOf({"global", "shared::cta", "shared::cluster", "shared"});
  return d.expectOperands(0);
}

} // namespace

Status sim::decodeFence(Decoder &d) {
  if (d.take("proxy"))
    return decodeProxyFence(d);
  if (d.take("mbarrier_init")) {
    if (!d.take("release") || !d.take("cluster"))
      return d.fail(".release.cluster must follow");
    return makeFence(d, Scope::Cluster, Order::Release);
  }
  std::optional<unsigned> order =
      d.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  static constexpr Order kOrders[] = {Order::SequentiallyConsistent,
                                      Order::AcquireRelease, Order::Acquire,
                                      Order::Release};
  if (order && *order >= 2)
    d.takeOneOf(
        {"sync_restrict::shared::cluster", "sync_restrict::shared::cta"});
  std::optional<Scope> scope = takeScope(d);
  if (!scope)
    return d.fail("a scope must follow: cta, cluster, gpu or sys");
  return makeFence(d, *scope, kOrders[order.value_or(1)]);
}

Status sim::decodeMembar(Decoder &d) {
  if (d.take("proxy"))
    return decodeProxyFence(d);
  std::optional<unsigned> scope = d.takeOneOf({"cta", "gl", "sys"});
  if (!scope)
    return d.fail("a level must follow: cta, gl or sys");
  static constexpr Scope kScopes[] = {Scope::Cta, Scope::Gpu, Scope::System};
  return makeFence(d, kScopes[*scope], Order::SequentiallyConsistent);
}
