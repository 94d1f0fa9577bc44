//===- ValuePrograms.cpp - arithmetic, an instruction a thread ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

#include <cmath>
#include <cstring>

using namespace girih::silicon;

#define GIRIH_INTEGERS "s16 u16 s32 u32 s64 u64"

static const Row kIntegerTable[] = {
    {"add.$", GIRIH_INTEGERS " s16x2 u16x2", "$ : $ $"},
    {"sub.$", "u16 s32 u32 s64 u64", "$ : $ $"},
    // 0 - x is a negation, see below.
    {"sub.s16", "s16", "$ : $ $", kNoImmediates},
    {"{add|sub}.sat.s32", "s32", "$ : $ $"},
    {"mul.{lo|hi}.$", GIRIH_INTEGERS, "$ : $ $"},
    {"mul.wide.$", "s16 u16 s32 u32", "$$ : $ $"},
    {"mad.{lo|hi}.$", GIRIH_INTEGERS, "$ : $ $ $"},
    {"mad.wide.$", "s16 u16 s32 u32", "$$ : $ $ $$"},
    {"mad.hi.sat.s32", "s32", "$ : $ $ $"},
    {"mul24.{lo|hi}.$", "s32 u32", "$ : $ $"},
    {"mad24.{lo|hi}.$", "s32 u32", "$ : $ $ $"},
    {"mad24.hi.sat.s32", "s32", "$ : $ $ $"},
    {"sad.$", GIRIH_INTEGERS, "$ : $ $ $"},
    {"{div|rem}.$", GIRIH_INTEGERS, "$ : $ $"},
    {"{div|rem}.$", "s32 u32", "$ : $ lane"},
    {"{abs|neg}.$", "s32 s64", "$ : $"},
    // ptxas 13.0 has these in 32 bits, and where an instruction reads the
    // result as .s16, -0x8000 is still 0x8000 and no -0x8000.
    {"{abs|neg}.s16", "s16", "$ : $", kUnused},
    {"{min|max}.$", GIRIH_INTEGERS " s16x2 u16x2", "$ : $ $"},
    {"{min|max}.relu.$", "s32 s16x2", "$ : $ $"},
    {"{popc|clz}.$", "b32 b64", "u32 : $"},
    {"bfind{.shiftamt|}.$", "u32 s32 u64 s64", "u32 : $"},
    {"brev.$", "b32 b64", "$ : $"},
    {"bfe.$", "u32 s32 u64 s64", "$ : $ shift shift"},
    {"bfi.$", "b32 b64", "$ : $ $ shift shift"},
    {"fns.b32", "b32", "b32 : b32 lane offset"},
    {"szext.{clamp|wrap}.$", "u32 s32", "$ : $ shift"},
    {"bmsk.{clamp|wrap}.b32", "b32", "b32 : shift shift"},
    {"dp4a.{u32|s32}.{u32|s32}", "b32", "b32 : b32 b32 b32"},
    {"dp2a.{lo|hi}.{u32|s32}.{u32|s32}", "b32", "b32 : b32 b32 b32"},
    {"{and|or|xor}.$", "b16 b32 b64", "$ : $ $"},
    {"{not|cnot}.$", "b16 b32 b64", "$ : $"},
    {"{and|or|xor}.pred", "pred", "pred : pred pred"},
    {"not.pred", "pred", "pred : pred"},
    {"shl.$", "b16 b32 b64", "$ : $ shift"},
    {"shr.$", GIRIH_INTEGERS " b16 b32 b64", "$ : $ shift"},
    {"shf.{l|r}.{clamp|wrap}.b32", "b32", "b32 : b32 b32 shift"},
    {"lop3.b32", "b32", "b32 : b32 b32 b32 imm:0:255", kNoImmediates},
    {"lop3.{and|or}.b32", "b32", "b32|pred : b32 b32 b32 imm:0:255 npred",
     kNoImmediates},
    {"prmt.b32{|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16}", "b32", "b32 : b32 b32 b32"},
};

/// Wide sums, differences and products by the carry flag: the instructions
/// stand together, nothing in between may change the flag.
static void carryChain(Builder &b) {
  bool wide = b.rng.chance(40);
  std::string type = wide ? b.rng.chance(50) ? "u64" : "s64"
                          : (b.rng.chance(50) ? "u32" : "s32");
  unsigned form = unsigned(b.rng.below(3)), length = 2 + b.rng.below(3);
  struct Link {
    std::string label, text, result;
    std::vector<Operand> operands;
  };
  std::vector<Link> links(length);
  for (Link &link : links)
    for (unsigned i = 0; i < (form == 2 ? 3u : 2u); ++i)
      link.operands.push_back(b.source(type));
  for (unsigned i = 0; i < length; ++i) {
    Link &link = links[i];
    std::string half = b.rng.chance(50) ? ".lo" : ".hi";
    std::string opcode = form == 0   ? "add"
                         : form == 1 ? "sub"
                                     : std::string("mad");
    link.label = opcode + (i ? "c" : "") + (form == 2 ? half : "") +
                 (i + 1 < length ? ".cc." : ".") + type;
    link.result = b.reg(type);
    link.text = link.label + " " + link.result;
    for (const Operand &operand : link.operands)
      link.text += ", " + operand.text;
    b.line(link.text + ";");
  }
  std::vector<Operand> all; // the carry comes from every earlier link
  std::string chain;
  for (Link &link : links) {
    all.insert(all.end(), link.operands.begin(), link.operands.end());
    chain += (chain.empty() ? "" : " ") + link.text + ";";
    b.begin(link.label, chain, all);
    b.result(link.result, type);
  }
}

