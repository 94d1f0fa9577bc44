//===- PrintSchedule.cpp - the canonical text of schedules ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Schedules.h"

#include <fmt/format.h>

namespace girih::frontend {

std::string_view spelling(DirectiveKind kind) {
  switch (kind) {
  case DirectiveKind::Split:
    return "split";
  case DirectiveKind::Tile:
    return "tile";
  case DirectiveKind::Reorder:
    return "reorder";
  case DirectiveKind::Interchange:
    return "interchange";
  case DirectiveKind::Collapse:
    return "collapse";
  case DirectiveKind::Skew:
    return "skew";
  case DirectiveKind::Unroll:
    return "unroll";
  case DirectiveKind::Vectorize:
    return "vectorize";
  case DirectiveKind::Map:
    return "map";
  case DirectiveKind::ComputeAt:
  case DirectiveKind::ComputeInline:
  case DirectiveKind::ComputeRoot:
    return "compute";
  case DirectiveKind::Fuse:
    return "fuse";
  case DirectiveKind::Distribute:
    return "distribute";
  case DirectiveKind::SplitReduction:
    return "split_reduction";
  case DirectiveKind::Cascade:
    return "cascade";
  case DirectiveKind::Stage:
    return "stage";
  case DirectiveKind::Prefetch:
    return "prefetch";
  case DirectiveKind::Place:
    return "place";
  case DirectiveKind::Threads:
    return "threads";
  case DirectiveKind::Pipeline:
    return "pipeline";
  case DirectiveKind::Roles:
    return "roles";
  case DirectiveKind::Tensorize:
    return "tensorize";
  case DirectiveKind::Persistent:
    return "persistent";
  case DirectiveKind::Apply:
    return "apply";
  }
  return "";
}

namespace {

std::string textOf(const Name &name) { return name.text; }

std::string textOf(const LoopRef &loop) {
  return loop.statement.text.empty()
             ? loop.loop.text
             : loop.statement.text + "." + loop.loop.text;
}

std::string textOf(const Factor &factor) {
  return factor.isKnob()
             ? fmt::format("?{{{}}}", fmt::join(factor.choices, ", "))
             : std::to_string(factor.value());
}

std::string textOf(const DirectiveOption &option) {
  return option.key.text + " " +
         (option.number ? textOf(*option.number) : option.word.text);
}

template <typename T>
std::string listed(const std::vector<T> &parts, const char *between = ", ") {
  std::string text;
  for (const T &part : parts)
    text += (text.empty() ? "" : between) + textOf(part);
  return text;
}

/// What stands behind the word, without results and options.
std::string operandsOf(const Directive &directive) {
  std::string loops = listed(directive.loops);
  std::string factors = listed(directive.factors);
  std::string tensors = listed(directive.tensors);
  std::string atLoop = directive.at ? " at " + textOf(*directive.at) : "";
  const std::string &where = directive.where.text;
  switch (directive.kind) {
  case DirectiveKind::Split:
  case DirectiveKind::Tile:
  case DirectiveKind::SplitReduction:
  case DirectiveKind::Cascade:
    return loops + " by " + factors;
  case DirectiveKind::Skew:
    return fmt::format("{} by {} * {}", textOf(directive.loops.front()),
                       factors, textOf(directive.loops.back()));
  case DirectiveKind::Map:
    return loops + " to " + where;
  case DirectiveKind::ComputeInline:
    return tensors + " inline";
  case DirectiveKind::ComputeRoot:
    return tensors + " root";
  case DirectiveKind::ComputeAt:
  case DirectiveKind::Fuse:
  case DirectiveKind::Prefetch:
    return tensors + atLoop;
  case DirectiveKind::Stage:
  case DirectiveKind::Place:
    return tensors + " in " + where + atLoop +
           (directive.type.text.empty() ? "" : " as " + directive.type.text);
  case DirectiveKind::Threads:
    return factors + (tensors.empty() ? "" : " for " + tensors);
  case DirectiveKind::Tensorize:
    return loops + " as " + where;
  case DirectiveKind::Apply:
    return where + "(" + listed(directive.arguments) + ")";
  case DirectiveKind::Roles:
    return listed(directive.options);
  default:
    return loops;
  }
}

std::string printDirectives(const std::vector<Directive> &directives) {
  std::string text = " {\n";
  for (const Directive &directive : directives)
    text += "  " + printDirective(directive) + "\n";
  return text + "}\n";
}

std::string printDocs(const std::vector<std::string> &docs) {
  std::string text;
  for (const std::string &line : docs)
    text += "///" + line + "\n";
  return text;
}

} // namespace

std::string printDirective(const Directive &directive) {
  std::string text;
  if (!directive.label.text.empty())
    text += directive.label.text + ": ";
  text += fmt::format("{} {}", spelling(directive.kind), operandsOf(directive));
  if (!directive.results.empty())
    text += " -> " + listed(directive.results);
  if (!directive.options.empty() && directive.kind != DirectiveKind::Roles)
    text += " " + listed(directive.options, " ");
  return text;
}

std::string printSchedule(const ScheduleDecl &schedule) {
  std::string text = printDocs(schedule.docs) + "schedule " + schedule.op.text;
  if (!schedule.targets.empty())
    text += " for " + listed(schedule.targets);
  const char *before = " when ";
  for (const SizeConstraint &condition : schedule.conditions) {
    text += before + printConstraint(condition);
    before = ", ";
  }
  if (schedule.exact)
    text += " exact";
  return text + printDirectives(schedule.directives);
}

std::string printTemplate(const TemplateDecl &decl) {
  return printDocs(decl.docs) + "template " + decl.name.text + "(" +
         listed(decl.params) + ")" + printDirectives(decl.directives);
}

} // namespace girih::frontend
