//===- SimDevice.h - the simulator as a device ---------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_SIMDEVICE_H
#define GIRIH_RUNTIME_SIM_SIMDEVICE_H

#include "runtime/DeviceRegistry.h"
#include "runtime/sim/Simulator.h"

namespace girih::sim {

struct SimDeviceOptions {
  std::string arch; ///< `sm_80`: the card that is played; empty: sm_90a
  bool checks = true;
  bool counters = true;
  uint64_t instructionLimit = 0; ///< warp instructions a launch; 0: none
};

/// Opens `sim`: memory with addresses of its own (nothing of it can be read
/// through pointers), kernels executed instruction by instruction. A run fails
/// with the report of what its kernels did wrong. Refuses an unknown arch.
Result<std::unique_ptr<rt::Device>> openSim(const SimDeviceOptions &options);

/// Registers `sim` with these options.
void registerSim(rt::DeviceRegistry &registry,
                 const SimDeviceOptions &options = {});

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_SIMDEVICE_H
