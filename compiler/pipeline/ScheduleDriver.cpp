//===- ScheduleDriver.cpp - the schedules of a program --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/ScheduleDriver.h"

#include "compiler/pipeline/BudgetCheck.h"

#include "compiler/frontend/Codes.h"
#include "compiler/frontend/Schedules.h"
#include "compiler/pipeline/RefusedSchedule.h"
#include "compiler/pipeline/StageTypes.h"
#include "compiler/support/Suggest.h"
#include "passes/schedule/Completion.h"
#include "passes/tile/Promises.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
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

bool girih::pipeline::cascadesOfSchedules(CompileState &state,
                                          std::vector<Directive> &found) {
  bool isFirst = true;
  for (const ScheduleDecl *decl : schedulesFor(state)) {
    std::vector<Directive> own;
    const Directive *other = nullptr;
    for (Directive &directive : frontend::expandTemplates(*decl)) {
      if (directive.kind != DirectiveKind::Cascade) {
        other = &directive;
        continue;
      }
      if (other) {
        state.diags
            .error("G0734",
                   "'cascade' stands behind other directives, which are about "
                   "the loops that it makes",
                   directive.range)
            .help("put it first");
        return false;
      }
      if (directive.loops[0].statement.text.empty()) {
        state.diags
            .error("G0734",
                   "'cascade' does not say of which statement '" +
                       directive.loops[0].loop.text + "' is a loop",
                   directive.range)
            .help("name one of the sums: cascade O." +
                  directive.loops[0].loop.text + " by " +
                  std::to_string(directive.factors[0].value()));
        return false;
      }
      own.push_back(directive);
    }
    auto isSame = [](const Directive &a, const Directive &b) {
      return frontend::printDirective(a) == frontend::printDirective(b);
    };
    if (!isFirst && !std::equal(own.begin(), own.end(), found.begin(),
                                found.end(), isSame)) {
      state.diags
          .error("G0734",
                 "the schedules of '" + decl->op.text +
                     "' do not ask for the same cascades: what is computed is "
                     "the same for all sizes",
                 decl->range)
          .help("say 'cascade' in all of them, or in none");
      return false;
    }
    if (isFirst)
      found = std::move(own);
    isFirst = false;
  }
  // The last schedule is the default one, which asks for nothing.
  return true;
}

void girih::pipeline::reportRefusedCascade(CompileState &state,
                                           const Directive &directive,
                                           const te::CascadeRefusal &refusal) {
  using Kind = te::CascadeRefusal::Kind;
  const frontend::LoopRef &loop = directive.loops[0];
  std::string sum = "'" + loop.statement.text + "'",
              index = "'" + loop.loop.text + "'";
  switch (refusal.kind) {
  case Kind::NoCascade:
    state.diags
        .error("G0734",
               sum + " cannot be summed in one pass over " + index + ": " +
                   refusal.why,
               directive.range)
        .help("a cascade is a maximum over an index, and sums over it of exp "
              "or exp2 of the distance from the maximum");
    return;
  case Kind::CutsTerm:
    state.diags.error("G0734", refusal.why, directive.range)
        .help("take a multiple of that, or say order=sequential in the text");
    return;
  case Kind::Inexact:
    state.diags
        .error("G0735",
               "one pass over " + index + " would round " + sum +
                   " otherwise than the text: " + refusal.why,
               directive.range)
        .help("allow it in the text, numerics { rescale = online(" +
              std::to_string(directive.factors[0].value()) +
              ") }; or make every factor a power of two: exp2 of elements "
              "on_grid(x, 12) less the ceil of their maximum");
    return;
  }
}

schedule::MemoryOrders girih::pipeline::memoryOrders(CompileState &state) {
  const poly::Scop &scop = state.scop->scop;
  schedule::MemoryOrders memory;
  for (unsigned array = 0; array < scop.arrays.size(); ++array)
    memory.push_back(
        tilegen::memoryOrder(state.realised(), scop, state.scop->map, array));
  return memory;
}

schedule::ScheduleModel girih::pipeline::makeModel(CompileState &state) {
  return schedule::ScheduleModel(state.scop->scop, *state.dependences,
                                 scop::ownersOf(*state.scop), state.budget());
}

//===----------------------------------------------------------------------===//
// Knobs
//===----------------------------------------------------------------------===//

/// The knobs of a directive, in the order of its text.
static std::vector<frontend::Factor *> knobsOf(Directive &directive) {
  std::vector<frontend::Factor *> knobs;
  for (frontend::Factor &factor : directive.factors)
    if (factor.isKnob())
      knobs.push_back(&factor);
  for (frontend::DirectiveOption &option : directive.options)
    if (option.number && option.number->isKnob())
      knobs.push_back(&*option.number);
  return knobs;
}

