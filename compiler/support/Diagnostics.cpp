//===- Diagnostics.cpp - rendering of what the user is told ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Diagnostics.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih {

//===----------------------------------------------------------------------===//
// SourceFile
//===----------------------------------------------------------------------===//

SourceFile::SourceFile(std::string name, std::string text)
    : fileName(std::move(name)), contents(std::move(text)) {
  lineStarts.push_back(0);
  for (size_t i = 0; i < contents.size(); ++i)
    if (contents[i] == '\n')
      lineStarts.push_back(static_cast<uint32_t>(i + 1));
}

uint32_t SourceFile::end() const {
  const SourceFile &last = others.empty() ? *this : *others.back().file;
  uint32_t begin = others.empty() ? 0 : others.back().begin;
  // One more, so that the end of a text is not the start of the next.
  return begin + static_cast<uint32_t>(last.contents.size()) + 1;
}

uint32_t SourceFile::attach(std::shared_ptr<const SourceFile> other) {
  uint32_t begin = end();
  others.push_back({begin, std::move(other)});
  return begin;
}

SourceFile::Place SourceFile::locate(uint32_t offset) const {
  auto after = std::upper_bound(
      others.begin(), others.end(), offset,
      [](uint32_t at, const Attached &other) { return at < other.begin; });
  if (after == others.begin())
    return {this, offset};
  --after;
  return {after->file.get(), offset - after->begin};
}

std::optional<uint32_t> SourceFile::beginOf(std::string_view name) const {
  if (name == fileName)
    return 0;
  for (const Attached &other : others)
    if (other.file->name() == name)
      return other.begin;
  return std::nullopt;
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(contents.size()));
  auto after = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  auto index = static_cast<unsigned>(after - lineStarts.begin());
  return {index, offset - lineStarts[index - 1] + 1};
}

std::string_view SourceFile::line(unsigned line) const {
  if (line == 0 || line > lineStarts.size())
    return {};
  size_t begin = lineStarts[line - 1];
  size_t end =
      line < lineStarts.size() ? lineStarts[line] - 1 : contents.size();
  if (end > begin && contents[end - 1] == '\r')
    --end;
  return std::string_view(contents).substr(begin, end - begin);
}

uint32_t SourceFile::offset(LineColumn place) const {
  if (place.line == 0)
    return 0;
  if (place.line > lineStarts.size())
    return static_cast<uint32_t>(contents.size());
  size_t column = place.column == 0 ? 0 : place.column - 1;
  column = std::min(column, line(place.line).size());
  return static_cast<uint32_t>(lineStarts[place.line - 1] + column);
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

Diagnostic &Diagnostic::note(std::string message,
                             std::optional<SourceRange> range) {
  notes.push_back({std::move(message), range});
  return *this;
}

Diagnostic &Diagnostic::help(std::string edit) {
  helps.push_back(std::move(edit));
  return *this;
}

Diagnostic &Diagnostics::error(std::string code, std::string message,
                               std::optional<SourceRange> range) {
  list.push_back(
      {Severity::Error, std::move(code), std::move(message), range, {}, {}});
  return list.back();
}

Diagnostic &Diagnostics::warning(std::string code, std::string message,
                                 std::optional<SourceRange> range) {
  list.push_back(
      {Severity::Warning, std::move(code), std::move(message), range, {}, {}});
  return list.back();
}

bool Diagnostics::hasErrors() const {
  return std::any_of(list.begin(), list.end(), [](const Diagnostic &d) {
    return d.severity == Severity::Error;
  });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

constexpr unsigned kTabStop = 4;
constexpr unsigned kMaxShownColumns = 160;
constexpr const char *kReplacement = "\xEF\xBF\xBD"; // U+FFFD

/// One shown character of a source line and the bytes it stands for.
struct Cell {
  std::string glyph;
  size_t byte;
  unsigned width;
};

/// Splits a line into cells a terminal can show: tabs become spaces, control,
/// format and malformed bytes become U+FFFD (a source text must not be able to
/// send escape sequences or to reorder what is shown).
std::vector<Cell> cellsOf(std::string_view line) {
  std::vector<Cell> cells;
  unsigned column = 0;
  for (size_t i = 0; i < line.size();) {
    auto byte = static_cast<unsigned char>(line[i]);
    Cell cell{std::string(1, line[i]), i, 1};
    size_t length = 1;
    if (byte == '\t') {
      cell.width = kTabStop - column % kTabStop;
      cell.glyph.assign(cell.width, ' ');
    } else if (byte < 0x20 || byte == 0x7F) {
      cell.glyph = kReplacement;
    } else if (byte >= 0x80) {
      auto *begin = reinterpret_cast<const llvm::UTF8 *>(line.data() + i);
      auto *end =
          reinterpret_cast<const llvm::UTF8 *>(line.data() + line.size());
      cell.glyph = kReplacement;
      if (llvm::isLegalUTF8Sequence(begin, end)) {
        length = llvm::getNumBytesForUTF8(byte);
        std::string text(line.substr(i, length));
        int width = llvm::sys::unicode::columnWidthUTF8(text);
        if (width >= 0) {
          cell.glyph = std::move(text);
          cell.width = static_cast<unsigned>(width);
        }
      }
    }
    column += cell.width;
    i += length;
    cells.push_back(std::move(cell));
  }
  return cells;
}

/// A message as a terminal may show it: names, paths and what stands in a text
/// may hold any bytes. Control, format and malformed bytes are spelt out.
std::string printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    auto byte = static_cast<unsigned char>(text[i]);
    size_t length = 1;
    bool shown = byte == '\n' || (byte >= 0x20 && byte < 0x7F);
    if (byte >= 0x80) {
      auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data() + i);
      auto *end =
          reinterpret_cast<const llvm::UTF8 *>(text.data() + text.size());
      if (llvm::isLegalUTF8Sequence(begin, end)) {
        length = llvm::getNumBytesForUTF8(byte);
        shown =
            llvm::sys::unicode::columnWidthUTF8(text.substr(i, length)) >= 0;
      }
    }
    if (shown)
      out += text.substr(i, length);
    else
      for (size_t at = i; at < i + length; ++at)
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    i += length;
  }
  return out;
}

