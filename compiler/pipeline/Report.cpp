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
    lines.push_back(compute.getName().str() + ": " +
                    te::stringifyReduceKind(reduce.getKind()).str() + " over " +
                    indices + " by " + term + ", leaf " +
                    te::stringifyLeaf(reduce.getLeaf()).str());
  });
  return lines;
}

std::vector<std::string> girih::pipeline::reportChoices(CompileState &state) {
  std::vector<std::string> lines;
  if (!state.tree || !state.te)
    return lines;
  for (const std::string &line : describeReductions(state.func()))
    lines.push_back("order    " + line);
  for (const schedule::KernelReason &reason : state.reasons)
    for (const std::string &line : reason.lines)
      lines.push_back("kernel   " + reason.kernel + ": " + line);
  for (const artifact::Variant &variant : state.plan.variants) {
    std::string text = "variant  " + variant.name + ": " +
                       std::to_string(variant.launches.size()) + " launch" +
                       (variant.launches.size() == 1 ? "" : "es") + ", " +
                       std::to_string(variant.guards.size()) + " guard" +
                       (variant.guards.size() == 1 ? "" : "s");
    for (const artifact::Launch &launch : variant.launches)
      text += "; " + launch.kernel + " grid " +
              artifact::print(launch.grid, state.plan.signature.sizes) + " x " +
              std::to_string(launch.threads) + " threads, " +
              std::to_string(launch.sharedBytes) + " shared bytes";
    lines.push_back(std::move(text));
  }
  return lines;
}
