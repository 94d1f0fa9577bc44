//===- ExpandTerm.h - a reduction's term as statements ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCOP_EXPANDTERM_H
#define GIRIH_PASSES_SCOP_EXPANDTERM_H

#include "compiler/arith/Term.h"
#include "passes/scop/BuildScop.h"

#include <functional>
#include <set>

namespace girih::scop {

/// `name`, with `_` behind it where isl's notation reserves the word.
std::string scopName(std::string name);

/// Names already taken in the Scop under construction.
class NamePool {
public:
  /// `name`, or `name_2`, `name_3` ... when that is taken or isl reserves it;
  /// takes it.
  std::string unique(const std::string &name);

private:
  std::set<std::string> taken;
};

/// Everything the expansion needs to know about one te.reduce.
struct ReductionSite {
  te::ComputeOp compute;
  te::ReduceOp reduce;
  unsigned array = 0; ///< the array the reduction defines
  /// Time loops around the compute; their turns are the first of `outer`.
  std::vector<unsigned> loops;
  std::vector<std::string> outer; ///< the turns and the compute's index names
  std::vector<poly::Affine> outerConstraints;
  std::vector<poly::Affine>
      extents; ///< of the reduced indices, over parameters
  /// The element that the chain goes on from, of the statement's outer dims.
  std::vector<poly::Access> start;
  /// Upper bound of the (single) extent when one is known, else -1.
  int64_t extentBound = -1;
};

/// Why the Scop cannot say `term` over `count` elements (nothing: the number is
/// not known), or an empty string: every tree must meet a known number of
/// elements that it divides.
std::string unsupportedTree(const arith::Term &term,
                            std::optional<int64_t> count);

/// What a reduce's body is for te indices (the compute's, then the reduce's)
/// that are affine expressions of the update's dims.
struct ReductionBody {
  using Indices = std::vector<poly::Affine>;
  std::function<std::vector<poly::Access>(const Indices &)> reads;
  /// What its te.where ops require, each >= 0.
  std::function<std::vector<poly::Affine>(const Indices &)> domain;
};

/// Appends the statements, arrays and reductions that realise `term` for
/// `site`. Elements that the body's domain leaves out keep their numbers.
void expandTerm(const arith::Term &term, const ReductionSite &site,
                const ReductionBody &body, bool product, NamePool &names,
                ScopWithMap &result);

} // namespace girih::scop

#endif // GIRIH_PASSES_SCOP_EXPANDTERM_H
