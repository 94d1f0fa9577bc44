//===- Ranges.h - how far indices run, reads that stay inside ---*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on one statement once all its names and types are known
// (docs/language.md, "Ranges").
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_RANGES_H
#define GIRIH_COMPILER_FRONTEND_RANGES_H

#include "compiler/frontend/Prover.h"
#include "compiler/frontend/Sema.h"

#include <functional>
#include <map>
#include <set>

namespace girih::frontend {

/// One read of a statement, with the indices that are visible there.
struct SeenAccess {
  AccessExpr *access = nullptr;
  SourceRange range;
  std::vector<IndexVariable *> indices;
  std::vector<ReduceExpr *> reductions; ///< around it, innermost last
  std::vector<Condition> facts;         ///< hold where its value is used
  bool inOtherwise = false;             ///< in the value of other elements
};

/// The first and the end of ranges that depend on other indices.
using DependentRanges =
    std::map<const IndexVariable *, std::pair<IndexSum, IndexSum>>;

/// `{ size >= 0, where ..., every dimension of an input >= 0 }`.
Prover proverOf(const OpDecl &op);
LinearForm formOf(const Extent &extent);

class RangeSolver {
public:
  /// `indices`: all of the statement, left-hand ones first.
  RangeSolver(Reporter &reporter, const OpDecl &op,
              std::vector<IndexVariable *> indices,
              const std::vector<SeenAccess> &accesses)
      : reporter(reporter), op(op), indices(std::move(indices)),
        accesses(accesses), sizes(proverOf(op)) {}

  /// The statement's conditions; `ranges`: of its dependent indices. Without
  /// this nothing restricts the indices.
  void setStatement(const Statement &of, const DependentRanges &ranges) {
    statement = &of;
    dependentRanges = &ranges;
  }
  /// What the statement writes: it bounds the indices as a read does.
  void setTarget(const SeenAccess &access) { target = &access; }
  /// The output's declaration says how far its index runs. `checked`: the
  /// extent is known not to be negative.
  void declare(IndexVariable &index, const Extent &extent, SourceRange range,
               bool checked) {
    declared[&index] = {extent, range};
    if (checked)
      checkedExtents.insert(&index);
  }
  /// The same of indices whose range a loop says.
  void declareGiven(const Statement &of) {
    for (const auto &index : of.indices)
      if (index->given)
        declare(*index, index->given->first, index->given->second,
                /*checked=*/false);
  }
  /// Asked where nothing in the statement says how far an index on the left
  /// runs: the extent that its readers want, and the place that says so.
  using FromReaders =
      std::function<std::optional<std::pair<Extent, SourceRange>>(
          const IndexVariable &)>;
  void setReaders(FromReaders ask) { fromReaders = std::move(ask); }
  /// Sets start and extent of every index. False after errors.
  bool settle();
  /// Whether every read is inside; sets the flags of guarded ones.
  bool checkAccesses();
  /// What holds where `seen` is evaluated; `weak`: also what only decides
  /// whether its value is used.
  Prover proverAt(const SeenAccess &seen, bool weak) const;
  LinearForm formOf(const IndexSum &sum) const;
  /// The value of a form that is negative somewhere, as "N = 1, i = 0".
  std::string valuesText(const std::vector<int64_t> &values,
                         const LinearForm &mentioned) const;

private:
  /// An index ends at (exclusive), or starts at, `place` at the latest because
  /// of what stands at `range`.
  struct Bound {
    Extent place;
    SourceRange range;
    bool bare = false; ///< a plain subscript of a plainly declared dimension
    bool soft =
        false; ///< of a read with a rule: counts where nothing else does
  };
  struct Bounds {
    std::vector<Bound> ends, starts;
  };
  bool mustStayInside(const AccessExpr &access, const Subscript &s) const {
    return s.rule == AccessRule::None && !access.mayLieOutside();
  }
  /// What the subscript says about its one index that has no range yet.
  void addBounds(const Subscript &subscript, const Extent &dim, bool plain,
                 Bounds &bounds, const IndexVariable &index, int64_t factor,
                 bool soft);
  void addAllBounds(IndexVariable &index, Bounds &bounds, bool withOthers);
  /// Gives ranges to indices; true when there was one without.
  bool settleSome(bool withOthers);
  bool settle(IndexVariable &index, Bounds bounds);
  /// The same for one index by what reads the statement's tensor.
  bool settleFromReaders();
  bool conflict(const IndexVariable &index, const Bound &here,
                const Bound &there);
  /// The tightest of `bounds`; null where two cannot be compared.
  const Bound *tightest(const std::vector<Bound> &bounds, bool ends,
                        const Bound *&other) const;
  bool checkNotNegative(const IndexVariable &index);
  bool checkAccess(const SeenAccess &seen);
  bool checkBound(const SeenAccess &seen, const Subscript &subscript,
                  const Extent &dim, const Prover &prover, const Prover &weak,
                  bool upper);
  /// Of a subscript that data decide.
  bool checkValueBound(const SeenAccess &seen, const Subscript &subscript,
                       size_t dim, const Prover &prover, bool upper);
  void explain(Diagnostic &diagnostic, const SeenAccess &seen,
               const Subscript &subscript, const Extent &dim,
               const Prover &prover, const LinearForm &form, bool upper);
  bool isImplied(const SeenAccess &seen, const IndexVariable &index,
                 const Bound &bound, bool end) const;
  void addConditionBounds(const IndexVariable &index, Bounds &bounds) const;
  /// A box around a range that depends on other indices; false where nothing
  /// says one yet.
  bool settleDependent(IndexVariable &index);
  void eachAccess(const std::function<void(const SeenAccess &)> &each) const;

  Reporter &reporter;
  const OpDecl &op;
  std::vector<IndexVariable *> indices;
  const std::vector<SeenAccess> &accesses;
  const Statement *statement = nullptr;
  const DependentRanges *dependentRanges = nullptr;
  const SeenAccess *target = nullptr;
  FromReaders fromReaders;
  Prover sizes;
  std::map<const IndexVariable *, std::pair<Extent, SourceRange>> declared;
  std::set<const IndexVariable *> checkedExtents;
  std::set<const IndexVariable *> failed; ///< reported
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_RANGES_H
