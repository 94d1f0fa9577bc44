//===- MovePrograms.cpp - moves, selections, comparisons ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

static const Row kMoveTable[] = {
    {"mov.$", "b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64", "$ : $"},
    {"mov.pred", "pred", "pred : pred"},
    {"selp.$", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", "$ : $ $ pred"},
    // With a literal to select by, ptxas 13.0 takes the wrong side.
    {"slct.$.s32", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", "$ : $ $ s32",
     kNoImmediates},
    {"slct{|.ftz}.$.f32", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64",
     "$ : $ $ f32", kNoImmediates},
};

static std::string list(const std::vector<std::string> &names) {
  std::string text = "{";
  for (const std::string &name : names)
    text += (text.size() > 1 ? ", " : "") + name;
  return text + "}";
}

static void packOrUnpack(Builder &b) {
  struct Shape {
    const char *wide, *part;
    unsigned count;
  };
  static const Shape shapes[] = {
      {"b32", "b16", 2}, {"b64", "b32", 2}, {"b64", "b16", 4}};
  const Shape &shape = b.rng.pick(shapes);
  std::string label = std::string("mov.") + shape.wide + " ";
  if (b.rng.chance(50)) {
    std::vector<Operand> parts;
    std::vector<std::string> names;
    for (unsigned i = 0; i < shape.count; ++i) {
      parts.push_back(b.source(shape.part));
      names.push_back(parts.back().text);
    }
    std::string made = b.reg(shape.wide);
    b.instruction(label + "pack", label + made + ", " + list(names) + ";",
                  parts);
    b.result(made, shape.wide);
    return;
  }
  Operand whole = b.source(shape.wide);
  std::vector<std::string> names;
  size_t sink = b.rng.chance(30) ? b.rng.below(shape.count) : shape.count;
  for (unsigned i = 0; i < shape.count; ++i)
    names.push_back(i == sink ? "_" : b.reg(shape.part));
  b.instruction(label + "unpack", label + list(names) + ", " + whole.text + ";",
                {whole});
  for (unsigned i = 0; i < shape.count; ++i)
    if (i != sink)
      b.result(names[i], shape.part);
}

/// Packs and unpacks 128 bits, and four bytes.
static void packUncommon(Builder &b) {
  if (b.rng.chance(50)) {
    Operand low = b.source("b64"), high = b.source("b64");
    std::string wide = b.reg(128u), first = b.reg(64u), second = b.reg(64u);
    b.line("mov.b128 " + wide + ", {" + low.text + ", " + high.text + "};");
    b.instruction("mov.b128",
                  "mov.b128 {" + first + ", " + second + "}, " + wide + ";",
                  {low, high});
    b.result(first, "b64");
    b.result(second, "b64");
    return;
  }
  Operand whole = b.source("b32");
  std::vector<std::string> bytes;
  for (unsigned i = 0; i < 4; ++i)
    bytes.push_back(b.reg(8u));
  b.line("mov.b32 " + list(bytes) + ", " + whole.text + ";");
  for (unsigned i = 0; i < 4; ++i)
    std::swap(bytes[i], bytes[b.rng.below(4)]);
  std::string made = b.reg(32u);
  b.instruction("mov.b32 bytes", "mov.b32 " + made + ", " + list(bytes) + ";",
                {whole});
  b.result(made, "b32");
}

static std::string pickComparison(Rng &rng, const std::string &type) {
  switch (typeInfo(type).kind) {
  case TypeInfo::Kind::Bits:
    return rng.pick(words("eq ne"));
  case TypeInfo::Kind::Unsigned:
    return rng.pick(words("eq ne lt le gt ge lo ls hi hs"));
  case TypeInfo::Kind::Signed:
    return rng.pick(words("eq ne lt le gt ge"));
  case TypeInfo::Kind::Float:
    break;
  }
  return rng.pick(words("eq ne lt le gt ge equ neu ltu leu gtu geu num nan"));
}

static void comparison(Builder &b) {
  std::string type =
      b.rng.pick(words("b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f32 f64 f64"));
  std::string opcode = "." + pickComparison(b.rng, type);
  bool combined = b.rng.chance(50);
  if (combined)
    opcode += "." + b.rng.pick(words("and or xor"));
  if (type == "f32" && b.rng.chance(40))
    opcode += ".ftz";
  Operand x = b.source(type), y = b.source(type);
  if (b.rng.chance(15))
    y = b.immediate(type);
  std::vector<Operand> operands = {x, y};
  std::string tail = ", " + x.text + ", " + y.text;
  if (combined) {
    operands.push_back(b.predicate());
    if (b.rng.chance(40))
      operands.back().text = "!" + operands.back().text;
    tail += ", " + operands.back().text;
  }
  if (b.rng.chance(40)) {
    std::string out = b.rng.pick(words("u32 s32 f32"));
    std::string label = "set" + opcode + "." + out + "." + type;
    std::string made = b.reg(out);
    b.instruction(label, label + " " + made + tail + ";", operands);
    b.result(made, out);
    return;
  }
  std::string label = "setp" + opcode + "." + type;
  std::string p = b.reg(1u), q = b.rng.chance(50) ? b.reg(1u) : "";
  b.instruction(label, label + " " + p + (q.empty() ? q : "|" + q) + tail + ";",
                operands);
  b.result(p, "pred");
  if (!q.empty())
    b.result(q, "pred");
}

static void specialRegister(Builder &b) {
  std::string name = b.rng.pick(
      words("%tid.x %tid.y %ntid.x %ntid.z %ctaid.x %ctaid.y %nctaid.x "
            "%nctaid.z %laneid %lanemask_eq %lanemask_le %lanemask_lt "
            "%lanemask_ge %lanemask_gt WARP_SZ"));
  std::string made = b.reg(32u);
  b.instruction("mov.u32 " + name, "mov.u32 " + made + ", " + name + ";", {});
  b.result(made, "u32");
}

void girih::silicon::makeMove(Builder &b) {
  unsigned count = 5 + b.rng.below(26);
  for (unsigned i = 0; i < count; ++i) {
    unsigned choice = unsigned(b.rng.below(100));
    if (choice < 50)
      comparison(b);
    else if (choice < 62)
      packOrUnpack(b);
    else if (choice < 67)
      packUncommon(b);
    else if (choice < 72)
      specialRegister(b);
    else
      b.row(b.rng.pick(kMoveTable));
  }
}
