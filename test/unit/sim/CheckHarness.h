//===- CheckHarness.h - blocks made by hand ------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch whose threads do what a test says, one access after the other,
// without any code. Instruction numbers stand for themselves.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_SIM_CHECKHARNESS_H
#define GIRIH_TEST_UNIT_SIM_CHECKHARNESS_H

#include "runtime/sim/Checker.h"
#include "runtime/sim/MemorySystem.h"

#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace girih::sim::test {

struct CheckSetup {
  uint32_t clusters = 1, ranks = 1, threads = 64;
  uint32_t sharedBytes = 256;
  uint32_t localBytes = 0;
  uint8_t granule = 4;
  bool fine = true, communicate = false, checks = true;
  unsigned faultLimit = 1000;
};

class HandMade {
public:
  explicit HandMade(const CheckSetup &setup) : faults(setup.faultLimit) {
    code.sharedGranule = code.globalGranule = setup.granule;
    code.hasFineSync = setup.fine;
    code.blocksCommunicate = setup.communicate;
    code.localBytes = setup.localBytes;
    code.instructions.resize(1000);
    launch.code = &code;
    launch.grid = {setup.clusters * setup.ranks, 1, 1};
    launch.cluster = {setup.ranks, 1, 1};
    launch.block = {setup.threads, 1, 1};
    launch.threads = setup.threads;
    launch.sharedBytes = setup.sharedBytes;
    launch.memory = &memory;
    launch.faults = &faults;
  }
  /// After buffers were made.
  void start(const CheckSetup &setup) {
    checker = std::make_unique<Checker>(launch, setup.checks);
    memorySystem = std::make_unique<MemorySystem>(launch);
    launch.checker = checker.get();
    launch.memorySystem = memorySystem.get();
    for (uint32_t number = 0; number < setup.clusters; ++number) {
      clusters.push_back(std::make_unique<Cluster>());
      for (uint32_t rank = 0; rank < setup.ranks; ++rank)
        addBlock(*clusters.back(), number * setup.ranks + rank, rank);
    }
  }

  Block &block(uint32_t linear) {
    uint32_t ranks = launch.cluster[0];
    return *clusters[linear / ranks]->blocks[linear % ranks];
  }

  /// `pc`: the instruction's number in reports.
  uint32_t resolve(uint32_t linear, uint32_t warp, uint32_t pc,
                   WarpAccess &access) {
    Fragment fragment;
    fragment.pc = pc;
    fragment.mask = access.mask;
    Context context{launch, block(linear), *block(linear).warps[warp], fragment,
                    nullptr};
    return memorySystem->resolve(context, access);
  }
  /// One thread's access.
  bool touch(uint32_t linear, uint32_t thread, uint32_t pc, AccessKind kind,
             Space space, uint64_t address, unsigned bytes = 4,
             Order order = Order::Weak, Scope scope = Scope::Gpu) {
    WarpAccess access;
    access.space = space;
    access.kind = kind;
    access.order = order;
    access.scope = scope;
    access.bytes = access.elementBytes = bytes;
    access.mask = 1u << thread % kLanes;
    access.address[thread % kLanes] = address;
    return resolve(linear, thread / kLanes, pc, access) != 0;
  }
  bool read(uint32_t linear, uint32_t thread, uint32_t pc, uint64_t address) {
    return touch(linear, thread, pc, AccessKind::Read, spaceOf(address),
                 address);
  }
  bool write(uint32_t linear, uint32_t thread, uint32_t pc, uint64_t address) {
    return touch(linear, thread, pc, AccessKind::Write, spaceOf(address),
                 address);
  }
  void barrier(uint32_t linear) {
    std::vector<uint32_t> all(launch.threads);
    std::iota(all.begin(), all.end(), 0);
    checker->barrier(block(linear), all, all);
  }

  uint64_t beginCopy(uint32_t linear, uint32_t thread, const AsyncCopy &copy) {
    return withContext(linear, thread, copy.statement, [&](Context &context) {
      return checker->beginCopy(context, thread % kLanes, copy);
    });
  }
  void endCopy(uint32_t linear, uint32_t thread, const AsyncCopy &copy) {
    withContext(linear, thread, copy.statement, [&](Context &context) {
      checker->endCopy(context, thread % kLanes, copy);
      return uint64_t(0);
    });
  }

  /// The only fault there is.
  Fault only() const {
    std::vector<FaultLog::Entry> all = faults.entries();
    return all.size() == 1 ? all[0].fault : Fault();
  }
  static Space spaceOf(uint64_t address) {
    return address >> kBufferShift ? Space::Global : Space::SharedCluster;
  }

  KernelCode code;
  Launch launch;
  GlobalMemory memory;
  FaultLog faults;
  std::unique_ptr<Checker> checker;
  std::unique_ptr<MemorySystem> memorySystem;
  std::vector<std::unique_ptr<Cluster>> clusters;

private:
  template <typename F>
  uint64_t withContext(uint32_t linear, uint32_t thread, uint32_t pc, F &&f) {
    Fragment fragment;
    fragment.pc = pc;
    Context context{launch, block(linear),
                    *block(linear).warps[thread / kLanes], fragment, nullptr};
    return f(context);
  }

  void addBlock(Cluster &cluster, uint32_t linear, uint32_t rank) {
    auto block = std::make_unique<Block>();
    block->launch = &launch;
    block->cluster = &cluster;
    block->linear = linear;
    block->rank = rank;
    block->liveThreads = launch.threads;
    block->shared.assign(launch.sharedBytes, 0xff);
    for (uint32_t first = 0; first < launch.threads; first += kLanes) {
      auto warp = std::make_unique<Warp>();
      uint32_t lanes = std::min(launch.threads - first, kLanes);
      warp->block = block.get();
      warp->index = first / kLanes;
      warp->exists = warp->live =
          lanes == kLanes ? kAllLanes : (1u << lanes) - 1;
      warp->local.assign(size_t(code.localBytes) * kLanes, 0xff);
      warp->localInitialized.assign(size_t(code.localBytes) * kLanes, 0);
      block->warps.push_back(std::move(warp));
    }
    checker->startBlock(*block);
    cluster.blocks.push_back(std::move(block));
  }
};

} // namespace girih::sim::test

#endif // GIRIH_TEST_UNIT_SIM_CHECKHARNESS_H
