//===- Bench.cpp - how long an executable runs ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench.h"

#include <algorithm>

using namespace girih;
using namespace girih::rt;

static constexpr uint64_t kDefaultFlushBytes = 256 * 1024 * 1024;
/// Repetitions queued before waiting: few enough to show progress, enough that
/// the host runs ahead of the device.
static constexpr unsigned kBatch = 32;

static uint64_t flushSize(const Device &device, const BenchOptions &options) {
  if (options.flushBytes)
    return *options.flushBytes;
  std::optional<target::GpuTarget> target = device.target();
  return target && target->l2Bytes ? 2 * target->l2Bytes : kDefaultFlushBytes;
}

namespace {
class Bencher {
public:
  Bencher(Device &device, Executable &executable,
          const std::vector<Tensor> &params, const BenchOptions &options)
      : device(device), executable(executable), params(params),
        options(options), runOptions(options.run) {
    runOptions.stream.reset();
    runOptions.synchronize = false;
    runOptions.progress = nullptr;
  }

  Result<BenchResult> measure() {
    if (options.repetitions == 0)
      return Failure{"a bench needs at least one repetition"};
    if (Status status = prepare(); !status)
      return Failure{status.message()};
    while (result.microseconds.size() < options.repetitions)
      if (Status status = measureBatch(); !status)
        return Failure{status.message()};
    std::vector<double> sorted = result.microseconds;
    std::sort(sorted.begin(), sorted.end());
    size_t middle = sorted.size() / 2;
    result.min = sorted.front();
    result.max = sorted.back();
    result.median = sorted.size() % 2
                        ? sorted[middle]
                        : (sorted[middle - 1] + sorted[middle]) / 2;
    return std::move(result);
  }

private:
  /// Everything that allocates, then the warmup, with faults reported.
  Status prepare() {
    uint64_t bytes = flushSize(device, options);
    if (bytes) {
      Result<Buffer> buffer = device.allocate(bytes);
      if (!buffer)
        return Failure{"no memory to flush the cache with: " +
                       buffer.message()};
      flush = std::move(*buffer);
    }
    for (unsigned i = 0; i < std::min(kBatch, options.repetitions); ++i) {
      Result<std::unique_ptr<Stopwatch>> watch = device.createStopwatch();
      if (!watch)
        return Failure{watch.message()};
      watches.push_back(std::move(*watch));
    }
    for (unsigned i = 0; i < options.warmup; ++i) {
      if (Status status = executable.run(params, runOptions); !status)
        return status;
      report(++done);
    }
    return device.synchronize();
  }

  Status measureBatch() {
    size_t count = std::min(watches.size(),
                            options.repetitions - result.microseconds.size());
    for (size_t i = 0; i < count; ++i) {
      Status status;
      if (flush.data())
        status = device.fill(flush.data(), 0, flush.bytes());
      if (status)
        status = watches[i]->start();
      if (status)
        status = executable.run(params, runOptions);
      if (status)
        status = watches[i]->stop();
      if (!status)
        return status;
    }
    for (size_t i = 0; i < count; ++i) {
      Result<double> time = watches[i]->microseconds();
      if (!time)
        return Failure{time.message()};
      result.microseconds.push_back(*time);
      report(++done);
    }
    return device.synchronize();
  }

  void report(uint64_t runs) {
    if (options.progress)
      options.progress(double(runs) /
                       (uint64_t(options.warmup) + options.repetitions));
  }

  Device &device;
  Executable &executable;
  const std::vector<Tensor> &params;
  const BenchOptions &options;
  RunOptions runOptions;
  Buffer flush;
  std::vector<std::unique_ptr<Stopwatch>> watches;
  uint64_t done = 0;
  BenchResult result;
};
} // namespace

Result<BenchResult> rt::bench(Device &device, Executable &executable,
                              const std::vector<Tensor> &params,
                              const BenchOptions &options) {
  return Bencher(device, executable, params, options).measure();
}
