//===- LaneText.h - lanes and threads in words ---------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_LANETEXT_H
#define GIRIH_RUNTIME_SIM_LANETEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace girih::sim {

/// `thread 5`, `threads 0-15, 20`: `what` is `thread`, `lane` or `warp`. A long
/// list ends in `and 12 more`. `numbers` rise.
std::string rangeText(const std::string &what,
                      const std::vector<uint32_t> &numbers);
/// `lane 3`, `lanes 0-15`
std::string laneText(uint32_t mask);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_LANETEXT_H
