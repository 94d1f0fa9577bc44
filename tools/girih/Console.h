//===- Console.h - what a command says, and how it ends ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Standard output carries only what was asked for; everything else goes to
// standard error. With --diagnostics=json errors and warnings are one JSON
// array, the last thing on standard error, and remarks are left out.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_CONSOLE_H
#define GIRIH_TOOLS_GIRIH_CONSOLE_H

#include "compiler/support/Diagnostics.h"
#include "runtime/Progress.h"

#include <deque>

namespace girih::cli {

enum ExitCode { kExitOk = 0, kExitFailed = 1, kExitUsage = 2 };

class Console {
public:
  void useJson() { json = true; }

  /// The work was refused or failed: exit code 1.
  Diagnostic &fail(const char *code, std::string message);
  /// The command itself is wrong, or names what does not exist: exit code 2.
  Diagnostic &usage(const char *code, std::string message);
  Diagnostic &warn(const char *code, std::string message);
  /// A sink for one compile; lives as long as the console.
  Diagnostics &startCompile(std::shared_ptr<const SourceFile> file);

  /// A line on standard error that a flag asked for.
  void say(const std::string &line) const;
  /// A line on standard error that nobody asked for; silent under JSON.
  void remark(const std::string &line) const;
  /// Writes to standard output. On failure reports it and returns false.
  bool print(const std::string &text);
  /// A bar on standard error once the work takes long; for terminals only.
  rt::ProgressOptions progress(std::string label) const;

  /// The least exit code, whatever was reported.
  void endWith(ExitCode code) { least = code; }

  /// Prints what was reported; the exit code.
  int finish();

private:
  bool json = false;
  bool misused = false;
  ExitCode least = kExitOk;
  Diagnostics own;
  std::deque<Diagnostics> compiles;
};

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_CONSOLE_H
