//===- ValuePrograms.cpp - arithmetic, an instruction a thread ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

#define GIRIH_INTEGERS "s16 u16 s32 u32 s64 u64"

static const Row kIntegerTable[] = {
    {"add.$", GIRIH_INTEGERS " s16x2 u16x2", "$ : $ $"},
    {"sub.$", GIRIH_INTEGERS, "$ : $ $"},
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
    {"{abs|neg}.$", "s16 s32 s64", "$ : $"},
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
    {"{abs|neg}{|.ftz}.$", "f16 f16x2", "$ : $"},
    {"{abs|neg}.$", "bf16 bf16x2", "$ : $"},
    {"{min|max}{|.ftz}{|.NaN}{|.xorsign.abs}.$", "f16 f16x2", "$ : $ $"},
    {"{min|max}{|.NaN}{|.xorsign.abs}.$", "bf16 bf16x2", "$ : $ $"},
};

void girih::silicon::makeFloat32(Builder &b) {
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
