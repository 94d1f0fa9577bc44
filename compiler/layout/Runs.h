//===- Runs.h - which register touches what ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pure maths over layouts that code generation rests on: an affine expression
// over a box splits into a base, a part by thread and a constant part by
// register; registers whose constant parts are consecutive move as one vector.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_LAYOUT_RUNS_H
#define GIRIH_COMPILER_LAYOUT_RUNS_H

#include "compiler/layout/Layout.h"

#include <cstdint>
#include <vector>

namespace girih::layout {

/// Row-major coefficients, one row per expression, one column per dimension.
/// Result [register][expression] = the constant that the register adds.
std::vector<std::vector<int64_t>>
registerParts(const Layout &layout, const std::vector<int64_t> &coefficients,
              size_t expressions);

/// A divisor of every value that the threads add to the expression with these
/// coefficients (one per dimension); 0 where they add nothing.
int64_t threadGranule(const Layout &layout,
                      const std::vector<int64_t> &coefficients);

/// Consecutive elements that move as one vector: elements `offset` ..
/// `offset` + `width` - 1.
struct Run {
  int64_t offset = 0;
  unsigned width = 1;
};

/// Covers the distinct `offsets` by aligned runs, all of the largest width
/// <= `widest` (a power of two) that covers them without touching an element
/// outside and that `granule` allows. Ascending.
std::vector<Run> coverByRuns(const std::vector<int64_t> &offsets,
                             int64_t granule, unsigned widest);

/// Whether the register's copy digits are all zero.
bool ownsItsElement(const Layout &layout, int64_t reg);

/// Strides of the dense row-major buffer of this shape.
std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape);
int64_t elementCount(const std::vector<int64_t> &shape);

} // namespace girih::layout

#endif // GIRIH_COMPILER_LAYOUT_RUNS_H
