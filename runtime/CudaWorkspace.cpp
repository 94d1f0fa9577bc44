//===- CudaWorkspace.cpp - device memory for temporaries, kept ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/CudaWorkspace.h"

#include "runtime/Text.h"

using namespace girih;
using namespace girih::rt;
using namespace girih::rt::cuda;

static CUdeviceptr addressOf(void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

Result<Buffer> cuda::allocate(const std::shared_ptr<Context> &context,
                              uint64_t bytes) {
  const Driver &driver = context->driver();
  CUdeviceptr address = 0;
  CUresult result = driver->memAlloc(&address, bytes ? bytes : 1);
  if (result != CUDA_SUCCESS) {
    std::string text = "cuMemAlloc of " + printBytes(bytes) +
                       " failed: " + driver.describe(result);
    size_t available = 0, total = 0;
    if (result == CUDA_ERROR_OUT_OF_MEMORY &&
        driver->memGetInfo(&available, &total) == CUDA_SUCCESS)
      text += "; " + printBytes(available) + " of " + printBytes(total) +
              " are free on " + context->product();
    return Failure{text};
  }
  return Buffer(reinterpret_cast<void *>(uintptr_t(address)), bytes,
                [context](void *memory) {
                  Current current(*context);
                  if (current.status())
                    context->driver()->memFree(addressOf(memory));
                });
}

unsigned long long WorkspaceCache::keyOf(CUstream stream) const {
  unsigned long long id = 0;
  const Driver &driver = context->driver();
  if (driver->streamGetId && driver->streamGetId(stream, &id) == CUDA_SUCCESS)
    return id;
  return reinterpret_cast<uintptr_t>(stream);
}

Result<Buffer> WorkspaceCache::acquire(CUstream stream, uint64_t bytes) {
  unsigned long long key = keyOf(stream);
  Buffer tooSmall;
  {
    std::lock_guard<std::mutex> lock(mutex);
    size_t found = idle.size();
    for (size_t i = 0; i < idle.size(); ++i)
      if (idle[i].stream == key &&
          (found == idle.size() || idle[i].block.bytes() >= bytes))
        found = i;
    if (found != idle.size()) {
      Buffer block = std::move(idle[found].block);
      idle.erase(idle.begin() + long(found));
      if (block.bytes() >= bytes)
        return block;
      tooSmall = std::move(block);
    }
  }
  const Driver &driver = context->driver();
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  Status status = driver.check(driver->streamIsCapturing(stream, &capture),
                               "cuStreamIsCapturing");
  if (status && capture != CU_STREAM_CAPTURE_STATUS_NONE)
    status = Failure{"the stream is being captured, but the workspace of " +
                     printBytes(bytes) +
                     " is not allocated yet: run once with these sizes on "
                     "this stream before capturing"};
  // Queued work may still use the block that is too small.
  if (status && tooSmall.data())
    status =
        driver.check(driver->streamSynchronize(stream), "cuStreamSynchronize");
  if (!status) {
    if (tooSmall.data())
      release(stream, std::move(tooSmall));
    return Failure{status.message()};
  }
  tooSmall = Buffer();
  Result<Buffer> block = allocate(context, bytes);
  if (!block)
    return Failure{"no workspace: " + block.message()};
  return block;
}

void WorkspaceCache::release(CUstream stream, Buffer block) {
  unsigned long long key = keyOf(stream);
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back({key, std::move(block)});
}
