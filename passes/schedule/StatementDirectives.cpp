//===- StatementDirectives.cpp - compute and distribute -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/DirectiveApplier.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using poly::Access;
using poly::Affine;
using poly::Binding;
using poly::Digit;
using poly::makeNode;
using poly::Member;
using poly::Node;
using poly::NodePtr;

/// Removes statements from all nodes above (their digits too).
static void removeStatements(Node &node, const std::vector<unsigned> &gone) {
  for (size_t i = node.statements.size(); i-- > 0;)
    if (std::binary_search(gone.begin(), gone.end(), node.statements[i])) {
      for (Member &member : node.members)
        member.digits.erase(member.digits.begin() + i);
      node.statements.erase(node.statements.begin() + i);
    }
}

/// The sequence whose filters will be kernels: the root's, or that of the
/// innermost time loop above `node`.
Node *DirectiveApplier::outerSequence(const Node *node) {
  Node *found = state.tree.root.get();
  for (Node *at = parentOf(state.tree, node); at; at = parentOf(state.tree, at))
    if (isTimeBand(*at))
      return at->children[0].get();
  return found;
}

/// The filter that holds the family and nothing else, directly in an outer
/// sequence; null when it is computed elsewhere.
Node *DirectiveApplier::ownFilter(unsigned family) {
  Node *found = nullptr;
  const std::vector<unsigned> &statements = state.families[family].statements;
  walk(*state.tree.root, [&](Node &node) {
    if (node.kind == Node::Kind::Filter && node.statements == statements &&
        !found)
      found = &node;
  });
  if (!found)
    return nullptr;
  Node *sequence = parentOf(state.tree, found);
  return sequence == outerSequence(sequence) ||
                 sequence == state.tree.root.get()
             ? found
             : nullptr;
}

/// Digits of the family's statements for the loops down to `at`, got from those
/// of a statement there that reads what the family writes. `subtree` loses
/// what those digits fix.
bool DirectiveApplier::fixedBelow(
    unsigned number, const MemberPlace &at, Node &subtree,
    std::vector<std::pair<Node *, size_t>> &shared,
    std::vector<std::vector<Digit>> &digits) {
  const Family &family = state.families[number];
  const Access &write = scop.statements[family.statements.back()].write();
  unsigned reader = scop.statements.size();
  const Access *read = nullptr;
  for (unsigned s : at.band->statements)
    for (const Access &access : scop.statements[s].accesses)
      if (!read && !access.isWrite && access.array == write.array) {
        reader = s;
        read = &access;
      }
  if (!read) {
    std::string instead = chainTo(number, at, subtree);
    fail("G0724",
         "nothing below '" + text(*directive.at) + "' reads '" + family.name +
             "'",
         directive.at->range)
        .help(instead.empty()
                  ? "compute it at a loop of a statement that reads it"
                  : instead);
    return false;
  }
  for (const Node *node : poly::pathOf(state.tree, reader)) {
    if (node->kind != Node::Kind::Band)
      continue;
    for (size_t m = 0; m < node->members.size(); ++m)
      if (node != at.band || m <= at.index)
        shared.emplace_back(const_cast<Node *>(node), m);
    if (node == at.band)
      break;
  }
  // A dim of the reader is the family's dim that it stands for in the read.
  unsigned time = family.timeDims;
  const std::string &readerName = scop.statements[reader].name;
  for (auto [node, m] : shared) {
    const Digit &source = poly::digitOf(*node, m, reader);
    Digit digit = source;
    digit.value.dims.clear();
    for (unsigned d = 0; d < source.value.dims.size(); ++d) {
      int64_t factor = source.value.dims[d];
      if (factor == 0)
        continue;
      std::optional<unsigned> ours;
      if (d < time && d < scop.statements[reader].loops.size())
        ours = d;
      for (size_t w = 0; w < read->subscripts.size() && !ours; ++w)
        if (!read->isAny(w) && !write.isAny(w) &&
            read->subscripts[w] == Affine::dim(d))
          for (unsigned own = time;
               own < family.sharedDims ||
               (family.statements.size() == 1 &&
                own < scop.statements[family.statements[0]].dims.size());
               ++own)
            if (write.subscripts[w] == Affine::dim(own))
              ours = own;
      if (!ours) {
        const std::string &dim = scop.statements[reader].dims[d];
        bool stands = std::any_of(
            read->subscripts.begin(), read->subscripts.end(),
            [&](const Affine &s) { return s.dimCoefficient(d) != 0; });
        Diagnostic &error = fail(
            "G0724",
            stands ? "'" + readerName + "' reads '" + family.name +
                         "' at other elements than those of its loop '" +
                         node->members[m].name +
                         "': some would be computed in several of its turns"
                   : "'" + family.name + "' does not depend on '" + dim +
                         "' of '" + readerName + "': in each turn of '" +
                         node->members[m].name +
                         "' all of it would be computed anew",
            directive.at->range);
        error.help(stands ? "compute '" + family.name +
                                "' at an outer loop, or root"
                          : "compute it at a loop outside '" +
                                node->members[m].name + "'");
        return false;
      }
      digit.value = digit.value + Affine::dim(*ours, factor);
    }
    digits.push_back(std::vector<Digit>(family.statements.size(), digit));
  }
  // What is fixed above is no loop below.
  bool good = true;
  walk(subtree, [&](Node &node) {
    for (size_t m = node.members.size(); good && m-- > 0;) {
      Member &member = node.members[m];
      if (member.binding == Binding::Time) {
        node.members.erase(node.members.begin() + m);
        continue;
      }
      bool gone = false;
      for (Digit &own : member.digits) {
        std::optional<unsigned> dim = dimOf(own);
        std::vector<Digit> fixed;
        for (const std::vector<Digit> &list : digits)
          if (dim && dimOf(list[0]) == dim)
            fixed.push_back(list[0]);
        bool isUneven = false;
        std::optional<Digit> rest = remainder(own, fixed, isUneven);
        if (isUneven) {
          fail("G0724",
               "the loop '" + member.name + "' of '" + family.name +
                   "' does not fit into the turns of '" + text(*directive.at) +
                   "': " + poly::printDigit(scop, node.statements[0], own) +
                   " is not a part of them",
               directive.at->range)
              .help("compute it first, then split by a factor of what one "
                    "turn needs");
          good = false;
          break;
        }
        gone |= !rest;
        if (rest)
          own = *rest;
      }
      if (gone)
        node.members.erase(node.members.begin() + m);
    }
  });
  return good;
}

