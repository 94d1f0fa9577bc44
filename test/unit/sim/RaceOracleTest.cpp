//===- RaceOracleTest.cpp - race checking against a graph -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random accesses, barriers, releases, acquires and fences. The oracle builds
// the graph of events with every edge that the rules give, closes it, and looks
// at all pairs of accesses. The checker has to report a pair on every granule
// that has a race, and only pairs that race.
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/CheckHarness.h"

#include <bitset>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;

namespace {

constexpr size_t kMostEvents = 1024;
using Events = std::bitset<kMostEvents>;

/// A granule: which memory, and which one there.
using Granule = std::pair<uint32_t, uint32_t>;
constexpr uint32_t kGlobal = 1000;

struct Actor {
  uint32_t block = 0, cluster = 0, thread = 0;
  auto operator<=>(const Actor &) const = default;
};

bool reaches(Scope scope, const Actor &one, const Actor &two) {
  return scope == Scope::Cta       ? one.block == two.block
         : scope == Scope::Cluster ? one.cluster == two.cluster
                                   : true;
}

struct Access {
  size_t event;
  uint32_t pc;
  Actor actor;
  Granule granule;
  bool writes, strong;
  Scope scope;
};

class Oracle {
public:
  /// The actor's next event.
  size_t happen(const Actor &actor) {
    size_t event = before.size();
    before.emplace_back();
    auto [last, isFirst] = latest.try_emplace(actor, event);
    if (!isFirst)
      order(last->second, event);
    last->second = event;
    return event;
  }
  void order(size_t first, size_t second) {
    before[second] |= before[first];
    before[second].set(first);
  }
  size_t size() const { return before.size(); }

  void barrier(const std::vector<size_t> &arrivals,
               const std::vector<Actor> &waiting) {
    size_t middle = before.size();
    before.emplace_back();
    for (size_t event : arrivals)
      order(event, middle);
    for (const Actor &actor : waiting)
      order(middle, happen(actor));
  }

  void access(const Actor &actor, uint32_t pc, Granule granule, AccessKind kind,
              Order how, Scope scope) {
    accessAt(happen(actor), actor, pc, granule, kind, how, scope);
  }
  /// As part of an event that is there.
  void accessAt(size_t event, const Actor &actor, uint32_t pc, Granule granule,
                AccessKind kind, Order how, Scope scope) {
    if (how == Order::Weak) {
      if (kind == AccessKind::Write)
        chains[granule] = {Write{}};
    } else {
      if (kind != AccessKind::Write)
        observe(actor, event, granule, how, scope);
      if (kind != AccessKind::Read)
        leave(actor, event, granule, kind, how, scope);
    }
    accesses.push_back({event, pc, actor, granule, kind != AccessKind::Read,
                        how != Order::Weak, scope});
  }

  void fence(const Actor &actor, Scope scope) {
    size_t event = happen(actor);
    for (const Observed &seen : observed[actor])
      synchronize(seen, std::min(seen.scope, scope), actor, event);
    fences[actor].push_back({event, scope, actor});
  }

  bool race(const Access &one, const Access &two) const {
    if (one.granule != two.granule || (!one.writes && !two.writes) ||
        one.actor == two.actor)
      return false;
    if (one.strong && two.strong &&
        reaches(std::min(one.scope, two.scope), one.actor, two.actor))
      return false;
    return !before[one.event][two.event] && !before[two.event][one.event];
  }

  std::vector<Access> accesses;

private:
  struct Source {
    size_t event;
    Scope scope;
    Actor actor;
  };
  struct Write {
    std::vector<Source> sources;
  };
  struct Observed {
    std::vector<Source> sources;
    Scope scope;
    Granule granule;
  };

  static bool acquires(Order how) {
    return how == Order::Acquire || how >= Order::AcquireRelease;
  }
  static bool releases(Order how) { return how >= Order::Release; }

  void synchronize(const Observed &seen, Scope scope, const Actor &actor,
                   size_t event) {
    for (const Source &source : seen.sources)
      if (reaches(std::min(source.scope, scope), source.actor, actor))
        order(source.event, event);
  }

