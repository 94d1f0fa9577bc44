//===- NpyHeader.cpp - the header of a NumPy file -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/NpyHeader.h"

#include <optional>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static constexpr std::string_view kMagic = "\x93NUMPY";
static constexpr size_t kMostDimensions = 64; // NumPy's own limit

Result<NpyPrefix> rt::parseNpyPrefix(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic)
    return Failure{"it is not a .npy file"};
  auto byteAt = [&](size_t i) { return size_t(uint8_t(bytes[i])); };
  if (bytes.size() < 8)
    return Failure{"the file ends within its first 8 bytes"};
  size_t major = byteAt(6);
  if (major < 1 || major > 3 || byteAt(7) != 0)
    return Failure{"its format version " + std::to_string(major) + "." +
                   std::to_string(byteAt(7)) +
                   " is unknown; known are 1.0, 2.0 and 3.0"};
  NpyPrefix prefix;
  prefix.headerBegin = major == 1 ? 10 : 12;
  if (bytes.size() < prefix.headerBegin)
    return Failure{"the file ends before its header"};
  size_t length = byteAt(8) | byteAt(9) << 8;
  if (major > 1)
    length |= byteAt(10) << 16 | byteAt(11) << 24;
  if (length > kNpyLongestHeader)
    return Failure{"its header claims " + std::to_string(length) +
                   " bytes; at most " + std::to_string(kNpyLongestHeader) +
                   " are read"};
  prefix.dataBegin = prefix.headerBegin + length;
  return prefix;
}

namespace {
/// Reads the one Python dictionary that a header is.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  Result<NpyHeader> parse() {
    if (!take('{'))
      return fail("'{' expected");
    while (!take('}')) {
      Status status = parseEntry();
      if (!status)
        return Failure{status.message()};
      if (!take(',') && peek() != '}')
        return fail("',' or '}' expected");
    }
    skipSpace();
    if (at != text.size())
      return fail("text after '}'");
    if (!hasDescr || !hasOrder || !hasShape)
      return Failure{std::string("its header lacks '") +
                     (!hasDescr   ? "descr"
                      : !hasOrder ? "fortran_order"
                                  : "shape") +
                     "'"};
    return std::move(header);
  }

private:
  Failure fail(const std::string &what) const {
    return Failure{"its header is malformed at byte " + std::to_string(at) +
                   ": " + what};
  }

  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }
  char peek() {
    skipSpace();
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at >= text.size())
      return false;
    ++at;
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (text.substr(at, word.size()) != word)
      return false;
    at += word.size();
    return true;
  }

  Result<std::string> parseString() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return fail("a string expected");
    size_t end = text.find(quote, at + 1);
    if (end == text.npos)
      return fail("the string does not end");
    std::string value(text.substr(at + 1, end - at - 1));
    if (value.find('\\') != value.npos)
      return fail("an escape in a string");
    at = end + 1;
    return value;
  }

  Status parseEntry() {
    Result<std::string> key = parseString();
    if (!key)
      return Failure{key.message()};
    if (!take(':'))
      return fail("':' expected");
    bool *seen = *key == "descr"           ? &hasDescr
                 : *key == "fortran_order" ? &hasOrder
                 : *key == "shape"         ? &hasShape
                                           : nullptr;
    if (!seen)
      return fail("the unknown key '" + *key + "'");
    if (*seen)
      return fail("the key '" + *key + "' a second time");
    *seen = true;
    if (seen == &hasShape)
      return parseShape();
    if (seen == &hasOrder) {
      header.fortranOrder = takeWord("True");
      if (!header.fortranOrder && !takeWord("False"))
        return fail("True or False expected");
      return {};
    }
    if (peek() == '[')
      return Failure{"it holds records, not one element type"};
    Result<std::string> descr = parseString();
    if (!descr)
      return Failure{descr.message()};
    header.descr = std::move(*descr);
    return {};
  }

  Status parseShape() {
    if (!take('('))
      return fail("'(' expected");
    bool comma = true;
    while (!take(')')) {
      if (!comma)
        return fail("',' or ')' expected");
      Result<int64_t> extent = parseExtent();
      if (!extent)
        return Failure{extent.message()};
      header.shape.push_back(*extent);
      if (header.shape.size() > kMostDimensions)
        return Failure{"it has more than " + std::to_string(kMostDimensions) +
                       " dimensions"};
      comma = take(',');
    }
    // (3) is a number in Python, (3,) a tuple; NumPy refuses the former too.
    if (header.shape.size() == 1 && !comma)
      return fail("(n) is no shape, (n,) is");
    return {};
  }

  Result<int64_t> parseExtent() {
    char first = peek();
    if (first == '-')
      return Failure{"its shape has a negative extent"};
    if (first < '0' || first > '9')
      return fail("an extent expected");
    int64_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text[at] - '0'), &value))
        return Failure{"an extent of its shape does not fit 64 bits"};
    if (at < text.size() && text[at] == 'L') // written by Python 2
      ++at;
    return value;
  }

  std::string_view text;
  size_t at = 0;
  bool hasDescr = false, hasOrder = false, hasShape = false;
  NpyHeader header;
};
} // namespace

