//===- Naming.h - names of bytes in messages ------------------ -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_NAMING_H
#define GIRIH_RUNTIME_SIM_NAMING_H

#include "runtime/sim/MemorySystem.h"

#include <string>

namespace girih::sim {

/// `0x10000000040`
std::string toHex(uint64_t value);
/// `4 bytes`, `1 byte`
std::string countBytes(uint64_t bytes);
/// `reads 4 bytes`, `atomically updates 4 bytes`
std::string describeAction(AccessKind kind, uint64_t bytes);
/// What `bytes` bytes at a global address are, see describeAddress.
std::string describeGlobal(GlobalMemory &memory, uint64_t address,
                           uint64_t bytes);
/// `shared memory at offset 1088 (variable tile0 + 64)`, where the block that
/// speaks is another one: `shared memory of block 3 at offset ...`.
std::string describeShared(const Block &speaker, const Block &owner,
                           uint64_t offset);
/// `local memory at offset 8 (variable spill + 8)`
std::string describeLocal(const KernelCode &code, uint64_t offset);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_NAMING_H
