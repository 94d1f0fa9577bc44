//===- Counters.cpp - sectors, wavefronts, bytes --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Counters.h"
#include "runtime/sim/MemorySystem.h"

#include <algorithm>

namespace girih::sim {

namespace {

constexpr unsigned kSectorBytes = 32;
constexpr unsigned kBanks = 32;
constexpr unsigned kLineBytes = kBanks * 4;
constexpr uint64_t kBufferMask = ~((uint64_t(1) << kBufferShift) - 1);

/// The lanes whose addresses lie in global memory; of a generic access some
/// may, some may not.
uint32_t globalLanes(const WarpAccess &access, uint32_t lanes) {
  if (access.space == Space::Global)
    return lanes;
  if (access.space != Space::Generic)
    return 0;
  uint32_t found = 0;
  forLanes(lanes, [&](unsigned lane) {
    found |= uint32_t(access.address[lane] >> kBufferShift != 0) << lane;
  });
  return found;
}

uint32_t sharedLanes(const WarpAccess &access, uint32_t lanes) {
  if (access.space == Space::Shared || access.space == Space::SharedCluster)
    return lanes;
  if (access.space != Space::Generic)
    return 0;
  uint32_t found = 0;
  forLanes(lanes, [&](unsigned lane) {
    uint64_t offset = access.address[lane] - kSharedWindow;
    found |= uint32_t(offset < kWindowBytes) << lane;
  });
  return found;
}

/// A lane's address within the shared window.
uint32_t sharedAddress(const WarpAccess &access, unsigned lane) {
  // The window begins at a multiple of 2^32, so that cutting is subtracting.
  static_assert((kSharedWindow & 0xffffffff) == 0);
  return uint32_t(access.address[lane]);
}

/// Sectors of accesses of at most 32 bytes, one entry each, and which of their
/// bytes were asked for.
class SectorSet {
public:
  void touch(uint64_t address, unsigned bytes) {
    uint64_t end = address + bytes;
    while (address < end) {
      uint64_t sector = address / kSectorBytes;
      uint64_t stop = std::min(end, (sector + 1) * kSectorBytes);
      note(sector, unsigned(address % kSectorBytes), unsigned(stop - address));
      address = stop;
    }
  }
  unsigned size() const { return count; }
  uint64_t usedBytes() const {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < count; ++i)
      bytes += unsigned(__builtin_popcount(used[i]));
    return bytes;
  }

private:
  void note(uint64_t sector, unsigned from, unsigned bytes) {
    uint32_t mask = uint32_t(((uint64_t(1) << bytes) - 1) << from);
    // Lanes mostly go upwards: the same sector as the lane before, or one
    // beyond all so far; only others need the search.
    if (count && sectors[count - 1] == sector) {
      used[count - 1] |= mask;
      return;
    }
    if (count && sector <= highest)
      for (unsigned i = 0; i < count; ++i)
        if (sectors[i] == sector) {
          used[i] |= mask;
          return;
        }
    highest = count ? std::max(highest, sector) : sector;
    sectors[count] = sector;
    used[count] = mask;
    ++count;
  }

  // 32 lanes of up to 32 bytes that start anywhere touch at most two each.
  std::array<uint64_t, 2 * kLanes> sectors;
  std::array<uint32_t, 2 * kLanes> used;
  uint64_t highest = 0;
  unsigned count = 0;
};

struct SectorCount {
  uint64_t sectors = 0, usedBytes = 0;
};

/// Of accesses beyond 32 bytes (bulk copies: hardly ever more than one lane).
SectorCount countWideSectors(const WarpAccess &access, uint32_t lanes) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges; // bytes, half open
  forLanes(lanes, [&](unsigned lane) {
    ranges.push_back(
        {access.address[lane], access.address[lane] + access.bytes});
  });
  std::sort(ranges.begin(), ranges.end());
  SectorCount count;
  uint64_t nextSector = 0, nextByte = 0;
  for (auto [begin, end] : ranges) {
    uint64_t first = std::max(begin / kSectorBytes, nextSector);
    uint64_t past = (end - 1) / kSectorBytes + 1;
    if (past > first)
      count.sectors += past - first;
    nextSector = std::max(nextSector, past);
    uint64_t from = std::max(begin, nextByte);
    if (end > from)
      count.usedBytes += end - from;
    nextByte = std::max(nextByte, end);
  }
  return count;
}

