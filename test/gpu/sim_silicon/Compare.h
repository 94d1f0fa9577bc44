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

#include <array>
#include <map>

namespace girih::silicon {

/// f64 results that are NaN on both machines.
struct NanStatistics {
  uint64_t compared = 0, different = 0;
  /// Of those that differ: where silicon has an operand's NaN made quiet, by
  /// the first operand that has it.
  std::array<uint64_t, 3> ofOperand{};
  std::vector<std::string> examples; ///< the first ones
  void add(const NanStatistics &other);
};

/// All that is known of one opcode with its modifiers.
struct LabelStatistics {
  uint64_t compared = 0, mismatches = 0;
  std::string example; ///< the first mismatch: inputs, both results, the PTX
  NanStatistics nans;
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
  uint64_t skipped = 0;  ///< values whose operands differed already
  uint64_t payloads = 0; ///< NaNs of f64 that differ
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
