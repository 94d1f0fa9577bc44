//===- TileKernels.h - hand-written tile kernels for tests ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_CODEGEN_TILEKERNELS_H
#define GIRIH_TEST_UNIT_CODEGEN_TILEKERNELS_H

#include <map>
#include <string>

namespace girih::codegen::test {

/// Texts of kernels by name: every op of the tile dialect in the shapes that
/// programs use it in.
const std::map<std::string, std::string> &tileKernels();

} // namespace girih::codegen::test

#endif // GIRIH_TEST_UNIT_CODEGEN_TILEKERNELS_H
