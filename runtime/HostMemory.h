//===- HostMemory.h - a device whose memory is the host's -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_HOSTMEMORY_H
#define GIRIH_RUNTIME_HOSTMEMORY_H

#include "runtime/Device.h"

namespace girih::rt {

/// The memory and the clock of devices that compute on the CPU, at once and
/// without streams. What loads and runs artifacts derives from it.
class HostMemoryDevice : public Device {
public:
  std::optional<target::GpuTarget> target() const override;
  Result<Buffer> allocate(uint64_t bytes) override;
  Status copyIn(void *destination, const void *hostSource,
                uint64_t bytes) override;
  Status copyOut(void *hostDestination, const void *source,
                 uint64_t bytes) override;
  Status fill(void *destination, uint8_t byte, uint64_t bytes) override;
  Status synchronize() override;
  /// A steady clock.
  Result<std::unique_ptr<Stopwatch>> createStopwatch() override;
};

/// A stopwatch that reads a steady clock, for devices whose work is done when
/// the call returns.
std::unique_ptr<Stopwatch> makeSteadyStopwatch();

} // namespace girih::rt

#endif // GIRIH_RUNTIME_HOSTMEMORY_H
