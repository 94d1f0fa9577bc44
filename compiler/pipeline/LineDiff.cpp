//===- LineDiff.cpp - which lines of two texts differ ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/LineDiff.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdint>

using namespace girih;

namespace {

using Lines = std::vector<std::string_view>;

/// Lines around a difference that are shown.
constexpr size_t kContext = 2;
// Above this many pairs of lines the table would not pay: what differs in the
// middle is then shown as a whole.
constexpr size_t kMostPairs = size_t(1) << 24;

Lines linesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct Line {
  char sign;
  std::string_view text;
};

/// The longest common subsequence of what lies between the common ends.
void diffMiddle(const Lines &a, const Lines &b, std::vector<Line> &out) {
  size_t rows = a.size(), columns = b.size();
  if (rows * columns > kMostPairs)
    rows = columns = 0;
  // common[i][j]: the length for the lines from a[i] and b[j] on.
  std::vector<uint32_t> common((rows + 1) * (columns + 1), 0);
  auto at = [&](size_t i, size_t j) -> uint32_t & {
    return common[i * (columns + 1) + j];
  };
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;)
      at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1
                              : std::max(at(i + 1, j), at(i, j + 1));
  size_t i = 0, j = 0;
  while (i < rows && j < columns)
    if (a[i] == b[j]) {
      out.push_back({' ', a[i++]});
      ++j;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      out.push_back({'-', a[i++]});
    } else {
      out.push_back({'+', b[j++]});
    }
  for (; i < a.size(); ++i)
    out.push_back({'-', a[i]});
  for (; j < b.size(); ++j)
    out.push_back({'+', b[j]});
}

} // namespace

std::vector<std::string> girih::pipeline::diffLines(std::string_view textA,
                                                    std::string_view textB) {
  if (textA == textB)
    return {};
  Lines a = linesOf(textA), b = linesOf(textB);
  size_t most = std::min(a.size(), b.size()), front = 0, back = 0;
  while (front < most && a[front] == b[front])
    ++front;
  while (back < most - front &&
         a[a.size() - 1 - back] == b[b.size() - 1 - back])
    ++back;
  auto middleOf = [&](const Lines &lines) {
    return Lines(lines.begin() + std::ptrdiff_t(front),
                 lines.end() - std::ptrdiff_t(back));
  };
  std::vector<Line> all;
  for (size_t i = 0; i < front; ++i)
    all.push_back({' ', a[i]});
  diffMiddle(middleOf(a), middleOf(b), all);
  for (size_t i = a.size() - back; i < a.size(); ++i)
    all.push_back({' ', a[i]});

  std::vector<bool> shown(all.size(), false);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].sign != ' ')
      for (size_t near = i - std::min(i, kContext);
           near < std::min(all.size(), i + kContext + 1); ++near)
        shown[near] = true;
  std::vector<std::string> lines;
  for (size_t i = 0; i < all.size(); ++i)
    if (shown[i])
      lines.push_back(std::string(1, all[i].sign) + " " +
                      std::string(all[i].text));
    else if (i == 0 || shown[i - 1])
      lines.emplace_back("...");
  return lines;
}
