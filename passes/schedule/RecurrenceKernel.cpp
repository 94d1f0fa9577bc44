//===- RecurrenceKernel.cpp - a map that reads what it wrote --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/RecurrenceKernel.h"

#include "compiler/layout/Layout.h"
#include "passes/schedule/KernelTree.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using poly::Access;
using poly::Affine;
using poly::Binding;
using poly::Member;
using poly::Node;
using poly::NodePtr;
using poly::Scop;
using poly::Statement;

/// The one dim that `affine` depends on, or -1.
static int onlyDim(const Affine &affine) {
  int found = -1;
  for (unsigned d = 0; d < affine.dims.size(); ++d) {
    if (affine.dims[d] == 0)
      continue;
    if (found >= 0)
      return -1;
    found = d;
  }
  return found;
}

std::vector<unsigned>
girih::schedule::parallelDims(const Statement &statement) {
  const Access &write = statement.write();
  std::vector<unsigned> dims;
  for (unsigned d = statement.loops.size(); d < statement.dims.size(); ++d) {
    // Some subscript says it: the one written and all those read are the same
    // function of this dim alone.
    bool agrees = false;
    for (size_t k = 0; k < write.subscripts.size() && !agrees; ++k)
      agrees =
          onlyDim(write.subscripts[k]) == int(d) &&
          std::all_of(statement.accesses.begin(), statement.accesses.end(),
                      [&](const Access &access) {
                        return access.array != write.array ||
                               (k < access.subscripts.size() &&
                                access.subscripts[k] == write.subscripts[k]);
                      });
    if (agrees)
      dims.push_back(d);
  }
  return dims;
}

/// The parallel dim that lies across the threads: the one that walks memory, or
/// the last.
static int threadDim(const Statement &statement,
                     const std::vector<unsigned> &parallel) {
  if (parallel.empty())
    return -1;
  const std::vector<Affine> &subscripts = statement.write().subscripts;
  int along = subscripts.empty() ? -1 : onlyDim(subscripts.back());
  bool walks = std::find(parallel.begin(), parallel.end(), unsigned(along)) !=
               parallel.end();
  return walks ? along : int(parallel.back());
}

static NodePtr bandOf(unsigned s, std::vector<Member> members, NodePtr below) {
  if (members.empty())
    return below;
  NodePtr band = poly::makeNode(Node::Kind::Band, {s});
  band->members = std::move(members);
  band->children.push_back(std::move(below));
  return band;
}

RecurrenceKernel girih::schedule::buildRecurrence(const Scop &scop, unsigned s,
                                                  const std::string &name) {
  const Statement &statement = scop.statements[s];
  std::vector<unsigned> parallel = parallelDims(statement);
  int across = threadDim(statement, parallel);
  RecurrenceKernel result;
  result.threads = across < 0 ? 1 : 128;

  layout::Layout layout;
  layout.shape.assign(statement.dims.size(), 1);
  if (across >= 0) {
    layout.shape[across] = result.threads;
    layout.threads = {{int64_t(result.threads), across, 1}};
  }
  std::vector<Member> grid, loops, points;
  std::string ordered;
  for (unsigned d = 0; d < statement.dims.size(); ++d) {
    int64_t extent = layout.shape[d];
    points.push_back(
        {statement.dims[d] + "i", Binding::Point, true, {digit(d, 1, extent)}});
    if (d < statement.loops.size())
      continue;
    bool isParallel =
        std::find(parallel.begin(), parallel.end(), d) != parallel.end();
    Member member{statement.dims[d] + "o",
                  isParallel ? Binding::Grid : Binding::Loop,
                  isParallel,
                  {digit(d, extent, 0)}};
    if (!isParallel)
      ordered += (ordered.empty() ? "" : ", ") + statement.dims[d];
    (isParallel ? grid : loops).push_back(std::move(member));
  }
  NodePtr leaf = poly::makeNode(Node::Kind::Leaf, {s});
  NodePtr tile = poly::makeNode(Node::Kind::Tile, {s});
  tile->tile.shape = layout.shape;
  tile->tile.layout = layout::print(layout);
  tile->children.push_back(bandOf(s, std::move(points), std::move(leaf)));

  NodePtr kernel = poly::makeNode(Node::Kind::Kernel, {s});
  kernel->kernel.name = name;
  kernel->kernel.threads = result.threads;
  unsigned array = statement.write().array;
  kernel->kernel.places = {{array, poly::isResult(scop.arrays[array].role)
                                       ? poly::Place::Global
                                       : poly::Place::Workspace}};
  kernel->children.push_back(
      bandOf(s, std::move(grid), bandOf(s, std::move(loops), std::move(tile))));
  result.filter = poly::makeNode(Node::Kind::Filter, {s});
  result.filter->children.push_back(std::move(kernel));
  result.why.push_back(
      "reads what it wrote: " + ordered + " in order" +
      (across < 0 ? ", one element after the other in one thread"
                  : ", a thread a value of " + statement.dims[across]));
  return result;
}
