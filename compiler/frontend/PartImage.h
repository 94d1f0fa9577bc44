//===- PartImage.h - which elements statements define -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A statement defines the elements that its left-hand subscripts take over its
// box and conditions. Regions are what a Prover assumes; an element is one sum
// a dimension over its variables (the operator's sizes come first).
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_PARTIMAGE_H
#define GIRIH_COMPILER_FRONTEND_PARTIMAGE_H

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Prover.h"

#include <map>
#include <optional>
#include <vector>

namespace girih::frontend {

using Element = std::vector<LinearForm>;
/// Indices of loops as sums over a region's variables.
using IndexForms = std::map<const IndexVariable *, LinearForm>;

/// a + factor * b
LinearForm plus(const LinearForm &a, const LinearForm &b, int64_t factor = 1);

/// The subscripts on the left as sums: `indices` themselves where nothing else
/// is written.
std::vector<IndexSum> leftSums(const Statement &statement);

/// The loops around a statement whose turns define elements of one tensor,
/// outer ones first.
std::vector<const TimeLoop *> turnsOf(const Statement &statement);

/// One more variable of `region` for the index of each loop that the tensor
/// lives in, which is the same for all who see it.
IndexForms addTurn(Prover &region, const Tensor &tensor);

/// Assumes that `statement` defines `element`, in some of its turns. `turn`: of
/// the loops that its tensor lives in.
void assumeDefined(Prover &region, const Element &element,
                   const Statement &statement, const IndexForms &turn);

/// Whether some of the statements defines `element` everywhere in a region.
class Cover {
public:
  /// `turn`: of all loops around who asks. Those of them that are turns of a
  /// part define nothing in later ones.
  Cover(std::vector<const Statement *> parts, IndexForms turn)
      : parts(std::move(parts)), turn(std::move(turn)) {}
  /// This part's turns were looked at: they all come before.
  void trust(const Statement &part) { trusted = &part; }

  bool holds(const Prover &region, const Element &element) {
    return covered(region, element, 0);
  }
  /// Where it does not hold, as far as the proof went.
  const std::optional<Prover> &left() const { return rest; }

private:
  bool covered(Prover region, const Element &element, size_t part);
  /// Splits off what `form` >= 0 leaves out, and goes on with the rest.
  bool split(Prover &region, const Element &element, size_t part,
             const LinearForm &form);
  bool splitStride(Prover &region, const Element &element, size_t part,
                   const LinearForm &from, int64_t stride);

  std::vector<const Statement *> parts;
  IndexForms turn;
  const Statement *trusted = nullptr;
  std::optional<Prover> rest;
  unsigned steps = 0;
};

/// An element of the tensor's box: one new variable of `region` a dimension.
Element anyElement(Prover &region, const Tensor &tensor);

/// "Y[3, 0]" and " (with D = 4)".
struct Witness {
  std::string element, sizes;
};
/// For values of all variables; sizes as far as the tensor and the statements
/// mention them.
Witness witnessOf(const OpDecl &op, const Tensor &tensor,
                  const Element &element, const std::vector<int64_t> &values,
                  const std::vector<const Statement *> &statements);

/// A condition that an element has to satisfy: factors of the dimensions.
struct ElementCondition {
  std::vector<int64_t> factors;
  Extent offset;
  SourceRange range;
};

/// What is true of exactly the elements that `statement` defines; nothing where
/// that takes more than sums.
std::optional<std::vector<ElementCondition>>
elementConditions(const Statement &statement);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_PARTIMAGE_H
