//===- Memory.cpp - the simulated card's global memory --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Memory.h"
#include "runtime/sim/Naming.h"
#include "runtime/sim/Shadow.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace girih::sim {

GlobalBuffer::GlobalBuffer() = default;
GlobalBuffer::~GlobalBuffer() = default;
GlobalMemory::GlobalMemory() { buffers.resize(1); }
GlobalMemory::~GlobalMemory() = default;

namespace {

constexpr uint64_t kMaximalBytes = uint64_t(1) << (kBufferShift - 1);
/// What memory holds that nobody has written: NaN in every format.
constexpr uint8_t kJunk = 0xff;

uint64_t wordsOf(uint64_t bytes) { return (bytes + 63) / 64; }

/// Bits [begin, end) of the bitmap.
template <typename F>
void forWords(std::atomic<uint64_t> *bitmap, uint64_t begin, uint64_t end,
              F &&change) {
  while (begin < end) {
    unsigned shift = begin % 64;
    uint64_t count = std::min<uint64_t>(64 - shift, end - begin);
    uint64_t mask = (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1)
                    << shift;
    change(bitmap[begin / 64], mask);
    begin += count;
  }
}

/// The bitmap is dropped once it says nothing any more.
void markWritten(GlobalBuffer &buffer, uint64_t offset, uint64_t bytes) {
  if (!buffer.initialized)
    return;
  if (offset == 0 && bytes == buffer.bytes) {
    buffer.initialized.reset();
    return;
  }
  forWords(buffer.initialized.get(), offset, offset + bytes,
           [](std::atomic<uint64_t> &word, uint64_t mask) {
             word.fetch_or(mask, std::memory_order_relaxed);
           });
}

Status refuse(GlobalMemory &memory, uint64_t address, uint64_t bytes) {
  return Failure{
      "a range of " + countBytes(bytes) + " at " + toHex(address) +
      " does not lie within one buffer: " + describeAddress(memory, address)};
}

/// The buffer that the whole range lies in.
GlobalBuffer *rangeIn(GlobalMemory &memory, uint64_t address, uint64_t bytes) {
  GlobalBuffer *buffer = memory.find(address);
  if (!buffer)
    return nullptr;
  uint64_t offset = address - buffer->address;
  return offset <= buffer->bytes && bytes <= buffer->bytes - offset ? buffer
                                                                    : nullptr;
}

} // namespace

Result<uint64_t> GlobalMemory::allocate(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto buffer = std::make_unique<GlobalBuffer>();
  uint64_t words = wordsOf(bytes);
  if (bytes <= kMaximalBytes) {
    buffer->data.reset(new (std::nothrow)
                           uint8_t[std::max<uint64_t>(bytes, 1)]);
    if (words)
      buffer->initialized.reset(new (std::nothrow)
                                    std::atomic<uint64_t>[words]());
  }
  if (!buffer->data || (words && !buffer->initialized))
    return Failure{"out of memory: " + std::to_string(bytes) +
                   " bytes for a simulated buffer"};
  std::memset(buffer->data.get(), kJunk, bytes);
  buffer->bytes = bytes;
  uint32_t number = uint32_t(buffers.size());
  if (freeNumbers.empty()) {
    if (number >= uint32_t(1) << (64 - kBufferShift))
      return Failure{"out of addresses: too many simulated buffers"};
    buffers.emplace_back();
  } else {
    number = freeNumbers.back();
    freeNumbers.pop_back();
  }
  buffer->address = uint64_t(number) << kBufferShift;
  buffers[number] = std::move(buffer);
  return uint64_t(number) << kBufferShift;
}

void GlobalMemory::release(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t number = address >> kBufferShift;
  if (number >= buffers.size() || !buffers[number] ||
      buffers[number]->address != address)
    return;
  buffers[number].reset();
  freeNumbers.push_back(uint32_t(number));
}

GlobalBuffer *GlobalMemory::find(uint64_t address) {
  // No lock: nothing is allocated while a kernel runs.
  uint64_t number = address >> kBufferShift;
  return number < buffers.size() ? buffers[number].get() : nullptr;
}

Status GlobalMemory::write(uint64_t address, const void *source,
                           uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  GlobalBuffer *buffer = rangeIn(*this, address, bytes);
  if (!buffer)
    return refuse(*this, address, bytes);
  if (bytes)
    std::memcpy(buffer->data.get() + (address - buffer->address), source,
                bytes);
  markWritten(*buffer, address - buffer->address, bytes);
  return {};
}

Status GlobalMemory::read(void *destination, uint64_t address, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  GlobalBuffer *buffer = rangeIn(*this, address, bytes);
  if (!buffer)
    return refuse(*this, address, bytes);
  if (bytes)
    std::memcpy(destination, buffer->data.get() + (address - buffer->address),
                bytes);
  return {};
}

Status GlobalMemory::fill(uint64_t address, uint8_t byte, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  GlobalBuffer *buffer = rangeIn(*this, address, bytes);
  if (!buffer)
    return refuse(*this, address, bytes);
  std::memset(buffer->data.get() + (address - buffer->address), byte, bytes);
  markWritten(*buffer, address - buffer->address, bytes);
  return {};
}

Status GlobalMemory::poison(uint64_t address, uint8_t byte, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  GlobalBuffer *buffer = rangeIn(*this, address, bytes);
  if (!buffer)
    return refuse(*this, address, bytes);
  uint64_t offset = address - buffer->address;
  std::memset(buffer->data.get() + offset, byte, bytes);
  uint64_t words = wordsOf(buffer->bytes);
  if (!buffer->initialized && bytes) {
    buffer->initialized.reset(new std::atomic<uint64_t>[words]());
    forWords(buffer->initialized.get(), 0, buffer->bytes,
             [](std::atomic<uint64_t> &word, uint64_t mask) {
               word.fetch_or(mask, std::memory_order_relaxed);
             });
  }
  forWords(buffer->initialized.get(), offset, offset + bytes,
           [](std::atomic<uint64_t> &word, uint64_t mask) {
             word.fetch_and(~mask, std::memory_order_relaxed);
           });
  return {};
}

void GlobalMemory::dropShadows() {
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::unique_ptr<GlobalBuffer> &buffer : buffers)
    if (buffer)
      buffer->shadow.reset();
}

void GlobalMemory::makeShadows(unsigned granule) {
  std::lock_guard<std::mutex> lock(mutex);
  unsigned shift = unsigned(__builtin_ctz(granule));
  for (const std::unique_ptr<GlobalBuffer> &buffer : buffers)
    if (buffer && !buffer->isConstant &&
        (!buffer->shadow || buffer->shadow->shift != shift))
      buffer->shadow = std::make_unique<GlobalShadow>(buffer->bytes, granule);
}

} // namespace girih::sim
