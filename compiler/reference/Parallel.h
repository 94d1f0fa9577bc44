//===- Parallel.h - loops over the host's threads ---------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_PARALLEL_H
#define GIRIH_COMPILER_REFERENCE_PARALLEL_H

#include <cfenv>
#include <cstdint>
#include <functional>

namespace girih::reference {

/// The default floating-point environment for as long as it lives: to nearest,
/// denormals kept, nothing trapped. A program that embeds the compiler may have
/// set another one.
class DefaultFloatEnvironment {
public:
  DefaultFloatEnvironment();
  ~DefaultFloatEnvironment();
  DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;
  DefaultFloatEnvironment &operator=(const DefaultFloatEnvironment &) = delete;

private:
  std::fenv_t saved;
};

/// 0 becomes the number of hardware threads.
unsigned threadCount(unsigned wanted);

/// Calls body(worker, begin, end) until [0, items) is done, in chunks that
/// `threads` workers take in turn; worker 0 is the calling thread and calls
/// progress(fraction) after each of its chunks. The first exception of a worker
/// is thrown again here once all have stopped.
void parallelFor(int64_t items, unsigned threads,
                 const std::function<void(unsigned, int64_t, int64_t)> &body,
                 const std::function<void(double)> &progress = nullptr);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_PARALLEL_H
