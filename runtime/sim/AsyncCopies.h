//===- AsyncCopies.h - copies under way ----------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy's bytes move as late as a program can rely on: when its thread waits
// for it, or when a thread looks at the mbarrier that hears of it. A copy that
// no mbarrier tracks is in its warp's list, another one with its mbarrier.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_ASYNCCOPIES_H
#define GIRIH_RUNTIME_SIM_ASYNCCOPIES_H

#include "runtime/sim/Checker.h"

namespace girih::sim {

/// Moves a copy's bytes and ends it.
void finishCopy(Context &context, unsigned lane, const AsyncCopy &copy);

/// Finishes those of `copies` for which isDone(copy) holds.
template <typename F>
void finishList(Context &context, unsigned lane, std::vector<AsyncCopy> &copies,
                F &&isDone) {
  size_t kept = 0;
  for (AsyncCopy &copy : copies)
    if (isDone(copy))
      finishCopy(context, lane, copy);
    else
      copies[kept++] = copy;
  copies.resize(kept);
}

/// The same for all copies of a thread, its own and those that mbarriers of its
/// block track.
template <typename F>
void finishCopies(Context &context, unsigned lane, F &&isDone) {
  finishList(context, lane, context.warp.copies[lane], isDone);
  for (auto &[offset, barrier] : context.block.checker->mbarriers)
    for (AsyncArrival &arrival : barrier.asyncArrivals)
      if (arrival.warp == &context.warp && arrival.lane == lane)
        finishList(context, lane, arrival.copies, isDone);
}

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_ASYNCCOPIES_H
