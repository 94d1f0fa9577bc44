//===- ScatterSchedule.cpp - kernels of ordered scatters ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/ScatterSchedule.h"

#include "passes/schedule/KernelTree.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using layout::Layout;
using poly::Affine;
using poly::Binding;
using poly::makeNode;
using poly::Node;
using poly::NodePtr;

/// Instances of the last ordered dim that a thread reads ahead of its chain.
static constexpr int64_t kStep = 8;
static constexpr int64_t kThreads = 128, kWarp = 32;

bool girih::schedule::isOrderedScatter(const poly::Scop &scop,
                                       const FusionGroup &group) {
  return isScatter(scop, group.units[0]) &&
         !scop.statements[group.units[0].statements[0]].unordered;
}

NodePtr girih::schedule::scatterKernel(const poly::Scop &scop, unsigned s,
                                       const std::string &name,
                                       TileChoice &choice) {
  const poly::Statement &statement = scop.statements[s];
  const poly::Access &place = statement.write();
  unsigned rank = statement.dims.size();
  // Instances that differ in such a dim never meet.
  std::vector<bool> apart(rank, false);
  for (unsigned dim = 0; dim < place.subscripts.size(); ++dim)
    for (unsigned d = 0; d < rank; ++d)
      if (!place.isAny(dim) && place.subscripts[dim] == Affine::dim(d))
        apart[d] = true;
  int across = -1, along = -1;
  for (unsigned d = 0; d < rank; ++d)
    (apart[d] ? across : along) = int(d);
  choice.threads = across >= 0 ? kThreads : kWarp;

  Layout layout;
  layout.shape.assign(rank, 1);
  if (along >= 0) {
    layout.shape[along] = kStep;
    layout.registers.push_back({kStep, along, 1});
  }
  if (across >= 0) {
    layout.shape[across] = kThreads;
    layout.threads.push_back({kThreads, across, 1});
  } else {
    layout.threads.push_back({kWarp, -1, 0});
  }

  NodePtr points = makeNode(Node::Kind::Band, {s});
  NodePtr loops = makeNode(Node::Kind::Band, {s});
  NodePtr grid = makeNode(Node::Kind::Band, {s});
  for (unsigned d = 0; d < rank; ++d) {
    int64_t size = layout.shape[d];
    points->members.push_back(member(statement.dims[d] + "i", Binding::Point,
                                     apart[d], {digit(d, 1, size)}));
    Node &outer = apart[d] ? *grid : *loops;
    outer.members.push_back(member(statement.dims[d] + "o",
                                   apart[d] ? Binding::Grid : Binding::Loop,
                                   apart[d], {digit(d, size, 0)}));
  }
  NodePtr tree = makeNode(Node::Kind::Leaf, {s});
  auto around = [&](NodePtr node) {
    node->children.push_back(std::move(tree));
    tree = std::move(node);
  };
  if (rank > 0)
    around(std::move(points));
  NodePtr tile = makeNode(Node::Kind::Tile, {s});
  tile->tile.shape = layout.shape;
  tile->tile.layout = layout::print(layout);
  around(std::move(tile));
  for (NodePtr *band : {&loops, &grid})
    if (!(*band)->members.empty())
      around(std::move(*band));
  NodePtr kernel = makeNode(Node::Kind::Kernel, {s});
  kernel->kernel.name = name;
  kernel->kernel.threads = choice.threads;
  bool isOutput = poly::isResult(scop.arrays[place.array].role);
  kernel->kernel.places.push_back(
      {place.array, isOutput ? poly::Place::Global : poly::Place::Workspace});
  around(std::move(kernel));
  around(makeNode(Node::Kind::Filter, {s}));
  choice.why.push_back(
      across >= 0 ? "data decide the places: a thread a value of '" +
                        statement.dims[across] + "' takes the others in order"
                  : "data decide the places: one thread takes them in order");
  return tree;
}
