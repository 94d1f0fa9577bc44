//===- Families.cpp - statements that a schedule moves together -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Families.h"

#include "passes/schedule/FusionGroups.h"
#include "passes/schedule/KernelTree.h"

#include <algorithm>
#include <set>

using namespace girih;
using namespace girih::schedule;
using poly::Access;
using poly::Affine;
using poly::Binding;
using poly::makeNode;
using poly::Node;
using poly::NodePtr;
using poly::Scop;
using poly::Statement;

namespace {

NodePtr bandOf(const Scop &scop, const std::vector<unsigned> &statements,
               unsigned first, unsigned end, NodePtr child) {
  if (first >= end)
    return child;
  NodePtr band = makeNode(Node::Kind::Band, statements);
  for (unsigned d = first; d < end; ++d)
    band->members.push_back(
        member(scop.statements[statements[0]].dims[d], Binding::Loop, false,
               std::vector<poly::Digit>(statements.size(), digit(d, 1, 0))));
  band->children.push_back(std::move(child));
  return band;
}

class TextualTree {
public:
  TextualTree(const Scop &scop, const std::vector<Family> &families)
      : scop(scop), families(families) {}

  /// Filters of families [first, end), which have `depth` time loops in common.
  void addFilters(Node &sequence, size_t first, size_t end, unsigned depth) {
    for (size_t f = first; f < end;) {
      const std::vector<unsigned> &loops = loopsOf(f);
      size_t last = f + 1;
      if (loops.size() > depth)
        while (last < end && loopsOf(last).size() > depth &&
               loopsOf(last)[depth] == loops[depth])
          ++last;
      NodePtr below;
      std::vector<unsigned> statements = families[f].statements;
      if (loops.size() > depth) {
        for (size_t g = f + 1; g < last; ++g)
          statements.insert(statements.end(), families[g].statements.begin(),
                            families[g].statements.end());
        NodePtr inner = makeNode(Node::Kind::Sequence, statements);
        addFilters(*inner, f, last, depth + 1);
        below = makeNode(Node::Kind::Band, statements);
        below->members.push_back(member(
            scop.loops[loops[depth]].name, Binding::Time, false,
            std::vector<poly::Digit>(statements.size(), digit(depth, 1, 0))));
        below->children.push_back(std::move(inner));
      } else {
        below = familyTree(scop, families[f]);
      }
      NodePtr filter = makeNode(Node::Kind::Filter, statements);
      filter->children.push_back(std::move(below));
      sequence.children.push_back(std::move(filter));
      f = last;
    }
  }

private:
  const std::vector<unsigned> &loopsOf(size_t family) const {
    return scop.statements[families[family].statements[0]].loops;
  }

  const Scop &scop;
  const std::vector<Family> &families;
};

} // namespace

unsigned girih::schedule::commonDims(const Scop &scop, const Family &family) {
  std::set<unsigned> written;
  unsigned shared = ~0u;
  for (unsigned s : family.statements) {
    written.insert(scop.statements[s].write().array);
    shared = std::min<unsigned>(shared, scop.statements[s].dims.size());
  }
  for (unsigned s : family.statements) {
    const Statement &statement = scop.statements[s];
    for (const Access &access : statement.accesses) {
      if (!written.count(access.array) || family.statements.size() == 1)
        continue;
      unsigned same = family.timeDims;
      while (same < shared &&
             same - family.timeDims < access.subscripts.size() &&
             !access.isAny(same - family.timeDims) &&
             access.subscripts[same - family.timeDims] == Affine::dim(same))
        ++same;
      // The map may write elsewhere than it reads its own sums.
      if (!access.isWrite || s != family.statements.back())
        shared = std::min(shared, same);
    }
  }
  return shared;
}

std::vector<Family>
girih::schedule::findFamilies(const Scop &scop,
                              const std::vector<Owner> &owners) {
  std::vector<Family> families;
  const Owner *last = nullptr;
  for (const Unit &unit : findUnits(scop)) {
    unsigned s = unit.statements[0];
    const Owner &owner = owners[s];
    Family family;
    family.name = owner.name;
    family.statements = unit.statements;
    family.timeDims = scop.statements[s].loops.size();
    family.sharedDims = commonDims(scop, family);
    if (last && last->name == owner.name && last->number == owner.number) {
      Family joined = families.back();
      joined.statements.insert(joined.statements.end(), unit.statements.begin(),
                               unit.statements.end());
      joined.sharedDims = commonDims(scop, joined);
      // Segments are a loop of their own before what combines them, and so is
      // a sum over other dims than the statement's first ones.
      const poly::Array &made =
          scop.arrays[scop.statements[families.back().statements.back()]
                          .write()
                          .array];
      bool isPart = made.role == poly::ArrayRole::Accumulator;
      bool loses = joined.sharedDims == joined.timeDims &&
                   families.back().sharedDims > joined.timeDims;
      if (!isPart && !loses) {
        families.back() = std::move(joined);
        continue;
      }
      families.back().name = made.name;
    }
    families.push_back(std::move(family));
    last = &owner;
  }
  return families;
}

NodePtr girih::schedule::familyTree(const Scop &scop, const Family &family) {
  if (family.statements.size() == 1) {
    unsigned s = family.statements[0];
    return bandOf(scop, {s}, family.timeDims, scop.statements[s].dims.size(),
                  makeNode(Node::Kind::Leaf, {s}));
  }
  NodePtr sequence = makeNode(Node::Kind::Sequence, family.statements);
  for (unsigned s : family.statements) {
    NodePtr filter = makeNode(Node::Kind::Filter, {s});
    filter->children.push_back(bandOf(scop, {s}, family.sharedDims,
                                      scop.statements[s].dims.size(),
                                      makeNode(Node::Kind::Leaf, {s})));
    sequence->children.push_back(std::move(filter));
  }
  return bandOf(scop, family.statements, family.timeDims, family.sharedDims,
                std::move(sequence));
}

poly::ScheduleTree
girih::schedule::textualTree(const Scop &scop,
                             const std::vector<Family> &families) {
  poly::ScheduleTree tree;
  std::vector<unsigned> all;
  for (unsigned s = 0; s < scop.statements.size(); ++s)
    all.push_back(s);
  tree.root = makeNode(Node::Kind::Sequence, all);
  TextualTree(scop, families).addFilters(*tree.root, 0, families.size(), 0);
  return tree;
}
