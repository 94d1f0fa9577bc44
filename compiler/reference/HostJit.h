//===- HostJit.h - host code in this process --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_HOSTJIT_H
#define GIRIH_COMPILER_REFERENCE_HOSTJIT_H

#include "compiler/reference/Plan.h"
#include "compiler/reference/Program.h"

#include <memory>
#include <optional>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace girih::reference {

/// Owns the machine code of the modules it was given.
class HostJit {
public:
  ~HostJit();
  HostJit(HostJit &&) noexcept;

  /// A compiler for this machine's own instruction set. `shape` asks for code
  /// that uses less than the machine offers.
  static Result<HostJit> create(std::optional<HostShape> shape = std::nullopt);

  /// What generated code may use.
  const HostShape &shape() const;

  /// Optimises and compiles `module`. None of the optimisations may change a
  /// rounding: no fast-math flag is ever set.
  Status add(std::unique_ptr<llvm::Module> module,
             std::unique_ptr<llvm::LLVMContext> context);
  Result<KernelFunction> lookup(const std::string &symbol) const;

private:
  struct Impl;
  explicit HostJit(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_HOSTJIT_H
