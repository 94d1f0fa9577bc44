//===- PassKernel.cpp - one kernel for a pass over blocks -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/PassKernel.h"

#include "passes/schedule/KernelCompletion.h"
#include "passes/schedule/KernelTree.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using poly::Binding;
using poly::makeNode;
using poly::Member;
using poly::Node;
using poly::NodePtr;
using poly::Reduction;
using poly::Scop;
using poly::Statement;
using poly::StatementKind;

/// Elements of a map that a block takes at once.
static constexpr int64_t kMapStep = 1024;

namespace {

/// The plain tree of the group.
class PassTree {
public:
  PassTree(const Scop &scop, const FusionGroup &group)
      : scop(scop), group(group) {}

  NodePtr build() {
    std::vector<unsigned> all = statementsOf(group.units);
    NodePtr body = makeNode(Node::Kind::Sequence, all);
    std::vector<Unit> turn;
    auto flush = [&] {
      if (!turn.empty())
        body->children.push_back(turns(turn));
      turn.clear();
    };
    for (const Unit &unit : group.units) {
      if (timeOf(unit.statements[0])) {
        turn.push_back(unit);
        continue;
      }
      flush();
      body->children.push_back(filterOf(unit));
    }
    flush();
    NodePtr filter = makeNode(Node::Kind::Filter, all);
    filter->children.push_back(shared(std::move(body)));
    return filter;
  }

private:
  unsigned timeOf(unsigned s) const { return scop.statements[s].loops.size(); }

  static std::vector<unsigned> statementsOf(const std::vector<Unit> &units) {
    std::vector<unsigned> all;
    for (const Unit &unit : units)
      all.insert(all.end(), unit.statements.begin(), unit.statements.end());
    std::sort(all.begin(), all.end());
    return all;
  }

  NodePtr shared(NodePtr below) {
    if (group.sharedDims == 0)
      return below;
    NodePtr band = makeNode(Node::Kind::Band, below->statements);
    unsigned first = group.units.back().statements[0];
    for (unsigned d = 0; d < group.sharedDims; ++d) {
      std::vector<poly::Digit> digits;
      for (unsigned s : below->statements)
        digits.push_back(digit(timeOf(s) + d, 1, 0));
      band->members.push_back(
          member(scop.statements[first].dims[timeOf(first) + d] + "o",
                 Binding::Grid, true, std::move(digits)));
    }
    band->children.push_back(std::move(below));
    return band;
  }

  NodePtr turns(const std::vector<Unit> &units) {
    std::vector<unsigned> all = statementsOf(units);
    NodePtr sequence = makeNode(Node::Kind::Sequence, all);
    for (const Unit &unit : units)
      sequence->children.push_back(filterOf(unit));
    NodePtr band = makeNode(Node::Kind::Band, all);
    band->members.push_back(
        member(scop.loops[*group.pass].name, Binding::Loop, false,
               std::vector<poly::Digit>(all.size(), digit(0, 1, 0))));
    band->children.push_back(std::move(sequence));
    NodePtr filter = makeNode(Node::Kind::Filter, all);
    filter->children.push_back(std::move(band));
    return filter;
  }

  /// `below` under loops over dims [first, end) of its statements; those of the
  /// time loops stand before. A dim from `ordered` on has an order.
  NodePtr loops(NodePtr below, unsigned first, unsigned end, unsigned ordered) {
    if (first >= end)
      return below;
    const std::vector<unsigned> &statements = below->statements;
    NodePtr band = makeNode(Node::Kind::Band, statements);
    auto add = [&](unsigned d, const std::string &suffix, int64_t divisor,
                   int64_t modulus) {
      std::vector<poly::Digit> digits;
      for (unsigned s : statements)
        digits.push_back(digit(timeOf(s) + d, divisor, modulus));
      unsigned s = statements[0];
      band->members.push_back(
          member(scop.statements[s].dims[timeOf(s) + d] + suffix, Binding::Loop,
                 d < ordered, std::move(digits)));
    };
    for (unsigned d = first; d < end; ++d) {
      const Statement &statement = scop.statements[statements[0]];
      poly::Digit whole = digit(timeOf(statements[0]) + d, 1, 0);
      // The last dimension of a map of any length is walked in steps.
      bool isOpen = statements.size() == 1 && d + 1 == end &&
                    statement.kind == StatementKind::Map &&
                    (turnsOf(statement, whole) == 0 ||
                     turnsOf(statement, whole) > kMapStep);
      if (!isOpen) {
        add(d, "", 1, 0);
        continue;
      }
      add(d, "", kMapStep, 0);
      add(d, "__s", 1, kMapStep);
    }
    band->children.push_back(std::move(below));
    return band;
  }

  NodePtr filterOf(const Unit &unit) {
    NodePtr filter = makeNode(Node::Kind::Filter, statementsOf({unit}));
    unsigned time = timeOf(unit.statements[0]);
    unsigned outer = unit.outerDims - time;
    NodePtr below;
    if (unit.statements.size() == 1) {
      below = makeNode(Node::Kind::Leaf, unit.statements);
    } else {
      below = makeNode(Node::Kind::Sequence, filter->statements);
      const Reduction &reduction = scop.reductions[*unit.reduction];
      for (unsigned s : unit.statements) {
        NodePtr leaf = makeNode(Node::Kind::Leaf, {s});
        unsigned dims = scop.statements[s].dims.size() - time;
        unsigned ordered =
            s == reduction.update ? reduction.cellEnd - time : dims;
        NodePtr part = makeNode(Node::Kind::Filter, {s});
        part->children.push_back(loops(std::move(leaf), outer, dims, ordered));
        below->children.push_back(std::move(part));
      }
    }
    filter->children.push_back(
        loops(std::move(below), group.sharedDims, outer, outer));
    return filter;
  }

  const Scop &scop;
  const FusionGroup &group;
};

} // namespace

std::optional<NodePtr>
girih::schedule::passKernel(const Scop &scop, const target::GpuTarget &target,
                            const MemoryOrders &memory,
                            const FusionGroup &group, const std::string &name,
                            KernelReason &reason) {
  poly::ScheduleTree tree;
  NodePtr filter = PassTree(scop, group).build();
  tree.root = makeNode(Node::Kind::Sequence, filter->statements);
  tree.root->children.push_back(std::move(filter));
  // Everything that may run at once says so; the proof of the whole tree is
  // what is believed.
  const poly::Dependences none;
  CompletionInput input{scop,
                        none,
                        target,
                        memory,
                        poly::PolyBudget(),
                        /*exact=*/false,
                        SourceRange()};
  input.cutsChains = true;
  ScheduleFacts facts;
  Diagnostics unheard;
  KernelCompletion completion(input, tree, facts, unheard);
  Node &made = *tree.root->children[0];
  completion.prepare(made);
  if (!completion.run(made, name, /*asked=*/AskedThreads(), reason))
    return std::nullopt;
  reason.lines.erase(reason.lines.begin());
  reason.lines.insert(reason.lines.begin(),
                      "one pass over blocks ('" + scop.loops[*group.pass].name +
                          "'): what is carried from block to block stays in "
                          "registers");
  return std::move(tree.root->children[0]);
}
