//===- DiagnosticsTest.cpp - what the user is shown -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Diagnostics.h"

#include "llvm/Support/JSON.h"

#include <catch2/catch.hpp>

using namespace girih;

namespace {

std::shared_ptr<const SourceFile> file(std::string text,
                                       std::string name = "a.te") {
  return std::make_shared<const SourceFile>(std::move(name), std::move(text));
}

SourceRange find(const SourceFile &source, std::string_view part) {
  auto at = static_cast<uint32_t>(source.text().find(part));
  return {at, static_cast<uint32_t>(at + part.size())};
}

} // namespace

TEST_CASE("offsets, lines and columns") {
  SourceFile source("a.te", "one\r\ntwo\n\nend");
  CHECK(source.lineColumn(0).line == 1);
  CHECK(source.lineColumn(6).line == 2);
  CHECK(source.lineColumn(6).column == 2);
  CHECK(source.lineColumn(9).line == 3);
  CHECK(source.lineColumn(9999).line == 4);
  CHECK(source.lineColumn(9999).column == 4);
  CHECK(source.line(1) == "one");
  CHECK(source.line(2) == "two");
  CHECK(source.line(3) == "");
  CHECK(source.line(4) == "end");
  CHECK(source.line(0) == "");
  CHECK(source.line(5) == "");
  CHECK(source.offset({2, 2}) == 6);
  CHECK(source.offset({2, 99}) == 8);
  CHECK(source.offset({99, 1}) == 13);
  CHECK(source.offset({0, 0}) == 0);
}

TEST_CASE("attached texts follow on each other") {
  auto source = std::make_shared<SourceFile>("a.te", "one\ntwo");
  uint32_t b = source->attach(file("x\nbad\n", "b.te"));
  uint32_t c = source->attach(file("", "c.te"));
  uint32_t d = source->attach(file("last", "d.te"));
  // One offset between two texts stands for the end of the first.
  CHECK(b == 8);
  CHECK(c == b + 7);
  CHECK(d == c + 1);
  CHECK(source->locate(7).file == source.get());
  CHECK(source->locate(7).offset == 7);
  CHECK(source->locate(b).file->name() == "b.te");
  CHECK(source->locate(b).offset == 0);
  CHECK(source->locate(b + 6).file->name() == "b.te");
  CHECK(source->locate(c).file->name() == "c.te");
  CHECK(source->locate(d + 99).file->name() == "d.te");
  CHECK(source->beginOf("a.te") == 0u);
  CHECK(source->beginOf("d.te") == d);
  CHECK_FALSE(source->beginOf("e.te"));
  Diagnostics diagnostics(source);
  diagnostics.error("G0203", "no", SourceRange{b + 2, b + 5})
      .note("here", SourceRange{0, 3});
  CHECK(diagnostics.renderText(false) == "b.te:2:1: error[G0203]: no\n"
                                         "    2 | bad\n"
                                         "      | ^^^\n"
                                         "a.te:1:1: note: here\n"
                                         "    1 | one\n"
                                         "      | ^^^\n");
  auto parsed = llvm::json::parse(diagnostics.renderJson());
  REQUIRE(bool(parsed));
  const auto &entry = *parsed->getAsArray()->front().getAsObject();
  CHECK(entry.getString("file") == llvm::StringRef("b.te"));
  CHECK(entry.getInteger("line") == 2);
  CHECK(entry.getInteger("endColumn") == 4);
}

TEST_CASE("text form") {
  auto source = file("first\nY[i] = sqr(x)\n");
  Diagnostics diagnostics(source);
  diagnostics.error("G0203", "there is no function 'sqr'", find(*source, "sqr"))
      .note("the statement", find(*source, "Y[i]"))
      .note("no place")
      .help("write sqrt");
  diagnostics.warning("G0208", "unused");
  CHECK(diagnostics.hasErrors());
  CHECK(diagnostics.renderText(false) ==
        "a.te:2:8: error[G0203]: there is no function 'sqr'\n"
        "    2 | Y[i] = sqr(x)\n"
        "      |        ^^^\n"
        "a.te:2:1: note: the statement\n"
        "    2 | Y[i] = sqr(x)\n"
        "      | ^^^^\n"
        "note: no place\n"
        "help: write sqrt\n"
        "a.te: warning[G0208]: unused\n");
}

TEST_CASE("colour is an addition, not a change") {
  auto source = file("abc\n");
  Diagnostics diagnostics(source);
  diagnostics.error("G0101", "x", SourceRange{1, 2}).help("y");
  std::string colored = diagnostics.renderText(true), plain;
  CHECK(colored.find("\033[1;31m") != std::string::npos);
  for (size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\033')
      i = colored.find('m', i);
    else
      plain += colored[i];
  }
  CHECK(plain == diagnostics.renderText(false));
}

TEST_CASE("tabs are expanded alike in the line and under it") {
  auto source = file("\tx\ty\n");
  Diagnostics diagnostics(source);
  diagnostics.error("G0101", "m", SourceRange{3, 4});
  CHECK(diagnostics.renderText(false) == "a.te:1:4: error[G0101]: m\n"
                                         "    1 |     x   y\n"
                                         "      |         ^\n");
}

