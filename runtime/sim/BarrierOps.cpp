//===- BarrierOps.cpp - bar and barrier of a block ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.13.1. A barrier counts whole warps: a warp has arrived when
// all its threads that have not exited have. Barriers of clusters and fences
// are in FenceOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/BarrierOps.h"
#include "runtime/sim/Checker.h"
#include "runtime/sim/Counters.h"
#include "runtime/sim/LaneText.h"
#include "runtime/sim/Scheduler.h"

#include <algorithm>

using namespace girih;
using namespace girih::sim;

namespace {

enum class Kind : uint32_t { Sync, Arrive, CountTrue, AllTrue, AnyTrue };

/// Instruction::variant.
uint32_t pack(Kind kind, bool hasCount, bool negated) {
  return uint32_t(kind) | uint32_t(hasCount) << 8 | uint32_t(negated) << 9;
}
Kind kindOf(const Instruction &instruction) {
  return Kind(instruction.variant & 255);
}
bool hasCount(const Instruction &instruction) {
  return instruction.variant >> 8 & 1;
}
bool isNegated(const Instruction &instruction) {
  return instruction.variant >> 9 & 1;
}
bool isReduction(const Instruction &instruction) {
  return kindOf(instruction) >= Kind::CountTrue;
}

std::string barrierName(uint32_t number, const Block &block) {
  return "barrier " + std::to_string(number) + " of block " +
         std::to_string(block.linear);
}

/// Threads of a block that do not come any more because they have exited.
std::vector<uint32_t> exitedWithout(const Block &block,
                                    const NamedBarrier &barrier) {
  std::vector<uint32_t> threads;
  for (const std::unique_ptr<Warp> &warp : block.warps)
    forLanes(warp->exists & ~warp->live & ~barrier.here[warp->index],
             [&](unsigned lane) { threads.push_back(warp->thread(lane)); });
  return threads;
}

uint32_t wholeWarps(uint32_t threads) {
  return (threads + kLanes - 1) / kLanes * kLanes;
}

/// A barrier of the whole block does not wait for threads that have exited; but
/// code that relies on that is wrong on paper, and reported.
void reportExited(Block &block, uint32_t number, const NamedBarrier &barrier,
                  const std::vector<uint32_t> &threads) {
  uint32_t first = threads[0];
  Fault fault;
  fault.kind = FaultKind::BarrierDivergence;
  fault.sites.push_back({{block.linear, barrier.arrivedThreads[0]},
                         barrier.firstArrival,
                         "waits"});
  fault.sites.push_back({{block.linear, first},
                         block.warps[first / kLanes]->exitedAt[first % kLanes],
                         "exits"});
  fault.object = barrierName(number, block);
  fault.detail = rangeText("thread", threads) +
                 (threads.size() == 1 ? " has" : " have") +
                 " exited and will never come: every thread of a block has to "
                 "come to its barriers";
  block.launch->faults->report(std::move(fault));
}

/// Those who waited go on; reductions get their result.
void complete(Context &context, uint32_t number) {
  Block &block = context.block;
  NamedBarrier &barrier = block.barriers[number];
  if (barrier.isReduction)
    for (std::unique_ptr<Warp> &warp : block.warps)
      for (Fragment &fragment : warp->fragments) {
        Wait &wait = fragment.wait;
        if (fragment.mask == 0 || wait.kind != Wait::Kind::Barrier ||
            wait.object != number || wait.number != barrier.generation)
          continue;
        const Instruction &instruction =
            context.code().instructions[fragment.pc];
        if (!isReduction(instruction))
          continue;
        Context theirs{context.launch, block, *warp, fragment, nullptr};
        Kind kind = kindOf(instruction);
        uint64_t threads = barrier.arrivedThreads.size();
        uint64_t value = kind == Kind::CountTrue ? barrier.trueThreads
                         : kind == Kind::AllTrue
                             ? barrier.trueThreads == threads
                             : barrier.trueThreads != 0;
        forLanes(wait.mask, [&](unsigned lane) {
          theirs.set(instruction.results[0], lane, value);
        });
      }
  context.launch.checker->barrier(block, barrier.arrivedThreads,
                                  barrier.waitingThreads);
  if (context.counters)
    ++context.counters->barriers;
  ++barrier.generation;
  barrier.expected = barrier.arrived = 0;
  barrier.arrivedThreads.clear();
  barrier.waitingThreads.clear();
  barrier.here.fill(0);
  barrier.warpsHere = 0;
  barrier.trueThreads = 0;
}

/// Counts a warp once all its live lanes are there.
void countWarp(NamedBarrier &barrier, const Warp &warp) {
  uint32_t here = barrier.here[warp.index];
  if (here == 0 || (warp.live & ~here) != 0 ||
      (barrier.warpsHere >> warp.index & 1))
    return;
  barrier.warpsHere |= 1u << warp.index;
  barrier.arrived += kLanes;
}

void completeIfFull(Context &context, uint32_t number) {
  Block &block = context.block;
  NamedBarrier &barrier = block.barriers[number];
  if (barrier.expected == 0)
    return;
  bool isFull = barrier.expected == wholeWarps(context.launch.threads);
  uint32_t arrived = barrier.arrived;
  bool anyExited = block.liveThreads != context.launch.threads;
  if (isFull && anyExited)
    for (const std::unique_ptr<Warp> &warp : block.warps)
      if (warp->live == 0 && !(barrier.warpsHere >> warp->index & 1))
        arrived += kLanes;
  // Arrivals that nobody waits for may be left over at the end.
  if (arrived < barrier.expected ||
      (barrier.arrived < barrier.expected && barrier.waitingThreads.empty()))
    return;
  if (isFull && anyExited)
    if (std::vector<uint32_t> threads = exitedWithout(block, barrier);
        !threads.empty())
      reportExited(block, number, barrier, threads);
  complete(context, number);
}

/// A fault of two arrivals that do not go together.
void reportMismatch(Context &context, unsigned lane, uint32_t number,
                    const NamedBarrier &barrier, std::string detail) {
  Fault fault;
  fault.kind = FaultKind::BarrierMisuse;
  fault.sites.push_back({context.name(lane), context.fragment.pc, "arrives"});
  fault.sites.push_back(
      {{context.block.linear,
        barrier.arrivedThreads.empty() ? 0 : barrier.arrivedThreads[0]},
       barrier.firstArrival,
       "arrived first"});
  fault.object = barrierName(number, context.block);
  fault.detail = std::move(detail);
  context.launch.faults->report(std::move(fault));
}

/// What an instruction asks of a barrier.
struct Request {
  uint32_t number = 0, expected = 0;
};

/// Reads barrier and count, the same for all lanes. False after a fault that
/// leaves nothing to wait for.
bool readRequest(Context &context, const Instruction &instruction,
                 uint32_t mask, Request &request) {
  unsigned first = unsigned(__builtin_ctz(mask));
  auto uniform = [&](const Slot &slot, const char *what) {
    uint32_t value = uint32_t(context.get(slot, first));
    uint32_t different = 0;
    if (!slot.constant)
      forLanes(mask, [&](unsigned lane) {
        different |= uint32_t(context.get(slot, lane) != value) << lane;
      });
    if (different)
      context.fault(FaultKind::BarrierMisuse,
                    unsigned(__builtin_ctz(different)), "arrives",
                    std::string(what) + " of a barrier",
                    "it differs between the lanes of a warp");
    return value;
  };
  request.number = uniform(instruction.sources[0], "the number");
  uint32_t threads = context.launch.threads;
  request.expected = wholeWarps(threads);
  if (request.number > 15) {
    context.fault(FaultKind::BarrierMisuse, first, "arrives",
                  "barrier " + std::to_string(request.number),
                  "a block has barriers 0 to 15");
    return false;
  }
  if (!hasCount(instruction))
    return true;
  uint32_t count = uniform(instruction.sources[1], "the thread count");
  std::string wrong;
  if (count % kLanes != 0)
    wrong = "a thread count of " + std::to_string(count) +
            " is not a multiple of the warp's 32";
  else if (count == 0 && kindOf(instruction) == Kind::Arrive)
    wrong = "an arrival needs a thread count, not 0";
  else if (count > request.expected)
    wrong = "a thread count of " + std::to_string(count) +
            " is more than the block's " + std::to_string(threads) + " threads";
  if (!wrong.empty()) {
    context.fault(FaultKind::BarrierMisuse, first, "arrives",
                  barrierName(request.number, context.block), wrong);
    return false;
  }
  if (count != 0)
    request.expected = count;
  return true;
}

/// Faults of an arrival together with those before it in the phase.
void checkArrival(Context &context, const Instruction &instruction,
                  uint32_t mask, const Request &request,
                  NamedBarrier &barrier) {
  unsigned first = unsigned(__builtin_ctz(mask));
  if (barrier.expected != request.expected)
    reportMismatch(context, first, request.number, barrier,
                   "it is for " + std::to_string(request.expected) +
                       " threads here, for " +
                       std::to_string(barrier.expected) +
                       " by those who came first");
  if (barrier.isReduction != isReduction(instruction))
    reportMismatch(context, first, request.number, barrier,
                   "a reduction does not mix with other arrivals at one "
                   "barrier");
  uint32_t again = barrier.here[context.warp.index] & mask;
  if (again == 0)
    return;
  context.fault(FaultKind::BarrierMisuse, unsigned(__builtin_ctz(again)),
                "arrives", barrierName(request.number, context.block),
                "this thread has arrived before and the barrier is not "
                "complete yet");
  // The hardware would count the warp again.
  barrier.warpsHere &= ~(1u << context.warp.index);
  barrier.here[context.warp.index] &= ~mask;
}

Outcome executeBarrier(Context &context, const Instruction &instruction,
                       uint32_t mask) {
  Request request;
  if (!readRequest(context, instruction, mask, request))
    return Outcome::Faulted;
  NamedBarrier &barrier = context.block.barriers[request.number];
  if (barrier.expected == 0) {
    barrier.expected = request.expected;
    barrier.firstArrival = context.fragment.pc;
    barrier.isReduction = isReduction(instruction);
  } else {
    checkArrival(context, instruction, mask, request, barrier);
  }
  Kind kind = kindOf(instruction);
  bool waits = kind != Kind::Arrive;
  forLanes(mask, [&](unsigned lane) {
    barrier.arrivedThreads.push_back(context.warp.thread(lane));
    if (waits)
      barrier.waitingThreads.push_back(context.warp.thread(lane));
  });
  if (isReduction(instruction)) {
    uint32_t values = context.predicate(instruction.sources.back());
    values = isNegated(instruction) ? ~values : values;
    barrier.trueThreads += unsigned(__builtin_popcount(values & mask));
  }
  barrier.here[context.warp.index] |= mask;
  countWarp(barrier, context.warp);
  Wait &wait = context.fragment.wait;
  if (waits) {
    wait.kind = Wait::Kind::Barrier;
    wait.object = request.number;
    wait.number = barrier.generation;
    wait.mask = mask;
    wait.ready = [](Context &context, const Instruction &, Wait &wait) {
      return context.block.barriers[wait.object].generation != wait.number;
    };
  }
  completeIfFull(context, request.number);
  return waits ? Outcome::Waits : Outcome::Next;
}

/// `d, a{, b}, {!}c`: everything of a reduction but its modifiers.
Status decodeReduction(Decoder &d, Kind kind, bool &negated, bool &counted) {
  if (Status status = d.expectOperands(3, 4); !status)
    return status;
  Result<unsigned> result = kind == Kind::CountTrue
                                ? d.result(0, Type::U32)
                                : d.predicateResult(d.statement().operands[0]);
  if (!result)
    return Failure{result.message()};
  size_t last = d.statement().operands.size() - 1;
  counted = last == 3;
  for (size_t i = 1; i < last; ++i)
    if (Result<unsigned> source = d.source(i, Type::U32); !source)
      return Failure{source.message()};
  if (Result<unsigned> value = d.predicateSource(last, &negated); !value)
    return Failure{value.message()};
  return {};
}

Status decodePlain(Decoder &d, Kind kind, bool &counted) {
  if (Status status = d.expectOperands(kind == Kind::Arrive ? 2 : 1, 2);
      !status)
    return status;
  counted = d.statement().operands.size() == 2;
  for (size_t i = 0; i < d.statement().operands.size(); ++i)
    if (Result<unsigned> source = d.source(i, Type::U32); !source)
      return Failure{source.message()};
  return {};
}

/// Barriers known now to be out of range are refused at once.
Status checkNumber(Decoder &d, size_t index) {
  const SyntaxOperand &operand = d.statement().operands[index];
  if (operand.kind == SyntaxOperand::Kind::Integer && operand.bits > 15)
    return d.fail("a block has barriers 0 to 15");
  return {};
}

Status decodeBlockBarrier(Decoder &d) {
  bool isOld = d.statement().opcode == "bar"; // always aligned
  d.take("cta");
  std::optional<unsigned> what = d.takeOneOf({"sync", "arrive", "red"});
  if (!what)
    return d.fail("sync, arrive or red must follow");
  Kind kind = Kind(*what);
  if (*what == 2) {
    std::optional<unsigned> operation = d.takeOneOf({"popc", "and", "or"});
    if (!operation)
      return d.fail("popc, and or or must follow .red");
    kind = Kind(unsigned(Kind::CountTrue) + *operation);
  }
  bool isAligned = isOld || d.take("aligned");
  bool isReduced = *what == 2, negated = false, counted = false;
  if (isReduced) {
    const char *type = kind == Kind::CountTrue ? "u32" : "pred";
    if (!d.take(type))
      return d.fail("the type must be ." + std::string(type));
  }
  Status status = isReduced ? decodeReduction(d, kind, negated, counted)
                            : decodePlain(d, kind, counted);
  if (!status)
    return status;
  if (Status number = checkNumber(d, isReduced ? 1 : 0); !number)
    return number;
  Instruction &made = d.instruction();
  made.category = Category::Barrier;
  made.convergence = isAligned ? Convergence::Warp : Convergence::None;
  made.variant = pack(kind, counted, negated);
  made.execute = executeBarrier;
  d.kernel().hasFineSync |= counted || !isAligned;
  return {};
}

Outcome executeWarpSync(Context &context, const Instruction &, uint32_t mask) {
  context.launch.checker->warpBarrier(context.warp, mask);
  return Outcome::Next;
}

Status decodeWarpSync(Decoder &d) {
  if (!d.take("sync"))
    return d.fail("sync must follow");
  if (Status status = d.expectOperands(1); !status)
    return status;
  Result<unsigned> mask = d.source(0, Type::B32);
  if (!mask)
    return Failure{mask.message()};
  Instruction &made = d.instruction();
  made.category = Category::Barrier;
  made.convergence = Convergence::Member;
  made.memberMask = d.sourceSlot(*mask);
  made.execute = executeWarpSync;
  d.kernel().hasFineSync = true;
  return {};
}

Status decodeBar(Decoder &d) {
  if (d.take("warp"))
    return decodeWarpSync(d);
  return decodeBlockBarrier(d);
}

Status decodeBarrier(Decoder &d) {
  if (d.take("cluster"))
    return decodeClusterBarrier(d);
  return decodeBlockBarrier(d);
}

constexpr OpcodeRow kRows[] = {
    {"bar", decodeBar},
    {"barrier", decodeBarrier},
    {"fence", decodeFence},
    {"membar", decodeMembar},
};

} // namespace

const std::span<const OpcodeRow> sim::kBarrierRows = kRows;

void sim::barriersAfterExit(Context &context, uint32_t mask) {
  Block &block = context.block;
  for (uint32_t number = 0; number < block.barriers.size(); ++number) {
    if (block.barriers[number].expected == 0)
      continue;
    countWarp(block.barriers[number], context.warp);
    completeIfFull(context, number);
  }
  clusterAfterExit(context, mask);
}
