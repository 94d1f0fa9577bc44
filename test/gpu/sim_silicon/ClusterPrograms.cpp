//===- ClusterPrograms.cpp - blocks of a cluster --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

namespace {
struct ClusterWriter {
  Builder &b;
  unsigned blocks; ///< of a cluster
  std::string rank;

  std::string words32(unsigned count);
  std::string clusterBarrier();
  std::string otherRank();
  std::string remote(const std::string &address, const std::string &of);
  void readOthers();
  void writeOthers();
  void addToOthers();
  void arriveAtOthers();
  void registers();
};
} // namespace

static std::string number(uint64_t value) { return std::to_string(value); }

std::string ClusterWriter::words32(unsigned count) {
  std::string name = b.uniqueName("words"), base = b.reg(32u);
  b.line(".shared .align 8 .b8 " + name + "[" + number(count * 4) + "];");
  b.line("mov.u32 " + base + ", " + name + ";");
  return base;
}

std::string ClusterWriter::clusterBarrier() {
  std::string aligned = b.rng.chance(70) ? ".aligned" : "";
  std::string arrive =
      "barrier.cluster.arrive" + expand(b.rng, "{|.release}", "") + aligned;
  b.line(arrive + ";");
  b.line("barrier.cluster.wait" + expand(b.rng, "{|.acquire}", "") + aligned +
         ";");
  return arrive;
}

std::string ClusterWriter::otherRank() {
  std::string made = b.reg(32u);
  b.line("add.u32 " + made + ", " + rank + ", " + number(b.rng.below(blocks)) +
         ";");
  b.line("and.b32 " + made + ", " + made + ", " + number(blocks - 1) + ";");
  return made;
}

std::string ClusterWriter::remote(const std::string &address,
                                  const std::string &of) {
  std::string made = b.reg(32u);
  b.line("mapa.shared::cluster.u32 " + made + ", " + address + ", " + of + ";");
  return made;
}

void ClusterWriter::readOthers() {
  std::string base = words32(b.program.block), own = b.reg(32u);
  Operand value = b.source("b32");
  b.line("mad.lo.u32 " + own + ", %ltid, 4, " + base + ";");
  b.line("st.shared.b32 [" + own + "], " + value.text + ";");
  std::string label = clusterBarrier(), made = b.reg(32u);
  std::string of = otherRank();
  if (b.rng.chance(50)) {
    b.instruction(label,
                  "ld.shared::cluster.b32 " + made + ", [" + remote(own, of) +
                      "];",
                  {value}, Reach::Program);
  } else { // by a generic address
    std::string wide = b.reg(64u), far = b.reg(64u), whose = b.reg(32u);
    b.line("cvt.u64.u32 " + wide + ", " + own + ";");
    b.line("cvta.shared.u64 " + wide + ", " + wide + ";");
    b.line("mapa.u64 " + far + ", " + wide + ", " + of + ";");
    b.instruction("getctarank.u64",
                  "getctarank.u64 " + whose + ", " + far + ";", {});
    b.result(whose, "u32");
    b.instruction(label + " (generic)", "ld.b32 " + made + ", [" + far + "];",
                  {value}, Reach::Program);
  }
  b.result(made, "b32");
}

void ClusterWriter::writeOthers() {
  std::string base = words32(b.program.block), own = b.reg(32u),
              made = b.reg(32u);
  Operand value = b.source("b32");
  b.line("mad.lo.u32 " + own + ", %ltid, 4, " + base + ";");
  std::string next = b.reg(32u), whose = b.reg(32u);
  b.line("xor.b32 " + next + ", " + rank + ", " + number(b.rng.below(blocks)) +
         ";");
  std::string far = remote(own, next);
  b.instruction("getctarank.shared::cluster.u32",
                "getctarank.shared::cluster.u32 " + whose + ", " + far + ";",
                {});
  b.result(whose, "u32");
  b.line("st.shared::cluster.b32 [" + far + "], " + value.text + ";");
  std::string label = clusterBarrier();
  b.instruction(label + " (store)",
                "ld.shared.b32 " + made + ", [" + own + "];", {value},
                Reach::Program);
  b.result(made, "b32");
}

