//===- Constraints.cpp - what a size has to satisfy -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Constraints.h"

using Kind = girih::frontend::SizeConstraint::Kind;

bool girih::frontend::holds(const SizeConstraint &constraint, int64_t value) {
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
