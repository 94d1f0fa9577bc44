//===- SharedBanks.cpp - bank conflicts of shared-memory accesses ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/layout/Layout.h"

#include <algorithm>
#include <array>
#include <set>

namespace girih::layout {

unsigned sharedWavefronts(const std::vector<int64_t> &addresses,
                          unsigned bytes) {
  // A wavefront serves 32 different banks, so wide accesses go in half or
  // quarter warps; lanes that want the same word share it.
  constexpr unsigned kBanks = 32;
  const unsigned words = std::max(1u, bytes / 4);
  const size_t lanesAtOnce = std::max(1u, kBanks / words);
  unsigned total = 0;
  for (size_t first = 0; first < addresses.size(); first += lanesAtOnce) {
    std::array<std::set<int64_t>, kBanks> wanted;
    const size_t end = std::min(addresses.size(), first + lanesAtOnce);
    for (size_t lane = first; lane < end; ++lane)
      for (unsigned w = 0; w < words; ++w) {
        const int64_t word = addresses[lane] / 4 + w;
        wanted[word % kBanks].insert(word);
      }
    size_t deepest = 0;
    for (const std::set<int64_t> &bank : wanted)
      deepest = std::max(deepest, bank.size());
    total += deepest;
  }
  return total;
}

} // namespace girih::layout