void ClusterWriter::addToOthers() {
  std::string base = words32(b.program.block), own = b.reg(32u),
              made = b.reg(32u), zero = b.reg(32u);
  b.line("mad.lo.u32 " + own + ", %ltid, 4, " + base + ";");
  b.line("mov.b32 " + zero + ", 0;");
  b.line("st.shared.b32 [" + own + "], " + zero + ";");
  clusterBarrier();
  Operand value = b.source("b32");
  std::string operation = b.rng.pick(words("add.u32 xor.b32 max.s32 or.b32"));
  std::string far = remote(own, otherRank());
  if (b.rng.chance(50))
    b.line("red.relaxed.cluster.shared::cluster." + operation + " [" + far +
           "], " + value.text + ";");
  else
    b.line("atom.relaxed.cluster.shared::cluster." + operation + " " +
           b.reg(32u) + ", [" + far + "], " + value.text + ";");
  clusterBarrier();
  b.instruction("atom.shared::cluster." + operation,
                "ld.shared.b32 " + made + ", [" + own + "];", {value},
                Reach::Program);
  b.result(made, "b32");
}

/// Every block of the cluster writes a word of every other's memory and
/// arrives at its mbarrier.
void ClusterWriter::arriveAtOthers() {
  std::string base = words32(blocks), barrier = words32(2), first = b.reg(1u);
  std::string wait = b.uniqueName("wait");
  Operand value = b.source("b32");
  b.line("setp.eq.u32 " + first + ", %ltid, 0;");
  b.line("@" + first + " mbarrier.init.shared.b64 [" + barrier + "], " +
         number(blocks) + ";");
  b.line("fence.mbarrier_init.release.cluster;");
  clusterBarrier();
  std::string slot = b.reg(32u);
  b.line("mad.lo.u32 " + slot + ", " + rank + ", 4, " + base + ";");
  for (unsigned i = 0; i < blocks; ++i) {
    std::string word = remote(slot, number(i)),
                there = remote(barrier, number(i));
    b.line("@" + first + " st.shared::cluster.b32 [" + word + "], " +
           value.text + ";");
    b.line("@" + first +
           " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [" + there +
           "];");
  }
  std::string done = b.reg(1u), made = b.reg(32u), at = b.reg(32u);
  b.label(wait);
  b.line("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 " + done +
         ", [" + barrier + "], 0;");
  b.line("@!" + done + " bra " + wait + ";");
  b.line("and.b32 " + at + ", %ltid, " + number(blocks - 1) + ";");
  b.line("mad.lo.u32 " + at + ", " + at + ", 4, " + base + ";");
  b.instruction("mbarrier.arrive.shared::cluster",
                "ld.shared.b32 " + made + ", [" + at + "];", {value},
                Reach::Program);
  b.result(made, "b32");
}

void ClusterWriter::registers() {
  for (const char *name :
       {"%cluster_ctarank", "%cluster_nctarank", "%clusterid.x",
        "%nclusterid.x", "%cluster_ctaid.x", "%cluster_nctaid.x"})
    if (b.rng.chance(50)) {
      std::string made = b.reg(32u);
      b.instruction(std::string("mov.u32 ") + name,
                    "mov.u32 " + made + ", " + name + ";", {});
      b.result(made, "u32");
    }
}

void girih::silicon::makeCluster(Builder &b) {
  ClusterWriter writer{b, b.rng.chance(50) ? 2u : 4u, b.reg(32u)};
  if (b.rng.chance(50))
    b.directive(".explicitcluster");
  b.directive(".reqnctapercluster " + number(writer.blocks) + ", 1, 1");
  b.line("mov.u32 " + writer.rank + ", %cluster_ctarank;");
  writer.registers();
  for (unsigned i = 0, count = 1 + b.rng.below(4); i < count; ++i)
    switch (b.rng.below(4)) {
    case 0:
      writer.readOthers();
      break;
    case 1:
      writer.writeOthers();
      break;
    case 2:
      writer.addToOthers();
      break;
    default:
      writer.arriveAtOthers();
    }
  // Nobody's memory goes while others read it.
  writer.clusterBarrier();
}
