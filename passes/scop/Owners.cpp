//===- Owners.cpp - which statements are one of the text ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/scop/BuildScop.h"

using namespace girih;
using namespace girih::scop;

std::vector<poly::Owner> girih::scop::ownersOf(const ScopWithMap &scop) {
  std::vector<poly::Owner> owners(scop.map.statements.size());
  // From the back: a reduction stands in front of what it is part of.
  mlir::Operation *last = nullptr;
  unsigned number = 0;
  for (size_t s = owners.size(); s-- > 0;) {
    const StatementInfo &info = scop.map.statements[s];
    if (info.scatter) {
      owners[s] = {scop.scop.statements[s].name, ++number};
      last = info.scatter;
      continue;
    }
    te::ComputeOp compute = info.compute;
    bool isPart = last && s + 1 < owners.size() && compute.getPartOf() &&
                  owners[s + 1].name == *compute.getPartOf();
    if (!isPart && compute.getOperation() != last)
      ++number;
    owners[s] = {isPart ? owners[s + 1].name
                        : compute.getPartOf().value_or(compute.getName()).str(),
                 number};
    last = compute;
  }
  return owners;
}
