//===- ConvertOps.cpp - cvt -----------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which modifiers go with which types: PTX ISA 9.0, 9.7.9.21 and 9.7.9.22, and
// where it leaves room, as ptxas 13.0 has it. What conversions give is in
// ConvertMath.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/ConvertLoops.h"
#include "runtime/sim/FloatDecode.h"

using namespace girih;
using namespace girih::sim;

namespace {

std::string spelled(Type type) { return "." + std::string(nameOf(type)); }

bool isBf16(Type type) { return type == Type::BF16; }

/// True if every value of one integer type is a value of another.
bool contains(Type outer, Type inner) {
  if (isSigned(outer) == isSigned(inner))
    return bitsOf(outer) >= bitsOf(inner);
  return isSigned(outer) && bitsOf(outer) > bitsOf(inner);
}

/// True if a float conversion may have to round.
bool losesBits(Type to, Type from) {
  if (to == from)
    return false;
  return bitsOf(to) <= bitsOf(from);
}

constexpr const char *kUnsupportedFormats[] = {
    "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2", "s2f6x2",
    "e2m1x4", "e2m3x4", "e3m2x4", "e4m3x4",  "e5m2x4"};

} // namespace

// Decoding -------------------------------------------------------------------

static Status takeAnyType(Decoder &d, Type &type) {
  for (const char *name : kUnsupportedFormats)
    if (d.peek() == name)
      return d.fail("format '." + std::string(name) + "' is not supported");
  if (d.peek() == "rs")
    return d.fail("rounding '.rs' is not supported");
  std::optional<Type> taken = d.takeType();
  if (!taken)
    return d.peek().empty()
               ? d.fail("needs two types: the result's and the source's")
               : d.fail("modifier '." + std::string(d.peek()) +
                        "' is not supported here");
  type = *taken;
  return {};
}

/// Result and sources, all modifiers taken.
static Status operands(Decoder &d, Type to, Type from, size_t sources,
                       bool mayBeWider) {
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(1 + sources); !status)
    return status;
  if (d.statement().operands[0].kind == SyntaxOperand::Kind::Sink)
    return d.fail("operand 1 is the result and cannot be '_'");
  if (Result<unsigned> result = d.result(0, to, mayBeWider); !result)
    return Failure{result.message()};
  for (size_t i = 1; i <= sources; ++i)
    if (Result<unsigned> source = d.source(i, from, mayBeWider); !source)
      return Failure{source.message()};
  return {};
}

static Status only(Decoder &d, const FloatModifiers &modifiers,
                   uint32_t allowed, const char *roundings) {
  constexpr uint32_t kAnyRound = kRound | kRoundAway | kRoundInteger;
  if (!modifiers.has(kAnyRound) ||
      (modifiers.flags & kAnyRound & ~allowed) != 0)
    return d.fail("needs a rounding: " + std::string(roundings));
  static constexpr std::pair<uint32_t, const char *> names[] = {
      {kFtz, "ftz"}, {kSat, "sat"}, {kRelu, "relu"}, {kSatFinite, "satfinite"}};
  for (auto [flag, name] : names)
    if (modifiers.has(flag) && !(allowed & flag))
      return d.fail("'." + std::string(name) + "' does not go with this form");
  return {};
}

static bool isNearestOrZero(const FloatModifiers &modifiers) {
  return modifiers.rounding == Rounding::Nearest ||
         modifiers.rounding == Rounding::Zero;
}

static Status decodePackedHalves(Decoder &d, const FloatModifiers &modifiers) {
  if (Status status =
          only(d, modifiers, kRound | kRelu | kSatFinite, ".rn or .rz");
      !status)
    return status;
  if (!isNearestOrZero(modifiers))
    return d.fail("needs a rounding: .rn or .rz");
  Instruction &made = d.instruction();
  if (Status status =
          needCapability(d, 80, "a conversion to " + spelled(made.type));
      !status)
    return status;
  made.execute = packedHalvesLoop(made);
  return operands(d, made.type, Type::F32, 2, false);
}

static Status decodeTf32(Decoder &d, const FloatModifiers &modifiers) {
  bool away = modifiers.has(kRoundAway);
  uint32_t allowed =
      kRound | kRoundAway | kSatFinite | (away ? 0u : uint32_t(kRelu));
  if (Status status = only(d, modifiers, allowed, ".rna, .rn or .rz"); !status)
    return status;
  if (!away && !isNearestOrZero(modifiers))
    return d.fail("needs a rounding: .rna, .rn or .rz");
  unsigned capability = away ? 80 : modifiers.has(kSatFinite) ? 100 : 90;
  if (Status status = needCapability(d, capability, "this form"); !status)
    return status;
  d.instruction().execute = toTf32;
  return operands(d, Type::TF32, Type::F32, 1, false);
}

