//===- ConvertLoops.cpp - cvt for all lanes -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/ConvertLoops.h"

#include "runtime/sim/FloatDecode.h"
#include "runtime/sim/HalfMath.h"

#include <algorithm>
#include <limits>

using namespace girih;
using namespace girih::sim;

namespace {

ConvertHow howOf(const Instruction &instruction) {
  return std::bit_cast<ConvertHow>(instruction.variant);
}

/// Any scalar conversion, registers of any width.
Outcome convert(Context &context, const Instruction &instruction,
                uint32_t mask) {
  ConvertHow how = howOf(instruction);
  forLanes(mask, [&](unsigned lane) {
    uint64_t bits = context.get(instruction.sources[0], lane);
    context.set(
        instruction.results[0], lane,
        convertScalar(instruction.type, instruction.fromType, how, bits));
  });
  return Outcome::Next;
}

/// Integer to integer, without .sat. S and D: how lanes are stored.
template <typename S, typename D, bool fromSigned>
Outcome extend(Context &context, const Instruction &instruction,
               uint32_t mask) {
  const Slot &target = instruction.results[0];
  const S *in = laneWords<S>(context, instruction.sources[0]);
  D *out = laneWords<D>(context, target);
  // Cut to the source's type, then to the result's, which fills its register.
  unsigned first = 64 - bitsOf(instruction.fromType);
  unsigned second = 64 - bitsOf(instruction.type);
  bool toSigned = isSigned(instruction.type);
  uint64_t kept = ~uint64_t(0) >> (64 - target.bits);
  writeLanes(out, mask, [=](unsigned lane) {
    uint64_t bits = uint64_t(in[lane]) << first;
    bits = fromSigned ? uint64_t(int64_t(bits) >> first) : bits >> first;
    bits <<= second;
    bits = toSigned ? uint64_t(int64_t(bits) >> second) : bits >> second;
    return D(bits & kept);
  });
  return Outcome::Next;
}

struct F16ToF32 {
  static float apply(uint32_t a) { return widenF16(a & 0xffff); }
};
struct Bf16ToF32 {
  static uint32_t apply(uint32_t a) { return a << 16; }
};
struct F32ToF16 {
  static uint32_t apply(float a) { return narrowF16(a); }
};
struct F32ToBf16 {
  static uint32_t apply(float a) { return narrowBf16(a); }
};
template <typename From> struct ToF32 {
  static float apply(From a) { return float(a); }
};

template <typename To, Rounding rounding> struct F32ToInteger { // 32 bits
  static To apply(float a) {
    double value = roundedToInteger(a == a ? double(a) : 0.0, rounding);
    constexpr double least = double(std::numeric_limits<To>::min());
    constexpr double most = double(std::numeric_limits<To>::max());
    value = value > least ? value : least;
    return To(int64_t(value < most ? value : most));
  }
};
template <Rounding rounding> struct F32Integral {
  static float apply(float a) {
    return canonical(roundedToInteger(a, rounding));
  }
};

/// Two f32 to the halves of 32 bits, the first to the upper one.
template <typename H> struct Pack {
  static uint32_t apply(float a, float b) {
    return H::narrow(a) << 16 | H::narrow(b);
  }
};

} // namespace

static Outcome packHalves(Context &context, const Instruction &instruction,
                          uint32_t mask) {
  ConvertHow how = howOf(instruction);
  Type half = instruction.type == Type::F16x2 ? Type::F16 : Type::BF16;
  const uint32_t *a = context.lanes32(instruction.sources[0]);
  const uint32_t *b = context.lanes32(instruction.sources[1]);
  uint32_t *out = context.lanes32(instruction.results[0]);
  forLanes(mask, [&](unsigned lane) {
    uint64_t high = convertScalar(half, Type::F32, how, a[lane]);
    out[lane] =
        uint32_t(high << 16 | convertScalar(half, Type::F32, how, b[lane]));
  });
  return Outcome::Next;
}

Outcome sim::toTf32(Context &context, const Instruction &instruction,
                    uint32_t mask) {
  ConvertHow how = howOf(instruction);
  const uint32_t *in = context.lanes32(instruction.sources[0]);
  uint32_t *out = context.lanes32(instruction.results[0]);
  forLanes(mask,
           [&](unsigned lane) { out[lane] = convertToTf32(how, in[lane]); });
  return Outcome::Next;
}

Outcome sim::packF8(Context &context, const Instruction &instruction,
                    uint32_t mask) {
  ConvertHow how = howOf(instruction);
  bool fromF32 = instruction.fromType == Type::F32;
  const uint32_t *a = context.lanes32(instruction.sources[0]);
  const uint32_t *b = fromF32 ? context.lanes32(instruction.sources[1]) : a;
  uint32_t *out = context.lanes32(instruction.results[0]);
  forLanes(mask, [&](unsigned lane) {
    float high =
        fromF32 ? arith::floatFromBits(a[lane]) : widenF16(a[lane] >> 16);
    float low =
        fromF32 ? arith::floatFromBits(b[lane]) : widenF16(a[lane] & 0xffff);
    out[lane] = uint32_t(convertToF8(instruction.type, how, high)) << 8 |
                convertToF8(instruction.type, how, low);
  });
  return Outcome::Next;
}

