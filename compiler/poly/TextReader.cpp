//===- TextReader.cpp - reading this room's text forms ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Text.h"

#include "compiler/poly/Scop.h"
#include "compiler/support/Diagnostics.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace girih::poly {

namespace {

// Larger numbers in a text are a mistake; keeping them out keeps every sum and
// product of a few of them inside 64 bits.
constexpr int64_t kMaxNumber = int64_t(1) << 53;

bool isWordStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool isDigitChar(char c) { return c >= '0' && c <= '9'; }
bool isWordChar(char c) { return isWordStart(c) || isDigitChar(c); }

bool inRange(const Affine &affine) {
  auto fits = [](int64_t c) { return c >= -kMaxNumber && c <= kMaxNumber; };
  return std::all_of(affine.dims.begin(), affine.dims.end(), fits) &&
         std::all_of(affine.params.begin(), affine.params.end(), fits) &&
         fits(affine.constant);
}

} // namespace

bool isIdentifier(std::string_view text) {
  return !text.empty() && isWordStart(text[0]) &&
         std::all_of(text.begin(), text.end(), isWordChar);
}

bool isIslName(std::string_view text) {
  static constexpr std::string_view kReserved[] = {
      "and",   "or",       "not",   "exists", "implies",   "mod",    "floor",
      "ceil",  "floord",   "ceild", "min",    "max",       "true",   "false",
      "infty", "infinity", "NaN",   "rat",    "exact_div", "ceilmod"};
  if (!isIdentifier(text))
    return false;
  // isl reads its words without regard to case.
  std::string lower(text);
  for (char &c : lower)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (std::string_view word : kReserved) {
    std::string reserved(word);
    for (char &c : reserved)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower == reserved)
      return false;
  }
  return true;
}

TextReader::TextReader(const std::string &text, Diagnostics &diags,
                       std::string code)
    : text(text), diags(diags), code(std::move(code)) {
  const SourceFile *file = diags.file();
  size_t base =
      file && !text.empty() ? file->text().find(text) : std::string_view::npos;
  if (base != std::string_view::npos)
    linesBefore = static_cast<unsigned>(
        std::count(file->text().begin(), file->text().begin() + base, '\n'));
}

bool TextReader::nextLine() {
  while (!hasFailed && offset < text.size()) {
    size_t begin = offset;
    lineEnd = std::min(text.find('\n', begin), text.size());
    offset = lineEnd + 1;
    ++lineNumber;
    tokens.clear();
    position = 0;
    size_t first = begin;
    while (first < lineEnd && text[first] == ' ')
      ++first;
    indentation = static_cast<unsigned>(first - begin);
    if (!tokenize(first, lineEnd))
      return false;
    if (!tokens.empty())
      return true;
  }
  finished = true;
  tokens.clear();
  position = 0;
  return false;
}

bool TextReader::tokenize(size_t begin, size_t end) {
  static constexpr std::string_view kTwo[] = {"->", "<=", ">="};
  static constexpr std::string_view kOne = "[]{}(),;:+-*/<>=";
  size_t at = begin;
  while (at < end) {
    char c = text[at];
    if (c == ' ' || c == '\r') {
      ++at;
      continue;
    }
    if (c == '#')
      return true;
    size_t from = at;
    if (isWordStart(c)) {
      while (at < end && isWordChar(text[at]))
        ++at;
      tokens.push_back(
          {Token::Kind::Word, text.substr(from, at - from), from, at});
      continue;
    }
    if (isDigitChar(c)) {
      while (at < end && isDigitChar(text[at]))
        ++at;
      tokens.push_back(
          {Token::Kind::Number, text.substr(from, at - from), from, at});
      continue;
    }
    if (c == '"') {
      std::string value;
      ++at;
      while (at < end && text[at] != '"') {
        if (text[at] == '\\' && at + 1 < end) {
          ++at;
          value += text[at] == 'n' ? '\n' : text[at];
        } else {
          value += text[at];
        }
        ++at;
      }
      if (at >= end)
        return failAt(from, end, "this string is not closed on its line");
      ++at;
      tokens.push_back({Token::Kind::String, value, from, at});
      continue;
    }
    bool found = false;
    for (std::string_view two : kTwo)
      if (text.compare(at, 2, two) == 0 && at + 2 <= end) {
        tokens.push_back(
            {Token::Kind::Punctuation, std::string(two), at, at + 2});
        at += 2;
        found = true;
        break;
      }
    if (found)
      continue;
    if (kOne.find(c) == std::string_view::npos)
      return failAt(at, at + 1, "this character has no meaning here");
    tokens.push_back({Token::Kind::Punctuation, std::string(1, c), at, at + 1});
    ++at;
  }
  return true;
}

