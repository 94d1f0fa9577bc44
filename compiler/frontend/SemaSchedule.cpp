//===- SemaSchedule.cpp - schedules and templates -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be said of a schedule without the loops of its operator: that
// directives have their parts, that templates fit, and whom a schedule is for.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/DirectiveRules.h"
#include "compiler/frontend/Schedules.h"
#include "compiler/frontend/Sema.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace girih::frontend {

namespace {

constexpr unsigned kMaxApplied = 16; ///< templates in templates
constexpr int64_t kMaxSize = (int64_t(1) << 40) - 1;

/// What is known of a template once its applications are.
struct TemplateFacts {
  uint64_t size = 0;  ///< directives, with those of others
  unsigned depth = 1; ///< of templates in templates
  /// For each parameter: a name without dots has to take its place.
  std::vector<bool> plain;
  bool fits = true; ///< it can be expanded
};

class ScheduleChecker {
public:
  ScheduleChecker(Program &program, Sema &sema)
      : program(program), sema(sema), reporter(sema.report()) {}

  void run() {
    forEachFile([&](File &file, bool) {
      for (Item &item : file.items)
        if (auto *decl = std::get_if<std::unique_ptr<TemplateDecl>>(&item))
          addTemplate(**decl);
    });
    for (TemplateDecl *decl : templates)
      checkTemplate(*decl);
    forEachFile([&](File &file, bool own) {
      for (Item &item : file.items)
        if (auto *decl = std::get_if<std::unique_ptr<ScheduleDecl>>(&item))
          checkSchedule(**decl, own);
    });
    if (!reporter.failed())
      warnOfUnreached();
  }

private:
  /// `own`: it is no schedule file.
  template <typename Each> void forEachFile(Each each) {
    for (File &file : program.used)
      each(file, true);
    each(program.file, true);
    each(program.schedules, false);
  }

  //===--------------------------------------------------------------------===//
  // Templates
  //===--------------------------------------------------------------------===//

  void addTemplate(TemplateDecl &decl) {
    auto [place, fresh] = byName.try_emplace(decl.name.text, &decl);
    if (fresh)
      templateNames.push_back(decl.name.text);
    else
      reporter
          .error(
              codes::kRedefined,
              fmt::format("the template '{}' is defined twice", decl.name.text),
              decl.name.range)
          .note("it is defined here first", place->second->name.range);
    templates.push_back(&decl);
    std::set<std::string_view> seen;
    for (const Name &param : decl.params)
      if (!seen.insert(param.text).second)
        reporter.error(
            codes::kRedefined,
            fmt::format("the parameter '{}' is declared twice", param.text),
            param.range);
  }

  /// Checks those that it applies first; `path` leads to it.
  const TemplateFacts &checkTemplate(TemplateDecl &decl) {
    auto [place, fresh] = facts.try_emplace(&decl);
    TemplateFacts &result = place->second;
    if (!fresh)
      return result;
    result.plain.resize(decl.params.size());
    path.push_back(&decl);
    for (Directive &directive : decl.directives) {
      checkParts(directive, reporter);
      notePlain(decl, directive, result);
      if (directive.kind != DirectiveKind::Apply) {
        ++result.size;
        continue;
      }
      const TemplateFacts *inner = checkApply(directive);
      if (!inner) {
        result.fits = false;
        continue;
      }
      result.fits &= inner->fits;
      result.size = std::min<uint64_t>(result.size + inner->size,
                                       uint64_t(kMaxDirectives) + 1);
      result.depth = std::max(result.depth, inner->depth + 1);
      for (size_t i = 0; i < directive.arguments.size(); ++i)
        if (inner->plain[i])
          needPlain(decl, directive.arguments[i].text, result);
    }
    path.pop_back();
    if (result.depth > kMaxApplied && result.fits) {
      result.fits = false;
      reporter.error(codes::kNestedTooDeep,
                     fmt::format("more than {} templates that apply each other",
                                 kMaxApplied),
                     decl.name.range);
    }
    return result;
  }

  static void needPlain(const TemplateDecl &decl, std::string_view name,
                        TemplateFacts &result) {
    for (size_t i = 0; i < decl.params.size(); ++i)
      if (decl.params[i].text == name)
        result.plain[i] = true;
  }

