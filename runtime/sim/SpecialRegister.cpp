//===- SpecialRegister.cpp - %tid, %laneid and the like -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/SpecialRegister.h"
#include "compiler/target/GpuTarget.h"
#include "runtime/sim/Machine.h"

using namespace girih;
using namespace girih::sim;

namespace {

struct SpecialRow {
  std::string_view name;
  SpecialRegister special;
};

/// Those without .x .y .z.
constexpr SpecialRow kPlain[] = {
    {"%laneid", {SpecialId::LaneId, 0, 32}},
    {"%warpid", {SpecialId::WarpId, 0, 32}},
    {"%nwarpid", {SpecialId::NWarpId, 0, 32}},
    {"%smid", {SpecialId::SmId, 0, 32}},
    {"%nsmid", {SpecialId::NSmId, 0, 32}},
    {"%gridid", {SpecialId::GridId, 0, 64}},
    {"%lanemask_eq", {SpecialId::LaneMaskEq, 0, 32}},
    {"%lanemask_le", {SpecialId::LaneMaskLe, 0, 32}},
    {"%lanemask_lt", {SpecialId::LaneMaskLt, 0, 32}},
    {"%lanemask_ge", {SpecialId::LaneMaskGe, 0, 32}},
    {"%lanemask_gt", {SpecialId::LaneMaskGt, 0, 32}},
    {"%cluster_ctarank", {SpecialId::ClusterCtaRank, 0, 32}},
    {"%cluster_nctarank", {SpecialId::ClusterNCtaRank, 0, 32}},
    {"%is_explicit_cluster", {SpecialId::IsExplicitCluster, 0, 1}},
    {"%dynamic_smem_size", {SpecialId::DynamicSharedSize, 0, 32}},
    {"%total_smem_size", {SpecialId::TotalSharedSize, 0, 32}},
    {"%aggr_smem_size", {SpecialId::TotalSharedSize, 0, 32}},
    {"%clock", {SpecialId::Clock, 0, 32}},
    {"%clock_hi", {SpecialId::Clock, 1, 32}},
    {"%clock64", {SpecialId::Clock, 2, 64}},
    {"%globaltimer_lo", {SpecialId::GlobalTime, 0, 32}},
    {"%globaltimer_hi", {SpecialId::GlobalTime, 1, 32}},
    {"%globaltimer", {SpecialId::GlobalTime, 2, 64}},
    {"WARP_SZ", {SpecialId::WarpSize, 0, 32}},
};

/// Those with .x .y .z.
constexpr SpecialRow kAxes[] = {
    {"%tid", {SpecialId::Tid, 0, 32}},
    {"%ntid", {SpecialId::NTid, 0, 32}},
    {"%ctaid", {SpecialId::CtaId, 0, 32}},
    {"%nctaid", {SpecialId::NCtaId, 0, 32}},
    {"%clusterid", {SpecialId::ClusterId, 0, 32}},
    {"%nclusterid", {SpecialId::NClusterId, 0, 32}},
    {"%cluster_ctaid", {SpecialId::ClusterCtaId, 0, 32}},
    {"%cluster_nctaid", {SpecialId::ClusterNCtaId, 0, 32}},
};

/// `%pm3`, `%pm3_64`, `%envreg17`: the number behind the prefix, or nothing.
std::optional<unsigned> numbered(std::string_view name, std::string_view prefix,
                                 std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size() ||
      name.substr(0, prefix.size()) != prefix ||
      name.substr(name.size() - suffix.size()) != suffix)
    return std::nullopt;
  unsigned value = 0;
  for (char c : name.substr(prefix.size(),
                            name.size() - prefix.size() - suffix.size())) {
    if (c < '0' || c > '9' || value > 99)
      return std::nullopt;
    value = value * 10 + unsigned(c - '0');
  }
  return value;
}

/// Coordinates of a thread in its block; lanes beyond the last thread count on.
uint32_t threadIndex(const Launch &launch, uint32_t thread, unsigned axis) {
  if (axis == 0)
    return thread % launch.block[0];
  uint32_t rest = thread / launch.block[0];
  return axis == 1 ? rest % launch.block[1] : rest / launch.block[1];
}

uint32_t laneMask(SpecialId id, unsigned lane) {
  uint32_t equal = 1u << lane, below = equal - 1;
  switch (id) {
  case SpecialId::LaneMaskEq:
    return equal;
  case SpecialId::LaneMaskLe:
    return below | equal;
  case SpecialId::LaneMaskLt:
    return below;
  case SpecialId::LaneMaskGe:
    return ~below;
  default:
    return ~(below | equal);
  }
}

