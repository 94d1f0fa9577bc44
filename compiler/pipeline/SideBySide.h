//===- SideBySide.h - figures of two schedules or targets -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_SIDEBYSIDE_H
#define GIRIH_COMPILER_PIPELINE_SIDEBYSIDE_H

#include "llvm/Support/JSON.h"

#include <string>

namespace girih::pipeline {

/// One of the two, by what it is called, with the JSON of its views.
struct Side {
  std::string name;
  llvm::json::Value views = nullptr;
};

/// Each figure in a line, called by the way to it
/// (`traffic.kernel.A.readBytes`), with both values and their ratio. Of JSON:
/// `a`, `b` and `figures`, each with `figure`, `a`, `b`, where null is none,
/// and `ratio` where both are numbers.
std::string sideBySideText(const Side &a, const Side &b);
llvm::json::Value sideBySideJson(const Side &a, const Side &b);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_SIDEBYSIDE_H
