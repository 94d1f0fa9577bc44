//===- CheckerState.h - the checker's insides ----------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_CHECKERSTATE_H
#define GIRIH_RUNTIME_SIM_CHECKERSTATE_H

#include "runtime/sim/Checker.h"
#include "runtime/sim/Clock.h"
#include "runtime/sim/Shadow.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace girih::sim {

/// What relaxed accesses and fences of one thread add up to.
struct FenceState {
  /// What it knew at its last fence, by the scope that it reached at least:
  /// Cta, Cluster, Gpu. A strong write afterwards hands it on.
  std::array<Knowledge, 3> released;
  /// What relaxed reads have seen; a fence makes it known.
  struct Seen {
    std::shared_ptr<ReleaseLog> log;
    uint32_t length;
    Scope scope;
    const uint8_t *location;
  };
  std::vector<Seen> seen;
};

/// A place of memory that strong writes have left knowledge at. A plain store
/// starts anew; atomics add.
struct SyncLocation {
  /// What reached only as far as `scope`: to the block or cluster `domain`.
  struct Channel {
    Scope scope;
    uint32_t domain;
    std::shared_ptr<ReleaseLog> log;
  };
  std::vector<Channel> channels;
  unsigned bytes = 1;
  /// Release operations, the last by each thread and scope: later strong writes
  /// here by the same thread hand them on as well. By cluster and member.
  std::map<std::pair<uint32_t, uint32_t>, std::array<Knowledge, 3>> released;
};
using SyncLocations = std::unordered_map<const uint8_t *, SyncLocation>;

/// What is known about a cluster while it runs; one thread of the host works
/// on it.
struct ClusterState {
  ClusterState(ClusterShape shape, uint32_t serial)
      : clocks(shape, serial), blocks(shape.ranks, 0),
        recent(shape.ranks * ((shape.threads + kLanes - 1) / kLanes)) {}

  ClusterClocks clocks;
  std::vector<uint32_t> blocks; ///< linear, by rank
  /// True if more than whole-block barriers orders its threads.
  bool fine = false;
  unsigned running = 0;                  ///< blocks
  uint32_t agents = 0;                   ///< mbarriers that told of copies
  std::map<uint32_t, FenceState> fences; ///< by member
  SyncLocations sharedLocations;
  /// Knowledge at bar.arrive: by rank, barrier, thread.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Knowledge> arrivals;

  // Records of accesses to shared memory live as long as the cluster.
  RecordTable::Run sharedRun, globalRun;
  std::vector<uint32_t> sharedRuns;
  size_t manyRuns = 4096; ///< when there are so many, they are used again
  /// What a warp did last: loops do it again.
  struct Recent {
    struct Made {
      uint32_t number = 0;
      bool isShared = false;
      Record record;
    };
    std::array<Made, 8> made; ///< records, by statement
    /// Records that all its lanes know to be over; that does not change.
    std::array<uint32_t, 2> ordered{};
  };
  std::vector<Recent> recent;
  /// By rank and warp.
  Recent &recentOf(unsigned rank, uint32_t warp) {
    return recent[rank * (recent.size() / blocks.size()) + warp];
  }
};

struct BlockChecker::Threads {
  std::shared_ptr<ClusterState> cluster;
};

/// Of a launch.
struct CheckerCore {
  uint64_t serial = 0; ///< of this checker among all
  bool communicate = false;
  uint8_t sharedGranule = 16;
  std::once_flag prepared;
  RecordTable records;
  std::atomic<uint32_t> clusters{0};

  std::mutex poolMutex;
  std::vector<std::unique_ptr<SharedShadow>> pool;

  std::mutex locationMutex;
  std::atomic<bool> hasLocations{false};
  SyncLocations locations; ///< of global memory
  std::vector<std::weak_ptr<ReleaseLog>> logs;

  std::atomic<bool> isExhausted{false}; ///< no records are left
  std::mutex reportMutex;
  std::set<std::tuple<FaultKind, uint32_t, uint32_t>> reported;
};

struct Checker::State : CheckerCore {};

inline ClusterState &clusterOf(const Block &block) {
  return *block.checker->threads->cluster;
}

/// Of a block's shared memory; made when it is first needed.
SharedShadow &shadowOf(CheckerCore &core, Block &owner);

/// What a strong access orders. Its read part comes before the check for races
/// (an acquire is ordered behind what it observes), its write part after.
struct StrongAccess {
  CheckerCore &core;
  Block &block;
  uint32_t thread;
  const uint8_t *location;
  unsigned bytes;
  AccessKind kind;
  Order order;
  Scope scope;

  void readPart();
  void writePart();
};
/// False if no strong access of the cluster has anything to order.
bool mayOrder(CheckerCore &core, const ClusterState &cluster, Order order);
void strongFence(ClusterState &cluster, Block &block, uint32_t thread,
                 Scope scope);
/// A weak write to bytes that strong ones went to.
void forgetLocation(CheckerCore &core, ClusterState &owner, bool isShared,
                    const uint8_t *data, unsigned bytes);

/// One of two accesses that nothing orders.
struct RaceSide {
  ThreadName who;
  uint32_t statement = 0;
  AccessKind kind = AccessKind::Read;
  uint64_t bytes = 0;
  bool strong = false;
};
/// Why they are reported.
enum class Conflict : uint8_t {
  Unordered,       ///< in one cluster
  OtherCluster,    ///< of two clusters
  SameInstruction, ///< lanes of one
  CopyWrites,      ///< `first` is a copy under way to here
  CopyReads        ///< ... from here
};
/// `object` is called only if the pair has not been reported before.
template <typename F>
void reportConflict(CheckerCore &core, Launch &launch, const RaceSide &first,
                    const RaceSide &second, Conflict conflict, F &&object);

/// The fault without its object; core.reported says whether it is new.
bool isNewConflict(CheckerCore &core, FaultKind kind, uint32_t one,
                   uint32_t two);
Fault makeConflict(const Launch &launch, const RaceSide &first,
                   const RaceSide &second, Conflict conflict);

template <typename F>
void reportConflict(CheckerCore &core, Launch &launch, const RaceSide &first,
                    const RaceSide &second, Conflict conflict, F &&object) {
  bool isCopy =
      conflict == Conflict::CopyWrites || conflict == Conflict::CopyReads;
  FaultKind kind = isCopy ? FaultKind::AsyncRace : FaultKind::Race;
  Fault fault;
  if (isNewConflict(core, kind, first.statement, second.statement)) {
    fault = makeConflict(launch, first, second, conflict);
    fault.object = object();
  } else {
    fault.sites = {{first.who, first.statement, ""},
                   {second.who, second.statement, ""}};
  }
  fault.kind = kind;
  launch.faults->report(std::move(fault));
}

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_CHECKERSTATE_H
