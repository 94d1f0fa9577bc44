//===- ParseFuzz.cpp - any text through the front end ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"

#include <cstdlib>

using namespace girih;
using namespace girih::frontend;

/// The printed form has brackets that the text may lack, and nests up to twice
/// as deep.
static bool isTooDeep(const Diagnostics &diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.code == "G0104")
      return true;
  return false;
}

/// The text is refused with a message, or its printed form means the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  // No other files: what is read must depend on the input alone.
  if (text.find("use") != std::string::npos)
    return 0;
  auto source = std::make_shared<SourceFile>("f.te", text);
  Diagnostics diagnostics(source);
  auto program = parseProgram(source, diagnostics);
  std::string shown = diagnostics.renderText(false) + diagnostics.renderJson();
  if (shown.empty() || (!program && !diagnostics.hasErrors()))
    std::abort();
  if (!program)
    return 0;
  std::string once = printAst(program->file);
  auto again = std::make_shared<SourceFile>("g.te", once);
  Diagnostics others(again);
  auto second = parseProgram(again, others);
  if (!second && isTooDeep(others))
    return 0;
  if (!second || printAst(second->file) != once)
    std::abort();
  return 0;
}
