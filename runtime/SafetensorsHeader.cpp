//===- SafetensorsHeader.cpp - the header of a safetensors file -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/SafetensorsHeader.h"

#include "runtime/Tensor.h"
#include "runtime/Text.h"
#include "runtime/Utf8.h"

#include <algorithm>
#include <unordered_set>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

namespace {
struct TypeRow {
  std::string_view dtype;
  ScalarType type;
};
} // namespace

static constexpr TypeRow kTypes[] = {{"F64", ScalarType::F64},
                                     {"F32", ScalarType::F32},
                                     {"F16", ScalarType::F16},
                                     {"BF16", ScalarType::BF16},
                                     {"F8_E4M3", ScalarType::F8E4M3FN},
                                     {"F8_E5M2", ScalarType::F8E5M2},
                                     {"I8", ScalarType::I8},
                                     {"I16", ScalarType::I16},
                                     {"I32", ScalarType::I32},
                                     {"I64", ScalarType::I64},
                                     {"U8", ScalarType::U8},
                                     {"U16", ScalarType::U16},
                                     {"U32", ScalarType::U32},
                                     {"U64", ScalarType::U64},
                                     {"BOOL", ScalarType::Bool}};

std::optional<ScalarType> rt::safetensorsType(std::string_view dtype) {
  for (const TypeRow &row : kTypes)
    if (row.dtype == dtype)
      return row.type;
  return std::nullopt;
}

std::string_view rt::safetensorsName(ScalarType type) {
  for (const TypeRow &row : kTypes)
    if (row.type == type)
      return row.dtype;
  return "";
}

namespace {
using Entries = std::vector<SafetensorsEntry>;

/// Reads the one JSON object that a header is. Its nesting is fixed, so there
/// is no recursion. The first fault is kept, and everything after it fails.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  Result<Entries> parse() {
    if (!expect('{') || (!take('}') && !parseItems()))
      return Failure{fault};
    skipSpace();
    if (at != text.size())
      return Failure{say("text after the last '}'")};
    return std::move(entries);
  }

private:
  using Names = std::unordered_set<std::string>;

  bool parseItems() {
    do {
      std::string name;
      if (!parseKey(name, seen) ||
          !(name == "__metadata__" ? parseMetadata() : parseEntry(name)))
        return false;
    } while (take(','));
    return expect('}', "',' or '}'");
  }

  std::string say(const std::string &what) const {
    return "its header is malformed at byte " + std::to_string(at) + ": " +
           what;
  }
  bool fail(std::string message) {
    if (fault.empty())
      fault = std::move(message);
    return false;
  }

  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' ||
                                text[at] == '\r' || text[at] == '\t'))
      ++at;
  }
  bool take(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool expect(char c, const char *what = nullptr) {
    if (take(c))
      return true;
    return fail(say((what ? what : "'" + std::string(1, c) + "'") +
                    std::string(" expected")));
  }

  /// Four hexadecimal digits.
  bool parseHex(uint32_t &value) {
    value = 0;
    for (int digit = 0; digit < 4; ++digit, ++at) {
      char c = at < text.size() ? text[at] : '\0';
      uint32_t part = c >= '0' && c <= '9'   ? uint32_t(c - '0')
                      : c >= 'a' && c <= 'f' ? uint32_t(c - 'a' + 10)
                      : c >= 'A' && c <= 'F' ? uint32_t(c - 'A' + 10)
                                             : 16;
      if (part == 16)
        return fail(say("four hexadecimal digits expected"));
      value = value << 4 | part;
    }
    return true;
  }

  /// Behind `\u`: one code point, of two halves where it needs them.
  bool parseUnicode(std::string &out) {
    uint32_t value = 0, low = 0;
    if (!parseHex(value))
      return false;
    bool isHigh = value >= 0xD800 && value < 0xDC00;
    if (isHigh) {
      if (text.substr(at, 2) != "\\u")
        return fail(say("half a surrogate pair"));
      at += 2;
      if (!parseHex(low))
        return false;
      if (low < 0xDC00 || low >= 0xE000)
        return fail(say("half a surrogate pair"));
      value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
    } else if (value >= 0xDC00 && value < 0xE000) {
      return fail(say("half a surrogate pair"));
    }
    appendUtf8(out, value);
    return true;
  }

  bool parseEscape(std::string &out) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    char c = at < text.size() ? text[at] : '\0';
    ++at;
    if (c == 'u')
      return parseUnicode(out);
    size_t which = c ? kLetters.find(c) : std::string_view::npos;
    if (which == std::string_view::npos)
      return fail(say("an unknown escape in a string"));
    out += kMeanings[which];
    return true;
  }

  bool parseString(std::string &out) {
    skipSpace();
    if (at >= text.size() || text[at] != '"')
      return fail(say("a string expected"));
    for (++at; at < text.size();) {
      auto byte = static_cast<unsigned char>(text[at]);
      if (byte == '"') {
        ++at;
        return true;
      }
      if (byte < 0x20)
        return fail(say("a control character in a string"));
      if (byte == '\\') {
        ++at;
        if (!parseEscape(out))
          return false;
        continue;
      }
      size_t length = utf8Length(text.substr(at));
      if (length == 0)
        return fail(say("bytes that are no UTF-8"));
      out += text.substr(at, length);
      at += length;
    }
    return fail(say("a string that does not end"));
  }

  bool parseKey(std::string &key, Names &known) {
    if (!parseString(key))
      return false;
    if (!known.insert(key).second)
      return fail(say("the key '" + key + "' a second time"));
    return expect(':');
  }

  bool parseCount(int64_t &value) {
    skipSpace();
    size_t first = at;
    value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text[at] - '0'), &value))
        return fail(say("a number that does not fit 64 bits"));
    char next = at < text.size() ? text[at] : '\0';
    bool isLong = at - first > 1 && text[first] == '0';
    if (at == first || isLong || next == '.' || next == 'e' || next == 'E')
      return fail(say("an integer from 0 on expected"));
    return true;
  }

  bool parseCounts(std::vector<int64_t> &values, size_t most,
                   const char *what) {
    if (!expect('['))
      return false;
    if (take(']'))
      return true;
    do {
      if (values.size() == most)
        return fail(say("more than " + std::to_string(most) + " " + what));
      if (!parseCount(values.emplace_back()))
        return false;
    } while (take(','));
    return expect(']', "',' or ']'");
  }

  bool parseMetadata() {
    Names known;
    if (!expect('{'))
      return false;
    if (take('}'))
      return true;
    do {
      std::string key, value;
      if (!parseKey(key, known) || !parseString(value))
        return false;
    } while (take(','));
    return expect('}', "',' or '}'");
  }

  bool parseEntry(const std::string &name) {
    SafetensorsEntry entry;
    entry.name = name;
    Names known;
    std::vector<int64_t> offsets;
    if (!expect('{'))
      return false;
    do {
      std::string key;
      if (!parseKey(key, known))
        return false;
      bool good = false;
      if (key == "dtype")
        good = parseString(entry.dtype);
      else if (key == "shape")
        good =
            parseCounts(entry.shape, kMostSafetensorsDimensions, "dimensions");
      else if (key == "data_offsets")
        good = parseCounts(offsets, 2, "offsets");
      else
        good = fail(say("the unknown key '" + key + "'"));
      if (!good)
        return false;
    } while (take(','));
    if (!expect('}', "',' or '}'"))
      return false;
    for (const char *key : {"dtype", "shape", "data_offsets"})
      if (!known.count(key))
        return fail("its tensor '" + name + "' lacks '" + key + "'");
    if (offsets.size() != 2)
      return fail("its tensor '" + name + "' lacks one of two data_offsets");
    entry.begin = uint64_t(offsets[0]);
    entry.end = uint64_t(offsets[1]);
    entries.push_back(std::move(entry));
    return true;
  }

  std::string_view text;
  size_t at = 0;
  Names seen;
  Entries entries;
  std::string fault;
};
} // namespace

