//===- TreeNodes.h - pieces of schedule trees -------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_TREENODES_H
#define GIRIH_PASSES_SCHEDULE_TREENODES_H

#include "compiler/poly/ScheduleTree.h"

namespace girih::schedule {

inline poly::NodePtr makeNode(poly::Node::Kind kind,
                              std::vector<unsigned> statements) {
  poly::NodePtr node = std::make_unique<poly::Node>();
  node->kind = kind;
  node->statements = std::move(statements);
  return node;
}

inline poly::Member member(std::string name, poly::Binding binding,
                           bool coincident, std::vector<poly::Digit> digits) {
  poly::Member result;
  result.name = std::move(name);
  result.binding = binding;
  result.coincident = coincident;
  result.digits = std::move(digits);
  return result;
}

/// floor((dim mod modulus) / divisor)
inline poly::Digit digit(unsigned dim, int64_t divisor, int64_t modulus) {
  poly::Digit result;
  result.value = poly::Affine::dim(dim);
  result.divisor = divisor;
  result.modulus = modulus;
  return result;
}

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_TREENODES_H
