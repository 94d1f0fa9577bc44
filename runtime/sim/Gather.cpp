//===- Gather.cpp - lanes that have to come together ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneText.h"
#include "runtime/sim/Scheduler.h"

#include <array>

using namespace girih;
using namespace girih::sim;

namespace {

struct Group {
  uint32_t lanes = 0, members = 0;
};

std::string hex(uint32_t mask) {
  static const char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4)
    text += digits[mask >> shift & 15];
  return text;
}

/// Lanes that wait at the fragment's instruction join it.
void absorb(Warp &warp, Fragment &fragment) {
  for (Fragment &other : warp.fragments)
    if (&other != &fragment && other.mask != 0 && other.pc == fragment.pc &&
        other.wait.kind == Wait::Kind::Gather) {
      fragment.mask |= other.mask;
      other.mask = 0;
      other.wait = Wait();
    }
}

void checkMembers(Context &context, const Group &group) {
  const Warp &warp = context.warp;
  std::string object = "member mask " + hex(group.members);
  if (uint32_t outside = group.lanes & ~group.members)
    context.fault(FaultKind::IllegalValue, unsigned(__builtin_ctz(outside)),
                  "executes", object,
                  "the mask does not name the thread's own lane");
  uint32_t gone = group.members & warp.exists & ~warp.live;
  if (gone)
    context.fault(FaultKind::IllegalValue, unsigned(__builtin_ctz(group.lanes)),
                  "executes", object,
                  "the mask names " + laneText(gone) +
                      (gone & (gone - 1) ? ", which have" : ", which has") +
                      " exited");
}

} // namespace

/// A guard that only some lanes pass splits the fragment; then true if its
/// lanes may carry the step out together. Otherwise they wait, or have done it
/// in groups.
bool Worker::gather(Context &context, const Step &step, uint32_t mask) {
  Fragment &fragment = context.fragment;
  Warp &warp = context.warp;
  if (mask != fragment.mask) {
    Fragment rest;
    rest.pc = fragment.pc + 1;
    rest.mask = fragment.mask & ~mask;
    fragment.mask = mask;
    warp.fragments.push_back(rest);
  }
  if (step.flags & Step::MemberGather)
    return gatherMembers(context, step);
  if (fragment.mask == warp.live)
    return true;
  absorb(warp, fragment);
  if (fragment.mask == warp.live)
    return true;
  fragment.wait.kind = Wait::Kind::Gather;
  return false;
}

/// Lanes with the same member mask go together; there may be several such
/// groups.
bool Worker::gatherMembers(Context &context, const Step &step) {
  Fragment &fragment = context.fragment;
  Warp &warp = context.warp;
  const Slot &slot = step.instruction->memberMask;
  auto maskOf = [&](unsigned lane) {
    return uint32_t(context.get(slot, lane));
  };
  auto groupOf = [&](uint32_t lanes) {
    Group group;
    group.members = maskOf(unsigned(__builtin_ctz(lanes)));
    if (slot.constant)
      group.lanes = lanes;
    else
      forLanes(lanes, [&](unsigned lane) {
        group.lanes |= uint32_t(maskOf(lane) == group.members) << lane;
      });
    return group;
  };
  Group first = groupOf(fragment.mask);
  if (first.lanes == fragment.mask &&
      (first.members & warp.exists) == first.lanes)
    return true;
  absorb(warp, fragment);
  std::array<Group, kLanes> groups;
  unsigned count = 0;
  uint32_t waiting = 0;
  for (uint32_t rest = fragment.mask; rest != 0;) {
    Group group = groupOf(rest);
    rest &= ~group.lanes;
    if (group.members & warp.live & ~group.lanes)
      waiting |= group.lanes;
    else
      groups[count++] = group;
  }
  if (waiting == fragment.mask) {
    fragment.wait.kind = Wait::Kind::Gather;
    return false;
  }
  for (unsigned i = 0; i < count; ++i)
    checkMembers(context, groups[i]);
  if (count == 1 && waiting == 0)
    return true;
  if (waiting != 0) {
    Fragment rest;
    rest.pc = fragment.pc;
    rest.mask = waiting;
    rest.wait.kind = Wait::Kind::Gather;
    fragment.mask &= ~waiting;
    warp.fragments.push_back(rest);
  }
  for (unsigned i = 0; i < count && !stopped; ++i)
    if (carryOut(context, step, groups[i].lanes) == Outcome::Faulted) {
      launch.faults->stop();
      stopped = true;
    }
  ++fragment.pc;
  return false;
}

/// Lanes that wait for others of their warp, while all of those wait for
/// something of the kind as well, never go on. True if that is so.
bool Worker::reportDivergence(Warp &warp) {
  bool waits = false;
  for (const Fragment &fragment : warp.fragments) {
    if (fragment.mask == 0)
      continue;
    if (fragment.wait.kind != Wait::Kind::Gather)
      return false;
    waits = true;
  }
  if (!waits)
    return false;
  reportGather(warp);
  return true;
}
