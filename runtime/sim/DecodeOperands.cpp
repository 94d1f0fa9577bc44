//===- DecodeOperands.cpp - operands become slots -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operand goes with which type: PTX ISA 9.0, 9.2 (type information for
// instructions and operands) and 4.5 (constants), where ptxas is stricter, as
// ptxas has it.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Decode.h"
#include "runtime/sim/SpecialRegister.h"

#include <cstring>

using namespace girih;
using namespace girih::sim;

namespace {

enum class Sort : uint8_t { Bits, Integer, Float, Predicate };

Sort sortOf(Type type) {
  switch (type) {
  case Type::Pred:
    return Sort::Predicate;
  case Type::None:
  case Type::B1:
  case Type::B8:
  case Type::B16:
  case Type::B32:
  case Type::B64:
  case Type::B128:
    return Sort::Bits;
  default:
    return isFloat(type) ? Sort::Float : Sort::Integer;
  }
}

/// True if a register declared as `declared` may stand where an instruction
/// works on `type`.
bool fits(Type declared, Type type, bool mayBeWider) {
  unsigned have = bitsOf(declared), want = bitsOf(type);
  if (sortOf(declared) == Sort::Predicate || sortOf(type) == Sort::Predicate)
    return declared == type;
  if (mayBeWider ? have < want : have != want)
    return false;
  Sort sort = sortOf(declared), wanted = sortOf(type);
  if (sort == Sort::Bits || wanted == Sort::Bits)
    return true;
  if (sort == Sort::Float)
    return declared == type || (declared == Type::F32 && type == Type::TF32);
  return sort == wanted;
}

std::string spelled(Type type) { return "." + std::string(nameOf(type)); }

uint64_t cut(uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// A literal's bits as f32: decimal literals and 0d are f64 and round.
uint32_t asFloat32(const SyntaxOperand &operand) {
  if (operand.kind == SyntaxOperand::Kind::Float32)
    return uint32_t(operand.bits);
  return bitCast<uint32_t>(float(bitCast<double>(operand.bits)));
}

uint64_t asFloat64(const SyntaxOperand &operand) {
  if (operand.kind == SyntaxOperand::Kind::Float64)
    return operand.bits;
  return bitCast<uint64_t>(double(bitCast<float>(uint32_t(operand.bits))));
}

bool isLiteral(const SyntaxOperand &operand) {
  return operand.kind == SyntaxOperand::Kind::Integer ||
         operand.kind == SyntaxOperand::Kind::Float32 ||
         operand.kind == SyntaxOperand::Kind::Float64;
}

} // namespace

unsigned Decoder::addSource(Slot slot) {
  sources.push_back(slot);
  return unsigned(sources.size() - 1);
}

Slot Decoder::constantSlot(uint64_t bits, unsigned width) {
  bits = cut(bits, width);
  Slot slot;
  slot.constant = true;
  slot.bits = uint8_t(width);
  auto [entry, isNew] = pool.try_emplace({bits, width}, 0);
  if (isNew) {
    entry->second = uint32_t(code.constants.size());
    size_t bytes = width == 1 ? 4 : width <= 32 ? 128 : width == 64 ? 256 : 512;
    // Rows begin at multiples of 64, for vector loads.
    code.constants.resize(entry->second + (bytes + 63) / 64 * 64);
    uint8_t *at = code.constants.data() + entry->second;
    if (width == 1) {
      uint32_t word = bits ? kAllLanes : 0;
      std::memcpy(at, &word, 4);
    } else if (width <= 32) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        std::memcpy(at + 4 * lane, &bits, 4);
    } else {
      unsigned stride = width / 8;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        std::memcpy(at + stride * lane, &bits, 8);
    }
  }
  slot.offset = entry->second;
  return slot;
}

Result<Slot> Decoder::immediateSlot(const SyntaxOperand &operand, Type type) {
  unsigned width = bitsOf(type);
  bool isInteger = operand.kind == SyntaxOperand::Kind::Integer;
  switch (sortOf(type)) {
  case Sort::Predicate:
    if (isInteger)
      return constantSlot(operand.bits != 0, 1);
    return fail("a floating-point number cannot be a predicate");
  case Sort::Integer:
    if (isInteger)
      return constantSlot(operand.bits, width);
    return fail("a floating-point number cannot be an operand of type " +
                spelled(type));
  case Sort::Bits:
    if (isInteger && width <= 64)
      return constantSlot(operand.bits, width);
    // Hexadecimal floats count as their bits; decimal literals are f64.
    if (operand.kind == SyntaxOperand::Kind::Float32 && width == 32)
      return constantSlot(operand.bits, 32);
    if (operand.kind == SyntaxOperand::Kind::Float64 && width == 64)
      return constantSlot(operand.bits, 64);
    return fail("this number cannot be an operand of type " + spelled(type));
  case Sort::Float:
    break;
  }
  if (isInteger)
    return fail("an integer cannot be an operand of type " + spelled(type) +
                "; write it as a floating-point number");
  if (type == Type::F32 || type == Type::TF32)
    return constantSlot(asFloat32(operand), 32);
  if (type == Type::F64)
    return constantSlot(asFloat64(operand), 64);
  return fail("a number cannot be an operand of type " + spelled(type) +
              "; move its bits into a register first");
}

