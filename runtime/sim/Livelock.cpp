//===- Livelock.cpp - threads that spin for ever --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While suspicious, a round is a function of the state: every wait that may
// time out does, and every ready fragment runs to its next jump backwards. The
// state is all registers, local and shared memory, barriers and mbarriers of
// the resident blocks. Global memory is too large to look at: instead every
// write is compared with what was there. So a state that comes again without a
// write that changed something comes again for ever.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Checker.h"
#include "runtime/sim/Scheduler.h"

#include <algorithm>
#include <cstring>

using namespace girih;
using namespace girih::sim;

/// Instructions of a fragment in one round, should it never jump back.
static constexpr uint32_t kTurn = 1 << 16;
/// Bytes of state after which it does not look any longer.
static constexpr uint64_t kHashedBytes = uint64_t(1) << 28;

namespace {

using Digest = std::array<uint64_t, 2>;

/// Two independent sums over 64-bit words; not for adversaries.
class Hash {
public:
  void add(uint64_t word) {
    one = (one ^ word) * 0x9e3779b97f4a7c15u;
    one ^= one >> 29;
    two = (two + word) * 0xd6e8feb86659fd93u;
    two ^= two >> 32;
  }
  void add(const void *data, size_t bytes) {
    const uint8_t *at = static_cast<const uint8_t *>(data);
    seen += bytes;
    uint64_t word = 0;
    for (; bytes >= 8; bytes -= 8, at += 8) {
      std::memcpy(&word, at, 8);
      add(word);
    }
    word = 0;
    std::memcpy(&word, at, bytes);
    add(word);
  }
  Digest digest() const { return {one, two}; }
  uint64_t bytes() const { return seen; }

private:
  uint64_t one = 1, two = 2, seen = 0;
};

/// The order of a warp's fragments does not matter.
void addFragments(Hash &hash, const Warp &warp) {
  Digest sum = {0, 0};
  for (const Fragment &fragment : warp.fragments) {
    if (fragment.mask == 0)
      continue;
    Hash own;
    own.add(fragment.pc | uint64_t(fragment.mask) << 32);
    own.add(uint64_t(fragment.wait.kind));
    own.add(fragment.wait.object);
    own.add(fragment.wait.number);
    sum[0] += own.digest()[0];
    sum[1] += own.digest()[1];
  }
  hash.add(sum[0]);
  hash.add(sum[1]);
}

/// Registers without specials: a clock that nobody keeps does not matter.
uint32_t registersEnd(const KernelCode &code) {
  uint32_t end = code.registerBytes;
  for (const auto &[key, slot] : code.specials)
    end = std::min(end, slot.offset);
  return end;
}

void addBlock(Hash &hash, const Block &block, uint32_t registerBytes) {
  hash.add(block.liveThreads);
  for (const std::unique_ptr<Warp> &warp : block.warps) {
    if (warp->live == 0)
      continue;
    addFragments(hash, *warp);
    hash.add(warp->file.get(), registerBytes);
    hash.add(warp->carry);
    if (!warp->local.empty())
      hash.add(warp->local.data(), warp->local.size());
    for (const std::vector<AsyncCopy> &copies : warp->copies)
      hash.add(copies.size());
  }
  if (!block.shared.empty())
    hash.add(block.shared.data(), block.shared.size());
  for (const NamedBarrier &barrier : block.barriers) {
    hash.add(barrier.generation);
    hash.add(barrier.arrived);
  }
  if (block.checker)
    for (const auto &[offset, mbarrier] : block.checker->mbarriers) {
      hash.add(offset | uint64_t(mbarrier.pending) << 32);
      hash.add(uint64_t(mbarrier.transactions));
      hash.add(mbarrier.phase);
    }
}

/// Bytes that an instruction is about to write in global memory.
struct Range {
  const uint8_t *data = nullptr;
  uint64_t bytes = 0;
};

std::vector<uint8_t> read(const std::vector<Range> &ranges) {
  std::vector<uint8_t> bytes;
  for (const Range &range : ranges)
    bytes.insert(bytes.end(), range.data, range.data + range.bytes);
  return bytes;
}

/// False if it is not known where the instruction writes.
bool findRanges(Context &context, const Instruction &instruction, uint32_t mask,
                std::vector<Range> &ranges) {
  if (instruction.category == Category::Async)
    return false;
  if (instruction.space != Space::Generic && instruction.space != Space::Global)
    return true;
  const Slot *base = addressSlot(context.code(), instruction);
  if (!base)
    return false;
  constexpr uint64_t kMostBytes = 32; // of a lane
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = context.get(*base, lane) + uint64_t(instruction.offset);
    const GlobalBuffer *buffer = context.launch.memory->find(address);
    if (!buffer || address < buffer->address ||
        address - buffer->address >= buffer->bytes)
      return;
    uint64_t offset = address - buffer->address;
    uint64_t count = std::min(kMostBytes, buffer->bytes - offset);
    ranges.push_back({buffer->data.get() + offset, count});
  });
  return true;
}

} // namespace

const Slot *sim::addressSlot(const KernelCode &code,
                             const Instruction &instruction) {
  for (const SyntaxOperand &operand :
       code.syntax->statements[instruction.statement].operands) {
    if (operand.kind != SyntaxOperand::Kind::Address)
      continue;
    if (operand.elements[0].kind == SyntaxOperand::Kind::Register)
      return &code.registerSlots[operand.elements[0].index];
    break;
  }
  for (const Slot &slot : instruction.sources)
    if (slot.constant && slot.bits == 64)
      return &slot;
  return nullptr;
}

Outcome Worker::carryOutWatched(Context &context, const Step &step,
                                uint32_t mask) {
  std::vector<Range> ranges;
  bool known = findRanges(context, *step.instruction, mask, ranges);
  std::vector<uint8_t> before = read(ranges);
  Outcome outcome = carryOut(context, step, mask);
  changed |= !known || before != read(ranges);
  return outcome;
}

void Worker::beSuspicious() {
  if (suspicious)
    return;
  suspicious = true;
  changed = false;
  rounds = 0;
  hashed = 0;
  suspectedAt = lastEvent;
  seen.clear();
  // The next time is later and longer: what this costs stays a small part of
  // the whole, and threads that spin are found in about as much time as the
  // launch took before.
  mostRounds = std::min(2 * mostRounds, 1u << 16);
  patience *= 2;
}

bool Worker::suspiciousRound() {
  Stretch stretch;
  stretch.budget = kTurn;
  stretch.oneTurn = true;
  bool ran = false;
  for (Resident &resident : residents) {
    if (resident.warp->live == 0)
      continue;
    bool its = pollWaits(resident);
    its |= runOthers(resident, 0, stretch);
    if (!its)
      its = reportDivergence(*resident.warp);
    if (shouldStop())
      return true;
    ran |= its;
  }
  return ran;
}

void Worker::lookForRepetition() {
  if (lastEvent != suspectedAt) {
    suspicious = false;
    return;
  }
  if (changed)
    seen.clear();
  changed = false;
  Hash hash;
  uint32_t registerBytes = registersEnd(*launch.code);
  for (const std::unique_ptr<Cluster> &cluster : clusters) {
    hash.add(cluster->generation);
    hash.add(cluster->arrivedThreads);
    for (const std::unique_ptr<Block> &block : cluster->blocks)
      addBlock(hash, *block, registerBytes);
  }
  if (!seen.insert(hash.digest()).second) {
    reportDeadlock();
    return;
  }
  hashed += hash.bytes();
  if (++rounds < mostRounds && hashed < kHashedBytes)
    return;
  suspicious = false;
  noteEvent();
}
