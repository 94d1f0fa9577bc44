//===- Witness.h - the smallest conflict, and what to say of it --*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_WITNESS_H
#define GIRIH_COMPILER_POLY_WITNESS_H

#include "compiler/poly/Legality.h"
#include "compiler/poly/Model.h"

namespace girih::poly {

/// Pairs of instances that must keep their order, and why.
struct Piece {
  enum class Order {
    Plain,  ///< a dependence
    Term,   ///< two updates of one cell of an ordered reduction
    AnyTerm ///< the same of an associative one: apart, but in any order
  };
  DependenceKind kind = DependenceKind::Flow;
  unsigned source = 0;
  unsigned sink = 0;
  unsigned array = 0;
  Order order = Order::Plain;
  isl::map pairs;
};

/// The pair of `pairs` (between the instances of two statements) at the
/// smallest sizes: least sum of sizes, then sizes, source, sink in
/// lexicographic order. Empty when isl's quota ends or nothing bounds the pairs
/// from below.
std::optional<Witness> smallestPair(const Model &model, unsigned source,
                                    unsigned sink, const isl::map &pairs);
/// Fills in which element of its array `piece` joins the two by.
void findElement(const Scop &scop, const Piece &piece, Witness &witness);

/// `C_sum[0, 0, 1]`.
std::string printInstance(const std::string &name,
                          const std::vector<int64_t> &at);
/// `C_sum[0, 0, 0] and C_sum[0, 0, 1] both update C_acc[0, 0] (at M = 1, ...)`,
/// or the same of whole statements when there is no witness.
std::string printConflict(const Scop &scop, const Piece &piece,
                          const std::optional<Witness> &witness);
/// `floor((value mod modulus)/divisor)` at one instance and sizes.
int64_t evaluate(const Affine &affine, const std::vector<int64_t> &dims,
                 const std::vector<int64_t> &params);
int64_t evaluate(const Digit &digit, const std::vector<int64_t> &dims,
                 const std::vector<int64_t> &params);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_WITNESS_H