  /// New loops have plain names, and so have loops whose statement is said.
  static void notePlain(const TemplateDecl &decl, const Directive &directive,
                        TemplateFacts &result) {
    needPlain(decl, directive.label.text, result);
    for (const Name &name : directive.results)
      needPlain(decl, name.text, result);
    for (const LoopRef &loop : directive.loops)
      if (!loop.statement.text.empty())
        needPlain(decl, loop.loop.text, result);
    if (directive.at && !directive.at->statement.text.empty())
      needPlain(decl, directive.at->loop.text, result);
  }

  /// What is applied; null after an error.
  const TemplateFacts *checkApply(Directive &directive) {
    const Name &name = directive.where;
    auto found = byName.find(name.text);
    if (found == byName.end()) {
      reporter.error(codes::kUndefined,
                     fmt::format("there is no template '{}'{}", name.text,
                                 didYouMean(name.text, templateNames)),
                     name.range);
      return nullptr;
    }
    TemplateDecl *callee = found->second;
    if (directive.arguments.size() != callee->params.size()) {
      reporter
          .error(codes::kTemplateArguments,
                 fmt::format("'{}' takes {}, not {}", name.text,
                             counted(callee->params.size(), "argument"),
                             directive.arguments.size()),
                 name.range)
          .note("its parameters stand here", callee->range);
      return nullptr;
    }
    auto again = std::find(path.begin(), path.end(), callee);
    if (again != path.end()) {
      bool itself = again + 1 == path.end();
      Diagnostic &d = reporter.error(
          codes::kRecursiveTemplate,
          itself ? fmt::format("the template '{}' applies itself", name.text)
                 : fmt::format("the template '{}' applies itself through '{}'",
                               name.text, again[1]->name.text),
          name.range);
      for (auto other = again + 1; other != path.end(); ++other)
        d.note(fmt::format("through '{}'", (*other)->name.text),
               (*other)->name.range);
      d.help("templates are copied to where they are applied: leave this "
             "'apply' out");
      return nullptr;
    }
    if (path.size() > kMaxApplied) {
      reporter.error(codes::kNestedTooDeep,
                     fmt::format("more than {} templates that apply each other",
                                 kMaxApplied),
                     name.range);
      return nullptr;
    }
    const TemplateFacts &inner = checkTemplate(*callee);
    for (size_t i = 0; i < callee->params.size(); ++i) {
      const Name &argument = directive.arguments[i];
      if (!inner.plain[i] || argument.text.find('.') == std::string::npos)
        continue;
      reporter
          .error(codes::kTemplateArguments,
                 fmt::format("'{}' of '{}' stands for a plain name, not for "
                             "'{}'",
                             callee->params[i].text, name.text, argument.text),
                 argument.range)
          .note("it is the name of a new loop there, or stands behind a "
                "statement's",
                callee->params[i].range)
          .help(fmt::format(
              "give '{}'", argument.text.substr(argument.text.rfind('.') + 1)));
      return nullptr;
    }
    directive.callee = callee;
    return &inner;
  }

  //===--------------------------------------------------------------------===//
  // Schedules
  //===--------------------------------------------------------------------===//

  void checkSchedule(ScheduleDecl &decl, bool own) {
    findOperator(decl);
    checkTargets(decl);
    if (decl.opDecl)
      checkConditions(decl);
    checkClash(decl, own);
    bool fits = true;
    for (Directive &directive : decl.directives) {
      bool good = checkParts(directive, reporter);
      ++directives;
      if (directive.kind == DirectiveKind::Apply) {
        const TemplateFacts *inner = good ? checkApply(directive) : nullptr;
        fits &= inner && inner->fits;
        directives += inner ? inner->size : 0;
      }
    }
    if (directives > kMaxDirectives) {
      if (!tooMany)
        reporter.error(codes::kTooManyStatements,
                       fmt::format("more than {} directives once templates are "
                                   "expanded",
                                   kMaxDirectives),
                       decl.range);
      tooMany = true;
      return;
    }
    // Arguments may make two names one.
    if (fits && !reporter.failed())
      for (const Directive &directive : expandTemplates(decl))
        if (directive.templateLine)
          checkParts(directive, reporter);
  }

