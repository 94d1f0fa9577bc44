//===- PtxLexer.cpp - PTX text to tokens ----------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 4.2 to 4.5.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/PtxLexer.h"

#include <array>
#include <bit>
#include <charconv>

namespace girih::sim {

namespace {

enum CharClass : uint8_t { kBlank = 1, kDigit = 2, kHex = 4, kFollow = 8 };

constexpr std::array<uint8_t, 256> makeClasses() {
  std::array<uint8_t, 256> classes{};
  for (char c : {' ', '\t', '\r', '\f', '\v', '\n'})
    classes[uint8_t(c)] = kBlank;
  for (char c = '0'; c <= '9'; ++c)
    classes[uint8_t(c)] = kDigit | kHex | kFollow;
  for (char c = 'a'; c <= 'z'; ++c)
    classes[uint8_t(c)] = classes[uint8_t(c - 'a' + 'A')] =
        kFollow | (c <= 'f' ? kHex : 0);
  classes[uint8_t('_')] = classes[uint8_t('$')] = kFollow;
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = makeClasses();

bool isA(char c, CharClass which) { return kClasses[uint8_t(c)] & which; }
bool startsWord(char c) {
  return c == '%' || (isA(c, kFollow) && !isA(c, kDigit));
}

std::string hexByte(char c) {
  const char *digits = "0123456789abcdef";
  return {'0', 'x', digits[uint8_t(c) >> 4], digits[uint8_t(c) & 15]};
}

} // namespace

Token Lexer::make(Token::Kind kind, size_t begin) const {
  Token token;
  token.kind = kind;
  token.line = line;
  token.text = text.substr(begin, place - begin);
  return token;
}

Token Lexer::bad(std::string what) {
  isBad = true;
  message = std::move(what);
  return make(Token::Kind::Bad, place);
}

/// At a `/`. False where no comment begins or it does not end.
bool Lexer::skipComment() {
  if (at(place + 1) == '/') {
    size_t end = text.find('\n', place);
    place = end == std::string_view::npos ? text.size() : end;
    return true;
  }
  size_t end = text.find("*/", place + 2);
  if (end == std::string_view::npos)
    return false;
  for (; place < end + 2; ++place)
    line += text[place] == '\n';
  return true;
}

/// False at a comment without an end.
bool Lexer::skipBlanks() {
  while (place < text.size()) {
    char c = text[place];
    if (c == '\n') {
      ++line;
      lineIsBlank = true;
      ++place;
    } else if (isA(c, kBlank)) {
      ++place;
    } else if (c == '/' && (at(place + 1) == '/' || at(place + 1) == '*')) {
      if (!skipComment())
        return false;
    } else if (c == '#' && lineIsBlank && at(place + 1) == ' ' &&
               isA(at(place + 2), kDigit)) {
      // A preprocessor's line marker, `# 12 "file"`.
      size_t end = text.find('\n', place);
      place = end == std::string_view::npos ? text.size() : end;
    } else {
      return true;
    }
  }
  return true;
}

Token Lexer::next() {
  if (isBad)
    return make(Token::Kind::Bad, place);
  if (!skipBlanks())
    return bad("the comment that begins here has no '*/'");
  if (place >= text.size())
    return make(Token::Kind::End, place);
  lineIsBlank = false;
  char c = text[place];
  if (startsWord(c))
    return lexWord();
  if (isA(c, kDigit))
    return lexNumber();
  if (c == '.')
    return lexDotted();
  if (c == '"')
    return lexString();
  return lexPunctuation();
}

Token Lexer::lexWord() {
  size_t begin = place++;
  while (isA(at(place), kFollow))
    ++place;
  if (place - begin == 1 && text[begin] == '%') {
    // The remainder of a constant expression.
    return make(Token::Kind::Punctuation, begin);
  }
  return make(Token::Kind::Word, begin);
}

Token Lexer::lexDotted() {
  size_t begin = place++;
  if (isA(at(place), kDigit)) {
    // `.5` is a number, `.1d` a modifier.
    size_t end = place;
    while (isA(at(end), kDigit))
      ++end;
    char after = at(end);
    if (after == 'e' || after == 'E') {
      size_t digits = end + 1;
      if (at(digits) == '+' || at(digits) == '-')
        ++digits;
      bool isExponent = isA(at(digits), kDigit);
      while (isA(at(digits), kDigit))
        ++digits;
      after = isExponent ? at(digits) : after;
    }
    if (!isA(after, kFollow))
      return lexDecimal(begin);
  }
  if (!isA(at(place), kFollow))
    return bad("a '.' with no name behind it");
  while (isA(at(place), kFollow) || (at(place) == ':' && at(place + 1) == ':' &&
                                     isA(at(place + 2), kFollow)))
    place += at(place) == ':' ? 2 : 1;
  return make(Token::Kind::Dotted, begin);
}

/// `0f` or `0d` and the bits, at `begin`.
Token Lexer::lexFloatBits(size_t begin) {
  bool isSingle = text[begin + 1] == 'f' || text[begin + 1] == 'F';
  unsigned digits = isSingle ? 8 : 16;
  uint64_t bits = 0;
  auto [end, error] =
      std::from_chars(text.data() + begin + 2, text.data() + place, bits, 16);
  if (place - begin != digits + 2 || error != std::errc() ||
      end != text.data() + place)
    return bad("'" + std::string(text.substr(begin, place - begin)) +
               "' needs " + std::to_string(digits) +
               " hexadecimal digits behind its '" +
               std::string(text.substr(begin, 2)) + "'");
  Token token =
      make(isSingle ? Token::Kind::Float32 : Token::Kind::Float64, begin);
  token.bits = bits;
  return token;
}

/// A decimal number with a point or an exponent.
Token Lexer::lexDecimal(size_t begin) {
  place = begin;
  while (isA(at(place), kDigit))
    ++place;
  if (at(place) == '.')
    ++place;
  while (isA(at(place), kDigit))
    ++place;
  if (at(place) == 'e' || at(place) == 'E') {
    ++place;
    if (at(place) == '+' || at(place) == '-')
      ++place;
  }
  while (isA(at(place), kFollow))
    ++place;
  Token token = make(Token::Kind::Float64, begin);
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data() + begin, text.data() + place, value);
  if (error == std::errc::result_out_of_range)
    return bad("'" + std::string(token.text) + "' is out of the range of f64");
  if (error != std::errc() || end != text.data() + place)
    return bad("'" + std::string(token.text) + "' is no number");
  token.bits = std::bit_cast<uint64_t>(value);
  return token;
}

Token Lexer::lexNumber() {
  size_t begin = place;
  while (isA(at(place), kFollow))
    ++place;
  std::string_view word = text.substr(begin, place - begin);
  char second = word.size() > 1 ? word[1] : 0;
  if (word[0] == '0' &&
      (second == 'f' || second == 'F' || second == 'd' || second == 'D'))
    return lexFloatBits(begin);
  bool isHex = word[0] == '0' && (second == 'x' || second == 'X');
  if (!isHex &&
      (at(place) == '.' || word.find_first_of("eE") != std::string_view::npos))
    return lexDecimal(begin);

  Token token = make(Token::Kind::Integer, begin);
  if (word.back() == 'U') {
    token.isUnsigned = true;
    word.remove_suffix(1);
  }
  int base = 10;
  if (isHex || (word[0] == '0' && (second == 'b' || second == 'B'))) {
    base = isHex ? 16 : 2;
    word.remove_prefix(2);
  } else if (word.size() > 1 && word[0] == '0') {
    base = 8;
  }
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), token.bits, base);
  if (error == std::errc::result_out_of_range)
    return bad("'" + std::string(token.text) + "' does not fit 64 bits");
  if (error != std::errc() || end != word.data() + word.size())
    return bad("'" + std::string(token.text) + "' is no number");
  token.isUnsigned |= token.bits >> 63 != 0;
  return token;
}

Token Lexer::lexString() {
  size_t begin = place++;
  while (at(place) != '"') {
    if (at(place) == '\\')
      ++place;
    if (place >= text.size() || text[place] == '\n')
      return bad("the string that begins here has no end in its line");
    ++place;
  }
  ++place;
  return make(Token::Kind::String, begin);
}

Token Lexer::lexPunctuation() {
  size_t begin = place;
  char c = text[place], second = at(place + 1);
  bool isDouble = (c == second && std::string_view("<>=&|").find(c) !=
                                      std::string_view::npos) ||
                  (second == '=' && (c == '<' || c == '>' || c == '!'));
  if (isDouble) {
    place += 2;
    return make(Token::Kind::Punctuation, begin);
  }
  if (std::string_view("()[]{},;:@!|&^~+-*/<>=?").find(c) ==
      std::string_view::npos) {
    if (c > ' ' && c < 127)
      return bad(std::string("'") + c + "' is no part of PTX");
    return bad("byte " + hexByte(c) + " is no part of PTX");
  }
  ++place;
  return make(Token::Kind::Punctuation, begin);
}

} // namespace girih::sim
