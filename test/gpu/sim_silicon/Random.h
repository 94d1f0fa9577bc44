//===- Random.h - values that find differences ---------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types are named as PTX names them and described here independently of the
// simulator, which is what is being tested.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_SIM_SILICON_RANDOM_H
#define GIRIH_TEST_GPU_SIM_SILICON_RANDOM_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace girih::silicon {

/// The same numbers on every machine.
class Rng {
public:
  explicit Rng(uint64_t seed) : state(seed) {}
  uint64_t next();
  uint64_t below(uint64_t count) { return count ? next() % count : 0; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename List> const auto &pick(const List &list) {
    return list[below(std::size(list))];
  }

private:
  uint64_t state;
};

struct TypeInfo {
  enum class Kind : uint8_t { Bits, Unsigned, Signed, Float };
  std::string_view name;
  unsigned bits = 0; ///< of all lanes
  Kind kind = Kind::Bits;
  unsigned lanes = 1;
  unsigned exponent = 0, mantissa = 0; ///< bits of a floating-point lane
};
/// Ends the program for a name that is no type: a mistake in a table.
const TypeInfo &typeInfo(std::string_view name);
/// Of the register that holds a value of a type: 1, 16, 32, 64 or 128.
unsigned registerBits(std::string_view type);

/// What an operand is for.
enum class Spread : uint8_t {
  Natural, ///< all of its type, its edges often
  Shift,   ///< mostly below the width, sometimes far above
  Bit,     ///< 0 or 1
  Lane,    ///< 0 to 31
  Offset   ///< -33 to 33
};
uint64_t draw(Rng &rng, std::string_view type, Spread spread);

/// `{a|b|}` becomes one of its alternatives; `$` becomes `type`.
std::string expand(Rng &rng, std::string_view pattern, std::string_view type);
std::vector<std::string> words(std::string_view text);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_SIM_SILICON_RANDOM_H
