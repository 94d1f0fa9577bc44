//===- FormatFuzz.cpp - the one style is at rest --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"

#include <cstdlib>

using namespace girih;
using namespace girih::frontend;

/// What was formatted parses, means the same and stays as it is.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  Diagnostics diagnostics;
  SourceFile source("f.te", text);
  std::optional<std::string> once = formatText(source, diagnostics);
  if (!once) {
    if (!diagnostics.hasErrors())
      std::abort();
    return 0;
  }
  SourceFile styled("g.te", *once);
  if (formatText(styled, diagnostics) != once)
    std::abort();
  auto before = parseFile(source, diagnostics);
  auto after = parseFile(styled, diagnostics);
  if (!before || !after || printAst(*before) != printAst(*after))
    std::abort();
  return 0;
}
