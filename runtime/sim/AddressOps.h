//===- AddressOps.h - decoding in AddressOps.cpp -------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_ADDRESSOPS_H
#define GIRIH_RUNTIME_SIM_ADDRESSOPS_H

#include "runtime/sim/Decode.h"

namespace girih::sim {

Status decodeConvertAddress(Decoder &d); ///< cvta
Status decodeTestSpace(Decoder &d);      ///< isspacep
Status decodePrefetch(Decoder &d);       ///< prefetch, prefetchu
Status decodePriority(Decoder &d);       ///< applypriority
Status decodeDiscard(Decoder &d);
Status decodePolicy(Decoder &d); ///< createpolicy

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_ADDRESSOPS_H
