//===- ClusterOps.cpp - addresses of other blocks' memory -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.9.23 (mapa) and 9.7.9.24 (getctarank).
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"
#include "runtime/sim/MemoryDecode.h"
#include "runtime/sim/Naming.h"

using namespace girih;
using namespace girih::sim;

namespace {

/// Generic addresses have to lie in the window of shared memory.
uint64_t windowOf(const Instruction &instruction) {
  return instruction.space == Space::Generic ? kSharedWindow : 0;
}

/// False where `address` is not one of the cluster's shared memory.
bool checkShared(Context &context, const Instruction &instruction,
                 unsigned lane, uint64_t address) {
  uint64_t blocks = context.block.cluster->blocks.size();
  if ((address - windowOf(instruction)) / kSharedLimit <= blocks)
    return true;
  context.fault(FaultKind::WrongSpace, lane, "maps",
                "address " + toHex(address),
                instruction.space == Space::Generic
                    ? "it is no generic address of shared memory"
                    : "it is no address of the cluster's shared memory");
  return false;
}

Outcome mapAddress(Context &context, const Instruction &instruction,
                   uint32_t mask) {
  uint64_t blocks = context.block.cluster->blocks.size();
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = context.get(instruction.sources[0], lane);
    uint64_t rank = context.get(instruction.sources[1], lane);
    if (!checkShared(context, instruction, lane, address))
      return context.set(instruction.results[0], lane, 0);
    if (rank >= blocks)
      context.fault(FaultKind::IllegalValue, lane, "maps",
                    "block of rank " + std::to_string(rank),
                    "the cluster has " + std::to_string(blocks) +
                        (blocks == 1 ? " block" : " blocks"));
    context.set(instruction.results[0], lane,
                windowOf(instruction) + (rank + 1) * kSharedLimit +
                    address % kSharedLimit);
  });
  return Outcome::Next;
}

Outcome rankOfAddress(Context &context, const Instruction &instruction,
                      uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = context.get(instruction.sources[0], lane);
    uint64_t rank = context.block.rank;
    if (checkShared(context, instruction, lane, address))
      if (uint64_t window = (address - windowOf(instruction)) / kSharedLimit)
        rank = window - 1;
    context.set(instruction.results[0], lane, rank);
  });
  return Outcome::Next;
}

/// `{.shared::cluster}.type`: the type of the address.
Result<Type> takeForm(Decoder &d) {
  d.instruction().space =
      d.take("shared::cluster") ? Space::SharedCluster : Space::Generic;
  std::optional<unsigned> type = d.takeOneOf({"u32", "u64"});
  if (!type)
    return d.fail("the type has to be u32 or u64");
  if (*type == 0 && d.instruction().space == Space::Generic)
    return d.fail("addresses of 32 bits cannot be generic; use u64");
  // A block's threads can now reach one another's memory.
  d.kernel().hasFineSync = true;
  d.instruction().category = Category::Integer;
  return *type == 0 ? Type::U32 : Type::U64;
}

Status decodeMap(Decoder &d) {
  Result<Type> type = takeForm(d);
  if (!type)
    return Failure{type.message()};
  d.instruction().execute = mapAddress;
  return plainOperands(d, *type, {*type, Type::U32});
}

Status decodeRank(Decoder &d) {
  Result<Type> type = takeForm(d);
  if (!type)
    return Failure{type.message()};
  d.instruction().execute = rankOfAddress;
  return plainOperands(d, Type::U32, {*type});
}

constexpr OpcodeRow kRows[] = {{"mapa", decodeMap}, {"getctarank", decodeRank}};

} // namespace

const std::span<const OpcodeRow> sim::kClusterRows = kRows;
