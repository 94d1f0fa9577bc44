//===- DefaultSchedule.cpp - the schedule nobody wrote --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/DefaultSchedule.h"

#include "passes/schedule/KernelTree.h"
#include "passes/schedule/PassKernel.h"
#include "passes/schedule/RecurrenceKernel.h"
#include "passes/schedule/ScatterSchedule.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using poly::Binding;
using poly::makeNode;
using poly::Node;
using poly::NodePtr;
using poly::Scop;

namespace {

/// Makes the kernels of the groups and puts them into the loops of time.
class TreeBuilder {
public:
  TreeBuilder(const Scop &scop, const target::GpuTarget &target,
              const MemoryOrders &memory,
              const std::vector<FusionGroup> &groups, size_t firstNumber)
      : scop(scop), target(target), memory(memory), groups(groups),
        number(firstNumber) {}

  std::optional<ChosenKernels> run(unsigned depth) {
    Node root;
    addFilters(root, 0, groups.size(), depth);
    if (failed)
      return std::nullopt;
    result.filters = std::move(root.children);
    return std::move(result);
  }
  /// The pass whose kernel could not be made.
  std::optional<unsigned> failed;

private:
  /// Groups [first, end), all in the same `depth` time loops.
  void addFilters(Node &sequence, size_t first, size_t end, unsigned depth) {
    for (size_t g = first; g < end && !failed;) {
      const std::vector<unsigned> &loops = groups[g].loops;
      if (loops.size() == depth) {
        if (NodePtr made = kernel(groups[g++]))
          sequence.children.push_back(std::move(made));
        continue;
      }
      size_t last = g;
      while (last < end && groups[last].loops.size() > depth &&
             groups[last].loops[depth] == loops[depth])
        ++last;
      sequence.children.push_back(timeLoop(g, last, depth));
      g = last;
    }
  }

  NodePtr timeLoop(size_t first, size_t end, unsigned depth) {
    std::vector<unsigned> statements;
    for (size_t g = first; g < end; ++g)
      for (const Unit &unit : groups[g].units)
        statements.insert(statements.end(), unit.statements.begin(),
                          unit.statements.end());
    std::sort(statements.begin(), statements.end());
    NodePtr below = makeNode(Node::Kind::Sequence, statements);
    addFilters(*below, first, end, depth + 1);
    NodePtr band = makeNode(Node::Kind::Band, statements);
    // No dim's name with an `o` or `i` behind it ends like this.
    band->members.push_back(member(
        scop.loops[groups[first].loops[depth]].name + "_turn", Binding::Time,
        false,
        std::vector<poly::Digit>(statements.size(), digit(depth, 1, 0))));
    band->children.push_back(std::move(below));
    NodePtr filter = makeNode(Node::Kind::Filter, statements);
    filter->children.push_back(std::move(band));
    return filter;
  }

  NodePtr kernel(const FusionGroup &group) {
    KernelReason reason;
    std::string name = scop.name + "__" + std::to_string(number++);
    NodePtr made;
    if (!group.pass)
      made = chooseKernel(scop, target, memory, group, name, reason);
    else if (auto pass = passKernel(scop, target, memory, group, name, reason))
      made = std::move(*pass);
    else
      failed = group.pass;
    result.reasons.push_back(std::move(reason));
    return made;
  }

  const Scop &scop;
  const target::GpuTarget &target;
  const MemoryOrders &memory;
  const std::vector<FusionGroup> &groups;
  size_t number;
  ChosenKernels result;
};

} // namespace

NodePtr girih::schedule::chooseKernel(const Scop &scop,
                                      const target::GpuTarget &target,
                                      const MemoryOrders &memory,
                                      const FusionGroup &group,
                                      const std::string &name,
                                      KernelReason &reason) {
  reason.kernel = name;
  std::string fused;
  for (const Unit &unit : group.units)
    fused +=
        (fused.empty() ? "" : ", ") +
        scop.arrays[scop.statements[unit.statements.back()].write().array].name;
  NodePtr made;
  unsigned first = group.units[0].statements[0], threads = 0;
  std::vector<std::string> why;
  if (readsOwnElements(scop.statements[first])) {
    RecurrenceKernel recurrence = buildRecurrence(scop, first, reason.kernel);
    threads = recurrence.threads;
    why = std::move(recurrence.why);
    made = std::move(recurrence.filter);
  } else if (isOrderedScatter(scop, group)) {
    TileChoice choice;
    made = scatterKernel(scop, first, reason.kernel, choice);
    threads = choice.threads;
    why = std::move(choice.why);
  } else {
    TileChoice choice = chooseTiles(scop, group, target, memory);
    made = buildKernel(scop, group, choice, memory, reason.kernel);
    threads = choice.threads;
    why = std::move(choice.why);
  }
  reason.lines.push_back("computes " + fused + " with " +
                         std::to_string(threads) +
                         (threads == 1 ? " thread" : " threads") + " a block");
  for (std::string &line : why)
    reason.lines.push_back(std::move(line));
  return made;
}

ChosenKernels girih::schedule::chooseKernels(const Scop &scop,
                                             const target::GpuTarget &target,
                                             const MemoryOrders &memory,
                                             const std::vector<Unit> &units,
                                             size_t firstNumber,
                                             unsigned depth) {
  std::set<unsigned> apart;
  while (true) {
    std::vector<FusionGroup> groups = groupUnits(scop, units, apart);
    TreeBuilder builder(scop, target, memory, groups, firstNumber);
    if (std::optional<ChosenKernels> made = builder.run(depth))
      return std::move(*made);
    apart.insert(*builder.failed);
  }
}

DefaultSchedule girih::schedule::chooseSchedule(const Scop &scop,
                                                const target::GpuTarget &target,
                                                const MemoryOrders &memory) {
  ChosenKernels chosen =
      chooseKernels(scop, target, memory, findUnits(scop), /*firstNumber=*/0);
  std::vector<unsigned> all(scop.statements.size());
  for (unsigned s = 0; s < all.size(); ++s)
    all[s] = s;
  DefaultSchedule result;
  result.tree.root = makeNode(Node::Kind::Sequence, all);
  result.tree.root->children = std::move(chosen.filters);
  result.reasons = std::move(chosen.reasons);
  return result;
}
