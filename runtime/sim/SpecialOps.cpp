//===- SpecialOps.cpp - approximations of f32 and f64 functions -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU has a unit for these functions (MUFU) that takes denormals for zeros
// and gives zeros for denormals; ptxas puts scaling around it where denormals
// are wanted. Both are as ptxas 13.0 does it for sm_90: which steps there are
// and where each rounds. What the unit itself gives is taken to be the value
// rounded to nearest, of the argument that it sees; docs/simulator.md says how
// far the real one is from that.
// Special values: the tables of PTX ISA 9.0, 9.7.3.13 to 9.7.3.22.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/FloatDecode.h"
#include "runtime/sim/FloatMath.h"

using namespace girih;
using namespace girih::sim;

using arith::bitsOf;
using arith::doubleFromBits;
using arith::floatFromBits;

namespace {

// The unit -------------------------------------------------------------------

constexpr float kSmallestNormal = 0x1p-126f;
constexpr uint32_t kOne = 0x3f800000, kHalf = 0x3f000000; // as bits

/// 2^x for |x| <= 1/2, to about 2^-52: the exponential series. No library
/// call, so that loops become vector code, and no fma, so that every host gets
/// the same.
inline double exp2OfFraction(double x) {
  double t = x * 0.693147180559945309417;
  double sum = 1 + t * (1. / 13);
  sum = 1 + sum * (t * (1. / 12));
  sum = 1 + sum * (t * (1. / 11));
  sum = 1 + sum * (t * (1. / 10));
  sum = 1 + sum * (t * (1. / 9));
  sum = 1 + sum * (t * (1. / 8));
  sum = 1 + sum * (t * (1. / 7));
  sum = 1 + sum * (t * (1. / 6));
  sum = 1 + sum * (t * (1. / 5));
  sum = 1 + sum * (t * (1. / 4));
  sum = 1 + sum * (t * (1. / 3));
  sum = 1 + sum * (t * (1. / 2));
  return 1 + sum * t;
}

/// Only the fraction of x is rounded: ex2(x + 1) is exactly 2 * ex2(x).
inline float unitEx2(float x) {
  // Adding it rounds to an integer, which then is the sum's last bits.
  constexpr float shifter = 0x1.8p23f;
  float shifted = x + shifter;
  double fraction = double(x) - (shifted - shifter);
  uint32_t bits =
      bitsOf(float(exp2OfFraction(fraction))) + (bitsOf(shifted) << 23);
  // What came of x below -126 and from 128 on is without meaning.
  uint32_t xBits = bitsOf(x);
  bits = unless(xBits > bitsOf(-126.0f), bits, 0);
  bits = unless(int32_t(xBits) >= int32_t(bitsOf(128.0f)), bits, 0x7f800000);
  bits =
      unless((xBits & 0x7fffffff) > 0x7f800000, bits, arith::kCanonicalNanF32);
  return floatFromBits(bits);
}

// Of these a NaN may be any; instructions make it canonical.
inline float unitRcp(float x) { return flushDenormal(1 / flushDenormal(x)); }
inline float unitSqrt(float x) { return std::sqrt(flushDenormal(x)); }
inline float unitRsqrt(float x) {
  return float(1 / std::sqrt(double(flushDenormal(x))));
}
inline float unitLg2(float x) {
  return float(std::log2(double(flushDenormal(x))));
}

// Sines take turns, not radians. What an H200 gives near their zeros tells that
// the magnitude is cut to a fixed point: units of 2^-25 turns.

/// The fraction of a finite number of turns, in units.
inline uint32_t unitsOf(float turns) {
  double magnitude = std::fabs(double(turns));
  return uint32_t((magnitude - std::floor(magnitude)) * 0x1p25);
}
/// The two upper bits of a fraction say which quarter it is in. The rest counts
/// up to the quarter's end, or down as its one's complement.
inline float sineOf(uint32_t units) {
  constexpr uint32_t quarter = 1u << 23;
  uint32_t rest = units & (quarter - 1);
  if (units & quarter)
    rest = quarter - 1 - rest;
  float sine = float(std::sin(rest * (6.283185307179586477 * 0x1p-25)));
  return units & 2 * quarter ? -sine : sine;
}
inline float unitSin(float turns) {
  if (!std::isfinite(turns))
    return turns - turns; // NaN
  float sine = sineOf(unitsOf(turns));
  return std::signbit(turns) ? -sine : sine; // zeros as well
}
inline float unitCos(float turns) {
  constexpr uint32_t quarter = 1u << 23;
  return std::isfinite(turns) ? sineOf(unitsOf(turns) + quarter)
                              : turns - turns;
}

// Instructions ---------------------------------------------------------------

struct Ex2Ftz {
  static float apply(float x) { return unitEx2(x); }
};
struct Ex2 {
  static float apply(float x) {
    // Multiplications by 1 where x is not small; a NaN stays canonical.
    bool isSmall = bitsOf(x) > bitsOf(-126.0f);
    float power = unitEx2(x * floatFromBits(unless(isSmall, kOne, kHalf)));
    uint32_t other = unless(isSmall, kOne, bitsOf(power));
    return canonical(power * floatFromBits(other));
  }
};

/// 2^24 for denormals, else 1.
inline float scaleOf(float x) {
  return floatFromBits(
      unless(std::fabs(x) < kSmallestNormal, kOne, bitsOf(0x1p24f)));
}
/// 1/4 for what has a denormal reciprocal, else 1.
inline float shrinkOf(float x) {
  return floatFromBits(unless(std::fabs(x) > 0x1p126f, kOne, bitsOf(0.25f)));
}

struct Lg2Ftz {
  static float apply(float x) { return canonical(unitLg2(x)); }
};
struct Lg2 {
  static float apply(float x) {
    bool isSmall = std::fabs(x) < kSmallestNormal;
    return canonical(isSmall ? unitLg2(x * 0x1p24f) - 24 : unitLg2(x));
  }
};

struct RcpFtz {
  static float apply(float x) { return canonical(unitRcp(x)); }
};
struct Rcp {
  static float apply(float x) {
    float scale = scaleOf(x) * shrinkOf(x);
    return canonical(unitRcp(x * scale) * scale);
  }
};

struct SqrtFtz {
  static float apply(float x) { return canonical(unitSqrt(x)); }
};
struct Sqrt {
  static float apply(float x) {
    bool isSmall = std::fabs(x) < kSmallestNormal;
    return canonical(isSmall ? unitSqrt(x * 0x1p24f) * 0x1p-12f : unitSqrt(x));
  }
};

struct RsqrtFtz {
  static float apply(float x) { return canonical(unitRsqrt(x)); }
};
struct Rsqrt {
  static float apply(float x) {
    bool isSmall = std::fabs(x) < kSmallestNormal;
    return canonical(isSmall ? unitRsqrt(x * 0x1p24f) * 0x1p12f : unitRsqrt(x));
  }
};

/// Radians to turns: rounded towards zero, denormals kept.
inline float turnsOf(float x) {
  return mulF32<Rounding::Zero, false, false>(x, floatFromBits(0x3e22f983));
}
struct Sin {
  static float apply(float x) { return canonical(unitSin(turnsOf(x))); }
};
struct Cos {
  static float apply(float x) { return canonical(unitCos(turnsOf(x))); }
};

struct Tanh { // denormals pass
  static float apply(float x) { return canonical(float(std::tanh(double(x)))); }
};

struct DivFtz {
  static float apply(float a, float b) {
    return mulF32<Rounding::Nearest, true, false>(a, unitRcp(b));
  }
};
struct Div {
  static float apply(float a, float b) {
    float scale = scaleOf(b);
    return canonical(a * scale * unitRcp(b * scale));
  }
};
struct DivFullFtz {
  static float apply(float a, float b) {
    float scale = shrinkOf(b);
    return DivFtz::apply(flushDenormal(flushDenormal(a) * scale), b * scale);
  }
};
struct DivFull {
  static float apply(float a, float b) {
    float scale = scaleOf(b) * shrinkOf(b);
    return canonical(a * scale * unitRcp(b * scale));
  }
};

// f64: the unit reads and writes the upper 32 bits, 20 of them fraction.

constexpr uint64_t kUnitNanF64 = 0x7fffffff00000000;

template <double (*function)(double)> struct UpperHalf {
  static double apply(double x) {
    uint64_t upper = kFormatF64.flushed(bitsOf(x) & ~uint64_t(0xffffffff));
    double value = function(doubleFromBits(upper));
    if (value != value)
      return doubleFromBits(kUnitNanF64);
    // It seems to be the unit of f32: an H200 rounds up where the fraction cut
    // off is above 15/16 or so. Hence rounded to 23 bits, then cut.
    uint64_t bits = bitsOf(value) + (1u << 28);
    return doubleFromBits(kFormatF64.flushed(bits & ~uint64_t(0xffffffff)));
  }
};
inline double reciprocal(double x) { return 1 / x; }
inline double reciprocalRoot(double x) { return 1 / std::sqrt(x); }

/// The unit's value and one correction, as ptxas puts it.
struct RsqrtF64 {
  static double apply(double x) {
    if (!(x >= 0))
      return orNan(doubleFromBits(kFormatF64.nan), x);
    if (x == 0 || std::isinf(x))
      return 1 / std::sqrt(x);
    bool isDenormal = x < 0x1p-1022;
    if (isDenormal)
      x *= 0x1p54;
    double root = UpperHalf<reciprocalRoot>::apply(x);
    double error = std::fma(x, -(root * root), 1.0);
    double slope = std::fma(error, 0.375, 0.5);
    double refined = std::fma(slope, root * error, root);
    return isDenormal ? refined * 0x1p27 : refined;
  }
};

} // namespace

