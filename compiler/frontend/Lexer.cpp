//===- Lexer.cpp - text to tokens -----------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Lexer.h"

#include "compiler/frontend/Ast.h"
#include "compiler/frontend/Builtins.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace girih::frontend {

namespace {

constexpr size_t kMaxSpelling = 200;

const std::unordered_map<std::string_view, TokenKind> &keywordKinds() {
  static const std::unordered_map<std::string_view, TokenKind> kinds = {
      {"and", TokenKind::KwAnd},
      {"assume", TokenKind::KwAssume},
      {"const", TokenKind::KwConst},
      {"else", TokenKind::KwElse},
      {"extern", TokenKind::KwExtern},
      {"false", TokenKind::KwFalse},
      {"fn", TokenKind::KwFn},
      {"for", TokenKind::KwFor},
      {"if", TokenKind::KwIf},
      {"in", TokenKind::KwIn},
      {"inf", TokenKind::KwInf},
      {"inout", TokenKind::KwInout},
      {"nan", TokenKind::KwNan},
      {"none", TokenKind::KwNone},
      {"not", TokenKind::KwNot},
      {"numerics", TokenKind::KwNumerics},
      {"op", TokenKind::KwOp},
      {"or", TokenKind::KwOr},
      {"schedule", TokenKind::KwSchedule},
      {"test", TokenKind::KwTest},
      {"then", TokenKind::KwThen},
      {"true", TokenKind::KwTrue},
      {"type", TokenKind::KwType},
      {"use", TokenKind::KwUse},
      {"where", TokenKind::KwWhere},
  };
  return kinds;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isHexDigit(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool startsName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continuesName(char c) { return startsName(c) || isDigit(c); }

class Lexer {
public:
  Lexer(std::string_view text, Reporter &reporter, uint32_t base)
      : text(text), reporter(reporter), base(base) {}

  LexedFile run() {
    if (text.substr(0, 3) == "\xEF\xBB\xBF")
      at = 3; // a byte order mark
    while (skipBlank())
      next();
    add(TokenKind::EndOfFile, at);
    return std::move(file);
  }

private:
  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }

  void add(TokenKind kind, size_t begin) {
    Token token;
    token.kind = kind;
    token.startsLine = lineStart;
    token.range = from(begin);
    token.docBegin = docBegin;
    token.docEnd = static_cast<uint32_t>(file.docLines.size());
    docBegin = token.docEnd;
    lineStart = false;
    file.tokens.push_back(token);
    followSchedule(token);
  }

  /// Keeps `schedule`: whether what follows stands in a `schedule` or
  /// `template` block, where `;` and `128B` are words.
  void followSchedule(const Token &token) {
    bool named = token.kind == TokenKind::Identifier && before == "template";
    before = text.substr(token.range.begin - base,
                         token.range.end - token.range.begin);
    if (token.kind == TokenKind::KwSchedule || named)
      begins = true;
    if (token.kind == TokenKind::LeftBrace && (schedule || begins)) {
      ++schedule;
      begins = false;
    } else if (token.kind == TokenKind::RightBrace && schedule) {
      --schedule;
    }
  }

  SourceRange from(size_t begin) const {
    return {base + static_cast<uint32_t>(begin),
            base + static_cast<uint32_t>(at)};
  }

  /// Skips white space and comments; false at the end of the text.
  bool skipBlank() {
    while (at < text.size()) {
      char c = text[at];
      if (c == '\n') {
        lineStart = true;
        ++at;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at;
      } else if (c == '/' && peek(1) == '/') {
        comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void comment() {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view body = text.substr(at, end - at);
    if (body.substr(0, 3) == "///" && body.substr(0, 4) != "////") {
      body.remove_prefix(3);
      size_t last = body.find_last_not_of(" \t\r");
      file.docLines.emplace_back(
          body.substr(0, last == std::string_view::npos ? 0 : last + 1));
    }
    size_t begin = at;
    at = end;
    file.comments.push_back(from(begin));
  }

  void next() {
    size_t begin = at;
    char c = text[at];
    if (startsName(c))
      return name();
    if (isDigit(c))
      return number();
    if (c == '"')
      return string();
    if (c == ';' && schedule) {
      ++at;
      return add(TokenKind::Semicolon, begin);
    }
    for (auto [spelling, kind] : kPairs) {
      if (text.substr(at, 2) == spelling) {
        at += 2;
        return add(kind, begin);
      }
    }
    for (auto [spelling, kind] : kSingles) {
      if (c == spelling) {
        ++at;
        return add(kind, begin);
      }
    }
    unexpected();
  }

  void name() {
    size_t begin = at;
    while (continuesName(peek()))
      ++at;
    checkLength(begin, "name");
    auto found = keywordKinds().find(text.substr(begin, at - begin));
    add(found == keywordKinds().end() ? TokenKind::Identifier : found->second,
        begin);
  }

  void checkLength(size_t begin, const char *what) {
    if (at - begin > kMaxSpelling)
      reporter.error(codes::kNameTooLong,
                     fmt::format("this {} has {} characters, the limit is {}",
                                 what, at - begin, kMaxSpelling),
                     from(begin));
  }

  /// number ::= (digits ['.' digits] [('e'|'E') sign digits]
  ///          | '0x' hexdigits [['.' hexdigits] 'p' sign digits])
  ///          [type name]
  void number() {
    size_t begin = at;
    std::string wrong;
    std::string help;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
      at += 2;
      size_t digits = at;
      while (isHexDigit(peek()))
        ++at;
      bool isWhole = true;
      if (peek() == '.' && peek(1) != '.') {
        isWhole = false;
        ++at;
        while (isHexDigit(peek()))
          ++at;
      }
      bool any =
          std::any_of(text.begin() + digits, text.begin() + at, isHexDigit);
      if (!any)
        wrong = "a hexadecimal number needs digits";
      else if (!exponent('p', 'P') && !isWhole) {
        wrong = "a hexadecimal float needs an exponent";
        help = "write it like 0x1.8p0";
      }
    } else {
      while (isDigit(peek()))
        ++at;
      if (peek() == '.' && isDigit(peek(1))) {
        ++at;
        while (isDigit(peek()))
          ++at;
      } else if (peek() == '.' && peek(1) != '.') {
        ++at;
        wrong = "a number needs digits behind its point";
        help = fmt::format("write {}0", text.substr(begin, at - begin));
      }
      exponent('e', 'E');
    }
    size_t suffixBegin = at;
    while (continuesName(peek()))
      ++at;
    std::string_view suffix = text.substr(suffixBegin, at - suffixBegin);
    if (schedule && suffix == "B" && wrong.empty()) {
      checkLength(begin, "number");
      return add(TokenKind::Quantity, begin);
    }
    if (wrong.empty() && !suffix.empty() && !typeNamed(suffix))
      wrong = fmt::format("'{}' is not a type that a literal can have",
                          suffix.substr(0, kMaxSpelling));
    if (!wrong.empty()) {
      Diagnostic &d =
          reporter.error(codes::kMalformedNumber, wrong, from(begin));
      if (!help.empty())
        d.help(help);
    }
    checkLength(begin, "number");
    add(TokenKind::Number, begin);
  }

  bool exponent(char lower, char upper) {
    if (peek() != lower && peek() != upper)
      return false;
    size_t digits = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    if (!isDigit(peek(digits)))
      return false;
    at += digits;
    while (isDigit(peek()))
      ++at;
    return true;
  }

  void string() {
    size_t begin = at++;
    while (at < text.size() && text[at] != '"' && text[at] != '\n')
      ++at;
    if (peek() == '"')
      ++at;
    else
      reporter.error(codes::kUnexpectedCharacter,
                     "this string is not closed on its line", from(begin));
    add(TokenKind::String, begin);
  }

  void unexpected() {
    size_t begin = at++;
    auto byte = static_cast<unsigned char>(text[begin]);
    if (byte >= 0x80) {
      while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80)
        ++at;
      reporter
          .error(codes::kUnexpectedCharacter,
                 "characters outside ASCII may stand in comments only",
                 from(begin))
          .help("names are made of the letters a to z and A to Z, digits and "
                "'_'");
      return;
    }
    if (byte == 0) {
      // Whatever it is, more messages about it would not help.
      at = text.size();
      reporter
          .error(codes::kUnexpectedCharacter,
                 "a byte 0: this is no text, or not one of bytes",
                 {from(begin).begin, from(begin).begin + 1})
          .help("programs are text: save UTF-16 as UTF-8; an artifact or an "
                "array is no program");
      return;
    }
    if (byte < 0x20 || byte == 0x7F) {
      reporter
          .error(codes::kUnexpectedCharacter,
                 fmt::format("control character 0x{:02X}", byte), from(begin))
          .help("take it out");
      return;
    }
    Diagnostic &d = reporter.error(
        codes::kUnexpectedCharacter,
        fmt::format("unexpected character '{}'", text[begin]), from(begin));
    if (byte == ';')
      d.help("statements need no ';': remove it");
    else if (byte == '!')
      d.help("write 'not'");
  }

  struct Pair {
    std::string_view spelling;
    TokenKind kind;
  };
  struct Single {
    char spelling;
    TokenKind kind;
  };
  static constexpr Pair kPairs[] = {
      {"->", TokenKind::Arrow},          {"..", TokenKind::DotDot},
      {"==", TokenKind::EqualEqual},     {">=", TokenKind::GreaterEqual},
      {"<=", TokenKind::LessEqual},      {"!=", TokenKind::NotEqual},
      {"+=", TokenKind::PlusEqual},      {"<<", TokenKind::LessLess},
      {">>", TokenKind::GreaterGreater},
  };
  static constexpr Single kSingles[] = {
      {'&', TokenKind::Ampersand},   {'^', TokenKind::Caret},
      {':', TokenKind::Colon},       {',', TokenKind::Comma},
      {'.', TokenKind::Dot},         {'=', TokenKind::Equal},
      {'>', TokenKind::Greater},     {'{', TokenKind::LeftBrace},
      {'[', TokenKind::LeftBracket}, {'(', TokenKind::LeftParen},
      {'<', TokenKind::Less},        {'-', TokenKind::Minus},
      {'%', TokenKind::Percent},     {'|', TokenKind::Pipe},
      {'+', TokenKind::Plus},        {'?', TokenKind::Question},
      {'}', TokenKind::RightBrace},  {']', TokenKind::RightBracket},
      {')', TokenKind::RightParen},  {'/', TokenKind::Slash},
      {'*', TokenKind::Star},        {'~', TokenKind::Tilde},
  };

  std::string_view text;
  Reporter &reporter;
  uint32_t base;
  size_t at = 0;
  bool lineStart = true;
  uint32_t docBegin = 0;
  std::string_view before; ///< the last token
  bool begins = false;     ///< in the head of a block: its `{` is to come
  unsigned schedule = 0;   ///< open braces of the block
  LexedFile file;
};

} // namespace

LexedFile lex(std::string_view text, Reporter &reporter, uint32_t base) {
  return Lexer(text, reporter, base).run();
}

NumberParts splitNumber(std::string_view text) {
  size_t i = 0;
  if (text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    size_t p = text.find_first_of("pP");
    if (p == std::string_view::npos) {
      i = 2;
      while (i < text.size() && isHexDigit(text[i]))
        ++i;
      return {text.substr(0, i), text.substr(i)};
    }
    i = p + 1;
    if (i < text.size() && (text[i] == '+' || text[i] == '-'))
      ++i;
  } else {
    while (i < text.size() && (isDigit(text[i]) || text[i] == '.'))
      ++i;
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
      size_t sign = i + 1;
      if (sign < text.size() && (text[sign] == '+' || text[sign] == '-'))
        ++sign;
      if (sign < text.size() && isDigit(text[sign]))
        i = sign;
    }
  }
  while (i < text.size() && isDigit(text[i]))
    ++i;
  return {text.substr(0, i), text.substr(i)};
}

const std::vector<std::string> &keywords() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (auto [name, kind] : keywordKinds())
      result.emplace_back(name);
    std::sort(result.begin(), result.end());
    return result;
  }();
  return names;
}

