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
  Special,   ///< half normal; half denormals, infinities, NaN, zeros, extremes
  Cancel,    ///< alternating signs, magnitudes over many orders: sums cancel
  Denormals, ///< up to twice the smallest normal; integers: -1, 0, 1
  Nonfinite, ///< normal, but one of 16 is an infinity or NaN
  Zeros,     ///< three of four are -0.0 or +0.0, the rest normal
  Ties       ///< half way between neighbours of a narrower type
};

// Unsigned integers take the magnitude of what a signed one would be, and wrap
// where sums are to cancel. A bool is drawn evenly, except by `ones`.

/// `normal` `uniform` `ones` `special` `cancel` `denormals` `nonfinite` `zeros`
/// `ties`
Result<RandomKind> parseRandomKind(std::string_view name);
/// All of them, in that order.
std::vector<std::string> randomKindNames();

/// Integers from `low` on, below `high`.
struct IntegerRange {
  int64_t low;
  int64_t high;
};

/// How the values of one tensor are drawn.
struct Draw {
  RandomKind kind = RandomKind::Normal;
  uint64_t seed = 0;
  uint32_t stream = 0; ///< give every tensor its own
  /// Ties: the types that values may be rounded to. Those that are no narrower
  /// than the tensor's count for nothing; without any other, every narrower
  /// type of the language is meant, and integers.
  std::vector<artifact::ScalarType> narrow = {};
  /// What an integer tensor promises: values outside are taken modulo its
  /// length; `special` then draws its two ends instead of the type's. One
  /// without values gives `low`.
  std::optional<IntegerRange> range = {};
};

/// Fills an array. The value of an element depends only on the draw, the type
/// and its flat row-major index: the same on every machine, whatever the
/// strides and however many threads filled it.
void fillRandom(HostArray &array, const Draw &draw);

inline void fillRandom(HostArray &array, RandomKind kind, uint64_t seed,
                       uint32_t stream) {
  fillRandom(array, Draw{kind, seed, stream});
}

} // namespace girih::rt

#endif // GIRIH_RUNTIME_RANDOM_H
