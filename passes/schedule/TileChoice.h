//===- TileChoice.h - tile sizes and layouts of one kernel ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group's shared dimensions are tiled once for all its statements: some lie
// across threads, the rest of the threads work along the inner dimensions
// (cells of a reduction, or the last inner dimension of a map). Rules and their
// sources: docs/architecture.md, "Default schedule".
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_TILECHOICE_H
#define GIRIH_PASSES_SCHEDULE_TILECHOICE_H

#include "compiler/layout/Layout.h"
#include "compiler/target/GpuTarget.h"
#include "passes/schedule/FusionGroups.h"

#include <optional>
#include <string>
#include <vector>

namespace girih::schedule {

enum class Style {
  Elementwise, ///< maps whose every dimension is shared
  Row,         ///< a block per value; threads along the reduced dimension
  Column,      ///< threads across the last shared dimension and the cells
  Chains,      ///< sequential chains only: a thread per value
  Contraction  ///< a tile of a matrix product
};

struct TileChoice {
  Style style = Style::Elementwise;
  unsigned threads = 0;
  int64_t vector = 1; ///< elements of the narrowest type in 16 bytes
  std::vector<int64_t> sharedTile; ///< per shared dim
  /// Distribution of the shared tile; threads beyond its digits are
  /// `innerThreads`.
  std::vector<layout::Digit> sharedRegisters, sharedThreads;
  int64_t innerThreads = 1;
  /// Elementwise: reads along other dims than the writes are turned by an
  /// exchange between threads.
  bool turnsReads = false;
  /// Vectors a thread along the last inner dimension of a map, when that covers
  /// all of it in one step; else 0 (a loop over steps of one vector).
  int64_t innerVectors = 0;
  /// Row: every statement goes over the whole row in one step, all in the same
  /// registers of the same threads where they can.
  bool holdsRow = false;
  int64_t rounds = 1; ///< of cells, that an update then takes in its step
  /// Contraction: k of one step. Chains: elements of one step.
  int64_t reducedTile = 1;
  std::vector<std::string> why;
};

/// `memory`: the order of the arrays' dimensions in memory, slowest first,
/// where it is not that of their subscripts.
TileChoice chooseTiles(const poly::Scop &scop, const FusionGroup &group,
                       const target::GpuTarget &target,
                       const std::vector<std::vector<unsigned>> &memory = {});

/// The dims that the subscripts of an access are, fastest in memory first;
/// nothing where some subscript is no dim of its own.
std::optional<std::vector<unsigned>>
dimsInMemory(const poly::Access &access,
             const std::vector<std::vector<unsigned>> &memory);
/// Whether the read is contiguous along another dim than the write, of the same
/// dims.
bool isTurned(const poly::Access &read, const poly::Access &write,
              const std::vector<std::vector<unsigned>> &memory);

/// Bytes of the narrowest element that the statement reads or writes, cells
/// apart; at most 8.
unsigned narrowestBytes(const poly::Scop &scop, unsigned statement);

/// The number of values of a dim when its bounds are constants, else -1.
int64_t constantExtent(const poly::Statement &statement, unsigned dim);

/// The most values that a dim has when its constraints bound it by a constant,
/// whatever the other dims are (none is ever negative), else -1.
int64_t mostValues(const poly::Statement &statement, unsigned dim);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_TILECHOICE_H
