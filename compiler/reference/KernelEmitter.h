//===- KernelEmitter.h - one te.compute as a host function ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_KERNELEMITTER_H
#define GIRIH_COMPILER_REFERENCE_KERNELEMITTER_H

#include "compiler/reference/Plan.h"

#include "llvm/IR/Module.h"

namespace girih::reference {

/// Adds the function `plan.info.symbol` to `module`: see KernelInfo for its
/// arguments. With `bounds`, values of inexact tensors carry errors.
void emitKernel(llvm::Module &module, te::FuncOp func, const ComputePlan &plan,
                const ProgramInfo &program, const HostShape &host, bool bounds);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_KERNELEMITTER_H
