//===- WarpRun.cpp - a warp's turn ----------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hot loop is runFragment. Fragments that are merged into others or whose
// lanes have exited stay in the list with an empty mask until pick() drops
// them, so that references hold while instructions run.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Checker.h"
#include "runtime/sim/Scheduler.h"
#include "runtime/sim/SpecialRegister.h"

#include <algorithm>

using namespace girih;
using namespace girih::sim;

/// Warp instructions of a turn.
static constexpr uint32_t kQuantum = 2048;
/// Turns used up in a row after which other ready fragments of the warp run,
/// too: the first may spin until one of them does something.
static constexpr uint32_t kExhausted = 32;
/// Turns in a row after which a wait that may time out does.
static constexpr uint32_t kPolls = 64;

static bool isReady(const Fragment &fragment) {
  return fragment.mask != 0 && fragment.wait.kind == Wait::Kind::None;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// The ready fragment with the smallest pc, one with all others there; null if
/// none is ready. `limit`: the next one's pc.
Fragment *Worker::pick(Warp &warp, uint32_t &limit) {
  limit = ~0u;
  std::vector<Fragment> &fragments = warp.fragments;
  if (fragments.size() == 1)
    return isReady(fragments[0]) ? &fragments[0] : nullptr;
  fragments.erase(std::remove_if(fragments.begin(), fragments.end(),
                                 [](const Fragment &fragment) {
                                   return fragment.mask == 0;
                                 }),
                  fragments.end());
  Fragment *best = nullptr;
  for (Fragment &fragment : fragments) {
    if (!isReady(fragment))
      continue;
    if (!best || fragment.pc < best->pc) {
      if (best)
        limit = std::min(limit, best->pc);
      best = &fragment;
    } else if (fragment.pc == best->pc) {
      best->mask |= fragment.mask;
      fragment.mask = 0;
    } else {
      limit = std::min(limit, fragment.pc);
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static void reportUnwritten(Context &context, uint32_t number, uint32_t lanes) {
  const std::string &name = context.code().syntax->registers[number].name;
  context.fault(FaultKind::Uninitialized, unsigned(__builtin_ctz(lanes)),
                "reads register " + name, "register " + name,
                "this thread has not written it before");
  // Once is enough for each lane.
  context.warp.written[number] |= lanes;
}

void Worker::checkSources(Context &context, const Step &step, uint32_t mask) {
  for (uint16_t i = 0; i < step.sources; ++i)
    if (uint32_t lanes = mask & ~context.warp.written[step.registers[i]])
      reportUnwritten(context, step.registers[i], lanes);
}

void Worker::checkGuard(Context &context, const Step &step) {
  uint32_t number = uint32_t(step.instruction->guard.reg);
  if (uint32_t lanes = context.fragment.mask & ~context.warp.written[number])
    reportUnwritten(context, number, lanes);
}

/// One instruction by lanes that may carry it out now.
Outcome Worker::carryOut(Context &context, const Step &step, uint32_t mask) {
  std::vector<uint32_t> &written = context.warp.written;
  if (launch.checks)
    checkSources(context, step, mask);
  if (counters)
    counters->issued(context.fragment.pc, mask);
  Outcome outcome = step.execute(context, *step.instruction, mask);
  if (launch.checks)
    for (uint32_t i = step.sources, end = i + step.results; i < end; ++i)
      written[step.registers[i]] |= mask;
  return outcome;
}

/// True if the wait is over at once.
bool Worker::startWait(Context &context, const Step &step, uint32_t mask) {
  Fragment &fragment = context.fragment;
  if (mask != fragment.mask) {
    Fragment rest;
    rest.pc = fragment.pc + 1;
    rest.mask = fragment.mask & ~mask;
    context.warp.fragments.push_back(rest);
    fragment.mask = mask;
  }
  fragment.wait.mask = mask;
  fragment.wait.timeOut = false;
  if (fragment.wait.kind == Wait::Kind::Sleep || !fragment.wait.ready ||
      !fragment.wait.ready(context, *step.instruction, fragment.wait))
    return false;
  fragment.wait = Wait();
  ++fragment.pc;
  return true;
}

void Worker::exitLanes(Context &context, uint32_t mask) {
  Warp &warp = context.warp;
  forLanes(mask, [&](unsigned lane) {
    warp.exitedAt[lane] = context.fragment.pc;
    if (warp.copies[lane].empty())
      return;
    size_t count = warp.copies[lane].size();
    context.fault(FaultKind::LeakedAsync, lane, "exits",
                  std::to_string(count) + " asynchronous cop" +
                      (count == 1 ? "y" : "ies") + " under way",
                  "a thread has to wait for its copies before it exits: "
                  "cp.async.wait_all");
    warp.copies[lane].clear();
  });
  warp.live &= ~mask;
  context.block.liveThreads -= unsigned(__builtin_popcount(mask));
  // Lanes that waited for these to come wait for fewer now.
  for (Fragment &fragment : warp.fragments)
    if (fragment.wait.kind == Wait::Kind::Gather)
      fragment.wait = Wait();
  barriersAfterExit(context, mask);
  context.fragment.mask &= ~mask;
  ++context.fragment.pc;
  noteEvent();
  if (context.block.liveThreads == 0)
    launch.checker->endBlock(context.block);
}

/// Guards, clocks and lanes that have to come together. `mask`: in, the
/// fragment's lanes; out, those that carry the step out now.
Worker::Readiness Worker::prepare(Resident &resident, Context &context,
                                  const Step &step, uint32_t &mask) {
  if (step.flags & Step::End) {
    exitLanes(context, mask);
    return Readiness::Stop;
  }
  if (step.flags & Step::Guarded) {
    if (launch.checks)
      checkGuard(context, step);
    uint32_t guard = context.predicate(step.instruction->guard);
    mask &= step.instruction->guardNegated ? ~guard : guard;
    if (mask == 0) {
      if (counters)
        counters->issued(context.fragment.pc, 0);
      return Readiness::Skip;
    }
  }
  if (step.flags & Step::ReadsClock)
    setClocks(context.code(), context.warp, clock);
  if (step.flags & Step::Polls) {
    resident.lastPoll = context.fragment.pc;
    strongPolls += (step.flags & Step::Strong) != 0;
  }
  if (step.flags & (Step::WarpGather | Step::MemberGather)) {
    if (!gather(context, step, mask))
      return Readiness::Stop;
    mask = context.fragment.mask; // others may have joined
  }
  return Readiness::Run;
}

/// What an instruction's outcome makes of the fragment. False if it cannot go
/// on right now.
bool Worker::settle(Context &context, const Step &step, Outcome outcome,
                    uint32_t mask) {
  switch (outcome) {
  case Outcome::Next:
    ++context.fragment.pc;
    return true;
  case Outcome::Branched:
    return true;
  case Outcome::Waits:
    return startWait(context, step, mask);
  case Outcome::Exited:
    exitLanes(context, mask);
    return false;
  case Outcome::Faulted:
    break;
  }
  launch.faults->stop();
  stopped = true;
  return false;
}

/// Runs a ready fragment; the number of instructions.
uint32_t Worker::runFragment(Resident &resident, Fragment &fragment,
                             Stretch stretch) {
  Warp &warp = *resident.warp;
  Context context{launch, *warp.block, warp, fragment, counters};
  const Step *steps = program.steps.data();
  const size_t count = warp.fragments.size();
  uint32_t left = stretch.budget;
  while (left != 0) {
    --left;
    const uint32_t pc = fragment.pc;
    const Step &step = steps[pc];
    uint32_t mask = fragment.mask;
    if (step.flags) {
      clock = executed + (stretch.budget - left);
      Readiness readiness = prepare(resident, context, step, mask);
      if (readiness == Readiness::Stop)
        break;
      if (readiness == Readiness::Skip) {
        if (++fragment.pc >= stretch.limit)
          break;
        continue;
      }
    }
    Outcome outcome = suspicious && (step.flags & Step::Writes)
                          ? carryOutWatched(context, step, mask)
                          : carryOut(context, step, mask);
    if (outcome == Outcome::Next && step.flags == 0) {
      if (++fragment.pc >= stretch.limit)
        break;
      continue;
    }
    if (!settle(context, step, outcome, mask) || fragment.pc >= stretch.limit ||
        warp.fragments.size() != count ||
        (stretch.oneTurn && fragment.pc <= pc))
      break;
  }
  return stretch.budget - left;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Ends the waits that are over. True if any was.
bool Worker::pollWaits(Resident &resident) {
  Warp &warp = *resident.warp;
  bool ended = false;
  for (size_t i = 0; i < warp.fragments.size(); ++i) {
    Fragment &fragment = warp.fragments[i];
    Wait &wait = fragment.wait;
    if (fragment.mask == 0 || wait.kind == Wait::Kind::None ||
        wait.kind == Wait::Kind::Gather)
      continue;
    // Sleepers let all others have a turn and go on.
    wait.timeOut |= wait.kind == Wait::Kind::Sleep || suspicious ||
                    resident.polled >= kPolls;
    Context context{launch, *warp.block, warp, fragment, counters};
    const Instruction &instruction = *program.steps[fragment.pc].instruction;
    if (wait.ready && !wait.ready(context, instruction, wait)) {
      wait.timeOut = false;
      continue;
    }
    if (!wait.timeOut)
      noteEvent();
    wait = Wait();
    ++fragment.pc;
    ended = true;
  }
  resident.polled = ended ? 0 : resident.polled + 1;
  return ended;
}

/// One stretch for every ready fragment but those with lanes in `skip`.
bool Worker::runOthers(Resident &resident, uint32_t skip, Stretch stretch) {
  bool ran = false;
  for (;;) {
    uint32_t ignored;
    pick(*resident.warp, ignored); // merges
    Fragment *next = nullptr;
    for (Fragment &fragment : resident.warp->fragments)
      if (isReady(fragment) && (fragment.mask & skip) == 0 &&
          (!next || fragment.pc < next->pc))
        next = &fragment;
    if (!next)
      return ran;
    skip |= next->mask;
    account(runFragment(resident, *next, stretch));
    ran = true;
    if (shouldStop())
      return true;
  }
}

/// A warp's turn. False if nothing in it could go on.
bool Worker::runWarp(Resident &resident) {
  Warp &warp = *resident.warp;
  bool ran = pollWaits(resident);
  uint32_t left = kQuantum;
  Stretch stretch;
  while (left != 0 && !stopped) {
    Fragment *fragment = pick(warp, stretch.limit);
    if (!fragment)
      break;
    if (resident.exhausted >= kExhausted && stretch.limit != ~0u) {
      resident.exhausted = 0;
      stretch.limit = ~0u;
      stretch.budget = kQuantum;
      runOthers(resident, fragment->mask, stretch);
      return true;
    }
    stretch.budget = left;
    uint32_t used = runFragment(resident, *fragment, stretch);
    account(used);
    left -= used;
    ran = true;
  }
  resident.exhausted = left == 0 ? resident.exhausted + 1 : 0;
  if (!ran && reportDivergence(warp))
    return true;
  return ran;
}
