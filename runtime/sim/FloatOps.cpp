//===- FloatOps.cpp - f32 and f64 arithmetic ------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.3: what IEEE-754 defines. Approximations are in
// SpecialOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/FloatDecode.h"
#include "runtime/sim/FloatMath.h"
#include "runtime/sim/FloatSoft.h"

using namespace girih;
using namespace girih::sim;

using arith::bitsOf;
using arith::doubleFromBits;
using arith::floatFromBits;

namespace {

// One lane -------------------------------------------------------------------

template <Rounding rounding, bool ftz, bool sat> struct AddF32 {
  static float apply(float a, float b) {
    return addF32<rounding, ftz, sat>(a, b);
  }
};
template <Rounding rounding, bool ftz, bool sat> struct SubF32 {
  static float apply(float a, float b) {
    return addF32<rounding, ftz, sat>(a, -b);
  }
};
template <Rounding rounding, bool ftz, bool sat> struct MulF32 {
  static float apply(float a, float b) {
    return mulF32<rounding, ftz, sat>(a, b);
  }
};
template <Rounding rounding, bool ftz, bool sat> struct FmaF32 {
  static float apply(float a, float b, float c) {
    return fmaF32<rounding, ftz, sat>(a, b, c);
  }
};

// f64, to nearest. Which operand's NaN comes out is the order of the unit of
// a * b + c, b before c before a; a sum is a * 1 + c. -b in a difference leaves
// the sign of a NaN alone. On an H200 those were seen in the tensor core and by
// how many results differ in random programs, not one by one.
struct AddF64 {
  static double apply(double a, double b) {
    return orNan(orNan(arising(a + b), a), b);
  }
};
struct SubF64 {
  static double apply(double a, double b) {
    return orNan(orNan(arising(a - b), a), b);
  }
};
struct MulF64 {
  static double apply(double a, double b) {
    return orNan(orNan(arising(a * b), a), b);
  }
};
struct FmaF64 {
  static double apply(double a, double b, double c) {
    return orNan(orNan(orNan(arising(std::fma(a, b, c)), a), c), b);
  }
};

// To nearest. Those of f64 are software, which ptxas 13.0 appends, and treat
// NaNs each in their way.
struct Div {
  static float apply(float a, float b) { return canonical(a / b); }
  static double apply(double a, double b) {
    return orNan(orNan(arising(a / b), b), a);
  }
};
struct Rcp {
  static float apply(float a) { return canonical(1 / a); }
  static double apply(double a) { return orNan(arising(1 / a), a); }
};
struct Sqrt {
  static float apply(float a) { return canonical(std::sqrt(a)); }
  static double apply(double a) { return orNan(arising(std::sqrt(a)), a); }
};

// The same for f32 with .ftz.
struct DivFtz {
  static float apply(float a, float b) {
    // A quotient below 2^-126 may round up to it where denormals end. With as
    // many digits as normal numbers have it does not: the largest one,
    // (2^24 - 1) / 2^24 of it, needs no rounding. So tell by exact products.
    a = flushDenormal(a), b = flushDenormal(b);
    float quotient = a / b;
    bool tiny = std::fabs(double(a)) * 0x1p126 < std::fabs(double(b));
    return canonical(tiny ? zeroLike(quotient) : quotient);
  }
};
struct RcpFtz {
  static float apply(float a) { return DivFtz::apply(1, a); }
};
struct SqrtFtz { // never denormal
  static float apply(float a) { return Sqrt::apply(flushDenormal(a)); }
};

template <bool isMax, bool nan, bool ftz> struct ExtremeF32 {
  static float apply(float a, float b) {
    return extremeF32<isMax, nan>(input<ftz>(a), input<ftz>(b));
  }
  static float apply(float a, float b, float c) {
    return apply(apply(a, b), c);
  }
};
template <bool isMax, bool nan, bool ftz> struct ExtremeAbsF32 {
  using Plain = ExtremeF32<isMax, nan, ftz>;
  static float apply(float a, float b, float c) {
    return Plain::apply(std::fabs(a), std::fabs(b), std::fabs(c));
  }
};
template <bool isMax, bool nan, bool ftz> struct ExtremeXorsignF32 {
  static float apply(float a, float b) {
    float magnitude =
        ExtremeF32<isMax, nan, ftz>::apply(std::fabs(a), std::fabs(b));
    uint32_t sign = (bitsOf(a) ^ bitsOf(b)) & 0x80000000;
    return magnitude == magnitude ? floatFromBits(bitsOf(magnitude) | sign)
                                  : magnitude;
  }
};
template <bool isMax> struct ExtremeF64 {
  static double apply(double a, double b) { return extremeF64<isMax>(a, b); }
};

// ptxas makes additions of -0 of these: a NaN becomes canonical.
template <bool ftz> struct AbsF32 {
  static float apply(float a) { return canonical(std::fabs(input<ftz>(a))); }
};
template <bool ftz> struct NegF32 {
  static float apply(float a) { return canonical(-input<ftz>(a)); }
};
// The same in f64: a NaN keeps its sign.
struct AbsF64 {
  static double apply(double a) { return orNan(std::fabs(a), a); }
};
struct NegF64 {
  static double apply(double a) { return orNan(-a, a); }
};

template <typename T> struct CopySign { // the sign of a, the magnitude of b
  static T apply(T a, T b) {
    constexpr T sign = T(1) << (8 * sizeof(T) - 1);
    return (a & sign) | (b & (sign - 1));
  }
};

// Choosing -------------------------------------------------------------------

template <typename F> Execute withFlag(bool flag, F &&f) {
  return flag ? f(std::true_type()) : f(std::false_type());
}

template <typename F> Execute withRounding(Rounding rounding, F &&f) {
  switch (rounding) {
  case Rounding::Zero:
    return f(std::integral_constant<Rounding, Rounding::Zero>());
  case Rounding::Down:
    return f(std::integral_constant<Rounding, Rounding::Down>());
  case Rounding::Up:
    return f(std::integral_constant<Rounding, Rounding::Up>());
  default:
    return f(std::integral_constant<Rounding, Rounding::Nearest>());
  }
}

template <template <Rounding, bool, bool> typename Op, typename... S>
Execute chooseF32(const FloatModifiers &modifiers) {
  bool isNearest = modifiers.rounding == Rounding::Nearest;
  if (!isNearest && !hostIsWide())
    return soft;
  return withRounding(modifiers.rounding, [&](auto rounding) {
    return withFlag(modifiers.has(kFtz), [&](auto ftz) {
      return withFlag(modifiers.has(kSat), [&](auto sat) -> Execute {
        using Chosen = Op<rounding(), ftz(), sat()>;
        if constexpr (rounding() == Rounding::Nearest)
          return fastest<Chosen, float, S...>();
        else
          return lanewiseWide<Chosen, float, S...>;
      });
    });
  });
}

template <template <bool, bool, bool> typename Op, typename... S>
Execute chooseExtreme(bool isMax, const FloatModifiers &modifiers) {
  return withFlag(isMax, [&](auto isMax) {
    return withFlag(modifiers.has(kNan), [&](auto nan) {
      return withFlag(modifiers.has(kFtz), [&](auto ftz) {
        return fastest<Op<isMax(), nan(), ftz()>, float, S...>();
      });
    });
  });
}

} // namespace

