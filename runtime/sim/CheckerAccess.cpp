//===- CheckerAccess.cpp - a warp's access to memory ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Toucher.h"

namespace girih::sim {

namespace {

/// Calls f(clock, lanes) for lanes that share a clock.
template <typename F> void byClock(WarpClock &warp, uint32_t mask, F &&f) {
  if (warp.isUniform())
    return f(warp.common(), mask);
  while (mask) {
    const ThreadClock &clock = warp.at(unsigned(__builtin_ctz(mask)));
    uint32_t same = 0;
    forLanes(mask, [&](unsigned lane) {
      same |= uint32_t(warp.at(lane) == clock) << lane;
    });
    f(clock, same);
    mask &= ~same;
  }
}

enum class Touch : uint8_t { Read, Write, Strong };

Touch touchOf(const WarpAccess &access) {
  if (access.order != Order::Weak || access.kind == AccessKind::Atomic)
    return Touch::Strong;
  return access.kind == AccessKind::Write ? Touch::Write : Touch::Read;
}

} // namespace

/// `flags`: what a granule has to have for a quick read.
template <Touch touch>
static inline void touchCell(Toucher &toucher, Cell &cell, uint32_t index,
                             unsigned lane, uint16_t flags) {
  if constexpr (touch == Touch::Read) {
    if (!toucher.readQuickly(cell, index, lane, flags))
      toucher.read(cell, index, lane);
  } else if constexpr (touch == Touch::Write) {
    if (!toucher.writeQuickly(cell, lane))
      toucher.write(cell, index, lane);
  } else {
    toucher.strong(cell, index, lane);
  }
}

template <Touch touch>
static uint32_t touchShared(Toucher &toucher, SharedShadow &shadow,
                            const WarpAccess &access, uint32_t lanes,
                            const uint8_t *base, bool isRead) {
  uint32_t unwritten = 0;
  unsigned cells = std::max(access.bytes >> shadow.shift, 1u);
  // Where two readers are enough, so are two lanes of a broadcast.
  const bool two = touch == Touch::Read && !toucher.isFine();
  uint32_t before = ~0u;
  unsigned times = 0, last = 0;
  forLanes(lanes, [&](unsigned lane) {
    uint32_t first = uint32_t(access.data[lane] - base) >> shadow.shift;
    times = first == before ? times + 1 : 0;
    if (two && times > 1) {
      unwritten |= (unwritten >> last & 1) << lane;
      return;
    }
    before = first;
    last = lane;
    for (uint32_t index = first; index < first + cells; ++index) {
      Cell &cell = shadow.at(index);
      if (isRead && !(cell.flags & (Cell::kInitialized | Cell::kBusy)))
        unwritten |= 1u << lane;
      touchCell<touch>(toucher, cell, index, lane, Cell::kInitialized);
    }
  });
  return unwritten;
}

/// A copy's source is checked for races by beginCopy.
static uint32_t findUnwritten(SharedShadow &shadow, const WarpAccess &access,
                              uint32_t mask, const uint8_t *base) {
  uint32_t unwritten = 0;
  forLanes(mask, [&](unsigned lane) {
    uint32_t offset = uint32_t(access.data[lane] - base);
    for (uint32_t at = offset; at < offset + access.bytes;
         at += 1u << shadow.shift)
      if (!(shadow.at(at >> shadow.shift).flags &
            (Cell::kInitialized | Cell::kBusy)))
        unwritten |= 1u << lane;
  });
  return unwritten;
}

/// Calls f(lanes) for lanes that share a clock, when the toucher has it.
/// Strong accesses that order something go one by one.
template <typename F>
static void byTurns(CheckerCore &core, Toucher &toucher, Context &context,
                    const WarpAccess &access, uint32_t mask, F &&f) {
  ClusterState &cluster = clusterOf(context.block);
  WarpClock &warp =
      cluster.clocks.warpOf(context.block.rank, context.warp.index);
  if (touchOf(access) != Touch::Strong ||
      !mayOrder(core, cluster, access.order))
    return byClock(warp, mask, [&](const ThreadClock &clock, uint32_t lanes) {
      toucher.become(clock);
      f(lanes);
      if (&clock == &warp.common())
        toucher.keepForWarp();
    });
  Order order = std::max(access.order, Order::Relaxed);
  forLanes(mask, [&](unsigned lane) {
    StrongAccess strong{core,
                        context.block,
                        context.warp.thread(lane),
                        access.data[lane],
                        access.bytes,
                        access.kind,
                        order,
                        access.scope};
    strong.readPart();
    toucher.become(warp.at(lane));
    f(1u << lane);
    strong.writePart();
  });
}

uint32_t Checker::accessShared(Context &context, const WarpAccess &access,
                               uint32_t mask, Block &owner) {
  if (!enabled || access.kind == AccessKind::AsyncWrite)
    return 0;
  SharedShadow &shadow = shadowOf(*state, owner);
  const uint8_t *base = owner.shared.data();
  if (access.kind == AccessKind::AsyncRead)
    return findUnwritten(shadow, access, mask, base);
  Toucher toucher(*state, context, access, true);
  toucher.owner = &owner;
  toucher.shift = shadow.shift;
  toucher.enter(shadow.sets, nullptr);
  uint32_t unwritten = 0;
  byTurns(*state, toucher, context, access, mask, [&](uint32_t lanes) {
    toucher.recordNumber();
    switch (touchOf(access)) {
    case Touch::Read:
      unwritten |=
          touchShared<Touch::Read>(toucher, shadow, access, lanes, base, true);
      break;
    case Touch::Write:
      touchShared<Touch::Write>(toucher, shadow, access, lanes, base, false);
      break;
    case Touch::Strong:
      unwritten |=
          touchShared<Touch::Strong>(toucher, shadow, access, lanes, base,
                                     access.kind != AccessKind::Write);
      break;
    }
  });
  return unwritten;
}

/// Lanes whose granules are all in this page; those which say nothing new are
/// done with without its lock.
template <Touch touch>
static void touchPage(Toucher &toucher, GlobalShadow::Page &page,
                      const std::array<uint64_t, kLanes> &index, uint32_t lanes,
                      unsigned cells) {
  if constexpr (touch == Touch::Read) {
    uint32_t rest = 0;
    forLanes(lanes, [&](unsigned lane) {
      uint32_t first = uint32_t(index[lane] % GlobalShadow::kCells);
      for (uint32_t i = first; i < first + cells; ++i)
        rest |= uint32_t(!page.isSaturated(i)) << lane;
    });
    lanes = rest;
    if (!lanes)
      return;
  }
  std::lock_guard<SpinLock> lock(page.lock);
  GlobalShadow::Cells &all = page.open();
  toucher.enter(page.sets, &page);
  forLanes(lanes, [&](unsigned lane) {
    uint32_t first = uint32_t(index[lane] % GlobalShadow::kCells);
    for (uint32_t i = first; i < first + cells; ++i)
      touchCell<touch>(toucher, all[i], i, lane, 0);
  });
  page.close(uint32_t(__builtin_popcount(lanes)) * cells);
}

void Checker::accessGlobal(Context &context, const WarpAccess &access,
                           uint32_t mask, GlobalBuffer &buffer) {
  if (!enabled || !buffer.shadow || access.kind == AccessKind::AsyncWrite ||
      access.kind == AccessKind::AsyncRead)
    return;
  constexpr uint64_t kCells = GlobalShadow::kCells;
  GlobalShadow &shadow = *buffer.shadow;
  Toucher toucher(*state, context, access, false);
  toucher.buffer = &buffer;
  toucher.shift = shadow.shift;
  std::array<uint64_t, kLanes> index;
  const uint8_t *base = buffer.data.get();
  forLanes(mask, [&](unsigned lane) {
    index[lane] = uint64_t(access.data[lane] - base) >> shadow.shift;
  });
  unsigned cells = std::max(access.bytes >> shadow.shift, 1u);
  byTurns(*state, toucher, context, access, mask, [&](uint32_t lanes) {
    while (lanes) {
      uint64_t number = index[unsigned(__builtin_ctz(lanes))] / kCells;
      uint32_t here = 0;
      forLanes(lanes, [&](unsigned lane) {
        here |= uint32_t(index[lane] / kCells == number) << lane;
      });
      lanes &= ~here;
      GlobalShadow::Page &page = shadow.page(number, state->serial);
      toucher.firstCell = number * kCells;
      switch (touchOf(access)) {
      case Touch::Read:
        touchPage<Touch::Read>(toucher, page, index, here, cells);
        break;
      case Touch::Write:
        touchPage<Touch::Write>(toucher, page, index, here, cells);
        break;
      case Touch::Strong:
        touchPage<Touch::Strong>(toucher, page, index, here, cells);
        break;
      }
    }
  });
}

} // namespace girih::sim
