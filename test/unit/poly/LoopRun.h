//===- LoopRun.h - runs generated loops in tests ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_POLY_LOOPRUN_H
#define GIRIH_TEST_UNIT_POLY_LOOPRUN_H

#include "compiler/poly/LoopAst.h"

namespace girih::poly::test {

/// The loops of every kernel; fails the test when there are none.
std::vector<KernelLoops> loopsOf(const Scop &scop, const ScheduleTree &tree);

/// Runs `kernels` at every sizes up to `high` and requires that every tile that
/// has an instance runs exactly once, in its block, in the order that the
/// tree's sequences and members give.
void requireExact(const Scop &scop, const ScheduleTree &tree,
                  const std::vector<KernelLoops> &kernels, int64_t high);
void requireExact(const Scop &scop, const ScheduleTree &tree, int64_t high);

} // namespace girih::poly::test

#endif // GIRIH_TEST_UNIT_POLY_LOOPRUN_H
