//===- PipelinePrograms.cpp - asynchronous copies and mbarriers -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

static std::string number(uint64_t value) { return std::to_string(value); }

/// `count` bytes of shared memory for each thread and this thread's part.
static std::string ownShared(Builder &b, unsigned count,
                             const std::string &thread = "%ltid") {
  std::string name = b.uniqueName("tile"), own = b.reg(32u);
  b.line(".shared .align 16 .b8 " + name + "[" +
         number(b.program.block * count) + "];");
  b.line("mov.u32 " + own + ", " + name + ";");
  b.line("mad.lo.u32 " + own + ", " + thread + ", " + number(count) + ", " +
         own + ";");
  return own;
}

/// `count` bytes of `in` for each thread.
static std::string ownGlobal(Builder &b, unsigned count) {
  size_t offset = b.inBytes(b.randomBytes(b.program.threads() * count));
  std::string own = b.reg(64u);
  b.line("mad.wide.u32 " + own + ", %gtid, " + number(count) + ", %in;");
  b.line("add.u64 " + own + ", " + own + ", " + number(offset) + ";");
  return own;
}

static void readBack(Builder &b, const std::string &label,
                     const std::string &address, unsigned offset) {
  std::string made = b.reg(32u);
  b.instruction(label,
                "ld.shared.b32 " + made + ", [" + address + "+" +
                    number(offset) + "];",
                {}, Reach::Program);
  b.result(made, "b32");
}

/// Groups of copies, waited for from the oldest on.
static void copyGroups(Builder &b) {
  constexpr unsigned kStages = 3, kStage = 16;
  std::string to = ownShared(b, kStages * kStage);
  std::string from = ownGlobal(b, kStages * kStage);
  struct Copy {
    std::string label;
    unsigned offset, bytes;
  };
  std::vector<Copy> copies;
  for (unsigned stage = 0; stage < kStages; ++stage) {
    unsigned bytes = 4u << b.rng.below(3);
    std::string head =
        "cp.async." +
        std::string(bytes == 16 && b.rng.chance(60) ? "cg" : "ca") +
        ".shared.global";
    if (b.rng.chance(20))
      head += ".L2::128B";
    std::string size = number(bytes);
    if (b.rng.chance(40)) { // the rest becomes zero
      Operand part = b.input("b32", Spread::Lane);
      std::string cut = b.reg(32u);
      b.line("min.u32 " + cut + ", " + part.text + ", " + size + ";");
      size += ", " + cut;
    }
    unsigned offset = stage * kStage;
    b.line(head + " [" + to + "+" + number(offset) + "], [" + from + "+" +
           number(offset) + "], " + size + ";");
    copies.push_back({head, offset, bytes});
    b.line("cp.async.commit_group;");
  }
  for (unsigned stage = 0; stage < kStages; ++stage) {
    if (stage + 1 == kStages && b.rng.chance(50))
      b.line("cp.async.wait_all;");
    else
      b.line("cp.async.wait_group " + number(kStages - 1 - stage) + ";");
    for (unsigned i = 0; i < copies[stage].bytes; i += 4)
      readBack(b, copies[stage].label, to, copies[stage].offset + i);
  }
}

/// Initialises an mbarrier of the block for `count` arrivals.
static std::string makeBarrier(Builder &b, unsigned count) {
  std::string name = b.uniqueName("mbarrier"), made = b.reg(32u),
              first = b.reg(1u);
  b.line(".shared .align 8 .b8 " + name + "[8];");
  b.line("mov.u32 " + made + ", " + name + ";");
  b.line("setp.eq.u32 " + first + ", %ltid, 0;");
  b.line("@" + first + " mbarrier.init.shared.b64 [" + made + "], " +
         number(count) + ";");
  // Copies arrive by another proxy.
  b.line("fence.proxy.async.shared::cta;");
  b.line("bar.sync 0;");
  return made;
}

