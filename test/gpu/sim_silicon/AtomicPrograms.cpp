//===- AtomicPrograms.cpp - atom and red ----------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Either a cell for each thread, and what it held before is compared too, or
// one for many threads and operations whose order does not matter.
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

namespace {
struct AtomicRow {
  const char *operation, *types;
  unsigned flags = 0;
};
enum AtomicFlags : unsigned {
  kNoReduction = 1, ///< atom only
  kGlobalOnly = 2,
  kCompares = 4 ///< a second source
};
} // namespace

static const AtomicRow kAtomics[] = {
    {"add", "u32 s32 u64 f32 f64"},
    {"add", "f32"},
    {"add.noftz", "f16 f16x2 bf16 bf16x2"},
    {"{and|or|xor}", "b32 b64"},
    {"{min|max}", "u32 s32 u64 s64"},
    {"{inc|dec}", "u32"},
    {"exch", "b32 b64 b128", kNoReduction},
    {"cas", "b16 b32 b64 b128", kNoReduction | kCompares},
};
/// Any order gives the same.
static const AtomicRow kShared[] = {
    {"add", "u32 s32 u64"},
    {"{and|or|xor}", "b32 b64"},
    {"{min|max}", "u32 s32 u64 s64"},
    {"{inc|dec}", "u32"},
};

namespace {
struct Cells {
  std::string space, address; ///< `.global`; register of this thread's cell
};
} // namespace

static std::string opcodeHead(Rng &rng, const std::string &opcode,
                              const std::string &space,
                              const char *scopes = "{|.cta|.gpu|.sys}") {
  const char *order = opcode == "red"
                          ? "{||.relaxed|.release}"
                          : "{||.relaxed|.acquire|.release|.acq_rel}";
  std::string head = opcode + expand(rng, order, "");
  return head + expand(rng, scopes, "") + space;
}

static void atomic(Builder &b, const AtomicRow &row, const std::string &type,
                   const Cells &cells) {
  std::string operation = expand(b.rng, row.operation, type);
  bool reduces = !(row.flags & kNoReduction) && b.rng.chance(30);
  std::string label = opcodeHead(b.rng, reduces ? "red" : "atom", cells.space) +
                      "." + operation + "." + type;
  std::vector<Operand> operands = {b.input(type)};
  if (row.flags & kCompares)
    operands.push_back(b.input(type));
  std::string made = b.reg(type), text = label + " ";
  if (!reduces)
    text += made + ", ";
  text += "[" + cells.address + "]";
  for (const Operand &operand : operands)
    text += ", " + operand.text;
  if (cells.space.empty())
    label += " (generic)";
  b.instruction(label, text + ";", operands);
  if (!reduces)
    b.result(made, type, type == "f64" ? Agreement::AnyNan : Agreement::Exact);
  // What it left there.
  std::string left = b.reg(type), bits = std::to_string(registerBits(type));
  b.line("ld.relaxed.gpu" + cells.space + ".b" + bits + " " + left + ", [" +
         cells.address + "];");
  b.result(left, type, type == "f64" ? Agreement::AnyNan : Agreement::Exact);
}

static std::vector<uint8_t> cellBytes(Builder &b, const std::string &type,
                                      size_t count) {
  unsigned bytes = registerBits(type) / 8;
  std::vector<uint8_t> values(count * bytes);
  for (size_t i = 0; i < count; ++i) {
    uint64_t value = draw(b.rng, type, Spread::Natural);
    for (unsigned j = 0; j < bytes; ++j)
      values[i * bytes + j] = uint8_t(j < 8 ? value >> (8 * j) : j);
  }
  return values;
}

static std::string addressOf(Builder &b, unsigned bits, const std::string &base,
                             const std::string &index, unsigned bytes) {
  std::string address = b.reg(bits);
  b.line((bits == 32 ? "mad.lo.u32 " : "mad.wide.u32 ") + address + ", " +
         index + ", " + std::to_string(bytes) + ", " + base + ";");
  return address;
}

/// A generic address of the same cell.
static Cells generic(Builder &b, const Cells &cells) {
  std::string wide = cells.address, made = b.reg(64u);
  if (wide[1] == 'r') {
    wide = b.reg(64u);
    b.line("cvt.u64.u32 " + wide + ", " + cells.address + ";");
  }
  b.line("cvta" + cells.space + ".u64 " + made + ", " + wide + ";");
  return {"", made};
}

/// Cells in global memory, one a thread (or `shared` of them).
static Cells globalCells(Builder &b, const std::string &type,
                         const std::string &index, size_t count) {
  b.begin("cells of " + type, "what atomics left in global memory", {},
          Reach::Program);
  size_t offset =
      b.outBytes(cellBytes(b, type, count), registerBits(type) / 8, type);
  if (type == "f64")
    b.program.results.back().agreement = Agreement::AnyNan;
  std::string base = b.reg(64u);
  b.line("add.u64 " + base + ", %out, " + std::to_string(offset) + ";");
  return {".global", addressOf(b, 64, base, index, registerBits(type) / 8)};
}

