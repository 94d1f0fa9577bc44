//===- LaunchRules.h - what a card would refuse to launch ----- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_LAUNCHRULES_H
#define GIRIH_RUNTIME_SIM_LAUNCHRULES_H

#include "runtime/sim/Machine.h"

namespace girih::sim {

struct LaunchShape; // Simulator.h

/// Refuses a module that is for newer cards than `capability`, or for exactly
/// one other (`sm_90a`).
Status checkTarget(const SyntaxModule &module, unsigned capability);

/// Sets the launch's grid, block, cluster and shared memory, or refuses them.
/// Uses its code and capability.
Status shapeLaunch(Launch &launch, const LaunchShape &shape, size_t arguments);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_LAUNCHRULES_H
