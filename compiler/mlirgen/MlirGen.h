//===- MlirGen.h - typed tree to te dialect ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transcription: each operation of the text becomes one te op where it
// stands, so that te rounds where the text rounds. Nothing is simplified here.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_MLIRGEN_MLIRGEN_H
#define GIRIH_COMPILER_MLIRGEN_MLIRGEN_H

#include "compiler/frontend/Frontend.h"
#include "compiler/support/Diagnostics.h"
#include "dialects/te/Te.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace girih::mlirgen {

/// Names and the texts of their values.
using GivenValues = std::vector<std::pair<std::string, std::string>>;

struct GenOptions {
  /// Sizes fixed at compile time (`-D M=1024`). They change no bits.
  std::vector<std::pair<std::string, int64_t>> given;
  /// Values were given to these names, which are no parameters: refused.
  GivenValues unknown;
  /// Replaces the operator's `numerics { functions = ... }`. A suffix at a use
  /// (`exp.fast`) stands. Without either the operator's functions are fast.
  std::optional<te::Accuracy> functions;
};

/// The module of one te.func for the operator `opName` of a checked program;
/// an empty name means the file's only operator. Loads the te and arith
/// dialects. Null after errors; what is returned has been verified.
///
/// Every op carries the FileLineColLoc at which its expression, statement or
/// declaration starts. An operation inlined from a `fn` carries its place in
/// the `fn`'s text, one from a library function that of the call.
mlir::OwningOpRef<mlir::ModuleOp> generateTe(const frontend::Program &program,
                                             const std::string &opName,
                                             const GenOptions &options,
                                             mlir::MLIRContext &context,
                                             Diagnostics &diags);

} // namespace girih::mlirgen

#endif // GIRIH_COMPILER_MLIRGEN_MLIRGEN_H
