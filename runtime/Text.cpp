//===- Text.cpp - small pieces of messages --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Text.h"

#include <cstdio>

using namespace girih;

std::string rt::joinNames(const std::vector<std::string> &names) {
  if (names.empty())
    return "none";
  std::string text = names[0];
  for (size_t i = 1; i < names.size(); ++i)
    text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

std::string rt::plural(int64_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string rt::hex(uint64_t value, unsigned digits) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%0*llx", int(digits),
                static_cast<unsigned long long>(value));
  return text;
}

std::string rt::printBytes(uint64_t bytes) {
  if (bytes < 10240)
    return plural(int64_t(bytes), "byte");
  const char *units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = double(bytes) / 1024;
  unsigned unit = 0;
  for (; amount >= 1024 && unit + 1 < 6; ++unit)
    amount /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %s", amount, units[unit]);
  return text;
}
