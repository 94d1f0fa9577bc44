//===- BudgetCheck.cpp - schedules that ask for too much memory -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/BudgetCheck.h"

#include "compiler/frontend/Schedules.h"
#include "compiler/pipeline/CostText.h"
#include "compiler/pipeline/ScheduleDriver.h"
#include "compiler/pipeline/Search.h"
#include "passes/schedule/TreeEdit.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace girih;
using namespace girih::pipeline;
using cost::KernelCost;
using poly::Node;

namespace {

/// Slots of a stage, by array.
using Depths = std::map<unsigned, int64_t>;

/// The first staged tile below a node, with its stages.
const Node *stagedTile(const Node &node, std::vector<const Node *> &stages) {
  if (node.kind == Node::Kind::Stage)
    stages.push_back(&node);
  if (node.kind == Node::Kind::Tile && !stages.empty())
    return &node;
  for (const poly::NodePtr &child : node.children)
    if (const Node *found = stagedTile(*child, stages))
      return found;
  if (node.kind == Node::Kind::Stage)
    stages.pop_back();
  return nullptr;
}

class BudgetCheck {
public:
  BudgetCheck(CompileState &state, Depths depths)
      : state(state), scop(state.scop->scop), depths(std::move(depths)) {}

  /// The kernels' threads, buffers and registers, with their depths.
  std::optional<std::vector<KernelCost>>
  kernelsOf(const poly::ScheduleTree &tree) const {
    std::string why;
    auto kernels = cost::budgetsOf(scop, tree, why);
    if (!kernels)
      return std::nullopt;
    const std::vector<const Node *> nodes = poly::kernelsOf(tree);
    for (size_t k = 0; k < kernels->size(); ++k) {
      std::vector<const Node *> stages;
      if (!stagedTile(*nodes[k], stages))
        continue;
      for (size_t operand = 0; operand < stages.size(); ++operand) {
        unsigned array = stages[operand]->stage.array;
        auto depth = depths.find(array);
        if (depth == depths.end())
          continue;
        std::string name = scop.arrays[array].name + std::to_string(operand);
        for (cost::Buffer &buffer : (*kernels)[k].buffers)
          if (buffer.name == name) {
            buffer.elementBytes = scop.arrays[array].elementBytes;
            buffer.rowPadding = 0;
            buffer.slots = depth->second;
          }
      }
    }
    return kernels;
  }

  /// Reports the first kernel that does not fit.
  bool run(const poly::ScheduleTree &tree, const SourceRange &at) {
    auto kernels = kernelsOf(tree);
    if (!kernels)
      return true;
    const std::vector<const Node *> nodes = poly::kernelsOf(tree);
    int64_t most = state.target->maxSharedBytesPerBlock;
    for (size_t k = 0; k < kernels->size(); ++k) {
      const KernelCost &kernel = (*kernels)[k];
      if (kernel.sharedBytes() <= most)
        continue;
      std::vector<const Node *> stages;
      const Node *tile = stagedTile(*nodes[k], stages);
      std::string nearest;
      if (tile && tile->tile.shape.size() >= 3)
        nearest =
            nearestFit(tile->statements.front(),
                       llvm::ArrayRef<int64_t>(tile->tile.shape).take_back(3));
      report("kernel '" + kernel.name + "' needs ", kernel, at, nearest);
      return false;
    }
    return true;
  }

  /// Of the search's candidates for the product the one that fits and differs
  /// least from the tile that was asked for: rows, columns, step.
  std::string nearestFit(unsigned statement, llvm::ArrayRef<int64_t> asked) {
    schedule::MemoryOrders memory = memoryOrders(state);
    std::string nearest;
    double least = 0;
    for (const schedule::FusionGroup &group : schedule::groupUnits(scop)) {
      std::vector<unsigned> all;
      for (const schedule::Unit &unit : group.units)
        all.insert(all.end(), unit.statements.begin(), unit.statements.end());
      llvm::sort(all);
      if (!llvm::is_contained(all, statement) ||
          !schedule::hasTileChoices(scop, group))
        continue;
      for (const schedule::TileCandidate &candidate :
           schedule::tileCandidates(scop, group, *state.target)) {
        if (candidate.tile.size() < 2 || candidate.step == 0 ||
            candidate.choice.threads > state.target->maxThreadsPerBlock)
          continue;
        const int64_t own[] = {candidate.tile[candidate.tile.size() - 2],
                               candidate.tile.back(), candidate.step};
        double ratio = 1;
        for (size_t d = 0; d < 3; ++d)
          ratio *= double(std::max(own[d], asked[d])) /
                   double(std::min(own[d], asked[d]));
        if (!nearest.empty() && ratio >= least)
          continue;
        poly::ScheduleTree tree;
        tree.root = poly::makeNode(Node::Kind::Sequence, all);
        tree.root->children.push_back(schedule::buildKernel(
            scop, group, candidate.choice, memory, "kernel"));
        auto fitting =
            faultOf(scop, *tree.root).empty() ? kernelsOf(tree) : std::nullopt;
        if (!fitting || cost::excessOf(fitting->front(), *state.target))
          continue;
        least = ratio;
        nearest = candidate.text() + ": " +
                  std::to_string(fitting->front().sharedBytes()) + " bytes";
      }
    }
    return nearest;
  }

