//===- Compare.h - are two tensors equal, or near enough? -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_COMPARE_H
#define GIRIH_RUNTIME_COMPARE_H

#include "runtime/HostArray.h"

namespace girih::rt {

struct CompareResult {
  int64_t elements = 0;
  int64_t mismatches = 0;
  /// The first mismatch in row-major order.
  std::vector<int64_t> firstIndex;
  double firstActual = 0, firstExpected = 0;
  uint64_t firstActualBits = 0, firstExpectedBits = 0;
  double firstBound = 0;
  /// Over all elements: the largest |actual - expected|, and the largest
  /// quotient of it and the element's bound (infinite for any difference
  /// where the bound is 0). Equal elements, two NaN too, count as 0.
  double maxError = 0;
  double maxErrorOverBound = 0;

  bool equal() const { return mismatches == 0; }
};

/// Every bit must agree, except that any NaN equals any NaN: +0 and -0 differ.
/// (Integers and booleans have no such exceptions; a bool is compared as the
/// byte that it is.)
/// Fails where types or shapes differ.
Result<CompareResult> compareBits(const Tensor &actual, const Tensor &expected);

/// |actual - expected| must be at most the element's bound (flat row-major,
/// one each); equal numbers, so +0 and -0 too, and two NaN always pass, and
/// infinities only equal themselves unless the bound is infinite. Fails where
/// types, shapes or the number of bounds differ, or a bound is negative or NaN.
Result<CompareResult> compareWithin(const Tensor &actual,
                                    const Tensor &expected,
                                    const std::vector<double> &bounds);

/// One sentence about tensor `name`, such as `Y: 2 of 12 elements differ,
/// first Y[0, 3] = 1.5 (0x3fc00000), expected 1.25 (0x3fa00000)`.
std::string printComparison(const std::string &name, artifact::ScalarType type,
                            const CompareResult &result);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_COMPARE_H