  void observe(const Actor &actor, size_t event, Granule granule, Order how,
               Scope scope) {
    Observed seen{{}, scope, granule};
    for (const Write &write : chains[granule])
      seen.sources.insert(seen.sources.end(), write.sources.begin(),
                          write.sources.end());
    if (acquires(how)) {
      synchronize(seen, scope, actor, event);
      for (const Observed &old : observed[actor])
        if (old.granule == granule)
          synchronize(old, std::min(old.scope, scope), actor, event);
    }
    observed[actor].push_back(seen);
  }

  void leave(const Actor &actor, size_t event, Granule granule, AccessKind kind,
             Order how, Scope scope) {
    Write write;
    for (const Source &fence : fences[actor])
      write.sources.push_back(
          {fence.event, std::min(fence.scope, scope), actor});
    for (const Source &old : released[{actor, granule}])
      write.sources.push_back({old.event, std::min(old.scope, scope), actor});
    if (releases(how)) {
      write.sources.push_back({event, scope, actor});
      released[{actor, granule}].push_back({event, scope, actor});
    }
    if (kind != AccessKind::Atomic)
      chains[granule].clear();
    chains[granule].push_back(write);
  }

  std::vector<Events> before;
  std::map<Actor, size_t> latest;
  /// The writes that a read observes: from the last plain store on.
  std::map<Granule, std::vector<Write>> chains;
  std::map<Actor, std::vector<Observed>> observed;
  std::map<Actor, std::vector<Source>> fences;
  std::map<std::pair<Actor, Granule>, std::vector<Source>> released;
};

/// How often what happens, out of their sum.
struct Mix {
  unsigned read = 30, write = 12, wholeBarrier = 3;
  unsigned partialBarrier = 0, warpBarrier = 0, release = 0, acquire = 0;
  unsigned strong = 0, fence = 0, wide = 0, copy = 0;
};

struct Plan {
  CheckSetup setup;
  Mix mix;
  std::vector<uint32_t> threads; ///< those that do something
  uint32_t sharedGranules = 4, globalGranules = 0;
  unsigned steps = 60;
};

class Game {
public:
  Game(const Plan &plan, uint32_t seed)
      : plan(plan), random(seed), hand(plan.setup), points(3) {
    if (plan.globalGranules) {
      buffer = *hand.memory.allocate(plan.globalGranules * 4);
      (void)hand.memory.fill(buffer, 0, plan.globalGranules * 4);
    }
    hand.start(plan.setup);
    // Whatever is read is initialised by a first writer, before all else.
    for (uint32_t linear = 0; linear < blocks(); ++linear)
      for (uint32_t i = 0; i < plan.sharedGranules; ++i)
        hand.write(linear, 0, 0, i * 4);
    for (uint32_t cluster = 0; cluster < plan.setup.clusters; ++cluster)
      clusterBarrier(cluster);
  }

  void play() {
    for (pc = 1; pc <= plan.steps; ++pc)
      step();
    compare();
  }

private:
  struct Copy {
    AsyncCopy what;
    Granule to, from;
  };

  uint32_t blocks() const { return plan.setup.clusters * plan.setup.ranks; }
  unsigned pick(size_t count) { return unsigned(random() % count); }

  /// Everybody of a cluster hears of all; outside the oracle's graph, as its
  /// first events come after.
  void clusterBarrier(uint32_t cluster) {
    SyncPoint point;
    for (int half = 0; half < 2; ++half)
      for (uint32_t rank = 0; rank < plan.setup.ranks; ++rank)
        for (uint32_t thread = 0; thread < plan.setup.threads; ++thread) {
          Block &block = hand.block(cluster * plan.setup.ranks + rank);
          if (plan.setup.ranks == 1) {
            if (thread == 0 && half == 0)
              hand.barrier(block.linear);
          } else if (half == 0) {
            hand.checker->release(block, thread, point);
          } else {
            hand.checker->acquire(block, thread, point);
          }
        }
  }

