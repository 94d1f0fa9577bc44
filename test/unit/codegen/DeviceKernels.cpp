//===- DeviceKernels.cpp - elementwise kernels on a real GPU --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/codegen/DeviceKernels.h"

#include "runtime/CudaDriver.h"

#include <cstring>

using namespace girih::rt::cuda;

namespace girih::codegen::test {

static constexpr unsigned kBlock = 256;

std::string elementwiseKernel(const std::string &name, const std::string &type,
                              const std::string &body,
                              const std::string &result) {
  std::string text = "llvm.func @" + name +
                     "(%pr: !llvm.ptr<1>, %pa: !llvm.ptr<1>, %pb: "
                     "!llvm.ptr<1>, %pc: !llvm.ptr<1>) attributes "
                     "{nvvm.kernel} {\n"
                     "  %tid = nvvm.read.ptx.sreg.tid.x : i32\n"
                     "  %block = nvvm.read.ptx.sreg.ctaid.x : i32\n"
                     "  %side = llvm.mlir.constant(256 : i32) : i32\n"
                     "  %base = llvm.mul %block, %side : i32\n"
                     "  %i = llvm.add %base, %tid : i32\n";
  auto address = [&](const std::string &array, const std::string &element) {
    return "  %q" + array + " = llvm.getelementptr %p" + array +
           "[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, " + element + "\n";
  };
  for (const char *array : {"a", "b", "c"})
    text += address(array, type) + "  %" + array + " = llvm.load %q" + array +
            " : !llvm.ptr<1> -> " + type + "\n";
  return text + address("r", result) + body +
         "\n  llvm.store %r, %qr : " + result +
         ", !llvm.ptr<1>\n  llvm.return\n}\n";
}

struct DeviceKernels::State {
  std::shared_ptr<const Driver> driver;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;

  Status check(CUresult result, const char *call) {
    return driver->check(result, call);
  }
};

DeviceKernels::DeviceKernels(std::unique_ptr<State> state)
    : state(std::move(state)) {}

DeviceKernels::~DeviceKernels() {
  const Driver &driver = *state->driver;
  if (state->module)
    driver->moduleUnload(state->module);
  CUcontext ignored;
  driver->ctxPopCurrent(&ignored);
  driver->primaryCtxRelease(state->device);
}

Result<std::unique_ptr<DeviceKernels>> DeviceKernels::open() {
  auto driver = Driver::open("libcuda.so.1");
  if (!driver)
    return Failure{driver.message()};
  auto state = std::make_unique<State>();
  state->driver = *driver;
  const Driver &cuda = **driver;
  Status status = state->check(cuda->deviceGet(&state->device, 0), "deviceGet");
  if (status.ok())
    status = state->check(
        cuda->primaryCtxRetain(&state->context, state->device), "retain");
  if (status.ok())
    status = state->check(cuda->ctxPushCurrent(state->context), "push");
  if (!status)
    return Failure{status.message()};
  return std::unique_ptr<DeviceKernels>(new DeviceKernels(std::move(state)));
}

int DeviceKernels::capability() const {
  int major = 0, minor = 0;
  (*state->driver)
      ->deviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                           state->device);
  (*state->driver)
      ->deviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                           state->device);
  return major * 10 + minor;
}

Status DeviceKernels::load(const std::string &ptx) {
  const Driver &cuda = *state->driver;
  if (state->module)
    cuda->moduleUnload(state->module);
  state->module = nullptr;
  return state->check(
      cuda->moduleLoadDataEx(&state->module, ptx.c_str(), 0, nullptr, nullptr),
      "moduleLoadDataEx");
}

/// Packs the low `bytes` of each word.
static std::vector<char> pack(const std::vector<uint64_t> &words,
                              unsigned bytes) {
  std::vector<char> packed(words.size() * bytes);
  for (size_t i = 0; i < words.size(); ++i)
    std::memcpy(&packed[i * bytes], &words[i], bytes);
  return packed;
}

Result<std::vector<uint64_t>>
DeviceKernels::run(const std::string &name,
                   const std::vector<uint64_t> *const inputs[3], unsigned bytes,
                   unsigned resultBytes) {
  const Driver &cuda = *state->driver;
  size_t count = inputs[0]->size();
  CUfunction function = nullptr;
  CUdeviceptr arrays[4] = {};
  Status status;
  auto step = [&](CUresult result, const char *call) {
    if (status.ok())
      status = state->check(result, call);
  };
  step(cuda->moduleGetFunction(&function, state->module, name.c_str()),
       name.c_str());
  for (CUdeviceptr &array : arrays)
    step(cuda->memAlloc(&array, count * 8), "memAlloc");
  for (int i = 0; i < 3 && status.ok(); ++i) {
    std::vector<char> packed = pack(*inputs[i], bytes);
    step(cuda->memcpyHtoDAsync(arrays[i + 1], packed.data(), packed.size(),
                               nullptr),
         "memcpyHtoD");
    step(cuda->ctxSynchronize(), "synchronize");
  }
  void *parameters[] = {&arrays[0], &arrays[1], &arrays[2], &arrays[3]};
  if (status.ok())
    step(cuda->launchKernel(function, count / kBlock, 1, 1, kBlock, 1, 1, 0,
                            nullptr, parameters, nullptr),
         "launchKernel");
  std::vector<char> packed(count * resultBytes);
  if (status.ok())
    step(
        cuda->memcpyDtoHAsync(packed.data(), arrays[0], packed.size(), nullptr),
        "memcpyDtoH");
  step(cuda->ctxSynchronize(), "synchronize");
  for (CUdeviceptr array : arrays)
    if (array)
      cuda->memFree(array);
  if (!status)
    return Failure{status.message()};
  std::vector<uint64_t> results(count, 0);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&results[i], &packed[i * resultBytes], resultBytes);
  return results;
}

} // namespace girih::codegen::test
