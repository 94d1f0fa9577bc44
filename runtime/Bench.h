//===- Bench.h - how long an executable runs --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_BENCH_H
#define GIRIH_RUNTIME_BENCH_H

#include "runtime/Device.h"

namespace girih::rt {

struct BenchOptions {
  unsigned warmup = 3;
  unsigned repetitions = 20;
  /// Bytes overwritten before each repetition, outside the measured time, so
  /// that no repetition finds its data in the cache. 0: no flush. Without a
  /// value: twice the L2 of the device's target, or 256 MiB if it has none.
  std::optional<uint64_t> flushBytes;
  /// Handed to every run, except its stream: runs are timed on the device's
  /// own.
  RunOptions run;
  /// Called with the fraction done (0..1); may be empty.
  std::function<void(double)> progress;
};

struct BenchResult {
  std::vector<double> microseconds; ///< one a repetition, in order
  double median = 0; ///< the mean of the two middle ones for an even number
  double min = 0;
  double max = 0;
};

/// Runs an executable of the device warmup + repetitions times on the same
/// tensors.
Result<BenchResult> bench(Device &device, Executable &executable,
                          const std::vector<Tensor> &params,
                          const BenchOptions &options);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_BENCH_H
