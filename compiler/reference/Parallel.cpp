//===- Parallel.cpp - loops over the host's threads -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

using namespace girih;

reference::DefaultFloatEnvironment::DefaultFloatEnvironment() {
  std::fegetenv(&saved);
  std::fesetenv(FE_DFL_ENV);
}

reference::DefaultFloatEnvironment::~DefaultFloatEnvironment() {
  std::fesetenv(&saved);
}

unsigned reference::threadCount(unsigned wanted) {
  return wanted != 0 ? wanted
                     : std::max(1u, std::thread::hardware_concurrency());
}

void reference::parallelFor(
    int64_t items, unsigned threads,
    const std::function<void(unsigned, int64_t, int64_t)> &body,
    const std::function<void(double)> &progress) {
  // Some chunks for each thread even out their speeds and give progress steps.
  constexpr int64_t kChunksPerThread = 16;
  threads = static_cast<unsigned>(
      std::clamp<int64_t>(items, 1, threadCount(threads)));
  int64_t chunk = std::max<int64_t>(1, items / (kChunksPerThread * threads));
  std::atomic<int64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex lock;
  std::exception_ptr thrown;
  auto work = [&](unsigned worker) {
    DefaultFloatEnvironment environment;
    try {
      while (!stop.load(std::memory_order_relaxed)) {
        int64_t begin = next.fetch_add(chunk);
        if (begin >= items)
          return;
        int64_t end = std::min(items, begin + chunk);
        body(worker, begin, end);
        if (worker == 0 && progress)
          progress(static_cast<double>(std::min(items, next.load())) /
                   static_cast<double>(items));
      }
    } catch (...) {
      std::lock_guard<std::mutex> guard(lock);
      if (!thrown)
        thrown = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::thread> helpers;
  try {
    for (unsigned worker = 1; worker < threads; ++worker)
      helpers.emplace_back(work, worker);
  } catch (const std::system_error &) {
    // No more threads to be had: those that started, and this one, do it all.
  }
  work(0);
  for (std::thread &helper : helpers)
    helper.join();
  if (thrown)
    std::rethrow_exception(thrown);
}
