//===- IntegerOps.cpp - integer arithmetic --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.1. Extended precision is in CarryOps.cpp, fields of bits are
// in BitOps.cpp. Arithmetic wraps around, so it is done on unsigned words and
// cut to the type.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"

#include <algorithm>
#include <limits>

using namespace girih;
using namespace girih::sim;

namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;

/// Twice as wide, of the same sign.
template <typename T> struct DoubleOf;
template <> struct DoubleOf<uint16_t> { using Wide = uint32_t; };
template <> struct DoubleOf<int16_t> { using Wide = int32_t; };
template <> struct DoubleOf<uint32_t> { using Wide = uint64_t; };
template <> struct DoubleOf<int32_t> { using Wide = int64_t; };
template <> struct DoubleOf<uint64_t> { using Wide = unsigned __int128; };
template <> struct DoubleOf<int64_t> { using Wide = __int128; };
template <typename T> using Wide = typename DoubleOf<T>::Wide;

int32_t saturate(int64_t value) {
  constexpr int64_t least = std::numeric_limits<int32_t>::min();
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  return int32_t(std::clamp(value, least, most));
}

struct Add {
  template <typename T> static T apply(T a, T b) {
    return T(LaneWord<T>(a) + LaneWord<T>(b));
  }
};
struct Sub {
  template <typename T> static T apply(T a, T b) {
    return T(LaneWord<T>(a) - LaneWord<T>(b));
  }
};
struct AddSaturated {
  static int32_t apply(int32_t a, int32_t b) {
    return saturate(int64_t(a) + b);
  }
};
struct SubSaturated {
  static int32_t apply(int32_t a, int32_t b) {
    return saturate(int64_t(a) - b);
  }
};
struct MulLow {
  template <typename T> static T apply(T a, T b) {
    return T(LaneWord<T>(a) * LaneWord<T>(b));
  }
};
struct MulHigh {
  template <typename T> static T apply(T a, T b) {
    return T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
struct MulWide {
  template <typename T> static Wide<T> apply(T a, T b) {
    return Wide<T>(a) * Wide<T>(b);
  }
};
struct MadLow {
  template <typename T> static T apply(T a, T b, T c) {
    return Add::apply(MulLow::apply(a, b), c);
  }
};
struct MadHigh {
  template <typename T> static T apply(T a, T b, T c) {
    return Add::apply(MulHigh::apply(a, b), c);
  }
};
struct MadHighSaturated {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t(MulHigh::apply(a, b)) + c);
  }
};
struct MadWide {
  template <typename T> static Wide<T> apply(T a, T b, Wide<T> c) {
    return Add::apply(MulWide::apply(a, b), c);
  }
};

/// The low 24 bits of an operand; the product has 48.
template <typename T> int64_t cut24(T value) {
  uint32_t bits = uint32_t(value) << 8;
  return std::is_signed_v<T> ? int64_t(int32_t(bits) >> 8) : int64_t(bits >> 8);
}
struct Mul24Low {
  template <typename T> static T apply(T a, T b) {
    return T(uint64_t(cut24(a) * cut24(b)));
  }
};
struct Mul24High { // bits 47..16
  template <typename T> static T apply(T a, T b) {
    return T(uint64_t(cut24(a) * cut24(b)) >> 16);
  }
};
struct Mad24Low {
  template <typename T> static T apply(T a, T b, T c) {
    return Add::apply(Mul24Low::apply(a, b), c);
  }
};
struct Mad24High {
  template <typename T> static T apply(T a, T b, T c) {
    return Add::apply(Mul24High::apply(a, b), c);
  }
};
struct Mad24HighSaturated {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t(Mul24High::apply(a, b)) + c);
  }
};

struct Sad {
  template <typename T> static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};
/// Division by zero has no defined result; GPUs give all ones, for remainders
/// too. The quotient of the least number and -1 wraps around.
struct Div {
  template <typename T> static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    if (std::is_signed_v<T> && b == T(-1))
      return Sub::apply(T(0), a);
    return T(a / b);
  }
};
struct Rem {
  template <typename T> static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
};
struct Neg {
  template <typename T> static T apply(T a) { return Sub::apply(T(0), a); }
};
struct Abs {
  template <typename T> static T apply(T a) {
    return a < 0 ? Neg::apply(a) : a;
  }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <typename T> static T apply(T a, T b) { return a > b ? a : b; }
};
template <typename Op> struct Relu {
  template <typename T> static T apply(T a, T b) {
    return Max::apply(Op::apply(a, b), T(0));
  }
};

