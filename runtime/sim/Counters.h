//===- Counters.h - what a kernel did, counted ---------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact counts, no times. Sectors are 32 bytes of global memory, aligned, that
// one warp instruction touches, counted once each. Wavefronts are the passes
// that shared memory's 32 banks of 4 bytes need for one warp instruction; 8
// byte accesses go by half warps, 16 byte accesses by quarter warps; lanes at
// the same word cost nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_COUNTERS_H
#define GIRIH_RUNTIME_SIM_COUNTERS_H

#include "runtime/sim/Machine.h"

#include <map>

namespace girih::sim {

struct WarpAccess;

/// Of one instruction, over all warps.
struct InstructionCount {
  uint64_t warps = 0;   ///< times a warp issued it
  uint64_t threads = 0; ///< lanes that carried it out
  // Memory accesses only.
  uint64_t bytes = 0;           ///< asked for by all lanes; copies: once
  uint64_t sectors = 0;         ///< global
  uint64_t usedBytes = 0;       ///< of those sectors, distinct bytes asked for
  uint64_t wavefronts = 0;      ///< shared
  uint64_t idealWavefronts = 0; ///< if lanes met at no bank
};

/// Global traffic of one buffer.
struct BufferCount {
  uint64_t readBytes = 0, writtenBytes = 0, atomicBytes = 0;
  uint64_t readSectors = 0, writtenSectors = 0, atomicSectors = 0;
};

/// Of one launch. Each worker has its own; they are added up at the end.
class Counters {
public:
  explicit Counters(const KernelCode &code);

  void issued(uint32_t statement, uint32_t mask) {
    ++instructions[statement].warps;
    instructions[statement].threads += unsigned(__builtin_popcount(mask));
  }
  /// A resolved access (its faulty lanes left out of `lanes`).
  void access(uint32_t statement, const WarpAccess &access, uint32_t lanes);
  /// Bytes [offset, offset + bytes) of shared memory were touched.
  void touchedShared(uint32_t end) {
    peakShared = peakShared > end ? peakShared : end;
  }
  void add(const Counters &other);

  std::vector<InstructionCount> instructions; ///< by statement
  std::map<uint64_t, BufferCount> buffers;    ///< by the buffer's address
  uint64_t barriers = 0;                      ///< completed block barriers
  uint32_t peakShared = 0;                    ///< bytes, highest end
  uint64_t blocks = 0;

private:
  bool accessRange(InstructionCount &count, const WarpAccess &access,
                   unsigned bytes);
  void accessGlobal(InstructionCount &count, const WarpAccess &access,
                    uint32_t lanes);
  void accessShared(InstructionCount &count, const WarpAccess &access,
                    uint32_t lanes);
};

/// The sectors that a warp's accesses to global memory touch.
uint64_t countSectors(const WarpAccess &access, uint32_t lanes);
/// The wavefronts that a warp's access to shared memory takes.
uint64_t countWavefronts(const WarpAccess &access, uint32_t lanes);

/// A launch's counts with names, for people and scripts.
struct CounterReport {
  struct Tensor {
    std::string name;
    BufferCount count;
  };
  struct Line { ///< an access of memory, or a matrix instruction
    Location location;
    std::string text; ///< the statement
    InstructionCount count;
    double sectorUse = 0; ///< bytes used of bytes moved, 0..1; global
  };
  std::string kernel;
  uint64_t blocks = 0, threadsPerBlock = 0;
  uint64_t warpInstructions = 0, threadInstructions = 0;
  std::array<uint64_t, kCategories> mix{}; ///< warp instructions
  std::map<std::string, uint64_t> matrix;  ///< by opcode and shape
  uint64_t barriers = 0;
  uint32_t peakShared = 0, sharedBytes = 0;
  uint64_t sharedWavefronts = 0, sharedConflicts = 0; ///< beyond the ideal
  std::vector<Tensor> tensors;
  std::vector<Line> lines;
};
CounterReport makeReport(const Counters &counters, const Launch &launch);
std::string printText(const CounterReport &report);
std::string printJson(const CounterReport &report);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_COUNTERS_H
