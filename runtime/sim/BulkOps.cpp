//===- BulkOps.cpp - cp.async.bulk ----------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.9.25.4: copies of any multiple of 16 bytes between global
// and shared memory, without tensor maps. Those into shared memory complete
// transactions of an mbarrier, those out of it form groups of their own.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/BulkOps.h"
#include "runtime/sim/AsyncCopies.h"
#include "runtime/sim/Counters.h"
#include "runtime/sim/MbarrierState.h"
#include "runtime/sim/MemoryDecode.h"
#include "runtime/sim/Naming.h"

using namespace girih;
using namespace girih::sim;

namespace {

constexpr unsigned kUnit = 16; ///< sizes and addresses are multiples of it

/// Sources of a copy: destination, source, size, then the mbarrier and the
/// mask of blocks if there are.
constexpr AddressSources kDestination = {0, 1}, kSource = {2, 3};
constexpr unsigned kSize = 4;
constexpr AddressSources kMbarrier = {5, 6};
constexpr unsigned kMulticast = 7;

/// Instruction::variant.
enum Form : uint32_t {
  GlobalToShared,
  SharedToShared,
  SharedToGlobal,
  Multicast ///< global to several blocks' shared memory
};

struct Bulk {
  Space from, to;
};
Bulk spacesOf(const Instruction &instruction) {
  switch (instruction.variant) {
  case SharedToShared:
    return {Space::Shared, Space::SharedCluster};
  case SharedToGlobal:
    return {Space::Shared, Space::Global};
  default:
    return {Space::Global, Space::SharedCluster};
  }
}

bool checkSize(Context &context, unsigned lane, uint64_t bytes) {
  if (bytes % kUnit == 0)
    return true;
  context.fault(FaultKind::IllegalValue, lane, "copies",
                countBytes(bytes) + " in bulk",
                "the size is not a multiple of 16");
  return false;
}

/// One lane's access of a side of a copy; false if it faults.
bool resolveSide(Context &context, unsigned lane, Space space, AccessKind kind,
                 uint64_t address, uint32_t bytes) {
  WarpAccess access;
  access.space = space;
  access.kind = kind;
  access.bytes = bytes;
  access.elementBytes = access.alignment = kUnit;
  access.mask = 1u << lane;
  access.address[lane] = address;
  return context.launch.memorySystem->resolve(context, access) != 0;
}

/// A copy into one block's memory, or to global memory.
void startCopy(Context &context, const Instruction &instruction, unsigned lane,
               AsyncCopy copy, const MbarrierPlace *place) {
  if (!resolveSide(context, lane, copy.destinationSpace, AccessKind::AsyncWrite,
                   copy.destination, copy.bytes))
    return;
  Warp &warp = context.warp;
  copy.statement = instruction.statement;
  copy.isBulk = true;
  copy.group = warp.bulkGroup[lane];
  copy.order = warp.copiesIssued++;
  copy.token = context.launch.checker->beginCopy(context, lane, copy);
  if (!place) {
    warp.copies[lane].push_back(copy);
    return;
  }
  AsyncArrival arrival;
  arrival.warp = &warp;
  arrival.lane = lane;
  arrival.statement = instruction.statement;
  arrival.transactions = copy.bytes;
  arrival.order = warp.copiesIssued;
  arrival.copies.push_back(copy);
  place->barrier->asyncArrivals.push_back(std::move(arrival));
}

/// To the blocks of the mask, each at the same offset of its memory.
void startMulticast(Context &context, const Instruction &instruction,
                    unsigned lane, AsyncCopy copy, uint64_t mbarrier) {
  uint64_t blocks = context.get(instruction.sources[kMulticast], lane);
  for (; blocks; blocks &= blocks - 1) {
    uint64_t window = uint64_t(__builtin_ctzll(blocks) + 1) * kSharedLimit;
    copy.destination = window + copy.destination % kSharedLimit;
    LaneAddresses addresses{};
    addresses[lane] = window + mbarrier % kSharedLimit;
    MbarrierPlaces places;
    if (findMbarriers(context, Space::SharedCluster, addresses, 1u << lane,
                      "completes transactions of", places))
      startCopy(context, instruction, lane, copy, &places[lane]);
  }
}

Outcome copyBulk(Context &context, const Instruction &instruction,
                 uint32_t mask) {
  Bulk spaces = spacesOf(instruction);
  LaneAddresses to, from, mbarriers{};
  gatherAddresses(context, instruction, kDestination, to);
  gatherAddresses(context, instruction, kSource, from);
  MbarrierPlaces places;
  uint32_t good = mask;
  bool hasMbarrier = instruction.variant != SharedToGlobal;
  if (hasMbarrier)
    gatherAddresses(context, instruction, kMbarrier, mbarriers);
  if (hasMbarrier && instruction.variant != Multicast)
    good = findMbarriers(context, Space::SharedCluster, mbarriers, mask,
                         "completes transactions of", places);
  forLanes(good, [&](unsigned lane) {
    uint64_t bytes = context.get(instruction.sources[kSize], lane);
    if (!checkSize(context, lane, bytes) || bytes == 0)
      return;
    if (!resolveSide(context, lane, spaces.from, AccessKind::AsyncRead,
                     from[lane], uint32_t(bytes)))
      return;
    AsyncCopy copy;
    copy.sourceSpace = spaces.from;
    copy.destinationSpace = spaces.to;
    copy.source = from[lane];
    copy.destination = to[lane];
    copy.bytes = copy.sourceBytes = uint32_t(bytes);
    if (instruction.variant == Multicast)
      startMulticast(context, instruction, lane, copy, mbarriers[lane]);
    else
      startCopy(context, instruction, lane, copy,
                hasMbarrier ? &places[lane] : nullptr);
  });
  return Outcome::Next;
}

Outcome commitBulk(Context &context, const Instruction &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) { ++context.warp.bulkGroup[lane]; });
  return Outcome::Next;
}

