//===- MemoryOps.cpp - loads and stores -----------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 9.7.9: ld, ldu, st. Caches are not played: hints change nothing.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/AddressOps.h"
#include "runtime/sim/MemoryDecode.h"

#include <cstring>

using namespace girih;
using namespace girih::sim;

namespace {

/// One element of each lane into its register, as wide as that is.
template <typename T>
void loadElement(const Context &context, const Slot &slot,
                 const WarpAccess &access, unsigned at, uint32_t good) {
  if (slot.bits == 64) {
    uint64_t *words = context.lanes64(slot);
    forLanes(good, [&](unsigned lane) {
      T value;
      std::memcpy(&value, access.data[lane] + at, sizeof value);
      words[lane] = uint64_t(int64_t(value));
    });
    return;
  }
  uint32_t cut = slot.bits == 32 ? 0xffffffff : (1u << slot.bits) - 1;
  uint32_t *words = context.lanes32(slot);
  forLanes(good, [&](unsigned lane) {
    T value;
    std::memcpy(&value, access.data[lane] + at, sizeof value);
    words[lane] = uint32_t(int64_t(value)) & cut;
  });
}

void clearLanes(const Context &context, const Slot &slot, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    if (slot.bits == 128)
      std::memset(context.lanes64(slot) + 2 * lane, 0, 16);
    else
      context.set(slot, lane, 0);
  });
}

template <typename T>
Outcome load(Context &context, const Instruction &instruction, uint32_t mask) {
  WarpAccess access =
      makeWarpAccess(context, instruction, mask, AccessKind::Read);
  uint32_t good = context.launch.memorySystem->resolve(context, access);
  for (unsigned i = 0; i < instruction.elements; ++i) {
    const Slot &slot = instruction.results[i];
    if (!slot.exists())
      continue;
    loadElement<T>(context, slot, access, i * sizeof(T), good);
    if (good != mask)
      clearLanes(context, slot, mask & ~good);
  }
  return Outcome::Next;
}

Outcome load128(Context &context, const Instruction &instruction,
                uint32_t mask) {
  WarpAccess access =
      makeWarpAccess(context, instruction, mask, AccessKind::Read);
  uint32_t good = context.launch.memorySystem->resolve(context, access);
  const Slot &slot = instruction.results[0];
  if (!slot.exists())
    return Outcome::Next;
  uint64_t *words = context.lanes64(slot);
  forLanes(good, [&](unsigned lane) {
    std::memcpy(words + 2 * lane, access.data[lane], 16);
  });
  clearLanes(context, slot, mask & ~good);
  return Outcome::Next;
}

template <typename T>
void storeElement(const Context &context, const Slot &slot,
                  const WarpAccess &access, unsigned at, uint32_t good) {
  auto store = [&](const auto *words) {
    forLanes(good, [&](unsigned lane) {
      T value = T(words[lane]);
      std::memcpy(access.data[lane] + at, &value, sizeof value);
    });
  };
  if (slot.bits == 64)
    store(context.lanes64(slot));
  else
    store(context.lanes32(slot));
}

template <typename T>
Outcome store(Context &context, const Instruction &instruction, uint32_t mask) {
  WarpAccess access =
      makeWarpAccess(context, instruction, mask, AccessKind::Write);
  uint32_t good = context.launch.memorySystem->resolve(context, access);
  if (good)
    for (unsigned i = 0; i < instruction.elements; ++i)
      storeElement<T>(context, instruction.sources[1 + i], access,
                      i * sizeof(T), good);
  return Outcome::Next;
}

Outcome store128(Context &context, const Instruction &instruction,
                 uint32_t mask) {
  WarpAccess access =
      makeWarpAccess(context, instruction, mask, AccessKind::Write);
  uint32_t good = context.launch.memorySystem->resolve(context, access);
  const uint64_t *words = context.lanes64(instruction.sources[1]);
  forLanes(good, [&](unsigned lane) {
    std::memcpy(access.data[lane], words + 2 * lane, 16);
  });
  return Outcome::Next;
}

Execute loadOf(Type type) {
  bool extends = isSigned(type);
  switch (bitsOf(type)) {
  case 8:
    return extends ? load<int8_t> : load<uint8_t>;
  case 16:
    return extends ? load<int16_t> : load<uint16_t>;
  case 32:
    return extends ? load<int32_t> : load<uint32_t>;
  case 64:
    return load<uint64_t>;
  default:
    return load128;
  }
}

Execute storeOf(Type type) {
  switch (bitsOf(type)) {
  case 8:
    return store<uint8_t>;
  case 16:
    return store<uint16_t>;
  case 32:
    return store<uint32_t>;
  case 64:
    return store<uint64_t>;
  default:
    return store128;
  }
}

/// Types that ld and st know.
bool isAccessType(Type type) {
  switch (type) {
  case Type::B8:
  case Type::B16:
  case Type::B32:
  case Type::B64:
  case Type::B128:
  case Type::U8:
  case Type::U16:
  case Type::U32:
  case Type::U64:
  case Type::S8:
  case Type::S16:
  case Type::S32:
  case Type::S64:
  case Type::F32:
  case Type::F64:
    return true;
  default:
    return false;
  }
}