/// Whether a tensor has as many bytes as it says that it has.
static Status checkEntry(const SafetensorsEntry &entry, uint64_t dataBytes) {
  std::string what = "its tensor '" + entry.name + "'";
  if (entry.end < entry.begin || entry.end > dataBytes)
    return Failure{what + " has the data_offsets " +
                   std::to_string(entry.begin) + " to " +
                   std::to_string(entry.end) + ", the data has " +
                   plural(int64_t(dataBytes), "byte")};
  std::optional<int64_t> count = elementCount(entry.shape);
  if (!count)
    return Failure{what +
                   " has a shape with more elements than 64 bits can "
                   "count: " +
                   printShape(entry.shape)};
  std::optional<ScalarType> type = safetensorsType(entry.dtype);
  if (!type)
    return {};
  int64_t bytes = 0;
  bool tooMany =
      __builtin_mul_overflow(*count, int64_t(artifact::bytesOf(*type)), &bytes);
  if (tooMany || uint64_t(bytes) != entry.end - entry.begin)
    return Failure{
        what + " has " + plural(int64_t(entry.end - entry.begin), "byte") +
        " of data, " + entry.dtype + printShape(entry.shape) + " needs " +
        (tooMany ? "more than 64 bits can count" : std::to_string(bytes))};
  return {};
}

Result<Entries> rt::parseSafetensorsHeader(std::string_view text,
                                           uint64_t dataBytes) {
  Result<Entries> entries = HeaderParser(text).parse();
  if (!entries)
    return entries;
  for (const SafetensorsEntry &entry : *entries)
    if (Status status = checkEntry(entry, dataBytes); !status)
      return Failure{status.message()};
  // Of tensors at one place the empty ones come first.
  std::sort(entries->begin(), entries->end(),
            [](const SafetensorsEntry &a, const SafetensorsEntry &b) {
              return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
            });
  uint64_t reached = 0;
  const SafetensorsEntry *before = nullptr;
  for (const SafetensorsEntry &entry : *entries) {
    if (before && entry.begin < reached)
      return Failure{"the data of its tensors '" + before->name + "' and '" +
                     entry.name + "' overlap"};
    if (entry.begin > reached)
      return Failure{"the bytes " + std::to_string(reached) + " to " +
                     std::to_string(entry.begin) +
                     " of its data belong to no tensor"};
    reached = entry.end;
    before = &entry;
  }
  if (reached != dataBytes)
    return Failure{"the file has " +
                   plural(int64_t(dataBytes - reached), "byte") +
                   " after the data of its tensors"};
  return entries;
}

Result<std::string> rt::quoteJson(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    size_t length = utf8Length(text.substr(at));
    if (length == 0)
      return Failure{"a name in a safetensors file is UTF-8"};
    char c = text[at];
    if (length == 1 && (c == '"' || c == '\\')) {
      out += '\\';
      out += c;
    } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
      static constexpr char kDigits[] = "0123456789abcdef";
      out += "\\u00";
      out += kDigits[c >> 4];
      out += kDigits[c & 15];
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out + '"';
}