bool TextReader::failAt(size_t begin, size_t end, const std::string &message) {
  if (hasFailed)
    return false;
  hasFailed = true;
  const SourceFile *file = diags.file();
  size_t base = file ? file->text().find(text) : std::string_view::npos;
  if (file && !text.empty() && base != std::string_view::npos) {
    diags.error(code, message,
                SourceRange{static_cast<uint32_t>(base + begin),
                            static_cast<uint32_t>(base + end)});
    return false;
  }
  size_t clamped = std::min(begin, text.size());
  size_t newline =
      clamped == 0 ? std::string::npos : text.rfind('\n', clamped - 1);
  size_t start = newline == std::string::npos ? 0 : newline + 1;
  size_t line = 1 + static_cast<size_t>(
                        std::count(text.begin(), text.begin() + start, '\n'));
  diags.error(code, message + " (line " + std::to_string(line) + ", column " +
                        std::to_string(clamped - start + 1) + ")");
  return false;
}

bool TextReader::fail(const std::string &message) {
  if (position < tokens.size())
    return failAt(tokens[position].begin, tokens[position].end, message);
  size_t at =
      tokens.empty() ? std::min(lineEnd, text.size()) : tokens.back().end;
  return failAt(at, at, message);
}

std::string TextReader::describeNext() const {
  if (position >= tokens.size())
    return finished ? "the end of the text" : "the end of the line";
  return "'" + tokens[position].text + "'";
}

bool TextReader::sees(std::string_view what, size_t ahead) const {
  size_t at = position + ahead;
  return at < tokens.size() && tokens[at].kind != Token::Kind::String &&
         tokens[at].text == what;
}

bool TextReader::seesIdentifier() const {
  return position < tokens.size() && tokens[position].kind == Token::Kind::Word;
}

bool TextReader::take(std::string_view what) {
  if (!sees(what))
    return false;
  ++position;
  return true;
}

bool TextReader::expect(std::string_view what) {
  if (take(what))
    return true;
  return fail("expected '" + std::string(what) + "', found " + describeNext());
}

bool TextReader::expectEnd() {
  if (atEnd())
    return true;
  return fail("expected the end of the line, found " + describeNext());
}

bool TextReader::identifier(std::string &out, const char *what) {
  if (!seesIdentifier())
    return fail("expected " + std::string(what) + ", found " + describeNext());
  out = tokens[position++].text;
  return true;
}

bool TextReader::integer(int64_t &out, const char *what) {
  bool negative = take("-");
  if (position >= tokens.size() || tokens[position].kind != Token::Kind::Number)
    return fail("expected " + std::string(what) + ", found " + describeNext());
  int64_t value = 0;
  for (char c : tokens[position].text) {
    value = value * 10 + (c - '0');
    if (value > kMaxNumber)
      return fail("this number is larger than 2^53");
  }
  ++position;
  out = negative ? -value : value;
  return true;
}

bool TextReader::unsignedInteger(unsigned &out, const char *what) {
  int64_t value;
  if (sees("-"))
    return fail("expected " + std::string(what) + ", found " + describeNext());
  if (!integer(value, what))
    return false;
  if (value > int64_t(1) << 31) {
    --position;
    return fail("this number is larger than 2^31");
  }
  out = static_cast<unsigned>(value);
  return true;
}

bool TextReader::string(std::string &out, const char *what) {
  if (position >= tokens.size() || tokens[position].kind != Token::Kind::String)
    return fail("expected " + std::string(what) + " in double quotes, found " +
                describeNext());
  out = tokens[position++].text;
  return true;
}

