//===- PlainTile.h - a tile described by its extents ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop nest in tiles, the tensors that each tile reads or writes and what it
// keeps: enough to count with, before there is a schedule, and for what
// schedules cannot say so far. It counts by the functions that count trees.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_COST_PLAINTILE_H
#define GIRIH_COMPILER_COST_PLAINTILE_H

#include "compiler/cost/KernelCost.h"

namespace girih::cost {

struct PlainTile {
  struct Loop {
    std::string name;
    int64_t extent = 1, tile = 1;
    bool isGrid = false; ///< its tiles are blocks
  };
  /// One element for each point of the loops `along`; moved once more for each
  /// tile of the loops `again`, since nobody keeps it between them.
  struct Use {
    std::string tensor;
    unsigned elementBytes = 2;
    bool isWrite = false;
    std::vector<std::string> along, again;
  };
  std::string name;
  unsigned threads = 0, registers = 0;
  std::vector<Loop> loops;
  std::vector<Use> uses;
  std::vector<Buffer> buffers;
  double matrixFlops = 0, otherFlops = 0;
};

/// Names of loops that are not there select nothing.
KernelCost costOf(const PlainTile &tile);

/// A tile of C = A W, i x j by steps of k: each block reads its rows of A and
/// columns of W in steps and keeps the sums.
struct GemmTile {
  int64_t m = 0, n = 0, k = 0; ///< extents of the product
  int64_t rows = 0, columns = 0, step = 0;
  unsigned aBytes = 2, wBytes = 2, cBytes = 2, sumBytes = 4;
  bool sumsInShared = false;
  int64_t slots = 1; ///< of both operands
  unsigned threads = 256, registers = 0;
};
PlainTile describe(const GemmTile &gemm);

/// A tile of attention for one head: `queries` rows of Q with their state
/// against `keys` rows of K and V at a time. Each pass over K and V serves one
/// tile of queries.
struct AttentionTile {
  int64_t length = 0, depth = 0;
  int64_t queries = 0, keys = 0;
  unsigned bytes = 2;   ///< of an element of Q, K, V and the result
  int64_t keySlots = 1; ///< of the slot that K and V share
};
PlainTile describe(const AttentionTile &attention);
/// The most rows of queries whose tile fits into `limit` bytes; 0 if none does.
int64_t mostQueries(AttentionTile attention, int64_t limit);
/// How often a tile of scores is merged into the state of a tile of queries.
int64_t stateUpdates(const AttentionTile &attention);

} // namespace girih::cost

#endif // GIRIH_COMPILER_COST_PLAINTILE_H