static Status decodeToF8(Decoder &d, const FloatModifiers &modifiers) {
  Instruction &made = d.instruction();
  if (made.fromType == Type::BF16x2)
    return d.fail("a conversion from .bf16x2 to " + spelled(made.type) +
                  " is not supported");
  if (made.fromType != Type::F32 && made.fromType != Type::F16x2)
    return d.fail("there is no conversion from " + spelled(made.fromType) +
                  " to " + spelled(made.type));
  if (Status status = only(d, modifiers, kRound | kRelu | kSatFinite, ".rn");
      !status)
    return status;
  if (modifiers.rounding != Rounding::Nearest)
    return d.fail("needs a rounding: .rn");
  if (!modifiers.has(kSatFinite))
    return d.fail("needs .satfinite");
  if (Status status =
          needCapability(d, 89, "a conversion to " + spelled(made.type));
      !status)
    return status;
  made.execute = packF8;
  return operands(d, made.type, made.fromType,
                  made.fromType == Type::F32 ? 2 : 1, false);
}

static Status decodeFromF8(Decoder &d, const FloatModifiers &modifiers) {
  Instruction &made = d.instruction();
  if (made.type != Type::F16x2)
    return d.fail("there is no conversion from " + spelled(made.fromType) +
                  " to " + spelled(made.type));
  if (Status status = only(d, modifiers, kRound | kRelu, ".rn"); !status)
    return status;
  if (modifiers.rounding != Rounding::Nearest)
    return d.fail("needs a rounding: .rn");
  if (Status status =
          needCapability(d, 89, "a conversion from " + spelled(made.fromType));
      !status)
    return status;
  made.execute = unpackF8;
  return operands(d, made.type, made.fromType, 1, false);
}

/// The rounding that a scalar conversion has to have, or must not.
static Status checkRounding(Decoder &d, const FloatModifiers &modifiers,
                            Type to, Type from) {
  std::string what =
      "a conversion from " + spelled(from) + " to " + spelled(to);
  if (isConvertInteger(from) && isConvertInteger(to)) {
    if (modifiers.has(kRound | kRoundAway | kRoundInteger))
      return d.fail(what + " does not round");
    return {};
  }
  if (modifiers.has(kRoundAway))
    return d.fail("'.rna' goes with .tf32 only");
  if (isConvertInteger(to)) {
    if (!modifiers.has(kRoundInteger))
      return d.fail(what + " needs a rounding: .rni, .rzi, .rmi or .rpi");
    return {};
  }
  if (isConvertInteger(from) || losesBits(to, from)) {
    if (!modifiers.has(kRound))
      return d.fail(what + " needs a rounding: .rn, .rz, .rm or .rp");
    return {};
  }
  if (modifiers.has(kRound))
    return d.fail(what + " does not round");
  if (modifiers.has(kRoundInteger) && to != from)
    return d.fail("rounding to an integer needs equal types");
  return {};
}

static Status checkFlags(Decoder &d, const FloatModifiers &modifiers, Type to,
                         Type from) {
  if (modifiers.has(kFtz) && to != Type::F32 && from != Type::F32)
    return d.fail("'.ftz' goes with .f32 only");
  if (modifiers.has(kRelu | kSatFinite)) {
    const char *name = modifiers.has(kRelu) ? "'.relu'" : "'.satfinite'";
    if (from != Type::F32 || (to != Type::F16 && to != Type::BF16))
      return d.fail(std::string(name) + " does not go with a conversion from " +
                    spelled(from) + " to " + spelled(to));
    if (!isNearestOrZero(modifiers))
      return d.fail(std::string(name) + " needs a rounding: .rn or .rz");
    if (modifiers.has(kSat | kFtz))
      return d.fail(std::string(name) + " does not go with " +
                    (modifiers.has(kSat) ? ".sat" : ".ftz"));
    if (Status status = needCapability(d, 80, name); !status)
      return status;
  }
  if (!modifiers.has(kSat))
    return {};
  if (isConvertInteger(to) && isConvertInteger(from) && contains(to, from))
    return d.fail("'.sat' has nothing to do: " + spelled(to) +
                  " holds all values of " + spelled(from));
  if ((isBf16(to) || isBf16(from)) && isConvertFloat(to))
    return d.fail("'.sat' does not go with .bf16");
  return {};
}

