//===- AddressOps.cpp - addresses and cache hints -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.9: cvta, isspacep, prefetch, applypriority, discard,
// createpolicy.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/AddressOps.h"
#include "runtime/sim/LaneOps.h"
#include "runtime/sim/MemoryDecode.h"

#include <cstring>

using namespace girih;
using namespace girih::sim;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Where a space's window begins among generic addresses.
static uint64_t windowOf(Space space) {
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster:
    return kSharedWindow;
  case Space::Local:
    return kLocalWindow;
  case Space::Param:
    return kParamWindow;
  default: // global, const: addresses are the same
    return 0;
  }
}

/// Adds `offset`, all there is to a conversion of addresses. One that does not
/// lie in the window comes out beyond every space's memory.
static Outcome convertAddress(Context &context, const Instruction &instruction,
                              uint32_t mask) {
  const uint64_t *in = context.lanes64(instruction.sources[0]);
  uint64_t *out = context.lanes64(instruction.results[0]);
  forLanes(mask, [&](unsigned lane) {
    out[lane] = in[lane] + uint64_t(instruction.offset);
  });
  return Outcome::Next;
}

Status sim::decodeConvertAddress(Decoder &d) {
  bool to = d.take("to");
  std::optional<Space> space = takeSpace(d);
  if (!space)
    return d.fail("a state space has to be given");
  if (d.take("u32"))
    return d.fail("addresses of 32 bits cannot be generic; use u64");
  if (!d.take("u64"))
    return d.fail("the type has to be u64");
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(2); !status)
    return status;
  if (Status status = realResult(d, 0, Type::U64); !status)
    return status;
  if (auto source = d.source(1, Type::U64); !source)
    return Failure{source.message()};
  Instruction &instruction = d.instruction();
  uint64_t window = windowOf(*space);
  instruction.offset = int64_t(to ? 0 - window : window);
  instruction.execute = convertAddress;
  instruction.category = Category::Integer;
  return {};
}

/// Which block's memory a generic shared address is in; none outside.
static bool isOwnShared(const Context &context, uint64_t offset) {
  uint64_t block = offset / kSharedLimit;
  return block == 0 || block == uint64_t(context.block.rank) + 1;
}

static bool isInSpace(const Context &context, Space space, uint64_t address) {
  uint64_t shared = address - kSharedWindow;
  bool isConstant = false;
  switch (space) {
  case Space::Shared:
    return shared < kWindowBytes && isOwnShared(context, shared);
  case Space::SharedCluster:
    return shared / kSharedLimit <= context.block.cluster->blocks.size();
  case Space::Local:
    return address - kLocalWindow < kWindowBytes;
  case Space::Param:
    return address - kParamWindow < kWindowBytes;
  case Space::Const:
  case Space::Global:
    if (GlobalBuffer *buffer = context.launch.memory->find(address))
      isConstant = buffer->isConstant;
    if (space == Space::Const)
      return isConstant;
    // The window of parameters lies within that of global memory.
    return !isConstant && address >= kParamWindow;
  case Space::Generic:
    break;
  }
  return true;
}

static Outcome testSpace(Context &context, const Instruction &instruction,
                         uint32_t mask) {
  const uint64_t *in = context.lanes64(instruction.sources[0]);
  forLanes(mask, [&](unsigned lane) {
    context.set(instruction.results[0], lane,
                isInSpace(context, instruction.space, in[lane]));
  });
  return Outcome::Next;
}

Status sim::decodeTestSpace(Decoder &d) {
  std::optional<Space> space = takeSpace(d);
  if (!space)
    return d.fail("a state space has to be given");
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(2); !status)
    return status;
  if (auto result = d.predicateResult(d.statement().operands[0]); !result)
    return Failure{result.message()};
  if (auto source = d.source(1, Type::U64); !source)
    return Failure{source.message()};
  d.instruction().space = *space;
  d.instruction().execute = testSpace;
  d.instruction().category = Category::Integer;
  return {};
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

static Outcome doNothing(Context &, const Instruction &, uint32_t) {
  return Outcome::Next;
}

