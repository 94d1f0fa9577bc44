//===- WarpPrograms.cpp - lanes that look at each other -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

static void shuffle(Builder &b) {
  std::string mode = b.rng.pick(words("up down bfly idx"));
  Operand value = b.source("b32");
  Operand distance = b.rng.chance(50) ? b.input("b32", Spread::Lane)
                                      : b.immediate("b32", Spread::Lane);
  // Segments of a power of two lanes, and any clamp.
  uint64_t segment = b.rng.below(6);
  uint64_t clamp = b.rng.chance(60) ? (mode == "up" ? 0 : 31) : b.rng.below(32);
  uint64_t control = ((0x1f & (0x1f << segment)) << 8) | clamp;
  if (b.rng.chance(10))
    control = b.rng.below(1 << 13);
  std::string made = b.reg(32u), ok = b.rng.chance(60) ? b.reg(1u) : "";
  std::string label = "shfl.sync." + mode + ".b32";
  b.instruction(label,
                label + " " + made + (ok.empty() ? "" : "|" + ok) + ", " +
                    value.text + ", " + distance.text + ", " +
                    std::to_string(control) + ", -1;",
                {value, distance}, Reach::Warp);
  b.result(made, "b32");
  if (!ok.empty())
    b.result(ok, "pred");
}

static void vote(Builder &b, const std::string &mask) {
  std::string mode = b.rng.pick(words("all any uni ballot"));
  Operand p = b.predicate();
  if (b.rng.chance(30))
    p.text = "!" + p.text;
  std::string type = mode == "ballot" ? "b32" : "pred";
  std::string made = b.reg(type), label = "vote.sync." + mode + "." + type;
  b.instruction(label, label + " " + made + ", " + p.text + ", " + mask + ";",
                {p}, Reach::Warp);
  b.result(made, type, Agreement::Exact, mask == "-1");
}

/// Values that some lanes share.
static Operand fewValues(Builder &b, const std::string &type) {
  std::vector<uint64_t> values(b.program.threads());
  uint64_t choices[4];
  for (uint64_t &choice : choices)
    choice = draw(b.rng, type, Spread::Natural);
  uint64_t used = 1 + b.rng.below(4);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        choices[(i % 32 == 0 || b.rng.chance(50)) ? b.rng.below(used) : 0];
  return b.inputOf(type, values);
}

static void match(Builder &b, const std::string &mask) {
  std::string type = b.rng.chance(50) ? "b32" : "b64";
  bool any = b.rng.chance(50);
  Operand value = fewValues(b, type);
  std::string made = b.reg(32u);
  std::string ok = !any && b.rng.chance(60) ? b.reg(1u) : "";
  std::string label =
      std::string("match.") + (any ? "any" : "all") + ".sync." + type;
  b.instruction(label,
                label + " " + made + (ok.empty() ? "" : "|" + ok) + ", " +
                    value.text + ", " + mask + ";",
                {value}, Reach::Warp);
  b.result(made, "b32", Agreement::Exact, mask == "-1");
  if (!ok.empty())
    b.result(ok, "pred", Agreement::Exact, mask == "-1");
}

static void reduce(Builder &b, const std::string &mask) {
  std::string label =
      expand(b.rng,
             "redux.sync.{add.u32|add.s32|min.u32|min.s32|max.u32|max.s32|"
             "and.b32|or.b32|xor.b32}",
             "");
  Operand value = b.input("b32");
  std::string made = b.reg(32u);
  b.instruction(label,
                label + " " + made + ", " + value.text + ", " + mask + ";",
                {value}, Reach::Warp);
  b.result(made, "b32", Agreement::Exact, mask == "-1");
}

static void elect(Builder &b, const std::string &mask) {
  std::string made = b.reg(32u), leader = b.reg(1u);
  b.instruction("elect.sync",
                "elect.sync " + made + "|" + leader + ", " + mask + ";", {},
                Reach::Warp);
  b.result(made, "b32", Agreement::Exact, false);
  b.result(leader, "pred", Agreement::Exact, false);
}

/// A value from some lane of the mask: the n-th of its bits.
static void shuffleWithin(Builder &b, const std::string &mask) {
  Operand value = b.input("b32"), choice = b.input("b32", Spread::Lane);
  std::string count = b.reg(32u), which = b.reg(32u), lane = b.reg(32u),
              made = b.reg(32u);
  b.line("popc.b32 " + count + ", " + mask + ";");
  b.line("rem.u32 " + which + ", " + choice.text + ", " + count + ";");
  b.line("add.u32 " + which + ", " + which + ", 1;");
  b.line("fns.b32 " + lane + ", " + mask + ", 0, " + which + ";");
  b.instruction("shfl.sync.idx.b32 (some lanes)",
                "shfl.sync.idx.b32 " + made + ", " + value.text + ", " + lane +
                    ", 31, " + mask + ";",
                {value, choice}, Reach::Warp);
  b.result(made, "b32", Agreement::Exact, false);
}

static void collective(Builder &b, const std::string &mask) {
  switch (b.rng.below(5)) {
  case 0:
    return vote(b, mask);
  case 1:
    return match(b, mask);
  case 2:
    return reduce(b, mask);
  case 3:
    return elect(b, mask);
  default:
    return shuffleWithin(b, mask);
  }
}

/// Lanes part by a random predicate and meet in groups: those that know each
/// other by a ballot.
static void diverged(Builder &b) {
  Operand side = b.predicate();
  std::string mask = b.reg(32u), others = b.reg(32u);
  b.line("vote.sync.ballot.b32 " + mask + ", " + side.text + ", -1;");
  b.line("not.b32 " + others + ", " + mask + ";");
  std::string elsewhere = b.uniqueName("else"), end = b.uniqueName("end");
  b.line("@!" + side.text + " bra " + elsewhere + ";");
  b.keepsLive = false;
  for (unsigned half = 0; half < 2; ++half) {
    if (half)
      b.label(elsewhere);
    for (unsigned i = 0, count = 1 + b.rng.below(3); i < count; ++i)
      collective(b, half ? others : mask);
    if (!half)
      b.line("bra " + end + ";");
  }
  b.keepsLive = true;
  b.label(end);
  b.line("bar.warp.sync -1;");
}

void girih::silicon::makeWarp(Builder &b) {
  unsigned count = 5 + b.rng.below(16);
  for (unsigned i = 0; i < count; ++i) {
    unsigned choice = unsigned(b.rng.below(100));
    if (choice < 35)
      shuffle(b);
    else if (choice < 80)
      collective(b, "-1");
    else
      diverged(b);
  }
}
