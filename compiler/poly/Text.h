//===- Text.h - reading and writing this room's text forms -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room. Both text forms (Scop, schedule tree) are line oriented:
// one construct a line, structure by indentation, affine expressions and
// conjunctions in isl's notation. The reader never trusts its input: every
// refusal names a place, numbers are range checked and nesting is limited.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_TEXT_H
#define GIRIH_COMPILER_POLY_TEXT_H

#include "compiler/poly/Affine.h"

#include <string>
#include <string_view>
#include <vector>

namespace girih {
class Diagnostics;
}

namespace girih::poly {

/// Deepest nesting that a text (or a tree) may have.
constexpr unsigned kMaxNesting = 100;

/// `[a, b]`.
std::string bracketed(const std::vector<std::string> &items);
std::string bracketed(const std::vector<Affine> &items,
                      const std::vector<std::string> &dimNames,
                      const std::vector<std::string> &paramNames);
/// `text` in double quotes, with \" \\ \n escaped.
std::string quoted(const std::string &text);
/// Constraints (each >= 0) as `0 <= i < M and ...`; TextReader::constraints
/// gives back exactly the same list.
std::string printConstraints(const std::vector<Affine> &constraints,
                             const std::vector<std::string> &dimNames,
                             const std::vector<std::string> &paramNames);
/// Letters, digits and `_`, not starting with a digit.
bool isIdentifier(std::string_view text);

/// What names an affine expression may use.
struct Names {
  const std::vector<std::string> *dims = nullptr; ///< may be null
  const std::vector<std::string> *params = nullptr;
};

class TextReader {
public:
  /// Errors get `code`. Their range is into the source file of `diags` where
  /// that holds `text`; otherwise the message names line and column.
  TextReader(const std::string &text, Diagnostics &diags, std::string code);

  /// Goes to the next line that has tokens (`#` starts a comment). False at the
  /// end of the text, or after an error.
  bool nextLine();
  bool hasLine() const { return lineNumber != 0 && !finished; }
  /// The current line: in the source file of the diagnostics where that holds
  /// the text, else in the text.
  unsigned line() const { return linesBefore + lineNumber; }
  unsigned indent() const { return indentation; }

  bool atEnd() const { return position >= tokens.size(); }
  /// Whether token `ahead` from here is the word or punctuation `what`.
  bool sees(std::string_view what, size_t ahead = 0) const;
  bool seesIdentifier() const;
  /// Takes `what` if it is next.
  bool take(std::string_view what);

  // Each of these reports and returns false when the text is something else.
  bool expect(std::string_view what);
  bool expectEnd();
  bool identifier(std::string &out, const char *what);
  bool integer(int64_t &out, const char *what);
  bool unsignedInteger(unsigned &out, const char *what);
  bool string(std::string &out, const char *what);
  bool affine(const Names &names, Affine &out);
  /// An affine expression; `single` tells whether it is one name, number or
  /// parenthesis, so that an operator may bind to it.
  bool affine(const Names &names, Affine &out, bool &single);
  bool affineList(const Names &names, std::vector<Affine> &out);
  bool constraints(const Names &names, std::vector<Affine> &out);

  /// Reports `message` at the next token, once; always false.
  bool fail(const std::string &message);
  bool failed() const { return hasFailed; }

private:
  struct Token {
    enum class Kind { Word, Number, String, Punctuation } kind;
    std::string text;
    size_t begin, end;
  };

  bool tokenize(size_t begin, size_t end);
  bool failAt(size_t begin, size_t end, const std::string &message);
  bool sum(const Names &names, Affine &out, bool &single, unsigned depth);
  bool term(const Names &names, Affine &out, bool &single, unsigned depth);
  bool factor(const Names &names, Affine &out, unsigned depth);
  std::string describeNext() const;

  const std::string &text;
  Diagnostics &diags;
  std::string code;
  std::vector<Token> tokens;
  size_t position = 0;
  unsigned linesBefore = 0; ///< in the source file
  size_t offset = 0;        ///< start of the line after this one
  size_t lineEnd = 0;
  unsigned lineNumber = 0;
  unsigned indentation = 0;
  bool finished = false;
  bool hasFailed = false;
};

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_TEXT_H
