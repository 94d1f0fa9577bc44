//===- KernelCompletion.h - one kernel from a plain subtree -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_KERNELCOMPLETION_H
#define GIRIH_PASSES_SCHEDULE_KERNELCOMPLETION_H

#include "compiler/layout/Layout.h"
#include "compiler/support/Diagnostics.h"
#include "passes/schedule/Completion.h"
#include "passes/schedule/RowPlaces.h"

namespace girih::schedule {

/// One axis of a statement's tile: a dim, or a part of one.
struct Point {
  unsigned dim = 0;
  int64_t stride = 1; ///< place value in the dim
  int64_t turns = 1;
  poly::Binding binding = poly::Binding::Loop; ///< Loop: not said
  std::string loop;                            ///< the member's name
  bool isOrdered = false; ///< carries the order of a reduction
};

/// What becomes of one statement.
struct StatementTile {
  std::vector<Point> points;  ///< outermost first
  std::vector<int64_t> shape; ///< one extent per dim
  layout::Layout layout;
  bool isContraction = false;
  std::set<unsigned> inOrder; ///< dims of a scatter that threads take in order
};

class KernelCompletion {
public:
  KernelCompletion(const CompletionInput &input, poly::ScheduleTree &tree,
                   const ScheduleFacts &facts, Diagnostics &diags)
      : input(input), scop(input.scop), tree(tree), facts(facts), diags(diags) {
  }

  /// Chooses which loops go to the grid and which become axes of tiles, on the
  /// tree while it is still plain.
  void prepare(poly::Node &filter);
  /// Turns the subtree of `filter`, in place, into a kernel. `asked` is the
  /// number of threads that a directive says, or 0.
  bool run(poly::Node &filter, const std::string &name,
           const AskedThreads &asked, KernelReason &reason);

private:
  /// At the directive that asked for it, or the schedule's head.
  Diagnostic &fail(const char *code, const std::string &message,
                   const Origin *origin);
  const Origin *originOf(unsigned statement,
                         const std::string &loop = "") const;

  // Which members go to the grid and which become points.
  void chooseGrid(poly::Node &filter);
  void choosePoints(poly::Node &filter);
  void stripMineChains(poly::Node &filter);
  bool isParallel(poly::Node &band, size_t member);
  int64_t turnsOf(const poly::Node &band, const poly::Member &member) const;
  int64_t turnsOf(unsigned statement, const poly::Digit &digit) const;
  bool mayBePoint(poly::Node &band, size_t member);
  bool isReductionOrder(const poly::Node &band, size_t member) const;
  bool isTaken(const poly::Node &band, size_t member) const;
  bool isSkewed(unsigned statement, unsigned dim) const;
  std::optional<unsigned> fastestDim(unsigned statement,
                                     const poly::Access &access) const;
  int spreadDim(unsigned statement) const;
  void warnOfVectors() const;
  bool hasThreads(const poly::Node &filter) const;
  bool collectPoints(unsigned statement);
  // Layouts.
  bool chooseThreads(const AskedThreads &asked);
  bool layOut(unsigned statement);
  std::vector<Point> threadPoints(const StatementTile &tile) const;
  void markContractions(poly::Node &filter);
  bool isBesideContraction(unsigned statement) const;
  bool squareLayout(layout::Layout &layout) const;
  void spread(unsigned statement, StatementTile &tile);
  int64_t vectorOf(unsigned statement) const;
  // Places.
  std::vector<poly::KernelMark::ArrayPlace> places(bool &good);
  bool staysInRegisters(unsigned writer, unsigned reader,
                        const poly::Access &read) const;
  bool isCarried(unsigned array) const;
  /// The tiles as those of a kernel that goes over rows, and how many leading
  /// dims choose the row.
  RowTiles rowTiles(unsigned &shared) const;
  bool checkCells();
  // The tree.
  poly::NodePtr build(poly::NodePtr node);
  poly::NodePtr tileOf(unsigned statement);
  bool isTurnedBy(const poly::Statement &statement, unsigned array) const;
  bool fillStages(poly::Node &node);
  void refuseStage(const poly::StageMark &stage, unsigned statement,
                   const Origin *stager);

  const CompletionInput &input;
  const poly::Scop &scop;
  poly::ScheduleTree &tree;
  const ScheduleFacts &facts;
  Diagnostics &diags;
  std::vector<unsigned> statements;
  std::map<unsigned, StatementTile> tiles;
  std::set<std::string> chosen;    ///< points that no directive asked for
  std::set<std::string> loopNames; ///< of members that are no points
  unsigned threads = 0;
  std::vector<std::string> why;
};

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_KERNELCOMPLETION_H
