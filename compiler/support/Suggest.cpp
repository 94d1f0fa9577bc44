//===- Suggest.cpp - "did you mean" for names -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/support/Suggest.h"

#include "llvm/ADT/StringRef.h"

namespace girih {

std::string nearestName(std::string_view name,
                        const std::vector<std::string> &candidates) {
  llvm::StringRef wanted(name.data(), name.size());
  // One letter is no evidence: 'A' is not a misspelling of 'B'.
  size_t limit = name.size() < 2 ? 0 : (name.size() + 2) / 3;
  const std::string *best = nullptr;
  size_t bestDistance = limit + 1;
  for (const std::string &candidate : candidates) {
    if (candidate == name)
      continue;
    size_t distance =
        wanted.equals_insensitive(candidate)
            ? 0
            : wanted.edit_distance(candidate, /*AllowReplacements=*/true,
                                   static_cast<unsigned>(limit + 1));
    if (distance == 0 && !wanted.equals_insensitive(candidate))
      continue;
    if (distance < bestDistance) {
      bestDistance = distance;
      best = &candidate;
    }
  }
  return best ? *best : std::string();
}

std::string didYouMean(std::string_view name,
                       const std::vector<std::string> &candidates) {
  std::string best = nearestName(name, candidates);
  return best.empty() ? best : "; did you mean '" + best + "'?";
}

} // namespace girih
