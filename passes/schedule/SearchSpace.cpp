//===- SearchSpace.cpp - the tiles and kernels that a search may take -----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/SearchSpace.h"

#include "passes/schedule/ScatterSchedule.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using poly::Scop;

std::string girih::schedule::tensorsOf(const Scop &scop,
                                       const FusionGroup &group) {
  std::string text;
  for (const Unit &unit : group.units)
    text +=
        (text.empty() ? "" : ", ") +
        scop.arrays[scop.statements[unit.statements.back()].write().array].name;
  return text;
}

bool girih::schedule::hasTileChoices(const Scop &scop,
                                     const FusionGroup &group) {
  return group.loops.empty() && !group.pass &&
         !readsOwnElements(scop.statements[group.units[0].statements[0]]) &&
         !isScatter(scop, group.units[0]);
}

std::vector<KernelCut> girih::schedule::kernelCuts(const Scop &scop) {
  constexpr size_t kMostPlaces = 6; // 64 ways
  const std::vector<FusionGroup> whole = groupUnits(scop);
  // A place to cut: a group, and how many of its units stay before it.
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t g = 0; g < whole.size(); ++g)
    if (hasTileChoices(scop, whole[g]))
      for (size_t u = 1; u < whole[g].units.size(); ++u)
        places.emplace_back(g, u);
  std::vector<std::vector<bool>> ways;
  if (places.size() <= kMostPlaces) {
    for (size_t way = 0; way < size_t(1) << places.size(); ++way) {
      ways.emplace_back(places.size());
      for (size_t p = 0; p < places.size(); ++p)
        ways.back()[p] = way >> p & 1;
    }
  } else {
    ways.emplace_back(places.size());
    for (size_t p = 0; p < places.size(); ++p) {
      ways.emplace_back(places.size());
      ways.back()[p] = true;
    }
    ways.emplace_back(places.size(), true);
  }
  std::vector<KernelCut> cuts;
  for (const std::vector<bool> &way : ways) {
    KernelCut cut;
    for (size_t g = 0; g < whole.size(); ++g) {
      size_t first = 0, count = whole[g].units.size();
      auto add = [&](size_t end) {
        std::vector<Unit> part(whole[g].units.begin() + first,
                               whole[g].units.begin() + end);
        for (FusionGroup &group : groupUnits(scop, std::move(part)))
          cut.groups.push_back(std::move(group));
        first = end;
      };
      for (size_t p = 0; p < places.size(); ++p)
        if (places[p].first == g && way[p]) {
          add(places[p].second);
          ++cut.cuts;
        }
      if (first == 0)
        cut.groups.push_back(whole[g]);
      else
        add(count);
    }
    cuts.push_back(std::move(cut));
  }
  std::stable_sort(
      cuts.begin(), cuts.end(),
      [](const KernelCut &a, const KernelCut &b) { return a.cuts < b.cuts; });
  return cuts;
}

std::string TileCandidate::text() const {
  auto extents = [](const std::vector<int64_t> &values) {
    std::string text;
    for (int64_t value : values)
      text += (text.empty() ? "" : " x ") + std::to_string(value);
    return text;
  };
  std::string text = tile.empty() ? "1" : extents(tile);
  if (step > 0)
    text += " by " + std::to_string(step);
  text += ", " + std::to_string(choice.threads) +
          (choice.threads == 1 ? " thread" : " threads");
  if (!perThread.empty())
    text += ", " + extents(perThread) + " each";
  return text;
}

namespace {

class Candidates {
public:
  Candidates(const Scop &scop, const FusionGroup &group,
             const target::GpuTarget &target)
      : scop(scop), group(group), base(chooseTiles(scop, group, target)) {}

  std::vector<TileCandidate> run() {
    add(base);
    found.back().isDefault = true;
    if (!hasTileChoices(scop, group) || group.sharedDims == 0)
      return std::move(found);
    switch (base.style) {
    case Style::Contraction:
      contraction();
      break;
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
    }
    return std::move(found);
  }

private:
  /// Adds a choice that is not there yet.
  void add(TileChoice choice) {
    auto digits = [](const std::vector<layout::Digit> &a,
                     const std::vector<layout::Digit> &b) { return a == b; };
    for (TileCandidate &other : found)
      if (other.choice.threads == choice.threads &&
          other.choice.sharedTile == choice.sharedTile &&
          other.choice.reducedTile == choice.reducedTile &&
          other.choice.innerThreads == choice.innerThreads &&
          other.choice.innerVectors == choice.innerVectors &&
          digits(other.choice.sharedRegisters, choice.sharedRegisters) &&
          digits(other.choice.sharedThreads, choice.sharedThreads))
        return;
    TileCandidate candidate;
    for (size_t d = 0; d < choice.sharedTile.size(); ++d) {
      int64_t kept = 1;
      for (const layout::Digit &digit : choice.sharedRegisters)
        if (digit.dim == int(d))
          kept *= digit.count;
      bool isProduct =
          choice.style == Style::Contraction && d + 2 >= group.sharedDims;
      if (choice.sharedTile[d] > 1 || isProduct) {
        candidate.tile.push_back(choice.sharedTile[d]);
        candidate.perThread.push_back(kept);
      }
    }
    if (choice.style == Style::Row)
      candidate.perThread.clear();
    if (choice.style == Style::Contraction || choice.style == Style::Chains)
      candidate.step = choice.reducedTile;
    candidate.choice = std::move(choice);
    found.push_back(std::move(candidate));
  }

  int64_t extentOf(unsigned dim) const {
    return constantExtent(scop.statements[group.units[0].statements[0]], dim);
  }

