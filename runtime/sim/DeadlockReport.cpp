//===- DeadlockReport.cpp - who waits for whom ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Checker.h"
#include "runtime/sim/LaneText.h"
#include "runtime/sim/Naming.h"
#include "runtime/sim/Scheduler.h"

#include <algorithm>
#include <map>

using namespace girih;
using namespace girih::sim;

/// Sites of a fault; the rest is only counted.
static constexpr size_t kMostSites = 40;
/// Places where missing threads stand that are named.
static constexpr size_t kMostPlaces = 8;

namespace {

std::string plural(uint64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string lineText(const KernelCode &code, uint32_t statement) {
  const std::vector<SyntaxStatement> &all = code.syntax->statements;
  if (statement >= all.size())
    return "the end of the kernel";
  return "PTX line " + std::to_string(all[statement].location.line);
}

std::string describeMbarrier(const Warp &warp, uint64_t address) {
  const Block &block = *warp.block;
  const Block *owner = &block;
  uint64_t rank = address / kSharedLimit;
  if (rank >= 1 && rank <= block.cluster->blocks.size())
    owner = block.cluster->blocks[rank - 1].get();
  uint64_t offset = address % kSharedLimit;
  std::string text =
      "waits for the mbarrier in " + describeShared(block, *owner, offset);
  if (!owner->checker)
    return text;
  auto found = owner->checker->mbarriers.find(uint32_t(offset));
  if (found == owner->checker->mbarriers.end())
    return text + " (not initialised)";
  const Mbarrier &mbarrier = found->second;
  text += " (phase " + std::to_string(mbarrier.phase) + ": " +
          std::to_string(mbarrier.pending) + " of " +
          plural(mbarrier.expected, "arrival") + " missing";
  if (mbarrier.transactions != 0)
    text += ", " + std::to_string(mbarrier.transactions) + " bytes to come";
  return text + ")";
}

/// What a thread that never waits but never goes on does: `statement` is what
/// it read last.
std::string describeSpin(Warp &warp, Fragment &fragment, uint32_t statement) {
  const std::string spins = "reads again and again";
  Launch &launch = *warp.block->launch;
  if (statement >= launch.code->instructions.size())
    return "runs in a loop";
  if (launch.code->syntax->statements[statement].opcode != "mbarrier")
    return spins;
  const Instruction &instruction = launch.code->instructions[statement];
  const Slot *base = addressSlot(*launch.code, instruction);
  if (!base)
    return spins;
  Context context{launch, *warp.block, warp, fragment, nullptr};
  uint64_t address =
      context.get(*base, unsigned(__builtin_ctz(fragment.mask))) +
      uint64_t(instruction.offset);
  if (instruction.space == Space::Generic)
    address -= kSharedWindow;
  return describeMbarrier(warp, address);
}

std::string describeWait(const Warp &warp, const Fragment &fragment) {
  const Wait &wait = fragment.wait;
  const Block &block = *warp.block;
  switch (wait.kind) {
  case Wait::Kind::None:
    break;
  case Wait::Kind::Gather:
    return "waits for " + laneText(warp.live & ~fragment.mask) +
           " of its warp to come";
  case Wait::Kind::Barrier: {
    const NamedBarrier &barrier = block.barriers[wait.object % 16];
    return "waits for barrier " + std::to_string(wait.object) + " (" +
           std::to_string(barrier.arrived) + " of " +
           plural(barrier.expected, "thread") + " have come)";
  }
  case Wait::Kind::ClusterBarrier:
    return "waits for the cluster's barrier (" +
           plural(block.cluster->arrivedThreads, "thread") + " have come)";
  case Wait::Kind::Mbarrier:
    return describeMbarrier(warp, wait.object);
  case Wait::Kind::Sleep:
    return "sleeps";
  }
  return "waits";
}

/// Threads of a block by what became of them: `exited at PTX line 12`.
using Places = std::map<std::string, std::vector<uint32_t>>;

void addPlaces(Places &places, const Warp &warp, uint32_t lanes) {
  const KernelCode &code = *warp.block->launch->code;
  forLanes(lanes & warp.exists, [&](unsigned lane) {
    std::string place;
    if ((warp.live >> lane & 1) == 0)
      place = "exited at " + lineText(code, warp.exitedAt[lane]);
    for (const Fragment &fragment : warp.fragments)
      if (fragment.mask >> lane & 1)
        place = (fragment.wait.kind == Wait::Kind::None ? "at " : "wait at ") +
                lineText(code, fragment.pc);
    places[place].push_back(warp.thread(lane));
  });
}

std::string placesText(Places &places) {
  std::string text;
  size_t count = 0;
  for (auto &[place, threads] : places) {
    if (count == kMostPlaces)
      return text + " and others elsewhere";
    text += (count++ == 0 ? "" : ", ") + rangeText("thread", threads) + " (" +
            place + ")";
  }
  return text;
}

/// Who has not come to the barriers that threads of a block wait at.
void describeMissing(const Block &block, std::string &detail) {
  std::set<uint64_t> numbers;
  for (const std::unique_ptr<Warp> &warp : block.warps)
    for (const Fragment &fragment : warp->fragments)
      if (fragment.mask != 0 && fragment.wait.kind == Wait::Kind::Barrier)
        numbers.insert(fragment.wait.object);
  for (uint64_t number : numbers) {
    const NamedBarrier &barrier = block.barriers[number % 16];
    Places places;
    for (const std::unique_ptr<Warp> &warp : block.warps)
      addPlaces(places, *warp, ~barrier.here[warp->index]);
    detail += "; barrier " + std::to_string(number) + " of block " +
              std::to_string(block.linear) + " waits for " +
              plural(barrier.expected - barrier.arrived, "more thread") +
              ", not there are " +
              (places.empty() ? "none" : placesText(places));
  }
}

/// Who has not come to the barrier of a cluster that threads wait at.
void describeMissing(const Cluster &cluster, std::string &detail) {
  bool waits = false;
  for (const std::unique_ptr<Block> &block : cluster.blocks)
    for (const std::unique_ptr<Warp> &warp : block->warps)
      for (const Fragment &fragment : warp->fragments)
        waits |= fragment.mask != 0 &&
                 fragment.wait.kind == Wait::Kind::ClusterBarrier;
  if (!waits)
    return;
  for (const std::unique_ptr<Block> &block : cluster.blocks) {
    std::vector<uint32_t> came;
    for (auto [rank, thread] : cluster.arrived)
      if (rank == block->rank)
        came.push_back(thread);
    std::sort(came.begin(), came.end());
    Places places;
    for (const std::unique_ptr<Warp> &warp : block->warps)
      forLanes(warp->live, [&](unsigned lane) {
        if (!std::binary_search(came.begin(), came.end(), warp->thread(lane)))
          addPlaces(places, *warp, 1u << lane);
      });
    if (!places.empty())
      detail += "; block " + std::to_string(block->linear) +
                " has not come to the cluster's barrier with " +
                placesText(places);
  }
}

} // namespace

void Worker::reportGather(const Warp &warp) {
  Fault fault;
  fault.kind = FaultKind::BarrierDivergence;
  bool isMember = false;
  for (const Fragment &fragment : warp.fragments) {
    if (fragment.mask == 0)
      continue;
    unsigned lane = unsigned(__builtin_ctz(fragment.mask));
    if (fragment.wait.kind == Wait::Kind::Gather)
      isMember |= (program.steps[fragment.pc].flags & Step::MemberGather) != 0;
    fault.sites.push_back({{warp.block->linear, warp.thread(lane)},
                           fragment.pc,
                           "with " + laneText(fragment.mask) + " " +
                               describeWait(warp, fragment)});
  }
  fault.object = "warp " + std::to_string(warp.index) + " of block " +
                 std::to_string(warp.block->linear);
  fault.detail =
      isMember ? "all lanes that a member mask names have to come to the same "
                 "instruction with the same mask"
               : "all lanes of a warp have to come to the same .aligned "
                 "instruction: move it out of divergent code";
  launch.faults->report(std::move(fault));
  launch.faults->stop();
  stopped = true;
}

void Worker::reportDeadlock() {
  Fault fault;
  fault.kind = FaultKind::Deadlock;
  uint64_t count = 0;
  for (const Resident &resident : residents) {
    Warp &warp = *resident.warp;
    bool others = false, gathers = false;
    for (Fragment &fragment : warp.fragments) {
      if (fragment.mask == 0)
        continue;
      bool isGather = fragment.wait.kind == Wait::Kind::Gather;
      (isGather ? gathers : others) = true;
      if (++count > kMostSites)
        continue;
      bool spins = fragment.wait.kind == Wait::Kind::None ||
                   fragment.wait.kind == Wait::Kind::Sleep;
      uint32_t statement =
          spins && resident.lastPoll != ~0u ? resident.lastPoll : fragment.pc;
      fault.sites.push_back(
          {{warp.block->linear,
            warp.thread(unsigned(__builtin_ctz(fragment.mask)))},
           statement,
           spins ? describeSpin(warp, fragment, resident.lastPoll)
                 : describeWait(warp, fragment)});
    }
    // Lanes that wait for each other in different ways.
    if (gathers && others && !suspicious) {
      reportGather(warp);
      return;
    }
  }
  fault.object = "kernel '" + launch.code->syntax->name + "'";
  fault.detail = "no thread can go on";
  for (const std::unique_ptr<Cluster> &cluster : clusters) {
    describeMissing(*cluster, fault.detail);
    for (const std::unique_ptr<Block> &block : cluster->blocks)
      if (fault.detail.size() < 2000)
        describeMissing(*block, fault.detail);
  }
  if (count > kMostSites)
    fault.detail +=
        "; " + std::to_string(count - kMostSites) + " more warps wait";
  uint64_t started = progress.nextCluster.load();
  if (launch.code->blocksCommunicate && started < progress.clusters)
    fault.detail += "; " + plural(progress.clusters - started, "cluster") +
                    " of blocks have not started, only " +
                    std::to_string(residentLimit) + " run at a time";
  launch.faults->report(std::move(fault));
  launch.faults->stop();
  stopped = true;
}
