//===- DrawnTree.h - a tree of one of several kinds -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_ORDER_DRAWNTREE_H
#define GIRIH_TEST_UNIT_ORDER_DRAWNTREE_H

#include "compiler/poly/ScheduleTree.h"

namespace girih::test {

enum TreeKind { kPlain, kKernels, kChosen, kNearText, kTreeKinds };
inline constexpr const char *kTreeKindNames[] = {"plain", "kernels", "chosen",
                                                 "near text"};

TreeKind treeKindOf(unsigned seed);
/// A sound tree; some with a few changes.
poly::ScheduleTree drawTree(const poly::Scop &scop, unsigned seed);
poly::ScheduleTree drawTree(const poly::Scop &scop, unsigned seed,
                            TreeKind kind);

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_ORDER_DRAWNTREE_H
