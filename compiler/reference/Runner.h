//===- Runner.h - one run of a compiled te module ---------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_RUNNER_H
#define GIRIH_COMPILER_REFERENCE_RUNNER_H

#include "compiler/reference/Codegen.h"
#include "compiler/reference/Reference.h"

namespace girih::reference {

/// Binds `params`, runs every kernel and copies out what was not computed in
/// place. With `bounds`, which needs a program compiled with them, also returns
/// the outputs' errors, row-major.
Status runProgram(const HostProgram &program,
                  const std::vector<HostTensor> &params,
                  const RunOptions &options,
                  std::vector<std::vector<double>> *bounds);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_RUNNER_H
