//===- BuildTile.cpp - schedule tree -> tile kernels ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/BuildTile.h"

#include "passes/tile/KernelEmitter.h"
#include "passes/tile/Promises.h"

using namespace girih;
using namespace girih::tilegen;

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
            extentExpr(model, d, context.sizeOf));
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
  VariantContext context{func, scop, map, tree, mode, {}, {}, {}, {}, {}};
  context.sizeOf = map.sizeOfParam;
  addWorkspace(context, kernels);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  for (const poly::KernelLoops &kernel : kernels) {
    builder.setInsertionPointToEnd(module.getBody());
    if (mlir::failed(KernelEmitter(context, kernel, builder).emit()))
      return std::nullopt;
  }
  addGuards(context);
  return std::move(context.plan);
}