void girih::silicon::makeInteger(Builder &b) {
  unsigned count = 5 + b.rng.below(26);
  for (unsigned i = 0; i < count; ++i)
    if (b.rng.chance(6))
      carryChain(b);
    else
      b.row(b.rng.pick(kIntegerTable));
}

static const Row kFloat32Table[] = {
    {"{add|sub|mul}{.rn|.rz|.rm|.rp}{|.ftz}{|.sat}.f32", "f32", "$ : $ $"},
    {"{add|sub|mul}{|.ftz}{|.sat}.f32", "f32", "$ : $ $", kFresh},
    {"fma{.rn|.rz|.rm|.rp}{|.ftz}{|.sat}.f32", "f32", "$ : $ $ $"},
    {"fma{.rn|.rz|.rm|.rp}.f32", "f32", "$ : $ $ $"},
    {"mad{.rn|.rz|.rm|.rp}{|.ftz}{|.sat}.f32", "f32", "$ : $ $ $"},
    {"div{.rn|.rz|.rm|.rp}{|.ftz}.f32", "f32", "$ : $ $"},
    {"{rcp|sqrt}{.rn|.rz|.rm|.rp}{|.ftz}.f32", "f32", "$ : $"},
    {"{abs|neg}{|.ftz}.f32", "f32", "$ : $"},
    {"{min|max}{|.ftz}{|.NaN}{|.xorsign.abs}.f32", "f32", "$ : $ $"},
    {"copysign.f32", "f32", "$ : $ $"},
    {"testp.{finite|infinite|number|notanumber|normal|subnormal}.f32", "f32",
     "pred : $"},
};

static const Row kFloat64Table[] = {
    {"{add|sub|mul}{.rn|.rz|.rm|.rp}.f64", "f64", "$ : $ $"},
    {"{add|sub|mul}.f64", "f64", "$ : $ $", kFresh},
    {"{fma|mad}{.rn|.rz|.rm|.rp}.f64", "f64", "$ : $ $ $"},
    {"div{.rn|.rz|.rm|.rp}.f64", "f64", "$ : $ $"},
    {"{rcp|sqrt}{.rn|.rz|.rm|.rp}.f64", "f64", "$ : $"},
    {"{abs|neg}.f64", "f64", "$ : $"},
    {"{min|max}.f64", "f64", "$ : $ $"},
    {"copysign.f64", "f64", "$ : $ $"},
    {"testp.{finite|infinite|number|notanumber|normal|subnormal}.f64", "f64",
     "pred : $"},
};

static const Row kHalfTable[] = {
    {"{add|sub|mul}.rn{|.ftz}{|.sat}.$", "f16 f16x2", "$ : $ $"},
    {"{add|sub|mul}{|.ftz}{|.sat}.$", "f16 f16x2", "$ : $ $", kFresh},
    {"{add|sub|mul}.rn.$", "bf16 bf16x2", "$ : $ $"},
    {"fma.rn{|.ftz}{|.sat|.relu}.$", "f16 f16x2", "$ : $ $ $"},
    {"fma.rn{|.relu}.$", "bf16 bf16x2", "$ : $ $ $"},
    // Fresh: ptxas makes x of -(-x), whatever becomes of a NaN.
    {"{abs|neg}{|.ftz}.$", "f16 f16x2", "$ : $", kFresh},
    {"{abs|neg}.$", "bf16 bf16x2", "$ : $", kFresh},
    {"{min|max}{|.ftz}{|.NaN}{|.xorsign.abs}.$", "f16 f16x2", "$ : $ $"},
    {"{min|max}{|.NaN}{|.xorsign.abs}.$", "bf16 bf16x2", "$ : $ $"},
};

static uint64_t bitsOf(double value) {
  float narrow = float(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, 4);
  return bits;
}

static void float32(Builder &b, const std::string &opcode,
                    const std::vector<Operand> &operands) {
  std::string label = expand(b.rng, opcode, "f32"), made = b.reg(32u);
  std::string text = label + " " + made;
  for (const Operand &operand : operands)
    text += ", " + operand.text;
  b.instruction(label, text + ";", operands);
  b.result(made, "f32");
}

