//===- CheckerCopies.cpp - memory that copies under way use ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy writes and reads like its thread when it is issued, and again when it
// is known to be done. In between its destination is busy, and its source has
// an entry that any write runs into.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Toucher.h"

namespace girih::sim {

namespace {

/// One side of a copy.
struct Side {
  CheckerCore &core;
  Context &context;
  unsigned lane;
  WarpAccess access;
  Block *owner = nullptr;         ///< of shared memory
  GlobalBuffer *buffer = nullptr; ///< else
  uint64_t offset = 0;

  Side(CheckerCore &core, Context &context, unsigned lane, AccessKind kind,
       Space space, uint64_t address, unsigned bytes)
      : core(core), context(context), lane(lane) {
    access.kind = kind;
    access.bytes = bytes;
    if (space == Space::Generic)
      space = address >> kBufferShift ? Space::Global : Space::SharedCluster;
    else
      address += space == Space::Global ? 0 : kSharedWindow;
    if (space == Space::Global) {
      buffer = context.launch.memory->find(address);
      offset = address - (buffer ? buffer->address : 0);
      if (buffer && (!buffer->shadow || offset + bytes > buffer->bytes))
        buffer = nullptr;
      return;
    }
    uint32_t at = 0;
    owner = MemorySystem::sharedBlock(context, Space::Generic, address, at);
    offset = at;
    if (owner && offset + bytes > owner->shared.size())
      owner = nullptr;
  }

  /// Calls f(toucher, cell, index) for its granules; false if there are none.
  template <typename F> bool touch(Toucher &toucher, F &&f) const {
    return owner ? touchShared(toucher, f) : buffer && touchGlobal(toucher, f);
  }

private:
  template <typename F> bool touchShared(Toucher &toucher, F &&f) const {
    SharedShadow &shadow = shadowOf(core, *owner);
    toucher.owner = owner;
    toucher.shift = shadow.shift;
    toucher.enter(shadow.sets, nullptr);
    uint64_t end = (offset + access.bytes - 1) >> shadow.shift;
    for (uint64_t index = offset >> shadow.shift; index <= end; ++index)
      f(toucher, shadow.at(uint32_t(index)), uint32_t(index));
    return true;
  }

  template <typename F> bool touchGlobal(Toucher &toucher, F &&f) const {
    constexpr uint64_t kCells = GlobalShadow::kCells;
    GlobalShadow &shadow = *buffer->shadow;
    toucher.buffer = buffer;
    toucher.shift = shadow.shift;
    uint64_t end = ((offset + access.bytes - 1) >> shadow.shift) + 1;
    for (uint64_t index = offset >> shadow.shift; index < end;) {
      GlobalShadow::Page &page = shadow.page(index / kCells, core.serial);
      std::lock_guard<SpinLock> lock(page.lock);
      toucher.enter(page.sets, &page);
      toucher.firstCell = index / kCells * kCells;
      uint64_t stop = std::min(end, toucher.firstCell + kCells);
      uint32_t count = uint32_t(stop - index);
      GlobalShadow::Cells &cells = page.open();
      for (; index < stop; ++index) {
        uint32_t inPage = uint32_t(index % kCells);
        if (!page.isSaturated(inPage) || access.kind != AccessKind::AsyncRead)
          f(toucher, cells[inPage], inPage);
      }
      page.close(count);
    }
    return true;
  }
};

const ThreadClock &clockOf(const Context &context, unsigned lane) {
  return clusterOf(context.block)
      .clocks.warpOf(context.block.rank, context.warp.index)
      .at(lane);
}

} // namespace

uint64_t Checker::beginCopy(Context &context, unsigned lane,
                            const AsyncCopy &copy) {
  if (!enabled)
    return 0;
  uint64_t token = 0;
  if (copy.bytes) {
    Side side(*state, context, lane, AccessKind::AsyncWrite,
              copy.destinationSpace, copy.destination, copy.bytes);
    Toucher toucher(*state, context, side.access, side.owner != nullptr);
    toucher.become(clockOf(context, lane));
    toucher.beginCopy(copy.statement);
    if (side.touch(toucher, [&](Toucher &t, Cell &cell, uint32_t index) {
          t.write(cell, index, lane);
        }))
      token = toucher.recordNumber();
  }
  if (copy.sourceBytes) {
    Side side(*state, context, lane, AccessKind::AsyncRead, copy.sourceSpace,
              copy.source, copy.sourceBytes);
    Toucher toucher(*state, context, side.access, side.owner != nullptr);
    toucher.become(clockOf(context, lane));
    toucher.beginCopy(copy.statement);
    if (side.touch(toucher, [&](Toucher &t, Cell &cell, uint32_t index) {
          t.read(cell, index, lane);
        }))
      token |= uint64_t(toucher.recordNumber()) << 32;
  }
  return token;
}

static void finishCopy(CheckerCore &core, Context &context, unsigned lane,
                       const AsyncCopy &copy, const ThreadClock &clock,
                       AgentClock agent) {
  if (uint32_t begun = uint32_t(copy.token)) {
    Side side(core, context, lane, AccessKind::AsyncWrite,
              copy.destinationSpace, copy.destination, copy.bytes);
    Toucher toucher(core, context, side.access, side.owner != nullptr);
    toucher.become(clock);
    toucher.finishCopy(copy.statement, agent);
    side.touch(toucher, [&](Toucher &t, Cell &cell, uint32_t) {
      t.finishWrite(cell, makeRef(begun, lane));
    });
  }
  if (uint32_t begun = uint32_t(copy.token >> 32)) {
    Side side(core, context, lane, AccessKind::AsyncRead, copy.sourceSpace,
              copy.source, copy.sourceBytes);
    Toucher toucher(core, context, side.access, side.owner != nullptr);
    toucher.become(clock);
    toucher.finishCopy(copy.statement, agent);
    side.touch(toucher, [&](Toucher &t, Cell &cell, uint32_t index) {
      t.finishRead(cell, index, makeRef(begun, lane));
    });
  }
}

void Checker::endCopy(Context &context, unsigned lane, const AsyncCopy &copy) {
  if (enabled)
    finishCopy(*state, context, lane, copy, clockOf(context, lane), {});
}

void Checker::endCopy(Context &context, unsigned lane, const AsyncCopy &copy,
                      Mbarrier &barrier, SyncPoint *also) {
  if (!enabled)
    return;
  ClusterState &cluster = clusterOf(context.block);
  cluster.fine = true;
  if (!barrier.agent)
    barrier.agent = ++cluster.agents;
  // It happens after nothing in particular.
  ThreadClock clock;
  clock.now = uint32_t(barrier.phase) + 1;
  clock.base = std::make_shared<Snapshot>();
  AgentClock agent{barrier.agent, clock.now};
  finishCopy(*state, context, lane, copy, clock, agent);
  tell(barrier.open, agent);
  if (also)
    tell(*also, agent);
}

} // namespace girih::sim