/// Two halves of a word at once.
template <typename Op, typename T> struct Packed {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint32_t low = Unsigned<T>(Op::apply(T(a), T(b)));
    uint32_t high = Unsigned<T>(Op::apply(T(a >> 16), T(b >> 16)));
    return low | high << 16;
  }
};

/// Part `index` of a word that holds several of type T.
template <typename T> uint32_t part(uint32_t word, unsigned index) {
  return uint32_t(int32_t(T(word >> (8 * sizeof(T) * index))));
}
template <bool signedA, bool signedB> struct Dp4a {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    using A = std::conditional_t<signedA, int8_t, uint8_t>;
    using B = std::conditional_t<signedB, int8_t, uint8_t>;
    for (unsigned i = 0; i < 4; ++i)
      c += part<A>(a, i) * part<B>(b, i);
    return c;
  }
};
template <bool signedA, bool signedB, bool high> struct Dp2a {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    using A = std::conditional_t<signedA, int16_t, uint16_t>;
    using B = std::conditional_t<signedB, int8_t, uint8_t>;
    for (unsigned i = 0; i < 2; ++i)
      c += part<A>(a, i) * part<B>(b, i + (high ? 2 : 0));
    return c;
  }
};

template <typename Op> Execute unary(Type type) {
  return withInteger(type, [](auto value) -> Execute {
    using T = decltype(value);
    return lanewise<Op, T, T>;
  });
}
template <typename Op> Execute binary(Type type) {
  return withInteger(type, [](auto value) -> Execute {
    using T = decltype(value);
    return lanewise<Op, T, T, T>;
  });
}
template <typename Op> Execute ternary(Type type) {
  return withInteger(type, [](auto value) -> Execute {
    using T = decltype(value);
    return lanewise<Op, T, T, T, T>;
  });
}
/// The plain form, and the one for halves.
template <typename Op> Execute binaryOrPacked(Type type) {
  if (type == Type::U16x2)
    return lanewise<Packed<Op, uint16_t>, uint32_t, uint32_t, uint32_t>;
  if (type == Type::S16x2)
    return lanewise<Packed<Op, int16_t>, uint32_t, uint32_t, uint32_t>;
  return binary<Op>(type);
}

bool isPacked(Type type) { return type == Type::U16x2 || type == Type::S16x2; }
/// Of operands: packed halves lie in registers of 32 bits.
Type operandType(Type type) { return isPacked(type) ? Type::B32 : type; }

/// The statement's type where it is one of integers; else the statement is
/// some other family's.
std::optional<Type> integerType(const Decoder &d) {
  std::optional<Type> type = d.lastType();
  if (type && (isInteger(*type) || isPacked(*type)))
    return type;
  return std::nullopt;
}

/// Takes the type and the operands of `op.type d, a, b`.
Status finishBinary(Decoder &d, Type type, Execute execute) {
  d.takeType();
  d.instruction().execute = execute;
  Type operand = operandType(type);
  return plainOperands(d, operand, {operand, operand});
}

Status wrongType(Decoder &d, Type type) {
  return d.fail("type ." + std::string(nameOf(type)) + " is not supported");
}

Status decodeSum(Decoder &d, bool isSub) {
  std::optional<Type> type = integerType(d);
  if (!type || d.has("cc"))
    return d.notMine();
  d.instruction().category = Category::Integer;
  if (d.take("sat")) {
    if (*type != Type::S32)
      return d.fail("saturates for .s32 only");
    using T = int32_t;
    return finishBinary(d, *type,
                        isSub ? lanewise<SubSaturated, T, T, T>
                              : lanewise<AddSaturated, T, T, T>);
  }
  if (isSub && isPacked(*type))
    return wrongType(d, *type);
  return finishBinary(d, *type,
                      isSub ? binary<Sub>(*type) : binaryOrPacked<Add>(*type));
}
Status decodeAdd(Decoder &d) { return decodeSum(d, false); }
Status decodeSub(Decoder &d) { return decodeSum(d, true); }

