//===- Families.h - sorts of random kernels -------------------- -*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_SIM_SILICON_FAMILIES_H
#define GIRIH_TEST_GPU_SIM_SILICON_FAMILIES_H

#include "test/gpu/sim_silicon/Builder.h"

namespace girih::silicon {

struct Family {
  const char *name;
  uint32_t grid, block;
  /// Writes the body of one kernel.
  void (*make)(Builder &b);
};
const std::vector<Family> &families();
/// Program `index` of a family: a function of the seed only.
Program makeProgram(const Family &family, uint64_t seed, unsigned index);

/// Approximations over 2^logInputs inputs each: for each operation all bit
/// patterns, and where it is used most.
size_t sweepCount();
Program makeSweepProgram(size_t index, unsigned logInputs, uint64_t seed);
/// What has to hold between columns of a sweep's results on any machine.
/// Returns how many inputs break it, and describes the first.
size_t checkSweep(const Program &program, const std::vector<uint8_t> &out,
                  std::string &first);

// ValuePrograms.cpp, MovePrograms.cpp, ConvertPrograms.cpp
void makeInteger(Builder &b);
void makeFloat32(Builder &b);
void makeFloat64(Builder &b);
void makeHalf(Builder &b);
void makeSpecial(Builder &b);
void makeMove(Builder &b);
void makeConvert(Builder &b);
// WarpPrograms.cpp, MemoryPrograms.cpp, AtomicPrograms.cpp
void makeWarp(Builder &b);
void makeMemory(Builder &b);
void makeAtomic(Builder &b);
// MatrixPrograms.cpp
void makeMatrix(Builder &b);
// BlockPrograms.cpp, ClusterPrograms.cpp, PipelinePrograms.cpp
void makeBarrier(Builder &b);
void makeCluster(Builder &b);
void makePipeline(Builder &b);
// ControlPrograms.cpp
void makeControl(Builder &b);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_SIM_SILICON_FAMILIES_H
