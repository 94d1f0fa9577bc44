//===- Reporter.h - error limit over Diagnostics ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_REPORTER_H
#define GIRIH_COMPILER_FRONTEND_REPORTER_H

#include "compiler/frontend/Codes.h"
#include "compiler/support/Diagnostics.h"

#include <optional>
#include <set>
#include <string>

namespace girih::frontend {

/// Passes messages on until kMaxErrors errors were reported; further ones are
/// dropped and one closing error says so.
class Reporter {
public:
  static constexpr unsigned kMaxErrors = 20;

  explicit Reporter(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  Diagnostic &error(const char *code, std::string message, SourceRange range) {
    if (count == kMaxErrors) {
      if (!closed)
        diagnostics.error(codes::kTooManyErrors,
                          "too many errors; the rest is not reported", range);
      closed = true;
      return dropped = {};
    }
    ++count;
    // A text that is read twice (argmax, topk) has its faults once.
    std::string key = std::string(code) + message + std::to_string(range.begin);
    if (!said.insert(std::move(key)).second)
      return dropped = {};
    Diagnostic &error = diagnostics.error(code, std::move(message), range);
    if (context)
      error.note(context->message, context->range);
    return error;
  }

  Diagnostic &warning(const char *code, std::string message,
                      SourceRange range) {
    return diagnostics.warning(code, std::move(message), range);
  }

  /// Added to every error until it is set to something else.
  void setContext(std::optional<Note> note) { context = std::move(note); }

  unsigned errors() const { return count; }
  bool failed() const { return count > 0; }
  /// Nothing that is found from here on will be reported.
  bool full() const { return closed; }

private:
  Diagnostics &diagnostics;
  Diagnostic dropped;
  std::set<std::string> said;
  std::optional<Note> context;
  unsigned count = 0;
  bool closed = false;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_REPORTER_H