Outcome sim::unpackF8(Context &context, const Instruction &instruction,
                      uint32_t mask) {
  ConvertHow how = howOf(instruction);
  const uint32_t *in = context.lanes32(instruction.sources[0]);
  uint32_t *out = context.lanes32(instruction.results[0]);
  forLanes(mask, [&](unsigned lane) {
    uint8_t high = uint8_t(in[lane] >> 8), low = uint8_t(in[lane]);
    out[lane] = uint32_t(convertFromF8(instruction.fromType, how, high)) << 16 |
                convertFromF8(instruction.fromType, how, low);
  });
  return Outcome::Next;
}

Outcome sim::packIntegers(Context &context, const Instruction &instruction,
                          uint32_t mask) {
  unsigned width = instruction.elements;
  bool isSigned = instruction.variant;
  int64_t most = (int64_t(1) << (width - isSigned)) - 1;
  int64_t least = isSigned ? -most - 1 : 0;
  uint32_t kept = uint32_t((uint64_t(1) << width) - 1);
  const uint32_t *a = context.lanes32(instruction.sources[0]);
  const uint32_t *b = context.lanes32(instruction.sources[1]);
  const uint32_t *c = instruction.sources.size() > 2
                          ? context.lanes32(instruction.sources[2])
                          : nullptr;
  uint32_t *out = context.lanes32(instruction.results[0]);
  auto saturate = [&](uint32_t value) {
    return uint32_t(std::clamp(int64_t(int32_t(value)), least, most)) & kept;
  };
  forLanes(mask, [&](unsigned lane) {
    uint32_t packed = saturate(a[lane]) << width | saturate(b[lane]);
    out[lane] = c ? c[lane] << 2 * width | packed : packed;
  });
  return Outcome::Next;
}

namespace {

template <bool fromSigned> Execute chooseExtend(bool from64, bool to64) {
  if (from64)
    return to64 ? extend<uint64_t, uint64_t, fromSigned>
                : extend<uint64_t, uint32_t, fromSigned>;
  return to64 ? extend<uint32_t, uint64_t, fromSigned>
              : extend<uint32_t, uint32_t, fromSigned>;
}

template <Rounding rounding> Execute chooseIntegral(Type to) {
  switch (to) {
  case Type::S32:
    return fastest<F32ToInteger<int32_t, rounding>, int32_t, float>();
  case Type::U32:
    return fastest<F32ToInteger<uint32_t, rounding>, uint32_t, float>();
  case Type::F32:
    return fastest<F32Integral<rounding>, float, float>();
  default:
    return nullptr;
  }
}

/// f32 to an integer, or to a float that is one.
Execute chooseFrequentIntegral(Type to, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return chooseIntegral<Rounding::Zero>(to);
  case Rounding::Down:
    return chooseIntegral<Rounding::Down>(to);
  case Rounding::Up:
    return chooseIntegral<Rounding::Up>(to);
  default:
    return chooseIntegral<Rounding::Nearest>(to);
  }
}

/// A loop for a frequent conversion of registers of 32 bits at most, without
/// .ftz and the like; null for others.
Execute chooseFrequent(Type to, Type from, ConvertHow how) {
  if (how.toInteger)
    return from == Type::F32 ? chooseFrequentIntegral(to, how.rounding)
                             : nullptr;
  if (how.rounding != Rounding::Nearest)
    return nullptr;
  if (to == Type::F32) {
    if (from == Type::F16)
      return fastest<F16ToF32, float, uint32_t>();
    if (from == Type::BF16)
      return fastest<Bf16ToF32, uint32_t, uint32_t>();
    if (from == Type::S32)
      return fastest<ToF32<int32_t>, float, int32_t>();
    if (from == Type::U32)
      return fastest<ToF32<uint32_t>, float, uint32_t>();
  }
  if (from == Type::F32) {
    if (to == Type::F16)
      return fastest<F32ToF16, uint32_t, float>();
    if (to == Type::BF16)
      return fastest<F32ToBf16, uint32_t, float>();
  }
  return nullptr;
}

} // namespace

Execute sim::scalarLoop(const Instruction &instruction, bool to64,
                        bool from64) {
  Type to = instruction.type, from = instruction.fromType;
  ConvertHow how = howOf(instruction);
  if (isConvertInteger(to) && isConvertInteger(from)) {
    if (how.flags & kSat)
      return convert;
    return isSigned(from) ? chooseExtend<true>(from64, to64)
                          : chooseExtend<false>(from64, to64);
  }
  if (from64 || to64 || how.flags)
    return convert;
  Execute frequent = chooseFrequent(to, from, how);
  return frequent ? frequent : convert;
}

Execute sim::packedHalvesLoop(const Instruction &instruction) {
  ConvertHow how = howOf(instruction);
  if (how.flags || how.rounding != Rounding::Nearest)
    return packHalves;
  return instruction.type == Type::F16x2
             ? fastest<Pack<F16>, uint32_t, float, float>()
             : fastest<Pack<BF16>, uint32_t, float, float>();
}
