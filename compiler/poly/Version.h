//===- Version.h - which isl does the counting ------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_VERSION_H
#define GIRIH_COMPILER_POLY_VERSION_H

#include <string>

namespace girih::poly {

/// As isl itself says, such as `isl-0.25-GMP`.
std::string islVersion();

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_VERSION_H