  Actor pickActor() {
    uint32_t linear = pick(blocks());
    return {linear, linear / plan.setup.ranks,
            plan.threads[pick(plan.threads.size())]};
  }

  void step() {
    const Mix &mix = plan.mix;
    unsigned sum = mix.read + mix.write + mix.wholeBarrier +
                   mix.partialBarrier + mix.warpBarrier + mix.release +
                   mix.acquire + mix.strong + mix.fence + mix.wide + mix.copy;
    unsigned roll = pick(sum);
    auto below = [&](unsigned share) {
      bool hit = roll < share;
      roll -= share;
      return hit;
    };
    if (below(mix.read))
      touch(AccessKind::Read, Order::Weak);
    else if (below(mix.write))
      touch(AccessKind::Write, Order::Weak);
    else if (below(mix.wholeBarrier))
      wholeBarrier();
    else if (below(mix.partialBarrier))
      partialBarrier();
    else if (below(mix.warpBarrier))
      warpBarrier();
    else if (below(mix.release))
      release();
    else if (below(mix.acquire))
      acquire();
    else if (below(mix.strong))
      strong();
    else if (below(mix.fence))
      fence();
    else if (below(mix.wide))
      wide();
    else
      copy();
  }

  void touch(AccessKind kind, Order order, Scope scope = Scope::Gpu) {
    Actor actor = pickActor();
    uint32_t number = pick(plan.sharedGranules + plan.globalGranules);
    if (number >= plan.sharedGranules) {
      number -= plan.sharedGranules;
      noteBusy({kGlobal, number}, kind);
      hand.touch(actor.block, actor.thread, pc, kind, Space::Global,
                 buffer + number * 4, 4, order, scope);
      oracle.access(actor, pc, {kGlobal, number}, kind, order, scope);
      return;
    }
    uint32_t rank = pick(plan.setup.ranks);
    uint32_t owner = actor.cluster * plan.setup.ranks + rank;
    noteBusy({owner, number}, kind);
    hand.touch(actor.block, actor.thread, pc, kind, Space::SharedCluster,
               (rank + 1) * kSharedLimit + number * 4, 4, order, scope);
    oracle.access(actor, pc, {owner, number}, kind, order, scope);
  }

  /// Several lanes, several granules a lane.
  void wide() {
    Actor any = pickActor();
    bool isGlobal = pick(2);
    uint32_t granules = isGlobal ? plan.globalGranules : plan.sharedGranules;
    WarpAccess access;
    access.space = isGlobal ? Space::Global : Space::Shared;
    access.kind = pick(3) ? AccessKind::Read : AccessKind::Write;
    access.elementBytes = 4;
    access.bytes = 4u << pick(3);
    uint32_t count = access.bytes / 4;
    if (granules < count)
      return;
    for (uint32_t thread : plan.threads) {
      if (thread / kLanes != any.thread / kLanes || pick(3) == 0)
        continue;
      uint32_t first = pick(granules / count) * count;
      access.mask |= 1u << thread % kLanes;
      access.address[thread % kLanes] = (isGlobal ? buffer : 0) + first * 4;
      Actor actor{any.block, any.cluster, thread};
      size_t event = oracle.happen(actor);
      for (uint32_t i = first; i < first + count; ++i) {
        Granule granule{isGlobal ? kGlobal : any.block, i};
        noteBusy(granule, access.kind);
        oracle.accessAt(event, actor, pc, granule, access.kind, Order::Weak,
                        Scope::Gpu);
      }
    }
    hand.resolve(any.block, any.thread / kLanes, pc, access);
  }

