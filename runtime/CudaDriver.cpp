//===- CudaDriver.cpp - the CUDA driver, loaded at run time ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/CudaDriver.h"

#include <dlfcn.h>

using namespace girih;
using namespace girih::rt;
using namespace girih::rt::cuda;

static constexpr const char *kUseHost = "run on the CPU with --device=host";

Result<std::shared_ptr<const Driver>>
Driver::open(const std::string &libraryPath) {
  void *library = dlopen(libraryPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return Failure{"the CUDA driver library " + libraryPath +
                   " was not found (" + (why ? why : "no reason given") +
                   "): install NVIDIA's driver, or " + kUseHost};
  }
  auto driver = std::make_shared<Driver>();
  std::string missing;
  auto resolve = [&](auto &field, const char *symbol, bool required) {
    void *address = dlsym(library, symbol);
    field = reinterpret_cast<std::decay_t<decltype(field)>>(address);
    if (!address && required && missing.empty())
      missing = symbol;
  };
#define GIRIH_REQUIRED(field, symbol, parameters)                              \
  resolve(driver->functions.field, symbol, true);
#define GIRIH_OPTIONAL(field, symbol, parameters)                              \
  resolve(driver->functions.field, symbol, false);
  GIRIH_CUDA_FUNCTIONS(GIRIH_REQUIRED)
  GIRIH_CUDA_OPTIONAL_FUNCTIONS(GIRIH_OPTIONAL)
#undef GIRIH_REQUIRED
#undef GIRIH_OPTIONAL
  if (!missing.empty())
    return Failure{"the CUDA driver library " + libraryPath +
                   " has no function '" + missing +
                   "': update NVIDIA's driver, or " + kUseHost};

  CUresult result = driver->functions.init(0);
  if (result == CUDA_SUCCESS)
    return std::shared_ptr<const Driver>(std::move(driver));
  std::string text = "cuInit failed: " + driver->describe(result);
  if (result == CUDA_ERROR_NOT_INITIALIZED)
    text += "; in a child made by fork() after its parent used CUDA this is "
            "always so: start the child with exec instead";
  else if (result == CUDA_ERROR_STUB_LIBRARY)
    text += "; " + libraryPath +
            " is the toolkit's stub, which only serves for linking";
  return Failure{text + "; without a usable GPU, " + kUseHost};
}

std::string Driver::describe(CUresult result) const {
  const char *name = nullptr;
  const char *meaning = nullptr;
  if (functions.getErrorName(result, &name) != CUDA_SUCCESS || !name)
    return "CUDA error " + std::to_string(result);
  if (functions.getErrorString(result, &meaning) != CUDA_SUCCESS || !meaning)
    return name;
  return std::string(name) + " (" + meaning + ")";
}

Status Driver::check(CUresult result, const std::string &call) const {
  if (result == CUDA_SUCCESS)
    return {};
  return Failure{call + " failed: " + describe(result)};
}

std::string Driver::version() const {
  int version = 0;
  if (functions.driverGetVersion(&version) != CUDA_SUCCESS)
    return "unknown";
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}
