//===- PtxLexer.h - PTX text to tokens ------------------------ -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_PTXLEXER_H
#define GIRIH_RUNTIME_SIM_PTXLEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace girih::sim {

struct Token {
  enum class Kind : uint8_t {
    End,
    Word,        ///< `add`, `%r1`, `$L__BB0_1`, `_`
    Dotted,      ///< `.global`, `.shared::cta`: with the dot and every `::`
    Integer,     ///< bits, isUnsigned
    Float32,     ///< 0f3F800000: bits of the f32
    Float64,     ///< 0d..., `1.5`, `1e3`: bits of the f64
    String,      ///< text with its quotes
    Punctuation, ///< one character, or `<<` and the like
    Bad          ///< no token of PTX: Lexer::error() says why
  };
  Kind kind = Kind::End;
  bool isUnsigned = false; ///< a U suffix, or beyond the signed range
  uint32_t line = 1;
  std::string_view text;
  uint64_t bits = 0;

  bool is(std::string_view punctuation) const {
    return kind == Kind::Punctuation && text == punctuation;
  }
  bool isWord() const { return kind == Kind::Word; }
  bool isDotted(std::string_view name) const { ///< name without the dot
    return kind == Kind::Dotted && text.substr(1) == name;
  }
};

/// Comments and blanks are left out. The text must outlive the tokens. After a
/// Bad token only Bad ones follow.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();
  /// Why the Bad token is bad, without its line.
  const std::string &error() const { return message; }

private:
  Token make(Token::Kind kind, size_t begin) const;
  Token bad(std::string what);
  bool skipBlanks();
  bool skipComment();
  Token lexWord();
  Token lexDotted();
  Token lexNumber();
  Token lexFloatBits(size_t begin);
  Token lexDecimal(size_t begin);
  Token lexString();
  Token lexPunctuation();
  char at(size_t place) const { return place < text.size() ? text[place] : 0; }

  std::string_view text;
  size_t place = 0;
  uint32_t line = 1;
  bool lineIsBlank = true; ///< nothing but blanks in this line so far
  bool isBad = false;
  std::string message;
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_PTXLEXER_H
