//===- Suggest.h - "did you mean" for names ---------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_SUPPORT_SUGGEST_H
#define GIRIH_COMPILER_SUPPORT_SUGGEST_H

#include <string>
#include <string_view>
#include <vector>

namespace girih {

/// The candidate that `name` most likely is a misspelling of, or "" where none
/// is close: equal but for case, or within about a third of its letters. Of
/// equally close candidates the first one wins; `name` itself is never offered.
std::string nearestName(std::string_view name,
                        const std::vector<std::string> &candidates);

/// `nearestName` as the tail of a message: "; did you mean 'silu'?" or "".
std::string didYouMean(std::string_view name,
                       const std::vector<std::string> &candidates);

} // namespace girih

#endif // GIRIH_COMPILER_SUPPORT_SUGGEST_H
