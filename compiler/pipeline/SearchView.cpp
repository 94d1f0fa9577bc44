//===- SearchView.cpp - what a search found, for people -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/SearchView.h"

#include "compiler/frontend/Schedules.h"
#include "compiler/pipeline/CostText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace girih;
using namespace girih::pipeline;
namespace js = llvm::json;

const std::vector<std::string> &girih::pipeline::searchViews() {
  static const std::vector<std::string> names = {"tiles", "plans"};
  return names;
}

/// Whether the figures of the proved tree are those that the search ranked by.
static bool isAsPredicted(const Found &found, const ProvedChoice &proved) {
  const FoundPlan &plan = found.plans[proved.choice.plan];
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    const cost::KernelCost &ranked =
        found.kernels[plan.kernels[k]].tiles[proved.choice.tiles[k]].cost;
    // Directives may divide what the default schedule runs in time.
    bool isFound =
        llvm::any_of(proved.plan.kernels, [&](const cost::KernelCost &kernel) {
          return kernel.bytes() == ranked.bytes() &&
                 kernel.blocks == ranked.blocks &&
                 kernel.threads == ranked.threads &&
                 kernel.sharedBytes() == ranked.sharedBytes();
        });
    if (!isFound)
      return false;
  }
  return true;
}

namespace {

class SearchViewer {
public:
  SearchViewer(CompileState &state, const Found &found, const cost::Plan &plan)
      : state(state), found(found), used(plan) {}

  CostView tiles() {
    std::vector<size_t> shown;
    if (!found.plans.empty())
      shown = found.plans.front().kernels;
    js::Array kernels;
    for (size_t k = 0; k < found.kernels.size(); ++k) {
      bool isShown = llvm::is_contained(shown, k);
      js::Object object = kernel(found.kernels[k], isShown);
      object["inBestPlan"] = isShown;
      kernels.push_back(std::move(object));
    }
    js::Object json{{"candidates", int64_t(found.candidates)},
                    {"kept", int64_t(found.kept)},
                    {"kernels", std::move(kernels)},
                    {"usedTime", cost::predictTime(used, *state.target)}};
    sayBest(json);
    view.json = std::move(json);
    return std::move(view);
  }

  CostView plans() {
    js::Array list;
    for (const FoundPlan &plan : found.plans) {
      js::Array kernels;
      std::vector<std::vector<std::string>> rows;
      for (size_t number : plan.kernels) {
        const FoundKernel &kernel = found.kernels[number];
        const FoundTile *best = kernel.best();
        js::Object object{{"kernel", kernel.tensors}};
        if (best) {
          rows.push_back({kernel.tensors, bytesText(best->cost.readBytes()),
                          bytesText(best->cost.writtenBytes()),
                          bytesText(best->cost.bytes()),
                          timeText(best->time.total())});
          object["readBytes"] = best->cost.readBytes();
          object["writtenBytes"] = best->cost.writtenBytes();
          object["bytes"] = best->cost.bytes();
          object["time"] = best->time.total();
          object["tile"] = tileText(*best);
        } else {
          rows.push_back({kernel.tensors, "no tile fits"});
        }
        kernels.push_back(std::move(object));
      }
      rows.insert(rows.begin(),
                  {kernelsText(plan), "read", "written", "bytes", "time"});
      rows.push_back({"all", "", "", bytesText(plan.bytes),
                      plan.isPossible ? timeText(plan.time) : "not possible"});
      view.text += tableText(rows);
      list.push_back(js::Object{{"kernels", std::move(kernels)},
                                {"count", int64_t(plan.kernels.size())},
                                {"cuts", int64_t(plan.cuts)},
                                {"bytes", plan.bytes},
                                {"time", plan.time},
                                {"possible", plan.isPossible}});
    }
    sayUsed();
    view.json =
        js::Object{{"plans", std::move(list)},
                   {"usedBytes", used.bytes()},
                   {"usedTime", cost::predictTime(used, *state.target)}};
    return std::move(view);
  }

private:
  static std::string kernelsText(const FoundPlan &plan) {
    return std::to_string(plan.kernels.size()) +
           (plan.kernels.size() == 1 ? " kernel" : " kernels");
  }

