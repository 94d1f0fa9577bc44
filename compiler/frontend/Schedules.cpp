//===- Schedules.cpp - what the schedules of a program say ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Schedules.h"

#include <algorithm>
#include <map>

namespace girih::frontend {

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

namespace {

/// How closely a schedule's targets fit: 0 not at all, 1 any, 2 the family of
/// `sm_90a`, 3 the target itself.
int fitOf(const ScheduleDecl &schedule, std::string_view target) {
  if (schedule.targets.empty())
    return 1;
  std::string_view family = target;
  if (!family.empty() && family.back() >= 'a' && family.back() <= 'z')
    family.remove_suffix(1);
  int fit = 0;
  for (const Name &name : schedule.targets)
    fit = std::max(fit, name.text == target ? 3 : name.text == family ? 2 : 0);
  return fit;
}

} // namespace

std::vector<const ScheduleDecl *> findSchedules(const Program &program,
                                                std::string_view op,
                                                std::string_view target) {
  // Sorted stably: the smaller rank first.
  std::vector<std::pair<int, const ScheduleDecl *>> found;
  auto collect = [&](const File &file, int rank) {
    for (const Item &item : file.items)
      if (auto *decl = std::get_if<std::unique_ptr<ScheduleDecl>>(&item))
        if ((*decl)->op.text == op)
          if (int fit = fitOf(**decl, target))
            found.push_back({rank - fit, decl->get()});
  };
  constexpr int kOwn = 10;
  collect(program.schedules, 0);
  for (const File &file : program.used)
    collect(file, kOwn);
  collect(program.file, kOwn);
  std::stable_sort(found.begin(), found.end(),
                   [](auto &a, auto &b) { return a.first < b.first; });
  std::vector<const ScheduleDecl *> result;
  for (auto &[rank, decl] : found)
    result.push_back(decl);
  return result;
}

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

namespace {

/// Puts arguments in the place of parameters; everything else of the directive
/// moves to `site`.
class Substitution {
public:
  Substitution(const TemplateDecl &decl, const std::vector<Name> &arguments,
               SourceRange site)
      : site(site) {
    for (size_t i = 0; i < decl.params.size() && i < arguments.size(); ++i)
      values[decl.params[i].text] = &arguments[i];
  }

  Directive operator()(const Directive &written) const {
    Directive directive = written;
    directive.templateLine = written.range;
    directive.range = site;
    substitute(directive.label);
    for (LoopRef &loop : directive.loops)
      substitute(loop);
    if (directive.at)
      substitute(*directive.at);
    for (auto *names :
         {&directive.results, &directive.tensors, &directive.arguments})
      for (Name &name : *names)
        substitute(name);
    for (Factor &factor : directive.factors)
      factor.range = site;
    directive.where.range = site;
    directive.type.range = site;
    for (DirectiveOption &option : directive.options) {
      option.key.range = site;
      substitute(option.word);
      if (option.number)
        option.number->range = site;
    }
    return directive;
  }

private:
  /// A parameter as the whole name, or as its first part.
  void substitute(Name &name) const {
    size_t end = std::min(name.text.find('.'), name.text.size());
    auto found = values.find(std::string_view(name.text).substr(0, end));
    name.range = site;
    if (found == values.end())
      return;
    name.text = found->second->text + name.text.substr(end);
    name.range = found->second->range;
  }

  void substitute(LoopRef &loop) const {
    bool bare = loop.statement.text.empty();
    substitute(loop.statement);
    substitute(loop.loop);
    loop.range = bare ? loop.loop.range : site;
    size_t dot = loop.loop.text.rfind('.');
    if (!bare || dot == std::string::npos)
      return;
    loop.statement = {loop.loop.text.substr(0, dot), loop.loop.range};
    loop.loop.text = loop.loop.text.substr(dot + 1);
  }

  SourceRange site;
  std::map<std::string, const Name *, std::less<>> values;
};

void expand(std::vector<Directive> &result, const Directive &directive,
            SourceRange site) {
  if (directive.kind != DirectiveKind::Apply || !directive.callee) {
    result.push_back(directive);
    return;
  }
  Substitution substitution(*directive.callee, directive.arguments, site);
  for (const Directive &inner : directive.callee->directives)
    expand(result, substitution(inner), site);
}

} // namespace

std::vector<Directive> expandTemplates(const ScheduleDecl &schedule) {
  std::vector<Directive> result;
  for (const Directive &directive : schedule.directives)
    expand(result, directive, directive.range);
  return result;
}

} // namespace girih::frontend
