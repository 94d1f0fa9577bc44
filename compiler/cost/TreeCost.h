//===- TreeCost.h - what a schedule tree takes and moves --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree with kernels decides everything that is counted here: boxes and
// layouts of tiles, places of values, what is staged. Tile passes and code
// generation realise these marks and choose nothing, so that what is counted is
// what runs.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_COST_TREECOST_H
#define GIRIH_COMPILER_COST_TREECOST_H

#include "compiler/cost/Domain.h"
#include "compiler/cost/KernelCost.h"
#include "compiler/cost/Roofline.h"
#include "compiler/poly/ScheduleTree.h"

#include <map>
#include <optional>

namespace girih::cost {

/// What the Scop does not say of its statements, by statement.
struct StatementWork {
  std::vector<double> flops; ///< of an instance, beside a reduction's own step
  std::vector<bool> multiplies; ///< an update's step multiplies before it adds
};

/// Counts that several trees of one Scop, at the same sizes, have in common.
/// With it what threads ask for is not counted: as much as tiles read.
struct CountMemo {
  std::map<std::vector<int64_t>, Count> counts;
};

/// What the plan of a tree does. Without `work` the steps of reductions are the
/// only arithmetic, and those that sum products multiply. `sizes` are the
/// values of the Scop's parameters. Nothing, and why, where a mark is broken.
std::optional<Plan> costOf(const poly::Scop &scop,
                           const poly::ScheduleTree &tree,
                           const std::vector<int64_t> &sizes, std::string &why,
                           const StatementWork *work = nullptr,
                           CountMemo *memo = nullptr);

/// Threads, buffers and registers of the tree's kernels, which need no sizes.
std::optional<std::vector<KernelCost>> budgetsOf(const poly::Scop &scop,
                                                 const poly::ScheduleTree &tree,
                                                 std::string &why);

/// The products of a Scop, with their extents: rows are what the first operand
/// alone has, columns what the second has, and each value of other dims is a
/// product of its own.
std::vector<Product> productsOf(const poly::Scop &scop,
                                const std::vector<int64_t> &sizes);

} // namespace girih::cost

#endif // GIRIH_COMPILER_COST_TREECOST_H
