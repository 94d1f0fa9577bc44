//===- LineDiff.h - which lines of two texts differ -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_LINEDIFF_H
#define GIRIH_COMPILER_PIPELINE_LINEDIFF_H

#include <string>
#include <string_view>
#include <vector>

namespace girih::pipeline {

/// `- only in a`, `+ only in b`, `  in both` with at most two lines of what is
/// in both around a difference, and `...` for what is left out. Empty where the
/// texts are the same. The number of differing lines is the least possible,
/// except in texts of many thousand lines.
std::vector<std::string> diffLines(std::string_view a, std::string_view b);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_LINEDIFF_H