// Decoding -------------------------------------------------------------------

/// All operands have one type.
static Status sameOperands(Decoder &d, Type type, size_t sources) {
  if (sources == 1)
    return plainOperands(d, type, {type});
  if (sources == 2)
    return plainOperands(d, type, {type, type});
  return plainOperands(d, type, {type, type, type});
}

/// add, sub, mul, fma of f32, f64, f32x2.
template <Operation operation, template <Rounding, bool, bool> typename Op32,
          typename Op64, typename... F32>
static Status decodeArithmetic(Decoder &d) {
  constexpr bool needsRounding = operation == Operation::Fma;
  std::optional<Type> type = d.lastType();
  if (type != Type::F32 && type != Type::F64 && type != Type::F32x2)
    return d.notMine();
  uint32_t allowed = kRound;
  if (type != Type::F64)
    allowed |= kFtz;
  if (type == Type::F32)
    allowed |= kSat;
  FloatModifiers modifiers;
  takeModifiers(d, allowed, modifiers);
  if (Status status = takeType(d, *type); !status)
    return status;
  if (needsRounding && !modifiers.has(kRound))
    return d.fail("needs a rounding: .rn, .rz, .rm or .rp");
  if (type == Type::F32x2)
    if (Status status = needCapability(d, 100, "type .f32x2"); !status)
      return status;
  Instruction &made = d.instruction();
  made.category = type == Type::F64 ? Category::Float64 : Category::Float32;
  setSoft(made, operation, *type, modifiers);
  if (type == Type::F32)
    made.execute = chooseF32<Op32, F32...>(modifiers);
  else if (type == Type::F64 && modifiers.rounding == Rounding::Nearest)
    made.execute =
        fastest<Op64, double, std::conditional_t<true, double, F32>...>();
  return sameOperands(d, *type, sizeof...(F32));
}

