//===- Harness.h - small PTX kernels in tests ----------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test names no registers but those it uses. In bodies there are
//
//   .pred %p0-%p15   .b8 %b0-%b15     .b16 %h0-%h63   .b32 %r0-%r127
//   .f32 %f0-%f63    .b64 %rd0-%rd63  .f64 %d0-%d63   .b128 %q0-%q7
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_SIM_HARNESS_H
#define GIRIH_TEST_UNIT_SIM_HARNESS_H

#include "runtime/sim/Simulator.h"

#include <string>
#include <vector>

namespace girih::sim::test {

/// `.version`, `.target sm_90a`, `.address_size`.
std::string header(const std::string &target = "sm_90a");
/// The declarations above.
std::string registers();
/// A module with one kernel `k` and the parameters `.param .u64 a0`, `a1` ...
/// `body` may declare .shared variables; a `ret;` is added.
std::string kernelText(const std::string &body, unsigned parameters = 0,
                       const std::string &target = "sm_90a");

/// Inputs of runLanes: each lane has one value.
struct LaneInput {
  std::string reg;              ///< `%f1`
  std::string type;             ///< `f32`, `b16`, `u64`, `pred`
  std::vector<uint64_t> values; ///< 32 of them, or 1 for all lanes
};

/// Runs `body` by one warp and returns what `result` holds afterwards, a value
/// a lane, zero-extended. Fails the test (Catch's REQUIRE) if the text does not
/// load or a fault is found.
std::vector<uint64_t> runLanes(const std::string &body,
                               const std::string &result,
                               const std::string &resultType,
                               const std::vector<LaneInput> &inputs);
/// The same for several results.
std::vector<std::vector<uint64_t>>
runLanes(const std::string &body,
         const std::vector<std::pair<std::string, std::string>> &results,
         const std::vector<LaneInput> &inputs,
         const SimulatorOptions &options = {});
/// The same by one lane: one value in, one out.
uint64_t runOne(const std::string &body, const std::string &result,
                const std::string &resultType,
                const std::vector<LaneInput> &inputs = {});

/// Like runLanes, where faults are expected.
Report runForFaults(const std::string &body,
                    const std::vector<LaneInput> &inputs = {},
                    const SimulatorOptions &options = {});

/// Loads kernel `k` of the text and runs it on `card`.
Report runKernel(Simulator &card, const std::string &ptx,
                 const LaunchShape &shape,
                 const std::vector<uint64_t> &arguments);

/// What loading a kernel with this body fails with; empty if it loads.
std::string decodeFailure(const std::string &body,
                          const std::string &target = "sm_90a");

/// Bits of a float and back.
uint64_t bits(float value);
uint64_t bits(double value);
float asFloat(uint64_t bits);
double asDouble(uint64_t bits);

} // namespace girih::sim::test

#endif // GIRIH_TEST_UNIT_SIM_HARNESS_H
