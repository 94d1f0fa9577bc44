//===- Prover.h - inequalities over integers --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether an affine inequality follows from others: Fourier-Motzkin elimination
// with rounding of constants, which is enough for subscripts over boxes. It
// never says yes where the answer is no; a no may be an answer not found.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_PROVER_H
#define GIRIH_COMPILER_FRONTEND_PROVER_H

#include <cstdint>
#include <optional>
#include <vector>

namespace girih::frontend {

/// The sum of factors[v] * variable v and `constant`. Missing factors are 0.
struct LinearForm {
  std::vector<int64_t> factors;
  int64_t constant = 0;
  int64_t factor(size_t variable) const {
    return variable < factors.size() ? factors[variable] : 0;
  }
  void add(size_t variable, int64_t factor);
};

class Prover {
public:
  unsigned addVariable() { return steps.emplace_back(1), steps.size() - 1; }
  size_t variables() const { return steps.size(); }
  /// form >= 0.
  void assume(LinearForm form) { assumptions.push_back(std::move(form)); }
  /// The variable is a multiple of `divisor`.
  void assumeMultiple(unsigned variable, int64_t divisor);
  /// True: form >= 0 wherever the assumptions hold.
  bool proves(const LinearForm &form) const;
  /// True: nothing satisfies the assumptions.
  bool empty() const;
  /// Small values that satisfy them.
  std::optional<std::vector<int64_t>> example() const;
  /// Small values for which the assumptions hold and `form` is negative.
  std::optional<std::vector<int64_t>>
  counterexample(const LinearForm &form) const;

private:
  std::vector<int64_t> steps; ///< of each variable: it is a multiple
  std::vector<LinearForm> assumptions;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_PROVER_H
