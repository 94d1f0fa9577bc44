//===- AsyncOps.cpp - cp.async and its groups -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.9.25.3. The bulk forms are in BulkOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/AsyncCopies.h"
#include "runtime/sim/BulkOps.h"
#include "runtime/sim/MbarrierState.h"
#include "runtime/sim/MemoryDecode.h"
#include "runtime/sim/Naming.h"

#include <cstring>

using namespace girih;
using namespace girih::sim;

// Copies ----------------------------------------------------------------------

static uint8_t *bytesAt(Context &context, Space space, uint64_t address) {
  if (space == Space::Global) {
    GlobalBuffer *buffer = context.launch.memory->find(address);
    return buffer->data.get() + (address - buffer->address);
  }
  uint32_t offset = 0;
  Block *owner = MemorySystem::sharedBlock(context, space, address, offset);
  return owner->shared.data() + offset;
}

void sim::finishCopy(Context &context, unsigned lane, const AsyncCopy &copy) {
  uint8_t *to = bytesAt(context, copy.destinationSpace, copy.destination);
  if (copy.sourceBytes)
    std::memcpy(to, bytesAt(context, copy.sourceSpace, copy.source),
                copy.sourceBytes);
  std::memset(to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  context.launch.checker->endCopy(context, lane, copy);
}

namespace {

/// Instruction::variant: what the operand behind the size says.
enum SizeOperand : uint32_t {
  WholeSize,
  SourceSize,   ///< bytes to read, the rest is zero
  IgnoreSource, ///< true: all is zero
  KeepSource    ///< !p
};

/// Sources: destination, its offset, source, its offset, the size operand.
constexpr AddressSources kDestination = {0, 1}, kSource = {2, 3};
constexpr unsigned kSize = 4;

/// Bytes that the lane reads.
uint32_t sourceBytes(Context &context, const Instruction &instruction,
                     unsigned lane) {
  uint32_t bytes = instruction.elementBytes;
  if (instruction.variant == WholeSize)
    return bytes;
  uint64_t operand = context.get(instruction.sources[kSize], lane);
  if (instruction.variant != SourceSize)
    return (operand != 0) == (instruction.variant == IgnoreSource) ? 0 : bytes;
  if (operand <= bytes)
    return uint32_t(operand);
  context.fault(FaultKind::IllegalValue, lane, "copies",
                "the size of the source",
                "it is " + std::to_string(operand) + " of a copy of " +
                    std::to_string(bytes) + " bytes");
  return bytes;
}

/// Lanes whose source can be read; each may have its own size.
uint32_t resolveSources(Context &context, const Instruction &instruction,
                        WarpAccess &read, uint32_t mask,
                        const std::array<uint32_t, kLanes> &bytes) {
  uint32_t good = 0;
  for (uint32_t rest = mask; rest;) {
    uint32_t size = bytes[unsigned(__builtin_ctz(rest))], same = 0;
    forLanes(rest, [&](unsigned lane) {
      same |= uint32_t(bytes[lane] == size) << lane;
    });
    rest &= ~same;
    if (size == 0) { // nothing is read: the address may be any
      good |= same;
      continue;
    }
    read.bytes = size;
    read.elementBytes = size == instruction.elementBytes ? size : 1;
    read.alignment = instruction.elementBytes;
    read.mask = same;
    good |= context.launch.memorySystem->resolve(context, read);
  }
  return good;
}

Outcome copyAsync(Context &context, const Instruction &instruction,
                  uint32_t mask) {
  WarpAccess write, read;
  write.space = Space::Shared;
  write.kind = AccessKind::AsyncWrite;
  write.bytes = write.elementBytes = instruction.elementBytes;
  write.mask = mask;
  gatherAddresses(context, instruction, kDestination, write.address);
  read.space = Space::Global;
  read.kind = AccessKind::AsyncRead;
  gatherAddresses(context, instruction, kSource, read.address);
  std::array<uint32_t, kLanes> bytes{};
  forLanes(mask, [&](unsigned lane) {
    bytes[lane] = sourceBytes(context, instruction, lane);
  });
  uint32_t good = context.launch.memorySystem->resolve(context, write);
  good = resolveSources(context, instruction, read, good, bytes);
  Warp &warp = context.warp;
  forLanes(good, [&](unsigned lane) {
    AsyncCopy copy;
    copy.statement = instruction.statement;
    copy.group = warp.group[lane];
    copy.order = warp.copiesIssued++;
    copy.destination = write.address[lane];
    copy.source = read.address[lane];
    copy.bytes = instruction.elementBytes;
    copy.sourceBytes = bytes[lane];
    copy.token = context.launch.checker->beginCopy(context, lane, copy);
    warp.copies[lane].push_back(copy);
  });
  return Outcome::Next;
}

Outcome commitGroup(Context &context, const Instruction &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) { ++context.warp.group[lane]; });
  return Outcome::Next;
}

