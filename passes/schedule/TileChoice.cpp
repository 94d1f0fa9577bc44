//===- TileChoice.cpp - tile sizes and layouts of one kernel --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/TileChoice.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using layout::Digit;
using poly::Access;
using poly::Reduction;
using poly::Scop;
using poly::Statement;
using poly::StatementKind;

int64_t girih::schedule::constantExtent(const Statement &statement,
                                        unsigned dim) {
  int64_t best = -1;
  for (const poly::Affine &constraint : statement.constraints) {
    bool onlyThis = constraint.dimCoefficient(dim) == -1;
    for (unsigned d = 0; d < statement.dims.size(); ++d)
      onlyThis &= d == dim || constraint.dimCoefficient(d) == 0;
    for (int64_t coefficient : constraint.params)
      onlyThis &= coefficient == 0;
    if (onlyThis && (best < 0 || constraint.constant + 1 < best))
      best = constraint.constant + 1;
  }
  return best;
}

unsigned girih::schedule::narrowestBytes(const Scop &scop, unsigned statement) {
  unsigned bytes = 8;
  for (const Access &access : scop.statements[statement].accesses)
    if (scop.arrays[access.array].role != poly::ArrayRole::Accumulator)
      bytes = std::min(bytes, scop.arrays[access.array].elementBytes);
  return bytes;
}

namespace {

int64_t powerOfTwoAtLeast(int64_t value) {
  int64_t power = 1;
  while (power < value)
    power *= 2;
  return power;
}

/// Cells of a column that 8 threads keep in 32 registers each.
constexpr int64_t kMostColumnCells = 8 * 32;

class Choice {
public:
  Choice(const Scop &scop, const FusionGroup &group,
         const target::GpuTarget &target)
      : scop(scop), group(group), target(target) {}
  TileChoice run();

private:
  Style chooseStyle() const;
  int64_t narrowestVector() const;
  unsigned contiguousDim() const;
  int64_t sharedExtent(unsigned dim) const {
    return constantExtent(scop.statements[group.units[0].statements[0]], dim);
  }
  /// The largest extent of a map's last inner dim; -1 when one is unknown or
  /// none.
  int64_t longestInnerExtent() const;
  void elementwise();
  void row();
  void column();
  void chains();
  void contraction();

  const Scop &scop;
  const FusionGroup &group;
  const target::GpuTarget &target;
  TileChoice choice;
};

/// Whether the first read of the update walks memory along the reduced dims.
bool readsAlongReduction(const Scop &scop, const Reduction &reduction) {
  const Statement &update = scop.statements[reduction.update];
  const Access &read = update.accesses.front();
  if (read.isWrite || read.subscripts.empty())
    return true;
  const poly::Affine &last = read.subscripts.back();
  for (unsigned d = reduction.outputEnd; d < update.dims.size(); ++d)
    if (last.dimCoefficient(d) != 0)
      return true;
  return false;
}

} // namespace

Style Choice::chooseStyle() const {
  bool onlyChains = true, alongRow = false, anyReduction = false,
       innerMap = false;
  int64_t cells = 1;
  for (const Unit &unit : group.units) {
    if (isContraction(scop, unit))
      return Style::Contraction;
    if (!unit.reduction) {
      const Statement &statement = scop.statements[unit.statements[0]];
      innerMap |= statement.dims.size() > group.sharedDims ||
                  statement.kind == StatementKind::Merge;
      continue;
    }
    const Reduction &reduction = scop.reductions[*unit.reduction];
    anyReduction = true;
    if (reduction.cellEnd > reduction.outputEnd)
      cells = std::max(cells, constantExtent(scop.statements[reduction.init],
                                             reduction.cellEnd - 1));
    onlyChains &= reduction.cellEnd == reduction.outputEnd &&
                  unit.outerDims == group.sharedDims;
    bool isPartial =
        scop.arrays[scop.statements[reduction.update].accesses.front().array]
            .role == poly::ArrayRole::Accumulator;
    alongRow |= unit.outerDims > group.sharedDims ||
                (readsAlongReduction(scop, reduction) &&
                 (!isPartial || group.sharedDims == group.timeDims()));
  }
  if (!anyReduction && !innerMap)
    return Style::Elementwise;
  if (onlyChains && !innerMap && group.sharedDims > group.timeDims())
    return Style::Chains;
  // Eight threads hold a column's cells: many need a block of their own.
  if (alongRow || innerMap || group.sharedDims == group.timeDims() ||
      cells > kMostColumnCells)
    return Style::Row;
  return Style::Column;
}

