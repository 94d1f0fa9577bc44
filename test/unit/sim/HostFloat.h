//===- HostFloat.h - the host's arithmetic as a reference ----- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IEEE-754 by the host's own unit, with its rounding and (x86) its flushing of
// denormals switched: another implementation than the simulator's, which leaves
// the modes alone.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_SIM_HOSTFLOAT_H
#define GIRIH_TEST_UNIT_SIM_HOSTFLOAT_H

#include "runtime/sim/Rounding.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace girih::sim::test {

struct RoundingName {
  Rounding rounding;
  int host;
  std::string ptx;
};
inline const RoundingName kRoundings[] = {
    {Rounding::Nearest, FE_TONEAREST, "rn"},
    {Rounding::Zero, FE_TOWARDZERO, "rz"},
    {Rounding::Down, FE_DOWNWARD, "rm"},
    {Rounding::Up, FE_UPWARD, "rp"}};

/// The host's modes while it lives.
class HostMode {
public:
  explicit HostMode(int rounding, bool flush = false) {
    std::fesetround(rounding);
#if defined(__x86_64__)
    if (flush)
      _mm_setcsr(_mm_getcsr() | 0x8040); // flush results, denormals are zeros
#endif
  }
  ~HostMode() {
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() & ~0x8040u);
#endif
    std::fesetround(FE_TONEAREST);
  }
};
#if defined(__x86_64__)
constexpr bool kHostFlushes = true;
#else
constexpr bool kHostFlushes = false;
#endif

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T> T valueOf(uint64_t bits) {
  BitsOf<T> word = BitsOf<T>(bits);
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// Any NaN as the canonical one; f64: the one that arises.
template <typename T> uint64_t bitsOfHost(T value) {
  if (value != value)
    return sizeof(T) == 8 ? 0xfff8000000000000 : 0x7fffffff;
  BitsOf<T> word;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

/// `add`, `sub`, `mul`, `div`, `fma`, `sqrt`, `rcp` in the current mode.
template <typename T>
__attribute__((noinline)) T hostOperation(const std::string &name, T a, T b,
                                          T c) {
  // Volatile: nothing is computed while other modes are in force.
  volatile T x = a, y = b, z = c, result = 0, one = 1;
  if (name == "add")
    result = x + y;
  else if (name == "sub")
    result = x - y;
  else if (name == "mul")
    result = x * y;
  else if (name == "div")
    result = x / y;
  else if (name == "fma")
    result = std::fma(T(x), T(y), T(z));
  else if (name == "sqrt")
    result = std::sqrt(T(x));
  else if (name == "rcp")
    result = one / x;
  return result;
}

/// Bits of floats at which something changes, each with both signs: zeros, the
/// ends of denormals and normals, halves of last places, infinity, NaN.
inline std::vector<uint64_t> floatEdges(const FloatFormat &format) {
  uint64_t one = uint64_t(format.bias()) << format.fractionBits;
  uint64_t normal = format.smallestNormal(), infinity = format.infinity();
  uint64_t half = one - normal, step = one + 1;
  std::vector<uint64_t> codes = {0,
                                 1,
                                 2,
                                 3,
                                 normal / 2,
                                 normal / 2 + 1,
                                 normal - 1,
                                 normal,
                                 normal + 1,
                                 2 * normal,
                                 3 * normal + 1,
                                 half,
                                 half + 1,
                                 one - 1,
                                 one,
                                 step,
                                 one + normal,
                                 one + normal + 1,
                                 one + normal / 2,
                                 one + 3 * normal,
                                 infinity - normal,
                                 infinity - 2,
                                 infinity - 1,
                                 infinity,
                                 infinity + 1,
                                 infinity + normal / 2,
                                 infinity + normal - 1};
  size_t count = codes.size();
  for (size_t i = 0; i < count; ++i)
    codes.push_back(codes[i] | format.sign());
  return codes;
}

/// Edges, any bits, and numbers of similar size, whose sums cancel.
class FloatSource {
public:
  explicit FloatSource(const FloatFormat &format, uint64_t seed = 11)
      : format(format), edges(floatEdges(format)), random(seed) {}

  uint64_t any() {
    uint64_t all = 2 * format.sign() - 1;
    switch (random() % 5) {
    case 0:
      return edges[random() % edges.size()];
    case 1: // few bits: ties and exact results
      return (random() & all) & ~((format.smallestNormal() - 1) >>
                                  (random() % (format.fractionBits + 1)));
    case 2:
      return near(uint64_t(format.bias()) << format.fractionBits, 3);
    default:
      return random() & all;
    }
  }
  /// About as large as the number with these bits.
  uint64_t near(uint64_t bits, unsigned exponents) {
    uint64_t magnitude = bits & (format.sign() - 1);
    uint64_t range = format.smallestNormal() * exponents;
    uint64_t low = magnitude > range ? magnitude - range : 0;
    uint64_t code = low + random() % (2 * range);
    if (code > format.infinity())
      code = format.infinity() - 1;
    return code | (random() & format.sign());
  }
  uint64_t next() { return random(); }
  const std::vector<uint64_t> &allEdges() const { return edges; }

private:
  const FloatFormat &format;
  std::vector<uint64_t> edges;
  std::mt19937_64 random;
};

} // namespace girih::sim::test

#endif // GIRIH_TEST_UNIT_SIM_HOSTFLOAT_H
