//===- GemmText.h - a GEMM block in the LLVM dialect ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_CODEGEN_GEMMTEXT_H
#define GIRIH_TEST_UNIT_CODEGEN_GEMMTEXT_H

#include <string>

namespace girih::codegen::test {

/// A kernel `gemm` as tile lowering writes them: 128x128x8 tiles in shared
/// memory, 256 threads with 8x8 accumulators each in loop-carried values, a
/// masked epilogue. About 2200 LLVM instructions.
std::string gemmText();

} // namespace girih::codegen::test

#endif // GIRIH_TEST_UNIT_CODEGEN_GEMMTEXT_H