/// Twice as wide as an integer type of 16 or 32 bits.
Type wideType(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  default:
    return Type::S64;
  }
}
Execute mulWide(Type type) {
  switch (type) {
  case Type::U16:
    return lanewise<MulWide, uint32_t, uint16_t, uint16_t>;
  case Type::S16:
    return lanewise<MulWide, int32_t, int16_t, int16_t>;
  case Type::U32:
    return lanewise<MulWide, uint64_t, uint32_t, uint32_t>;
  default:
    return lanewise<MulWide, int64_t, int32_t, int32_t>;
  }
}
Execute madWide(Type type) {
  switch (type) {
  case Type::U16:
    return lanewise<MadWide, uint32_t, uint16_t, uint16_t, uint32_t>;
  case Type::S16:
    return lanewise<MadWide, int32_t, int16_t, int16_t, int32_t>;
  case Type::U32:
    return lanewise<MadWide, uint64_t, uint32_t, uint32_t, uint64_t>;
  default:
    return lanewise<MadWide, int64_t, int32_t, int32_t, int64_t>;
  }
}

Status decodeMul(Decoder &d) {
  std::optional<Type> type = integerType(d);
  if (!type)
    return d.notMine();
  d.instruction().category = Category::Integer;
  std::optional<unsigned> mode = d.takeOneOf({"lo", "hi", "wide"});
  if (!mode)
    return d.fail("needs .lo, .hi or .wide in front of its type");
  if (isPacked(*type) || (*mode == 2 && bitsOf(*type) == 64))
    return wrongType(d, *type);
  d.takeType();
  if (*mode == 2) {
    d.instruction().execute = mulWide(*type);
    return plainOperands(d, wideType(*type), {*type, *type});
  }
  d.instruction().execute =
      *mode ? binary<MulHigh>(*type) : binary<MulLow>(*type);
  return plainOperands(d, *type, {*type, *type});
}

Status decodeMad(Decoder &d) {
  std::optional<Type> type = integerType(d);
  if (!type || d.has("cc"))
    return d.notMine();
  Instruction &made = d.instruction();
  made.category = Category::Integer;
  std::optional<unsigned> mode = d.takeOneOf({"lo", "hi", "wide"});
  if (!mode)
    return d.fail("needs .lo, .hi or .wide in front of its type");
  if (isPacked(*type) || (*mode == 2 && bitsOf(*type) == 64))
    return wrongType(d, *type);
  bool saturates = d.take("sat");
  if (saturates && (*mode != 1 || *type != Type::S32))
    return d.fail("saturates for .hi and .s32 only");
  d.takeType();
  if (*mode == 2) {
    made.execute = madWide(*type);
    Type wide = wideType(*type);
    return plainOperands(d, wide, {*type, *type, wide});
  }
  using T = int32_t;
  made.execute = saturates ? lanewise<MadHighSaturated, T, T, T, T>
                 : *mode   ? ternary<MadHigh>(*type)
                           : ternary<MadLow>(*type);
  return plainOperands(d, *type, {*type, *type, *type});
}

Status decode24(Decoder &d, bool hasAddend) {
  Instruction &made = d.instruction();
  made.category = Category::Integer;
  std::optional<unsigned> mode = d.takeOneOf({"lo", "hi"});
  if (!mode)
    return d.fail("needs .lo or .hi in front of its type");
  bool saturates = hasAddend && d.take("sat");
  std::optional<Type> type = d.takeType();
  if (type != Type::U32 && type != Type::S32)
    return needsType(d, ".u32 or .s32");
  if (saturates && (*mode == 0 || type != Type::S32))
    return d.fail("saturates for .hi and .s32 only");
  using T = int32_t;
  if (!hasAddend) {
    made.execute = *mode ? binary<Mul24High>(*type) : binary<Mul24Low>(*type);
    return plainOperands(d, *type, {*type, *type});
  }
  made.execute = saturates ? lanewise<Mad24HighSaturated, T, T, T, T>
                 : *mode   ? ternary<Mad24High>(*type)
                           : ternary<Mad24Low>(*type);
  return plainOperands(d, *type, {*type, *type, *type});
}
Status decodeMul24(Decoder &d) { return decode24(d, false); }
Status decodeMad24(Decoder &d) { return decode24(d, true); }

Status decodeSad(Decoder &d) {
  std::optional<Type> type = d.takeType();
  if (!type || !isInteger(*type))
    return needsType(d, ".u16 to .u64 or .s16 to .s64");
  d.instruction().category = Category::Integer;
  d.instruction().execute = ternary<Sad>(*type);
  return plainOperands(d, *type, {*type, *type, *type});
}

