//===- Memory.h - the simulated card's global memory ---------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are not the host's: buffer number n begins at n << 40, so that an
// access past the end of a buffer never lands in another one. The low part of
// the address space holds the windows of generic addresses.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_MEMORY_H
#define GIRIH_RUNTIME_SIM_MEMORY_H

#include "compiler/artifact/Result.h"
#include "runtime/sim/Types.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace girih::sim {

constexpr unsigned kBufferShift = 40;
/// A generic address in shared memory is kSharedWindow + a shared address; a
/// shared address is an offset in the own block's memory (below kSharedLimit),
/// or, of block `rank` in the cluster, (rank + 1) * kSharedLimit + offset.
constexpr uint64_t kSharedWindow = uint64_t(1) << 36;
constexpr uint64_t kLocalWindow = uint64_t(2) << 36;
constexpr uint64_t kParamWindow = uint64_t(3) << 36;
constexpr uint64_t kWindowBytes = uint64_t(1) << 36;
constexpr uint32_t kSharedLimit = 1u << 24;

/// How a buffer's bytes are to be named in messages.
struct BufferView {
  std::string name;     ///< `X`; empty: `buffer 3`
  std::string typeName; ///< `f32`
  unsigned elementBytes = 1;
  std::vector<int64_t> shape, strides; ///< strides in elements; empty: flat
  int64_t offset = 0; ///< bytes from the buffer's start to the first element
};

class GlobalShadow; // Shadow.h

struct GlobalBuffer {
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::unique_ptr<uint8_t[]> data;
  /// A bit a byte: has it been written? Null once all of it has (copied in
  /// whole, filled).
  std::unique_ptr<std::atomic<uint64_t>[]> initialized;
  bool isConstant = false; ///< a .const variable
  BufferView view;
  std::unique_ptr<GlobalShadow> shadow; ///< made by the first racy launch
  GlobalBuffer();
  ~GlobalBuffer();
};

/// Allocation is for one thread at a time and never during a launch.
class GlobalMemory {
public:
  GlobalMemory();
  ~GlobalMemory();
  /// Uninitialised. Fails where the host has no memory left.
  Result<uint64_t> allocate(uint64_t bytes);
  void release(uint64_t address);
  /// The buffer an address belongs to by its number, whether or not it lies
  /// within its bytes; null if there is none.
  GlobalBuffer *find(uint64_t address);

  /// All three refuse ranges that are not within one buffer.
  Status write(uint64_t address, const void *source, uint64_t bytes);
  Status read(void *destination, uint64_t address, uint64_t bytes);
  Status fill(uint64_t address, uint8_t byte, uint64_t bytes);
  /// Fills, and marks the bytes as never written.
  Status poison(uint64_t address, uint8_t byte, uint64_t bytes);
  /// Every buffer gets a shadow of such granules, before a launch with checks.
  void makeShadows(unsigned granule);
  void dropShadows();

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<GlobalBuffer>> buffers; ///< by number
  std::vector<uint32_t> freeNumbers;
};

/// `Y[3, 17] (f32)`, `byte 40 of buffer 3`, `byte 16 past the end of X`.
std::string describeAddress(GlobalMemory &memory, uint64_t address);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_MEMORY_H
