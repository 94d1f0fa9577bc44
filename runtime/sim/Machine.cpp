//===- Machine.cpp - warps, blocks and clusters while they run ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Machine.h"

#include <algorithm>

using namespace girih;
using namespace girih::sim;

void Context::fault(FaultKind kind, unsigned lane, std::string action,
                    std::string object, std::string detail) const {
  // Behind the last statement there is an exit without one.
  uint32_t statements = uint32_t(code().instructions.size());
  uint32_t statement = statements ? std::min(fragment.pc, statements - 1) : 0;
  Fault fault;
  fault.kind = kind;
  fault.sites.push_back({name(lane), statement, std::move(action)});
  fault.object = std::move(object);
  fault.detail = std::move(detail);
  launch.faults->report(std::move(fault));
}