static Cells sharedCells(Builder &b, const std::string &type) {
  unsigned bytes = registerBits(type) / 8;
  std::string name = b.uniqueName("cells"), base = b.reg(32u);
  b.line(".shared .align 16 .b8 " + name + "[" +
         std::to_string(b.program.block * bytes) + "];");
  b.line("mov.u32 " + base + ", " + name + ";");
  Cells cells{".shared", addressOf(b, 32, base, Builder::kTid, bytes)};
  Operand start = b.input(type);
  b.line("st.shared.b" + std::to_string(bytes * 8) + " [" + cells.address +
         "], " + start.text + ";");
  return cells;
}

/// A cell for each thread.
static void ownCells(Builder &b) {
  const AtomicRow &first = b.rng.pick(kAtomics);
  std::string type = b.rng.pick(words(first.types));
  Cells cells = b.rng.chance(60) ? globalCells(b, type, Builder::kThread,
                                               b.program.threads())
                                 : sharedCells(b, type);
  if (b.rng.chance(25))
    cells = generic(b, cells);
  for (unsigned i = 0, count = 1 + b.rng.below(4); i < count; ++i) {
    // Another operation that has the type, if the choice falls on one.
    const AtomicRow &other = b.rng.pick(kAtomics);
    bool fits = false;
    for (const std::string &word : words(other.types))
      fits |= word == type;
    atomic(b, i && fits ? other : first, type, cells);
  }
}

/// Several neighbouring cells of a thread by one instruction.
static void vectorCells(Builder &b) {
  struct Shape {
    const char *type, *operation;
    unsigned most;
  };
  static const Shape shapes[] = {{"f32", "add", 4},
                                 {"f16", "{add|min|max}.noftz", 8},
                                 {"bf16", "{add|min|max}.noftz", 8},
                                 {"f16x2", "{add|min|max}.noftz", 4},
                                 {"bf16x2", "{add|min|max}.noftz", 4}};
  const Shape &shape = b.rng.pick(shapes);
  unsigned count = 2u << b.rng.below(shape.most == 8 ? 3 : 2);
  unsigned bytes = registerBits(shape.type) / 8;
  std::string label = std::string(b.rng.chance(40) ? "red" : "atom") +
                      ".global.v" + std::to_string(count) + "." + shape.type +
                      "." + expand(b.rng, shape.operation, "");
  b.begin(label, label + " [...]", {}, Reach::Program);
  size_t offset = b.outBytes(
      cellBytes(b, shape.type, b.program.threads() * count), bytes, shape.type);
  std::string base = b.reg(64u);
  b.line("add.u64 " + base + ", %out, " + std::to_string(offset) + ";");
  std::string address = addressOf(b, 64, base, Builder::kThread, bytes * count);
  std::vector<Operand> operands;
  std::vector<std::string> made;
  std::string results = "{", sources = "{";
  for (unsigned i = 0; i < count; ++i) {
    operands.push_back(b.input(shape.type));
    made.push_back(b.reg(shape.type));
    results += (i ? ", " : "") + made.back();
    sources += (i ? ", " : "") + operands.back().text;
  }
  bool returns = label[0] == 'a';
  b.instruction(label,
                label + " " + (returns ? results + "}, " : "") + "[" + address +
                    "], " + sources + "};",
                operands);
  for (unsigned i = 0; returns && i < count; ++i)
    b.result(made[i], shape.type);
}

/// Few cells for all threads, one operation; only the end is compared.
static void contended(Builder &b) {
  const AtomicRow &row = b.rng.pick(kShared);
  std::string type = b.rng.pick(words(row.types));
  std::string index = b.reg(32u);
  b.line("and.b32 " + index + ", " + Builder::kThread + ", 7;");
  Cells cells = globalCells(b, type, index, 8);
  std::string operation = expand(b.rng, row.operation, type);
  if (type == "u32" && (operation == "inc" || operation == "dec")) {
    // Thresholds differ between threads and would make the order matter.
    b.line("red.global." + operation + ".u32 [" + cells.address + "], 1000;");
    return;
  }
  Operand value = b.input(type);
  bool reduces = b.rng.chance(50);
  std::string head =
      opcodeHead(b.rng, reduces ? "red" : "atom", cells.space, "{|.gpu|.sys}");
  std::string text = head + "." + operation + "." + type + " ";
  if (!reduces)
    text += b.reg(type) + ", ";
  b.line(text + "[" + cells.address + "], " + value.text + ";");
  b.program.instructions.back().label =
      head + "." + operation + "." + type + " (one cell)";
  b.program.instructions.back().text = text + "...";
}

void girih::silicon::makeAtomic(Builder &b) {
  for (unsigned i = 0, count = 2 + b.rng.below(5); i < count; ++i)
    if (b.rng.chance(15))
      vectorCells(b);
    else if (b.rng.chance(70))
      ownCells(b);
    else
      contended(b);
}
