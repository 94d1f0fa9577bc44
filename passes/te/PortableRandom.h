//===- PortableRandom.h - Philox in integer operations ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", 2011) on an Ops of PortableFunctions.h. Words of 32 bits are
// held in 64.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_PORTABLERANDOM_H
#define GIRIH_PASSES_TE_PORTABLERANDOM_H

#include <array>
#include <cstdint>

namespace girih::te::portable {

/// The block of four words for a counter of four words under a key of two.
template <typename Ops>
std::array<typename Ops::Long, 4>
philox(Ops &ops, std::array<typename Ops::Long, 4> counter,
       std::array<typename Ops::Long, 2> key) {
  using Long = typename Ops::Long;
  constexpr unsigned kRounds = 10;
  constexpr int64_t kFactors[] = {0xD2511F53, 0xCD9E8D57};
  constexpr int64_t kSteps[] = {0x9E3779B9, 0xBB67AE85};
  Long mask = ops.longInteger(0xffffffff), word = ops.longInteger(32);
  for (unsigned round = 0; round < kRounds; ++round) {
    Long even = ops.mulLong(counter[0], ops.longInteger(kFactors[0]));
    Long odd = ops.mulLong(counter[2], ops.longInteger(kFactors[1]));
    auto mixed = [&](Long product, Long other, Long with) {
      return ops.xorLong(ops.xorLong(ops.shiftRightLong(product, word), other),
                         with);
    };
    counter = {mixed(odd, counter[1], key[0]), ops.andLong(odd, mask),
               mixed(even, counter[3], key[1]), ops.andLong(even, mask)};
    for (unsigned i = 0; i < 2 && round + 1 < kRounds; ++i)
      key[i] =
          ops.andLong(ops.addLong(key[i], ops.longInteger(kSteps[i])), mask);
  }
  return counter;
}

/// Word `word` of the block of the counter (low half, high half, 0, 0).
template <typename Ops>
typename Ops::Long philoxWord(Ops &ops, typename Ops::Long seed,
                              typename Ops::Long counter, unsigned word) {
  auto low = [&](auto x) {
    return ops.andLong(x, ops.longInteger(0xffffffff));
  };
  auto high = [&](auto x) {
    return ops.shiftRightLong(x, ops.longInteger(32));
  };
  auto zero = ops.longInteger(0);
  return philox(ops, {low(counter), high(counter), zero, zero},
                {low(seed), high(seed)})[word];
}

} // namespace girih::te::portable

#endif // GIRIH_PASSES_TE_PORTABLERANDOM_H