Result<uint64_t> Decoder::variableAddress(const SyntaxOperand &operand) {
  uint64_t offset = uint64_t(operand.offset);
  if (operand.isParameter)
    return code.parameterOffsets[operand.index] + offset;
  const SyntaxVariable &variable = operand.isGlobal
                                       ? code.module->variables[operand.index]
                                       : code.syntax->variables[operand.index];
  if (variable.space == Space::Shared || variable.space == Space::Local) {
    for (const auto *list : {&code.shared, &code.local})
      for (const KernelCode::Placed &placed : *list)
        if (placed.variable == &variable)
          return placed.offset + offset;
  } else if (operand.isGlobal && operand.index < addresses.size() &&
             addresses[operand.index] != 0) {
    return addresses[operand.index] + offset;
  }
  return fail("variable '" + variable.name + "' has no address here");
}

Result<Slot> Decoder::variableSlot(const SyntaxOperand &operand, Type type) {
  unsigned width = bitsOf(type);
  Sort sort = sortOf(type);
  if ((sort != Sort::Integer && sort != Sort::Bits) ||
      (width != 32 && width != 64))
    return fail("the address of '" + operand.name +
                "' cannot be an operand of type " + spelled(type));
  Result<uint64_t> address = variableAddress(operand);
  if (!address)
    return Failure{address.message()};
  if (width == 32 && *address >> 32 != 0)
    return fail("the address of '" + operand.name + "' has 64 bits, not 32");
  return constantSlot(*address, width);
}

Result<Slot> Decoder::registerSlot(const SyntaxOperand &operand, Type type,
                                   bool mayBeWider) {
  const SyntaxRegister &declared = code.syntax->registers[operand.index];
  if (operand.negated)
    return fail("'!" + declared.name + "' cannot stand here");
  if (type != Type::None && !fits(declared.type, type, mayBeWider))
    return fail("register " + declared.name + " is declared " +
                spelled(declared.type) + " and cannot be an operand of type " +
                spelled(type));
  return code.registerSlots[operand.index];
}

Result<Slot> Decoder::specialSlot(const std::string &name, Type type) {
  std::optional<SpecialRegister> special = findSpecial(name);
  if (!special)
    return fail("special register '" + name +
                "' is not one that the simulator knows");
  unsigned width = bitsOf(type);
  if (special->id == SpecialId::WarpSize) {
    if (sortOf(type) == Sort::Float || sortOf(type) == Sort::Predicate)
      return fail("WARP_SZ cannot be an operand of type " + spelled(type));
    return constantSlot(kLanes, width);
  }
  if (current->opcode != "mov" && current->opcode != "cvt")
    return fail("special register " + name + " can only be read by mov and " +
                "cvt");
  bool mayBeNarrower = special->bits == 32
                           ? width == 16
                           : special->id == SpecialId::GridId && width == 32;
  if ((width != special->bits && !mayBeNarrower) ||
      sortOf(type) == Sort::Float ||
      (sortOf(type) == Sort::Predicate) != (special->bits == 1))
    return fail("special register " + name + " has " +
                std::to_string(special->bits) +
                " bits and cannot be an operand of type " + spelled(type));
  std::string key = name;
  if (width != special->bits)
    key += ":" + std::to_string(width);
  auto [entry, isNew] = code.specials.try_emplace(key);
  if (isNew) {
    entry->second.bits = uint8_t(width);
    entry->second.offset = (code.registerBytes + 63) / 64 * 64;
    code.registerBytes = entry->second.offset + (width == 64 ? 256 : 128);
  }
  return entry->second;
}

