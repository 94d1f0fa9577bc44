//===- Compare.h - where silicon and simulator differ ---------- -*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_SIM_SILICON_COMPARE_H
#define GIRIH_TEST_GPU_SIM_SILICON_COMPARE_H

#include "test/gpu/sim_silicon/Program.h"

#include <map>

namespace girih::silicon {

/// All that is known of one opcode with its modifiers.
struct LabelStatistics {
  uint64_t compared = 0, mismatches = 0;
  std::string example; ///< the first mismatch: inputs, both results, the PTX
  // Approximations: of lanes, not of registers.
  bool isApproximate = false;
  uint64_t equal = 0, oneApart = 0, furtherApart = 0;
  uint64_t distance = 0; ///< the largest, in units in the last place
  double absolute = 0;   ///< the largest difference of finite values
  std::string farthest;  ///< where the distance is largest
  void add(const LabelStatistics &other);
};

struct FamilyStatistics {
  uint64_t programs = 0, instructions = 0, compared = 0, mismatches = 0;
  uint64_t skipped = 0; ///< values whose operands differed already
  std::map<std::string, LabelStatistics> labels;
  void add(const FamilyStatistics &other);
};

/// Compares what a program left in `out`. Values that depend on different
/// ones are not counted.
void compareProgram(const Program &program, const std::vector<uint8_t> &silicon,
                    const std::vector<uint8_t> &simulator,
                    FamilyStatistics &statistics);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_SIM_SILICON_COMPARE_H
