//===- Coverage.h - every instance exactly once -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_COVERAGE_H
#define GIRIH_COMPILER_POLY_COVERAGE_H

#include "compiler/poly/Legality.h"
#include "compiler/poly/Model.h"

namespace girih::poly {

/// The reduction whose order the dims [cellEnd, end) of `statement` are; null
/// if it updates none.
const Reduction *reductionUpdatedBy(const Scop &scop, unsigned statement);
/// Whether `digit` is made of dims of `reduction`'s order only.
bool isOrderDigit(const Reduction *reduction, const Digit &digit);
/// Whether the digits alone determine every dim, by their form: for each dim a
/// chain floor(v/a), floor((v mod a)/b), ..., v mod c.
bool digitsDetermineDims(const Scop &scop, unsigned statement,
                         const std::vector<const Digit *> &digits);

/// Whether `kernel` places `array`, a temporary or accumulator, in shared
/// memory or registers.
bool keepsToItself(const Scop &scop, const Node &kernel, unsigned array);

/// Violations of rule (4) and of the form of point members, of a tree without
/// structural problems. Throws isl's exceptions.
void checkCoverage(const Model &model, const ScheduleTree &tree,
                   std::vector<Violation> &violations);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_COVERAGE_H
