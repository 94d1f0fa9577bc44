//===- Runners.h - the two machines that run a kernel ---------- -*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_SIM_SILICON_RUNNERS_H
#define GIRIH_TEST_GPU_SIM_SILICON_RUNNERS_H

#include "runtime/CudaContext.h"
#include "test/gpu/sim_silicon/Program.h"

#include <atomic>
#include <functional>
#include <memory>

namespace girih::silicon {

/// What came of a program: its buffer `out`, or why there is none.
struct Ran {
  std::vector<uint8_t> out;
  std::string failure;
};

/// Runs programs of one module on the simulator, each launch on `threads`
/// threads of the host; `checks`: looks for races and the like.
std::vector<Ran> simulate(const std::vector<const Program *> &programs,
                          unsigned threads, bool checks);

/// The GPU. Modules may be loaded from several threads.
class Silicon {
public:
  /// Fails where there is no driver or no GPU.
  static Result<std::unique_ptr<Silicon>> open();
  ~Silicon();
  std::string description() const;

  struct Module {
    rt::cuda::CUmodule handle = nullptr;
    std::string failure; ///< with the assembler's log
  };
  Module load(const std::string &ptx);
  void unload(Module &module);
  Ran run(const Module &module, const Program &program);
  /// False after an error that stays with the context.
  bool isUsable();

private:
  Silicon() = default;
  Status reserve(size_t inBytes, size_t outBytes);
  Status launch(const Module &module, const Program &program,
                std::vector<uint8_t> &out);

  std::shared_ptr<rt::cuda::Context> context;
  rt::cuda::CUdeviceptr in = 0, out = 0;
  size_t inCapacity = 0, outCapacity = 0;
};

/// f(0) .. f(count - 1), on all processors.
void parallelFor(size_t count, const std::function<void(size_t)> &f);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_SIM_SILICON_RUNNERS_H