SectorCount sectorsOf(const WarpAccess &access, uint32_t lanes) {
  if (access.bytes > kSectorBytes)
    return countWideSectors(access, lanes);
  SectorSet set;
  forLanes(lanes, [&](unsigned lane) {
    set.touch(access.address[lane], access.bytes);
  });
  return {set.size(), set.usedBytes()};
}

/// Which lanes go through the banks together, as a mask to be shifted by its
/// own width: 32, 16 and 8 lanes for up to 4, 8 and 16 bytes.
unsigned lanesTogether(unsigned bytes) {
  if (bytes <= 4)
    return 32;
  if (bytes <= 8)
    return 16;
  return bytes <= 16 ? 8 : 1;
}

/// Passes through the banks of lanes that go together: of each bank the
/// distinct words, of all banks the most.
unsigned passes(const WarpAccess &access, uint32_t lanes) {
  std::array<uint8_t, kBanks> counts{};
  std::array<std::array<uint32_t, kLanes>, kBanks> words;
  unsigned most = 0;
  unsigned wordsOfLane = (access.bytes + 3) / 4;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t word = sharedAddress(access, unsigned(__builtin_ctz(lanes))) / 4;
    for (unsigned i = 0; i < wordsOfLane; ++i, ++word) {
      unsigned bank = word % kBanks;
      std::array<uint32_t, kLanes> &seen = words[bank];
      unsigned count = counts[bank], at = 0;
      while (at < count && seen[at] != word)
        ++at;
      if (at < count)
        continue;
      seen[count] = word;
      counts[bank] = uint8_t(count + 1);
      most = std::max(most, count + 1);
    }
  }
  return most;
}

struct WavefrontCount {
  uint64_t wavefronts = 0, ideal = 0;
};

WavefrontCount wavefrontsOf(const WarpAccess &access, uint32_t lanes) {
  WavefrontCount count;
  if (access.bytes > 16) { // bulk copies: lines of all banks
    forLanes(lanes, [&](unsigned lane) {
      uint64_t address = sharedAddress(access, lane);
      count.wavefronts +=
          (address + access.bytes - 1) / kLineBytes - address / kLineBytes + 1;
      count.ideal += (access.bytes + kLineBytes - 1) / kLineBytes;
    });
    return count;
  }
  unsigned together = lanesTogether(access.bytes);
  for (unsigned first = 0; first < kLanes; first += together) {
    uint32_t group = lanes & uint32_t(((uint64_t(1) << together) - 1) << first);
    if (!group)
      continue;
    count.wavefronts += passes(access, group);
    // Those that go together never have more distinct words than banks.
    ++count.ideal;
  }
  return count;
}

/// What the whole warp mostly does, and what is counted without looking at each
/// lane: all at one address, or each behind the one before.
enum class Pattern : uint8_t { Any, Same, Row };

Pattern patternOf(const WarpAccess &access, uint32_t lanes) {
  if (lanes != kAllLanes || access.bytes > kSectorBytes)
    return Pattern::Any;
  uint64_t step = access.address[1] - access.address[0];
  if (step != 0 && step != access.bytes)
    return Pattern::Any;
  uint64_t different = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    different |= access.address[lane] ^ (access.address[0] + lane * step);
  if (different)
    return Pattern::Any;
  return step ? Pattern::Row : Pattern::Same;
}

/// The traffic of one buffer.
void addTraffic(BufferCount &buffer, AccessKind kind, uint64_t bytes,
                uint64_t sectors) {
  switch (kind) {
  case AccessKind::Read:
  case AccessKind::AsyncRead:
    buffer.readBytes += bytes;
    buffer.readSectors += sectors;
    return;
  case AccessKind::Write:
  case AccessKind::AsyncWrite:
    buffer.writtenBytes += bytes;
    buffer.writtenSectors += sectors;
    return;
  case AccessKind::Atomic:
    buffer.atomicBytes += bytes;
    buffer.atomicSectors += sectors;
    return;
  }
}

} // namespace

Counters::Counters(const KernelCode &code)
    : instructions(code.syntax->statements.size()) {}

