//===- BitOps.cpp - counting and moving bits ------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.1.14 to 9.7.1.22 (popc to bmsk), and prmt of 9.7.9.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"

#include <algorithm>

using namespace girih;
using namespace girih::sim;

namespace {

template <typename T> constexpr unsigned kBits = 8 * sizeof(T);

// Counting and fields --------------------------------------------------------

struct PopCount {
  template <typename T> static uint32_t apply(T a) {
    return uint32_t(std::popcount(a));
  }
};
struct LeadingZeros {
  template <typename T> static uint32_t apply(T a) {
    return uint32_t(std::countl_zero(a));
  }
};
struct Reverse {
  template <typename T> static T apply(T a) {
    uint64_t v = uint64_t(a) << (64 - kBits<T>);
    v = (v >> 1 & 0x5555555555555555) | (v & 0x5555555555555555) << 1;
    v = (v >> 2 & 0x3333333333333333) | (v & 0x3333333333333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0f) | (v & 0x0f0f0f0f0f0f0f0f) << 4;
    return T(__builtin_bswap64(v));
  }
};
/// The highest bit that is no sign; all ones if there is none.
template <bool isShift> struct FindBit {
  template <typename T> static uint32_t apply(T a) {
    auto bits = std::make_unsigned_t<T>(a < 0 ? T(~a) : a);
    if (bits == 0)
      return ~0u;
    uint32_t shift = uint32_t(std::countl_zero(bits));
    return isShift ? shift : kBits<T> - 1 - shift;
  }
};

template <typename Op> Status decodeCount(Decoder &d) {
  std::optional<Type> type = d.takeType();
  if (type != Type::B32 && type != Type::B64)
    return needsType(d, ".b32 or .b64");
  d.instruction().category = Category::Integer;
  d.instruction().execute = type == Type::B32
                                ? lanewise<Op, uint32_t, uint32_t>
                                : lanewise<Op, uint32_t, uint64_t>;
  return plainOperands(d, Type::U32, {*type});
}

Status decodeBrev(Decoder &d) {
  std::optional<Type> type = d.takeType();
  if (type != Type::B32 && type != Type::B64)
    return needsType(d, ".b32 or .b64");
  d.instruction().category = Category::Integer;
  d.instruction().execute = type == Type::B32
                                ? lanewise<Reverse, uint32_t, uint32_t>
                                : lanewise<Reverse, uint64_t, uint64_t>;
  return plainOperands(d, *type, {*type});
}

/// The type of bfind and bfe.
Result<Type> takeFieldType(Decoder &d) {
  std::optional<Type> type = d.takeType();
  if (!type || !isInteger(*type) || bitsOf(*type) == 16)
    return needsType(d, ".u32, .u64, .s32 or .s64");
  d.instruction().category = Category::Integer;
  return *type;
}

Status decodeBfind(Decoder &d) {
  bool isShift = d.take("shiftamt");
  Result<Type> type = takeFieldType(d);
  if (!type)
    return Failure{type.message()};
  d.instruction().execute = withInteger(*type, [&](auto value) -> Execute {
    using T = decltype(value);
    return isShift ? lanewise<FindBit<true>, uint32_t, T>
                   : lanewise<FindBit<false>, uint32_t, T>;
  });
  return plainOperands(d, Type::U32, {*type});
}

/// The low `count` bits, all from the width on.
template <typename T> T lowBits(uint32_t count) {
  return count < kBits<T> ? T((T(1) << count) - 1) : T(~T(0));
}

/// A position or length of a field, 0 .. 255. Of larger values, which the PTX
/// ISA leaves open, an H200 takes the low byte for 32-bit fields and the value
/// as it is for 64-bit ones.
template <typename T> uint32_t fieldNumber(uint32_t value) {
  return kBits<T> == 32 ? value & 0xff : std::min(value, 255u);
}

struct Extract {
  template <typename T> static T apply(T a, uint32_t b, uint32_t c) {
    using U = std::make_unsigned_t<T>;
    uint32_t position = fieldNumber<T>(b), length = fieldNumber<T>(c);
    if (length == 0)
      return 0;
    uint32_t last = std::min(position + length - 1, kBits<T> - 1);
    bool sign = std::is_signed_v<T> && (U(a) >> last & 1);
    U field = position < kBits<T> ? U(U(a) >> position) : U(0);
    // Bits of the field that the operand really has.
    U kept = position < kBits<T>
                 ? lowBits<U>(std::min(length, kBits<T> - position))
                 : U(0);
    return T((field & kept) | (sign ? U(~kept) : U(0)));
  }
};
struct Insert {
  template <typename T> static T apply(T a, T b, uint32_t c, uint32_t d) {
    uint32_t position = fieldNumber<T>(c), length = fieldNumber<T>(d);
    if (position >= kBits<T>)
      return b;
    T field = T(lowBits<T>(length) << position);
    return T((a << position & field) | (b & ~field));
  }
};

Status decodeBfe(Decoder &d) {
  Result<Type> type = takeFieldType(d);
  if (!type)
    return Failure{type.message()};
  d.instruction().execute = withInteger(*type, [](auto value) -> Execute {
    using T = decltype(value);
    return lanewise<Extract, T, T, uint32_t, uint32_t>;
  });
  return plainOperands(d, *type, {*type, Type::U32, Type::U32});
}

Status decodeBfi(Decoder &d) {
  std::optional<Type> type = d.takeType();
  if (type != Type::B32 && type != Type::B64)
    return needsType(d, ".b32 or .b64");
  using N = uint32_t;
  d.instruction().category = Category::Integer;
  d.instruction().execute =
      type == Type::B32 ? lanewise<Insert, N, N, N, N, N>
                        : lanewise<Insert, uint64_t, uint64_t, uint64_t, N, N>;
  return plainOperands(d, *type, {*type, *type, Type::U32, Type::U32});
}

/// `b` ones from bit `a` on.
template <bool wraps> struct BitMask {
  static uint32_t apply(uint32_t a, uint32_t b) {
    if (!wraps && a >= 32)
      return 0;
    uint32_t position = a & 31;
    uint32_t length = wraps ? b & 31 : std::min(b, 32u);
    return lowBits<uint32_t>(length) << position;
  }
};
/// The low `b` bits of `a`.
template <bool wraps> struct ExtendLow {
  template <typename T> static T apply(T a, uint32_t b) {
    uint32_t length = wraps ? b & 31 : std::min(b, 32u);
    if (length == 0)
      return 0;
    T shifted = T(uint32_t(a) << (32 - length));
    return T(shifted >> (32 - length));
  }
};

Status decodeBmsk(Decoder &d) {
  std::optional<unsigned> mode = d.takeOneOf({"clamp", "wrap"});
  if (!mode || d.takeType() != Type::B32)
    return d.fail("needs .clamp or .wrap, then type .b32");
  using T = uint32_t;
  d.instruction().category = Category::Integer;
  d.instruction().execute = *mode ? lanewise<BitMask<true>, T, T, T>
                                  : lanewise<BitMask<false>, T, T, T>;
  return plainOperands(d, Type::B32, {Type::B32, Type::B32});
}

template <typename T> Execute extendLow(bool wraps) {
  return wraps ? lanewise<ExtendLow<true>, T, T, uint32_t>
               : lanewise<ExtendLow<false>, T, T, uint32_t>;
}
Status decodeSzext(Decoder &d) {
  std::optional<unsigned> mode = d.takeOneOf({"clamp", "wrap"});
  std::optional<Type> type = d.takeType();
  if (!mode || (type != Type::U32 && type != Type::S32))
    return d.fail("needs .clamp or .wrap, then type .u32 or .s32");
  d.instruction().category = Category::Integer;
  d.instruction().execute = type == Type::U32 ? extendLow<uint32_t>(*mode == 1)
                                              : extendLow<int32_t>(*mode == 1);
  return plainOperands(d, *type, {*type, Type::U32});
}

/// The offset-th bit of `mask` that is set, counted from bit `base`, upwards
/// or downwards; all ones if there is none. `base` above 31 finds nothing.
struct FindNth {
  static uint32_t apply(uint32_t mask, uint32_t base, int32_t offset) {
    if (base > 31)
      return ~0u;
    if (offset == 0)
      return mask >> base & 1 ? base : ~0u;
    uint32_t rest =
        offset > 0 ? mask >> base << base : mask & lowBits<uint32_t>(base + 1);
    uint32_t skipped = offset > 0 ? uint32_t(offset) - 1 : ~uint32_t(offset);
    if (skipped >= uint32_t(std::popcount(rest)))
      return ~0u;
    for (; skipped; --skipped)
      rest &= ~(offset > 0 ? rest & -rest : std::bit_floor(rest));
    return uint32_t(offset > 0 ? std::countr_zero(rest)
                               : 31 - std::countl_zero(rest));
  }
};
Status decodeFns(Decoder &d) {
  if (d.takeType() != Type::B32)
    return needsType(d, ".b32");
  using T = uint32_t;
  d.instruction().category = Category::Integer;
  d.instruction().execute = lanewise<FindNth, T, T, T, int32_t>;
  return plainOperands(d, Type::B32, {Type::B32, Type::B32, Type::S32});
}

// prmt -----------------------------------------------------------------------

enum class Permute { Generic, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

/// What the modes select, by the control's low two bits: nibbles as in the
/// generic form.
constexpr uint32_t kSelections[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e: forward, four bytes
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e: backward
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8: one byte, replicated
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl: edge clamp left
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr: edge clamp right
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
};

template <Permute mode> struct PermuteBytes {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t selection = c;
    if constexpr (mode != Permute::Generic)
      selection = kSelections[unsigned(mode) - 1][c & 3];
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t nibble = selection >> (4 * i) & 0xf;
      uint32_t byte = uint32_t(both >> (8 * (nibble & 7))) & 0xff;
      if (nibble & 8)
        byte = byte & 0x80 ? 0xff : 0;
      value |= byte << (8 * i);
    }
    return value;
  }
};

