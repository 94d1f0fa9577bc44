//===- Scheduler.h - which warp goes on when ------------------ -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A worker (one thread of the host) takes clusters in order and runs their
// warps in turns, each for a quantum of instructions or until nothing in it can
// go on. Within a warp the ready fragment with the smallest pc runs, so that
// structured code reconverges.
//
// Deadlock. When no warp can go on, waits that may time out do so; if there are
// none, that is a deadlock. Threads that spin never stop, so after long without
// anything that counts as progress the worker becomes suspicious: it runs every
// fragment for one turn of its loop and looks at the whole state after each
// round. A state seen before, with no memory changed in between, is a deadlock.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_SCHEDULER_H
#define GIRIH_RUNTIME_SIM_SCHEDULER_H

#include "runtime/sim/Counters.h"
#include "runtime/sim/Machine.h"

#include <atomic>
#include <set>

namespace girih::sim {

/// What the hot loop needs of an instruction, side by side.
struct Step {
  enum Flag : uint8_t {
    Guarded = 1,
    WarpGather = 2,
    MemberGather = 4,
    ReadsClock = 8,
    Writes = 16, ///< memory, or may: looked at while suspicious
    Polls = 32,  ///< reads memory: what a spinning thread is shown at
    End = 64,    ///< behind the last statement
    Strong = 128 ///< polls memory that others are meant to change
  };
  Execute execute = nullptr;
  const Instruction *instruction = nullptr;
  const uint32_t *registers = nullptr; ///< numbers: sources, then results
  uint16_t sources = 0, results = 0;
  uint8_t flags = 0;
};

/// A kernel's steps, one a statement and one behind the last.
struct Program {
  explicit Program(const KernelCode &code);
  std::vector<Step> steps;
  std::vector<uint32_t> registers;
  Instruction end;
};

/// What the workers of a launch share.
struct LaunchProgress {
  uint64_t clusters = 0;
  uint64_t instructionLimit = 0; ///< 0: none
  std::atomic<uint64_t> nextCluster{0}, doneClusters{0}, instructions{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> gaveUp{false}; ///< because of the limit
};

class Worker {
public:
  Worker(Launch &launch, const Program &program, LaunchProgress &progress,
         Counters *counters);
  ~Worker();
  /// Until no cluster is left or the launch stops.
  void run();

private:
  struct Resident {
    Warp *warp = nullptr;
    uint32_t exhausted = 0;  ///< turns in a row that used up their quantum
    uint32_t polled = 0;     ///< turns in a row that found it waiting
    uint32_t lastPoll = ~0u; ///< statement that last read memory
  };
  /// How far a fragment may run.
  struct Stretch {
    uint32_t limit = ~0u; ///< pc of the next fragment: stop before it
    uint32_t budget = 0;  ///< instructions
    bool oneTurn = false; ///< stop where it jumps back
  };

  enum class Readiness : uint8_t { Run, Skip, Stop };

  // Scheduler.cpp
  bool admit();
  void retire();
  bool round();
  void unstick();
  bool shouldStop();
  void account(uint64_t executed);
  void noteEvent() {
    lastEvent = executed;
    strongPolls = 0;
  }

  // WarpRun.cpp
  bool runWarp(Resident &resident);
  bool pollWaits(Resident &resident);
  bool runOthers(Resident &resident, uint32_t skip, Stretch stretch);
  uint32_t runFragment(Resident &resident, Fragment &fragment, Stretch stretch);
  Fragment *pick(Warp &warp, uint32_t &limit);
  void checkSources(Context &context, const Step &step, uint32_t mask);
  void checkGuard(Context &context, const Step &step);
  Outcome carryOut(Context &context, const Step &step, uint32_t mask);
  Readiness prepare(Resident &resident, Context &context, const Step &step,
                    uint32_t &mask);
  bool settle(Context &context, const Step &step, Outcome outcome,
              uint32_t mask);
  bool startWait(Context &context, const Step &step, uint32_t mask);
  void exitLanes(Context &context, uint32_t mask);

  // Gather.cpp
  bool gather(Context &context, const Step &step, uint32_t mask);
  bool gatherMembers(Context &context, const Step &step);
  bool reportDivergence(Warp &warp);

  // BlockSetup.cpp
  std::unique_ptr<Cluster> makeCluster(uint64_t number);
  std::unique_ptr<Block> makeBlock(Cluster &cluster, uint32_t rank,
                                   std::array<uint32_t, 3> index);
  std::unique_ptr<Warp> makeWarp(Block &block, uint32_t index);
  void recycle(Cluster &cluster);
  uint64_t findResidentLimit() const;

  // Livelock.cpp
  void beSuspicious();
  void lookForRepetition();
  bool suspiciousRound();
  Outcome carryOutWatched(Context &context, const Step &step, uint32_t mask);

  // DeadlockReport.cpp
  void reportDeadlock();
  void reportGather(const Warp &warp);

  Launch &launch;
  const Program &program;
  LaunchProgress &progress;
  Counters *counters;
  std::vector<std::unique_ptr<Cluster>> clusters;
  std::vector<Resident> residents;
  uint64_t executed = 0;    ///< warp instructions
  uint64_t clock = 0;       ///< of %clock
  uint64_t lastEvent = 0;   ///< value of `executed` at the last progress
  uint64_t strongPolls = 0; ///< since then
  uint64_t patience;        ///< instructions without an event till suspicion
  uint64_t residentLimit;   ///< clusters at a time
  bool stopped = false;
  // While suspicious.
  bool suspicious = false;
  bool changed = false; ///< memory has another value since the last look
  unsigned rounds = 0;
  uint64_t hashed = 0;      ///< bytes of state looked at
  unsigned mostRounds = 16; ///< twice as many each time
  uint64_t suspectedAt = 0; ///< lastEvent when it began
  std::set<std::array<uint64_t, 2>> seen;
  // Register files of blocks that are gone, for new ones.
  std::vector<std::unique_ptr<uint8_t[]>> spareFiles;
};

/// The base of the address that an instruction works at; null: not known.
const Slot *addressSlot(const KernelCode &code, const Instruction &instruction);

/// Barriers that threads of the block wait at, now that some have exited
/// (BarrierOps.cpp): full barriers complete without them, with a fault.
void barriersAfterExit(Context &context, uint32_t mask);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_SCHEDULER_H
