//===- CudaDevice.cpp - NVIDIA GPUs through the driver API ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/CudaDevice.h"

#include "runtime/CudaExecutable.h"
#include "runtime/Text.h"

using namespace girih;
using namespace girih::rt;
using namespace girih::rt::cuda;

namespace {

class CudaStopwatch : public Stopwatch {
public:
  explicit CudaStopwatch(std::shared_ptr<Context> context)
      : context(std::move(context)) {}

  ~CudaStopwatch() override {
    Current current(*context);
    if (!current.status())
      return;
    for (CUevent event : {begin, end})
      if (event)
        context->driver()->eventDestroy(event);
  }

  Status create() {
    Current current(*context);
    if (!current.status())
      return current.status();
    const Driver &driver = context->driver();
    for (CUevent *event : {&begin, &end})
      if (Status status = driver.check(
              driver->eventCreate(event, CU_EVENT_DEFAULT), "cuEventCreate");
          !status)
        return status;
    return {};
  }

  Status start() override { return record(begin); }
  Status stop() override { return record(end); }

  Result<double> microseconds() override {
    Current current(*context);
    if (!current.status())
      return Failure{current.status().message()};
    const Driver &driver = context->driver();
    float milliseconds = 0;
    Status status =
        driver.check(driver->eventSynchronize(end), "cuEventSynchronize");
    if (status)
      status = driver.check(driver->eventElapsedTime(&milliseconds, begin, end),
                            "cuEventElapsedTime");
    if (!status)
      return Failure{status.message()};
    return double(milliseconds) * 1000;
  }

private:
  Status record(CUevent event) {
    Current current(*context);
    if (!current.status())
      return current.status();
    const Driver &driver = context->driver();
    return driver.check(driver->eventRecord(event, context->stream()),
                        "cuEventRecord");
  }

  std::shared_ptr<Context> context;
  CUevent begin = nullptr;
  CUevent end = nullptr;
};

class CudaDevice : public Device {
public:
  explicit CudaDevice(std::shared_ptr<Context> context)
      : context(std::move(context)) {}

  std::string name() const override { return "cuda"; }

  std::string description() const override {
    unsigned capability = context->capability();
    return context->product() + ", capability " +
           std::to_string(capability / 10) + "." +
           std::to_string(capability % 10) + ", driver for CUDA " +
           context->driver().version();
  }

  std::optional<target::GpuTarget> target() const override {
    return context->target();
  }

  Result<std::unique_ptr<Executable>>
  load(const artifact::Artifact &artifact) override {
    return CudaExecutable::load(context, artifact);
  }

  Result<Buffer> allocate(uint64_t bytes) override {
    Current current(*context);
    if (!current.status())
      return Failure{current.status().message()};
    return cuda::allocate(context, bytes);
  }

  Status copyIn(void *destination, const void *hostSource,
                uint64_t bytes) override {
    return inOrder(bytes, true, [&](const Driver &driver) {
      return driver.check(driver->memcpyHtoDAsync(addressOf(destination),
                                                  hostSource, bytes,
                                                  context->stream()),
                          "cuMemcpyHtoDAsync of " + printBytes(bytes));
    });
  }

  Status copyOut(void *hostDestination, const void *source,
                 uint64_t bytes) override {
    return inOrder(bytes, true, [&](const Driver &driver) {
      return driver.check(driver->memcpyDtoHAsync(hostDestination,
                                                  addressOf(source), bytes,
                                                  context->stream()),
                          "cuMemcpyDtoHAsync of " + printBytes(bytes));
    });
  }

  Status fill(void *destination, uint8_t byte, uint64_t bytes) override {
    return inOrder(bytes, false, [&](const Driver &driver) {
      return driver.check(driver->memsetD8Async(addressOf(destination), byte,
                                                bytes, context->stream()),
                          "cuMemsetD8Async of " + printBytes(bytes));
    });
  }

  Status synchronize() override {
    Current current(*context);
    if (!current.status())
      return current.status();
    const Driver &driver = context->driver();
    return driver.check(driver->streamSynchronize(context->stream()),
                        "cuStreamSynchronize");
  }

  Result<std::unique_ptr<Stopwatch>> createStopwatch() override {
    auto stopwatch = std::make_unique<CudaStopwatch>(context);
    if (Status status = stopwatch->create(); !status)
      return Failure{status.message()};
    return std::unique_ptr<Stopwatch>(std::move(stopwatch));
  }

private:
  static CUdeviceptr addressOf(const void *memory) {
    return reinterpret_cast<uintptr_t>(memory);
  }

  /// Queues work on the device's stream; waits for it if asked.
  template <typename Work>
  Status inOrder(uint64_t bytes, bool wait, Work work) {
    Current current(*context);
    if (!current.status() || bytes == 0)
      return current.status();
    const Driver &driver = context->driver();
    Status status = work(driver);
    if (status && wait)
      status = driver.check(driver->streamSynchronize(context->stream()),
                            "cuStreamSynchronize");
    return status;
  }

  std::shared_ptr<Context> context;
};

} // namespace

Result<std::unique_ptr<Device>>
rt::openCudaDevice(unsigned index, const std::string &libraryPath) {
  Result<std::shared_ptr<const Driver>> driver = Driver::open(libraryPath);
  if (!driver)
    return Failure{driver.message()};
  Result<std::shared_ptr<Context>> context =
      Context::open(std::move(*driver), index);
  if (!context)
    return Failure{context.message()};
  return std::unique_ptr<Device>(
      std::make_unique<CudaDevice>(std::move(*context)));
}

void rt::registerCuda(DeviceRegistry &registry,
                      const std::string &libraryPath) {
  registry.registerDevice("cuda", [libraryPath](unsigned index) {
    return openCudaDevice(index, libraryPath);
  });
}
