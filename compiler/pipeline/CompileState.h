//===- CompileState.h - what one compile holds between phases ---*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_COMPILESTATE_H
#define GIRIH_COMPILER_PIPELINE_COMPILESTATE_H

#include "compiler/artifact/Artifact.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/pipeline/CompileOptions.h"
#include "compiler/poly/Legality.h"
#include "compiler/poly/LoopAst.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/target/GpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/schedule/DefaultSchedule.h"
#include "passes/schedule/ScheduleModel.h"
#include "passes/scop/BuildScop.h"
#include "passes/te/TePipelines.h"

namespace girih::pipeline {

/// A condition on a size, decided at compile time where the size is given.
struct SizeCondition {
  enum class Kind { Multiple, AtMost, AtLeast };
  std::string size;
  Kind kind = Kind::Multiple;
  int64_t value = 1;
};
/// Whether it holds for a value of its size.
bool holds(const SizeCondition &condition, int64_t value);
/// `M % 8 == 0, N <= 512`, and back.
std::string print(const std::vector<SizeCondition> &conditions);
std::optional<std::vector<SizeCondition>> readConditions(std::string_view text);

/// One way to compute the program. The first whose conditions hold is launched;
/// the last one has none.
struct ScheduleVersion {
  poly::ScheduleTree tree;
  std::vector<schedule::KernelReason> reasons;
  std::vector<SizeCondition> conditions;
  // Of a schedule of the text, for refusals: its directives, and its head.
  schedule::Origins origins;
  std::optional<SourceRange> at;
};

/// Filled from the top as phases run; a phase reads what stands above its own
/// line. Reading a phase's text back fills everything that its bundle carries.
struct CompileState {
  CompileState(const CompileOptions &options, Diagnostics &diags);

  const CompileOptions &options;
  Diagnostics &diags;
  std::optional<target::GpuTarget> target;
  std::unique_ptr<mlir::MLIRContext> context;

  std::unique_ptr<frontend::Program> program;   // ast
  std::vector<std::string> parameters;          // ast: given names that are
  mlir::OwningOpRef<mlir::ModuleOp> te;         // te, assoc
  std::vector<te::CascadeRequest> cascades;     // assoc: exact ones made
  std::vector<std::string> proved;              // assoc: by proveInvariance
  std::optional<scop::ScopWithMap> scop;        // scop
  std::optional<poly::Dependences> dependences; // scop
  std::vector<ScheduleVersion> schedules;       // schedule
  mlir::OwningOpRef<mlir::ModuleOp> kernels;    // tile, llvm
  artifact::Artifact plan;                      // tile, llvm, ptx
  bool readBack = false; ///< below schedule: only well-formedness is known

  /// The operator.
  te::FuncOp func();
  /// What is compiled: the operator, or an exact cascade's function behind it.
  te::FuncOp realised() { return te::realisedBy(*te); }
  /// What isl may spend on one analysis.
  poly::PolyBudget budget() const;
};

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_COMPILESTATE_H
