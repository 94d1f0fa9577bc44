//===- BlockPrograms.cpp - threads of a block that wait for each other ----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

static std::string number(uint64_t value) { return std::to_string(value); }

/// An array of the block with a 32-bit word for each thread: its base.
static std::string sharedWords(Builder &b) {
  std::string name = b.uniqueName("words"), base = b.reg(32u);
  b.line(".shared .align 4 .b8 " + name + "[" + number(b.program.block * 4) +
         "];");
  b.line("mov.u32 " + base + ", " + name + ";");
  return base;
}

static std::string wordAddress(Builder &b, const std::string &base,
                               const std::string &index) {
  std::string address = b.reg(32u);
  b.line("mad.lo.u32 " + address + ", " + index + ", 4, " + base + ";");
  return address;
}

/// Another thread among `count` around this one: a rotation or a reversal of
/// each group.
static std::string otherThread(Builder &b, unsigned count) {
  std::string low = b.reg(32u), high = b.reg(32u), other = b.reg(32u);
  b.line("and.b32 " + low + ", %ltid, " + number(count - 1) + ";");
  b.line("sub.u32 " + high + ", %ltid, " + low + ";");
  if (b.rng.chance(50)) {
    b.line("add.u32 " + low + ", " + low + ", " + number(b.rng.below(count)) +
           ";");
    b.line("and.b32 " + low + ", " + low + ", " + number(count - 1) + ";");
  } else {
    b.line("xor.b32 " + low + ", " + low + ", " + number(b.rng.below(count)) +
           ";");
  }
  b.line("add.u32 " + other + ", " + high + ", " + low + ";");
  return other;
}

static void storeWord(Builder &b, const std::string &base,
                      const Operand &value) {
  b.line("st.shared.b32 [" + wordAddress(b, base, "%ltid") + "], " +
         value.text + ";");
}

static void readWord(Builder &b, const std::string &label,
                     const std::string &base, const std::string &index,
                     const Operand &value) {
  std::string made = b.reg(32u), address = wordAddress(b, base, index);
  b.instruction(label, "ld.shared.b32 " + made + ", [" + address + "];",
                {value}, Reach::Program);
  b.result(made, "b32");
}

/// All threads of the block wait, in one of the spellings.
static std::string blockBarrier(Builder &b) {
  std::string all = number(b.program.block);
  std::string text =
      expand(b.rng,
             "{bar.sync|barrier.sync|barrier.cta.sync|barrier.sync.aligned|"
             "barrier.cta.sync.aligned|bar.cta.sync} ",
             "");
  std::string label = text.substr(0, text.size() - 1);
  text += number(b.rng.below(3));
  if (b.rng.chance(30))
    text += ", " + all;
  b.line(text + ";");
  return label;
}

static void exchange(Builder &b) {
  std::string base = sharedWords(b);
  Operand value = b.source("b32");
  storeWord(b, base, value);
  std::string label = blockBarrier(b);
  readWord(b, label, base, otherThread(b, b.program.block), value);
  if (b.rng.chance(50)) { // again, over the same words
    blockBarrier(b);
    Operand next = b.source("b32");
    storeWord(b, base, next);
    label = blockBarrier(b);
    readWord(b, label, base, otherThread(b, b.program.block), next);
  }
}

static void reduction(Builder &b) {
  Operand p = b.predicate();
  if (b.rng.chance(30))
    p.text = "!" + p.text;
  std::string head =
      expand(b.rng, "{bar.red|barrier.red|barrier.cta.red|bar.cta.red}", "");
  std::string operation = b.rng.pick(words("popc and or"));
  std::string type = operation == "popc" ? "u32" : "pred";
  std::string aligned =
      head.starts_with("barrier") && b.rng.chance(50) ? ".aligned." : ".";
  std::string made = b.reg(type),
              label = head + "." + operation + aligned + type;
  // Not those that pairs of warps use among themselves.
  unsigned id = b.rng.chance(50) ? unsigned(b.rng.below(4))
                                 : 8 + unsigned(b.rng.below(8));
  std::string count = b.rng.chance(40) ? number(b.program.block) + ", " : "";
  b.instruction(label,
                label + " " + made + ", " + number(id) + ", " + count + p.text +
                    ";",
                {p}, Reach::Program);
  b.result(made, type);
}

/// Pairs of warps meet at barriers of their own.
static void pairs(Builder &b) {
  std::string base = sharedWords(b), id = b.reg(32u);
  Operand value = b.source("b32");
  b.line("shr.u32 " + id + ", %ltid, 6;");
  b.line("add.u32 " + id + ", " + id + ", 4;");
  storeWord(b, base, value);
  b.line("bar.sync " + id + ", 64;");
  readWord(b, "bar.sync a, 64", base, otherThread(b, 64), value);
  if (b.rng.chance(50)) {
    Operand p = b.predicate();
    std::string made = b.reg(32u);
    b.instruction("bar.red.popc.u32 a, 64",
                  "bar.red.popc.u32 " + made + ", " + id + ", 64, " + p.text +
                      ";",
                  {p}, Reach::Program);
    b.result(made, "u32");
  }
}

