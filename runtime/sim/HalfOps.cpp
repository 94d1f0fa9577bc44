//===- HalfOps.cpp - f16 and bf16 arithmetic ------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.4. One half of 16 bits, or two in 32.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/FloatDecode.h"
#include "runtime/sim/HalfMath.h"

using namespace girih;
using namespace girih::sim;

namespace {

// One half -------------------------------------------------------------------

template <typename H, bool ftz> float load(uint32_t half) {
  return H::widen(ftz ? uint32_t(H::format.flushed(half)) : half);
}

enum class Clamp : uint8_t { None, Sat, Relu };

template <typename H, bool ftz, Clamp clamp> uint32_t store(float value) {
  if (ftz)
    value = std::fabs(value) < float(H::tiny) ? zeroLike(value) : value;
  if (clamp == Clamp::Sat)
    value = saturated(value);
  if (clamp == Clamp::Relu)
    value = rectified(value);
  return H::narrow(value);
}

template <typename H, bool ftz, Clamp clamp> struct Add {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return store<H, ftz, clamp>(load<H, ftz>(a) + load<H, ftz>(b));
  }
};
template <typename H, bool ftz, Clamp clamp> struct Sub {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return store<H, ftz, clamp>(load<H, ftz>(a) - load<H, ftz>(b));
  }
};
template <typename H, bool ftz, Clamp clamp> struct Mul {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return store<H, ftz, clamp>(load<H, ftz>(a) * load<H, ftz>(b));
  }
};
template <typename H, bool ftz, Clamp clamp> struct Fma {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return store<H, ftz, clamp>(
        H::fmaToOdd(load<H, ftz>(a), load<H, ftz>(b), load<H, ftz>(c)));
  }
};

// ptxas makes additions of -0 of these: a NaN becomes canonical.
template <typename H, bool ftz, bool isAbs> struct Sign {
  static uint32_t apply(uint32_t a) {
    uint32_t sign = uint32_t(H::format.sign());
    uint32_t bits = ftz ? uint32_t(H::format.flushed(a)) : a;
    bits = isAbs ? bits & ~sign : bits ^ sign;
    return H::format.isNan(a) ? uint32_t(H::format.nan) : bits;
  }
};
template <typename H, bool ftz> using Abs = Sign<H, ftz, true>;
template <typename H, bool ftz> using Neg = Sign<H, ftz, false>;

/// Compared as integers that order -0 before +0.
template <typename H, bool isMax, bool nan, bool ftz> struct Extreme {
  static int32_t key(uint32_t a) {
    int32_t code = int32_t(a & 0x7fff);
    return a & 0x8000 ? ~code : code;
  }
  static uint32_t apply(uint32_t a, uint32_t b) {
    constexpr uint32_t infinity = uint32_t(H::format.infinity());
    a = ftz ? uint32_t(H::format.flushed(a)) : a;
    b = ftz ? uint32_t(H::format.flushed(b)) : b;
    bool aIsNan = (a & 0x7fff) > infinity, bIsNan = (b & 0x7fff) > infinity;
    bool takesA = isMax ? key(a) > key(b) : key(a) < key(b);
    uint32_t bits = takesA ? a : b;
    bits = aIsNan ? b : bits;
    bits = bIsNan ? a : bits;
    bool isNan = nan ? aIsNan | bIsNan : aIsNan & bIsNan;
    return isNan ? uint32_t(H::format.nan) : bits;
  }
};
template <typename H, bool isMax, bool nan, bool ftz> struct ExtremeXorsign {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint32_t magnitude =
        Extreme<H, isMax, nan, ftz>::apply(a & 0x7fff, b & 0x7fff);
    return H::format.isNan(magnitude) ? magnitude
                                      : magnitude | ((a ^ b) & 0x8000);
  }
};

template <typename H> struct Tanh {
  static uint32_t apply(uint32_t a) {
    return H::narrow(std::tanh(double(H::widen(a))));
  }
};
template <typename H, bool ftz> struct Ex2 {
  static uint32_t apply(uint32_t a) {
    double power = std::exp2(double(load<H, ftz>(a)));
    return ftz && power < H::tiny ? 0 : H::narrow(power);
  }
};

/// An operation on both halves of 32 bits.
template <typename Op> struct Twice {
  template <typename... S> static uint32_t apply(S... operands) {
    uint32_t low = Op::apply((operands & 0xffff)...);
    uint32_t high = Op::apply((operands >> 16)...);
    return low | high << 16;
  }
};

// Choosing -------------------------------------------------------------------

bool isPacked(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }
bool isBf16(Type type) { return type == Type::BF16 || type == Type::BF16x2; }
bool isHalf(std::optional<Type> type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 ||
         type == Type::BF16x2;
}

