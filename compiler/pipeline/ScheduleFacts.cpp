//===- ScheduleFacts.cpp - what a schedule does, loop by loop -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/ScheduleFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace girih;
using namespace girih::pipeline;
using poly::Binding;
using poly::Node;
using poly::Scop;

namespace {

const char *howOf(const poly::Member &member) {
  switch (member.binding) {
  case Binding::Grid:
    return "over blocks";
  case Binding::Point:
    return member.coincident ? "in the tile" : "in the tile, in order";
  case Binding::Time:
    return "as turns in time";
  case Binding::Thread:
    return "over threads";
  case Binding::Vector:
    return "as a vector";
  case Binding::Unroll:
    return "unrolled";
  case Binding::Loop:
    return member.coincident ? "as a loop, parallel" : "as a loop";
  }
  return "";
}

void append(std::string &text, const std::string &more) {
  text += (text.empty() ? "" : ", ") + more;
}

std::string printShape(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    append(text, std::to_string(extent));
  return "[" + text + "]";
}

/// Names say nothing about what runs: a loop is called by what it counts for
/// its first statement, a kernel by its number.
void rename(const Scop &scop, Node &node, unsigned &kernels) {
  if (node.kind == Node::Kind::Kernel)
    node.kernel.name = "kernel_" + std::to_string(kernels++);
  for (size_t m = 0; m < node.members.size(); ++m) {
    unsigned first = node.statements.front();
    node.members[m].name =
        poly::printDigit(scop, first, poly::digitOf(node, m, first));
  }
  for (poly::NodePtr &child : node.children)
    rename(scop, *child, kernels);
}

/// The number of loops around both: members of the nodes that paths share.
unsigned sharedLoops(const std::vector<const Node *> &a,
                     const std::vector<const Node *> &b) {
  unsigned count = 0;
  for (size_t n = 0; n < std::min(a.size(), b.size()) && a[n] == b[n]; ++n)
    count += static_cast<unsigned>(a[n]->members.size());
  return count;
}

StatementFacts statementFacts(const Scop &scop, unsigned s,
                              const std::vector<const Node *> &path) {
  StatementFacts facts;
  facts.name = scop.statements[s].name;
  for (const Node *node : path) {
    for (size_t m = 0; m < node->members.size(); ++m) {
      const poly::Digit &digit = poly::digitOf(*node, m, s);
      std::string text = poly::printDigit(scop, s, digit);
      std::string whole = poly::printDigit(scop, s, {digit.value, 1, 0});
      append(facts.loops[whole], text + " " + howOf(node->members[m]));
      append(facts.order, text);
    }
    if (node->kind == Node::Kind::Kernel) {
      for (unsigned other : node->statements)
        facts.kernel.push_back(scop.statements[other].name);
      facts.threads = std::to_string(node->kernel.threads);
    } else if (node->kind == Node::Kind::Tile) {
      facts.tile = printShape(node->tile.shape);
      facts.layout = node->tile.layout;
    } else if (node->kind == Node::Kind::Stage) {
      append(facts.stages, scop.arrays[node->stage.array].name + " as " +
                               printShape(node->stage.shape) + " by " +
                               node->stage.layout);
    }
  }
  return facts;
}

} // namespace

ScheduleFacts girih::pipeline::factsOf(const Scop &scop,
                                       const poly::ScheduleTree &tree) {
  ScheduleFacts facts;
  std::vector<const Node *> before;
  for (unsigned s = 0; s < scop.statements.size(); ++s) {
    std::vector<const Node *> path = poly::pathOf(tree, s);
    facts.statements.push_back(statementFacts(scop, s, path));
    facts.statements.back().shared = sharedLoops(before, path);
    before = std::move(path);
  }
  constexpr const char *kPlaces[] = {"global memory", "the workspace",
                                     "shared memory", "registers"};
  std::vector<const Node *> kernels = poly::kernelsOf(tree);
  for (const Node *kernel : kernels)
    for (const poly::KernelMark::ArrayPlace &place : kernel->kernel.places) {
      std::string &known = facts.places[scop.arrays[place.array].name];
      std::string where = kPlaces[size_t(place.place)];
      // In several kernels mostly the same.
      if (!llvm::StringRef(known).contains(where))
        append(known, where);
    }
  facts.launches = std::to_string(kernels.size());
  for (const poly::TimeLoop &loop : scop.loops)
    facts.launches += ", repeated over " + loop.name;
  poly::ScheduleTree renamed{poly::cloneNode(*tree.root)};
  unsigned count = 0;
  rename(scop, *renamed.root, count);
  facts.tree = poly::printScheduleTree(scop, renamed);
  facts.nest = poly::printNest(scop, renamed);
  return facts;
}
