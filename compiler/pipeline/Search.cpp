//===- Search.cpp - the best of many schedules, without a GPU -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Search.h"

#include "compiler/frontend/Schedules.h"
#include "compiler/pipeline/CostView.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/ScheduleDriver.h"
#include "passes/schedule/Completion.h"
#include "passes/schedule/DirectiveBuilder.h"
#include "passes/schedule/DirectiveList.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <map>
#include <queue>
#include <set>

using namespace girih;
using namespace girih::pipeline;
using poly::Node;
using poly::NodePtr;
using schedule::FusionGroup;

std::string girih::pipeline::faultOf(const poly::Scop &scop, const Node &node) {
  if (node.kind == Node::Kind::Stage && node.stage.layout.empty())
    return "the threads cannot share the copy of '" +
           scop.arrays[node.stage.array].name + "' evenly";
  for (const NodePtr &child : node.children)
    if (std::string fault = faultOf(scop, *child); !fault.empty())
      return fault;
  return "";
}

namespace {

std::vector<unsigned> statementsOf(const FusionGroup &group) {
  std::vector<unsigned> statements;
  for (const schedule::Unit &unit : group.units)
    statements.insert(statements.end(), unit.statements.begin(),
                      unit.statements.end());
  llvm::sort(statements);
  return statements;
}

class Searcher {
public:
  explicit Searcher(CompileState &state)
      : state(state), scop(state.scop->scop), memory(memoryOrders(state)),
        work(statementWork(state)) {}

  Found run() {
    auto start = std::chrono::steady_clock::now();
    tree = schedule::chooseSchedule(scop, *state.target, memory).tree;
    std::string why;
    if (auto plan = cost::costOf(scop, tree, {}, why, &work, &memo))
      chosen = std::move(*plan);
    for (const schedule::KernelCut &cut : schedule::kernelCuts(scop))
      addPlan(cut);
    std::stable_sort(found.plans.begin(), found.plans.end(),
                     [](const FoundPlan &a, const FoundPlan &b) {
                       if (a.isPossible != b.isPossible)
                         return a.isPossible;
                       return cost::stepOf(a.time) < cost::stepOf(b.time);
                     });
    if (found.candidates == found.kernels.size())
      found.nothing = "its kernels run loops in time or in an order of their "
                      "own, whose tiles are fixed";
    std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    found.milliseconds = spent.count();
    return std::move(found);
  }

private:
  void addPlan(const schedule::KernelCut &cut) {
    FoundPlan plan;
    plan.cuts = cut.cuts;
    for (const FusionGroup &group : cut.groups) {
      size_t number = kernelOf(group);
      plan.kernels.push_back(number);
      const FoundTile *best = found.kernels[number].best();
      plan.isPossible &= best != nullptr;
      if (!best)
        continue;
      plan.time += best->time.total();
      plan.bytes += best->cost.bytes();
    }
    // Cuts at places between which nothing was shared give the same kernels.
    for (const FoundPlan &other : found.plans)
      if (other.kernels == plan.kernels)
        return;
    found.plans.push_back(std::move(plan));
  }

  size_t kernelOf(const FusionGroup &group) {
    auto [place, isNew] =
        known.try_emplace(statementsOf(group), found.kernels.size());
    if (!isNew)
      return place->second;
    FoundKernel kernel;
    kernel.group = group;
    kernel.tensors = schedule::tensorsOf(scop, group);
    if (schedule::hasTileChoices(scop, group)) {
      const FoundKernel *like = likeKernel(group);
      for (schedule::TileCandidate &candidate :
           schedule::tileCandidates(scop, group, *state.target))
        if (!like || candidate.isDefault || isAmongBest(*like, candidate))
          kernel.tiles.push_back(judge(group, std::move(candidate)));
    } else
      kernel.tiles.push_back(asChosen(group));
    std::stable_sort(kernel.tiles.begin(), kernel.tiles.end(),
                     [](const FoundTile &a, const FoundTile &b) {
                       if (a.isKept() != b.isKept() || !a.isKept())
                         return a.isKept() && !b.isKept();
                       return isBetter(a, b);
                     });
    found.candidates += kernel.tiles.size();
    found.kept += llvm::count_if(
        kernel.tiles, [](const FoundTile &tile) { return tile.isKept(); });
    found.kernels.push_back(std::move(kernel));
    return found.kernels.size() - 1;
  }

