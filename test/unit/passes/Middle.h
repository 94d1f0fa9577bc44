//===- Middle.h - a program brought to the middle's forms -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the phases of one program up to the Scop, the schedule or its loops,
// failing the test where one of them refuses.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PASSES_MIDDLE_H
#define GIRIH_TEST_UNIT_PASSES_MIDDLE_H

#include "compiler/poly/LoopAst.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/scop/BuildScop.h"
#include "test/unit/passes/TeInterpreter.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace girih::test {

using Sizes = std::map<std::string, int64_t>;

class Middle {
public:
  /// `text` is a .te program, or te in MLIR with its terms ("te.func ...").
  explicit Middle(const std::string &text,
                  std::vector<std::pair<std::string, int64_t>> given = {});
  ~Middle();

  /// What buildScop says against the program; empty when it makes a Scop.
  std::string scopRefusal();
  /// The Scop, well-formed.
  const scop::ScopWithMap &scop();
  te::FuncOp func();
  mlir::MLIRContext &context() { return *mlirContext; }

  /// Random arguments for these sizes, values rounded to their types.
  std::vector<te::TestTensor> arguments(const Sizes &sizes, unsigned seed = 1);
  /// What the program's text means.
  std::vector<te::TestTensor>
  expected(const Sizes &sizes, const std::vector<te::TestTensor> &arguments);
  /// The values of the Scop's parameters.
  std::vector<int64_t> params(const Sizes &sizes);

private:
  std::unique_ptr<mlir::MLIRContext> mlirContext;
  std::string problems;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<scop::ScopWithMap> built;
};

/// The text of one of the files in examples/, "row_sum".
std::string exampleText(const std::string &name);

/// The first difference between two lists of results, or an empty string.
std::string difference(const std::vector<te::TestTensor> &a,
                       const std::vector<te::TestTensor> &b);

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PASSES_MIDDLE_H
