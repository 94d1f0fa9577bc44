//===- Scheduled.h - a program with its default schedule --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PASSES_SCHEDULED_H
#define GIRIH_TEST_UNIT_PASSES_SCHEDULED_H

#include "compiler/poly/Legality.h"
#include "compiler/support/Diagnostics.h"
#include "passes/schedule/DefaultSchedule.h"
#include "test/unit/passes/Middle.h"

#include <catch2/catch.hpp>

namespace girih::test {

/// Schedules `program` for `target` and generates its loops; fails the test
/// where the tree is not proved legal.
class Scheduled {
public:
  explicit Scheduled(Middle &program, const std::string &target = "sm_90a")
      : program(program) {
    const poly::Scop &scop = program.scop().scop;
    INFO(poly::printScop(scop));
    Diagnostics diags;
    auto dependences = poly::computeDependences(scop, {}, diags);
    REQUIRE(dependences);
    REQUIRE_FALSE(dependences->conservative);
    schedule::DefaultSchedule chosen =
        schedule::chooseSchedule(scop, *target::findTarget(target));
    tree = std::move(chosen.tree);
    reasons = std::move(chosen.reasons);
    INFO(text());
    bool good = poly::verifyScheduleTree(scop, tree, diags);
    auto violations = poly::checkLegality(scop, *dependences, tree, {});
    poly::reportViolations(scop, violations, diags);
    auto generated = poly::generateLoops(scop, tree, {}, diags);
    INFO(diags.renderText(false));
    REQUIRE(good);
    REQUIRE(violations.empty());
    REQUIRE(generated);
    loops = std::move(*generated);
  }

  std::string text() const {
    return poly::printScheduleTree(program.scop().scop, tree);
  }

  Middle &program;
  poly::ScheduleTree tree;
  std::vector<schedule::KernelReason> reasons;
  std::vector<poly::KernelLoops> loops;
};

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PASSES_SCHEDULED_H
