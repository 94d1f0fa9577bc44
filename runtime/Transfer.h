//===- Transfer.h - host arrays to devices and back -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_TRANSFER_H
#define GIRIH_RUNTIME_TRANSFER_H

#include "runtime/Device.h"
#include "runtime/HostArray.h"

namespace girih::rt {

/// A tensor and the device memory that it views.
struct DeviceArray {
  Buffer buffer;
  Tensor tensor;
};

/// Copies an array to the device; its strides stay as they are.
Result<DeviceArray> upload(Device &device, const HostArray &array);

/// Room for a row-major output, filled with poisonByteOf(type).
Result<DeviceArray> allocatePoisoned(Device &device, artifact::ScalarType type,
                                     std::vector<int64_t> shape);

/// Copies back an array that `upload` or `allocatePoisoned` made.
Result<HostArray> download(Device &device, const DeviceArray &array);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_TRANSFER_H