/// Bytes from the first lane's address on, all asked for; false if they are not
/// in one place.
bool Counters::accessRange(InstructionCount &count, const WarpAccess &access,
                           unsigned bytes) {
  uint64_t first = access.address[0], last = first + bytes - 1;
  if (access.space == Space::Global) {
    if ((first ^ last) & kBufferMask)
      return false;
    uint64_t sectors = last / kSectorBytes - first / kSectorBytes + 1;
    count.sectors += sectors;
    count.usedBytes += bytes;
    addTraffic(buffers[first & kBufferMask], access.kind,
               uint64_t(access.bytes) * kLanes, sectors);
    return true;
  }
  if (access.space != Space::Shared || access.bytes > 16)
    return false;
  // Lanes that go together use no bank twice.
  unsigned wavefronts = kLanes / lanesTogether(access.bytes);
  count.wavefronts += wavefronts;
  count.idealWavefronts += wavefronts;
  touchedShared(uint32_t(last + 1));
  return true;
}

void Counters::access(uint32_t statement, const WarpAccess &access,
                      uint32_t lanes) {
  if (!lanes || !access.bytes)
    return;
  InstructionCount &count = instructions[statement];
  // A copy has two sides; its bytes are those that it reads.
  if (access.kind != AccessKind::AsyncWrite)
    count.bytes += uint64_t(access.bytes) * unsigned(__builtin_popcount(lanes));
  Pattern pattern = patternOf(access, lanes);
  if (pattern != Pattern::Any &&
      accessRange(count, access,
                  pattern == Pattern::Row ? access.bytes * kLanes
                                          : access.bytes))
    return;
  accessGlobal(count, access, globalLanes(access, lanes));
  accessShared(count, access, sharedLanes(access, lanes));
}

void Counters::accessGlobal(InstructionCount &count, const WarpAccess &access,
                            uint32_t lanes) {
  while (lanes) {
    // Nearly always one buffer; each is counted by itself.
    uint64_t buffer =
        access.address[unsigned(__builtin_ctz(lanes))] & kBufferMask;
    uint32_t here = 0;
    forLanes(lanes, [&](unsigned lane) {
      here |= uint32_t((access.address[lane] & kBufferMask) == buffer) << lane;
    });
    SectorCount sectors = sectorsOf(access, here);
    count.sectors += sectors.sectors;
    count.usedBytes += sectors.usedBytes;
    addTraffic(buffers[buffer], access.kind,
               uint64_t(access.bytes) * unsigned(__builtin_popcount(here)),
               sectors.sectors);
    lanes &= ~here;
  }
}

void Counters::accessShared(InstructionCount &count, const WarpAccess &access,
                            uint32_t lanes) {
  if (!lanes)
    return;
  WavefrontCount wavefronts = wavefrontsOf(access, lanes);
  count.wavefronts += wavefronts.wavefronts;
  count.idealWavefronts += wavefronts.ideal;
  uint32_t end = 0;
  forLanes(lanes, [&](unsigned lane) {
    uint32_t offset = sharedAddress(access, lane) % kSharedLimit;
    end = std::max(end, offset + access.bytes);
  });
  touchedShared(end);
}

void Counters::add(const Counters &other) {
  for (size_t i = 0; i < instructions.size(); ++i) {
    InstructionCount &mine = instructions[i];
    const InstructionCount &theirs = other.instructions[i];
    mine.warps += theirs.warps;
    mine.threads += theirs.threads;
    mine.bytes += theirs.bytes;
    mine.sectors += theirs.sectors;
    mine.usedBytes += theirs.usedBytes;
    mine.wavefronts += theirs.wavefronts;
    mine.idealWavefronts += theirs.idealWavefronts;
  }
  for (const auto &[address, theirs] : other.buffers) {
    BufferCount &mine = buffers[address];
    mine.readBytes += theirs.readBytes;
    mine.writtenBytes += theirs.writtenBytes;
    mine.atomicBytes += theirs.atomicBytes;
    mine.readSectors += theirs.readSectors;
    mine.writtenSectors += theirs.writtenSectors;
    mine.atomicSectors += theirs.atomicSectors;
  }
  barriers += other.barriers;
  touchedShared(other.peakShared);
  blocks += other.blocks;
}

uint64_t countSectors(const WarpAccess &access, uint32_t lanes) {
  uint32_t global = globalLanes(access, lanes);
  return global ? sectorsOf(access, global).sectors : 0;
}

uint64_t countWavefronts(const WarpAccess &access, uint32_t lanes) {
  uint32_t shared = sharedLanes(access, lanes);
  return shared ? wavefrontsOf(access, shared).wavefronts : 0;
}

} // namespace girih::sim
