//===- View.h - dimensions of an argument -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TensorParam::shape has the dimensions that kernels index. An argument has one
// dimension for each of its groups, and any number for leading ones.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARTIFACT_VIEW_H
#define GIRIH_COMPILER_ARTIFACT_VIEW_H

#include "compiler/artifact/Artifact.h"

namespace girih::artifact {

/// One dimension of an argument, or all of its leading ones.
struct OuterDim {
  unsigned first = 0, count = 1; ///< its dimensions of TensorParam::shape
  bool leading = false;
};
std::vector<OuterDim> outerDims(const TensorParam &param);

/// `N`, `(HK, G)`, `..R`
std::string print(const OuterDim &dim, const TensorParam &param,
                  const std::vector<std::string> &sizeNames);

/// TensorParam::layout in dimensions of an argument; every member of a group
/// stands behind the one before.
std::vector<unsigned> outerLayout(const TensorParam &param);

/// ` layout(N, K) align 16`; empty where nothing is promised.
std::string printPromises(const TensorParam &param,
                          const std::vector<std::string> &sizeNames);

} // namespace girih::artifact

#endif // GIRIH_COMPILER_ARTIFACT_VIEW_H
