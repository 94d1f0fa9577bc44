//===- Exchange.cpp - how threads exchange values -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/layout/Exchange.h"

#include "compiler/layout/Runs.h"

#include <algorithm>
#include <bit>

namespace girih::layout {

static constexpr unsigned kLaneBits = 5;

/// The thread-number bit that is this bit of the cell's number.
static std::optional<unsigned> threadBitOf(const Layout &cells,
                                           int64_t cellStride) {
  int64_t divisor = 1;
  for (const Digit &digit : cells.threads) {
    if (digit.dim == static_cast<int>(cells.rank()) - 1 &&
        digit.stride <= cellStride && cellStride < digit.stride * digit.count) {
      if (!std::has_single_bit(static_cast<uint64_t>(divisor)))
        return std::nullopt;
      return std::countr_zero(static_cast<uint64_t>(divisor)) +
             std::countr_zero(static_cast<uint64_t>(cellStride / digit.stride));
    }
    divisor *= digit.count;
  }
  return std::nullopt;
}

static bool isRegisterBit(const Layout &cells, int64_t cellStride) {
  return std::any_of(cells.registers.begin(), cells.registers.end(),
                     [&](const Digit &digit) {
                       return digit.dim == static_cast<int>(cells.rank()) - 1 &&
                              digit.stride <= cellStride &&
                              cellStride < digit.stride * digit.count;
                     });
}

std::optional<std::vector<MergeStep>> mergeSteps(const Layout &cells,
                                                 BitOrder order) {
  const int64_t count = cells.shape.back();
  if (!std::has_single_bit(static_cast<uint64_t>(count)))
    return std::nullopt;
  std::vector<int64_t> strides;
  for (int64_t stride = 1; stride < count; stride *= 2)
    strides.push_back(stride);
  if (order == BitOrder::HighestFirst)
    std::reverse(strides.begin(), strides.end());
  // A shuffle names all 32 lanes, so every warp must have them.
  const bool wholeWarps = cells.threadCount() % (1 << kLaneBits) == 0;
  std::vector<MergeStep> steps;
  for (int64_t stride : strides) {
    if (isRegisterBit(cells, stride)) {
      steps.push_back({MergeStep::Kind::Register, stride, 0, {}});
      continue;
    }
    std::optional<unsigned> bit = threadBitOf(cells, stride);
    if (!bit)
      return std::nullopt;
    if (*bit < kLaneBits && wholeWarps) {
      steps.push_back({MergeStep::Kind::Shuffle, 0, 1u << *bit, {}});
      continue;
    }
    if (steps.empty() || steps.back().kind != MergeStep::Kind::Exchange)
      steps.push_back({MergeStep::Kind::Exchange, 0, 0, {}});
    steps.back().threadBits.push_back(*bit);
  }
  return steps;
}

std::vector<MergedRegister> mergedRegisters(const Layout &cells) {
  const int last = static_cast<int>(cells.rank()) - 1;
  std::vector<MergedRegister> merged;
  for (int64_t reg = 0, count = cells.registerCount(); reg < count; ++reg) {
    MergedRegister &to = merged.emplace_back();
    int64_t rest = reg, place = 1;
    for (const Digit &digit : cells.registers) {
      const int64_t value = rest % digit.count;
      rest /= digit.count;
      if (digit.dim == last) {
        to.cell += value * digit.stride;
      } else {
        to.result += value * place;
        place *= digit.count;
      }
    }
  }
  return merged;
}

int64_t mergeScratchElements(const Layout &cells, BitOrder order) {
  if (std::optional<std::vector<MergeStep>> steps = mergeSteps(cells, order)) {
    int64_t live = cells.registerCount(), most = 0;
    for (const MergeStep &step : *steps) {
      if (step.kind == MergeStep::Kind::Register)
        live /= 2;
      if (step.kind == MergeStep::Kind::Exchange)
        most = std::max(most, live * cells.threadCount());
    }
    return most;
  }
  if (cells.threadTerms(cells.rank() - 1).empty())
    return 0;
  return elementCount(cells.shape);
}

std::vector<int64_t> readStrides(const std::vector<int64_t> &strides,
                                 unsigned resultRank,
                                 const std::vector<unsigned> &dims) {
  std::vector<int64_t> result(resultRank, 0);
  for (size_t d = 0; d < dims.size(); ++d)
    result[dims[d]] = strides[d];
  return result;
}

/// Wavefronts of one warp that moves `layout` at `strides`. All of its accesses
/// meet the banks alike, as registers only shift their addresses.
static int64_t wavefronts(const Layout &layout,
                          const std::vector<int64_t> &strides,
                          unsigned elementBytes) {
  std::vector<int64_t> offsets;
  for (const std::vector<int64_t> &parts : registerParts(layout, strides, 1))
    offsets.push_back(parts[0]);
  const std::vector<Run> runs =
      coverByRuns(offsets, threadGranule(layout, strides), 16 / elementBytes);
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < std::min<int64_t>(32, layout.threadCount());
       ++lane) {
    const std::vector<int64_t> at = layout.at(0, lane);
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d)
      offset += at[d] * strides[d];
    addresses.push_back(offset * elementBytes);
  }
  return runs.size() *
         sharedWavefronts(addresses, runs.front().width * elementBytes);
}

ConvertPlan planConvert(const Layout &from, const Layout &to,
                        const std::vector<unsigned> &dims,
                        unsigned elementBytes) {
  ConvertPlan plan;
  if (to.registerMapFrom(from, dims)) {
    plan.inRegisters = true;
    return plan;
  }
  // A word apart moves each row to the next bank; 16 bytes keep vectors whole.
  std::vector<int64_t> paddings{0};
  if (from.rank() > 1)
    for (unsigned bytes : {4u, 8u, 16u})
      if (bytes >= elementBytes)
        paddings.push_back(bytes / elementBytes);
  int64_t best = 0;
  for (int64_t padding : paddings) {
    std::vector<int64_t> padded = from.shape;
    if (!padded.empty())
      padded.back() += padding;
    const std::vector<int64_t> strides = denseStrides(padded);
    const int64_t cost =
        wavefronts(from, strides, elementBytes) +
        wavefronts(to, readStrides(strides, to.rank(), dims), elementBytes);
    if (!plan.strides.empty() && cost >= best)
      continue;
    best = cost;
    plan.strides = strides;
    plan.scratchElements = elementCount(padded);
    if (strides.empty())
      break;
  }
  return plan;
}

} // namespace girih::layout
