//===- Samples.h - arguments of measured functions --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The argument of each number, so that any part can be measured again.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_ACCURACY_SAMPLES_H
#define GIRIH_TEST_ACCURACY_SAMPLES_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace girih::accuracy {

/// Arguments that are computed at once.
inline constexpr int64_t kChunk = int64_t(1) << 22;

/// SplitMix64: 64 bits from a number and a stream.
inline uint64_t mixed(uint64_t number, uint64_t stream) {
  uint64_t z = (number * 4 + stream + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// f32: the number with these bits. f64: a random one, three of four within
/// [2^-10, 2^11), where the functions do their work.
template <typename T> T sample(uint64_t number) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(number));
  } else {
    uint64_t bits = mixed(number, 0);
    if (number % 4 != 0)
      bits = (bits & 0x800fffffffffffff) | ((1013 + (bits >> 52) % 21) << 52);
    return std::bit_cast<double>(bits);
  }
}

/// A random pair. One of four has any bits; in two x is any positive number, in
/// one it lies within [1/2, 2), and the power is spread over the type's range.
template <typename T> void samplePower(uint64_t number, T &x, T &y) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  x = std::bit_cast<T>(static_cast<Bits>(mixed(number, 0)));
  y = std::bit_cast<T>(static_cast<Bits>(mixed(number, 1)));
  if (number % 4 == 0)
    return;
  double part = static_cast<double>(mixed(number, 2) >> 11) * 0x1p-53;
  x = number % 4 == 1 ? static_cast<T>(0.5 + 1.5 * part) : std::fabs(x);
  double spread = static_cast<double>(mixed(number, 3) >> 11) * 0x1p-52 - 1;
  double reach = sizeof(T) == 4 ? 151 : 1076;
  y = static_cast<T>(spread * reach / std::log2(static_cast<double>(x)));
}

} // namespace girih::accuracy

#endif // GIRIH_TEST_ACCURACY_SAMPLES_H
