//===- ControlPrograms.cpp - branches that lanes take differently ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

#include <utility>

using namespace girih::silicon;

namespace {
/// Writes a tree of statements over a few variables.
struct ControlWriter {
  Builder &b;
  std::vector<std::string> variables;
  std::vector<Operand> inputs;
  std::string breakLabel; ///< of the loop around

  void statements(unsigned depth, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      statement(depth);
  }
  void statement(unsigned depth);
  void assign(const std::string &guard);
  std::string condition();
  void branch(unsigned depth);
  void loop(unsigned depth);
  void choice(unsigned depth);
  void leaveLoop();
};
} // namespace

void ControlWriter::assign(const std::string &guard) {
  std::string target = b.rng.pick(variables);
  std::string opcode = expand(
      b.rng, "{add.u32|sub.u32|xor.b32|mul.lo.u32|max.s32|and.b32|shf}", "");
  std::string x = b.rng.pick(variables), y = b.rng.pick(variables);
  if (b.rng.chance(40))
    y = std::to_string(1 + b.rng.below(1000));
  if (opcode == "shf")
    b.line(guard + "shf.l.wrap.b32 " + target + ", " + x + ", " + x + ", 7;");
  else
    b.line(guard + opcode + " " + target + ", " + x + ", " + y + ";");
}

std::string ControlWriter::condition() {
  std::string p = b.reg(1u), bits = b.reg(32u);
  if (b.rng.chance(50)) {
    b.line("shr.u32 " + bits + ", " + b.rng.pick(variables) + ", " +
           std::to_string(b.rng.below(20)) + ";");
    b.line("and.b32 " + bits + ", " + bits + ", " +
           std::to_string(1 + b.rng.below(3)) + ";");
    b.line("setp.eq.u32 " + p + ", " + bits + ", 0;");
  } else {
    b.line("setp." + b.rng.pick(words("lt gt le ne")) + ".s32 " + p + ", " +
           b.rng.pick(variables) + ", " + b.rng.pick(variables) + ";");
  }
  return p;
}

void ControlWriter::branch(unsigned depth) {
  std::string p = condition();
  std::string otherwise = b.uniqueName("else"), end = b.uniqueName("end");
  bool hasElse = b.rng.chance(60);
  b.line("@" + std::string(b.rng.chance(50) ? "!" : "") + p + " bra " +
         (hasElse ? otherwise : end) + ";");
  statements(depth - 1, 1 + b.rng.below(3));
  if (hasElse) {
    b.line((b.rng.chance(20) ? "bra.uni " : "bra ") + end + ";");
    b.label(otherwise);
    statements(depth - 1, 1 + b.rng.below(3));
  }
  b.label(end);
}

void ControlWriter::leaveLoop() {
  if (!breakLabel.empty())
    b.line("@" + condition() + " bra " + breakLabel + ";");
}

/// Lanes go round a different number of times, and may leave early.
void ControlWriter::loop(unsigned depth) {
  std::string trips = b.reg(32u), more = b.reg(1u);
  std::string head = b.uniqueName("loop"), end = b.uniqueName("end");
  b.line("and.b32 " + trips + ", " + b.rng.pick(variables) + ", " +
         std::to_string((1u << (1 + b.rng.below(3))) - 1) + ";");
  std::string around = std::exchange(breakLabel, end);
  bool testsFirst = b.rng.chance(50);
  b.label(head);
  if (testsFirst) {
    b.line("setp.eq.u32 " + more + ", " + trips + ", 0;");
    b.line("@" + more + " bra " + end + ";");
  }
  statements(depth - 1, 1 + b.rng.below(3));
  b.line("sub.u32 " + trips + ", " + trips + ", 1;");
  if (testsFirst) {
    b.line("bra " + head + ";");
  } else {
    b.line("setp.gt.s32 " + more + ", " + trips + ", 0;");
    b.line("@" + more + " bra " + head + ";");
  }
  b.label(end);
  breakLabel = around;
}

void ControlWriter::choice(unsigned depth) {
  unsigned count = 2 + unsigned(b.rng.below(4));
  std::string index = b.reg(32u), end = b.uniqueName("end");
  std::string table = b.uniqueName("table"), list;
  std::vector<std::string> targets;
  for (unsigned i = 0; i < count; ++i) {
    targets.push_back(b.uniqueName("case"));
    list += (i ? ", " : "") + targets.back();
  }
  b.line("rem.u32 " + index + ", " + b.rng.pick(variables) + ", " +
         std::to_string(count) + ";");
  b.line(table + ": .branchtargets " + list + ";");
  b.line("brx.idx " + index + ", " + table + ";");
  for (const std::string &target : targets) {
    b.label(target);
    statements(depth - 1, 1 + b.rng.below(2));
    if (b.rng.chance(75)) // else fall through
      b.line("bra " + end + ";");
  }
  b.label(end);
}

void ControlWriter::statement(unsigned depth) {
  unsigned kind = unsigned(b.rng.below(100));
  if (depth == 0 || kind < 35)
    return assign("");
  if (kind < 45)
    return assign("@" + condition() + " ");
  if (kind < 50)
    return leaveLoop();
  if (kind < 72)
    return branch(depth);
  if (kind < 88)
    return loop(depth);
  choice(depth);
}

void girih::silicon::makeControl(Builder &b) {
  ControlWriter writer{b, {}, {}, ""};
  for (unsigned i = 0; i < 4; ++i) {
    writer.inputs.push_back(b.input("b32"));
    writer.variables.push_back(b.reg(32u));
    b.line("mov.b32 " + writer.variables.back() + ", " +
           writer.inputs.back().text + ";");
  }
  for (unsigned i = 0, count = 2 + b.rng.below(4); i < count; ++i) {
    writer.statements(3, 1);
    b.begin("control", "a tree of branches", writer.inputs);
    for (const std::string &variable : writer.variables)
      b.result(variable, "b32", Agreement::Exact, false);
    if (b.rng.chance(20)) // some lanes are done
      b.line("@" + writer.condition() +
             (b.rng.chance(50) ? " exit;" : " ret;"));
  }
}
