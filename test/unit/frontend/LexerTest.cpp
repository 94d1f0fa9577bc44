//===- LexerTest.cpp - tokens ---------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Lexer.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::frontend;

namespace {

struct Lexed {
  std::vector<TokenKind> kinds;
  std::vector<std::string> texts;
  LexedFile file;
  Diagnostics diagnostics;
};

Lexed lexText(std::string_view text) {
  Lexed result;
  Reporter reporter(result.diagnostics);
  result.file = lex(text, reporter);
  for (const Token &token : result.file.tokens) {
    result.kinds.push_back(token.kind);
    result.texts.emplace_back(
        text.substr(token.range.begin, token.range.end - token.range.begin));
  }
  return result;
}

} // namespace

TEST_CASE("names, keywords and punctuation") {
  Lexed l = lexText("op f_1 -> .. . <= < == = != += or");
  using K = TokenKind;
  CHECK(l.kinds == std::vector<K>{K::KwOp, K::Identifier, K::Arrow, K::DotDot,
                                  K::Dot, K::LessEqual, K::Less, K::EqualEqual,
                                  K::Equal, K::NotEqual, K::PlusEqual, K::KwOr,
                                  K::EndOfFile});
  CHECK(l.diagnostics.all().empty());
  CHECK(keywords().size() == 25);
  CHECK(std::is_sorted(keywords().begin(), keywords().end()));
}

TEST_CASE("numbers and their suffixes") {
  Lexed l = lexText("0..4 1 0.5f32 1e-3bf16 0x1.8p-3f16 0x.8p0 2.5E+2 7i32");
  CHECK(l.texts == std::vector<std::string>{"0", "..", "4", "1", "0.5f32",
                                            "1e-3bf16", "0x1.8p-3f16", "0x.8p0",
                                            "2.5E+2", "7i32", ""});
  CHECK(l.diagnostics.all().empty());
  CHECK(splitNumber("0.5f32").digits == "0.5");
  CHECK(splitNumber("0.5f32").suffix == "f32");
  CHECK(splitNumber("1e-3bf16").digits == "1e-3");
  CHECK(splitNumber("0x1.8p-3f16").digits == "0x1.8p-3");
  CHECK(splitNumber("0x1.8p-3f16").suffix == "f16");
  CHECK(splitNumber("12").suffix == "");
  CHECK(splitNumber("1f64").digits == "1");
}

TEST_CASE("comments and doc lines") {
  Lexed l = lexText("// no\n/// first \n///second\r\n//// no\nop /// odd\nx");
  CHECK(l.texts == std::vector<std::string>{"op", "x", ""});
  CHECK(l.file.docLines ==
        std::vector<std::string>{" first", "second", " odd"});
  CHECK(l.file.tokens[0].docBegin == 0);
  CHECK(l.file.tokens[0].docEnd == 2);
  CHECK(l.file.tokens[0].startsLine);
  CHECK(l.file.tokens[1].startsLine);
}

TEST_CASE("a byte order mark and CRLF are white space") {
  Lexed l = lexText("\xEF\xBB\xBFop\r\nx");
  CHECK(l.texts == std::vector<std::string>{"op", "x", ""});
  CHECK(l.diagnostics.all().empty());
}

TEST_CASE("what no token starts with is reported and left out") {
  struct Case {
    const char *text;
    const char *code;
    const char *message;
  };
  std::string longName(201, 'a');
  const Case cases[] = {
      {"a ; b", "G0101", "unexpected character ';'"},
      {"!a", "G0101", "unexpected character '!'"},
      {"a \x01 b", "G0101", "control character 0x01"},
      {"a \xC3\xA9\xC3\xA9 b", "G0101",
       "characters outside ASCII may stand in comments only"},
      {"\"abc\n", "G0101", "this string is not closed on its line"},
      {"1.", "G0102", "a number needs digits behind its point"},
      {"0x", "G0102", "a hexadecimal number needs digits"},
      {"0x1.8", "G0102", "a hexadecimal float needs an exponent"},
      {"1.5q8", "G0102", "'q8' is not a type that a literal can have"},
      {longName.c_str(), "G0112",
       "this name has 201 characters, the limit is 200"},
  };
  for (const Case &c : cases) {
    Lexed l = lexText(c.text);
    INFO(c.text);
    REQUIRE(l.diagnostics.all().size() == 1);
    CHECK(l.diagnostics.all()[0].code == c.code);
    CHECK(l.diagnostics.all()[0].message == c.message);
  }
}

TEST_CASE("what holds a byte 0 is no text, and said so once") {
  Lexed l = lexText(std::string("op\0 f\0\1\2;;", 11));
  CHECK(l.texts == std::vector<std::string>{"op", ""});
  REQUIRE(l.diagnostics.all().size() == 1);
  CHECK(l.diagnostics.all()[0].code == "G0101");
  CHECK(l.diagnostics.all()[0].message ==
        "a byte 0: this is no text, or not one of bytes");
  CHECK(l.diagnostics.all()[0].helps.size() == 1);
}

TEST_CASE("codes are listed in order, each once") {
  const auto &rows = codes::kRows;
  for (size_t i = 1; i < std::size(rows); ++i)
    CHECK(rows[i - 1].code < rows[i].code);
}
