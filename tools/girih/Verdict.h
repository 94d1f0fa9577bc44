//===- Verdict.h - does a device agree with the reference? ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_VERDICT_H
#define GIRIH_TOOLS_GIRIH_VERDICT_H

#include "runtime/Compare.h"

namespace girih::cli {

/// How one output compares. An element whose bound is 0 must agree bit for bit
/// (any NaN equals any NaN, +0 and -0 differ); another one may be off by its
/// bound; an infinite bound, where an intermediate result overflows, says
/// nothing, so such elements are counted apart.
struct Verdict {
  rt::CompareResult compared;
  int64_t exact = 0, bounded = 0, unbounded = 0;
};

/// `bounds` holds one number an element, row-major. Fails where the tensors or
/// the bounds do not belong together.
Result<Verdict> judge(const rt::Tensor &actual, const rt::Tensor &expected,
                      const std::vector<double> &bounds);

/// One sentence about the output `name`.
std::string printVerdict(const std::string &name, artifact::ScalarType type,
                         const Verdict &verdict);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_VERDICT_H
