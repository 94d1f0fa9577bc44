//===- MbarrierOps.cpp - mbarrier instructions ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.13.15. The phase of parity p is the current one if the
// number of completed phases has parity p, else the one before it, which is
// complete.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"
#include "runtime/sim/MbarrierState.h"
#include "runtime/sim/MemoryDecode.h"
#include "runtime/sim/Naming.h"

using namespace girih;
using namespace girih::sim;

namespace {

/// Instruction::variant.
enum Flag : uint32_t {
  Drops = 1,
  NoComplete = 2,
  Expects = 4,  ///< the number is of transactions
  Parity = 8,   ///< the operand is a parity, not a state
  HasCount = 16 ///< of arrivals, by an operand
};

LaneAddresses addressesOf(const Context &context,
                          const Instruction &instruction) {
  LaneAddresses addresses;
  gatherAddresses(context, instruction.sources[0], instruction.offset,
                  addresses);
  return addresses;
}

/// A generic address may be of something else than the own shared memory.
bool isOwn(Context &context, unsigned lane, const MbarrierPlace &place,
           const char *action) {
  if (place.block == &context.block)
    return true;
  context.fault(FaultKind::WrongSpace, lane, action, "an mbarrier",
                "the address has to be one of the block's own shared memory");
  return false;
}

// init, inval -----------------------------------------------------------------

/// The lanes' places if an ordinary 8-byte write may go there.
uint32_t resolveWrite(Context &context, const Instruction &instruction,
                      uint32_t mask, MbarrierPlaces &places) {
  WarpAccess access;
  access.space = instruction.space;
  access.kind = AccessKind::Write;
  access.bytes = access.elementBytes = 8;
  access.mask = mask;
  access.counted = false;
  access.onMbarrier = true;
  access.address = addressesOf(context, instruction);
  uint32_t good = context.launch.memorySystem->resolve(context, access);
  forLanes(good, [&](unsigned lane) {
    places[lane] =
        lookUpMbarrier(context, instruction.space, access.address[lane]);
  });
  return good;
}

Outcome init(Context &context, const Instruction &instruction, uint32_t mask) {
  MbarrierPlaces places;
  uint32_t good = resolveWrite(context, instruction, mask, places);
  forLanes(good, [&](unsigned lane) {
    MbarrierPlace &place = places[lane];
    if (!isOwn(context, lane, place, "initialises"))
      return;
    // Again by the map: another lane may just have initialised it.
    std::map<uint32_t, Mbarrier> &all = place.block->checker->mbarriers;
    if (auto found = all.find(place.offset); found != all.end()) {
      place.barrier = &found->second;
      const SyntaxStatement &before =
          context.code().syntax->statements[found->second.initializedBy];
      faultMbarrier(context, lane, place, "initialises",
                    "there is an mbarrier already, initialised at line " +
                        std::to_string(before.location.line) +
                        "; mbarrier.inval it first");
    }
    uint64_t count = context.get(instruction.sources[1], lane);
    if (count < 1 || int64_t(count) > kMbarrierLimit) {
      faultMbarrier(context, lane, place, "initialises",
                    "the count " + std::to_string(count) +
                        " is not from 1 to " + std::to_string(kMbarrierLimit));
      count = 1;
    }
    Mbarrier &barrier = all[place.offset] = Mbarrier();
    barrier.expected = barrier.pending = uint32_t(count);
    barrier.initializedBy = instruction.statement;
    place.barrier = &barrier;
    markMbarrier(place);
  });
  return Outcome::Next;
}

Outcome inval(Context &context, const Instruction &instruction, uint32_t mask) {
  MbarrierPlaces places;
  uint32_t good = resolveWrite(context, instruction, mask, places);
  forLanes(good, [&](unsigned lane) {
    if (!isOwn(context, lane, places[lane], "invalidates"))
      return;
    if (places[lane].block->checker->mbarriers.erase(places[lane].offset) == 0)
      faultMbarrier(context, lane, places[lane], "invalidates",
                    "no mbarrier is initialised there");
  });
  return Outcome::Next;
}

// arrive, transactions --------------------------------------------------------

Outcome arrive(Context &context, const Instruction &instruction,
               uint32_t mask) {
  MbarrierPlaces places;
  uint32_t good = findMbarriers(context, instruction.space,
                                addressesOf(context, instruction), mask,
                                "arrives at", places);
  const Slot &result = instruction.results[0];
  forLanes(mask, [&](unsigned lane) {
    MbarrierPlace &place = places[lane];
    uint64_t token = 0;
    if (good >> lane & 1 && place.barrier) {
      Arrival arrival;
      if (instruction.variant & HasCount)
        arrival.count = int64_t(context.get(instruction.sources[1], lane));
      if (instruction.variant & Expects)
        arrival.expect = int64_t(context.get(instruction.sources[1], lane));
      arrival.drops = instruction.variant & Drops;
      arrival.noComplete = instruction.variant & NoComplete;
      arrival.releases = instruction.order == Order::Release;
      token = arriveAt(context, lane, place, arrival);
    }
    if (result.exists())
      context.lanes64(result)[lane] = token;
  });
  return Outcome::Next;
}

template <bool completes>
Outcome transactions(Context &context, const Instruction &instruction,
                     uint32_t mask) {
  MbarrierPlaces places;
  uint32_t good = findMbarriers(
      context, instruction.space, addressesOf(context, instruction), mask,
      completes ? "completes transactions of" : "expects transactions of",
      places);
  forLanes(good, [&](unsigned lane) {
    if (!places[lane].barrier)
      return;
    int64_t count = int64_t(context.get(instruction.sources[1], lane));
    addTransactions(context, lane, places[lane], completes ? -count : count);
    advanceMbarrier(places[lane]);
  });
  return Outcome::Next;
}

Outcome pendingCount(Context &context, const Instruction &instruction,
                     uint32_t mask) {
  const uint64_t *tokens = context.lanes64(instruction.sources[0]);
  forLanes(mask, [&](unsigned lane) {
    context.set(instruction.results[0], lane,
                StateToken::pending(tokens[lane]));
  });
  return Outcome::Next;
}

// test_wait, try_wait ---------------------------------------------------------

/// True if the phase that the lane asks about is complete.
bool isComplete(const Context &context, const Instruction &instruction,
                unsigned lane, const Mbarrier &barrier) {
  uint64_t asked = context.get(instruction.sources[1], lane);
  if (instruction.variant & Parity)
    return (barrier.phase & 1) != (asked & 1);
  return barrier.phase != StateToken::phase(asked);
}

/// Reports operands that have no meaning.
void checkAsked(Context &context, const Instruction &instruction, unsigned lane,
                const MbarrierPlace &place) {
  uint64_t asked = context.get(instruction.sources[1], lane);
  if (instruction.variant & Parity) {
    if (asked > 1)
      context.fault(FaultKind::IllegalValue, lane, "tests",
                    describeShared(context.block, *place.block, place.offset),
                    "the parity " + std::to_string(asked) +
                        " is neither 0 nor 1");
    return;
  }
  uint64_t phase = StateToken::phase(asked), now = place.barrier->phase;
  if (phase != now && phase + 1 != now)
    faultMbarrier(context, lane, place, "tests",
                  "the state is one of phase " + std::to_string(phase) +
                      ", but the mbarrier is in phase " + std::to_string(now) +
                      "; only that and the one before it can be tested");
}

/// Lanes of the mask whose phase is complete; those whose mbarrier is gone
/// count, too, so that they do not wait for ever.
uint32_t completeLanes(Context &context, const Instruction &instruction,
                       uint32_t mask) {
  LaneAddresses addresses = addressesOf(context, instruction);
  uint32_t complete = 0;
  forLanes(mask, [&](unsigned lane) {
    MbarrierPlace place =
        lookUpMbarrier(context, instruction.space, addresses[lane]);
    if (place.barrier)
      settleMbarrier(context, place);
    if (!place.barrier ||
        isComplete(context, instruction, lane, *place.barrier))
      complete |= 1u << lane;
  });
  return complete;
}

/// The predicates; who sees a phase complete knows what its arrivals released.
void finishTest(Context &context, const Instruction &instruction, uint32_t mask,
                uint32_t complete) {
  writePredicate(context, instruction.results[0], mask, complete);
  if (instruction.order != Order::Acquire)
    return;
  LaneAddresses addresses = addressesOf(context, instruction);
  forLanes(complete & mask, [&](unsigned lane) {
    MbarrierPlace place =
        lookUpMbarrier(context, instruction.space, addresses[lane]);
    if (place.barrier)
      context.launch.checker->acquire(context.block, context.warp.thread(lane),
                                      place.barrier->completed);
  });
}

void checkTest(Context &context, const Instruction &instruction, uint32_t mask,
               const char *action) {
  MbarrierPlaces places;
  uint32_t good =
      findMbarriers(context, instruction.space,
                    addressesOf(context, instruction), mask, action, places);
  forLanes(good, [&](unsigned lane) {
    if (places[lane].barrier && isOwn(context, lane, places[lane], action))
      checkAsked(context, instruction, lane, places[lane]);
  });
}

Outcome testWait(Context &context, const Instruction &instruction,
                 uint32_t mask) {
  checkTest(context, instruction, mask, "tests");
  finishTest(context, instruction, mask,
             completeLanes(context, instruction, mask));
  return Outcome::Next;
}

bool tryWaitReady(Context &context, const Instruction &instruction,
                  Wait &wait) {
  // The usual case first: the lanes wait for the same phase, and it is not
  // complete.
  uint32_t first = wait.mask & (0 - wait.mask);
  if (!wait.timeOut && !completeLanes(context, instruction, first))
    return false;
  uint32_t complete = completeLanes(context, instruction, wait.mask);
  if (complete != wait.mask && !wait.timeOut)
    return false;
  finishTest(context, instruction, wait.mask, complete);
  return true;
}

Outcome tryWait(Context &context, const Instruction &instruction,
                uint32_t mask) {
  checkTest(context, instruction, mask, "waits at");
  Wait &wait = context.fragment.wait;
  unsigned lane = unsigned(__builtin_ctz(mask));
  wait.kind = Wait::Kind::Mbarrier;
  wait.object = addressesOf(context, instruction)[lane];
  wait.number = context.get(instruction.sources[1], lane);
  if (!(instruction.variant & Parity))
    wait.number = StateToken::phase(wait.number) & 1;
  wait.ready = tryWaitReady;
  return Outcome::Waits;
}

// Decoding --------------------------------------------------------------------

/// `.sem`, `.scope` and the space, in any order, then `.b64`. Without `.sem`
/// it is `order`.
Status takeRest(Decoder &d, Order order, bool mayBeRemote) {
  Instruction &instruction = d.instruction();
  std::optional<Space> space;
  std::optional<Order> given;
  std::optional<Scope> scope;
  for (bool more = true; more;) {
    more = false;
    if (!space)
      more = (space = takeSpace(d)).has_value();
    if (!more && !given)
      more = (given = takeOrder(d)).has_value();
    if (!more && !scope)
      more = (scope = takeScope(d)).has_value();
  }
  if (!d.take("b64"))
    return d.finishModifiers().ok() ? d.fail("the type has to be b64")
                                    : d.finishModifiers();
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (given.has_value() != scope.has_value())
    return d.fail("a semantic such as '.release' goes with a scope: '.cta' or "
                  "'.cluster'");
  if (given && *given != order && *given != Order::Relaxed)
    return d.fail("this semantic does not go with this instruction");
  if (scope && *scope != Scope::Cta && *scope != Scope::Cluster)
    return d.fail("the scope has to be '.cta' or '.cluster'");
  instruction.space = space.value_or(Space::Generic);
  if (space && *space != Space::Shared &&
      !(mayBeRemote && *space == Space::SharedCluster))
    return d.fail(mayBeRemote
                      ? "an mbarrier is in shared memory"
                      : "the mbarrier has to be in the block's own shared "
                        "memory");
  instruction.order = given.value_or(order);
  instruction.scope = scope.value_or(Scope::Cta);
  instruction.category = Category::Barrier;
  d.kernel().hasFineSync = true;
  d.noteAccess(Space::Shared, 8);
  return {};
}

Status addressOperand(Decoder &d, size_t index) {
  auto address = addressIn(d, index, d.instruction().space);
  return address ? Status() : Failure{address.message()};
}

Status sourceOperand(Decoder &d, size_t index, Type type) {
  auto source = d.source(index, type);
  return source ? Status() : Failure{source.message()};
}

Status decodeInit(Decoder &d) {
  if (Status status = takeRest(d, Order::Weak, false); !status)
    return status;
  if (Status status = d.expectOperands(2); !status)
    return status;
  if (Status status = addressOperand(d, 0); !status)
    return status;
  d.instruction().execute = init;
  return sourceOperand(d, 1, Type::U32);
}

Status decodeInval(Decoder &d) {
  if (Status status = takeRest(d, Order::Weak, false); !status)
    return status;
  if (Status status = d.expectOperands(1); !status)
    return status;
  d.instruction().execute = inval;
  return addressOperand(d, 0);
}

Status decodeArrive(Decoder &d, uint32_t flags) {
  if (d.take("expect_tx"))
    flags |= Expects;
  else if (d.take("noComplete"))
    flags |= NoComplete;
  if (Status status = takeRest(d, Order::Release, true); !status)
    return status;
  bool needsNumber = flags & (Expects | NoComplete);
  if (Status status = d.expectOperands(needsNumber ? 3 : 2, 3); !status)
    return status;
  Instruction &instruction = d.instruction();
  if (instruction.space == Space::SharedCluster &&
      d.statement().operands[0].kind != SyntaxOperand::Kind::Sink)
    return d.fail("an arrival in '.shared::cluster' has no state; the result "
                  "has to be '_'");
  if (auto result = d.result(0, Type::B64); !result)
    return Failure{result.message()};
  if (Status status = addressOperand(d, 1); !status)
    return status;
  if (d.statement().operands.size() == 3) {
    if (Status status = sourceOperand(d, 2, Type::U32); !status)
      return status;
    if (!(flags & Expects))
      flags |= HasCount;
  }
  instruction.variant = flags;
  instruction.execute = arrive;
  return {};
}

Status decodeTransactions(Decoder &d, Execute execute) {
  if (Status status = takeRest(d, Order::Relaxed, true); !status)
    return status;
  if (Status status = d.expectOperands(2); !status)
    return status;
  if (Status status = addressOperand(d, 0); !status)
    return status;
  d.instruction().execute = execute;
  return sourceOperand(d, 1, Type::U32);
}

Status decodeWait(Decoder &d, bool mayWait) {
  uint32_t flags = d.take("parity") ? uint32_t(Parity) : 0;
  if (Status status = takeRest(d, Order::Acquire, false); !status)
    return status;
  if (Status status = d.expectOperands(3, mayWait ? 4 : 3); !status)
    return status;
  if (auto result = d.predicateResult(d.statement().operands[0]); !result)
    return Failure{result.message()};
  if (Status status = addressOperand(d, 1); !status)
    return status;
  Type type = flags & Parity ? Type::U32 : Type::B64;
  if (Status status = sourceOperand(d, 2, type); !status)
    return status;
  Instruction &instruction = d.instruction();
  instruction.variant = flags;
  instruction.execute = mayWait ? tryWait : testWait;
  // The time is a hint, and there is none here.
  return d.statement().operands.size() == 4 ? sourceOperand(d, 3, Type::U32)
                                            : Status();
}

Status decodePendingCount(Decoder &d) {
  if (!d.take("b64"))
    return d.fail("the type has to be b64");
  if (Status status = plainOperands(d, Type::U32, {Type::B64}); !status)
    return status;
  d.instruction().execute = pendingCount;
  d.instruction().category = Category::Integer;
  return {};
}

Status decodeMbarrier(Decoder &d) {
  auto kind =
      d.takeOneOf({"init", "inval", "arrive", "arrive_drop", "expect_tx",
                   "complete_tx", "test_wait", "try_wait", "pending_count"});
  if (!kind)
    return d.fail("this form of mbarrier is not supported");
  switch (*kind) {
  case 0:
    return decodeInit(d);
  case 1:
    return decodeInval(d);
  case 2:
    return decodeArrive(d, 0);
  case 3:
    return decodeArrive(d, Drops);
  case 4:
    return decodeTransactions(d, transactions<false>);
  case 5:
    return decodeTransactions(d, transactions<true>);
  case 6:
    return decodeWait(d, false);
  case 7:
    return decodeWait(d, true);
  default:
    return decodePendingCount(d);
  }
}

constexpr OpcodeRow kRows[] = {{"mbarrier", decodeMbarrier}};

} // namespace

const std::span<const OpcodeRow> sim::kMbarrierRows = kRows;
