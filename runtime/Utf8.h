//===- Utf8.h - reading and writing UTF-8 -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this room.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_UTF8_H
#define GIRIH_RUNTIME_UTF8_H

#include <cstdint>
#include <string>
#include <string_view>

namespace girih::rt {

/// Appends a code point up to U+10FFFF.
inline void appendUtf8(std::string &out, uint32_t point) {
  auto tail = [&](int shift) { out += char(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) {
    out += char(point);
  } else if (point < 0x800) {
    out += char(0xC0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    out += char(0xE0 | point >> 12);
    tail(6), tail(0);
  } else {
    out += char(0xF0 | point >> 18);
    tail(12), tail(6), tail(0);
  }
}

/// How many bytes the first code point of a text has; 0 where they are no
/// UTF-8: too long a form, half a surrogate pair, beyond U+10FFFF, or cut off.
inline size_t utf8Length(std::string_view text) {
  if (text.empty())
    return 0;
  auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80)
    return 1;
  size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length)
    return 0;
  uint32_t point = first & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80)
      return 0;
    point = point << 6 | (byte & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isHalf = point >= 0xD800 && point < 0xE000;
  return point < kLeast[length] || point > 0x10FFFF || isHalf ? 0 : length;
}

} // namespace girih::rt

#endif // GIRIH_RUNTIME_UTF8_H
