//===- TargetFields.cpp - a target's figures by name ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/target/TargetFields.h"

#include <type_traits>

namespace girih::target {

template <auto Member> static double get(const GpuTarget &target) {
  return double(target.*Member);
}
template <auto Member> static void set(GpuTarget &target, double value) {
  using Type = std::remove_reference_t<decltype(target.*Member)>;
  target.*Member = Type(value);
}

#define GIRIH_FIELD(member, isInteger, least, most, mayBeZero, meaning)        \
  {                                                                            \
#member, meaning, isInteger, least, most, mayBeZero,                       \
        get < &GpuTarget::member>, set < &GpuTarget::member>                   \
  }

const std::vector<TargetField> &targetFields() {
  static const std::vector<TargetField> fields = {
      GIRIH_FIELD(multiprocessors, true, 1, 4096, false, "a count"),
      GIRIH_FIELD(warpSize, true, 32, 32, false, "threads in a warp"),
      GIRIH_FIELD(maxThreadsPerBlock, true, 32, 1024, false, "threads"),
      GIRIH_FIELD(maxThreadsPerMultiprocessor, true, 32, 4096, false,
                  "threads"),
      GIRIH_FIELD(maxBlocksPerMultiprocessor, true, 1, 64, false, "blocks"),
      GIRIH_FIELD(registersPerMultiprocessor, true, 1024, 1 << 20, false,
                  "registers of 32 bits"),
      GIRIH_FIELD(maxRegistersPerThread, true, 16, 255, false, "registers"),
      GIRIH_FIELD(registerGranularity, true, 1, 4096, false,
                  "registers, the unit in which a warp gets them"),
      GIRIH_FIELD(sharedBytesPerMultiprocessor, true, 1024, 1 << 24, false,
                  "bytes"),
      GIRIH_FIELD(maxSharedBytesPerBlock, true, 1024, 1 << 24, false,
                  "bytes, with opt-in"),
      GIRIH_FIELD(reservedSharedBytesPerBlock, true, 1, 1 << 16, true,
                  "bytes that the system keeps of each block"),
      GIRIH_FIELD(sharedGranularity, true, 1, 4096, false,
                  "bytes, the unit in which a block gets them"),
      GIRIH_FIELD(sharedBanks, true, 1, 256, false, "banks"),
      GIRIH_FIELD(sharedBankBytes, true, 1, 64, false,
                  "bytes that a bank gives in a clock"),
      GIRIH_FIELD(l2Bytes, true, 1 << 16, 1e11, false, "bytes"),
      GIRIH_FIELD(dramBandwidth, false, 1e9, 1e15, false, "bytes a second"),
      GIRIH_FIELD(readBandwidth, false, 1e9, 1e15, true,
                  "bytes a second that reads reach; 0: dramBandwidth"),
      GIRIH_FIELD(writeBandwidth, false, 1e9, 1e15, true,
                  "bytes a second that writes reach; 0: dramBandwidth"),
      GIRIH_FIELD(l2Bandwidth, false, 1e9, 1e16, true, "bytes a second"),
      GIRIH_FIELD(hostBandwidth, false, 1e8, 1e13, true,
                  "bytes a second, each way"),
      GIRIH_FIELD(memoryLatency, false, 1e-9, 1e-4, false,
                  "seconds of a read under load"),
      GIRIH_FIELD(launchTime, false, 1e-8, 1e-2, true,
                  "seconds of a kernel that does nothing"),
      GIRIH_FIELD(blockTime, false, 1e-12, 1e-6, true,
                  "seconds that the start of one more block takes"),
      GIRIH_FIELD(fp32Flops, false, 1e9, 1e18, false, "FLOP a second"),
      GIRIH_FIELD(clock, false, 1e8, 1e10, false, "Hz"),
      GIRIH_FIELD(copyEngines, true, 1, 64, true, "engines"),
      GIRIH_FIELD(maxClusterBlocks, true, 1, 64, true,
                  "blocks of a cluster; 0: there are none"),
  };
  return fields;
}

#undef GIRIH_FIELD

std::string contradictionIn(const GpuTarget &t) {
  auto pair = [](const char *a, uint64_t x, const char *b, uint64_t y) {
    return std::string(a) + " (" + std::to_string(x) + ") is more than " + b +
           " (" + std::to_string(y) + ")";
  };
  if (t.maxThreadsPerBlock > t.maxThreadsPerMultiprocessor)
    return pair("maxThreadsPerBlock", t.maxThreadsPerBlock,
                "maxThreadsPerMultiprocessor", t.maxThreadsPerMultiprocessor);
  uint64_t most =
      uint64_t(t.maxSharedBytesPerBlock) + t.reservedSharedBytesPerBlock;
  if (most > t.sharedBytesPerMultiprocessor)
    return pair("maxSharedBytesPerBlock with reservedSharedBytesPerBlock", most,
                "sharedBytesPerMultiprocessor", t.sharedBytesPerMultiprocessor);
  if (t.readBandwidth > t.dramBandwidth)
    return pair("readBandwidth", uint64_t(t.readBandwidth), "dramBandwidth",
                uint64_t(t.dramBandwidth));
  if (t.writeBandwidth > t.dramBandwidth)
    return pair("writeBandwidth", uint64_t(t.writeBandwidth), "dramBandwidth",
                uint64_t(t.dramBandwidth));
  for (const ClusterCount &count : t.clusters) {
    if (count.size > t.maxClusterBlocks)
      return pair("a cluster's size", count.size, "maxClusterBlocks",
                  t.maxClusterBlocks);
    if (uint64_t(count.size) * count.resident > t.multiprocessors)
      return pair("blocks of resident clusters",
                  uint64_t(count.size) * count.resident, "multiprocessors",
                  t.multiprocessors);
  }
  return "";
}

} // namespace girih::target
