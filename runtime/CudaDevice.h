//===- CudaDevice.h - NVIDIA GPUs through the driver API --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_CUDADEVICE_H
#define GIRIH_RUNTIME_CUDADEVICE_H

#include "runtime/Device.h"
#include "runtime/DeviceRegistry.h"

namespace girih::rt {

constexpr const char *kCudaLibrary = "libcuda.so.1";

/// Opens GPU `index` in the driver's order. Any thread may use the device and
/// what it loads; a child made by fork() is refused. `libraryPath` names the
/// driver library.
Result<std::unique_ptr<Device>>
openCudaDevice(unsigned index = 0,
               const std::string &libraryPath = kCudaLibrary);

/// Registers `cuda`.
void registerCuda(DeviceRegistry &registry,
                  const std::string &libraryPath = kCudaLibrary);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_CUDADEVICE_H