  /// By time; where it is the same, by bytes, by shared memory, by registers.
  /// Times are compared in steps, so that the order is one.
  static bool isBetter(const FoundTile &a, const FoundTile &b) {
    auto key = [](const FoundTile &tile) {
      return std::tuple(cost::stepOf(tile.time.total()), tile.cost.bytes(),
                        tile.cost.sharedBytes(), tile.cost.registers,
                        !tile.candidate.isDefault);
    };
    return key(a) < key(b);
  }

  /// A kernel with the same product, whose tiles were all looked at. What else
  /// a kernel does changes little of which of them are good.
  const FoundKernel *likeKernel(const FusionGroup &group) const {
    for (const schedule::Unit &unit : group.units)
      if (schedule::isContraction(scop, unit))
        for (const FoundKernel &kernel : found.kernels)
          for (const schedule::Unit &other : kernel.group.units)
            if (other.statements == unit.statements)
              return &kernel;
    return nullptr;
  }

  static bool isAmongBest(const FoundKernel &kernel,
                          const schedule::TileCandidate &candidate) {
    constexpr size_t kBest = 32;
    for (size_t t = 0; t < std::min(kBest, kernel.tiles.size()); ++t) {
      const schedule::TileCandidate &own = kernel.tiles[t].candidate;
      if (kernel.tiles[t].isKept() && own.tile == candidate.tile &&
          own.perThread == candidate.perThread && own.step == candidate.step)
        return true;
    }
    return false;
  }

  FoundTile judge(const FusionGroup &group, schedule::TileCandidate candidate) {
    FoundTile tile;
    tile.cost.threads = candidate.choice.threads;
    // What is known before there is a tree.
    tile.excess = cost::excessOf(tile.cost, *state.target);
    if (!tile.excess && candidate.choice.style == schedule::Style::Contraction)
      tile.excess = accumulatorExcess(candidate);
    if (!tile.excess) {
      poly::ScheduleTree tree;
      tree.root = poly::makeNode(Node::Kind::Sequence, statementsOf(group));
      tree.root->children.push_back(schedule::buildKernel(
          scop, group, candidate.choice, memory, scop.name + "__0"));
      tile.dropped = faultOf(scop, *tree.root);
      std::string why;
      std::optional<cost::Plan> plan;
      if (tile.dropped.empty() &&
          !(plan = cost::costOf(scop, tree, {}, why, &work, &memo)))
        tile.dropped = why;
      if (plan) {
        tile.cost = std::move(plan->kernels.front());
        tile.excess = cost::excessOf(tile.cost, *state.target);
      }
    }
    // Registers are an estimate: the tile that is compiled without a search
    // stays in it.
    if (tile.excess && tile.excess->resource == "registers" &&
        candidate.isDefault && !tile.cost.traffic.empty())
      tile.excess.reset();
    if (tile.excess)
      tile.dropped = tile.excess->text();
    else if (tile.dropped.empty())
      tile.time = cost::predictTime(tile.cost, *state.target);
    tile.candidate = std::move(candidate);
    return tile;
  }

  /// Accumulators alone may take more registers than there are.
  std::optional<cost::Excess>
  accumulatorExcess(const schedule::TileCandidate &candidate) const {
    int64_t words = 1;
    for (int64_t extent : candidate.perThread)
      words *= extent;
    int64_t most = cost::registersFor(*state.target, candidate.choice.threads);
    if (words < most)
      return std::nullopt;
    return cost::Excess{"registers", words, most};
  }

  /// A kernel that has no choices: as the default schedule has it.
  FoundTile asChosen(const FusionGroup &group) {
    FoundTile tile;
    tile.candidate.isDefault = true;
    std::vector<unsigned> statements = statementsOf(group);
    const std::vector<const Node *> kernels = poly::kernelsOf(tree);
    tile.dropped = "it is in no kernel of its own";
    for (size_t k = 0; k < kernels.size() && k < chosen.kernels.size(); ++k) {
      if (kernels[k]->statements != statements)
        continue;
      tile.cost = chosen.kernels[k];
      tile.candidate.choice.threads = tile.cost.threads;
      tile.time = cost::predictTime(tile.cost, *state.target);
      tile.dropped.clear();
    }
    return tile;
  }

