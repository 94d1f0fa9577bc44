//===- MbarrierState.h - what happens to an mbarrier ---------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier object lives in a map of its block (Checker.h). Its 8 bytes of
// shared memory hold a mark of that state, so that an ordinary store over them
// is found out.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_MBARRIERSTATE_H
#define GIRIH_RUNTIME_SIM_MBARRIERSTATE_H

#include "runtime/sim/Checker.h"
#include "runtime/sim/MemorySystem.h"

namespace girih::sim {

/// Largest count of arrivals and of transactions (PTX ISA 9.0, 9.7.13.15.2).
constexpr int64_t kMbarrierLimit = (1 << 20) - 1;

/// An mbarrier and where it is.
struct MbarrierPlace {
  Block *block = nullptr;
  uint32_t offset = 0;
  Mbarrier *barrier = nullptr;
};
using MbarrierPlaces = std::array<MbarrierPlace, kLanes>;
using LaneAddresses = std::array<uint64_t, kLanes>;

/// The mbarriers at the lanes' addresses; returns the lanes that have one. The
/// others' faults are reported. `action`: `arrives at`.
uint32_t findMbarriers(Context &context, Space space,
                       const LaneAddresses &addresses, uint32_t mask,
                       const char *action, MbarrierPlaces &places);
/// One lane's mbarrier without any check; null if there is none.
MbarrierPlace lookUpMbarrier(Context &context, Space space, uint64_t address);

/// Reports an MbarrierMisuse about `place`.
void faultMbarrier(Context &context, unsigned lane, const MbarrierPlace &place,
                   const char *action, std::string detail);

struct Arrival {
  int64_t count = 1;
  int64_t expect = 0; ///< transactions announced before it arrives
  bool drops = false; ///< later phases expect it no more
  bool noComplete = false;
  bool releases = true;
};
/// The lane arrives. Returns the state token from before.
uint64_t arriveAt(Context &context, unsigned lane, const MbarrierPlace &place,
                  const Arrival &arrival);
/// If nothing is missing, the next phase begins and true comes back.
bool advanceMbarrier(const MbarrierPlace &place);
/// Announces transactions, or with `delta` below 0 completes them; does not
/// advance.
void addTransactions(Context &context, unsigned lane,
                     const MbarrierPlace &place, int64_t delta);
/// Writes the mark of the state into shared memory.
void markMbarrier(const MbarrierPlace &place);

/// Completes the asynchronous copies that this mbarrier hears of.
void settleMbarrier(Context &context, const MbarrierPlace &place);

/// Phase and missing arrivals, as `mbarrier.arrive` returns them.
struct StateToken {
  static constexpr unsigned kPendingBits = 20;
  static uint64_t make(const Mbarrier &barrier) {
    return barrier.phase << kPendingBits | barrier.pending;
  }
  static uint64_t phase(uint64_t token) { return token >> kPendingBits; }
  static uint32_t pending(uint64_t token) {
    return uint32_t(token & ((1u << kPendingBits) - 1));
  }
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_MBARRIERSTATE_H