static void waitParity(Builder &b, const std::string &barrier,
                       unsigned parity) {
  std::string again = b.uniqueName("wait"), done = b.reg(1u);
  b.label(again);
  b.line(
      expand(b.rng, "mbarrier.{try_wait|test_wait}.parity{|.acquire.cta}", "") +
      ".shared::cta.b64 " + done + ", [" + barrier + "], " + number(parity) +
      ";");
  b.line("@!" + done + " bra " + again + ";");
}

static void waitState(Builder &b, const std::string &barrier,
                      const std::string &state) {
  std::string again = b.uniqueName("wait"), done = b.reg(1u);
  b.label(again);
  b.line(expand(b.rng, "mbarrier.{try_wait|test_wait}.shared.b64 ", "") + done +
         ", [" + barrier + "], " + state + ";");
  b.line("@!" + done + " bra " + again + ";");
}

/// All threads write, arrive, wait, and read another's word.
static void phases(Builder &b) {
  std::string barrier = makeBarrier(b, b.program.block);
  bool byParity = b.rng.chance(50);
  for (unsigned phase = 0, count = 1 + b.rng.below(4); phase < count; ++phase) {
    std::string own = ownShared(b, 4), state = byParity ? "_" : b.reg(64u);
    Operand value = b.source("b32");
    b.line("st.shared.b32 [" + own + "], " + value.text + ";");
    b.line(expand(b.rng, "mbarrier.arrive{|.release.cta}.shared.b64 ", "") +
           state + ", [" + barrier + "];");
    if (byParity)
      waitParity(b, barrier, phase & 1);
    else
      waitState(b, barrier, state);
    std::string other = b.reg(32u);
    // Words of this warp's neighbour; the tile begins at a multiple of 512.
    b.line("mov.u32 " + other + ", " + own + ";");
    std::string thread = b.reg(32u), delta = b.reg(32u);
    b.line("xor.b32 " + thread + ", %ltid, " +
           number(b.rng.below(b.program.block)) + ";");
    b.line("sub.u32 " + delta + ", " + thread + ", %ltid;");
    b.line("mad.lo.u32 " + other + ", " + delta + ", 4, " + other + ";");
    readBack(b, "mbarrier.arrive", other, 0);
  }
}

/// Copies whose completion arrives at an mbarrier.
static void copiesArrive(Builder &b) {
  bool noinc = b.rng.chance(50);
  // Without .noinc the copy's arrival is one more than was expected before.
  std::string barrier = makeBarrier(b, b.program.block);
  std::string to = ownShared(b, 16), from = ownGlobal(b, 16);
  b.line("cp.async.ca.shared.global [" + to + "], [" + from + "], 16;");
  std::string head = "cp.async.mbarrier.arrive" +
                     std::string(noinc ? ".noinc" : "") + ".shared.b64";
  b.line(head + " [" + barrier + "];");
  if (!noinc)
    b.line("mbarrier.arrive.shared.b64 _, [" + barrier + "];");
  waitParity(b, barrier, 0);
  std::string other = b.reg(32u);
  b.line("xor.b32 " + other + ", %ltid, 37;");
  b.line("sub.u32 " + other + ", " + other + ", %ltid;");
  b.line("mad.lo.u32 " + other + ", " + other + ", 16, " + to + ";");
  readBack(b, head, other, unsigned(b.rng.below(4)) * 4);
}

/// One copy of the whole block, announced in bytes.
static void bulkLoad(Builder &b) {
  unsigned bytes = b.program.block * 16;
  std::string barrier = makeBarrier(b, 1), to = ownShared(b, 16);
  std::string from = ownGlobal(b, 16), first = b.reg(1u);
  b.line("setp.eq.u32 " + first + ", %ltid, 0;");
  b.line("@" + first + " mbarrier.arrive.expect_tx.shared.b64 _, [" + barrier +
         "], " + number(bytes) + ";");
  std::string label =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
  b.line("@" + first + " " + label + " [" + to + "], [" + from + "], " +
         number(bytes) + ", [" + barrier + "];");
  waitParity(b, barrier, 0);
  readBack(b, label, to, unsigned(b.rng.below(4)) * 4);
}

