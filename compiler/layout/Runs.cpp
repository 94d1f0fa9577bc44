//===- Runs.cpp - which register touches what -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/layout/Runs.h"

#include <algorithm>
#include <numeric>

namespace girih::layout {

std::vector<std::vector<int64_t>>
registerParts(const Layout &layout, const std::vector<int64_t> &coefficients,
              size_t expressions) {
  std::vector<std::vector<int64_t>> parts;
  const unsigned rank = layout.rank();
  for (int64_t reg = 0, count = layout.registerCount(); reg < count; ++reg) {
    const std::vector<int64_t> at = layout.registerPart(reg);
    std::vector<int64_t> &row = parts.emplace_back(expressions, 0);
    for (size_t e = 0; e < expressions; ++e)
      for (unsigned d = 0; d < rank; ++d)
        row[e] += coefficients[e * rank + d] * at[d];
  }
  return parts;
}

int64_t threadGranule(const Layout &layout,
                      const std::vector<int64_t> &coefficients) {
  int64_t granule = 0;
  for (const Digit &digit : layout.threads)
    if (digit.dim >= 0 && digit.count > 1)
      granule = std::gcd(granule, coefficients[digit.dim] * digit.stride);
  return granule;
}

std::vector<Run> coverByRuns(const std::vector<int64_t> &offsets,
                             int64_t granule, unsigned widest) {
  std::vector<int64_t> sorted = offsets;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  unsigned width = widest;
  for (; width > 1; width /= 2) {
    if (granule % width || sorted.size() % width)
      continue;
    bool fits = true;
    for (size_t i = 0; i < sorted.size() && fits; i += width)
      fits = sorted[i] % width == 0 &&
             sorted[i + width - 1] == sorted[i] + width - 1;
    if (fits)
      break;
  }
  std::vector<Run> runs;
  for (size_t i = 0; i < sorted.size(); i += width)
    runs.push_back({sorted[i], width});
  return runs;
}

bool ownsItsElement(const Layout &layout, int64_t reg) {
  for (const Digit &digit : layout.registers) {
    if (digit.dim < 0 && reg % digit.count)
      return false;
    reg /= digit.count;
  }
  return true;
}

std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d > 1; --d)
    strides[d - 2] = strides[d - 1] * shape[d - 1];
  return strides;
}

int64_t elementCount(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

} // namespace girih::layout
