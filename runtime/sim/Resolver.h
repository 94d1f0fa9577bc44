//===- Resolver.h - one access by the lanes of one space ------ -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_RESOLVER_H
#define GIRIH_RUNTIME_SIM_RESOLVER_H

#include "runtime/sim/Checker.h"
#include "runtime/sim/MemorySystem.h"

#include <string>

namespace girih::sim {

inline bool isWrite(AccessKind kind) {
  return kind == AccessKind::Write || kind == AccessKind::Atomic ||
         kind == AccessKind::AsyncWrite;
}

inline bool isRead(AccessKind kind) {
  return kind == AccessKind::Read || kind == AccessKind::Atomic ||
         kind == AccessKind::AsyncRead;
}

struct Resolver {
  Context &context;
  WarpAccess &access;
  const unsigned bytes = access.bytes;
  const uint64_t alignment = access.alignment ? access.alignment : access.bytes;
  Checker &checker = *context.launch.checker;
  const bool checked = checker.isEnabled();

  /// Of the lanes in `mask`, those that may go on.
  uint32_t resolve(Space space, uint32_t mask);

private:
  bool isAligned(uint64_t address) const {
    return (address & (alignment - 1)) == 0;
  }

  uint32_t global(uint32_t mask);
  uint32_t inBuffer(GlobalBuffer &buffer, uint32_t mask);
  uint32_t checkBuffer(GlobalBuffer &buffer, uint32_t mask);
  uint32_t findUnwritten(const GlobalBuffer &buffer, uint32_t mask) const;
  void markWritten(GlobalBuffer &buffer, uint32_t mask) const;
  uint32_t shared(uint32_t mask);
  uint32_t inBlock(Block &owner, uint32_t mask);
  uint32_t checkBlock(Block &owner, uint32_t mask);
  void checkMbarriers(Block &owner, uint32_t mask);
  uint32_t local(uint32_t mask);
  uint32_t param(uint32_t mask);

  // Why a lane cannot go on: MemoryFaults.cpp.
  void faultGlobal(unsigned lane);
  void faultUnwritten(const GlobalBuffer &buffer, unsigned lane);
  void faultShared(unsigned lane);
  void faultMbarrier(unsigned lane, const Block &owner, uint32_t offset,
                     const Mbarrier &mbarrier);
  void faultBounds(unsigned lane, std::string object, const std::string &what,
                   uint64_t size);
  void faultAlignment(unsigned lane, std::string object);
  void faultReadOnly(unsigned lane, std::string object, const char *what);
  void faultUninitialized(unsigned lane, std::string object,
                          const char *detail);
  void fault(FaultKind kind, unsigned lane, std::string object,
             std::string detail);
};

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_RESOLVER_H
