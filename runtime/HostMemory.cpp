//===- HostMemory.cpp - a device whose memory is the host's ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/HostMemory.h"

#include "runtime/Text.h"

#include <chrono>
#include <cstring>
#include <new>

using namespace girih;
using namespace girih::rt;

static constexpr std::align_val_t kAlignment{256}; // as cuMemAlloc does

std::optional<target::GpuTarget> HostMemoryDevice::target() const {
  return std::nullopt;
}

Result<Buffer> HostMemoryDevice::allocate(uint64_t bytes) {
  void *memory = nullptr;
  if (bytes <= uint64_t(INT64_MAX))
    memory = ::operator new(bytes ? bytes : 1, kAlignment, std::nothrow);
  if (!memory)
    return Failure{"not enough host memory for a buffer of " +
                   printBytes(bytes)};
  return Buffer(memory, bytes,
                [](void *address) { ::operator delete(address, kAlignment); });
}

Status HostMemoryDevice::copyIn(void *destination, const void *hostSource,
                                uint64_t bytes) {
  if (bytes)
    std::memcpy(destination, hostSource, bytes);
  return {};
}

Status HostMemoryDevice::copyOut(void *hostDestination, const void *source,
                                 uint64_t bytes) {
  return copyIn(hostDestination, source, bytes);
}

Status HostMemoryDevice::fill(void *destination, uint8_t byte, uint64_t bytes) {
  if (bytes)
    std::memset(destination, byte, bytes);
  return {};
}

Status HostMemoryDevice::synchronize() { return {}; }

namespace {
class SteadyStopwatch : public Stopwatch {
  using Clock = std::chrono::steady_clock;

public:
  Status start() override {
    begin = Clock::now();
    return {};
  }
  Status stop() override {
    end = Clock::now();
    return {};
  }
  Result<double> microseconds() override {
    return std::chrono::duration<double, std::micro>(end - begin).count();
  }

private:
  Clock::time_point begin, end;
};
} // namespace

std::unique_ptr<Stopwatch> rt::makeSteadyStopwatch() {
  return std::make_unique<SteadyStopwatch>();
}

Result<std::unique_ptr<Stopwatch>> HostMemoryDevice::createStopwatch() {
  return makeSteadyStopwatch();
}
