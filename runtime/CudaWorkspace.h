//===- CudaWorkspace.h - device memory for temporaries, kept ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_CUDAWORKSPACE_H
#define GIRIH_RUNTIME_CUDAWORKSPACE_H

#include "runtime/CudaContext.h"
#include "runtime/Device.h"

#include <mutex>

namespace girih::rt::cuda {

/// Blocks of workspace, each tied to the stream that used it last: work on one
/// stream is ordered, so the next run on that stream may reuse the block at
/// once. No driver call is made under the lock, and none at all when a block
/// of the stream is large enough.
class WorkspaceCache {
public:
  explicit WorkspaceCache(std::shared_ptr<Context> context)
      : context(std::move(context)) {}

  /// A block that nobody else has. The context must be current. Growing is
  /// refused while the stream is being captured.
  Result<Buffer> acquire(CUstream stream, uint64_t bytes);
  /// Gives a block back, after the work that uses it was queued on `stream`.
  void release(CUstream stream, Buffer block);

private:
  /// A stream's number, unlike its handle, is never used again.
  unsigned long long keyOf(CUstream stream) const;

  struct Idle {
    unsigned long long stream;
    Buffer block;
  };
  std::shared_ptr<Context> context;
  std::mutex mutex;
  std::vector<Idle> idle;
};

/// Device memory from cuMemAlloc. The context must be current.
Result<Buffer> allocate(const std::shared_ptr<Context> &context,
                        uint64_t bytes);

} // namespace girih::rt::cuda

#endif // GIRIH_RUNTIME_CUDAWORKSPACE_H