Result<NpyHeader> rt::parseNpyHeader(std::string_view text) {
  return HeaderParser(text).parse();
}

static std::optional<ScalarType> heldType(std::string_view descr) {
  struct Row {
    std::string_view descr;
    ScalarType type;
  };
  static constexpr Row kRows[] = {
      {"<f8", ScalarType::F64}, {"<f4", ScalarType::F32},
      {"<f2", ScalarType::F16}, {"|i1", ScalarType::I8},
      {"<i1", ScalarType::I8},  {"<i2", ScalarType::I16},
      {"<i4", ScalarType::I32}, {"<i8", ScalarType::I64},
      {"|u1", ScalarType::U8},  {"<u1", ScalarType::U8},
      {"<u2", ScalarType::U16}, {"<u4", ScalarType::U32},
      {"<u8", ScalarType::U64}, {"|b1", ScalarType::Bool}};
  for (const Row &row : kRows)
    if (row.descr == descr)
      return row.type;
  return std::nullopt;
}

Result<ScalarType> rt::npyElementType(const NpyHeader &header,
                                      std::optional<ScalarType> expected) {
  const std::string &descr = header.descr;
  if (!descr.empty() && descr[0] == '>')
    return Failure{"it holds big-endian data ('" + descr +
                   "'): convert it with .astype('<" + descr.substr(1) + "')"};
  // Types that NumPy does not know travel as their bits.
  bool isBits16 = descr == "<u2" || descr == "|V2" || descr == "<V2";
  bool isBits8 = descr == "|u1" || descr == "|V1" || descr == "<u1";
  bool wants16 = expected == ScalarType::BF16;
  bool wants8 =
      expected == ScalarType::F8E4M3FN || expected == ScalarType::F8E5M2;
  if ((isBits16 && wants16) || (isBits8 && wants8))
    return *expected;
  std::optional<ScalarType> held = heldType(descr);
  if (!held && !expected && (isBits16 || isBits8))
    return Failure{"it holds " + std::string(isBits16 ? "16" : "8") +
                   "-bit data without a type ('" + descr +
                   "'): say what the bits are, as in " +
                   (isBits16 ? "X:bf16=x.npy" : "X:f8e4m3fn=x.npy")};
  std::string need = expected ? std::string(artifact::nameOf(*expected)) : "";
  if (!held)
    return Failure{"its element type '" + descr + "' is not " +
                   (expected ? need : "one of the language's")};
  if (expected && held != expected)
    return Failure{"it holds " + std::string(artifact::nameOf(*held)) +
                   ", not " + need +
                   (wants16  ? " (bf16 is stored as its bits, '<u2')"
                    : wants8 ? " (" + need + " is stored as its bits, '|u1')"
                             : "")};
  return *held;
}

std::string rt::printNpyHeader(const NpyHeader &header) {
  std::string text = "{'descr': '" + header.descr + "', 'fortran_order': " +
                     (header.fortranOrder ? "True" : "False") + ", 'shape': (";
  for (size_t dim = 0; dim < header.shape.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(header.shape[dim]);
  text += header.shape.size() == 1 ? ",), }" : "), }";
  size_t unpadded = 10 + text.size() + 1;
  text.append((unpadded + 63) / 64 * 64 - unpadded, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += '\1';
  bytes += '\0';
  bytes += char(text.size() & 0xff);
  bytes += char(text.size() >> 8);
  return bytes + text;
}
