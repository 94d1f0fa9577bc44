//===- CudaDriver.h - the CUDA driver, loaded at run time -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_CUDADRIVER_H
#define GIRIH_RUNTIME_CUDADRIVER_H

#include "compiler/artifact/Result.h"
#include "runtime/CudaDriverApi.h"

#include <memory>

namespace girih::rt::cuda {

/// The functions of one driver library, initialised. Immutable; shared by all
/// that was made with it. The library is never unloaded: drivers do not
/// survive that.
class Driver {
public:
  /// Loads `libraryPath` (normally `libcuda.so.1`) and calls cuInit. A failure
  /// says what to do instead.
  static Result<std::shared_ptr<const Driver>>
  open(const std::string &libraryPath);

  const DriverFunctions *operator->() const { return &functions; }

  /// `CUDA_ERROR_OUT_OF_MEMORY (out of memory)`
  std::string describe(CUresult result) const;
  /// Success, or `cuMemAlloc failed: ...`.
  Status check(CUresult result, const std::string &call) const;
  /// The newest CUDA release that the driver supports, as "13.0".
  std::string version() const;

private:
  DriverFunctions functions;
};

} // namespace girih::rt::cuda

#endif // GIRIH_RUNTIME_CUDADRIVER_H
