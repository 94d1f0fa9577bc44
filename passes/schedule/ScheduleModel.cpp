//===- ScheduleModel.cpp - a schedule, directive by directive -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/ScheduleModel.h"

#include "compiler/support/Diagnostics.h"
#include "passes/schedule/DirectiveApplier.h"

using namespace girih;
using namespace girih::schedule;

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
  if (!DirectiveApplier(*this, next, directive, diags).run())
    return false;
  normalise(next.tree);
  std::vector<poly::Violation> violations =
      poly::checkLegality(program, dependences, next.tree, budget);
  if (!violations.empty()) {
    // The first says what is wrong; the others follow from it.
    violations.resize(1);
    if (onRefused)
      onRefused(next.tree, violations);
    poly::reportViolations(program, violations, diags, directive.range);
    return false;
  }
  history.push_back(std::move(current));
  current = std::move(next);
  return true;
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
