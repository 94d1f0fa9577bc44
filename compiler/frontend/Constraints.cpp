//===- Constraints.cpp - what a size has to satisfy -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Constraints.h"

#include "compiler/frontend/Ranges.h"

namespace girih::frontend {

using Kind = SizeConstraint::Kind;

bool holds(const SizeConstraint &constraint, int64_t value) {
  switch (constraint.kind) {
  case Kind::Multiple:
    return value % constraint.value == 0;
  case Kind::Less:
    return value < constraint.value;
  case Kind::LessEqual:
    return value <= constraint.value;
  case Kind::Greater:
    return value > constraint.value;
  case Kind::GreaterEqual:
    return value >= constraint.value;
  case Kind::Equal:
    return value == constraint.value;
  }
  return false;
}

std::optional<Extent> divided(Extent extent, int64_t divisor) {
  bool exact = extent.constant % divisor == 0;
  extent.constant /= divisor;
  for (auto &term : extent.terms) {
    exact &= term.second % divisor == 0;
    term.second /= divisor;
  }
  return exact ? std::optional(extent) : std::nullopt;
}

bool isProved(const SizeConstraint &constraint, const Extent &extent,
              const Prover &prover) {
  Extent more = extent - Extent::of(constraint.value), less = more * -1;
  switch (constraint.kind) {
  case Kind::Multiple:
    return divided(extent, constraint.value).has_value();
  case Kind::Less:
    return prover.proves(formOf(less - Extent::of(1)));
  case Kind::LessEqual:
    return prover.proves(formOf(less));
  case Kind::Greater:
    return prover.proves(formOf(more - Extent::of(1)));
  case Kind::GreaterEqual:
    return prover.proves(formOf(more));
  case Kind::Equal:
    return prover.proves(formOf(less)) && prover.proves(formOf(more));
  }
  return false;
}

} // namespace girih::frontend
