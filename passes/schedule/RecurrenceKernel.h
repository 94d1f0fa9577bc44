//===- RecurrenceKernel.h - a map that reads what it wrote ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instances of a map that reads its own array at other elements depend on
// each other. Dimensions that every such pair agrees in are spread over the
// grid and the threads of a block, a thread a value; the others run in order,
// in each thread. `c[i, j] = c[i, j - 1] + x[i, j]` has a thread a row.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_RECURRENCEKERNEL_H
#define GIRIH_PASSES_SCHEDULE_RECURRENCEKERNEL_H

#include "compiler/poly/ScheduleTree.h"

#include <string>
#include <vector>

namespace girih::schedule {

struct RecurrenceKernel {
  poly::NodePtr filter; ///< with the kernel
  unsigned threads = 0;
  std::vector<std::string> why;
};

/// The dims behind the time loops in which every two instances of `statement`
/// that touch one element of its array agree, by the form of the subscripts.
std::vector<unsigned> parallelDims(const poly::Statement &statement);

RecurrenceKernel buildRecurrence(const poly::Scop &scop, unsigned statement,
                                 const std::string &name);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_RECURRENCEKERNEL_H