/// `t`, or `t.2` of several; empty where the directive has no label.
static std::string knobName(const Directive &directive, size_t number,
                            size_t count) {
  const std::string &label = directive.label.text;
  return label.empty() || count == 1 ? label
                                     : label + "." + std::to_string(number + 1);
}

/// Gives the directive's knobs the values that were asked for.
static void fillKnobs(const CompileOptions &options, Directive &directive) {
  std::vector<frontend::Factor *> knobs = knobsOf(directive);
  for (size_t k = 0; k < knobs.size(); ++k) {
    std::string own = knobName(directive, k, knobs.size());
    for (const auto &[name, value] : options.knobs) {
      const std::vector<int64_t> &choices = knobs[k]->choices;
      auto found = std::find(choices.begin(), choices.end(), value);
      if (name == own && found != choices.end())
        knobs[k]->chosen = size_t(found - choices.begin());
    }
  }
}

bool girih::pipeline::checkKnobs(CompileState &state) {
  std::map<std::string, std::pair<std::vector<int64_t>, SourceRange>> known;
  std::vector<std::string> names;
  bool hasUnnamed = false;
  for (const ScheduleDecl *decl : schedulesFor(state))
    for (Directive &directive : frontend::expandTemplates(*decl)) {
      std::vector<frontend::Factor *> knobs = knobsOf(directive);
      for (size_t k = 0; k < knobs.size(); ++k) {
        std::string name = knobName(directive, k, knobs.size());
        hasUnnamed |= name.empty();
        if (name.empty())
          continue;
        auto &[choices, range] = known[name];
        range = knobs[k]->range;
        if (choices.empty())
          names.push_back(name);
        choices.insert(choices.end(), knobs[k]->choices.begin(),
                       knobs[k]->choices.end());
      }
    }
  for (const auto &[name, value] : state.options.knobs) {
    auto found = known.find(name);
    if (found == known.end()) {
      Diagnostic &error = state.diags.error(
          "G0733", "no schedule that is used here has a knob '" + name + "'" +
                       didYouMean(name, names));
      if (!names.empty())
        error.help("its knobs are " + llvm::join(names, ", "));
      else if (hasUnnamed)
        error.help("give the directive of the knob a label: '" + name +
                   ": split ... by ?{...}'");
      return false;
    }
    const auto &[choices, range] = found->second;
    if (llvm::is_contained(choices, value))
      continue;
    std::string list;
    for (int64_t choice : choices)
      list += (list.empty() ? "" : ", ") + std::to_string(choice);
    state.diags
        .error("G0733",
               "the knob '" + name + "' has no value " + std::to_string(value),
               range)
        .help("its values are " + list);
    return false;
  }
  return true;
}

bool girih::pipeline::checkScheduleTargets(CompileState &state) {
  bool good = true;
  auto check = [&](const frontend::File &file) {
    for (const frontend::Item &item : file.items)
      if (auto *decl = std::get_if<std::unique_ptr<ScheduleDecl>>(&item))
        for (const frontend::Name &name : (*decl)->targets) {
          if (target::findTarget(name.text))
            continue;
          good = false;
          // One that was broken off goes before one that is spelt alike.
          std::vector<std::string> known = target::knownTargets();
          auto longer = llvm::find_if(known, [&](const std::string &other) {
            return llvm::StringRef(other).starts_with(name.text);
          });
          state.diags
              .error(frontend::codes::kUndefined,
                     "unknown target '" + name.text + "'" +
                         (longer == known.end()
                              ? didYouMean(name.text, known)
                              : "; did you mean '" + *longer + "'?"),
                     name.range)
              .help("known: " + llvm::join(known, ", "));
        }
  };
  for (const frontend::File &file : state.program->used)
    check(file);
  check(state.program->file);
  check(state.program->schedules);
  return good;
}

bool girih::pipeline::applyDirectives(CompileState &state,
                                      const ScheduleDecl &decl,
                                      schedule::ScheduleModel &model,
                                      const StepFunction &step) {
  for (Directive &directive : frontend::expandTemplates(decl)) {
    fillKnobs(state.options, directive);
    if (!checkStageType(state, directive))
      return false;
    // Names first, then types: what is not there has none.
    if (!model.apply(directive, state.diags))
      return false;
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
  if (!checkKnobs(state))
    return false;
  schedule::MemoryOrders memory = memoryOrders(state);
  for (const ScheduleDecl *decl : schedulesFor(state)) {
    if (!checkStages(state, *decl))
      return false;
    schedule::ScheduleModel model = makeModel(state);
    if (state.options.onRefusedSchedule)
      model.whenRefused([&](const poly::ScheduleTree &tree,
                            std::vector<poly::Violation> &violations) {
        RefusedSchedule refused{state.realised(), *state.scop, tree,
                                violations};
        state.options.onRefusedSchedule(refused);
      });
    if (!applyDirectives(state, *decl, model))
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
    version.origins = model.facts().origins;
    version.at = decl->range;
    if (!checkBudget(state, version))
      return false;
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