/// `.read` waits for the sources only; the bytes then move, too.
Outcome waitBulk(Context &context, const Instruction &instruction,
                 uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    int64_t open = context.warp.bulkGroup[lane];
    finishList(context, lane, context.warp.copies[lane],
               [&](const AsyncCopy &copy) {
                 return copy.isBulk && copy.group + instruction.offset < open;
               });
  });
  return Outcome::Next;
}

/// Counted and looked at for bounds; moves nothing.
Outcome prefetchBulk(Context &context, const Instruction &instruction,
                     uint32_t mask) {
  LaneAddresses addresses;
  gatherAddresses(context, instruction.sources[0], instruction.offset,
                  addresses);
  GlobalMemory &memory = *context.launch.memory;
  forLanes(mask, [&](unsigned lane) {
    uint64_t bytes = context.get(instruction.sources[1], lane);
    uint64_t address = addresses[lane];
    if (!checkSize(context, lane, bytes) || bytes == 0)
      return;
    std::string action = "prefetches " + countBytes(bytes);
    GlobalBuffer *buffer = memory.find(address);
    if (!buffer || address - buffer->address + bytes > buffer->bytes)
      return context.fault(FaultKind::OutOfBounds, lane, action,
                           describeGlobal(memory, address, bytes),
                           "no buffer holds these bytes");
    if (address % kUnit != 0)
      return context.fault(FaultKind::Misaligned, lane, action,
                           describeGlobal(memory, address, bytes),
                           "address " + toHex(address) +
                               " is not a multiple of 16");
    if (!context.counters)
      return;
    WarpAccess access;
    access.space = Space::Global;
    access.kind = AccessKind::AsyncRead;
    access.bytes = unsigned(bytes);
    access.address[lane] = address;
    context.counters->access(instruction.statement, access, 1u << lane);
  });
  return Outcome::Next;
}

// Decoding --------------------------------------------------------------------

Status sourceOperand(Decoder &d, size_t index, Type type) {
  auto source = d.source(index, type);
  return source ? Status() : Failure{source.message()};
}