  /// From global memory to the own block's; or the end of one.
  void copy() {
    Actor actor = pickActor();
    std::vector<Copy> &open = copies[actor];
    if (!open.empty() && pick(2)) {
      Copy copy = open.front();
      open.erase(open.begin());
      hand.endCopy(actor.block, actor.thread, copy.what);
      touchCopy(actor, copy, false);
      return;
    }
    Copy copy;
    copy.to = {actor.block, pick(plan.sharedGranules)};
    copy.from = {kGlobal, pick(plan.globalGranules)};
    copy.what.statement = pc;
    copy.what.destination = copy.to.second * 4;
    copy.what.source = buffer + copy.from.second * 4;
    copy.what.bytes = copy.what.sourceBytes = 4;
    touchCopy(actor, copy, true);
    copy.what.token = hand.beginCopy(actor.block, actor.thread, copy.what);
    open.push_back(copy);
  }

  void touchCopy(const Actor &actor, const Copy &copy, bool begins) {
    uint32_t statement = copy.what.statement;
    if (begins)
      noteBusy(copy.to, AccessKind::Write);
    else
      busyTargets[copy.to].erase(statement),
          busySources[copy.from].erase(statement);
    size_t event = oracle.happen(actor);
    oracle.accessAt(event, actor, statement, copy.to, AccessKind::Write,
                    Order::Weak, Scope::Gpu);
    oracle.accessAt(event, actor, statement, copy.from, AccessKind::Read,
                    Order::Weak, Scope::Gpu);
    if (begins) {
      busyTargets[copy.to].insert(statement);
      busySources[copy.from].insert(statement);
    }
  }

  /// An access now runs into the copies that are under way there.
  void noteBusy(Granule granule, AccessKind kind) {
    for (uint32_t statement : busyTargets[granule])
      busyPairs[granule].emplace(statement, pc);
    if (kind != AccessKind::Read)
      for (uint32_t statement : busySources[granule])
        busyPairs[granule].emplace(statement, pc);
  }

  void strong() {
    static constexpr AccessKind kKinds[] = {AccessKind::Read, AccessKind::Write,
                                            AccessKind::Atomic};
    AccessKind kind = kKinds[pick(3)];
    Order order = Order::Relaxed;
    if (pick(2))
      order = kind == AccessKind::Read    ? Order::Acquire
              : kind == AccessKind::Write ? Order::Release
                                          : Order::AcquireRelease;
    touch(kind, order, Scope(pick(3)));
  }

  void fence() {
    Actor actor = pickActor();
    Scope scope = Scope(pick(3));
    hand.checker->fence(hand.block(actor.block), actor.thread, scope);
    oracle.fence(actor, scope);
  }

  void wholeBarrier() {
    Actor actor = pickActor();
    hand.barrier(actor.block);
    std::vector<size_t> arrivals;
    std::vector<Actor> all;
    for (uint32_t thread : plan.threads) {
      all.push_back({actor.block, actor.cluster, thread});
      arrivals.push_back(oracle.happen(all.back()));
    }
    oracle.barrier(arrivals, all);
  }

  /// Some arrive and go on, others wait. The former may have done more by the
  /// time the barrier is complete.
  void partialBarrier() {
    Actor any = pickActor();
    std::pair<uint32_t, unsigned> key{any.block, pick(2)};
    Block &block = hand.block(any.block);
    Early &early = earlies[key];
    std::vector<uint32_t> threads;
    for (uint32_t thread : plan.threads)
      if (std::find(early.threads.begin(), early.threads.end(), thread) ==
              early.threads.end() &&
          pick(2))
        threads.push_back(thread);
    if (threads.empty())
      return;
    if (pick(2)) { // only arrive
      hand.checker->arrive(block, key.second, threads);
      for (uint32_t thread : threads) {
        early.threads.push_back(thread);
        early.events.push_back(oracle.happen({any.block, any.cluster, thread}));
      }
      return;
    }
    std::vector<uint32_t> arrived = early.threads;
    arrived.insert(arrived.end(), threads.begin(), threads.end());
    hand.checker->barrier(block, arrived, threads, key.second);
    std::vector<Actor> waiting;
    for (uint32_t thread : threads) {
      waiting.push_back({any.block, any.cluster, thread});
      early.events.push_back(oracle.happen(waiting.back()));
    }
    oracle.barrier(early.events, waiting);
    early = Early();
  }

