//===- Ptx.cpp - facts read from PTX text ---------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Ptx.h"

#include "runtime/Text.h"

#include <cctype>

using namespace girih;
using namespace girih::rt;
using artifact::Launch;
using artifact::Variant;

namespace {
/// Splits PTX into words and single punctuation characters, without comments
/// and without the contents of strings.
class PtxScanner {
public:
  explicit PtxScanner(std::string_view text) : text(text) {}

  /// The next token; empty at the end.
  std::string_view next() {
    skip();
    if (at >= text.size())
      return {};
    size_t begin = at++;
    if (text[begin] == '"') {
      while (at < text.size() && text[at] != '"')
        ++at;
      at = at < text.size() ? at + 1 : at;
    } else if (isWord(text[begin])) {
      while (at < text.size() && isWord(text[at]))
        ++at;
    }
    return text.substr(begin, at - begin);
  }

private:
  static bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '$' || c == '.' || c == '%';
  }

  void skip() {
    while (at < text.size()) {
      std::string_view rest = text.substr(at);
      if (rest.substr(0, 2) == "//") {
        size_t end = text.find('\n', at);
        at = end == text.npos ? text.size() : end;
      } else if (rest.substr(0, 2) == "/*") {
        size_t end = text.find("*/", at + 2);
        at = end == text.npos ? text.size() : end + 2;
      } else if (std::isspace(static_cast<unsigned char>(text[at]))) {
        ++at;
      } else {
        return;
      }
    }
  }

  std::string_view text;
  size_t at = 0;
};

struct Entry {
  size_t parameters = 0;
  bool allWords = true; ///< each parameter is one 64-bit value
};
} // namespace

std::optional<PtxVersion> rt::ptxVersion(std::string_view ptx) {
  PtxScanner scanner(ptx);
  for (std::string_view token = scanner.next(); !token.empty();
       token = scanner.next()) {
    if (token != ".version")
      continue;
    std::string_view number = scanner.next();
    PtxVersion version;
    unsigned *part = &version.major;
    for (char c : number) {
      if (c == '.' && part == &version.major)
        part = &version.minor;
      else if (c >= '0' && c <= '9' && *part < 1000)
        *part = *part * 10 + unsigned(c - '0');
      else
        return std::nullopt;
    }
    if (part == &version.major)
      return std::nullopt;
    return version;
  }
  return std::nullopt;
}

std::string rt::cudaForPtx(PtxVersion version) {
  struct Row {
    unsigned major, minor;
    const char *cuda;
  };
  // CUDA release notes, "PTX ISA version" (PTX ISA, section "Release Notes").
  static constexpr Row kRows[] = {
      {7, 0, "11.0"}, {7, 1, "11.1"}, {7, 2, "11.2"}, {7, 3, "11.3"},
      {7, 4, "11.4"}, {7, 5, "11.5"}, {7, 6, "11.6"}, {7, 7, "11.7"},
      {7, 8, "11.8"}, {8, 0, "12.0"}, {8, 1, "12.1"}, {8, 2, "12.2"},
      {8, 3, "12.3"}, {8, 4, "12.4"}, {8, 5, "12.5"}, {8, 6, "12.7"},
      {8, 7, "12.8"}, {8, 8, "12.9"}, {9, 0, "13.0"}};
  for (const Row &row : kRows)
    if (row.major == version.major && row.minor == version.minor)
      return row.cuda;
  return "";
}

/// The parameter list of `.entry name ( ... )`; empty if there is no entry.
static std::optional<Entry> findEntry(std::string_view ptx,
                                      std::string_view name) {
  PtxScanner scanner(ptx);
  std::string_view token = scanner.next();
  while (!token.empty()) {
    if (token != ".entry") {
      token = scanner.next();
      continue;
    }
    token = scanner.next();
    if (token != name)
      continue;
    Entry entry;
    if (scanner.next() != "(")
      return entry;
    bool sawWord = false;
    for (token = scanner.next(); !token.empty() && token != ")";
         token = scanner.next()) {
      if (token == ".param") {
        ++entry.parameters;
        sawWord = false;
      } else if (token == ".u64" || token == ".s64" || token == ".b64") {
        sawWord = true;
      } else if (token == "[" || (token[0] == '.' && !sawWord)) {
        // An array, or a type of another width before the name. Attributes
        // of pointers (.ptr .global .align) follow the type.
        entry.allWords = false;
      }
    }
    return entry;
  }
  return std::nullopt;
}

Status rt::checkPtxEntries(const Variant &variant) {
  if (variant.ptx.find('\0') != std::string::npos)
    return Failure{"the PTX of variant '" + variant.name +
                   "' contains a zero byte"};
  for (const Launch &launch : variant.launches) {
    std::optional<Entry> entry = findEntry(variant.ptx, launch.kernel);
    std::string kernel =
        "kernel '" + launch.kernel + "' of variant '" + variant.name + "'";
    if (!entry)
      return Failure{kernel + " is not in its PTX"};
    if (entry->parameters != launch.arguments.size())
      return Failure{kernel + " declares " +
                     plural(int64_t(entry->parameters), "parameter") +
                     " but its launch passes " +
                     std::to_string(launch.arguments.size())};
    if (!entry->allWords)
      return Failure{kernel + " has a parameter that is not one 64-bit value"};
  }
  return {};
}
