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

#include <optional>
#include <vector>

namespace girih::frontend {

using Element = std::vector<LinearForm>;

/// a + factor * b
LinearForm plus(const LinearForm &a, const LinearForm &b, int64_t factor = 1);

/// The subscripts on the left as sums: `indices` themselves where nothing else
/// is written.
std::vector<IndexSum> leftSums(const Statement &statement);

/// Assumes that `statement` defines `element`.
void assumeDefined(Prover &region, const Element &element,
                   const Statement &statement);

/// Whether some of the statements defines `element` everywhere in a region.
class Cover {
public:
  explicit Cover(std::vector<const Statement *> parts)
      : parts(std::move(parts)) {}

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
  std::optional<Prover> rest;
  unsigned steps = 0;
};

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
