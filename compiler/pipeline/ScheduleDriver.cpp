//===- ScheduleDriver.cpp - the schedules of a program --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/ScheduleDriver.h"

#include "compiler/frontend/Schedules.h"
#include "compiler/pipeline/RefusedSchedule.h"
#include "passes/schedule/Completion.h"
#include "passes/tile/Promises.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace girih;
using namespace girih::pipeline;
using frontend::Directive;
using frontend::DirectiveKind;
using frontend::ScheduleDecl;
using frontend::SizeConstraint;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

std::string
girih::pipeline::print(const std::vector<SizeCondition> &conditions) {
  std::string text;
  for (const SizeCondition &condition : conditions) {
    std::string value = std::to_string(condition.value);
    text += (text.empty() ? "" : ", ") + condition.size;
    switch (condition.kind) {
    case SizeCondition::Kind::Multiple:
      text += " % " + value + " == 0";
      break;
    case SizeCondition::Kind::AtMost:
      text += " <= " + value;
      break;
    case SizeCondition::Kind::AtLeast:
      text += " >= " + value;
      break;
    }
  }
  return text;
}

std::optional<std::vector<SizeCondition>>
girih::pipeline::readConditions(std::string_view text) {
  std::vector<SizeCondition> conditions;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  for (llvm::StringRef part : parts) {
    SizeCondition condition;
    auto [name, tail] = part.trim().split(' ');
    condition.size = name.str();
    if (tail.consume_front("% ")) {
      condition.kind = SizeCondition::Kind::Multiple;
      if (!tail.consume_back(" == 0"))
        return std::nullopt;
    } else if (tail.consume_front("<= ")) {
      condition.kind = SizeCondition::Kind::AtMost;
    } else if (tail.consume_front(">= ")) {
      condition.kind = SizeCondition::Kind::AtLeast;
    } else {
      return std::nullopt;
    }
    if (name.empty() || tail.getAsInteger(10, condition.value) ||
        (condition.kind == SizeCondition::Kind::Multiple &&
         condition.value < 1))
      return std::nullopt;
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

bool girih::pipeline::holds(const SizeCondition &condition, int64_t value) {
  switch (condition.kind) {
  case SizeCondition::Kind::Multiple:
    return value % condition.value == 0;
  case SizeCondition::Kind::AtMost:
    return value <= condition.value;
  case SizeCondition::Kind::AtLeast:
    return value >= condition.value;
  }
  return false;
}

static void addConditions(const SizeConstraint &constraint,
                          std::vector<SizeCondition> &conditions) {
  using Kind = SizeCondition::Kind;
  auto add = [&](Kind kind, int64_t value) {
    conditions.push_back({constraint.name.text, kind, value});
  };
  switch (constraint.kind) {
  case SizeConstraint::Kind::Multiple:
    return add(Kind::Multiple, constraint.value);
  case SizeConstraint::Kind::Less:
    return add(Kind::AtMost, constraint.value - 1);
  case SizeConstraint::Kind::LessEqual:
    return add(Kind::AtMost, constraint.value);
  case SizeConstraint::Kind::Greater:
    return add(Kind::AtLeast, constraint.value + 1);
  case SizeConstraint::Kind::GreaterEqual:
    return add(Kind::AtLeast, constraint.value);
  case SizeConstraint::Kind::Equal:
    add(Kind::AtLeast, constraint.value);
    return add(Kind::AtMost, constraint.value);
  }
}

/// Whether the condition holds for a size; nothing when it is not given.
static std::optional<bool> holdsForGiven(const CompileState &state,
                                         const SizeCondition &condition) {
  if (state.options.anySize)
    return std::nullopt;
  for (const auto &[name, value] : state.options.given) {
    if (name != condition.size)
      continue;
    return girih::pipeline::holds(condition, value);
  }
  return std::nullopt;
}

/// Conditions that are left for the launch; nothing when one cannot hold.
static std::optional<std::vector<SizeCondition>>
openConditions(const CompileState &state, const ScheduleDecl &decl) {
  std::vector<SizeCondition> all, open;
  for (const SizeConstraint &constraint : decl.conditions)
    addConditions(constraint, all);
  for (SizeCondition &condition : all) {
    std::optional<bool> known = holdsForGiven(state, condition);
    if (known && !*known)
      return std::nullopt;
    if (!known)
      open.push_back(std::move(condition));
  }
  return open;
}

//===----------------------------------------------------------------------===//
// Schedules of the text
//===----------------------------------------------------------------------===//

std::string girih::pipeline::writtenName(const CompileState &state) {
  if (!state.options.op.empty())
    return state.options.op;
  std::vector<const frontend::OpDecl *> ops = state.program->ops();
  if (ops.size() != 1)
    return "";
  // Schedules are of the operator as written, whatever its parameters are.
  return (ops[0]->written ? ops[0]->written : ops[0])->name.text;
}

std::vector<const ScheduleDecl *>
girih::pipeline::schedulesFor(const CompileState &state) {
  std::vector<const ScheduleDecl *> chosen;
  if (!state.program)
    return chosen;
  for (const ScheduleDecl *decl : frontend::findSchedules(
           *state.program, writtenName(state), state.target->name)) {
    auto open = openConditions(state, *decl);
    if (!open)
      continue;
    chosen.push_back(decl);
    if (open->empty())
      break;
  }
  return chosen;
}

std::vector<std::string>
girih::pipeline::tensorsOfSchedules(const CompileState &state) {
  std::set<std::string> names, inlined;
  auto add = [](std::set<std::string> &to, const std::string &name) {
    to.insert(name.substr(0, name.find('.')));
  };
  for (const ScheduleDecl *decl : schedulesFor(state))
    for (const Directive &directive : frontend::expandTemplates(*decl)) {
      bool isInline = directive.kind == DirectiveKind::ComputeInline;
      for (const frontend::Name &name : directive.tensors)
        add(isInline ? inlined : names, name.text);
      for (const frontend::LoopRef &loop : directive.loops)
        add(names, loop.statement.text);
      if (directive.at)
        add(names, directive.at->statement.text);
    }
  std::vector<std::string> kept;
  for (const std::string &name : names)
    if (!inlined.count(name))
      kept.push_back(name);
  return kept;
}

schedule::MemoryOrders girih::pipeline::memoryOrders(CompileState &state) {
  const poly::Scop &scop = state.scop->scop;
  schedule::MemoryOrders memory;
  for (unsigned array = 0; array < scop.arrays.size(); ++array)
    memory.push_back(
        tilegen::memoryOrder(state.func(), scop, state.scop->map, array));
  return memory;
}

schedule::ScheduleModel girih::pipeline::makeModel(CompileState &state) {
  return schedule::ScheduleModel(state.scop->scop, *state.dependences,
                                 scop::ownersOf(*state.scop), state.budget());
}

bool girih::pipeline::applyDirectives(const ScheduleDecl &decl,
                                      schedule::ScheduleModel &model,
                                      Diagnostics &diags,
                                      const StepFunction &step) {
  for (const Directive &directive : frontend::expandTemplates(decl)) {
    size_t before = diags.all().size();
    if (!model.apply(directive, diags)) {
      if (directive.templateLine && diags.all().size() > before)
        diags.last().note("in this line of the template",
                          directive.templateLine);
      return false;
    }
    if (step)
      step(directive, model);
  }
  return true;
}

/// A schedule file none of whose schedules is for this compile is no use.
static void warnOfUnused(CompileState &state) {
  if (!state.program || !state.options.scheduleFile)
    return;
  std::vector<const ScheduleDecl *> used = schedulesFor(state);
  for (const frontend::Item &item : state.program->schedules.items)
    if (auto *decl = std::get_if<std::unique_ptr<ScheduleDecl>>(&item))
      if (llvm::is_contained(used, decl->get()))
        return;
  state.diags
      .warning("G0730", "no schedule of '" +
                            state.options.scheduleFile->name() + "' is for '" +
                            writtenName(state) + "' on " + state.target->name +
                            " at these sizes: it is not used")
      .help("a schedule says which operator it is of, and 'for' which targets");
}

bool girih::pipeline::makeSchedules(CompileState &state) {
  warnOfUnused(state);
  schedule::MemoryOrders memory = memoryOrders(state);
  for (const ScheduleDecl *decl : schedulesFor(state)) {
    schedule::ScheduleModel model = makeModel(state);
    if (state.options.onRefusedSchedule)
      model.whenRefused([&](const poly::ScheduleTree &tree,
                            std::vector<poly::Violation> &violations) {
        RefusedSchedule refused{state.func(), *state.scop, tree, violations};
        state.options.onRefusedSchedule(refused);
      });
    if (!applyDirectives(*decl, model, state.diags))
      return false;
    schedule::CompletionInput input{
        state.scop->scop, *state.dependences, *state.target, memory,
        state.budget(),   decl->exact,        decl->range};
    std::optional<schedule::DefaultSchedule> made =
        schedule::complete(model, input, state.diags);
    if (!made)
      return false;
    ScheduleVersion version;
    version.tree = std::move(made->tree);
    version.reasons = std::move(made->reasons);
    version.conditions = *openConditions(state, *decl);
    state.schedules.push_back(std::move(version));
  }
  if (!state.schedules.empty() && state.schedules.back().conditions.empty())
    return true;
  schedule::DefaultSchedule chosen =
      schedule::chooseSchedule(state.scop->scop, *state.target, memory);
  ScheduleVersion version;
  version.tree = std::move(chosen.tree);
  version.reasons = std::move(chosen.reasons);
  state.schedules.push_back(std::move(version));
  return true;
}
