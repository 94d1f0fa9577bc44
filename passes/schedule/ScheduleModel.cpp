//===- ScheduleModel.cpp - a schedule, directive by directive -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/ScheduleModel.h"

#include "passes/schedule/DirectiveApplier.h"

#include <utility>

using namespace girih;
using namespace girih::schedule;

Origin girih::schedule::originOf(const frontend::Directive &directive) {
  return {directive.range, directive.templateLine, directive.label.text};
}

void girih::schedule::sayOrigin(Diagnostic &diagnostic, const Origin &origin) {
  if (!origin.label.empty())
    diagnostic.message = "in '" + origin.label + "': " + diagnostic.message;
  if (origin.templateLine)
    diagnostic.note("in this line of the template", origin.templateLine);
}

template <typename Key>
static const Origin *find(const std::map<Key, Origin> &origins,
                          const Key &key) {
  auto found = origins.find(key);
  return found == origins.end() ? nullptr : &found->second;
}

const Origin *Origins::of(unsigned s, const std::string &loop) const {
  for (const auto *origins : {&bound, &loops})
    if (const Origin *origin = find(*origins, Loop{s, loop}))
      return origin;
  return find(statement, s);
}

const Origin *Origins::of(const poly::Violation &violation) const {
  if (!violation.witness)
    return nullptr;
  const poly::Witness &witness = *violation.witness;
  std::vector<unsigned> ends = {witness.sinkStatement, witness.sourceStatement};
  if (violation.rule == poly::Violation::Rule::KernelOrder)
    if (const Origin *origin = find(placed, witness.array))
      return origin;
  if (!violation.member.empty())
    for (unsigned s : ends)
      for (const auto *origins : {&bound, &loops})
        if (const Origin *origin = find(*origins, Loop{s, violation.member}))
          return origin;
  for (const auto *origins : {&moved, &statement})
    for (unsigned s : ends)
      if (const Origin *origin = find(*origins, s))
        return origin;
  return nullptr;
}

ScheduleModel::ScheduleModel(const poly::Scop &scop,
                             const poly::Dependences &dependences,
                             const std::vector<Owner> &owners,
                             const poly::PolyBudget &budget)
    : program(scop), dependences(dependences), budget(budget) {
  current.families = findFamilies(scop, owners);
  current.tree = textualTree(scop, current.families);
}

ScheduleModel::State ScheduleModel::copy() const {
  State state;
  state.tree.root = poly::cloneNode(*current.tree.root);
  state.facts = current.facts;
  state.families = current.families;
  return state;
}

bool ScheduleModel::apply(const frontend::Directive &directive,
                          Diagnostics &diags) {
  State next = copy();
  size_t before = diags.all().size();
  auto refused = [&] {
    if (diags.all().size() > before)
      sayOrigin(diags.last(), originOf(directive));
    return false;
  };
  if (!DirectiveApplier(*this, next, directive, diags).run())
    return refused();
  normalise(next.tree);
  std::vector<poly::Violation> violations = judge(next.tree, directive.kind);
  if (!violations.empty()) {
    // The first says what is wrong; the others follow from it.
    violations.resize(1);
    if (onRefused)
      onRefused(next.tree, violations);
    poly::reportViolations(program, violations, diags, directive.range);
    return refused();
  }
  history.push_back(std::move(current));
  current = std::move(next);
  return true;
}

/// A directive that leaves the order as it is, is proved by that: dividing a
/// loop changes none, and what it calls parallel is asked of those members.
std::vector<poly::Violation>
ScheduleModel::judge(const poly::ScheduleTree &tree,
                     frontend::DirectiveKind kind) const {
  using Kind = frontend::DirectiveKind;
  bool keepsOrder = kind == Kind::Split || kind == Kind::Cascade ||
                    kind == Kind::Unroll || kind == Kind::Stage ||
                    kind == Kind::Place || kind == Kind::Threads;
  bool onlyClaims = kind == Kind::Map || kind == Kind::Vectorize;
  Diagnostics structure;
  if ((!keepsOrder && !onlyClaims) ||
      !poly::verifyScheduleTree(program, tree, structure))
    return poly::checkLegality(program, dependences, tree, budget);
  std::vector<poly::Violation> violations;
  if (keepsOrder)
    return violations;
  // The nodes are those of the tree before; what that claims was proved.
  std::vector<const poly::Node *> before;
  walk(std::as_const(*current.tree.root),
       [&](const poly::Node &node) { before.push_back(&node); });
  size_t next = 0;
  walk(std::as_const(*tree.root), [&](const poly::Node &node) {
    const poly::Node &earlier = *before[next++];
    for (size_t m = 0; m < node.members.size() && violations.empty(); ++m)
      if (node.members[m].coincident && !earlier.members[m].coincident)
        if (auto conflict =
                poly::carriedBy(program, dependences, tree, node, m, budget))
          violations.push_back(std::move(*conflict));
  });
  return violations;
}

bool ScheduleModel::undo() {
  if (history.empty())
    return false;
  current = std::move(history.back());
  history.pop_back();
  return true;
}

std::string ScheduleModel::printDependences() const {
  return poly::printDependences(program, dependences);
}

std::optional<poly::Violation>
ScheduleModel::whyNotParallel(const poly::Node *band, size_t member) const {
  return poly::carriedBy(program, dependences, current.tree, *band, member,
                         budget);
}