/// The first half of the warps produces and does not wait.
static void producers(Builder &b) {
  std::string base = sharedWords(b), first = b.reg(1u), other = b.reg(32u);
  Operand value = b.source("b32");
  std::string half = number(b.program.block / 2), all = number(b.program.block);
  std::string consumer = b.uniqueName("consumer"), end = b.uniqueName("end");
  b.line("setp.lt.u32 " + first + ", %ltid, " + half + ";");
  b.line("sub.u32 " + other + ", %ltid, " + half + ";");
  b.line("@!" + first + " bra " + consumer + ";");
  storeWord(b, base, value);
  b.line(
      expand(b.rng, "{bar.arrive|barrier.arrive|barrier.cta.arrive} 7, ", "") +
      all + ";");
  b.line("bra " + end + ";");
  b.label(consumer);
  b.line("bar.sync 7, " + all + ";");
  b.keepsLive = false;
  readWord(b, "bar.arrive", base, other, value);
  b.keepsLive = true;
  b.label(end);
  blockBarrier(b);
}

static void withinWarp(Builder &b) {
  std::string base = sharedWords(b);
  Operand value = b.source("b32");
  storeWord(b, base, value);
  b.line("bar.warp.sync " +
         std::string(b.rng.chance(50) ? "-1" : "0xffffffff") + ";");
  readWord(b, "bar.warp.sync", base, otherThread(b, 32), value);
}

/// One thread publishes a word and raises a flag; the others spin on it.
static void message(Builder &b) {
  std::string name = b.uniqueName("flag"), flag = b.reg(32u), first = b.reg(1u),
              seen = b.reg(32u), unset = b.reg(1u), made = b.reg(32u);
  bool fences = b.rng.chance(50);
  Operand value = b.source("b32");
  b.line(".shared .align 4 .b8 " + name + "[8];");
  b.line("mov.u32 " + flag + ", " + name + ";");
  b.line("setp.eq.u32 " + first + ", %ltid, 0;");
  b.line("@" + first + " st.shared.u32 [" + flag + "], 0;");
  b.line("bar.sync 0;");
  std::string wait = b.uniqueName("wait");
  b.line("@" + first + " st.shared.b32 [" + flag + "+4], " + value.text + ";");
  if (fences) {
    b.line("fence.acq_rel.cta;");
    b.line("@" + first + " st.relaxed.cta.shared.u32 [" + flag + "], 1;");
  } else {
    b.line("@" + first + " st.release.cta.shared.u32 [" + flag + "], 1;");
  }
  b.label(wait);
  b.line(std::string(fences ? "ld.relaxed" : "ld.acquire") +
         ".cta.shared.u32 " + seen + ", [" + flag + "];");
  b.line("setp.eq.u32 " + unset + ", " + seen + ", 0;");
  b.line("@" + unset + " bra " + wait + ";");
  if (fences)
    b.line("fence.acq_rel.cta;");
  b.instruction(fences ? "fence.acq_rel" : "ld.acquire",
                "ld.shared.b32 " + made + ", [" + flag + "+4];", {value},
                Reach::Program);
  b.result(made, "b32");
  b.line("bar.sync 0;");
}

/// The block that comes last adds up what all blocks wrote.
static void lastBlock(Builder &b) {
  b.begin("atom.add (last block)", "the sum by the last block", {},
          Reach::Program);
  size_t counter = b.outBytes(std::vector<uint8_t>(16), 4, "u32");
  size_t sums = b.outBytes(std::vector<uint8_t>(b.program.grid * 4), 4, "u32");
  Operand value = b.source("b32");
  std::string first = b.reg(1u), at = b.reg(64u), before = b.reg(32u),
              last = b.reg(1u), sum = b.reg(32u), part = b.reg(32u),
              end = b.uniqueName("end");
  b.line("setp.eq.u32 " + first + ", %ltid, 0;");
  b.line("@!" + first + " bra " + end + ";");
  b.line("mad.wide.u32 " + at + ", %kcta, 4, %out;");
  b.line("st.global.b32 [" + at + "+" + number(sums) + "], " + value.text +
         ";");
  b.line(expand(b.rng, "{membar.gl|fence.acq_rel.gpu|fence.sc.gpu};", ""));
  b.line("atom.global.add.u32 " + before + ", [%out+" + number(counter) +
         "], 1;");
  b.line("setp.eq.u32 " + last + ", " + before + ", " +
         number(b.program.grid - 1) + ";");
  b.line("@!" + last + " bra " + end + ";");
  b.line("membar.gl;");
  b.line("mov.u32 " + sum + ", 0;");
  for (unsigned i = 0; i < b.program.grid; ++i) {
    b.line("ld.global.b32 " + part + ", [%out+" + number(sums + i * 4) + "];");
    b.line("add.u32 " + sum + ", " + sum + ", " + part + ";");
  }
  b.line("st.global.b32 [%out+" + number(counter + 4) + "], " + sum + ";");
  b.label(end);
}

void girih::silicon::makeBarrier(Builder &b) {
  using Pattern = void (*)(Builder &);
  static const Pattern patterns[] = {exchange,   exchange, reduction,
                                     reduction,  pairs,    producers,
                                     withinWarp, message,  lastBlock};
  for (unsigned i = 0, count = 2 + b.rng.below(5); i < count; ++i)
    b.rng.pick(patterns)(b);
}
