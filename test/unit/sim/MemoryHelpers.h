//===- MemoryHelpers.h - for tests of memory ------------------ -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_SIM_MEMORYHELPERS_H
#define GIRIH_TEST_UNIT_SIM_MEMORYHELPERS_H

#include "test/unit/sim/Harness.h"

namespace girih::sim::test {

inline LaunchShape shapeOf(uint32_t threads, uint32_t blocks = 1,
                           uint32_t cluster = 0) {
  LaunchShape shape;
  shape.block = {threads, 1, 1};
  shape.grid = {blocks, 1, 1};
  if (cluster)
    shape.cluster = {cluster, 1, 1};
  return shape;
}

inline SimulatorOptions unchecked() {
  SimulatorOptions options;
  options.checks = false;
  return options;
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace girih::sim::test

#endif // GIRIH_TEST_UNIT_SIM_MEMORYHELPERS_H