template <typename Op> Status decodeQuotient(Decoder &d) {
  std::optional<Type> type = integerType(d);
  if (!type)
    return d.notMine();
  if (isPacked(*type))
    return wrongType(d, *type);
  d.instruction().category = Category::Integer;
  return finishBinary(d, *type, binary<Op>(*type));
}

template <typename Op> Status decodeSign(Decoder &d) {
  std::optional<Type> type = integerType(d);
  if (!type)
    return d.notMine();
  if (isPacked(*type) || !isSigned(*type))
    return wrongType(d, *type);
  d.instruction().category = Category::Integer;
  d.instruction().execute = unary<Op>(*type);
  d.takeType();
  return plainOperands(d, *type, {*type});
}

template <typename Op> Status decodeExtremum(Decoder &d) {
  std::optional<Type> type = integerType(d);
  if (!type)
    return d.notMine();
  d.instruction().category = Category::Integer;
  if (!d.take("relu"))
    return finishBinary(d, *type, binaryOrPacked<Op>(*type));
  if (*type != Type::S32 && *type != Type::S16x2)
    return d.fail(".relu goes with .s32 and .s16x2 only");
  using T = uint32_t;
  return finishBinary(d, *type,
                      *type == Type::S32
                          ? lanewise<Relu<Op>, int32_t, int32_t, int32_t>
                          : lanewise<Packed<Relu<Op>, int16_t>, T, T, T>);
}

template <template <bool, bool, bool...> class Op, bool... rest>
Execute dotProduct(bool signedA, bool signedB) {
  using T = uint32_t;
  if (signedA)
    return signedB ? lanewise<Op<true, true, rest...>, T, T, T, T>
                   : lanewise<Op<true, false, rest...>, T, T, T, T>;
  return signedB ? lanewise<Op<false, true, rest...>, T, T, T, T>
                 : lanewise<Op<false, false, rest...>, T, T, T, T>;
}

/// The two types of a dot product: true for signed.
Result<std::pair<bool, bool>> takeDotTypes(Decoder &d) {
  std::optional<Type> a = d.takeType(), b = d.takeType();
  if ((a != Type::U32 && a != Type::S32) || (b != Type::U32 && b != Type::S32))
    return d.fail("needs two types, each .u32 or .s32");
  return std::pair(isSigned(*a), isSigned(*b));
}

template <bool signedA, bool signedB, bool...>
using Dp4aOp = Dp4a<signedA, signedB>;

Status decodeDp4a(Decoder &d) {
  Result<std::pair<bool, bool>> isSigned = takeDotTypes(d);
  if (!isSigned)
    return Failure{isSigned.message()};
  d.instruction().category = Category::Integer;
  d.instruction().execute =
      dotProduct<Dp4aOp>(isSigned->first, isSigned->second);
  return plainOperands(d, Type::B32, {Type::B32, Type::B32, Type::B32});
}

template <bool signedA, bool signedB, bool...>
using Dp2aLow = Dp2a<signedA, signedB, false>;
template <bool signedA, bool signedB, bool...>
using Dp2aHigh = Dp2a<signedA, signedB, true>;

Status decodeDp2a(Decoder &d) {
  std::optional<unsigned> mode = d.takeOneOf({"lo", "hi"});
  if (!mode)
    return d.fail("needs .lo or .hi in front of its types");
  Result<std::pair<bool, bool>> isSigned = takeDotTypes(d);
  if (!isSigned)
    return Failure{isSigned.message()};
  d.instruction().category = Category::Integer;
  d.instruction().execute =
      *mode ? dotProduct<Dp2aHigh>(isSigned->first, isSigned->second)
            : dotProduct<Dp2aLow>(isSigned->first, isSigned->second);
  return plainOperands(d, Type::B32, {Type::B32, Type::B32, Type::B32});
}

const OpcodeRow kRows[] = {
    {"add", decodeAdd},           {"sub", decodeSub},
    {"mul", decodeMul},           {"mad", decodeMad},
    {"mul24", decodeMul24},       {"mad24", decodeMad24},
    {"sad", decodeSad},           {"div", decodeQuotient<Div>},
    {"rem", decodeQuotient<Rem>}, {"neg", decodeSign<Neg>},
    {"abs", decodeSign<Abs>},     {"min", decodeExtremum<Min>},
    {"max", decodeExtremum<Max>}, {"dp4a", decodeDp4a},
    {"dp2a", decodeDp2a},
};

} // namespace

const std::span<const OpcodeRow> sim::kIntegerRows = kRows;