/// `offset`: groups that may stay under way, the latest ones.
Outcome waitGroup(Context &context, const Instruction &instruction,
                  uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    int64_t open = context.warp.group[lane];
    finishCopies(context, lane, [&](const AsyncCopy &copy) {
      return !copy.isBulk && copy.group + instruction.offset < open;
    });
  });
  return Outcome::Next;
}

/// What is open is waited for, too. It would be committed, which nothing after
/// that can tell.
Outcome waitAll(Context &context, const Instruction &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    finishCopies(context, lane,
                 [](const AsyncCopy &copy) { return !copy.isBulk; });
  });
  return Outcome::Next;
}

/// The thread's copies go to the mbarrier, which hears of their completion.
/// Without .noinc that arrival is one more than expected, so that the count
/// does not change.
template <bool increments>
Outcome arriveAsync(Context &context, const Instruction &instruction,
                    uint32_t mask) {
  LaneAddresses addresses;
  gatherAddresses(context, instruction.sources[0], instruction.offset,
                  addresses);
  MbarrierPlaces places;
  uint32_t good = findMbarriers(context, instruction.space, addresses, mask,
                                "arrives at", places);
  forLanes(good, [&](unsigned lane) {
    Mbarrier &barrier = *places[lane].barrier;
    if (increments) {
      if (barrier.pending >= kMbarrierLimit)
        return faultMbarrier(context, lane, places[lane], "arrives at",
                             "its pending count is at the limit of " +
                                 std::to_string(kMbarrierLimit));
      ++barrier.pending;
      markMbarrier(places[lane]);
    }
    AsyncArrival arrival;
    arrival.warp = &context.warp;
    arrival.lane = lane;
    arrival.statement = instruction.statement;
    arrival.arrives = true;
    arrival.order = context.warp.copiesIssued;
    std::vector<AsyncCopy> &copies = context.warp.copies[lane];
    size_t kept = 0;
    for (const AsyncCopy &copy : copies)
      if (copy.isBulk)
        copies[kept++] = copy;
      else
        arrival.copies.push_back(copy);
    copies.resize(kept);
    barrier.asyncArrivals.push_back(std::move(arrival));
  });
  return Outcome::Next;
}

// Decoding --------------------------------------------------------------------