TEST_CASE("a range over several lines shows its first and last line") {
  auto source = file("a = (b\n  + c\n  + d)\n");
  Diagnostics diagnostics(source);
  diagnostics.error(
      "G0101", "m",
      SourceRange{4, static_cast<uint32_t>(source->text().find(')') + 1)});
  CHECK(diagnostics.renderText(false) == "a.te:1:5: error[G0101]: m\n"
                                         "    1 | a = (b\n"
                                         "      |     ^^\n"
                                         "  ... |\n"
                                         "    3 |   + d)\n"
                                         "      |   ^^^^\n");
}

TEST_CASE("the end of the file can be pointed at") {
  for (const char *text : {"ab", "ab\n", ""}) {
    auto source = file(text);
    Diagnostics diagnostics(source);
    auto end = static_cast<uint32_t>(source->text().size());
    diagnostics.error("G0103", "m", SourceRange{end, end});
    diagnostics.error("G0103", "beyond", SourceRange{end + 10, end + 20});
    std::string shown = diagnostics.renderText(false);
    CHECK(shown.find('^') != std::string::npos);
  }
  auto source = file("ab");
  Diagnostics diagnostics(source);
  diagnostics.error("G0103", "m", SourceRange{2, 2});
  CHECK(diagnostics.renderText(false) == "a.te:1:3: error[G0103]: m\n"
                                         "    1 | ab\n"
                                         "      |   ^\n");
}

TEST_CASE("a source text sends no escape sequences and no broken UTF-8") {
  auto source = file("x\x1B[31m \xFF\xC3 \xE2\x80\xAE \xC3\xA9y\n");
  Diagnostics diagnostics(source);
  diagnostics.error("G0101", "m", find(*source, "y"));
  std::string shown = diagnostics.renderText(false);
  CHECK(shown.find('\x1B') == std::string::npos);
  CHECK(shown.find('\xFF') == std::string::npos);
  CHECK(shown.find("\xE2\x80\xAE") == std::string::npos);
  CHECK(llvm::json::isUTF8(shown));
  CHECK(shown.find("\xC3\xA9y") != std::string::npos);
}

TEST_CASE("what stands in a message is spelt out where it cannot be shown") {
  using namespace std::string_literals;
  auto source = file("x\n", "a\x1B[2J.te");
  Diagnostics diagnostics(source);
  diagnostics.error("G0103", "found '\0\x1B[31m\x7F'"s)
      .note("\xFF and \xE2\x80\xAE")
      .help("write '\xC3\xA9\r'");
  CHECK(diagnostics.renderText(false) ==
        "a\\x1b[2J.te: error[G0103]: found '\\x00\\x1b[31m\\x7f'\n"
        "note: \\xff and \\xe2\\x80\\xae\n"
        "help: write '\xC3\xA9\\x0d'\n");
}

TEST_CASE("a very long line is cut around its caret") {
  std::string text(5000, 'a');
  text[3000] = 'X';
  auto source = file(text);
  Diagnostics diagnostics(source);
  diagnostics.error("G0101", "m", SourceRange{3000, 3001});
  std::string shown = diagnostics.renderText(false);
  CHECK(shown.size() < 600);
  size_t line = shown.find("    1 | "), x = shown.find('X', line);
  size_t marks = shown.find('\n', x) + 1, caret = shown.find('^', marks);
  CHECK(x - line == caret - marks);
}

TEST_CASE("JSON form") {
  auto source = file("a\nb\xFF c\n", "dir/\xFE.te");
  Diagnostics diagnostics(source);
  diagnostics.error("G0101", "bad \xFF byte", SourceRange{2, 4})
      .note("here", SourceRange{0, 1})
      .note("nowhere")
      .help("remove it");
  diagnostics.warning("G0208", "no place");
  auto parsed = llvm::json::parse(diagnostics.renderJson());
  REQUIRE(bool(parsed));
  const llvm::json::Array &array = *parsed->getAsArray();
  REQUIRE(array.size() == 2);
  const llvm::json::Object &first = *array[0].getAsObject();
  CHECK(first.getString("severity") == llvm::StringRef("error"));
  CHECK(first.getString("code") == llvm::StringRef("G0101"));
  CHECK(first.getInteger("line") == 2);
  CHECK(first.getInteger("column") == 1);
  CHECK(first.getInteger("endLine") == 2);
  CHECK(first.getInteger("endColumn") == 3);
  CHECK(first.getArray("help")->size() == 1);
  const llvm::json::Array &notes = *first.getArray("notes");
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].getAsObject()->getInteger("line") == 1);
  CHECK(notes[1].getAsObject()->get("line")->kind() == llvm::json::Value::Null);
  const llvm::json::Object &second = *array[1].getAsObject();
  CHECK(second.getString("severity") == llvm::StringRef("warning"));
  CHECK(second.get("line")->kind() == llvm::json::Value::Null);
}

TEST_CASE("without a source text messages stand alone") {
  Diagnostics diagnostics;
  diagnostics.error("G0101", "m", SourceRange{1, 2}).note("n");
  CHECK(diagnostics.renderText(false) == "error[G0101]: m\nnote: n\n");
  CHECK(bool(llvm::json::parse(diagnostics.renderJson())));
}