static Status decodeAdd(Decoder &d) {
  return decodeArithmetic<Operation::Add, AddF32, AddF64, float, float>(d);
}
static Status decodeSub(Decoder &d) {
  return decodeArithmetic<Operation::Sub, SubF32, SubF64, float, float>(d);
}
static Status decodeMul(Decoder &d) {
  return decodeArithmetic<Operation::Mul, MulF32, MulF64, float, float>(d);
}
static Status decodeFma(Decoder &d) {
  return decodeArithmetic<Operation::Fma, FmaF32, FmaF64, float, float, float>(
      d);
}
static Status decodeMad(Decoder &d) {
  if (d.lastType() == Type::F32x2)
    return d.fail("'mad' has no type .f32x2; use 'fma'");
  return decodeFma(d);
}

/// div, rcp, sqrt with a rounding.
template <Operation operation, typename Op, typename OpFtz, typename... F32>
static Status decodeQuotient(Decoder &d, const char *others) {
  std::optional<Type> type = d.lastType();
  if ((type != Type::F32 && type != Type::F64) || d.has("approx") ||
      d.has("full"))
    return d.notMine();
  FloatModifiers modifiers;
  takeModifiers(d, type == Type::F32 ? kRound | kFtz : kRound, modifiers);
  if (Status status = takeType(d, *type); !status)
    return status;
  if (!modifiers.has(kRound))
    return d.fail("needs a rounding: .rn, .rz, .rm or .rp" +
                  std::string(type == Type::F32 ? others : ""));
  Instruction &made = d.instruction();
  made.category = Category::Special;
  setSoft(made, operation, *type, modifiers);
  if (modifiers.rounding == Rounding::Nearest) {
    if (type == Type::F64)
      made.execute =
          fastest<Op, double, std::conditional_t<true, double, F32>...>();
    else
      made.execute = modifiers.has(kFtz) ? fastest<OpFtz, float, F32...>()
                                         : fastest<Op, float, F32...>();
  }
  return sameOperands(d, *type, sizeof...(F32));
}

static Status decodeDiv(Decoder &d) {
  return decodeQuotient<Operation::Div, Div, DivFtz, float, float>(
      d, ", or .approx or .full");
}
static Status decodeRcp(Decoder &d) {
  return decodeQuotient<Operation::Rcp, Rcp, RcpFtz, float>(d, ", or .approx");
}
static Status decodeSqrt(Decoder &d) {
  return decodeQuotient<Operation::Sqrt, Sqrt, SqrtFtz, float>(d,
                                                               ", or .approx");
}

template <template <bool> typename Op32, typename Op64>
static Status decodeSign(Decoder &d) {
  std::optional<Type> type = d.lastType();
  if (type != Type::F32 && type != Type::F64)
    return d.notMine();
  FloatModifiers modifiers;
  takeModifiers(d, type == Type::F32 ? uint32_t(kFtz) : 0, modifiers);
  if (Status status = takeType(d, *type); !status)
    return status;
  Instruction &made = d.instruction();
  if (type == Type::F32) {
    made.category = Category::Float32;
    made.execute = withFlag(modifiers.has(kFtz), [](auto ftz) {
      return fastest<Op32<ftz()>, float, float>();
    });
  } else {
    made.category = Category::Float64;
    made.execute = fastest<Op64, double, double>();
  }
  return plainOperands(d, *type, {*type});
}

static Status decodeAbs(Decoder &d) { return decodeSign<AbsF32, AbsF64>(d); }
static Status decodeNeg(Decoder &d) { return decodeSign<NegF32, NegF64>(d); }

static Status decodeExtremeF32(Decoder &d, bool isMax) {
  FloatModifiers modifiers;
  takeModifiers(d, kFtz | kNan | kXorsign | kAbs, modifiers);
  if (Status status = takeType(d, Type::F32); !status)
    return status;
  bool xorsign = modifiers.has(kXorsign), abs = modifiers.has(kAbs);
  bool three = d.statement().operands.size() == 4;
  Instruction &made = d.instruction();
  made.category = Category::Float32;
  if (three) {
    if (Status status =
            needCapability(d, 100, d.statement().opcode + " of three values");
        !status)
      return status;
    if (xorsign)
      return d.fail("'.xorsign' goes with two values, not three");
    made.execute =
        abs ? chooseExtreme<ExtremeAbsF32, float, float, float>(isMax,
                                                                modifiers)
            : chooseExtreme<ExtremeF32, float, float, float>(isMax, modifiers);
    return plainOperands(d, Type::F32, {Type::F32, Type::F32, Type::F32});
  }
  if (xorsign != abs)
    return d.fail("'.xorsign' and '.abs' go together");
  made.execute =
      xorsign ? chooseExtreme<ExtremeXorsignF32, float, float>(isMax, modifiers)
              : chooseExtreme<ExtremeF32, float, float>(isMax, modifiers);
  return plainOperands(d, Type::F32, {Type::F32, Type::F32});
}

