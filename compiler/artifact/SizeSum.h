//===- SizeSum.h - extents that are sums over sizes -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARTIFACT_SIZESUM_H
#define GIRIH_COMPILER_ARTIFACT_SIZESUM_H

#include "compiler/artifact/Artifact.h"

#include <optional>
#include <utility>
#include <vector>

namespace girih::artifact {

/// factor * size + ... + constant; sizes are distinct and no factor is 0.
struct SizeSum {
  std::vector<std::pair<unsigned, int64_t>> terms;
  int64_t constant = 0;
};

/// The sum that `expr` is; nothing where it divides, multiplies sizes, takes a
/// minimum, or overflows.
std::optional<SizeSum> sumOf(const SizeExpr &expr);

/// One size that follows from an extent.
struct SolvedSize {
  unsigned size = 0;
  int64_t value = 0;
};
/// The one size of `expr` that is unknown (-1 in `sizes`), such that `expr` is
/// `extent`. Nothing where all or none is known to follow from it; a Failure
/// where no value does.
Result<std::optional<SolvedSize>> solveFor(const SizeExpr &expr, int64_t extent,
                                           const std::vector<int64_t> &sizes);

} // namespace girih::artifact

#endif // GIRIH_COMPILER_ARTIFACT_SIZESUM_H