/// Results next to the smallest normal number, where .ftz depends on how they
/// round: sums that differ from a border by less than f64 tells, and quotients
/// halfway between two denormals.
static void borders(Builder &b) {
  static const double factors[][2] = {{8384513, 8392705}, // 2^46 + 1
                                      {8388607, 8388609}, // 2^46 - 1
                                      {8388608, 8388608}};
  size_t count = b.program.threads();
  std::vector<uint64_t> x(count), y(count), z(count), dividend(count),
      divisor(count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t sign = b.rng.below(2) << 31;
    auto [first, second] = b.rng.pick(factors);
    // Half a unit of the last place, a whole one or two.
    x[i] = bitsOf(std::ldexp(first, int(b.rng.below(3)) - 99)) ^ sign;
    y[i] = bitsOf(std::ldexp(-second, -98));
    z[i] = 0x00800000 | sign;
    int power = 30 + int(b.rng.below(90));
    double significand = double((1 << 24) - 1 - int(b.rng.below(3)));
    dividend[i] = bitsOf(std::ldexp(significand, power - 24 - 126)) ^ sign;
    divisor[i] = bitsOf(std::ldexp(1.0, power)) ^ b.rng.below(2) << 31;
  }
  std::vector<Operand> sum = {b.inputOf("f32", x), b.inputOf("f32", y),
                              b.inputOf("f32", z)};
  float32(b, "fma{.rn|.rz|.rm|.rp}{|.ftz}{|.sat}.$", sum);
  float32(b, "fma{.rn|.rp}.ftz.$", sum);
  float32(b, "div{.rn|.rz|.rm|.rp}.ftz.$",
          {b.inputOf("f32", dividend), b.inputOf("f32", divisor)});
}

void girih::silicon::makeFloat32(Builder &b) {
  if (b.rng.chance(10))
    borders(b);
  b.rows(kFloat32Table, 5 + b.rng.below(26));
}

void girih::silicon::makeFloat64(Builder &b) {
  b.rows(kFloat64Table, 5 + b.rng.below(16));
}

static const char *const kOrdered[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                       "ge",  "equ", "neu", "ltu", "leu",
                                       "gtu", "geu", "num", "nan"};

/// set and setp of halves; those of other types are in MovePrograms.cpp.
static void halfComparison(Builder &b) {
  std::string type = b.rng.pick(words("f16 f16x2 bf16 bf16x2"));
  bool packed = type.ends_with("x2"), brain = type[0] == 'b';
  std::string compare = b.rng.pick(kOrdered);
  std::string ftz = !brain && b.rng.chance(30) ? ".ftz" : "";
  std::string combine = b.rng.pick(words("none and or xor"));
  Operand x = b.source(type), y = b.source(type);
  std::vector<Operand> operands = {x, y};
  std::string tail = ", " + x.text + ", " + y.text;
  if (combine != "none") {
    operands.push_back(b.predicate());
    tail += ", " + operands.back().text;
  }
  std::string middle = combine == "none" ? "" : "." + combine;
  if (b.rng.chance(50)) {
    // A predicate for each lane.
    std::string p = b.reg(1u), q = packed ? b.reg(1u) : "";
    std::string label = "setp." + compare + middle + ftz + "." + type;
    b.instruction(label, label + " " + p + (packed ? "|" + q : "") + tail + ";",
                  operands);
    b.result(p, "pred");
    if (packed)
      b.result(q, "pred");
    return;
  }
  std::string out = packed  ? type
                    : brain ? b.rng.pick(words("bf16 u16 s16 u32 s32"))
                            : b.rng.pick(words("f16 u16 s16 u32 s32"));
  std::string made = b.reg(out);
  std::string label = "set." + compare + middle + ftz + "." + out + "." + type;
  b.instruction(label, label + " " + made + tail + ";", operands);
  b.result(made, out);
}

void girih::silicon::makeHalf(Builder &b) {
  unsigned count = 5 + b.rng.below(26);
  for (unsigned i = 0; i < count; ++i)
    if (b.rng.chance(15))
      halfComparison(b);
    else
      b.row(b.rng.pick(kHalfTable));
}

static const Row kSpecialTable[] = {
    {"{rcp|rsqrt|sqrt}.approx{|.ftz}.f32", "f32", "$ : $", kApproximate},
    {"{sin|cos|lg2|ex2}.approx{|.ftz}.f32", "f32", "$ : $", kApproximate},
    {"tanh.approx.$", "f32 f16 f16x2 bf16 bf16x2", "$ : $", kApproximate},
    {"ex2.approx.$", "f16 f16x2", "$ : $", kApproximate},
    {"ex2.approx.ftz.$", "bf16 bf16x2", "$ : $", kApproximate},
    {"div.{approx|full}{|.ftz}.f32", "f32", "$ : $ $", kApproximate},
    {"rcp.approx.ftz.f64", "f64", "$ : $", kApproximate},
    {"rsqrt.approx{|.ftz}.f64", "f64", "$ : $", kApproximate},
};

void girih::silicon::makeSpecial(Builder &b) {
  b.rows(kSpecialTable, 5 + b.rng.below(16));
}
