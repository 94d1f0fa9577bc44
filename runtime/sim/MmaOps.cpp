//===- MmaOps.cpp - mma.sync ----------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.14.5.14. Layouts and arithmetic are in MmaLanes.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Machine.h"
#include "runtime/sim/Mma.h"

using namespace girih;
using namespace girih::sim;

// What an Instruction says of its kind
// -----------------------------------------

static void store(const MmaKind &kind, Instruction &instruction) {
  instruction.type = kind.a;
  instruction.fromType = kind.b;
  instruction.variant =
      uint32_t(kind.k) | uint32_t(kind.m) << 9 | uint32_t(kind.sum) << 16 |
      uint32_t(kind.saturates) << 24 | uint32_t(kind.bits) << 25;
}

static MmaKind kindOf(const Instruction &instruction) {
  MmaKind kind;
  kind.a = instruction.type;
  kind.b = instruction.fromType;
  kind.k = instruction.variant & 0x1ff;
  kind.m = instruction.variant >> 9 & 0x1f;
  kind.sum = Type(instruction.variant >> 16 & 0xff);
  kind.saturates = instruction.variant >> 24 & 1;
  kind.bits = MmaKind::Bits(instruction.variant >> 25 & 3);
  return kind;
}

static std::string shapeName(unsigned m, unsigned k) {
  std::string name = "m";
  name.append(std::to_string(m)).append("n8k").append(std::to_string(k));
  return name;
}

// Running --------------------------------------------------------------------

static std::string capabilityName(unsigned capability) {
  std::string name = std::to_string(capability / 10);
  name.append(".").append(std::to_string(capability % 10));
  return name;
}

/// An old card, or a warp with lanes missing.
static bool checkLaunch(const Context &context, const MmaKind &kind,
                        uint32_t mask) {
  unsigned lane = unsigned(__builtin_ctz(mask));
  std::string what =
      "mma " + shapeName(kind.m, kind.k) + " of " + std::string(nameOf(kind.a));
  if (mask != kAllLanes) {
    context.fault(FaultKind::IllegalValue, lane, "executes " + what,
                  "the warp's lanes",
                  std::to_string(__builtin_popcount(mask)) +
                      " of 32 lanes are there, and each holds a part of the "
                      "matrices; make the block's threads a multiple of 32 and "
                      "let none exit before");
    return false;
  }
  unsigned has = context.launch.capability;
  unsigned needs = findMmaShape(kind.a, kind.m, kind.k)->capability;
  // The models begin with 8.0.
  needs = isFloat(kind.a) ? std::max(needs, 80u) : needs;
  if (has >= needs)
    return true;
  context.fault(FaultKind::IllegalValue, lane, "executes " + what, what,
                "it needs a card of capability " + capabilityName(needs) +
                    ", and one of " + capabilityName(has) +
                    " is played (SimulatorOptions::capability)");
  return false;
}

static Outcome execute(Context &context, const Instruction &instruction,
                       uint32_t mask) {
  MmaKind kind = kindOf(instruction);
  if (!checkLaunch(context, kind, mask))
    return Outcome::Faulted;
  MmaRegisters registers;
  size_t at = 0;
  for (unsigned i = 0; i < kind.registersA(); ++i)
    registers.a[i] = context.bank(instruction.sources[at++]);
  for (unsigned i = 0; i < kind.registersB(); ++i)
    registers.b[i] = context.bank(instruction.sources[at++]);
  for (unsigned i = 0; i < kind.registersC(); ++i) {
    registers.c[i] = context.bank(instruction.sources[at++]);
    const Slot &result = instruction.results[i];
    registers.d[i] = result.exists() ? context.bank(result) : nullptr;
  }
  runMma(kind, context.launch.capability, registers);
  return Outcome::Next;
}

// Decoding -------------------------------------------------------------------

/// `.m16n8k16` into the kind.
static Status takeShape(Decoder &d, MmaKind &kind) {
  std::string shape(d.peek());
  for (const MmaShape &known : mmaShapes())
    if (shape == shapeName(known.m, known.k)) {
      d.take(shape);
      kind.m = known.m;
      kind.k = known.k;
      return {};
    }
  return d.fail("'." + shape + "' is not a shape of mma");
}

static std::string shapesOf(Type type) {
  std::string list;
  for (const MmaShape &shape : mmaShapes())
    if (shape.a == type)
      list += (list.empty() ? "" : ", ") + shapeName(shape.m, shape.k);
  return list;
}

/// True if a and b may be multiplied, and summed up in `sum`.
static bool typesMatch(const MmaKind &kind) {
  auto oneOf = [](Type type, Type first, Type second) {
    return type == first || type == second;
  };
  switch (kind.a) {
  case Type::F16:
    return kind.b == Type::F16 && oneOf(kind.sum, Type::F32, Type::F16);
  case Type::BF16:
  case Type::TF32:
    return kind.b == kind.a && kind.sum == Type::F32;
  case Type::E4M3:
  case Type::E5M2:
    return oneOf(kind.b, Type::E4M3, Type::E5M2) &&
           oneOf(kind.sum, Type::F32, Type::F16);
  case Type::S8:
  case Type::U8:
    return oneOf(kind.b, Type::S8, Type::U8) && kind.sum == Type::S32;
  case Type::S4:
  case Type::U4:
    return oneOf(kind.b, Type::S4, Type::U4) && kind.sum == Type::S32;
  case Type::B1:
    return kind.b == Type::B1 && kind.sum == Type::S32;
  case Type::F64:
    return kind.b == Type::F64 && kind.sum == Type::F64;
  default:
    return false;
  }
}