  void findOperator(ScheduleDecl &decl) {
    const Name &name = decl.op;
    const Global *global = sema.findGlobal(name.text);
    if (global && global->op) {
      decl.opDecl = global->op;
      return;
    }
    if (global) {
      reporter
          .error(codes::kWrongKind,
                 fmt::format("{} '{}' is not an operator", global->what(),
                             name.text),
                 name.range)
          .note("defined here", global->range);
      return;
    }
    std::vector<std::string> names;
    forEachFile([&](File &file, bool) {
      for (Item &item : file.items)
        if (auto *op = std::get_if<std::unique_ptr<OpDecl>>(&item))
          names.push_back((*op)->name.text);
    });
    reporter.error(codes::kUndefined,
                   fmt::format("there is no operator '{}'{}", name.text,
                               didYouMean(name.text, names)),
                   name.range);
  }

  /// `sm_90`, `sm_90a`.
  static bool isTarget(std::string_view text) {
    if (text.substr(0, 3) != "sm_")
      return false;
    text.remove_prefix(3);
    if (!text.empty() && text.back() >= 'a' && text.back() <= 'z')
      text.remove_suffix(1);
    return !text.empty() &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
  }

  void checkTargets(const ScheduleDecl &decl) {
    std::set<std::string_view> seen;
    for (const Name &target : decl.targets)
      if (!isTarget(target.text))
        reporter
            .error(codes::kUndefined,
                   fmt::format("'{}' is no target", target.text), target.range)
            .help("a target is written like sm_90 or sm_90a");
      else if (!seen.insert(target.text).second)
        reporter.error(
            codes::kArgumentRepeated,
            fmt::format("the target '{}' is given twice", target.text),
            target.range);
  }

  void checkConditions(ScheduleDecl &decl) {
    // What is compiled has the sizes; an operator that still lacks the value of
    // a parameter has only their names.
    const OpDecl &op =
        decl.opDecl->instance ? *decl.opDecl->instance : *decl.opDecl;
    std::vector<std::string> names;
    std::map<std::string, const SizeSymbol *, std::less<>> sizes;
    for (const auto &size : op.sizes) {
      names.push_back(size->name.text);
      sizes[size->name.text] = size.get();
    }
    if (op.sizes.empty())
      for (const auto *decls : {&op.inputs, &op.outputs})
        for (const TensorDecl &tensor : *decls)
          for (const DimDecl &dim : tensor.dims)
            forEachName(*dim.value, [&](const std::string &name, SourceRange) {
              if (!isParam(op, name) && sizes.try_emplace(name).second)
                names.push_back(name);
            });
    for (SizeConstraint &condition : decl.conditions) {
      auto size = sizes.find(condition.name.text);
      if (size != sizes.end())
        condition.size = size->second;
      else
        reporter
            .error(codes::kUndefined,
                   fmt::format("'{}' has no size '{}'{}", decl.op.text,
                               condition.name.text,
                               didYouMean(condition.name.text, names)),
                   condition.name.range)
            .note("the operator is declared here", decl.opDecl->range);
    }
  }

  static bool isParam(const OpDecl &op, std::string_view name) {
    return std::any_of(
        op.params.begin(), op.params.end(),
        [&](const OpParam &param) { return param.name.text == name; });
  }

  /// Two that always hold for one target.
  void checkClash(const ScheduleDecl &decl, bool own) {
    if (!decl.conditions.empty())
      return;
    std::vector<std::string> targets;
    for (const Name &target : decl.targets)
      targets.push_back(target.text);
    if (targets.empty())
      targets.push_back("");
    for (const std::string &target : targets) {
      auto [place, fresh] =
          unconditional.try_emplace({own, decl.op.text, target}, &decl);
      if (fresh || place->second == &decl)
        continue;
      reporter
          .error(codes::kSchedulesClash,
                 fmt::format("a second schedule of '{}' for {}, and nothing "
                             "to choose by",
                             decl.op.text,
                             target.empty() ? "any target" : target),
                 decl.range)
          .note("the first stands here", place->second->range)
          .help("say when this one is to be taken: 'when M >= 512', or for "
                "which target");
      return;
    }
  }

  //===--------------------------------------------------------------------===//
  // Schedules that are never taken
  //===--------------------------------------------------------------------===//

  /// Values that conditions on one size leave.
  struct Values {
    int64_t least = 0, most = kMaxSize;
    int64_t step = 1; ///< they are multiples of it

