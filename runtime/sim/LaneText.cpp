//===- LaneText.cpp - lanes and threads in words --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneText.h"

using namespace girih;

std::string sim::rangeText(const std::string &what,
                           const std::vector<uint32_t> &numbers) {
  constexpr size_t kMostRanges = 6;
  std::string text = numbers.size() == 1 ? what + " " : what + "s ";
  size_t ranges = 0;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
      ++end;
    if (ranges == kMostRanges)
      return text + " and " + std::to_string(numbers.size() - i) + " more";
    if (ranges++ != 0)
      text += ", ";
    text += std::to_string(numbers[i]);
    if (end - i > 1)
      text += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string sim::laneText(uint32_t mask) {
  std::vector<uint32_t> lanes;
  for (; mask != 0; mask &= mask - 1)
    lanes.push_back(uint32_t(__builtin_ctz(mask)));
  return rangeText("lane", lanes);
}
