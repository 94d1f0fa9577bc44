//===- KernelText.h - from test text to PTX ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests write kernels as LLVM-dialect functions with te and arith scalar ops in
// their bodies; lowering replaces those in place.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_CODEGEN_KERNELTEXT_H
#define GIRIH_TEST_UNIT_CODEGEN_KERNELTEXT_H

#include "passes/codegen/EmitPtx.h"

#include <map>
#include <string>

namespace girih::codegen::test {

/// Parses `text`, lowers its te and arith ops for `target` with ScalarLowering,
/// and emits PTX. Parse and lowering errors are failures too.
Result<std::string> ptxOf(const std::string &text, const std::string &target,
                          const PtxOptions &options = {});
/// The same, up to LLVM IR.
Result<std::string> llvmIrOf(const std::string &text, const std::string &target,
                             const PtxOptions &options = {});

/// Milliseconds of processor time of emitPtx alone (parsing and lowering
/// aside); -1 if it fails.
double emissionMilliseconds(const std::string &text, const std::string &target);

/// The body of each kernel of a PTX text, one instruction a line, registers
/// left as they are and blanks squeezed.
std::map<std::string, std::string> bodiesOf(const std::string &ptx);

/// A kernel `name` of arguments `a`, `b`, ... of the types listed, whose body
/// ends with %r of `result` type, which is stored.
std::string kernel(const std::string &name, const std::string &arguments,
                   const std::string &body, const std::string &result);

} // namespace girih::codegen::test

#endif // GIRIH_TEST_UNIT_CODEGEN_KERNELTEXT_H