/// What is the same for every lane of a warp.
uint64_t uniformValue(const Launch &launch, const Warp &warp,
                      SpecialRegister special, unsigned axis) {
  const Block &block = *warp.block;
  uint32_t inCluster = launch.cluster[axis];
  uint32_t clusterSize =
      launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  switch (special.id) {
  case SpecialId::NTid:
    return launch.block[axis];
  case SpecialId::CtaId:
    return block.index[axis];
  case SpecialId::NCtaId:
    return launch.grid[axis];
  case SpecialId::WarpId:
    return warp.index;
  case SpecialId::NWarpId:
    return (launch.threads + kLanes - 1) / kLanes;
  case SpecialId::SmId:
    return block.linear / clusterSize % countMultiprocessors(launch);
  case SpecialId::NSmId:
    return countMultiprocessors(launch);
  case SpecialId::GridId:
    return launch.number;
  case SpecialId::ClusterId:
    return block.index[axis] / inCluster;
  case SpecialId::NClusterId:
    return launch.grid[axis] / inCluster;
  case SpecialId::ClusterCtaId:
    return block.index[axis] % inCluster;
  case SpecialId::ClusterNCtaId:
    return inCluster;
  case SpecialId::ClusterCtaRank:
    return block.rank;
  case SpecialId::ClusterNCtaRank:
    return clusterSize;
  case SpecialId::IsExplicitCluster:
    return launch.code->syntax->explicitCluster || clusterSize > 1;
  case SpecialId::DynamicSharedSize:
    return launch.dynamicSharedBytes;
  case SpecialId::TotalSharedSize:
    return launch.sharedBytes;
  default:
    return 0;
  }
}

uint64_t valueOf(const Launch &launch, const Warp &warp,
                 SpecialRegister special, unsigned lane) {
  unsigned axis = special.axis;
  switch (special.id) {
  case SpecialId::Tid:
    return threadIndex(launch, warp.thread(lane), axis);
  case SpecialId::LaneId:
    return lane;
  case SpecialId::LaneMaskEq:
  case SpecialId::LaneMaskLe:
  case SpecialId::LaneMaskLt:
  case SpecialId::LaneMaskGe:
  case SpecialId::LaneMaskGt:
    return laneMask(special.id, lane);
  default:
    return uniformValue(launch, warp, special, axis);
  }
}

void store(Warp &warp, const Slot &slot, unsigned lane, uint64_t value) {
  uint8_t *bank = warp.file.get() + slot.offset;
  if (slot.bits == 64) {
    reinterpret_cast<uint64_t *>(bank)[lane] = value;
    return;
  }
  uint32_t *lanes = reinterpret_cast<uint32_t *>(bank);
  if (slot.bits == 1)
    lanes[0] = value ? lanes[0] | 1u << lane : lanes[0] & ~(1u << lane);
  else
    lanes[lane] =
        uint32_t(value) & (slot.bits == 32 ? ~0u : (1u << slot.bits) - 1);
}

/// The keys of KernelCode::specials may end in the width they are read with.
std::string_view nameOfKey(std::string_view key) {
  return key.substr(0, key.find(':'));
}

} // namespace

std::optional<SpecialRegister> sim::findSpecial(std::string_view name) {
  for (const SpecialRow &row : kPlain)
    if (row.name == name)
      return row.special;
  for (const SpecialRow &row : kAxes) {
    if (name.size() != row.name.size() + 2 ||
        name.substr(0, row.name.size()) != row.name ||
        name[row.name.size()] != '.')
      continue;
    size_t axis = std::string_view("xyzw").find(name.back());
    if (axis == std::string_view::npos)
      return std::nullopt;
    SpecialRegister special = row.special;
    special.axis = uint8_t(axis);
    if (axis == 3) // .w always reads 0
      special.id = SpecialId::Zero;
    return special;
  }
  if (std::optional<unsigned> number = numbered(name, "%pm", "_64");
      number && *number < 8)
    return SpecialRegister{SpecialId::Zero, 0, 64};
  if (std::optional<unsigned> number = numbered(name, "%pm", "");
      number && *number < 8)
    return SpecialRegister{SpecialId::Zero, 0, 32};
  if (std::optional<unsigned> number = numbered(name, "%envreg", "");
      number && *number < 32)
    return SpecialRegister{SpecialId::Zero, 0, 32};
  return std::nullopt;
}

unsigned sim::countMultiprocessors(const Launch &launch) {
  std::optional<target::GpuTarget> card =
      target::findTarget("sm_" + std::to_string(launch.capability));
  return card ? card->multiprocessors : 132;
}

void sim::fillSpecials(const Launch &launch, Warp &warp) {
  for (const auto &[key, slot] : launch.code->specials)
    if (std::optional<SpecialRegister> special = findSpecial(nameOfKey(key));
        special && special->id != SpecialId::Zero && !special->isClock())
      for (unsigned lane = 0; lane < kLanes; ++lane)
        store(warp, slot, lane, valueOf(launch, warp, *special, lane));
}

void sim::setClocks(const KernelCode &code, Warp &warp, uint64_t now) {
  for (const auto &[key, slot] : code.specials) {
    std::optional<SpecialRegister> special = findSpecial(nameOfKey(key));
    if (!special || !special->isClock())
      continue;
    uint64_t value = special->axis == 1 ? now >> 32 : now;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      store(warp, slot, lane, value);
  }
}
