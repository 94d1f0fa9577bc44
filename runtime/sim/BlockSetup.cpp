//===- BlockSetup.cpp - clusters come and go ------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Checker.h"
#include "runtime/sim/Scheduler.h"
#include "runtime/sim/SpecialRegister.h"

#include <algorithm>
#include <cstring>

using namespace girih;
using namespace girih::sim;

/// Host memory for the state of blocks that run at the same time.
static constexpr uint64_t kResidentBytes = uint64_t(1) << 30;
/// A warp's list of fragments never grows beyond this: at most 32 have lanes,
/// and as many may have lost theirs since the list was last tidied.
static constexpr size_t kMostFragments = 2 * kLanes + 8;

/// Blocks that talk to each other are all there at the same time, as many as a
/// card would hold; others run one cluster after the other.
uint64_t Worker::findResidentLimit() const {
  const KernelCode &code = *launch.code;
  if (!code.blocksCommunicate)
    return 1;
  uint64_t warps = (launch.threads + kLanes - 1) / kLanes;
  uint64_t blockBytes = warps * (uint64_t(code.registerBytes) + sizeof(Warp) +
                                 kMostFragments * sizeof(Fragment) +
                                 uint64_t(code.localBytes) * kLanes * 2) +
                        uint64_t(launch.sharedBytes) * 4;
  uint64_t clusterBytes =
      blockBytes * launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  uint64_t most = 2 * uint64_t(countMultiprocessors(launch));
  return std::max<uint64_t>(1, std::min(most, kResidentBytes / clusterBytes));
}

std::unique_ptr<Warp> Worker::makeWarp(Block &block, uint32_t index) {
  const KernelCode &code = *launch.code;
  auto warp = std::make_unique<Warp>();
  warp->block = &block;
  warp->index = index;
  uint32_t threads = std::min(launch.threads - index * kLanes, kLanes);
  warp->exists = threads == kLanes ? kAllLanes : (1u << threads) - 1;
  warp->live = warp->exists;
  warp->fragments.reserve(kMostFragments);
  Fragment all;
  all.mask = warp->live;
  warp->fragments.push_back(all);
  if (spareFiles.empty()) {
    warp->file.reset(new uint8_t[code.registerBytes + 1]);
  } else {
    warp->file = std::move(spareFiles.back());
    spareFiles.pop_back();
  }
  // Narrow registers rely on zeros above their width.
  std::memset(warp->file.get(), 0, code.registerBytes);
  warp->written.assign(code.registerSlots.size(), 0);
  warp->local.assign(size_t(code.localBytes) * kLanes, 0);
  warp->localInitialized.assign(size_t(code.localBytes) * kLanes, 0);
  fillSpecials(launch, *warp);
  return warp;
}

std::unique_ptr<Block> Worker::makeBlock(Cluster &cluster, uint32_t rank,
                                         std::array<uint32_t, 3> index) {
  auto block = std::make_unique<Block>();
  block->launch = &launch;
  block->cluster = &cluster;
  block->rank = rank;
  block->index = index;
  block->linear =
      index[0] + launch.grid[0] * (index[1] + launch.grid[1] * index[2]);
  block->liveThreads = launch.threads;
  // Not zero: what a kernel reads without having written should show.
  block->shared.assign(launch.sharedBytes, 0xff);
  for (uint32_t i = 0; i * kLanes < launch.threads; ++i)
    block->warps.push_back(makeWarp(*block, i));
  launch.checker->startBlock(*block);
  return block;
}

std::unique_ptr<Cluster> Worker::makeCluster(uint64_t number) {
  auto cluster = std::make_unique<Cluster>();
  const std::array<uint32_t, 3> &size = launch.cluster;
  std::array<uint64_t, 3> count;
  for (unsigned axis = 0; axis < 3; ++axis)
    count[axis] = launch.grid[axis] / size[axis];
  std::array<uint64_t, 3> at = {number % count[0], number / count[0] % count[1],
                                number / count[0] / count[1]};
  uint32_t rank = 0;
  for (uint32_t z = 0; z < size[2]; ++z)
    for (uint32_t y = 0; y < size[1]; ++y)
      for (uint32_t x = 0; x < size[0]; ++x) {
        std::array<uint32_t, 3> index = {uint32_t(at[0] * size[0] + x),
                                         uint32_t(at[1] * size[1] + y),
                                         uint32_t(at[2] * size[2] + z)};
        cluster->blocks.push_back(makeBlock(*cluster, rank++, index));
      }
  if (counters)
    counters->blocks += cluster->blocks.size();
  return cluster;
}

void Worker::recycle(Cluster &cluster) {
  for (std::unique_ptr<Block> &block : cluster.blocks)
    for (std::unique_ptr<Warp> &warp : block->warps)
      spareFiles.push_back(std::move(warp->file));
}
