//===- InstanceCode.h - one instance at a time as host code -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same scalar code that the reference runs, cut into single steps: for
// those who run a program in another order than the text's.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_INSTANCECODE_H
#define GIRIH_COMPILER_REFERENCE_INSTANCECODE_H

#include "compiler/reference/HostJit.h"
#include "dialects/te/Te.h"

namespace girih::reference {

/// A te.compute or te.scatter. Cells are values as they lie in memory.
struct InstanceCode {
  KernelInfo info; ///< what the arguments are
  /// The operand of each te.read of the innermost region, in its order.
  std::vector<unsigned> reads;

  /// Without a reduction: runs the region at `indices` and stores the result
  /// where `args` say. With one: adds the element at `indices`, the compute's
  /// and then the reduction's, to `cell`. `args` as for a kernel.
  using Run = void (*)(const int64_t *args, const int64_t *indices, char *cell);
  Run run = nullptr;
  // Of a reduction.
  using Start = void (*)(char *cell);
  Start start = nullptr; ///< what a chain starts from
  using Combine = void (*)(char *cell, const char *other);
  Combine combine = nullptr; ///< cell := cell (+) other
};

class InstanceProgram {
public:
  /// Compiles every te.compute and te.scatter of `func`, which is in assoc
  /// form.
  static Result<InstanceProgram> compile(te::FuncOp func);

  const ProgramInfo &info() const { return program; }
  /// Of an op of that function.
  const InstanceCode &of(mlir::Operation *op) const { return codes.at(op); }

private:
  InstanceProgram(ProgramInfo program, HostJit jit)
      : program(std::move(program)), jit(std::move(jit)) {}

  ProgramInfo program;
  HostJit jit; ///< keeps the functions alive
  llvm::DenseMap<mlir::Operation *, InstanceCode> codes;
};

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_INSTANCECODE_H
