//===- Flops.h - how much an operator computes ------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_FLOPS_H
#define GIRIH_TOOLS_GIRIH_FLOPS_H

#include "compiler/artifact/Artifact.h"

namespace girih::cli {

/// Operations of an artifact's reductions at the sizes: one a step of a chain,
/// two where the step multiplies too. Everything outside of reductions is left
/// out.
Result<double> flopsOf(const artifact::Artifact &artifact,
                       const std::vector<int64_t> &sizes);

/// The bytes of every parameter, each counted once.
double bytesOf(const artifact::Artifact &artifact,
               const std::vector<std::vector<int64_t>> &shapes);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_FLOPS_H
