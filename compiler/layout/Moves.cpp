//===- Moves.cpp - the places that registers and threads walk over --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/layout/Layout.h"

namespace girih::layout {

static std::vector<Moves::Move> movesOf(const std::vector<Digit> &digits,
                                        std::span<const int64_t> coefficients,
                                        size_t rank) {
  const size_t places = rank ? coefficients.size() / rank : 0;
  std::vector<Moves::Move> moves;
  for (const Digit &digit : digits) {
    if (digit.count == 1)
      continue;
    std::vector<int64_t> step(places, 0);
    if (digit.dim >= 0)
      for (size_t p = 0; p < places; ++p)
        step[p] = coefficients[p * rank + size_t(digit.dim)] * digit.stride;
    bool goesOn = !moves.empty();
    for (size_t p = 0; goesOn && p < places; ++p)
      goesOn = step[p] == moves.back().count * moves.back().step[p];
    if (goesOn)
      moves.back().count *= digit.count;
    else
      moves.push_back({digit.count, std::move(step)});
  }
  return moves;
}

Moves movesOf(const Layout &layout, std::span<const int64_t> coefficients) {
  return {movesOf(layout.registers, coefficients, layout.rank()),
          movesOf(layout.threads, coefficients, layout.rank())};
}

} // namespace girih::layout