/// Type and vector, checked; then the instruction knows how wide it is.
Status applyType(Decoder &d, const AccessModifiers &modifiers) {
  std::optional<Type> type = d.takeType();
  if (!type || !isAccessType(*type))
    return d.fail("the last modifier has to be a type from b8 to b128, u, s "
                  "or f");
  if (Status status = d.finishModifiers(); !status)
    return status;
  Instruction &instruction = d.instruction();
  unsigned elements = modifiers.vector.value_or(1);
  unsigned bytes = bitsOf(*type) / 8 * elements;
  if ((elements > 1 && *type == Type::B128) || bytes > 32 ||
      (elements == 8 && bytes != 32))
    return d.fail("there is no vector of " + std::to_string(elements) + " " +
                  std::string(nameOf(*type)));
  if (bytes == 32 && targetNumber(d) < 100)
    return d.fail("a vector of 32 bytes needs a target of sm_100 or later");
  instruction.type = *type;
  instruction.elements = uint8_t(elements);
  instruction.elementBytes = uint8_t(bitsOf(*type) / 8);
  return {};
}

/// Operand `index` as the address; then the space is known, and what hangs on
/// it is looked at.
Status applyAddress(Decoder &d, size_t index) {
  Instruction &instruction = d.instruction();
  if (auto address = addressIn(d, index, instruction.space); !address)
    return Failure{address.message()};
  if (instruction.elements * instruction.elementBytes == 32 &&
      instruction.space != Space::Global)
    return d.fail("a vector of 32 bytes has to be one of global memory");
  d.noteAccess(instruction.space, instruction.elementBytes);
  return noteOrder(d);
}

Status expectPolicy(Decoder &d, const AccessModifiers &modifiers,
                    size_t plain) {
  if (Status status = d.expectOperands(plain + modifiers.hasPolicy); !status)
    return status;
  return modifiers.hasPolicy ? policyOperand(d, plain) : Status();
}

Status decodeLoad(Decoder &d) {
  AccessModifiers modifiers;
  bool isReadOnly = false;
  while (modifiers.takeOne(d) || (!isReadOnly && (isReadOnly = d.take("nc"))))
    ;
  if (Status status = applyModifiers(d, modifiers); !status)
    return status;
  Instruction &instruction = d.instruction();
  if (modifiers.order && *modifiers.order != Order::Relaxed &&
      *modifiers.order != Order::Acquire)
    return d.fail("a load cannot be '.release' or '.acq_rel'");
  if (modifiers.order.has_value() != modifiers.scope.has_value())
    return d.fail("'.relaxed' and '.acquire' go with a scope: '.cta', "
                  "'.cluster', '.gpu' or '.sys'");
  if (isReadOnly &&
      (instruction.space != Space::Global || instruction.order != Order::Weak))
    return d.fail("'.nc' has to be a weak load of global memory");
  if (d.statement().opcode == "ldu" && ((instruction.space != Space::Global &&
                                         instruction.space != Space::Generic) ||
                                        instruction.order != Order::Weak))
    return d.fail("ldu has to be a weak load of global memory");
  if (Status status = applyType(d, modifiers); !status)
    return status;
  if (Status status = d.expectOperands(2 + modifiers.hasPolicy); !status)
    return status;
  Type type = instruction.type;
  if (Status status = forElements(d, 0,
                                  [&](const SyntaxOperand &operand) -> Status {
                                    auto result = d.result(operand, type, true);
                                    return result ? Status()
                                                  : Failure{result.message()};
                                  });
      !status)
    return status;
  if (Status status = applyAddress(d, 1); !status)
    return status;
  instruction.execute = loadOf(type);
  instruction.category = Category::Load;
  return expectPolicy(d, modifiers, 2);
}

Status decodeStore(Decoder &d) {
  AccessModifiers modifiers;
  while (modifiers.takeOne(d))
    ;
  for (const char *other : {"async", "bulk"})
    if (d.has(other))
      return d.fail("'st." + std::string(other) + "' is not supported");
  if (d.has("param::func"))
    return d.fail("calls of functions are not supported");
  if (Status status = applyModifiers(d, modifiers); !status)
    return status;
  Instruction &instruction = d.instruction();
  if (modifiers.order && *modifiers.order != Order::Relaxed &&
      *modifiers.order != Order::Release)
    return d.fail("a store cannot be '.acquire' or '.acq_rel'");
  if (modifiers.order.has_value() != modifiers.scope.has_value())
    return d.fail("'.relaxed' and '.release' go with a scope: '.cta', "
                  "'.cluster', '.gpu' or '.sys'");
  if (Status status = applyType(d, modifiers); !status)
    return status;
  if (Status status = d.expectOperands(2 + modifiers.hasPolicy); !status)
    return status;
  if (Status status = applyAddress(d, 0); !status)
    return status;
  if (instruction.space == Space::Const)
    return d.fail("constant memory cannot be written");
  if (instruction.space == Space::Param)
    return d.fail("a kernel's parameters cannot be written");
  Type type = instruction.type;
  if (Status status = forElements(d, 1,
                                  [&](const SyntaxOperand &operand) -> Status {
                                    auto source = d.source(operand, type, true);
                                    return source ? Status()
                                                  : Failure{source.message()};
                                  });
      !status)
    return status;
  instruction.execute = storeOf(type);
  instruction.category = Category::Store;
  return expectPolicy(d, modifiers, 2);
}

Status decodeMultimem(Decoder &d) {
  return d.fail("memory of several devices at once is not supported");
}

constexpr OpcodeRow kRows[] = {
    {"ld", decodeLoad},
    {"ldu", decodeLoad},
    {"st", decodeStore},
    {"cvta", decodeConvertAddress},
    {"isspacep", decodeTestSpace},
    {"prefetch", decodePrefetch},
    {"prefetchu", decodePrefetch},
    {"applypriority", decodePriority},
    {"discard", decodeDiscard},
    {"createpolicy", decodePolicy},
    {"multimem", decodeMultimem},
};

} // namespace

const std::span<const OpcodeRow> sim::kMemoryRows = kRows;
