//===- ConvertPrograms.cpp - cvt in all its forms -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

namespace {
/// Types to and from, and the modifiers that ptxas 13.0 takes for them.
struct Conversion {
  const char *to, *from, *modifiers;
};
} // namespace

#define GIRIH_INTEGERS "u8 s8 u16 s16 u32 s32 u64 s64"
#define GIRIH_WHOLE "{.rni|.rzi|.rmi|.rpi}"
#define GIRIH_ROUND "{.rn|.rz|.rm|.rp}"

static const Conversion kConversions[] = {
    {GIRIH_INTEGERS, "f16 f64", GIRIH_WHOLE "{|.sat}"},
    {GIRIH_INTEGERS, "f32", GIRIH_WHOLE "{|.ftz}{|.sat}"},
    {GIRIH_INTEGERS, "f32 f64", "{.rni|.rzi}"},
    {"u16 s16 u32 s32 u64 s64", "bf16", GIRIH_WHOLE},
    {"f16 f64", GIRIH_INTEGERS, GIRIH_ROUND "{|.sat}"},
    {"f32", GIRIH_INTEGERS, GIRIH_ROUND "{|.ftz}{|.sat}"},
    {"bf16", "u16 s16 u32 s32 u64 s64", GIRIH_ROUND},
    {"f16", "f64", GIRIH_ROUND "{|.sat}"},
    {"f32", "f64", GIRIH_ROUND "{|.ftz}{|.sat}"},
    {"bf16", "f64 f16", GIRIH_ROUND},
    {"f16", "bf16", GIRIH_ROUND},
    {"f16", "f32", "{.rn|.rz|.rm|.rp}{|.ftz}{|.sat}"},
    {"f16", "f32", "{.rn|.rz}{|.relu}{|.satfinite}"},
    {"bf16", "f32", "{.rn|.rz|.rm|.rp}{|.ftz}"},
    {"bf16", "f32", "{.rn|.rz}{|.relu}{|.satfinite}"},
    {"tf32", "f32", "{.rn|.rz}{|.relu}"},
    {"tf32", "f32", ".rna{|.satfinite}"},
    {"f64", "f16", "{|.sat}"},
    {"f64", "bf16", ""},
    {"f32", "bf16", "{|.ftz}"},
    {"f32", "f16", "{|.ftz}{|.sat}"},
    {"f64", "f32", "{|.ftz}{|.sat}"},
    {"f32", "f32", "{|.rni|.rzi|.rmi|.rpi}{|.ftz}{|.sat}"},
    {"f64", "f64", "{|.rni|.rzi|.rmi|.rpi}{|.sat}"},
    {"f16", "f16", "{|.rni|.rzi|.rmi|.rpi}{|.sat}"},
    {"bf16", "bf16", "{|.rni|.rzi|.rmi|.rpi}"},
};

static const Row kPackedTable[] = {
    {"cvt{.rn|.rz}{|.relu}{|.satfinite}.$.f32", "f16x2 bf16x2", "$ : f32 f32",
     kNoImmediates},
    {"cvt.rn.satfinite{|.relu}.$.f32", "e4m3x2 e5m2x2", "$ : f32 f32",
     kNoImmediates},
    {"cvt.rn.satfinite{|.relu}.$.f16x2", "e4m3x2 e5m2x2", "$ : f16x2"},
    {"cvt.rn{|.relu}.f16x2.$", "e4m3x2 e5m2x2", "f16x2 : $"},
    {"cvt.pack.sat.$.s32", "u16 s16", "b32 : s32 s32", kNoImmediates},
    {"cvt.pack.sat.{u8|s8|u4|s4|u2|s2}.s32.b32", "b32", "b32 : s32 s32 b32",
     kNoImmediates},
};

static bool isInteger(const std::string &type) {
  return typeInfo(type).kind != TypeInfo::Kind::Float;
}

/// A register for an integer type may be wider than it: a number of bits.
static unsigned someRegister(Rng &rng, const std::string &type) {
  unsigned bits = registerBits(type);
  if (isInteger(type))
    while (bits < 64 && rng.chance(30))
      bits *= 2;
  return bits;
}

/// Where ptxas 13.0 makes one conversion of two, and the wrong one:
/// - .rzi of a half that another cvt made: the first one's rounding, which may
///   be none, and its source read as the second one's format;
/// - .sat of 64 bits that came from a float: NaN becomes 0, where the first one
///   alone makes 2^63 of it.
static bool wouldFuse(const std::string &to, const std::string &from,
                      const std::string &modifiers) {
  auto has = [&](const char *name) {
    return modifiers.find(name) != std::string::npos;
  };
  if (isInteger(from))
    return typeInfo(from).bits == 64 && has(".sat");
  return isInteger(to) && typeInfo(from).bits == 16 && has(".rzi");
}

static void convert(Builder &b, const std::string &to, const std::string &from,
                    const std::string &modifiers) {
  std::string label = "cvt" + modifiers + "." + to + "." + from;
  unsigned wide = to == "bf16" ? registerBits(from) : someRegister(b.rng, from);
  std::string sourceType =
      wide == registerBits(from) ? from : "b" + std::to_string(wide);
  auto source = [&](const std::string &type) {
    return wouldFuse(to, from, modifiers) ? b.input(type) : b.source(type);
  };
  // Mostly numbers near the ends of one of the two types.
  Operand x = source(sourceType);
  if (isInteger(from) && b.rng.chance(30) && wide >= 32)
    x = source(wide == 64 ? "s64" : "s32");
  unsigned resultBits =
      from == "bf16" ? registerBits(to) : someRegister(b.rng, to);
  std::string made = b.reg(resultBits);
  b.instruction(label, label + " " + made + ", " + x.text + ";", {x});
  std::string type = isInteger(to) ? "b" + std::to_string(resultBits) : to;
  b.result(made, type,
           to == "f64" && from == to ? Agreement::AnyNan : Agreement::Exact);
}

/// Whether every value of one integer type is one of the other.
static bool covers(const TypeInfo &to, const TypeInfo &from) {
  bool toSigned = to.kind == TypeInfo::Kind::Signed;
  bool fromSigned = from.kind == TypeInfo::Kind::Signed;
  if (toSigned == fromSigned)
    return to.bits >= from.bits;
  return toSigned && to.bits > from.bits;
}

static void integers(Builder &b) {
  std::vector<std::string> types = words(GIRIH_INTEGERS);
  std::string to = b.rng.pick(types), from = b.rng.pick(types);
  bool saturates = !covers(typeInfo(to), typeInfo(from)) && b.rng.chance(50);
  convert(b, to, from, saturates ? ".sat" : "");
}

void girih::silicon::makeConvert(Builder &b) {
  unsigned count = 5 + b.rng.below(26);
  for (unsigned i = 0; i < count; ++i) {
    unsigned choice = unsigned(b.rng.below(100));
    if (choice < 20) {
      integers(b);
    } else if (choice < 40) {
      b.row(b.rng.pick(kPackedTable));
    } else {
      const Conversion &c = b.rng.pick(kConversions);
      convert(b, b.rng.pick(words(c.to)), b.rng.pick(words(c.from)),
              expand(b.rng, c.modifiers, ""));
    }
  }
}
