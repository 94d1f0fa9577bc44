//===- Tolerance.h - near enough, as a user says it -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_TOLERANCE_H
#define GIRIH_TOOLS_GIRIH_TOLERANCE_H

#include "runtime/HostArray.h"

#include <optional>
#include <string>
#include <vector>

namespace girih::cli {

/// An element is near enough if it keeps one of the bounds that are given; with
/// none, its bits must be equal. Any NaN equals any NaN.
struct Tolerance {
  std::optional<uint64_t> ulp;
  std::optional<double> abs, rel; ///< rel: times |expected|

  bool exact() const { return !ulp && !abs && !rel; }
};

/// How many steps from one value of the type to the next lie between two: of
/// integers their difference; of floats +0 and -0 are one value. Nothing where
/// one is a NaN.
std::optional<uint64_t> ulpDistance(artifact::ScalarType type, uint64_t a,
                                    uint64_t b);

struct ElementFault {
  std::vector<int64_t> index;
  double actual = 0, expected = 0;
  uint64_t actualBits = 0, expectedBits = 0;
  std::optional<uint64_t> ulp;
};

struct ToleranceResult {
  int64_t elements = 0, faults = 0;
  std::vector<ElementFault> first; ///< the first few, in row-major order
};

/// Both tensors have one type and one shape.
ToleranceResult compare(const rt::Tensor &actual, const rt::Tensor &expected,
                        const Tolerance &tolerance);

/// `Y[0, 1] = 1.5 (0x3fc0), expected 1.25 (0x3fa0), 32 ulp apart`; integers are
/// just `3 apart`.
std::string printFault(const std::string &name, artifact::ScalarType type,
                       const ElementFault &fault);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_TOLERANCE_H
