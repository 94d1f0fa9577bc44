//===- Search.h - the best of many schedules, without a GPU -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the space of passes/schedule/SearchSpace.h with the model of
// compiler/cost: every candidate is either dropped before any code is made,
// with the number that is too large, or gets a time, by which all are ranked.
// Nothing here is random or depends on the machine that it runs on.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_SEARCH_H
#define GIRIH_COMPILER_PIPELINE_SEARCH_H

#include "compiler/cost/KernelTime.h"
#include "compiler/cost/TreeCost.h"
#include "compiler/pipeline/CompileState.h"
#include "passes/schedule/SearchSpace.h"

namespace girih::pipeline {

/// Other tiles of one kernel.
struct FoundTile {
  schedule::TileCandidate candidate;
  cost::KernelCost cost; ///< its threads alone where no tree could be made
  cost::KernelTime time; ///< of those that are kept
  std::optional<cost::Excess> excess;
  std::string dropped; ///< why; empty: kept
  bool isKept() const { return dropped.empty(); }
};

/// A kernel with all of its tiles: those that are kept by time, then the
/// others in the order of the space.
struct FoundKernel {
  schedule::FusionGroup group;
  std::string tensors;
  std::vector<FoundTile> tiles;
  const FoundTile *best() const {
    return tiles.empty() || !tiles.front().isKept() ? nullptr : &tiles.front();
  }
};

/// A way to cut the program into kernels, each with its best tile.
struct FoundPlan {
  std::vector<size_t> kernels; ///< of Found::kernels
  unsigned cuts = 0;
  double time = 0, bytes = 0;
  bool isPossible = true; ///< each of them has a tile that fits
};

struct Found {
  std::vector<FoundKernel> kernels;
  std::vector<FoundPlan> plans; ///< by time; ties: those with fewer cuts first
  size_t candidates = 0, kept = 0;
  double milliseconds = 0; ///< that the search took
  /// Why there is nothing to search: a time loop, a pass; empty otherwise.
  std::string nothing;
};

/// All sizes must be known (modelOf reports those that are not).
Found search(CompileState &state);

/// Why the tree of a kernel cannot be realised: a stage that its threads cannot
/// share. Empty if it can.
std::string faultOf(const poly::Scop &scop, const poly::Node &node);

/// A plan, with a tile for each of its kernels by its number in FoundKernel.
struct Choice {
  size_t plan = 0;
  std::vector<size_t> tiles;
  double time = 0;
};
/// The `most` best of all plans with all tiles, the best first; of candidates
/// that the model cannot tell apart the first.
std::vector<Choice> bestChoices(const Found &found, size_t most);

/// The tree of a choice, and the schedule that says it, `exact` and for the
/// target; nothing, and why, where no directives say it.
poly::ScheduleTree treeOf(CompileState &state, const Found &found,
                          const Choice &choice);
std::optional<frontend::ScheduleDecl> scheduleOf(CompileState &state,
                                                 const poly::ScheduleTree &tree,
                                                 std::string &why);

/// Applies, completes and proves the schedule as one of the text. The model of
/// what comes out; nothing, and why, where it is refused.
std::optional<cost::Plan> prove(CompileState &state,
                                const frontend::ScheduleDecl &decl,
                                std::string &why);

/// A choice with its schedule, which was proved, and the model of that.
struct ProvedChoice {
  Choice choice;
  frontend::ScheduleDecl decl;
  cost::Plan plan;
};
/// The `most` best choices that directives can say, each proved; `why` gets
/// what kept the first of the others from it.
std::vector<ProvedChoice> proveBest(CompileState &state, const Found &found,
                                    size_t most, std::string &why);

/// A schedule of the search as text.
struct RankedSchedule {
  std::string schedule; ///< a block, as it may stand in a file
  std::string tiles;    ///< `C: 128 x 128 by 16, ...; Y: ...`
  double time = 0, bytes = 0;
};
/// Compiles `source` as far as that takes and ranks its schedules, each proved.
/// Reports what is wrong and returns nothing.
std::optional<std::vector<RankedSchedule>>
rankSchedules(std::shared_ptr<const SourceFile> source,
              const CompileOptions &options, size_t most, Diagnostics &diags);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_SEARCH_H
