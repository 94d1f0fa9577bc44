//===- Clock.h - what threads know of each other -------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread counts: its clock goes up whenever it hands on what it knows, so
// that what it does afterwards is not covered. An access of thread u at clock c
// happens before what thread t does now if t knows u up to c or further.
//
// What t knows is kept in layers, because the common ways of learning should
// cost little:
//   base       a snapshot, shared by all who left the same barrier: for each
//              block a floor (all its threads are known that far), and clocks
//              of single threads where they are known further
//   warp       the own warp's lanes, heard at warp barriers
//   foreign    of other clusters, see ReleaseLog
//
// Members are the threads of a cluster: rank * threads a block + thread.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_CLOCK_H
#define GIRIH_RUNTIME_SIM_CLOCK_H

#include "runtime/sim/Instruction.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace girih::sim {

constexpr unsigned kRanks = 16; ///< blocks of a cluster at most

class ReleaseLog;

/// The first `length` entries of a log.
struct LogView {
  std::shared_ptr<ReleaseLog> log;
  uint32_t length = 0;
};

/// Never changes once it is shared.
struct Snapshot {
  std::array<uint32_t, kRanks> floors{}; ///< by rank
  std::vector<uint32_t> clocks;          ///< by member; empty: floors say all
  std::vector<LogView> foreign;

  uint32_t known(unsigned rank, uint32_t member) const {
    uint32_t floor = floors[rank];
    return clocks.empty() ? floor : std::max(floor, clocks[member]);
  }
  /// True if it knows all that `other` knows.
  bool covers(const Snapshot &other) const;
};
using SnapshotRef = std::shared_ptr<const Snapshot>;

/// Lanes of one warp that are known further than the base says.
using WarpClocks = std::array<uint32_t, kLanes>;
using WarpClocksRef = std::shared_ptr<const WarpClocks>;

/// A thread's clock and what it knows.
struct ThreadClock {
  uint32_t now = 1;
  uint32_t warpFloor = 0; ///< all lanes of its warp are known that far
  SnapshotRef base;
  WarpClocksRef warp; ///< null: nothing beyond warpFloor

  bool operator==(const ThreadClock &) const = default;
};

/// What a thread knew at one moment: its own accesses up to `now` included.
struct Knowledge {
  ThreadClock clock;
  uint32_t member = 0;
  uint32_t warp = 0; ///< first member of its warp

  explicit operator bool() const { return bool(clock.base); }
  bool knows(unsigned rank, uint32_t other, uint32_t time) const;
};

/// Of a warp: one clock for all lanes, as long as they go together.
class WarpClock {
public:
  ThreadClock &common() { return all; }
  const ThreadClock &at(unsigned lane) const {
    return uniform ? all : lanes[lane];
  }
  /// To change one lane's.
  ThreadClock &apart(unsigned lane);
  /// Every lane has this clock now.
  void unite(ThreadClock clock);
  /// True if all lanes have the same clock; finds out.
  bool isUniform();

  uint32_t exists = 0; ///< lanes

private:
  bool uniform = true;
  bool dirty = false; ///< lanes changed since it was last looked at
  ThreadClock all;
  std::vector<ThreadClock> lanes;
};

/// The size of a cluster.
struct ClusterShape {
  unsigned ranks = 1;
  uint32_t threads = 1; ///< a block
  uint32_t members() const { return ranks * threads; }
};

/// Makes one snapshot of many pieces of knowledge.
class Joiner {
public:
  explicit Joiner(ClusterShape shape);
  void add(const SnapshotRef &snapshot);
  void add(const Knowledge &knowledge);
  SnapshotRef finish();

private:
  void raise(uint32_t member, uint32_t clock);
  ClusterShape shape;
  std::shared_ptr<Snapshot> made;
  std::vector<const Snapshot *> seen;
};

/// What threads of one cluster have handed in, for threads of that cluster.
class Gathering {
public:
  void add(Knowledge knowledge) { fresh.push_back(std::move(knowledge)); }
  bool empty() const { return !joined && fresh.empty(); }
  /// All of it; empty must be false.
  const SnapshotRef &snapshot(ClusterShape shape);

private:
  SnapshotRef joined;
  std::vector<Knowledge> fresh; ///< not in `joined` yet
};

/// The releases at one place of memory, of any block, in order. Whoever reads
/// the place keeps the log and how long it was: nothing is copied, however
/// many blocks have left something there.
class ReleaseLog {
public:
  uint32_t length() const { return count; }
  void add(uint32_t cluster, unsigned rank, const Knowledge &knowledge);
  bool hasOthers(uint32_t cluster) const {
    return parts.size() > parts.count(cluster) || !links.empty();
  }
  /// What threads of one block left among the first `length` entries, for
  /// threads of its cluster; null if nothing.
  SnapshotRef of(uint32_t cluster, unsigned rank, uint32_t length,
                 ClusterShape shape);
  /// True if an entry of the cluster among the first `length`, or one that such
  /// entries have heard of, knows `member` up to `time`.
  static bool knows(std::span<const LogView> views, uint32_t cluster,
                    unsigned rank, uint32_t member, uint32_t time);
  /// The same for all threads of a block at once.
  static bool knowsAll(std::span<const LogView> views, uint32_t cluster,
                       unsigned rank, uint32_t time);
  /// Logs and snapshots hold each other; this lets go.
  void clear();

private:
  struct Item {
    uint32_t position;
    Knowledge knowledge;
  };
  /// Of one block.
  struct Part {
    unsigned rank;
    std::vector<Item> items;
    SnapshotRef joined;
    size_t merged = 0; ///< items in `joined`
  };
  struct Link {
    uint32_t position;
    LogView view;
  };
  template <typename F>
  static bool search(std::span<const LogView> views, uint32_t cluster,
                     F &&test);

  std::unordered_map<uint32_t, std::vector<Part>> parts; ///< by cluster
  std::vector<Link> links; ///< other logs that contributors had read
  uint32_t count = 0;
};

/// The clocks of a cluster. One thread of the host works on it.
class ClusterClocks {
public:
  ClusterClocks(ClusterShape shape, uint32_t serial);

  const ClusterShape shape;
  const uint32_t serial; ///< tells clusters of a launch apart

  WarpClock &warpOf(unsigned rank, uint32_t index) {
    return warps[rank * warpsPerBlock + index];
  }
  Knowledge knowledge(unsigned rank, uint32_t thread);
  /// The thread's later accesses are not covered by what it handed on.
  void step(unsigned rank, uint32_t thread);
  void hear(unsigned rank, uint32_t thread, const SnapshotRef &snapshot);

  /// All threads of the block, and they all wait.
  void wholeBarrier(unsigned rank);
  /// Those who waited know all that `arrived` knew.
  void partialBarrier(unsigned rank, std::span<const Knowledge> arrived,
                      std::span<const uint32_t> waiting);
  void warpBarrier(unsigned rank, uint32_t index, uint32_t mask);

private:
  ThreadClock &apart(unsigned rank, uint32_t thread) {
    return warpOf(rank, thread / kLanes).apart(thread % kLanes);
  }
  SnapshotRef join(const SnapshotRef &one, const SnapshotRef &two);

  uint32_t warpsPerBlock;
  std::vector<WarpClock> warps;
  struct Joined {
    SnapshotRef one, two, result;
  };
  std::array<Joined, 4> recent; ///< many threads hear the same
  unsigned next = 0;
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_CLOCK_H
