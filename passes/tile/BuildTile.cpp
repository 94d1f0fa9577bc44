//===- BuildTile.cpp - schedule tree -> tile kernels ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/BuildTile.h"

#include "passes/tile/KernelEmitter.h"
#include "passes/tile/Promises.h"

#include <algorithm>

using namespace girih;
using namespace girih::tilegen;

/// An extent such as N - 1 may be less than 0: there is nothing then.
static artifact::SizeExpr workspaceExtent(const poly::Array &array, unsigned d,
                                          const std::vector<unsigned> &sizeOf) {
  artifact::SizeExpr extent = extentExpr(array, d, sizeOf);
  const poly::Affine &sum = array.extents[d];
  bool isCount = sum.constant >= 0;
  for (int64_t factor : sum.params)
    isCount &= factor >= 0;
  if (isCount)
    return extent;
  return artifact::SizeExpr::binary(artifact::SizeExpr::Kind::Max,
                                    std::move(extent),
                                    artifact::SizeExpr::constant(0));
}

/// Loops of launches for the time loops that are around kernels.
static void addLoops(VariantContext &context,
                     const std::vector<poly::KernelLoops> &kernels) {
  const std::vector<poly::TimeLoop> &loops = context.scop.loops;
  context.launchLoopOf.assign(loops.size(), -1);
  for (unsigned loop = 0; loop < loops.size(); ++loop) {
    artifact::LaunchLoop launches;
    for (unsigned k = 0; k < kernels.size(); ++k)
      if (std::find(kernels[k].loops.begin(), kernels[k].loops.end(), loop) !=
          kernels[k].loops.end()) {
        if (launches.end == 0)
          launches.begin = k;
        launches.end = k + 1;
      }
    if (launches.end == 0)
      continue;
    launches.count = sizeExpr(loops[loop].extent, context.sizeOf);
    context.launchLoopOf[loop] = context.plan.loops.size();
    context.plan.loops.push_back(std::move(launches));
  }
}

/// Workspace buffers for arrays that live in global memory and are no argument.
static void addWorkspace(VariantContext &context,
                         const std::vector<poly::KernelLoops> &kernels) {
  context.workspaceOf.assign(context.scop.arrays.size(), -1);
  for (const poly::KernelLoops &kernel : kernels)
    for (unsigned array :
         findKernelArrays(context.scop, *kernel.kernel).arrays) {
      if (context.map.argument[array] >= 0 || context.map.result[array] >= 0 ||
          context.workspaceOf[array] >= 0)
        continue;
      const poly::Array &model = context.scop.arrays[array];
      artifact::SizeExpr bytes =
          artifact::SizeExpr::constant(model.elementBytes);
      for (unsigned d = 0; d < model.extents.size(); ++d)
        bytes = artifact::SizeExpr::binary(
            artifact::SizeExpr::Kind::Mul, std::move(bytes),
            workspaceExtent(model, d, context.sizeOf));
      context.workspaceOf[array] = context.plan.workspace.size();
      context.plan.workspace.push_back({model.name, std::move(bytes)});
    }
}

std::optional<TilePlan>
girih::tilegen::buildTile(te::FuncOp func, const poly::Scop &scop,
                          const scop::StatementMap &map,
                          const poly::ScheduleTree &tree,
                          const std::vector<poly::KernelLoops> &kernels,
                          AccessMode mode, mlir::ModuleOp module) {
  VariantContext context{func, scop, map, tree, mode, {}, {}, {}, {}, {}, {}};
  context.sizeOf = map.sizeOfParam;
  addWorkspace(context, kernels);
  addLoops(context, kernels);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  for (const poly::KernelLoops &kernel : kernels) {
    builder.setInsertionPointToEnd(module.getBody());
    if (mlir::failed(KernelEmitter(context, kernel, builder).emit()))
      return std::nullopt;
  }
  addGuards(context);
  return std::move(context.plan);
}
