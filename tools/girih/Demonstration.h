//===- Demonstration.h - what a refused schedule gets wrong -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_DEMONSTRATION_H
#define GIRIH_TOOLS_GIRIH_DEMONSTRATION_H

#include "runtime/HostArray.h"
#include "runtime/Random.h"
#include "tools/girih/Sizes.h"

#include <memory>

namespace girih::pipeline {
struct RefusedSchedule;
}

namespace girih::cli {

/// How inputs are drawn, from this seed on.
struct DemonstrationInputs {
  rt::RandomKind kind = rt::RandomKind::Normal;
  uint64_t seed = 0;
  /// Inputs that are given, by name; the others are drawn.
  using Files = std::vector<std::pair<std::string, rt::HostArray>>;
  std::shared_ptr<const Files> files = std::make_shared<const Files>();
};

/// Runs the program on the host in the order of the text and in the refused
/// one, at the sizes of each violation's witness, or at those of `given`, and
/// adds a note that shows the first element that differs. Violations that leave
/// no order to run get none.
void demonstrateRefusal(pipeline::RefusedSchedule &refused, const Sizes &given,
                        const DemonstrationInputs &inputs);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_DEMONSTRATION_H