static Status decodeExtreme(Decoder &d, bool isMax) {
  std::optional<Type> type = d.lastType();
  if (type == Type::F32)
    return decodeExtremeF32(d, isMax);
  if (type != Type::F64)
    return d.notMine();
  if (Status status = takeType(d, Type::F64); !status)
    return status;
  d.instruction().category = Category::Float64;
  d.instruction().execute =
      isMax ? fastest<ExtremeF64<true>, double, double, double>()
            : fastest<ExtremeF64<false>, double, double, double>();
  return plainOperands(d, Type::F64, {Type::F64, Type::F64});
}

static Status decodeMin(Decoder &d) { return decodeExtreme(d, false); }
static Status decodeMax(Decoder &d) { return decodeExtreme(d, true); }

static Status decodeCopySign(Decoder &d) {
  std::optional<Type> type = d.lastType();
  if (type != Type::F32 && type != Type::F64)
    return d.notMine();
  if (Status status = takeType(d, *type); !status)
    return status;
  bool isF32 = type == Type::F32;
  d.instruction().category = isF32 ? Category::Float32 : Category::Float64;
  d.instruction().execute =
      isF32 ? lanewise<CopySign<uint32_t>, uint32_t, uint32_t, uint32_t>
            : lanewise<CopySign<uint64_t>, uint64_t, uint64_t, uint64_t>;
  return plainOperands(d, *type, {*type, *type});
}

// testp ----------------------------------------------------------------------

namespace {

enum Property : uint32_t {
  kFinite,
  kInfinite,
  kNumber,
  kNotANumber,
  kNormal,
  kSubnormal
};

/// Zeros count as normal.
bool hasProperty(const FloatFormat &format, uint64_t bits, uint32_t property) {
  uint64_t magnitude = bits & (format.sign() - 1);
  bool isFinite = magnitude < format.infinity();
  bool isDenormal = magnitude != 0 && magnitude < format.smallestNormal();
  switch (property) {
  case kFinite:
    return isFinite;
  case kInfinite:
    return magnitude == format.infinity();
  case kNumber:
    return magnitude <= format.infinity();
  case kNotANumber:
    return magnitude > format.infinity();
  case kNormal:
    return isFinite && !isDenormal;
  default:
    return isDenormal;
  }
}

Outcome testp(Context &context, const Instruction &instruction, uint32_t mask) {
  const FloatFormat &format =
      instruction.type == Type::F32 ? kFormatF32 : kFormatF64;
  uint32_t word = 0;
  forLanes(mask, [&](unsigned lane) {
    uint64_t bits = context.get(instruction.sources[0], lane);
    if (hasProperty(format, bits, instruction.variant))
      word |= 1u << lane;
  });
  writePredicate(context, instruction.results[0], mask, word);
  return Outcome::Next;
}

} // namespace

static Status decodeTestp(Decoder &d) {
  std::optional<unsigned> property = d.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (!property)
    return d.fail("needs a property: .finite, .infinite, .number, .notanumber, "
                  ".normal or .subnormal");
  std::optional<Type> type = d.takeType();
  if (type != Type::F32 && type != Type::F64)
    return d.fail("tests values of type .f32 or .f64");
  Instruction &made = d.instruction();
  made.category = Category::Move;
  made.execute = testp;
  made.type = *type;
  made.variant = *property;
  return plainOperands(d, Type::Pred, {*type});
}

static constexpr OpcodeRow kRows[] = {
    {"add", decodeAdd},           {"sub", decodeSub},     {"mul", decodeMul},
    {"fma", decodeFma},           {"mad", decodeMad},     {"div", decodeDiv},
    {"rcp", decodeRcp},           {"sqrt", decodeSqrt},   {"abs", decodeAbs},
    {"neg", decodeNeg},           {"min", decodeMin},     {"max", decodeMax},
    {"copysign", decodeCopySign}, {"testp", decodeTestp},
};
const std::span<const OpcodeRow> sim::kFloatRows = kRows;
