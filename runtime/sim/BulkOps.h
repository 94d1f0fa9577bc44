//===- BulkOps.h - cp.async.bulk ------------------------------ -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_BULKOPS_H
#define GIRIH_RUNTIME_SIM_BULKOPS_H

#include "runtime/sim/Decode.h"

namespace girih::sim {

/// A statement that begins with `cp.async.bulk`, modifiers taken up to there.
Status decodeBulk(Decoder &d);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_BULKOPS_H
