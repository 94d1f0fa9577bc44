//===- TermParser.cpp - reading the text of a term ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent over the grammar in Term.h. The first error is kept with
// the offset of the token that it is about.
//
//===----------------------------------------------------------------------===//

#include "compiler/arith/Term.h"

namespace girih::arith {

static constexpr int64_t kLargestNumber = int64_t(1) << 30;
static constexpr int kDeepestNesting = 8;

static bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

namespace {

class TermParser {
public:
  TermParser(std::string_view text) : text(text) {}

  /// term, then the end of the text.
  std::optional<Term> parseAll() {
    std::optional<Term> term = parseTerm(1);
    if (!term)
      return std::nullopt;
    skipSpace();
    if (at != text.size())
      return fail(at, "unexpected text after the term");
    return term;
  }

  std::string error;
  size_t errorOffset = 0;

private:
  std::nullopt_t fail(size_t offset, std::string message) {
    if (error.empty()) {
      error = std::move(message);
      errorOffset = offset;
    }
    return std::nullopt;
  }

  void skipSpace() {
    while (at < text.size() && isSpace(text[at]))
      ++at;
  }

  /// Moves past `c` if it comes next.
  bool take(char c) {
    skipSpace();
    if (at == text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  bool expect(char c) {
    if (take(c))
      return true;
    fail(at, std::string("expected '") + c + "'");
    return false;
  }

  /// The identifier that comes next, or nothing; never an error.
  std::string_view takeName() {
    skipSpace();
    size_t begin = at;
    if (at < text.size() && isNameStart(text[at]))
      while (at < text.size() && (isNameStart(text[at]) || isDigit(text[at])))
        ++at;
    return text.substr(begin, at - begin);
  }

  /// A number in 1 .. 2^30; `what` names it in the message.
  std::optional<int64_t> parseNumber(const char *what) {
    skipSpace();
    size_t begin = at;
    if (at < text.size() && text[at] == '-')
      ++at;
    int64_t value = 0;
    size_t digits = at;
    for (; at < text.size() && isDigit(text[at]); ++at)
      // Stops growing beyond the limit, so that no length overflows.
      if (value <= kLargestNumber)
        value = value * 10 + (text[at] - '0');
    if (at == digits) {
      at = begin;
      return fail(begin, std::string("expected ") + what + ", a number");
    }
    if (text[begin] == '-' || value < 1 || value > kLargestNumber)
      return fail(begin, std::string(what) + " must be from 1 to 1073741824");
    return value;
  }

  /// `seg`'s rest: `(` L `,` term [`,` `m` `=` term] `)`
  std::optional<Term> parseSeg(int depth) {
    if (!expect('('))
      return std::nullopt;
    auto length = parseNumber("the segment length");
    if (!length || !expect(','))
      return std::nullopt;
    auto inner = parseTerm(depth + 1);
    if (!inner)
      return std::nullopt;
    Term merge;
    if (take(',')) {
      skipSpace();
      size_t begin = at;
      if (takeName() != "m" || !take('='))
        return fail(begin, "expected 'm =' and the merge's term");
      skipSpace();
      begin = at;
      auto parsed = parseTerm(depth + 1);
      if (!parsed)
        return std::nullopt;
      if (parsed->kind == Term::Kind::Mma)
        return fail(begin, "a merge adds partial sums, so it cannot be mma, "
                           "which sums products");
      merge = *parsed;
    }
    if (!expect(')'))
      return std::nullopt;
    return Term::seg(*length, std::move(*inner), std::move(merge));
  }

  /// `tree`'s rest: `(` n [`,` term] `)`
  std::optional<Term> parseTree(int depth) {
    if (!expect('('))
      return std::nullopt;
    auto segments = parseNumber("the number of segments");
    if (!segments)
      return std::nullopt;
    Term inner;
    if (take(',')) {
      auto parsed = parseTerm(depth + 1);
      if (!parsed)
        return std::nullopt;
      inner = *parsed;
    }
    if (!expect(')'))
      return std::nullopt;
    return Term::tree(*segments, std::move(inner));
  }

  /// `lanes`' rest: `(` V `,` w [`,` term] `)`
  std::optional<Term> parseLanes(int depth) {
    if (!expect('('))
      return std::nullopt;
    skipSpace();
    size_t begin = at;
    auto lanes = parseNumber("the number of lanes");
    if (!lanes)
      return std::nullopt;
    if ((*lanes & (*lanes - 1)) != 0)
      return fail(begin, "the number of lanes must be a power of two, not " +
                             std::to_string(*lanes));
    if (!expect(','))
      return std::nullopt;
    auto width = parseNumber("the lane width");
    if (!width)
      return std::nullopt;
    if (take(',')) {
      skipSpace();
      begin = at;
      auto inner = parseTerm(depth + 1);
      if (!inner)
        return std::nullopt;
      if (inner->kind != Term::Kind::Seq)
        return fail(begin, "the term inside lanes must be seq");
    }
    if (!expect(')'))
      return std::nullopt;
    return Term::lanes(*lanes, *width);
  }

  /// `mma`'s rest: `(` model `,` kc `)`
  std::optional<Term> parseMma() {
    if (!expect('('))
      return std::nullopt;
    skipSpace();
    size_t begin = at;
    std::string_view model = takeName();
    if (model.empty())
      return fail(begin, "expected the name of a tensor core, such as sm_90");
    if (!expect(','))
      return std::nullopt;
    auto chunk = parseNumber("the chunk length");
    if (!chunk || !expect(')'))
      return std::nullopt;
    Term term;
    term.kind = Term::Kind::Mma;
    term.model = model;
    term.length = *chunk;
    return term;
  }

  std::optional<Term> parseTerm(int depth) {
    skipSpace();
    size_t begin = at;
    if (depth > kDeepestNesting)
      return fail(begin, "terms may be nested at most 8 deep");
    std::string_view name = takeName();
    if (name == "seq")
      return Term::seq();
    if (name == "seg")
      return parseSeg(depth);
    if (name == "tree")
      return parseTree(depth);
    if (name == "lanes")
      return parseLanes(depth);
    if (name == "mma")
      return parseMma();
    if (name.empty())
      return fail(begin, "expected seq, seg, tree, lanes or mma");
    return fail(begin, "unknown term '" + std::string(name) +
                           "' (known: seq, seg, tree, lanes, mma)");
  }

  std::string_view text;
  size_t at = 0;
};

} // namespace

std::optional<Term> parseTerm(std::string_view text, std::string &error,
                              size_t &errorOffset) {
  TermParser parser(text);
  std::optional<Term> term = parser.parseAll();
  if (!term) {
    error = std::move(parser.error);
    errorOffset = parser.errorOffset;
  }
  return term;
}

} // namespace girih::arith
