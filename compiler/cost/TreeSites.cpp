//===- TreeSites.cpp - the tiles of one kernel ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/TreeSites.h"

using namespace girih;
using namespace girih::cost;
using poly::Node;

namespace {

bool gather(const poly::Scop &scop, const Node &node,
            std::vector<const Node *> &stages, KernelSites &to,
            std::string &why) {
  if (node.kind == Node::Kind::Stage)
    stages.push_back(&node);
  if (node.kind == Node::Kind::Tile) {
    Site site;
    site.statement = node.statements.front();
    site.tile = &node;
    site.stages = stages;
    std::optional<layout::Layout> layout =
        layout::parseLayout(node.tile.layout, why);
    if (!layout) {
      why = "the layout of '" + scop.statements[site.statement].name +
            "': " + why;
      return false;
    }
    site.layout = std::move(*layout);
    to.sites.push_back(std::move(site));
  } else {
    for (const poly::NodePtr &child : node.children)
      if (!gather(scop, *child, stages, to, why))
        return false;
  }
  if (node.kind == Node::Kind::Stage)
    stages.pop_back();
  return true;
}

} // namespace

std::optional<KernelSites> girih::cost::sitesOf(const poly::Scop &scop,
                                                const Node &kernel,
                                                std::string &why) {
  KernelSites result;
  result.kernel = &kernel;
  result.arrays = poly::findKernelArrays(scop, kernel);
  std::vector<const Node *> stages;
  if (!gather(scop, kernel, stages, result, why))
    return std::nullopt;
  return result;
}

bool KernelSites::isFirstReader(const poly::Scop &scop, unsigned array,
                                size_t s) const {
  return std::none_of(
      sites.begin(), sites.begin() + s, [&](const Site &earlier) {
        const std::vector<poly::Access> &accesses =
            scop.statements[earlier.statement].accesses;
        return std::any_of(accesses.begin(), accesses.end(),
                           [&](const poly::Access &access) {
                             return !access.isWrite && access.isExact() &&
                                    access.array == array;
                           });
      });
}

const Node *Site::stageOf(const poly::Scop &scop, size_t access) const {
  const poly::Statement &model = scop.statements[statement];
  if (model.kind != poly::StatementKind::Map)
    return access < stages.size() ? stages[access] : nullptr;
  for (const Node *stage : stages)
    if (stage->stage.array == model.accesses[access].array)
      return stage;
  return nullptr;
}

std::optional<layout::Layout> girih::cost::stagedLayout(
    const poly::Statement &statement, const poly::Access &access,
    const poly::StageMark &mark, const layout::Layout &tile) {
  std::string why;
  std::optional<layout::Layout> copy = layout::parseLayout(mark.layout, why);
  if (!copy)
    return copy;
  const std::vector<int> dims = stagedDims(statement, access);
  layout::Layout layout = tile;
  auto rename = [&](std::vector<layout::Digit> digits) {
    for (layout::Digit &digit : digits)
      if (digit.dim >= 0)
        digit.dim = dims[digit.dim];
    return digits;
  };
  layout.registers = rename(copy->registers);
  layout.threads = rename(copy->threads);
  return layout;
}

std::vector<int> girih::cost::stagedDims(const poly::Statement &statement,
                                         const poly::Access &access) {
  std::vector<int> dims;
  for (const poly::Affine &subscript : access.subscripts) {
    int dim = -1;
    for (unsigned d = 0; d < statement.dims.size(); ++d)
      if (subscript.dimCoefficient(d) == 1)
        dim = int(d);
    dims.push_back(dim);
  }
  return dims;
}

int64_t girih::cost::powerOfTwoFrom(int64_t count) {
  int64_t power = 1;
  while (power < count)
    power *= 2;
  return power;
}

layout::Layout girih::cost::cellLayout(layout::Layout layout, int64_t cells) {
  int axis = int(layout.rank());
  layout.shape.push_back(cells);
  int64_t stride = 1, left = cells;
  std::vector<layout::Digit> threads;
  for (layout::Digit digit : layout.threads) {
    if (digit.dim >= 0 || left == 1) {
      threads.push_back(digit);
      continue;
    }
    int64_t taken = std::min(digit.count, left);
    threads.push_back({taken, axis, stride});
    if (digit.count > taken) {
      digit.count /= taken;
      threads.push_back(digit);
    }
    stride *= taken;
    left /= taken;
  }
  layout.threads = std::move(threads);
  if (left > 1)
    layout.registers.push_back({left, axis, stride});
  return layout;
}
