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

#include <algorithm>
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
  /// The stage of a read, by its number among the accesses: operands of a
  /// product have theirs in order, a map's reads by array. Null: none.
  const poly::Node *stageOf(const poly::Scop &scop, size_t access) const;
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
  /// Of those, what nobody in the kernel makes: its first reader loads it.
  bool isLoadedOnce(unsigned array) const {
    return placeOf(array) == poly::Place::Register &&
           !arrays.stored.count(array) &&
           std::find(arrays.arrays.begin(), arrays.arrays.end(), array) !=
               arrays.arrays.end();
  }
  /// Whether no site before number `s` reads the array, where nothing but
  /// indices choose the elements.
  bool isFirstReader(const poly::Scop &scop, unsigned array, size_t s) const;
};
std::optional<KernelSites> sitesOf(const poly::Scop &scop,
                                   const poly::Node &kernel, std::string &why);

/// What each array dimension of a staged operand follows, or -1: one of the
/// statement's dims.
std::vector<int> stagedDims(const poly::Statement &statement,
                            const poly::Access &access);

/// A staged operand's layout over the statement's dimensions.
std::optional<layout::Layout> stagedLayout(const poly::Statement &statement,
                                           const poly::Access &access,
                                           const poly::StageMark &mark,
                                           const layout::Layout &tile);

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