  void report(const std::string &what, const KernelCost &kernel,
              const SourceRange &at, const std::string &nearest) {
    Diagnostic &error = state.diags.error(
        "G0808",
        what + std::to_string(kernel.sharedBytes()) +
            " bytes of shared memory a block; " + state.target->name + " has " +
            std::to_string(state.target->maxSharedBytesPerBlock),
        at);
    for (const cost::Buffer &buffer : kernel.buffers)
      error.note(buffer.name + " " + shapeText(buffer) + ": " +
                 std::to_string(buffer.bytes()) + " bytes");
    if (!nearest.empty())
      error.help("the nearest tile that fits: " + nearest);
  }

private:
  CompileState &state;
  const poly::Scop &scop;
  Depths depths;
};

} // namespace

bool girih::pipeline::checkBudget(CompileState &state,
                                  const ScheduleVersion &version) {
  if (!version.at)
    return true;
  SourceRange at = *version.at;
  if (!version.origins.staged.empty())
    at = version.origins.staged.begin()->second.range;
  return BudgetCheck(state, {}).run(version.tree, at);
}

/// The turns that a tile takes of a dim at once: what is left of it in the
/// loops that are no blocks; of a dim that is summed, below the stage.
static int64_t tileOf(const std::vector<const Node *> &path, const Node *stage,
                      unsigned statement, unsigned dim, bool isSummed) {
  int64_t extent = 1;
  bool isBelow = false;
  for (const Node *node : path) {
    isBelow |= node == stage;
    for (size_t m = 0; m < node->members.size(); ++m) {
      const poly::Digit &digit = poly::digitOf(*node, m, statement);
      if (node->members[m].binding != poly::Binding::Grid &&
          schedule::dimOf(digit) == dim && (isBelow || !isSummed))
        extent = std::max(extent, digit.modulus);
    }
  }
  return extent;
}

bool girih::pipeline::checkStages(CompileState &state,
                                  const frontend::ScheduleDecl &decl) {
  const poly::Scop &scop = state.scop->scop;
  Depths depths;
  std::optional<SourceRange> at;
  std::vector<frontend::Directive> directives = frontend::expandTemplates(decl);
  for (frontend::Directive &directive : directives) {
    if (directive.kind != frontend::DirectiveKind::Stage)
      continue;
    at = directive.range;
    for (const frontend::DirectiveOption &option : directive.options)
      if (option.key.text == "depth" && option.number)
        for (const frontend::Name &name : directive.tensors)
          for (unsigned array = 0; array < scop.arrays.size(); ++array)
            if (scop.arrays[array].name == name.text &&
                option.number->value() > 1)
              depths[array] = option.number->value();
    llvm::erase_if(directive.options, [](const auto &option) {
      return option.key.text == "depth";
    });
  }
  if (!at)
    return true;
  // Loops as the directives leave them; what they are refused for is said where
  // they are applied.
  Diagnostics said;
  schedule::ScheduleModel model = makeModel(state);
  for (const frontend::Directive &directive : directives)
    if (directive.kind != frontend::DirectiveKind::Cascade &&
        !model.apply(directive, said))
      return true;
  BudgetCheck check(state, depths);
  for (const poly::Reduction &reduction : scop.reductions) {
    const poly::Statement &update = scop.statements[reduction.update];
    const std::vector<const Node *> path =
        poly::pathOf(model.tree(), reduction.update);
    KernelCost kernel;
    std::vector<int64_t> tile(update.dims.size(), 1);
    for (const Node *node : path) {
      if (node->kind != Node::Kind::Stage)
        continue;
      for (unsigned d = 0; d < tile.size(); ++d)
        tile[d] =
            tileOf(path, node, reduction.update, d, d >= reduction.outputEnd);
      const poly::Array &array = scop.arrays[node->stage.array];
      const auto read = llvm::find_if(update.accesses, [&](const auto &access) {
        return access.array == node->stage.array;
      });
      // What is summed comes first, as tiles hold it.
      cost::Buffer buffer;
      buffer.name = array.name;
      buffer.elementBytes = array.elementBytes;
      for (bool isSummed : {true, false})
        for (const poly::Affine &subscript : read->subscripts)
          for (unsigned d = 0; d < tile.size(); ++d)
            if (subscript.dimCoefficient(d) != 0 &&
                (d >= reduction.outputEnd) == isSummed)
              buffer.extents.push_back(tile[d]);
      auto depth = depths.find(node->stage.array);
      if (depth != depths.end()) {
        buffer.slots = depth->second;
      } else {
        // One slot holds operands as they are multiplied.
        buffer.elementBytes = scop.arrays[reduction.accumulator].elementBytes;
        buffer.rowPadding = 4;
        buffer.padsLastRow = false;
      }
      kernel.buffers.push_back(buffer);
    }
    if (kernel.sharedBytes() <= int64_t(state.target->maxSharedBytesPerBlock))
      continue;
    std::string nearest;
    if (tile.size() >= 3)
      nearest = check.nearestFit(reduction.update,
                                 llvm::ArrayRef<int64_t>(tile).take_back(3));
    check.report("the stages of '" + update.name + "' need ", kernel, *at,
                 nearest);
    return false;
  }
  return true;
}
