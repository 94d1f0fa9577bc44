//===- DeviceRegistry.cpp - devices by name -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/DeviceRegistry.h"

#include "runtime/Text.h"

#include <charconv>

using namespace girih;
using namespace girih::rt;

void DeviceRegistry::registerDevice(std::string name, Factory factory) {
  for (Entry &entry : entries)
    if (entry.name == name) {
      entry.factory = std::move(factory);
      return;
    }
  entries.push_back({std::move(name), std::move(factory)});
}

Result<std::unique_ptr<Device>>
DeviceRegistry::openDevice(const std::string &name) const {
  std::string kind = name;
  unsigned index = 0;
  if (size_t colon = name.find(':'); colon != std::string::npos) {
    kind = name.substr(0, colon);
    const char *begin = name.data() + colon + 1;
    const char *end = name.data() + name.size();
    auto [rest, error] = std::from_chars(begin, end, index);
    if (error != std::errc() || rest != end)
      return Failure{"'" + name + "' is not a device: after ':' stands the " +
                     "number of the device, as in " + kind + ":0"};
  }
  std::vector<std::string> known;
  for (const Entry &entry : entries) {
    if (entry.name == kind)
      return entry.factory(index);
    known.push_back(entry.name);
  }
  return Failure{"unknown device '" + kind + "'; known: " + joinNames(known)};
}

std::vector<DeviceInfo> DeviceRegistry::listDevices() const {
  std::vector<DeviceInfo> infos;
  for (const Entry &entry : entries) {
    DeviceInfo info;
    info.name = entry.name;
    Result<std::unique_ptr<Device>> device = entry.factory(0);
    info.available = device.ok();
    if (device)
      info.description = (*device)->description();
    else
      info.reason = device.message();
    infos.push_back(std::move(info));
  }
  return infos;
}