  CompileState &state;
  const poly::Scop &scop;
  schedule::MemoryOrders memory;
  cost::StatementWork work;
  cost::CountMemo memo;
  poly::ScheduleTree tree; ///< the default one
  cost::Plan chosen;       ///< what it costs
  Found found;
  std::map<std::vector<unsigned>, size_t> known;
};

} // namespace

Found girih::pipeline::search(CompileState &state) {
  return Searcher(state).run();
}

std::vector<Choice> girih::pipeline::bestChoices(const Found &found,
                                                 size_t most) {
  auto timeOf = [&](Choice &choice) {
    const FoundPlan &plan = found.plans[choice.plan];
    choice.time = 0;
    for (size_t k = 0; k < choice.tiles.size(); ++k)
      choice.time +=
          found.kernels[plan.kernels[k]].tiles[choice.tiles[k]].time.total();
  };
  // The best first; of equals the one that was found first.
  using Entry = std::pair<size_t, Choice>;
  auto isLater = [](const Entry &a, const Entry &b) {
    return std::pair(cost::stepOf(a.second.time), a.first) >
           std::pair(cost::stepOf(b.second.time), b.first);
  };
  std::priority_queue<Entry, std::vector<Entry>, decltype(isLater)> open(
      isLater);
  std::set<std::pair<size_t, std::vector<size_t>>> seen;
  size_t number = 0;
  auto add = [&](Choice choice) {
    if (!seen.insert({choice.plan, choice.tiles}).second)
      return;
    timeOf(choice);
    open.push({number++, std::move(choice)});
  };
  for (size_t p = 0; p < found.plans.size(); ++p)
    if (found.plans[p].isPossible)
      add({p, std::vector<size_t>(found.plans[p].kernels.size(), 0)});
  std::vector<Choice> best;
  while (!open.empty() && best.size() < most) {
    Choice choice = open.top().second;
    open.pop();
    // One kernel's next tile at a time reaches every combination.
    for (size_t k = 0; k < choice.tiles.size(); ++k) {
      Choice next = choice;
      const FoundKernel &kernel =
          found.kernels[found.plans[choice.plan].kernels[k]];
      if (++next.tiles[k] < kernel.tiles.size() &&
          kernel.tiles[next.tiles[k]].isKept())
        add(std::move(next));
    }
    best.push_back(std::move(choice));
  }
  return best;
}

static void nameKernels(const poly::Scop &scop, Node &node, size_t &number) {
  if (node.kind == Node::Kind::Kernel)
    node.kernel.name = scop.name + "__" + std::to_string(number++);
  for (NodePtr &child : node.children)
    nameKernels(scop, *child, number);
}

poly::ScheduleTree girih::pipeline::treeOf(CompileState &state,
                                           const Found &found,
                                           const Choice &choice) {
  const poly::Scop &scop = state.scop->scop;
  schedule::MemoryOrders memory = memoryOrders(state);
  // What has no choices stays where the default schedule has it.
  poly::ScheduleTree tree =
      schedule::chooseSchedule(scop, *state.target, memory).tree;
  const FoundPlan &plan = found.plans[choice.plan];
  std::vector<NodePtr> filters;
  for (NodePtr &filter : tree.root->children) {
    std::vector<NodePtr> parts;
    for (size_t k = 0; k < plan.kernels.size(); ++k) {
      const FoundKernel &kernel = found.kernels[plan.kernels[k]];
      std::vector<unsigned> own = statementsOf(kernel.group);
      if (!std::binary_search(filter->statements.begin(),
                              filter->statements.end(), own.front()) ||
          !schedule::hasTileChoices(scop, kernel.group))
        continue;
      parts.push_back(schedule::buildKernel(
          scop, kernel.group, kernel.tiles[choice.tiles[k]].candidate.choice,
          memory, ""));
    }
    if (parts.empty())
      parts.push_back(std::move(filter));
    for (NodePtr &part : parts)
      filters.push_back(std::move(part));
  }
  tree.root->children = std::move(filters);
  size_t number = 0;
  nameKernels(scop, *tree.root, number);
  return tree;
}