// Decoding -------------------------------------------------------------------

/// `op.approx{.ftz}.f32`
template <typename Op, typename OpFtz, typename... F32>
static Status decodeF32(Decoder &d) {
  if (d.lastType() != Type::F32)
    return d.notMine();
  FloatModifiers modifiers;
  takeModifiers(d, kApprox | kFtz, modifiers);
  if (Status status = takeType(d, Type::F32); !status)
    return status;
  if (!modifiers.has(kApprox))
    return d.fail("needs .approx");
  d.instruction().category = Category::Special;
  d.instruction().execute = modifiers.has(kFtz)
                                ? fastest<OpFtz, float, F32...>()
                                : fastest<Op, float, F32...>();
  if constexpr (sizeof...(F32) == 2)
    return plainOperands(d, Type::F32, {Type::F32, Type::F32});
  else
    return plainOperands(d, Type::F32, {Type::F32});
}

/// `op.approx.ftz.f64`, and without .ftz where there is `whole`.
static Status decodeF64(Decoder &d, Execute upper, Execute whole) {
  FloatModifiers modifiers;
  takeModifiers(d, kApprox | kFtz, modifiers);
  if (Status status = takeType(d, Type::F64); !status)
    return status;
  if (!modifiers.has(kApprox))
    return d.fail("needs .approx");
  if (!modifiers.has(kFtz) && !whole)
    return d.fail("needs .ftz for this type");
  d.instruction().category = Category::Special;
  d.instruction().execute = modifiers.has(kFtz) ? upper : whole;
  return plainOperands(d, Type::F64, {Type::F64});
}

