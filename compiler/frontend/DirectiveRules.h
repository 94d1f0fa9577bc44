//===- DirectiveRules.h - the parts of a directive --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_DIRECTIVERULES_H
#define GIRIH_COMPILER_FRONTEND_DIRECTIVERULES_H

#include "compiler/frontend/Directive.h"
#include "compiler/frontend/Reporter.h"

namespace girih::frontend {

/// Counts of loops, factors and new names, places, options: what a directive
/// needs to mean something. Reports the first fault; false after it.
bool checkParts(const Directive &directive, Reporter &reporter);

/// "1 loop", "2 loops", "no loop".
std::string counted(size_t count, std::string_view what);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_DIRECTIVERULES_H
