//===- Frontend.h - source text to a typed program --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_FRONTEND_H
#define GIRIH_COMPILER_FRONTEND_FRONTEND_H

#include "compiler/frontend/Ast.h"
#include "compiler/support/Diagnostics.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace girih::frontend {

/// A checked program: every Expr has its type, every name its meaning, every
/// index variable its extent.
struct Program {
  std::shared_ptr<const SourceFile> source;
  File file;
  /// Library functions in use, one for each type they are used at; not part of
  /// the printed file.
  std::vector<std::unique_ptr<FnDecl>> library;

  std::vector<const OpDecl *> ops() const;
  /// Null where the file has no such operator.
  const OpDecl *findOp(std::string_view name) const;
};

/// Parses and checks. Null after errors (all reported, at most 20); warnings
/// alone do not fail.
std::unique_ptr<Program> parseProgram(std::shared_ptr<const SourceFile> source,
                                      Diagnostics &diagnostics);

/// Parses only: names and types are not looked at. Null after errors.
std::unique_ptr<File> parseFile(const SourceFile &source,
                                Diagnostics &diagnostics);

/// The canonical text: parses back to the same tree. Comments that are no doc
/// comments are not part of it.
std::string printAst(const File &file);

/// One expression in the canonical form.
std::string printExpr(const Expr &expr);

/// Limits that the front end enforces.
inline constexpr size_t kMaxFileBytes = 4u << 20;
inline constexpr unsigned kMaxStatements = 10000; ///< with the file's items
inline constexpr unsigned kMaxNesting = 200;      ///< brackets, unary operators
inline constexpr unsigned kMaxTreeDepth = 1000;   ///< long chains included
inline constexpr unsigned kMaxInlinedDepth = 2000;
inline constexpr uint64_t kMaxInlinedNodes = 1000000; ///< of the whole file

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_FRONTEND_H
