//===- FusionGroups.h - which statements share a kernel ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements that move together form a unit: a map, one level of a reduction
// (init, update, merge), or a lone merge. Units whose outer dimensions agree
// instance by instance share a kernel: the shared prefix of dimensions goes to
// the grid, so every dependence between them has distance zero there and stays
// inside one block. The same holds for an array that one unit overwrites and
// another reads. Nothing is recomputed. docs/architecture.md, "Default
// schedule".
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_FUSIONGROUPS_H
#define GIRIH_PASSES_SCHEDULE_FUSIONGROUPS_H

#include "compiler/poly/Scop.h"

#include <optional>
#include <set>
#include <vector>

namespace girih::schedule {

struct Unit {
  std::vector<unsigned> statements; ///< in textual order
  unsigned outerDims = 0; ///< dims [0, outerDims) name the value it finishes
  std::optional<unsigned> reduction; ///< index into Scop::reductions
};

struct FusionGroup {
  std::vector<Unit> units;
  unsigned sharedDims = 0;     ///< leading dims that all units share
  std::vector<unsigned> loops; ///< time loops around all units
  /// Leading dims that are the turns of those loops.
  unsigned timeDims() const { return loops.size(); }
  /// One unit that nothing joins: it writes a part of an array, or reads the
  /// array that it writes at other elements.
  bool isAlone = false;
  /// The time loop that runs inside the kernel, around some of the units
  /// (TimeLoop::isPass); the others fill what it carries, or finish it.
  std::optional<unsigned> pass;
};

/// Whether the statement reads the array that it writes at other elements than
/// it writes: its instances have an order.
bool readsOwnElements(const poly::Statement &statement);
/// Whether the statement, in the time loops around it, writes the element of
/// its dims.
bool writesItsDims(const poly::Statement &statement);

/// Units of the Scop, in textual order.
std::vector<Unit> findUnits(const poly::Scop &scop);

/// Whether data decide where the unit writes. It has a kernel of its own: what
/// it changes is filled before it starts and read after it ended.
bool isScatter(const poly::Scop &scop, const Unit &unit);

/// A level-1 reduction whose tile may be a contraction: the last two outer dims
/// appear in one factor each, the reduced dim in both.
bool isContraction(const poly::Scop &scop, const Unit &unit);

/// Kernels in execution order. A unit joins the latest kernel that produces
/// one of its operands when every operand is read at the same leading
/// subscripts; a kernel with a contraction keeps all its dimensions. A unit
/// without such a producer joins the last kernel when both read one array over
/// the same values, so that it is read once. What writes a part of an array, or
/// depends on itself, has a kernel of its own; kernels hold statements of the
/// same time loops.
std::vector<FusionGroup> groupUnits(const poly::Scop &scop);
/// The same of some of its units, which nothing between them depends on. The
/// loops of `apart` run above kernels though they are passes.
std::vector<FusionGroup> groupUnits(const poly::Scop &scop,
                                    std::vector<Unit> units,
                                    const std::set<unsigned> &apart = {});

/// The leading dims behind the statement's time loops that an access has as its
/// subscripts, one after the other, at most `most`; counted with the time
/// loops.
unsigned leadingDims(const poly::Statement &statement,
                     const poly::Access &access, unsigned most);

/// The units that one pass takes into its kernel, by number: those of the time
/// loop and around them those that begin and finish what it carries. Nothing
/// where they do not agree in their leading dims.
struct PassUnits {
  std::vector<size_t> units; ///< in the order in which they run
  unsigned sharedDims = 0;
};
std::optional<PassUnits> passUnits(const poly::Scop &scop,
                                   const std::vector<Unit> &units,
                                   unsigned loop);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_FUSIONGROUPS_H
