//===- Flops.cpp - how much an operator computes --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Flops.h"

#include "compiler/reference/Signature.h"
#include "dialects/te/Te.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cmath>

using namespace girih;
using namespace girih::cli;

/// The product of extents; an extent that cannot be computed makes it NaN.
static double countOf(te::FuncOp func, llvm::ArrayRef<mlir::Attribute> extents,
                      const std::vector<int64_t> &sizes) {
  double count = 1;
  for (mlir::Attribute extent : extents) {
    Result<int64_t> value =
        artifact::evaluate(reference::extentOf(func, extent), sizes);
    count *= value ? std::max(double(*value), 0.0) : std::nan("");
  }
  return count;
}

Result<double> cli::flopsOf(const artifact::Artifact &artifact,
                            const std::vector<int64_t> &sizes) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<te::TeDialect, mlir::arith::ArithDialect>();
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(artifact.teModule, &context);
  if (!module)
    return Failure{"the artifact's te module cannot be read"};
  double flops = 0;
  for (te::FuncOp func : module->getOps<te::FuncOp>())
    func.walk([&](te::ReduceOp reduce) {
      auto compute = reduce->getParentOfType<te::ComputeOp>();
      bool multiplies = reduce.getLeaf() != te::Leaf::Plain;
      double turns = 1;
      for (auto loop = compute->getParentOfType<te::ForOp>(); loop;
           loop = loop->getParentOfType<te::ForOp>())
        turns *= countOf(func, {loop.getExtent()}, sizes);
      flops += turns * countOf(func, compute.getBox(), sizes) *
               countOf(func, reduce.getExtents().getValue(), sizes) *
               (multiplies ? 2 : 1);
    });
  if (std::isnan(flops))
    return Failure{"an extent of the te module cannot be computed"};
  return flops;
}

double cli::bytesOf(const artifact::Artifact &artifact,
                    const std::vector<std::vector<int64_t>> &shapes) {
  double bytes = 0;
  for (size_t param = 0; param < shapes.size(); ++param) {
    double elements = 1;
    for (int64_t extent : shapes[param])
      elements *= double(extent);
    bytes +=
        elements * artifact::bytesOf(artifact.signature.params[param].type);
  }
  return bytes;
}