    void add(const SizeConstraint &condition) {
      int64_t value = condition.value;
      switch (condition.kind) {
      case SizeConstraint::Kind::Multiple:
        // A step beyond all sizes leaves 0 alone.
        value /= std::gcd(step, value);
        step = step > kMaxSize / value ? kMaxSize + 1 : step * value;
        break;
      case SizeConstraint::Kind::Less:
        most = std::min(most, value - 1);
        break;
      case SizeConstraint::Kind::LessEqual:
        most = std::min(most, value);
        break;
      case SizeConstraint::Kind::Greater:
        least = std::max(least, value + 1);
        break;
      case SizeConstraint::Kind::GreaterEqual:
        least = std::max(least, value);
        break;
      case SizeConstraint::Kind::Equal:
        least = std::max(least, value);
        most = std::min(most, value);
        break;
      }
      least += (step - least % step) % step;
      most -= most >= 0 ? most % step : 0;
    }
    bool empty() const { return least > most; }
    /// Whether all of them keep the condition.
    bool keep(const SizeConstraint &condition) const {
      Values both = *this;
      both.add(condition);
      return both.least == least && both.most == most &&
             (least == most || both.step == step);
    }
  };
  using AllValues = std::map<std::string, Values, std::less<>>;

  static AllValues valuesOf(const ScheduleDecl &decl) {
    AllValues values;
    for (const SizeConstraint &condition : decl.opDecl->constraints)
      values[condition.name.text].add(condition);
    for (const SizeConstraint &condition : decl.conditions)
      values[condition.name.text].add(condition);
    return values;
  }

  void warnOfUnreached() {
    std::map<std::string, std::vector<const ScheduleDecl *>> byOp;
    forEachFile([&](File &file, bool) {
      for (Item &item : file.items)
        if (auto *decl = std::get_if<std::unique_ptr<ScheduleDecl>>(&item))
          byOp[(*decl)->op.text].push_back(decl->get());
    });
    for (const auto &[op, decls] : byOp) {
      // All targets that these schedules tell apart, and one that none names.
      std::set<std::string> targets{"sm_0"};
      for (const ScheduleDecl *decl : decls)
        for (const Name &target : decl->targets) {
          targets.insert(target.text);
          if (target.text.back() >= '0' && target.text.back() <= '9')
            targets.insert(target.text + "a");
        }
      for (const ScheduleDecl *decl : decls)
        warnIfUnreached(*decl, targets);
    }
  }

  void warnIfUnreached(const ScheduleDecl &decl,
                       const std::set<std::string> &targets) {
    AllValues values = valuesOf(decl);
    for (const auto &[size, left] : values)
      if (left.empty()) {
        reporter
            .warning(codes::kScheduleUnreached,
                     fmt::format("this schedule is never taken: no '{}' keeps "
                                 "all of its conditions",
                                 size),
                     decl.conditions.empty()
                         ? decl.range
                         : SourceRange{decl.conditions.front().range.begin,
                                       decl.conditions.back().range.end})
            .help("change the conditions, or leave the schedule out");
        return;
      }
    // For each target one before it that holds whenever it does.
    const ScheduleDecl *earlier = nullptr;
    for (const std::string &target : targets) {
      std::vector<const ScheduleDecl *> order =
          findSchedules(program, decl.op.text, target);
      auto own = std::find(order.begin(), order.end(), &decl);
      if (own == order.end())
        continue;
      auto first = std::find_if(order.begin(), own, [&](auto *other) {
        return std::all_of(other->conditions.begin(), other->conditions.end(),
                           [&](const SizeConstraint &condition) {
                             return values[condition.name.text].keep(condition);
                           });
      });
      if (first == own)
        return;
      earlier = *first;
    }
    if (!earlier)
      return;
    reporter
        .warning(codes::kScheduleUnreached,
                 "this schedule is never taken: another one before it is, "
                 "whenever its own conditions hold",
                 decl.range)
        .note("that one stands here", earlier->range)
        .help("put this one first, or give the other a condition");
  }

  Program &program;
  Sema &sema;
  Reporter &reporter;
  std::vector<TemplateDecl *> templates, path;
  std::vector<std::string> templateNames;
  std::map<std::string, TemplateDecl *, std::less<>> byName;
  std::map<const TemplateDecl *, TemplateFacts> facts;
  std::map<std::tuple<bool, std::string, std::string>, const ScheduleDecl *>
      unconditional;
  uint64_t directives = 0;
  bool tooMany = false;
};

} // namespace

void Sema::checkSchedules() { ScheduleChecker(program, *this).run(); }

} // namespace girih::frontend
