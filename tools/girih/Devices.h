//===- Devices.h - the devices that girih knows -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_DEVICES_H
#define GIRIH_TOOLS_GIRIH_DEVICES_H

#include "runtime/DeviceRegistry.h"
#include "runtime/sim/SimDevice.h"
#include "tools/girih/Console.h"

namespace girih::cli {

/// `cuda`, `sim` and `host`.
rt::DeviceRegistry makeRegistry(const sim::SimDeviceOptions &options = {});

/// Opens a device by name. An empty name means cuda, or the host where there is
/// no GPU; `fallback` then says why. Reports what is wrong.
std::unique_ptr<rt::Device> openDevice(Console &console,
                                       const std::string &name,
                                       const sim::SimDeviceOptions &options,
                                       std::string &fallback);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_DEVICES_H
