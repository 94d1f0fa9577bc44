//===- DirectiveList.h - a schedule tree as directives ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a person would write to get a tree of kernels and tiles, one that was
// chosen or one that was completed: a start for a schedule of one's own.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_DIRECTIVELIST_H
#define GIRIH_PASSES_SCHEDULE_DIRECTIVELIST_H

#include "compiler/frontend/Directive.h"
#include "passes/schedule/Families.h"

#include <optional>
#include <string>
#include <vector>

namespace girih::schedule {

/// Directives that, in an `exact` schedule, give `tree`; nothing, and `why`,
/// where the tree has something that no directive says.
std::optional<std::vector<frontend::Directive>>
directivesOf(const poly::Scop &scop, const std::vector<Family> &families,
             const poly::ScheduleTree &tree, std::string &why);

} // namespace girih::schedule

#endif // GIRIH_PASSES_SCHEDULE_DIRECTIVELIST_H
