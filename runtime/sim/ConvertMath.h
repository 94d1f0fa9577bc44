//===- ConvertMath.h - one lane's conversions ----------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_CONVERTMATH_H
#define GIRIH_RUNTIME_SIM_CONVERTMATH_H

#include "runtime/sim/Rounding.h"
#include "runtime/sim/Types.h"

#include <cmath>

namespace girih::sim {

/// What a conversion does besides changing the type; fits into
/// Instruction::variant.
struct ConvertHow {
  Rounding rounding = Rounding::Nearest;
  bool toInteger = false; ///< .rni and its like
  uint8_t flags = 0;      ///< FloatFlag: kFtz, kSat, kRelu, kSatFinite
  uint8_t unused = 0;
};

/// To an integer, which stays a float; not for Away.
template <typename T> inline T roundedToInteger(T value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value); // the host's rounding is to nearest even
  }
}

/// Types that scalar cvt knows.
bool isConvertInteger(Type type); ///< U8 .. S64
bool isConvertFloat(Type type);   ///< F16, BF16, F32, F64

/// The low bits of a value, those of an integer or float type, as another such
/// type. A signed result is extended to 64 bits, others have zeros there.
uint64_t convertScalar(Type to, Type from, ConvertHow how, uint64_t bits);

/// f32 to tf32, in the upper 19 bits of 32.
uint32_t convertToTf32(ConvertHow how, uint32_t bits);

/// An f32 to E4M3 or E5M2; saturates, .relu if the flag says so.
uint8_t convertToF8(Type to, ConvertHow how, float value);
/// E4M3 or E5M2 to f16.
uint16_t convertFromF8(Type from, ConvertHow how, uint8_t bits);

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_CONVERTMATH_H
