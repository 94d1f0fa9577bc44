//===- Codegen.h - a te module as host code ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_CODEGEN_H
#define GIRIH_COMPILER_REFERENCE_CODEGEN_H

#include "compiler/reference/HostJit.h"
#include "compiler/reference/Program.h"

namespace girih::reference {

/// Generated code and what it needs to run. Immutable.
struct HostProgram {
  ProgramInfo info;
  HostJit jit;                           ///< keeps the functions alive
  std::vector<KernelFunction> functions; ///< parallel to info.kernels
};

/// Parses the module, which must hold one te.func, and compiles it. With
/// `bounds`, values that a fast function can reach carry errors. The bits of a
/// result do not depend on `shape`, which is this machine's when left out.
Result<HostProgram>
compileProgram(const std::string &teModule, bool bounds,
               std::optional<HostShape> shape = std::nullopt);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_CODEGEN_H
