//===- Device.cpp - run a form's tiles ------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/mma_silicon/Device.h"
#include "runtime/sim/Simulator.h"

using namespace girih;
using namespace girih::silicon;
using namespace girih::rt::cuda;

namespace {

/// Four buffers and a module, given back at the end.
class Run {
public:
  explicit Run(const Context &context)
      : context(context), driver(context.driver()) {}
  ~Run() {
    for (CUdeviceptr buffer : buffers)
      driver->memFree(buffer);
    if (module)
      driver->moduleUnload(module);
  }
  Result<std::vector<uint8_t>> operator()(const Launch &launch);

private:
  Status buffer(const std::vector<uint8_t> *contents, size_t bytes);
  Status load(const std::string &ptx);

  const Context &context;
  const Driver &driver;
  std::vector<CUdeviceptr> buffers;
  CUmodule module = nullptr;
};

} // namespace

Status Run::buffer(const std::vector<uint8_t> *contents, size_t bytes) {
  CUdeviceptr address = 0;
  Status status = driver.check(driver->memAlloc(&address, bytes), "cuMemAlloc");
  if (!status)
    return status;
  buffers.push_back(address);
  if (!contents)
    return driver.check(
        driver->memsetD8Async(address, 0xa5, bytes, context.stream()),
        "cuMemsetD8");
  return driver.check(driver->memcpyHtoDAsync(address, contents->data(), bytes,
                                              context.stream()),
                      "cuMemcpyHtoD");
}

Status Run::load(const std::string &ptx) {
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  CUresult result =
      driver->moduleLoadDataEx(&module, ptx.c_str(), 2, options, values);
  if (result == 0)
    return {};
  return Failure{"cuModuleLoadData failed: " + driver.describe(result) + ": " +
                 log};
}

Result<std::vector<uint8_t>> Run::operator()(const Launch &launch) {
  std::vector<uint8_t> output(launch.outputBytes);
  Status status = load(launch.ptx);
  for (const std::vector<uint8_t> *contents : launch.inputs)
    if (status)
      status = buffer(contents, contents->size());
  if (status)
    status = buffer(nullptr, output.size());
  CUfunction function = nullptr;
  if (status)
    status = driver.check(driver->moduleGetFunction(&function, module, "tiles"),
                          "cuModuleGetFunction");
  if (status) {
    std::vector<void *> parameters;
    for (CUdeviceptr &address : buffers)
      parameters.push_back(&address);
    status = driver.check(driver->launchKernel(function, launch.blocks, 1, 1,
                                               launch.threads, 1, 1, 0,
                                               context.stream(),
                                               parameters.data(), nullptr),
                          "cuLaunchKernel");
  }
  if (status)
    status =
        driver.check(driver->memcpyDtoHAsync(output.data(), buffers.back(),
                                             output.size(), context.stream()),
                     "cuMemcpyDtoH");
  if (status)
    status =
        driver.check(driver->streamSynchronize(context.stream()), "the kernel");
  if (!status)
    return Failure{status.message()};
  return output;
}

Launch silicon::launchOf(const Form &form, const Tiles &tiles) {
  return {ptxOf(form),
          unsigned(tiles.count),
          threadsOf(form),
          {&tiles.a, &tiles.b, &tiles.c},
          tiles.c.size()};
}

Result<std::vector<uint8_t>> silicon::runOnGpu(const Context &context,
                                               const Launch &launch) {
  Current current(context);
  if (!current.status())
    return Failure{current.status().message()};
  return Run(context)(launch);
}

Result<std::vector<uint8_t>> silicon::runOnSimulator(const Launch &launch) {
  sim::Simulator card;
  std::vector<uint64_t> addresses;
  std::vector<uint8_t> output(launch.outputBytes);
  std::vector<const std::vector<uint8_t> *> buffers = launch.inputs;
  buffers.push_back(&output);
  for (const std::vector<uint8_t> *contents : buffers) {
    Result<uint64_t> address = card.upload(*contents);
    if (!address)
      return Failure{address.message()};
    addresses.push_back(*address);
  }
  Result<sim::Kernel> kernel = card.load(launch.ptx, "tiles");
  if (!kernel)
    return Failure{kernel.message()};
  sim::LaunchShape shape;
  shape.grid[0] = launch.blocks;
  shape.block[0] = launch.threads;
  sim::Report report = card.run(*kernel, shape, addresses);
  if (!report.ok())
    return Failure{report.text()};
  return card.download<uint8_t>(addresses.back(), output.size());
}
