//===- Report.cpp - what was chosen and why -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Report.h"

#include "llvm/ADT/StringExtras.h"

using namespace girih;
using namespace girih::pipeline;

std::vector<std::string> girih::pipeline::describeReductions(te::FuncOp func) {
  std::vector<std::string> lines;
  func.walk([&](te::ReduceOp reduce) {
    auto compute = reduce->getParentOfType<te::ComputeOp>();
    std::string indices;
    for (mlir::Attribute name : reduce.getIndexNames())
      indices += (indices.empty() ? "" : ", ") +
                 mlir::cast<mlir::StringAttr>(name).str();
    std::string term =
        reduce.getTermAttr() ? reduce.getTermAttr().getText().str() : "none";
    lines.push_back(compute.getName().str() + ": " + te::nameOf(reduce).str() +
                    " over " + indices + " by " + term + ", leaf " +
                    te::stringifyLeaf(reduce.getLeaf()).str());
  });
  return lines;
}

/// "M = 1024, K and N at launch".
static std::string describeSizes(te::FuncOp func) {
  std::string given, open;
  for (auto [name, value] : llvm::zip(func.getSizes(), func.getGiven())) {
    std::string text = mlir::cast<mlir::StringAttr>(name).str();
    if (value >= 0)
      given +=
          (given.empty() ? "" : ", ") + text + " = " + std::to_string(value);
    else
      open += (open.empty() ? "" : ", ") + text;
  }
  if (!open.empty())
    open += " at launch";
  if (given.empty() || open.empty())
    return given + open;
  return given + "; " + open;
}

static std::string describePlaces(const poly::Scop &scop,
                                  const poly::KernelMark &kernel) {
  constexpr const char *kNames[] = {"global memory", "the workspace",
                                    "shared memory", "registers"};
  std::string text;
  for (const poly::KernelMark::ArrayPlace &place : kernel.places)
    text += (text.empty() ? "" : ", ") + scop.arrays[place.array].name +
            " in " + kNames[static_cast<size_t>(place.place)];
  return text;
}

static void addKernels(const poly::Scop &scop, const poly::Node &node,
                       std::vector<std::string> &lines) {
  if (node.kind == poly::Node::Kind::Kernel && !node.kernel.places.empty())
    lines.push_back("places   " + node.kernel.name + ": " +
                    describePlaces(scop, node.kernel));
  for (const poly::NodePtr &child : node.children)
    addKernels(scop, *child, lines);
}

static std::string describeGuard(const artifact::Guard &guard,
                                 const artifact::Signature &signature) {
  const std::string &tensor = guard.param < signature.params.size()
                                  ? signature.params[guard.param].name
                                  : signature.op;
  std::string value = std::to_string(guard.value);
  std::string stride = "stride " + std::to_string(guard.dim) + " of " + tensor;
  switch (guard.kind) {
  case artifact::Guard::Kind::UnitStride:
    return stride + " is 1";
  case artifact::Guard::Kind::StrideDivisible:
    return stride + " divisible by " + value;
  case artifact::Guard::Kind::AlignedPointer:
    return tensor + " aligned to " + value + " bytes";
  case artifact::Guard::Kind::SizeDivisible:
    return signature.sizes[guard.size] + " divisible by " + value;
  case artifact::Guard::Kind::SizeAtMost:
    return signature.sizes[guard.size] + " at most " + value;
  case artifact::Guard::Kind::SizeAtLeast:
    return signature.sizes[guard.size] + " at least " + value;
  }
  return "";
}

std::vector<std::string> girih::pipeline::reportChoices(CompileState &state) {
  std::vector<std::string> lines;
  if (!state.te || !state.func())
    return lines;
  te::FuncOp func = state.func();
  std::string sizes = describeSizes(func);
  lines.push_back("program  " + func.getSymName().str() + " for " +
                  state.target->name + (sizes.empty() ? "" : ", ") + sizes);
  for (const std::string &line : describeReductions(func))
    lines.push_back("order    " + line);
  for (const std::string &line : state.proved)
    lines.push_back("proved   " + line);
  if (!state.schedules.empty() && state.dependences) {
    size_t ordered = 0;
    for (const poly::Reduction &reduction : state.scop->scop.reductions)
      ordered += !reduction.associative;
    lines.push_back(
        "proof    the schedule keeps " +
        std::to_string(state.dependences->list.size()) + " dependences" +
        (state.dependences->conservative ? " (conservative)" : "") + " and " +
        std::to_string(ordered) +
        (ordered == 1 ? " reduction order" : " reduction orders") + " of " +
        std::to_string(state.scop->scop.statements.size()) +
        " statements, for every size that the text allows");
    for (const ScheduleVersion &version : state.schedules) {
      if (!version.conditions.empty())
        lines.push_back("when     " + print(version.conditions));
      addKernels(state.scop->scop, *version.tree.root, lines);
    }
  }
  bool hasReports = false;
  if (!state.plan.variants.empty())
    for (const artifact::KernelReport &report : state.plan.variants[0].reports)
      for (const std::string &line : report.lines) {
        lines.push_back("kernel   " + report.kernel + ": " + line);
        hasReports = true;
      }
  if (!hasReports)
    for (const ScheduleVersion &version : state.schedules)
      for (const schedule::KernelReason &reason : version.reasons)
        for (const std::string &line : reason.lines)
          lines.push_back("kernel   " + reason.kernel + ": " + line);
  for (const artifact::Variant &variant : state.plan.variants) {
    std::string text = "variant  " + variant.name + ":";
    for (const artifact::Launch &launch : variant.launches)
      text += " " + launch.kernel + " on " +
              artifact::print(launch.grid, state.plan.signature.sizes) +
              " blocks of " + std::to_string(launch.threads) + " threads;";
    text += variant.guards.empty() ? " for any strides" : " if ";
    for (size_t g = 0; g < variant.guards.size(); ++g)
      text += (g ? ", " : "") +
              describeGuard(variant.guards[g], state.plan.signature);
    lines.push_back(std::move(text));
  }
  return lines;
}