Status sim::decodePrefetch(Decoder &d) {
  if (d.has("tensormap"))
    return d.fail("tensor maps are not supported");
  std::optional<Space> space = takeSpace(d);
  if (space && *space != Space::Global && *space != Space::Local)
    return d.fail("only global and local memory can be prefetched");
  bool hinted = d.takeOneOf({"L1", "L2", "L2::evict_last", "L2::evict_normal"})
                    .has_value();
  if (!hinted)
    return d.fail("a cache has to be given: '.L1' or '.L2'");
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(1); !status)
    return status;
  if (auto address = d.addressSource(0); !address)
    return Failure{address.message()};
  d.instruction().execute = doNothing;
  return {};
}

static constexpr unsigned kCacheLine = 128;

/// `[a], 128` of applypriority and discard.
static Status lineOperands(Decoder &d) {
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(2); !status)
    return status;
  if (auto address = d.addressSource(0); !address)
    return Failure{address.message()};
  Result<int64_t> bytes = d.immediate(1);
  if (!bytes)
    return Failure{bytes.message()};
  if (*bytes != kCacheLine)
    return d.fail("the size has to be 128");
  return {};
}

Status sim::decodePriority(Decoder &d) {
  d.take("global");
  if (!d.take("L2::evict_normal"))
    return d.fail("the priority has to be '.L2::evict_normal'");
  d.instruction().execute = doNothing;
  return lineOperands(d);
}

/// What was there is lost: the line is read as uninitialised from now on.
static Outcome discard(Context &context, const Instruction &instruction,
                       uint32_t mask) {
  WarpAccess access =
      makeWarpAccess(context, instruction, mask, AccessKind::Write);
  access.bytes = kCacheLine;
  access.elementBytes = 16;
  access.counted = false;
  uint32_t good = context.launch.memorySystem->resolve(context, access);
  forLanes(good, [&](unsigned lane) {
    std::memset(access.data[lane], 0xff, kCacheLine);
    GlobalBuffer *buffer = context.launch.memory->find(access.address[lane]);
    if (!buffer || !buffer->initialized)
      return;
    uint64_t first = access.address[lane] - buffer->address;
    buffer->initialized[first / 64].fetch_and(0);
    buffer->initialized[first / 64 + 1].fetch_and(0);
  });
  return Outcome::Next;
}

Status sim::decodeDiscard(Decoder &d) {
  d.take("global");
  if (!d.take("L2"))
    return d.fail("the cache has to be '.L2'");
  Instruction &instruction = d.instruction();
  instruction.space = Space::Global;
  instruction.execute = discard;
  d.noteAccess(Space::Global, 16);
  return lineOperands(d);
}

/// Policies are opaque, and nothing here depends on them.
static constexpr uint64_t kPolicy = 0x10f0000000000000;

static Outcome makePolicy(Context &context, const Instruction &instruction,
                          uint32_t mask) {
  uint64_t *out = context.lanes64(instruction.results[0]);
  forLanes(mask, [&](unsigned lane) { out[lane] = kPolicy; });
  return Outcome::Next;
}

Status sim::decodePolicy(Decoder &d) {
  std::optional<unsigned> kind = d.takeOneOf({"range", "fractional", "cvt"});
  if (!kind)
    return d.fail("the kind has to be '.range', '.fractional' or '.cvt'");
  d.take("global");
  if (*kind == 2)
    d.take("L2");
  else
    while (takeHint(d))
      ;
  if (!d.take("b64"))
    return d.fail("the type has to be b64");
  if (Status status = d.finishModifiers(); !status)
    return status;
  size_t most = *kind == 0 ? 4 : 2;
  if (Status status = d.expectOperands(*kind == 1 ? 1 : most, most); !status)
    return status;
  if (Status status = realResult(d, 0, Type::B64); !status)
    return status;
  size_t count = d.statement().operands.size();
  static constexpr Type kTypes[3][3] = {
      {Type::B64, Type::U32, Type::U32}, {Type::F32}, {Type::B64}};
  for (size_t i = 1; i < count; ++i) {
    auto source = *kind == 0 && i == 1 ? d.addressSource(i)
                                       : d.source(i, kTypes[*kind][i - 1]);
    if (!source)
      return Failure{source.message()};
  }
  d.instruction().execute = makePolicy;
  d.instruction().category = Category::Integer;
  return {};
}
