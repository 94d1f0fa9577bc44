//===- LayoutText.cpp - the text of layouts -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   layout ::= `[` extents `]` `r` `(` digits `)` `t` `(` digits `)`
//   digit  ::= count `@` dimension `:` stride | count `@` `-`
//
// Blanks may stand between any two words.
//
//===----------------------------------------------------------------------===//

#include "compiler/layout/Layout.h"

namespace girih::layout {

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printDigits(std::string &text, char name,
                        const std::vector<Digit> &digits) {
  text += ' ';
  text += name;
  text += '(';
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i)
      text += ", ";
    text += std::to_string(digits[i].count) + "@";
    if (digits[i].dim < 0)
      text += "-";
    else
      text += std::to_string(digits[i].dim) + ":" +
              std::to_string(digits[i].stride);
  }
  text += ')';
}

std::string print(const Layout &layout) {
  std::string text = "[";
  for (size_t i = 0; i < layout.shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(layout.shape[i]);
  text += "]";
  printDigits(text, 'r', layout.registers);
  printDigits(text, 't', layout.threads);
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads the grammar above; the first failure is kept in `error`.
class Reader {
public:
  Reader(std::string_view text, std::string &error)
      : text(text), error(error) {}

  bool readLayout(Layout &layout) {
    return readShape(layout.shape) && readDigits('r', layout.registers) &&
           readDigits('t', layout.threads) && atEnd();
  }

private:
  // A bound on lists and numbers keeps every product a reader may form small.
  static constexpr size_t kMostItems = 32;
  static constexpr int64_t kLargest = int64_t(1) << 40;

  bool fail(const std::string &what) {
    error = what + " at byte " + std::to_string(position);
    return false;
  }

  void skipBlanks() {
    while (position < text.size() &&
           (text[position] == ' ' || text[position] == '\t'))
      ++position;
  }

  bool accept(char c) {
    skipBlanks();
    if (position == text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }

  bool expect(char c) {
    return accept(c) || fail(std::string("expected '") + c + "'");
  }

  bool atEnd() {
    skipBlanks();
    return position == text.size() || fail("unexpected text");
  }

  bool readNumber(int64_t &value) {
    skipBlanks();
    if (position == text.size() || text[position] < '0' || text[position] > '9')
      return fail("expected a number");
    value = 0;
    for (; position < text.size() && text[position] >= '0' &&
           text[position] <= '9';
         ++position) {
      value = value * 10 + (text[position] - '0');
      if (value > kLargest)
        return fail("number too large");
    }
    return true;
  }

  bool readShape(std::vector<int64_t> &shape) {
    if (!expect('['))
      return false;
    if (accept(']'))
      return true;
    do {
      if (shape.size() == kMostItems)
        return fail("too many dimensions");
      if (!readNumber(shape.emplace_back()))
        return false;
    } while (accept(','));
    return expect(']');
  }

  bool readDigits(char name, std::vector<Digit> &digits) {
    if (!expect(name) || !expect('('))
      return false;
    if (accept(')'))
      return true;
    do {
      if (digits.size() == kMostItems)
        return fail("too many digits");
      Digit &digit = digits.emplace_back();
      if (!readNumber(digit.count) || !expect('@'))
        return false;
      if (accept('-'))
        continue;
      int64_t dim = 0;
      if (!readNumber(dim))
        return false;
      if (dim >= static_cast<int64_t>(kMostItems))
        return fail("dimension too large");
      digit.dim = static_cast<int>(dim);
      if (!expect(':') || !readNumber(digit.stride))
        return false;
    } while (accept(','));
    return expect(')');
  }

  std::string_view text;
  std::string &error;
  size_t position = 0;
};

} // namespace

std::optional<Layout> parseLayout(std::string_view text, std::string &error) {
  Layout layout;
  if (!Reader(text, error).readLayout(layout))
    return std::nullopt;
  return layout;
}

} // namespace girih::layout
