//===- MemoryFaults.cpp - why an access cannot go on ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Naming.h"
#include "runtime/sim/Resolver.h"

namespace girih::sim {

void Resolver::fault(FaultKind kind, unsigned lane, std::string object,
                     std::string detail) {
  context.fault(kind, lane, describeAction(access.kind, bytes),
                std::move(object), std::move(detail));
}

//===----------------------------------------------------------------------===//
// Global memory

void Resolver::faultGlobal(unsigned lane) {
  uint64_t address = access.address[lane];
  GlobalMemory &memory = *context.launch.memory;
  const GlobalBuffer *buffer = memory.find(address);
  std::string object = describeGlobal(memory, address, bytes);
  if (buffer && address - buffer->address < buffer->bytes &&
      !isAligned(address))
    return faultAlignment(lane, std::move(object));
  if (!buffer && address >= kSharedWindow &&
      address < kParamWindow + kWindowBytes) {
    bool isShared = address < kLocalWindow;
    bool isLocal = !isShared && address < kParamWindow;
    const char *window = isShared ? "shared" : isLocal ? "local" : "param";
    return fault(FaultKind::WrongSpace, lane, "address " + toHex(address),
                 std::string("this is a generic address of .") + window +
                     " memory, the access is one of ." +
                     std::string(nameOf(access.space)) +
                     "; leave out the space, or convert it with cvta.to." +
                     window);
  }
  std::string detail = "no buffer holds these bytes";
  if (!buffer && address < kSharedLimit * 64ull)
    detail += address ? "; is it an address of shared memory, or an offset "
                        "without its buffer's address?"
                      : "; the pointer is null";
  fault(FaultKind::OutOfBounds, lane, std::move(object), std::move(detail));
}

void Resolver::faultUnwritten(const GlobalBuffer &buffer, unsigned lane) {
  // The first byte that is missing, and its element.
  uint64_t offset = access.address[lane] - buffer.address;
  const std::atomic<uint64_t> *bitmap = buffer.initialized.get();
  while (bitmap[offset / 64] >> offset % 64 & 1)
    ++offset;
  if (unsigned element = std::max(buffer.view.elementBytes, 1u);
      offset % element)
    offset -= offset % element;
  faultUninitialized(
      lane,
      describeGlobal(*context.launch.memory, buffer.address + offset,
                     access.elementBytes ? access.elementBytes : 1),
      "nothing has written it: no kernel, and no copy from the host");
}

//===----------------------------------------------------------------------===//
// Shared memory

void Resolver::faultShared(unsigned lane) {
  uint64_t address = access.address[lane];
  uint64_t plain =
      access.space == Space::Generic ? address - kSharedWindow : address;
  uint32_t offset = 0;
  Block *owner =
      MemorySystem::sharedBlock(context, access.space, address, offset);
  if (!owner) {
    uint64_t rank = plain / kSharedLimit - 1;
    uint64_t blocks = context.block.cluster->blocks.size();
    if (plain >> 32 || rank >= blocks)
      return fault(FaultKind::OutOfBounds, lane,
                   "address " + toHex(plain) + " of shared memory",
                   plain >> 32 ? "this is no address of shared memory; a "
                                 "generic one needs cvta.to.shared"
                               : "the cluster has " + std::to_string(blocks) +
                                     (blocks == 1 ? " block" : " blocks"));
    return fault(FaultKind::WrongSpace, lane,
                 "address " + toHex(plain) + " of shared memory",
                 "this is memory of another block (rank " +
                     std::to_string(rank) +
                     " in the cluster); only .shared::cluster reaches it");
  }
  std::string object = describeShared(context.block, *owner, offset);
  if (owner != &context.block && owner->liveThreads == 0)
    return fault(FaultKind::ExitedBlock, lane, std::move(object),
                 "block " + std::to_string(owner->linear) +
                     " has exited; a cluster barrier at its end keeps its "
                     "memory until all are done with it");
  if (bytes > owner->shared.size() || offset > owner->shared.size() - bytes)
    return faultBounds(lane, std::move(object), "the block's shared memory",
                       owner->shared.size());
  faultAlignment(lane, std::move(object));
}

void Resolver::faultMbarrier(unsigned lane, const Block &owner, uint32_t offset,
                             const Mbarrier &mbarrier) {
  const SyntaxKernel *syntax = context.code().syntax;
  std::string place = "instruction " + std::to_string(mbarrier.initializedBy);
  if (syntax)
    place =
        "line " + std::to_string(
                      syntax->statements[mbarrier.initializedBy].location.line);
  std::string object = describeShared(context.block, owner, offset);
  std::string detail = isWrite(access.kind) ? "overwrites" : "reads";
  fault(FaultKind::MbarrierMisuse, lane, object,
        detail + " the mbarrier at offset " + std::to_string(offset) +
            " initialised at " + place +
            "; only mbarrier instructions may touch it until mbarrier.inval");
}

//===----------------------------------------------------------------------===//
// Any space

void Resolver::faultBounds(unsigned lane, std::string object,
                           const std::string &what, uint64_t size) {
  fault(FaultKind::OutOfBounds, lane, std::move(object),
        what + " has " + countBytes(size));
}

void Resolver::faultAlignment(unsigned lane, std::string object) {
  fault(FaultKind::Misaligned, lane, std::move(object),
        "address " + toHex(access.address[lane]) + " is not a multiple of " +
            std::to_string(alignment));
}

void Resolver::faultReadOnly(unsigned lane, std::string object,
                             const char *what) {
  fault(FaultKind::ReadOnly, lane, std::move(object),
        std::string(what) + " cannot be written");
}

void Resolver::faultUninitialized(unsigned lane, std::string object,
                                  const char *detail) {
  fault(FaultKind::Uninitialized, lane, std::move(object), detail);
}

} // namespace girih::sim
