//===- CudaContext.cpp - one GPU's primary context and own stream ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/CudaContext.h"

#include "runtime/Text.h"

#include <unistd.h>

using namespace girih;
using namespace girih::rt;
using namespace girih::rt::cuda;
using target::GpuTarget;

Result<std::shared_ptr<Context>>
Context::open(std::shared_ptr<const Driver> driver, unsigned index) {
  std::shared_ptr<Context> context(new Context);
  context->loaded = std::move(driver);
  context->process = getpid();
  if (Status status = context->create(index); !status)
    return Failure{status.message()};
  return context;
}

Status Context::create(unsigned index) {
  const Driver &driver = *loaded;
  int count = 0;
  if (Status s =
          driver.check(driver->deviceGetCount(&count), "cuDeviceGetCount");
      !s)
    return s;
  if (count <= 0)
    return Failure{"the CUDA driver sees no GPU: run on the CPU with "
                   "--device=host"};
  if (index >= unsigned(count))
    return Failure{"there is no cuda:" + std::to_string(index) +
                   "; the driver sees " + plural(count, "GPU") +
                   ", numbered from 0"};
  ordinal = index;
  if (Status s =
          driver.check(driver->deviceGet(&device, int(index)), "cuDeviceGet");
      !s)
    return s;
  char name[256] = {};
  if (Status s = driver.check(
          driver->deviceGetName(name, int(sizeof(name)) - 1, device),
          "cuDeviceGetName");
      !s)
    return s;
  productName = name;
  computeCapability =
      unsigned(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
               attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  if (Status s = driver.check(driver->primaryCtxRetain(&primary, device),
                              "cuDevicePrimaryCtxRetain for " + productName);
      !s) {
    primary = nullptr;
    return s;
  }
  Current current(*this);
  if (!current.status())
    return current.status();
  // Non-blocking: the legacy default stream of other code does not wait for
  // ours, nor ours for it.
  return driver.check(driver->streamCreate(&ownStream, CU_STREAM_NON_BLOCKING),
                      "cuStreamCreate");
}

Context::~Context() {
  if (!primary || !inOpeningProcess())
    return;
  if (ownStream) {
    Current current(*this);
    if (current.status()) {
      (*loaded)->streamSynchronize(ownStream);
      (*loaded)->streamDestroy(ownStream);
    }
  }
  (*loaded)->primaryCtxRelease(device);
}

bool Context::inOpeningProcess() const { return getpid() == process; }

Status Context::checkProcess() const {
  if (inOpeningProcess())
    return {};
  return Failure{"cuda:" + std::to_string(ordinal) + " was opened by process " +
                 std::to_string(process) + " and cannot be used in its child " +
                 std::to_string(getpid()) +
                 ": CUDA does not survive fork(); start the child with exec"};
}

int Context::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  CUresult result = (*loaded)->deviceGetAttribute(&value, attribute, device);
  return result == CUDA_SUCCESS ? value : 0;
}

/// The table's row for exactly this capability (the one with every feature of
/// the chip), else the largest below it whose PTX runs here.
static GpuTarget nearestRow(unsigned capability) {
  GpuTarget best;
  for (const std::string &name : target::knownTargets()) {
    GpuTarget row = *target::findTarget(name);
    bool exact = row.capability == capability;
    if (row.capability > capability || (row.archSpecific && !exact))
      continue;
    if (row.capability > best.capability ||
        (row.capability == best.capability && row.archSpecific))
      best = row;
  }
  return best;
}

GpuTarget Context::target() const {
  GpuTarget result = nearestRow(computeCapability);
  unsigned tableMultiprocessors = result.multiprocessors;
  auto adjust = [&](auto &field, CUdevice_attribute name) {
    if (int value = attribute(name); value > 0)
      field = std::decay_t<decltype(field)>(value);
  };
  adjust(result.multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  adjust(result.warpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  adjust(result.maxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  adjust(result.maxThreadsPerMultiprocessor,
         CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  adjust(result.maxBlocksPerMultiprocessor,
         CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  adjust(result.registersPerMultiprocessor,
         CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  adjust(result.sharedBytesPerMultiprocessor,
         CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  adjust(result.maxSharedBytesPerBlock,
         CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  adjust(result.reservedSharedBytesPerBlock,
         CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  adjust(result.l2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  if (result.product == productName)
    return result; // the data sheet's figures belong to this very card
  result.product = productName;
  double clock = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 1e3;
  double bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  if (clock > 0 && bits > 0)
    result.dramBandwidth = 2 * clock * bits / 8; // double data rate
  if (tableMultiprocessors)
    result.fp32Flops *= double(result.multiprocessors) / tableMultiprocessors;
  return result;
}

Current::Current(const Context &context) : context(context) {
  state = context.checkProcess();
  if (!state)
    return;
  const Driver &driver = context.driver();
  CUcontext now = nullptr;
  if (driver->ctxGetCurrent(&now) == CUDA_SUCCESS && now == context.primary)
    return;
  state =
      driver.check(driver->ctxPushCurrent(context.primary), "cuCtxPushCurrent");
  pushed = state.ok();
}

Current::~Current() {
  CUcontext popped = nullptr;
  if (pushed)
    context.driver()->ctxPopCurrent(&popped);
}