/// Shared memory goes to `out` at once.
static void bulkStore(Builder &b) {
  unsigned bytes = b.program.block * 4;
  std::string label = "cp.async.bulk.global.shared::cta.bulk_group";
  std::string own = ownShared(b, 4), first = b.reg(1u), to = b.reg(64u);
  Operand value = b.source("b32");
  b.begin(label, label, {value}, Reach::Program);
  size_t target = b.outBytes(b.randomBytes(b.program.threads() * 4), 4, "b32");
  b.line("st.shared.b32 [" + own + "], " + value.text + ";");
  b.line("fence.proxy.async.shared::cta;");
  b.line("bar.sync 0;");
  b.line("setp.eq.u32 " + first + ", %ltid, 0;");
  b.line("mad.wide.u32 " + to + ", %gtid, 4, %out;");
  b.line("@" + first + " " + label + " [" + to + "+" + number(target) + "], [" +
         own + "], " + number(bytes) + ";");
  b.line("@" + first + " cp.async.bulk.commit_group;");
  b.line("@" + first + " cp.async.bulk.wait_group" +
         (b.rng.chance(50) ? ".read" : "") + " 0;");
}

/// An mbarrier of each thread, so that all counts are known here.
static void soloBarrier(Builder &b) {
  std::string own = ownShared(b, 8), state = b.reg(64u);
  unsigned expected = 2 + unsigned(b.rng.below(20)), pending = expected;
  std::string at = "[" + own + "]";
  b.line("mbarrier.init.shared.b64 " + at + ", " + number(expected) + ";");
  for (unsigned i = 0, count = 2 + b.rng.below(6); i < count; ++i) {
    unsigned arrivals = 1;
    unsigned choice = unsigned(b.rng.below(3));
    std::string label = "mbarrier.arrive.shared.b64";
    if (choice == 1 && pending > 1) {
      arrivals = 1 + unsigned(b.rng.below(pending - 1));
      label = "mbarrier.arrive.noComplete.shared.b64";
      if (b.rng.chance(50))
        label = "mbarrier.arrive.noComplete.release.cta.shared.b64";
    } else if (choice == 2 && expected > 2) {
      label = "mbarrier.arrive_drop.shared.b64";
      --expected;
    } else {
      arrivals = 1 + unsigned(b.rng.below(pending));
      label = "mbarrier.arrive.release.cta.shared.b64";
    }
    bool counts = label.find("drop") == std::string::npos;
    b.line(label + " " + state + ", " + at +
           (counts ? ", " + number(arrivals) : "") + ";");
    pending -= arrivals;
    if (pending == 0)
      pending = expected;
    std::string left = b.reg(32u), done = b.reg(1u), parity = b.reg(1u);
    b.instruction(label + " pending_count",
                  "mbarrier.pending_count.b64 " + left + ", " + state + ";",
                  {});
    b.result(left, "u32");
    b.instruction(label + " test_wait",
                  "mbarrier.test_wait.shared.b64 " + done + ", " + at + ", " +
                      state + ";",
                  {});
    b.result(done, "pred");
    b.instruction(label + " test_wait.parity",
                  "mbarrier.test_wait.parity.shared.b64 " + parity + ", " + at +
                      ", " + number(b.rng.below(2)) + ";",
                  {});
    b.result(parity, "pred");
  }
  b.line("mbarrier.inval.shared.b64 " + at + ";");
}

void girih::silicon::makePipeline(Builder &b) {
  using Pattern = void (*)(Builder &);
  static const Pattern patterns[] = {copyGroups,   copyGroups, phases,
                                     copiesArrive, bulkLoad,   bulkStore,
                                     soloBarrier,  soloBarrier};
  for (unsigned i = 0, count = 1 + b.rng.below(4); i < count; ++i)
    b.rng.pick(patterns)(b);
}