  /// Threads in blocks of 4 x 4, which both operands are read for as vectors;
  /// neighbours along the columns, as a warp's rows are read without conflicts.
  void contraction() {
    unsigned i = group.sharedDims - 2, j = group.sharedDims - 1;
    constexpr int64_t kVector = 4;
    const std::pair<int64_t, int64_t> kept[] = {
        {4, 4}, {4, 8}, {8, 4}, {8, 8}, {8, 16}, {16, 8}, {16, 16}};
    for (int64_t rows : {32, 64, 128, 256})
      for (int64_t columns : {32, 64, 128, 256})
        for (auto [keptRows, keptColumns] : kept)
          for (int64_t step :
               {base.reducedTile, 2 * base.reducedTile, 4 * base.reducedTile}) {
            int64_t down = rows / keptRows, across = columns / keptColumns;
            if (rows % keptRows || columns % keptColumns || down * across < 32)
              continue;
            // A tile that reaches far beyond the tensor is no other one.
            if ((extentOf(i) >= 0 && rows >= 64 && rows >= 2 * extentOf(i)) ||
                (extentOf(j) >= 0 && columns >= 64 &&
                 columns >= 2 * extentOf(j)))
              continue;
            TileChoice choice = base;
            choice.threads = unsigned(down * across);
            choice.sharedTile[i] = rows;
            choice.sharedTile[j] = columns;
            choice.reducedTile = step;
            choice.sharedRegisters.clear();
            choice.sharedThreads.clear();
            for (auto [dim, extent, threads] :
                 {std::tuple(int(j), columns, across),
                  std::tuple(int(i), rows, down)}) {
              choice.sharedRegisters.push_back({kVector, dim, 1});
              int64_t blocks = extent / (kVector * threads);
              if (blocks > 1)
                choice.sharedRegisters.push_back(
                    {blocks, dim, kVector * threads});
              choice.sharedThreads.push_back({threads, dim, kVector});
            }
            add(std::move(choice));
          }
  }

  void elementwise() {
    unsigned last = group.sharedDims - 1;
    for (int64_t threads : {64, 128, 256, 512, 1024})
      for (int64_t vectors : {1, 2, 4}) {
        TileChoice choice = base;
        int64_t along = threads;
        // As many rows a block as a short last dim leaves threads for.
        int64_t across = 1;
        for (const layout::Digit &digit : base.sharedThreads)
          if (digit.dim != int(last))
            across = digit.count;
        if (across > 1) {
          if (vectors > 1)
            continue;
          along = base.threads / across;
          if (threads % along != 0)
            continue;
          across = threads / along;
        }
        choice.threads = unsigned(threads);
        choice.sharedTile.assign(group.sharedDims, 1);
        choice.sharedTile[last] = along * base.vector * vectors;
        choice.sharedRegisters = {{base.vector, int(last), 1}};
        if (vectors > 1)
          choice.sharedRegisters.push_back(
              {vectors, int(last), along * base.vector});
        choice.sharedThreads = {{along, int(last), base.vector}};
        if (across > 1) {
          choice.sharedTile[last - 1] = across;
          choice.sharedThreads.push_back({across, int(last) - 1, 1});
        }
        add(std::move(choice));
      }
  }

  /// The least number of cells that threads are to divide; 0: no cells.
  int64_t fewestCells() const {
    int64_t cells = 0;
    for (const Unit &unit : group.units)
      if (unit.reduction) {
        const poly::Reduction &reduction = scop.reductions[*unit.reduction];
        if (reduction.cellEnd <= reduction.outputEnd)
          continue;
        int64_t own = constantExtent(scop.statements[reduction.init],
                                     reduction.cellEnd - 1);
        cells = cells == 0 ? own : std::min(cells, own);
      }
    return cells;
  }

  void row() {
    int64_t cells = fewestCells();
    for (int64_t threads : {32, 64, 128, 256, 512, 1024}) {
      if (cells > 0 && threads > cells)
        continue;
      TileChoice choice = base;
      choice.threads = unsigned(threads);
      choice.innerThreads = threads;
      if (base.innerVectors > 0) {
        // The whole row in one step, as the default choice has it.
        int64_t covered = base.innerVectors * base.threads;
        choice.innerVectors = (covered + threads - 1) / threads;
      }
      add(std::move(choice));
    }
  }

  void column() {
    int across = -1;
    for (const layout::Digit &digit : base.sharedThreads)
      across = digit.dim;
    for (int64_t wide : {32, 64, 128})
      for (int64_t deep : {1, 2, 4, 8, 16, 32}) {
        if (wide * deep > 1024 || deep > std::max<int64_t>(fewestCells(), 1))
          continue;
        TileChoice choice = base;
        choice.threads = unsigned(wide * deep);
        choice.innerThreads = deep;
        choice.sharedTile[size_t(across)] = wide;
        choice.sharedThreads = {{wide, across, 1}};
        add(std::move(choice));
      }
  }

  void chains() {
    unsigned last = group.sharedDims - 1;
    for (int64_t threads : {32, 64, 128, 256})
      for (int64_t step : {8, 16, 32}) {
        TileChoice choice = base;
        choice.threads = unsigned(threads);
        choice.sharedTile[last] = threads;
        choice.sharedThreads = {{threads, int(last), 1}};
        choice.reducedTile = step;
        add(std::move(choice));
      }
  }

  const Scop &scop;
  const FusionGroup &group;
  TileChoice base;
  std::vector<TileCandidate> found;
};

} // namespace

std::vector<TileCandidate>
girih::schedule::tileCandidates(const Scop &scop, const FusionGroup &group,
                                const target::GpuTarget &target) {
  return Candidates(scop, group, target).run();
}