/// The shared dim along which the first reduction's first read walks memory.
unsigned Choice::contiguousDim() const {
  unsigned last = group.sharedDims - 1;
  for (const Unit &unit : group.units) {
    if (!unit.reduction)
      continue;
    const Reduction &reduction = scop.reductions[*unit.reduction];
    const Access &read = scop.statements[reduction.update].accesses.front();
    for (unsigned d = group.timeDims(); d < group.sharedDims; ++d)
      if (!read.subscripts.empty() && read.subscripts.back().dimCoefficient(d))
        return d;
    break;
  }
  return last;
}

int64_t Choice::narrowestVector() const {
  unsigned bytes = 8;
  for (const Unit &unit : group.units)
    for (unsigned s : unit.statements)
      bytes = std::min(bytes, narrowestBytes(scop, s));
  return 16 / bytes;
}

int64_t Choice::longestInnerExtent() const {
  int64_t longest = -1;
  for (const Unit &unit : group.units) {
    const Statement &statement = scop.statements[unit.statements[0]];
    if (unit.reduction || statement.kind != StatementKind::Map ||
        statement.dims.size() <= group.sharedDims)
      continue;
    int64_t extent = constantExtent(statement, statement.dims.size() - 1);
    if (extent < 0)
      return -1;
    longest = std::max(longest, extent);
  }
  return longest;
}

/// membound-facts 3: one vector an input and thread, 256 threads, one-shot
/// grid.
void Choice::elementwise() {
  unsigned shared = group.sharedDims, time = group.timeDims();
  choice.threads = shared == time ? target.warpSize : 256;
  choice.sharedTile.assign(shared, 1);
  if (shared == time) {
    choice.innerThreads = choice.threads;
    choice.why.push_back("one value: one warp");
    return;
  }
  unsigned last = shared - 1;
  int64_t extent = sharedExtent(last), along = choice.threads;
  if (extent >= 0 && shared > time + 1)
    along = std::min<int64_t>(
        along, powerOfTwoAtLeast(std::max<int64_t>(
                   (extent + choice.vector - 1) / choice.vector, 1)));
  int64_t across = choice.threads / along;
  choice.sharedTile[last] = along * choice.vector;
  choice.sharedRegisters = {{choice.vector, int(last), 1}};
  choice.sharedThreads = {{along, int(last), choice.vector}};
  if (across > 1) {
    choice.sharedTile[last - 1] = across;
    choice.sharedThreads.push_back({across, int(last) - 1, 1});
  }
  choice.why.push_back(
      "elementwise: one vector of " + std::to_string(choice.vector) +
      " elements (16 bytes of the narrowest type) a thread, one tile a block");
}

void Choice::row() {
  choice.sharedTile.assign(group.sharedDims, 1);
  // Threads must divide every cell count; few cells need few threads.
  int64_t cells = -1, widest = 1;
  bool bounded = true;
  for (const Unit &unit : group.units) {
    for (unsigned s : unit.statements) {
      const Statement &statement = scop.statements[s];
      if (statement.kind != StatementKind::Init || !unit.reduction)
        continue;
      const Reduction &reduction = scop.reductions[*unit.reduction];
      if (reduction.cellEnd > reduction.outputEnd)
        cells =
            std::max(cells, constantExtent(statement, reduction.cellEnd - 1));
      // A round dim with one value: the whole row is one step.
      const Statement &update = scop.statements[reduction.update];
      if (reduction.cellEnd < update.dims.size())
        bounded &= constantExtent(update, reduction.cellEnd) == 1;
      if (reduction.cellEnd + 1 < update.dims.size())
        widest =
            std::max(widest, constantExtent(update, update.dims.size() - 1));
    }
  }
  // At most 32 elements of a round in one thread's registers.
  int64_t threads = 256;
  while (threads < int64_t(target.maxThreadsPerBlock) &&
         cells * widest > 32 * threads)
    threads *= 2;
  if (cells > 0)
    threads = std::min(threads, powerOfTwoAtLeast(cells));
  choice.threads = std::max<int64_t>(threads, target.warpSize);
  choice.innerThreads = choice.threads;
  int64_t longest = longestInnerExtent();
  int64_t step = choice.threads * choice.vector;
  if (longest > 0 && (longest + step - 1) / step * choice.vector <= 32)
    choice.innerVectors = (longest + step - 1) / step;
  choice.why.push_back("a block per value of the shared dimensions: its "
                       "threads share the row's cells");
  if (!bounded)
    choice.why.push_back(
        "row length unknown or longer than one round of cells: "
        "a loop over rounds");
}

