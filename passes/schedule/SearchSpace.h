//===- SearchSpace.h - the tiles and kernels that a search may take -*- C++
//-*-//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be chosen instead of the default schedule: where the units of the
// text are cut into kernels, and for each kernel other tiles, threads and steps
// of its style. All in a fixed order, the same on every machine. A candidate is
// built as the default schedule builds its kernels, and said by directives
// (DirectiveList.h), so that what is taken is proved like a schedule that a
// person wrote.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_SEARCHSPACE_H
#define GIRIH_PASSES_SCHEDULE_SEARCHSPACE_H

#include "passes/schedule/KernelTree.h"

namespace girih::schedule {

/// One way to cut the program into kernels.
struct KernelCut {
  std::vector<FusionGroup> groups; ///< in the order of their launches
  unsigned cuts = 0;               ///< beyond those of the default schedule
};

/// The default schedule's kernels first; then those with more cuts between
/// units that share one. All of them, or, where they are too many, none, each
/// cut alone and all at once.
std::vector<KernelCut> kernelCuts(const poly::Scop &scop);

/// `C, Y`: the tensors that the group's units make.
std::string tensorsOf(const poly::Scop &scop, const FusionGroup &group);

/// Other tiles for a kernel.
struct TileCandidate {
  TileChoice choice;
  /// Extents of the tile, of what a thread keeps of it, and of the steps along
  /// what is reduced (0: none).
  std::vector<int64_t> tile, perThread;
  int64_t step = 0;
  bool isDefault = false;
  std::string text() const; ///< `128 x 128 by 16, 8 x 8 a thread`
};

/// The default choice first. Groups of time loops, passes, recurrences and
/// scatters have no other.
std::vector<TileCandidate> tileCandidates(const poly::Scop &scop,
                                          const FusionGroup &group,
                                          const target::GpuTarget &target);

/// Whether the group's kernel has choices at all: those that have none are
/// built by chooseSchedule alone.
bool hasTileChoices(const poly::Scop &scop, const FusionGroup &group);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_SEARCHSPACE_H
