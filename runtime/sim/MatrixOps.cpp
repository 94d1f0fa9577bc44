//===- MatrixOps.cpp - ldmatrix, stmatrix, movmatrix ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.14.5.15 to 17. A matrix has 8 rows of 16 bytes. Lane 8i + j
// gives the address of row j of matrix i; lane l has the elements 2 * (l % 4)
// and the next one of row l / 4 (.trans: of column l / 4) of each matrix, in
// one register a matrix.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/MemoryDecode.h"
#include "runtime/sim/Mma.h"

#include <cstring>

using namespace girih;
using namespace girih::sim;

namespace {

/// Rows by the lane that gave their address: elements of 16 bits.
using Rows = std::array<std::array<uint16_t, 8>, kLanes>;

} // namespace

/// The register of matrix `matrix` from its rows.
template <bool isTransposed>
static void toRegister(const Rows &rows, unsigned matrix, uint32_t *words) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned line = lane / 4, first = 2 * (lane % 4);
    const auto *of = &rows[8 * matrix];
    words[lane] = isTransposed
                      ? of[first][line] | uint32_t(of[first + 1][line]) << 16
                      : of[line][first] | uint32_t(of[line][first + 1]) << 16;
  }
}

template <bool isTransposed>
static void fromRegister(const uint32_t *words, unsigned matrix, Rows &rows) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned line = lane / 4, first = 2 * (lane % 4);
    auto *of = &rows[8 * matrix];
    (isTransposed ? of[first][line] : of[line][first]) = uint16_t(words[lane]);
    (isTransposed ? of[first + 1][line] : of[line][first + 1]) =
        uint16_t(words[lane] >> 16);
  }
}

// Running --------------------------------------------------------------------

static bool checkWarp(const Context &context, uint32_t mask, const char *name) {
  if (mask == kAllLanes)
    return true;
  context.fault(FaultKind::IllegalValue, unsigned(__builtin_ctz(mask)),
                std::string("executes ") + name, "the warp's lanes",
                std::to_string(__builtin_popcount(mask)) +
                    " of 32 lanes are there, and each holds a part of the "
                    "matrices; make the block's threads a multiple of 32 and "
                    "let none exit before");
  return false;
}

/// The lanes that give addresses; they alone need to have written them.
static uint32_t addressLanes(const Instruction &instruction) {
  return kAllLanes >> (32 - 8 * instruction.elements);
}

static uint32_t unwritten(const Context &context, const Slot &slot) {
  if (slot.reg < 0 || !context.launch.checks)
    return 0;
  return ~context.warp.written[size_t(slot.reg)];
}

static void checkWritten(const Context &context, const Slot &slot,
                         uint32_t lanes) {
  lanes &= unwritten(context, slot);
  if (!lanes)
    return;
  const std::string &name =
      context.code().syntax->registers[size_t(slot.reg)].name;
  context.fault(FaultKind::Uninitialized, unsigned(__builtin_ctz(lanes)),
                "reads register " + name, "register " + name,
                "this thread has not written it before");
  context.warp.written[size_t(slot.reg)] |= lanes; // said once
}

static uint32_t resolveRows(Context &context, const Instruction &instruction,
                            AccessKind kind, WarpAccess &access) {
  const Slot &base = instruction.sources[0];
  access.space = instruction.space;
  access.kind = kind;
  access.bytes = access.elementBytes = access.alignment = 16;
  access.mask = addressLanes(instruction);
  checkWritten(context, base, access.mask);
  gatherAddresses(context, base, instruction.offset, access.address);
  return context.launch.memorySystem->resolve(context, access);
}

template <bool isTransposed>
static Outcome loadMatrix(Context &context, const Instruction &instruction,
                          uint32_t mask) {
  if (!checkWarp(context, mask, "ldmatrix"))
    return Outcome::Faulted;
  WarpAccess access;
  Rows rows = {}; // those that cannot be read count as zeros
  forLanes(resolveRows(context, instruction, AccessKind::Read, access),
           [&](unsigned lane) {
             std::memcpy(rows[lane].data(), access.data[lane], 16);
           });
  for (unsigned i = 0; i < instruction.elements; ++i)
    if (instruction.results[i].exists())
      toRegister<isTransposed>(rows, i,
                               context.lanes32(instruction.results[i]));
  return Outcome::Next;
}

template <bool isTransposed>
static Outcome storeMatrix(Context &context, const Instruction &instruction,
                           uint32_t mask) {
  if (!checkWarp(context, mask, "stmatrix"))
    return Outcome::Faulted;
  WarpAccess access;
  Rows rows;
  for (unsigned i = 0; i < instruction.elements; ++i) {
    checkWritten(context, instruction.sources[i + 1], kAllLanes);
    fromRegister<isTransposed>(context.lanes32(instruction.sources[i + 1]), i,
                               rows);
  }
  forLanes(resolveRows(context, instruction, AccessKind::Write, access),
           [&](unsigned lane) {
             std::memcpy(access.data[lane], rows[lane].data(), 16);
           });
  return Outcome::Next;
}