Status decodePrmt(Decoder &d) {
  if (d.takeType() != Type::B32)
    return needsType(d, ".b32");
  std::optional<unsigned> mode =
      d.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  using T = uint32_t;
  static constexpr Execute kExecute[] = {
      lanewise<PermuteBytes<Permute::Generic>, T, T, T, T>,
      lanewise<PermuteBytes<Permute::F4e>, T, T, T, T>,
      lanewise<PermuteBytes<Permute::B4e>, T, T, T, T>,
      lanewise<PermuteBytes<Permute::Rc8>, T, T, T, T>,
      lanewise<PermuteBytes<Permute::Ecl>, T, T, T, T>,
      lanewise<PermuteBytes<Permute::Ecr>, T, T, T, T>,
      lanewise<PermuteBytes<Permute::Rc16>, T, T, T, T>};
  d.instruction().category = Category::Move;
  d.instruction().execute = kExecute[mode ? *mode + 1 : 0];
  return plainOperands(d, Type::B32, {Type::B32, Type::B32, Type::B32});
}

const OpcodeRow kRows[] = {
    {"popc", decodeCount<PopCount>},
    {"clz", decodeCount<LeadingZeros>},
    {"brev", decodeBrev},
    {"bfind", decodeBfind},
    {"bfe", decodeBfe},
    {"bfi", decodeBfi},
    {"bmsk", decodeBmsk},
    {"szext", decodeSzext},
    {"fns", decodeFns},
    {"prmt", decodePrmt},
};

} // namespace

const std::span<const OpcodeRow> sim::kBitRows = kRows;
