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

/// What a program is parsed for, besides its text.
struct ParseOptions {
  /// The operator that `settings` are about; empty: the file's only one.
  std::string op;
  /// Values of its parameters, as text: a constant, a type, `none` or
  /// `present`. Names that it does not have are passed over.
  std::vector<std::pair<std::string, std::string>> settings;
  /// Temporaries of that operator that become outputs too.
  std::vector<std::string> probes;
  /// A text of schedules and templates for the program's operators, which is
  /// read as if it stood behind it; null: none.
  std::shared_ptr<const SourceFile> scheduleFile;
};

/// A checked program: every Expr has its type, every name its meaning, every
/// index variable its extent.
struct Program {
  /// With the used files attached, and what the command line gives.
  std::shared_ptr<SourceFile> source;
  File file;
  std::vector<File> used; ///< those that `use` names, in order of need
  File schedules;         ///< of ParseOptions::scheduleFile
  /// Library functions in use, one for each type they are used at; not part of
  /// the printed file.
  std::vector<std::unique_ptr<FnDecl>> library;

  std::vector<std::unique_ptr<OpDecl>> instances;
  /// Settings that no parameter has taken.
  std::vector<std::pair<std::string, std::string>> unusedSettings;

  /// The operators of the file itself, resolved (OpDecl::instance).
  std::vector<const OpDecl *> ops() const;
  /// An operator of the file or of those it uses, by the name in the text;
  /// null where there is none.
  const OpDecl *findOp(std::string_view name) const;
  /// The tests of the file itself.
  std::vector<const TestDecl *> tests() const;
};

/// Parses and checks. Null after errors (all reported, at most 20); warnings
/// alone do not fail.
std::unique_ptr<Program> parseProgram(std::shared_ptr<const SourceFile> source,
                                      Diagnostics &diagnostics,
                                      const ParseOptions &options = {});

/// Parses only: names and types are not looked at. Null after errors.
std::unique_ptr<File> parseFile(const SourceFile &source,
                                Diagnostics &diagnostics);

/// The canonical text: parses back to the same tree. Comments that are no doc
/// comments are not part of it.
std::string printAst(const File &file);

/// `N <= 65536`.
std::string printConstraint(const SizeConstraint &constraint);
/// `OH = (H + 1) / 2`, of a size behind `where`.
std::string printDefinition(const DerivedSize &size);

/// The text in the one style: white space and indentation are set anew, line
/// breaks inside a statement and comments are kept. The tokens stay the same,
/// so the tree does. Nothing, reported, for a text that does not parse.
std::optional<std::string> formatText(const SourceFile &source,
                                      Diagnostics &diagnostics);

/// One expression in the canonical form.
std::string printExpr(const Expr &expr);

/// Limits that the front end enforces.
inline constexpr size_t kMaxFileBytes = 4u << 20;
/// Of a program with the files it uses.
inline constexpr uint64_t kMaxProgramBytes = 64u << 20;
inline constexpr unsigned kMaxStatements = 10000; ///< with the file's items
inline constexpr unsigned kMaxNesting = 200;      ///< brackets, unary operators
inline constexpr unsigned kMaxTreeDepth = 1000;   ///< long chains included
inline constexpr unsigned kMaxDims = 16;          ///< of a tensor
inline constexpr unsigned kMaxIndices = 20;       ///< that hold in one place
inline constexpr unsigned kMaxTensors = 500;      ///< in and out of an op
inline constexpr unsigned kMaxInlinedDepth = 2000;
inline constexpr uint64_t kMaxInlinedNodes = 1000000; ///< of the whole file

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_FRONTEND_H
