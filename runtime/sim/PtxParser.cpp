//===- PtxParser.cpp - a PTX module ---------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/PtxParser.h"

#include <algorithm>
#include <charconv>

namespace girih::sim {

namespace {

constexpr size_t kTextBytes = size_t(16) << 20;
constexpr uint64_t kFileNumbers = 65535;

std::string quoted(std::string_view text) {
  constexpr size_t kLongest = 40;
  if (text.size() > kLongest)
    return "'" + std::string(text.substr(0, kLongest)) + "...'";
  return "'" + std::string(text) + "'";
}

/// Without its quotes and backslashes.
std::string unquote(std::string_view text) {
  std::string plain;
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      ++i;
    plain += text[i];
  }
  return plain;
}

std::vector<std::string> splitLines(std::string_view text) {
  std::vector<std::string> lines;
  lines.reserve(size_t(std::count(text.begin(), text.end(), '\n')) + 1);
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

} // namespace

//===----------------------------------------------------------------------===//
// Names and tokens
//===----------------------------------------------------------------------===//

bool PtxSymbols::add(uint32_t scope, std::string_view name, PtxSymbol symbol,
                     uint32_t &existing) {
  bool isTarget = symbol.kind == PtxSymbol::Kind::Label ||
                  symbol.kind == PtxSymbol::Kind::Table;
  auto [place, isNew] =
      symbols.try_emplace({name, scope * 2 + isTarget}, symbol);
  existing = place->second.line;
  return isNew;
}

const PtxSymbol *PtxSymbols::findKey(const Key &key) const {
  auto place = symbols.find(key);
  return place == symbols.end() ? nullptr : &place->second;
}

const PtxSymbol *PtxSymbols::find(uint32_t scope, std::string_view name) const {
  return findKey({name, scope * 2});
}

const PtxSymbol *PtxSymbols::findTarget(uint32_t scope,
                                        std::string_view name) const {
  return findKey({name, scope * 2 + 1});
}

PtxParser::PtxParser(std::string_view text) : text(text), lexer(text) {
  module.files.emplace_back();
  current = lexer.next();
  ahead = lexer.next();
}

void PtxParser::advance() {
  lastLine = current.line;
  current = ahead;
  ahead = lexer.next();
}

bool PtxParser::fail(uint32_t line, std::string what) {
  if (error.empty())
    error = "line " + std::to_string(line) + ": " + what;
  return false;
}

std::string PtxParser::describeCurrent() const {
  if (current.kind == Token::Kind::End)
    return "the end of the text";
  return quoted(current.text);
}

bool PtxParser::expected(const std::string &what) {
  if (current.kind == Token::Kind::Bad)
    return fail(current.line, lexer.error());
  return fail(current.line,
              "expected " + what + ", found " + describeCurrent());
}

bool PtxParser::expect(std::string_view punctuation) {
  if (!current.is(punctuation))
    return expected(quoted(punctuation));
  advance();
  return true;
}

bool PtxParser::takeIf(std::string_view punctuation) {
  if (!current.is(punctuation))
    return false;
  advance();
  return true;
}

bool PtxParser::expectInteger(const std::string &what, uint64_t most,
                              uint64_t &value) {
  if (current.kind != Token::Kind::Integer)
    return expected(what);
  if (current.bits > most)
    return fail(current.line, what + " is " + std::string(current.text) +
                                  ": at most " + std::to_string(most));
  value = current.bits;
  advance();
  return true;
}

bool PtxParser::expectWord(const std::string &what, Token &word) {
  if (!current.isWord() || current.text == "_")
    return expected(what);
  word = current;
  advance();
  return true;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

Result<SyntaxModule> PtxParser::parse() {
  if (text.size() > kTextBytes)
    return Failure{"line 1: the text has " + std::to_string(text.size()) +
                   " bytes: at most " + std::to_string(kTextBytes)};
  if (!parseModule())
    return Failure{error};
  module.lines = splitLines(text);
  return std::move(module);
}

bool PtxParser::parseModule() {
  if (!parseVersion() || !parseTarget())
    return false;
  if (current.isDotted("address_size") && !parseAddressSize())
    return false;
  while (current.kind != Token::Kind::End)
    if (!parseItem())
      return false;
  return true;
}

bool PtxParser::parseVersion() {
  if (!current.isDotted("version"))
    return expected("'.version', which begins a module");
  advance();
  std::string_view number = current.text;
  size_t point = number.find('.');
  if (current.kind != Token::Kind::Float64 || point == std::string_view::npos)
    return expected("a version such as '8.6'");
  auto read = [](std::string_view digits, unsigned &value) {
    const char *last = digits.data() + digits.size();
    auto [end, status] = std::from_chars(digits.data(), last, value);
    return status == std::errc() && end == last;
  };
  if (!read(number.substr(0, point), module.versionMajor) ||
      !read(number.substr(point + 1), module.versionMinor))
    return expected("a version such as '8.6'");
  advance();
  return true;
}

bool PtxParser::parseTarget() {
  if (!current.isDotted("target"))
    return expected("'.target' behind '.version'");
  advance();
  do {
    Token word;
    if (!expectWord("a target such as 'sm_90a'", word))
      return false;
    if (word.text == "map_f64_to_f32")
      return fail(word.line, "target option 'map_f64_to_f32' is not supported");
    if (module.target.empty() && word.text.starts_with("sm_"))
      module.target = word.text;
  } while (takeIf(","));
  if (module.target.empty())
    return fail(lastLine, "'.target' names no 'sm_'");
  return true;
}

bool PtxParser::parseAddressSize() {
  advance();
  uint32_t line = current.line;
  uint64_t size = 0;
  if (!expectInteger("an address size", UINT32_MAX, size))
    return false;
  if (size != 64)
    return fail(line, "'.address_size " + std::to_string(size) +
                          "' is not supported: addresses have 64 bits");
  return true;
}

/// A directive's name without its dot as a space that variables live in.
static std::optional<Space> variableSpace(const Token &token) {
  for (Space space : {Space::Global, Space::Shared, Space::Const, Space::Local})
    if (token.isDotted(nameOf(space)))
      return space;
  return std::nullopt;
}

bool PtxParser::parseItem() {
  if (current.kind != Token::Kind::Dotted)
    return expected("a directive");
  std::string_view name = current.text.substr(1);
  if (name == "file")
    return parseFile();
  if (name == "loc")
    return parseLoc();
  if (name == "section")
    return parseSection();
  if (name == "pragma")
    return parsePragma();
  if (name == "version" || name == "target" || name == "address_size")
    return fail(current.line, quoted(current.text) +
                                  " stands once, at the module's beginning");
  if (name == "tex")
    return fail(current.line, "textures, surfaces and samplers are not "
                              "supported: '.tex'");
  return parseLinked();
}

/// Linking directives and what they belong to.
bool PtxParser::parseLinked() {
  bool isExtern = current.isDotted("extern");
  if (isExtern || current.isDotted("visible") || current.isDotted("weak") ||
      current.isDotted("common"))
    advance();
  if (current.isDotted("entry"))
    return parseEntry();
  if (current.isDotted("func"))
    return parseFunction();
  std::optional<Space> space = variableSpace(current);
  if (space == Space::Local)
    return fail(current.line, "a '.local' variable stands in a kernel's body");
  if (space)
    return parseVariables(*space, isExtern, /*inBody=*/false);
  if (current.kind == Token::Kind::Dotted)
    return fail(current.line,
                "directive " + quoted(current.text) + " is not known here");
  return expected("a directive");
}

bool PtxParser::parseFile() {
  advance();
  uint64_t number = 0;
  if (!expectInteger("a file's number", kFileNumbers, number))
    return false;
  if (current.kind != Token::Kind::String)
    return expected("a file's name");
  if (module.files.size() <= number)
    module.files.resize(number + 1);
  // Number 0 says that there is no place; DWARF 5 repeats the main file there.
  if (number > 0)
    module.files[number] = unquote(current.text);
  advance();
  uint64_t ignored = 0;
  for (const char *what : {"a file's time", "a file's size"})
    if (takeIf(",") && !expectInteger(what, UINT64_MAX, ignored))
      return false;
  return true;
}

bool PtxParser::parseLoc() {
  uint64_t file = 0, row = 0, column = 0;
  auto parsePlace = [&] {
    return expectInteger("a file's number", kFileNumbers, file) &&
           expectInteger("a line", UINT32_MAX, row) &&
           expectInteger("a column", UINT32_MAX, column);
  };
  advance();
  if (!parsePlace())
    return false;
  // Line 0 stands for code that belongs to no line.
  location = Location{};
  if (file != 0 && row != 0)
    location = {0, uint32_t(file), uint32_t(row), uint32_t(column)};
  while (takeIf(",")) {
    Token word;
    if (!expectWord("'function_name' or 'inlined_at'", word))
      return false;
    if (word.text == "inlined_at") {
      if (!parsePlace())
        return false;
    } else if (word.text == "function_name") {
      uint64_t offset = 0;
      if (!expectWord("a function's name", word) ||
          (takeIf("+") && !expectInteger("an offset", UINT64_MAX, offset)))
        return false;
    } else {
      return fail(word.line,
                  "expected 'function_name' or 'inlined_at', found " +
                      quoted(word.text));
    }
  }
  return true;
}

/// Debug information in braces: skipped.
bool PtxParser::parseSection() {
  uint32_t line = current.line;
  advance();
  if (current.kind != Token::Kind::Dotted && !current.isWord())
    return expected("a section's name");
  advance();
  if (!expect("{"))
    return false;
  for (size_t depth = 1; depth > 0; advance()) {
    if (current.kind == Token::Kind::Bad)
      return expected("'}'");
    if (current.kind == Token::Kind::End)
      return fail(line, "the section that begins here has no '}'");
    depth += current.is("{");
    depth -= current.is("}");
  }
  return true;
}

bool PtxParser::parsePragma() {
  advance();
  do {
    if (current.kind != Token::Kind::String)
      return expected("a pragma's string");
    advance();
  } while (takeIf(","));
  return expect(";");
}

/// Declarations are skipped: only a call could use them.
bool PtxParser::parseFunction() {
  uint32_t line = current.line;
  std::string name;
  for (size_t depth = 0; !current.is(";"); advance()) {
    if (current.kind == Token::Kind::Bad)
      return expected("';'");
    if (current.kind == Token::Kind::End)
      return fail(line, "the '.func' that begins here has no end");
    depth += current.is("(");
    depth -= current.is(")") && depth > 0;
    if (depth == 0 && current.isWord() && name.empty())
      name = current.text;
    if (current.is("{"))
      return fail(line, "function '" + name +
                            "' has a body: only kernels are supported, inline "
                            "it");
  }
  advance();
  return true;
}

Result<SyntaxModule> parsePtx(std::string_view text) {
  return PtxParser(text).parse();
}

} // namespace girih::sim