/// [dst], [src], size{, source size or predicate}{, policy}
Status copyOperands(Decoder &d, bool hasPolicy, bool onlyWide) {
  Instruction &instruction = d.instruction();
  size_t count = d.statement().operands.size();
  if (Status status = d.expectOperands(3 + hasPolicy, 4 + hasPolicy); !status)
    return status;
  Space shared = Space::Shared, global = Space::Global;
  if (auto address = addressPair(d, 0, shared); !address)
    return Failure{address.message()};
  if (auto address = addressPair(d, 1, global); !address)
    return Failure{address.message()};
  Result<int64_t> bytes = d.immediate(2);
  if (!bytes)
    return Failure{bytes.message()};
  if (*bytes != 16 && (onlyWide || (*bytes != 4 && *bytes != 8)))
    return d.fail(onlyWide ? "the size has to be 16 with '.cg'"
                           : "the size has to be 4, 8 or 16");
  instruction.elementBytes = uint8_t(*bytes);
  instruction.variant = WholeSize;
  if (count == 4 + size_t(hasPolicy)) {
    const SyntaxOperand &operand = d.statement().operands[3];
    bool isPredicate =
        operand.kind == SyntaxOperand::Kind::Register &&
        d.kernel().syntax->registers[operand.index].type == Type::Pred;
    bool negated = false;
    auto source =
        isPredicate ? d.predicateSource(3, &negated) : d.source(3, Type::U32);
    if (!source)
      return Failure{source.message()};
    instruction.variant = !isPredicate ? SourceSize
                          : negated    ? KeepSource
                                       : IgnoreSource;
  }
  d.noteAccess(Space::Shared, instruction.elementBytes);
  // A part of it is as long as an operand says; four bytes are the usual step.
  d.noteAccess(Space::Global, instruction.variant == SourceSize
                                  ? 4
                                  : instruction.elementBytes);
  return hasPolicy ? policyOperand(d, count - 1) : Status();
}

Status decodeCopy(Decoder &d, bool onlyWide) {
  if (!d.takeOneOf({"shared", "shared::cta"}) || !d.take("global"))
    return d.fail("the spaces have to be '.shared.global'");
  bool hasPolicy = false;
  for (bool more = true; more;) {
    more = d.take("L2::cache_hint");
    hasPolicy |= more;
    more |= d.takeOneOf({"L2::64B", "L2::128B", "L2::256B"}).has_value();
  }
  if (Status status = d.finishModifiers(); !status)
    return status;
  d.instruction().execute = copyAsync;
  d.instruction().category = Category::Async;
  return copyOperands(d, hasPolicy, onlyWide);
}

Status decodeArrive(Decoder &d) {
  if (!d.take("arrive"))
    return d.fail("this form of cp.async is not supported");
  bool increments = !d.take("noinc");
  Instruction &instruction = d.instruction();
  std::optional<Space> space = takeSpace(d);
  instruction.space = space.value_or(Space::Generic);
  if (space && *space != Space::Shared)
    return d.fail("the mbarrier has to be in the block's own shared memory");
  if (!d.take("b64"))
    return d.fail("the type has to be b64");
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(1); !status)
    return status;
  if (auto address = addressIn(d, 0, instruction.space); !address)
    return Failure{address.message()};
  d.kernel().hasFineSync = true;
  d.noteAccess(Space::Shared, 8);
  instruction.execute = increments ? arriveAsync<true> : arriveAsync<false>;
  instruction.category = Category::Async;
  return {};
}

Status decodeWait(Decoder &d, bool all) {
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(all ? 0 : 1); !status)
    return status;
  Instruction &instruction = d.instruction();
  instruction.category = Category::Async;
  instruction.execute = waitAll;
  if (all)
    return {};
  Result<int64_t> groups = d.immediate(0);
  if (!groups)
    return Failure{groups.message()};
  if (*groups < 0)
    return d.fail("the number of groups cannot be negative");
  instruction.offset = *groups;
  instruction.execute = waitGroup;
  return {};
}

Status decodeCp(Decoder &d) {
  if (d.has("reduce"))
    return d.fail("copies that reduce are not supported");
  if (!d.take("async"))
    return d.fail("this form of cp is not supported");
  if (d.take("bulk"))
    return decodeBulk(d);
  if (d.take("commit_group")) {
    d.instruction().execute = commitGroup;
    d.instruction().category = Category::Async;
    return d.expectOperands(0);
  }
  if (d.take("wait_group"))
    return decodeWait(d, false);
  if (d.take("wait_all"))
    return decodeWait(d, true);
  if (d.take("mbarrier"))
    return decodeArrive(d);
  if (d.take("ca"))
    return decodeCopy(d, false);
  if (d.take("cg"))
    return decodeCopy(d, true);
  return d.fail("this form of cp.async is not supported");
}

constexpr OpcodeRow kRows[] = {{"cp", decodeCp}};

} // namespace

const std::span<const OpcodeRow> sim::kAsyncRows = kRows;