/// What is frequent, with vector loops of the host's best.
template <typename Op, typename... S> Execute frequent(Type type) {
  return isPacked(type) ? fastest<Twice<Op>, uint32_t, S...>()
                        : fastest<Op, uint32_t, S...>();
}
template <typename Op, typename... S> Execute rare(Type type) {
  return isPacked(type) ? lanewise<Twice<Op>, uint32_t, S...>
                        : lanewise<Op, uint32_t, S...>;
}

template <template <typename, bool, Clamp> typename Op, typename... S>
Execute chooseArithmetic(Type type, const FloatModifiers &modifiers) {
  constexpr bool mayRelu = sizeof...(S) == 3;
  if (isBf16(type)) {
    if constexpr (mayRelu)
      if (modifiers.has(kRelu))
        return rare<Op<BF16, false, Clamp::Relu>, S...>(type);
    return frequent<Op<BF16, false, Clamp::None>, S...>(type);
  }
  bool ftz = modifiers.has(kFtz);
  if (modifiers.has(kSat))
    return ftz ? rare<Op<F16, true, Clamp::Sat>, S...>(type)
               : rare<Op<F16, false, Clamp::Sat>, S...>(type);
  if constexpr (mayRelu)
    if (modifiers.has(kRelu))
      return ftz ? rare<Op<F16, true, Clamp::Relu>, S...>(type)
                 : rare<Op<F16, false, Clamp::Relu>, S...>(type);
  return ftz ? rare<Op<F16, true, Clamp::None>, S...>(type)
             : frequent<Op<F16, false, Clamp::None>, S...>(type);
}

template <template <typename, bool, bool, bool> typename Op, bool isMax>
Execute chooseExtreme(Type type, const FloatModifiers &modifiers) {
  auto choose = [&](auto nan) {
    if (isBf16(type))
      return frequent<Op<BF16, isMax, nan(), false>, uint32_t, uint32_t>(type);
    if (modifiers.has(kFtz))
      return rare<Op<F16, isMax, nan(), true>, uint32_t, uint32_t>(type);
    return frequent<Op<F16, isMax, nan(), false>, uint32_t, uint32_t>(type);
  };
  return modifiers.has(kNan) ? choose(std::true_type())
                             : choose(std::false_type());
}

} // namespace

// Decoding -------------------------------------------------------------------

static Status halfType(Decoder &d, Type type) {
  if (parseType(d.peek()) == Type::F32)
    return d.fail("arithmetic of mixed precision is not supported; convert to "
                  ".f32 first");
  return takeType(d, type);
}

static Status needFor(Decoder &d, Type type, unsigned forF16,
                      unsigned forBf16) {
  return needCapability(d, isBf16(type) ? forBf16 : forF16,
                        d.statement().opcode + "." + std::string(nameOf(type)));
}

template <template <typename, bool, Clamp> typename Op>
static Status decodeSum(Decoder &d) {
  std::optional<Type> type = d.lastType();
  if (!isHalf(type))
    return d.notMine();
  FloatModifiers modifiers;
  takeModifiers(d, isBf16(*type) ? kRound : kRound | kFtz | kSat, modifiers);
  if (Status status = halfType(d, *type); !status)
    return status;
  if (modifiers.rounding != Rounding::Nearest)
    return d.fail("halves are rounded to nearest only: .rn");
  if (Status status = needFor(d, *type, 53, 90); !status)
    return status;
  d.instruction().category = Category::Half;
  d.instruction().execute =
      chooseArithmetic<Op, uint32_t, uint32_t>(*type, modifiers);
  return plainOperands(d, *type, {*type, *type});
}

static Status decodeAdd(Decoder &d) { return decodeSum<Add>(d); }
static Status decodeSub(Decoder &d) { return decodeSum<Sub>(d); }
static Status decodeMul(Decoder &d) { return decodeSum<Mul>(d); }

static Status decodeFma(Decoder &d) {
  std::optional<Type> type = d.lastType();
  if (!isHalf(type))
    return d.notMine();
  if (d.has("oob"))
    return d.fail("'.oob' is not supported");
  FloatModifiers modifiers;
  takeModifiers(d,
                isBf16(*type) ? kRound | kRelu : kRound | kFtz | kSat | kRelu,
                modifiers);
  if (Status status = halfType(d, *type); !status)
    return status;
  if (!modifiers.has(kRound))
    return d.fail("needs a rounding: .rn");
  if (modifiers.rounding != Rounding::Nearest)
    return d.fail("halves are rounded to nearest only: .rn");
  if (modifiers.has(kSat) && modifiers.has(kRelu))
    return d.fail("'.sat' and '.relu' do not go together");
  if (Status status = needFor(d, *type, modifiers.has(kRelu) ? 80 : 53, 80);
      !status)
    return status;
  d.instruction().category = Category::Half;
  d.instruction().execute =
      chooseArithmetic<Fma, uint32_t, uint32_t, uint32_t>(*type, modifiers);
  return plainOperands(d, *type, {*type, *type, *type});
}

