//===- Token.h - what the lexer hands to the parser -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_TOKEN_H
#define GIRIH_COMPILER_FRONTEND_TOKEN_H

#include "compiler/support/Diagnostics.h"

#include <string_view>

namespace girih::frontend {

enum class TokenKind : uint8_t {
  EndOfFile,
  Identifier,
  Number, ///< with its suffix, if it has one
  String,
  Quantity, ///< `128B`; in schedules only
  // Keywords: no name may be spelled like one of them.
  KwAnd,
  KwAssume,
  KwConst,
  KwElse,
  KwExtern,
  KwFalse,
  KwFn,
  KwFor,
  KwIf,
  KwIn,
  KwInf,
  KwInout,
  KwNan,
  KwNone,
  KwNot,
  KwNumerics,
  KwOp,
  KwOr,
  KwSchedule,
  KwTest,
  KwThen,
  KwTrue,
  KwType,
  KwUse,
  KwWhere,
  // Punctuation.
  Ampersand,
  Arrow,
  Caret,
  Colon,
  Comma,
  Dot,
  DotDot,
  Equal,
  EqualEqual,
  Greater,
  GreaterEqual,
  GreaterGreater,
  LeftBrace,
  LeftBracket,
  LeftParen,
  Less,
  LessEqual,
  LessLess,
  Minus,
  NotEqual,
  Percent,
  Pipe,
  Plus,
  PlusEqual,
  Question,
  RightBrace,
  RightBracket,
  RightParen,
  Semicolon, ///< in schedules only
  Slash,
  Star,
  Tilde,
};

/// How a kind is called in a message: "'('", "a name", "the end of the file".
std::string_view describe(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  bool startsLine = false; ///< the first token of its line
  SourceRange range;
  /// The doc comment lines that stand directly before this token, as a range
  /// of LexedFile::docLines.
  uint32_t docBegin = 0, docEnd = 0;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_TOKEN_H