static Status decodeEx2(Decoder &d) { return decodeF32<Ex2, Ex2Ftz, float>(d); }
static Status decodeLg2(Decoder &d) { return decodeF32<Lg2, Lg2Ftz, float>(d); }
static Status decodeSin(Decoder &d) { return decodeF32<Sin, Sin, float>(d); }
static Status decodeCos(Decoder &d) { return decodeF32<Cos, Cos, float>(d); }

static Status decodeTanh(Decoder &d) {
  if (d.lastType() != Type::F32)
    return d.notMine();
  if (d.has("ftz"))
    return d.fail("modifier '.ftz' is not supported here");
  if (Status status = needCapability(d, 75, "tanh.f32"); !status)
    return status;
  return decodeF32<Tanh, Tanh, float>(d);
}

static Status decodeSqrt(Decoder &d) {
  if (!d.has("approx"))
    return d.notMine(); // with a rounding: FloatOps.cpp
  return decodeF32<Sqrt, SqrtFtz, float>(d);
}

static Status decodeRcp(Decoder &d) {
  if (!d.has("approx"))
    return d.notMine();
  if (d.lastType() == Type::F64)
    return decodeF64(d, lanewise<UpperHalf<reciprocal>, double, double>,
                     nullptr);
  return decodeF32<Rcp, RcpFtz, float>(d);
}

static Status decodeRsqrt(Decoder &d) {
  if (d.lastType() == Type::F64)
    return decodeF64(d, lanewise<UpperHalf<reciprocalRoot>, double, double>,
                     lanewise<RsqrtF64, double, double>);
  return decodeF32<Rsqrt, RsqrtFtz, float>(d);
}

static Status decodeDiv(Decoder &d) {
  if (d.has("approx"))
    return decodeF32<Div, DivFtz, float, float>(d);
  if (!d.has("full") || d.lastType() != Type::F32)
    return d.notMine();
  FloatModifiers modifiers;
  takeModifiers(d, kFull | kFtz, modifiers);
  if (Status status = takeType(d, Type::F32); !status)
    return status;
  d.instruction().category = Category::Special;
  d.instruction().execute = modifiers.has(kFtz)
                                ? fastest<DivFullFtz, float, float, float>()
                                : fastest<DivFull, float, float, float>();
  return plainOperands(d, Type::F32, {Type::F32, Type::F32});
}

static constexpr OpcodeRow kRows[] = {
    {"ex2", decodeEx2},     {"lg2", decodeLg2},   {"sin", decodeSin},
    {"cos", decodeCos},     {"tanh", decodeTanh}, {"sqrt", decodeSqrt},
    {"rsqrt", decodeRsqrt}, {"rcp", decodeRcp},   {"div", decodeDiv},
};
const std::span<const OpcodeRow> sim::kSpecialRows = kRows;