template <template <typename, bool> typename Op>
static Status decodeSign(Decoder &d) {
  std::optional<Type> type = d.lastType();
  if (!isHalf(type))
    return d.notMine();
  FloatModifiers modifiers;
  takeModifiers(d, isBf16(*type) ? 0 : uint32_t(kFtz), modifiers);
  if (Status status = takeType(d, *type); !status)
    return status;
  if (Status status = needFor(d, *type, 53, 80); !status)
    return status;
  Instruction &made = d.instruction();
  made.category = Category::Half;
  if (isBf16(*type))
    made.execute = rare<Op<BF16, false>, uint32_t>(*type);
  else if (modifiers.has(kFtz))
    made.execute = rare<Op<F16, true>, uint32_t>(*type);
  else
    made.execute = rare<Op<F16, false>, uint32_t>(*type);
  return plainOperands(d, *type, {*type});
}

static Status decodeAbs(Decoder &d) { return decodeSign<Abs>(d); }
static Status decodeNeg(Decoder &d) { return decodeSign<Neg>(d); }

template <bool isMax> static Status decodeExtreme(Decoder &d) {
  std::optional<Type> type = d.lastType();
  if (!isHalf(type))
    return d.notMine();
  FloatModifiers modifiers;
  uint32_t allowed = kNan | kXorsign | kAbs;
  takeModifiers(d, isBf16(*type) ? allowed : allowed | kFtz, modifiers);
  if (Status status = takeType(d, *type); !status)
    return status;
  if (modifiers.has(kXorsign) != modifiers.has(kAbs))
    return d.fail("'.xorsign' and '.abs' go together");
  unsigned needed = modifiers.has(kXorsign) ? 86 : 80;
  if (Status status = needFor(d, *type, needed, needed); !status)
    return status;
  d.instruction().category = Category::Half;
  d.instruction().execute =
      modifiers.has(kXorsign)
          ? chooseExtreme<ExtremeXorsign, isMax>(*type, modifiers)
          : chooseExtreme<Extreme, isMax>(*type, modifiers);
  return plainOperands(d, *type, {*type, *type});
}

static Status decodeMin(Decoder &d) { return decodeExtreme<false>(d); }
static Status decodeMax(Decoder &d) { return decodeExtreme<true>(d); }

/// tanh and ex2: the loops call the host's library.
template <typename OpF16, typename OpBf16>
static Status finishApproximation(Decoder &d, Type type) {
  if (Status status = takeType(d, type); !status)
    return status;
  if (Status status = needFor(d, type, 75, 90); !status)
    return status;
  Instruction &made = d.instruction();
  made.category = Category::Special;
  if (isPacked(type))
    made.execute = isBf16(type) ? lanewise<Twice<OpBf16>, uint32_t, uint32_t>
                                : lanewise<Twice<OpF16>, uint32_t, uint32_t>;
  else
    made.execute = isBf16(type) ? lanewise<OpBf16, uint32_t, uint32_t>
                                : lanewise<OpF16, uint32_t, uint32_t>;
  return plainOperands(d, type, {type});
}

static Status decodeTanh(Decoder &d) {
  std::optional<Type> type = d.lastType();
  if (!isHalf(type))
    return d.notMine();
  if (!d.take("approx"))
    return d.fail("needs .approx");
  return finishApproximation<Tanh<F16>, Tanh<BF16>>(d, *type);
}

static Status decodeEx2(Decoder &d) {
  std::optional<Type> type = d.lastType();
  if (!isHalf(type))
    return d.notMine();
  FloatModifiers modifiers;
  takeModifiers(d, isBf16(*type) ? kApprox | kFtz : uint32_t(kApprox),
                modifiers);
  if (!modifiers.has(kApprox))
    return d.fail("needs .approx");
  if (isBf16(*type) && !modifiers.has(kFtz))
    return d.fail("needs .ftz for this type");
  return finishApproximation<Ex2<F16, false>, Ex2<BF16, true>>(d, *type);
}

static constexpr OpcodeRow kRows[] = {
    {"add", decodeAdd}, {"sub", decodeSub}, {"mul", decodeMul},
    {"fma", decodeFma}, {"abs", decodeAbs}, {"neg", decodeNeg},
    {"min", decodeMin}, {"max", decodeMax}, {"tanh", decodeTanh},
    {"ex2", decodeEx2},
};
const std::span<const OpcodeRow> sim::kHalfRows = kRows;
