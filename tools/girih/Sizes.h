//===- Sizes.h - sizes named on the command line ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_SIZES_H
#define GIRIH_TOOLS_GIRIH_SIZES_H

#include "compiler/artifact/Artifact.h"
#include "tools/girih/Console.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <utility>
#include <vector>

namespace girih::cli {

using Sizes = std::vector<std::pair<std::string, int64_t>>;

/// `M=1024`, or several separated by commas. Reports what is wrong.
std::optional<Sizes> parseSizes(Console &console, const std::string &text);

/// NAME=VALUE where the value is no integer.
using ParamValues = std::vector<std::pair<std::string, std::string>>;

/// Sizes and parameters: `M=1024`, `ACT=false`, or several with commas. Values
/// that are no integers go to `params`. Reports what is wrong.
std::optional<Sizes> parseDefines(Console &console,
                                  llvm::ArrayRef<std::string> texts,
                                  ParamValues &params);

/// Each text by itself, one after the other.
std::optional<Sizes> parseSizes(Console &console,
                                llvm::ArrayRef<std::string> texts);

/// `M=1,N=7;M=33,N=65`: one set for each part.
std::optional<std::vector<Sizes>> parseSizeSets(Console &console,
                                                const std::string &text);

/// `base`, where `special` has the last word.
Sizes mergeSizes(const Sizes &base, const Sizes &special);

/// Parallel to the signature's sizes, -1 for those without a value. Refuses
/// names that the signature lacks.
std::optional<std::vector<int64_t>>
orderSizes(Console &console, const artifact::Signature &signature,
           const Sizes &sizes);

/// `M = 5, K = 7`; "no sizes" where there are none.
std::string printSizes(const artifact::Signature &signature,
                       const std::vector<int64_t> &sizes);

/// A decimal number that does not fit, or something else, gives nothing.
std::optional<int64_t> parseInteger(std::string_view text);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_SIZES_H
