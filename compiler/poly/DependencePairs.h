//===- DependencePairs.h - dependences at given sizes -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_DEPENDENCEPAIRS_H
#define GIRIH_COMPILER_POLY_DEPENDENCEPAIRS_H

#include "compiler/poly/Dependence.h"
#include "compiler/poly/InstanceOrder.h"

namespace girih::poly {

struct InstancePair {
  Point source, sink;
  auto operator<=>(const InstancePair &) const = default;
};

struct PairsAtSizes {
  std::vector<InstancePair> list; ///< in lexicographic order
  bool tooMany = false;           ///< then the list is empty
};

/// What a dependence from a statement to itself is at `sizes`, between
/// instances whose dims [from, end) have the values `rest`; no more than `most`
/// pairs. Reports (G0715) where isl does not finish.
std::optional<PairsAtSizes>
pairsWithin(const Scop &scop, const Dependence &dependence,
            const std::vector<int64_t> &sizes, unsigned from, const Point &rest,
            size_t most, const PolyBudget &budget, Diagnostics &diags);

/// Sizes that the Scop allows, near to `wanted` where that has a value and
/// equal to it where it is `fixed`; nothing where there are none.
std::optional<std::vector<int64_t>>
sizesNear(const Scop &scop, const std::vector<int64_t> &wanted,
          const std::vector<bool> &fixed);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_DEPENDENCEPAIRS_H
