//===- Fault.cpp - what a kernel did wrong --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Fault.h"

namespace girih::sim {

std::string_view nameOf(FaultKind kind) {
  switch (kind) {
  case FaultKind::Race:
    return "data race";
  case FaultKind::AsyncRace:
    return "race with an asynchronous copy";
  case FaultKind::Uninitialized:
    return "read of uninitialised memory";
  case FaultKind::OutOfBounds:
    return "access out of bounds";
  case FaultKind::Misaligned:
    return "misaligned access";
  case FaultKind::WrongSpace:
    return "address of another space";
  case FaultKind::ReadOnly:
    return "write to read-only memory";
  case FaultKind::BarrierDivergence:
    return "barrier in divergent code";
  case FaultKind::BarrierMisuse:
    return "misuse of a barrier";
  case FaultKind::MbarrierMisuse:
    return "misuse of an mbarrier";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::LeakedAsync:
    return "asynchronous copy never waited for";
  case FaultKind::ExitedBlock:
    return "shared memory of a block that has exited";
  case FaultKind::Trap:
    return "trap";
  case FaultKind::IllegalValue:
    return "illegal value";
  }
  return "fault";
}

/// Faults end the launch where going on makes no sense: the threads would never
/// come further.
static bool isFatal(FaultKind kind) {
  return kind == FaultKind::Deadlock || kind == FaultKind::Trap;
}

/// True if two faults are the same mistake: kind and statements. The two sites
/// of a race may come in either order.
static bool isSame(const Fault &one, const Fault &two) {
  if (one.kind != two.kind || one.sites.size() != two.sites.size())
    return false;
  auto statement = [](const Fault &fault, size_t index) {
    return fault.sites[index].statement;
  };
  bool equal = true;
  for (size_t i = 0; i < one.sites.size(); ++i)
    equal &= statement(one, i) == statement(two, i);
  if (equal || one.sites.size() != 2)
    return equal;
  return statement(one, 0) == statement(two, 1) &&
         statement(one, 1) == statement(two, 0);
}

void FaultLog::report(Fault fault) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Entry &entry : found)
    if (isSame(entry.fault, fault)) {
      ++entry.count;
      return;
    }
  if (isFatal(fault.kind))
    stopped = true;
  // Faults beyond the limit come from workers that have not stopped yet.
  if (found.size() < limit || isFatal(fault.kind))
    found.push_back({std::move(fault), 1});
}

bool FaultLog::empty() const {
  std::lock_guard<std::mutex> lock(mutex);
  return found.empty();
}

bool FaultLog::shouldStop() const {
  std::lock_guard<std::mutex> lock(mutex);
  return stopped || found.size() >= limit;
}

void FaultLog::stop() {
  std::lock_guard<std::mutex> lock(mutex);
  stopped = true;
}

std::vector<FaultLog::Entry> FaultLog::entries() const {
  std::lock_guard<std::mutex> lock(mutex);
  return found;
}

} // namespace girih::sim