bool TextReader::factor(const Names &names, Affine &out, unsigned depth) {
  if (depth > kMaxNesting)
    return fail("parentheses are nested more than 100 deep");
  if (take("(")) {
    bool single;
    return sum(names, out, single, depth + 1) && expect(")");
  }
  if (position < tokens.size() &&
      tokens[position].kind == Token::Kind::Number) {
    int64_t value;
    if (!integer(value, "a number"))
      return false;
    out = Affine::of(value);
    return true;
  }
  if (!seesIdentifier())
    return fail("expected an affine expression, found " + describeNext());
  const std::string &name = tokens[position].text;
  for (const auto *list : {names.dims, names.params}) {
    if (!list)
      continue;
    auto found = std::find(list->begin(), list->end(), name);
    if (found == list->end())
      continue;
    unsigned index = static_cast<unsigned>(found - list->begin());
    out = list == names.dims ? Affine::dim(index) : Affine::param(index);
    ++position;
    return true;
  }
  return fail("'" + name + "' is neither a dimension nor a parameter here");
}

bool TextReader::term(const Names &names, Affine &out, bool &single,
                      unsigned depth) {
  if (!factor(names, out, depth))
    return false;
  single = true;
  // `2i`, `2*i`, `i*2`, `2(i + j)`.
  while (sees("*") || sees("(") ||
         (seesIdentifier() && !sees("mod") && !sees("and") && !sees("or"))) {
    size_t at = position;
    take("*");
    Affine right;
    if (!factor(names, right, depth))
      return false;
    single = false;
    if (!out.isConstant() && !right.isConstant()) {
      position = at;
      return fail("a product of two dimensions or parameters is not affine");
    }
    try {
      out = out.isConstant() ? right * out.constant : out * right.constant;
    } catch (const std::overflow_error &) {
      return fail("a coefficient is larger than 2^53");
    }
    if (!inRange(out))
      return fail("a coefficient is larger than 2^53");
  }
  return true;
}

bool TextReader::sum(const Names &names, Affine &out, bool &single,
                     unsigned depth) {
  bool negative = take("-");
  Affine first;
  if (!term(names, first, single, depth))
    return false;
  out = negative ? first * -1 : first;
  single = single && !negative;
  while (sees("+") || sees("-")) {
    bool minus = sees("-");
    ++position;
    Affine next;
    bool ignored;
    if (!term(names, next, ignored, depth))
      return false;
    single = false;
    out = minus ? out - next : out + next;
    if (!inRange(out))
      return fail("a coefficient is larger than 2^53");
  }
  return true;
}

bool TextReader::affine(const Names &names, Affine &out, bool &single) {
  return sum(names, out, single, 0);
}

bool TextReader::affine(const Names &names, Affine &out) {
  bool single;
  return sum(names, out, single, 0);
}

bool TextReader::affineList(const Names &names, std::vector<Affine> &out) {
  if (!expect("["))
    return false;
  if (take("]"))
    return true;
  do {
    if (!affine(names, out.emplace_back()))
      return false;
  } while (take(","));
  return expect("]");
}

bool TextReader::constraints(const Names &names, std::vector<Affine> &out) {
  do {
    // A chain such as `0 <= i, j < M` relates each neighbouring pair of lists.
    std::vector<Affine> left;
    bool first = true;
    while (true) {
      std::string relation;
      if (!first) {
        for (const char *candidate : {"<=", "<", ">=", ">", "="})
          if (take(candidate)) {
            relation = candidate;
            break;
          }
        if (relation.empty())
          return fail("expected a comparison, found " + describeNext());
      }
      std::vector<Affine> right;
      do {
        if (!affine(names, right.emplace_back()))
          return false;
      } while (take(","));
      for (const Affine &l : left)
        for (const Affine &r : right) {
          Affine upward = r - l;
          if (relation == "<=" || relation == "=")
            out.push_back(upward);
          if (relation == "<")
            out.push_back(upward - Affine::of(1));
          if (relation == ">=" || relation == "=")
            out.push_back(upward * -1);
          if (relation == ">")
            out.push_back(upward * -1 - Affine::of(1));
        }
      left = std::move(right);
      bool more =
          sees("<=") || sees("<") || sees(">=") || sees(">") || sees("=");
      if (!first && !more)
        break;
      first = false;
    }
  } while (take("and"));
  return true;
}

} // namespace girih::poly
