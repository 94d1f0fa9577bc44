//===- CudaContext.h - one GPU's primary context and own stream --*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_CUDACONTEXT_H
#define GIRIH_RUNTIME_CUDACONTEXT_H

#include "compiler/target/GpuTarget.h"
#include "runtime/CudaDriver.h"

#include <string>
#include <sys/types.h>

namespace girih::rt::cuda {

/// Retains the primary context, the one that other CUDA libraries of the
/// process use too, and owns a stream in it. Shared by everything that was
/// made on the device, so it is released last. All methods are thread-safe.
class Context {
public:
  static Result<std::shared_ptr<Context>>
  open(std::shared_ptr<const Driver> driver, unsigned index);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const Driver &driver() const { return *loaded; }
  CUstream stream() const { return ownStream; }
  unsigned index() const { return ordinal; }
  const std::string &product() const { return productName; }
  /// 90 for compute capability 9.0.
  unsigned capability() const { return computeCapability; }

  /// CUDA does not survive fork(): refuses in a child of the process that
  /// opened the device.
  Status checkProcess() const;
  bool inOpeningProcess() const;

  /// 0 where the driver does not know the attribute.
  int attribute(CUdevice_attribute attribute) const;

  /// The nearest row of the target table with this device's own limits.
  target::GpuTarget target() const;

private:
  Context() = default;
  Status create(unsigned index);

  std::shared_ptr<const Driver> loaded;
  CUdevice device = 0;
  CUcontext primary = nullptr;
  CUstream ownStream = nullptr;
  unsigned ordinal = 0;
  unsigned computeCapability = 0;
  pid_t process = 0;
  std::string productName;

  friend class Current;
};

/// Makes the context current in the calling thread, whatever the thread did
/// before, and restores what was current.
class Current {
public:
  explicit Current(const Context &context);
  ~Current();
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;
  /// Refused in a forked child, or what the driver said.
  const Status &status() const { return state; }

private:
  const Context &context;
  Status state;
  bool pushed = false;
};

} // namespace girih::rt::cuda

#endif // GIRIH_RUNTIME_CUDACONTEXT_H
