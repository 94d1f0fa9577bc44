//===- MemoryDecode.h - what instructions of memory have alike - *- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modifiers of loads, stores, atomics, copies and mbarriers; lanes' addresses.
// ptxas takes most of these modifiers in any order, and so does this.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_SIM_MEMORYDECODE_H
#define GIRIH_RUNTIME_SIM_MEMORYDECODE_H

#include "runtime/sim/MemorySystem.h"

namespace girih::sim {

// Each takes the next modifier if it is one of its kind.

/// `.global`, `.shared`, `.shared::cta`, `.shared::cluster`, `.local`,
/// `.const`, `.param`, `.param::entry`.
std::optional<Space> takeSpace(Decoder &d);
std::optional<Scope> takeScope(Decoder &d);
/// `.relaxed`, `.acquire`, `.release`, `.acq_rel`.
std::optional<Order> takeOrder(Decoder &d);
/// Cache operators, eviction priorities, prefetch sizes: hints that change
/// nothing here.
bool takeHint(Decoder &d);
/// `.v2`, `.v4`, `.v8`: how many.
std::optional<unsigned> takeVector(Decoder &d);

/// The modifiers of one access, in any order.
struct AccessModifiers {
  std::optional<Space> space;
  std::optional<Order> order;
  std::optional<Scope> scope;
  bool isVolatile = false, isWeak = false, isMmio = false;
  bool hasPolicy = false; ///< `.L2::cache_hint`: one more operand
  bool isDouble = false;  ///< two spaces, scopes, orders or vectors
  std::optional<unsigned> vector;
  /// Takes one modifier if it is one of these.
  bool takeOne(Decoder &d);
};

/// Order, scope and space go into the instruction. Refuses contradictions.
Status applyModifiers(Decoder &d, const AccessModifiers &modifiers);
/// Once the space is final: refuses an order where there can be none; what it
/// says about the kernel (KernelCode::hasFineSync, blocksCommunicate) is noted.
Status noteOrder(Decoder &d);
/// Notes threads that talk to each other through memory of this space.
void noteCommunication(Decoder &d, Space space);

/// A 64-bit cache policy as operand `index`; it is read and ignored.
Status policyOperand(Decoder &d, size_t index);
/// The number of `sm_90a` of the module; 0 where it names none.
unsigned targetNumber(Decoder &d);

/// Decoder::addressSource, and a look at the variable that may be its base: it
/// has to be one of `space`; a space that is not given (Generic) becomes the
/// variable's, as ptxas has it.
Result<unsigned> addressIn(Decoder &d, size_t index, Space &space);

/// Where an address is among an instruction's sources, for instructions with
/// more than one: base and offset.
struct AddressSources {
  unsigned base = 0, offset = 0;
};
/// Operand `index`, `[base + offset]`, as two sources: offset behind base.
Result<AddressSources> addressPair(Decoder &d, size_t index, Space &space);

/// Addresses of all lanes, from an AddressSources.
void gatherAddresses(const Context &context, const Instruction &instruction,
                     AddressSources from,
                     std::array<uint64_t, kLanes> &address);

/// Addresses of all lanes, `slot` + `offset`; 32-bit bases stay 32 bits wide.
inline void gatherAddresses(const Context &context, const Slot &slot,
                            int64_t offset,
                            std::array<uint64_t, kLanes> &address) {
  if (slot.bits == 64) {
    const uint64_t *base = context.lanes64(slot);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      address[lane] = base[lane] + uint64_t(offset);
    return;
  }
  const uint32_t *base = context.lanes32(slot);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    address[lane] = base[lane] + uint32_t(offset);
}

/// Calls f(operand) for the elements of operand `index`: as many
/// as the instruction has, in braces if there is more than one.
template <typename F> Status forElements(Decoder &d, size_t index, F &&f) {
  const SyntaxOperand &operand = d.statement().operands[index];
  unsigned elements = d.instruction().elements;
  bool isVector = operand.kind == SyntaxOperand::Kind::Vector;
  if (isVector != (elements > 1) ||
      (isVector && operand.elements.size() != elements))
    return d.fail(elements > 1 ? "operand " + std::to_string(index + 1) +
                                     " has to be a vector of " +
                                     std::to_string(elements) + " registers"
                               : "operand " + std::to_string(index + 1) +
                                     " is a vector, but there is no '.v2' or "
                                     "'.v4'");
  if (!isVector)
    return f(operand);
  for (const SyntaxOperand &element : operand.elements)
    if (Status status = f(element); !status)
      return status;
  return {};
}

/// The access of an instruction whose first source is the address.
inline WarpAccess makeWarpAccess(const Context &context,
                                 const Instruction &instruction, uint32_t mask,
                                 AccessKind kind) {
  WarpAccess access;
  access.space = instruction.space;
  access.kind = kind;
  access.order = instruction.order;
  access.scope = instruction.scope;
  access.elementBytes = instruction.elementBytes;
  access.bytes = unsigned(instruction.elementBytes) * instruction.elements;
  access.mask = mask;
  gatherAddresses(context, instruction.sources[0], instruction.offset,
                  access.address);
  return access;
}

} // namespace girih::sim

#endif // GIRIH_RUNTIME_SIM_MEMORYDECODE_H