/// A register's width, or that of what stands for one.
static unsigned widthOf(Decoder &d, size_t operand, Type type) {
  const SyntaxOperand &syntax = d.statement().operands[operand];
  return syntax.kind == SyntaxOperand::Kind::Register
             ? d.kernel().registerSlots[syntax.index].bits
             : bitsOf(type);
}

static Status decodeScalar(Decoder &d, const FloatModifiers &modifiers) {
  Instruction &made = d.instruction();
  Type to = made.type, from = made.fromType;
  for (Type type : {to, from})
    if (!isConvertInteger(type) && !isConvertFloat(type))
      return d.fail("there is no conversion from " + spelled(from) + " to " +
                    spelled(to));
  if (Status status = checkRounding(d, modifiers, to, from); !status)
    return status;
  if (Status status = checkFlags(d, modifiers, to, from); !status)
    return status;
  bool hasBf16 = isBf16(to) || isBf16(from);
  if (hasBf16) {
    bool isOld = (isBf16(to) || to == Type::F32) &&
                 (isBf16(from) || from == Type::F32) && to != from &&
                 !modifiers.has(kFtz);
    if (Status status = needCapability(d, isOld ? 80 : 90,
                                       "a conversion from " + spelled(from) +
                                           " to " + spelled(to));
        !status)
      return status;
  }
  if (Status status = operands(d, to, from, 1, !hasBf16); !status)
    return status;
  made.execute =
      scalarLoop(made, widthOf(d, 0, to) == 64, widthOf(d, 1, from) == 64);
  return {};
}

/// `cvt.pack.sat.u8.s32.b32`
static Status decodePack(Decoder &d) {
  if (!d.take("sat"))
    return d.fail("needs .sat");
  constexpr unsigned widths[] = {16, 16, 8, 8, 4, 4, 2, 2};
  std::optional<unsigned> form =
      d.takeOneOf({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (!form)
    return d.fail("packs to .u16, .s16, .u8, .s8, .u4, .s4, .u2 or .s2");
  if (!d.take("s32"))
    return d.fail("packs values of type .s32");
  Instruction &made = d.instruction();
  made.elements = uint8_t(widths[*form]);
  made.variant = *form & 1;
  made.execute = packIntegers;
  if (made.elements == 16)
    return operands(d, Type::U32, Type::S32, 2, false);
  if (!d.take("b32"))
    return d.fail("needs .b32, the type of what fills the upper bits");
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(4); !status)
    return status;
  if (Result<unsigned> result = d.result(0, Type::U32); !result)
    return Failure{result.message()};
  for (size_t i = 1; i <= 3; ++i)
    if (Result<unsigned> source = d.source(i, i == 3 ? Type::B32 : Type::S32);
        !source)
      return Failure{source.message()};
  return {};
}

static Status decodeCvt(Decoder &d) {
  Instruction &made = d.instruction();
  made.category = Category::Convert;
  if (d.take("pack"))
    return decodePack(d);
  constexpr uint32_t allowed =
      kFtz | kSat | kRelu | kSatFinite | kRound | kRoundAway | kRoundInteger;
  FloatModifiers modifiers;
  takeModifiers(d, allowed, modifiers);
  if (Status status = takeAnyType(d, made.type); !status)
    return status;
  if (Status status = takeAnyType(d, made.fromType); !status)
    return status;
  takeModifiers(d, allowed, modifiers); // cvt.f32.f64.rn
  made.variant = std::bit_cast<uint32_t>(ConvertHow{
      modifiers.rounding, modifiers.has(kRoundInteger),
      uint8_t(modifiers.flags & (kFtz | kSat | kRelu | kSatFinite))});
  auto isF8 = [](Type type) {
    return type == Type::E4M3x2 || type == Type::E5M2x2;
  };
  if (isF8(made.type))
    return decodeToF8(d, modifiers);
  if (isF8(made.fromType))
    return decodeFromF8(d, modifiers);
  if ((made.type == Type::F16x2 || made.type == Type::BF16x2) &&
      made.fromType == Type::F32)
    return decodePackedHalves(d, modifiers);
  if (made.type == Type::TF32 && made.fromType == Type::F32)
    return decodeTf32(d, modifiers);
  return decodeScalar(d, modifiers);
}

static constexpr OpcodeRow kRows[] = {{"cvt", decodeCvt}};
const std::span<const OpcodeRow> sim::kConvertRows = kRows;
