//===- MatrixPrograms.cpp - matrices between shared memory and lanes ------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

static std::string number(uint64_t value) { return std::to_string(value); }

static std::string list(const std::vector<std::string> &names) {
  std::string text = "{";
  for (const std::string &name : names)
    text += (text.size() > 1 ? ", " : "") + name;
  return text + "}";
}

namespace {
/// 32 rows of 16 bytes for each warp, and the row of this lane.
struct Rows {
  std::string base, own; ///< addresses: of the warp's rows, of the lane's
};
} // namespace

static Rows makeRows(Builder &b) {
  std::string name = b.uniqueName("rows"), warp = b.reg(32u);
  Rows rows{b.reg(32u), b.reg(32u)};
  b.line(".shared .align 16 .b8 " + name + "[" + number(b.program.block * 16) +
         "];");
  b.line("mov.u32 " + rows.own + ", " + name + ";");
  b.line("and.b32 " + warp + ", %ltid, " + number(~31u) + ";");
  b.line("mad.lo.u32 " + rows.base + ", " + warp + ", 16, " + rows.own + ";");
  b.line("mad.lo.u32 " + rows.own + ", %ltid, 16, " + rows.own + ";");
  return rows;
}

/// The address of a row: another one of the warp's for each lane.
static std::string someRow(Builder &b, const Rows &rows) {
  std::string lane = b.reg(32u), address = b.reg(32u);
  b.line("and.b32 " + lane + ", %ltid, 31;");
  b.line("xor.b32 " + lane + ", " + lane + ", " + number(b.rng.below(32)) +
         ";");
  b.line("mad.lo.u32 " + address + ", " + lane + ", 16, " + rows.base + ";");
  return address;
}

static void loadMatrices(Builder &b) {
  Rows rows = makeRows(b);
  std::vector<Operand> words;
  std::vector<std::string> names, made;
  for (int i = 0; i < 4; ++i) {
    words.push_back(b.source("b32"));
    names.push_back(words.back().text);
  }
  b.line("st.shared.v4.b32 [" + rows.own + "], " + list(names) + ";");
  b.line("bar.warp.sync -1;");
  unsigned count = 1u << b.rng.below(3);
  for (unsigned i = 0; i < count; ++i)
    made.push_back(b.reg(32u));
  std::string label = "ldmatrix.sync.aligned.m8n8.x" + number(count) +
                      (b.rng.chance(50) ? ".trans" : "") + ".shared.b16";
  b.instruction(label,
                label + " " + list(made) + ", [" + someRow(b, rows) + "];",
                words, Reach::Warp);
  for (const std::string &name : made)
    b.result(name, "b32");
}

static void storeMatrices(Builder &b) {
  Rows rows = makeRows(b);
  unsigned count = 1u << b.rng.below(3);
  std::vector<Operand> words;
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i) {
    words.push_back(b.source("b32"));
    names.push_back(words.back().text);
  }
  // Rows that the instruction leaves alone are read too.
  std::string zero = b.reg(32u);
  b.line("mov.b32 " + zero + ", 0;");
  b.line("st.shared.v4.b32 [" + rows.own + "], " +
         list({zero, zero, zero, zero}) + ";");
  b.line("bar.warp.sync -1;");
  std::string label = "stmatrix.sync.aligned.m8n8.x" + number(count) +
                      (b.rng.chance(50) ? ".trans" : "") + ".shared.b16";
  b.line(label + " [" + someRow(b, rows) + "], " + list(names) + ";");
  b.line("bar.warp.sync -1;");
  for (unsigned i = 0; i < 4; ++i) {
    std::string made = b.reg(32u);
    b.instruction(label,
                  "ld.shared.b32 " + made + ", [" + rows.own + "+" +
                      number(4 * i) + "];",
                  words, Reach::Warp);
    b.result(made, "b32");
  }
}

static void moveMatrix(Builder &b) {
  Operand value = b.source("b32");
  std::string made = b.reg(32u),
              label = "movmatrix.sync.aligned.m8n8.trans.b16";
  b.instruction(label, label + " " + made + ", " + value.text + ";", {value},
                Reach::Warp);
  b.result(made, "b32");
}

void girih::silicon::makeMatrix(Builder &b) {
  using Pattern = void (*)(Builder &);
  static const Pattern patterns[] = {loadMatrices, storeMatrices, moveMatrix};
  for (unsigned i = 0, count = 2 + b.rng.below(6); i < count; ++i)
    b.rng.pick(patterns)(b);
}
