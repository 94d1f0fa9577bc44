//===- Samples.h - hand-made operators and schedules for tests --*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_POLY_SAMPLES_H
#define GIRIH_TEST_UNIT_POLY_SAMPLES_H

#include "compiler/poly/Legality.h"
#include "compiler/poly/ScheduleTree.h"
#include "compiler/poly/Scop.h"

#include <string>
#include <vector>

namespace girih::poly::test {

/// C = sum[k](A W), rounded; Y = silu(C).
Scop matmulSilu();
/// S = sum[k](X) with term lanes(V, w): cells, then a merge.
Scop rowSum(int64_t lanes, int64_t width);
/// max, exp, sum, divide along rows.
Scop softmax();
/// A sum over one dimension in segments, then over the P segments.
Scop wholeSum(int64_t segment);
/// c[i] = c[i-1] + x[i] over one array: a statement that depends on itself.
Scop recurrence();
/// Two statements write parts of Y (the second shifted by H, and cut by a
/// condition that is no box), a third reads it.
Scop parts();
/// X[i, j] = X[j, i] in place, in lexicographic order.
Scop transposed();
/// Two arrays take turns in a time loop; a statement before it and one behind.
Scop stencil();
/// A sum, ordered or not, over what the turn before wrote, in a time loop.
Scop timedSum(bool ordered);

/// The usual legal schedules, with the tile factors given.
std::string matmulSiluTree(int64_t ti, int64_t tj, int64_t tk);
std::string rowSumTree(int64_t rows, int64_t lanes, int64_t width);
std::string softmaxTree(int64_t rows, int64_t columns);
std::string wholeSumTree(int64_t segment);

/// `text` as a tree; fails the test when it cannot be read.
ScheduleTree tree(const Scop &scop, const std::string &text);
/// `text` with `from` replaced everywhere; fails the test when it is absent.
std::string replaced(std::string text, const std::string &from,
                     const std::string &to);
/// Every vector of `count` sizes from `low` to `high`.
std::vector<std::vector<int64_t>> allSizes(size_t count, int64_t low,
                                           int64_t high);
/// Whether the context admits these sizes.
bool admits(const Scop &scop, const std::vector<int64_t> &sizes);
/// The points of statement `s` at these sizes, in lexicographic order.
std::vector<std::vector<int64_t>> points(const Scop &scop, unsigned s,
                                         const std::vector<int64_t> &sizes);
int64_t value(const Affine &affine, const std::vector<int64_t> &dims,
              const std::vector<int64_t> &params);
int64_t floorDivide(int64_t a, int64_t b);

} // namespace girih::poly::test

#endif // GIRIH_TEST_UNIT_POLY_SAMPLES_H
