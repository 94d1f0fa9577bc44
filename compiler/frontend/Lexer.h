//===- Lexer.h - text to tokens ---------------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `//` starts a comment wherever it stands (so floor division has no operator
// of that spelling), `///` a doc line of the item that follows; `////` is a
// plain comment. Line ends are white space.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_LEXER_H
#define GIRIH_COMPILER_FRONTEND_LEXER_H

#include "compiler/frontend/Reporter.h"
#include "compiler/frontend/Token.h"

#include <string>
#include <vector>

namespace girih::frontend {

struct LexedFile {
  std::vector<Token> tokens; ///< ends with one EndOfFile
  std::vector<std::string> docLines;
  std::vector<SourceRange> comments; ///< of every kind, in order
};

/// Splits `text`, whose first byte has the offset `base` among the texts of the
/// program. Bad characters are reported and left out.
LexedFile lex(std::string_view text, Reporter &reporter, uint32_t base = 0);

/// A number token's digits and its suffix ("" where there is none).
struct NumberParts {
  std::string_view digits;
  std::string_view suffix;
};
NumberParts splitNumber(std::string_view text);

/// The keywords, sorted.
const std::vector<std::string> &keywords();

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_LEXER_H
