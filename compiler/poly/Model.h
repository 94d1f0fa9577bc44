//===- Model.h - a Scop's sets and maps in isl ------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room. Everything is built from the plain data by isl's
// constructors; no text is parsed here.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_MODEL_H
#define GIRIH_COMPILER_POLY_MODEL_H

#include "compiler/poly/Isl.h"
#include "compiler/poly/ScheduleTree.h"
#include "compiler/poly/Scop.h"

namespace girih::poly {

class Model {
public:
  Model(const IslSession &session, const Scop &scop);

  isl_ctx *ctx() const { return session.get(); }
  const Scop &scop() const { return plain; }

  /// The sizes that may occur, as a set of parameters.
  const isl::set &context() const { return sizes; }
  /// A statement's instances, for sizes in the context.
  const isl::set &domain(unsigned statement) const {
    return domains[statement];
  }
  /// Instance to elements, restricted to the domain.
  isl::map access(unsigned statement, unsigned access) const;
  /// `digit` as a function of the statement's instances.
  isl::pw_aff digit(unsigned statement, const Digit &digit) const;

  /// Pairs of instances in textual order: lexicographic order within one
  /// statement; of two, those of an earlier turn of the innermost time loop
  /// around both and, if `source` < `sink`, those of the same turn.
  isl::map textualOrder(unsigned source, unsigned sink) const;
  /// {a -> b : a and b agree in dims [0, equal) and a is lexicographically
  /// before b in dims [equal, end)}, both in the statement's domain.
  isl::map orderAfter(unsigned statement, unsigned equal) const;
  /// Instance -> its time in textual order: for each time loop around it the
  /// place of the loop and the turn, then the statement, dims, 0 ... .
  isl::map textualTime(unsigned statement) const;

  /// The updates whose cell is made anew by its init: in the same turn of the
  /// time loops around it.
  isl::set initialised(const Reduction &reduction) const;

  /// Which statement a tuple of that name is.
  unsigned statementOf(const char *tupleName) const;

  /// A set's space with the Scop's parameters, in order, `dims` dimensions.
  isl_space *newSetSpace(unsigned dims) const;
  /// Named like the statement and its dims.
  isl_space *newStatementSpace(unsigned statement) const;

private:
  const IslSession &session;
  const Scop &plain;
  isl::set sizes;
  std::vector<isl::set> domains;
};

/// Adds `affine` (of tuple dims of `type`) >= 0 or == 0 to `set` or `map`.
isl_basic_set *withConstraint(isl_basic_set *set, const Affine &affine);
isl_basic_map *withConstraint(isl_basic_map *map, const Affine &inputs,
                              const Affine &outputs, bool equality);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_MODEL_H
