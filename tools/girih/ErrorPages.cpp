//===- ErrorPages.cpp - the page of error codes ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/ErrorPages.h"

#include "tools/girih/ErrorPagesText.h" // made by the build from docs/

#include <string_view>

using namespace girih;
using namespace girih::cli;

static std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Calls `each` for every line.
template <typename Each>
static void forEachLine(std::string_view text, Each each) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

static bool isCode(std::string_view word) {
  return word.size() == 5 && word[0] == 'G' &&
         word.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::vector<ErrorPage> cli::errorPages() {
  std::vector<ErrorPage> pages;
  std::string family;
  forEachLine(kErrorsText, [&](std::string_view line) {
    if (line.substr(0, 3) == "## ")
      family = line.substr(3);
    if (line.substr(0, 2) != "| ")
      return;
    size_t first = line.find('|', 1), second = line.find('|', first + 1);
    size_t last = line.rfind('|');
    if (second == std::string_view::npos || last <= second)
      return;
    std::string_view code = trimmed(line.substr(1, first - 1));
    if (isCode(code))
      pages.push_back(
          {std::string(code),
           std::string(trimmed(line.substr(first + 1, second - first - 1))),
           std::string(trimmed(line.substr(second + 1, last - second - 1))),
           family, ""});
  });
  ErrorPage *page = nullptr;
  bool inside = false;
  forEachLine(kErrorExamplesText, [&](std::string_view line) {
    if (!inside && line.substr(0, 3) == "## ") {
      page = nullptr;
      for (ErrorPage &other : pages)
        if (other.code == line.substr(3))
          page = &other;
    } else if (line.substr(0, 3) == "```") {
      inside = !inside;
    } else if (inside && page) {
      page->example += std::string(line) + "\n";
    }
  });
  return pages;
}
