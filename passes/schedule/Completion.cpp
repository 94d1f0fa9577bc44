//===- Completion.cpp - from a plain tree to kernels and tiles ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Completion.h"

#include "passes/schedule/FusionGroups.h"
#include "passes/schedule/KernelCompletion.h"
#include "passes/schedule/KernelTree.h"

#include <algorithm>
#include <memory>

using namespace girih;
using namespace girih::schedule;
using poly::makeNode;
using poly::Node;
using poly::NodePtr;

namespace {

/// A filter of an outer sequence that directives are about.
struct Asked {
  Node *filter;
  std::unique_ptr<KernelCompletion> kernel;
};

class Completer {
public:
  Completer(const ScheduleModel &model, const CompletionInput &input,
            Diagnostics &diags)
      : model(model), input(input), diags(diags) {}

  std::optional<DefaultSchedule> run() {
    result.tree.root = poly::cloneNode(*model.tree().root);
    prepare(*result.tree.root);
    if (!finish(*result.tree.root))
      return std::nullopt;
    return std::move(result);
  }

private:
  /// Whether no directive is about any family in the filter.
  bool isLeftOpen(const Node &filter) const {
    for (unsigned f : model.facts().touched)
      for (unsigned s : model.families()[f].statements)
        if (std::binary_search(filter.statements.begin(),
                               filter.statements.end(), s))
          return false;
    return true;
  }

  /// A pass that no directive is about runs inside a kernel.
  bool isOpenPass(const Node &filter) const {
    const std::vector<unsigned> &loops =
        input.scop.statements[filter.statements[0]].loops;
    return loops.size() == 1 && input.scop.loops[loops[0]].isPass &&
           isTimeBand(*filter.children[0]) && isLeftOpen(filter);
  }

  void prepare(Node &sequence) {
    for (NodePtr &filter : sequence.children) {
      if (isOpenPass(*filter))
        continue;
      if (isTimeBand(*filter->children[0])) {
        Node &below = *filter->children[0]->children[0];
        if (below.kind == Node::Kind::Sequence)
          prepare(below);
        continue;
      }
      if (isLeftOpen(*filter))
        continue;
      Asked asked{filter.get(), std::make_unique<KernelCompletion>(
                                    input, result.tree, model.facts(), diags)};
      asked.kernel->prepare(*filter);
      kernels.push_back(std::move(asked));
    }
  }

  std::string nextName() const {
    return input.scop.name + "__" + std::to_string(result.reasons.size());
  }

  /// The default schedule's kernels for filters that were left open.
  void addDefaults(std::vector<NodePtr> &filters, std::vector<NodePtr> run) {
    std::vector<Unit> units;
    for (Unit &unit : findUnits(input.scop))
      for (const NodePtr &filter : run)
        if (std::binary_search(filter->statements.begin(),
                               filter->statements.end(), unit.statements[0]))
          units.push_back(unit);
    ChosenKernels chosen = chooseKernels(input.scop, input.target, input.memory,
                                         units, result.reasons.size(), depth);
    for (NodePtr &filter : chosen.filters)
      filters.push_back(std::move(filter));
    for (KernelReason &reason : chosen.reasons)
      result.reasons.push_back(std::move(reason));
  }

  bool finish(Node &sequence) {
    std::vector<NodePtr> filters, open;
    auto flush = [&] {
      if (!open.empty())
        addDefaults(filters, std::move(open));
      open.clear();
    };
    for (NodePtr &filter : sequence.children) {
      if (isOpenPass(*filter)) {
        open.push_back(std::move(filter));
        continue;
      }
      if (isTimeBand(*filter->children[0])) {
        flush();
        Node &band = *filter->children[0];
        if (!finishTurn(band))
          return false;
        filters.push_back(std::move(filter));
        continue;
      }
      if (isLeftOpen(*filter)) {
        open.push_back(std::move(filter));
        continue;
      }
      flush();
      KernelReason reason;
      auto asked =
          std::find_if(kernels.begin(), kernels.end(), [&](const Asked &a) {
            return a.filter == filter.get();
          });
      AskedThreads threads;
      for (auto &[family, count] : model.facts().threads)
        if (std::binary_search(filter->statements.begin(),
                               filter->statements.end(),
                               model.families()[family].statements[0]))
          threads = count;
      if (!asked->kernel->run(*filter, nextName(), threads, reason))
        return false;
      result.reasons.push_back(std::move(reason));
      filters.push_back(std::move(filter));
    }
    flush();
    sequence.children = std::move(filters);
    return true;
  }

  /// What is below the turns of a time loop is a sequence of kernels.
  bool finishTurn(Node &band) {
    band.members[0].name += "_turn";
    NodePtr &below = band.children[0];
    if (below->kind != Node::Kind::Sequence) {
      NodePtr sequence = makeNode(Node::Kind::Sequence, band.statements);
      NodePtr filter = makeNode(Node::Kind::Filter, band.statements);
      filter->children.push_back(std::move(below));
      sequence->children.push_back(std::move(filter));
      below = std::move(sequence);
    }
    ++depth;
    bool finished = finish(*below);
    --depth;
    return finished;
  }

  const ScheduleModel &model;
  const CompletionInput &input;
  Diagnostics &diags;
  DefaultSchedule result;
  std::vector<Asked> kernels;
  unsigned depth = 0; ///< time loops around what is being finished
};

} // namespace

std::optional<DefaultSchedule>
girih::schedule::complete(const ScheduleModel &model,
                          const CompletionInput &input, Diagnostics &diags) {
  return Completer(model, input, diags).run();
}
