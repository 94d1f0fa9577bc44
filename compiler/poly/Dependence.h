//===- Dependence.h - value-based dependences -------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_DEPENDENCE_H
#define GIRIH_COMPILER_POLY_DEPENDENCE_H

#include "compiler/poly/Scop.h"

#include <optional>
#include <string>
#include <vector>

namespace girih::poly {

enum class DependenceKind { Flow, Anti, Output };

/// All instance pairs of one kind between two statements through one array.
struct Dependence {
  DependenceKind kind = DependenceKind::Flow;
  unsigned source = 0; ///< statement index
  unsigned sink = 0;
  unsigned array = 0;
  /// Between updates of one reduction: the term fixes their order (`ordered`)
  /// or any order will do (then the dependence is dropped, not listed).
  bool withinReduction = false;
  std::string relation; ///< isl map text: source instance -> sink instance
};

struct Dependences {
  std::vector<Dependence> list;
  /// True when isl's quota stopped the value-based analysis and memory-based
  /// (larger) dependences were taken instead.
  bool conservative = false;
};

/// Limits on isl's work, in isl operations; 0 means none. A stopped analysis
/// falls back to a conservative one and never reads as independence.
struct PolyBudget {
  uint64_t maxOperations = 20'000'000;
};

/// Flow, anti and output dependences of the Scop in its textual order (all
/// instances of statement 0, then of statement 1, ...; within a statement
/// lexicographic order of its dims; the statements of a time loop turn by
/// turn).
std::optional<Dependences> computeDependences(const Scop &scop,
                                              const PolyBudget &budget,
                                              Diagnostics &diags);

/// A list of them as text, one line each (for `--emit=scop` and explain).
std::string printDependences(const Scop &scop, const Dependences &dependences);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_DEPENDENCE_H
