//===- Shadow.cpp - what is kept about memory -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Shadow.h"

#include <algorithm>

namespace girih::sim {

//===----------------------------------------------------------------------===//
// RecordTable

std::atomic<uint32_t> RecordTable::most{kSegment * kSegments};

RecordTable::RecordTable()
    : segments(std::make_unique<std::atomic<Record *>[]>(kSegments)) {}

RecordTable::~RecordTable() {
  for (uint32_t i = 0; i < kSegments; ++i)
    delete[] segments[i].load();
}

bool RecordTable::refill(Run &run) {
  std::lock_guard<std::mutex> lock(mutex);
  uint32_t first = nextRun;
  if (!freeRuns.empty()) {
    first = freeRuns.back();
    freeRuns.pop_back();
  } else {
    if (nextRun + kRun > most)
      return false;
    nextRun += kRun;
  }
  std::atomic<Record *> &segment = segments[first / kSegment];
  if (!segment.load())
    segment.store(new Record[kSegment]);
  run = {first, first + kRun};
  return true;
}

uint32_t RecordTable::add(Run &run, const Record &record,
                          std::vector<uint32_t> *taken) {
  if (run.next == run.end) {
    if (!refill(run))
      return 0;
    if (taken)
      taken->push_back(run.next);
  }
  uint32_t number = run.next++;
  segments[number / kSegment].load(
      std::memory_order_relaxed)[number % kSegment] = record;
  return number;
}

void RecordTable::giveBack(const std::vector<uint32_t> &runs) {
  std::lock_guard<std::mutex> lock(mutex);
  freeRuns.insert(freeRuns.end(), runs.begin(), runs.end());
}

//===----------------------------------------------------------------------===//
// Sets and shadows

uint32_t EntrySets::take() {
  if (spare.empty()) {
    sets.emplace_back();
    return uint32_t(sets.size() - 1);
  }
  uint32_t number = spare.back();
  spare.pop_back();
  sets[number].clear();
  return number;
}

void EntrySets::clear() {
  spare.resize(sets.size());
  for (uint32_t i = 0; i < spare.size(); ++i)
    spare[i] = uint32_t(spare.size()) - 1 - i;
}

void SharedShadow::begin(uint64_t bytes, unsigned granule) {
  shift = unsigned(__builtin_ctz(granule));
  size_t count = (bytes + granule - 1) >> shift;
  if (++epoch == 0) { // cells of the first epochs would look alive
    cells.clear();
    epoch = 1;
  }
  if (cells.size() < count)
    cells.resize(count);
  sets.clear();
}

bool SharedShadow::isPending(const RecordTable &records, const Cell &cell) {
  if (cell.flags & Cell::kBusy)
    return true;
  if (!(cell.flags & Cell::kMixed))
    return false;
  if (!(cell.first & Cell::kMany))
    return (cell.first && records[recordOf(cell.first)].pending) ||
           (cell.second && records[recordOf(cell.second)].pending);
  for (const Entry &entry : sets[cell.first & ~Cell::kMany])
    if (records[entry.record].pending)
      return true;
  return false;
}

bool SharedShadow::forget(const RecordTable &records) {
  for (const Cell &cell : cells)
    if (cell.epoch == epoch && isPending(records, cell))
      return false;
  for (Cell &cell : cells) {
    cell.write = cell.first = cell.second = 0;
    cell.flags &= uint16_t(~Cell::kMixed);
  }
  sets.clear();
  return true;
}

GlobalShadow::GlobalShadow(uint64_t bytes, unsigned granule)
    : shift(unsigned(__builtin_ctz(granule))),
      count((((bytes + granule - 1) >> shift) + kCells - 1) / kCells),
      pages(std::make_unique<std::atomic<Page *>[]>(count)) {}

GlobalShadow::~GlobalShadow() {
  for (uint64_t i = 0; i < count; ++i)
    delete pages[i].load();
}

void GlobalShadow::renew(Page &page, uint64_t wanted) {
  std::lock_guard<SpinLock> lock(page.lock);
  if (page.serial.load(std::memory_order_relaxed) == wanted)
    return;
  page.clear();
  page.serial.store(wanted, std::memory_order_release);
}

GlobalShadow::Page &GlobalShadow::page(uint64_t number, uint64_t wanted) {
  Page *page = pages[number].load(std::memory_order_acquire);
  if (!page) {
    auto made = std::make_unique<Page>();
    if (pages[number].compare_exchange_strong(page, made.get()))
      page = made.release();
  }
  if (page->serial.load(std::memory_order_acquire) != wanted)
    renew(*page, wanted);
  return *page;
}

} // namespace girih::sim
