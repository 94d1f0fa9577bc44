//===- Overlap.cpp - do strided views share memory? -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Overlap.h"

#include <algorithm>

using namespace girih;
using namespace girih::rt;

namespace {
struct Step {
  uint64_t bytes;
  uint64_t extent;
};

/// The bytes of a view as base + sums of non-negative steps.
struct Lattice {
  uint64_t base = 0;
  uint64_t elementBytes = 0;
  std::vector<Step> steps;
};
} // namespace

static Lattice latticeOf(const Tensor &tensor, const ByteRange &range) {
  Lattice lattice;
  lattice.base = range.begin;
  lattice.elementBytes = artifact::bytesOf(tensor.type);
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    int64_t stride = tensor.strides[dim];
    if (tensor.shape[dim] > 1 && stride != 0)
      lattice.steps.push_back(
          {uint64_t(stride < 0 ? -stride : stride) * lattice.elementBytes,
           uint64_t(tensor.shape[dim])});
  }
  return lattice;
}

/// How many bytes one period of length `period` holds, from the first: steps
/// that are multiples of the period do not move within it.
static uint64_t widthWithin(const Lattice &lattice, uint64_t period) {
  uint64_t width = lattice.elementBytes;
  for (const Step &step : lattice.steps)
    if (step.bytes % period != 0)
      width += step.bytes * (step.extent - 1);
  return width;
}

static bool disjointModulo(const Lattice &a, const Lattice &b,
                           uint64_t period) {
  uint64_t widthA = widthWithin(a, period), widthB = widthWithin(b, period);
  if (widthA > period || widthB > period - widthA)
    return false;
  // Where b starts, counted from a's start, around the period.
  uint64_t distance = b.base >= a.base
                          ? (b.base - a.base) % period
                          : (period - (a.base - b.base) % period) % period;
  return distance >= widthA && distance + widthB <= period;
}

bool rt::mayOverlap(const Tensor &a, const Tensor &b) {
  Result<ByteRange> rangeA = byteRange(a), rangeB = byteRange(b);
  if (!rangeA || !rangeB)
    return true;
  if (rangeA->empty() || rangeB->empty() || rangeA->end <= rangeB->begin ||
      rangeB->end <= rangeA->begin)
    return false;
  Lattice latticeA = latticeOf(a, *rangeA), latticeB = latticeOf(b, *rangeB);
  for (const Lattice *lattice : {&latticeA, &latticeB})
    for (const Step &step : lattice->steps)
      if (disjointModulo(latticeA, latticeB, step.bytes))
        return false;
  return true;
}

bool rt::hasDistinctElements(const Tensor &tensor) {
  std::vector<std::pair<uint64_t, uint64_t>> dims; // stride, extent - 1
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    if (tensor.shape[dim] == 0)
      return true;
    int64_t stride = tensor.strides[dim];
    if (tensor.shape[dim] > 1)
      dims.push_back({uint64_t(stride < 0 ? -stride : stride),
                      uint64_t(tensor.shape[dim] - 1)});
  }
  std::sort(dims.begin(), dims.end());
  uint64_t reach = 0;
  for (const auto &[stride, steps] : dims) {
    if (stride <= reach)
      return false;
    reach += stride * steps;
  }
  return true;
}
