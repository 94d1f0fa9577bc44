//===- MemoryDirectives.cpp - stage, place, threads -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/DirectiveApplier.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using frontend::DirectiveKind;
using poly::Access;
using poly::makeNode;
using poly::Node;
using poly::NodePtr;

bool DirectiveApplier::stage() {
  for (const frontend::DirectiveOption &option : directive.options) {
    bool isOne = option.key.text == "depth" && option.number &&
                 option.number->value() == 1;
    if (isOne)
      continue;
    fail("G0725", "'" + option.key.text + "' of a stage is not realised yet",
         option.key.range)
        .help("leave it out: the stage has one buffer, which is filled before "
              "each use");
    return false;
  }
  if (directive.where.text != "shared") {
    fail("G0725", "a stage in registers is not realised yet",
         directive.where.range)
        .help("leave it out: what a tile reads is loaded into registers");
    return false;
  }
  for (const frontend::Name &name : directive.tensors) {
    std::optional<unsigned> array = arrayOf(name);
    std::optional<MemberPlace> at = array ? loop(*directive.at) : std::nullopt;
    if (!at)
      return false;
    std::vector<unsigned> readers;
    for (unsigned s : at->band->statements)
      for (const Access &access : scop.statements[s].accesses)
        if (!access.isWrite && access.array == *array &&
            (readers.empty() || readers.back() != s))
          readers.push_back(s);
    if (readers.size() != 1) {
      fail("G0722",
           readers.empty()
               ? "nothing below '" + text(*directive.at) + "' reads '" +
                     name.text + "'"
               : "'" + name.text + "' is read by " + namesOf(readers) +
                     " below '" + text(*directive.at) + "'",
           name.range)
          .help("stage a tensor at a loop of the one statement that reads it");
      return false;
    }
    endBandAt(*at);
    Node *above = at->band;
    while (above->children[0]->kind == Node::Kind::Sequence)
      for (NodePtr &filter : above->children[0]->children)
        if (std::binary_search(filter->statements.begin(),
                               filter->statements.end(), readers[0])) {
          above = filter.get();
          break;
        }
    if (above->statements.size() != 1) {
      fail("G0722",
           "'" + text(*directive.at) +
               "' is a loop around several "
               "statements",
           directive.at->range)
          .help("stage at a loop of '" + scop.statements[readers[0]].name +
                "' alone");
      return false;
    }
    while (above->children[0]->kind == Node::Kind::Stage) {
      above = above->children[0].get();
      if (above->stage.array == *array) {
        fail("G0722", "'" + name.text + "' is staged there already", name.range)
            .help("one stage of a tensor at a loop is enough");
        return false;
      }
    }
    NodePtr mark = makeNode(Node::Kind::Stage, above->statements);
    mark->stage.array = *array;
    state.facts.origins.staged[*array] = originOf(directive);
    mark->children.push_back(std::move(above->children[0]));
    above->children[0] = std::move(mark);
  }
  return true;
}

bool DirectiveApplier::place() {
  for (const frontend::Name &name : directive.tensors) {
    std::optional<unsigned> array = arrayOf(name);
    if (!array)
      return false;
    if (scop.arrays[*array].role != poly::ArrayRole::Temporary) {
      fail("G0722",
           "'" + name.text + "' is no temporary of '" + scop.name +
               "': it lies where the caller has it",
           name.range);
      return false;
    }
    state.facts.places[*array] =
        directive.where.text == "registers" ? poly::Place::Register
        : directive.where.text == "shared"  ? poly::Place::Shared
                                            : poly::Place::Workspace;
    state.facts.origins.placed[*array] = originOf(directive);
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      if (scop.statements[s].write().array == *array)
        touch({s});
  }
  return true;
}

bool DirectiveApplier::threads() {
  int64_t count = directive.factors[0].value();
  if (count > 1024 || (count % 32 != 0 && count != 1)) {
    fail("G0723",
         "a block has 1 thread, or 32 to 1024 and a multiple of 32; not " +
             std::to_string(count),
         directive.factors[0].range);
    return false;
  }
  for (const frontend::Name &name : directive.tensors) {
    std::optional<unsigned> number = familyOf(name);
    if (!number)
      return false;
    state.facts.threads[*number] = {unsigned(count), originOf(directive)};
  }
  if (directive.tensors.empty())
    for (unsigned f = 0; f < state.families.size(); ++f) {
      state.facts.threads[f] = {unsigned(count), originOf(directive)};
      state.facts.touched.insert(f);
    }
  return true;
}

bool DirectiveApplier::notYet() {
  const char *word = "this directive", *instead = "leave it out";
  switch (directive.kind) {
  case DirectiveKind::SplitReduction: {
    std::optional<MemberPlace> place = loop(directive.loops[0]);
    if (!place)
      return false;
    for (unsigned s : place->band->statements)
      for (const poly::Reduction &reduction : scop.reductions)
        if (reduction.update == s) {
          std::string by = std::to_string(directive.factors[0].value());
          fail("G0728",
               "parts of '" + place->member().name +
                   "' summed apart are another order of additions than '" +
                   reduction.term + "', and so other bits")
              .help("say it in the text: order=seg(" + by +
                    ", seq); the parts are then the loop 's'");
          return false;
        }
    fail("G0722",
         "'" + text(directive.loops[0]) +
             "' is no loop of a "
             "reduction",
         directive.loops[0].range);
    return false;
  }
  case DirectiveKind::Prefetch:
    word = "'prefetch'";
    break;
  case DirectiveKind::Pipeline:
    word = "'pipeline'";
    instead = "leave it out: the next operands are read ahead into registers";
    break;
  case DirectiveKind::Roles:
    word = "'roles'";
    instead = "leave it out: all warps of a block do the same";
    break;
  case DirectiveKind::Tensorize:
    word = "'tensorize'";
    instead = "leave it out: products run as fused multiply-adds";
    break;
  case DirectiveKind::Persistent:
    word = "'persistent'";
    instead = "leave it out: a block computes one tile";
    break;
  default:
    break;
  }
  fail("G0725", std::string(word) + " is not realised yet").help(instead);
  return false;
}