Status decodePrefetch(Decoder &d) {
  if (!d.take("L2") || !d.take("global"))
    return d.fail("the form has to be '.prefetch.L2.global'");
  bool hasPolicy = d.take("L2::cache_hint");
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(2 + hasPolicy); !status)
    return status;
  Space global = Space::Global;
  if (auto address = addressIn(d, 0, global); !address)
    return Failure{address.message()};
  if (Status status = sourceOperand(d, 1, Type::U32); !status)
    return status;
  d.instruction().execute = prefetchBulk;
  return hasPolicy ? policyOperand(d, 2) : Status();
}

Status decodeWait(Decoder &d) {
  d.take("read");
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(1); !status)
    return status;
  Result<int64_t> groups = d.immediate(0);
  if (!groups)
    return Failure{groups.message()};
  if (*groups < 0)
    return d.fail("the number of groups cannot be negative");
  d.instruction().offset = *groups;
  d.instruction().execute = waitBulk;
  return {};
}

/// Spaces and completion: which of the forms.
Result<Form> takeForm(Decoder &d) {
  bool toGlobal = d.take("global");
  bool toCluster = !toGlobal && d.take("shared::cluster");
  if (!toGlobal && !toCluster && !d.take("shared::cta"))
    return d.fail("the destination has to be '.global', '.shared::cta' or "
                  "'.shared::cluster'");
  bool fromGlobal = d.take("global");
  if (!fromGlobal && !d.take("shared::cta"))
    return d.fail("the source has to be '.global' or '.shared::cta'");
  if (toGlobal ? fromGlobal : !toCluster && !fromGlobal)
    return d.fail("there is no bulk copy between these spaces");
  if (toGlobal) {
    if (!d.take("bulk_group"))
      return d.fail("a bulk copy to global memory has to be '.bulk_group'");
    return SharedToGlobal;
  }
  if (!d.take("mbarrier::complete_tx::bytes"))
    return d.fail("a bulk copy to shared memory has to be "
                  "'.mbarrier::complete_tx::bytes'");
  if (!fromGlobal)
    return SharedToShared;
  return toCluster && d.take("multicast::cluster") ? Multicast : GlobalToShared;
}

Status decodeCopy(Decoder &d) {
  Result<Form> form = takeForm(d);
  if (!form)
    return Failure{form.message()};
  bool hasPolicy = d.take("L2::cache_hint");
  if (d.has("cp_mask"))
    return d.fail("masks of bytes are not supported");
  if (Status status = d.finishModifiers(); !status)
    return status;
  bool hasMbarrier = *form != SharedToGlobal;
  size_t count = 3 + hasMbarrier + (*form == Multicast);
  if (Status status = d.expectOperands(count + hasPolicy); !status)
    return status;
  Instruction &instruction = d.instruction();
  instruction.variant = *form;
  Bulk spaces = spacesOf(instruction);
  if (auto address = addressPair(d, 0, spaces.to); !address)
    return Failure{address.message()};
  if (auto address = addressPair(d, 1, spaces.from); !address)
    return Failure{address.message()};
  if (Status status = sourceOperand(d, 2, Type::U32); !status)
    return status;
  if (hasMbarrier) {
    Space shared = Space::SharedCluster;
    if (auto address = addressPair(d, 3, shared); !address)
      return Failure{address.message()};
    d.kernel().hasFineSync = true;
    d.noteAccess(Space::Shared, 8);
  }
  if (*form == Multicast)
    if (Status status = sourceOperand(d, 4, Type::B16); !status)
      return status;
  d.noteAccess(Space::Shared, kUnit);
  d.noteAccess(Space::Global, kUnit);
  instruction.execute = copyBulk;
  return hasPolicy ? policyOperand(d, count) : Status();
}

} // namespace

Status sim::decodeBulk(Decoder &d) {
  d.instruction().category = Category::Async;
  if (d.has("tensor"))
    return d.fail("tensor maps (cp.async.bulk.tensor) are not supported");
  if (d.take("commit_group")) {
    d.instruction().execute = commitBulk;
    return d.expectOperands(0);
  }
  if (d.take("wait_group"))
    return decodeWait(d);
  if (d.take("prefetch"))
    return decodePrefetch(d);
  return decodeCopy(d);
}