/// A statement that reads what a loop of a sum is part of: its place there is
/// behind the turn's sum, as `fuse` would put it.
bool DirectiveApplier::intoReduction(unsigned number, const MemberPlace &at,
                                     bool &done) {
  const Family &family = state.families[number];
  auto isOf = [](const std::vector<unsigned> &list, unsigned s) {
    return std::find(list.begin(), list.end(), s) != list.end();
  };
  for (unsigned f = 0; f < state.families.size(); ++f) {
    const Family &other = state.families[f];
    if (f == number || !isOf(other.statements, at.band->statements[0]) ||
        at.band->statements.size() == other.statements.size())
      continue;
    unsigned result = scop.statements[other.statements.back()].write().array;
    for (unsigned s : family.statements)
      for (const Access &access : scop.statements[s].accesses)
        if (!access.isWrite && access.array == result) {
          done = true;
          return fusePair(f, number, at, at.member().name);
        }
  }
  return true;
}

/// Why nothing at the loop reads the family, where it is read through others,
/// or reads what is computed there: what to say instead. Empty: neither.
std::string DirectiveApplier::chainTo(unsigned number, const MemberPlace &at,
                                      const Node &subtree) {
  auto readsOf = [&](unsigned reader, unsigned writer) {
    for (unsigned w : state.families[writer].statements)
      for (unsigned r : state.families[reader].statements)
        for (const Access &access : scop.statements[r].accesses)
          if (!access.isWrite &&
              access.array == scop.statements[w].write().array)
            return true;
    return false;
  };
  auto isThere = [&](unsigned f) {
    const std::vector<unsigned> &own = state.families[f].statements;
    return std::any_of(own.begin(), own.end(), [&](unsigned s) {
      return std::binary_search(at.band->statements.begin(),
                                at.band->statements.end(), s);
    });
  };
  const std::string &own = state.families[number].name;
  for (unsigned f = 0; f < state.families.size(); ++f)
    if (isThere(f) && f != number && readsOf(number, f))
      return "'" + own + "' reads '" + state.families[f].name +
             "': say 'fuse " + state.families[f].name + ", " + own + " at " +
             text(*directive.at) + "'";
  // The shortest chain of readers.
  std::map<unsigned, unsigned> from{{number, number}};
  std::vector<unsigned> reached{number};
  for (size_t next = 0; next < reached.size(); ++next)
    for (unsigned f = 0; f < state.families.size(); ++f)
      if (!from.count(f) && readsOf(f, reached[next])) {
        from[f] = reached[next];
        reached.push_back(f);
      }
  for (unsigned end : reached) {
    if (end == number || !isThere(end))
      continue;
    std::vector<std::string> names;
    for (unsigned f = end; f != number; f = from[f])
      names.insert(names.begin(), state.families[f].name);
    if (names.size() < 2)
      return "";
    std::string through, first, fused = own;
    for (size_t n = 0; n + 1 < names.size(); ++n) {
      through += (n ? ", '" : "'") + names[n] + "'";
      first = names[n] + (first.empty() ? "" : ", " + first);
    }
    for (const std::string &name : names)
      fused += ", " + name;
    std::string loop;
    walk(subtree, [&](const Node &node) {
      if (loop.empty() && !node.members.empty())
        loop = own + "." + node.members[0].name;
    });
    return "'" + names.back() + "' reads it through " + through +
           ": 'compute " + first + " at " + text(*directive.at) + "' first" +
           (loop.empty() ? "" : ", or 'fuse " + fused + " at " + loop + "'");
  }
  return "";
}

