//===- ProgramModel.h - programs and their trees, for tests -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_COST_PROGRAMMODEL_H
#define GIRIH_TEST_UNIT_COST_PROGRAMMODEL_H

#include "compiler/cost/TreeCost.h"

#include <string>
#include <utility>
#include <vector>

namespace girih::test {

/// A program compiled for any size, with the tree of its schedule.
struct ProgramModel {
  poly::Scop scop;
  poly::ScheduleTree tree;

  /// The plan at these sizes, by name.
  cost::Plan
  at(const std::vector<std::pair<std::string, int64_t>> &sizes) const;
  std::vector<cost::Product>
  products(const std::vector<std::pair<std::string, int64_t>> &sizes) const;
};

/// Fails the test where the text is refused.
ProgramModel modelOf(const std::string &text,
                     const std::string &target = "sm_90a");

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_COST_PROGRAMMODEL_H
