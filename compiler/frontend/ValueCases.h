//===- ValueCases.h - what an integer expression may be ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proofs about values that data decide: an expression is walked case by case
// (the sides of a choice, of min and max, of a read with a value outside); in
// each case its value is a linear form over sizes, indices and new variables,
// of which the prover knows what promises, types and functions say.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_VALUECASES_H
#define GIRIH_COMPILER_FRONTEND_VALUECASES_H

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Prover.h"

#include <functional>

namespace girih::frontend {

class ValueCases {
public:
  /// `formOf`: sums over indices and sizes, without values, as the prover that
  /// is passed has them.
  explicit ValueCases(std::function<LinearForm(const IndexSum &)> formOf)
      : formOf(std::move(formOf)) {}

  using Then = std::function<bool(const Prover &, const LinearForm &)>;
  /// Whether `then` says yes in every case of the sum's value.
  bool all(const IndexSum &sum, const Prover &prover, const Then &then);

private:
  /// `bounded`: the value is one that 64 bits hold with room to spare.
  using ThenValue =
      std::function<bool(const Prover &, const LinearForm &, bool bounded)>;
  bool each(const Expr &expr, const Prover &prover, const ThenValue &then);
  /// Of two expressions: `then` of both forms.
  bool eachTwo(const Expr &lhs, const Expr &rhs, const Prover &prover,
               const std::function<bool(const Prover &, const LinearForm &,
                                        const LinearForm &, bool)> &then);
  /// A new value of `type`.
  bool any(ScalarType type, const Prover &prover, const ThenValue &then);
  /// A new value from `least` to `most`.
  bool between(const LinearForm &least, const LinearForm &most,
               const Prover &prover, const ThenValue &then);
  /// `form` where computing in `type` cannot wrap; else any value.
  bool exact(ScalarType type, const LinearForm &form, bool bounded,
             const Prover &prover, const ThenValue &then);
  bool access(const AccessExpr &access, ScalarType type, const Prover &prover,
              const ThenValue &then);
  bool binary(const BinaryExpr &node, ScalarType type, const Prover &prover,
              const ThenValue &then);
  bool call(const CallExpr &call, ScalarType type, const Prover &prover,
            const ThenValue &then);
  bool divided(const Expr &dividend, const Expr &divisor, ScalarType type,
               bool quotient, bool floors, const Prover &prover,
               const ThenValue &then);

  std::function<LinearForm(const IndexSum &)> formOf;
  unsigned cases = 0;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_VALUECASES_H
