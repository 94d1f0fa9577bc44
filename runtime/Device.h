//===- Device.h - what can load an artifact and run it ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_DEVICE_H
#define GIRIH_RUNTIME_DEVICE_H

#include "compiler/target/GpuTarget.h"
#include "runtime/Tensor.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace girih::rt {

/// Device memory, freed when the Buffer dies. It keeps what it needs of its
/// device alive, so the order of destruction does not matter.
class Buffer {
public:
  using Release = std::function<void(void *)>;
  Buffer() = default;
  Buffer(void *memory, uint64_t size, Release release)
      : memory(memory, std::move(release)), size(size) {}
  void *data() const { return memory.get(); }
  uint64_t bytes() const { return size; }

private:
  std::unique_ptr<void, Release> memory{nullptr, [](void *) {}};
  uint64_t size = 0;
};

struct RunOptions {
  /// A stream of the device (cuda: CUstream; null is the legacy default
  /// stream). Without one, work goes to the device's own stream.
  std::optional<void *> stream;
  /// Wait until the outputs are written, and report faults of the kernels.
  bool synchronize = false;
  /// Threads for devices that compute on the CPU; 0: all of the host's.
  unsigned threads = 0;
  /// For devices that compute on the CPU: called from the calling thread with
  /// the fraction done (0..1).
  std::function<void(double)> progress;
  /// Asked now and then by devices that can stop early; true ends the run with
  /// a failure.
  std::function<bool()> cancelled;
};

/// What the device says about one loaded kernel.
struct KernelInfo {
  std::string variant;
  std::string kernel;
  unsigned threads = 0;            ///< of its launch
  unsigned registers = 0;          ///< per thread
  unsigned localBytes = 0;         ///< per thread; above 0: spills or stack
  unsigned staticSharedBytes = 0;  ///< per block
  unsigned dynamicSharedBytes = 0; ///< per block
  unsigned maxThreads = 0;         ///< per block, given its registers
};

/// An artifact made ready on a device. It copies what it needs, so the
/// artifact may die first.
class Executable {
public:
  virtual ~Executable() = default;
  virtual const artifact::Artifact &artifact() const = 0;
  /// Checks `params` (inputs, then outputs) against the signature, picks the
  /// first variant whose guards hold and runs it. May be called from several
  /// threads at once.
  virtual Status run(const std::vector<Tensor> &params,
                     const RunOptions &options) = 0;
  /// Empty where the device has no notion of kernels.
  virtual std::vector<KernelInfo> kernels() const { return {}; }
  /// What the device's own compiler remarked while loading.
  virtual std::string loadLog() const { return ""; }
  /// What the device counted in the run before (bytes, sectors, conflicts), as
  /// text or as a JSON array; empty where it counts nothing.
  virtual std::string counters(bool /*json*/) const { return ""; }
};

/// Measures time on the device's own stream.
class Stopwatch {
public:
  virtual ~Stopwatch() = default;
  virtual Status start() = 0;
  virtual Status stop() = 0;
  /// Waits for the stop and returns the time since the start.
  virtual Result<double> microseconds() = 0;
};

/// Work of one device is ordered as it was asked for, on the device's own
/// stream; work on a stream of the caller's is ordered by the caller.
class Device {
public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;        ///< "cuda" "host" "sim"
  virtual std::string description() const = 0; ///< product, driver, threads
  /// What to compile for; empty for devices that run no PTX.
  virtual std::optional<target::GpuTarget> target() const = 0;
  virtual Result<std::unique_ptr<Executable>>
  load(const artifact::Artifact &artifact) = 0;

  /// Uninitialised memory, aligned to at least 64 bytes.
  virtual Result<Buffer> allocate(uint64_t bytes) = 0;
  /// Host to device; returns when the host memory may be reused.
  virtual Status copyIn(void *destination, const void *hostSource,
                        uint64_t bytes) = 0;
  /// Device to host, after all work on the device's own stream.
  virtual Status copyOut(void *hostDestination, const void *source,
                         uint64_t bytes) = 0;
  /// Sets every byte; may return before it is done.
  virtual Status fill(void *destination, uint8_t byte, uint64_t bytes) = 0;
  /// Fills with kPoisonByte what no one has written yet; a device that checks
  /// reports reads of it.
  virtual Status poison(void *destination, uint64_t bytes);
  /// Waits for the device's own stream and reports its faults.
  virtual Status synchronize() = 0;
  virtual Result<std::unique_ptr<Stopwatch>> createStopwatch() = 0;
};

/// Memory filled with this byte reads as NaN in every float type, so that an
/// element which no kernel wrote shows.
constexpr uint8_t kPoisonByte = 0xff;
/// The same for any type: integers have no NaN, but hardly a program gives this
/// number; no bool is stored so.
constexpr uint8_t poisonByteOf(artifact::ScalarType type) {
  return artifact::isFloat(type) ? kPoisonByte : 0xa5;
}

inline Status Device::poison(void *destination, uint64_t bytes) {
  return fill(destination, kPoisonByte, bytes);
}

} // namespace girih::rt

#endif // GIRIH_RUNTIME_DEVICE_H
