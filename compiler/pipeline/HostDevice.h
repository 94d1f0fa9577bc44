//===- HostDevice.h - the reference as a device -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_HOSTDEVICE_H
#define GIRIH_COMPILER_PIPELINE_HOSTDEVICE_H

#include "runtime/DeviceRegistry.h"

namespace girih::pipeline {

/// Registers `host`: loading compiles the artifact's te module for this CPU,
/// running replays its terms. Its memory is the host's.
void registerHostDevice(rt::DeviceRegistry &registry);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_HOSTDEVICE_H
