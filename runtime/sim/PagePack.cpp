//===- PagePack.cpp - shadow pages in little space ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most pages are touched by whole warps, once: inputs that all blocks read,
// outputs that are written and left alone. Their cells are runs of lanes.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Shadow.h"

namespace girih::sim {

std::atomic<int64_t> GlobalShadow::openPages{0};
std::atomic<int64_t> GlobalShadow::mostOpenPages{4096};

namespace {

constexpr uint8_t kStays = 31;
/// More runs would not save much.
constexpr size_t kMostRuns = GlobalShadow::kCells / 16;

constexpr std::array<Ref Cell::*, 3> kFields = {&Cell::write, &Cell::first,
                                                &Cell::second};

Ref predict(Ref start, uint8_t shift, uint32_t distance) {
  return start ? start + (distance >> shift) : 0;
}

/// How long a field stays the same tells how it goes on.
uint8_t shiftOf(const GlobalShadow::Cells &cells, uint32_t begin,
                Ref Cell::*field) {
  uint32_t same = 1;
  while (same < 16 && begin + same < cells.size() &&
         cells[begin + same].*field == cells[begin].*field)
    ++same;
  return same == 16 ? kStays : uint8_t(31 - __builtin_clz(same));
}

CellRun findRun(const GlobalShadow::Cells &cells, uint32_t begin) {
  CellRun run;
  run.start = cells[begin];
  for (unsigned i = 0; i < kFields.size(); ++i)
    run.shifts[i] = shiftOf(cells, begin, kFields[i]);
  uint32_t end = begin + 1;
  for (; end < cells.size(); ++end) {
    bool matches = cells[end].flags == run.start.flags;
    for (unsigned i = 0; i < kFields.size(); ++i)
      matches &= cells[end].*kFields[i] ==
                 predict(run.start.*kFields[i], run.shifts[i], end - begin);
    if (!matches)
      break;
  }
  run.count = uint16_t(end - begin);
  return run;
}

} // namespace

void GlobalShadow::Page::clear() {
  if (cells)
    --openPages;
  cells.reset();
  packed = {};
  sets.clear();
  seen = 0;
  wasUnpacked = false;
  for (std::atomic<uint32_t> &word : saturated)
    word.store(0, std::memory_order_relaxed);
}

GlobalShadow::Cells &GlobalShadow::Page::open() {
  if (cells)
    return *cells;
  ++openPages;
  cells = std::make_unique<Cells>();
  uint32_t at = 0;
  for (const CellRun &run : packed)
    for (uint32_t i = 0; i < run.count; ++i, ++at) {
      (*cells)[at] = run.start;
      for (unsigned field = 0; field < kFields.size(); ++field)
        (*cells)[at].*kFields[field] =
            predict(run.start.*kFields[field], run.shifts[field], i);
    }
  wasUnpacked = !packed.empty();
  packed = {};
  return *cells;
}

void GlobalShadow::Page::close(uint32_t touched) {
  seen += touched;
  if (seen < kCells || openPages.load(std::memory_order_relaxed) <
                           mostOpenPages.load(std::memory_order_relaxed))
    return;
  seen = 0;
  if (!pack())
    packed = {};
}

bool GlobalShadow::Page::pack() {
  bool isDone = true;
  for (const std::atomic<uint32_t> &word : saturated)
    isDone &= word.load(std::memory_order_relaxed) == ~uint32_t(0);
  if (wasUnpacked && !isDone)
    return false;
  for (const Cell &cell : *cells)
    if ((!cell.write && !cell.first) || cell.first & Cell::kMany ||
        cell.flags & ~Cell::kInitialized)
      return false;
  for (uint32_t at = 0; at < kCells; at += packed.back().count) {
    if (packed.size() == kMostRuns)
      return false;
    packed.push_back(findRun(*cells, at));
  }
  packed.shrink_to_fit();
  cells.reset();
  --openPages;
  return true;
}

} // namespace girih::sim