bool DirectiveApplier::computeAt() {
  for (const frontend::Name &name : directive.tensors) {
    std::optional<unsigned> number = familyOf(name);
    if (!number)
      return false;
    const Family &family = state.families[*number];
    std::optional<MemberPlace> at = loop(*directive.at);
    if (!at)
      return false;
    bool done = false;
    if (!intoReduction(*number, *at, done))
      return false;
    if (done)
      continue;
    Node *filter = ownFilter(*number);
    if (!filter) {
      fail("G0722", "'" + family.name + "' is computed inside loops already",
           name.range)
          .help("say 'compute " + family.name + " root' first");
      return false;
    }
    if (std::binary_search(at->band->statements.begin(),
                           at->band->statements.end(), family.statements[0])) {
      fail("G0724",
           "'" + text(*directive.at) + "' is a loop of '" + family.name +
               "' itself",
           directive.at->range)
          .help("name a loop of a statement that reads it");
      return false;
    }
    noteMoved(family.statements);
    Node *sequence = parentOf(state.tree, filter);
    NodePtr taken = std::move(slotOf(state.tree, filter));
    NodePtr subtree = std::move(taken->children[0]);
    sequence->children.erase(std::find(sequence->children.begin(),
                                       sequence->children.end(), nullptr));
    std::vector<std::pair<Node *, size_t>> shared;
    std::vector<std::vector<Digit>> digits;
    if (!fixedBelow(*number, *at, *subtree, shared, digits))
      return false;
    endBandAt(*at);
    // Every node on the way down now holds the family as well.
    std::vector<Node *> path;
    for (Node *node = at->band; node != sequence && node;
         node = parentOf(state.tree, node))
      path.push_back(node);
    size_t next = 0;
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
      std::vector<unsigned> all =
          united((*node)->statements, family.statements);
      for (size_t m = 0; m < (*node)->members.size(); ++m) {
        Member &member = (*node)->members[m];
        while (shared[next].first != *node)
          ++next; // members of time loops, which stand above
        std::vector<Digit> merged;
        for (unsigned s : all) {
          auto own =
              std::find(family.statements.begin(), family.statements.end(), s);
          if (own != family.statements.end())
            merged.push_back(digits[next + m][own - family.statements.begin()]);
          else
            merged.push_back(poly::digitOf(**node, m, s));
        }
        member.digits = std::move(merged);
      }
      next += (*node)->members.size();
      (*node)->statements = std::move(all);
    }
    Node &band = *at->band;
    NodePtr below = std::move(band.children[0]);
    NodePtr ours = makeNode(Node::Kind::Filter, family.statements);
    ours->children.push_back(std::move(subtree));
    if (below->kind != Node::Kind::Sequence) {
      NodePtr inner = makeNode(Node::Kind::Sequence, below->statements);
      NodePtr theirs = makeNode(Node::Kind::Filter, below->statements);
      theirs->children.push_back(std::move(below));
      inner->children.push_back(std::move(theirs));
      below = std::move(inner);
    }
    below->statements = band.statements;
    below->children.insert(below->children.begin(), std::move(ours));
    band.children[0] = std::move(below);
  }
  return true;
}

