//===- ScheduleModel.h - a schedule, directive by directive -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from the order of the text and applies directives to a plain schedule
// tree. Each is proved legal before the next: a directive that would break a
// dependence or the order of a reduction is refused with two instances in
// conflict, and changes nothing. Every step can be taken back.
//
//   ScheduleModel model(scop, dependences, owners, budget);
//   if (!model.apply(directive, diags)) ...
//   poly::printScheduleTree(scop, model.tree());
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_SCHEDULEMODEL_H
#define GIRIH_PASSES_SCHEDULE_SCHEDULEMODEL_H

#include "compiler/frontend/Directive.h"
#include "compiler/poly/Legality.h"
#include "compiler/support/Diagnostics.h"
#include "passes/schedule/Families.h"
#include "passes/schedule/TreeEdit.h"

#include <map>
#include <set>

namespace girih::schedule {

/// The directive that something was asked by.
struct Origin {
  SourceRange range;
  std::optional<SourceRange> templateLine;
  std::string label;
};
Origin originOf(const frontend::Directive &directive);
/// Adds to a message at the directive what its range does not show: its label,
/// the line of a template.
void sayOrigin(Diagnostic &diagnostic, const Origin &origin);

/// The directives that later refusals can be laid to: each time the last one.
struct Origins {
  using Loop = std::pair<unsigned, std::string>; ///< a statement, a loop
  std::map<Loop, Origin> bound;         ///< maps, unrolls, vectorizes it
  std::map<Loop, Origin> loops;         ///< names it or makes it
  std::map<unsigned, Origin> moved;     ///< computes or fuses the statement
  std::map<unsigned, Origin> statement; ///< is about the statement
  std::map<unsigned, Origin> placed;    ///< says the array's place
  std::map<unsigned, Origin> staged;    ///< stages the array

  /// Null where no directive is about it; `loop` may be empty.
  const Origin *of(unsigned statement, const std::string &loop) const;
  /// Of a tree that was completed and is not legal.
  const Origin *of(const poly::Violation &violation) const;
};

/// Threads of a kernel.
struct AskedThreads {
  unsigned count = 0;
  Origin origin;
};

/// What directives say that a plain tree does not hold.
struct ScheduleFacts {
  /// Families that some directive is about; the others are left to the
  /// default schedule.
  std::set<unsigned> touched;
  /// Threads of the kernel that computes a family.
  std::map<unsigned, AskedThreads> threads;
  /// Loops that one `map ... to thread` names, the last the fastest; the name
  /// alone tells them apart on a statement's path.
  std::vector<std::vector<std::string>> threadOrders;
  /// Place of an array, where a directive says one.
  std::map<unsigned, poly::Place> places;
  Origins origins;
};

class ScheduleModel {
public:
  ScheduleModel(const poly::Scop &scop, const poly::Dependences &dependences,
                const std::vector<Owner> &owners,
                const poly::PolyBudget &budget);

  /// Applies and proves one directive. Reports and returns false, with nothing
  /// changed, when it names what is not there (G0720, G0721), cannot be done to
  /// this tree (G0722 to G0729) or is illegal (G0701 to G0705).
  bool apply(const frontend::Directive &directive, Diagnostics &diags);
  /// Takes the last step back; false when there is none.
  bool undo();
  size_t steps() const { return history.size(); }
  /// Called with the tree that an illegal directive would have made, before
  /// the violation is reported; it may add notes to that.
  using RefusedFunction = std::function<void(const poly::ScheduleTree &,
                                             std::vector<poly::Violation> &)>;
  void whenRefused(RefusedFunction function) {
    onRefused = std::move(function);
  }

  const poly::ScheduleTree &tree() const { return current.tree; }
  const ScheduleFacts &facts() const { return current.facts; }
  /// Families of the text; `compute ... root` may have divided one.
  const std::vector<Family> &families() const { return current.families; }
  const poly::Scop &scop() const { return program; }
  /// The dependences as isl maps in text, one a line.
  std::string printDependences() const;

  /// Whether the member could run at the same time for all its values: it
  /// carries no dependence. The conflict, where it does.
  std::optional<poly::Violation> whyNotParallel(const poly::Node *band,
                                                size_t member) const;

private:
  friend class DirectiveApplier;
  struct State {
    poly::ScheduleTree tree;
    ScheduleFacts facts;
    std::vector<Family> families;
  };
  State copy() const;
  std::vector<poly::Violation> judge(const poly::ScheduleTree &tree,
                                     frontend::DirectiveKind kind) const;

  const poly::Scop &program;
  const poly::Dependences &dependences;
  poly::PolyBudget budget;
  State current;
  std::vector<State> history;
  RefusedFunction onRefused;
};

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_SCHEDULEMODEL_H
