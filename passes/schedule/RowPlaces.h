//===- RowPlaces.h - rows that stay in registers ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements of a kernel that go over a row in one step each, with their
// elements in the same registers of the same threads: what one makes or loads
// the others find there.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_ROWPLACES_H
#define GIRIH_PASSES_SCHEDULE_ROWPLACES_H

#include "compiler/layout/Layout.h"
#include "compiler/poly/Scop.h"

#include <map>

namespace girih::schedule {

/// A statement's tile in a kernel whose first dimensions the grid goes over,
/// one value a block.
struct RowTile {
  layout::Layout layout;
  bool isWhole = false; ///< no loop of the statement's own has several turns
};
using RowTiles = std::map<unsigned, RowTile>; ///< by statement

/// Whether `reader` finds the elements of `read` where `writer`, a map with one
/// dimension more than the `shared` first ones, made them.
bool findsRow(const poly::Scop &scop, const RowTiles &tiles, unsigned shared,
              unsigned writer, unsigned reader, const poly::Access &read);

/// Arrays that the kernel only reads, and several statements read: each takes
/// the same elements of the row, all that its own instances need, into the same
/// registers. Ascending.
std::vector<unsigned> rowsReadAlike(const poly::Scop &scop,
                                    const RowTiles &tiles, unsigned shared);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_ROWPLACES_H