std::string_view describe(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile:
    return "the end of the file";
  case TokenKind::Identifier:
    return "a name";
  case TokenKind::Number:
    return "a number";
  case TokenKind::String:
    return "a string";
  case TokenKind::Ampersand:
    return "'&'";
  case TokenKind::Arrow:
    return "'->'";
  case TokenKind::Caret:
    return "'^'";
  case TokenKind::Colon:
    return "':'";
  case TokenKind::Comma:
    return "','";
  case TokenKind::Dot:
    return "'.'";
  case TokenKind::DotDot:
    return "'..'";
  case TokenKind::Equal:
    return "'='";
  case TokenKind::EqualEqual:
    return "'=='";
  case TokenKind::Greater:
    return "'>'";
  case TokenKind::GreaterEqual:
    return "'>='";
  case TokenKind::LeftBrace:
    return "'{'";
  case TokenKind::LeftBracket:
    return "'['";
  case TokenKind::LeftParen:
    return "'('";
  case TokenKind::Less:
    return "'<'";
  case TokenKind::LessEqual:
    return "'<='";
  case TokenKind::LessLess:
    return "'<<'";
  case TokenKind::GreaterGreater:
    return "'>>'";
  case TokenKind::Minus:
    return "'-'";
  case TokenKind::NotEqual:
    return "'!='";
  case TokenKind::Percent:
    return "'%'";
  case TokenKind::Pipe:
    return "'|'";
  case TokenKind::Plus:
    return "'+'";
  case TokenKind::PlusEqual:
    return "'+='";
  case TokenKind::Question:
    return "'?'";
  case TokenKind::RightBrace:
    return "'}'";
  case TokenKind::RightBracket:
    return "']'";
  case TokenKind::RightParen:
    return "')'";
  case TokenKind::Quantity:
    return "a quantity";
  case TokenKind::Semicolon:
    return "';'";
  case TokenKind::Slash:
    return "'/'";
  case TokenKind::Star:
    return "'*'";
  case TokenKind::Tilde:
    return "'~'";
  case TokenKind::KwElse:
    return "'else'";
  case TokenKind::KwIn:
    return "'in'";
  case TokenKind::KwNumerics:
    return "'numerics'";
  case TokenKind::KwThen:
    return "'then'";
  default:
    break;
  }
  return "a keyword";
}

} // namespace girih::frontend
