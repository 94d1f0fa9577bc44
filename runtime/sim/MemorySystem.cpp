//===- MemorySystem.cpp - every access goes through here ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/MemorySystem.h"

#include "runtime/sim/Counters.h"
#include "runtime/sim/Naming.h"
#include "runtime/sim/Resolver.h"

namespace girih::sim {

uint32_t Resolver::resolve(Space space, uint32_t mask) {
  switch (space) {
  case Space::Global:
  case Space::Const:
    return global(mask);
  case Space::Shared:
  case Space::SharedCluster:
    return shared(mask);
  case Space::Local:
    return local(mask);
  case Space::Param:
    return param(mask);
  case Space::Generic:
    break;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Global memory

uint32_t Resolver::global(uint32_t mask) {
  GlobalMemory &memory = *context.launch.memory;
  uint32_t done = 0;
  for (uint32_t rest = mask; rest;) {
    unsigned first = unsigned(__builtin_ctz(rest));
    GlobalBuffer *buffer = memory.find(access.address[first]);
    uint32_t inside = buffer ? inBuffer(*buffer, rest) : 0;
    if (inside)
      done |= checkBuffer(*buffer, inside);
    if (!(inside >> first & 1)) {
      faultGlobal(first);
      inside |= 1u << first;
    }
    rest &= ~inside;
  }
  return done;
}

/// Of `mask`, the lanes whose access is aligned and within the buffer.
uint32_t Resolver::inBuffer(GlobalBuffer &buffer, uint32_t mask) {
  if (bytes > buffer.bytes)
    return 0;
  uint64_t limit = buffer.bytes - bytes;
  uint8_t *data = buffer.data.get();
  uint32_t inside = 0;
  forLanes(mask, [&](unsigned lane) {
    uint64_t offset = access.address[lane] - buffer.address;
    bool good = (offset <= limit) & isAligned(offset);
    inside |= uint32_t(good) << lane;
    access.data[lane] = data + (good ? offset : 0);
  });
  return inside;
}

uint32_t Resolver::checkBuffer(GlobalBuffer &buffer, uint32_t mask) {
  GlobalMemory &memory = *context.launch.memory;
  if (buffer.isConstant != (access.space == Space::Const) &&
      access.space != Space::Generic) {
    forLanes(mask, [&](unsigned lane) {
      fault(FaultKind::WrongSpace, lane,
            describeGlobal(memory, access.address[lane], bytes),
            buffer.isConstant
                ? "this is a .const variable, the access is one of .global"
                : "this is global memory, the access is one of .const");
    });
    return 0;
  }
  if (buffer.isConstant && isWrite(access.kind)) {
    forLanes(mask, [&](unsigned lane) {
      faultReadOnly(lane, describeGlobal(memory, access.address[lane], bytes),
                    "a .const variable");
    });
    return 0;
  }
  if (buffer.isConstant || !checked)
    return mask;
  if (buffer.initialized && isRead(access.kind))
    if (uint32_t unwritten = findUnwritten(buffer, mask)) {
      forLanes(unwritten, [&](unsigned lane) { faultUnwritten(buffer, lane); });
      mask &= ~unwritten;
    }
  checker.accessGlobal(context, access, mask, buffer);
  if (buffer.initialized && isWrite(access.kind))
    markWritten(buffer, mask);
  return mask;
}

/// Calls f(word, bits) for the words of the bitmap that [offset, offset +
/// bytes) has bits in.
template <typename F>
static void forBits(const GlobalBuffer &buffer, uint64_t offset, uint64_t bytes,
                    F &&f) {
  for (uint64_t end = offset + bytes; offset < end;) {
    uint64_t count = std::min<uint64_t>(64 - offset % 64, end - offset);
    uint64_t bits = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
    f(buffer.initialized[offset / 64], bits << offset % 64);
    offset += count;
  }
}

/// The lanes that read a byte which has never been written.
uint32_t Resolver::findUnwritten(const GlobalBuffer &buffer,
                                 uint32_t mask) const {
  uint32_t unwritten = 0;
  forLanes(mask, [&](unsigned lane) {
    uint64_t offset = uint64_t(access.data[lane] - buffer.data.get());
    forBits(buffer, offset, bytes,
            [&](const std::atomic<uint64_t> &word, uint64_t bits) {
              uint64_t written = word.load(std::memory_order_relaxed);
              unwritten |= uint32_t((written & bits) != bits) << lane;
            });
  });
  return unwritten;
}

void Resolver::markWritten(GlobalBuffer &buffer, uint32_t mask) const {
  // Lanes side by side share a word: one change for all of them.
  std::atomic<uint64_t> *last = nullptr;
  uint64_t gathered = 0;
  auto flush = [&] {
    if (last && (last->load(std::memory_order_relaxed) & gathered) != gathered)
      last->fetch_or(gathered, std::memory_order_relaxed);
  };
  forLanes(mask, [&](unsigned lane) {
    uint64_t offset = uint64_t(access.data[lane] - buffer.data.get());
    forBits(buffer, offset, bytes,
            [&](std::atomic<uint64_t> &word, uint64_t bits) {
              if (&word != last) {
                flush();
                last = &word;
                gathered = 0;
              }
              gathered |= bits;
            });
  });
  flush();
}

//===----------------------------------------------------------------------===//
// Shared memory

uint32_t Resolver::shared(uint32_t mask) {
  uint32_t done = 0;
  for (uint32_t rest = mask; rest;) {
    unsigned first = unsigned(__builtin_ctz(rest));
    uint32_t offset = 0;
    Block *owner = MemorySystem::sharedBlock(context, access.space,
                                             access.address[first], offset);
    uint32_t inside = owner ? inBlock(*owner, rest) : 0;
    if (inside)
      done |= checked ? checkBlock(*owner, inside) : inside;
    if (!(inside >> first & 1)) {
      faultShared(first);
      inside |= 1u << first;
    }
    rest &= ~inside;
  }
  return done;
}

/// Of `mask`, the lanes whose access is aligned and within the block's memory.
uint32_t Resolver::inBlock(Block &owner, uint32_t mask) {
  bool isOwn = &owner == &context.block;
  if (bytes > owner.shared.size() || (!isOwn && owner.liveThreads == 0))
    return 0;
  uint64_t limit = owner.shared.size() - bytes;
  uint64_t window = uint64_t(owner.rank + 1) * kSharedLimit;
  uint8_t *data = owner.shared.data();
  uint32_t inside = 0;
  forLanes(mask, [&](unsigned lane) {
    uint64_t offset = access.address[lane];
    if (access.space == Space::Generic)
      offset -= kSharedWindow;
    if (offset >= kSharedLimit || !isOwn)
      offset -= window;
    bool good = (offset <= limit) & isAligned(offset);
    inside |= uint32_t(good) << lane;
    access.data[lane] = data + (good ? offset : 0);
  });
  return inside;
}

uint32_t Resolver::checkBlock(Block &owner, uint32_t mask) {
  if (!owner.checker->mbarriers.empty())
    checkMbarriers(owner, mask);
  if (uint32_t unwritten = checker.accessShared(context, access, mask, owner)) {
    forLanes(unwritten, [&](unsigned lane) {
      faultUninitialized(
          lane,
          describeShared(context.block, owner,
                         uint64_t(access.data[lane] - owner.shared.data())),
          "no thread has written it");
    });
    mask &= ~unwritten;
  }
  return mask;
}

/// Reports lanes that touch an mbarrier's bytes, unless they belong to an
/// instruction on mbarriers.
void Resolver::checkMbarriers(Block &owner, uint32_t mask) {
  const std::map<uint32_t, Mbarrier> &all = owner.checker->mbarriers;
  constexpr uint32_t kSize = 8;
  uint32_t begin = all.begin()->first, end = all.rbegin()->first + kSize;
  if (access.onMbarrier)
    return;
  forLanes(mask, [&](unsigned lane) {
    uint32_t offset = uint32_t(access.data[lane] - owner.shared.data());
    if (offset >= end || offset + bytes <= begin)
      return;
    auto next = all.lower_bound(offset + bytes);
    if (next == all.begin() || std::prev(next)->first + kSize <= offset)
      return;
    faultMbarrier(lane, owner, std::prev(next)->first, std::prev(next)->second);
  });
}

//===----------------------------------------------------------------------===//
// A thread's own memory

uint32_t Resolver::local(uint32_t mask) {
  const KernelCode &code = context.code();
  uint64_t window = access.space == Space::Generic ? kLocalWindow : 0;
  uint32_t done = 0;
  forLanes(mask, [&](unsigned lane) {
    uint64_t offset = access.address[lane] - window;
    if (bytes > code.localBytes || offset > code.localBytes - bytes)
      return faultBounds(lane, describeLocal(code, offset),
                         "the thread's local memory", code.localBytes);
    if (!isAligned(offset))
      return faultAlignment(lane, describeLocal(code, offset));
    size_t place = size_t(lane) * code.localBytes + size_t(offset);
    if (context.warp.localInitialized.size() >= place + bytes) {
      uint8_t *written = context.warp.localInitialized.data() + place;
      if (checked && isRead(access.kind))
        for (unsigned i = 0; i < bytes; ++i)
          if (!written[i])
            return faultUninitialized(lane, describeLocal(code, offset + i),
                                      "the thread has not written it");
      if (isWrite(access.kind))
        std::fill_n(written, bytes, uint8_t(1));
    }
    access.data[lane] = context.warp.local.data() + place;
    done |= 1u << lane;
  });
  return done;
}

uint32_t Resolver::param(uint32_t mask) {
  std::vector<uint8_t> &parameters = context.launch.parameters;
  uint64_t window = access.space == Space::Generic ? kParamWindow : 0;
  uint32_t done = 0;
  forLanes(mask, [&](unsigned lane) {
    uint64_t offset = access.address[lane] - window;
    std::string object = "parameter memory at offset ";
    if (bytes > parameters.size() || offset > parameters.size() - bytes)
      return faultBounds(lane, object + std::to_string(offset),
                         "the parameters", parameters.size());
    if (!isAligned(offset))
      return faultAlignment(lane, object + std::to_string(offset));
    if (isWrite(access.kind))
      return faultReadOnly(lane, object + std::to_string(offset),
                           "the kernel's parameters");
    access.data[lane] = parameters.data() + offset;
    done |= 1u << lane;
  });
  return done;
}

static Space windowOf(uint64_t address) {
  if (address >> kBufferShift)
    return Space::Global;
  switch (address / kWindowBytes) {
  case kSharedWindow / kWindowBytes:
    return Space::SharedCluster;
  case kLocalWindow / kWindowBytes:
    return Space::Local;
  case kParamWindow / kWindowBytes:
    return Space::Param;
  default:
    return Space::Global;
  }
}

uint32_t MemorySystem::resolve(Context &context, WarpAccess &access) {
  Resolver resolver{context, access};
  if (access.mask == 0)
    return 0;
  uint32_t done = 0;
  if (access.space != Space::Generic) {
    done = resolver.resolve(access.space, access.mask);
    if (context.counters && access.counted)
      context.counters->access(context.fragment.pc, access, done);
    return done;
  }
  for (uint32_t rest = access.mask; rest;) {
    Space space = windowOf(access.address[__builtin_ctz(rest)]);
    uint32_t lanes = 0;
    forLanes(rest, [&](unsigned lane) {
      lanes |= uint32_t(windowOf(access.address[lane]) == space) << lane;
    });
    uint32_t good = resolver.resolve(space, lanes);
    if (context.counters && access.counted) {
      WarpAccess plain = access;
      plain.space = space;
      forLanes(lanes, [&](unsigned lane) {
        if (space == Space::SharedCluster)
          plain.address[lane] -= kSharedWindow;
      });
      context.counters->access(context.fragment.pc, plain, good);
    }
    done |= good;
    rest &= ~lanes;
  }
  return done;
}

Block *MemorySystem::sharedBlock(Context &context, Space space,
                                 uint64_t address, uint32_t &offset) {
  if (space == Space::Generic)
    address -= kSharedWindow;
  if (address < kSharedLimit) {
    offset = uint32_t(address);
    return &context.block;
  }
  offset = uint32_t(address % kSharedLimit);
  uint64_t rank = address / kSharedLimit - 1;
  Cluster *cluster = context.block.cluster;
  if (!cluster || rank >= cluster->blocks.size())
    return nullptr;
  Block *owner = cluster->blocks[rank].get();
  return space == Space::Shared && owner != &context.block ? nullptr : owner;
}

std::mutex &MemorySystem::atomicMutex(const uint8_t *data) {
  return mutexes[reinterpret_cast<uintptr_t>(data) / 64 % mutexes.size()];
}

} // namespace girih::sim
