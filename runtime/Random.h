//===- Random.h - test inputs from a seed -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_RANDOM_H
#define GIRIH_RUNTIME_RANDOM_H

#include "runtime/HostArray.h"

namespace girih::rt {

enum class RandomKind : uint8_t {
  Normal,  ///< mean 0, variance 1; integers: small, mean 0, deviation 8
  Uniform, ///< [0, 1); integers: all values
  Ones,
  Special, ///< half normal; half denormals, infinities, NaN, zeros, extremes
  Cancel   ///< alternating signs, magnitudes over many orders: sums cancel
};

// Unsigned integers take the magnitude of what a signed one would be, and wrap
// where sums are to cancel. A bool is drawn evenly, except by `ones`.

/// `normal` `uniform` `ones` `special` `cancel`
Result<RandomKind> parseRandomKind(std::string_view name);

/// Fills an array. The value of an element depends only on kind, type, seed,
/// `stream` (give every tensor its own) and its flat row-major index: the same
/// on every machine, whatever the strides and however many threads filled it.
void fillRandom(HostArray &array, RandomKind kind, uint64_t seed,
                uint32_t stream);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_RANDOM_H
