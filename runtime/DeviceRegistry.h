//===- DeviceRegistry.h - devices by name -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_DEVICEREGISTRY_H
#define GIRIH_RUNTIME_DEVICEREGISTRY_H

#include "runtime/Device.h"

namespace girih::rt {

/// One line of a list of devices.
struct DeviceInfo {
  std::string name;
  bool available = false;
  std::string description; ///< of an available device
  std::string reason;      ///< why it is not available
};

/// The devices that a program knows. An object that its owner fills: nothing
/// registers itself.
class DeviceRegistry {
public:
  /// Opens device number `index` of its kind.
  using Factory =
      std::function<Result<std::unique_ptr<Device>>(unsigned index)>;

  /// A later factory of the same name replaces the earlier one.
  void registerDevice(std::string name, Factory factory);

  /// `name` or `name:index`, such as `cuda:1`.
  Result<std::unique_ptr<Device>> openDevice(const std::string &name) const;

  /// Every registered name in the order of registration; opens each device to
  /// find out, which for a GPU can take some tenths of a second.
  std::vector<DeviceInfo> listDevices() const;

private:
  struct Entry {
    std::string name;
    Factory factory;
  };
  std::vector<Entry> entries;
};

} // namespace girih::rt

#endif // GIRIH_RUNTIME_DEVICEREGISTRY_H