/// Makes what the directive names a family of its own: the last statements of
/// one, from a reduction's end on. `number` is then that of the new family.
bool DirectiveApplier::divideFamily(unsigned &number,
                                    const std::vector<unsigned> &named,
                                    const frontend::Name &name) {
  Family whole = state.families[number];
  auto first = std::find(whole.statements.begin(), whole.statements.end(),
                         named.front());
  using Kind = poly::StatementKind;
  Kind kind = scop.statements[*first].kind;
  if (first == whole.statements.begin() ||
      (kind != Kind::Map && kind != Kind::Init)) {
    fail("G0722",
         "'" + name.text + "' cannot be taken out of '" + whole.name +
             "': a reduction's statements stay together",
         name.range)
        .help("name the statement that comes after the reduction");
    return false;
  }
  if (!ownFilter(number)) {
    fail("G0722", "'" + whole.name + "' is computed inside loops already",
         name.range)
        .help("say 'compute " + whole.name + " root' first");
    return false;
  }
  Family before = whole, after = whole;
  before.statements.assign(whole.statements.begin(), first);
  after.statements.assign(first, whole.statements.end());
  before.name =
      scop.arrays[scop.statements[before.statements.back()].write().array].name;
  for (Family *part : {&before, &after})
    part->sharedDims = commonDims(scop, *part);
  // Both stand side by side where the whole stood.
  Node *filter = ownFilter(number);
  Node *sequence = parentOf(state.tree, filter);
  auto place =
      std::find_if(sequence->children.begin(), sequence->children.end(),
                   [&](const NodePtr &child) { return child.get() == filter; });
  std::vector<NodePtr> filters;
  for (const Family *part : {&before, &after}) {
    filters.push_back(makeNode(Node::Kind::Filter, part->statements));
    filters.back()->children.push_back(familyTree(scop, *part));
  }
  place = sequence->children.erase(place);
  sequence->children.insert(place, std::make_move_iterator(filters.begin()),
                            std::make_move_iterator(filters.end()));
  state.families[number] = std::move(before);
  state.families.insert(state.families.begin() + number + 1, std::move(after));
  // Facts are about families by number.
  ScheduleFacts &facts = state.facts;
  std::set<unsigned> touched;
  for (unsigned f : facts.touched)
    touched.insert(f > number ? f + 1 : f);
  touched.insert(number);
  touched.insert(number + 1);
  facts.touched = std::move(touched);
  std::map<unsigned, AskedThreads> threads;
  for (auto &[f, asked] : facts.threads)
    threads[f > number ? f + 1 : f] = asked;
  facts.threads = std::move(threads);
  ++number;
  return true;
}

bool DirectiveApplier::computeRoot() {
  for (const frontend::Name &name : directive.tensors) {
    std::optional<unsigned> number = familyOf(name);
    if (!number)
      return false;
    std::optional<std::vector<unsigned>> named = statementsOf(name);
    if (named->size() < state.families[*number].statements.size() &&
        !divideFamily(*number, *named, name))
      return false;
    const Family &family = state.families[*number];
    noteMoved(family.statements);
    if (Node *filter = ownFilter(*number)) {
      filter->children[0] = familyTree(scop, family);
      continue;
    }
    // The filter of the outer sequence that holds it, and every one below.
    const std::vector<const Node *> path =
        poly::pathOf(state.tree, family.statements[0]);
    Node *sequence = outerSequence(path.back());
    Node *around = nullptr;
    for (NodePtr &child : sequence->children)
      if (std::binary_search(child->statements.begin(), child->statements.end(),
                             family.statements[0]))
        around = child.get();
    bool before = around->statements.front() >= family.statements.front() ||
                  around->statements.back() > family.statements.back();
    walk(*around,
         [&](Node &node) { removeStatements(node, family.statements); });
    // Filters that hold nothing any more.
    walk(*around, [&](Node &node) {
      auto &children = node.children;
      children.erase(std::remove_if(children.begin(), children.end(),
                                    [](const NodePtr &child) {
                                      return child->statements.empty();
                                    }),
                     children.end());
    });
    NodePtr filter = makeNode(Node::Kind::Filter, family.statements);
    filter->children.push_back(familyTree(scop, family));
    auto place = std::find_if(
        sequence->children.begin(), sequence->children.end(),
        [&](const NodePtr &child) { return child.get() == around; });
    sequence->children.insert(before ? place : place + 1, std::move(filter));
  }
  return true;
}

/// Only asked where the family is still there: a tensor that has one reader is
/// computed in its place before the Scop is made.
bool DirectiveApplier::computeInline() {
  const frontend::Name &name = directive.tensors[0];
  if (!statementsOf(name, /*quiet=*/true))
    return true;
  fail("G0724",
       "'" + name.text +
           "' cannot be computed where it is read: it has "
           "several readers, is a reduction, or is read at other elements than "
           "the reader's own",
       name.range)
      .help("compute it at a loop of its reader");
  return false;
}

