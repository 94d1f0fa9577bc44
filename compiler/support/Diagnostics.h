//===- Diagnostics.h - what the user is told, and where ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every phase reports through one Diagnostics object per compile; there is no
// global sink. A phase that fails returns an empty optional (or false) after it
// has reported at least one error.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_SUPPORT_DIAGNOSTICS_H
#define GIRIH_COMPILER_SUPPORT_DIAGNOSTICS_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace girih {

/// A half-open range of byte offsets into the compile's source texts
/// (SourceFile::attach).
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// 1-based line and column (columns count bytes).
struct LineColumn {
  unsigned line = 1;
  unsigned column = 1;
};

/// A source text with its name; answers where an offset stands. A program of
/// several texts is its first one, to which the others are attached: their
/// offsets follow on each other.
class SourceFile {
public:
  SourceFile(std::string name, std::string text);

  /// Attaches another text and returns the offset of its first byte.
  uint32_t attach(std::shared_ptr<const SourceFile> other);
  /// The offset at which the next text would be attached.
  uint32_t end() const;
  struct Place {
    const SourceFile *file;
    uint32_t offset; ///< in that file
  };
  /// The text that an offset lies in: this one or one that is attached.
  Place locate(uint32_t offset) const;
  /// The first offset of the text of that name; nothing where there is none.
  std::optional<uint32_t> beginOf(std::string_view name) const;

  // The rest is about this text alone.
  const std::string &name() const { return fileName; }
  std::string_view text() const { return contents; }
  LineColumn lineColumn(uint32_t offset) const;
  /// The whole line (without its end) that `line` (1-based) names.
  std::string_view line(unsigned line) const;
  /// The offset of a line and column, clamped to the text.
  uint32_t offset(LineColumn place) const;

private:
  std::string fileName;
  std::string contents;
  std::vector<uint32_t> lineStarts;
  struct Attached {
    uint32_t begin;
    std::shared_ptr<const SourceFile> file;
  };
  std::vector<Attached> others;
};

enum class Severity { Error, Warning, Note };

struct Note {
  std::string message;
  std::optional<SourceRange> range;
};

/// One message: a code such as "G0123", what is wrong, where, further places,
/// and concrete edits. Messages start in lower case and end without a full
/// stop.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;
  std::string message;
  std::optional<SourceRange> range;
  std::vector<Note> notes;
  std::vector<std::string> helps;

  Diagnostic &note(std::string message,
                   std::optional<SourceRange> range = std::nullopt);
  Diagnostic &help(std::string edit);
};

class Diagnostics {
public:
  /// A sink without a source text (tools that read IR only).
  Diagnostics() = default;
  explicit Diagnostics(std::shared_ptr<const SourceFile> file)
      : source(std::move(file)) {}

  Diagnostic &error(std::string code, std::string message,
                    std::optional<SourceRange> range = std::nullopt);
  Diagnostic &warning(std::string code, std::string message,
                      std::optional<SourceRange> range = std::nullopt);

  /// The message reported last; there must be one.
  Diagnostic &last() { return list.back(); }
  bool hasErrors() const;
  const std::vector<Diagnostic> &all() const { return list; }
  const SourceFile *file() const { return source.get(); }
  void setFile(std::shared_ptr<const SourceFile> file) {
    source = std::move(file);
  }

  /// `file:line:col: error[G0123]: text`, the line, a caret range, notes with
  /// their own lines, `help:` lines. `color` adds ANSI escapes. Nothing else
  /// reaches a terminal as a control character: `\x1b` is spelt out.
  std::string renderText(bool color) const;
  /// A JSON array; one object a diagnostic: severity, code, message, file,
  /// line, column, endLine, endColumn, notes [...], help [...].
  std::string renderJson() const;

private:
  std::shared_ptr<const SourceFile> source;
  std::vector<Diagnostic> list;
};

} // namespace girih

#endif // GIRIH_COMPILER_SUPPORT_DIAGNOSTICS_H
