//===- Devices.cpp - the devices that girih knows -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Devices.h"

#include "compiler/pipeline/HostDevice.h"
#include "compiler/support/Suggest.h"
#include "runtime/CudaDevice.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"

#include <algorithm>

using namespace girih;
using namespace girih::cli;

rt::DeviceRegistry cli::makeRegistry(const sim::SimDeviceOptions &options) {
  rt::DeviceRegistry registry;
  rt::registerCuda(registry);
  sim::registerSim(registry, options);
  pipeline::registerHostDevice(registry);
  return registry;
}

std::unique_ptr<rt::Device>
cli::openDevice(Console &console, const std::string &name,
                const sim::SimDeviceOptions &options, std::string &fallback) {
  rt::DeviceRegistry registry = makeRegistry(options);
  if (name.empty()) {
    Result<std::unique_ptr<rt::Device>> cuda = registry.openDevice("cuda");
    if (cuda)
      return std::move(*cuda);
    fallback = cuda.message();
  }
  const std::vector<std::string> known = {"cuda", "sim", "host"};
  std::string kind = name.substr(0, name.find(':'));
  if (!name.empty() &&
      std::find(known.begin(), known.end(), kind) == known.end()) {
    console
        .usage(codes::kUnknownName,
               "there is no device '" + name + "'" + didYouMean(kind, known))
        .note("the devices: " + rt::joinNames(known));
    return nullptr;
  }
  Result<std::unique_ptr<rt::Device>> device =
      registry.openDevice(name.empty() ? "host" : name);
  if (device)
    return std::move(*device);
  console.fail(codes::kDevice, device.message());
  return nullptr;
}
