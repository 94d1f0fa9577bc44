//===- Console.cpp - what a command says, and how it ends -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Console.h"

#include "tools/girih/Codes.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <unistd.h>

using namespace girih;
using namespace girih::cli;

/// The one place that looks at the environment (https://no-color.org).
static bool wantsColor() {
  const char *noColor = std::getenv("NO_COLOR");
  const char *term = std::getenv("TERM");
  bool refused = noColor && *noColor;
  bool dumb = term && std::string_view(term) == "dumb";
  return !refused && !dumb && isatty(STDERR_FILENO);
}

/// Codes of the compiler that say: the command names what the program lacks.
static bool isMisuse(const Diagnostic &diagnostic) {
  static constexpr std::string_view kMisuse[] = {
      "G0601", "G0602", "G0603", "G0604", // operator and sizes
      "G0620", "G0621",                   // parameters
      "G0801", "G0803", "G0817", "G0818", // target, functions, phases
      "G0820", "G0822", "G0824",          // statement and sizes of a view
  };
  return diagnostic.severity == Severity::Error &&
         std::find(std::begin(kMisuse), std::end(kMisuse), diagnostic.code) !=
             std::end(kMisuse);
}

Diagnostic &Console::fail(const char *code, std::string message) {
  return own.error(code, std::move(message));
}

Diagnostic &Console::usage(const char *code, std::string message) {
  misused = true;
  return own.error(code, std::move(message));
}

Diagnostic &Console::warn(const char *code, std::string message) {
  return own.warning(code, std::move(message));
}

Diagnostics &Console::startCompile(std::shared_ptr<const SourceFile> file) {
  return compiles.emplace_back(std::move(file));
}

void Console::say(const std::string &line) const {
  std::fprintf(stderr, "%s\n", line.c_str());
}

void Console::remark(const std::string &line) const {
  if (!json)
    say(line);
}

bool Console::print(const std::string &text) {
  size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written == text.size() && std::fflush(stdout) == 0)
    return true;
  fail(codes::kCannotWrite, "cannot write to standard output: " +
                                std::generic_category().message(errno));
  return false;
}

rt::ProgressOptions Console::progress(std::string label) const {
  rt::ProgressOptions options;
  options.label = std::move(label);
  options.color = wantsColor();
  return options;
}

/// The elements of an array's text, without its brackets.
static std::string elementsOf(const Diagnostics &diags) {
  if (diags.all().empty())
    return "";
  std::string text = diags.renderJson();
  size_t begin = text.find('[') + 1, end = text.rfind(']');
  text = text.substr(begin, end - begin);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

int Console::finish() {
  std::string text;
  bool failed = own.hasErrors();
  auto add = [&](const Diagnostics &diags) {
    if (!json) {
      text += diags.renderText(wantsColor());
      return;
    }
    std::string elements = elementsOf(diags);
    text += (text.empty() || elements.empty() ? "" : ",") + elements;
  };
  for (const Diagnostics &compile : compiles) {
    add(compile);
    failed |= compile.hasErrors();
    for (const Diagnostic &diagnostic : compile.all())
      misused |= isMisuse(diagnostic);
  }
  add(own);
  if (json)
    text = "[" + text + (text.empty() ? "]\n" : "\n]\n");
  std::fwrite(text.data(), 1, text.size(), stderr);
  return std::max(least, misused ? kExitUsage : failed ? kExitFailed : kExitOk);
}
