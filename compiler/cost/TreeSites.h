//===- TreeSites.h - the tiles of one kernel --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this room.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_COST_TREESITES_H
#define GIRIH_COMPILER_COST_TREESITES_H

#include "compiler/cost/KernelCost.h"
#include "compiler/layout/Layout.h"
#include "compiler/poly/KernelArrays.h"

#include <map>
#include <optional>

namespace girih::cost {

/// A statement's tile in a kernel.
struct Site {
  unsigned statement = 0;
  const poly::Node *tile = nullptr;
  std::vector<const poly::Node *> stages;
  layout::Layout layout; ///< the mark's
  bool isStaged() const { return !stages.empty(); }
};

/// A kernel's sites in the order in which they run, with what is around them.
struct KernelSites {
  const poly::Node *kernel = nullptr;
  poly::KernelArrays arrays;
  std::vector<Site> sites;

  poly::Place placeOf(unsigned array) const {
    return poly::placeOf(kernel->kernel, array);
  }
  /// In registers or shared memory while the kernel runs: reads of it move
  /// nothing.
  bool isKept(unsigned array) const {
    poly::Place place = placeOf(array);
    return place == poly::Place::Register || place == poly::Place::Shared;
  }
};
std::optional<KernelSites> sitesOf(const poly::Scop &scop,
                                   const poly::Node &kernel, std::string &why);

/// What each array dimension of a staged operand follows, or -1: one of the
/// statement's dims.
std::vector<int> stagedDims(const poly::Statement &statement,
                            const poly::Access &access);

/// The box of partial results that a merge reads: one more axis, over threads
/// that hold copies of the result (passes/tile does the same).
layout::Layout cellLayout(layout::Layout result, int64_t cells);
int64_t powerOfTwoFrom(int64_t count);

/// Buffers in shared memory: staged operands, rows, and the area in which
/// threads exchange values.
std::vector<Buffer> sharedBuffers(const poly::Scop &scop,
                                  const KernelSites &kernel);
/// Registers of a thread, by what its values take: an estimate, which may be
/// more than a thread can have.
int64_t registerDemand(const poly::Scop &scop, const KernelSites &kernel);

} // namespace girih::cost

#endif // GIRIH_COMPILER_COST_TREESITES_H
