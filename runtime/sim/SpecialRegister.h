//===- SpecialRegister.h - %tid, %laneid and the like --------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 10. A kernel reads special registers from its warp's file, which
// is filled when the warp starts; clocks are refreshed before every read.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_SPECIALREGISTER_H
#define GIRIH_RUNTIME_SIM_SPECIALREGISTER_H

#include "runtime/sim/Types.h"

#include <string_view>

namespace girih::sim {

struct KernelCode;
struct Warp;
struct Launch;

enum class SpecialId : uint8_t {
  Tid,
  NTid,
  CtaId,
  NCtaId,
  LaneId,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  GridId,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  ClusterId,
  NClusterId,
  ClusterCtaId,
  ClusterNCtaId,
  ClusterCtaRank,
  ClusterNCtaRank,
  IsExplicitCluster,
  DynamicSharedSize,
  TotalSharedSize,
  Clock,      ///< %clock, %clock_hi, %clock64: axis 0, 1, 2
  GlobalTime, ///< %globaltimer, _lo, _hi: axis 2, 0, 1
  WarpSize,
  Zero ///< counters and environment that nothing sets: %pm0, %envreg0
};

struct SpecialRegister {
  SpecialId id = SpecialId::Zero;
  uint8_t axis = 0; ///< of .x .y .z
  uint8_t bits = 32;
  bool isClock() const {
    return id == SpecialId::Clock || id == SpecialId::GlobalTime;
  }
};

/// By its name with the percent sign; nothing for one that is not known.
std::optional<SpecialRegister> findSpecial(std::string_view name);

/// Of the card that is played.
unsigned countMultiprocessors(const Launch &launch);
/// Fills a warp's special registers.
void fillSpecials(const Launch &launch, Warp &warp);
/// Sets those that are clocks to `now`.
void setClocks(const KernelCode &code, Warp &warp, uint64_t now);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_SPECIALREGISTER_H