  void warpBarrier() {
    Actor any = pickActor();
    uint32_t warp = any.thread / kLanes, mask = 0;
    bool whole = pick(2);
    std::vector<size_t> arrivals;
    std::vector<Actor> all;
    for (uint32_t thread : plan.threads) {
      if (thread / kLanes != warp || (!whole && !pick(2)))
        continue;
      mask |= 1u << thread % kLanes;
      all.push_back({any.block, any.cluster, thread});
      arrivals.push_back(oracle.happen(all.back()));
    }
    Warp &ours = *hand.block(any.block).warps[warp];
    hand.checker->warpBarrier(ours, whole ? ours.exists : mask);
    oracle.barrier(arrivals, all);
  }

  void release() {
    Actor actor = pickActor();
    unsigned number = pick(points.size());
    hand.checker->release(hand.block(actor.block), actor.thread,
                          pointOf(actor.cluster, number));
    releases[{actor.cluster, number}].push_back(oracle.happen(actor));
  }

  void acquire() {
    Actor actor = pickActor();
    unsigned number = pick(points.size());
    hand.checker->acquire(hand.block(actor.block), actor.thread,
                          pointOf(actor.cluster, number));
    size_t event = oracle.happen(actor);
    for (size_t before : releases[{actor.cluster, number}])
      oracle.order(before, event);
    if (pick(4) == 0) {
      pointOf(actor.cluster, number).clear();
      releases[{actor.cluster, number}].clear();
    }
  }

  SyncPoint &pointOf(uint32_t cluster, unsigned number) {
    return points[number][cluster];
  }

  void compare() {
    REQUIRE(oracle.size() < kMostEvents);
    std::map<Granule, std::set<std::pair<uint32_t, uint32_t>>> races;
    std::set<std::pair<uint32_t, uint32_t>> pairs, reported;
    const std::vector<Access> &all = oracle.accesses;
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = i + 1; j < all.size(); ++j)
        if (oracle.race(all[i], all[j])) {
          races[all[i].granule].emplace(all[i].pc, all[j].pc);
          pairs.emplace(all[i].pc, all[j].pc);
        }
    std::set<std::pair<uint32_t, uint32_t>> busy;
    for (const auto &[granule, found] : busyPairs)
      busy.insert(found.begin(), found.end());
    for (const FaultLog::Entry &entry : hand.faults.entries()) {
      const Fault &fault = entry.fault;
      std::pair<uint32_t, uint32_t> pair(fault.sites[0].statement,
                                         fault.sites[1].statement);
      INFO("reported " << pair.first << " and " << pair.second);
      if (fault.kind == FaultKind::AsyncRace)
        CHECK(busy.count(pair));
      else
        CHECK((fault.kind == FaultKind::Race && pairs.count(pair)));
      reported.insert(pair);
    }
    auto isReported = [&](const auto &found) {
      bool any = false;
      for (const auto &pair : found)
        any |= reported.count(pair) != 0;
      return any;
    };
    for (const auto &[granule, found] : races) {
      INFO("granule " << granule.second << " of " << granule.first << ", "
                      << found.begin()->first << " and "
                      << found.begin()->second);
      // Where copies were disturbed, that is what is reported.
      CHECK((isReported(found) || isReported(busyPairs[granule])));
    }
    for (const auto &[granule, found] : busyPairs)
      CHECK((found.empty() || isReported(found) || isReported(races[granule])));
    raceGranules += races.size();
    touchedGranules += plan.sharedGranules * blocks() + plan.globalGranules;
  }

public:
  size_t raceGranules = 0, touchedGranules = 0;

private:
  struct Early {
    std::vector<uint32_t> threads;
    std::vector<size_t> events;
  };
  Plan plan;
  std::mt19937 random;
  HandMade hand;
  Oracle oracle;
  uint64_t buffer = 0;
  uint32_t pc = 0;
  std::vector<std::map<uint32_t, SyncPoint>> points;
  std::map<std::pair<uint32_t, unsigned>, std::vector<size_t>> releases;
  std::map<std::pair<uint32_t, unsigned>, Early> earlies;
  std::map<Actor, std::vector<Copy>> copies;
  /// Copies under way by their granules; accesses that ran into them.
  std::map<Granule, std::set<uint32_t>> busyTargets, busySources;
  std::map<Granule, std::set<std::pair<uint32_t, uint32_t>>> busyPairs;
};