std::optional<frontend::ScheduleDecl>
girih::pipeline::scheduleOf(CompileState &state, const poly::ScheduleTree &tree,
                            std::string &why) {
  const poly::Scop &scop = state.scop->scop;
  auto directives = schedule::directivesOf(
      scop, schedule::findFamilies(scop, scop::ownersOf(*state.scop)), tree,
      why);
  if (!directives)
    return std::nullopt;
  frontend::ScheduleDecl decl;
  std::string written = state.program ? writtenName(state) : "";
  decl.op.text = written.empty() ? scop.name : written;
  decl.targets.push_back({state.target->name, {}});
  decl.exact = true;
  for (const te::CascadeRequest &made : state.cascades)
    decl.directives.push_back(schedule::directive::cascade(
        made.tensor + "." + made.index, made.block));
  decl.directives.insert(decl.directives.end(), directives->begin(),
                         directives->end());
  return decl;
}

std::optional<cost::Plan>
girih::pipeline::prove(CompileState &state, const frontend::ScheduleDecl &decl,
                       std::string &why) {
  const poly::Scop &scop = state.scop->scop;
  Diagnostics said;
  schedule::ScheduleModel model = makeModel(state);
  for (const frontend::Directive &directive : decl.directives) {
    // A cascade was made before there were loops.
    if (directive.kind == frontend::DirectiveKind::Cascade)
      continue;
    if (!model.apply(directive, said)) {
      why = said.all().front().message;
      return std::nullopt;
    }
  }
  schedule::MemoryOrders memory = memoryOrders(state);
  schedule::CompletionInput input{scop,      *state.dependences, *state.target,
                                  memory,    state.budget(),     decl.exact,
                                  decl.range};
  std::optional<schedule::DefaultSchedule> made =
      schedule::complete(model, input, said);
  if (made && poly::verifyScheduleTree(scop, made->tree, said)) {
    std::vector<poly::Violation> violations = poly::checkLegality(
        scop, *state.dependences, made->tree, state.budget());
    if (violations.empty()) {
      cost::StatementWork work = statementWork(state);
      return cost::costOf(scop, made->tree, {}, why, &work);
    }
    why = violations.front().message;
    return std::nullopt;
  }
  why = said.all().empty() ? "it cannot be completed"
                           : said.all().front().message;
  return std::nullopt;
}

std::vector<ProvedChoice> girih::pipeline::proveBest(CompileState &state,
                                                     const Found &found,
                                                     size_t most,
                                                     std::string &why) {
  // What no directives say is passed over; a handful is worth the time.
  constexpr size_t kMoreTried = 16;
  std::vector<ProvedChoice> proved;
  for (Choice &choice : bestChoices(found, most + kMoreTried)) {
    if (proved.size() == most)
      break;
    poly::ScheduleTree tree = treeOf(state, found, choice);
    std::string own;
    std::optional<frontend::ScheduleDecl> decl = scheduleOf(state, tree, own);
    std::optional<cost::Plan> plan;
    if (decl)
      plan = prove(state, *decl, own);
    if (plan)
      proved.push_back({std::move(choice), std::move(*decl), std::move(*plan)});
    else if (why.empty())
      why = own;
  }
  return proved;
}

std::optional<std::vector<RankedSchedule>>
girih::pipeline::rankSchedules(std::shared_ptr<const SourceFile> source,
                               const CompileOptions &options, size_t most,
                               Diagnostics &diags) {
  CompileOptions wanted = options;
  wanted.last = Phase::Schedule;
  std::vector<RankedSchedule> ranked;
  wanted.inspect = [&](CompileState &state) {
    if (!modelOf(state))
      return;
    Found found = search(state);
    std::string why;
    for (ProvedChoice &proved : proveBest(state, found, most, why)) {
      RankedSchedule entry;
      entry.schedule = frontend::printSchedule(proved.decl);
      entry.time = proved.choice.time;
      entry.bytes = proved.plan.bytes();
      const FoundPlan &plan = found.plans[proved.choice.plan];
      for (size_t k = 0; k < plan.kernels.size(); ++k) {
        const FoundKernel &kernel = found.kernels[plan.kernels[k]];
        entry.tiles += (entry.tiles.empty() ? "" : "; ") + kernel.tensors +
                       ": " +
                       kernel.tiles[proved.choice.tiles[k]].candidate.text();
      }
      ranked.push_back(std::move(entry));
    }
  };
  if (!compile(std::move(source), wanted, diags))
    return std::nullopt;
  return ranked;
}