/// Whether nothing but an outer sequence is above the band.
bool DirectiveApplier::isOutermost(const Node &band) {
  Node *filter = parentOf(state.tree, &band);
  Node *outer = filter ? parentOf(state.tree, filter) : nullptr;
  return outer && outer == outerSequence(filter);
}

/// Filters, those of one reduction's statements put into one.
std::vector<NodePtr>
DirectiveApplier::bySums(std::vector<NodePtr> filters) const {
  auto holds = [](const Node &filter, unsigned s) {
    return std::binary_search(filter.statements.begin(),
                              filter.statements.end(), s);
  };
  std::vector<std::vector<NodePtr>> groups;
  for (NodePtr &filter : filters) {
    bool joins = false;
    for (const poly::Reduction &reduction : scop.reductions)
      if (!groups.empty())
        for (const NodePtr &earlier : groups.back())
          for (unsigned s :
               {reduction.update, reduction.merge.value_or(reduction.update)})
            joins |= holds(*filter, s) && (holds(*earlier, reduction.init) ||
                                           holds(*earlier, reduction.update));
    if (!joins)
      groups.emplace_back();
    groups.back().push_back(std::move(filter));
  }
  std::vector<NodePtr> result;
  for (std::vector<NodePtr> &group : groups) {
    if (group.size() == 1) {
      result.push_back(std::move(group[0]));
      continue;
    }
    std::vector<unsigned> all;
    for (const NodePtr &filter : group)
      all = united(all, filter->statements);
    NodePtr sequence = makeNode(Node::Kind::Sequence, all);
    sequence->children = std::move(group);
    result.push_back(makeNode(Node::Kind::Filter, all));
    result.back()->children.push_back(std::move(sequence));
  }
  return result;
}

bool DirectiveApplier::distribute() {
  std::optional<MemberPlace> at = loop(directive.loops[0]);
  if (!at)
    return false;
  Node &band = *at->band;
  if (band.children[0]->kind != Node::Kind::Sequence) {
    fail("G0722",
         "the loop '" + text(directive.loops[0]) +
             "' is around one statement only",
         directive.loops[0].range);
    return false;
  }
  if (at->member().binding == Binding::Time) {
    fail("G0722",
         "'" + text(directive.loops[0]) +
             "' is a loop in time: all its statements are in a turn",
         directive.loops[0].range);
    return false;
  }
  noteMoved(band.statements);
  bool makesKernels = at->index == 0 && isOutermost(band);
  NodePtr sequence = std::move(band.children[0]);
  std::vector<NodePtr> parts;
  if (makesKernels) {
    parts = bySums(std::move(sequence->children));
    if (parts.size() == 1) {
      fail("G0722",
           "the loop '" + text(directive.loops[0]) +
               "' is around one sum only, whose cells stay in one kernel",
           directive.loops[0].range)
          .help("distribute an inner loop");
      return false;
    }
  } else {
    parts = std::move(sequence->children);
  }
  for (NodePtr &filter : parts) {
    NodePtr own = makeNode(Node::Kind::Band, filter->statements);
    for (size_t m = at->index; m < band.members.size(); ++m) {
      Member member = band.members[m];
      member.digits.clear();
      for (unsigned s : filter->statements)
        member.digits.push_back(poly::digitOf(band, m, s));
      own->members.push_back(std::move(member));
    }
    own->children.push_back(std::move(filter->children[0]));
    filter->children[0] = std::move(own);
  }
  sequence->children = std::move(parts);
  band.members.resize(at->index);
  band.children[0] = std::move(sequence);
  if (!band.members.empty())
    return true;
  // Nothing is left around them: each is a kernel of its own.
  Node *filter = parentOf(state.tree, &band);
  Node *outer = filter ? parentOf(state.tree, filter) : nullptr;
  if (!outer || outer != outerSequence(filter))
    return true;
  auto &children = outer->children;
  auto place =
      std::find_if(children.begin(), children.end(),
                   [&](const NodePtr &child) { return child.get() == filter; });
  std::vector<NodePtr> kernels = std::move(band.children[0]->children);
  place = children.erase(place);
  children.insert(place, std::make_move_iterator(kernels.begin()),
                  std::make_move_iterator(kernels.end()));
  return true;
}