void Choice::column() {
  unsigned across = contiguousDim();
  choice.sharedTile.assign(group.sharedDims, 1);
  choice.sharedTile[across] = 32;
  choice.threads = 256;
  choice.sharedThreads = {{32, int(across), 1}};
  choice.innerThreads = 8;
  choice.why.push_back("reduced dimension is not the contiguous one: a warp "
                       "across columns, 8 warps along the cells");
}

void Choice::chains() {
  unsigned last = group.sharedDims - 1;
  choice.sharedTile.assign(group.sharedDims, 1);
  choice.threads = 128;
  choice.sharedTile[last] = 128;
  choice.sharedThreads = {{128, int(last), 1}};
  choice.reducedTile = 8;
  choice.why.push_back("sequential order: a thread runs each value's chain");
}

/// Register tile 8 x 8 of 256 threads: 64 FMA for 16 loads from shared memory.
void Choice::contraction() {
  unsigned i = group.sharedDims - 2, j = group.sharedDims - 1;
  int64_t rows = sharedExtent(i), columns = sharedExtent(j);
  // Operands and accumulators that are wide leave registers for less of both.
  unsigned widest = 0, accumulator = 0;
  for (const Unit &unit : group.units)
    if (isContraction(scop, unit)) {
      const Reduction &reduction = scop.reductions[*unit.reduction];
      const Statement &update = scop.statements[reduction.update];
      for (unsigned factor = 0; factor < 2; ++factor)
        widest = std::max(
            widest, scop.arrays[update.accesses[factor].array].elementBytes);
      accumulator = scop.arrays[reduction.accumulator].elementBytes;
    }
  bool small = (rows >= 0 && rows <= 64) || (columns >= 0 && columns <= 64) ||
               accumulator > 4;
  int64_t tile = small ? 64 : 128;
  choice.threads = 256;
  choice.sharedTile.assign(group.sharedDims, 1);
  choice.sharedTile[i] = choice.sharedTile[j] = tile;
  choice.reducedTile = widest > 2 ? 8 : 16;
  if (small)
    choice.sharedRegisters = {{4, int(j), 1}, {4, int(i), 1}};
  else
    choice.sharedRegisters = {
        {4, int(j), 1}, {2, int(j), 64}, {4, int(i), 1}, {2, int(i), 64}};
  choice.sharedThreads = {{16, int(j), 4}, {16, int(i), 4}};
  choice.why.push_back(
      "matrix product: tile " + std::to_string(tile) + " x " +
      std::to_string(tile) + " x " + std::to_string(choice.reducedTile) + ", " +
      std::to_string(tile / 16) + " x " + std::to_string(tile / 16) +
      " accumulators a thread, operands staged in shared memory in their "
      "accumulator's type");
}

TileChoice Choice::run() {
  choice.style = chooseStyle();
  choice.vector = narrowestVector();
  switch (choice.style) {
  case Style::Elementwise:
    elementwise();
    break;
  case Style::Row:
    row();
    break;
  case Style::Column:
    column();
    break;
  case Style::Chains:
    chains();
    break;
  case Style::Contraction:
    contraction();
    break;
  }
  return std::move(choice);
}

TileChoice girih::schedule::chooseTiles(const Scop &scop,
                                        const FusionGroup &group,
                                        const target::GpuTarget &target) {
  return Choice(scop, group, target).run();
}
