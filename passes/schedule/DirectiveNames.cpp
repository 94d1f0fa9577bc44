//===- DirectiveNames.cpp - what the names in a directive mean ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/DirectiveApplier.h"

#include "compiler/support/Suggest.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using frontend::LoopRef;
using frontend::Name;
using poly::StatementKind;

std::vector<unsigned> girih::schedule::united(const std::vector<unsigned> &a,
                                              const std::vector<unsigned> &b) {
  std::vector<unsigned> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(all));
  return all;
}

Diagnostic &DirectiveApplier::fail(const char *code, const std::string &message,
                                   std::optional<SourceRange> range) {
  return diags.error(code, message, range ? *range : directive.range);
}

std::string DirectiveApplier::text(const LoopRef &ref) const {
  return ref.statement.text.empty() ? ref.loop.text
                                    : ref.statement.text + "." + ref.loop.text;
}

std::string
DirectiveApplier::namesOf(const std::vector<unsigned> &statements) const {
  std::string names;
  for (unsigned s : statements)
    names += (names.empty() ? "'" : ", '") + scop.statements[s].name + "'";
  return names;
}

void DirectiveApplier::touch(const std::vector<unsigned> &statements) {
  for (unsigned f = 0; f < state.families.size(); ++f)
    for (unsigned s : state.families[f].statements)
      if (std::find(statements.begin(), statements.end(), s) !=
          statements.end())
        state.facts.touched.insert(f);
  for (unsigned s : statements)
    state.facts.origins.statement[s] = originOf(directive);
}

void DirectiveApplier::noteLoop(const MemberPlace &place,
                                const std::string &name) {
  for (unsigned s : place.band->statements)
    state.facts.origins.loops[{s, name}] = originOf(directive);
}

void DirectiveApplier::noteMoved(const std::vector<unsigned> &statements) {
  for (unsigned s : statements)
    state.facts.origins.moved[s] = originOf(directive);
}

/// `C`, `C.sum`, or a statement's own name.
std::optional<std::vector<unsigned>>
DirectiveApplier::statementsOf(const Name &name, bool quiet) {
  std::vector<unsigned> found;
  std::string matches;
  unsigned count = 0;
  size_t dot = name.text.rfind('.');
  std::string base = name.text.substr(0, dot);
  std::string part = dot == std::string::npos ? "" : name.text.substr(dot + 1);
  for (const Family &family : state.families) {
    if (family.name != base)
      continue;
    std::vector<unsigned> here;
    for (unsigned s : family.statements) {
      StatementKind kind = scop.statements[s].kind;
      if (part.empty() || (part == "init" && kind == StatementKind::Init) ||
          (part == "sum" && kind == StatementKind::Update) ||
          (part == "merge" && kind == StatementKind::Merge))
        here.push_back(s);
    }
    if (here.empty())
      continue;
    ++count;
    matches += (matches.empty() ? "'" : ", '") +
               scop.statements[family.statements.back()].name + "'";
    if (count == 1)
      found = here;
  }
  unsigned own = scop.findStatement(name.text);
  if (count == 0 && own < scop.statements.size())
    return std::vector<unsigned>{own};
  if (count == 1)
    return found;
  if (quiet)
    return std::nullopt;
  if (count > 1) {
    fail("G0721", "several statements define '" + base + "'", name.range)
        .help("say which by its own name: " + matches);
    return std::nullopt;
  }
  std::vector<std::string> known;
  for (const Family &family : state.families)
    known.push_back(family.name);
  Diagnostic &error = fail("G0720",
                           "'" + scop.name + "' has no statement '" +
                               name.text + "'" + didYouMean(name.text, known),
                           name.range);
  std::string list;
  for (const std::string &other : known)
    list += (list.empty() ? "" : ", ") + other;
  error.help("its statements are " + list);
  return std::nullopt;
}

std::optional<unsigned> DirectiveApplier::familyOf(const Name &name) {
  std::optional<std::vector<unsigned>> statements = statementsOf(name);
  if (!statements)
    return std::nullopt;
  for (unsigned f = 0; f < state.families.size(); ++f) {
    const std::vector<unsigned> &all = state.families[f].statements;
    if (std::find(all.begin(), all.end(), statements->front()) == all.end())
      continue;
    touch(all);
    return f;
  }
  return std::nullopt;
}

std::optional<unsigned> DirectiveApplier::arrayOf(const Name &name) {
  unsigned array = scop.findArray(name.text);
  if (array < scop.arrays.size())
    return array;
  std::vector<std::string> known;
  for (const poly::Array &other : scop.arrays)
    known.push_back(other.name);
  fail("G0720",
       "'" + scop.name + "' has no tensor '" + name.text + "'" +
           didYouMean(name.text, known),
       name.range);
  return std::nullopt;
}

std::optional<MemberPlace> DirectiveApplier::loop(const LoopRef &ref) {
  std::vector<unsigned> statements;
  if (ref.statement.text.empty()) {
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      statements.push_back(s);
  } else if (auto named = statementsOf(ref.statement)) {
    statements = *named;
  } else {
    return std::nullopt;
  }
  std::vector<MemberPlace> places =
      findMembers(state.tree, statements, ref.loop.text);
  if (places.size() == 1) {
    touch(places[0].band->statements);
    noteLoop(places[0], ref.loop.text);
    return places[0];
  }
  if (places.empty()) {
    std::vector<std::string> known;
    walk(*state.tree.root, [&](poly::Node &node) {
      for (unsigned s : statements)
        if (std::binary_search(node.statements.begin(), node.statements.end(),
                               s)) {
          for (const poly::Member &member : node.members)
            if (std::find(known.begin(), known.end(), member.name) ==
                known.end())
              known.push_back(member.name);
          return;
        }
    });
    std::string whose = ref.statement.text.empty()
                            ? "no statement has a loop '"
                            : "'" + ref.statement.text + "' has no loop '";
    Diagnostic &error = fail(
        "G0720", whose + ref.loop.text + "'" + didYouMean(ref.loop.text, known),
        ref.range);
    std::string list;
    for (const std::string &other : known)
      list += (list.empty() ? "" : ", ") + other;
    if (!list.empty())
      error.help("the loops are now " + list);
    // A reduction whose term has cells has the digits of its index instead.
    for (unsigned s : statements)
      for (const poly::Reduction &reduction : scop.reductions)
        if (reduction.update == s && reduction.term != "seq")
          error.note("the sum of '" + scop.statements[s].name +
                     "' has the order " + reduction.term +
                     ": its loops are the digits of the reduced index");
    return std::nullopt;
  }
  std::string list;
  for (const MemberPlace &place : places)
    list += (list.empty() ? "" : " or ") +
            scop.statements[place.band->statements.back()].name + "." +
            ref.loop.text;
  fail("G0721", "'" + text(ref) + "' may be several loops", ref.range)
      .help("say " + list);
  return std::nullopt;
}

bool DirectiveApplier::isFree(const MemberPlace &place, const std::string &name,
                              SourceRange range) {
  for (unsigned s : place.band->statements)
    for (const poly::Node *node : poly::pathOf(state.tree, s))
      for (size_t m = 0; m < node->members.size(); ++m)
        if (node->members[m].name == name &&
            !(node == place.band && m == place.index)) {
          fail("G0722",
               "'" + scop.statements[s].name + "' has a loop '" + name +
                   "' already",
               range)
              .help("choose another name behind '->'");
          return false;
        }
  return true;
}