Result<Slot> Decoder::readSlot(const SyntaxOperand &operand, Type type,
                               bool mayBeWider) {
  switch (operand.kind) {
  case SyntaxOperand::Kind::Register:
    return registerSlot(operand, type, mayBeWider);
  case SyntaxOperand::Kind::Integer:
  case SyntaxOperand::Kind::Float32:
  case SyntaxOperand::Kind::Float64:
    return immediateSlot(operand, type);
  case SyntaxOperand::Kind::Special:
    return specialSlot(operand.name, type);
  case SyntaxOperand::Kind::Variable:
    return variableSlot(operand, type);
  case SyntaxOperand::Kind::Sink:
    return fail("'_' cannot be read");
  default:
    return fail("an operand of type " + spelled(type) +
                " must be a register or a number");
  }
}

Result<unsigned> Decoder::source(size_t index, Type type, bool mayBeWider) {
  if (index >= current->operands.size())
    return fail("operand " + std::to_string(index + 1) + " is missing");
  return source(current->operands[index], type, mayBeWider);
}

Result<unsigned> Decoder::source(const SyntaxOperand &operand, Type type,
                                 bool mayBeWider) {
  Result<Slot> slot = readSlot(operand, type, mayBeWider);
  if (!slot)
    return Failure{slot.message()};
  return addSource(*slot);
}

Result<unsigned> Decoder::predicateSource(size_t index, bool *negated) {
  if (index >= current->operands.size())
    return fail("operand " + std::to_string(index + 1) + " is missing");
  const SyntaxOperand &operand = current->operands[index];
  if (negated)
    *negated = operand.negated;
  if (operand.negated && negated) {
    SyntaxOperand plain = operand;
    plain.negated = false;
    return source(plain, Type::Pred);
  }
  return source(operand, Type::Pred);
}

Result<unsigned> Decoder::result(size_t index, Type type, bool mayBeWider) {
  if (index >= current->operands.size())
    return fail("operand " + std::to_string(index + 1) + " is missing");
  return result(current->operands[index], type, mayBeWider);
}

Result<unsigned> Decoder::result(const SyntaxOperand &operand, Type type,
                                 bool mayBeWider) {
  Slot slot;
  if (operand.kind == SyntaxOperand::Kind::Register) {
    Result<Slot> found = registerSlot(operand, type, mayBeWider);
    if (!found)
      return Failure{found.message()};
    slot = *found;
  } else if (operand.kind != SyntaxOperand::Kind::Sink) {
    return fail("a result must be a register");
  }
  results.push_back(slot);
  return unsigned(results.size() - 1);
}

Result<unsigned> Decoder::predicateResult(const SyntaxOperand &operand) {
  return result(operand, Type::Pred);
}

Result<unsigned> Decoder::addressSource(size_t index) {
  if (index >= current->operands.size())
    return fail("operand " + std::to_string(index + 1) + " is missing");
  const SyntaxOperand &operand = current->operands[index];
  if (operand.kind != SyntaxOperand::Kind::Address || operand.elements.empty())
    return fail("operand " + std::to_string(index + 1) +
                " must be an address in brackets");
  const SyntaxOperand &base = operand.elements[0];
  made->offset = operand.offset;
  if (base.kind == SyntaxOperand::Kind::Integer) {
    made->offset += int64_t(base.bits);
    return addSource(constantSlot(0, 64));
  }
  if (base.kind == SyntaxOperand::Kind::Variable) {
    Result<uint64_t> address = variableAddress(base);
    if (!address)
      return Failure{address.message()};
    return addSource(constantSlot(*address, 64));
  }
  if (base.kind != SyntaxOperand::Kind::Register)
    return fail("the base of an address must be a register, a variable or a "
                "number");
  const SyntaxRegister &declared = code.syntax->registers[base.index];
  unsigned width = bitsOf(declared.type);
  Sort sort = sortOf(declared.type);
  if ((width != 32 && width != 64) || sort == Sort::Float)
    return fail("register " + declared.name + " is declared " +
                spelled(declared.type) + " and cannot hold an address");
  return addSource(code.registerSlots[base.index]);
}

Result<int64_t> Decoder::immediate(size_t index) {
  if (index >= current->operands.size())
    return fail("operand " + std::to_string(index + 1) + " is missing");
  const SyntaxOperand &operand = current->operands[index];
  if (operand.kind == SyntaxOperand::Kind::Integer)
    return int64_t(operand.bits);
  if (operand.kind == SyntaxOperand::Kind::Special && operand.name == "WARP_SZ")
    return int64_t(kLanes);
  return fail("operand " + std::to_string(index + 1) + " must be " +
              (isLiteral(operand) ? "an integer" : "a number"));
}

Result<uint32_t> Decoder::label(size_t index) {
  if (index >= current->operands.size() ||
      current->operands[index].kind != SyntaxOperand::Kind::Label)
    return fail("operand " + std::to_string(index + 1) + " must be a label");
  return current->operands[index].index;
}