void playMany(Plan plan, unsigned games) {
  size_t races = 0, granules = 0;
  for (uint32_t seed = 1; seed <= games; ++seed) {
    INFO("seed " << seed);
    plan.steps = 15 + seed % 5 * 25;
    Game game(plan, seed);
    game.play();
    races += game.raceGranules;
    granules += game.touchedGranules;
  }
  // Neither "always a race" nor "never" passes.
  CHECK(races > granules / 20);
  CHECK(races < granules * 19 / 20);
}

} // namespace

TEST_CASE("races between whole-block barriers", "[sim][checks]") {
  Plan plan;
  plan.setup.fine = false;
  plan.mix = {30, 4, 12};
  plan.threads = {0, 1, 2, 33, 40};
  plan.sharedGranules = 6;
  playMany(plan, 300);
}

TEST_CASE("races of blocks that share only global memory", "[sim][checks]") {
  Plan plan;
  plan.setup.fine = false;
  plan.setup.clusters = 3;
  plan.mix = {40, 1, 12};
  plan.threads = {0, 1, 35};
  plan.sharedGranules = 1;
  plan.globalGranules = 12;
  playMany(plan, 300);
}

TEST_CASE("races between partial, warp and split barriers", "[sim][checks]") {
  Plan plan;
  plan.mix = {30, 10, 4, 8, 14, 8, 8};
  plan.threads = {0, 1, 2, 3, 32, 33, 63};
  playMany(plan, 400);
}

TEST_CASE("races within clusters and between them", "[sim][checks]") {
  Plan plan;
  plan.setup.clusters = 2;
  plan.setup.ranks = 2;
  plan.mix = {40, 4, 10, 4, 8, 20, 20};
  plan.threads = {0, 1, 33};
  plan.sharedGranules = 3;
  plan.globalGranules = 6;
  playMany(plan, 300);
}

TEST_CASE("races of vectors by several lanes", "[sim][checks]") {
  Plan plan;
  plan.setup.clusters = 2;
  plan.mix = {20, 4, 10, 4, 8, 6, 6};
  plan.mix.wide = 20;
  plan.threads = {0, 1, 2, 3, 31, 32, 33};
  plan.sharedGranules = 16;
  plan.globalGranules = 16;
  playMany(plan, 200);
  plan.setup.fine = false;
  plan.mix = {20, 4, 12};
  plan.mix.wide = 20;
  playMany(plan, 200);
}

TEST_CASE("races of asynchronous copies", "[sim][checks]") {
  Plan plan;
  plan.setup.clusters = 2;
  plan.mix = {20, 4, 10, 4, 8, 6, 6};
  plan.mix.copy = 30;
  plan.threads = {0, 1, 33};
  plan.sharedGranules = 6;
  plan.globalGranules = 6;
  playMany(plan, 300);
  plan.setup.fine = false;
  plan.mix = {20, 4, 12};
  plan.mix.copy = 30;
  playMany(plan, 300);
}

TEST_CASE("races and strong accesses of a block", "[sim][checks]") {
  Plan plan;
  plan.mix = {20, 6, 4, 2, 4, 4, 4, 30, 10};
  plan.threads = {0, 1, 32, 40};
  playMany(plan, 400);
}

TEST_CASE("races of blocks that communicate", "[sim][checks]") {
  Plan plan;
  plan.setup.communicate = true;
  plan.setup.clusters = 3;
  plan.setup.ranks = 2;
  plan.mix = {14, 3, 10, 2, 4, 4, 4, 50, 16};
  plan.threads = {0, 33};
  plan.sharedGranules = 1;
  plan.globalGranules = 4;
  playMany(plan, 500);
}
