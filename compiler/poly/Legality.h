//===- Legality.h - the one judge of every schedule -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_LEGALITY_H
#define GIRIH_COMPILER_POLY_LEGALITY_H

#include "compiler/poly/Dependence.h"
#include "compiler/poly/ScheduleTree.h"
#include "compiler/support/Diagnostics.h"

namespace girih::poly {

/// Two instances in conflict, at the smallest sizes (lexmin).
struct Witness {
  std::vector<std::pair<std::string, int64_t>> sizes;
  unsigned sourceStatement = 0;
  std::vector<int64_t> source;
  unsigned sinkStatement = 0;
  std::vector<int64_t> sink;
  unsigned array = 0;
  std::vector<int64_t> element;
};

struct Violation {
  enum class Rule {
    Order,          ///< a dependence runs backwards or its two ends meet
    Coincidence,    ///< a member called coincident (grid, point) carries a
                    ///< dependence
    KernelOrder,    ///< a kernel reads what another kept to its blocks
    ReductionOrder, ///< updates of one cell out of the term's order
    Coverage,       ///< an instance is scheduled never or twice
    Undecided       ///< isl's quota ended before a proof
  };
  Rule rule = Rule::Order;
  DependenceKind kind = DependenceKind::Flow;
  std::string member; ///< the member that is at fault, if one is
  unsigned line = 0;  ///< Node::line of that member's band
  std::optional<Witness> witness;
  std::string message;            ///< whole sentence for people
  std::string help;               ///< the smallest legal change known, or empty
  std::vector<std::string> notes; ///< what more there is to say
};

/// Judges `tree` against every dependence and every reduction's order, walking
/// down the tree (design: "walk", not one whole map). Empty means proved
/// legal, for all sizes in the context.
///
/// Rules: (1) each dependence is carried forward: at the first band member
/// where source and sink differ the sink is later, at a sequence the source's
/// filter comes first, and they never meet undistinguished at a leaf; below a
/// tile mark the point members run in lexicographic order of the statement's
/// dims unless coincident. (2) Grid members and coincident members carry no
/// dependence. A point member is coincident, or a dimension of its statement's
/// reduction order. (3) Cells keep the order of their updates. (4) Every
/// instance is scheduled exactly once. (5) A temporary or accumulator that a
/// kernel places in shared memory or registers is not read across kernels.
///
/// A structurally broken tree (verifyScheduleTree) yields Coverage violations
/// only. When isl's quota ends, the last violation is Undecided.
std::vector<Violation> checkLegality(const Scop &scop,
                                     const Dependences &dependences,
                                     const ScheduleTree &tree,
                                     const PolyBudget &budget);

/// Why the values of one member of a legal tree may not run at the same time:
/// the conflict that calling it coincident would be. Nothing when they may; an
/// Undecided violation when isl's quota ends. Looks only at dependences between
/// statements of that band, so it is much quicker than judging a tree.
std::optional<Violation> carriedBy(const Scop &scop,
                                   const Dependences &dependences,
                                   const ScheduleTree &tree, const Node &band,
                                   size_t member, const PolyBudget &budget);

/// Reports each violation as error G0701 (order, kernel order), G0702
/// (coincidence), G0703 (reduction order), G0704 (coverage), G0705 (undecided),
/// with the two instances, the element and the help. The place is `at` (a
/// directive), or the line of the tree's text.
void reportViolations(const Scop &scop,
                      const std::vector<Violation> &violations,
                      Diagnostics &diags,
                      std::optional<SourceRange> at = std::nullopt);

/// Exhaustive oracle for tests: enumerates every instance at the given sizes,
/// executes memory-based reasoning (last writer per element) and answers
/// whether `tree` preserves each read's writer, each reduction's order and has
/// independent grid/coincident members. Throws std::domain_error when a domain
/// is too large to enumerate.
bool isLegalByEnumeration(const Scop &scop, const ScheduleTree &tree,
                          const std::vector<int64_t> &sizes);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_LEGALITY_H
