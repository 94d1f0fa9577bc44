//===- PlainTile.cpp - a tile described by its extents --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/PlainTile.h"

#include "compiler/cost/Domain.h"

#include <algorithm>

using namespace girih;
using namespace girih::cost;

static bool isNamed(const std::vector<std::string> &names,
                    const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The elements that a use moves: only loops that it names matter.
static double elementsOf(const PlainTile &tile, const PlainTile::Use &use,
                         bool isOnce) {
  TileAccess access;
  for (const PlainTile::Loop &loop : tile.loops) {
    bool selects = isNamed(use.along, loop.name);
    if (!selects && (isOnce || !isNamed(use.again, loop.name)))
      continue;
    size_t d = access.box.size();
    access.domain.ranges.push_back({0, loop.extent});
    access.box.push_back(loop.tile);
    if (!selects)
      continue;
    Linear subscript;
    subscript.factors.assign(d + 1, 0);
    subscript.factors[d] = 1;
    access.subscripts.push_back(subscript);
  }
  return count(access, Counted::Elements).value;
}

KernelCost girih::cost::costOf(const PlainTile &tile) {
  KernelCost cost;
  cost.name = tile.name;
  cost.threads = tile.threads;
  cost.registers = tile.registers;
  cost.buffers = tile.buffers;
  cost.matrixFlops = tile.matrixFlops;
  cost.otherFlops = tile.otherFlops;
  for (const PlainTile::Loop &loop : tile.loops)
    if (loop.isGrid)
      cost.blocks *= double(Range{0, loop.extent}.tiles(loop.tile));
  for (const PlainTile::Use &use : tile.uses) {
    auto entry = std::find_if(
        cost.traffic.begin(), cost.traffic.end(),
        [&](const TensorTraffic &t) { return t.tensor == use.tensor; });
    if (entry == cost.traffic.end()) {
      cost.traffic.emplace_back();
      entry = cost.traffic.end() - 1;
      entry->tensor = use.tensor;
    }
    double moved = use.elementBytes * elementsOf(tile, use, false);
    double once = use.elementBytes * elementsOf(tile, use, true);
    if (use.isWrite) {
      entry->writtenBytes += moved;
      entry->writtenFootprint = std::max(entry->writtenFootprint, once);
    } else {
      entry->readBytes += moved;
      entry->requestedBytes += moved;
      entry->readFootprint = std::max(entry->readFootprint, once);
    }
  }
  return cost;
}

PlainTile girih::cost::describe(const GemmTile &g) {
  PlainTile tile;
  tile.name = "gemm";
  tile.threads = g.threads;
  tile.registers = g.registers;
  tile.loops = {{"i", g.m, g.rows, true},
                {"j", g.n, g.columns, true},
                {"k", g.k, g.step}};
  tile.uses = {{"A", g.aBytes, false, {"i", "k"}, {"j"}},
               {"W", g.wBytes, false, {"k", "j"}, {"i"}},
               {"C", g.cBytes, true, {"i", "j"}, {}}};
  tile.buffers = {{"A", {g.rows, g.step}, g.aBytes, true, g.slots},
                  {"W", {g.step, g.columns}, g.wBytes, true, g.slots},
                  {"sums", {g.rows, g.columns}, g.sumBytes, g.sumsInShared}};
  tile.matrixFlops = 2.0 * double(g.m) * double(g.n) * double(g.k);
  return tile;
}

PlainTile girih::cost::describe(const AttentionTile &a) {
  PlainTile tile;
  tile.name = "attention";
  tile.loops = {{"q", a.length, a.queries, true},
                {"s", a.length, a.keys},
                {"d", a.depth, a.depth}};
  tile.uses = {{"Q", a.bytes, false, {"q", "d"}, {}},
               {"K", a.bytes, false, {"s", "d"}, {"q"}},
               {"V", a.bytes, false, {"s", "d"}, {"q"}},
               {"O", a.bytes, true, {"q", "d"}, {}}};
  // K and V take turns in a slot, scores and weights in another; each row has a
  // maximum, a sum and a factor.
  tile.buffers = {{"Q", {a.queries, a.depth}, a.bytes},
                  {"K, V", {a.keys, a.depth}, a.bytes, true, a.keySlots},
                  {"S, P", {a.queries, a.keys}, 4},
                  {"O", {a.queries, a.depth}, 4},
                  {"state", {a.queries, 3}, 4}};
  tile.matrixFlops =
      4.0 * double(a.length) * double(a.length) * double(a.depth);
  return tile;
}

int64_t girih::cost::mostQueries(AttentionTile a, int64_t limit) {
  int64_t most = 0;
  // Bytes grow with the rows: halve the interval.
  for (int64_t low = 1, high = a.length; low <= high;) {
    a.queries = (low + high) / 2;
    if (costOf(describe(a)).sharedBytes() <= limit) {
      most = a.queries;
      low = a.queries + 1;
    } else {
      high = a.queries - 1;
    }
  }
  return most;
}

int64_t girih::cost::stateUpdates(const AttentionTile &a) {
  Range rows{0, a.length};
  return rows.tiles(a.queries) * rows.tiles(a.keys);
}