struct Style {
  bool color;
  std::string wrap(const char *escape, std::string text) const {
    return color ? fmt::format("\033[{}m{}\033[0m", escape, text) : text;
  }
};

const char *severityWord(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  }
  return "error";
}

const char *severityColor(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "1;31";
  case Severity::Warning:
    return "1;35";
  case Severity::Note:
    return "1;36";
  }
  return "1";
}

/// One source line and the carets under bytes [begin, end) of it. Lines wider
/// than kMaxShownColumns are cut to a window around the first caret.
void showLine(std::string &out, std::string_view text, unsigned number,
              size_t begin, size_t end, Severity severity, const Style &style) {
  std::vector<Cell> cells = cellsOf(text);
  size_t first = 0;
  while (first < cells.size() && first + 1 < cells.size() &&
         cells[first + 1].byte <= begin)
    ++first;
  if (!cells.empty() && begin >= text.size())
    first = cells.size();
  unsigned total = 0;
  for (const Cell &cell : cells)
    total += cell.width;

  size_t from = 0, to = cells.size();
  if (total > kMaxShownColumns) {
    unsigned before = 0;
    from = first;
    while (from > 0 && before + cells[from - 1].width <= kMaxShownColumns / 3)
      before += cells[--from].width;
    unsigned shown = 0;
    to = from;
    while (to < cells.size() && shown + cells[to].width <= kMaxShownColumns)
      shown += cells[to++].width;
  }

  std::string shownLine = from > 0 ? "..." : "", marks = from > 0 ? "   " : "";
  for (size_t i = from; i < to; ++i) {
    shownLine += cells[i].glyph;
    if (i < first)
      marks.append(cells[i].width, ' ');
    else if (cells[i].byte < end)
      marks.append(cells[i].width, '^');
  }
  if (to < cells.size())
    shownLine += "...";
  if (marks.find('^') == std::string::npos)
    marks += '^';
  std::string gutter = fmt::format("{:>5} | ", number);
  out += style.wrap("2", gutter) + shownLine + '\n';
  out += style.wrap("2", "      | ") +
         style.wrap(severityColor(severity), marks) + '\n';
}

