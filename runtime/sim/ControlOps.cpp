//===- ControlOps.cpp - branches and exits --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.12. A branch that only some lanes of a fragment take splits
// it; the scheduler brings them together again.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneText.h"
#include "runtime/sim/Machine.h"

using namespace girih;
using namespace girih::sim;

namespace {

/// `mask` goes to `target`, the others of the fragment to the next pc.
Outcome branch(Context &context, uint32_t target, uint32_t mask) {
  Fragment &fragment = context.fragment;
  if (mask == fragment.mask) {
    fragment.pc = target;
    return Outcome::Branched;
  }
  Fragment taken;
  taken.pc = target;
  taken.mask = mask;
  fragment.mask &= ~mask;
  ++fragment.pc;
  context.warp.fragments.push_back(taken);
  return Outcome::Branched;
}

Outcome executeBra(Context &context, const Instruction &instruction,
                   uint32_t mask) {
  return branch(context, instruction.target, mask);
}

Outcome executeBraUni(Context &context, const Instruction &instruction,
                      uint32_t mask) {
  if (uint32_t others = context.fragment.mask & ~mask)
    context.fault(FaultKind::IllegalValue, unsigned(__builtin_ctz(mask)),
                  "branches", "the guard of a .uni branch",
                  "it is true for " + laneText(mask) + " and false for " +
                      laneText(others) +
                      ": without .uni it may differ between lanes");
  return branch(context, instruction.target, mask);
}

Status decodeBra(Decoder &d) {
  bool isUniform = d.take("uni");
  if (Status status = d.expectOperands(1); !status)
    return status;
  Result<uint32_t> target = d.label(0);
  if (!target)
    return Failure{target.message()};
  Instruction &made = d.instruction();
  made.category = Category::Control;
  made.target = *target;
  made.execute = isUniform ? executeBraUni : executeBra;
  return {};
}

/// `variant`: the table. `elements` is 0 for .uni.
Outcome executeBrxIdx(Context &context, const Instruction &instruction,
                      uint32_t mask) {
  const std::vector<uint32_t> &table =
      context.code().syntax->tables[instruction.variant];
  const uint32_t *index = context.lanes32(instruction.sources[0]);
  uint32_t first = index[__builtin_ctz(mask)];
  uint32_t outside = 0, different = 0;
  forLanes(mask, [&](unsigned lane) {
    outside |= uint32_t(index[lane] >= table.size()) << lane;
    different |= uint32_t(index[lane] != first) << lane;
  });
  if (outside) {
    unsigned lane = unsigned(__builtin_ctz(outside));
    context.fault(FaultKind::IllegalValue, lane, "branches",
                  "index " + std::to_string(index[lane]),
                  "the list of targets has " + std::to_string(table.size()) +
                      " entries");
    return Outcome::Faulted;
  }
  if (different && instruction.elements == 0)
    context.fault(FaultKind::IllegalValue, unsigned(__builtin_ctz(different)),
                  "branches", "the index of a .uni branch",
                  "it differs between the lanes of a warp");
  // One after the other; what is left of the fragment goes last.
  Fragment &fragment = context.fragment;
  uint32_t rest = mask;
  while (rest) {
    uint32_t value = index[__builtin_ctz(rest)], group = 0;
    forLanes(rest, [&](unsigned lane) {
      group |= uint32_t(index[lane] == value) << lane;
    });
    rest &= ~group;
    if (group == fragment.mask) {
      fragment.pc = table[value];
      return Outcome::Branched;
    }
    Fragment taken;
    taken.pc = table[value];
    taken.mask = group;
    fragment.mask &= ~group;
    context.warp.fragments.push_back(taken);
  }
  ++fragment.pc; // lanes that the guard left out
  return Outcome::Branched;
}

Status decodeBrx(Decoder &d) {
  if (!d.take("idx"))
    return d.fail("only brx.idx is known");
  bool isUniform = d.take("uni");
  if (Status status = d.expectOperands(2); !status)
    return status;
  if (Result<unsigned> index = d.source(0, Type::U32); !index)
    return Failure{index.message()};
  const SyntaxOperand &table = d.statement().operands[1];
  if (table.kind != SyntaxOperand::Kind::Table)
    return d.fail("operand 2 must be the name of a .branchtargets list");
  Instruction &made = d.instruction();
  made.category = Category::Control;
  made.variant = table.index;
  made.elements = isUniform ? 0 : 1;
  made.execute = executeBrxIdx;
  return {};
}

Outcome executeExit(Context &, const Instruction &, uint32_t) {
  return Outcome::Exited;
}

/// In a kernel, ret is exit; `ret.uni` says that all lanes do it.
Status decodeExit(Decoder &d) {
  if (d.statement().opcode == "ret")
    d.take("uni");
  if (Status status = d.expectOperands(0); !status)
    return status;
  d.instruction().category = Category::Control;
  d.instruction().execute = executeExit;
  return {};
}

Outcome executeTrap(Context &context, const Instruction &, uint32_t mask) {
  context.fault(FaultKind::Trap, unsigned(__builtin_ctz(mask)), "executes", "",
                "the kernel ends itself here");
  return Outcome::Faulted;
}

Outcome executeBrkpt(Context &context, const Instruction &, uint32_t mask) {
  context.fault(FaultKind::Trap, unsigned(__builtin_ctz(mask)), "executes", "",
                "without a debugger a breakpoint ends the kernel");
  return Outcome::Faulted;
}

Status decodeTrap(Decoder &d) {
  if (Status status = d.expectOperands(0); !status)
    return status;
  d.instruction().category = Category::Control;
  d.instruction().execute =
      d.statement().opcode == "trap" ? executeTrap : executeBrkpt;
  return {};
}

constexpr OpcodeRow kRows[] = {
    {"bra", decodeBra},  {"brx", decodeBrx},   {"exit", decodeExit},
    {"ret", decodeExit}, {"trap", decodeTrap}, {"brkpt", decodeTrap},
};

} // namespace

const std::span<const OpcodeRow> sim::kControlRows = kRows;