  static std::string tileText(const FoundTile &tile) {
    return tile.candidate.text();
  }

  js::Object kernel(const FoundKernel &kernel, bool isShown) {
    std::vector<std::vector<std::string>> rows{
        {"tile", "shared", "registers", "on an SM", "bytes", "time", "bound"}};
    js::Array list;
    int64_t rank = 0;
    size_t kept = 0;
    for (const FoundTile &tile : kernel.tiles) {
      const cost::KernelCost &cost = tile.cost;
      js::Object object{{"tile", tileText(tile)},
                        {"threads", int64_t(tile.candidate.choice.threads)},
                        {"default", tile.candidate.isDefault},
                        {"kept", tile.isKept()}};
      js::Array extents;
      for (int64_t extent : tile.candidate.tile)
        extents.push_back(extent);
      object["extents"] = std::move(extents);
      object["step"] = tile.candidate.step;
      if (tile.isKept()) {
        ++kept;
        object["rank"] = ++rank;
        object["sharedBytes"] = cost.sharedBytes();
        object["registers"] = int64_t(cost.registers);
        object["resident"] = int64_t(tile.time.resident);
        object["blocks"] = cost.blocks;
        object["bytes"] = cost.bytes();
        object["time"] = tile.time.total();
        object["bound"] = tile.time.bound();
        rows.push_back(
            {tileText(tile) + (tile.candidate.isDefault ? " (default)" : ""),
             std::to_string(cost.sharedBytes()), std::to_string(cost.registers),
             std::to_string(tile.time.resident), bytesText(cost.bytes()),
             timeText(tile.time.total()), tile.time.bound()});
      } else {
        object["why"] = tile.dropped;
        if (tile.excess) {
          object["resource"] = tile.excess->resource;
          object["needed"] = tile.excess->needed;
          object["available"] = tile.excess->available;
        }
      }
      list.push_back(std::move(object));
    }
    if (isShown) {
      size_t all = kernel.tiles.size();
      view.text += "kernel of " + kernel.tensors + ": " + std::to_string(all) +
                   (all == 1 ? " candidate, " : " candidates, ") +
                   std::to_string(kept) + " kept\n" + tableText(rows);
      std::vector<std::vector<std::string>> dropped;
      for (const FoundTile &tile : kernel.tiles)
        if (!tile.isKept())
          dropped.push_back({tileText(tile), "dropped: " + tile.dropped});
      view.text += tableText(dropped);
    }
    return js::Object{{"kernel", kernel.tensors},
                      {"kept", int64_t(kept)},
                      {"tiles", std::move(list)}};
  }

  void sayUsed() {
    view.text += "this schedule: " + bytesText(used.bytes()) + ", " +
                 timeText(cost::predictTime(used, *state.target)) +
                 " by the same model\n";
  }

  /// The best schedule that directives say, to paste.
  void sayBest(js::Object &json) {
    if (!found.nothing.empty()) {
      view.text += "nothing to choose: " + found.nothing + "\n";
      json["nothing"] = found.nothing;
    }
    sayUsed();
    if (!found.nothing.empty())
      return;
    std::string why;
    std::vector<ProvedChoice> proved = proveBest(state, found, 1, why);
    if (proved.empty()) {
      if (why.empty())
        why = "no candidate fits";
      view.text += "nothing can be proposed: " + why + "\n";
      json["why"] = why;
      return;
    }
    const ProvedChoice &best = proved.front();
    std::string schedule = frontend::printSchedule(best.decl);
    view.text += "best, proved: " + bytesText(best.plan.bytes()) + ", " +
                 timeText(best.choice.time) + "\n" + schedule;
    json["schedule"] = schedule;
    json["time"] = best.choice.time;
    json["bytes"] = best.plan.bytes();
    json["asPredicted"] = isAsPredicted(found, best);
  }

  CompileState &state;
  const Found &found;
  const cost::Plan &used;
  CostView view;
};

} // namespace

CostView girih::pipeline::viewSearch(CompileState &state, const Found &found,
                                     const cost::Plan &plan,
                                     const std::string &view) {
  SearchViewer viewer(state, found, plan);
  return view == "tiles" ? viewer.tiles() : viewer.plans();
}