/// The line (the first and the last of a longer range) with its carets.
void showSnippet(std::string &out, const SourceFile &file, SourceRange range,
                 Severity severity, const Style &style) {
  LineColumn begin = file.lineColumn(range.begin);
  LineColumn end = file.lineColumn(std::max(range.begin, range.end));
  // A range that ends at the start of a line covers the line before it.
  if (end.line > begin.line && end.column == 1) {
    --end.line;
    end.column = static_cast<unsigned>(file.line(end.line).size()) + 1;
  }
  std::string_view first = file.line(begin.line);
  if (begin.line == end.line) {
    showLine(out, first, begin.line, begin.column - 1, end.column - 1, severity,
             style);
    return;
  }
  showLine(out, first, begin.line, begin.column - 1, first.size(), severity,
           style);
  if (end.line > begin.line + 1)
    out += style.wrap("2", "  ... |") + '\n';
  std::string_view last = file.line(end.line);
  size_t start = last.find_first_not_of(" \t");
  if (start == std::string_view::npos || start >= end.column - 1)
    start = 0;
  showLine(out, last, end.line, start, end.column - 1, severity, style);
}

/// The part of `range` in the text that it starts in.
SourceRange localRange(SourceRange range, const SourceFile::Place &start) {
  uint32_t end = std::max(range.begin, range.end) - range.begin + start.offset;
  auto size = static_cast<uint32_t>(start.file->text().size());
  return {start.offset, std::max(start.offset, std::min(end, size))};
}

void showMessage(std::string &out, const SourceFile *file, Severity severity,
                 const std::string &code, const std::string &message,
                 const std::optional<SourceRange> &range, const Style &style) {
  std::string place;
  std::optional<SourceRange> local;
  if (file && range) {
    SourceFile::Place start = file->locate(range->begin);
    file = start.file;
    local = localRange(*range, start);
    LineColumn at = file->lineColumn(local->begin);
    place = fmt::format("{}:{}:{}: ", file->name(), at.line, at.column);
  } else if (file) {
    place = file->name() + ": ";
  }
  std::string word = severityWord(severity);
  if (!code.empty())
    word += "[" + code + "]";
  out += style.wrap("1", printable(place)) +
         style.wrap(severityColor(severity), word) + ": " +
         style.wrap("1", printable(message)) + '\n';
  if (local)
    showSnippet(out, *file, *local, severity, style);
}

} // namespace

std::string Diagnostics::renderText(bool color) const {
  std::string out;
  Style style{color};
  for (const Diagnostic &d : list) {
    showMessage(out, file(), d.severity, d.code, d.message, d.range, style);
    for (const Note &note : d.notes)
      showMessage(out, note.range ? file() : nullptr, Severity::Note, "",
                  note.message, note.range, style);
    for (const std::string &edit : d.helps)
      out += style.wrap("1;32", "help") + ": " + printable(edit) + '\n';
  }
  return out;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace {

/// llvm::json asserts on malformed UTF-8; names and paths may hold any bytes.
std::string json8(const std::string &text) { return llvm::json::fixUTF8(text); }

void addPlace(llvm::json::Object &object, const SourceFile *file,
              std::optional<SourceRange> range) {
  if (file && range) {
    SourceFile::Place start = file->locate(range->begin);
    range = localRange(*range, start);
    file = start.file;
  }
  object["file"] = file ? llvm::json::Value(json8(file->name()))
                        : llvm::json::Value(nullptr);
  if (!file || !range) {
    for (const char *key : {"line", "column", "endLine", "endColumn"})
      object[key] = nullptr;
    return;
  }
  LineColumn begin = file->lineColumn(range->begin);
  LineColumn end = file->lineColumn(std::max(range->begin, range->end));
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["endLine"] = end.line;
  object["endColumn"] = end.column;
}

} // namespace

std::string Diagnostics::renderJson() const {
  llvm::json::Array array;
  for (const Diagnostic &d : list) {
    llvm::json::Object object;
    object["severity"] = severityWord(d.severity);
    object["code"] = json8(d.code);
    object["message"] = json8(d.message);
    addPlace(object, file(), d.range);
    llvm::json::Array notes, helps;
    for (const Note &note : d.notes) {
      llvm::json::Object entry;
      entry["message"] = json8(note.message);
      addPlace(entry, file(), note.range);
      notes.push_back(std::move(entry));
    }
    for (const std::string &edit : d.helps)
      helps.push_back(json8(edit));
    object["notes"] = std::move(notes);
    object["help"] = std::move(helps);
    array.push_back(std::move(object));
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(array))).str();
}

} // namespace girih
