//===- Scheduler.cpp - which warp goes on when ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Scheduler.h"
#include "runtime/sim/Checker.h"
#include "runtime/sim/SpecialRegister.h"

#include <algorithm>

using namespace girih;
using namespace girih::sim;

/// Warp instructions without progress after which a worker looks for threads
/// that spin: long enough not to bother loops that compute.
static constexpr uint64_t kPatience = uint64_t(1) << 18;
/// Reading memory that others are meant to change counts for more: it is what
/// threads that spin do, and takes longer.
static constexpr uint64_t kPollWeight = 15;

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

/// Offsets of the slots that hold clocks.
static std::set<uint32_t> clockSlots(const KernelCode &code) {
  std::set<uint32_t> offsets;
  for (const auto &[key, slot] : code.specials)
    if (std::optional<SpecialRegister> special =
            findSpecial(std::string_view(key).substr(0, key.find(':')));
        special && special->isClock())
      offsets.insert(slot.offset);
  return offsets;
}

static uint8_t flagsOf(const KernelCode &code, const Instruction &instruction,
                       const std::set<uint32_t> &clocks) {
  unsigned flags = 0;
  if (instruction.guard.exists())
    flags |= Step::Guarded;
  if (instruction.convergence == Convergence::Warp)
    flags |= Step::WarpGather;
  if (instruction.convergence == Convergence::Member)
    flags |= Step::MemberGather;
  if (!clocks.empty())
    for (const Slot &slot : instruction.sources)
      if (!slot.constant && slot.reg < 0 && clocks.count(slot.offset))
        flags |= Step::ReadsClock;
  switch (instruction.category) {
  case Category::Store:
  case Category::Async:
    flags |= Step::Writes;
    break;
  case Category::Atomic:
    flags |= Step::Writes | Step::Polls | Step::Strong;
    break;
  case Category::Load:
    // Parameters do not change: no one spins on them.
    if (instruction.space != Space::Param)
      flags |= Step::Polls;
    if (instruction.order != Order::Weak)
      flags |= Step::Strong;
    break;
  case Category::Barrier:
    if (code.syntax->statements[instruction.statement].opcode == "mbarrier")
      flags |= Step::Polls | Step::Strong;
    break;
  default:
    break;
  }
  return uint8_t(flags);
}

Program::Program(const KernelCode &code) {
  size_t count = code.instructions.size();
  size_t slots = 0;
  for (const Instruction &instruction : code.instructions)
    slots += instruction.sources.size() + instruction.results.size();
  registers.reserve(slots); // steps point into it
  steps.resize(count + 1);
  std::set<uint32_t> clocks = clockSlots(code);
  for (size_t i = 0; i < count; ++i) {
    const Instruction &instruction = code.instructions[i];
    Step &step = steps[i];
    step.execute = instruction.execute;
    step.instruction = &instruction;
    step.flags = flagsOf(code, instruction, clocks);
    step.registers = registers.data() + registers.size();
    if (instruction.checksSources)
      for (const Slot &slot : instruction.sources)
        if (slot.reg >= 0) {
          registers.push_back(uint32_t(slot.reg));
          ++step.sources;
        }
    for (const Slot &slot : instruction.results)
      if (slot.reg >= 0) {
        registers.push_back(uint32_t(slot.reg));
        ++step.results;
      }
  }
  end.category = Category::Control;
  end.statement = uint32_t(count);
  steps[count].instruction = &end;
  steps[count].flags = Step::End;
}

//===----------------------------------------------------------------------===//
// Worker
//===----------------------------------------------------------------------===//

Worker::Worker(Launch &launch, const Program &program, LaunchProgress &progress,
               Counters *counters)
    : launch(launch), program(program), progress(progress), counters(counters),
      patience(kPatience), residentLimit(findResidentLimit()) {}

Worker::~Worker() = default;

bool Worker::shouldStop() {
  if (stopped || progress.stop.load(std::memory_order_relaxed))
    return true;
  if (launch.faults->shouldStop()) {
    progress.stop = true;
    return true;
  }
  return false;
}

void Worker::account(uint64_t count) {
  executed += count;
  uint64_t total = progress.instructions.fetch_add(count) + count;
  if (progress.instructionLimit != 0 && total > progress.instructionLimit) {
    progress.gaveUp = true;
    progress.stop = true;
  }
}

/// Takes clusters up to the number that may be resident. False if there is
/// nothing left to run.
bool Worker::admit() {
  while (clusters.size() < residentLimit) {
    uint64_t number = progress.nextCluster.fetch_add(1);
    if (number >= progress.clusters)
      break;
    clusters.push_back(makeCluster(number));
    for (std::unique_ptr<Block> &block : clusters.back()->blocks)
      for (std::unique_ptr<Warp> &warp : block->warps) {
        Resident resident;
        resident.warp = warp.get();
        residents.push_back(resident);
      }
    noteEvent();
  }
  return !clusters.empty();
}

/// Lets go of warps that have exited and of clusters that are over.
void Worker::retire() {
  residents.erase(std::remove_if(residents.begin(), residents.end(),
                                 [](const Resident &resident) {
                                   return resident.warp->live == 0;
                                 }),
                  residents.end());
  for (size_t i = 0; i < clusters.size();) {
    bool over = true;
    for (std::unique_ptr<Block> &block : clusters[i]->blocks)
      over &= block->liveThreads == 0;
    if (!over) {
      ++i;
      continue;
    }
    recycle(*clusters[i]);
    clusters.erase(clusters.begin() + ptrdiff_t(i));
    progress.doneClusters.fetch_add(1);
  }
}

/// A turn for every warp. False if none could do anything.
bool Worker::round() {
  if (suspicious)
    return suspiciousRound();
  bool ran = false;
  for (Resident &resident : residents) {
    if (resident.warp->live == 0)
      continue;
    ran |= runWarp(resident);
    if (shouldStop())
      return true;
  }
  return ran;
}

/// Nothing can go on: time is over for waits that may time out. If that does
/// not help, nothing will.
void Worker::unstick() {
  bool ended = false;
  for (Resident &resident : residents)
    for (Fragment &fragment : resident.warp->fragments)
      fragment.wait.timeOut = true;
  for (Resident &resident : residents)
    ended |= pollWaits(resident);
  if (ended)
    beSuspicious();
  else
    reportDeadlock();
}

void Worker::run() {
  while (!shouldStop() && admit()) {
    bool ran = round();
    if (shouldStop())
      break;
    retire();
    if (residents.empty())
      continue;
    if (!ran)
      unstick();
    else if (suspicious)
      lookForRepetition();
    else if (executed - lastEvent + kPollWeight * strongPolls > patience)
      beSuspicious();
  }
}
