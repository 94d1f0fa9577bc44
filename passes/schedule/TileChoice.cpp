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

int64_t girih::schedule::mostValues(const Statement &statement, unsigned dim) {
  int64_t best = -1;
  for (const poly::Affine &constraint : statement.constraints) {
    const int64_t factor = -constraint.dimCoefficient(dim);
    bool fallsOnly = factor > 0 && constraint.constant >= 0;
    for (unsigned d = 0; d < statement.dims.size(); ++d)
      fallsOnly &= constraint.dimCoefficient(d) <= 0;
    for (int64_t coefficient : constraint.params)
      fallsOnly &= coefficient <= 0;
    if (fallsOnly) {
      int64_t values = constraint.constant / factor + 1;
      best = best < 0 ? values : std::min(best, values);
    }
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

/// Elements of a row that one thread keeps in registers in f32, and bytes where
/// they stay as narrow as they were loaded.
constexpr int64_t kRowElements = 32;
constexpr int64_t kRowBytes = 128;

/// Cells of a column that 8 threads keep in 32 registers each.
constexpr int64_t kMostColumnCells = 8 * 32;

class Choice {
public:
  Choice(const Scop &scop, const FusionGroup &group,
         const target::GpuTarget &target,
         const std::vector<std::vector<unsigned>> &memory)
      : scop(scop), group(group), target(target), memory(memory) {}
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
  /// False where no read is turned, or too few elements lie along it.
  bool turned();
  void row();
  /// Elements of a row that a thread may hold.
  int64_t elementsOfRow() const;
  /// False where a row is too long for the registers of a block.
  bool rowInRegisters(int64_t cells, int64_t width, int64_t rounds);
  void column();
  void chains();
  void contraction();

  const Scop &scop;
  const FusionGroup &group;
  const target::GpuTarget &target;
  const std::vector<std::vector<unsigned>> &memory;
  TileChoice choice;
};

/// The first of the reads with the most subscripts.
const Access &largestRead(const Statement &update) {
  const Access *largest = &update.accesses.front();
  for (const Access &access : update.accesses)
    if (!access.isWrite &&
        access.subscripts.size() > largest->subscripts.size() &&
        access.array != update.write().array)
      largest = &access;
  return *largest;
}

/// Whether the largest read of the update walks memory along the reduced dims.
bool readsAlongReduction(const Scop &scop, const Reduction &reduction) {
  const Statement &update = scop.statements[reduction.update];
  const Access &read = largestRead(update);
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

/// The shared dim along which the first reduction's largest read walks memory.
unsigned Choice::contiguousDim() const {
  unsigned last = group.sharedDims - 1;
  for (const Unit &unit : group.units) {
    if (!unit.reduction)
      continue;
    const Reduction &reduction = scop.reductions[*unit.reduction];
    const Access &read = largestRead(scop.statements[reduction.update]);
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

std::optional<std::vector<unsigned>> girih::schedule::dimsInMemory(
    const Access &access, const std::vector<std::vector<unsigned>> &memory) {
  if (!access.isExact() || access.subscripts.empty())
    return std::nullopt;
  std::vector<unsigned> order;
  if (access.array < memory.size())
    order = memory[access.array];
  for (unsigned d = unsigned(order.size()); d < access.subscripts.size(); ++d)
    order.push_back(d);
  std::vector<unsigned> dims;
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    const poly::Affine &subscript = access.subscripts[*place];
    std::optional<unsigned> dim;
    for (unsigned d = 0; d < subscript.dims.size(); ++d)
      if (subscript == poly::Affine::dim(d))
        dim = d;
    if (!dim || std::find(dims.begin(), dims.end(), *dim) != dims.end())
      return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

bool girih::schedule::isTurned(
    const Access &read, const Access &write,
    const std::vector<std::vector<unsigned>> &memory) {
  auto reads = dimsInMemory(read, memory), writes = dimsInMemory(write, memory);
  return reads && writes && reads->size() == writes->size() &&
         reads->front() != writes->front();
}

/// membound-facts 3, rule 10: runs of 256 bytes on both sides. Along each
/// side's fastest dims the tile has as many elements as that.
bool Choice::turned() {
  const unsigned shared = group.sharedDims;
  if (group.timeDims() > 0 || group.isAlone)
    return false;
  std::vector<int64_t> tile(shared, 1);
  std::optional<std::vector<unsigned>> order;
  unsigned bytes = 8;
  auto extend = [&](const std::vector<unsigned> &dims, int64_t run) {
    for (unsigned d : dims) {
      const int64_t extent = sharedExtent(d);
      int64_t most = extent < 0 ? run : powerOfTwoAtLeast(extent);
      tile[d] = std::max(tile[d], std::min(run, most));
      run /= tile[d];
      if (run <= 1)
        break;
    }
    return run <= 4;
  };
  bool any = false;
  for (const Unit &unit : group.units)
    for (unsigned s : unit.statements) {
      const Statement &statement = scop.statements[s];
      if (statement.kind != StatementKind::Map ||
          statement.dims.size() != shared)
        return false;
      const Access &write = statement.write();
      for (const Access &read : statement.accesses) {
        if (read.isWrite || !isTurned(read, write, memory))
          continue;
        auto writes = dimsInMemory(write, memory);
        if (order && *order != *writes)
          return false;
        order = writes;
        bytes = std::min({bytes, scop.arrays[read.array].elementBytes,
                          scop.arrays[write.array].elementBytes});
        // As many bytes, but not more elements than threads hold well.
        const int64_t run = std::min<int64_t>(256 / bytes, 128);
        if (!extend(*writes, run) || !extend(*dimsInMemory(read, memory), run))
          return false;
        any = true;
      }
    }
  if (!any)
    return false;
  int64_t elements = 1;
  std::vector<int64_t> inMemory;
  for (auto d = order->rbegin(); d != order->rend(); ++d)
    inMemory.push_back(tile[*d]);
  for (int64_t extent : tile)
    elements *= extent;
  if (order->size() != shared || elements > 128 * 128)
    return false;
  std::optional<layout::Layout> layout;
  for (choice.threads = 256; choice.threads >= 64 && !layout;
       choice.threads /= 2)
    layout = layout::streamingLayout(inMemory, choice.threads, 16 / bytes);
  if (!layout)
    return false;
  choice.threads = unsigned(layout->threadCount());
  choice.sharedTile = tile;
  for (auto [from, to] :
       {std::pair(&layout->registers, &choice.sharedRegisters),
        std::pair(&layout->threads, &choice.sharedThreads)})
    for (Digit digit : *from) {
      if (digit.dim >= 0)
        digit.dim = int((*order)[order->size() - 1 - size_t(digit.dim)]);
      to->push_back(digit);
    }
  choice.turnsReads = true;
  choice.why.push_back("read along one dimension and written along another: "
                       "runs of 256 bytes on both sides, exchanged between "
                       "threads");
  return true;
}

/// membound-facts 3: one vector an input and thread, 256 threads, one-shot
/// grid.
void Choice::elementwise() {
  unsigned shared = group.sharedDims, time = group.timeDims();
  if (turned())
    return;
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
  int64_t cells = -1, widest = 1, rounds = 1;
  bool bounded = true, alike = true;
  for (const Unit &unit : group.units) {
    if (!unit.reduction)
      continue;
    const Reduction &reduction = scop.reductions[*unit.reduction];
    if (reduction.cellEnd == reduction.outputEnd)
      continue;
    // Dims of an update: the cell, the round and the element of its turn.
    const Statement &update = scop.statements[reduction.update];
    int64_t own = constantExtent(update, reduction.cellEnd - 1), turns = 1,
            width = 1;
    if (reduction.cellEnd < update.dims.size())
      turns = mostValues(update, reduction.cellEnd);
    if (reduction.cellEnd + 1 < update.dims.size())
      width = constantExtent(update, update.dims.size() - 1);
    alike &= cells < 0 || (own == cells && width == widest && turns == rounds);
    cells = std::max(cells, own);
    widest = std::max(widest, width);
    bounded &= turns > 0;
    rounds = std::max(rounds, turns);
  }
  const int64_t most = target.maxThreadsPerBlock;
  if (cells > 0 && alike && bounded && rowInRegisters(cells, widest, rounds))
    return;
  // At most 32 elements of a round in one thread's registers.
  int64_t threads = 256;
  while (threads < most && cells * widest > 32 * threads)
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
  if (!bounded || rounds > 1)
    choice.why.push_back(
        "row length unknown or longer than one round of cells: "
        "a loop over rounds");
}

int64_t Choice::elementsOfRow() const {
  unsigned widest = 1;
  for (const Unit &unit : group.units)
    for (unsigned s : unit.statements) {
      const Statement &statement = scop.statements[s];
      if (statement.dims.size() <= group.sharedDims)
        continue;
      if (statement.kind == StatementKind::Map &&
          scop.arrays[statement.write().array].role ==
              poly::ArrayRole::Temporary)
        return kRowElements;
      auto isAlong = [&](const poly::Affine &subscript) {
        for (unsigned d = group.sharedDims; d < statement.dims.size(); ++d)
          if (subscript.dimCoefficient(d) != 0)
            return true;
        return false;
      };
      for (const Access &access : statement.accesses)
        if (!access.isWrite &&
            scop.arrays[access.array].role != poly::ArrayRole::Accumulator &&
            std::any_of(access.subscripts.begin(), access.subscripts.end(),
                        isAlong))
          widest = std::max(widest, scop.arrays[access.array].elementBytes);
    }
  return std::max<int64_t>(kRowElements, kRowBytes / widest);
}

/// membound-facts 3, rule 4: four vectors of a row a thread, more where a block
/// of 256 would need it, and no row longer than a block's registers hold. All
/// statements distribute a row alike, so what one makes the next finds in the
/// registers of its own thread.
bool Choice::rowInRegisters(int64_t cells, int64_t width, int64_t rounds) {
  const int64_t whole = cells * width * rounds, most = elementsOfRow();
  // What the row really has, where maps say so: cells are a power of two.
  const int64_t longest = longestInnerExtent();
  const int64_t length = longest > 0 && longest <= whole ? longest : whole;
  int64_t threads = target.warpSize;
  while (threads < 256 && length > threads * 6 * width)
    threads *= 2;
  while (length > most * threads)
    threads *= 2;
  if (threads > int64_t(target.maxThreadsPerBlock))
    return false;
  choice.threads = choice.innerThreads = threads;
  choice.rounds = rounds;
  choice.holdsRow = true;
  // Few cells leave threads over.
  if (cells >= threads && longest <= whole && 2 * longest > whole) {
    choice.vector = width;
    choice.innerVectors = whole / (threads * width);
  } else if (longest > 0) {
    const int64_t step = threads * choice.vector;
    if ((longest + step - 1) / step * choice.vector <= most)
      choice.innerVectors = (longest + step - 1) / step;
  }
  choice.why.push_back("a block per value of the shared dimensions: its " +
                       std::to_string(threads) +
                       " threads hold the row, vectors of " +
                       std::to_string(width) + " elements each");
  return true;
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

TileChoice
girih::schedule::chooseTiles(const Scop &scop, const FusionGroup &group,
                             const target::GpuTarget &target,
                             const std::vector<std::vector<unsigned>> &memory) {
  return Choice(scop, group, target, memory).run();
}
