//===- EmitPtx.h - from the LLVM dialect to PTX -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_EMITPTX_H
#define GIRIH_PASSES_CODEGEN_EMITPTX_H

#include "compiler/artifact/Result.h"
#include "compiler/target/GpuTarget.h"

#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace girih::codegen {

struct PtxOptions {
  /// Basic blocks, loops and functions named in comments.
  bool comments = false;
};

/// The PTX text of a module of LLVM- and NVVM-dialect ops (kernels are
/// llvm.func with `nvvm.kernel`). The same module gives the same bytes in every
/// run and thread. Pointers to shared memory have 32 bits (the first call says
/// so to LLVM, for the process: it has no other place). Whatever LLVM refuses,
/// an instruction the target lacks included, comes back as a failure. The
/// module is left as it was; its context may gain the translations it lacks, so
/// no other thread may be using it.
Result<std::string> emitPtx(mlir::ModuleOp module,
                            const target::GpuTarget &target,
                            const PtxOptions &options = {});

/// The LLVM IR handed to the backend.
Result<std::string> printLlvmIr(mlir::ModuleOp module,
                                const target::GpuTarget &target,
                                const PtxOptions &options = {});

/// The PTX version written for `target` times ten: 78 is ".version 7.8".
unsigned ptxVersionFor(const target::GpuTarget &target);

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_EMITPTX_H
