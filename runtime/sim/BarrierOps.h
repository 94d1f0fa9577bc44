//===- BarrierOps.h - what barriers and fences share ---------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to BarrierOps.cpp and FenceOps.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_BARRIEROPS_H
#define GIRIH_RUNTIME_SIM_BARRIEROPS_H

#include "runtime/sim/Machine.h"

namespace girih::sim {

/// `barrier.cluster`, behind `.cluster`.
Status decodeClusterBarrier(Decoder &decoder);
Status decodeFence(Decoder &decoder);
Status decodeMembar(Decoder &decoder);

/// The cluster's barrier does not wait for threads that have exited.
void clusterAfterExit(Context &context, uint32_t mask);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_BARRIEROPS_H
