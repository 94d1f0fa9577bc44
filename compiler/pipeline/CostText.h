//===- CostText.h - figures as people read them -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_COSTTEXT_H
#define GIRIH_COMPILER_PIPELINE_COSTTEXT_H

#include "compiler/cost/KernelCost.h"

#include "llvm/Support/JSON.h"

namespace girih::pipeline {

std::string bytesText(double bytes);  ///< `24.00 MiB`, `512 bytes`
std::string timeText(double seconds); ///< `8.20 us`, `1.541 ms`
std::string countText(double value);

/// `[16, 128] of 4 bytes, rows 4 apart`.
std::string shapeText(const cost::Buffer &buffer);

/// Columns: the first to the left, the others to the right.
std::string tableText(const std::vector<std::vector<std::string>> &rows);

/// Rows as comma-separated values: one a member of the innermost of the lists
/// `path`, the columns looked up there by names such as `time.total`, or, those
/// like `../kernel`, in the objects around it.
std::string csvText(const llvm::json::Value &view,
                    const std::vector<std::string> &path,
                    const std::vector<std::string> &columns);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_COSTTEXT_H
