//===- Structure.h - structural rules of schedule trees ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room: the one list of structural rules, asked by the verifier,
// by the legality check (a broken rule there is a Coverage violation) and by
// the loop generator.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_STRUCTURE_H
#define GIRIH_COMPILER_POLY_STRUCTURE_H

#include "compiler/poly/ScheduleTree.h"

namespace girih::poly {

struct StructureProblem {
  unsigned line = 0; ///< Node::line of the node at fault
  std::string message;
};

/// Every broken rule of verifyScheduleTree's list. Safe on any tree.
std::vector<StructureProblem> structureProblems(const Scop &scop,
                                                const ScheduleTree &tree);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_STRUCTURE_H