/// `.f32.bf16.bf16.f32`
static Status takeTypes(Decoder &d, MmaKind &kind) {
  Type c = Type::None;
  for (Type *type : {&kind.sum, &kind.a, &kind.b, &c}) {
    std::optional<Type> taken = d.takeType();
    if (!taken)
      return d.fail("four types are expected behind the layouts: those of D, "
                    "A, B and C");
    *type = *taken;
  }
  if (c != kind.sum || !typesMatch(kind))
    return d.fail("mma has no sum of type " + std::string(nameOf(kind.sum)) +
                  " for A of " + std::string(nameOf(kind.a)) + ", B of " +
                  std::string(nameOf(kind.b)) + " and C of " +
                  std::string(nameOf(c)));
  if (findMmaShape(kind.a, kind.m, kind.k))
    return {};
  if (kind.a == Type::F16 && kind.k == 4)
    return d.fail("m8n8k4 of f16 is an instruction of capability 7.0 and not "
                  "supported; use " +
                  shapesOf(kind.a));
  return d.fail("there is no " + shapeName(kind.m, kind.k) + " of " +
                std::string(nameOf(kind.a)) + ", only " + shapesOf(kind.a));
}

static Status takeModifiers(Decoder &d, MmaKind &kind) {
  if (d.has("sp") || d.has("sp::ordered_metadata"))
    return d.fail("mma of sparse matrices is not supported");
  for (const std::string &modifier : d.statement().modifiers)
    if (modifier == "block_scale" || modifier.substr(0, 6) == "kind::")
      return d.fail("mma with '." + modifier +
                    "' (capability 12.0) is not supported");
  if (!d.take("sync") || !d.take("aligned"))
    return d.fail("mma is written mma.sync.aligned");
  if (Status status = takeShape(d, kind); !status)
    return status;
  if (!d.take("row") || !d.take("col"))
    return d.fail("only the layouts .row.col are supported");
  bool rounds = d.take("rn");
  kind.saturates = d.take("satfinite");
  if (Status status = takeTypes(d, kind); !status)
    return status;
  if (kind.a == Type::F64)
    rounds = d.take("rn") || rounds;
  if (rounds && kind.a != Type::F64)
    return d.fail("'.rn' is for f64");
  if (kind.saturates && (kind.sum != Type::S32 || kind.a == Type::B1))
    return d.fail("'.satfinite' is for integers of 4 and 8 bits");
  if (kind.a != Type::B1)
    return {};
  if (std::optional<unsigned> bits = d.takeOneOf({"and", "xor"}))
    kind.bits = *bits == 0 ? MmaKind::Bits::And : MmaKind::Bits::Xor;
  if (kind.bits == MmaKind::Bits::None || !d.take("popc"))
    return d.fail("mma of b1 ends in .and.popc or .xor.popc");
  return {};
}

/// The registers of operand `index`, one source or result each.
static Status takeMatrix(Decoder &d, size_t index, unsigned count, Type type,
                         const char *name, bool isResult) {
  const SyntaxOperand &operand = d.statement().operands[index];
  std::string expected = std::string(name) + " is a list of " +
                         std::to_string(count) +
                         (count == 1 ? " register" : " registers");
  if (operand.kind != SyntaxOperand::Kind::Vector)
    return d.fail(expected + " in braces");
  if (operand.elements.size() != count)
    return d.fail(expected + ", not " +
                  std::to_string(operand.elements.size()));
  for (const SyntaxOperand &element : operand.elements) {
    if (!isResult && (*name == 'A' || *name == 'B') &&
        element.kind != SyntaxOperand::Kind::Register)
      return d.fail(expected + "; numbers are for C alone");
    Result<unsigned> added =
        isResult ? d.result(element, type) : d.source(element, type);
    if (!added)
      return Failure{added.message()};
  }
  return {};
}

Status sim::decodeMma(Decoder &d) {
  MmaKind kind;
  if (Status status = takeModifiers(d, kind); !status)
    return status;
  if (Status status = d.expectOperands(4); !status)
    return status;
  // Floats stand in registers of bits, except for f32 sums and f64.
  bool isF64 = kind.a == Type::F64;
  Type operand = isF64 ? Type::F64 : Type::U32;
  Type sum = kind.sum == Type::F32 || isF64 ? kind.sum : Type::U32;
  struct {
    unsigned count;
    Type type;
    const char *name;
  } matrices[] = {{kind.registersC(), sum, "D"},
                  {kind.registersA(), operand, "A"},
                  {kind.registersB(), operand, "B"},
                  {kind.registersC(), sum, "C"}};
  for (size_t i = 0; i < 4; ++i)
    if (Status status = takeMatrix(d, i, matrices[i].count, matrices[i].type,
                                   matrices[i].name, i == 0);
        !status)
      return status;
  Instruction &instruction = d.instruction();
  store(kind, instruction);
  instruction.execute = execute;
  instruction.convergence = Convergence::Warp;
  instruction.category = Category::Matrix;
  return {};
}

Status sim::decodeUnsupportedMma(Decoder &d) {
  return d.fail("'" + d.statement().opcode +
                "' is not supported; of the matrix instructions there are "
                "mma.sync, ldmatrix, stmatrix and movmatrix");
}