static Outcome moveMatrix(Context &context, const Instruction &instruction,
                          uint32_t mask) {
  if (!checkWarp(context, mask, "movmatrix"))
    return Outcome::Faulted;
  Rows rows;
  fromRegister<false>(context.lanes32(instruction.sources[0]), 0, rows);
  if (instruction.results[0].exists())
    toRegister<true>(rows, 0, context.lanes32(instruction.results[0]));
  return Outcome::Next;
}

// Decoding -------------------------------------------------------------------

namespace {

struct MatrixModifiers {
  unsigned count = 0;
  bool isTransposed = false;
};

} // namespace

/// `.sync.aligned.m8n8.x4.trans.shared.b16`; ptxas takes shape and number in
/// either order.
static Status takeModifiers(Decoder &d, MatrixModifiers &modifiers) {
  const std::string &opcode = d.statement().opcode;
  if (!d.take("sync") || !d.take("aligned"))
    return d.fail(opcode + " is written " + opcode + ".sync.aligned");
  bool hasShape = d.take("m8n8");
  if (std::optional<unsigned> power = d.takeOneOf({"x1", "x2", "x4"}))
    modifiers.count = 1u << *power;
  if (!hasShape && !d.take("m8n8"))
    return d.fail("only matrices of shape .m8n8 are supported; .m16n8, .m16n16 "
                  "and .m8n16 are of capability 10.0");
  if (modifiers.count == 0)
    return d.fail("the number of matrices is missing: .x1, .x2 or .x4");
  modifiers.isTransposed = d.take("trans");
  Instruction &instruction = d.instruction();
  instruction.space = Space::Generic;
  if (std::optional<Space> space = takeSpace(d)) {
    if (*space != Space::Shared)
      return d.fail(opcode +
                    " works on shared memory: .shared or .shared::cta");
    instruction.space = *space;
  }
  if (!d.take("b16"))
    return d.fail("only elements of type .b16 are supported; .b8 ones are of "
                  "capability 10.0");
  return {};
}

/// The list of registers; loads write them.
static Status takeRegisters(Decoder &d, size_t index, unsigned count,
                            bool isLoad) {
  const SyntaxOperand &operand = d.statement().operands[index];
  if (operand.kind != SyntaxOperand::Kind::Vector ||
      operand.elements.size() != count)
    return d.fail("a list of " + std::to_string(count) +
                  (count == 1 ? " register" : " registers") +
                  " in braces is expected, one a matrix");
  for (const SyntaxOperand &element : operand.elements) {
    Result<unsigned> added =
        isLoad ? d.result(element, Type::B32) : d.source(element, Type::B32);
    if (!added)
      return Failure{added.message()};
  }
  return {};
}

static Status decodeMemory(Decoder &d, bool isLoad) {
  MatrixModifiers modifiers;
  if (Status status = takeModifiers(d, modifiers); !status)
    return status;
  if (Status status = d.expectOperands(2); !status)
    return status;
  Instruction &instruction = d.instruction();
  Result<unsigned> address = addressIn(d, isLoad ? 1 : 0, instruction.space);
  if (!address)
    return Failure{address.message()};
  if (Status status = takeRegisters(d, isLoad ? 0 : 1, modifiers.count, isLoad);
      !status)
    return status;
  instruction.elements = uint8_t(modifiers.count);
  instruction.elementBytes = 16;
  instruction.convergence = Convergence::Warp;
  instruction.checksSources = false; // addresses: of the rows' lanes only
  instruction.category = isLoad ? Category::Load : Category::Store;
  instruction.execute =
      isLoad
          ? (modifiers.isTransposed ? loadMatrix<true> : loadMatrix<false>)
          : (modifiers.isTransposed ? storeMatrix<true> : storeMatrix<false>);
  d.noteAccess(instruction.space, 16);
  return {};
}

static Status decodeLoad(Decoder &d) { return decodeMemory(d, true); }
static Status decodeStore(Decoder &d) { return decodeMemory(d, false); }

static Status decodeMove(Decoder &d) {
  for (const char *name : {"sync", "aligned", "m8n8", "trans", "b16"})
    if (!d.take(name))
      return d.fail(
          "movmatrix is written movmatrix.sync.aligned.m8n8.trans.b16");
  if (Status status = d.expectOperands(2); !status)
    return status;
  if (Result<unsigned> added = d.result(0, Type::B32); !added)
    return Failure{added.message()};
  if (Result<unsigned> added = d.source(1, Type::B32); !added)
    return Failure{added.message()};
  d.instruction().convergence = Convergence::Warp;
  d.instruction().category = Category::Warp;
  d.instruction().execute = moveMatrix;
  return {};
}

static const OpcodeRow kRows[] = {
    {"ldmatrix", decodeLoad},          {"mma", decodeMma},
    {"movmatrix", decodeMove},         {"stmatrix", decodeStore},
    {"tcgen05", decodeUnsupportedMma}, {"wgmma", decodeUnsupportedMma},
    {"wmma", decodeUnsupportedMma},
};
const std::span<const OpcodeRow> sim::kMatrixRows = kRows;
