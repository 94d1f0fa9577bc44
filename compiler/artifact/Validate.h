//===- Validate.h - what every artifact must satisfy ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this room. Loading and saving obey the same rules, so that what
// was saved can be loaded.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARTIFACT_VALIDATE_H
#define GIRIH_COMPILER_ARTIFACT_VALIDATE_H

#include "compiler/artifact/Artifact.h"

namespace girih::artifact {

/// A constant or a size has depth 1. Keeps every recursion over an untrusted
/// expression short.
constexpr unsigned kDeepestSizeExpr = 64;

inline std::string tooDeepMessage() {
  return "a size expression is nested deeper than " +
         std::to_string(kDeepestSizeExpr);
}

/// None for a constant or size, two for a division, two or more for the rest.
Status checkOperandCount(SizeExpr::Kind kind, size_t count);

/// Every index in range, every divisor positive, shapes made of constants and
/// sizes, expressions well formed, loops of launches one inside the other or
/// apart, outputs in the place of inputs of their type and shape. The message
/// says where the fault is.
Status validate(const Artifact &artifact);

} // namespace girih::artifact

#endif // GIRIH_COMPILER_ARTIFACT_VALIDATE_H
