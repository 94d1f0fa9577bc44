//===- MbarrierState.cpp - what happens to an mbarrier --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/MbarrierState.h"
#include "runtime/sim/AsyncCopies.h"
#include "runtime/sim/Naming.h"

#include <cstring>

namespace girih::sim {

/// What the object's bytes hold. Never 0, and hardly what a program would
/// store.
static uint64_t markOf(const Mbarrier &barrier) {
  uint64_t mark = 0x9e3779b97f4a7c15;
  for (uint64_t part :
       {barrier.phase, uint64_t(barrier.pending), uint64_t(barrier.expected),
        uint64_t(barrier.transactions)})
    mark = (mark ^ part) * 0xff51afd7ed558ccd;
  return mark | 1;
}

void markMbarrier(const MbarrierPlace &place) {
  uint64_t mark = markOf(*place.barrier);
  std::memcpy(place.block->shared.data() + place.offset, &mark, sizeof mark);
}

/// The checker looks at every store; without it, the mark has to do.
static bool isMarked(const Context &context, const MbarrierPlace &place) {
  if (context.launch.checker->isEnabled())
    return true;
  uint64_t mark = markOf(*place.barrier);
  return std::memcmp(place.block->shared.data() + place.offset, &mark,
                     sizeof mark) == 0;
}

void faultMbarrier(Context &context, unsigned lane, const MbarrierPlace &place,
                   const char *action, std::string detail) {
  context.fault(FaultKind::MbarrierMisuse, lane, action,
                describeShared(context.block, *place.block, place.offset),
                std::move(detail));
}

MbarrierPlace lookUpMbarrier(Context &context, Space space, uint64_t address) {
  MbarrierPlace place;
  place.block =
      MemorySystem::sharedBlock(context, space, address, place.offset);
  if (!place.block)
    return place;
  auto found = place.block->checker->mbarriers.find(place.offset);
  if (found != place.block->checker->mbarriers.end())
    place.barrier = &found->second;
  return place;
}

/// True if the mbarrier could lie there: what is wrong otherwise is for
/// MemorySystem::resolve to say.
static bool couldBe(const Context &context, const MbarrierPlace &place) {
  return place.block && place.offset % 8 == 0 &&
         uint64_t(place.offset) + 8 <= place.block->shared.size() &&
         (place.block == &context.block || place.block->liveThreads != 0);
}

uint32_t findMbarriers(Context &context, Space space,
                       const LaneAddresses &addresses, uint32_t mask,
                       const char *action, MbarrierPlaces &places) {
  WarpAccess access;
  access.space = space;
  access.kind = AccessKind::Atomic;
  access.order = Order::Relaxed;
  access.scope = Scope::Cluster;
  access.bytes = access.elementBytes = 8;
  access.counted = false;
  access.onMbarrier = true;
  access.address = addresses;
  forLanes(mask, [&](unsigned lane) {
    MbarrierPlace place = lookUpMbarrier(context, space, addresses[lane]);
    places[lane] = place;
    if (place.barrier || !couldBe(context, place))
      access.mask |= 1u << lane;
    else
      faultMbarrier(context, lane, place, action,
                    "no mbarrier is initialised there; mbarrier.init has to "
                    "come first, with a barrier between it and other threads");
  });
  uint32_t good = context.launch.memorySystem->resolve(context, access);
  forLanes(good, [&](unsigned lane) {
    if (!places[lane].barrier) {
      good &= ~(1u << lane);
      context.fault(FaultKind::WrongSpace, lane, action, "an mbarrier",
                    "the address has to be one of shared memory");
    } else if (!isMarked(context, places[lane])) {
      faultMbarrier(
          context, lane, places[lane], action,
          "its 8 bytes have been overwritten since it was initialised; "
          "mbarrier.inval it first");
      markMbarrier(places[lane]);
    }
  });
  return good;
}

bool advanceMbarrier(const MbarrierPlace &place) {
  Mbarrier &barrier = *place.barrier;
  bool done = barrier.pending == 0 && barrier.transactions == 0;
  if (done) {
    ++barrier.phase;
    barrier.pending = barrier.expected;
    barrier.arrivedNow.clear();
    barrier.completed = std::move(barrier.open);
    barrier.open = SyncPoint();
  }
  markMbarrier(place);
  return done;
}

static std::string phaseName(const Mbarrier &barrier) {
  return "phase " + std::to_string(barrier.phase);
}

uint64_t arriveAt(Context &context, unsigned lane, const MbarrierPlace &place,
                  const Arrival &arrival) {
  Mbarrier &barrier = *place.barrier;
  uint64_t token = StateToken::make(barrier);
  if (arrival.expect)
    addTransactions(context, lane, place, arrival.expect);
  if (arrival.count < 1 || arrival.count > kMbarrierLimit) {
    faultMbarrier(context, lane, place, "arrives at",
                  "the count " + std::to_string(arrival.count) +
                      " is not from 1 to " + std::to_string(kMbarrierLimit));
    return token;
  }
  if (arrival.count > barrier.pending) {
    faultMbarrier(context, lane, place, "arrives at",
                  "arrivals exceed the expected count " +
                      std::to_string(barrier.expected) + " of " +
                      phaseName(barrier) + ": " +
                      std::to_string(barrier.pending) + " are missing when " +
                      std::to_string(arrival.count) + " more come");
    return token;
  }
  if (arrival.releases)
    context.launch.checker->release(context.block, context.warp.thread(lane),
                                    barrier.open);
  barrier.pending -= uint32_t(arrival.count);
  if (arrival.drops)
    barrier.expected -= uint32_t(arrival.count);
  barrier.arrivedNow.push_back(context.name(lane));
  if (advanceMbarrier(place) && arrival.noComplete)
    faultMbarrier(context, lane, place, "arrives at",
                  "an arrival with .noComplete completes phase " +
                      std::to_string(barrier.phase - 1));
  return token;
}

void addTransactions(Context &context, unsigned lane,
                     const MbarrierPlace &place, int64_t delta) {
  Mbarrier &barrier = *place.barrier;
  int64_t sum = barrier.transactions + delta;
  if (sum > kMbarrierLimit || sum < -kMbarrierLimit) {
    faultMbarrier(
        context, lane, place,
        delta < 0 ? "completes transactions of" : "expects transactions of",
        "the transactions of " + phaseName(barrier) + " come to " +
            std::to_string(sum) + ", beyond " + std::to_string(kMbarrierLimit));
    return;
  }
  barrier.transactions = sum;
  markMbarrier(place);
}

void settleMbarrier(Context &context, const MbarrierPlace &place) {
  Mbarrier &barrier = *place.barrier;
  if (barrier.asyncArrivals.empty())
    return;
  std::vector<AsyncArrival> arrivals;
  arrivals.swap(barrier.asyncArrivals);
  for (const AsyncArrival &arrival : arrivals) {
    // In the name of the thread that asked for the copies.
    Fragment fragment;
    fragment.pc = arrival.statement;
    fragment.mask = 1u << arrival.lane;
    Context issuer{context.launch, *arrival.warp->block, *arrival.warp,
                   fragment, context.counters};
    for (const AsyncCopy &copy : arrival.copies)
      finishCopy(issuer, arrival.lane, copy);
    if (arrival.arrives) {
      // It tells of all copies before it, other mbarriers' too.
      finishCopies(issuer, arrival.lane, [&](const AsyncCopy &copy) {
        return !copy.isBulk && copy.order < arrival.order;
      });
      arriveAt(issuer, arrival.lane, place, Arrival());
      continue;
    }
    context.launch.checker->release(
        issuer.block, issuer.warp.thread(arrival.lane), barrier.open);
    addTransactions(issuer, arrival.lane, place,
                    -int64_t(arrival.transactions));
    advanceMbarrier(place);
  }
}

} // namespace girih::sim
