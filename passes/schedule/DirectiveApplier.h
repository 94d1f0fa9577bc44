//===- DirectiveApplier.h - one directive on a plain tree -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room. Names are resolved and the tree is changed; whether the
// result is legal is asked afterwards, by the model.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_DIRECTIVEAPPLIER_H
#define GIRIH_PASSES_SCHEDULE_DIRECTIVEAPPLIER_H

#include "compiler/support/Diagnostics.h"
#include "passes/schedule/ScheduleModel.h"

namespace girih::schedule {

/// Of two sorted lists, in order.
std::vector<unsigned> united(const std::vector<unsigned> &a,
                             const std::vector<unsigned> &b);

class DirectiveApplier {
public:
  DirectiveApplier(const ScheduleModel &model, ScheduleModel::State &state,
                   const frontend::Directive &directive, Diagnostics &diags)
      : model(model), scop(model.scop()), state(state), directive(directive),
        diags(diags) {}

  /// False after an error; the state is then to be thrown away.
  bool run();

private:
  // Names.
  Diagnostic &fail(const char *code, const std::string &message,
                   std::optional<SourceRange> range = std::nullopt);
  std::optional<std::vector<unsigned>> statementsOf(const frontend::Name &name,
                                                    bool quiet = false);
  std::optional<unsigned> familyOf(const frontend::Name &name);
  std::optional<unsigned> arrayOf(const frontend::Name &name);
  std::optional<MemberPlace> loop(const frontend::LoopRef &ref);
  std::string text(const frontend::LoopRef &ref) const;
  std::string namesOf(const std::vector<unsigned> &statements) const;
  void touch(const std::vector<unsigned> &statements);
  void noteLoop(const MemberPlace &place, const std::string &name);
  void noteMoved(const std::vector<unsigned> &statements);
  bool isFree(const MemberPlace &place, const std::string &name,
              SourceRange range);

  // Loops.
  bool split();
  bool tile();
  bool splitMember(MemberPlace place, int64_t factor, const std::string &outer,
                   const std::string &inner, SourceRange range);
  bool reorder();
  bool reorderMembers(const std::vector<MemberPlace> &order);
  bool collapse();
  bool skew();
  bool bind(poly::Binding binding);
  bool map();
  // Statements.
  bool computeAt();
  bool computeRoot();
  bool divideFamily(unsigned &number, const std::vector<unsigned> &named,
                    const frontend::Name &name);
  bool computeInline();
  bool fuse();
  bool fusePair(unsigned first, unsigned second,
                const std::optional<MemberPlace> &at,
                const std::string &loopName);
  bool fuseInside(poly::Node &left, poly::Node &right, MemberPlace at,
                  const std::string &pair);
  bool intoReduction(unsigned family, const MemberPlace &at, bool &done);
  std::string chainTo(unsigned family, const MemberPlace &at,
                      const poly::Node &subtree);
  bool sharedDepth(const poly::Node &a, const poly::Node &b,
                   const std::string &loopName, const std::string &pair,
                   size_t &depth);
  bool distribute();
  bool isOutermost(const poly::Node &band);
  std::vector<poly::NodePtr> bySums(std::vector<poly::NodePtr> filters) const;
  bool fixedBelow(unsigned family, const MemberPlace &at, poly::Node &subtree,
                  std::vector<std::pair<poly::Node *, size_t>> &shared,
                  std::vector<std::vector<poly::Digit>> &digits);
  poly::Node *ownFilter(unsigned family);
  poly::Node *outerSequence(const poly::Node *node);
  // Memory and launches.
  bool stage();
  bool place();
  bool threads();
  bool notYet();

  const ScheduleModel &model;
  const poly::Scop &scop;
  ScheduleModel::State &state;
  const frontend::Directive &directive;
  Diagnostics &diags;
};

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_DIRECTIVEAPPLIER_H
